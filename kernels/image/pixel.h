/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of every fovea_format as floats and back, a row at a time.
 *
 * Floats hold what the format counts: levels (0..255, 0..1023, alpha of A2B10G10R10 0..3, 0..65535)
 * or the value itself for float formats. Nothing is decoded from sRGB. Encoding rounds levels to
 * the nearest, halves up, and floats to the nearest, halves to even. Float formats keep NaN and
 * Inf; finite values beyond the largest finite one become that; B10G11R11F has no sign: negative
 * values, -Inf included, become 0. */
#pragma once

#include "config/settings.h"

/* A row of pixels in the caller's memory, pixel_stride_bytes apart. */
struct pixel_row {
    unsigned char *data;
    ptrdiff_t stride_bytes;
    uint32_t count;
};

struct pixel_codec {
    uint32_t bytes; /* bytes of a pixel */
    uint32_t align_bytes; /* bytes of a channel, or of the word that holds them */
    uint32_t color_channels; /* 1 or 3; alpha comes after them */
    bool has_alpha;

    /* `channels` floats a pixel, without gaps: color_channels, or one more where there is alpha. */
    void (*decode)(const struct pixel_row *src, uint32_t channels, float *out);
    /* If channels leaves alpha out, it is copied from src bit by bit. */
    void (*encode)(const float *in, uint32_t channels, const struct pixel_row *src,
                   const struct pixel_row *dst);
};

/* Halves do not hold what they hold. */
static inline bool pixel_has_32_bit_floats(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA32F || format == FOVEA_FORMAT_RGB32F ||
           format == FOVEA_FORMAT_R32F;
}

/* Returns the format of the floats that stand for whole numbers of 16 bits while operators work on
 * them (levels.h); FOVEA_FORMAT_NONE for formats that are no such numbers. */
static inline enum fovea_format pixel_floats_of_16_bits(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA16:
        return FOVEA_FORMAT_RGBA32F;
    case FOVEA_FORMAT_RGB16:
        return FOVEA_FORMAT_RGB32F;
    case FOVEA_FORMAT_R16:
        return FOVEA_FORMAT_R32F;
    default:
        return FOVEA_FORMAT_NONE;
    }
}

static inline bool pixel_has_16_bit_levels(enum fovea_format format)
{
    return pixel_floats_of_16_bits(format) != FOVEA_FORMAT_NONE;
}

/* Returns what white is among the floats that a codec decodes to. */
static inline float pixel_white(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA8:
    case FOVEA_FORMAT_RGB8:
    case FOVEA_FORMAT_R8:
        return 255.0f;
    case FOVEA_FORMAT_A2B10G10R10:
        return 1023.0f;
    case FOVEA_FORMAT_RGBA16:
    case FOVEA_FORMAT_RGB16:
    case FOVEA_FORMAT_R16:
        return 65535.0f;
    default:
        return 1.0f;
    }
}

/* Returns what an opaque pixel's alpha is among them. */
static inline float pixel_opaque(enum fovea_format format)
{
    return format == FOVEA_FORMAT_A2B10G10R10 ? 3.0f : pixel_white(format);
}

/* NULL for FOVEA_FORMAT_NONE and numbers that are no format. */
const struct pixel_codec *pixel_codec_of(enum fovea_format format);

/* Copies pixels bit by bit and nothing between them. */
void pixel_copy_row(const struct pixel_codec *codec, const struct pixel_row *src,
                    const struct pixel_row *dst);

/* `count` pixels of an image from a place on. */
static inline struct pixel_row pixel_row_of(const struct fovea_image *image,
                                            const struct pixel_codec *codec, int32_t x_px,
                                            int32_t y_px, int32_t count)
{
    const ptrdiff_t stride_bytes =
        image->pixel_stride_bytes ? image->pixel_stride_bytes : (ptrdiff_t)codec->bytes;
    return (struct pixel_row){
        .data = (unsigned char *)image->data + y_px * image->row_stride_bytes + x_px * stride_bytes,
        .stride_bytes = stride_bytes,
        .count = (uint32_t)count,
    };
}

static inline struct fovea_image pixel_image_after(const struct fovea_image *first,
                                                   ptrdiff_t distance_bytes)
{
    struct fovea_image image = *first;
    image.data = (unsigned char *)first->data + distance_bytes;
    return image;
}
