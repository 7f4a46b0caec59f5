/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An array of lenses sees flat things, each at a distance of its own, with exact occlusion: a thing
 * with the patch size M shows a lens at X, from its centre u on, what is at X + u / M (in lenses).
 * The thing's texture has M pixels for each lens. */
#pragma once

#include "fovea_lightfield.h"

struct scene_texture {
    const float *levels; /* 3 a pixel, 0 .. 1; goes on beyond its edges as it begins */
    uint32_t width_px, height_px;
};

struct scene_layer {
    double patch_px;
    double x, y, radius; /* of a disc, in lenses from the array's corner; radius 0: everywhere */
    const struct scene_texture *texture;
};

/* A photograph with the patch size of each pixel, over the whole array. */
struct scene_relief {
    const struct scene_texture *texture;
    const float *patches; /* 1 a pixel of the texture, near_px .. far_px */
    double near_px, far_px;
};

struct scene {
    const struct scene_layer *layers; /* the nearest one first: the largest patch size */
    uint32_t count;
    const struct scene_relief *relief; /* in place of layers, or NULL */
};

/* The colours at a place, in lenses from the array's corner, as a lens sees it whose centre is
 * from[] lenses away: its patch size is returned. */
double scene_look(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                  const double lens[2], const double from_px[2], float out_colors[3]);
/* All that is sharp at a pixel of a picture; returns its patch size. */
double scene_ideal(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                   double x, double y, float out_colors[3]);
/* A raw picture of bytes, `colors` 1 or 3 a pixel: rows first .. end of it. */
void scene_raw_rows(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                    uint32_t colors, uint32_t first, uint32_t end, uint8_t *raw);
