/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "wide.h"

extern const unsigned char gauss_wide_fatbin[];

#define FLOAT_SAMPLE_BYTES 16
/* Kernels count the samples of a picture in 31 bits. */
#define MOST_PITCH 65536

static const uint32_t formats = CUDA_32_BIT_FLOATS;
static const uint32_t formats_of_light =
    CUDA_EVERY_FORMAT & ~CUDA_SMALLER_FLOATS & ~CUDA_32_BIT_FLOATS;
static const uint32_t formats_of_light_with_alpha =
    1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_A2B10G10R10;

enum fovea_result gauss_cuda_smooth_load(const struct cuda_device *device,
                                         struct gauss_cuda_smooth_kernels *out_kernels)
{
    FOVEA_TRY(cuda_module_load(device, gauss_wide_fatbin, &out_kernels->module));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "smooth_level", formats,
                               &out_kernels->level));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "smooth_picture", formats,
                               &out_kernels->picture));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "light_level", formats_of_light,
                               &out_kernels->light_level));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "light_picture", formats_of_light,
                               &out_kernels->light_picture));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "light_alpha",
                               formats_of_light_with_alpha, &out_kernels->light_alpha));
    return cuda_kernels_get_named(device, out_kernels->module,
                                  (const struct cuda_named_kernel[]){
                                      {"smooth_decimate_half", &out_kernels->decimate_half, 0},
                                      {"smooth_decimate_float", &out_kernels->decimate_float, 0}},
                                  2);
}

void gauss_cuda_smooth_unload(const struct cuda_device *device,
                              struct gauss_cuda_smooth_kernels *kernels)
{
    cuda_module_unload(device, &kernels->module);
}

uint64_t gauss_wide_level_bytes(uint64_t level_samples)
{
    return level_samples * FLOAT_SAMPLE_BYTES;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static enum fovea_result make_levels(const struct gauss_cuda_smooth_kernels *kernels,
                                     const struct gauss_cuda_run *run,
                                     struct gauss_cuda_smooth_params *params)
{
    struct gauss_cuda_decimate_params decimation = {.smooth = params->smooth};
    if (!params->smooth.picture) {
        FOVEA_TRY(gauss_cuda_launch_samples(run, gauss_cuda_kernel(&kernels->level, run),
                                            run->frame->width_px, run->frame->height_px, params));
    }
    for (int32_t k = 1; k < params->smooth.level_count; k++) {
        const struct gauss_level *level = &params->smooth.levels[k];
        const int32_t margins = 2 * gauss_level_margin(k);
        decimation.level = k;
        FOVEA_TRY(gauss_cuda_launch_samples(run, kernels->decimate_float, level->width + margins,
                                            level->height + margins, &decimation));
    }
    return FOVEA_OK;
}

/* Pixels of floats serve as samples in place, if they lie as samples do. */
static void take_picture(const struct gauss_cuda_run *run, struct gauss_cuda_smooth *smooth)
{
    const struct image_linear *src = &run->src;
    const int64_t bytes = FLOAT_SAMPLE_BYTES;
    const int64_t pitch = src->row_stride_bytes / bytes;
    if (run->format != FOVEA_FORMAT_RGBA32F || !src->whole_pixels ||
        src->pixel_stride_bytes != bytes || pitch > MOST_PITCH || pitch < -MOST_PITCH) {
        return;
    }
    smooth->picture = src->data + (uint64_t)(run->frame->origin_y_px * src->row_stride_bytes +
                                             run->frame->origin_x_px * bytes);
    smooth->picture_next_bytes = run->batch.src_next_bytes;
    smooth->picture_pitch = (int32_t)pitch;
}

enum fovea_result gauss_cuda_smooth_run(const struct gauss_cuda_smooth_kernels *kernels,
                                        const struct gauss_cuda_smooth *smooth,
                                        const struct gauss_cuda_run *run)
{
    const int32_t side_px = 2 * GAUSS_NODES_TILE_PX; /* a block makes 2 x 2 tiles */
    const struct cuda_launch picture = {gauss_cuda_kernel(&kernels->picture, run),
                                        {cuda_parts(run->frame->width_px, side_px),
                                         cuda_parts(run->frame->height_px, side_px), run->count},
                                        {GAUSS_WIDE_THREADS, 1},
                                        0};
    struct gauss_cuda_smooth_params params = {.frame = *run->frame,
                                              .smooth = *smooth,
                                              .batch = run->batch,
                                              .src = run->src,
                                              .dst = run->dst};
    params.smooth.samples = run->levels;
    params.smooth.next_samples = run->next_bytes / FLOAT_SAMPLE_BYTES;
    params.smooth.sigmas = run->sigmas;
    params.smooth.others = run->others;
    take_picture(run, &params.smooth);
    if (smooth->level_count > 0) {
        FOVEA_TRY(make_levels(kernels, run, &params));
    }
    return cuda_launch(run->device, run->stream, &picture, &params);
}

enum fovea_result gauss_light_run(const struct gauss_cuda_smooth_kernels *kernels,
                                  const struct gauss_nodes_kernels *levels,
                                  const struct gauss_nodes *nodes, const struct gauss_cuda_run *run)
{
    const int32_t side_px = 2 * GAUSS_NODES_TILE_PX;
    const bool blurs_alpha = gauss_nodes_channels(run->format, run->frame->blur_alpha) == 4;
    const struct cuda_launch picture = {
        gauss_cuda_kernel(blurs_alpha ? &kernels->light_alpha : &kernels->light_picture, run),
        {cuda_parts(run->frame->width_px, side_px), cuda_parts(run->frame->height_px, side_px),
         run->count},
        {32 * GAUSS_NODES_WARPS, 1},
        0};
    struct gauss_nodes_params params = gauss_nodes_params_of(nodes, run);
    if (nodes->level_count > 0) {
        FOVEA_TRY(gauss_cuda_launch_samples(run, gauss_cuda_kernel(&kernels->light_level, run),
                                            nodes->levels[0].fours, nodes->levels[0].rows,
                                            &params));
        FOVEA_TRY(gauss_nodes_make_levels(levels, run, &params.nodes, 1));
    }
    return cuda_launch(run->device, run->stream, &picture, &params);
}
