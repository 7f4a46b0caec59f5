/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_scene.h"

#include <math.h>

/* ---- Textures */

static const float *texel(const struct scene_texture *texture, int64_t x, int64_t y)
{
    const int64_t width = texture->width_px;
    const int64_t height = texture->height_px;
    const int64_t column = (x % width + width) % width;
    const int64_t row = (y % height + height) % height;
    return texture->levels + 3 * (row * width + column);
}

static void sample(const struct scene_texture *texture, double x, double y, float out[3])
{
    const double left = floor(x - 0.5);
    const double top = floor(y - 0.5);
    const double right = x - 0.5 - left;
    const double down = y - 0.5 - top;
    const float *at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = texel(texture, (int64_t)left + i % 2, (int64_t)top + i / 2);
    }
    for (int c = 0; c < 3; c++) {
        out[c] =
            (float)((1.0 - down) * ((1.0 - right) * (double)at[0][c] + right * (double)at[1][c]) +
                    down * ((1.0 - right) * (double)at[2][c] + right * (double)at[3][c]));
    }
}

/* ---- Layers */

static bool covers(const struct scene_layer *layer, const double place[2])
{
    return layer->radius == 0.0 || hypot(place[0] - layer->x, place[1] - layer->y) < layer->radius;
}

/* A lens looks along a line that goes over the photograph as patch sizes get smaller, in steps of a
 * pixel: it sees the first patch size that is as near as the photograph there. */
static double look_at_relief(const struct scene_relief *relief,
                             const struct fovea_lightfield_geometry *geometry, const double lens[2],
                             const double from[2], float out_colors[3])
{
    const struct scene_texture *texture = relief->texture;
    const double across = (double)texture->width_px / geometry->columns; /* pixels a lens */
    const double down = (double)texture->height_px / geometry->rows;
    const double nearest = 1.0 / relief->near_px;
    const double length = 1.0 / relief->far_px - nearest;
    const int steps = 1 + (int)ceil(hypot(from[0] * across, from[1] * down) * length);
    double x = 0.0;
    double y = 0.0;
    double patch = relief->far_px;
    for (int i = 0; i <= steps; i++) {
        const double inverse = nearest + length * i / steps;
        x = (lens[0] + from[0] * inverse) * across;
        y = (lens[1] + from[1] * inverse) * down;
        const int64_t column = (int64_t)fmin(fmax(x, 0.0), texture->width_px - 1.0);
        const int64_t row = (int64_t)fmin(fmax(y, 0.0), texture->height_px - 1.0);
        patch = (double)relief->patches[row * texture->width_px + column];
        if (patch * inverse >= 1.0 - 1e-9) {
            break;
        }
    }
    sample(texture, x, y, out_colors);
    return patch;
}

double scene_look(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                  const double lens[2], const double from_px[2], float out_colors[3])
{
    const double sign = geometry->flip ? -1.0 : 1.0;
    const double tall = geometry->pitch_x_px / geometry->pitch_y_px;
    const double from[2] = {sign * from_px[0], sign * from_px[1] * tall};
    if (scene->relief) {
        return look_at_relief(scene->relief, geometry, lens, from, out_colors);
    }
    for (uint32_t i = 0;; i++) {
        const struct scene_layer *layer = &scene->layers[i];
        const double patch = layer->patch_px;
        const double place[2] = {lens[0] + from[0] / patch, lens[1] + from[1] / patch};
        if (i + 1 == scene->count || covers(layer, place)) {
            sample(layer->texture, place[0] * patch, place[1] * patch, out_colors);
            return patch;
        }
    }
}

double scene_ideal(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                   double x, double y, float out_colors[3])
{
    const double nowhere[2] = {0.0, 0.0};
    const double lens[2] = {x, y};
    return scene_look(scene, geometry, lens, nowhere, out_colors);
}

/* ---- Raw pictures */

/* The nearest lens, and how far the place is from its centre along the array's axes. */
static void lens_of(const struct fovea_lightfield_geometry *geometry, double x_px, double y_px,
                    double out_lens[2], double out_from_px[2])
{
    const double turn = geometry->rotation_deg * M_PI / 180.0;
    const double right = x_px - geometry->origin_x_px;
    const double down = y_px - geometry->origin_y_px;
    const double x = (cos(turn) * right + sin(turn) * down) / geometry->pitch_x_px;
    const double y = (cos(turn) * down - sin(turn) * right) / geometry->pitch_y_px;
    const double row = floor(y + 0.5);
    const bool shifted =
        geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL && fmod(row, 2.0) != 0.0;
    const double column = floor(x - (shifted ? 0.5 : 0.0) + 0.5) + (shifted ? 0.5 : 0.0);
    out_from_px[0] = (x - column) * geometry->pitch_x_px;
    out_from_px[1] = (y - row) * geometry->pitch_y_px;
    out_lens[0] = column + 0.5;
    out_lens[1] = row + 0.5;
}

void scene_raw_rows(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                    uint32_t colors, uint32_t first, uint32_t end, uint8_t *raw)
{
    uint8_t *to = raw + (size_t)first * geometry->raw_width_px * colors;
    for (uint32_t y = first; y < end; y++) {
        for (uint32_t x = 0; x < geometry->raw_width_px; x++) {
            double lens[2];
            double from_px[2];
            float levels[3];
            lens_of(geometry, x + 0.5, y + 0.5, lens, from_px);
            scene_look(scene, geometry, lens, from_px, levels);
            for (uint32_t c = 0; c < colors; c++) {
                *to++ = (uint8_t)(levels[c] * 255.0f + 0.5f);
            }
        }
    }
}
