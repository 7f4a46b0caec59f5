/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gazes of places of the picture that is shown, behind a lens: as fovea_vk_gaze_at finds them, and
 * as frames take them (gaze.over). */

#include "misuse.h"
#include "operators/lens_scenes.h"

#include "kernels/chain/chain.h"

static const struct fovea_operators foveate = {1, {FOVEA_OPERATOR_foveate}};
static const struct fovea_operators foveate_lens = {2,
                                                    {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}};

static void use(struct rig *rig, const struct fovea_operators *operators)
{
    rig->settings.operators = *operators;
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
}

static struct fovea_vk_view view_of(uint32_t width_px, uint32_t height_px)
{
    struct fovea_vk_view view;
    fovea_vk_view_init(&view);
    view.width_px = width_px;
    view.height_px = height_px;
    return view;
}

/* Returns how many places were compared. */
static size_t check_gazes(struct rig *rig, const struct operator_scene *scene,
                          enum fovea_map_eye eye)
{
    OWNED(owned_free) double *places = lens_scene_places(scene);
    struct fovea_vk_view view = view_of(scene->width_px, scene->height_px);
    const double off_px = lens_scene_off_px(scene);
    size_t compared = 0;
    view.eye = eye;
    for (uint32_t y = 0; y < scene->height_px; y += 3) {
        for (uint32_t x = y % 2; x < scene->width_px; x += 2) {
            const double *expected = places + 2 * ((size_t)y * scene->width_px + x);
            const struct fovea_point_uv place = {(x + 0.5) / scene->width_px,
                                                 (y + 0.5) / scene->height_px};
            struct fovea_point_uv gaze = {-1, -1};
            assert_ok(fovea_vk_gaze_at(rig->fovea, &view, place, &gaze));
            if (isnan(expected[0]) || isnan(expected[1])) {
                continue;
            }
            compared++;
            const double x_px = gaze.x_uv * scene->width_px;
            const double y_px = gaze.y_uv * scene->height_px;
            assert_that(fabs(x_px - expected[0]) <= off_px && fabs(y_px - expected[1]) <= off_px,
                        "%ux%u: (%u, %u) comes from %.9g, %.9g, not %.9g, %.9g", scene->width_px,
                        scene->height_px, x, y, x_px, y_px, expected[0], expected[1]);
        }
    }
    return compared;
}

TEST(gazes_are_where_pixels_come_from)
{
    static const uint64_t written[] = {0, 1, 2, 5}; /* with points all over, as files have them */
    char path[64];
    size_t compared = 0;
    OWNED(rig_close) struct rig rig;
    snprintf(path, sizeof path, "frame_lens_gazes_%d.json", (int)getpid());
    rig_open(&rig, NULL);
    for (uint64_t i = 0; i < 30; i++) {
        struct operator_scene scene = lens_scene_of(i);
        rig.settings.foveation = scene.settings.foveation;
        rig.settings.own = scene.settings.own;
        if (i % 3 == 0) {
            lens_scene_use_points(written[i / 3 % 4], &scene);
            lens_scene_write_points(&scene, path);
            snprintf(rig.settings.own.lens_file, sizeof rig.settings.own.lens_file, "%s", path);
        }
        use(&rig, &foveate_lens);
        compared += check_gazes(&rig, &scene, (enum fovea_map_eye)0);
    }
    assert_true(compared > 5000);
    assert_int_equal(remove(path), 0);
}

/* A frame of 160x90 of foveate and lens around a place. */
static struct test_image frame_around(struct rig *rig, struct fovea_point_uv at)
{
    OWNED_IMAGE src = image_drawn(160, 90, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 5);
    struct test_image dst = image_make_packed(160, 90, FOVEA_FORMAT_RGBA8);
    assert_ok(rig_frame(rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                        rig_gaze(at.x_uv, at.y_uv), &dst.view));
    return dst;
}

static bool same_pixels(const struct test_image *a, const struct test_image *b)
{
    return memcmp(a->view.data, b->view.data, (size_t)160 * 90 * 4) == 0;
}

