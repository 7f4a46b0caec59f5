/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene.h"

#include "kernels/blur/blur.h"
#include "kernels/image/pixel_light.h"

/* From 0.3 on, as many in each octave. */
static double sigma_of(uint64_t random, double most_sigma_px)
{
    const double part = (double)(random % 1000) / 999.0;
    return 0.3 * pow(most_sigma_px / 0.3, part);
}

static void choose_up_to(double most_sigma_px, struct operator_scene *scene)
{
    scene->settings.own.blur_sigma_px = sigma_of(scene->random, most_sigma_px);
}

static void choose(uint64_t i, struct operator_scene *scene)
{
    choose_up_to(40.0, scene);
}

/* What the reference is asked for. */
struct wanted {
    double sigma_px; /* of all pixels, or the largest that counts */
    const double *sigmas_px; /* NULL: there is no picture of them */
};

static void by_reference(const void *user, const struct fovea_image *src, const double *in,
                         double *out)
{
    const struct wanted *wanted = user;
    const uint32_t channels = image_channels(src->format);
    assert_int_equal(
        wanted->sigmas_px
            ? blur_reference_pictured(wanted->sigmas_px, wanted->sigma_px, src->width_px,
                                      src->height_px, channels, in, out)
            : blur_reference(wanted->sigma_px, src->width_px, src->height_px, channels, in, out),
        FOVEA_OK);
}

/* As they are stored. The caller frees them. */
static double *sigmas_of(const struct operator_scene *scene)
{
    struct test_image sigmas = scene_draw_sigmas(scene, 1);
    double *values = image_to_doubles(&sigmas.view);
    image_free(&sigmas);
    return values;
}

/* Alpha that is kept was not blurred. */
static void keep_alpha(const struct fovea_image *src, double *values)
{
    const uint32_t channels = image_channels(src->format);
    for (uint32_t i = 0; channels == 4 && i < src->width_px * src->height_px; i++) {
        values[4 * (size_t)i + 3] = image_get(src, i % src->width_px, i / src->width_px, 3);
    }
}

static void assert_exact(const struct operator_scene *scene, const struct fovea_image *src,
                         const struct fovea_image *actual)
{
    const struct fovea_foveation *foveation = &scene->settings.foveation;
    const struct fovea_operator_settings *own = &scene->settings.own;
    const bool pictured = scene->sigmas != SIGMAS_NONE;
    double *sigmas_px = pictured ? sigmas_of(scene) : NULL;
    const struct wanted wanted = {pictured ? own->blur_sigma_max_px : own->blur_sigma_px,
                                  sigmas_px};
    int32_t light = pixel_light_of(foveation->light, foveation->transfer);
    light = image_light_in_order(light, scene->blue_first);
    double *expected = compare_expected_by(foveation, src, light, by_reference, &wanted);
    free(sigmas_px);
    if (foveation->alpha == FOVEA_ALPHA_KEEP) {
        keep_alpha(src, expected);
    }
    char what[160];
    snprintf(
        what, sizeof what, "%ux%u, sigma %g, sigmas %d, format %d, light %d, alpha %d, picture %d",
        scene->width_px, scene->height_px, pictured ? scene->sigmas_most_px : wanted.sigma_px,
        (int)scene->sigmas, (int)scene->format, (int)light, (int)foveation->alpha, scene->picture);
    struct fovea_foveation smooth = *foveation;
    smooth.method = FOVEA_METHOD_SMOOTH;
    struct compare_budget budget = compare_budget_for(&smooth, scene->format);
    budget.max_mean_abs *= 4.0; /* all pixels may have the sigma that is met worst */
    compare_assert_close(actual, expected, budget, what);
    free(expected);
}

/* ---- The table */

static void choose_of_frames(uint64_t i, struct operator_scene *scene)
{
    choose_up_to(i % 10 == 9 ? 256.0 : 24.0, scene);
}

static void choose_widest(uint64_t i, struct operator_scene *scene)
{
    scene->settings.own.blur_sigma_px = 256.0 - (double)(i % 4) * 60.0;
}

static void choose_narrow(uint64_t i, struct operator_scene *scene)
{
    choose_up_to(12.0, scene);
}

static void choose_none(uint64_t i, struct operator_scene *scene)
{
    scene->settings.own.blur_sigma_px = 0.0;
}

