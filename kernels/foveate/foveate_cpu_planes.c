/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_planes.h"

#include "foveate_cpu_words.h"

#include <string.h>

#define MAX_CHANNELS FOVEATE_CPU_MAX_CHANNELS

static struct pixel_row row_of(const struct foveate_cpu_picture *picture,
                               const struct fovea_image *image, const struct foveate_cpu_span *span)
{
    return foveate_cpu_row(image, picture->codec, span->x_px, span->y_px, span->count);
}

static bool is_words(const struct foveate_cpu_picture *picture, const struct fovea_image *image)
{
    return image->format == FOVEA_FORMAT_RGBA8 && picture->channels == 3 &&
           (image->pixel_stride_bytes == 0 || image->pixel_stride_bytes == 4);
}

bool foveate_cpu_is_words(const struct foveate_cpu_picture *picture)
{
    return is_words(picture, &picture->view.src) && is_words(picture, &picture->view.dst);
}

/* ---- Reading */

typedef int32_t pixels __attribute__((vector_size(4 * LANES), aligned(1), may_alias));

static void read_levels(const unsigned char *in, int32_t count, float *out, ptrdiff_t plane)
{
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const pixels words = *(const pixels *)(in + 4 * (ptrdiff_t)i);
        for (int32_t c = 0; c < 3; c++) {
            *(lanes *)(out + c * plane + i) =
                __builtin_convertvector(words >> FOVEATE_CPU_SHIFT(c) & 255, lanes);
        }
    }
    for (; i < count; i++) {
        for (int32_t c = 0; c < 3; c++) {
            out[c * plane + i] = in[4 * (ptrdiff_t)i + c];
        }
    }
}

static void read_light(const unsigned char *in, const float *light, int32_t count, float *out,
                       ptrdiff_t plane)
{
    for (int32_t i = 0; i < count; i++, in += 4) {
        out[i] = light[in[0]];
        out[plane + i] = light[in[1]];
        out[2 * plane + i] = light[in[2]];
    }
}

static void read_any(const struct foveate_cpu_picture *picture, const struct foveate_cpu_span *span,
                     float *values, float *out, ptrdiff_t plane)
{
    const uint32_t channels = (uint32_t)picture->channels;
    const struct pixel_row row = row_of(picture, &picture->view.src, span);
    picture->codec->decode(&row, channels, values);
    if (picture->light) {
        pixel_light_from_levels(picture->light, values, row.count, channels,
                                picture->codec->color_channels);
    }
    for (int32_t i = 0; i < span->count; i++) {
        for (uint32_t c = 0; c < channels; c++) {
            out[c * plane + i] = *values++;
        }
    }
}

static void repeat(float *out, float value, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        out[i] = value;
    }
}

void foveate_cpu_read(const struct foveate_cpu_picture *picture,
                      const struct foveate_cpu_span *span, float *values, float *out,
                      ptrdiff_t plane)
{
    const struct fovea_image *src = &picture->view.src;
    const int32_t first = foveate_cpu_clamp(span->x_px, 0, (int32_t)src->width_px);
    const int32_t end = foveate_cpu_clamp(span->x_px + span->count, 0, (int32_t)src->width_px);
    const struct foveate_cpu_span inside = {
        .x_px = first,
        .y_px = foveate_cpu_clamp(span->y_px, 0, (int32_t)src->height_px - 1),
        .count = end - first,
    };
    const int32_t before = first - span->x_px;
    if (!is_words(picture, src)) {
        read_any(picture, &inside, values, out + before, plane);
    } else if (picture->light) {
        read_light(row_of(picture, src, &inside).data, picture->light->light, inside.count,
                   out + before, plane);
    } else {
        read_levels(row_of(picture, src, &inside).data, inside.count, out + before, plane);
    }
    if (inside.count < span->count) {
        for (int32_t c = 0; c < picture->channels; c++) {
            float *row = out + c * plane;
            const int32_t after = before + inside.count;
            repeat(row, row[before], before);
            repeat(row + after, row[after - 1], span->count - after);
        }
    }
}

/* ---- Writing */

void foveate_cpu_write(const struct foveate_cpu_picture *picture,
                       const struct foveate_cpu_span *span, const float *in, ptrdiff_t plane,
                       float *values)
{
    const uint32_t channels = (uint32_t)picture->channels;
    const struct pixel_row src = row_of(picture, &picture->view.src, span);
    const struct pixel_row dst = row_of(picture, &picture->view.dst, span);
    for (int32_t i = 0; i < span->count; i++) {
        for (uint32_t c = 0; c < channels; c++) {
            values[(uint32_t)i * channels + c] = in[c * plane + i];
        }
    }
    if (picture->light) {
        pixel_light_to_levels(picture->light, values, (uint32_t)span->count, channels,
                              picture->codec->color_channels);
    }
    picture->codec->encode(values, channels, &src, &dst);
}

/* Averages of levels are levels: nothing is clamped. */
void foveate_cpu_pack(const struct foveate_cpu_picture *picture, const float *in, ptrdiff_t plane,
                      int32_t count, uint32_t *out)
{
    for (int32_t i = 0; i < count; i += LANES) {
        const lanes levels[3] = {*lanes_at(in + i), *lanes_at(in + plane + i),
                                 *lanes_at(in + 2 * plane + i)};
        foveate_cpu_store_words(levels, picture->light, out + i);
    }
}

/* Rows of a square lie far apart: the processor does not see that the next one comes. */
static inline void prefetch(const unsigned char *row, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < 4 * count; i += 64) {
        __builtin_prefetch(row + i);
    }
}

void foveate_cpu_write_words(const struct foveate_cpu_picture *picture,
                             const struct foveate_cpu_span *span, const uint32_t *words)
{
    const unsigned char *src = row_of(picture, &picture->view.src, span).data;
    unsigned char *dst = row_of(picture, &picture->view.dst, span).data;
    const uint32_t alpha = 255u << FOVEATE_CPU_SHIFT(3);
    prefetch(src + 2 * picture->view.src.row_stride_bytes, span->count);
    prefetch(dst + 2 * picture->view.dst.row_stride_bytes, span->count);
    for (ptrdiff_t i = 0; i < span->count; i++) {
        uint32_t word = 0;
        memcpy(&word, src + 4 * i, sizeof word);
        word = (word & alpha) | words[i];
        memcpy(dst + 4 * i, &word, sizeof word);
    }
}
