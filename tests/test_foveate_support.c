/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "test_foveate_support.h"

struct fovea_foveation paper_settings(uint32_t fragment_px)
{
    struct fovea_foveation settings = fovea_settings_default().foveation;
    settings.method = FOVEA_METHOD_BLOCKWISE;
    settings.cutoff_gain = exp(-0.5);
    settings.paper.fragment_px = fragment_px;
    return settings;
}

struct fovea_foveation smooth_settings(enum fovea_model model)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.model = model;
    settings.method = FOVEA_METHOD_SMOOTH;
    settings.physical = (struct fovea_physical){.ct0 = 1.0 / 64.0, .alpha = 0.106, .e2_deg = 2.3};
    settings.curve = (struct fovea_curve){
        .count = 3, .eccentricity_deg = {0.0, 5.0, 30.0}, .cutoff_cpd = {60.0, 27.0, 4.0}};
    settings.geometry = (struct fovea_geometry){.screen_width_m = 0.53, .distance_m = 0.6};
    settings.relative = (struct fovea_relative){.sharp = 0.25, .halving = 0.25};
    return settings;
}

struct fovea_foveation map_settings(enum fovea_map_kind kind)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_MAP);
    settings.map = (struct fovea_map){.kind = kind, .width_deg = 200.0, .floor = 0.001};
    if (kind == FOVEA_MAP_ARRAY) {
        settings.map.values = image_map;
        settings.map.width = IMAGE_MAP_WIDTH;
        settings.map.height = IMAGE_MAP_HEIGHT;
        settings.map.width_deg = 70.0;
        settings.map.serial = 1;
    }
    return settings;
}

struct fovea_foveation even_settings(double sigma_px)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_CURVE);
    const double ppd = 40.0;
    settings.geometry = (struct fovea_geometry){.ppd = ppd};
    settings.curve =
        (struct fovea_curve){.count = 1, .cutoff_cpd = {ppd / (2.0 * 3.14159265358979 * sigma_px)}};
    return settings;
}

struct gauss_plan *plan_of(const struct fovea_foveation *foveation, uint32_t width_px,
                           uint32_t height_px)
{
    struct gauss_plan *plan = NULL;
    assert_ok(foveate_plan_create(foveation, width_px, height_px, &plan));
    assert_non_null(plan);
    return plan;
}

static bool are_checked(const struct fovea_foveation *foveation)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation = *foveation;
    return config_foveation_check(&settings, (struct fovea_log){0}) == FOVEA_OK;
}

void assert_no_plan(const struct fovea_foveation *good, const struct fovea_foveation *foveation,
                    const char *what)
{
    struct gauss_plan *plan = (struct gauss_plan *)&what; /* which a failure makes NULL */
    assert_true(are_checked(good));
    assert_that(!are_checked(foveation) || (foveate_plan_create(foveation, 64, 48, &plan) ==
                                                FOVEA_ERROR_INVALID_ARGUMENT &&
                                            !plan),
                "%s was not refused", what);
}

void assert_fit(const struct fovea_foveation *foveation, const struct fovea_foveation *others,
                bool fits, const char *what)
{
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(foveation, 64, 48);
    assert_true(foveate_plan_fits(plan, foveation, 64, 48));
    assert_that(foveate_plan_fits(plan, others, 64, 48) == fits, "%s", what);
}

struct gauss_frame frame_at(const struct gauss_plan *plan, double x_px, double y_px)
{
    const struct fovea_point_uv gaze = {x_px / plan->width_px, y_px / plan->height_px};
    return gauss_frame_make(plan, gaze);
}

enum fovea_result processor_create(const struct gauss_plan *plan, uint32_t thread_count,
                                   struct processor *out)
{
    *out = (struct processor){0};
    enum fovea_result result = thread_pool_create(thread_count, &out->pool);
    if (result >= 0) {
        result = gauss_cpu_create(out->pool, plan, &out->cpu);
    }
    if (result < 0) {
        processor_finish(out);
    }
    return result;
}

void processor_finish(struct processor *processor)
{
    gauss_cpu_destroy(&processor->cpu);
    thread_pool_destroy(&processor->pool);
}

void processor_run(const struct processor *processor, const struct fovea_image *src,
                   const struct fovea_image *dst, const struct gauss_frame *frame)
{
    const struct operator_images batch = {.count = 1, .src = src, .dst = dst};
    gauss_cpu_run_batch(processor->cpu, &batch, frame);
}

struct rig rig_make(struct fovea_foveation foveation, uint32_t width_px, uint32_t height_px)
{
    struct rig rig = {.foveation = foveation};
    rig.plan = plan_of(&foveation, width_px, height_px);
    assert_ok(processor_create(rig.plan, 2, &rig.processor));
    return rig;
}

void rig_finish(struct rig *rig)
{
    processor_finish(&rig->processor);
    foveate_plan_destroy(&rig->plan);
}

struct gauss_frame rig_run(struct rig *rig, const struct fovea_image *src,
                           const struct fovea_image *dst, double x_px, double y_px)
{
    const struct gauss_frame frame = frame_at(rig->plan, x_px, y_px);
    processor_run(&rig->processor, src, dst, &frame);
    return frame;
}

void assert_exact_picture(struct fovea_foveation foveation, const struct exact_case *c,
                          const struct fovea_image *src, double mean_times)
{
    char what[240];
    snprintf(
        what, sizeof what,
        "picture %d, %ux%u, format %d, method %d, model %d, map %d, light %d, transfer %d, peak "
        "%g, alpha %d, fragment %u, rule %d, strength %g, gaze %.9g,%.9g",
        (int)c->pattern, c->width_px, c->height_px, (int)c->format, (int)foveation.method,
        (int)foveation.model, (int)foveation.map.kind, (int)foveation.light,
        (int)foveation.transfer, foveation.display.hlg_peak_cd_m2, (int)foveation.alpha,
        foveation.paper.fragment_px, (int)foveation.paper.filter_length, foveation.strength,
        c->gaze_x_px, c->gaze_y_px);
    OWNED_IMAGE dst = image_make_packed(c->width_px, c->height_px, c->format);
    OWNED(rig_finish) struct rig rig = rig_make(foveation, c->width_px, c->height_px);
    const struct gauss_frame frame = rig_run(&rig, src, &dst.view, c->gaze_x_px, c->gaze_y_px);
    OWNED(owned_free) double *expected = compare_expected(&foveation, src, &frame);
    struct compare_budget budget = compare_budget_for(&foveation, c->format);
    budget.max_mean_abs *= mean_times;
    compare_assert_close(&dst.view, expected, budget, what);
    assert_true(image_guards_intact(&dst));
}

void assert_exact(struct fovea_foveation foveation, const struct exact_case *c)
{
    OWNED_IMAGE src = image_drawn(c->width_px, c->height_px, c->format, c->pattern, 7);
    assert_exact_picture(foveation, c, &src.view, 1.0);
}
