/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_small_plan.h"

#include "foveate/foveate_small_matrix.h"
#include "foveate/foveate_small_weights.h"
#include "pixel_float.h"

#include <math.h>
#include <stdlib.h>

#define N1 FOVEATE_SMALL_SAMPLES_1
#define N2 FOVEATE_SMALL_SAMPLES_2
#define MOST FOVEATE_SMALL_MOST_PX
#define TILE FOVEATE_SMALL_TILE

/* From these sigmas on, in spacings, a level shows what the picture has; the sets begin below, since a
 * pixel is interpolated from samples nearer to the gaze too. */
#define FROM_1 0.9
#define FROM_2 1.14
#define SETS_1 0.75
#define SETS_2 0.89
#define OCTAVE 0.25 /* between the sigmas of a set */
/* How far a block's sigma may lie above its smallest, in pixels: in laws steeper than this weights of 17
 * samples end too early. */
#define MOST_ACROSS_PX 0.8

/* ---- Sets of sigmas ---------------------------------------------------------------------------- */

/* Of the sampled Gaussian, which is narrower than sigma where sigma is small. */
static double variance_of(double sigma)
{
    double sum = 0.0;
    double squares = 0.0;
    for (int32_t i = -24; i <= 24 && sigma > 0.0; i++) {
        const double weight = exp(-i * i / (2.0 * sigma * sigma));
        sum += weight;
        squares += weight * i * i;
    }
    return sum > 0.0 && sigma < 3.0 ? squares / sum : sigma * sigma;
}

static double sigma_of(double variance)
{
    double low = 0.05;
    double high = 8.0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(variance_of(middle) < variance ? &low : &high) = middle;
    }
    return low;
}

/* In light a dark pixel shows what little comes from bright ones two pixels away: smaller steps where
 * that little changes fastest. */
static int32_t fill_near_set(double *sigmas, double last, bool light)
{
    static const double variances[] = {0.035, 0.075, 0.125, 0.185, 0.265, 0.37};
    int32_t count = 1;
    double variance = 0.0;
    sigmas[0] = 0.0;
    for (int i = 0; i < 6; i++) {
        variance = variances[i];
        sigmas[count++] = sigma_of(variance);
    }
    while (sigmas[count - 1] < last) {
        variance *= exp2(light && variance < 1.2 ? OCTAVE : 2.0 * OCTAVE);
        sigmas[count++] = sigma_of(variance);
    }
    return count;
}

static int32_t fill_set(double *sigmas, double first, double last)
{
    const double steps = ceil(log2(fmax(last / first, 1.01)) / OCTAVE);
    const int32_t count = (int32_t)fmin(steps, FOVEATE_SMALL_SETS - 1) + 1;
    for (int32_t i = 0; i < count; i++) {
        sigmas[i] = first * pow(last / first, i / (double)(count - 1));
    }
    return count;
}

/* Where in a set a sigma lies. A mixture of two Gaussians has more contrast than the one between, at
 * most frequencies: a little more of the wider one halves the difference. */
static double place_in(const double *sigmas, int32_t count, double sigma)
{
    int32_t below = 0;
    while (below + 2 < count && sigmas[below + 1] <= sigma) {
        below++;
    }
    const double from = variance_of(sigmas[below]);
    const double step = variance_of(sigmas[below + 1]) - from;
    const double variance = variance_of(sigma);
    const double part = fmin(fmax((variance - from) / step, 0.0), 1.0);
    const double bend = fmin(0.6 / fmax(variance, 1e-3), 2.5);
    const double more = bend * part * (1.0 - part) * step;
    return below + fmin(part + more, 1.0);
}

static double sigma_at_distance(const struct foveate_plan *plan, double distance_px)
{
    return (double)foveate_law_sigma_at(&plan->law, plan->law_table, (float)distance_px, 0.0f, 0.0f,
                                        0.0f);
}

/* From there on the law is at least `sigma`, or constant. */
static double last_distance(const struct foveate_plan *plan, double sigma)
{
    const double per_entry = 1.0 / (double)plan->law.table_per_unit;
    int32_t last = plan->law.table_count - 1;
    while (last > 1 && sigma_at_distance(plan, per_entry * (last - 1)) >= sigma) {
        last--;
    }
    return per_entry * last;
}

static void fill_places(const struct foveate_plan *plan, struct foveate_small *small,
                        struct foveate_small_tables *tables, int32_t k, const double *sigmas,
                        int32_t count)
{
    uint16_t *out = tables->halves + tables->places_at / 2 + (size_t)k * FOVEATE_SMALL_PLACES;
    small->sets[k] = count;
    small->by_distance = plan->law.kind == FOVEATE_LAW_RADIAL;
    const double end = small->by_distance
                           ? last_distance(plan, k == 0 ? sigmas[count - 1] : HUGE_VAL)
                           : sigmas[count - 1];
    small->places_per_px[k] = (float)((FOVEATE_SMALL_PLACES - 1) / end);
    for (int32_t i = 0; i < FOVEATE_SMALL_PLACES; i++) {
        const double at = i / (double)small->places_per_px[k];
        const double sigma = small->by_distance ? sigma_at_distance(plan, at) : at;
        out[i] = pixel_float_to_half((float)place_in(sigmas, count, sigma));
        if (k == 1) {
            out[i + 2 * FOVEATE_SMALL_PLACES] = pixel_float_to_half((float)sigma); /* of table 3 */
        }
    }
}

