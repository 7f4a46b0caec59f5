/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields of packed pictures in CPU memory; with FOVEA_TEST_LIGHTFIELD_CUDA=1 of copies of
 * them in CUDA memory, whose results come back. Programs with LIGHTFIELD_RUN_VULKAN have their
 * pictures on a Vulkan device. */
#pragma once

#include "cmocka_all.h"

#ifdef LIGHTFIELD_RUN_VULKAN
#include "lightfield_run_vk.h"
#else

#include "fovea_lightfield.h"

#define LIGHTFIELD_RUN_COPIES 4

#if FOVEA_HAVE_CUDA
#include "kept_device.h"

struct lightfield_run {
    struct cuda_device *device;
    struct fovea_lightfield_raw raw;
    struct fovea_image images[LIGHTFIELD_RUN_COPIES];
    const struct fovea_image *hosts[LIGHTFIELD_RUN_COPIES];
    size_t count;
};

static inline void *lightfield_run_copy(const struct cuda_device *device, const void *data,
                                        size_t bytes)
{
    CUdeviceptr memory = 0;
    assert_int_equal(device->cu->MemAlloc(&memory, bytes), CUDA_SUCCESS);
    assert_int_equal(device->cu->MemcpyHtoD(memory, data, bytes), CUDA_SUCCESS);
    return (void *)(uintptr_t)memory;
}

static inline size_t lightfield_run_bytes(const struct fovea_image *image)
{
    return image->height_px * (size_t)image->row_stride_bytes;
}

static inline const struct fovea_image *lightfield_run_image(struct lightfield_run *run,
                                                             const struct fovea_image *host)
{
    struct fovea_image *image = &run->images[run->count];
    if (!host) {
        return NULL;
    }
    run->hosts[run->count++] = host;
    *image = *host;
    image->memory = FOVEA_MEMORY_CUDA;
    image->data = lightfield_run_copy(run->device, host->data, lightfield_run_bytes(host));
    return image;
}

/* True: it is wanted on the device, and the raw picture is there. */
static inline bool lightfield_run_begin(const struct fovea_lightfield_raw *raw,
                                        struct lightfield_run *out)
{
    if (!getenv("FOVEA_TEST_LIGHTFIELD_CUDA")) {
        return false;
    }
    *out = (struct lightfield_run){.device = kept_device(), .raw = *raw};
    assert_ok(cuda_device_push(out->device));
    out->raw.memory = FOVEA_MEMORY_CUDA;
    out->raw.data =
        lightfield_run_copy(out->device, raw->data, raw->height_px * (size_t)raw->row_stride_bytes);
    return true;
}

static inline void lightfield_run_end(struct lightfield_run *run)
{
    const struct cuda_driver *cu = run->device->cu;
    for (size_t i = 0; i < run->count; i++) {
        const CUdeviceptr memory = (CUdeviceptr)(uintptr_t)run->images[i].data;
        assert_int_equal(
            cu->MemcpyDtoH(run->hosts[i]->data, memory, lightfield_run_bytes(run->hosts[i])),
            CUDA_SUCCESS);
        assert_int_equal(cu->MemFree(memory), CUDA_SUCCESS);
    }
    assert_int_equal(cu->MemFree((CUdeviceptr)(uintptr_t)run->raw.data), CUDA_SUCCESS);
    cuda_device_pop(run->device);
}
#else
struct lightfield_run {
    struct fovea_lightfield_raw raw;
};

static inline bool lightfield_run_begin(const struct fovea_lightfield_raw *raw,
                                        struct lightfield_run *out)
{
    out->raw = *raw;
    return false;
}

static inline const struct fovea_image *lightfield_run_image(struct lightfield_run *run,
                                                             const struct fovea_image *host)
{
    return host;
}

static inline void lightfield_run_end(struct lightfield_run *run)
{
}
#endif

static inline enum fovea_result lightfield_run_render(
    struct fovea_lightfield *field, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_rendering *rendering, const struct fovea_image *dst)
{
    struct lightfield_run run;
    struct fovea_lightfield_rendering own = *rendering;
    if (!lightfield_run_begin(raw, &run)) {
        return fovea_lightfield_render(field, raw, rendering, dst, NULL);
    }
    own.patches = lightfield_run_image(&run, rendering->patches);
    const struct fovea_image *copy = lightfield_run_image(&run, dst);
    const enum fovea_result result = fovea_lightfield_render(field, &run.raw, &own, copy, NULL);
    lightfield_run_end(&run);
    return result;
}

static inline enum fovea_result lightfield_run_refocus(
    struct fovea_lightfield *field, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_refocusing *refocusing, const struct fovea_image *dst)
{
    struct lightfield_run run;
    struct fovea_lightfield_refocusing own = *refocusing;
    if (!lightfield_run_begin(raw, &run)) {
        return fovea_lightfield_refocus(field, raw, refocusing, dst, NULL);
    }
    own.focus = lightfield_run_image(&run, refocusing->focus);
    const struct fovea_image *copy = lightfield_run_image(&run, dst);
    const enum fovea_result result = fovea_lightfield_refocus(field, &run.raw, &own, copy, NULL);
    lightfield_run_end(&run);
    return result;
}

static inline enum fovea_result lightfield_run_depth(
    struct fovea_lightfield *field, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_matching *matching, const struct fovea_image *depth,
    const struct fovea_image *confidence)
{
    struct lightfield_run run;
    if (!lightfield_run_begin(raw, &run)) {
        return fovea_lightfield_depth(field, raw, matching, depth, confidence, NULL);
    }
    const struct fovea_image *copy = lightfield_run_image(&run, depth);
    const struct fovea_image *other = lightfield_run_image(&run, confidence);
    const enum fovea_result result =
        fovea_lightfield_depth(field, &run.raw, matching, copy, other, NULL);
    lightfield_run_end(&run);
    return result;
}

static inline enum fovea_result lightfield_run_sum(struct fovea_lightfield *field,
                                                   const struct fovea_lightfield_raw *raw,
                                                   const struct fovea_lightfield_sum *sum,
                                                   const struct fovea_image *dst)
{
    struct lightfield_run run;
    if (!lightfield_run_begin(raw, &run)) {
        return fovea_lightfield_sum_views(field, raw, sum, dst, NULL);
    }
    const struct fovea_image *copy = lightfield_run_image(&run, dst);
    const enum fovea_result result = fovea_lightfield_sum_views(field, &run.raw, sum, copy, NULL);
    lightfield_run_end(&run);
    return result;
}

static inline void lightfield_run_geometry(const struct fovea_lightfield_geometry *geometry)
{
}
#endif
