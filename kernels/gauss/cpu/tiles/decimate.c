/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "decimate.h"

#define TAPS GAUSS_CPU_DECIMATE_TAPS
#define OUTER (1.0f / 32.0f)
#define MIDDLE (5.0f / 32.0f)
#define INNER (10.0f / 32.0f)

/* Sample i of a level lies between 2i and 2i + 1 of the one below: its taps are 2i - 2 .. 2i +
 * 3. */
#define FIRST_TAP (-2)
/* A row with its margin reads samples from here on. */
#define FIRST_BELOW (2 * -GAUSS_MARGIN + FIRST_TAP)

/* Pairs first, so that mirrored pictures have mirrored levels. */
static inline lanes decimated(const lanes in[TAPS])
{
    return (in[0] + in[5]) * OUTER + (in[1] + in[4]) * MIDDLE + (in[2] + in[3]) * INNER;
}

/* No register reaches beyond the rows: another worker may be writing what follows them. */

#if LANES == 16

static inline __mmask16 first_lanes(int32_t count)
{
    return count < LANES ? (__mmask16)((1u << count) - 1u) : (__mmask16)0xFFFF;
}

static void decimate_down(const float *const rows[TAPS], int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i += LANES) {
        const __mmask16 asked = first_lanes(count - i);
        lanes in[TAPS];
        for (int32_t j = 0; j < TAPS; j++) {
            in[j] = (lanes)_mm512_maskz_loadu_ps(asked, rows[j] + i);
        }
        _mm512_mask_storeu_ps(out + i, asked, (__m512)decimated(in));
    }
}

#else

static inline void decimate_lanes_down(const float *const rows[TAPS], int32_t i, float *out)
{
    lanes in[TAPS];
    for (int32_t j = 0; j < TAPS; j++) {
        in[j] = *lanes_at(rows[j] + i);
    }
    *(lanes *)(out + i) = decimated(in);
}

static void decimate_down(const float *const rows[TAPS], int32_t count, float *out)
{
    for (int32_t i = 0; i + LANES <= count; i += LANES) {
        decimate_lanes_down(rows, i, out);
    }
    if (count >= LANES) {
        decimate_lanes_down(rows, count - LANES, out);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        out[i] = (rows[0][i] + rows[5][i]) * OUTER + (rows[1][i] + rows[4][i]) * MIDDLE +
                 (rows[2][i] + rows[3][i]) * INNER;
    }
}

#endif

#if LANES == 16

struct pairs {
    lanes even, odd;
};

static inline struct pairs pairs_at(const float *in)
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512 first = (__m512)*lanes_at(in);
    const __m512 second = (__m512)*lanes_at(in + LANES);
    return (struct pairs){(lanes)_mm512_permutex2var_ps(first, even, second),
                          (lanes)_mm512_permutex2var_ps(first, odd, second)};
}

/* Samples stay in registers: stored and read again at an odd place they would be waited for. Up to
 * two registers more are read than count. */
static void decimate_across(const struct gauss_cpu_decimate_scratch *scratch, const float *in,
                            int32_t count, float *out)
{
    (void)scratch;
    for (int32_t i = 0; i < count; i += LANES, in += 2 * LANES) {
        const struct pairs first = pairs_at(in);
        const struct pairs middle = pairs_at(in + 2);
        const struct pairs last = pairs_at(in + 4);
        const lanes sum = (first.even + last.odd) * OUTER + (first.odd + last.even) * MIDDLE +
                          (middle.even + middle.odd) * INNER;
        _mm512_mask_storeu_ps(out + i, first_lanes(count - i), (__m512)sum);
    }
}

#else

