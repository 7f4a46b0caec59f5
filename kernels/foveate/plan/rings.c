/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's law with steps: rings around the gaze, each with one sigma, that of its middle. Ring
 * i lies from bound_i = F/2 + 1.4 F i to the next, the last to half the diagonal and beyond
 * (gauss/grid.h). */

#include "core/large_memory.h"
#include "core/log.h"
#include "law.h"

#include <math.h>

/* In tenths of a pixel a bound is a whole number. */
static uint64_t bound_tenths(uint32_t fragment_px, uint32_t i)
{
    return (uint64_t)fragment_px * (5 + 14 * (uint64_t)i);
}

static double bound_px(uint32_t fragment_px, uint32_t i)
{
    return (double)bound_tenths(fragment_px, i) / 10.0;
}

/* Counts the bounds below half the diagonal; at least one, so that a fragment larger than the
 * picture leaves the picture blurred where the gaze is not. */
static uint32_t count_rings(const struct gauss_plan *plan)
{
    const uint64_t width = plan->width_px;
    const uint64_t height = plan->height_px;
    uint32_t count = 1;
    for (;; count++) {
        const uint64_t tenths = bound_tenths(plan->fragment_px, count);
        if (tenths * tenths >= 25 * (width * width + height * height)) {
            return count;
        }
    }
}

/* Returns the middle of a ring, where its sigma is evaluated. */
static double middle_px(const struct gauss_plan *plan, uint32_t i, double d_max_px)
{
    const bool is_last = i + 1 == (uint32_t)plan->law.table_count;
    const double outer_px = is_last ? d_max_px : bound_px(plan->fragment_px, i + 1);
    return fmin(0.5 * (bound_px(plan->fragment_px, i) + outer_px), d_max_px);
}

enum fovea_result foveate_plan_fill_rings(struct gauss_plan *plan,
                                          const struct foveate_model *model)
{
    const uint32_t count = count_rings(plan);
    plan->law = (struct gauss_law){.kind = GAUSS_LAW_RINGS, .table_count = (int32_t)count};
    plan->law_table = large_memory_make(count, sizeof *plan->law_table);
    FOVEA_TRY_MEMORY(plan->law_table);
    for (uint32_t i = 0; i < count; i++) {
        plan->law_table[i] = (float)foveate_model_law(model, middle_px(plan, i, model->d_max_px));
    }
    return FOVEA_OK;
}
