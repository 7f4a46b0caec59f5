/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* bench_kernels.cu's kernels are given these. C and CUDA include this. */
#pragma once

#include <stdint.h>

struct bench_copy_params {
    uint64_t words; /* uint4[], read and written */
    uint64_t count;
    uint32_t mask; /* 0 */
};
