/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The launches of a picture and of a sum. */

#include "lightfield_cuda.h"

#include "kernels/cuda/cuda_capture.h"
#include "run.h"

enum fovea_result lightfield_cuda_launch(const struct lightfield_cuda *cuda, CUstream stream,
                                         CUfunction kernel, const uint32_t pixels[2],
                                         uint32_t layers, void *params)
{
    const struct cuda_launch launch = {
        .kernel = kernel,
        .blocks = {cuda_parts((int32_t)pixels[0], LIGHTFIELD_CUDA_WIDTH),
                   cuda_parts((int32_t)pixels[1], LIGHTFIELD_CUDA_HEIGHT), layers},
        .threads = {LIGHTFIELD_CUDA_WIDTH, LIGHTFIELD_CUDA_HEIGHT},
    };
    return cuda_launch(cuda->device, stream, &launch, params);
}

/* Fails before anything is enqueued where the stream cannot take it. */
static enum fovea_result enter(const struct lightfield_cuda *cuda, CUstream stream)
{
    struct cuda_capture capture;
    FOVEA_TRY(cuda_device_push(cuda->device));
    const enum fovea_result result = cuda_capture_of(cuda->device, stream, &capture);
    if (result < 0) {
        cuda_device_pop(cuda->device);
    }
    return result;
}

static struct lightfield_cuda_rendering rendering_of(
    const struct lightfield_cuda *cuda, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_rendering *rendering, const struct fovea_image *dst)
{
    const double pitch_px = cuda->geometry.pitch_x_px;
    const double sigma_px =
        rendering->sigma_px > 0.0 ? rendering->sigma_px : pitch_px / LIGHTFIELD_SIGMA_PARTS;
    struct lightfield_cuda_rendering params = {
        .raw = lightfield_cuda_raw_of(raw, rendering->filter),
        .array = lightfield_cuda_array_of(&cuda->geometry),
        .dst = lightfield_cuda_picture_of(dst, raw->maximum),
        .patch_px = rendering->patch_px,
        .view_x_px = (float)rendering->view_x_px,
        .view_y_px = (float)rendering->view_y_px,
        .factor = (float)(-0.5 / (sigma_px * sigma_px)),
        .range = (int32_t)lightfield_range_of(rendering, pitch_px),
    };
    if (rendering->patches) {
        params.patches = image_linear_of(rendering->patches, 0);
    }
    return params;
}

static enum fovea_result render(const struct lightfield_cuda *cuda, CUstream stream,
                                enum lightfield_cuda_kind kind,
                                struct lightfield_cuda_rendering *params)
{
    const bool each = params->patches.data != 0;
    const uint32_t pixels[2] = {(uint32_t)params->dst.width_px, (uint32_t)params->dst.height_px};
    const struct lightfield_tile_wish wish = {
        .raw = &params->raw,
        .array = &params->array,
        .kind = kind,
        .width_px = params->dst.width_px,
        .height_px = params->dst.height_px,
        .range = params->range,
        .least_px = params->patch_px,
        .most_px = params->patch_px,
        .beyond_px = 1,
        .has_whole_lenses = true,
    };
    struct lightfield_tile_rendering tiles = {.of = *params};
    uint32_t shared_bytes;
    if (!each && lightfield_tile_plan(cuda, &wish, &tiles.tile, &shared_bytes)) {
        return lightfield_tile_render(cuda, stream, kind, &tiles, shared_bytes);
    }
    return lightfield_cuda_launch(cuda, stream, each ? cuda->render_each[kind] : cuda->render[kind],
                                  pixels, 1, params);
}

enum fovea_result lightfield_cuda_render(struct lightfield_cuda *cuda,
                                         const struct fovea_lightfield_raw *raw,
                                         const struct fovea_lightfield_rendering *rendering,
                                         const struct fovea_image *dst, CUstream stream)
{
    struct lightfield_cuda_rendering params = rendering_of(cuda, raw, rendering, dst);
    FOVEA_TRY(enter(cuda, stream));
    const enum fovea_result result = render(cuda, stream, lightfield_cuda_kind_of(raw), &params);
    cuda_device_pop(cuda->device);
    return result;
}

enum fovea_result lightfield_cuda_sum(struct lightfield_cuda *cuda,
                                      const struct fovea_lightfield_raw *raw,
                                      const struct fovea_lightfield_sum *given,
                                      const struct fovea_image *dst, CUstream stream)
{
    struct lightfield_cuda_sum params = {
        .raw = lightfield_cuda_raw_of(raw, FOVEA_LIGHTFIELD_FILTER_LINEAR),
        .array = lightfield_cuda_array_of(&cuda->geometry),
        .dst = lightfield_cuda_picture_of(dst, raw->maximum),
        .shift = given->shift,
        .radius_px = given->radius_px,
        .view_x_px = given->view_x_px,
        .view_y_px = given->view_y_px,
    };
    const uint32_t pixels[2] = {dst->width_px, dst->height_px};
    FOVEA_TRY(enter(cuda, stream));
    const enum fovea_result result = lightfield_cuda_launch(
        cuda, stream, cuda->sum[lightfield_cuda_kind_of(raw)], pixels, 1, &params);
    cuda_device_pop(cuda->device);
    return result;
}
