/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "test_blur_support.h"

#include "kernels/blur/blur.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t mixed(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    return i ^ i >> 27;
}

/* From 0.3 on, as many in each octave. */
static double sigma_of(uint64_t random, double most_sigma_px)
{
    const double part = (double)(random % 1000) / 999.0;
    return 0.3 * pow(most_sigma_px / 0.3, part);
}

struct blur_scene blur_scene_of(uint64_t i, double most_sigma_px)
{
    static const enum fovea_format formats[] = {
        FOVEA_FORMAT_RGBA8,       FOVEA_FORMAT_RGB8,       FOVEA_FORMAT_R8,
        FOVEA_FORMAT_A2B10G10R10, FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F,
        FOVEA_FORMAT_RGBA32F,     FOVEA_FORMAT_RGB16F,     FOVEA_FORMAT_R16F,
        FOVEA_FORMAT_RGB32F,      FOVEA_FORMAT_R32F,
    };
    const uint64_t random = mixed(i);
    struct blur_scene scene = {.settings = fovea_settings_default(),
                               .format = formats[i % 11],
                               .width_px = 1 + (uint32_t)(random >> 8) % 150,
                               .height_px = 1 + (uint32_t)(random >> 20) % 110,
                               .picture = (int)(i / 11 % IMAGE_CONTRAST_COUNT),
                               .blue_first = random >> 32 & 1};
    struct fovea_foveation *foveation = &scene.settings.foveation;
    scene.settings.own.blur_sigma_px = sigma_of(random >> 34, most_sigma_px);
    foveation->alpha = random >> 33 & 1 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
    switch (i / 3 % 5) {
    case 0:
        foveation->light = FOVEA_LIGHT_ENCODED;
        break;
    case 1:
        foveation->transfer = FOVEA_TRANSFER_PQ;
        break;
    case 2:
        foveation->transfer = FOVEA_TRANSFER_HLG;
        foveation->display.hlg_peak_cd_m2 = random & 1 ? 1000 : 400;
        break;
    case 3:
        foveation->light = compare_display((int)(random % COMPARE_DISPLAYS), &foveation->display);
        break;
    default:
        break; /* sRGB */
    }
    return scene;
}

struct operator_plan *blur_scene_plan(const struct blur_scene *scene)
{
    struct operator_plan *plan = NULL;
    const struct operator_plan_desc desc = {&scene->settings, scene->width_px, scene->height_px};
    assert_int_equal(blur_operator.plan_create(&desc, &plan), FOVEA_OK);
    assert_true(blur_operator.plan_fits(plan, &desc));
    return plan;
}

struct operator_frame blur_scene_frame(const struct blur_scene *scene)
{
    return (struct operator_frame){.width_px = (int32_t)scene->width_px,
                                   .height_px = (int32_t)scene->height_px,
                                   .blue_first = scene->blue_first};
}

struct test_image blur_scene_draw(const struct blur_scene *scene)
{
    struct test_image image = image_make_packed(scene->width_px, scene->height_px, scene->format);
    if (scene->picture < (int)IMAGE_PATTERN_COUNT) {
        image_draw(&image.view, (enum image_pattern)scene->picture, 7);
    } else {
        image_draw_contrast(&image.view, scene->picture);
    }
    return image;
}

static void by_reference(const void *user, const struct fovea_image *src, const double *in,
                         double *out)
{
    const double *sigma_px = user;
    assert_int_equal(blur_reference(*sigma_px, src->width_px, src->height_px,
                                    image_channels(src->format), in, out),
                     FOVEA_OK);
}

/* Alpha that is kept was not blurred. */
static void keep_alpha(const struct fovea_image *src, double *values)
{
    const uint32_t channels = image_channels(src->format);
    for (uint32_t i = 0; channels == 4 && i < src->width_px * src->height_px; i++) {
        values[4 * (size_t)i + 3] = image_get(src, i % src->width_px, i / src->width_px, 3);
    }
}

/* The bound that README.md states. */
static struct compare_budget budget_of(enum fovea_format format)
{
    const double white = image_white(format, 0);
    if (!image_is_float(format)) {
        return (struct compare_budget){.rounding = 0.5, .max_abs = 0.25, .max_mean_abs = 0.02};
    }
    if (pixel_has_32_bit_floats(format)) {
        return (struct compare_budget){
            .max_abs = 1e-5 * white, .max_rel = 1e-4, .max_mean_abs = 1e-4};
    }
    const bool short_floats = format == FOVEA_FORMAT_B10G11R11F;
    return (struct compare_budget){.max_abs = 1e-5 * white,
                                   .max_rel = short_floats ? 1.0 / 32 : 1e-3,
                                   .max_mean_abs = short_floats ? 0.2 : 0.01};
}

void blur_assert_exact(const struct blur_scene *scene, const struct fovea_image *src,
                       const struct fovea_image *actual)
{
    const struct fovea_foveation *foveation = &scene->settings.foveation;
    const double sigma_px = scene->settings.own.blur_sigma_px;
    int32_t light = pixel_light_of(foveation->light, foveation->transfer);
    light = image_light_in_order(light, scene->blue_first);
    double *expected = compare_expected_by(foveation, src, light, by_reference, &sigma_px);
    if (foveation->alpha == FOVEA_ALPHA_KEEP) {
        keep_alpha(src, expected);
    }
    char what[160];
    snprintf(what, sizeof what, "%ux%u, sigma %g, format %d, light %d, alpha %d, picture %d",
             scene->width_px, scene->height_px, sigma_px, (int)scene->format, (int)light,
             (int)foveation->alpha, scene->picture);
    compare_assert_close(actual, expected, budget_of(scene->format), what);
    free(expected);
}
