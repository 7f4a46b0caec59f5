/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "small.h"

#include "kernels/foveate/cuda/common/code.h"

extern const unsigned char foveate_small_fatbin[];

_Static_assert(sizeof(struct foveate_small_linear_params) <= 4096, "more than a launch carries");

static enum fovea_result get_kernel(const struct cuda_device *device,
                                    const struct foveate_cuda_small_kernels *kernels,
                                    const char *name, CUfunction *out)
{
    FOVEA_TRY(cuda_device_get_kernel(device, kernels->module, name, out));
    CU_TRY(device->log, device->cu,
           device->cu->FuncSetAttribute(*out, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        kernels->most_shared_bytes));
    return FOVEA_OK;
}

static enum fovea_result get_kernels(const struct cuda_device *device,
                                     struct foveate_cuda_small_kernels *out_kernels)
{
    const struct {
        const char *name;
        CUfunction *out;
    } kernels[] = {
        {"small_r8", &out_kernels->r8[0]},
        {"small_r8_light", &out_kernels->r8[1]},
        {"small_rgb8", &out_kernels->rgb8[0]},
        {"small_rgb8_light", &out_kernels->rgb8[1]},
        {"small_rgba8", &out_kernels->rgba8[0]},
        {"small_rgba8_light", &out_kernels->rgba8[1]},
        {"small_rgba8_alpha", &out_kernels->rgba8_alpha[0]},
        {"small_rgba8_alpha_light", &out_kernels->rgba8_alpha[1]},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        FOVEA_TRY(get_kernel(device, out_kernels, kernels[i].name, kernels[i].out));
    }
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_small_load(const struct cuda_device *device,
                                          struct foveate_cuda_small_kernels *out_kernels)
{
    struct foveate_cuda_code code;
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_small_fatbin));
    FOVEA_TRY(cuda_device_get_kernel(device, out_kernels->module, "small_r8", &out_kernels->r8[0]));
    FOVEA_TRY(foveate_cuda_code_of(device, out_kernels->r8[0], &code));
    if (!code.has_mma) {
        foveate_cuda_small_unload(device, out_kernels);
        return FOVEA_OK;
    }
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&out_kernels->most_shared_bytes,
                                          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                          device->handle));
    return get_kernels(device, out_kernels);
}

void foveate_cuda_small_unload(const struct cuda_device *device,
                               struct foveate_cuda_small_kernels *kernels)
{
    if (kernels->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->module));
        *kernels = (struct foveate_cuda_small_kernels){0};
    }
}

/* A format's bytes and kernels. */
struct kind {
    const CUfunction *kernels;
    int32_t bytes;
    int32_t channels;
};

static bool kind_of(const struct foveate_cuda_small_kernels *kernels, enum fovea_format format,
                    bool blur_alpha, struct kind *out)
{
    switch (format) {
    case FOVEA_FORMAT_R8:
        *out = (struct kind){kernels->r8, 1, 1};
        return true;
    case FOVEA_FORMAT_RGB8:
        *out = (struct kind){kernels->rgb8, 3, 3};
        return true;
    case FOVEA_FORMAT_RGBA8:
        *out = blur_alpha ? (struct kind){kernels->rgba8_alpha, 4, 4}
                          : (struct kind){kernels->rgba8, 4, 3};
        return true;
    default:
        return false;
    }
}

/* Rows are a multiple of sixteen bytes; eight of them, read by four pixels a lane, lie in different
 * banks. */
static int32_t pitch_of(int32_t width_px, int32_t bytes)
{
    const int32_t wanted = bytes == 4 ? 64 : 16;
    int32_t pitch = (width_px * bytes + 15) / 16 * 16;
    while (pitch % 128 != wanted) {
        pitch += 16;
    }
    return pitch;
}

static struct foveate_small for_kind(const struct foveate_small *small, const struct kind *kind)
{
    struct foveate_small own = *small;
    own.shared_pitch = pitch_of(foveate_small_capacity_px(own.x.size_px), kind->bytes);
    return own;
}

bool foveate_cuda_small_takes(const struct foveate_cuda_small_kernels *kernels,
                              const struct foveate_small *small, enum fovea_format format,
                              bool blur_alpha)
{
    struct kind kind;
    if (kernels->most_shared_bytes == 0 || !kind_of(kernels, format, blur_alpha, &kind)) {
        return false;
    }
    const struct foveate_small own = for_kind(small, &kind);
    return foveate_small_shared_bytes(&own, kind.channels) <= kernels->most_shared_bytes;
}

enum fovea_result foveate_cuda_small_linear(const struct foveate_cuda_small_run *run,
                                            enum fovea_format format,
                                            const struct foveate_cuda_slice *slice)
{
    const struct cuda_device *device = run->device;
    struct kind kind;
    if (!kind_of(run->kernels, format, run->frame->blur_alpha != 0, &kind)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct foveate_small_linear_params params = {.frame = *run->frame,
                                                 .small = for_kind(run->small, &kind),
                                                 .batch = slice->batch,
                                                 .src = slice->src,
                                                 .dst = slice->dst};
    params.src_way =
        foveate_small_way_of(&params.frame, &params.src, params.batch.src_next_bytes, kind.bytes);
    params.dst_way =
        foveate_small_way_of(&params.frame, &params.dst, params.batch.dst_next_bytes, kind.bytes);
    const int32_t shared_bytes = foveate_small_shared_bytes(&params.small, kind.channels);
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kind.kernels[run->frame->light != 0], 1, 1, slice->count,
                                    FOVEATE_SMALL_THREADS, 1, 1, (unsigned)shared_bytes,
                                    run->stream, (void *[]){&params}, NULL));
    return FOVEA_OK;
}
