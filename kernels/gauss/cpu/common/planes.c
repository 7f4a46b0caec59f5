/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "planes.h"

#include "light.h"
#include "words.h"

#include <string.h>

#define MAX_CHANNELS GAUSS_CPU_MAX_CHANNELS

static bool is_words(const struct gauss_cpu_picture *picture, const struct fovea_image *image)
{
    return image->format == FOVEA_FORMAT_RGBA8 && picture->channels == 3 &&
           (image->pixel_stride_bytes == 0 || image->pixel_stride_bytes == 4);
}

/* Other pixels are read and written by registers, too: three bytes, one, or a word of three
 * colours, at any distance: the same picture has the same result however it lies in memory. */
static bool is_packed(const struct gauss_cpu_picture *picture, const struct fovea_image *image)
{
    const int32_t colors = (int32_t)picture->codec->color_channels;
    return (image->format == FOVEA_FORMAT_RGB8 || image->format == FOVEA_FORMAT_R8 ||
            image->format == FOVEA_FORMAT_A2B10G10R10 ||
            image->format == FOVEA_FORMAT_B10G11R11F) &&
           picture->channels == colors;
}

/* One colour is read as another. */
static bool mixes(const struct pixel_light *light)
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

static void read_light(const unsigned char *in, const float *light, int32_t count, float *out,
                       ptrdiff_t plane)
{
    read_bytes(in, 4, 3, light, count, out, plane);
}

/* Reads words of 10 bits a colour, or of packed floats. */
static void read_words(const struct pixel_row *row, enum fovea_format format, const float *light,
                       float *out, ptrdiff_t plane)
{
    const bool floats = format == FOVEA_FORMAT_B10G11R11F;
    const int32_t count = (int32_t)row->count;
    for (int32_t i = 0; i < count; i += LANES) {
        const whole_lanes words = gauss_cpu_row_words(row, i, count - i);
        const whole_lanes levels[3] = {words & 1023, words >> 10 & 1023, words >> 20 & 1023};
        for (int32_t c = 0; c < 3; c++) {
            const lanes value = floats  ? c == 2
                                              ? gauss_cpu_float_of_small(words >> 22 & 1023, 5)
                                              : gauss_cpu_float_of_small(words >> 11 * c & 2047, 6)
                                 : light ? lanes_gather(light, &levels[c])
                                        : __builtin_convertvector(levels[c], lanes);
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
    } else if (light) {
        read_bytes(row.data, row.stride_bytes, 3, light, span->count, out, plane);
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

/* ---- Floats, four pixels of four a register */

#if LANES == 16

#define FOUR 4

static bool is_fours(const struct gauss_cpu_picture *picture, const struct fovea_image *image)
{
    return (image->format == FOVEA_FORMAT_RGBA16F || image->format == FOVEA_FORMAT_RGBA32F) &&
           (image->pixel_stride_bytes == 0 ||
            image->pixel_stride_bytes == (ptrdiff_t)picture->codec->bytes);
}

/* Transposes pixels to channels, and back. */
static inline __m512 transposed(__m512 in)
{
    return _mm512_permutexvar_ps(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), in);
}

static inline void store_channels(__m512 channels, int32_t count, float *out, ptrdiff_t plane)
{
    _mm_storeu_ps(out, _mm512_castps512_ps128(channels));
    _mm_storeu_ps(out + plane, _mm512_extractf32x4_ps(channels, 1));
    _mm_storeu_ps(out + 2 * plane, _mm512_extractf32x4_ps(channels, 2));
    if (count == 4) {
        _mm_storeu_ps(out + 3 * plane, _mm512_extractf32x4_ps(channels, 3));
    }
}

/* Returns how many it has read, a multiple of four. */
static int32_t read_fours(const struct gauss_cpu_picture *picture,
                          const struct gauss_cpu_span *span, float *out, ptrdiff_t plane)
{
    const unsigned char *in = gauss_cpu_span_row(picture, &picture->view.src, span).data;
    const bool halves = picture->view.src.format == FOVEA_FORMAT_RGBA16F;
    int32_t i = 0;
    for (; i + FOUR <= span->count; i += FOUR) {
        const unsigned char *at = in + i * (ptrdiff_t)picture->codec->bytes;
        const __m512 pixels = halves ? _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)at))
                                     : _mm512_loadu_ps((const float *)at);
        store_channels(transposed(pixels), picture->channels, out + i, plane);
    }
    return i;
}

/* Does the same. Finite values beyond the largest half become that; alpha that is not averaged is
 * the source's. */
