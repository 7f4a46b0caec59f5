/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene_depths.h"

#include "kernels/dof/dof.h"
#include "kernels/image/pixel_light.h"

/* A diopter is 4 to 13 px, and up to half of one out of focus. */
static void choose_lens(uint64_t i, struct operator_scene *scene)
{
    struct fovea_operator_settings *own = &scene->settings.own;
    own->dof_focus_m = SCENE_FOCUS_M;
    own->dof_focal_mm = 60.0;
    own->dof_f_number = 1.4;
    own->dof_sensor_mm = fmax(0.05 * (double)scene->width_px * (1.0 + (double)(i % 3)), 1.0);
    own->dof_sigma_max_px = 9.0;
    if (i % 4 == 3) {
        own->dof_lens = 1;
        own->dof_pupil_mm = 8.0;
        scene->settings.foveation.geometry =
            (struct fovea_geometry){.ppd = 80.0, .screen_width_m = 0.5, .distance_m = 0.6};
    }
}

/* All formats and scales of depths with all of images. Metres as they stand are floats'. */
static void choose_depths(uint64_t i, struct operator_scene *scene)
{
    static const enum fovea_depth_format formats[] = {
        FOVEA_DEPTH_FORMAT_R32F, FOVEA_DEPTH_FORMAT_D16, FOVEA_DEPTH_FORMAT_D24,
        FOVEA_DEPTH_FORMAT_R16F};
    const uint32_t first = i % 4 == 1 || i % 4 == 2 ? 1 : 0;
    scene->depths_format = formats[i % 4];
    scene->depths_scale = first + (uint32_t)(i / 24 % (SCENE_SCALES - first));
    scene->depths = (enum scene_depths)(DEPTHS_NEAR_BLOCKS + i / 4 % 6);
}

static void choose(uint64_t i, struct operator_scene *scene)
{
    scene->width_px = 1 + scene->width_px / 2;
    scene->height_px = 1 + scene->height_px / 3;
    scene->settings.own.dof_focus = 1;
    choose_lens(i, scene);
    choose_depths(i, scene);
}

/* ---- The reference */

static void by_reference(const void *user, const struct fovea_image *src, const double *in,
                         double *out)
{
    assert_ok(
        dof_reference(user, src->width_px, src->height_px, image_channels(src->format), in, out));
}

static uint32_t pixel_of(double uv, uint32_t size_px)
{
    return (uint32_t)fmin(fmax(floor(uv * size_px + 1.0 / 512.0), 0.0), size_px - 1.0);
}

/* The frame is a first one, or does not follow on another. */
static double focus_of(const struct operator_scene *scene, const struct dof_reference *wanted)
{
    const uint32_t x = pixel_of(scene->gaze.x_uv, scene->width_px);
    const uint32_t y = pixel_of(scene->gaze.y_uv, scene->height_px);
    const double seen_m =
        dof_reference_distance(wanted, wanted->depths[(size_t)y * scene->width_px + x]);
    return scene->settings.own.dof_focus == 1 || isnan(seen_m) ? scene->settings.own.dof_focus_m
                                                               : seen_m;
}

/* The budget is foveate's: 3 levels of 8 bits, and 0.012 of white in floats; on the processor and
 * on CUDA, where layers of most formats are halves. */
static struct compare_budget budget_of(const struct operator_scene *scene)
{
    struct fovea_foveation smooth = scene->settings.foveation;
    smooth.method = FOVEA_METHOD_SMOOTH;
    struct compare_budget budget = compare_budget_for(&smooth, scene->format);
    budget.max_mean_abs *= 4.0; /* all pixels may have the sigma that is met worst */
    return budget;
}

static struct dof_reference wanted_of(const struct operator_scene *scene,
                                      const struct depths *depths)
{
    return (struct dof_reference){.settings = &scene->settings,
                                  .depths = depths->values,
                                  .kind = depths->depth.kind,
                                  .zero_m = depths->depth.zero_m,
                                  .one_m = depths->depth.one_m};
}

