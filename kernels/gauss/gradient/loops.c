/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "loops.h"

#include "kernels/gauss/cpu/common/sigma.h"

#include <string.h>

#define BLOCK GAUSS_GRADIENT_BLOCK
#define REGISTERS (BLOCK / LANES) /* of a block's channel */

/* ---- Places */

/* Whole blocks of a row. */
struct part {
    int32_t first;
    int32_t count;
};

static void sigma_part(const struct gauss_gradient_view *view, const struct gauss_frame *frame,
                       struct part part, float *row)
{
    const struct gauss_cpu_picture picture = {.plan = view->plan,
                                              .view = {.frame = *frame, .sigmas = view->sigmas}};
    gauss_cpu_sigma_row(&picture,
                        (struct gauss_cpu_places){.x_px = (float)part.first + 0.5f,
                                                  .y_px = (float)view->y + 0.5f,
                                                  .apart_px = 1.0f,
                                                  .count = part.count},
                        row + part.first);
}

static void sigma_row(const struct gauss_gradient_view *view, const struct gauss_frame *frame,
                      float *out)
{
    sigma_part(view, frame, (struct part){0, view->count}, out);
}

static void places(const struct gauss_gradient_view *view, float *out_places)
{
    sigma_row(view, &view->frame, out_places);
    for (int32_t i = 0; i < view->count; i += LANES) {
        *(lanes *)(out_places + i) =
            gauss_cpu_ladder_place(lanes_at(out_places + i)) * (1.0f / GAUSS_GRADIENT_APART);
    }
}

/* The frame with one of its foveas alone. */
static struct gauss_frame fovea_of(const struct gauss_frame *frame, int32_t fovea)
{
    struct gauss_frame alone = fovea > 0 ? gauss_frame_at_other(frame, fovea - 1) : *frame;
    alone.others.count = 0;
    return alone;
}

/* Writes the least sigma of each pixel and the number of the fovea that it is by. */
static void find_owners(const struct gauss_gradient_view *view, float *out_least, float *out_owners,
                        float *scratch)
{
    struct gauss_frame alone = fovea_of(&view->frame, 0);
    sigma_row(view, &alone, out_least);
    memset(out_owners, 0, (size_t)view->count * sizeof *out_owners);
    for (int32_t fovea = 1; fovea <= view->frame.others.count; fovea++) {
        alone = fovea_of(&view->frame, fovea);
        sigma_row(view, &alone, scratch);
        for (int32_t i = 0; i < view->count; i++) {
            out_owners[i] = scratch[i] < out_least[i] ? (float)fovea : out_owners[i];
            out_least[i] = fminf(scratch[i], out_least[i]);
        }
    }
}

/* Finds the part of a row that a fovea has pixels in. */
static struct part part_of(const float *owners, int32_t count, int32_t fovea)
{
    int32_t first = 0;
    int32_t end = count;
    while (first < end && owners[first] != (float)fovea) {
        first++;
    }
    while (end > first && owners[end - 1] != (float)fovea) {
        end--;
    }
    const int32_t start = first / BLOCK * BLOCK;
    return (struct part){start, first < end ? gauss_gradient_blocks(end) * BLOCK - start : 0};
}

/* Half a pixel to either side: rounding is a millionth of sigma then, and steps of the law's table
 * are finer. */
static void gaze(const struct gauss_gradient_view *view, const float *dots, int32_t count,
                 float *scratch, double (*out)[2])
{
    static const int32_t steps_q8[4][2] = {{128, 0}, {-128, 0}, {0, 128}, {0, -128}};
    float *sigma[6];
    for (int32_t i = 0; i < 6; i++) {
        sigma[i] = scratch + (ptrdiff_t)i * view->count;
    }
    find_owners(view, sigma[4], sigma[5], sigma[0]);
    for (int32_t fovea = 0; fovea <= view->frame.others.count; fovea++) {
        const struct part part = part_of(sigma[5], count, fovea);
        for (int32_t i = 0; i < 4 && part.count > 0; i++) {
            struct gauss_frame moved = fovea_of(&view->frame, fovea);
            moved.gaze_x_q8 += steps_q8[i][0];
            moved.gaze_y_q8 += steps_q8[i][1];
            sigma_part(view, &moved, part, sigma[i]);
        }
        for (int32_t i = part.first; i < part.first + part.count && i < count; i++) {
            const float slope = gauss_gradient_place_slope(sigma[4][i]);
            if (slope > 0.0f && sigma[5][i] == (float)fovea) {
                const double dot = (double)(dots[i] * slope);
                out[fovea][0] += dot * (double)(sigma[0][i] - sigma[1][i]);
                out[fovea][1] += dot * (double)(sigma[2][i] - sigma[3][i]);
            }
        }
    }
}

