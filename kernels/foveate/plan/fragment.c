/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fragment.h"
#include "kernels/foveate/foveate.h"

#include "core/large_memory.h"

#include <stdlib.h>

/* At least so many samples of sigma are left on a level. */
#define RESIDUAL 3.0f
#define RESIDUAL_PRINTED 4.5f /* in light */
#define FINER_AT_10_BITS 4.0f /* likewise */

/* Filters that cost more from pixels. */
#define WIDE_RADIUS_PX 40
#define NARROW_FRAGMENT_PX 8

bool foveate_fragments_pay(const struct foveate_plan *plan)
{
    return !plan->smooth && plan->ring_count > 0 &&
           !image_light_is_wide(foveate_plan_light(plan)) &&
           (plan->max_radius_px > WIDE_RADIUS_PX || plan->fragment_px < NARROW_FRAGMENT_PX);
}

static float residual_of(const struct foveate_plan *plan, int32_t bits)
{
    if (foveate_plan_light(plan) == IMAGE_LIGHT_STORED) {
        return RESIDUAL;
    }
    const bool printed = plan->foveation.paper.filter_length == FOVEA_FILTER_LENGTH_PRINTED;
    return (printed ? RESIDUAL_PRINTED : RESIDUAL) * (bits > 8 ? FINER_AT_10_BITS : 1.0f);
}

static int32_t count_samples(int32_t level, int32_t radius_px)
{
    const int32_t across = (2 * radius_px + (1 << level) - 1) >> level;
    return across + 1 + (level > 0 ? 2 : 0);
}

static void choose(struct foveate_fragment_filters *filters, const struct foveate_plan *plan,
                   uint32_t ring, float residual)
{
    struct foveate_fragment_filter *filter = &filters->filters[ring];
    const int32_t side_px = (int32_t)plan->fragment_px;
    filter->level = foveate_level_with(plan->rings[ring].sigma_px, residual, FOVEATE_MAX_LEVELS);
    filter->radius_px = (int32_t)plan->rings[ring].radius_px;
    filter->count = count_samples(filter->level, filter->radius_px);
    filter->first = filters->weight_count;
    filters->weight_count += (uint32_t)filter->count << filter->level;
    const int32_t samples = filter->count + (side_px >> filter->level) + 1;
    filters->most_samples = samples > filters->most_samples ? samples : filters->most_samples;
    filters->level_count =
        filter->level >= filters->level_count ? filter->level + 1 : filters->level_count;
}

/* sums[i] is the sum of all taps before tap i - radius. */
static void sum_taps(const struct foveate_plan *plan, const struct foveate_ring *ring, double *sums)
{
    const float *taps = plan->taps + ring->first_tap;
    const int32_t radius_px = (int32_t)ring->radius_px;
    sums[0] = 0.0;
    for (int32_t i = -radius_px; i <= radius_px; i++) {
        sums[i + radius_px + 1] = sums[i + radius_px] + (double)taps[abs(i)];
    }
}

/* Returns the sum of the filter before a pixel at a distance. */
static double before(const struct foveate_fragment_filter *filter, const double *sums,
                     int32_t distance_px)
{
    const int32_t at = distance_px + filter->radius_px;
    const int32_t end = 2 * filter->radius_px + 1;
    return sums[at < 0 ? 0 : at > end ? end : at];
}

static void fill_weights(const struct foveate_fragment_filter *filter, const double *sums,
                         float *out)
{
    const int32_t cell_px = 1 << filter->level;
    const double sharpen = 0.25 - 0.25 / ((double)cell_px * cell_px);
    for (int32_t px = 0; px < cell_px; px++) {
        const int32_t first = foveate_fragment_first(filter, px);
        for (int32_t i = 0; i < filter->count; i++) {
            const int32_t begin_px = (first + i) * cell_px - px;
            const double a = before(filter, sums, begin_px - cell_px);
            const double b = before(filter, sums, begin_px);
            const double c = before(filter, sums, begin_px + cell_px);
            const double d = before(filter, sums, begin_px + 2 * cell_px);
            *out++ = (float)((1.0 + 2.0 * sharpen) * (c - b) - sharpen * (b - a + d - c));
        }
    }
}

enum fovea_result foveate_fragment_filters_init(struct foveate_fragment_filters *filters,
                                                const struct foveate_plan *plan, int32_t bits)
{
    *filters = (struct foveate_fragment_filters){.level_count = 1};
    filters->filters = calloc(plan->ring_count, sizeof *filters->filters);
    double *sums = calloc(2 * (size_t)plan->max_radius_px + 2, sizeof *sums);
    for (uint32_t i = 0; filters->filters && i < plan->ring_count; i++) {
        choose(filters, plan, i, residual_of(plan, bits));
    }
    filters->weights = large_memory_make(filters->weight_count, sizeof *filters->weights);
    const bool ready = filters->filters && sums && filters->weights;
    for (uint32_t i = 0; ready && i < plan->ring_count; i++) {
        sum_taps(plan, &plan->rings[i], sums);
        fill_weights(&filters->filters[i], sums, filters->weights + filters->filters[i].first);
    }
    free(sums);
    if (!ready) {
        foveate_fragment_filters_finish(filters);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

void foveate_fragment_filters_finish(struct foveate_fragment_filters *filters)
{
    free(filters->filters);
    large_memory_free(filters->weights);
    *filters = (struct foveate_fragment_filters){0};
}
