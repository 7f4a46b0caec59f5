/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene.h"

#include "kernels/blur/blur.h"
#include "kernels/blur/cuda/transform.h"
#include "kernels/image/light.h"
#include "kernels/image/pixel.h"
#include "kernels/image/pixel_light.h"

/* Draws a sigma from 0.3 on, as many in each octave. */
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

/* The reference is asked for this. */
struct wanted {
    struct blur_numbers numbers;
    const double *sigmas_px; /* NULL: there is no picture of them */
    bool in_light;
};

static enum fovea_result by_gaussian(const struct wanted *wanted, const struct fovea_image *src,
                                     const double *in, double *out)
{
    const uint32_t channels = image_channels(src->format);
    return wanted->sigmas_px
               ? blur_reference_pictured(wanted->sigmas_px, wanted->numbers.sigma_px, src->width_px,
                                         src->height_px, channels, in, out)
               : blur_reference(wanted->numbers.sigma_px, src->width_px, src->height_px, channels,
                                in, out);
}

static void by_reference(const void *user, const struct fovea_image *src, const double *in,
                         double *out)
{
    const struct wanted *wanted = user;
    const uint32_t channels = image_channels(src->format);
    const bool levels = !wanted->in_light && !image_is_float(src->format);
    const struct blur_picture picture = {.width_px = src->width_px,
                                         .height_px = src->height_px,
                                         .channels = channels,
                                         .colors = channels > 3 ? 3 : channels,
                                         .white = levels ? image_white(src->format, 0) : 1.0,
                                         .sigmas_px = wanted->sigmas_px};
    assert_ok(wanted->numbers.engine == BLUR_GAUSSIAN
                  ? by_gaussian(wanted, src, in, out)
                  : blur_reference_of(&wanted->numbers, &picture, in, out));
}

static struct blur_numbers numbers_of(const struct operator_scene *scene)
{
    const struct fovea_operator_settings *own = &scene->settings.own;
    return (struct blur_numbers){.engine = own->blur_engine,
                                 .sigma_px = scene->sigmas != SIGMAS_NONE ? own->blur_sigma_max_px
                                                                          : own->blur_sigma_px,
                                 .passes = own->blur_box_passes + 1,
                                 .edge = own->blur_edge,
                                 .shape = own->blur_shape,
                                 .radius_px = own->blur_radius_px};
}

/* Transforms of halves in single precision, which CUDA's are, leave a trace of the brightest: some
 * 1e-7 of it by a kernel that damps high frequencies, 2.2e-7 seen by an eye's, which is narrow. */
static double trace_of(const struct operator_scene *scene, const struct fovea_image *src)
{
    double brightest = 0.0;
    if (scene->settings.own.blur_engine == BLUR_FFT && image_is_float(src->format)) {
        OWNED(owned_free) double *values = image_to_doubles(src);
        const size_t count = (size_t)src->width_px * src->height_px * image_channels(src->format);
        for (size_t i = 0; i < count; i++) {
            brightest = isfinite(values[i]) ? fmax(brightest, fabs(values[i])) : brightest;
        }
    }
    return 3e-7 * brightest;
}

/* The machine decimates; engines do what they say, as near as formats allow. */
static struct compare_budget budget_of(const struct operator_scene *scene)
{
    struct fovea_foveation smooth = scene->settings.foveation;
    smooth.method = FOVEA_METHOD_SMOOTH;
    struct compare_budget budget = compare_budget_for(&smooth, scene->format);
    budget.max_mean_abs *= 4.0; /* all pixels may have the sigma that is met worst */
    return scene->settings.own.blur_engine == BLUR_GAUSSIAN ? budget
                                                            : compare_budget_of(scene->format);
}

/* Returns the sigmas as they are stored. The caller frees them. */
static double *sigmas_of(const struct operator_scene *scene)
{
    OWNED_IMAGE sigmas = scene_draw_sigmas(scene, 1);
    double *values = image_to_doubles(&sigmas.view);
    return values;
}

/* If pixels spread apart from each other, more than white may come together. */
static void cut_to_levels(const struct fovea_image *src, double *values)
{
    const uint32_t channels = image_channels(src->format);
    for (size_t i = 0; i < (size_t)src->width_px * src->height_px * channels; i++) {
        values[i] = fmin(values[i], image_white(src->format, (uint32_t)(i % channels)));
    }
}

/* Pictures have nothing below black; one sigma for all has no weight that would make it. */
static void assert_not_below_black(const struct fovea_image *actual, const char *what)
{
    OWNED(owned_free) double *values = image_to_doubles(actual);
    const size_t count =
        (size_t)actual->width_px * actual->height_px * image_channels(actual->format);
    for (size_t i = 0; i < count; i++) {
        if (values[i] < 0.0) {
            fail_msg("%s: value %zu is %g", what, i, values[i]);
        }
    }
}

