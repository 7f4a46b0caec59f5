/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blank.h"

#include "lens.h"
#include "place.h"

#include <stdlib.h>

/* A tile is blank if all of its places lie beyond one edge of the picture. A polynomial's are
 * asked for along the tile's border: it is one to one, so what lies inside the border comes from
 * inside the border's places. Of a grid the points around are asked for, between which its places
 * lie; quadratic ones overshoot them, and have no blank tiles. */
#define MARGIN_PX 1.0f /* more than places between two pixels of the border may stand out */

enum {
    BEYOND_LEFT = 1,
    BEYOND_RIGHT = 2,
    BEYOND_TOP = 4,
    BEYOND_BOTTOM = 8,
};

static unsigned beyond(const struct lens_plan *plan, float x_px, float y_px)
{
    return (x_px < -MARGIN_PX ? BEYOND_LEFT : 0u) |
           (x_px > (float)plan->shape.width_px + MARGIN_PX ? BEYOND_RIGHT : 0u) |
           (y_px < -MARGIN_PX ? BEYOND_TOP : 0u) |
           (y_px > (float)plan->shape.height_px + MARGIN_PX ? BEYOND_BOTTOM : 0u);
}

struct tile {
    int32_t left, top, right, bottom; /* pixels, all included */
};

static unsigned beyond_at(const struct lens_plan *plan, int32_t color, int32_t x, int32_t y)
{
    const struct lens_place place = lens_place_of(&plan->shape, color, x, y);
    return beyond(plan, (float)place.at_x + place.part_x + 0.5f,
                  (float)place.at_y + place.part_y + 0.5f);
}

/* Corners first: most tiles are told by them. */
static unsigned beyond_border(const struct lens_plan *plan, int32_t color, const struct tile *tile)
{
    unsigned all = beyond_at(plan, color, tile->left, tile->top) &
                   beyond_at(plan, color, tile->right, tile->top) &
                   beyond_at(plan, color, tile->left, tile->bottom) &
                   beyond_at(plan, color, tile->right, tile->bottom);
    for (int32_t x = tile->left; all && x <= tile->right; x++) {
        all &= beyond_at(plan, color, x, tile->top) & beyond_at(plan, color, x, tile->bottom);
    }
    for (int32_t y = tile->top; all && y <= tile->bottom; y++) {
        all &= beyond_at(plan, color, tile->left, y) & beyond_at(plan, color, tile->right, y);
    }
    return all;
}

/* Returns the first of the points that a pixel's centre lies among. */
static int32_t first_point(const struct lens_grid *grid, int32_t at_px, float per_px,
                           int32_t points)
{
    return lens_between_at(grid, (float)at_px + 0.5f, per_px, points).from;
}

static unsigned beyond_points(const struct lens_plan *plan, int32_t color, const struct tile *tile)
{
    const struct lens_grid *grid = &plan->shape.grid;
    const int32_t left = first_point(grid, tile->left, grid->per_px_x, grid->columns);
    const int32_t right = first_point(grid, tile->right, grid->per_px_x, grid->columns) + 1;
    const int32_t top = first_point(grid, tile->top, grid->per_px_y, grid->rows);
    const int32_t bottom = first_point(grid, tile->bottom, grid->per_px_y, grid->rows) + 1;
    unsigned all = BEYOND_LEFT | BEYOND_RIGHT | BEYOND_TOP | BEYOND_BOTTOM;
    for (int32_t j = top; all && j <= bottom; j++) {
        for (int32_t i = left; all && i <= right; i++) {
            const float *way = plan->ways + 2 * (grid->first[color] + j * grid->columns + i);
            all &= beyond(plan, ((float)i + grid->start) / grid->per_px_x + way[0],
                          ((float)j + grid->start) / grid->per_px_y + way[1]);
        }
    }
    return all;
}

static bool is_blank(const struct lens_plan *plan, const struct tile *tile)
{
    bool blank = true;
    for (int32_t color = 0; blank && color < LENS_COLORS; color++) {
        if (plan->colored || color == LENS_AXIS) {
            blank =
                plan->ways ? beyond_points(plan, color, tile) : beyond_border(plan, color, tile);
        }
    }
    return blank;
}

static int32_t last_of(int32_t tile, int32_t size_px)
{
    const int32_t last = (tile + 1) * LENS_TILE_PX - 1;
    return last < size_px ? last : size_px - 1;
}

/* A grid with points in the middle of pixels has places beyond its outermost points. */
static bool can_tell(const struct lens_plan *plan)
{
    return !plan->copies &&
           !(plan->ways && (plan->shape.grid.quadratic || plan->shape.grid.start > 0.0f));
}

enum fovea_result lens_plan_find_blank(struct lens_plan *plan)
{
    const int32_t columns = lens_tiles(plan->shape.width_px);
    const int32_t rows = lens_tiles(plan->shape.height_px);
    bool any = false;
    if (!can_tell(plan)) {
        return FOVEA_OK;
    }
    plan->blank_word_count = ((size_t)columns * (size_t)rows + 31) / 32;
    plan->blank_words = calloc(plan->blank_word_count, sizeof *plan->blank_words);
    if (!plan->blank_words) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (int32_t i = 0; i < columns * rows; i++) {
        const int32_t x = i % columns;
        const int32_t y = i / columns;
        const struct tile tile = {x * LENS_TILE_PX, y * LENS_TILE_PX,
                                  last_of(x, plan->shape.width_px),
                                  last_of(y, plan->shape.height_px)};
        if (is_blank(plan, &tile)) {
            plan->blank_words[i / 32] |= 1u << i % 32;
            any = true;
        }
    }
    if (!any) {
        free(plan->blank_words);
        plan->blank_words = NULL;
        plan->blank_word_count = 0;
    }
    return FOVEA_OK;
}
