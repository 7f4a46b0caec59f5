/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "planes.h"

#include "fours.h"
#include "light.h"
#include "words.h"

#include <string.h>

#define MAX_CHANNELS GAUSS_CPU_MAX_CHANNELS

static bool is_words(const struct gauss_cpu_picture *picture, const struct fovea_image *image)
{
    return image->format == FOVEA_FORMAT_RGBA8 && picture->channels == 3 &&
           (image->pixel_stride_bytes == 0 || image->pixel_stride_bytes == 4);
}

/* Pixels of four bytes, three, one, or a word of three colours are read and written by registers at
 * any distance from each other, so that a picture has the same result however it lies in memory. */
static bool is_packed(const struct gauss_cpu_picture *picture, const struct fovea_image *image)
{
    const int32_t colors = (int32_t)picture->codec->color_channels;
    return (image->format == FOVEA_FORMAT_RGBA8 || image->format == FOVEA_FORMAT_RGB8 ||
            image->format == FOVEA_FORMAT_R8 || image->format == FOVEA_FORMAT_A2B10G10R10 ||
            image->format == FOVEA_FORMAT_B10G11R11F) &&
           picture->channels == colors;
}

/* HLG's levels say light of the scene: a colour on the display depends on all three of it. */
static bool is_of_scene(const struct pixel_light *light)
{
    return light && light->system_gamma > 0.0f;
}

bool gauss_cpu_is_words(const struct gauss_cpu_picture *picture)
{
    return is_words(picture, &picture->view.src) && is_words(picture, &picture->view.dst);
}

/* ---- Reading */

static inline void read_lanes(const unsigned char *in, float *out, ptrdiff_t plane)
{
    const gauss_cpu_words words = *(const gauss_cpu_words *)in;
    for (int32_t c = 0; c < 3; c++) {
        *(lanes *)(out + c * plane) =
            __builtin_convertvector(words >> GAUSS_CPU_SHIFT(c) & 255, lanes);
    }
}

/* The last register ends with the row. */
static void read_levels(const unsigned char *in, int32_t count, float *out, ptrdiff_t plane)
{
    for (int32_t i = 0; i + LANES <= count; i += LANES) {
        read_lanes(in + 4 * (ptrdiff_t)i, out + i, plane);
    }
    const ptrdiff_t last = count - LANES;
    if (last >= 0) {
        read_lanes(in + 4 * last, out + last, plane);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        for (int32_t c = 0; c < 3; c++) {
            out[c * plane + i] = in[4 * (ptrdiff_t)i + c];
        }
    }
}

/* Reads pixels whose first `channels` bytes count; with light NULL they stay stored values. */
__attribute__((always_inline)) static inline void read_bytes(const unsigned char *in,
                                                             const ptrdiff_t stride_bytes,
                                                             const int32_t channels,
                                                             const float *light, int32_t count,
                                                             float *out, ptrdiff_t plane)
{
    for (int32_t i = 0; i < count; i++, in += stride_bytes) {
        for (int32_t c = 0; c < channels; c++) {
            out[c * plane + i] = light ? light[in[c]] : (float)in[c];
        }
    }
}

/* Reads three bytes a pixel, without gaps, as they are stored. */
static void read_threes(const unsigned char *in, int32_t count, float *out, ptrdiff_t plane)
{
    int32_t i = 0;
#if LANES == 16
    const __m512i together = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
    const __m512i apart =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    for (; i + LANES <= count; i += LANES) {
        const __m512i bytes = _mm512_maskz_loadu_epi8(0xFFFFFFFFFFFFull, in + 3 * (ptrdiff_t)i);
        const whole_lanes words =
            (whole_lanes)_mm512_shuffle_epi8(_mm512_permutexvar_epi32(together, bytes), apart);
        for (int32_t c = 0; c < 3; c++) {
            *(lanes *)(out + c * plane + i) = __builtin_convertvector(words >> 8 * c & 255, lanes);
        }
    }
#endif
    read_bytes(in + 3 * (ptrdiff_t)i, 3, 3, NULL, count - i, out + i, plane);
}

