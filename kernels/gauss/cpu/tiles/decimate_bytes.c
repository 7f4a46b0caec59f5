/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "decimate_bytes.h"

#include "decimate_wide.h"
#include "kernels/gauss/cpu/common/words.h"

#include <string.h>

#define TAPS GAUSS_CPU_DECIMATE_TAPS
#define PART 256 /* bytes of a row */
#define FIRST_TAP (-2) /* offset of 2i, the first of the pair that sample i lies between */

/* Pairs of pixels before the picture that a row with its margin reads. */
#define PAIRS_BEFORE (GAUSS_MARGIN + 1)

typedef uint32_t pair_lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#if LANES < 16

/* The sums are written by the value, repeated by the pixel and read by the pair. */
typedef uint16_t sum_value __attribute__((may_alias));
typedef uint64_t sum_pixel __attribute__((may_alias));

/* Down: bytes of all channels, at most 32 * 255. */
static inline void sum_part(const unsigned char *const rows[TAPS], int32_t first, int32_t count,
                            sum_value *restrict out)
{
    const unsigned char *restrict r0 = rows[0] + first;
    const unsigned char *restrict r1 = rows[1] + first;
    const unsigned char *restrict r2 = rows[2] + first;
    const unsigned char *restrict r3 = rows[3] + first;
    const unsigned char *restrict r4 = rows[4] + first;
    const unsigned char *restrict r5 = rows[5] + first;
    for (int32_t i = 0; i < count; i++) {
        const uint16_t inner = (uint16_t)(r2[i] + r3[i]);
        const uint16_t middle = (uint16_t)(r1[i] + r4[i]);
        const uint16_t outer = (uint16_t)(r0[i] + r5[i]);
        out[i] = (uint16_t)(outer + 5 * (middle + 2 * inner));
    }
}

/* The next two rows are prefetched meanwhile. */
static void sum_down(const unsigned char *const rows[TAPS], const unsigned char *const next[2],
                     int32_t count, sum_value *restrict out)
{
    int32_t i = 0;
    for (; i + PART <= count; i += PART) {
        for (int32_t j = 0; j < PART; j += 64) {
            __builtin_prefetch(next[0] + i + j);
            __builtin_prefetch(next[1] + i + j);
        }
        sum_part(rows, i, PART, out + i);
    }
    sum_part(rows, i, count - i, out + i);
}

/* Splits pixels of four such sums into pairs of neighbours: one word a channel, the left one in its
 * low half. */
static void pair_up(const uint32_t *restrict in, int32_t count, uint32_t *restrict red,
                    uint32_t *restrict green, uint32_t *restrict blue)
{
    for (int32_t i = 0; i < count; i++) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        red[i] = (in[4 * i] & 0xFFFF) | in[4 * i + 2] << 16;
        green[i] = in[4 * i] >> 16 | (in[4 * i + 2] & 0xFFFF0000);
        blue[i] = (in[4 * i + 1] & 0xFFFF) | in[4 * i + 3] << 16;
#else
        red[i] = in[4 * i] >> 16 | (in[4 * i + 2] & 0xFFFF0000);
        green[i] = (in[4 * i] & 0xFFFF) | in[4 * i + 2] << 16;
        blue[i] = in[4 * i + 1] >> 16 | (in[4 * i + 3] & 0xFFFF0000);
#endif
    }
}

/* Across: from the pairs before, at and after a sample. */
static inline void decimate_at(const uint32_t *in, float *out)
{
    const pair_lanes before = *(const pair_lanes *)in;
    const pair_lanes here = *(const pair_lanes *)(in + 1);
    const pair_lanes after = *(const pair_lanes *)(in + 2);
    const pair_lanes around = before + (after << 16 | after >> 16);
    const pair_lanes inner = (here & 0xFFFF) + (here >> 16);
    const pair_lanes sum = (around & 0xFFFF) + 5 * ((around >> 16) + 2 * inner);
    *(lanes *)out = __builtin_convertvector((whole_lanes)sum, lanes) * (1.0f / 1024.0f);
}

/* The last register ends with the row: memory behind it must not change. */
static void decimate_across(const uint32_t *in, int32_t count, float *out)
{
    for (int32_t i = 0; i + LANES <= count; i += LANES) {
        decimate_at(in + i, out + i);
    }
    if (count >= LANES) {
        decimate_at(in + count - LANES, out + count - LANES);
        return;
    }
    float few[LANES];
    decimate_at(in, few);
    memcpy(out, few, (size_t)count * sizeof *out);
}

/* Pixels of the sums beyond the picture are its outermost ones. */
static void repeat_pixels(sum_pixel *row, int32_t before, int32_t count, int32_t after)
{
    for (int32_t i = 0; i < before; i++) {
        row[i] = row[before];
    }
    for (int32_t i = before + count; i < before + count + after; i++) {
        row[i] = row[before + count - 1];
    }
}

static void make_row(const struct gauss_cpu_decimate_scratch *scratch,
                     const unsigned char *const rows[TAPS + 2], int32_t width, int32_t pitch,
                     float *out, ptrdiff_t plane)
{
    const int32_t pairs = pitch + 2;
    sum_pixel *sums = (sum_pixel *)scratch->sums;
    sum_down(rows, rows + TAPS, 4 * width, (sum_value *)(sums + 2 * PAIRS_BEFORE));
    repeat_pixels(sums, 2 * PAIRS_BEFORE, width, 2 * pairs - 2 * PAIRS_BEFORE - width);
    pair_up(scratch->sums, pairs, scratch->pairs[0], scratch->pairs[1], scratch->pairs[2]);
    for (int32_t c = 0; c < 3; c++) {
        decimate_across(scratch->pairs[c], pitch, out + c * plane);
    }
}

#else

static void make_row(const struct gauss_cpu_decimate_scratch *scratch,
                     const unsigned char *const rows[TAPS + 2], int32_t width, int32_t pitch,
                     float *out, ptrdiff_t plane)
{
    const struct wide_pairs pairs = {scratch->pairs[0], scratch->pairs[1]};
    wide_row(rows, width, &pairs, pitch, out, plane);
}

#endif

/* ---- Rows */

static const unsigned char *row_at(const struct gauss_cpu_picture *picture, int32_t y)
{
    const struct fovea_image *src = &picture->view.src;
    const int32_t last = (int32_t)src->height_px - 1;
    return (const unsigned char *)src->data + gauss_cpu_clamp(y, 0, last) * src->row_stride_bytes;
}

static void decimate_row(const struct gauss_cpu_picture *picture,
                         const struct gauss_cpu_decimate_scratch *scratch, int32_t row, float *out,
                         ptrdiff_t plane)
{
    const unsigned char *rows[TAPS + 2];
    for (int32_t j = 0; j < TAPS + 2; j++) {
        rows[j] = row_at(picture, 2 * row + FIRST_TAP + j);
    }
    make_row(scratch, rows, (int32_t)picture->view.src.width_px, picture->plan->levels[1].pitch,
             out, plane);
}

void gauss_cpu_decimate_bytes(const struct gauss_cpu_picture *picture,
                              const struct gauss_cpu_decimate_scratch *scratch, int32_t first_row,
                              int32_t end_row)
{
    const ptrdiff_t plane =
        gauss_cpu_plane_row(picture, 1, 1, 0) - gauss_cpu_plane_row(picture, 1, 0, 0);
    for (int32_t row = first_row; row < end_row; row++) {
        float *out = gauss_cpu_plane_row(picture, 1, 0, row) - GAUSS_MARGIN;
        decimate_row(picture, scratch, row, out, plane);
    }
}
