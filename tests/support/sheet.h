/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Many pictures in one piece of memory, as a batch has them. */
#pragma once

#include "images.h"

enum sheet_order {
    SHEET_STACKED, /* one below the other */
    SHEET_SIDE_BY_SIDE, /* rows between rows */
    SHEET_UPWARD, /* stacked, the first at the bottom: a negative distance */
    SHEET_BOTTOM_UP, /* stacked, rows and pictures from the bottom up */
    SHEET_GAPS, /* side by side, with gaps between pixels and rows */
    SHEET_ORDER_COUNT,
};

struct sheet {
    struct test_image all; /* canaries at first */
    struct fovea_image first;
    ptrdiff_t next_bytes;
    uint32_t count;
};

struct sheet sheet_make(uint32_t count, uint32_t width_px, uint32_t height_px,
                        enum fovea_format format, enum sheet_order order);
void sheet_free(struct sheet *sheet);

struct fovea_image sheet_image(const struct sheet *sheet, uint32_t index);
/* A picture of its own for each. */
void sheet_draw(const struct sheet *sheet, enum image_pattern pattern, uint64_t seed);

/* Gazes in and around the image, x and y for each, never the same twice. */
void sheet_gazes(float *out_gazes_uv, uint32_t count, uint64_t seed);