/* Reads words of 10 bits a colour, or of packed floats. */
static void read_words(const struct pixel_row *row, enum fovea_format format, const float *light,
                       float *out, ptrdiff_t plane)
{
    const bool floats = format == FOVEA_FORMAT_B10G11R11F;
    const int32_t count = (int32_t)row->count;
    for (int32_t i = 0; i < count; i += LANES) {
        const whole_lanes words = gauss_cpu_row_words(row, i, count - i);
        for (int32_t c = 0; c < 3; c++) {
            const whole_lanes level = words >> 10 * c & 1023;
            lanes value;
            if (floats) {
                value = c == 2 ? gauss_cpu_float_of_small(words >> 22 & 1023, 5)
                               : gauss_cpu_float_of_small(words >> 11 * c & 2047, 6);
            } else {
                value = light ? lanes_gather(light, &level) : __builtin_convertvector(level, lanes);
            }
            if (i + LANES <= count) {
                *(lanes *)(out + c * plane + i) = value;
            } else {
                memcpy(out + c * plane + i, &value, (size_t)(count - i) * sizeof *out);
            }
        }
    }
}

static void read_packed(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                        float *out, ptrdiff_t plane)
{
    const struct pixel_row row = gauss_cpu_span_row(picture, &picture->view.src, span);
    const float *light = picture->light ? picture->light->light : NULL;
    if (picture->view.src.format == FOVEA_FORMAT_A2B10G10R10 ||
        picture->view.src.format == FOVEA_FORMAT_B10G11R11F) {
        read_words(&row, picture->view.src.format, light, out, plane);
    } else if (picture->channels == 1) {
        read_bytes(row.data, row.stride_bytes, 1, light, span->count, out, plane);
    } else if (light && row.stride_bytes == 4) {
        read_bytes(row.data, 4, 3, light, span->count, out, plane);
    } else if (light) {
        read_bytes(row.data, row.stride_bytes, 3, light, span->count, out, plane);
    } else if (row.stride_bytes == 3) {
        read_threes(row.data, span->count, out, plane);
    } else {
        read_bytes(row.data, row.stride_bytes, 3, NULL, span->count, out, plane);
    }
}

