/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "ladder.h"

#include "kernels/gauss/gauss.h"

#define SQRT_2_PI 2.5066282746310002
/* The sum is sqrt(2 pi) sigma within 1e-16 from this sigma on (Poisson's formula: times 1 + 2
 * exp(-2 pi^2 sigma^2)). */
#define WIDE_PX 1.5

static double sampled_sum(double sigma_px)
{
    double sum = 1.0;
    for (int k = 1; sigma_px > 0.0 && k <= 14; k++) {
        sum += 2.0 * exp(-0.5 * k * k / (sigma_px * sigma_px));
    }
    return sum;
}

double gauss_ladder_coordinate(double sigma_px)
{
    return log2(sigma_px < WIDE_PX ? sampled_sum(sigma_px) : SQRT_2_PI * sigma_px);
}

/* The sum grows with sigma: halving the interval finds it. */
double gauss_ladder_sigma_px(double coordinate)
{
    const double sum = exp2(coordinate);
    if (coordinate <= 0.0) {
        return 0.0;
    }
    if (sum >= SQRT_2_PI * WIDE_PX) {
        return sum / SQRT_2_PI;
    }
    double low = 0.0;
    double high = WIDE_PX;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (sampled_sum(middle) < sum) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

static struct gauss_node node_of(double sigma_px, int32_t light, int32_t level_count)
{
    struct gauss_node node = {.sigma_px = sigma_px};
    node.level = gauss_level_with((float)sigma_px, gauss_light_residual(light), level_count);
    const double samples_sq = exp2(2.0 * node.level);
    const double taken = 5.0 / 12.0 * (samples_sq - 1.0);
    node.residual = sqrt((node.sigma_px * node.sigma_px - taken) / samples_sq);
    return node;
}

struct gauss_node gauss_ladder_node(int32_t i, int32_t light, int32_t level_count)
{
    const double coordinate = (double)i / GAUSS_LADDER_PER_OCTAVE;
    const bool wide = image_light_is_wide(light);
    return node_of(wide ? (double)GAUSS_LADDER_WIDE_PX * exp2(coordinate)
                        : gauss_ladder_sigma_px(coordinate),
                   light, level_count);
}

struct gauss_node gauss_plan_node(const struct gauss_plan *plan, int32_t i, int32_t light,
                                  int32_t level_count)
{
    const double one_px = plan->one_sigma_px;
    /* A device may round its place to the node below. */
    const bool own = one_px > 0.0 && i + 1 >= (int32_t)gauss_light_place(light, (float)one_px);
    return own ? node_of(one_px, light, level_count) : gauss_ladder_node(i, light, level_count);
}

double gauss_node_reach(const struct gauss_node *node, double reach)
{
    return node->residual >= GAUSS_LADDER_REACH_FROM
               ? fmax(reach, GAUSS_LADDER_REACH / node->residual)
               : reach;
}

int32_t gauss_node_taps(const struct gauss_node *node, double reach)
{
    return 2 * (int32_t)floor(reach * node->residual) + 2;
}

static double centre_of(const struct gauss_node *node, int32_t px)
{
    return (px + 0.5) / (1 << node->level) - 0.5;
}

void gauss_node_span_of(const struct gauss_node *node, double reach, int32_t px,
                        struct gauss_node_row *out_row)
{
    const double centre = centre_of(node, px);
    out_row->first = (int32_t)ceil(centre - reach * node->residual);
    out_row->count = (int32_t)floor(centre + reach * node->residual) - out_row->first + 1;
}

void gauss_node_row_of(const struct gauss_node *node, double reach, int32_t px,
                       struct gauss_node_row *out_row)
{
    const double centre = centre_of(node, px);
    const double falloff = node->residual > 0.0 ? -0.5 / (node->residual * node->residual) : 0.0;
    double *weights = out_row->weights;
    double sum = 0.0;
    gauss_node_span_of(node, reach, px, out_row);
    for (int32_t i = 0; i < out_row->count; i++) {
        const double distance = out_row->first + i - centre;
        weights[i] = exp(falloff * distance * distance);
        sum += weights[i];
    }
    for (int32_t i = 0; i < out_row->count; i++) {
        weights[i] /= sum;
    }
}
