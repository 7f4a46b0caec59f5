/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "nodes.h"

#include "kernels/foveate/cuda/common/code.h"

extern const unsigned char foveate_nodes_fatbin[];

_Static_assert(sizeof(struct foveate_nodes_linear_params) <= 4096, "more than a launch carries");

#define TILE FOVEATE_NODES_TILE_PX
#define THREADS (32 * FOVEATE_NODES_WARPS)
#define LEVEL_THREADS (32 * FOVEATE_NODES_LEVEL_WARPS)
/* Once a level has so few tiles, one block makes it and all further ones: each launch costs
 * more. */
#define TILES_OF_A_BLOCK (3 * FOVEATE_NODES_LEVEL_WARPS)

static const uint32_t formats = CUDA_EVERY_FORMAT & ~CUDA_32_BIT_FLOATS;
static const uint32_t formats_with_alpha =
    1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_A2B10G10R10 | 1u << FOVEA_FORMAT_RGBA16F;

/* In the order of levels_kernel_of. */
static const char *const levels_names[FOVEATE_NODES_LEVELS_KERNELS] = {
    "nodes_levels_colours", "nodes_levels_alpha", "nodes_levels_floats",
    "nodes_levels_floats_alpha", "nodes_levels_grey"};

static enum fovea_result get_kernels(const struct cuda_device *device,
                                     struct foveate_nodes_kernels *kernels)
{
    FOVEA_TRY(
        cuda_kernels_get(device, kernels->module, "nodes_picture", formats, &kernels->picture));
    FOVEA_TRY(cuda_kernels_get(device, kernels->module, "nodes_alpha", formats_with_alpha,
                               &kernels->alpha));
    for (int i = 0; i < FOVEATE_NODES_LEVELS_KERNELS; i++) {
        FOVEA_TRY(
            cuda_device_get_kernel(device, kernels->module, levels_names[i], &kernels->levels[i]));
    }
    return cuda_kernels_get(device, kernels->module, "nodes_level_1", formats, &kernels->level_1);
}

enum fovea_result foveate_nodes_load(const struct cuda_device *device,
                                     struct foveate_nodes_kernels *out_kernels)
{
    CUfunction any = NULL;
    struct foveate_cuda_code code;
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_nodes_fatbin));
    FOVEA_TRY(cuda_device_get_kernel(device, out_kernels->module, "nodes_levels_grey", &any));
    FOVEA_TRY(foveate_cuda_code_of(device, any, &code));
    return code.has_narrow_mma ? get_kernels(device, out_kernels) : FOVEA_ERROR_UNSUPPORTED;
}

void foveate_nodes_unload(const struct cuda_device *device, struct foveate_nodes_kernels *kernels)
{
    if (kernels->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->module));
    }
}

/* ---- Launches -------------------------------------------------------------------------------- */

struct stages {
    enum fovea_format format;
    bool surfaces;
    uint32_t sources;
    uint32_t images;
    void *params;
};

static CUfunction kernel_of(const struct cuda_kernels *kernels, const struct stages *stages)
{
    return stages->surfaces ? kernels->surface[stages->format] : kernels->linear[stages->format];
}

static enum fovea_result launch_level_1(const struct foveate_nodes_run *run,
                                        const struct stages *stages)
{
    const struct cuda_device *device = run->device;
    const struct foveate_nodes_level *level = &run->nodes->levels[1];
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel_of(&run->kernels->level_1, stages),
                                    foveate_nodes_parts(2 * level->pairs, 2 * TILE),
                                    foveate_nodes_parts(level->rows, 2 * TILE), stages->sources,
                                    THREADS, 1, 1, 0, run->stream, (void *[]){stages->params},
                                    NULL));
    return FOVEA_OK;
}

static uint32_t tiles_of(const struct foveate_nodes_level *level)
{
    return foveate_nodes_parts(2 * level->pairs, TILE) * foveate_nodes_parts(level->rows, TILE);
}

