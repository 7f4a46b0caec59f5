/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "law.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "kernels/foveate/model/map_ready.h"
#include "kernels/gauss/plan/ladder.h"

#include <math.h>

/* Between entries the table is linear: so many meet the kinks of a law within 1/1000. */
#define RADIAL_ENTRIES 2049
#define PROJECTED_ENTRIES 4097
#define PROJECTED_END_DEG 180.0
#define MOST_CURVE_MISS 5e-4

/* Below this sigma a pixel's neighbours weigh less than exp(-500) everywhere, and sigma squared may
 * be no float. */
#define SMALLEST_STRENGTH 1e-6

static struct gauss_law radial_law(const struct foveate_model *model)
{
    return (struct gauss_law){
        .kind = GAUSS_LAW_RADIAL,
        .table_count = RADIAL_ENTRIES,
        .table_per_unit = (float)((RADIAL_ENTRIES - 1) / foveate_model_farthest_px(model)),
    };
}

static struct gauss_law projected_law(void)
{
    return (struct gauss_law){
        .kind = GAUSS_LAW_PROJECTED,
        .table_count = PROJECTED_ENTRIES,
        .table_per_unit = (float)((PROJECTED_ENTRIES - 1) / PROJECTED_END_DEG),
    };
}

/* Returns whether the points are entries, and whether between entries the inverse of the cutoff,
 * which the table has, is linear enough: it misses the cutoff's line by change^2 / (4 a b). */
static bool curve_meets_entries(const struct fovea_curve *curve, double per_deg)
{
    bool meets = true;
    for (uint32_t i = 0; i < curve->count; i++) {
        const double entry = curve->eccentricity_deg[i] * per_deg;
        meets = meets && fabs(entry - round(entry)) < 1e-6;
    }
    for (uint32_t i = 1; meets && i < curve->count; i++) {
        const double *cutoff = &curve->cutoff_cpd[i - 1];
        const double entries =
            per_deg * (curve->eccentricity_deg[i] - curve->eccentricity_deg[i - 1]);
        const double change = fabs(cutoff[1] - cutoff[0]) / entries;
        const double least = fmin(cutoff[0], cutoff[1]);
        meets = change * change <= MOST_CURVE_MISS * 4.0 * least * (least + change);
    }
    return meets;
}

/* Beyond the last point a curve is constant, and so is a table beyond its last entry. */
static struct gauss_law curve_law(const struct fovea_curve *curve)
{
    static const int32_t per_deg[] = {25, 50, 100, 200, 500, 1000};
    const double end_deg = curve->eccentricity_deg[curve->count - 1];
    size_t i = 0;
    while (i + 1 < sizeof per_deg / sizeof *per_deg && !curve_meets_entries(curve, per_deg[i])) {
        i++;
    }
    return (struct gauss_law){
        .kind = GAUSS_LAW_PROJECTED,
        .table_count = (int32_t)fmax(ceil(end_deg * per_deg[i] - 1e-6), 1.0) + 1,
        .table_per_unit = (float)per_deg[i],
    };
}

/* The map's frame of one entry has the smallest sample, which counts farther out. */
static struct gauss_law map_law(const struct foveate_model *model)
{
    const int32_t width = model->map.width + 2;
    const int32_t height = model->map.height + 2;
    return (struct gauss_law){
        .kind = foveate_model_projected(model) ? GAUSS_LAW_MAP_PROJECTED : GAUSS_LAW_MAP,
        .table_count = width * height,
        .table_per_unit = (float)foveate_model_map_per_unit(model),
        .map_width = width,
        .map_height = height,
        .map_root = model->foveation.map.law == FOVEA_MAP_LAW_SQRT,
    };
}

static struct gauss_law law_of(const struct foveate_model *model)
{
    struct gauss_law law;
    if (model->foveation.model == FOVEA_MODEL_MAP) {
        law = map_law(model);
    } else if (model->foveation.model == FOVEA_MODEL_CURVE) {
        law = curve_law(&model->foveation.curve);
    } else {
        law = foveate_model_projected(model) ? projected_law() : radial_law(model);
    }
    law.tan_x0 = (float)model->view.tan_x0;
    law.tan_x_per_px = (float)model->view.tan_x_per_px;
    law.tan_y0 = (float)model->view.tan_y0;
    law.tan_y_per_px = (float)model->view.tan_y_per_px;
    return law;
}

/* A gaze far outside the picture makes no sigma above the limit either, so that the cost of a frame
 * is bounded. */
static double highest_entry(const struct foveate_model *model)
{
    return GAUSS_MAX_SIGMA_PX / fmax(model->foveation.strength, 1e-3) /
           foveate_model_px_per_unit_max(model);
}

static void fill_line(struct gauss_plan *plan, const struct foveate_model *model)
{
    const bool is_curve = model->foveation.model == FOVEA_MODEL_CURVE;
    const int32_t last = plan->law.table_count - 1;
    const double end = is_curve                         ? last / (double)plan->law.table_per_unit
                       : foveate_model_projected(model) ? PROJECTED_END_DEG
                                                        : foveate_model_farthest_px(model);
    const double highest = highest_entry(model);
    for (int32_t i = 0; i <= last; i++) {
        plan->law_table[i] = (float)fmin(foveate_model_law(model, end * i / last), highest);
    }
}

static enum fovea_result fill_table(struct gauss_plan *plan, const struct foveate_model *model)
{
    const bool is_map = model->foveation.model == FOVEA_MODEL_MAP;
    plan->law_table = is_map ? foveate_map_ready_table(model, highest_entry(model)) : NULL;
    if (plan->law_table) {
        plan->shared = &model->map.ready->extremes;
        return FOVEA_OK;
    }
    plan->law_table = large_memory_make((size_t)plan->law.table_count, sizeof *plan->law_table);
    FOVEA_TRY_MEMORY(plan->law_table);
    if (is_map) {
        foveate_map_fill_table(model, highest_entry(model), plan->law_table);
    } else {
        fill_line(plan, model);
    }
    return FOVEA_OK;
}

double foveate_plan_sigma_bound_px(const struct foveate_model *model)
{
    const double law = fmin(foveate_model_law_bound(model), highest_entry(model));
    return foveate_model_applied_px(model, law * foveate_model_px_per_unit_max(model));
}

/* Sigmas of rings rise. */
static double sigma_bound_px(const struct gauss_plan *plan, const struct foveate_model *model)
{
    return plan->law.kind == GAUSS_LAW_RINGS
               ? (double)(plan->law.strength * plan->law_table[plan->law.table_count - 1])
               : foveate_plan_sigma_bound_px(model);
}

/* Fills law and law_table, but for the strength. */
static enum fovea_result fill_law(struct gauss_plan *plan, const struct foveate_model *model)
{
    if (!foveate_model_by_law(model)) {
        return foveate_plan_fill_rings(plan, model);
    }
    plan->law = law_of(model);
    plan->law.sharp_px = (float)(2.0 * model->kappa);
    return fill_table(plan, model);
}

enum fovea_result foveate_plan_fill_law(struct gauss_plan *plan, const struct foveate_model *model)
{
    FOVEA_TRY(fill_law(plan, model));
    if (model->foveation.strength >= SMALLEST_STRENGTH) {
        plan->law.strength = (float)model->foveation.strength;
        gauss_plan_fill_levels(plan, sigma_bound_px(plan, model));
    }
    return FOVEA_OK;
}
