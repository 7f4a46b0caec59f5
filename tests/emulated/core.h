/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What core.cu's kernels are given: C and CUDA C. */
#pragma once

#include <stdint.h>

/* One warp's registers, a lane's after the other, and what comes out. */
struct core_params {
    const uint32_t (*in)[8];
    uint32_t (*out)[8];
    int32_t *numbers;
    int32_t count;
};
