/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plan.h"

#include "blend.h"
#include "kernels/foveate/plan/smooth.h"
#include "kernels/image/pixel_float.h"
#include "matrix.h"
#include "weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N1 FOVEATE_SMALL_SAMPLES_1
#define N2 FOVEATE_SMALL_SAMPLES_2
#define MOST FOVEATE_SMALL_MOST_PX
#define TILE FOVEATE_SMALL_TILE

/* From these sigmas on a level is fine enough: level 1 in pixels, as at 0.9 spacings of two pixels
 * white noise is 3.5 levels off, level 2 in spacings. Its nodes begin below, because a pixel is
 * interpolated from samples nearer to the gaze too. */
#define FROM_1_PX 1.94
#define FROM_2 1.14
#define NODES_FROM_1 0.75
#define NODES_FROM_2 0.89
/* Up to this ratio of level 2's widest to its narrowest sigma four nodes are enough, except in
 * light, where a thousandth of white shows next to black. */
#define MOST_FOR_FOUR 3.2
#define MOST_FOR_EIGHT 20.0 /* the same, in light too */
/* A block's sigma may exceed its smallest by so many pixels: in steeper laws weights of 17 samples
 * end too early. */
#define MOST_ACROSS_PX 0.8
/* The entry nearest to a distance is half a step of sigma off at most: at 0.36 px a hundredth of a
 * pixel is five levels in light. */
#define MOST_STEP_PX 0.008
#define NEAR_LAST 2.75 /* sigma of level 0's last node */
#define BLOCK_DIAGONAL_PX (1.4142 * FOVEATE_SMALL_BLOCK_PX)
#define RADIAN 0.017453292519943295 /* radians of a degree */

/* ---- Blend weights --------------------------------------------------------------------------- */

static double sigma_at_distance(const struct foveate_plan *plan, double distance_px)
{
    return (double)foveate_law_sigma_at(&plan->law, plan->law_table, (float)distance_px, 0.0f, 0.0f,
                                        0.0f);
}

/* Returns the distance from which on the law is at least `sigma`, or constant. */
static double last_distance(const struct foveate_plan *plan, double sigma)
{
    const double per_entry = 1.0 / (double)plan->law.table_per_unit;
    int32_t last = plan->law.table_count - 1;
    while (last > 1 && sigma_at_distance(plan, per_entry * (last - 1)) >= sigma) {
        last--;
    }
    return per_entry * last;
}

static void fill_blend_weights(const struct foveate_plan *plan, struct foveate_small *small,
                               struct foveate_small_tables *tables,
                               const struct foveate_small_blender *blender)
{
    const int32_t k = blender->level;
    const int32_t count = FOVEATE_SMALL_ENTRIES(k);
    const int32_t each = FOVEATE_SMALL_ENTRY_HALVES(k < 2 ? blender->count : FOVEATE_SMALL_NODES_2);
    uint16_t *out = tables->halves + tables->blend_at / 2 + (size_t)k * FOVEATE_SMALL_BLEND_HALVES;
    const double end =
        small->by_distance ? last_distance(plan, k < 2 ? blender->last : HUGE_VAL) : blender->last;
    small->entries_per[k] = (float)((count - 1) / end);
    for (int32_t i = 0; i < count; i++) {
        const double at = end * i / (count - 1);
        uint16_t parts[FOVEATE_SMALL_NODES];
        foveate_small_blend(blender, small->by_distance ? sigma_at_distance(plan, at) : at, parts);
        for (int32_t j = 0; j < FOVEATE_SMALL_NODES; j++) {
            out[(j / each * count + i) * each + j % each] = parts[j];
        }
    }
}

/* ---- A plan ---------------------------------------------------------------------------------- */

/* The law's largest sigma for any gaze, and what the device's may be beyond. */
static double largest_sigma(const struct foveate_plan *plan)
{
    return 1.02 * (double)plan->sigma_bound_px;
}

static double first_of_level_2(const struct foveate_small *small)
{
    return NODES_FROM_2 * (double)small->spacing[2];
}

static void fill_axis(struct foveate_small_axis *axis, uint32_t size_px, const float *spacing)
{
    *axis = (struct foveate_small_axis){.size_px = (int32_t)size_px,
                                        .first = {0.0f, -2.0f * spacing[1], -spacing[2]}};
    const int32_t needed = (int32_t)ceil((size_px - 1) / (double)spacing[1] - 1e-4) + 5;
    axis->samples = foveate_small_clamp((needed + TILE - 1) / TILE * TILE, TILE, N1);
}

static void fill_spacing(const struct foveate_plan *plan, struct foveate_small *small)
{
    const double most = fmax(plan->width_px, plan->height_px) - 1.0;
    small->spacing[0] = 1.0f;
    small->spacing[1] = (float)fmax(most / (N1 - 5), 2.0);
    small->spacing[2] = (float)fmax(most / (N2 - 3), 2.03 * (double)small->spacing[1]);
    small->from_sigma[0] = 0.0f;
    small->from_sigma[1] = (float)FROM_1_PX;
    small->from_sigma[2] = (float)(FROM_2 * (double)small->spacing[2]);
    fill_axis(&small->x, plan->width_px, small->spacing);
    fill_axis(&small->y, plan->height_px, small->spacing);
}

