/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene.h"

#include "kernels/foveate/operator/foveate_operator.h"

#define AT(list, i) ((list)[(i) % (sizeof(list) / sizeof((list)[0]))])

/* ---- Laws: how strong and how steep they are in small pictures */

static void choose_map(uint64_t i, struct fovea_foveation *foveation)
{
    static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK, FOVEA_MAP_ARRAY};
    struct fovea_map *map = &foveation->map;
    map->kind = kinds[i % 3];
    map->law = (enum fovea_map_law)(i / 3 % 2);
    map->degrees = (enum fovea_map_degrees)(i / 6 % 2);
    map->eye = (enum fovea_map_eye)(i / 12 % 3);
    map->floor = 1e-3;
    map->cutoff_cpd = map->degrees == FOVEA_MAP_DEGREES_VIEW ? 4.0 : 0.0;
    if (map->kind == FOVEA_MAP_ARRAY) {
        map->values = image_map;
        map->width = IMAGE_MAP_WIDTH;
        map->height = IMAGE_MAP_HEIGHT;
        map->width_deg = 70.0;
        map->serial = 1;
    }
}

/* Few pixels a degree, so that a small picture is a wide view. */
static void choose_view(uint64_t i, struct fovea_geometry *geometry)
{
    switch (i % 4) {
    case 0:
        geometry->tan_left = 1.4;
        geometry->tan_right = 0.7;
        geometry->tan_up = 1.0;
        geometry->tan_down = 1.2;
        break;
    case 1:
        geometry->screen_width_m = 0.53;
        geometry->distance_m = 0.05;
        break;
    default:
        geometry->ppd = 2.0 + (double)(i % 12);
    }
}

static void choose_model(uint64_t i, struct fovea_foveation *foveation)
{
    static const enum fovea_model models[] = {FOVEA_MODEL_PAPER,    FOVEA_MODEL_PHYSICAL,
                                              FOVEA_MODEL_RELATIVE, FOVEA_MODEL_MAP,
                                              FOVEA_MODEL_PAPER,    FOVEA_MODEL_CURVE};
    static const double windows[][4] = {{0, 5, 12, 30}, {0, 5, 5.01, 90}, {0, 5, 5.2, 90}};
    static const double cutoffs[][4] = {{60, 27, 9, 4}, {60, 60, 2, 2}, {0.5, 0.5, 60, 60}};
    foveation->model = AT(models, i);
    /* Beside white a window's edge shows a thousandth of a degree in lights that are not sRGB's. */
    const bool wide =
        foveation->transfer != FOVEA_TRANSFER_SRGB || foveation->light > FOVEA_LIGHT_LINEAR;
    const uint64_t window = wide ? 0 : i / 6 % 3;
    choose_view(i / 6, &foveation->geometry);
    choose_map(i / 6, foveation);
    foveation->curve.count = 4;
    memcpy(foveation->curve.eccentricity_deg, windows[window], sizeof windows[0]);
    memcpy(foveation->curve.cutoff_cpd, cutoffs[window], sizeof cutoffs[0]);
    if (i / 6 % 5 == 4) {
        foveation->paper.ct0 = 0.0133;
        foveation->paper.f_max_cpd = 50.0;
        foveation->paper.e2_deg = 1.1;
        foveation->paper.e_max_deg = 40.0;
    }
}

/* ---- Scenes */

static void choose(uint64_t i, struct operator_scene *scene)
{
    static const double strengths[] = {1.0, 0.5, 2.0, 0.12, 0.25, 0.02, 1.3, 3.0, 1e-5, 0.05};
    static const uint32_t sides_px[] = {16, 4, 32, 7, 5, 33, 8, 128, 31, 64, 12};
    static const struct fovea_point_uv gazes[] = {{0.3, 0.6},   {0, 0},       {1, 0.93},
                                                  {0.62, 0.41}, {-0.004, .5}, {1.4, -0.3},
                                                  {0.5, 1.7},   {3, -2.5},    {0.501, 0.499}};
    struct fovea_foveation *foveation = &scene->settings.foveation;
    const uint64_t random = scene->random;
    foveation->method = random & 1 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
    choose_model(random >> 1, foveation);
    foveation->strength = AT(strengths, random >> 6);
    foveation->cutoff_gain = random >> 9 & 3 ? foveation->cutoff_gain : 0.1;
    foveation->paper.fragment_px = AT(sides_px, random >> 11);
    foveation->paper.filter_length = (enum fovea_filter_length)(random >> 15 & 1);
    if (foveation->light == FOVEA_LIGHT_AUTO && random >> 16 & 1) {
        foveation->light = FOVEA_LIGHT_LINEAR; /* where auto is as stored */
    }
    scene->gaze = AT(gazes, random >> 17);
}

