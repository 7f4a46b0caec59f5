/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map.h"

#include "map_ready.h"

#include <math.h>

/* ---- A streak: the horizon is seen well as far as it goes, the ground and the sky are not. The
 * shape is ours, with the proportions of a rabbit's: two fifths of the peak along the horizon far
 * out, half of it 8 degrees above or below. */

#define STREAK_FAR 0.4
#define STREAK_X_DEG 20.0
#define STREAK_Y_DEG 8.0

static double bell(double deg, double half_deg)
{
    return 1.0 / (1.0 + deg * deg / (half_deg * half_deg));
}

double foveate_map_streak(double x_deg, double y_deg)
{
    return (STREAK_FAR + (1.0 - STREAK_FAR) * bell(x_deg, STREAK_X_DEG)) *
           bell(y_deg, STREAK_Y_DEG);
}

/* ---- Samples */

static bool is_generated(const struct foveate_map *map)
{
    return map->kind != FOVEA_MAP_ARRAY && map->kind != FOVEA_MAP_FILE;
}

/* A float, as in an array. */
static float evaluate(enum fovea_map_kind kind, enum fovea_map_eye eye, int32_t i, int32_t j)
{
    const double middle = 0.5 * (FOVEATE_MAP_GENERATED_SIDE - 1);
    const double x_deg = (i - middle) * FOVEATE_MAP_GENERATED_DEG;
    const double y_deg = (j - middle) * FOVEATE_MAP_GENERATED_DEG;
    return (float)(kind == FOVEA_MAP_HUMAN    ? foveate_map_human(eye, x_deg, y_deg)
                   : kind == FOVEA_MAP_STREAK ? foveate_map_streak(x_deg, y_deg)
                                              : foveate_map_animal(kind, eye, x_deg, y_deg));
}

void foveate_map_generate(enum fovea_map_kind kind, float *out_values)
{
    for (int32_t j = 0; j < FOVEATE_MAP_GENERATED_SIDE; j++) {
        for (int32_t i = 0; i < FOVEATE_MAP_GENERATED_SIDE; i++) {
            *out_values++ = evaluate(kind, FOVEA_MAP_EYE_RIGHT, i, j);
        }
    }
}

/* Human and hawk are the right eye's: the left one's is its mirror image, and both together have
 * the better of the two. So every eye of a frame finds its samples ready. */
static float ready_sample(const struct foveate_map *map, int32_t i, int32_t j)
{
    const float *row = map->values + (size_t)j * (size_t)map->width;
    const bool sided = map->kind == FOVEA_MAP_HUMAN || map->kind == FOVEA_MAP_HAWK;
    if (!sided || map->eye == FOVEA_MAP_EYE_RIGHT) {
        return row[i];
    }
    const float mirrored = row[map->width - 1 - i];
    return map->eye == FOVEA_MAP_EYE_LEFT ? mirrored : fmaxf(row[i], mirrored);
}

static double raw_sample(const struct foveate_map *map, int32_t i, int32_t j)
{
    return (double)(map->values ? ready_sample(map, i, j) : evaluate(map->kind, map->eye, i, j));
}

double foveate_map_sample(const struct foveate_map *map, int32_t i, int32_t j)
{
    if (i < 0 || i >= map->width || j < 0 || j >= map->height) {
        return map->smallest;
    }
    return fmax(raw_sample(map, i, j), map->floor);
}

/* ---- The smallest */

struct window {
    int32_t left, right, top, bottom; /* inside the map, all included */
};

/* A formula falls along every ray from the middle, or upwards and downwards from the horizon, so
 * its smallest sample lies on the border. */
static double smallest_in(const struct foveate_map *map, struct window at)
{
    double smallest = (double)INFINITY;
    for (int32_t j = at.top; j <= at.bottom; j++) {
        const bool whole_row = !is_generated(map) || j == at.top || j == at.bottom;
        const int32_t step = whole_row || at.right == at.left ? 1 : at.right - at.left;
        for (int32_t i = at.left; i <= at.right; i += step) {
            smallest = fmin(smallest, raw_sample(map, i, j));
        }
    }
    return fmax(smallest, map->floor);
}

static double smallest_in_block(const struct foveate_map *map, struct window at, int32_t x,
                                int32_t y)
{
    const int32_t right = x + FOVEATE_MAP_BLOCK - 1;
    const int32_t bottom = y + FOVEATE_MAP_BLOCK - 1;
    const bool whole = x >= at.left && right <= at.right && y >= at.top && bottom <= at.bottom;
    if (whole) {
        const int32_t row = y / FOVEATE_MAP_BLOCK;
        return (double)
            map->ready->smallest_of_blocks[row * map->ready->block_columns + x / FOVEATE_MAP_BLOCK];
    }
    const struct window part = {.left = x > at.left ? x : at.left,
                                .right = right < at.right ? right : at.right,
                                .top = y > at.top ? y : at.top,
                                .bottom = bottom < at.bottom ? bottom : at.bottom};
    return smallest_in(map, part);
}

