/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ways of Kim, Yang and Kim 2022 (IEEE Access, "Real-Time Lens Distortion Algorithm on an Edge
 * Device With GPU"), written from its text, as a comparison: the library uses none of them. C and
 * CUDA include this.
 *
 *     backward: a pixel that is shown asks for its source;  forward: a source asks where it is
 * shown
 *
 * A place belongs to the pixel that it lies in: pixel x is what is from x to below x + 1. A pixel
 * without a source is not written. The paper gives neither rule. */
#pragma once

#include "kernels/cuda/host_device.h"

#include <stdint.h>

#define LENS_PAPER_NOWHERE (-1) /* in every table: there is no source */
#define LENS_PAPER_SIDE 16 /* threads of a block along each axis, the paper's best */
#define LENS_PAPER_MOST_THREADS 1024 /* of a block of another shape */

/* The paper prints no coefficients. This k1, with r = 1 at half the width, leaves 22.21 % of
 * 1920 x 1080 without a source, as it says. */
#define LENS_PAPER_K1 0.2054

struct lens_paper_size {
    int32_t width_px;
    int32_t height_px;
};

struct lens_paper_pixel {
    int32_t x;
    int32_t y;
};

/* ---- Equation 2, a pixel as one number, and equation 3, back */

HOST_DEVICE int32_t lens_paper_key(struct lens_paper_size size, struct lens_paper_pixel at)
{
    return size.width_px >= size.height_px ? at.x * size.width_px + at.y
                                           : at.y * size.height_px + at.x;
}

HOST_DEVICE struct lens_paper_pixel lens_paper_pixel_of(struct lens_paper_size size, int32_t key)
{
    struct lens_paper_pixel at;
    if (size.width_px >= size.height_px) {
        at.x = key / size.width_px;
        at.y = key % size.width_px;
    } else {
        at.x = key % size.height_px;
        at.y = key / size.height_px;
    }
    return at;
}

/* The pixel's place in memory costs nothing to decode, and as much to keep. */
HOST_DEVICE int32_t lens_paper_address(struct lens_paper_size size, struct lens_paper_pixel at)
{
    return at.y * size.width_px + at.x;
}

/* ---- What a kernel is given */

struct lens_paper_params {
    uint64_t src; /* uint32_t[]: RGBA8, rows without gaps */
    uint64_t dst;
    uint64_t table; /* int32_t[]: x, or one number a pixel; or int32_t[2], x and y */
    uint64_t table_y; /* int32_t[] */
    struct lens_paper_size size;
    double k1;
    double k2;
};
