/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Parameters of the kernels that make a table of gazes. Those of a launch have at most 4096
 * bytes. */
#pragma once

#include <stdint.h>

#define GAZE_CUDA_THREADS 128
#define GAZE_CUDA_PUT_MOST 500 /* that a launch carries */

struct gaze_cuda_put_params {
    uint64_t table; /* int32_t[2] for each */
    int32_t count;
    int32_t reserved;
    int32_t gazes_q8[GAZE_CUDA_PUT_MOST][2];
};

struct gaze_cuda_take_params {
    uint64_t table; /* likewise */
    uint64_t gazes_uv; /* float[2] for each */
    int32_t count;
    int32_t width_px;
    int32_t height_px;
    int32_t group; /* entries whose uv lie together, and from there to the next group's */
    int32_t apart;
    int32_t reserved;
};
