/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "tile.h"

#include "kernels/gauss/cpu/common/sigma.h"
#include "kernels/gauss/cpu/common/words.h"
#include "make.h"
#include "upsample.h"

#define SMALLEST_PX 32 /* square */

/* Samples between nodes: sigma, counted in them, grows by at most so much from one node to the
 * next. Variances that are linear in the weights are then wrong by less than a hundredth. */
#define MAX_STEP 4
#define NODE_SLOPE 0.03f /* on level 0 */
#define LEVEL_NODE_SLOPE 0.06f
/* Below DIRECT_BELOW_PX weights are no line of sigma: at twice this step a neighbour at sigma 0.37
 * is 5 % off, which next to black is four levels in light. */
#define NARROW_NODE_SLOPE 0.01f

/* A smaller sigma is a copy: exp(-1 / (2 0.2^2)) is 4e-6. */
#define COPY_SIGMA_PX 0.2f

/* Below this sigma and from this slope on weights differ too much from pixel to pixel. */
#define DIRECT_BELOW_PX 0.7f
#define DIRECT_FROM_SLOPE 0.01f

struct range {
    float lowest, highest;
};

/* gauss_law_ramp doubles the slope only where the blur begins. */
static bool is_beyond_ramp(const struct gauss_cpu_picture *picture, float sigma_px)
{
    const struct gauss_law *law = &picture->plan->law;
    return sigma_px > 2.0f * law->sharp_px * law->strength;
}

#define PROBES 5 /* along a side */

/* Finds sigma's range over a tile and half a sample of a coarse level around it. Between the probes
 * sigma differs by what the picture's slope allows. */
static struct range sigma_range(const struct gauss_cpu_picture *picture, int32_t x_px, int32_t y_px,
                                int32_t size_px)
{
    const float apart_px = (float)size_px / (PROBES - 1);
    struct range range = {1e9f, 0.0f};
    for (int32_t j = 0; j < PROBES; j++) {
        float row[PROBES + LANES];
        gauss_cpu_sigma_row(picture,
                            (struct gauss_cpu_places){
                                (float)x_px, (float)y_px + (float)j * apart_px, apart_px, PROBES},
                            row);
        for (int32_t i = 0; i < PROBES; i++) {
            range.lowest = row[i] < range.lowest ? row[i] : range.lowest;
            range.highest = row[i] > range.highest ? row[i] : range.highest;
        }
    }
    float between = 0.7072f * apart_px * picture->slope;
    if (is_beyond_ramp(picture, range.lowest - 0.5f * between)) {
        between *= 0.5f;
    }
    range.lowest = range.lowest > between ? range.lowest - between : 0.0f;
    range.highest += between;
    return range;
}

static int32_t step_for(const struct gauss_cpu_tile *tile, float lowest)
{
    const struct gauss_cpu_picture *picture = tile->picture;
    const float slope = is_beyond_ramp(picture, lowest) ? 0.5f * picture->slope : picture->slope;
    const bool is_narrow = lowest < DIRECT_BELOW_PX;
    const float most = tile->k > 0 ? LEVEL_NODE_SLOPE : is_narrow ? NARROW_NODE_SLOPE : NODE_SLOPE;
    int32_t step = MAX_STEP;
    while (step > 1 && (float)step * slope > most) {
        step /= 2;
    }
    return step;
}

static struct gauss_cpu_residual residual_on(int32_t k)
{
    const float sample_sq = (float)(1 << 2 * k);
    return (struct gauss_cpu_residual){
        .taken = k == 0 ? 0.0f : gauss_level_variance(k) + sample_sq / 3.0f,
        .scale = 1.0f / sample_sq,
        .exact = k > 0,
    };
}

