/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "code.h"

/* cuda/mma.cuh and gauss/cuda/tiles/common/sample.cuh ask for __CUDA_ARCH__ >= 800. */
#define MMA_FROM 80
#define NARROW_MMA_FROM 75

enum fovea_result gauss_cuda_code_of(const struct cuda_device *device, CUfunction kernel,
                                     struct gauss_cuda_code *out_code)
{
    *out_code = (struct gauss_cuda_code){0};
    /* For machine code, too, this is the virtual architecture that it was made from, which is what
     * __CUDA_ARCH__ was; the binary version may be a newer one. */
    CU_TRY(device->log, device->cu,
           device->cu->FuncGetAttribute(&out_code->architecture, CU_FUNC_ATTRIBUTE_PTX_VERSION,
                                        kernel));
    out_code->has_mma = out_code->architecture >= MMA_FROM;
    out_code->has_narrow_mma = out_code->architecture >= NARROW_MMA_FROM;
    return FOVEA_OK;
}
