/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "tiles.h"

#include "core/bounds.h"

#include <math.h>

/* For a law whose near tiles cannot be counted: in grids of at most so many tiles, all may be in
 * subtiles. */
#define SPLIT_BELOW_PIXELS 10000000
/* Squares are widened by so much before sigma is asked for, and roots are off by no more. */
#define MARGIN_PX 6.0f

/* Returns the distance within which a law that only rises with it has less than sigma. */
static double radius_below(const struct gauss_plan *plan, float sigma_px)
{
    const float *table = plan->law_table;
    int32_t i = 0;
    while (i < plan->law.table_count &&
           plan->law.strength * gauss_law_ramp(table[i], plan->law.sharp_px) < sigma_px) {
        i++;
    }
    const double everywhere = 4.0 * ((double)plan->width_px + (double)plan->height_px);
    return i < plan->law.table_count ? (double)i / (double)plan->law.table_per_unit : everywhere;
}

/* Returns how many tiles a disc meets at most, wherever its middle lies. */
static int32_t count_met(double radius_px)
{
    const double radius = radius_px / GAUSS_TILE_PX;
    return (int32_t)(3.1416 * radius * radius + 4.0 * radius + 2.0 * pow(radius, 0.67) + 5.0);
}

/* Returns the sigma from which a tile is made from level 1 or 2: its quadrants must not hold more
 * than the MMA path reaches. */
static float least_of_quadrants(const struct gauss_tiles *tiles)
{
    const float across = 1.42f * (GAUSS_TILE_PX + 2.0f * MARGIN_PX);
    /* slope is that of the ramp, twice the law's. */
    const float highest = gauss_tile_sigma_from(2) + 0.5f * tiles->slope * across;
    return gauss_tile_sigma_from(gauss_tile_reaches(1, highest) ? 1 : 2);
}

/* Counts entries beyond one a tile: for tiles with sigma too small for level 1, and for those too
 * small for level 2. */
static int32_t count_split(int32_t near, int32_t split)
{
    const int32_t in_subtiles = bounds_smaller(near, split);
    return in_subtiles * (GAUSS_TILE_SUBTILES - 1) + (split - in_subtiles) * 3;
}

static int32_t count_entries(const struct gauss_tile_grid *grid)
{
    return grid->columns * grid->rows + grid->split_count;
}

/* A block that makes all subtiles of a tile in turn outlives all others. So the list has capacity
 * for the subtiles of as many tiles as can lie where sigma is too small for level 2, wherever the
 * gaze is. */
static struct gauss_tile_grid make_grid(const struct gauss_plan *plan,
                                        const struct gauss_tiles *tiles)
{
    struct gauss_tile_grid grid = {
        .columns = ((int32_t)plan->width_px + GAUSS_TILE_PX - 1) / GAUSS_TILE_PX,
        .rows = ((int32_t)plan->height_px + GAUSS_TILE_PX - 1) / GAUSS_TILE_PX};
    const int32_t all = grid.columns * grid.rows;
    if (tiles->split_px > 0.0f) {
        const int32_t split = bounds_smaller(count_met((double)tiles->split_px), all);
        grid.split_count = count_split(count_met((double)tiles->near_px), split);
    } else {
        const int64_t pixels = (int64_t)plan->width_px * plan->height_px;
        const bool every = pixels < SPLIT_BELOW_PIXELS || tiles->level_count < 3;
        grid.split_count = count_split(every ? all : all / 4, all); /* any may be in quadrants */
    }
    grid.entry_count = count_entries(&grid);
    return grid;
}

void gauss_cuda_tile_list_widen(struct gauss_tile_grid *grid, int32_t foveas)
{
    const int32_t all = grid->columns * grid->rows;
    grid->split_count = bounds_smaller(foveas * grid->split_count, all * (GAUSS_TILE_SUBTILES - 1));
    grid->entry_count = count_entries(grid);
}

void gauss_cuda_tile_list_plan(const struct gauss_plan *plan, struct gauss_tiles *tiles)
{
    if (tiles->radial && tiles->level_count >= 3) {
        tiles->split_px = (float)radius_below(plan, gauss_tile_sigma_from(2)) + MARGIN_PX;
        tiles->near_px = (float)radius_below(plan, least_of_quadrants(tiles)) + MARGIN_PX;
    }
    tiles->grid = make_grid(plan, tiles);
}

/* Returns how many tiles of the picture a disc round the gaze meets. */
static int32_t count_near(const struct gauss_frame *frame, float radius_px)
{
    const double side_px = GAUSS_TILE_PX;
    const double radius = (double)radius_px / side_px;
    const double x = (double)frame->gaze_x_q8 / (256.0 * side_px);
    const double y = (double)frame->gaze_y_q8 / (256.0 * side_px);
    const double columns = ceil((double)frame->width_px / side_px);
    const double end = fmin(floor(y + radius) + 1.0, ceil((double)frame->height_px / side_px));
    double count = 0.0;
    for (double row = fmax(floor(y - radius), 0.0); row < end; row++) {
        const double dy = fmax(fmax(row - y, y - row - 1.0), 0.0);
        const double half = sqrt(fmax(radius * radius - dy * dy, 0.0));
        const double first = fmax(floor(x - half), 0.0);
        count += fmax(fmin(floor(x + half) + 1.0, columns) - first, 0.0);
    }
    return (int32_t)count;
}

void gauss_cuda_tile_list_fit(struct gauss_tiles *tiles, const struct gauss_frame *frame)
{
    struct gauss_tile_grid *grid = &tiles->grid;
    const bool is_alone = frame->others.count == 0; /* only one fovea's near tiles are counted */
    if (tiles->split_px > 0.0f && frame->gaze_x_q8 != GAZE_NONE && is_alone) {
        const int32_t split =
            count_split(count_near(frame, tiles->near_px), count_near(frame, tiles->split_px));
        grid->split_count = bounds_smaller(grid->split_count, split);
        grid->entry_count = count_entries(grid);
    }
}
