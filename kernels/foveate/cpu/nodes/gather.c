/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gather.h"

#include "ladder.h"

/* A pixel's samples along one axis. */
struct axis {
    int32_t first;
    int32_t count;
    double weights[FOVEATE_LADDER_TAPS];
};

static struct axis axis_of(const struct foveate_node *node, float reach, int32_t px)
{
    struct axis axis;
    const double centre = (px + 0.5) / (1 << node->level) - 0.5;
    axis.count = foveate_node_row(node, (double)reach, centre, &axis.first, axis.weights);
    return axis;
}

static float sum_square(const struct foveate_cpu_picture *picture, int32_t level, int32_t channel,
                        const struct axis *x, const struct axis *y)
{
    const struct foveate_level *size = &picture->plan->levels[level];
    const int32_t margin = foveate_level_margin(level);
    double sum = 0.0;
    for (int32_t j = 0; j < y->count; j++) {
        const int32_t row = foveate_cpu_clamp(y->first + j, -margin, size->height + margin - 1);
        const float *in = foveate_cpu_plane_row(picture, level, channel, row);
        double across = 0.0;
        for (int32_t i = 0; i < x->count; i++) {
            const int32_t column =
                foveate_cpu_clamp(x->first + i, -margin, size->width + margin - 1);
            across += x->weights[i] * (double)in[column];
        }
        sum += y->weights[j] * across;
    }
    return (float)sum;
}

static void gather_pixel(const struct foveate_cpu_picture *picture, float sigma_px, int32_t x_px,
                         int32_t y_px, float *out)
{
    const int32_t light = picture->light ? picture->view.frame.light : IMAGE_LIGHT_STORED;
    const float reach = foveate_light_reach(light);
    struct foveate_node node = {
        .sigma_px = (double)sigma_px,
        .level = foveate_level_with(sigma_px, foveate_light_residual(light),
                                    (int32_t)picture->plan->level_count),
    };
    const double residual_sq =
        node.sigma_px * node.sigma_px - (double)foveate_level_variance(node.level);
    node.residual = sqrt(residual_sq) / (1 << node.level);
    const struct axis x = axis_of(&node, reach, x_px);
    const struct axis y = axis_of(&node, reach, y_px);
    for (int32_t c = 0; c < picture->channels; c++) {
        out[c] = sum_square(picture, node.level, c, &x, &y);
    }
}

void foveate_cpu_node_gather(const struct foveate_cpu_picture *picture, const float *sigma_px,
                             int32_t x_px, int32_t y_px)
{
    const int32_t side = FOVEATE_CPU_NODE_PX;
    for (int32_t i = 0; i < side * side; i++) {
        const int32_t x = x_px + i % side;
        const int32_t y = y_px + i / side;
        if (x >= picture->view.frame.width_px || y >= picture->view.frame.height_px) {
            continue;
        }
        const struct pixel_row src = pixel_row_of(&picture->view.src, picture->codec, x, y, 1);
        const struct pixel_row dst = pixel_row_of(&picture->view.dst, picture->codec, x, y, 1);
        float values[FOVEATE_CPU_MAX_CHANNELS];
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
