/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images of whole numbers of 16 bits as floats and back. Operators have no ways of their own for
 * such images: the chain makes floats of what is averaged of them (light, or parts of the highest
 * level where values are averaged as they are stored), which operators work on, and levels of what
 * they make. Alpha is a part of its highest level. Where a float is the one that was made of the
 * source's pixel at that place, its level is written: pixels that are not changed stay bit for bit.
 *
 * The tables are pixel_light.h's, on the processor and on a CUDA device. The structs are the
 * parameter of levels.cu, too. */
#pragma once

#include "fovea.h"

#define LEVELS_CUDA_THREADS 256
#define LEVELS_STEP_BITS 15 /* PIXEL_LIGHT_STEP_BITS */

/* Images of one size; distances may be negative. */
struct levels_side {
    uint64_t first; /* address of the first pixel's first channel */
    int64_t channel_bytes; /* to the pixel's next channel: a sample's size, or a plane's */
    int64_t pixel_bytes;
    int64_t row_bytes;
    int64_t next_bytes; /* from an image to the next; 0: one for all */
};

/* This makes levels of light, as struct pixel_light does; addresses on the device. */
struct levels_curve {
    uint64_t light; /* float[65536]: of each level */
    uint64_t level; /* float[]: where entries begin */
    uint64_t samples; /* float[]: a display's */
    uint32_t first_bits;
    int32_t sample_count;
    float line_end;
    float line_slope;
    float system_gamma; /* HLG's; 0: there is none */
    int32_t reserved;
};

struct levels {
    struct levels_side src; /* levels */
    struct levels_side dst; /* levels; for unpacking */
    struct levels_side floats; /* made of src, or what becomes dst */
    struct levels_curve curve; /* for the device */
    int32_t width_px;
    int32_t height_px;
    int32_t channels; /* 1, 3 or 4 */
    int32_t count; /* images */
};

#ifndef __CUDACC__
#include "pixel_light.h"

/* Levels of 16 bits say this by the settings of foveation. */
struct levels_light {
    struct pixel_transfer transfer; /* IMAGE_LIGHT_STORED: of nothing but themselves */
    struct pixel_light curve;
    float light_of[PIXEL_LIGHT_16_BITS];
};

/* FOVEA_ERROR_OUT_OF_MEMORY; free() frees it. */
FOVEA_MUST_CHECK enum fovea_result levels_light_create(const struct fovea_foveation *foveation,
                                                       struct levels_light **out_light);
/* Whether it is the one that these settings would make. */
bool levels_light_fits(const struct levels_light *light, const struct fovea_foveation *foveation);

/* Makes light of a colour's red, green and blue, which are parts of the highest level. */
void levels_light_of_color(const struct levels_light *light, float color[3]);

/* No light of levels is larger; HLG's goes up to 1.6. */
float levels_light_most(const struct levels_light *light);

/* An image's side; plane_bytes: from a channel's plane to the next, 0: channels lie together. */
struct levels_side levels_side_of(const struct fovea_image *first, ptrdiff_t next_bytes,
                                  ptrdiff_t plane_bytes);

/* On the processor, rows `first` to `end` of all images, counted one image after the other. */
void levels_pack(const struct levels *levels, const struct levels_light *light, int64_t first,
                 int64_t end);
void levels_unpack(const struct levels *levels, const struct levels_light *light, int64_t first,
                   int64_t end);
#endif