static void read_any(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                     float *values, float *out, ptrdiff_t plane)
{
    const uint32_t channels = (uint32_t)picture->channels;
    const struct pixel_row row = gauss_cpu_span_row(picture, &picture->view.src, span);
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

/* Returns what is left of a span behind its first pixels. */
static struct gauss_cpu_span residual_after(const struct gauss_cpu_span *span, int32_t count)
{
    return (struct gauss_cpu_span){span->x_px + count, span->y_px, span->count - count};
}

/* HLG's light of the scene becomes that of the display. */
static void show_scene(const struct gauss_cpu_picture *picture, int32_t count, float *row,
                       ptrdiff_t plane)
{
    const int32_t colors = picture->channels == 1 ? 1 : 3;
    if (!is_of_scene(picture->light)) {
        return;
    }
    for (int32_t i = 0; i < count; i += LANES) {
        lanes shown[3];
        const size_t bytes = sizeof(float) * (size_t)(count - i < LANES ? count - i : LANES);
        for (int32_t c = 0; c < 3; c++) {
            const float *in = row + (colors == 1 ? 0 : c) * plane + i;
            if (bytes == sizeof shown[c]) {
                shown[c] = *lanes_at(in);
            } else {
                shown[c] = (lanes){0};
                memcpy(&shown[c], in, bytes);
            }
        }
        gauss_cpu_display_of_scene(picture->light, shown);
        for (int32_t c = 0; c < colors; c++) {
            if (bytes == sizeof shown[c]) {
                *(lanes *)(row + c * plane + i) = shown[c];
            } else {
                memcpy(row + c * plane + i, &shown[c], bytes);
            }
        }
    }
}

void gauss_cpu_read(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                    float *values, float *out, ptrdiff_t plane)
{
    const struct fovea_image *src = &picture->view.src;
    const int32_t first = bounds_clamped(span->x_px, 0, (int32_t)src->width_px);
    const int32_t end = bounds_clamped(span->x_px + span->count, 0, (int32_t)src->width_px);
    const struct gauss_cpu_span inside = {
        .x_px = first,
        .y_px = bounds_clamped(span->y_px, 0, (int32_t)src->height_px - 1),
        .count = end - first,
    };
    const int32_t before = first - span->x_px;
    if (is_words(picture, src) && !picture->light) {
        read_levels(gauss_cpu_span_row(picture, src, &inside).data, inside.count, out + before,
                    plane);
    } else if (is_packed(picture, src)) {
        read_packed(picture, &inside, out + before, plane);
        show_scene(picture, inside.count, out + before, plane);
    } else {
        const int32_t done = gauss_cpu_read_fours(picture, &inside, out + before, plane);
        const struct gauss_cpu_span residual = residual_after(&inside, done);
        read_any(picture, &residual, values, out + before + done, plane);
    }
    if (inside.count < span->count) {
        for (int32_t c = 0; c < picture->channels; c++) {
            float *row = out + c * plane;
            const int32_t after = before + inside.count;
            gauss_cpu_repeat(row, row[before], before);
            gauss_cpu_repeat(row + after, row[after - 1], span->count - after);
        }
    }
}

/* ---- Writing */

/* Rounds levels of one channel; light is sRGB's or NULL. */
static inline whole_lanes rounded(const float *in, const struct pixel_light *light, float highest)
{
    const lanes zero = {0};
    const lanes most = highest + zero;
    const lanes value = *lanes_at(in);
    lanes level = lanes_greater(&value, &zero);
    if (light) {
        level = gauss_cpu_level_of_light(&level) * (highest / 255.0f);
    }
    return __builtin_convertvector(lanes_lesser(&level, &most) + 0.5f, whole_lanes);
}

/* One register's pixels of three bytes without gaps. */
static void store_threes(const whole_lanes levels[3], uint32_t count, unsigned char *out)
{
    const whole_lanes words = levels[0] << GAUSS_CPU_SHIFT(0) | levels[1] << GAUSS_CPU_SHIFT(1) |
                              levels[2] << GAUSS_CPU_SHIFT(2);
#if LANES == 16
    const __m512i threes = _mm512_shuffle_epi8(
        (__m512i)words,
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0)));
    const __m512i together = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
    _mm512_mask_storeu_epi8(out, (1ull << 3 * count) - 1,
                            _mm512_permutexvar_epi32(together, threes));
#else
    /* A word's fourth byte is the next pixel's first, which is written after it. */
    for (uint32_t i = 0; i + 1 < count; i++) {
        const int32_t word = words[i];
        memcpy(out + (size_t)3 * i, &word, sizeof word);
    }
    const int32_t last = words[count - 1];
    memcpy(out + (size_t)3 * (count - 1), &last, 3);
#endif
}

/* One register's levels. */
static void store_packed(const struct gauss_cpu_picture *picture, const whole_lanes levels[3],
                         const struct pixel_row *src, const struct pixel_row *dst)
{
    unsigned char *out = dst->data;
    if (picture->view.dst.format == FOVEA_FORMAT_A2B10G10R10) {
        const int32_t alpha = (int32_t)(3u << 30);
        gauss_cpu_store_row_words((gauss_cpu_row_words(src, 0, (int32_t)src->count) & alpha) |
                                      levels[0] | levels[1] << 10 | levels[2] << 20,
                                  dst);
        return;
    }
    for (uint32_t i = 0; i < dst->count; i++, out += dst->stride_bytes) {
        for (int32_t c = 0; c < picture->channels; c++) {
            out[c] = (unsigned char)levels[c][i];
        }
        if (picture->view.dst.format == FOVEA_FORMAT_RGBA8) {
            out[3] = ((const unsigned char *)src->data + i * src->stride_bytes)[3];
        }
    }
}

