/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels.h"

#include "kernels/image/pixel.h"

#include <stdio.h>

static const struct {
    const char *name;
    bool surface;
} names[FOVEATE_CUDA_FORMATS] = {
    [FOVEA_FORMAT_RGBA8] = {"rgba8", true},
    [FOVEA_FORMAT_RGB8] = {"rgb8", false},
    [FOVEA_FORMAT_R8] = {"r8", false},
    [FOVEA_FORMAT_A2B10G10R10] = {"a2b10g10r10", true},
    [FOVEA_FORMAT_B10G11R11F] = {"b10g11r11f", true},
    [FOVEA_FORMAT_RGBA16F] = {"rgba16f", true},
    [FOVEA_FORMAT_RGBA32F] = {"rgba32f", false},
};

enum fovea_result foveate_cuda_get_kernels(const struct cuda_device *device, CUmodule module,
                                           const char *prefix, uint32_t formats,
                                           struct foveate_cuda_kernels *out)
{
    for (int i = 0; i < FOVEATE_CUDA_FORMATS; i++) {
        char name[64];
        const bool wanted = (formats >> i & 1u) != 0;
        if (wanted && names[i].name) {
            snprintf(name, sizeof name, "%s_linear_%s", prefix, names[i].name);
            FOVEA_TRY(cuda_device_get_kernel(device, module, name, &out->linear[i]));
        }
        if (wanted && names[i].surface) {
            snprintf(name, sizeof name, "%s_surface_%s", prefix, names[i].name);
            FOVEA_TRY(cuda_device_get_kernel(device, module, name, &out->surface[i]));
        }
    }
    return FOVEA_OK;
}

static bool is_multiple(intptr_t value, size_t unit)
{
    return value % (intptr_t)unit == 0;
}

struct foveate_cuda_linear foveate_cuda_linear_view(const struct fovea_image *image,
                                                    ptrdiff_t next_bytes)
{
    const size_t bytes = pixel_codec_of(image->format)->bytes;
    const ptrdiff_t pixel_stride =
        image->pixel_stride_bytes ? image->pixel_stride_bytes : (ptrdiff_t)bytes;
    const bool whole = is_multiple((intptr_t)image->data, bytes) &&
                       is_multiple(image->row_stride_bytes, bytes) &&
                       is_multiple(pixel_stride, bytes) && is_multiple(next_bytes, bytes);
    return (struct foveate_cuda_linear){.data = (uintptr_t)image->data,
                                        .row_stride_bytes = image->row_stride_bytes,
                                        .pixel_stride_bytes = pixel_stride,
                                        .whole_pixels = whole};
}