/* Counts the tiles of the box of blocks that need the picture itself. */
static int32_t near_tiles(const struct foveate_plan *plan, float from_sigma,
                          struct fovea_point_uv gaze)
{
    const struct foveate_frame frame = foveate_frame_make(plan, gaze);
    int32_t left = MOST, right = -1, top = MOST, bottom = -1;
    for (int32_t y = 0; y < (int32_t)plan->height_px; y++) {
        for (int32_t x = 0; x < (int32_t)plan->width_px; x++) {
            if (foveate_sigma_at(plan, &frame, x, y) < from_sigma) {
                left = x < left ? x : left;
                right = x > right ? x : right;
                top = y < top ? y : top;
                bottom = y > bottom ? y : bottom;
            }
        }
    }
    /* Blocks stick out by up to 3 pixels, and their edges by another; tiles have any phase. */
    return right < 0 ? 0 : ((right - left + 23) / TILE + 1) * ((bottom - top + 23) / TILE + 1);
}

/* Sigma at a place of the law's table, where a picture has so many pixels to the table's unit. */
static double sigma_along(const struct foveate_plan *plan, double at, double px_per_unit)
{
    const struct foveate_law *law = &plan->law;
    const float plain = foveate_law_table(law, plan->law_table, (float)at) * (float)px_per_unit;
    return (double)(law->strength * foveate_law_ramp(plain, law->sharp_px));
}

/* Returns how much sigma changes at most across a block's diagonal where there are so many pixels
 * to the table's unit, for any gaze. Blocks that take level 0 even if the gaze is in their middle,
 * and have no sigma beyond its last node, do not count while they are on the ramp. `growth` is by
 * how much pixels to the unit grow across the block. */
static double across_block_of(const struct foveate_plan *plan, const struct foveate_small *small,
                              double px_per_unit, double growth)
{
    const double ramp_end = 2.0 * (double)(plan->law.strength * plan->law.sharp_px);
    const double block = BLOCK_DIAGONAL_PX / px_per_unit;
    double most = 0.0;
    for (int32_t i = 0; i < plan->law.table_count; i++) {
        const double at = i / (double)plan->law.table_per_unit;
        const double near = sigma_along(plan, at, px_per_unit);
        const double far = sigma_along(plan, at + block, px_per_unit * growth);
        const double middle = sigma_along(plan, at + 0.5 * block, px_per_unit * growth);
        const bool is_of_level_0 = middle < (double)small->from_sigma[1] && far <= NEAR_LAST;
        most = near > ramp_end || !is_of_level_0 ? fmax(most, far - near) : most;
    }
    return most;
}

/* A gaze outside the picture shows parts of the law that none inside shows: the table has all. By
 * angle, pixels to the degree are fewest on the view's axis, and grow by up to half the tangent of
 * a pixel (model/slope.c). */
static double across_block(const struct foveate_plan *plan, const struct foveate_small *small)
{
    if (plan->law.kind == FOVEATE_LAW_RADIAL) {
        return across_block_of(plan, small, 1.0, 1.0);
    }
    const double widest = (double)fmaxf(plan->law.tan_x_per_px, plan->law.tan_y_per_px);
    const double farthest = hypot(1.0, foveate_plan_farthest_tangent(plan));
    const double growth = 1.0 + 0.5 * widest * BLOCK_DIAGONAL_PX;
    return fmax(across_block_of(plan, small, RADIAN / widest, growth),
                across_block_of(plan, small, farthest * RADIAN / widest, growth));
}

/* Otherwise a block's smallest sigma need not be that of its place nearest to the gaze, and a gaze
 * far outside may leave all of the picture to level 0. */
static bool rises(const struct foveate_plan *plan)
{
    bool all = true;
    for (int32_t i = 1; all && i < plan->law.table_count; i++) {
        all = plan->law_table[i] >= plan->law_table[i - 1];
    }
    return all;
}

/* Returns the largest step of sigma from an entry of level 0's blend weights to the next. */
static double largest_step(const struct foveate_plan *plan)
{
    const int32_t last = FOVEATE_SMALL_ENTRIES(0) - 1;
    const double entry = last_distance(plan, NEAR_LAST) / last;
    double most = 0.0;
    for (int32_t i = 0; i < last && plan->law.kind == FOVEATE_LAW_RADIAL; i++) {
        most = fmax(most,
                    sigma_at_distance(plan, entry * (i + 1)) - sigma_at_distance(plan, entry * i));
    }
    return most;
}

