/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* core.cu's kernels are given this: C and CUDA C. */
#pragma once

#include <stdint.h>

struct core_params {
    int32_t *numbers;
    int32_t count;
};