static void assert_exact(const struct operator_scene *scene, const struct fovea_image *src,
                         const struct fovea_image *actual)
{
    const struct fovea_foveation *foveation = &scene->settings.foveation;
    const bool pictured = scene->sigmas != SIGMAS_NONE;
    OWNED(owned_free) double *sigmas_px = pictured ? sigmas_of(scene) : NULL;
    int32_t light = pixel_light_of(foveation->light, foveation->transfer);
    light = image_light_in_order(light, scene->blue_first);
    const struct wanted wanted = {numbers_of(scene), sigmas_px, light != IMAGE_LIGHT_STORED};
    double *expected = compare_expected_by(foveation, src, light, by_reference, &wanted);
    if (!image_is_float(src->format)) {
        cut_to_levels(src, expected);
    }
    if (foveation->alpha == FOVEA_ALPHA_KEEP) {
        scene_keep_alpha(src, expected);
    }
    struct compare_budget budget = budget_of(scene);
    budget.max_abs += trace_of(scene, src);
    const char *what =
        test_text("%ux%u, engine %u, sigma %g, passes %u, edge %g, shape %u, sigmas %d, format %d, "
                  "light %d, alpha %d, picture %d",
                  scene->width_px, scene->height_px, wanted.numbers.engine,
                  pictured ? scene->sigmas_most_px : wanted.numbers.sigma_px, wanted.numbers.passes,
                  wanted.numbers.edge, wanted.numbers.shape, (int)scene->sigmas, (int)scene->format,
                  (int)light, (int)foveation->alpha, scene->picture);
    compare_assert_close(actual, expected, budget, what);
    free(expected);
    if (!pictured && wanted.numbers.engine == BLUR_GAUSSIAN) {
        assert_not_below_black(actual, what);
    }
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

/* The levels are made from pixels, and from a coarser level. */
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

/* ---- Engines */

static const uint32_t engines[] = {BLUR_QUASI, BLUR_BOX, BLUR_DIFFUSION, BLUR_SPREAD, BLUR_FFT};

/* Definitions of some take time. A wide box adds up hundreds of floats, whose roundings are more
 * than the budget of 32-bit floats. */
static double engine_sigma_most(const struct operator_scene *scene)
{
    const uint32_t engine = scene->settings.own.blur_engine;
    const bool is_wide = engine == BLUR_BOX && !pixel_has_32_bit_floats(scene->format);
    return engine == BLUR_DIFFUSION || engine == BLUR_FFT ? 5.0 : is_wide ? 256.0 : 30.0;
}

/* All of them, each with all formats. */
static void choose_engine(uint64_t i, struct operator_scene *scene)
{
    struct fovea_operator_settings *own = &scene->settings.own;
    const uint64_t random = scene->random;
    own->blur_engine = engines[i % (sizeof engines / sizeof engines[0])];
    own->blur_sigma_px = sigma_of(random >> 3, engine_sigma_most(scene));
    own->blur_box_passes = (uint32_t)(random >> 6) % 8;
    own->blur_edge = random & 1 ? 0.02 * (double)(1 + (random >> 9) % 20) : 0.0;
    own->blur_shape = (uint32_t)(random >> 12) % 4;
    own->blur_radius_px = (random >> 14) % 4 == 0 ? (double)(random >> 15 & 63) / 8.0 : 0.0;
    scene->width_px = 1 + scene->width_px / 2;
    scene->height_px = 1 + scene->height_px / 2;
}

/* Those that have shaders. */
static void choose_engine_of_frames(uint64_t i, struct operator_scene *scene)
{
    choose_engine(i, scene);
    if (scene->settings.own.blur_engine == BLUR_FFT) {
        scene->settings.own.blur_engine = engines[i / 5 % 4];
        scene->settings.own.blur_radius_px = 0.0;
    }
}

/* Transforms of several images, which come in parts. */
static void choose_fft(uint64_t i, struct operator_scene *scene)
{
    choose_engine(i, scene);
    scene->settings.own.blur_engine = BLUR_FFT;
    scene->settings.own.blur_sigma_px = sigma_of(scene->random >> 3, 5.0);
}

#define LONG_ROW 9600 /* numbers, with what the kernel reaches; the most in double on an A100 */

/* Rows in single precision fit into a block's memory two at a time on an H200, in double precision
 * one at a time. */
static void choose_fft_of_long_rows(uint64_t i, struct operator_scene *scene)
{
    choose_fft(i, scene);
    scene->settings.own.blur_sigma_px = sigma_of(scene->random >> 3, 1.0);
    scene->settings.own.blur_radius_px = 0.0;
    scene->width_px += LONG_ROW - 200;
    scene->height_px = 1 + scene->height_px % 3;
    const bool precise = pixel_light_of_settings(&scene->settings.foveation) > IMAGE_LIGHT_SRGB ||
                         pixel_has_32_bit_floats(scene->format);
    scene->shared_bytes = blur_transform_places(LONG_ROW) * (precise ? 16 : 8);
}

static void choose_fft_of_view(uint64_t i, struct operator_scene *scene)
{
    choose_of_view(i, scene);
    scene->settings.own.blur_engine = BLUR_FFT;
    scene->settings.own.blur_sigma_px = 3.0;
}

static void choose_engine_of_view(uint64_t i, struct operator_scene *scene)
{
    choose_of_view(i, scene);
    scene->settings.own.blur_engine = i % 2 ? BLUR_QUASI : BLUR_BOX;
    scene->settings.own.blur_sigma_px = 3.0;
}

static void choose_engine_of_none(uint64_t i, struct operator_scene *scene)
{
    choose_engine(i, scene);
    scene->settings.own.blur_sigma_px = scene->settings.own.blur_radius_px = 0.0;
}

/* Tails of points end in a half's last places, which are black. */
static void choose_points(uint64_t i, struct operator_scene *scene)
{
    scene->picture = IMAGE_POINTS;
    choose_up_to(3.0, scene);
}

/* A mean does not count what a display's black gives off; here weights need not come to 1, and the
 * definition would see it. */
static void choose_spread(uint64_t i, struct operator_scene *scene)
{
    struct fovea_display *display = &scene->settings.foveation.display;
    const float black = display->table[0];
    for (uint32_t k = 0; k < display->table_count; k++) {
        display->table[k] -= black;
    }
    choose_sigmas(i, scene);
    scene->settings.own.blur_engine = BLUR_SPREAD;
    scene->width_px = 1 + scene->width_px / 2;
    scene->sigmas_most_px = fmin(scene->sigmas_most_px, 7.0);
    scene->settings.own.blur_sigma_max_px = fmin(scene->settings.own.blur_sigma_max_px, 9.0);
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
    {"points_make_nothing_below_black", SCENES_ALONE, choose_points, 22, 110, 22, 0, 0, false},
    {"layouts_do_not_matter", SCENES_LAID_OUT, choose_narrow, 44, 0, 0, 0, 0, false},
    {"sigma_0_copies_every_bit", SCENES_COPIED, choose_none, 11, 11, 11, 7, 0, true},
    {"a_view_is_a_picture_of_its_own", SCENES_OF_VIEWS, choose_of_view, 0, 2, 2, 2, 0, false},
    {"a_batch_is_its_images", SCENES_OF_BATCHES, choose_narrow, 14, 8, 4, 0, 0, false},
    {"pixels_have_their_own_sigmas", SCENES_ALONE, choose_sigmas, 165, 330, 66, 18, 11, false},
    {"the_largest_sigma_is_the_settings", SCENES_ALONE, choose_largest_sigma, 22, 22, 8, 0, 0,
     true},
    {"sigmas_lie_anyhow", SCENES_LAID_OUT, choose_sigmas, 44, 0, 0, 0, 0, false},
    {"sigmas_of_none_copy_every_bit", SCENES_COPIED, choose_sigmas_of_none, 22, 22, 11, 2, 0, true},
    {"engines_are_the_reference", SCENES_ALONE, choose_engine, 165, 110, 22, 0, 11, false},
    {"engines_run_in_frames", SCENES_ALONE, choose_engine_of_frames, 0, 0, 0, 20, 0, false},
    {"fft_makes_views", SCENES_OF_VIEWS, choose_fft_of_view, 0, 2, 2, 0, 0, true},
    {"fft_takes_long_rows", SCENES_ALONE, choose_fft_of_long_rows, 0, 11, 2, 0, 0, true},
    {"fft_takes_batches", SCENES_OF_BATCHES, choose_fft, 0, 11, 3, 0, 0, false},
    {"engines_make_views", SCENES_OF_VIEWS, choose_engine_of_view, 0, 2, 2, 2, 0, true},
    {"engines_take_all_layouts", SCENES_LAID_OUT, choose_engine, 55, 0, 0, 0, 0, false},
    {"engines_of_none_copy_every_bit", SCENES_COPIED, choose_engine_of_none, 22, 11, 11, 0, 0,
     true},
    {"engines_take_batches", SCENES_OF_BATCHES, choose_engine, 5, 10, 5, 0, 0, true},
    {"pixels_spread_by_their_own_sigmas", SCENES_ALONE, choose_spread, 44, 0, 0, 0, 0, false},
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