static bool blurs_alpha(const struct foveate_nodes_run *run, enum fovea_format format)
{
    return run->frame->blur_alpha && (formats_with_alpha >> format & 1u) != 0;
}

static CUfunction levels_kernel_of(const struct foveate_nodes_run *run, enum fovea_format format)
{
    const int of_floats = (CUDA_SMALLER_FLOATS >> format & 1u) != 0 ? 2 : 0;
    const int grey = FOVEATE_NODES_LEVELS_KERNELS - 1;
    return run->kernels
        ->levels[format == FOVEA_FORMAT_R8 ? grey : of_floats + blurs_alpha(run, format)];
}

/* Launches level `first` alone, or the levels from it to `last` in one block. */
static enum fovea_result launch_levels(const struct foveate_nodes_run *run,
                                       enum fovea_format format, uint32_t sources, int32_t first,
                                       int32_t last)
{
    const struct cuda_device *device = run->device;
    struct foveate_nodes_levels_params params = {
        .nodes = *run->nodes, .first = first, .last = last};
    const uint32_t tiles = tiles_of(&run->nodes->levels[first]);
    const uint32_t blocks =
        first < last ? 1 : (tiles + FOVEATE_NODES_LEVEL_WARPS - 1) / FOVEATE_NODES_LEVEL_WARPS;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(levels_kernel_of(run, format), blocks, 1, sources,
                                    LEVEL_THREADS, 1, 1, 0, run->stream, (void *[]){&params},
                                    NULL));
    return FOVEA_OK;
}

enum fovea_result foveate_nodes_further_levels(const struct foveate_nodes_run *run,
                                               enum fovea_format format, uint32_t sources,
                                               int32_t first)
{
    const int32_t last = run->nodes->level_count - 1;
    for (int32_t k = first; k <= last; k++) {
        if (tiles_of(&run->nodes->levels[k]) <= TILES_OF_A_BLOCK) {
            return launch_levels(run, format, sources, k, last);
        }
        FOVEA_TRY(launch_levels(run, format, sources, k, k));
    }
    return FOVEA_OK;
}

static enum fovea_result launch_all(const struct foveate_nodes_run *run,
                                    const struct stages *stages)
{
    const struct cuda_device *device = run->device;
    if (run->nodes->level_count > 1) {
        FOVEA_TRY(launch_level_1(run, stages));
    }
    FOVEA_TRY(foveate_nodes_further_levels(run, stages->format, stages->sources, 2));
    const struct cuda_kernels *picture =
        blurs_alpha(run, stages->format) ? &run->kernels->alpha : &run->kernels->picture;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(
               kernel_of(picture, stages), foveate_nodes_parts(run->frame->width_px, 2 * TILE),
               foveate_nodes_parts(run->frame->height_px, 2 * TILE), stages->images, THREADS, 1, 1,
               0, run->stream, (void *[]){stages->params}, NULL));
    return FOVEA_OK;
}

enum fovea_result foveate_nodes_surface(const struct foveate_nodes_run *run,
                                        enum fovea_format format, CUsurfObject src,
                                        CUsurfObject dst)
{
    struct foveate_nodes_surface_params params = {.frame = *run->frame,
                                                  .nodes = *run->nodes,
                                                  .batch = {.gazes = run->gazes},
                                                  .src = src,
                                                  .dst = dst};
    const struct stages stages = {format, true, 1, 1, &params};
    return launch_all(run, &stages);
}

enum fovea_result foveate_nodes_linear(const struct foveate_nodes_run *run,
                                       enum fovea_format format,
                                       const struct foveate_cuda_slice *slice)
{
    struct foveate_nodes_linear_params params = {.frame = *run->frame,
                                                 .nodes = *run->nodes,
                                                 .batch = slice->batch,
                                                 .src = slice->src,
                                                 .dst = slice->dst};
    const uint32_t sources = slice->batch.src_next_bytes == 0 ? 1 : slice->count;
    const struct stages stages = {format, false, sources, slice->count, &params};
    return launch_all(run, &stages);
}
