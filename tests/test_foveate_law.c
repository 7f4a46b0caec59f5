/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method with the models that have a law, on the cpu: plans and properties. */

#include "test_foveate_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fovea_foveation law_settings(enum fovea_model model, uint32_t fragment_px)
{
    struct fovea_foveation settings = smooth_settings(model);
    settings.method = FOVEA_METHOD_BLOCKWISE;
    settings.paper.fragment_px = fragment_px;
    settings.geometry.ppd = 4.0; /* a view so wide that there is something to blur */
    return settings;
}

/* Any number: the models in turn, maps by degrees of the view and of the paper. */
static struct fovea_foveation law_at(int i, uint32_t fragment_px)
{
    struct fovea_foveation settings =
        law_settings(i % 2 ? FOVEA_MODEL_CURVE : FOVEA_MODEL_PHYSICAL, fragment_px);
    if (i % 5 == 1 && i / 5 % 2) {
        settings.model = FOVEA_MODEL_RELATIVE;
    } else if (i % 5 >= 2) {
        static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK,
                                                    FOVEA_MAP_ARRAY};
        settings.model = FOVEA_MODEL_MAP;
        settings.map = map_settings(kinds[i % 5 - 2]).map;
        settings.map.degrees = i % 2 ? FOVEA_MAP_DEGREES_VIEW : FOVEA_MAP_DEGREES_PAPER;
        settings.map.cutoff_cpd = i % 2 ? 8.0 : 0.0;
        settings.map.eye = FOVEA_MAP_EYE_LEFT;
    }
    return settings;
}

TEST(sigma_zero_everywhere_copies)
{
    for (int i = 0; i < 3; i++) {
        struct fovea_foveation settings = law_settings(FOVEA_MODEL_CURVE, 16);
        settings.strength = i == 0 ? 0.0 : i == 1 ? 1e-9 : 1.0;
        settings.curve = (struct fovea_curve){.count = 1, .cutoff_cpd = {i == 2 ? 1000.0 : 0.1}};
        settings.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        settings.light = FOVEA_LIGHT_LINEAR;
        struct test_image src = image_make_packed(61, 47, FOVEA_FORMAT_RGBA8);
        struct test_image dst = image_make_packed(61, 47, FOVEA_FORMAT_RGBA8);
        image_draw(&src.view, IMAGE_RANDOM, 23);
        struct rig rig = rig_make(settings, 61, 47);
        const struct foveate_frame frame = rig_run(&rig, &src.view, &dst.view, 11, 13);
        assert_true(foveate_sigma_at(rig.plan, &frame, 60, 46) == 0.0f);
        compare_assert_all_same(&dst.view, &src.view, "sigma 0");
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}

TEST(fragments_of_no_size_are_refused)
{
    static const uint32_t sides[] = {0, 3, 129, UINT32_MAX};
    for (size_t i = 0; i < 2 * sizeof sides / sizeof *sides; i++) {
        struct fovea_foveation settings = law_at((int)i % 2, sides[i / 2]);
        struct foveate_plan *plan = NULL;
        assert_int_equal(foveate_plan_create(&settings, 64, 64, &plan),
                         FOVEA_ERROR_INVALID_ARGUMENT);
        settings.method = FOVEA_METHOD_SMOOTH;
        assert_int_equal(foveate_plan_create(&settings, 64, 64, &plan), FOVEA_OK);
        foveate_plan_destroy(&plan);
    }
}

/* What the smooth method does not use must not make it another plan, and blockwise needs it. */
TEST(a_plan_fits_by_what_its_method_uses)
{
    for (int i = 0; i < 4; i++) {
        struct fovea_foveation settings = law_at(i, 16);
        settings.method = i / 2 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        struct foveate_plan *plan = plan_of(&settings, 64, 48);
        assert_true(foveate_plan_fits(plan, &settings, 64, 48));
        settings.paper.fragment_px = 17;
        assert_int_equal(foveate_plan_fits(plan, &settings, 64, 48), i / 2);
        settings.paper.fragment_px = 16;
        foveate_plan_destroy(&plan);
    }
}

/* ---- Properties */

TEST(mirrored_picture_and_gaze_give_the_mirrored_result)
{
    static const int even[] = {0, 1, 3}; /* the human map is none: up and down differ */
    for (int i = 0; i < 9; i++) {
        const bool x = i / 3 != 1;
        const bool y = i / 3 != 0;
        const struct fovea_foveation settings = law_at(even[i % 3], 16);
        struct test_image images[4];
        for (int j = 0; j < 4; j++) {
            images[j] = image_make_packed(176, 128, FOVEA_FORMAT_RGBA8);
        }
        struct rig rig = rig_make(settings, 176, 128);
        image_draw(&images[0].view, IMAGE_RANDOM, 23);
        image_mirror(&images[0].view, &images[1].view, x, y);
        rig_run(&rig, &images[0].view, &images[2].view, 37, 90);
        rig_run(&rig, &images[1].view, &images[3].view, x ? 176 - 37 : 37, y ? 128 - 90 : 90);
        image_mirror(&images[3].view, &images[1].view, x, y);
        struct compare_rect where;
        assert_true(compare_largest(&images[1].view, &images[2].view, &where) <= 1.0);
        rig_finish(&rig);
        for (int j = 0; j < 4; j++) {
            image_free(&images[j]);
        }
    }
}

TEST(a_constant_picture_stays_constant)
{
    for (int i = 0; i < 14; i++) {
        const enum fovea_format format = (enum fovea_format)(1 + i / 2);
        struct fovea_foveation settings = law_at(i, 16);
        settings.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        struct test_image src = image_make_packed(120, 90, format);
        struct test_image dst = image_make_packed(120, 90, format);
        image_fill(&src.view, 0.5 * image_white(format, 0));
        struct rig rig = rig_make(settings, 120, 90);
        rig_run(&rig, &src.view, &dst.view, 30, 60);
        struct compare_rect where;
        const double largest = compare_largest(&dst.view, &src.view, &where);
        assert_true(largest <=
                    (format == FOVEA_FORMAT_RGBA32F ? 1e-6 : 0.0) * image_white(format, 0));
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}

/* The fragment at the gaze has its centre within half a pixel of it, where these models copy. */
TEST(the_fovea_is_copied_bit_by_bit)
{
    for (int i = 0; i < 2; i++) {
        struct fovea_foveation settings = law_at(i, 32);
        settings.geometry.ppd = 30.0;
        struct test_image src = image_make_packed(200, 150, FOVEA_FORMAT_RGBA8);
        struct test_image dst = image_make_packed(200, 150, FOVEA_FORMAT_RGBA8);
        image_draw(&src.view, IMAGE_RANDOM, 5);
        struct rig rig = rig_make(settings, 200, 150);
        rig_run(&rig, &src.view, &dst.view, 100, 75);
        compare_assert_same(&dst.view, &src.view, (struct compare_rect){84, 59, 32, 32}, "fovea");
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}
