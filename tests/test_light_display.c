/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What light is averaged for images of sRGB, PQ and HLG and for displays of their own. */

#include "test_foveate_support.h"

static const enum fovea_transfer transfers[] = {FOVEA_TRANSFER_PQ, FOVEA_TRANSFER_HLG};

/* Black and white columns become half of white's light on the display, which each function has a
 * level of its own for. 913.82: 1.2 root of a half is 0.5612 of the scene's white. */
TEST(what_is_averaged_is_light)
{
    static const struct {
        enum fovea_transfer transfer;
        double peak_cd_m2;
        double half; /* the level of half of white's light, of 1023 */
    } cases[] = {{FOVEA_TRANSFER_SRGB, 0, 752.27},   {FOVEA_TRANSFER_PQ, 0, 947.86},
                 {FOVEA_TRANSFER_HLG, 1000, 913.82}, {FOVEA_TRANSFER_HLG, 0, 913.82},
                 {FOVEA_TRANSFER_HLG, 400, 895.92},  {FOVEA_TRANSFER_HLG, 2000, 924.32},
                 {FOVEA_TRANSFER_HLG, 10000, 946.26}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
        foveation.transfer = cases[i].transfer;
        foveation.display.hlg_peak_cd_m2 = cases[i].peak_cd_m2;
        OWNED_IMAGE src = image_make_packed(200, 60, FOVEA_FORMAT_A2B10G10R10);
        OWNED_IMAGE dst = image_make_packed(200, 60, FOVEA_FORMAT_A2B10G10R10);
        for (uint32_t at = 0; at < 200 * 60; at++) {
            for (uint32_t c = 0; c < 3; c++) {
                image_set(&src.view, at % 200, at / 200, c, at % 2 ? 1023 : 0);
            }
        }
        struct rig rig = rig_make(foveation, 200, 60);
        (void)rig_run(&rig, &src.view, &dst.view, 0, 0);
        const double level = image_get(&dst.view, 150, 30, 1);
        assert_that(fabs(level - cases[i].half) <= 1.0, "case %zu: level %g, expected %g", i, level,
                    cases[i].half);
        rig_finish(&rig);
    }
}

/* Light that goes with the stored values is what encoded averages; so it is for the blockwise
 * method too. */
TEST(gamma_1_is_encoded)
{
    OWNED_IMAGE src = image_drawn(120, 70, FOVEA_FORMAT_A2B10G10R10, IMAGE_RANDOM, 3);
    struct test_image dst[3];
    for (int i = 0; i < 6; i++) {
        struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
        foveation.method = (enum fovea_method)(i / 3);
        foveation.light = i % 3 == 0   ? FOVEA_LIGHT_ENCODED
                          : i % 3 == 1 ? FOVEA_LIGHT_GAMMA
                                       : FOVEA_LIGHT_TABLE;
        foveation.display =
            (struct fovea_display){.gamma = 1, .table_count = 2, .table = {20, 120}};
        dst[i % 3] = image_make_packed(120, 70, FOVEA_FORMAT_A2B10G10R10);
        struct rig rig = rig_make(foveation, 120, 70);
        (void)rig_run(&rig, &src.view, &dst[i % 3].view, 50, 20);
        rig_finish(&rig);
        if (i % 3 > 0) {
            struct compare_rect where = {0};
            assert_true(compare_largest(&dst[i % 3].view, &dst[0].view, &where) <= 2.0);
            image_free(&dst[i % 3]);
        }
        if (i % 3 == 2) {
            image_free(&dst[0]);
        }
    }
}

/* A program that says its images are of PQ or HLG knows better than a setting about another
 * screen. */