static void split(const float *restrict in, int32_t count, float *restrict even,
                  float *restrict odd)
{
    for (int32_t i = 0; i < count; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
}

/* Memory behind `out` must not change, so the end is done sample by sample. */
static void decimate_across(const struct gauss_cpu_decimate_scratch *scratch, const float *in,
                            int32_t count, float *out)
{
    const float *even = scratch->even;
    const float *odd = scratch->odd;
    split(in, count + 2, scratch->even, scratch->odd);
    int32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        *(lanes *)(out + i) = (*lanes_at(even + i) + *lanes_at(odd + i + 2)) * OUTER +
                              (*lanes_at(odd + i) + *lanes_at(even + i + 2)) * MIDDLE +
                              (*lanes_at(even + i + 1) + *lanes_at(odd + i + 1)) * INNER;
    }
    for (; i < count; i++) {
        out[i] = (even[i] + odd[i + 2]) * OUTER + (odd[i] + even[i + 2]) * MIDDLE +
                 (even[i + 1] + odd[i + 1]) * INNER;
    }
}

#endif

/* ---- From the image */

/* Row y of the image lies in slot y mod 6, so that each is read once. */
static float *slot_of(const struct gauss_cpu_decimate_scratch *scratch, int32_t y, ptrdiff_t floats)
{
    return scratch->rows + (y + 10 * TAPS) % TAPS * floats;
}

void gauss_cpu_decimate_image(const struct gauss_cpu_picture *picture,
                              const struct gauss_cpu_decimate_scratch *scratch, int32_t first_row,
                              int32_t end_row)
{
    const struct gauss_level *level = &picture->plan->levels[1];
    const int32_t count = 2 * level->pitch - 2 + TAPS;
    const ptrdiff_t plane = count + LANES;
    int32_t next = 2 * first_row + FIRST_TAP;
    for (int32_t row = first_row; row < end_row; row++) {
        const int32_t y = 2 * row + FIRST_TAP;
        for (; next < y + TAPS; next++) {
            const struct gauss_cpu_span span = {FIRST_BELOW, next, count};
            gauss_cpu_read(picture, &span, scratch->values, slot_of(scratch, next, 4 * plane),
                           plane);
        }
        for (int32_t c = 0; c < picture->channels; c++) {
            const float *rows[TAPS];
            for (int32_t j = 0; j < TAPS; j++) {
                rows[j] = slot_of(scratch, y + j, 4 * plane) + c * plane;
            }
            decimate_down(rows, count, scratch->whole);
            decimate_across(scratch, scratch->whole, level->pitch,
                            gauss_cpu_plane_row(picture, 1, c, row) - GAUSS_MARGIN);
        }
    }
}

/* ---- From a level, or from the image as level 0 */

static void repeat_ends(float *row, int32_t before, int32_t count, int32_t after)
{
    const float first = row[before];
    const float last = row[before + count - 1];
    for (int32_t i = 0; i < before; i++) {
        row[i] = first;
    }
    for (int32_t i = before + count; i < before + count + after; i++) {
        row[i] = last;
    }
}

void gauss_cpu_decimate_rows(const struct gauss_plan *plan,
                             const struct gauss_cpu_decimate_scratch *scratch, int32_t k,
                             const float *const rows[TAPS], float *out)
{
    const int32_t count = plan->levels[k - 1].pitch;
    const int32_t pitch = plan->levels[k].pitch;
    const int32_t before = -gauss_level_margin(k - 1) - FIRST_BELOW;
    const int32_t after = 2 * pitch - 2 + TAPS - before - count;
    decimate_down(rows, count, scratch->whole + before);
    repeat_ends(scratch->whole, before, count, after);
    decimate_across(scratch, scratch->whole, pitch, out);
}

void gauss_cpu_decimate_level(const struct gauss_cpu_picture *picture,
                              const struct gauss_cpu_decimate_scratch *scratch, int32_t k,
                              int32_t row)
{
    for (int32_t c = 0; c < picture->channels; c++) {
        const float *rows[TAPS];
        for (int32_t j = 0; j < TAPS; j++) {
            const int32_t from = gauss_cpu_decimate_tap(picture->plan, k, row, j);
            rows[j] = gauss_cpu_plane_row(picture, k - 1, c, from) - gauss_level_margin(k - 1);
        }
        gauss_cpu_decimate_rows(picture->plan, scratch, k, rows,
                                gauss_cpu_plane_row(picture, k, c, row) - GAUSS_MARGIN);
    }
}
