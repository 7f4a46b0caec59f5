/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The inner loops, compiled for every processor and for AVX2. They make the same bits: each product
 * is rounded before it is added. */
#pragma once

#include "fovea_lightfield.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIGHTFIELD_ONE 65536 /* a pixel in places of the raw picture */
#define LIGHTFIELD_LANES 4 /* numbers of a pixel: red, green, blue and one more */

struct lightfield_source {
    const unsigned char *data;
    ptrdiff_t stride_bytes;
    int32_t width_px, height_px;
    enum fovea_lightfield_format format;
    enum fovea_lightfield_bayer bayer;
    bool nearest;
    float most; /* of a channel */
};

/* Holds what each pixel of a row has of a column of lenses, or of a row of them. A place in the raw
 * picture is the sum of both, and a weight is their product. */
struct lightfield_part {
    int32_t *x, *y;
    float *weight;
};

struct lightfield_loops {
    /* out = raw, four numbers a pixel of which the last means nothing */
    void (*read)(const struct lightfield_source *source, const struct lightfield_part *column,
                 const struct lightfield_part *row, int32_t count, float *out);
    /* sum += weight (raw, 1) */
    void (*blend)(const struct lightfield_source *source, const struct lightfield_part *column,
                  const struct lightfield_part *row, int32_t count, float *sum);
    /* sum += weight (|raw - main|, 1) */
    void (*differ)(const struct lightfield_source *source, const struct lightfield_part *column,
                   const struct lightfield_part *row, int32_t count, const float *main, float *sum);
};

extern const struct lightfield_loops lightfield_loops_base;
#ifdef LIGHTFIELD_HAVE_AVX2
extern const struct lightfield_loops lightfield_loops_avx2;
#endif

/* Those that this processor runs. */
const struct lightfield_loops *lightfield_loops_choose(void);