TEST(pq_and_hlg_have_their_own_light)
{
    OWNED_IMAGE src = image_drawn(120, 70, FOVEA_FORMAT_A2B10G10R10, IMAGE_RANDOM, 3);
    for (int i = 0; i < 4; i++) {
        struct test_image dst[2];
        for (int own = 0; own < 2; own++) {
            struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
            foveation.transfer = transfers[i % 2];
            foveation.light = FOVEA_LIGHT_LINEAR;
            if (own) {
                foveation.light = compare_display(i, &foveation.display);
            }
            dst[own] = image_make_packed(120, 70, FOVEA_FORMAT_A2B10G10R10);
            struct rig rig = rig_make(foveation, 120, 70);
            (void)rig_run(&rig, &src.view, &dst[own].view, 50, 20);
            rig_finish(&rig);
        }
        compare_assert_all_same(&dst[1].view, &dst[0].view, "own light");
        image_free(&dst[0]);
        image_free(&dst[1]);
    }
}

/* Plans are made anew where a curve changes, and only there. */
TEST(plans_know_their_display)
{
    struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
    foveation.light = compare_display(3, &foveation.display);
    struct gauss_plan *plan = plan_of(&foveation, 64, 48);
    assert_true(foveate_plan_fits(plan, &foveation, 64, 48));
    foveation.display.gamma = 1.5;
    foveation.display.hlg_peak_cd_m2 = 500;
    assert_true(foveate_plan_fits(plan, &foveation, 64, 48));
    foveation.display.table[1] *= 0.5f;
    assert_false(foveate_plan_fits(plan, &foveation, 64, 48));
    foveation.light = FOVEA_LIGHT_GAMMA;
    assert_false(foveate_plan_fits(plan, &foveation, 64, 48));
    foveate_plan_destroy(&plan);
    plan = plan_of(&foveation, 64, 48);
    assert_true(foveate_plan_fits(plan, &foveation, 64, 48));
    foveation.display.table_count = 0;
    assert_true(foveate_plan_fits(plan, &foveation, 64, 48));
    foveation.display.gamma = 2;
    assert_false(foveate_plan_fits(plan, &foveation, 64, 48));
    foveate_plan_destroy(&plan);
}

TEST(impossible_displays_make_no_plan)
{
    static const struct fovea_display wrong[] = {
        {.table_count = 0},
        {.table_count = 1, .table = {1}},
        {.table_count = FOVEA_DISPLAY_MAX + 1, .table = {0, 1}},
        {.table_count = 3, .table = {0, 2, 1}},
        {.table_count = 3, .table = {1, 1, 1}},
        {.table_count = 2, .table = {-1, 1}},
        {.table_count = 2, .table = {0, NAN}},
        {.table_count = 2, .table = {0, INFINITY}},
        {.table_count = 2, .table = {0, 1}, .gamma = 0.9},
        {.table_count = 2, .table = {0, 1}, .gamma = 3.1},
        {.table_count = 2, .table = {0, 1}, .hlg_peak_cd_m2 = 99},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
        struct gauss_plan *plan = NULL;
        foveation.light = FOVEA_LIGHT_TABLE;
        foveation.display = wrong[i];
        assert_int_equal(foveate_plan_create(&foveation, 64, 48, &plan),
                         FOVEA_ERROR_INVALID_ARGUMENT);
    }
}

/* Stored values stay what is averaged where the settings say so, whatever the transfer function. */
TEST(encoded_averages_what_is_stored)
{
    for (int method = 0; method < 2; method++) {
        struct test_image dst[2];
        OWNED_IMAGE src = image_drawn(120, 70, FOVEA_FORMAT_A2B10G10R10, IMAGE_RANDOM, 3);
        for (int i = 0; i < 2; i++) {
            struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
            foveation.method = (enum fovea_method)method;
            foveation.light = FOVEA_LIGHT_ENCODED;
            foveation.transfer = i ? FOVEA_TRANSFER_PQ : FOVEA_TRANSFER_SRGB;
            dst[i] = image_make_packed(120, 70, FOVEA_FORMAT_A2B10G10R10);
            struct rig rig = rig_make(foveation, 120, 70);
            (void)rig_run(&rig, &src.view, &dst[i].view, 50, 20);
            rig_finish(&rig);
        }
        compare_assert_all_same(&dst[1].view, &dst[0].view, "encoded");
        image_free(&dst[0]);
        image_free(&dst[1]);
    }
}
