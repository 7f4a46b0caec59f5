/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes a row of level 1 from six rows of RGBA8 pixels by 512-bit registers.
 *
 * Rows as far above as below are interleaved by the byte, multiplied and added in pairs, which
 * leaves two pixels in a 128-bit lane, four words each; a shuffle makes them pairs of neighbours, a
 * channel a word of 32 bits. Even pairs go into one array and odd ones into the other, so that the
 * pairs before and after a sample are a register of an array too, and the samples of both arrays
 * are woven when they become planes. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_TILES_DECIMATE_WIDE_H
#define FOVEA_KERNELS_GAUSS_CPU_TILES_DECIMATE_WIDE_H

#include "decimate.h"

#if LANES == 16

#define WIDE_PIXELS 16 /* in a register */
#define WIDE_BEFORE 4 /* pairs of each array before the picture: a line of the cache */

struct wide_pairs {
    uint32_t *even; /* pair 2m's: entry m + WIDE_BEFORE, four words */
    uint32_t *odd; /* pair 2m + 1's */
};

static inline __m512i wide_load(const unsigned char *in, __mmask64 bytes)
{
    return _mm512_maskz_loadu_epi8(bytes, in);
}

/* Eight pairs: four of each kind. */
static inline void wide_pair_up(const unsigned char *const rows[6], ptrdiff_t at, __mmask64 bytes,
                                const struct wide_pairs *out, ptrdiff_t entry)
{
    const __m512i neighbours =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    static const char weights[3] = {1, 5, 10};
    __m512i even = _mm512_setzero_si512();
    __m512i odd = _mm512_setzero_si512();
    for (int j = 0; j < 3; j++) {
        const __m512i above = wide_load(rows[j] + at, bytes);
        const __m512i below = wide_load(rows[5 - j] + at, bytes);
        const __m512i weight = _mm512_set1_epi8(weights[j]);
        even = _mm512_add_epi16(even,
                                _mm512_maddubs_epi16(_mm512_unpacklo_epi8(above, below), weight));
        odd =
            _mm512_add_epi16(odd, _mm512_maddubs_epi16(_mm512_unpackhi_epi8(above, below), weight));
    }
    _mm512_storeu_si512(out->even + 4 * entry, _mm512_shuffle_epi8(even, neighbours));
    _mm512_storeu_si512(out->odd + 4 * entry, _mm512_shuffle_epi8(odd, neighbours));
}

static inline uint32_t *wide_pair(const struct wide_pairs *pairs, int32_t index)
{
    const int32_t from = index + 2 * WIDE_BEFORE;
    return (from % 2 ? pairs->odd : pairs->even) + 4 * (ptrdiff_t)(from / 2);
}

/* Pixels beyond the row are its outermost ones. */
static inline void wide_repeat(const struct wide_pairs *pairs, int32_t width, int32_t end_pair)
{
    const uint32_t *first = wide_pair(pairs, 0);
    for (int32_t i = -2 * WIDE_BEFORE; i < 0; i++) {
        for (int c = 0; c < 4; c++) {
            wide_pair(pairs, i)[c] = (first[c] & 0xFFFF) * 0x10001;
        }
    }
    const uint32_t *last = wide_pair(pairs, (width - 1) / 2);
    const int shift = width % 2 ? 0 : 16;
    for (int32_t i = (width + 1) / 2 - width % 2; i < end_pair; i++) {
        for (int c = 0; c < 4; c++) {
            wide_pair(pairs, i)[c] = (last[c] >> shift & 0xFFFF) * 0x10001;
        }
    }
}

/* Four samples of all channels. */
static inline __m512i wide_sum(const uint32_t *before, const uint32_t *here, const uint32_t *after)
{
    return _mm512_add_epi32(
        _mm512_add_epi32(
            _mm512_madd_epi16(_mm512_loadu_si512(before), _mm512_set1_epi32(0x00050001)),
            _mm512_madd_epi16(_mm512_loadu_si512(after), _mm512_set1_epi32(0x00010005))),
        _mm512_madd_epi16(_mm512_loadu_si512(here), _mm512_set1_epi32(0x000A000A)));
}

static inline void wide_store(float *out, __m512i sums, __mmask16 samples)
{
    _mm512_mask_storeu_ps(out, samples,
                          _mm512_mul_ps(_mm512_cvtepi32_ps(sums), _mm512_set1_ps(1.0f / 1024.0f)));
}

/* Sixteen samples from even entry `entry` on. */
static inline void wide_decimate(const struct wide_pairs *pairs, ptrdiff_t entry, __mmask16 samples,
                                 float *out, ptrdiff_t plane)
{
    const __m512i firsts = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i seconds = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    __m512i red_green[2];
    __m512i blue[2];
    for (int n = 0; n < 2; n++) {
        const uint32_t *even = pairs->even + 4 * (entry + 4 * n);
        const uint32_t *odd = pairs->odd + 4 * (entry + 4 * n);
        const __m512i one = wide_sum(odd - 4, even, odd);
        const __m512i other = wide_sum(even, odd, even + 4);
        red_green[n] = _mm512_unpacklo_epi32(one, other);
        blue[n] = _mm512_unpackhi_epi32(one, other);
    }
    wide_store(out, _mm512_permutex2var_epi64(red_green[0], firsts, red_green[1]), samples);
    wide_store(out + plane, _mm512_permutex2var_epi64(red_green[0], seconds, red_green[1]),
               samples);
    wide_store(out + 2 * plane, _mm512_permutex2var_epi64(blue[0], firsts, blue[1]), samples);
}

/* The next two rows are prefetched meanwhile. */
static inline void wide_row(const unsigned char *const rows[8], int32_t width,
                            const struct wide_pairs *pairs, int32_t pitch, float *out,
                            ptrdiff_t plane)
{
    ptrdiff_t entry = WIDE_BEFORE;
    int32_t x = 0;
    for (; x + WIDE_PIXELS <= width; x += WIDE_PIXELS, entry += 4) {
        __builtin_prefetch(rows[6] + 4 * (ptrdiff_t)x);
        __builtin_prefetch(rows[7] + 4 * (ptrdiff_t)x);
        wide_pair_up(rows, 4 * (ptrdiff_t)x, ~(__mmask64)0, pairs, entry);
    }
    if (x < width) {
        const __mmask64 bytes = ((__mmask64)1 << 4 * (width - x)) - 1;
        wide_pair_up(rows, 4 * (ptrdiff_t)x, bytes, pairs, entry);
    }
    wide_repeat(pairs, width, pitch);
    for (int32_t i = 0; i < pitch; i += LANES) {
        const __mmask16 samples =
            i + LANES <= pitch ? (__mmask16)0xFFFF : (__mmask16)((1 << (pitch - i)) - 1);
        wide_decimate(pairs, WIDE_BEFORE + (i - GAUSS_MARGIN) / 2, samples, out + i, plane);
    }
}

#endif

#endif
