/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "loops.h"

#define BLOCK GAUSS_GRADIENT_BLOCK

void gauss_gradient_transpose_tile(const float *in, ptrdiff_t in_pitch, int32_t channels,
                                   float *out, ptrdiff_t out_pitch)
{
    for (int32_t c = 0; c < channels; c++, in += BLOCK, out += BLOCK) {
        for (int32_t x = 0; x < BLOCK; x++) {
            for (int32_t y = 0; y < BLOCK; y++) {
                out[x * out_pitch + y] = in[y * in_pitch + x];
            }
        }
    }
}

/* At the edges, where not all of the tile is there. */
static void transpose_part(const struct gauss_gradient_transpose *transpose, const float *in,
                           ptrdiff_t in_pitch, int32_t rows, int32_t columns, float *out,
                           ptrdiff_t out_pitch)
{
    for (int32_t c = 0; c < transpose->channels; c++, in += BLOCK, out += BLOCK) {
        for (int32_t x = 0; x < columns; x++) {
            for (int32_t y = 0; y < BLOCK; y++) {
                const float value = y < rows ? in[y * in_pitch + x] : 0.0f;
                const float before = transpose->adds ? out[x * out_pitch + y] : 0.0f;
                out[x * out_pitch + y] = before + value;
            }
        }
    }
}

void gauss_gradient_transpose(const struct gauss_gradient_transpose *transpose, const float *in,
                              float *out)
{
    const ptrdiff_t block = (ptrdiff_t)BLOCK * transpose->channels;
    const ptrdiff_t in_pitch = gauss_gradient_blocks(transpose->columns) * block;
    const ptrdiff_t out_pitch = gauss_gradient_blocks(transpose->rows) * block;
    for (int32_t y = 0; y < transpose->rows; y += BLOCK) {
        for (int32_t x = 0; x < transpose->columns; x += BLOCK) {
            const float *from = in + y * in_pitch + x / BLOCK * block;
            float *to = out + x * out_pitch + y / BLOCK * block;
            const int32_t rows = transpose->rows - y < BLOCK ? transpose->rows - y : BLOCK;
            const int32_t columns = transpose->columns - x < BLOCK ? transpose->columns - x : BLOCK;
            if (transpose->adds || rows < BLOCK || columns < BLOCK) {
                transpose_part(transpose, from, in_pitch, rows, columns, to, out_pitch);
            } else {
                gauss_gradient_transpose_tile(from, in_pitch, transpose->channels, to, out_pitch);
            }
        }
    }
}
