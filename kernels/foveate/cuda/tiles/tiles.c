/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "tiles.h"

#include "kernels/foveate/cuda/common/code.h"
#include "list.h"

extern const unsigned char foveate_tiles_fatbin[];
extern const unsigned char foveate_tiles_float_fatbin[];
extern const unsigned char foveate_tiles_unorm_fatbin[];

_Static_assert(sizeof(struct foveate_tiles_linear_params) <= 4096, "more than a launch carries");
_Static_assert(sizeof(struct foveate_tile_counts) == 16, "the list lies after the counts");

static const uint32_t unorm_formats =
    1u << FOVEA_FORMAT_RGB8 | 1u << FOVEA_FORMAT_R8 | 1u << FOVEA_FORMAT_A2B10G10R10;
static const uint32_t float_formats = 1u << FOVEA_FORMAT_B10G11R11F | 1u << FOVEA_FORMAT_RGBA16F;
static const uint32_t formats = 1u << FOVEA_FORMAT_RGBA8 | unorm_formats | float_formats;

/* Finds the kernels of some formats in the module that holds them. */
static enum fovea_result load_module(const struct cuda_device *device, const unsigned char *fatbin,
                                     uint32_t those, CUmodule *out_module,
                                     struct foveate_cuda_tile_kernels *kernels)
{
    CU_TRY(device->log, device->cu, device->cu->ModuleLoadData(out_module, fatbin));
    FOVEA_TRY(cuda_kernels_get(device, *out_module, "tile_levels", those, &kernels->levels));
    return cuda_kernels_get(device, *out_module, "tile_picture", those, &kernels->picture);
}

/* Finds the first kernel by MMA for a format whose other kernels are in the same module, if its
 * code has one. */
static enum fovea_result load_mma_tile(const struct cuda_device *device, CUmodule module,
                                       const char *prefix, enum fovea_format format,
                                       const struct cuda_kernels *others, struct cuda_kernels *out)
{
    struct foveate_cuda_code code;
    FOVEA_TRY(foveate_cuda_code_of(device, others->linear[format], &code));
    return code.has_mma ? cuda_kernels_get(device, module, prefix, 1u << format, out) : FOVEA_OK;
}

enum fovea_result foveate_cuda_tiles_load(const struct cuda_device *device,
                                          struct foveate_cuda_tile_kernels *out_kernels)
{
    CUmodule *modules = out_kernels->modules;
    const struct cuda_kernels *levels = &out_kernels->levels;
    FOVEA_TRY(load_module(device, foveate_tiles_fatbin, 1u << FOVEA_FORMAT_RGBA8, &modules[0],
                          out_kernels));
    FOVEA_TRY(
        load_module(device, foveate_tiles_unorm_fatbin, unorm_formats, &modules[1], out_kernels));
    FOVEA_TRY(
        load_module(device, foveate_tiles_float_fatbin, float_formats, &modules[2], out_kernels));
    FOVEA_TRY(load_mma_tile(device, modules[0], "tile_bytes", FOVEA_FORMAT_RGBA8, levels,
                            &out_kernels->bytes));
    FOVEA_TRY(load_mma_tile(device, modules[0], "tile_light", FOVEA_FORMAT_RGBA8, levels,
                            &out_kernels->light));
    return load_mma_tile(device, modules[2], "tile_floats", FOVEA_FORMAT_RGBA16F, levels,
                         &out_kernels->floats);
}

void foveate_cuda_tiles_unload(const struct cuda_device *device,
                               struct foveate_cuda_tile_kernels *kernels)
{
    for (int i = 0; i < FOVEATE_CUDA_TILE_MODULES; i++) {
        if (kernels->modules[i]) {
            CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->modules[i]));
        }
    }
}

