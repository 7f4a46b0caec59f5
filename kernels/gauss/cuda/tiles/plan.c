/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Decides which plans are for tiles, and fills what their kernels read. */

#include "kernels/gauss/plan/slope.h"
#include "tiles.h"

#include <math.h>

#define SAMPLE_BYTES 8

/* Returns whether the law's table rises all the way, or stays the same. */
static bool rises(const struct gauss_plan *plan)
{
    int32_t i = 1;
    while (i < plan->law.table_count && plan->law_table[i] >= plan->law_table[i - 1]) {
        i++;
    }
    return i >= plan->law.table_count;
}

/* Counts the levels that serve a sigma; 0: more than there are. Levels beyond the second are taken
 * only if the one below does not reach, because each is a launch. */
static int32_t count_levels(const struct gauss_plan *plan, double sigma_px)
{
    const int32_t count = (int32_t)plan->level_count;
    if (count < 3) {
        return count;
    }
    for (int32_t k = 2; k < count && k < GAUSS_TILE_LEVELS; k++) {
        if (gauss_tile_reaches(k, (float)sigma_px)) {
            return k + 1;
        }
    }
    return 0;
}

/* ---- The layout of an image ------------------------------------------------------------------ */

static int32_t round_up(int32_t value, int32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Levels lie as gauss/pyramid.h says, but rows begin at even samples, because pairs are read at
 * once. */
static void fill_levels(const struct gauss_plan *plan, struct gauss_tiles *tiles)
{
    int32_t samples = 0;
    for (int32_t k = 1; k < tiles->level_count; k++) {
        struct gauss_level *level = &tiles->levels[k];
        *level = plan->levels[k];
        level->first = samples;
        level->pitch = round_up(level->width + 2 * GAUSS_MARGIN, 2);
        samples += level->pitch * (level->height + 2 * GAUSS_MARGIN);
    }
    tiles->level_samples = samples;
}

/* Counts the first kernel's blocks along an axis, with the margins of level 2. */
static int32_t count_made(uint32_t size_px)
{
    const int32_t samples = ((int32_t)size_px + 3) / 4 + 2 * GAUSS_MARGIN;
    return round_up(samples, GAUSS_TILE_MADE) / GAUSS_TILE_MADE;
}

static void fill_state(const struct gauss_plan *plan, struct gauss_tiles *tiles)
{
    tiles->made_columns = count_made(plan->width_px);
    tiles->made_rows = count_made(plan->height_px);
    gauss_cuda_tile_list_plan(plan, tiles);
    struct gauss_tile_grid most = tiles->grid;
    gauss_cuda_tile_list_widen(&most, 1 + GAZE_OTHERS_MAX);
    tiles->flags_bytes = (int32_t)sizeof(struct gauss_tile_counts) + 4 * most.entry_count;
    tiles->state_bytes = round_up(tiles->flags_bytes + tiles->made_columns * tiles->made_rows, 16);
}

bool gauss_cuda_tiles_plan(const struct gauss_plan *plan, double max_slope,
                           struct gauss_tiles *out_tiles)
{
    *out_tiles = (struct gauss_tiles){.law = plan->law};
    const bool line = plan->law.kind == GAUSS_LAW_RADIAL || plan->law.kind == GAUSS_LAW_PROJECTED;
    if (plan->fragment_px > 0 || plan->level_count == 0 || !line) {
        return false;
    }
    const struct gauss_slope with_ramp = gauss_slope_of(plan);
    const double slope = 0.5 * (double)with_ramp.slope; /* the ramp is twice as steep */
    if (!(slope <= gauss_plan_tile_slope(plan, max_slope))) {
        return false;
    }
    out_tiles->slope = with_ramp.slope;
    out_tiles->radial = plan->law.kind == GAUSS_LAW_RADIAL && rises(plan);
    /* Tiles stick out of the picture by a few pixels. */
    const double largest = (double)with_ramp.sigma_px;
    const double near = fmin((double)plan->sigma_max_px + 12.0 * slope, largest);
    out_tiles->level_count = count_levels(plan, largest);
    out_tiles->near_level_count = count_levels(plan, near);
    const bool steep = out_tiles->slope > GAUSS_TILE_RAMP_SLOPE;
    const float ramp_end_px = 2.0f * plan->law.strength * plan->law.sharp_px;
    out_tiles->fine_sigma = fmaxf(steep ? 1.1f * ramp_end_px : 0.0f, GAUSS_TILE_SIGMA_FINE);
    fill_levels(plan, out_tiles);
    fill_state(plan, out_tiles);
    return out_tiles->level_count > 0 && out_tiles->near_level_count > 0;
}

size_t gauss_cuda_tiles_level_bytes(const struct gauss_tiles *tiles)
{
    return (size_t)tiles->level_samples * SAMPLE_BYTES;
}
