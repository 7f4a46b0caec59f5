/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "nodes.h"

extern const unsigned char gauss_nodes_fatbin[];

_Static_assert(sizeof(struct gauss_nodes_params) <= 4096, "more than a launch carries");

#define TILE GAUSS_NODES_TILE_PX
#define THREADS (32 * GAUSS_NODES_WARPS)
#define LEVEL_THREADS (32 * GAUSS_NODES_LEVEL_WARPS)

static const uint32_t formats = CUDA_EVERY_FORMAT & ~CUDA_32_BIT_FLOATS;
/* A block's shared memory beside the levels of a whole picture. */
#define WHOLE_OTHER_BYTES 2048
/* With fewer pictures, blocks that share one out are done sooner. */
#define WHOLE_PICTURES 128

static const uint32_t formats_of_whole =
    1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_RGB8 | 1u << FOVEA_FORMAT_R8;
static const uint32_t formats_with_alpha =
    1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_A2B10G10R10 | 1u << FOVEA_FORMAT_RGBA16F;

/* In the order of levels_kernel_of. */
static const char *const levels_names[GAUSS_NODES_LEVELS_KERNELS] = {
    "nodes_levels_grey",        "nodes_levels_colours",        "nodes_levels_alpha",
    "nodes_levels_floats_grey", "nodes_levels_floats_colours", "nodes_levels_floats_alpha"};

static enum fovea_result get_whole(const struct cuda_device *device,
                                   struct gauss_nodes_kernels *kernels)
{
    FOVEA_TRY(cuda_device_shared_bytes(device, &kernels->most_shared_bytes));
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&kernels->shared_bytes,
                                          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                                          device->handle));
    kernels->most_shared_bytes -= WHOLE_OTHER_BYTES;
    gauss_nodes_make_whole(kernels, false);
    FOVEA_TRY(cuda_kernels_get_linear(device, kernels->module, "nodes_whole", formats_of_whole,
                                      &kernels->whole));
    return cuda_kernels_allow_shared(device, &kernels->whole, kernels->most_shared_bytes);
}

static enum fovea_result get_kernels(const struct cuda_device *device,
                                     struct gauss_nodes_kernels *kernels)
{
    FOVEA_TRY(
        cuda_kernels_get(device, kernels->module, "nodes_picture", formats, &kernels->picture));
    FOVEA_TRY(cuda_kernels_get(device, kernels->module, "nodes_alpha", formats_with_alpha,
                               &kernels->alpha));
    for (int i = 0; i < GAUSS_NODES_LEVELS_KERNELS; i++) {
        FOVEA_TRY(
            cuda_device_get_kernel(device, kernels->module, levels_names[i], &kernels->levels[i]));
    }
    FOVEA_TRY(get_whole(device, kernels));
    FOVEA_TRY(
        cuda_kernels_get(device, kernels->module, "nodes_level_1", formats, &kernels->level_1));
    /* With alpha blurred, level 1 takes more shared memory than a block has unasked. */
    return cuda_kernels_allow_shared(device, &kernels->level_1, 4 * GAUSS_NODES_STAGE_BYTES);
}

enum fovea_result gauss_nodes_load(const struct cuda_device *device,
                                   struct gauss_nodes_kernels *out_kernels)
{
    CUfunction any = NULL;
    int architecture = 0;
    FOVEA_TRY(cuda_module_load(device, gauss_nodes_fatbin, &out_kernels->module));
    FOVEA_TRY(cuda_device_get_kernel(device, out_kernels->module, levels_names[0], &any));
    FOVEA_TRY(cuda_device_architecture_of(device, any, &architecture));
    return architecture >= CUDA_NARROW_MMA_ARCHITECTURE ? get_kernels(device, out_kernels)
                                                        : FOVEA_ERROR_UNSUPPORTED;
}

void gauss_nodes_unload(const struct cuda_device *device, struct gauss_nodes_kernels *kernels)
{
    cuda_module_unload(device, &kernels->module);
}

/* ---- Launches -------------------------------------------------------------------------------- */

uint32_t gauss_nodes_channels(enum fovea_format format, bool blurs_alpha)
{
    const uint32_t grey = 1u << FOVEA_FORMAT_R8 | 1u << FOVEA_FORMAT_R16F;
    return (grey >> format & 1u) != 0                                ? 1
           : blurs_alpha && (formats_with_alpha >> format & 1u) != 0 ? 4
                                                                     : 3;
}

static uint32_t channels_of(const struct gauss_cuda_run *run)
{
    return gauss_nodes_channels(run->format, run->frame->blur_alpha);
}

static CUfunction levels_kernel_of(const struct gauss_nodes_kernels *kernels,
                                   const struct gauss_cuda_run *run)
{
    const uint32_t of_floats = (CUDA_SMALLER_FLOATS >> run->format & 1u) != 0 ? 3 : 0;
    return kernels->levels[of_floats + channels_of(run) / 2];
}

static enum fovea_result launch_level_1(const struct gauss_nodes_kernels *kernels,
                                        const struct gauss_cuda_run *run,
                                        struct gauss_nodes_params *params)
{
    const struct gauss_nodes_level *level = &params->nodes.levels[1];
    const struct cuda_launch launch = {
        gauss_cuda_kernel(&kernels->level_1, run),
        {cuda_parts(4 * level->fours, 2 * TILE), cuda_parts(level->rows, 2 * TILE), run->sources},
        {THREADS, 1},
        channels_of(run) * GAUSS_NODES_STAGE_BYTES};
    return cuda_launch(run->device, run->stream, &launch, params);
}