void dof_assert_focused(const struct operator_scene *scene, const struct depths *depths,
                        double focus_m, const struct fovea_image *src,
                        const struct fovea_image *actual)
{
    const struct fovea_foveation *foveation = &scene->settings.foveation;
    struct dof_reference wanted = wanted_of(scene, depths);
    wanted.focus_m = focus_m;
    const int32_t light = image_light_in_order(
        pixel_light_of(foveation->light, foveation->transfer), scene->blue_first);
    OWNED(owned_free)
    double *expected = compare_expected_by(foveation, src, light, by_reference, &wanted);
    char what[192];
    if (foveation->alpha == FOVEA_ALPHA_KEEP) {
        scene_keep_alpha(src, expected);
    }
    snprintf(what, sizeof what,
             "%ux%u, format %d, light %d, alpha %d, picture %d, depths %d of format %d and scale "
             "%u, focus %g m",
             scene->width_px, scene->height_px, (int)scene->format, (int)light,
             (int)foveation->alpha, scene->picture, (int)scene->depths, (int)scene->depths_format,
             scene->depths_scale, focus_m);
    compare_assert_close(actual, expected, budget_of(scene), what);
}

static void assert_exact(const struct operator_scene *scene, const struct fovea_image *src,
                         const struct fovea_image *actual)
{
    OWNED(scene_depths_free) struct depths depths = scene_draw_depths(scene, 1);
    const struct dof_reference wanted = wanted_of(scene, &depths);
    dof_assert_focused(scene, &depths, focus_of(scene, &wanted), src, actual);
}

/* ---- The table */

/* Chooses a place where no distance is unknown. */
static void choose_gaze(uint64_t i, struct operator_scene *scene)
{
    scene->settings.own.dof_focus = 0;
    scene->depths = (enum scene_depths)(DEPTHS_NEAR_BLOCKS + i % 4);
    scene->gaze = (struct fovea_point_uv){0.05 * (double)(i % 23) - 0.05, 0.3};
}

/* A depth that no lens can be at, and others like it. */
static void choose_too_near(uint64_t i, struct operator_scene *scene)
{
    scene->settings.own.dof_focus = 0;
    scene->depths = DEPTHS_ODD;
    scene->depths_format = FOVEA_DEPTH_FORMAT_R32F;
    scene->depths_scale = i % 4 == 0 ? 0 : 3 + (uint32_t)(i % 4);
    scene->width_px = 31 + (uint32_t)i % 7;
    scene->height_px = 20;
    scene->gaze = (struct fovea_point_uv){27.5 / scene->width_px, 0.1};
}

/* Often focused before all of them, so that all pixels are blended, dark ones beside bright ones.
 */
static void choose_random(uint64_t i, struct operator_scene *scene)
{
    choose_gaze(i, scene);
    scene->depths = DEPTHS_RANDOM;
}

/* Dark pixels that are hardly out of focus, whose weights are small, beside bright ones that are.
 * The worst of 1,500 pictures: nodes three apart left 5 levels of 8 bits, nodes that end before
 * others do 4.9. */
static void choose_dark(uint64_t at, struct operator_scene *scene)
{
    static const uint64_t worst[] = {288, 589, 1092, 969, 398, 1493, 1454, 1081};
    const uint64_t i = worst[at % (sizeof worst / sizeof worst[0])];
    struct fovea_foveation *foveation = &scene->settings.foveation;
    choose(i, scene);
    scene->format = i % 2 ? FOVEA_FORMAT_A2B10G10R10 : FOVEA_FORMAT_RGBA8;
    scene->width_px = 160;
    scene->height_px = 120;
    scene->picture = IMAGE_STROKES;
    scene->depths = DEPTHS_NOISE;
    scene->depths_of = 31 * i;
    foveation->light = FOVEA_LIGHT_LINEAR;
    foveation->transfer = FOVEA_TRANSFER_SRGB;
    foveation->alpha = FOVEA_ALPHA_KEEP;
    scene->settings.own.dof_lens = 0;
    scene->settings.own.dof_sensor_mm = 0.14 * (double)scene->width_px;
}

static void choose_wide(uint64_t i, struct operator_scene *scene)
{
    scene->width_px += 90;
    scene->height_px += 40;
    scene->settings.own.dof_sensor_mm = 0.02 * (double)scene->width_px;
    scene->settings.own.dof_sigma_max_px = i % 2 ? 20.0 : 40.0;
}

/* Most of it is neither blurred nor looked at, where layers are halves; of the last they are
 * floats.
 */
static void choose_spots(uint64_t i, struct operator_scene *scene)
{
    struct fovea_foveation *foveation = &scene->settings.foveation;
    const bool is_wide = i == 4;
    scene->width_px += 340;
    scene->height_px += 150;
    scene->format = is_wide      ? FOVEA_FORMAT_A2B10G10R10
                    : i % 4 == 3 ? FOVEA_FORMAT_RGBA16F
                                 : FOVEA_FORMAT_RGBA8;
    foveation->light = i % 4 == 1 ? FOVEA_LIGHT_ENCODED : FOVEA_LIGHT_LINEAR;
    foveation->transfer = is_wide ? FOVEA_TRANSFER_PQ : FOVEA_TRANSFER_SRGB;
    foveation->alpha = is_wide ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
    scene->settings.own.dof_sensor_mm = (i % 2 ? 0.25 : 0.08) * (double)scene->width_px;
    scene->depths = DEPTHS_SPOTS;
}

