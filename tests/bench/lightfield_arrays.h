/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Arrays of lenses that the measurements on CUDA and on Vulkan share. */
#pragma once

#include "cases.h"
#include "fovea_lightfield.h"

enum bench_array_kind {
    BENCH_ARRAY_PAPER,
    BENCH_ARRAY_QUICK,
    /* Those of the three raw pictures that come with napari-LF, as `./run lightfield calibrate`
     * finds them; pictures have four pixels to each side of a lens, as `./run lightfield --views`
     * makes them. */
    BENCH_ARRAY_ANT_LEG,
    BENCH_ARRAY_SEA_URCHIN,
    BENCH_ARRAY_VESICLES,
};

struct bench_array {
    struct bench_size size; /* of the picture */
    struct fovea_lightfield_geometry geometry;
};

const struct bench_array *bench_array_of(enum bench_array_kind kind);
/* Describes the sum of 81 views of the paper's array, of all that there are of the others. */
struct fovea_lightfield_sum bench_array_sum(enum bench_array_kind kind);
/* Fills a raw picture with noise, the same each time. */
void bench_array_noise(unsigned char *raw, size_t bytes);
