/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/foveate/foveate.h"

#include "config/display_table.h"
#include "core/large_memory.h"
#include "core/log.h"
#include "filter.h"
#include "kernels/foveate/model/map_ready.h"
#include "kernels/foveate/model/model.h"
#include "smooth.h"

#include <math.h>
#include <stdlib.h>

/* Bound i is F/2 + 1.4 F i: in tenths of a pixel a whole number. */
static uint64_t bound_tenths(uint32_t fragment_px, uint32_t i)
{
    return (uint64_t)fragment_px * (5 + 14 * (uint64_t)i);
}

static double bound_px(uint32_t fragment_px, uint32_t i)
{
    return (double)bound_tenths(fragment_px, i) / 10.0;
}

/* Bounds below half the diagonal; at least one, so that a fragment larger than the image leaves the
 * image blurred where the gaze is not. */
static uint32_t count_rings(uint32_t fragment_px, uint32_t width_px, uint32_t height_px)
{
    const uint64_t diagonal_sq = (uint64_t)width_px * width_px + (uint64_t)height_px * height_px;
    uint32_t count = 1;
    for (;; count++) {
        const uint64_t tenths = bound_tenths(fragment_px, count);
        if (tenths * tenths >= 25 * diagonal_sq) {
            return count;
        }
    }
}

/* Returns the middle of the ring, where its sigma is evaluated. */
static double ring_middle_px(const struct foveate_plan *plan, uint32_t i, double d_max_px)
{
    const double inner_px = bound_px(plan->fragment_px, i);
    const double outer_px =
        i + 1 < plan->ring_count ? bound_px(plan->fragment_px, i + 1) : d_max_px;
    return fmin(0.5 * (inner_px + outer_px), d_max_px);
}

static double ring_sigma_px(const struct foveate_plan *plan, const struct foveate_model *model,
                            uint32_t i)
{
    return foveate_model_sigma_px(model, ring_middle_px(plan, i, model->d_max_px));
}

static void fill_ring(struct foveate_plan *plan, const struct foveate_model *model, uint32_t i)
{
    const double sigma_px = ring_sigma_px(plan, model, i);
    const uint64_t tenths = bound_tenths(plan->fragment_px, i);
    const uint64_t bound_sq_q16 = (65536 * tenths * tenths + 99) / 100;
    const uint32_t radius_px =
        foveate_filter_radius_px(plan->foveation.paper.filter_length, sigma_px);
    plan->rings[i] = (struct foveate_ring){
        .bound_sq_low = (uint32_t)bound_sq_q16,
        .bound_sq_high = (uint32_t)(bound_sq_q16 >> 32),
        .radius_px = radius_px,
        .first_tap = plan->tap_count,
        .sigma_px = (float)sigma_px,
    };
    plan->tap_count += radius_px + 1;
    if (radius_px > plan->max_radius_px) {
        plan->max_radius_px = radius_px;
    }
}

static enum fovea_result fill_rings(struct foveate_plan *plan, const struct foveate_model *model)
{
    plan->rings = large_memory_make(plan->ring_count, sizeof *plan->rings);
    if (!plan->rings) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->ring_count; i++) {
        fill_ring(plan, model, i);
    }
    return FOVEA_OK;
}

/* Returns sigma of filter i, as exactly as the taps need it. */
static double filter_sigma_px(const struct foveate_plan *plan, const struct foveate_model *model,
                              uint32_t i)
{
    return foveate_model_by_law(model) ? foveate_plan_bank_sigma_px(plan, i)
                                       : ring_sigma_px(plan, model, i);
}

static enum fovea_result fill_taps(struct foveate_plan *plan, const struct foveate_model *model)
{
    plan->taps = large_memory_make(plan->tap_count, sizeof *plan->taps);
    if (!plan->taps) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const bool wide = image_light_is_wide(foveate_plan_light(plan));
    for (uint32_t i = 0; i < plan->ring_count; i++) {
        const struct foveate_ring *ring = &plan->rings[i];
        (wide ? foveate_filter_make_wide : foveate_filter_make)(
            filter_sigma_px(plan, model, i), ring->radius_px, plan->taps + ring->first_tap);
    }
    return FOVEA_OK;
}

static enum fovea_result fill_blockwise(struct foveate_plan *plan,
                                        const struct foveate_model *model)
{
    plan->fragment_px = model->foveation.paper.fragment_px;
    if (foveate_model_by_law(model)) {
        FOVEA_TRY(foveate_plan_fill_bank(plan, model));
    } else if (model->foveation.strength != 0.0) {
        plan->ring_count = count_rings(plan->fragment_px, plan->width_px, plan->height_px);
        FOVEA_TRY(fill_rings(plan, model));
    }
    return plan->ring_count > 0 ? fill_taps(plan, model) : FOVEA_OK;
}

