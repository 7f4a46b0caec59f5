/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gauss_shaders.h"

#include "kernels/gauss/plan/slope.h"
#include "shader_tile_shape.h"

/* If the law has this slope or more, pixels up to the end of its ramp are averaged in two
 * dimensions at once. */
#define RAMP_SLOPE 0.015f

/* Counts the levels of which the last serves a sigma, whatever the tile's others; 0: more than
 * there are. Each beyond the second is one more dispatch. */
static int32_t count_levels(const struct gauss_plan *plan, float sigma_px)
{
    static const int32_t radii[SHADER_TILE_LEVEL_COUNT] = {
        SHADER_TILE_RADIUS_0, SHADER_TILE_RADIUS_1, SHADER_TILE_RADIUS_2, SHADER_TILE_RADIUS_3,
        SHADER_TILE_RADIUS_4};
    const int32_t count = (int32_t)plan->level_count;
    if (count < 3) {
        return count;
    }
    for (int32_t k = 2; k < SHADER_TILE_LEVEL_COUNT && k < count; k++) {
        if (GAUSS_REACH * sqrtf(gauss_tile_residual(sigma_px, k)) <= (float)radii[k]) {
            return k + 1;
        }
    }
    return 0;
}

/* Counts the levels up to the coarsest that a tile of that sigma can take. */
static int32_t count_coarsest(const struct gauss_plan *plan, float sigma_px)
{
    int32_t count = 1;
    while (count < (int32_t)plan->level_count && count < SHADER_TILE_LEVEL_COUNT &&
           sigma_px >= (float)SHADER_TILE_SIGMA_SAMPLES * (float)(1 << count)) {
        count++;
    }
    return count;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void lay_out(const struct gauss_plan *plan, struct gauss_shader_tiles *tiles)
{
    uint32_t samples = 0;
    for (int32_t k = 1; k < larger(tiles->level_count, tiles->coarsest_count); k++) {
        struct gauss_level *level = &tiles->levels[k];
        *level = plan->levels[k];
        level->first = (int32_t)samples;
        samples += (uint32_t)(level->pitch * (level->height + 2 * GAUSS_MARGIN));
    }
    const uint32_t columns = (plan->width_px + SHADER_TILE_PX - 1) / SHADER_TILE_PX;
    const uint32_t rows = (plan->height_px + SHADER_TILE_PX - 1) / SHADER_TILE_PX;
    tiles->kinds = (int32_t)samples;
    tiles->sample_count =
        samples + columns * rows * SHADER_TILE_PLACES_ACROSS * SHADER_TILE_PLACES_DOWN;
}

struct gauss_shader_tiles gauss_shader_tiles_of(const struct gauss_plan *plan)
{
    struct gauss_shader_tiles tiles = {0};
    if (plan->fragment_px > 0 || plan->level_count == 0 ||
        image_light_is_wide(gauss_plan_light(plan))) {
        return tiles;
    }
    const struct gauss_slope slope = gauss_slope_of(plan);
    tiles.slope = 0.5f * slope.slope; /* the ramp is twice as steep */
    if (!((double)tiles.slope <= gauss_plan_tile_slope(plan, GAUSS_TILE_MAX_SLOPE))) {
        return tiles;
    }
    tiles.level_count = count_levels(plan, slope.sigma_px);
    /* Tiles stick out of the picture. */
    const float near = plan->sigma_max_px + tiles.slope * SHADER_TILE_PX;
    tiles.near_level_count = count_levels(plan, fminf(near, slope.sigma_px));
    tiles.coarsest_count = count_coarsest(plan, slope.sigma_px);
    const float ramp_end_px = 2.0f * plan->law.strength * plan->law.sharp_px;
    tiles.fine_sigma_px =
        fminf(tiles.slope > RAMP_SLOPE ? fmaxf(1.1f * ramp_end_px, GAUSS_TILE_SIGMA_FINE)
                                       : GAUSS_TILE_SIGMA_FINE,
              (float)SHADER_TILE_RADIUS_0 / GAUSS_REACH);
    tiles.used = tiles.level_count > 0;
    lay_out(plan, &tiles);
    return tiles;
}

/* In large pictures a level that the middle can take is worth its dispatch: about half of the tiles
 * do without the finer one's wide windows. */
int32_t gauss_shader_tiles_level_count(const struct gauss_shader_tiles *tiles,
                                       const struct gauss_plan *plan,
                                       const struct gauss_frame *frame)
{
    if (frame->late) {
        return tiles->level_count;
    }
    const int32_t needed =
        gauss_frame_gaze_is_inside(frame) ? tiles->near_level_count : tiles->level_count;
    if (gauss_shader_places_each(frame) == 1) {
        return needed;
    }
    const float middle_px = gauss_sigma_at(plan, frame, frame->width_px / 2, frame->height_px / 2);
    return larger(needed, count_coarsest(plan, middle_px));
}
