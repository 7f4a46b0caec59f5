/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Converts rows of the image to planes and back. */
#pragma once

#include "lanes.h"
#include "picture.h"

/* Pixels of a row; they may lie outside the image. */
struct gauss_cpu_span {
    int32_t x_px;
    int32_t y_px;
    int32_t count;
};

#define gauss_cpu_read GAUSS_CPU_NAME(gauss_cpu_read)
#define gauss_cpu_write GAUSS_CPU_NAME(gauss_cpu_write)
#define gauss_cpu_is_words GAUSS_CPU_NAME(gauss_cpu_is_words)
#define gauss_cpu_write_words GAUSS_CPU_NAME(gauss_cpu_write_words)

/* Pixels beyond the image repeat its nearest ones; some of the span lie inside. Plane c of the span
 * begins at out + c * plane. `values` has memory for the pixels. */
void gauss_cpu_read(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                    float *values, float *out, ptrdiff_t plane);

/* Writes a span inside the image; light is sRGB's or NULL. Other channels are copied from src. Up
 * to a register more than the span is read. */
void gauss_cpu_write(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                     const float *in, ptrdiff_t plane, float *values);

/* Returns whether the image is one of RGBA8 words without gaps whose alpha is copied: these have a
 * faster way back. */
bool gauss_cpu_is_words(const struct gauss_cpu_picture *picture);
/* Does gauss_cpu_write for these; up to a register more than the span is read. */
void gauss_cpu_write_words(const struct gauss_cpu_picture *picture,
                           const struct gauss_cpu_span *span, const float *in, ptrdiff_t plane);

/* Returns where a span lies in one of the two images. */
static inline struct pixel_row gauss_cpu_span_row(const struct gauss_cpu_picture *picture,
                                                  const struct fovea_image *image,
                                                  const struct gauss_cpu_span *span)
{
    return pixel_row_of(image, picture->codec, span->x_px, span->y_px, span->count);
}

static inline void gauss_cpu_repeat(float *out, float value, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        out[i] = value;
    }
}

/* Pixels that are not blurred keep their bits. */
static inline void gauss_cpu_copy_span(const struct gauss_cpu_picture *picture,
                                       const struct gauss_cpu_span *span)
{
    const struct pixel_row src = gauss_cpu_span_row(picture, &picture->view.src, span);
    const struct pixel_row dst = gauss_cpu_span_row(picture, &picture->view.dst, span);
    pixel_copy_row(picture->codec, &src, &dst);
}

/* Does the same for `row_count` rows, the first of which is the span. */
static inline void gauss_cpu_copy_rows(const struct gauss_cpu_picture *picture,
                                       struct gauss_cpu_span span, int32_t row_count)
{
    for (int32_t i = 0; i < row_count; i++, span.y_px++) {
        gauss_cpu_copy_span(picture, &span);
    }
}
