/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine's shaders, and how many workgroups each takes. Specialization constants: 1
 * IMAGE_LIGHT_*, as what UNORM pixels are averaged; 2 whether alpha is averaged like a colour; 3
 * GAUSS_LAW_*, of those that know the law.
 * Tables are the plan's law, levels, law's table and the display's samples; passes leave levels'
 * samples for each other. */
#pragma once

#include "kernels/gauss/gauss.h"
#include "kernels/operator/shaders.h"

/* Tiles blended from nodes; push constants: struct smooth_constants. In this order: level 0 of wide
 * light and of floats, LEVELS once for each two levels from 1 on, NODES. */
extern const struct shader gauss_shader_level;
extern const struct shader gauss_shader_levels;
extern const struct shader gauss_shader_nodes;
/* The same with the picture of sigmas in binding 6. */
extern const struct shader gauss_shader_nodes_pictured;
/* LEVELS and NODES of layers (gauss_operator.h), whatever the format; of light only whether it is
 * wide counts. */
extern const struct shader gauss_shader_levels_layered;
extern const struct shader gauss_shader_nodes_layered;
/* Tiles of one level instead, the same constants: KINDS and LEVELS in any order, then the picture
 * by the other two in any order, FAR where there are levels. */
extern const struct shader gauss_shader_tile_kinds;
extern const struct shader gauss_shader_tile_near;
extern const struct shader gauss_shader_tile_far;

struct smooth_constants {
    struct gauss_frame frame;
    int32_t level; /* LEVELS: the first level to make */
    int32_t level_count;
    /* tiles: of struct gauss_shader_tiles */
    float slope;
    float fine_sigma_px;
    int32_t kinds;
    int32_t places_each;
    /* layers: where among the samples sigmas lie, where what is made goes, and what says whether
     * anything is (struct gauss_layer) */
    int32_t layer_sigmas;
    int32_t layer_made;
    int32_t layer_wanted;
    /* fragments: how far the grid begins before the picture, unless the gaze is late */
    int32_t shift_px[2];
};

void gauss_shader_levels_groups(const struct gauss_frame *frame, int32_t level, bool alone,
                                uint32_t out_groups[2]);
/* Sets workgroups and smooth_constants.places_each for the shaders of the tiles. */
int32_t gauss_shader_places_each(const struct gauss_frame *frame);
void gauss_shader_tile_groups(const struct shader *shader, const struct gauss_frame *frame,
                              uint32_t out_groups[2]);

/* ---- Whether the shaders make a plan in tiles (gauss/glsl/tiles.glsl), and what they read then:
 * steeper laws are blended from nodes (smooth_nodes.comp) */

struct gauss_shader_tiles {
    bool used;
    int32_t level_count; /* with the picture, for any gaze: all tiles can be made */
    int32_t near_level_count; /* while the gaze lies in the picture */
    int32_t coarsest_count; /* the most that a frame has */
    float slope; /* sigma before the ramp changes by at most so much a pixel */
    float fine_sigma_px; /* below it, both axes are summed at once */
    struct gauss_level levels[GAUSS_MAX_LEVELS]; /* from 1 on; the picture is not stored */
    int32_t kinds; /* where the kinds of places lie among the samples */
    uint32_t sample_count; /* levels and kinds together, eight bytes each */
};

struct gauss_shader_tiles gauss_shader_tiles_of(const struct gauss_plan *plan);

/* Returns the levels that a frame may need, and coarser ones where that is faster. A late gaze may
 * be any. */
int32_t gauss_shader_tiles_level_count(const struct gauss_shader_tiles *tiles,
                                       const struct gauss_plan *plan,
                                       const struct gauss_frame *frame);