static void place_samples(struct gauss_cpu_tile *tile)
{
    const int32_t pad = tile->k > 0 ? GAUSS_CPU_UPSAMPLE_PAD : 0;
    const int32_t last = (1 << tile->k) - 1;
    tile->column = (tile->x_px >> tile->k) - pad;
    tile->row = (tile->y_px >> tile->k) - pad;
    tile->columns = ((tile->width_px + last) >> tile->k) + 2 * pad;
    tile->rows = ((tile->height_px + last) >> tile->k) + 2 * pad;
    tile->pitch = gauss_cpu_whole_lanes(tile->columns);
}

/* Returns the level that a tile of that size is made from; -1: it must be divided. */
static int32_t level_for(const struct gauss_cpu_picture *picture, int32_t size_px,
                         struct range range)
{
    const int32_t k = gauss_level_for(range.lowest, (int32_t)picture->plan->level_count);
    if (size_px > SMALLEST_PX) {
        return size_px >> (k < 2 ? k : 2) <= SMALLEST_PX ? k : -1;
    }
    return bounds_smaller(k, 5); /* a sample is at most a pixel of a tile */
}

static void divide(const struct gauss_cpu_picture *picture,
                   const struct gauss_cpu_tile_buffers *buffers, int32_t x_px, int32_t y_px,
                   int32_t size_px)
{
    if (x_px >= picture->view.frame.width_px || y_px >= picture->view.frame.height_px) {
        return;
    }
    const struct range range = sigma_range(picture, x_px, y_px, size_px);
    struct gauss_cpu_tile tile = {
        .picture = picture,
        .buffers = buffers,
        .x_px = x_px,
        .y_px = y_px,
        .width_px = bounds_smaller(size_px, picture->view.frame.width_px - x_px),
        .height_px = bounds_smaller(size_px, picture->view.frame.height_px - y_px),
    };
    if (range.highest < COPY_SIGMA_PX) {
        gauss_cpu_copy_rows(tile.picture,
                            (struct gauss_cpu_span){tile.x_px, tile.y_px, tile.width_px},
                            tile.height_px);
        return;
    }
    tile.k = level_for(picture, size_px, range);
    if (tile.k >= 0) {
        tile.residual = residual_on(tile.k);
        tile.radius = gauss_cpu_tile_radius(picture, &tile.residual, range.highest);
    }
    if (size_px > SMALLEST_PX && (tile.k < 0 || tile.radius > GAUSS_CPU_TILE_RADIUS)) {
        const int32_t half = size_px / 2;
        for (int32_t i = 0; i < 4; i++) {
            divide(picture, buffers, x_px + i % 2 * half, y_px + i / 2 * half, half);
        }
        return;
    }
    tile.radius = bounds_smaller(tile.radius, GAUSS_CPU_TILE_RADIUS);
    tile.direct = range.lowest < DIRECT_BELOW_PX && picture->slope > DIRECT_FROM_SLOPE;
    tile.step = step_for(&tile, range.lowest);
    place_samples(&tile);
    gauss_cpu_tile_make(&tile);
}

static void make_tile(const struct gauss_cpu_picture *picture, float *scratch, int32_t x_px,
                      int32_t y_px)
{
    const struct gauss_cpu_tile_buffers buffers =
        gauss_cpu_tile_buffers_of(scratch, picture->plan->width_px);
    divide(picture, &buffers, x_px, y_px, GAUSS_CPU_TILE_PX);
    gauss_cpu_finish_streams();
}

/* ---- Levels */

static void level_rows(const struct gauss_cpu_picture *picture, float *scratch, int32_t k,
                       int32_t first_row, int32_t end_row)
{
    const struct gauss_cpu_tile_buffers buffers =
        gauss_cpu_tile_buffers_of(scratch, picture->plan->width_px);
    if (k == 1 && picture->first_level == 1) {
        gauss_cpu_decimate_image(picture, &buffers.decimate, first_row, end_row);
    } else {
        for (int32_t row = first_row; row < end_row; row++) {
            gauss_cpu_decimate_level(picture, &buffers.decimate, k, row);
        }
    }
}

const struct gauss_cpu_tiles GAUSS_CPU_NAME(gauss_cpu_tiles) = {.level_rows = level_rows,
                                                                .make = make_tile};
