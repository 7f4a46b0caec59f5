/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "test_lens_places.h"
#include "cmocka_all.h"

#include "kernels/lens/place.h"
#include "kernels/lens/read/read.h"

struct lens_calibration *lens_read_text(const char *text)
{
    struct shared_data *made = NULL;
    char problem[LENS_PROBLEM_BYTES];
    assert_that(lens_read_file(text, strlen(text), problem, &made) == FOVEA_OK, "%s: %s", text,
                problem);
    assert_string_equal(problem, "");
    return (struct lens_calibration *)made;
}

struct lens_calibration *lens_of_points(const struct lens_points *points)
{
    struct lens_calibration *made = lens_calibration_make();
    struct shared_data *data = NULL;
    char problem[LENS_PROBLEM_BYTES];
    assert_non_null(made);
    made->eyes[0].points = *points;
    assert_ok(lens_calibration_finish(made, true, problem, &data));
    return made;
}

void lens_release(struct lens_calibration **calibration)
{
    struct shared_data *data = *calibration ? &(*calibration)->base : NULL;
    shared_data_release(&data);
    *calibration = NULL;
}

struct lens_plan *lens_plan_made(const struct operator_plan_desc *desc)
{
    struct operator_plan *plan = NULL;
    assert_ok(lens_plan_create(desc, &plan));
    assert_true(lens_plan_fits(plan, desc));
    return (struct lens_plan *)plan;
}

void lens_plan_release(struct lens_plan **plan)
{
    struct operator_plan *gone = (struct operator_plan *)*plan;
    lens_plan_destroy(&gone);
    *plan = NULL;
}

struct lens_plan *lens_plan_of_eye(struct lens_calibration *calibration, enum fovea_map_eye eye,
                                   uint32_t width_px, uint32_t height_px)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.map.eye = eye;
    settings.own.lens_file_data = &calibration->base;
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = width_px, .height_px = height_px};
    return lens_plan_made(&desc);
}

struct lens_plan *lens_plan_for(struct lens_calibration *calibration, uint32_t width_px,
                                uint32_t height_px)
{
    return lens_plan_of_eye(calibration, FOVEA_MAP_EYE_BOTH, width_px, height_px);
}

void lens_place_at(const struct lens_plan *plan, int32_t color, int32_t x, int32_t y,
                   double out_place[2])
{
    const struct lens_place place = lens_source_beside(&plan->shape, plan->moves, color, x, y,
                                                       (struct lens_offset){0.0f, 0.0f});
    out_place[0] = place.at_x + (double)place.part_x + 0.5;
    out_place[1] = place.at_y + (double)place.part_y + 0.5;
}

void lens_assert_wrong(const char *text, size_t count, const char *words)
{
    struct shared_data *made = NULL;
    char problem[LENS_PROBLEM_BYTES];
    OWNED(owned_free) char *exact = malloc(count ? count : 1);
    assert_non_null(exact);
    memcpy(exact, text, count);
    assert_int_equal(lens_read_file(exact, count, problem, &made), FOVEA_ERROR_CONFIG);
    assert_null(made);
    assert_that(strstr(problem, words), "it says \"%s\", not \"%s\", of %.100s", problem, words,
                text);
}