/* The smallest of a block that lies whole in the window is known. */
static double smallest_of_blocks_in(const struct foveate_map *map, struct window at)
{
    double smallest = (double)INFINITY;
    for (int32_t y = at.top / FOVEATE_MAP_BLOCK * FOVEATE_MAP_BLOCK; y <= at.bottom;
         y += FOVEATE_MAP_BLOCK) {
        for (int32_t x = at.left / FOVEATE_MAP_BLOCK * FOVEATE_MAP_BLOCK; x <= at.right;
             x += FOVEATE_MAP_BLOCK) {
            smallest = fmin(smallest, smallest_in_block(map, at, x, y));
        }
    }
    return fmax(smallest, map->floor);
}

static int32_t clamp_index(double at, int32_t count)
{
    return (int32_t)fmin(fmax(at, 0.0), count - 1.0);
}

double foveate_map_smallest_within(const struct foveate_map *map, double x_deg, double y_deg)
{
    const double middle_x = 0.5 * (map->width - 1);
    const double middle_y = 0.5 * (map->height - 1);
    const double reach_x = x_deg / map->deg_per_sample;
    const double reach_y = y_deg / map->deg_per_sample;
    if (reach_x > middle_x || reach_y > middle_y) {
        return map->smallest;
    }
    const struct window at = {.left = clamp_index(floor(middle_x - reach_x), map->width),
                              .right = clamp_index(ceil(middle_x + reach_x), map->width),
                              .top = clamp_index(floor(middle_y - reach_y), map->height),
                              .bottom = clamp_index(ceil(middle_y + reach_y), map->height)};
    return map->ready ? smallest_of_blocks_in(map, at) : smallest_in(map, at);
}

/* ---- Making one */

/* False: nothing of a map is resolved. */
static bool find_range_of_values(struct foveate_map *map)
{
    float largest = 0.0f;
    float smallest = INFINITY;
    for (size_t i = 0; !map->ready && i < (size_t)map->width * (size_t)map->height; i++) {
        const float value = map->values[i];
        largest = value > largest ? value : largest;
        smallest = value < smallest ? value : smallest;
    }
    map->largest = (double)(map->ready ? map->ready->largest : largest);
    map->smallest = (double)(map->ready ? map->ready->smallest : smallest);
    return map->largest > 0.0;
}

/* Returns whether a copy of ours (map_copy.h) came with the settings. */
static bool has_samples(const struct fovea_map *settings)
{
    return settings->values && settings->serial != 0 &&
           settings->width == FOVEATE_MAP_GENERATED_SIDE &&
           settings->height == FOVEATE_MAP_GENERATED_SIDE;
}

static struct fovea_map_ready *ready_of(const struct fovea_map *settings)
{
    struct fovea_map_ready *ready = settings->ready;
    return ready && settings->serial != 0 && ready->serial == settings->serial ? ready : NULL;
}

static struct foveate_map samples_of(const struct fovea_map *settings)
{
    struct foveate_map map = {.kind = settings->kind, .eye = settings->eye};
    if (is_generated(&map)) {
        map.values = has_samples(settings) ? settings->values : NULL;
        map.width = map.height = FOVEATE_MAP_GENERATED_SIDE;
        map.deg_per_sample = FOVEATE_MAP_GENERATED_DEG;
    } else {
        map.values = settings->values;
        map.width = (int32_t)settings->width;
        map.height = (int32_t)settings->height;
        map.deg_per_sample = settings->width_deg / settings->width;
        map.ready = ready_of(settings);
    }
    return map;
}

bool foveate_map_init(struct foveate_map *map, const struct fovea_map *settings)
{
    *map = samples_of(settings);
    if (is_generated(map)) {
        map->largest = raw_sample(map, map->width / 2, map->height / 2);
        map->smallest = smallest_in(map, (struct window){0, map->width - 1, 0, map->height - 1});
    } else if (!find_range_of_values(map)) {
        return false;
    }
    if (settings->law == FOVEA_MAP_LAW_LINEAR) {
        return map->largest > map->smallest;
    }
    map->floor = settings->floor * map->largest;
    map->smallest = fmax(map->smallest, map->floor);
    return true;
}

/* ---- Between the samples */

double foveate_map_at(const struct foveate_map *map, double x_deg, double y_deg)
{
    const double last_x = map->width;
    const double last_y = map->height;
    const double x = fmin(fmax(x_deg / map->deg_per_sample + 0.5 * (map->width - 1), -1.0), last_x);
    const double y =
        fmin(fmax(y_deg / map->deg_per_sample + 0.5 * (map->height - 1), -1.0), last_y);
    const int32_t i = (int32_t)floor(x);
    const int32_t j = (int32_t)floor(y);
    const double part_x = x - i;
    const double part_y = y - j;
    const double upper =
        (1.0 - part_x) * foveate_map_sample(map, i, j) + part_x * foveate_map_sample(map, i + 1, j);
    const double lower = (1.0 - part_x) * foveate_map_sample(map, i, j + 1) +
                         part_x * foveate_map_sample(map, i + 1, j + 1);
    return (1.0 - part_y) * upper + part_y * lower;
}