static int32_t write_fours(const struct gauss_cpu_picture *picture,
                           const struct gauss_cpu_span *span, const float *in, ptrdiff_t plane)
{
    const unsigned char *src = gauss_cpu_span_row(picture, &picture->view.src, span).data;
    unsigned char *dst = gauss_cpu_span_row(picture, &picture->view.dst, span).data;
    const bool halves = picture->view.src.format == FOVEA_FORMAT_RGBA16F;
    const bool keeps_alpha = picture->channels == 3;
    const __m512 most = _mm512_set1_ps(65504.0f);
    const __m512 least = _mm512_set1_ps(-65504.0f);
    int32_t i = 0;
    for (; i + FOUR <= span->count; i += FOUR) {
        const ptrdiff_t at = i * (ptrdiff_t)picture->codec->bytes;
        __m512 channels = _mm512_castps128_ps512(_mm_loadu_ps(in + i));
        channels = _mm512_insertf32x4(channels, _mm_loadu_ps(in + plane + i), 1);
        channels = _mm512_insertf32x4(channels, _mm_loadu_ps(in + 2 * plane + i), 2);
        channels =
            _mm512_insertf32x4(channels, _mm_loadu_ps(in + (keeps_alpha ? 0 : 3 * plane) + i), 3);
        const __m512 pixels = transposed(channels);
        if (halves) {
            const __m512 within = _mm512_max_ps(least, _mm512_min_ps(most, pixels));
            const __m256i out =
                _mm512_cvtps_ph(within, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
            const __m256i kept = _mm256_loadu_si256((const __m256i *)(src + at));
            _mm256_storeu_si256((__m256i *)(dst + at),
                                keeps_alpha ? _mm256_blend_epi16(out, kept, 0x88) : out);
        } else {
            const __m512 kept = _mm512_loadu_ps((const float *)(src + at));
            _mm512_storeu_ps((float *)(dst + at),
                             keeps_alpha ? _mm512_mask_blend_ps(0x8888, pixels, kept) : pixels);
        }
    }
    return i;
}

#else

static bool is_fours(const struct gauss_cpu_picture *picture, const struct fovea_image *image)
{
    (void)picture;
    (void)image;
    return false;
}

static int32_t read_fours(const struct gauss_cpu_picture *picture,
                          const struct gauss_cpu_span *span, float *out, ptrdiff_t plane)
{
    (void)picture;
    (void)span;
    (void)out;
    (void)plane;
    return 0;
}

static int32_t write_fours(const struct gauss_cpu_picture *picture,
                           const struct gauss_cpu_span *span, const float *in, ptrdiff_t plane)
{
    (void)picture;
    (void)span;
    (void)in;
    (void)plane;
    return 0;
}

#endif

/* Handles the end of a span. */
static struct gauss_cpu_span after(const struct gauss_cpu_span *span, int32_t count)
{
    return (struct gauss_cpu_span){span->x_px + count, span->y_px, span->count - count};
}

/* HLG's light of the scene becomes that of the display. */
static void show_scene(const struct gauss_cpu_picture *picture, int32_t count, float *row,
                       ptrdiff_t plane)
{
    const int32_t colors = picture->channels == 1 ? 1 : 3;
    if (!mixes(picture->light)) {
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
    const int32_t first = gauss_cpu_clamp(span->x_px, 0, (int32_t)src->width_px);
    const int32_t end = gauss_cpu_clamp(span->x_px + span->count, 0, (int32_t)src->width_px);
    const struct gauss_cpu_span inside = {
        .x_px = first,
        .y_px = gauss_cpu_clamp(span->y_px, 0, (int32_t)src->height_px - 1),
        .count = end - first,
    };
    const int32_t before = first - span->x_px;
    if (is_packed(picture, src)) {
        read_packed(picture, &inside, out + before, plane);
        show_scene(picture, inside.count, out + before, plane);
    } else if (is_fours(picture, src) && !picture->light) {
        const int32_t done = read_fours(picture, &inside, out + before, plane);
        const struct gauss_cpu_span residual = after(&inside, done);
        read_any(picture, &residual, values, out + before + done, plane);
    } else if (!is_words(picture, src)) {
        read_any(picture, &inside, values, out + before, plane);
    } else if (picture->light) {
        read_light(gauss_cpu_span_row(picture, src, &inside).data, picture->light->light,
                   inside.count, out + before, plane);
        show_scene(picture, inside.count, out + before, plane);
    } else {
        read_levels(gauss_cpu_span_row(picture, src, &inside).data, inside.count, out + before,
                    plane);
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
    } else if (is_fours(picture, &picture->view.src) && is_fours(picture, &picture->view.dst)) {
        const int32_t done = write_fours(picture, span, in, plane);
        const struct gauss_cpu_span residual = after(span, done);
        write_any(picture, &residual, in + done, plane, values);
    } else {
        write_any(picture, span, in, plane, values);
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
