/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/gauss/gauss.h"

#include "config/display_table.h"
#include "core/large_memory.h"
#include "core/log.h"

void gauss_plan_finish(struct gauss_plan *plan)
{
    if (!plan->shared) {
        large_memory_free(plan->law_table);
    }
}

uint64_t gauss_plan_cuda_bytes(const struct gauss_plan *plan)
{
    return 8 * (uint64_t)plan->level_samples;
}

/* ---- Levels */

static void lay_levels(struct gauss_plan *plan, uint32_t level_count)
{
    plan->level_count = level_count;
    plan->level_samples = 0;
    for (uint32_t k = 0; k < plan->level_count; k++) {
        const int32_t margin = gauss_level_margin((int32_t)k);
        const int32_t last = (1 << k) - 1;
        struct gauss_level *level = &plan->levels[k];
        level->first = (int32_t)plan->level_samples;
        level->width = ((int32_t)plan->width_px + last) >> k;
        level->height = ((int32_t)plan->height_px + last) >> k;
        level->pitch = level->width + 2 * margin;
        plan->level_samples += (uint32_t)(level->pitch * (level->height + 2 * margin));
    }
}

void gauss_plan_fill_levels(struct gauss_plan *plan, double sigma_px)
{
    const float residual = gauss_light_residual(gauss_plan_light(plan));
    plan->sigma_bound_px = (float)sigma_px;
    lay_levels(plan, (uint32_t)gauss_level_with((float)sigma_px, residual, GAUSS_MAX_LEVELS) + 1);
}

/* ---- Plans without a model */

/* GAUSS_LAW_RADIAL: every pixel has the sigma plan->sigma_max_px; GAUSS_LAW_PICTURE: those of
 * the pictures that frames come with, up to it. */
static enum fovea_result fill_flat(struct gauss_plan *plan, enum gauss_law_kind kind)
{
    const float least_px = kind == GAUSS_LAW_PICTURE ? GAUSS_PICTURED_LEAST_PX : 0.0f;
    plan->law = (struct gauss_law){.kind = kind, .table_count = 2, .table_per_unit = 1.0f};
    plan->law_table = large_memory_make(2, sizeof *plan->law_table);
    FOVEA_TRY_MEMORY(plan->law_table);
    plan->law_table[0] = plan->law_table[1] = plan->sigma_max_px;
    if (plan->sigma_max_px > least_px) {
        plan->law.strength = 1.0f;
        gauss_plan_fill_levels(plan, (double)plan->sigma_max_px);
    }
    return FOVEA_OK;
}

static enum fovea_result init_flat(struct gauss_plan *plan, enum gauss_law_kind kind,
                                   const struct fovea_foveation *foveation, double sigma_max_px,
                                   uint32_t width_px, uint32_t height_px)
{
    plan->foveation.method = FOVEA_METHOD_SMOOTH;
    plan->foveation.light = foveation->light;
    plan->foveation.alpha = foveation->alpha;
    plan->foveation.transfer = foveation->transfer;
    plan->foveation.display = foveation->display;
    plan->width_px = width_px;
    plan->height_px = height_px;
    plan->sigma_max_px = (float)sigma_max_px;
    return fill_flat(plan, kind);
}

enum fovea_result gauss_plan_init_even(struct gauss_plan *plan,
                                       const struct fovea_foveation *foveation, double sigma_px,
                                       uint32_t width_px, uint32_t height_px)
{
    plan->one_sigma_px = sigma_px;
    return init_flat(plan, GAUSS_LAW_RADIAL, foveation, sigma_px, width_px, height_px);
}

enum fovea_result gauss_plan_init_pictured(struct gauss_plan *plan,
                                           const struct fovea_foveation *foveation,
                                           double sigma_max_px, uint32_t width_px,
                                           uint32_t height_px)
{
    return init_flat(plan, GAUSS_LAW_PICTURE, foveation, sigma_max_px, width_px, height_px);
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

bool gauss_plan_fits_even(const struct gauss_plan *plan, const struct fovea_foveation *foveation,
                          uint32_t width_px, uint32_t height_px)
{
    const struct fovea_foveation *own = &plan->foveation;
    return plan->width_px == width_px && plan->height_px == height_px &&
           own->light == foveation->light && own->transfer == foveation->transfer &&
           same_display(own, foveation) && own->alpha == foveation->alpha;
}