uint32_t gauss_nodes_tiles_of(const struct gauss_nodes_level *level)
{
    return cuda_parts(4 * level->fours, TILE) * cuda_parts(level->rows, TILE);
}

/* Launches level `first` alone, or the levels from it to `last` in one block. */
static enum fovea_result launch_levels(const struct gauss_nodes_kernels *kernels,
                                       const struct gauss_cuda_run *run,
                                       const struct gauss_nodes *nodes, int32_t first, int32_t last)
{
    const uint32_t warps = gauss_nodes_tiles_of(&nodes->levels[first]) * channels_of(run);
    const uint32_t blocks = first < last ? 1 : cuda_parts((int32_t)warps, GAUSS_NODES_LEVEL_WARPS);
    const struct cuda_launch launch = {
        levels_kernel_of(kernels, run), {blocks, 1, run->sources}, {LEVEL_THREADS, 1}, 0};
    struct gauss_nodes_levels_params params = {.nodes = *nodes, .first = first, .last = last};
    return cuda_launch(run->device, run->stream, &launch, &params);
}

enum fovea_result gauss_nodes_make_levels(const struct gauss_nodes_kernels *kernels,
                                          const struct gauss_cuda_run *run,
                                          const struct gauss_nodes *nodes, int32_t first)
{
    const int32_t last = nodes->level_count - 1;
    for (int32_t k = first; k <= last; k++) {
        if (gauss_nodes_tiles_of(&nodes->levels[k]) <= GAUSS_NODES_TILES_OF_A_BLOCK) {
            return launch_levels(kernels, run, nodes, k, last);
        }
        FOVEA_TRY(launch_levels(kernels, run, nodes, k, k));
    }
    return FOVEA_OK;
}

static enum fovea_result launch_all(const struct gauss_nodes_kernels *kernels,
                                    const struct gauss_cuda_run *run,
                                    struct gauss_nodes_params *params)
{
    const struct cuda_launch picture = {
        gauss_cuda_kernel(channels_of(run) == 4 ? &kernels->alpha : &kernels->picture, run),
        {cuda_parts(run->frame->width_px, 2 * TILE), cuda_parts(run->frame->height_px, 2 * TILE),
         run->count},
        {THREADS, 1},
        0};
    if (params->nodes.level_count > 1) {
        FOVEA_TRY(launch_level_1(kernels, run, params));
    }
    FOVEA_TRY(gauss_nodes_make_levels(kernels, run, &params->nodes, 2));
    return cuda_launch(run->device, run->stream, &picture, params);
}

void gauss_nodes_make_whole(struct gauss_nodes_kernels *kernels, bool few)
{
    kernels->whole_from = few ? 1 : WHOLE_PICTURES;
}

bool gauss_nodes_are_whole(const struct gauss_nodes_kernels *kernels,
                           const struct gauss_nodes *nodes, enum fovea_format format,
                           bool blurs_alpha, uint32_t count)
{
    return cuda_kernels_has(kernels->whole.linear, format) &&
           gauss_nodes_channels(format, blurs_alpha) < 4 && nodes->level_count > 0 &&
           count >= kernels->whole_from &&
           gauss_nodes_whole_bytes(nodes, gauss_nodes_channels(format, blurs_alpha)) <=
               (size_t)kernels->most_shared_bytes;
}

/* A multiprocessor's threads are shared out among the blocks that its memory holds. */
static enum fovea_result launch_whole(const struct gauss_nodes_kernels *kernels,
                                      const struct gauss_cuda_run *run,
                                      struct gauss_nodes_params *params)
{
    const uint32_t bytes = (uint32_t)gauss_nodes_whole_bytes(&params->nodes, channels_of(run));
    const uint32_t blocks = (uint32_t)kernels->shared_bytes / (bytes + WHOLE_OTHER_BYTES);
    const uint32_t least = 128;
    const uint32_t threads = GAUSS_NODES_WHOLE_THREADS / 32 / (blocks > 1 ? blocks : 1) * 32;
    const struct cuda_launch launch = {kernels->whole.linear[run->format],
                                       {1, 1, run->count},
                                       {threads > least ? threads : least, 1},
                                       bytes};
    return cuda_launch(run->device, run->stream, &launch, params);
}

struct gauss_nodes_params gauss_nodes_params_of(const struct gauss_nodes *nodes,
                                                const struct gauss_cuda_run *run)
{
    struct gauss_nodes_params params = {.frame = *run->frame,
                                        .nodes = *nodes,
                                        .batch = run->batch,
                                        .src = run->src,
                                        .dst = run->dst};
    params.nodes.samples = run->levels;
    params.nodes.next_bytes = run->next_bytes;
    params.nodes.sigmas = run->sigmas;
    params.nodes.others = run->others;
    return params;
}

enum fovea_result gauss_nodes_run(const struct gauss_nodes_kernels *kernels,
                                  const struct gauss_nodes *nodes, const struct gauss_cuda_run *run)
{
    struct gauss_nodes_params params = gauss_nodes_params_of(nodes, run);
    return run->whole ? launch_whole(kernels, run, &params) : launch_all(kernels, run, &params);
}
