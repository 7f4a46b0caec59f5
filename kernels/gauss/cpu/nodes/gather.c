/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "nodes.h"

static double sum_row(const struct gauss_cpu_picture *picture, int32_t level, const float *in,
                      const struct gauss_node_row *x)
{
    const int32_t margin = gauss_level_margin(level);
    const int32_t last = picture->plan->levels[level].width + margin - 1;
    double sum = 0.0;
    for (int32_t i = 0; i < x->count; i++) {
        sum += x->weights[i] * (double)in[bounds_clamped(x->first + i, -margin, last)];
    }
    return sum;
}

/* Weighs a sample at a distance in samples; the caller divides by the sum of the weights. */
static double weight_of(const struct gauss_node *node, double distance)
{
    return node->residual > 0.0
               ? exp(-0.5 * distance * distance / (node->residual * node->residual))
               : 1.0;
}

static void sum_square(const struct gauss_cpu_picture *picture, const struct gauss_node *node,
                       double reach, const struct gauss_node_row *x, int32_t y_px, float *out)
{
    const int32_t margin = gauss_level_margin(node->level);
    const int32_t last_row = picture->plan->levels[node->level].height + margin - 1;
    const double centre = (y_px + 0.5) / (1 << node->level) - 0.5;
    const double reach_samples = reach * node->residual;
    const int32_t last = (int32_t)floor(centre + reach_samples);
    double sums[GAUSS_CPU_MAX_CHANNELS] = {0.0};
    double total = 0.0;
    for (int32_t j = (int32_t)ceil(centre - reach_samples); j <= last; j++) {
        const int32_t row = bounds_clamped(j, -margin, last_row);
        const double weight = weight_of(node, j - centre);
        total += weight;
        for (int32_t c = 0; c < picture->channels; c++) {
            const float *in = gauss_cpu_plane_row(picture, node->level, c, row);
            sums[c] += weight * sum_row(picture, node->level, in, x);
        }
    }
    for (int32_t c = 0; c < picture->channels; c++) {
        out[c] = (float)(sums[c] / total);
    }
}

static void gather_pixel(const struct gauss_cpu_picture *picture, float sigma_px, int32_t x_px,
                         int32_t y_px, float *out)
{
    const int32_t light = picture->light ? picture->view.frame.light : IMAGE_LIGHT_STORED;
    const double reach = (double)gauss_light_reach(light);
    struct gauss_node node = {
        .sigma_px = (double)sigma_px,
        .level = gauss_level_with(sigma_px, gauss_light_residual(light),
                                  (int32_t)picture->plan->level_count),
    };
    const double residual_sq =
        node.sigma_px * node.sigma_px - (double)gauss_level_variance(node.level);
    node.residual = sqrt(residual_sq) / (1 << node.level);
    struct gauss_node_row x;
    gauss_node_row_of(&node, reach, x_px, &x);
    sum_square(picture, &node, reach, &x, y_px, out);
}

void gauss_cpu_node_gather(const struct gauss_cpu_picture *picture, const float *sigma_px,
                           int32_t x_px, int32_t y_px)
{
    const int32_t side = GAUSS_CPU_NODE_PX;
    for (int32_t i = 0; i < side * side; i++) {
        const int32_t x = x_px + i % side;
        const int32_t y = y_px + i / side;
        if (x >= picture->view.frame.width_px || y >= picture->view.frame.height_px) {
            continue;
        }
        const struct pixel_row src = pixel_row_of(&picture->view.src, picture->codec, x, y, 1);
        const struct pixel_row dst = pixel_row_of(&picture->view.dst, picture->codec, x, y, 1);
        float values[GAUSS_CPU_MAX_CHANNELS];
        if (sigma_px[i] > 0.0f) {
            gather_pixel(picture, sigma_px[i], x, y, values);
            if (picture->light) {
                pixel_light_to_levels(picture->light, values, 1, (uint32_t)picture->channels,
                                      picture->codec->color_channels);
            }
            picture->codec->encode(values, (uint32_t)picture->channels, &src, &dst);
        } else {
            pixel_copy_row(picture->codec, &src, &dst);
        }
    }
}
