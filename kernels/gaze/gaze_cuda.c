/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_cuda.h"

#include "gaze_params.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/operator/gaze.h"

extern const unsigned char gaze_fatbin[];

_Static_assert(sizeof(struct gaze_cuda_put_params) <= 4096, "more than a launch carries");

enum fovea_result gaze_cuda_load(const struct cuda_device *device,
                                 struct gaze_cuda_kernels *out_kernels)
{
    FOVEA_TRY(cuda_module_load(device, gaze_fatbin, &out_kernels->module));
    FOVEA_TRY(cuda_device_get_kernel(device, out_kernels->module, "gaze_put", &out_kernels->put));
    return cuda_device_get_kernel(device, out_kernels->module, "gaze_take", &out_kernels->take);
}

void gaze_cuda_unload(const struct cuda_device *device, struct gaze_cuda_kernels *kernels)
{
    cuda_module_unload(device, &kernels->module);
}

static enum fovea_result launch_all(const struct gaze_cuda_run *run, CUfunction kernel,
                                    uint32_t count, void *params)
{
    const struct cuda_launch launch = {
        kernel, {cuda_parts((int32_t)count, GAZE_CUDA_THREADS), 1, 1}, {GAZE_CUDA_THREADS, 1}, 0};
    return cuda_launch(run->device, run->stream, &launch, params);
}

static size_t place_of(const struct gaze_cuda_run *run, size_t entry)
{
    return run->group > 0 ? entry / run->group * run->apart + entry % run->group : entry;
}

static enum fovea_result put_some(const struct gaze_cuda_run *run, uint32_t first, uint32_t count)
{
    struct gaze_cuda_put_params params = {.table = run->table + (uint64_t)first * GAZE_CUDA_BYTES,
                                          .count = (int32_t)count};
    for (size_t i = 0; i < count; i++) {
        int32_t *gaze_q8 = params.gazes_q8[i];
        const float *uv = run->gazes_uv ? run->gazes_uv + 2 * place_of(run, first + i) : NULL;
        gaze_q8[0] = uv ? gaze_to_q8((double)uv[0], run->width_px) : run->gaze_q8[0];
        gaze_q8[1] = uv ? gaze_to_q8((double)uv[1], run->height_px) : run->gaze_q8[1];
    }
    return launch_all(run, run->kernels->put, count, &params);
}

static enum fovea_result put(const struct gaze_cuda_run *run)
{
    uint32_t first = 0;
    while (first < run->count) {
        const uint32_t left = run->count - first;
        const uint32_t some = left < GAZE_CUDA_PUT_MOST ? left : GAZE_CUDA_PUT_MOST;
        FOVEA_TRY(put_some(run, first, some));
        first += some;
    }
    return FOVEA_OK;
}

static enum fovea_result take(const struct gaze_cuda_run *run)
{
    struct gaze_cuda_take_params params = {.table = run->table,
                                           .gazes_uv = (uintptr_t)run->gazes_uv,
                                           .count = (int32_t)run->count,
                                           .width_px = run->width_px,
                                           .height_px = run->height_px,
                                           .group = run->group > 0 ? (int32_t)run->group : 1,
                                           .apart = run->group > 0 ? (int32_t)run->apart : 1};
    return launch_all(run, run->kernels->take, run->count, &params);
}

enum fovea_result gaze_cuda_fill(const struct gaze_cuda_run *run)
{
    return run->gazes_uv && run->on_device ? take(run) : put(run);
}

enum fovea_result gaze_cuda_fill_foveas(const struct gaze_cuda_run *run, uint32_t foveas,
                                        CUdeviceptr others)
{
    struct gaze_cuda_run part = *run;
    part.group = 1;
    part.apart = foveas;
    FOVEA_TRY(gaze_cuda_fill(&part));
    if (!others) {
        return FOVEA_OK;
    }
    part.table = others;
    part.gazes_uv += 2;
    part.group = foveas - 1;
    part.count = run->count * (foveas - 1);
    return gaze_cuda_fill(&part);
}
