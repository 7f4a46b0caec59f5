/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "levels_cuda.h"

#include "core/log.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/embed.h"

CUDA_EMBED(levels);

_Static_assert(LEVELS_STEP_BITS == PIXEL_LIGHT_STEP_BITS, "the table is pixel_light.h's");

enum fovea_result levels_cuda_load(const struct cuda_device *device,
                                   struct levels_cuda_kernels *out_kernels)
{
    const struct {
        const char *name;
        CUfunction *kernel;
    } kernels[] = {
        {"levels_pack_1", &out_kernels->pack[0]},     {"levels_pack_3", &out_kernels->pack[1]},
        {"levels_pack_4", &out_kernels->pack[2]},     {"levels_unpack_1", &out_kernels->unpack[0]},
        {"levels_unpack_3", &out_kernels->unpack[1]}, {"levels_unpack_4", &out_kernels->unpack[2]}};
    FOVEA_TRY(cuda_module_load(device, levels_fatbin, &out_kernels->module));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        FOVEA_TRY(cuda_device_get_kernel(device, out_kernels->module, kernels[i].name,
                                         kernels[i].kernel));
    }
    return FOVEA_OK;
}

void levels_cuda_unload(const struct cuda_device *device, struct levels_cuda_kernels *kernels)
{
    cuda_module_unload(device, &kernels->module);
    *kernels = (struct levels_cuda_kernels){0};
}

static enum fovea_result launch(const struct cuda_device *device, const CUfunction kernels[3],
                                const struct levels *levels, CUstream stream)
{
    struct levels params = *levels;
    const struct cuda_launch launch = {
        kernels[levels->channels / 2],
        {cuda_parts(levels->width_px * levels->height_px, LEVELS_CUDA_THREADS),
         (uint32_t)levels->count, 1},
        {LEVELS_CUDA_THREADS, 1},
        0};
    return cuda_launch(device, stream, &launch, &params);
}

enum fovea_result levels_cuda_pack(const struct cuda_device *device,
                                   const struct levels_cuda_kernels *kernels,
                                   const struct levels *levels, CUstream stream)
{
    return launch(device, kernels->pack, levels, stream);
}

enum fovea_result levels_cuda_unpack(const struct cuda_device *device,
                                     const struct levels_cuda_kernels *kernels,
                                     const struct levels *levels, CUstream stream)
{
    return launch(device, kernels->unpack, levels, stream);
}