bool foveate_small_fits(const struct foveate_plan *plan)
{
    struct foveate_small small;
    /* Sigma of a map may jump, and a block is measured at its corners only. */
    const bool line =
        plan->law.kind == FOVEATE_LAW_RADIAL || plan->law.kind == FOVEATE_LAW_PROJECTED;
    if (plan->fragment_px > 0 || !line || plan->level_count == 0 || plan->width_px > MOST ||
        plan->height_px > MOST || plan->width_px < FOVEATE_SMALL_LEAST_PX ||
        plan->height_px < FOVEATE_SMALL_LEAST_PX) {
        return false;
    }
    fill_spacing(plan, &small);
    if (!rises(plan) || across_block(plan, &small) > MOST_ACROSS_PX ||
        largest_step(plan) > MOST_STEP_PX ||
        largest_sigma(plan) > MOST_FOR_EIGHT * first_of_level_2(&small)) {
        return false;
    }
    for (int i = 0; i < 9; i++) {
        const struct fovea_point_uv gaze = {0.5 * (i % 3), 0.5 * (i / 3)};
        if (near_tiles(plan, small.from_sigma[1], gaze) > FOVEATE_SMALL_NEAR_TILES) {
            return false;
        }
    }
    return true;
}

/* Four nodes were placed by trial: to within 0.0064 of any frequency if the last is 3.4 times the
 * first, and 0.0054 if 3.2 times; even spacing gives 0.0079 and 0.0066. Five are spaced evenly, to
 * within 0.0026. */
static const double places_of_four[4] = {0.0, 0.29, 0.69, 1.0};

static void fill_nodes(struct foveate_small_sets *sets, int32_t k, int32_t count, double first,
                       double last)
{
    sets->counts[k] = count;
    for (int32_t i = 0; i < count; i++) {
        const double place = count == 4 ? places_of_four[i] : i / (double)(count - 1);
        sets->sigmas[k][i] = first * pow(last / first, place);
    }
}

/* The picture's nodes were placed by trial: to within 0.0013 of any frequency up to a sigma of
 * 2.8. */
static const double near_nodes[FOVEATE_SMALL_NODES_0] = {0.0,   0.52, 0.74,     1.042,
                                                         1.525, 2.24, NEAR_LAST};

static void fill_sets(const struct foveate_plan *plan, const struct foveate_small *small,
                      struct foveate_small_sets *sets)
{
    const double across = fmax(across_block(plan, small), 0.5) + 0.05;
    const double first_2 = first_of_level_2(small);
    const double last_2 = fmax(largest_sigma(plan), 1.5 * first_2);
    *sets = (struct foveate_small_sets){.counts = {FOVEATE_SMALL_NODES_0}};
    sets->light = foveate_plan_light(plan) != IMAGE_LIGHT_STORED;
    memcpy(sets->sigmas[0], near_nodes, sizeof near_nodes);
    fill_nodes(sets, 1, FOVEATE_SMALL_NODES_1(sets->light),
               NODES_FROM_1 * (double)small->spacing[1], (double)small->from_sigma[2] + across);
    const bool few = !sets->light && last_2 < MOST_FOR_FOUR * first_2;
    fill_nodes(sets, 2, FOVEATE_SMALL_NODES_2 * (few ? 1 : 2), first_2, last_2);
}

/* Returns where blocks of a level begin: HUGE_VALF if the law does not stay above. */
static float square_from(const struct foveate_plan *plan, double sigma)
{
    const double distance = last_distance(plan, sigma);
    return sigma_at_distance(plan, distance) < sigma ? HUGE_VALF : (float)(distance * distance);
}

static enum fovea_result fill_tables(const struct foveate_plan *plan,
                                     const struct foveate_small_sets *sets,
                                     struct foveate_small *small,
                                     struct foveate_small_tables *tables)
{
    struct foveate_small_blender *blender = malloc(sizeof *blender);
    enum fovea_result result =
        blender ? foveate_small_write_weights(sets, small, tables) : FOVEA_ERROR_OUT_OF_MEMORY;
    for (int32_t k = 0; k < 3 && result == FOVEA_OK; k++) {
        result = foveate_small_blender_init(sets, k, blender);
        if (result == FOVEA_OK) {
            fill_blend_weights(plan, small, tables, blender);
        }
    }
    free(blender);
    return result;
}

enum fovea_result foveate_small_fill(const struct foveate_plan *plan,
                                     struct foveate_small *out_small,
                                     struct foveate_small_tables *out_tables)
{
    struct foveate_small_sets sets;
    *out_small = (struct foveate_small){.law = plan->law};
    *out_tables = (struct foveate_small_tables){0};
    fill_spacing(plan, out_small);
    fill_sets(plan, out_small, &sets);
    out_small->nodes_2 = sets.counts[2];
    out_small->by_distance = plan->law.kind == FOVEATE_LAW_RADIAL;
    for (int32_t k = 0; k < 3 && out_small->by_distance; k++) {
        out_small->from_square[k] = square_from(plan, (double)out_small->from_sigma[k]);
    }
    out_tables->blend_at = (size_t)FOVEATE_SMALL_OPERANDS_MOST * FOVEATE_SMALL_OPERAND_BYTES;
    out_tables->bytes = out_tables->blend_at + (size_t)3 * FOVEATE_SMALL_BLEND_HALVES * 2;
    out_tables->halves = calloc(1, out_tables->bytes);
    if (!out_tables->halves) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return fill_tables(plan, &sets, out_small, out_tables);
}
