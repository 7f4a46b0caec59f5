/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "cmocka_all.h"

#include "kernels/cuda/cuda_device.h"

/* The CUDA device of a test's runs, which the program keeps until it ends: were it given back after
 * each run, its context would be made anew for the next one, which takes seconds while other
 * programs use the GPU. */
static inline struct cuda_device *kept_device(void)
{
    static struct cuda_device *device;
    if (!device && cuda_device_create(0, (struct fovea_log){0}, &device) != FOVEA_OK) {
        exit(getenv("FOVEA_REQUIRE_GPU") ? EXIT_FAILURE : 77); /* skipped */
    }
    return device;
}
