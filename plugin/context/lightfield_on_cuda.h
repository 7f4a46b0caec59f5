/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields whose pictures lie in CUDA memory, on the device that has them. Where
 * FOVEA_HAVE_CUDA is 0 nothing runs, and the log says so. */
#pragma once

#include "fovea_lightfield.h"

struct lightfield_cuda;

struct lightfield_on_cuda {
    struct lightfield_cuda **cuda; /* of the last picture's device, kept from call to call */
    const struct fovea_lightfield_geometry *geometry;
    void *cuda_stream;
    struct fovea_log log;
};

/* A picture that was asked for. All of it was checked. */
struct lightfield_work {
    /* One of these says what it is of. */
    const struct fovea_lightfield_rendering *rendering;
    const struct fovea_lightfield_matching *matching;
    const struct fovea_lightfield_refocusing *refocusing;
    const struct fovea_lightfield_sum *sum;
    struct fovea_lightfield_raw raw;
    struct fovea_image dst; /* or depths */
    const struct fovea_image *beside; /* patches, confidence or one pixel of focus; NULL: none */
};

FOVEA_MUST_CHECK enum fovea_result lightfield_on_cuda_run(const struct lightfield_on_cuda *of,
                                                          const struct lightfield_work *work);
void lightfield_on_cuda_destroy(struct lightfield_cuda **cuda);
