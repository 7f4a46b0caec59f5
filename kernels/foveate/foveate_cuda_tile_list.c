/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_cuda_tile_list.h"

#include <math.h>

/* Of a law whose near tiles cannot be counted: below that all of a picture's tiles may be in quarters. */
#define SPLIT_BELOW_PIXELS 10000000
/* With more blocks than that, others fill the device while one is long, and quarters are not parted. */
#define FEW_BLOCKS 1200
/* That squares are widened by before sigma is asked for, and what roots are off by. */
#define MARGIN_PX 6.0f

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Of a law by distance that only rises: the pixels from the gaze that have less. */
static double radius_below(const struct foveate_plan *plan, float sigma_px)
{
    const float *table = plan->law_table;
    int32_t i = 0;
    while (i < plan->law.table_count &&
           plan->law.strength * foveate_law_ramp(table[i], plan->law.sharp_px) < sigma_px) {
        i++;
    }
    return (double)i / (double)plan->law.table_per_unit;
}

/* Squares of tiles that a disc of that radius meets at most, wherever its middle lies. */
static int32_t count_met(double radius_px, double side_px)
{
    const double radius = radius_px / side_px;
    return (int32_t)(3.1416 * radius * radius + 4.0 * radius + 2.0 * pow(radius, 0.67) + 5.0);
}

/* A block that makes four quarters one after another outlives all others: so as many tiles get room for their
 * quarters as can lie where sigma is too small for level 2, wherever the gaze is. */
static void fill_rooms(const struct foveate_plan *plan, struct foveate_tiles *tiles)
{
    const int32_t all = tiles->columns * tiles->rows;
    if (!tiles->radial || tiles->level_count < 3) {
        const int64_t pixels = (int64_t)plan->width_px * plan->height_px;
        tiles->split_count = pixels < SPLIT_BELOW_PIXELS || tiles->level_count < 3 ? all : all / 4;
        tiles->part_count = 0;
        return;
    }
    const float widest = (float)(FOVEATE_TILE_DIRECT_RADIUS + 1) / FOVEATE_REACH;
    tiles->split_px = (float)radius_below(plan, foveate_tile_sigma_from(2)) + MARGIN_PX;
    tiles->part_px = (float)radius_below(plan, fmaxf(widest, tiles->fine_sigma)) + MARGIN_PX;
    tiles->split_count = least(count_met((double)tiles->split_px, FOVEATE_TILE_PX), all);
    const bool few = tiles->columns * tiles->rows + 3 * tiles->split_count <= FEW_BLOCKS;
    tiles->part_count = few ? 2 * count_met((double)tiles->part_px, FOVEATE_TILE_QUARTER_PX) : 0;
}

static int32_t count_entries(const struct foveate_tiles *tiles)
{
    return tiles->columns * tiles->rows + 3 * tiles->split_count + tiles->part_count;
}

void foveate_cuda_tile_list_plan(const struct foveate_plan *plan, struct foveate_tiles *tiles)
{
    fill_rooms(plan, tiles);
    tiles->entry_count = count_entries(tiles);
}

/* Squares of the picture that a disc round the gaze meets. */
static int32_t count_near(const struct foveate_frame *frame, float radius_px, double side_px)
{
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

void foveate_cuda_tile_list_fit(struct foveate_tiles *tiles, const struct foveate_frame *frame)
{
    if (tiles->radial && tiles->split_px > 0.0f && frame->gaze_x_q8 != FOVEATE_GAZE_NONE) {
        const int32_t split = count_near(frame, tiles->split_px, FOVEATE_TILE_PX);
        const int32_t parts = 2 * count_near(frame, tiles->part_px, FOVEATE_TILE_QUARTER_PX);
        tiles->split_count = least(tiles->split_count, split);
        tiles->part_count = least(tiles->part_count, parts);
        tiles->entry_count = count_entries(tiles);
    }
}