static enum fovea_result fill_plan(struct foveate_plan *plan, const struct foveate_model *model)
{
    plan->foveation = model->foveation;
    plan->ready = foveate_map_ready_share(model->map.ready);
    plan->foveation.map.ready = plan->ready;
    plan->foveation.map.values = NULL; /* settings.h says whose they are */
    plan->foveation.map.own_values = NULL;
    foveate_model_describe(model, plan->description, sizeof plan->description);
    plan->width_px = model->width_px;
    plan->height_px = model->height_px;
    plan->sigma_max_px = (float)foveate_model_sigma_max_px(model);
    plan->smooth = model->foveation.method == FOVEA_METHOD_SMOOTH;
    return plan->smooth ? foveate_plan_fill_smooth(plan, model) : fill_blockwise(plan, model);
}

enum fovea_result foveate_plan_create(const struct fovea_foveation *foveation, uint32_t width_px,
                                      uint32_t height_px, struct foveate_plan **out_plan)
{
    *out_plan = NULL;
    struct foveate_model *model = malloc(sizeof *model);
    struct foveate_plan *plan = calloc(1, sizeof *plan);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    if (model && plan) {
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

bool foveate_plan_shares_table(const struct foveate_plan *plan)
{
    return plan->ready && plan->law_table == plan->ready->table;
}

void foveate_plan_destroy(struct foveate_plan **plan)
{
    if (!plan || !*plan) {
        return;
    }
    large_memory_free((*plan)->rings);
    large_memory_free((*plan)->taps);
    if (!foveate_plan_shares_table(*plan)) {
        large_memory_free((*plan)->law_table);
    }
    foveate_map_ready_release(&(*plan)->ready);
    free(*plan);
    *plan = NULL;
}

static bool same_law_of_paper(const struct fovea_paper *a, const struct fovea_paper *b)
{
    return a->ct0 == b->ct0 && a->alpha == b->alpha && a->e2_deg == b->e2_deg &&
           a->e_max_deg == b->e_max_deg && a->f_max_cpd == b->f_max_cpd;
}

static bool same_paper(const struct fovea_paper *a, const struct fovea_paper *b)
{
    return same_law_of_paper(a, b) && a->fragment_px == b->fragment_px &&
           a->filter_length == b->filter_length;
}

static bool same_fragments(const struct fovea_paper *a, const struct fovea_paper *b)
{
    return a->fragment_px == b->fragment_px && a->filter_length == b->filter_length;
}

static bool same_physical(const struct fovea_physical *a, const struct fovea_physical *b)
{
    return a->ct0 == b->ct0 && a->alpha == b->alpha && a->e2_deg == b->e2_deg;
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
        return a->eye == b->eye;
    case FOVEA_MAP_ARRAY:
        return a->serial == b->serial && a->serial != 0 && a->width_deg == b->width_deg;
    case FOVEA_MAP_STREAK:
    case FOVEA_MAP_FILE:
        break;
    }
    return a->kind == FOVEA_MAP_STREAK;
}

static bool same_map(const struct fovea_foveation *a, const struct fovea_foveation *b)
{
    return a->map.kind == b->map.kind && a->map.law == b->map.law &&
           a->map.degrees == b->map.degrees && a->map.cutoff_cpd == b->map.cutoff_cpd &&
           a->map.floor == b->map.floor && same_map_source(&a->map, &b->map) &&
           same_law_of_paper(&a->paper, &b->paper) &&
           (a->map.degrees == FOVEA_MAP_DEGREES_PAPER || same_geometry(&a->geometry, &b->geometry));
}

/* Returns whether the parts that the light needs are alike. */
static bool same_display(const struct fovea_foveation *a, const struct fovea_foveation *b)
{
    if (a->transfer != FOVEA_TRANSFER_SRGB) {
        return a->transfer != FOVEA_TRANSFER_HLG ||
               a->display.hlg_peak_cd_m2 == b->display.hlg_peak_cd_m2;
    }
    return (a->light != FOVEA_LIGHT_GAMMA || a->display.gamma == b->display.gamma) &&
           (a->light != FOVEA_LIGHT_TABLE || display_same_table(&a->display, &b->display));
}

/* Parts that the model does not use do not count. */
static bool same_model(const struct fovea_foveation *a, const struct fovea_foveation *b)
{
    if (a->model != b->model || a->cutoff_gain != b->cutoff_gain) {
        return false;
    }
    switch (a->model) {
    case FOVEA_MODEL_PAPER:
        return same_paper(&a->paper, &b->paper);
    case FOVEA_MODEL_PHYSICAL:
        return same_physical(&a->physical, &b->physical) &&
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

bool foveate_plan_fits(const struct foveate_plan *plan, const struct fovea_foveation *foveation,
                       uint32_t width_px, uint32_t height_px)
{
    const struct fovea_foveation *own = &plan->foveation;
    return plan->width_px == width_px && plan->height_px == height_px &&
           own->method == foveation->method && own->light == foveation->light &&
           own->transfer == foveation->transfer && same_display(own, foveation) &&
           own->strength == foveation->strength && own->alpha == foveation->alpha &&
           (plan->smooth || same_fragments(&own->paper, &foveation->paper)) &&
           same_model(own, foveation);
}
