/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/foveate/foveate.h"

#include "core/log.h"
#include "kernels/foveate/model/map_ready.h"
#include "kernels/foveate/model/model.h"
#include "law.h"

#include <math.h>
#include <stdlib.h>

static enum fovea_result fill_plan(struct gauss_plan *plan, const struct foveate_model *model)
{
    plan->foveation = model->foveation;
    plan->foveation.map.ready = foveate_map_ready_share(model->map.ready);
    plan->foveation.map.values = NULL; /* settings.h says whose they are */
    plan->foveation.map.own_values = NULL;
    foveate_model_describe(model, plan->description, sizeof plan->description);
    plan->width_px = model->width_px;
    plan->height_px = model->height_px;
    plan->sigma_max_px = (float)foveate_model_sigma_max_px(model);
    plan->fragment_px =
        model->foveation.method == FOVEA_METHOD_BLOCKWISE ? model->foveation.paper.fragment_px : 0;
    return foveate_plan_fill_law(plan, model);
}

enum fovea_result foveate_plan_create_of_levels(const struct fovea_foveation *foveation,
                                                const struct levels_light *levels,
                                                uint32_t width_px, uint32_t height_px,
                                                struct gauss_plan **out_plan)
{
    *out_plan = NULL;
    struct foveate_model *model = malloc(sizeof *model);
    struct gauss_plan *plan = calloc(1, sizeof *plan);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    if (model && plan) {
        plan->levels_light = levels;
        result = foveate_model_init(model, foveation, width_px, height_px)
                     ? fill_plan(plan, model)
                     : FOVEA_ERROR_INVALID_ARGUMENT;
    }
    free(model);
    if (result < 0) {
        foveate_plan_destroy(&plan);
        return result;
    }
    *out_plan = plan;
    return FOVEA_OK;
}

enum fovea_result foveate_plan_create(const struct fovea_foveation *foveation, uint32_t width_px,
                                      uint32_t height_px, struct gauss_plan **out_plan)
{
    return foveate_plan_create_of_levels(foveation, NULL, width_px, height_px, out_plan);
}

bool foveate_plan_shares_table(const struct gauss_plan *plan)
{
    const struct fovea_map_ready *ready = plan->foveation.map.ready;
    return ready && plan->law_table == ready->table;
}

void foveate_plan_destroy(struct gauss_plan **plan)
{
    if (!plan || !*plan) {
        return;
    }
    gauss_plan_finish(*plan);
    foveate_map_ready_release(&(*plan)->foveation.map.ready);
    free(*plan);
    *plan = NULL;
}

static bool same_law_of_paper(const struct fovea_paper *a, const struct fovea_paper *b)
{
    return a->ct0 == b->ct0 && a->alpha == b->alpha && a->e2_deg == b->e2_deg &&
           a->e_max_deg == b->e_max_deg && a->f_max_cpd == b->f_max_cpd;
}

static bool same_curve(const struct fovea_curve *a, const struct fovea_curve *b)
{
    const uint32_t count = a->count < FOVEA_CURVE_MAX ? a->count : FOVEA_CURVE_MAX;
    for (uint32_t i = 0; i < count && a->count == b->count; i++) {
        if (a->eccentricity_deg[i] != b->eccentricity_deg[i] ||
            a->cutoff_cpd[i] != b->cutoff_cpd[i]) {
            return false;
        }
    }
    return a->count == b->count;
}

static bool same_geometry(const struct fovea_geometry *a, const struct fovea_geometry *b)
{
    return a->tan_left == b->tan_left && a->tan_right == b->tan_right && a->tan_up == b->tan_up &&
           a->tan_down == b->tan_down && a->ppd == b->ppd &&
           a->screen_width_m == b->screen_width_m && a->distance_m == b->distance_m;
}

/* Serials say whether arrays are the same; their values may be gone. */
static bool same_map_source(const struct fovea_map *a, const struct fovea_map *b)
{
    switch (a->kind) {
    case FOVEA_MAP_HUMAN:
    case FOVEA_MAP_HAWK:
        return a->eye == b->eye;
    case FOVEA_MAP_ARRAY:
        return a->serial == b->serial && a->serial != 0 && a->width_deg == b->width_deg;
    case FOVEA_MAP_STREAK:
    case FOVEA_MAP_KANGAROO:
    case FOVEA_MAP_DOG:
        return true;
    case FOVEA_MAP_FILE:
        break;
    }
    return false;
}

static bool same_map(const struct fovea_foveation *a, const struct fovea_foveation *b)
{
    return a->map.kind == b->map.kind && a->map.law == b->map.law &&
           a->map.degrees == b->map.degrees && a->map.cutoff_cpd == b->map.cutoff_cpd &&
           a->map.floor == b->map.floor && same_map_source(&a->map, &b->map) &&
           same_law_of_paper(&a->paper, &b->paper) &&
           (a->map.degrees == FOVEA_MAP_DEGREES_PAPER || same_geometry(&a->geometry, &b->geometry));
}

/* Parts that the model does not use do not count. */
static bool same_model(const struct fovea_foveation *a, const struct fovea_foveation *b)
{
    if (a->model != b->model || a->cutoff_gain != b->cutoff_gain) {
        return false;
    }
    switch (a->model) {
    case FOVEA_MODEL_PAPER:
        return same_law_of_paper(&a->paper, &b->paper);
    case FOVEA_MODEL_PHYSICAL:
        return a->physical.ct0 == b->physical.ct0 && a->physical.alpha == b->physical.alpha &&
               a->physical.e2_deg == b->physical.e2_deg &&
               same_geometry(&a->geometry, &b->geometry);
    case FOVEA_MODEL_CURVE:
        return same_curve(&a->curve, &b->curve) && same_geometry(&a->geometry, &b->geometry);
    case FOVEA_MODEL_MAP:
        return same_map(a, b);
    case FOVEA_MODEL_RELATIVE:
        return a->relative.sharp == b->relative.sharp && a->relative.halving == b->relative.halving;
    }
    return false;
}

bool foveate_plan_fits(const struct gauss_plan *plan, const struct fovea_foveation *foveation,
                       uint32_t width_px, uint32_t height_px)
{
    const struct fovea_foveation *own = &plan->foveation;
    return gauss_plan_fits_even(plan, foveation, width_px, height_px) &&
           own->method == foveation->method && own->strength == foveation->strength &&
           (plan->fragment_px == 0 || plan->fragment_px == foveation->paper.fragment_px) &&
           same_model(own, foveation);
}
