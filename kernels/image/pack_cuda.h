/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* planes.h and levels.h on a CUDA device. The device is pushed around every call. */
#pragma once

#include "kernels/cuda/cuda_device.h"
#include "levels.h"
#include "planes.h"

/* Kernels of planes by the bytes of a sample, 1, 2 or 4; of levels by channels, 1, 3 or 4. */
struct pack_cuda {
    const struct cuda_device *device;
    CUmodule module; /* NULL: nothing is loaded */
    CUfunction pack[3];
    CUfunction unpack[3];
};

/* Do nothing where they are loaded. On failure nothing is. */
FOVEA_MUST_CHECK enum fovea_result planes_cuda_load(const struct cuda_device *device,
                                                    struct pack_cuda *kernels);
FOVEA_MUST_CHECK enum fovea_result levels_cuda_load(const struct cuda_device *device,
                                                    struct pack_cuda *kernels);
void pack_cuda_unload(struct pack_cuda *kernels);

/* packs: makes pixels, or floats; else planes, or levels, of them. */
FOVEA_MUST_CHECK enum fovea_result planes_cuda_run(const struct pack_cuda *kernels, bool packs,
                                                   const struct planes *planes,
                                                   enum fovea_format format, CUstream stream);
FOVEA_MUST_CHECK enum fovea_result levels_cuda_run(const struct pack_cuda *kernels, bool packs,
                                                   const struct levels *levels, CUstream stream);
