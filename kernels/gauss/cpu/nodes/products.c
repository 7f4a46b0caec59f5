/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The two products of a node. */

#include "tile.h"

#define PX GAUSS_CPU_NODE_PX
#define GROUPS (PX / LANES) /* registers of a row */
#define MAX_CHANNELS GAUSS_CPU_MAX_CHANNELS
/* Rows at once, so that one register of weights serves them all. */
#define TOGETHER 4

#define INLINE __attribute__((always_inline)) static inline

/* ---- Along x */

/* Adds rows j .. j + count - 1 of one group of pixels: each sample times its weights. */
INLINE void columns_product(const struct gauss_cpu_node_window *window,
                            const struct gauss_cpu_node *node,
                            const struct gauss_cpu_node_phase *phase, int32_t j, int32_t group,
                            const int32_t count, const int32_t channels, float *out)
{
    const int32_t first = phase->row_first[group * LANES];
    const int32_t end = phase->row_first[group * LANES + LANES - 1] + node->taps;
    const float *columns = phase->columns + group * LANES;
    lanes sum[TOGETHER][MAX_CHANNELS];
    const float *in[TOGETHER];
    for (int32_t n = 0; n < count; n++) {
        in[n] = window->rows[j + n] + window->skip;
        for (int32_t c = 0; c < channels; c++) {
            sum[n][c] = (lanes){0};
        }
    }
    for (int32_t i = first; i < end; i++) {
        const lanes weights = *lanes_at(columns + (ptrdiff_t)i * PX);
        for (int32_t n = 0; n < count; n++) {
            for (int32_t c = 0; c < channels; c++) {
                sum[n][c] += weights * in[n][c * window->plane + i];
            }
        }
    }
    for (int32_t n = 0; n < count; n++) {
        for (int32_t c = 0; c < channels; c++) {
            *(lanes *)(out + ((j + n) * channels + c) * PX + group * LANES) = sum[n][c];
        }
    }
}

/* Does the same where samples are pixels: all pixels have the same weights, one after the other. */
INLINE void shifted_product(const struct gauss_cpu_node_window *window,
                            const struct gauss_cpu_node *node,
                            const struct gauss_cpu_node_phase *phase, int32_t j, int32_t group,
                            const int32_t count, const int32_t channels, float *out)
{
    lanes sum[TOGETHER][MAX_CHANNELS];
    const float *in[TOGETHER];
    for (int32_t n = 0; n < count; n++) {
        in[n] = window->rows[j + n] + window->skip + group * LANES;
        for (int32_t c = 0; c < channels; c++) {
            sum[n][c] = (lanes){0};
        }
    }
    for (int32_t i = 0; i < node->taps; i++) {
        const float weight = phase->rows[i];
        for (int32_t n = 0; n < count; n++) {
            for (int32_t c = 0; c < channels; c++) {
                sum[n][c] += weight * *lanes_at(in[n] + c * window->plane + i);
            }
        }
    }
    for (int32_t n = 0; n < count; n++) {
        for (int32_t c = 0; c < channels; c++) {
            *(lanes *)(out + ((j + n) * channels + c) * PX + group * LANES) = sum[n][c];
        }
    }
}

INLINE void across(const struct gauss_cpu_node_window *window, const struct gauss_cpu_node *node,
                   const struct gauss_cpu_node_phase *phase, const int32_t channels,
                   const bool shifted, float *out)
{
    for (int32_t group = 0; group < GROUPS; group++) {
        int32_t j = 0;
        while (j + TOGETHER <= window->count) {
            if (shifted) {
                shifted_product(window, node, phase, j, group, TOGETHER, channels, out);
            } else {
                columns_product(window, node, phase, j, group, TOGETHER, channels, out);
            }
            /* The last ones end with the window: a row alone takes as long as four. */
            const int32_t residual = window->count - j - TOGETHER;
            j += residual > 0 && residual < TOGETHER ? residual : TOGETHER;
        }
        for (; j < window->count; j++) {
            if (shifted) {
                shifted_product(window, node, phase, j, group, 1, channels, out);
            } else {
                columns_product(window, node, phase, j, group, 1, channels, out);
            }
        }
    }
}

void gauss_cpu_node_across(const struct gauss_cpu_node_window *window,
                           const struct gauss_cpu_node *node,
                           const struct gauss_cpu_node_phase *phase, int32_t channels, float *out)
{
    const bool shifted = node->level == 0;
    if (channels == 3) {
        if (shifted) {
            across(window, node, phase, 3, true, out);
        } else {
            across(window, node, phase, 3, false, out);
        }
    } else if (channels == 4) {
        across(window, node, phase, 4, shifted, out);
    } else {
        across(window, node, phase, 1, shifted, out);
    }
}

