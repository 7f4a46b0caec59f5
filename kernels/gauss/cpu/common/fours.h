/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of four floats to planes and back, four a register of 16. */
#pragma once

#include "planes.h"

#if LANES == 16

#define FOUR 4

static inline bool is_fours(const struct gauss_cpu_picture *picture,
                            const struct fovea_image *image)
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

/* Returns how many it has read, a multiple of four; 0: of other pixels, and where light is made. */
static inline int32_t gauss_cpu_read_fours(const struct gauss_cpu_picture *picture,
                                           const struct gauss_cpu_span *span, float *out,
                                           ptrdiff_t plane)
{
    const unsigned char *in = gauss_cpu_span_row(picture, &picture->view.src, span).data;
    const bool halves = picture->view.src.format == FOVEA_FORMAT_RGBA16F;
    const int32_t count =
        is_fours(picture, &picture->view.src) && !picture->light ? span->count : 0;
    int32_t i = 0;
    for (; i + FOUR <= count; i += FOUR) {
        const unsigned char *at = in + i * (ptrdiff_t)picture->codec->bytes;
        const __m512 pixels = halves ? _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)at))
                                     : _mm512_loadu_ps((const float *)at);
        store_channels(transposed(pixels), picture->channels, out + i, plane);
    }
    return i;
}

/* Does the same. Finite values beyond the largest half become that; alpha that is not averaged is
 * the source's. */
static inline int32_t gauss_cpu_write_fours(const struct gauss_cpu_picture *picture,
                                            const struct gauss_cpu_span *span, const float *in,
                                            ptrdiff_t plane)
{
    const unsigned char *src = gauss_cpu_span_row(picture, &picture->view.src, span).data;
    unsigned char *dst = gauss_cpu_span_row(picture, &picture->view.dst, span).data;
    const bool halves = picture->view.src.format == FOVEA_FORMAT_RGBA16F;
    const bool keeps_alpha = picture->channels == 3;
    const __m512 most = _mm512_set1_ps(65504.0f);
    const __m512 least = _mm512_set1_ps(-65504.0f);
    const bool fours =
        is_fours(picture, &picture->view.src) && is_fours(picture, &picture->view.dst);
    int32_t i = 0;
    for (; fours && i + FOUR <= span->count; i += FOUR) {
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

static inline int32_t gauss_cpu_read_fours(const struct gauss_cpu_picture *picture,
                                           const struct gauss_cpu_span *span, const float *out,
                                           ptrdiff_t plane)
{
    (void)picture, (void)span, (void)out, (void)plane;
    return 0;
}
#define gauss_cpu_write_fours gauss_cpu_read_fours /* Neither has any. */

#endif
