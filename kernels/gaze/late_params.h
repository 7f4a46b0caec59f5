/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The latch's parameters, for C and CUDA C. */
#pragma once

#include "late.h"

struct late_cuda_params {
    uint64_t block; /* addresses on the device */
    uint64_t latched; /* LATCHED_WORDS of device memory */
    uint64_t report; /* the same of host memory */
    struct late_own own;
};
