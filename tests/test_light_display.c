/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This light is averaged for images of sRGB, PQ and HLG and for displays of their own. */

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
        OWNED(rig_finish) struct rig rig = rig_make(foveation, 200, 60);
        (void)rig_run(&rig, &src.view, &dst.view, 0, 0);
        const double level = image_get(&dst.view, 150, 30, 1);
        assert_that(fabs(level - cases[i].half) <= 1.0, "case %zu: level %g, expected %g", i, level,
                    cases[i].half);
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
            OWNED(rig_finish) struct rig rig = rig_make(foveation, 120, 70);
            (void)rig_run(&rig, &src.view, &dst[own].view, 50, 20);
        }
        compare_assert_all_same(&dst[1].view, &dst[0].view, "own light");
        image_free(&dst[0]);
        image_free(&dst[1]);
    }
}

/* Plans are made anew where a curve changes, and only there. */
TEST(plans_know_their_display)
{
    struct fovea_foveation table = smooth_settings(FOVEA_MODEL_PAPER);
    table.light = compare_display(3, &table.display);
    FIT(true, table, f.display.gamma = 1.5; f.display.hlg_peak_cd_m2 = 500);
    FIT(false, table, f.display.table[1] *= 0.5f);
    FIT(false, table, f.light = FOVEA_LIGHT_GAMMA);
    struct fovea_foveation gamma = table;
    gamma.light = FOVEA_LIGHT_GAMMA;
    gamma.display.gamma = 1.5;
    FIT(true, gamma, f.display.table_count = 0);
    FIT(false, gamma, f.display.gamma = 2);
}

TEST(impossible_displays_make_no_plan)
{
    struct fovea_foveation table = smooth_settings(FOVEA_MODEL_PAPER);
    table.light = FOVEA_LIGHT_TABLE;
    table.display = (struct fovea_display){.table_count = 2, .table = {0, 1}};
    REFUSE(table, f.display.table_count = 0);
    REFUSE(table, f.display.table_count = 1);
    REFUSE(table, f.display.table_count = FOVEA_DISPLAY_MAX + 1);
    REFUSE(table, f.display = ((struct fovea_display){.table_count = 3, .table = {0, 2, 1}}));
    REFUSE(table, f.display = ((struct fovea_display){.table_count = 3, .table = {1, 1, 1}}));
    REFUSE(table, f.display.table[0] = -1);
    REFUSE(table, f.display.table[1] = NAN);
    REFUSE(table, f.display.table[1] = INFINITY);
    REFUSE(table, f.display.gamma = 0.9);
    REFUSE(table, f.display.gamma = 3.1);
    REFUSE(table, f.display.hlg_peak_cd_m2 = 99);
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
            OWNED(rig_finish) struct rig rig = rig_make(foveation, 120, 70);
            (void)rig_run(&rig, &src.view, &dst[i].view, 50, 20);
        }
        compare_assert_all_same(&dst[1].view, &dst[0].view, "encoded");
        image_free(&dst[0]);
        image_free(&dst[1]);
    }
}