/* Few pixels of a picture of lights stand out; often more of a block than are discs. */
static void choose_discs(uint64_t i, struct operator_scene *scene)
{
    choose_wide(i, scene);
    scene->settings.own.dof_bokeh = DOF_BOKEH_DISC;
    scene->picture = i % 3 == 0 ? IMAGE_POINTS : i % 3 == 1 ? IMAGE_LIGHTS : scene->picture;
    scene->depths = i % 5 == 4 ? DEPTHS_RANDOM : (enum scene_depths)(DEPTHS_NEAR_BLOCKS + i % 4);
}

/* On a display whose black gives light off, which is none of a highlight's or of what is around it:
 * with it a pixel was 3.07 of 1023 levels brighter. */
static void choose_discs_on_black(uint64_t i, struct operator_scene *scene)
{
    *scene = operator_scene_of(scene->of, 564);
    choose_discs(564, scene);
}

static void choose_in_focus(uint64_t i, struct operator_scene *scene)
{
    scene->depths = DEPTHS_IN_FOCUS;
    if (i % 2 == 1) {
        scene->settings.own.dof_sigma_max_px = 0.0;
        scene->depths = DEPTHS_BLOCKS;
    }
}

static void choose_batch(uint64_t i, struct operator_scene *scene)
{
    scene->depths_shared = i % 3 == 1;
}

static void set(struct fovea_settings *settings)
{
    settings->own = fovea_settings_default().own;
    settings->own.dof_sensor_mm = 2.0;
}

static void change(struct fovea_settings *settings)
{
    settings->own.dof_focus_m += 1e-9;
}

/* Test, kind, scenes; how many on the processor, on CUDA, on CUDA when it is quick, in frames;
 * shifts, each. */
static const struct scene_set sets[] = {
    {"images_are_the_reference", SCENES_ALONE, NULL, 330, 330, 66, 0, 11, false},
    {"frames_are_the_reference", SCENES_ALONE, NULL, 0, 0, 0, 60, 0, false},
    {"the_depth_under_the_gaze_is_in_focus", SCENES_ALONE, choose_gaze, 44, 44, 22, 0, 0, false},
    {"what_is_too_near_may_be_in_focus", SCENES_ALONE, choose_too_near, 12, 12, 6, 0, 0, false},
    {"random_depths_are_the_reference", SCENES_ALONE, choose_random, 44, 44, 6, 0, 0, false},
    {"dark_pixels_beside_light_are_the_reference", SCENES_ALONE, choose_dark, 8, 8, 8, 4, 0, true},
    {"wide_blurs_are_the_reference", SCENES_ALONE, choose_wide, 11, 22, 6, 0, 0, false},
    {"discs_are_the_reference", SCENES_ALONE, choose_discs, 11, 22, 6, 20, 0, false},
    {"discs_on_light_black_are_the_reference", SCENES_ALONE, choose_discs_on_black, 1, 1, 1, 0, 0,
     true},
    {"spots_are_the_reference", SCENES_ALONE, choose_spots, 0, 5, 2, 0, 0, false},
    {"layouts_do_not_matter", SCENES_LAID_OUT, NULL, 44, 0, 0, 0, 0, false},
    {"what_is_in_focus_keeps_every_bit", SCENES_COPIED, choose_in_focus, 22, 22, 22, 1, 0, true},
    {"a_view_is_a_picture_of_its_own", SCENES_OF_VIEWS, NULL, 0, 1, 1, 0, 0, false},
    {"a_batch_is_its_images", SCENES_OF_BATCHES, choose_batch, 14, 22, 6, 0, 0, false},
};

const struct operator_under_test dof_under_test = {
    .name = "dof",
    .api = &dof_operator,
    .id = FOVEA_OPERATOR_dof,
    .choose = choose,
    .assert_exact = assert_exact,
    .sets = sets,
    .set_count = sizeof sets / sizeof sets[0],
    .setting = "dof.sensor_mm",
    .value = "2",
    .set = set,
    .change = change,
    .change_of = 0,
    .batch_count = 12,
};