bool foveate_cuda_tiles_take_format(enum fovea_format format)
{
    return format >= 0 && format < CUDA_FORMATS && (formats >> format & 1u) != 0;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static enum fovea_result clear_states(const struct foveate_cuda_tile_run *run)
{
    const struct cuda_device *device = run->device;
    CU_TRY(device->log, device->cu,
           device->cu->MemsetD8Async(run->tiles->state, 0,
                                     (size_t)run->tiles->state_bytes * run->state_count,
                                     run->stream));
    return FOVEA_OK;
}

/* The gazes of a batch are on the device. */
static int32_t levels_for(const struct foveate_cuda_tile_run *run, bool own_gazes)
{
    return own_gazes ? run->tiles->level_count : foveate_tile_level_count(run->tiles, run->frame);
}

/* Returns the samples along an axis of a level, with its margins. */
static uint32_t count_blocks(int32_t samples, int32_t block)
{
    return (uint32_t)((samples + 2 * FOVEATE_MARGIN + block - 1) / block);
}

/* Makes all of level k from the one below, by the plain kernel. */
static enum fovea_result decimate(const struct foveate_cuda_tile_run *run, int32_t k,
                                  uint32_t images)
{
    const struct cuda_device *device = run->device;
    const struct foveate_level *level = &run->tiles->levels[k];
    struct foveate_cuda_decimate_params params = {
        .smooth = {.samples = run->tiles->samples, .next_samples = run->tiles->next_samples},
        .level = k};
    params.smooth.levels[k - 1] = run->tiles->levels[k - 1];
    params.smooth.levels[k] = *level;
    const uint32_t columns = count_blocks(level->width, FOVEATE_CUDA_BLOCK_WIDTH);
    const uint32_t rows = count_blocks(level->height, FOVEATE_CUDA_BLOCK_HEIGHT);
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(run->decimate, columns, rows, images, FOVEATE_CUDA_BLOCK_WIDTH,
                                    FOVEATE_CUDA_BLOCK_HEIGHT, 1, 0, run->stream,
                                    (void *[]){&params}, NULL));
    return FOVEA_OK;
}

/* Returns whether no subtile has both sigmas that only narrow ones may have and sigmas that they
 * may not. */
static bool has_no_parts(const struct foveate_tiles *tiles)
{
    const float diagonal_px = 1.4143f * (FOVEATE_TILE_SUBTILE_PX + 4);
    return tiles->fine_sigma + tiles->slope * diagonal_px <= FOVEATE_TILE_NARROW_SIGMA;
}

/* Fits a copy of the plan's tiles to a launch. With `gazes` the frame's own gaze is not used. The
 * MMA path, for formats that have it, does not blur alpha. */
static struct foveate_tiles tiles_for(const struct foveate_cuda_tile_run *run,
                                      enum fovea_format format, CUdeviceptr gazes)
{
    struct foveate_tiles own = *run->tiles;
    const struct foveate_cuda_tile_kernels *kernels = run->kernels;
    const bool mma = kernels->bytes.linear[format] || kernels->floats.linear[format];
    if (mma && !run->frame->blur_alpha) {
        own.grid = own.wide_grid;
    }
    if ((float_formats >> format & 1u) != 0) {
        own.limits = own.float_limits;
    }
    if (gazes == 0) {
        foveate_cuda_tile_list_fit(&own, run->frame);
    }
    own.grid.narrow = kernels->bytes.linear[format] && run->frame->light == 0 &&
                      !run->frame->blur_alpha && own.slope <= FOVEATE_TILE_NARROW_SLOPE;
    if (own.grid.narrow && has_no_parts(&own)) {
        own.grid.entry_count -= own.grid.part_count;
        own.grid.part_count = 0;
    }
    return own;
}

/* Returns the kernels that make a frame's levels by MMA, or NULL. Floats hold light. */
static const struct cuda_kernels *mma_maker_of(const struct foveate_cuda_tile_kernels *kernels,
                                               enum fovea_format format,
                                               const struct foveate_frame *frame)
{
    if ((float_formats >> format & 1u) != 0) {
        return &kernels->floats;
    }
    return frame->light ? &kernels->light : &kernels->bytes;
}

