/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The bank of filters: sigma rises by one factor from filter to filter, and a fragment takes the
 * one nearest to its own, or the next one where only that has as many taps as its own would. What
 * that is off by, with steps of d (natural logarithm):
 *
 *   sigma off by a share s moves, along an axis, 0.968 s of a Gaussian's weight (its derivative's
 *   absolute
 *   value, summed), 1.94 s in two, and so a value by at most 255/2 * 1.94 s = 247 s levels of 8
 *   bits.
 *
 * The finest step is 1/8192: 0.015 levels where the nearest is taken, 0.03 where the next one is.
 * Where sigma goes to hundreds of pixels the step grows so that the taps stay below BANK_TAPS: at
 * 1024 px it is 1/315, 0.39 levels and, where that counts least, 0.79. So every value lies less
 * than one level from the true one. A tap more or less would be another 0.45 levels, and in a half
 * float more than 1/1000. */

#include "core/large_memory.h"
#include "filter.h"
#include "smooth.h"

#include "core/log.h"

#include <math.h>

#define FINEST_PER_OCTAVE 5678.0 /* 8192 ln 2 */
#define BANK_TAPS 1048576.0

/* With so many filters an octave, half filters of sigma up to s have t s / ln 2 times as many taps
 * in all, t taps for each sigma. */
static double choose_per_octave(double taps_per_sigma, double bound_px)
{
    return floor(fmin(FINEST_PER_OCTAVE, BANK_TAPS * M_LN2 / (taps_per_sigma * bound_px)));
}

double foveate_plan_bank_sigma_px(const struct foveate_plan *plan, uint32_t i)
{
    return exp2((double)plan->law.bank_log2_first + i / (double)plan->law.bank_per_octave);
}

static uint32_t count_filters(const struct foveate_plan *plan, double bound_px)
{
    const double octaves = log2(bound_px) - (double)plan->law.bank_log2_first;
    return (uint32_t)ceil(fmax(octaves, 0.0) * (double)plan->law.bank_per_octave) + 1;
}

static void fill_filter(struct foveate_plan *plan, uint32_t i)
{
    const double sigma_px = foveate_plan_bank_sigma_px(plan, i);
    const uint32_t radius_px =
        foveate_filter_radius_px(plan->foveation.paper.filter_length, sigma_px);
    plan->rings[i] = (struct foveate_ring){
        .radius_px = radius_px,
        .first_tap = plan->tap_count,
        .sigma_px = (float)sigma_px,
    };
    plan->tap_count += radius_px + 1;
    plan->max_radius_px = radius_px;
}

enum fovea_result foveate_plan_fill_bank(struct foveate_plan *plan,
                                         const struct foveate_model *model)
{
    FOVEA_TRY(foveate_plan_fill_law(plan, model));
    const enum fovea_filter_length rule = plan->foveation.paper.filter_length;
    const double taps_per_sigma = foveate_filter_taps_per_sigma(rule);
    const double least_px = foveate_filter_least_sigma_px(rule);
    const double bound_px = foveate_plan_sigma_bound_px(model);
    if (plan->law.strength == 0.0f || bound_px < least_px) {
        return FOVEA_OK;
    }
    plan->law.bank_log2_first = (float)log2(least_px);
    plan->law.bank_per_octave = (float)choose_per_octave(taps_per_sigma, bound_px);
    plan->law.bank_taps_per_sigma = (float)taps_per_sigma;
    plan->ring_count = count_filters(plan, bound_px);
    plan->rings = large_memory_make(plan->ring_count, sizeof *plan->rings);
    if (!plan->rings) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->ring_count; i++) {
        fill_filter(plan, i);
    }
    return FOVEA_OK;
}
