/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "pack_cuda.h"

#include "core/log.h"
#include "kernels/cuda/cuda_kernels.h"

extern const unsigned char levels_fatbin[];
extern const unsigned char planes_fatbin[];

_Static_assert(LEVELS_STEP_BITS == PIXEL_LIGHT_STEP_BITS, "the table is pixel_light.h's");

/* ---- Kernels */

static enum fovea_result load(const struct cuda_device *device, const unsigned char *fatbin,
                              const char *const names[6], struct pack_cuda *kernels)
{
    if (kernels->module) {
        return FOVEA_OK;
    }
    struct cuda_named_kernel named[6];
    for (int i = 0; i < 6; i++) {
        named[i] = (struct cuda_named_kernel){
            names[i], i < 3 ? &kernels->pack[i] : &kernels->unpack[i - 3], 0};
    }
    kernels->device = device;
    FOVEA_TRY(cuda_module_load(device, fatbin, &kernels->module));
    const enum fovea_result result = cuda_kernels_get_named(device, kernels->module, named, 6);
    if (result < 0) {
        pack_cuda_unload(kernels);
    }
    return result;
}

enum fovea_result planes_cuda_load(const struct cuda_device *device, struct pack_cuda *kernels)
{
    static const char *const names[] = {"planes_pack_8",   "planes_pack_16",   "planes_pack_32",
                                        "planes_unpack_8", "planes_unpack_16", "planes_unpack_32"};
    return load(device, planes_fatbin, names, kernels);
}

enum fovea_result levels_cuda_load(const struct cuda_device *device, struct pack_cuda *kernels)
{
    static const char *const names[] = {"levels_pack_1",   "levels_pack_3",   "levels_pack_4",
                                        "levels_unpack_1", "levels_unpack_3", "levels_unpack_4"};
    return load(device, levels_fatbin, names, kernels);
}

void pack_cuda_unload(struct pack_cuda *kernels)
{
    cuda_module_unload(kernels->device, &kernels->module);
    *kernels = (struct pack_cuda){0};
}

/* ---- Launches */

enum fovea_result planes_cuda_run(const struct pack_cuda *kernels, bool packs,
                                  const struct planes *planes, enum fovea_format format,
                                  CUstream stream)
{
    const uint32_t width_px = (uint32_t)planes->width_px;
    const uint32_t height_px = (uint32_t)planes->height_px;
    const uint32_t threads = planes->fours != 0
                                 ? (width_px + PLANES_FOUR - 1) / PLANES_FOUR * height_px
                                 : (width_px * height_px + PLANES_FOUR - 1) / PLANES_FOUR;
    const struct cuda_launch launch = {
        (packs ? kernels->pack : kernels->unpack)[planes_sample_bytes(format) / 2],
        {cuda_parts((int32_t)threads, PLANES_CUDA_THREADS), (uint32_t)planes->count, 1},
        {PLANES_CUDA_THREADS, 1},
        0};
    struct planes params = *planes;
    return cuda_launch(kernels->device, stream, &launch, &params);
}

enum fovea_result levels_cuda_run(const struct pack_cuda *kernels, bool packs,
                                  const struct levels *levels, CUstream stream)
{
    const struct cuda_launch launch = {
        (packs ? kernels->pack : kernels->unpack)[levels->channels / 2],
        {cuda_parts(levels->width_px * levels->height_px, LEVELS_CUDA_THREADS),
         (uint32_t)levels->count, 1},
        {LEVELS_CUDA_THREADS, 1},
        0};
    struct levels params = *levels;
    return cuda_launch(kernels->device, stream, &launch, &params);
}