/* ---- A plan ------------------------------------------------------------------------------------ */

static double largest_sigma(const struct foveate_plan *plan)
{
    const struct foveate_law *law = &plan->law;
    double largest = (double)plan->sigma_max_px;
    if (law->kind == FOVEATE_LAW_RADIAL) {
        for (int32_t i = 0; i < law->table_count; i++) {
            largest = fmax(largest, (double)(law->strength * plan->law_table[i]));
        }
    }
    return largest * (law->kind == FOVEATE_LAW_RADIAL ? 1.02 : 2.0);
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
    small->from_sigma[1] = (float)(FROM_1 * (double)small->spacing[1]);
    small->from_sigma[2] = (float)(FROM_2 * (double)small->spacing[2]);
    fill_axis(&small->x, plan->width_px, small->spacing);
    fill_axis(&small->y, plan->height_px, small->spacing);
}

/* Tiles of the box of blocks that need the picture itself. */
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
    /* Blocks stick out by up to 3 pixels, and their corners by another. */
    return right < 0 ? 0 : ((right - left + 8) / TILE + 1) * ((bottom - top + 8) / TILE + 1);
}

/* How much sigma changes across a block of pixels, with the gaze in the middle, in x, or in y. On the
 * ramp, where it starts, blocks are all of level 0, which has every sigma from 0 on. */
static double across_block(const struct foveate_plan *plan)
{
    const struct foveate_frame frame = foveate_frame_make(plan, (struct fovea_point_uv){0.5, 0.5});
    const double ramp_end = 2.0 * (double)(plan->law.strength * plan->law.sharp_px);
    const int32_t step = FOVEATE_SMALL_BLOCK_PX;
    double most = 0.0;
    for (int32_t y = 0; y + step < (int32_t)plan->height_px; y += step) {
        for (int32_t x = 0; x + step < (int32_t)plan->width_px; x += step) {
            const double a = (double)foveate_sigma_at(plan, &frame, x, y);
            const double b = (double)foveate_sigma_at(plan, &frame, x + step, y);
            const double c = (double)foveate_sigma_at(plan, &frame, x, y + step);
            const double d = (double)foveate_sigma_at(plan, &frame, x + step, y + step);
            const double low = fmin(fmin(a, b), fmin(c, d));
            const double high = fmax(fmax(a, b), fmax(c, d));
            most = low > ramp_end ? fmax(most, high - low) : most;
        }
    }
    return most;
}

bool foveate_small_fits(const struct foveate_plan *plan)
{
    struct foveate_small small;
    /* Sigma of a map may jump, and a block is measured at its corners. */
    const bool line =
        plan->law.kind == FOVEATE_LAW_RADIAL || plan->law.kind == FOVEATE_LAW_PROJECTED;
    if (!plan->smooth || !line || plan->level_count == 0 || plan->width_px > MOST ||
        plan->height_px > MOST || plan->width_px < FOVEATE_SMALL_LEAST_PX ||
        plan->height_px < FOVEATE_SMALL_LEAST_PX) {
        return false;
    }
    if (across_block(plan) > MOST_ACROSS_PX) {
        return false;
    }
    fill_spacing(plan, &small);
    for (int i = 0; i < 9; i++) {
        const struct fovea_point_uv gaze = {0.5 * (i % 3), 0.5 * (i / 3)};
        if (near_tiles(plan, small.from_sigma[1], gaze) > FOVEATE_SMALL_NEAR_TILES) {
            return false;
        }
    }
    return true;
}

static void fill_sets(const struct foveate_plan *plan, const struct foveate_small *small,
                      struct foveate_small_sets *sets)
{
    const double across = fmax(across_block(plan), 0.5) + 0.05;
    const bool averages_light =
        foveate_frame_make(plan, (struct fovea_point_uv){0.5, 0.5}).light != 0;
    sets->counts[0] =
        fill_near_set(sets->sigmas[0], (double)small->from_sigma[1] + across, averages_light);
    sets->counts[1] = fill_set(sets->sigmas[1], SETS_1 * (double)small->spacing[1],
                               (double)small->from_sigma[2] + across);
    sets->counts[2] =
        fill_set(sets->sigmas[2], SETS_2 * (double)small->spacing[2], largest_sigma(plan));
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
    out_tables->places_at = (size_t)FOVEATE_SMALL_PIECES_MOST * FOVEATE_SMALL_PIECE_BYTES;
    out_tables->bytes = out_tables->places_at + 4 * 2 * FOVEATE_SMALL_PLACES;
    out_tables->halves = calloc(1, out_tables->bytes);
    if (!out_tables->halves) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = foveate_small_write_weights(&sets, out_small, out_tables);
    if (result != FOVEA_OK) {
        return result;
    }
    for (int32_t k = 0; k < 3; k++) {
        fill_places(plan, out_small, out_tables, k, sets.sigmas[k], sets.counts[k]);
    }
    return FOVEA_OK;
}