static struct gauss_frame frame_of(const struct operator_scene *scene)
{
    struct operator_plan *plan = scene_plan(scene);
    const struct operator_frame frame = scene_frame(scene);
    const struct gauss_frame made = gauss_frame_of(gauss_plan_of(plan), &frame);
    scene->of->api->plan_destroy(&plan);
    return made;
}

static void assert_exact(const struct operator_scene *scene, const struct fovea_image *src,
                         const struct fovea_image *actual)
{
    const struct fovea_foveation *foveation = &scene->settings.foveation;
    const struct gauss_frame frame = frame_of(scene);
    struct compare_budget budget = compare_budget_for(foveation, scene->format);
    /* In a small picture all pixels may have the sigma that is met worst, and a checker is half way
     * between two levels where it is blurred. */
    budget.max_mean_abs *= 3.0;
    budget.max_mean_abs =
        scene->picture == IMAGE_CHECKER ? fmax(budget.max_mean_abs, 0.5) : budget.max_mean_abs;
    char what[240];
    snprintf(
        what, sizeof what,
        "%ux%u, format %d, picture %d, method %d, model %d, map %d, strength %g, fragment %u, rule "
        "%d, light %d, transfer %d, alpha %d, gaze %g,%g",
        scene->width_px, scene->height_px, (int)scene->format, scene->picture,
        (int)foveation->method, (int)foveation->model, (int)foveation->map.kind,
        foveation->strength, foveation->paper.fragment_px, (int)foveation->paper.filter_length,
        (int)foveation->light, (int)foveation->transfer, (int)foveation->alpha, scene->gaze.x_uv,
        scene->gaze.y_uv);
    OWNED(owned_free) double *expected = compare_expected(foveation, src, &frame);
    compare_assert_close(actual, expected, budget, what);
}

/* ---- The table */

static void choose_size(uint64_t i, struct operator_scene *scene)
{
    static const uint32_t sizes[][2] = {{1, 1},   {2, 1},   {3, 5},   {1, 200},
                                        {200, 1}, {16, 16}, {17, 33}, {31, 33},
                                        {2, 97},  {64, 64}, {65, 63}, {129, 127}};
    scene->width_px = AT(sizes, i)[0];
    scene->height_px = AT(sizes, i)[1];
}

/* Tiles of one level, which a flat law takes, and nodes, which a steep one takes. */
static void choose_srgb(uint64_t i, struct operator_scene *scene)
{
    static const double strengths[] = {0.1, 0.25, 0.5, 0.15};
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_RGB8,
                                                FOVEA_FORMAT_R8, FOVEA_FORMAT_A2B10G10R10};
    struct fovea_foveation *foveation = &scene->settings.foveation;
    foveation->method = FOVEA_METHOD_SMOOTH;
    foveation->model = FOVEA_MODEL_PAPER;
    foveation->transfer = FOVEA_TRANSFER_SRGB;
    foveation->light = i % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
    foveation->strength = AT(strengths, i / 2);
    scene->format = AT(formats, i);
    scene->picture = (int)(i % IMAGE_CONTRAST_COUNT);
    scene->width_px = 320;
    scene->height_px = 180;
}

/* One sigma in the whole picture, so flat a law that even the smallest are made by tiles; at sizes
 * around those of tiles, of which there are 32, 64 or 128 pixels wide, and of registers, 4 or 8. */
static void choose_even(uint64_t i, struct operator_scene *scene)
{
    static const double sigmas_px[] = {0.45, 0.7, 1.2,  1.99, 2.01, 2.6, 3.0,
                                       3.99, 4.4, 4.02, 6.0,  8.1,  17.0};
    static const uint32_t sizes[][2] = {{150, 70},  {33, 31}, {64, 65}, {130, 1}, {129, 3}, {1, 40},
                                        {257, 130}, {127, 8}, {7, 9},   {128, 5}, {1, 1}};
    struct fovea_foveation *foveation = &scene->settings.foveation;
    const double ppd = 40.0;
    choose_srgb(i, scene);
    foveation->model = FOVEA_MODEL_CURVE;
    foveation->strength = 1.0;
    foveation->cutoff_gain = fovea_settings_default().foveation.cutoff_gain;
    foveation->geometry = fovea_settings_default().foveation.geometry;
    foveation->geometry.ppd = ppd;
    foveation->curve = (struct fovea_curve){
        .count = 1, .cutoff_cpd = {ppd / (2.0 * acos(-1.0) * AT(sigmas_px, i))}};
    scene->picture = (int)(i / 3 % IMAGE_CONTRAST_COUNT);
    scene->width_px = AT(sizes, i / 2)[0];
    scene->height_px = AT(sizes, i / 2)[1];
}

