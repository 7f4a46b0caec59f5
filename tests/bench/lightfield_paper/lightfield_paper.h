/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels of Yuttakonkit, Takamaeda-Yamazaki and Nakashima, "Performance Optimization of
 * Light-Field Applications on GPU" (IEICE 2016), written from its text, as a comparison: the
 * library uses none of them. C and CUDA include this.
 *
 * Two errors of its Algorithm 1 are corrected: a lens is x / M and not x / D, and a sample lies in
 * lens n - i and not in lens n. The paper's sizes are constants here, as they are in its kernels
 * (its "pre-defined range limit"). */
#pragma once

#include <stdint.h>

#define LIGHTFIELD_PAPER_PITCH_PX 74.75f /* D */
#define LIGHTFIELD_PAPER_PATCH_PX 11 /* M */
#define LIGHTFIELD_PAPER_RANGE 2
#define LIGHTFIELD_PAPER_GROUPS 5 /* of threads: micro-images that a line of pixels belongs to */
#define LIGHTFIELD_PAPER_LINE 55 /* threads of a line */
#define LIGHTFIELD_PAPER_FIRST_PX 7 /* patch sizes of depths, a pixel apart */
#define LIGHTFIELD_PAPER_SIZES 8
#define LIGHTFIELD_PAPER_MAP_PX 75 /* side of the map of weights */

struct lightfield_paper_params {
    uint64_t raw; /* RGBx, or RGB without gaps between pixels */
    uint64_t texture; /* of RGBx as words */
    uint64_t dst; /* RGBx, rows without gaps */
    uint64_t weights; /* int32_t[], by the pixel of a micro-image */
    uint64_t parts; /* float[]: one by its index, instead of divisions */
    int32_t row_bytes; /* of the raw picture */
    int32_t raw_height_px;
    int32_t columns, rows; /* of lenses */
};

/* X(name, load, ResVect, DivAsMul, SyncAtEnd, unrolled): one output pixel a thread. */
#define LIGHTFIELD_PAPER_RENDER_BASE(X)                                                            \
    X(base, TEXTURE, 1, 0, 0, 0)                                                                   \
    X(base_default, DEFAULT, 1, 0, 0, 0)                                                           \
    X(base_rgb, RGB, 1, 0, 0, 0)                                                                   \
    X(base_bytes, TEXTURE, 0, 0, 0, 0)                                                             \
    X(base_divide, TEXTURE, 1, 1, 0, 0)                                                            \
    X(base_sync, TEXTURE, 1, 0, 1, 0)                                                              \
    X(base_unrolled, TEXTURE, 1, 0, 0, 1)
/* X(name, load, ResVect, DivAsMul, layout, unrolled, beginning) */
#define LIGHTFIELD_PAPER_RENDER_SYNC(X)                                                            \
    X(sync, DEFAULT, 1, 0, AOS, 0, APART)                                                          \
    X(sync_texture, TEXTURE, 1, 0, AOS, 0, APART)                                                  \
    X(sync_bytes, DEFAULT, 0, 0, AOS, 0, APART)                                                    \
    X(sync_divide, DEFAULT, 1, 1, AOS, 0, APART)                                                   \
    X(sync_soa, DEFAULT, 1, 0, SOA, 0, APART)                                                      \
    X(sync_unrolled, DEFAULT, 1, 0, AOS, 1, APART)                                                 \
    X(sync_one_loop, DEFAULT, 1, 0, AOS, 0, ONE_LOOP)
/* unrolled: 1 micro-images above each other, 2 those beside each other, too */
#define LIGHTFIELD_PAPER_RENDER_NOSYNC(X)                                                          \
    X(nosync, DEFAULT, 1, 0, AOS, 1, APART_SYNC)                                                   \
    X(nosync_texture, TEXTURE, 1, 0, AOS, 1, APART_SYNC)                                           \
    X(nosync_bytes, DEFAULT, 0, 0, AOS, 1, APART_SYNC)                                             \
    X(nosync_divide, DEFAULT, 1, 1, AOS, 1, APART_SYNC)                                            \
    X(nosync_soa, DEFAULT, 1, 0, SOA, 1, APART_SYNC)                                               \
    X(nosync_registers, DEFAULT, 1, 0, REGISTERS, 1, APART_SYNC)                                   \
    X(nosync_loops, DEFAULT, 1, 0, AOS, 0, APART_SYNC)                                             \
    X(nosync_unrolled, DEFAULT, 1, 0, AOS, 2, APART_SYNC)                                          \
    X(nosync_apart, DEFAULT, 1, 0, AOS, 1, APART)                                                  \
    X(nosync_one_loop, DEFAULT, 1, 0, AOS, 1, ONE_LOOP)
/* X(name, load, ResVect, SyncAtEnd, vabsdiff4) */
#define LIGHTFIELD_PAPER_DEPTH_BASE(X)                                                             \
    X(base, TEXTURE, 1, 0, 1)                                                                      \
    X(base_default, DEFAULT, 1, 0, 1)                                                              \
    X(base_rgb, RGB, 1, 0, 1)                                                                      \
    X(base_bytes, TEXTURE, 0, 0, 1)                                                                \
    X(base_sync, TEXTURE, 1, 1, 1)                                                                 \
    X(base_scalar, TEXTURE, 1, 0, 0)
/* X(name, load, ResVect, type of SAD, unrolled, beginning) */
#define LIGHTFIELD_PAPER_DEPTH_SYNC(X)                                                             \
    X(sync, DEFAULT, 1, int32_t, 0, APART)                                                         \
    X(sync_texture, TEXTURE, 1, int32_t, 0, APART)                                                 \
    X(sync_short, DEFAULT, 1, uint16_t, 0, APART)                                                  \
    X(sync_unrolled, DEFAULT, 1, int32_t, 1, APART)                                                \
    X(sync_one_loop, DEFAULT, 1, int32_t, 0, ONE_LOOP)
#define LIGHTFIELD_PAPER_DEPTH_NOSYNC(X)                                                           \
    X(nosync, DEFAULT, 1, int32_t, 0, APART_SYNC)                                                  \
    X(nosync_texture, TEXTURE, 1, int32_t, 0, APART_SYNC)                                          \
    X(nosync_short, DEFAULT, 1, uint16_t, 0, APART_SYNC)                                           \
    X(nosync_unrolled, DEFAULT, 1, int32_t, 1, APART_SYNC)                                         \
    X(nosync_apart, DEFAULT, 1, int32_t, 0, APART)
