/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "tiles.h"

extern const unsigned char gauss_tiles_fatbin[];
extern const unsigned char gauss_tiles_levels_fatbin[];

_Static_assert(sizeof(struct gauss_tiles_params) <= 4096, "more than a launch carries");
#define SAMPLE_BYTES 8

_Static_assert(sizeof(struct gauss_tile_counts) == 16, "the list lies after the counts");

enum fovea_result gauss_cuda_tiles_load(const struct cuda_device *device,
                                        struct gauss_cuda_tile_kernels *out_kernels)
{
    const uint32_t bytes = 1u << FOVEA_FORMAT_RGBA8;
    const uint32_t formats = bytes | 1u << FOVEA_FORMAT_RGBA16F;
    CUmodule *modules = out_kernels->modules;
    struct cuda_kernels picture = {0};
    int architecture = 0;
    FOVEA_TRY(cuda_module_load(device, gauss_tiles_fatbin, &modules[0]));
    FOVEA_TRY(cuda_kernels_get(device, modules[0], "tile_picture", formats, &picture));
    FOVEA_TRY(
        cuda_device_architecture_of(device, picture.linear[FOVEA_FORMAT_RGBA8], &architecture));
    if (architecture < CUDA_MMA_ARCHITECTURE) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_module_load(device, gauss_tiles_levels_fatbin, &modules[1]));
    FOVEA_TRY(cuda_kernels_get(device, modules[1], "tile_levels", formats, &out_kernels->levels));
    FOVEA_TRY(cuda_kernels_get(device, modules[1], "tile_light", bytes, &out_kernels->light));
    out_kernels->picture = picture;
    return FOVEA_OK;
}

void gauss_cuda_tiles_unload(const struct cuda_device *device,
                             struct gauss_cuda_tile_kernels *kernels)
{
    for (int i = 0; i < GAUSS_CUDA_TILE_MODULES; i++) {
        cuda_module_unload(device, &kernels->modules[i]);
    }
}

/* ---- Launches -------------------------------------------------------------------------------- */

static enum fovea_result clear_states(const struct gauss_cuda_run *run,
                                      const struct gauss_tiles *tiles)
{
    const struct cuda_device *device = run->device;
    CU_TRY(device->log, device->cu,
           device->cu->MemsetD8Async(run->state, 0, (size_t)tiles->state_bytes * run->states,
                                     run->stream));
    return FOVEA_OK;
}

/* The gazes of a batch are on the device. */
static int32_t levels_for(const struct gauss_cuda_run *run, const struct gauss_tiles *tiles)
{
    return run->batch.gazes ? tiles->level_count : gauss_tile_level_count(tiles, run->frame);
}

/* Makes all of level k from the one below, by the plain kernel. */
static enum fovea_result launch_decimation(const struct gauss_cuda_run *run, CUfunction decimate,
                                           const struct gauss_tiles *tiles, int32_t k)
{
    const struct gauss_level *level = &tiles->levels[k];
    const int32_t margins = 2 * GAUSS_MARGIN;
    struct gauss_cuda_decimate_params params = {
        .smooth = {.samples = tiles->samples, .next_samples = tiles->next_samples}, .level = k};
    params.smooth.levels[k - 1] = tiles->levels[k - 1];
    params.smooth.levels[k] = *level;
    return gauss_cuda_launch_samples(run, decimate, level->width + margins, level->height + margins,
                                     &params);
}

/* Fits a copy of the plan's tiles to a launch. A batch does not use the frame's own gaze. */
static struct gauss_tiles tiles_for(const struct gauss_tiles *tiles,
                                    const struct gauss_cuda_run *run)
{
    struct gauss_tiles own = *tiles;
    own.samples = run->levels;
    own.next_samples = run->next_bytes / SAMPLE_BYTES;
    own.state = run->state;
    own.others = run->others;
    own.near_sigma = run->format == FOVEA_FORMAT_RGBA8 && run->frame->light == 0
                         ? GAUSS_TILE_NEAR_SIGMA
                         : GAUSS_TILE_NEAR_SIGMA_LIGHT;
    gauss_cuda_tile_list_widen(&own.grid, 1 + run->others.of.count);
    if (run->batch.gazes == 0) {
        gauss_cuda_tile_list_fit(&own, run->frame);
    }
    return own;
}

/* Launches the kernel that makes levels 1 and 2 and the list. Floats hold light. */
static enum fovea_result launch_makers(const struct gauss_cuda_tile_kernels *kernels,
                                       const struct gauss_cuda_run *run,
                                       struct gauss_tiles_params *params)
{
    const bool light = run->format == FOVEA_FORMAT_RGBA8 && run->frame->light != 0;
    const struct cuda_launch launch = {
        gauss_cuda_kernel(light ? &kernels->light : &kernels->levels, run),
        {(uint32_t)params->tiles.made_columns, (uint32_t)params->tiles.made_rows, run->count},
        {GAUSS_TILE_MAKERS, 1},
        0};
    return cuda_launch(run->device, run->stream, &launch, params);
}

static enum fovea_result launch_all(const struct gauss_cuda_tile_kernels *kernels,
                                    CUfunction decimate, const struct gauss_cuda_run *run,
                                    struct gauss_tiles_params *params)
{
    const struct gauss_tiles *tiles = &params->tiles;
    const struct cuda_launch picture = {gauss_cuda_kernel(&kernels->picture, run),
                                        {(uint32_t)tiles->grid.entry_count, 1, run->count},
                                        {GAUSS_TILE_THREADS, 1},
                                        GAUSS_TILE_SHARED_BYTES};
    FOVEA_TRY(launch_makers(kernels, run, params));
    for (int32_t k = 3; k < levels_for(run, tiles); k++) {
        FOVEA_TRY(launch_decimation(run, decimate, tiles, k));
    }
    return cuda_launch(run->device, run->stream, &picture, params);
}

enum fovea_result gauss_cuda_tiles_run(const struct gauss_cuda_tile_kernels *kernels,
                                       CUfunction decimate, const struct gauss_tiles *tiles,
                                       const struct gauss_cuda_run *run)
{
    struct gauss_tiles_params params = {.frame = *run->frame,
                                        .tiles = tiles_for(tiles, run),
                                        .batch = run->batch,
                                        .src = run->src,
                                        .dst = run->dst};
    if (*run->states_dirty) {
        FOVEA_TRY(clear_states(run, tiles));
    }
    *run->states_dirty = true;
    FOVEA_TRY(launch_all(kernels, decimate, run, &params));
    *run->states_dirty = false;
    return FOVEA_OK;
}