/* HLG's colours depend on each other, so it counts which of them is red. */
static void choose_colours(uint64_t i, struct operator_scene *scene)
{
    static const double peaks[] = {1000, 400, 2000, 100, 10000};
    scene->format = FOVEA_FORMAT_A2B10G10R10;
    scene->picture = IMAGE_COLORS;
    scene->settings.foveation.light = FOVEA_LIGHT_LINEAR;
    scene->settings.foveation.transfer = FOVEA_TRANSFER_HLG;
    scene->settings.foveation.display.hlg_peak_cd_m2 = AT(peaks, i);
}

/* Near each other, far apart, and outside; in flat laws, which tiles of one level take, and in all
 * that there are. */
static void choose_foveas(uint64_t i, struct operator_scene *scene)
{
    static const struct fovea_point_uv others[][GAZE_OTHERS_MAX] = {
        {{0.8, 0.25}, {0.1, 0.1}, {0.75, 0.9}}, {{0.32, 0.61}, {1.2, 0.5}, {0.9, -0.1}}};
    if (i % 3 == 0) {
        choose_srgb(i / 3, scene);
    }
    memcpy(scene->others, others[i / 2 % 2], sizeof scene->others);
    scene->other_count = 1 + (uint32_t)(i % GAZE_OTHERS_MAX);
}

static void choose_narrow(uint64_t i, struct operator_scene *scene)
{
    scene->width_px = scene->width_px % 80 + 1;
}

static void choose_none(uint64_t i, struct operator_scene *scene)
{
    scene->settings.foveation.strength = 0.0;
}

/* Sharp to 6.7 degrees, and the corners are nearer. */
static void choose_within(uint64_t i, struct operator_scene *scene)
{
    struct fovea_foveation *foveation = &scene->settings.foveation;
    foveation->method = FOVEA_METHOD_SMOOTH;
    foveation->model = FOVEA_MODEL_PHYSICAL;
    foveation->strength = 1.0;
    foveation->geometry = fovea_settings_default().foveation.geometry;
    foveation->geometry.ppd = 20.0;
    scene->gaze = (struct fovea_point_uv){0.5, 0.5};
}

static void choose_of_view(uint64_t i, struct operator_scene *scene)
{
    *scene = operator_scene_of(&foveate_under_test, 0);
    scene->settings.foveation.model = FOVEA_MODEL_PAPER;
    scene->settings.foveation.method = i % 2 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
}

static void set(struct fovea_settings *settings)
{
    settings->foveation.strength = 1.5;
}

static void change(struct fovea_settings *settings)
{
    settings->foveation.strength += 1e-9;
}

/* Test, kind, scenes; how many on the processor, on CUDA, on CUDA when it is quick, in frames;
 * shifts, each. */
static const struct scene_set sets[] = {
    {"images_are_the_reference", SCENES_ALONE, NULL, 660, 660, 66, 0, 11, false},
    {"frames_are_the_reference", SCENES_ALONE, NULL, 0, 0, 0, 120, 0, false},
    {"sizes_are_the_reference", SCENES_ALONE, choose_size, 48, 48, 12, 24, 0, false},
    {"flat_and_steep_laws_are_the_reference", SCENES_ALONE, choose_srgb, 64, 64, 8, 32, 0, false},
    {"even_laws_are_the_reference", SCENES_ALONE, choose_even, 130, 65, 13, 40, 0, false},
    {"coloured_hlg_is_the_reference", SCENES_ALONE, choose_colours, 20, 20, 5, 10, 0, false},
    {"foveas_are_the_reference", SCENES_ALONE, choose_foveas, 44, 44, 6, 12, 0, false},
    {"layouts_do_not_matter", SCENES_LAID_OUT, choose_narrow, 44, 0, 0, 0, 0, false},
    {"strength_0_copies_every_bit", SCENES_COPIED, choose_none, 22, 22, 11, 7, 0, true},
    {"what_lies_within_the_fovea_is_copied", SCENES_COPIED, choose_within, 11, 11, 11, 7, 0, true},
    {"a_view_is_a_picture_of_its_own", SCENES_OF_VIEWS, choose_of_view, 0, 2, 2, 0, 0, false},
    {"a_batch_is_its_images", SCENES_OF_BATCHES, choose_narrow, 14, 8, 4, 0, 0, false},
};

const struct operator_under_test foveate_under_test = {
    .name = "foveate",
    .api = &foveate_operator,
    .id = FOVEA_OPERATOR_foveate,
    .choose = choose,
    .assert_exact = assert_exact,
    .sets = sets,
    .set_count = sizeof sets / sizeof sets[0],
    .setting = "foveation.strength",
    .value = "1.5",
    .set = set,
    .change = change,
    .batch_count = 60,
};
