/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The bank of filters: sigma rises by one factor from filter to filter, and a fragment takes the one
 * nearest to its own. What that is off by, with steps of h (natural logarithm), so at most d = h / 2:
 *
 *   sigma off by a share d moves, along an axis, 0.968 d of a Gaussian's weight (its derivative's absolute
 *   value, summed), 1.94 d in two, and so a value by at most 255/2 * 1.94 d = 247 d levels of 8 bits;
 *   a filter that is a tap shorter or longer on each side lacks 4 times that tap's weight, which by
 *   the length rules is at most 4.4e-4: another 0.45 levels.
 *
 * At the finest step d is 1/16384: 0.02 levels, and 0.47 with a tap too many. Where sigma goes to hundreds
 * of pixels the step grows so that the taps stay below BANK_TAPS; at 1024 px d is 1/629: 0.39 levels,
 * and there a tap more is 0.02. So every value lies less than one level from the true one. */

#include "foveate_filter.h"
#include "foveate_plan_smooth.h"

#include "core/log.h"

#include <math.h>
#include <stdlib.h>

#define FINEST_PER_OCTAVE 5678.0 /* 8192 ln 2 */
#define BANK_TAPS 1048576.0
#define TAPS_PER_SIGMA 3.2552 /* of a half filter, by the longer rule */

/* Half filters of sigma up to s, so many an octave, have TAPS_PER_SIGMA s / ln 2 times as many taps. */
static double choose_per_octave(double bound_px)
{
    return floor(fmin(FINEST_PER_OCTAVE, BANK_TAPS * M_LN2 / (TAPS_PER_SIGMA * bound_px)));
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
    const double least_px = foveate_filter_least_sigma_px(plan->foveation.paper.filter_length);
    const double bound_px = foveate_plan_sigma_bound_px(model);
    if (plan->law.strength == 0.0f || bound_px < least_px) {
        return FOVEA_OK;
    }
    plan->law.bank_log2_first = (float)log2(least_px);
    plan->law.bank_per_octave = (float)choose_per_octave(bound_px);
    plan->ring_count = count_filters(plan, bound_px);
    plan->rings = calloc(plan->ring_count, sizeof *plan->rings);
    if (!plan->rings) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->ring_count; i++) {
        fill_filter(plan, i);
    }
    return FOVEA_OK;
}