/* Writes a row's sigmas as they were given; a plan of one sigma has it everywhere. */
static void given_row(const struct gauss_gradient_view *view, int32_t count, float *out)
{
    if (view->plan->law.kind == GAUSS_LAW_PICTURE) {
        const struct pixel_codec *codec = pixel_codec_of(view->sigmas.format);
        const struct pixel_row row = pixel_row_of(&view->sigmas, codec, 0, view->y, count);
        codec->decode(&row, 1, out);
    } else {
        sigma_row(view, &view->frame, out);
    }
}

static void sigmas(const struct gauss_gradient_view *view, const float *dots, int32_t count,
                   float *scratch, float *out)
{
    const bool pictured = view->plan->law.kind == GAUSS_LAW_PICTURE;
    const float most_px = pictured ? view->plan->law_table[0] : INFINITY;
    given_row(view, count, scratch);
    for (int32_t i = 0; i < count; i++) {
        const float slope = scratch[i] <= most_px ? gauss_gradient_place_slope(scratch[i]) : 0.0f;
        out[i] = slope > 0.0f ? dots[i] * slope : 0.0f;
    }
}

/* ---- Bands */

/* `channels` is a constant, so that the sums stay in registers. */
static inline void sum_block(const struct gauss_gradient_sum *sum, const int32_t channels,
                             float *out)
{
    const struct gauss_gradient_row row = *sum->row;
    const float *weights = sum->weights + row.at;
    const float *in = sum->in + row.first * sum->pitch;
    const int32_t count = channels * REGISTERS;
    lanes sums[4 * REGISTERS];
    for (int32_t i = 0; i < count; i++) {
        sums[i] = sum->adds ? lanes_at(out)[i] : (lanes){0};
    }
    for (int32_t t = 0; t < row.count; t++, in += sum->pitch) {
        if (sum->marks.of &&
            !sum->marks.of[((row.first + t) >> sum->marks.rows_log2) * sum->marks.pitch]) {
            continue;
        }
        for (int32_t i = 0; i < count; i++) {
            sums[i] += weights[t] * lanes_at(in)[i];
        }
    }
    for (int32_t i = 0; i < count; i++) {
        ((lanes *)out)[i] = sums[i];
    }
}

static void sum(const struct gauss_gradient_sum *sum, float *out)
{
    switch (sum->channels) {
    case 1:
        sum_block(sum, 1, out);
        break;
    case 3:
        sum_block(sum, 3, out);
        break;
    default:
        sum_block(sum, 4, out);
    }
}

/* ---- Nodes */

static void weigh(const struct gauss_gradient_node_at *at, const float *places, const float *in,
                  int32_t channels, float *out)
{
    const struct gauss_gradient_node_at own = *at;
    float weights[BLOCK];
    for (int32_t i = 0; i < BLOCK; i++) {
        weights[i] = gauss_gradient_weight(places[i], own.node, own.node_count);
    }
    for (int32_t c = 0; c < channels; c++) {
        for (int32_t i = 0; i < BLOCK; i++) {
            const float product = weights[i] * in[c * BLOCK + i];
            out[c * BLOCK + i] = weights[i] == 0.0f ? 0.0f : product;
        }
    }
}

static void dot(const struct gauss_gradient_node_at *at, const float *places, const float *a,
                const float *b, int32_t channels, float *out)
{
    const struct gauss_gradient_node_at own = *at;
    float sums[BLOCK] = {0};
    for (int32_t c = 0; c < channels; c++) {
        for (int32_t i = 0; i < BLOCK; i++) {
            sums[i] += a[c * BLOCK + i] * b[c * BLOCK + i];
        }
    }
    for (int32_t i = 0; i < BLOCK; i++) {
        const float slope = gauss_gradient_weight_slope(places[i], own.node, own.node_count);
        const float product = slope * sums[i];
        out[i] += slope == 0.0f ? 0.0f : product;
    }
}

#define LOOPS GAUSS_CPU_NAME(gauss_gradient_loops)
const struct gauss_gradient_loops LOOPS = {
    .places = places,
    .sum = sum,
    .weigh = weigh,
    .dot = dot,
    .gaze = gaze,
    .sigmas = sigmas,
};
