/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The launches of a picture and of a sum. */

#include "lightfield_cuda.h"

#include "kernels/cuda/cuda_capture.h"

enum fovea_result lightfield_cuda_launch(const struct lightfield_cuda *cuda, CUstream stream,
                                         CUfunction kernel, const uint32_t pixels[2],
                                         uint32_t layers, void *params)
{
    const struct cuda_launch launch =
        cuda_launch_over(kernel, (int32_t)pixels[0], (int32_t)pixels[1], layers,
                         LIGHTFIELD_CUDA_WIDTH, LIGHTFIELD_CUDA_HEIGHT);
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

_Static_assert(LIGHTFIELD_CUDA_SIZES == LIGHTFIELD_SIZES_MAX, "costs of all patch sizes");
_Static_assert(LIGHTFIELD_CUDA_THREADS == LIGHTFIELD_SUM_THREADS, "threads of a sum");
_Static_assert(LIGHTFIELD_CUDA_WINDOW == LIGHTFIELD_WINDOW_MAX_PX, "places of all of a square");

static struct lightfield_cuda_rendering rendering_of(
    const struct lightfield_cuda *cuda, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_rendering *rendering, const struct fovea_image *dst)
{
    const double pitch_px = cuda->geometry.pitch_x_px;
    const double sigma_px = lightfield_sigma_of(rendering, pitch_px);
    struct lightfield_cuda_rendering params = {
        .raw = lightfield_cuda_raw_of(raw, rendering->filter),
        .array = lightfield_cuda_array_of(&cuda->geometry, dst),
        .dst = lightfield_cuda_picture_of(dst, raw->maximum),
        .rings = lightfield_cuda_rings_of(rendering->foveation, dst),
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
                                struct lightfield_cuda_rendering *params, double most_px)
{
    const bool each = params->patches.data != 0;
    const uint32_t pixels[2] = {(uint32_t)params->dst.width_px, (uint32_t)params->dst.height_px};
    struct lightfield_tile_rendering tiles = {.of = *params};
    if (!each && lightfield_tile_plan_picture(params, kind, most_px, &tiles.tile)) {
        return lightfield_tile_render(cuda, stream, kind, &tiles);
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
    const enum fovea_result result =
        render(cuda, stream, lightfield_cuda_kind_of(raw), &params, rendering->patch_px);
    cuda_device_pop(cuda->device);
    return result;
}

static enum fovea_result search(const struct lightfield_cuda *cuda, CUstream stream,
                                enum lightfield_cuda_kind kind,
                                struct lightfield_cuda_search *params)
{
    const uint32_t lenses = (uint32_t)(2 * params->range + 1);
    const struct cuda_launch launch = {
        .kernel = cuda->search[kind],
        .blocks = {(uint32_t)params->how.size_count, lenses * lenses, 1},
        .threads = {LIGHTFIELD_CUDA_WIDTH, LIGHTFIELD_CUDA_HEIGHT},
    };
    return cuda_launch(cuda->device, stream, &launch, params);
}

enum fovea_result lightfield_cuda_refocus(struct lightfield_cuda *cuda,
                                          const struct fovea_lightfield_raw *raw,
                                          const struct fovea_lightfield_refocusing *refocusing,
                                          const struct fovea_image *dst,
                                          const struct fovea_image *focus, CUstream stream)
{
    const struct fovea_lightfield_matching matching = lightfield_matching_of(refocusing);
    const struct fovea_lightfield_rendering rendering = lightfield_rendering_of(refocusing);
    struct lightfield_cuda_rendering params = rendering_of(cuda, raw, &rendering, dst);
    struct lightfield_cuda_search sought = {
        .raw = params.raw,
        .array = params.array,
        .how = lightfield_focusing_of(refocusing, lightfield_size_count(&matching)),
        .range = (int32_t)refocusing->range,
        .focus = cuda->focus,
    };
    if (refocusing->foveation) {
        const struct fovea_point_uv gaze = refocusing->foveation->gaze;
        lightfield_window(gaze.x_uv, dst->width_px, refocusing->window_px, sought.columns);
        lightfield_window(gaze.y_uv, dst->height_px, refocusing->window_px, sought.rows);
    }
    if (focus) {
        sought.patch = lightfield_cuda_picture_of(focus, 1);
    }
    params.focus = cuda->focus;
    const enum lightfield_cuda_kind kind = lightfield_cuda_kind_of(raw);
    FOVEA_TRY(enter(cuda, stream));
    enum fovea_result result = search(cuda, stream, kind, &sought);
    if (result >= 0) {
        result = render(cuda, stream, kind, &params, refocusing->last_px);
    }
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
        .array = lightfield_cuda_array_of(&cuda->geometry, dst),
        .dst = lightfield_cuda_picture_of(dst, raw->maximum),
        .shift = given->shift,
        .radius_px = given->radius_px,
        .view_x_px = given->view_x_px,
        .view_y_px = given->view_y_px,
    };
    const int32_t lenses[2] = {params.array.columns, params.array.rows};
    const int32_t size_px[2] = {params.dst.width_px, params.dst.height_px};
    params.block = lightfield_sum_block_of(size_px, lenses);
    const struct cuda_launch launch = {
        .kernel = cuda->sum[lightfield_cuda_kind_of(raw)],
        .blocks = {cuda_parts(params.dst.width_px, params.block.columns),
                   cuda_parts(params.dst.height_px, params.block.rows), 1},
        .threads = {LIGHTFIELD_CUDA_WIDTH, LIGHTFIELD_CUDA_HEIGHT},
    };
    FOVEA_TRY(enter(cuda, stream));
    const enum fovea_result result = cuda_launch(cuda->device, stream, &launch, &params);
    cuda_device_pop(cuda->device);
    return result;
}