/* ---- Along y, and into the pixels */

/* Returns the weights of the node for the pixels from `at` on. */
INLINE lanes weights_at(const struct gauss_cpu_node_tile *tile, int32_t index, int32_t at)
{
    if (tile->nodes.count == tile->nodes.together) {
        return *lanes_at(tile->weights + index * GAUSS_CPU_NODE_PIXELS + at);
    }
    const lanes from = (float)index - *lanes_at(tile->firsts + at);
    lanes weights = {0};
    for (int32_t n = 0; n < GAUSS_LADDER_TOGETHER; n++) {
        weights = lanes_choose_equal(
            &from, (float)n, lanes_at(tile->weights + n * GAUSS_CPU_NODE_PIXELS + at), &weights);
    }
    return weights;
}

/* Takes square roots of colours; alpha is no light. */
INLINE void take_roots(const int32_t channels, lanes sum[MAX_CHANNELS][GROUPS])
{
    const lanes least = 1e-30f - (lanes){0};
    for (int32_t c = 0; c < channels && c < 3; c++) {
        for (int32_t g = 0; g < GROUPS; g++) {
            const lanes light = lanes_greater(&sum[c][g], &least);
            sum[c][g] = lanes_quick_root(&light);
        }
    }
}

/* Makes one row of pixels from rows of samples. Even and odd rows have their own sums, so that a
 * product waits only for the one before the last. */
INLINE void rows_product(const float *weights, int32_t taps, const float *in,
                         const int32_t channels, lanes out[MAX_CHANNELS][GROUPS])
{
    const ptrdiff_t pitch = channels * PX;
    lanes sum[2][MAX_CHANNELS][GROUPS];
    for (int32_t c = 0; c < channels; c++) {
        for (int32_t g = 0; g < GROUPS; g++) {
            sum[0][c][g] = weights[0] * *lanes_at(in + c * PX + g * LANES);
            sum[1][c][g] = (lanes){0};
        }
    }
    int32_t i = 1;
    in += pitch;
    for (; i + 1 < taps; i += 2, in += 2 * pitch) {
        for (int32_t c = 0; c < channels; c++) {
            for (int32_t g = 0; g < GROUPS; g++) {
                const float *at = in + c * PX + g * LANES;
                sum[0][c][g] += weights[i] * *lanes_at(at);
                sum[1][c][g] += weights[i + 1] * *lanes_at(at + pitch);
            }
        }
    }
    for (int32_t c = 0; c < channels; c++) {
        for (int32_t g = 0; g < GROUPS; g++) {
            if (i < taps) {
                sum[0][c][g] += weights[i] * *lanes_at(in + c * PX + g * LANES);
            }
            out[c][g] = sum[0][c][g] + sum[1][c][g];
        }
    }
}

INLINE void down(const struct gauss_cpu_node_tile *tile, const struct gauss_cpu_node_rows *rows,
                 const int32_t channels)
{
    const int32_t taps = rows->node->taps;
    for (int32_t y = rows->first_y; y < rows->end_y; y++) {
        const float *weights = rows->phase->rows + (ptrdiff_t)y * taps;
        const float *in =
            rows->across +
            (ptrdiff_t)(rows->phase->row_first[y] - rows->across_first) * channels * PX;
        lanes sum[MAX_CHANNELS][GROUPS];
        rows_product(weights, taps, in, channels, sum);
        if (tile->blend == GAUSS_BLEND_WIDE) {
            take_roots(channels, sum);
        }
        for (int32_t g = 0; g < GROUPS; g++) {
            const lanes weight = weights_at(tile, rows->index, y * PX + g * LANES);
            for (int32_t c = 0; c < channels; c++) {
                *(lanes *)(tile->pixels + (y * channels + c) * PX + g * LANES) +=
                    weight * sum[c][g];
            }
        }
    }
}

void gauss_cpu_node_down(const struct gauss_cpu_node_tile *tile,
                         const struct gauss_cpu_node_rows *rows)
{
    if (tile->picture->channels == 3) {
        down(tile, rows, 3);
    } else if (tile->picture->channels == 4) {
        down(tile, rows, 4);
    } else {
        down(tile, rows, 1);
    }
}