/* Frames follow gaze.over as fovea_vk_gaze_at does for places. */
TEST(gazes_over_the_shown_picture_go_through_the_lens)
{
    static const struct fovea_point_uv places[] = {{0.3, 0.6}, {0.85, 0.4}, {0.5, 0.1}, {1.5, 0.5}};
    const struct fovea_vk_view view = view_of(160, 90);
    RIG(rig, NULL);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct fovea_point_uv gaze = {-1, -1};
        rig.settings.gaze.over = FOVEA_GAZE_OVER_DRAWN;
        use(&rig, &foveate_lens);
        assert_ok(fovea_vk_gaze_at(rig.fovea, &view, places[i], &gaze));
        OWNED_IMAGE drawn = frame_around(&rig, gaze);
        OWNED(image_free) struct test_image unmoved = frame_around(&rig, places[i]);
        rig.settings.gaze.over = FOVEA_GAZE_OVER_SHOWN;
        use(&rig, &foveate_lens);
        OWNED_IMAGE shown = frame_around(&rig, places[i]);
        assert_true(same_pixels(&shown, &drawn));
        assert_false(same_pixels(&shown, &unmoved));
        use(&rig, &foveate); /* which moves nothing */
        OWNED_IMAGE alone = frame_around(&rig, places[i]);
        rig.settings.gaze.over = FOVEA_GAZE_OVER_DRAWN;
        use(&rig, &foveate);
        image_free(&unmoved);
        unmoved = frame_around(&rig, places[i]);
        assert_true(same_pixels(&alone, &unmoved));
    }
}

TEST(gazes_are_of_the_views_eye)
{
    char path[64];
    struct operator_scene eyes[2];
    OWNED(rig_close) struct rig rig;
    snprintf(path, sizeof path, "frame_lens_gaze_eyes_%d.json", (int)getpid());
    rig_open(&rig, NULL);
    rig.settings = lens_scenes_of_eyes(&rig.settings, eyes, path);
    use(&rig, &foveate_lens);
    for (int i = 0; i < 2; i++) {
        eyes[i].width_px = 75;
        eyes[i].height_px = 55;
        assert_true(check_gazes(&rig, &eyes[i], i ? FOVEA_MAP_EYE_RIGHT : FOVEA_MAP_EYE_LEFT) >
                    300);
    }
    assert_int_equal(remove(path), 0);
}

TEST(nothing_moves_gazes_but_what_comes_after_foveate)
{
    static const struct fovea_operators rows[] = {
        {1, {FOVEA_OPERATOR_foveate}},
        {2, {FOVEA_OPERATOR_lens, FOVEA_OPERATOR_foveate}},
        {2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_blur}}};
    static const struct fovea_point_uv places[] = {{0.1, 0.7}, {-3.25, 9.5}, {1, 0}};
    const struct fovea_vk_view view = view_of(75, 55);
    RIG(rig, NULL);
    for (size_t i = 0; i < 9; i++) {
        struct fovea_point_uv gaze = {-1, -1};
        use(&rig, &rows[i / 3]);
        assert_ok(fovea_vk_gaze_at(rig.fovea, &view, places[i % 3], &gaze));
        assert_memory_equal(&gaze, &places[i % 3], sizeof gaze);
    }
}

/* The default lens shows nothing of the picture's corners; its own are beyond them. */
TEST(places_beside_the_view_count_as_its_edge)
{
    const struct fovea_vk_view view = view_of(160, 90);
    struct fovea_point_uv corner = {0, 0};
    struct fovea_point_uv beside = {0, 0};
    RIG(rig, NULL);
    use(&rig, &foveate_lens);
    assert_ok(fovea_vk_gaze_at(rig.fovea, &view, (struct fovea_point_uv){1, 0}, &corner));
    assert_ok(fovea_vk_gaze_at(rig.fovea, &view, (struct fovea_point_uv){7, -3}, &beside));
    assert_true(corner.x_uv > 1.02 && corner.y_uv < -0.02);
    assert_memory_equal(&corner, &beside, sizeof corner);
}

/* Plans of views that no frame has take no frame's place. */
TEST(any_number_of_views_may_be_asked_about)
{
    const struct fovea_point_uv at = {0.25, 0.75};
    struct fovea_point_uv gaze = {-1, -1};
    RIG(rig, NULL);
    use(&rig, &foveate_lens);
    for (uint32_t i = 0; i < 300; i++) {
        const struct fovea_vk_view view = view_of(64 + i, 48);
        assert_ok(fovea_vk_gaze_at(rig.fovea, &view, at, &gaze));
    }
    struct test_image shown = frame_around(&rig, at);
    image_free(&shown);
}

