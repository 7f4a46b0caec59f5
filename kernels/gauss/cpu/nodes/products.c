/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The two products of a node. */

#include "tile.h"

#define PX GAUSS_CPU_NODE_PX
#define GROUPS (PX / LANES) /* registers of a row */
#define MAX_CHANNELS GAUSS_CPU_MAX_CHANNELS
#define ROWS GAUSS_CPU_NODE_ROWS
#define PITCH GAUSS_CPU_NODE_PITCH

#define INLINE __attribute__((always_inline)) static inline

/* ---- Along y */

INLINE void down(const struct gauss_cpu_node_window *window, int32_t samples,
                 const int32_t channels, float *out)
{
    for (int32_t x = 0; x < samples; x += LANES, out += LANES) {
        const float *weights = window->weights;
        lanes sum[ROWS][MAX_CHANNELS];
        for (int32_t n = 0; n < ROWS; n++) {
            for (int32_t c = 0; c < channels; c++) {
                sum[n][c] = (lanes){0};
            }
        }
        for (int32_t i = 0; i < window->count; i++, weights += window->stride) {
            const float *in = window->rows[i] + window->first + x;
            for (int32_t c = 0; c < channels; c++) {
                const lanes sample = *lanes_at(in + c * window->plane);
                for (int32_t n = 0; n < ROWS; n++) {
                    sum[n][c] += weights[n] * sample;
                }
            }
        }
        for (int32_t n = 0; n < ROWS; n++) {
            for (int32_t c = 0; c < channels; c++) {
                *(lanes *)(out + (n * channels + c) * PITCH) = sum[n][c];
            }
        }
    }
}

void gauss_cpu_node_down(const struct gauss_cpu_node_window *window, int32_t samples,
                         int32_t channels, float *out)
{
    if (channels == 3) {
        down(window, samples, 3, out);
    } else if (channels == 4) {
        down(window, samples, 4, out);
    } else {
        down(window, samples, 1, out);
    }
}

/* ---- Along x, and into the pixels */

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
INLINE void take_roots(const int32_t channels, lanes sum[MAX_CHANNELS])
{
    const lanes least = 1e-30f - (lanes){0};
    for (int32_t c = 0; c < channels && c < 3; c++) {
        const lanes light = lanes_greater(&sum[c], &least);
        sum[c] = lanes_quick_root(&light);
    }
}

/* Each sample times its weights in a group of pixels, of which some are 0: samples from any address
 * instead lie on two lines of the cache each, and take as long. */
INLINE void columns_product(const struct gauss_cpu_node_phase *phase, int32_t taps, int32_t group,
                            const float *in, const int32_t channels, lanes sum[ROWS][MAX_CHANNELS])
{
    const int32_t end = phase->row_first[group * LANES + LANES - 1] + taps;
    const float *columns = phase->columns + group * LANES;
    for (int32_t i = phase->row_first[group * LANES]; i < end; i++) {
        const lanes weights = *lanes_at(columns + (ptrdiff_t)i * PX);
        for (int32_t n = 0; n < ROWS; n++) {
            for (int32_t c = 0; c < channels; c++) {
                sum[n][c] += weights * in[(n * channels + c) * PITCH + i];
            }
        }
    }
}

INLINE void across(const struct gauss_cpu_node_tile *tile, const struct gauss_cpu_node *node,
                   int32_t index, int32_t first_y, const float *in, const int32_t channels)
{
    const struct gauss_cpu_node_phase *phase = gauss_cpu_node_phase_at(node, tile->x_px);
    for (int32_t group = 0; group < GROUPS; group++) {
        lanes sum[ROWS][MAX_CHANNELS];
        for (int32_t n = 0; n < ROWS; n++) {
            for (int32_t c = 0; c < channels; c++) {
                sum[n][c] = (lanes){0};
            }
        }
        columns_product(phase, node->taps, group, in, channels, sum);
        /* Those below the picture, too, so that all sums stay in registers. */
        for (int32_t n = 0; n < ROWS; n++) {
            const int32_t y = first_y + n;
            if (tile->blend == GAUSS_BLEND_WIDE) {
                take_roots(channels, sum[n]);
            }
            const lanes weight = weights_at(tile, index, y * PX + group * LANES);
            for (int32_t c = 0; c < channels; c++) {
                *(lanes *)(tile->pixels + (y * channels + c) * PX + group * LANES) +=
                    weight * sum[n][c];
            }
        }
    }
}

void gauss_cpu_node_across(const struct gauss_cpu_node_tile *tile,
                           const struct gauss_cpu_node *node, int32_t index, int32_t first_y,
                           const float *in)
{
    if (tile->picture->channels == 3) {
        across(tile, node, index, first_y, in, 3);
    } else if (tile->picture->channels == 4) {
        across(tile, node, index, first_y, in, 4);
    } else {
        across(tile, node, index, first_y, in, 1);
    }
}