static void write_threes(const float *in, ptrdiff_t plane, const struct pixel_light *light,
                         const struct pixel_row *dst)
{
    unsigned char *out = dst->data;
    for (uint32_t i = 0; i < dst->count; i += LANES, out += 3 * LANES) {
        whole_lanes levels[3];
        for (int32_t c = 0; c < 3; c++) {
            levels[c] = rounded(in + c * plane + i, light, 255.0f);
        }
        store_threes(levels, dst->count - i < LANES ? dst->count - i : LANES, out);
    }
}

static void write_packed(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                         const float *in, ptrdiff_t plane)
{
    const struct pixel_row whole = gauss_cpu_span_row(picture, &picture->view.dst, span);
    if (picture->view.dst.format == FOVEA_FORMAT_RGB8 && whole.stride_bytes == 3) {
        write_threes(in, plane, picture->light, &whole);
        return;
    }
    const float highest = picture->view.dst.format == FOVEA_FORMAT_A2B10G10R10 ? 1023.0f : 255.0f;
    for (int32_t i = 0; i < span->count; i += LANES) {
        const struct gauss_cpu_span part = {
            .x_px = span->x_px + i,
            .y_px = span->y_px,
            .count = span->count - i < LANES ? span->count - i : LANES,
        };
        const struct pixel_row src = gauss_cpu_span_row(picture, &picture->view.src, &part);
        const struct pixel_row dst = gauss_cpu_span_row(picture, &picture->view.dst, &part);
        if (picture->view.dst.format == FOVEA_FORMAT_B10G11R11F) {
            gauss_cpu_store_row_words(gauss_cpu_small_of_float(in + i, 6) |
                                          gauss_cpu_small_of_float(in + plane + i, 6) << 11 |
                                          gauss_cpu_small_of_float(in + 2 * plane + i, 5) << 22,
                                      &dst);
            continue;
        }
        whole_lanes levels[3];
        for (int32_t c = 0; c < picture->channels; c++) {
            levels[c] = rounded(in + c * plane + i, picture->light, highest);
        }
        store_packed(picture, levels, &src, &dst);
    }
}

static void write_any(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                      const float *in, ptrdiff_t plane, float *values)
{
    const uint32_t channels = (uint32_t)picture->channels;
    const struct pixel_row src = gauss_cpu_span_row(picture, &picture->view.src, span);
    const struct pixel_row dst = gauss_cpu_span_row(picture, &picture->view.dst, span);
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

void gauss_cpu_write(const struct gauss_cpu_picture *picture, const struct gauss_cpu_span *span,
                     const float *in, ptrdiff_t plane, float *values)
{
    if (is_packed(picture, &picture->view.src)) {
        write_packed(picture, span, in, plane);
    } else {
        const int32_t done = gauss_cpu_write_fours(picture, span, in, plane);
        const struct gauss_cpu_span residual = residual_after(span, done);
        write_any(picture, &residual, in + done, plane, values);
    }
}

static inline void write_words(const float *in, ptrdiff_t plane, int32_t count,
                               const struct pixel_light *light, const unsigned char *alpha,
                               unsigned char *out)
{
    const bool stream = gauss_cpu_may_stream(out);
    for (int32_t i = 0; i < count; i += LANES, alpha += 4 * LANES, out += 4 * LANES) {
        const lanes channels[3] = {*lanes_at(in + i), *lanes_at(in + plane + i),
                                   *lanes_at(in + 2 * plane + i)};
        const gauss_cpu_words words = gauss_cpu_words_of(channels, light);
        if (i + LANES <= count) {
            gauss_cpu_store_words(&words, alpha, stream, out);
        } else {
            gauss_cpu_store_few_words(&words, count - i, alpha, out);
        }
    }
}

void gauss_cpu_write_words(const struct gauss_cpu_picture *picture,
                           const struct gauss_cpu_span *span, const float *in, ptrdiff_t plane)
{
    const unsigned char *src = gauss_cpu_span_row(picture, &picture->view.src, span).data;
    unsigned char *dst = gauss_cpu_span_row(picture, &picture->view.dst, span).data;
    if (picture->light) {
        write_words(in, plane, span->count, picture->light, src, dst);
    } else {
        write_words(in, plane, span->count, NULL, src, dst);
    }
}