/* A frame's launches. */
struct stages {
    enum fovea_format format;
    bool surfaces;
    const struct foveate_tiles *tiles; /* of `params` */
    void *params;
    int32_t level_count;
    uint32_t sources;
    uint32_t images;
};

static CUfunction kernel_of(const struct cuda_kernels *kernels, const struct stages *stages)
{
    return stages->surfaces ? kernels->surface[stages->format] : kernels->linear[stages->format];
}

/* Launches the kernel that makes levels 1 and 2 and the list, by MMA if it is there. */
static enum fovea_result launch_makers(const struct foveate_cuda_tile_run *run,
                                       const struct stages *stages)
{
    const struct cuda_device *device = run->device;
    const CUfunction mma =
        kernel_of(mma_maker_of(run->kernels, stages->format, run->frame), stages);
    const CUfunction levels = kernel_of(&run->kernels->levels, stages);
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(mma ? mma : levels, (unsigned)stages->tiles->made_columns,
                                    (unsigned)stages->tiles->made_rows, stages->images,
                                    mma ? FOVEATE_TILE_BYTES_MAKERS : FOVEATE_TILE_MAKERS, 1, 1, 0,
                                    run->stream, (void *[]){stages->params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result launch_stages(const struct foveate_cuda_tile_run *run,
                                       const struct stages *stages)
{
    const struct cuda_device *device = run->device;
    const struct foveate_tiles *tiles = stages->tiles;
    FOVEA_TRY(launch_makers(run, stages));
    for (int32_t k = 3; k < stages->level_count; k++) {
        FOVEA_TRY(decimate(run, k, stages->sources));
    }
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(
               kernel_of(&run->kernels->picture, stages), (unsigned)tiles->grid.entry_count, 1,
               stages->images, FOVEATE_TILE_THREADS, 1, 1, (unsigned)tiles->limits.shared_bytes,
               run->stream, (void *[]){stages->params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result launch_all(const struct foveate_cuda_tile_run *run,
                                    const struct stages *stages)
{
    if (*run->dirty) {
        FOVEA_TRY(clear_states(run));
    }
    *run->dirty = true;
    FOVEA_TRY(launch_stages(run, stages));
    *run->dirty = false;
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_tiles_surface(const struct foveate_cuda_tile_run *run,
                                             enum fovea_format format, CUsurfObject src,
                                             CUsurfObject dst)
{
    struct foveate_tiles_surface_params params = {.frame = *run->frame,
                                                  .tiles = tiles_for(run, format, run->gazes),
                                                  .batch = {.gazes = run->gazes},
                                                  .src = src,
                                                  .dst = dst};
    const struct stages stages = {.format = format,
                                  .surfaces = true,
                                  .tiles = &params.tiles,
                                  .params = &params,
                                  .level_count = levels_for(run, run->gazes != 0),
                                  .sources = 1,
                                  .images = 1};
    return launch_all(run, &stages);
}

enum fovea_result foveate_cuda_tiles_linear(const struct foveate_cuda_tile_run *run,
                                            enum fovea_format format,
                                            const struct foveate_cuda_slice *slice)
{
    struct foveate_tiles_linear_params params = {.frame = *run->frame,
                                                 .tiles =
                                                     tiles_for(run, format, slice->batch.gazes),
                                                 .batch = slice->batch,
                                                 .src = slice->src,
                                                 .dst = slice->dst};
    const struct stages stages = {.format = format,
                                  .tiles = &params.tiles,
                                  .params = &params,
                                  .level_count = levels_for(run, slice->batch.gazes != 0),
                                  .sources = slice->batch.src_next_bytes == 0 ? 1 : slice->count,
                                  .images = slice->count};
    return launch_all(run, &stages);
}
