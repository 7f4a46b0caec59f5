/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "planes_cuda.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/embed.h"

CUDA_EMBED(planes);

static enum fovea_result get_kernels(const struct cuda_device *device, CUmodule module,
                                     const char *const names[3], CUfunction out[3])
{
    for (size_t i = 0; i < 3; i++) {
        FOVEA_TRY(cuda_device_get_kernel(device, module, names[i], &out[i]));
    }
    return FOVEA_OK;
}

enum fovea_result planes_cuda_load(const struct cuda_device *device,
                                   struct planes_cuda_kernels *out_kernels)
{
    static const char *const pack[3] = {"planes_pack_8", "planes_pack_16", "planes_pack_32"};
    static const char *const unpack[3] = {"planes_unpack_8", "planes_unpack_16",
                                          "planes_unpack_32"};
    FOVEA_TRY(cuda_module_load(device, planes_fatbin, &out_kernels->module));
    FOVEA_TRY(get_kernels(device, out_kernels->module, pack, out_kernels->pack));
    return get_kernels(device, out_kernels->module, unpack, out_kernels->unpack);
}

void planes_cuda_unload(const struct cuda_device *device, struct planes_cuda_kernels *kernels)
{
    cuda_module_unload(device, &kernels->module);
    *kernels = (struct planes_cuda_kernels){0};
}

static enum fovea_result launch_all(const struct cuda_device *device, const CUfunction kernels[3],
                                    const struct planes *planes, enum fovea_format format,
                                    CUstream stream)
{
    const uint32_t width_px = (uint32_t)planes->width_px;
    const uint32_t height_px = (uint32_t)planes->height_px;
    const uint32_t threads = planes->fours != 0
                                 ? (width_px + PLANES_FOUR - 1) / PLANES_FOUR * height_px
                                 : (width_px * height_px + PLANES_FOUR - 1) / PLANES_FOUR;
    const struct cuda_launch launch = {
        kernels[planes_sample_bytes(format) / 2],
        {cuda_parts((int32_t)threads, PLANES_CUDA_THREADS), (uint32_t)planes->count, 1},
        {PLANES_CUDA_THREADS, 1},
        0};
    struct planes params = *planes;
    return cuda_launch(device, stream, &launch, &params);
}

enum fovea_result planes_cuda_pack(const struct cuda_device *device,
                                   const struct planes_cuda_kernels *kernels,
                                   const struct planes *planes, enum fovea_format format,
                                   CUstream stream)
{
    return launch_all(device, kernels->pack, planes, format, stream);
}

enum fovea_result planes_cuda_unpack(const struct cuda_device *device,
                                     const struct planes_cuda_kernels *kernels,
                                     const struct planes *planes, enum fovea_format format,
                                     CUstream stream)
{
    return launch_all(device, kernels->unpack, planes, format, stream);
}