/* From pixels, and from a coarser level. */
static void choose_of_view(uint64_t i, struct operator_scene *scene)
{
    *scene = operator_scene_of(&blur_under_test, 0);
    scene->settings.own.blur_sigma_px = i % 2 ? 9.0 : 2.0;
}

/* All kinds but those that copy, each with all formats. */
static void choose_sigmas(uint64_t i, struct operator_scene *scene)
{
    const uint64_t random = scene->random;
    scene->width_px = 1 + scene->width_px / 2;
    scene->height_px = 1 + scene->height_px / 2;
    scene->sigmas = (enum scene_sigmas)(SIGMAS_FLAT + i % 6);
    scene->sigmas_format = random >> 3 & 1 ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_R16F;
    scene->sigmas_most_px = sigma_of(random >> 4, 30.0);
    scene->settings.own.blur_sigma_max_px = sigma_of(random >> 5, 60.0);
}

static void choose_sigmas_of_batch(uint64_t i, struct operator_scene *scene)
{
    choose_sigmas(i, scene);
    scene->sigmas_most_px = fmin(scene->sigmas_most_px, 12.0);
    scene->sigmas_shared = i % 3 == 1;
}

static void choose_sigmas_of_none(uint64_t i, struct operator_scene *scene)
{
    choose_sigmas(i, scene);
    scene->sigmas = SIGMAS_COPIED;
}

/* Sigmas that are smaller than the largest are the same as without it. */
static void choose_largest_sigma(uint64_t i, struct operator_scene *scene)
{
    choose_sigmas(i, scene);
    scene->width_px += 40;
    scene->settings.own.blur_sigma_max_px = scene->sigmas_most_px = i % 2 ? 256.0 : 0.05;
}

static void set(struct fovea_settings *settings)
{
    settings->own.blur_sigma_px = 3.5;
}

static void change(struct fovea_settings *settings)
{
    settings->own.blur_sigma_px += 1e-9;
}

/* Test, kind, scenes; how many on the processor, on CUDA, on CUDA when it is quick, in frames;
 * shifts, each. */
static const struct scene_set sets[] = {
    {"images_are_the_reference", SCENES_ALONE, NULL, 165, 220, 55, 0, 11, false},
    {"frames_are_the_reference", SCENES_ALONE, choose_of_frames, 0, 0, 0, 60, 0, false},
    {"widest_sigmas_are_the_reference", SCENES_ALONE, choose_widest, 14, 22, 4, 0, 0, true},
    {"layouts_do_not_matter", SCENES_LAID_OUT, choose_narrow, 44, 0, 0, 0, 0, false},
    {"sigma_0_copies_every_bit", SCENES_COPIED, choose_none, 11, 11, 11, 7, 0, true},
    {"a_view_is_a_picture_of_its_own", SCENES_OF_VIEWS, choose_of_view, 0, 2, 2, 2, 0, false},
    {"a_batch_is_its_images", SCENES_OF_BATCHES, choose_narrow, 14, 8, 4, 0, 0, false},
    {"pixels_have_their_own_sigmas", SCENES_ALONE, choose_sigmas, 165, 330, 66, 18, 11, false},
    {"the_largest_sigma_is_the_settings", SCENES_ALONE, choose_largest_sigma, 22, 22, 8, 0, 0,
     true},
    {"sigmas_lie_anyhow", SCENES_LAID_OUT, choose_sigmas, 44, 0, 0, 0, 0, false},
    {"sigmas_of_none_copy_every_bit", SCENES_COPIED, choose_sigmas_of_none, 22, 22, 11, 2, 0, true},
    {"a_batch_has_sigmas_of_its_images", SCENES_OF_BATCHES, choose_sigmas_of_batch, 14, 22, 5, 0, 0,
     false},
};

const struct operator_under_test blur_under_test = {
    .name = "blur",
    .api = &blur_operator,
    .id = FOVEA_OPERATOR_blur,
    .choose = choose,
    .assert_exact = assert_exact,
    .sets = sets,
    .set_count = sizeof sets / sizeof sets[0],
    .setting = "blur.sigma_px",
    .value = "3.5",
    .set = set,
    .change = change,
    .change_of = 0,
    .batch_count = 60,
};
