/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compute shaders of light fields. Bindings are those of operator/shaders.h, but 0 is the raw
 * picture, of floats; 1 is the picture or, of one float a pixel, depths; 2 are tables
 * (lightfield_glsl_fill); 3 are costs; 6 are patch sizes; 7 is the focus. */
#pragma once

#include "kernels/operator/shaders.h"

extern const struct shader lightfield_render_shader; /* into pixels of frames */
extern const struct shader lightfield_render_floats_shader; /* into RGBA32F */
extern const struct shader lightfield_search_shader;
extern const struct shader lightfield_depth_shader;
extern const struct shader lightfield_sum_shader; /* as those of rendering */
extern const struct shader lightfield_sum_floats_shader;

/* Specialization constant 3, bits; lightfield.glsl has the same numbers. */
enum lightfield_way {
    LIGHTFIELD_WAY_NEAREST = 1, /* samples: the pixel that a place lies in */
    LIGHTFIELD_WAY_GREY = 2, /* of the raw picture */
    LIGHTFIELD_WAY_HEXAGONAL = 4,
    LIGHTFIELD_WAY_BLUE_FIRST = 8, /* in the picture */
    LIGHTFIELD_WAY_PATCHES = 16, /* a patch size for each pixel */
    LIGHTFIELD_WAY_FOCUS = 32, /* the patch size is what the last search found */
    LIGHTFIELD_WAY_CHOOSE = 64, /* after the costs: what is in focus; depths */
    LIGHTFIELD_WAY_CONFIDENCE = 128, /* and of these how sure they are */
    LIGHTFIELD_WAY_KEEP = 256, /* costs, for what chooses */
    LIGHTFIELD_WAY_BOX = 512, /* they are averaged */
    LIGHTFIELD_WAY_BAYER = 1024, /* times enum fovea_lightfield_bayer */
};

/* Push constants of all of them; lightfield.glsl has the same. */
struct lightfield_constants {
    int32_t size_px[2]; /* of the picture */
    int32_t lenses[2];
    float turn[2]; /* cosine and sine of the array's rotation */
    float sign; /* -1: micro-images are the other way up */
    float tall; /* pitch_y_px / pitch_x_px */
    float reach_px; /* lenses so far away count that (2 away + 1) patch is no more */
    float pitch_px;
    float most; /* the level that the raw format has as 1 */
    float white; /* the raw picture's */
    float gaze_px[2];
    /* of distances from the gaze, px, and large without one; sums: of views from the centre */
    float full_square, next_square;
    float patch_px; /* or the first of a search */
    float step_px; /* sums: of lenses, of a view a pixel from another one */
    int32_t range;
    int32_t place_bits; /* a place is a whole number of 2^-place_bits px */
    float view_px[2];
    float factor; /* -1 / (2 sigma^2) */
    int32_t size_count; /* sums: views at once */
    int32_t apart; /* sizes so far from each other differ by a pixel */
    float left, hysteresis_px; /* of the way of the focus; below 0: nothing was there */
    float start_px;
    /* search: columns first and end, rows; depth: rows of costs, and written; sums: columns and
     * rows of a block, and of the lenses that these lie between */
    int32_t window[4];
};

#define LIGHTFIELD_GROUP_WIDTH 32 /* pixels of a workgroup that renders or matches */
#define LIGHTFIELD_GROUP_HEIGHT 8
#define LIGHTFIELD_SEARCH_THREADS 256
#define LIGHTFIELD_FOCUS_BYTES 16