TEST(gazes_of_no_view_are_refused)
{
    static const struct fovea_point_uv places[] = {{(double)NAN, 0.5}, {0.5, (double)INFINITY}};
    const struct fovea_point_uv middle = {0.5, 0.5};
    const struct fovea_geometry folded = {
        .tan_left = -1, .tan_right = 1, .tan_up = 1, .tan_down = 1};
    struct fovea_point_uv gaze = {-1, -1};
    struct fovea_vk_view views[] = {view_of(0, 90), view_of(160, 16385), view_of(160, 90),
                                    view_of(160, 90), view_of(160, 90)};
    struct fovea_vk_view view = view_of(160, 90);
    LOGGED_RIG(rig);
    use(&rig, &foveate_lens);
    views[2].struct_bytes = 0;
    views[3].eye = (enum fovea_map_eye)7;
    views[4].geometry = &folded;
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        log_lines = 0;
        assert_int_equal(fovea_vk_gaze_at(rig.fovea, &views[i], middle, &gaze),
                         FOVEA_ERROR_INVALID_ARGUMENT);
        assert_int_equal(log_lines, 1);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(fovea_vk_gaze_at(rig.fovea, &view, places[i], &gaze),
                         FOVEA_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(fovea_vk_gaze_at(NULL, &view, middle, &gaze), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_gaze_at(rig.fovea, NULL, middle, &gaze),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_gaze_at(rig.fovea, &view, middle, NULL),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    rig.settings.own.lens_r2 = -1.0; /* folds, as frames say */
    use(&rig, &foveate_lens);
    assert_int_equal(fovea_vk_gaze_at(rig.fovea, &view, middle, &gaze),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_true(gaze.x_uv == -1 && gaze.y_uv == -1);
}

/* dof focuses by the depths of the picture that it reads, with or without foveate behind it. */
TEST(gazes_of_any_operator_that_follows_them_go_through_the_lens)
{
    static const struct fovea_operators rows[] = {
        {2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}},
        {2, {FOVEA_OPERATOR_dof, FOVEA_OPERATOR_lens}},
        {3, {FOVEA_OPERATOR_dof, FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}},
        {3, {FOVEA_OPERATOR_dof, FOVEA_OPERATOR_lens, FOVEA_OPERATOR_foveate}}};
    struct fovea_point_uv gazes[4];
    for (size_t i = 0; i < 4; i++) {
        struct operator_scene scene = lens_scene_of(2);
        struct operator_plan *plan = NULL;
        scene.settings.operators = rows[i];
        const struct operator_plan_desc desc = {
            .settings = &scene.settings, .width_px = scene.width_px, .height_px = scene.height_px};
        assert_int_equal(chain_operator.plan_create(&desc, &plan), FOVEA_OK);
        assert_true(chain_moves_places(plan));
        gazes[i] = chain_gaze_at(plan, (struct fovea_point_uv){0.2, 0.7});
        assert_memory_equal(&gazes[i], &gazes[0], sizeof gazes[0]);
        chain_operator.plan_destroy(&plan);
    }
}

/* The overlay's marks go by these. */
TEST(places_of_gazes_are_the_way_back)
{
    for (uint64_t i = 0; i < 40; i++) {
        struct operator_scene scene = lens_scene_of(i);
        struct operator_plan *plan = NULL;
        if (i % 4 == 3) {
            lens_scene_use_points(i / 4, &scene);
        }
        scene.settings.operators = foveate_lens;
        const struct operator_plan_desc desc = {
            .settings = &scene.settings, .width_px = scene.width_px, .height_px = scene.height_px};
        assert_ok(chain_operator.plan_create(&desc, &plan));
        for (int k = 0; k < 81; k++) {
            const struct fovea_point_uv place = {0.1 * (k % 9 + 1), 0.1 * (k / 9 + 1)};
            const struct fovea_point_uv gaze = chain_gaze_at(plan, place);
            const struct fovea_point_uv back = chain_gaze_at(plan, chain_place_of(plan, gaze));
            assert_true(fabs(back.x_uv - gaze.x_uv) * scene.width_px < 0.05);
            assert_true(fabs(back.y_uv - gaze.y_uv) * scene.height_px < 0.05);
        }
        chain_operator.plan_destroy(&plan);
    }
}
