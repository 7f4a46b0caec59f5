/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator dof and its pictures of depths, as a program gives them to fovea_context_run_batch:
 * what is promised, what is refused, and the focus from batch to batch. All formats and lights are
 * in test_operators_exact and test_context_operators. */

#include "test_context_support.h"

#include "kernels/chain/chain_plan.h"
#include "kernels/dof/dof.h"
#include "operators/scene_depths.h"

/* Depths in metres. */
static struct operator_scene scene_of(enum scene_depths depths)
{
    struct operator_scene scene = operator_scene_of(&dof_under_test, 0);
    scene.depths = depths;
    scene.depths_format = FOVEA_DEPTH_FORMAT_R32F;
    scene.depths_scale = 0;
    scene.settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_dof}};
    scene.settings.backend = FOVEA_BACKEND_CPU;
    scene.blue_first = false;
    return scene;
}

static struct fovea_batch batch_of(const struct test_image *src, const struct test_image *dst,
                                   const struct fovea_depth *depth)
{
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = 1;
    batch.src = src->view;
    batch.dst = dst->view;
    batch.depth = depth;
    return batch;
}

/* ---- Promises */

/* A scene with a context and its images. */
struct given {
    struct said said;
    struct fovea_context *context;
    struct operator_scene scene;
    struct depths depths;
    struct test_image src;
    struct test_image dst;
    struct fovea_batch batch;
};

static struct given *given_make(enum fovea_format format, enum scene_depths scenery,
                                void (*choose_more)(struct fovea_settings *settings))
{
    struct given *given = test_memory(1, sizeof *given);
    given->scene = scene_of(scenery);
    given->scene.settings.foveation = fovea_settings_default().foveation;
    given->scene.format = format;
    given->scene.width_px = 53;
    given->scene.height_px = 41;
    given->scene.picture = IMAGE_PHOTO;
    given->scene.settings.own.dof_sensor_mm = 3.0;
    if (choose_more) {
        choose_more(&given->scene.settings);
    }
    given->context = context_of(&given->scene.settings, &given->said);
    given->depths = scene_draw_depths(&given->scene, 1);
    given->src = scene_draw(&given->scene);
    given->dst = image_make_packed(53, 41, format);
    given->batch = batch_of(&given->src, &given->dst, &given->depths.depth);
    return given;
}

static void given_free(struct given **own)
{
    OWNED(owned_free) struct given *given = *own;
    fovea_context_destroy(&given->context);
    image_free(&given->src);
    image_free(&given->dst);
    scene_depths_free(&given->depths);
}

static void run(struct given *given)
{
    assert_ok(fovea_context_run_batch(given->context, &given->batch, NULL));
    assert_silent(&given->said);
}

static void assert_focused(const struct given *given, double focus_m)
{
    dof_assert_focused(&given->scene, &given->depths, focus_m, &given->src.view, &given->dst.view);
}

/* Sharp pixels far from all that is near, in a picture where others are blurred. */
TEST(sharp_pixels_keep_every_bit_beside_blurred_ones)
{
    OWNED(given_free)
    struct given *given = given_make(FOVEA_FORMAT_RGBA32F, DEPTHS_FAR_BLOCKS, NULL);
    run(given);
    for (uint32_t y = 0; y < 41; y++) {
        for (uint32_t x = 0; x < 53; x++) {
            if (scene_distance(DEPTHS_FAR_BLOCKS, x, y) == SCENE_FOCUS_M) {
                compare_assert_same(&given->dst.view, &given->src.view,
                                    (struct compare_rect){x, y, 1, 1}, "sharp");
            }
        }
    }
}

TEST(unknown_depths_leave_a_picture_as_it_is)
{
    OWNED(given_free) struct given *given = given_make(FOVEA_FORMAT_RGBA8, DEPTHS_IN_FOCUS, NULL);
    for (uint32_t y = 0; y < 41; y++) {
        for (uint32_t x = 0; x < 53; x++) {
            image_set(&given->depths.memory.view, x, y, 0, x % 2 ? (double)NAN : -1.0);
        }
    }
    run(given);
    compare_assert_all_same(&given->dst.view, &given->src.view, "unknown");
}

/* A flat picture has no edges that could be seen, whatever is near or far. */
TEST(flat_pictures_stay_flat)
{
    for (int scenery = DEPTHS_NEAR_BLOCKS; scenery < DEPTHS_KINDS; scenery++) {
        OWNED(given_free)
        struct given *given = given_make(FOVEA_FORMAT_RGBA8, (enum scene_depths)scenery, NULL);
        image_fill(&given->src.view, 200.0);
        run(given);
        struct compare_rect where;
        assert_true(compare_largest(&given->dst.view, &given->src.view, &where) <= 1.0);
    }
}

/* Black in focus before a white background that is far out of it, and the other way round. */
TEST(sharp_things_do_not_bleed_into_what_is_behind)
{
    for (int i = 0; i < 2; i++) {
        OWNED(given_free)
        struct given *given = given_make(FOVEA_FORMAT_RGB32F, DEPTHS_FAR_BLOCKS, NULL);
        for (uint32_t k = 0; k < 53 * 41 * 3; k++) {
            const uint32_t x = k / 3 % 53;
            const uint32_t y = k / 3 / 53;
            const bool is_sharp = scene_distance(DEPTHS_FAR_BLOCKS, x, y) == SCENE_FOCUS_M;
            image_set(&given->src.view, x, y, k % 3, is_sharp == (i == 0) ? 0.0 : 1.0);
        }
        run(given);
        for (uint32_t k = 0; k < 53 * 41; k++) {
            const bool is_sharp =
                scene_distance(DEPTHS_FAR_BLOCKS, k % 53, k / 53) == SCENE_FOCUS_M;
            const double expected = is_sharp == (i == 0) ? 0.0 : 1.0;
            const double actual = image_get(&given->dst.view, k % 53, k / 53, 0);
            assert_true(fabs(actual - expected) <= (is_sharp ? 0.0 : 0.12));
        }
    }
}

/* White that is near covers black that is in focus, as far as its Gaussian goes. */
TEST(near_things_spread_over_what_is_in_focus)
{
    OWNED(given_free) struct given *given = given_make(FOVEA_FORMAT_R32F, DEPTHS_NEAR_BLOCKS, NULL);
    image_fill(&given->src.view, 0.0);
    image_fill(&given->depths.memory.view, SCENE_FOCUS_M);
    for (uint32_t k = 0; k < 20 * 41; k++) {
        image_set(&given->src.view, k % 20, k / 20, 0, 1.0);
        image_set(&given->depths.memory.view, k % 20, k / 20, 0, 1.25);
    }
    run(given);
    const struct dof_optics optics = dof_optics_of(&given->scene.settings, 53);
    const double sigma_px = dof_optics_sigma_px(&optics, 0.5) * (1.0 / 1.25 - 0.5);
    for (uint32_t x = 20; x < 35; x++) {
        const double covered = 0.5 * erfc(((double)x + 0.5 - 20.0) / (sigma_px * sqrt(2.0)));
        assert_true(fabs(image_get(&given->dst.view, x, 20, 0) - covered) < 0.012);
    }
    assert_true(sigma_px > 2.0);
}

/* A small highlight behind the focus gives up nothing of its light. */
TEST(highlights_keep_their_energy)
{
    OWNED(given_free) struct given *given = given_make(FOVEA_FORMAT_R32F, DEPTHS_IN_FOCUS, NULL);
    double sum = 0.0;
    image_fill(&given->src.view, 0.0);
    image_fill(&given->depths.memory.view, 4.0);
    image_set(&given->src.view, 26, 20, 0, 1000.0);
    run(given);
    for (uint32_t k = 0; k < 53 * 41; k++) {
        sum += image_get(&given->dst.view, k % 53, k / 53, 0);
    }
    assert_true(fabs(sum - 1000.0) < 10.0);
    assert_true(image_get(&given->dst.view, 26, 20, 0) < 100.0);
}

/* Near, focused and far things that move over tiles and pixels of levels look the same everywhere:
 * nothing pulsates. */
TEST(a_picture_that_moves_is_blurred_alike)
{
    OWNED(given_free) struct given *given = given_make(FOVEA_FORMAT_R32F, DEPTHS_NEAR_BLOCKS, NULL);
    double kept[53][41];
    for (int32_t move = 0; move <= 9; move += 3) {
        for (int32_t k = 0; k < 53 * 41; k++) {
            const int32_t x = k % 53 - move;
            const bool is_near = x >= 14 && x < 22;
            const double value = is_near ? 1.0 : 0.4 + 0.4 * sin(0.9 * x) * cos(0.7 * (k / 53));
            image_set(&given->src.view, (uint32_t)(k % 53), (uint32_t)(k / 53), 0, value);
            image_set(&given->depths.memory.view, (uint32_t)(k % 53), (uint32_t)(k / 53), 0,
                      is_near   ? 1.25
                      : x >= 28 ? 8.0
                                : SCENE_FOCUS_M);
        }
        run(given);
        for (int32_t k = 0; k < 19 * 41; k++) {
            const int32_t x = 12 + k / 41;
            const double value =
                image_get(&given->dst.view, (uint32_t)(x + move), (uint32_t)(k % 41), 0);
            const double first = move ? kept[x][k % 41] : value;
            kept[x][k % 41] = first;
            assert_that(fabs(value - first) <= 0.5 / 255.0, "%d px to the right: %g, not %g", move,
                        value, first);
        }
    }
}

/* A value that is no number stays in its channel, and in reach of its blur. */
TEST(bad_numbers_stay_within_reach)
{
    OWNED(given_free)
    struct given *given = given_make(FOVEA_FORMAT_RGBA32F, DEPTHS_NEAR_BLOCKS, NULL);
    image_set(&given->src.view, 3, 3, 1, (double)NAN); /* in focus, 10 px from what is near */
    run(given);
    for (uint32_t k = 0; k < 53 * 41 * 4; k++) {
        const uint32_t x = k / 4 % 53;
        const uint32_t y = k / 4 / 53;
        const bool may_be = k % 4 == 1 && x < 45 && y < 45;
        const double value = image_get(&given->dst.view, x, y, k % 4);
        assert_true(isfinite(value) || may_be);
    }
    assert_true(isnan(image_get(&given->dst.view, 3, 3, 1)));
}

/* ---- Batches */

TEST(a_batch_has_depths_and_gazes_of_its_images)
{
    enum { IMAGES = 3, HEIGHT = 41 };
    struct operator_scene scene = scene_of(DEPTHS_SLOPE);
    struct said said = {0};
    scene.width_px = 53;
    scene.height_px = HEIGHT * IMAGES;
    scene.settings.own.dof_focus = 0;
    OWNED(scene_depths_free) struct depths depths = scene_draw_depths(&scene, 1);
    const float gazes_uv[2 * IMAGES] = {0.1f, 0.2f, 0.9f, 0.9f, 0.5f, 0.1f};
    for (int shared = 0; shared < 2; shared++) {
        OWNED(fovea_context_destroy)
        struct fovea_context *context = context_of(&scene.settings, &said);
        OWNED(scene_batch_free)
        struct scene_batch pictures = scene_batch_make(&scene, HEIGHT, IMAGES, false);
        struct fovea_image first[2];
        const struct operator_images images =
            scene_batch_images(&pictures, &pictures.src.view, &pictures.dst.view, first);
        struct fovea_batch batch = batch_of(&pictures.src, &pictures.dst, &depths.depth);
        batch.count = IMAGES;
        batch.src = first[0];
        batch.dst = first[1];
        batch.src_next_bytes = images.src_next_bytes;
        batch.dst_next_bytes = images.dst_next_bytes;
        batch.gazes_uv = gazes_uv;
        depths.depth.height_px = HEIGHT;
        depths.depth.next_bytes = shared ? 0 : HEIGHT * depths.depth.row_stride_bytes;
        assert_ok(fovea_context_run_batch(context, &batch, NULL));
        assert_silent(&said);
        for (int i = 0; i < IMAGES; i++) {
            struct depths own = depths;
            struct operator_scene one = pictures.scene;
            struct fovea_image src = first[0];
            struct fovea_image dst = first[1];
            src.data = (char *)src.data + i * images.src_next_bytes;
            dst.data = (char *)dst.data + i * images.dst_next_bytes;
            own.values += shared ? 0 : (size_t)i * HEIGHT * 53;
            const uint32_t x = (uint32_t)((double)gazes_uv[2 * i] * 53.0);
            const uint32_t y = (uint32_t)((double)gazes_uv[2 * i + 1] * HEIGHT);
            dof_assert_focused(&one, &own, own.values[y * 53 + x], &src, &dst);
        }
    }
}

/* A row whose batch goes through it in parts, of which each has its depths and its focus. */
TEST(parts_of_a_batch_have_depths_and_focus_of_their_images)
{
    enum { IMAGES = 4, HEIGHT = 41 };
    const uint64_t most_bytes = chain_most_between_bytes;
    const float gazes_uv[2][2 * IMAGES] = {{0.1f, 0.2f, 0.9f, 0.9f, 0.5f, 0.1f, 0.3f, 0.3f},
                                           {0.9f, 0.2f, NAN, 0.9f, 0.1f, 0.1f, 0.3f, 0.9f}};
    struct operator_scene scene = scene_of(DEPTHS_SLOPE);
    struct test_image results[2];
    scene.width_px = 53;
    scene.height_px = HEIGHT * IMAGES;
    scene.settings.own.dof_focus = 0;
    scene.settings.operators =
        (struct fovea_operators){2, {FOVEA_OPERATOR_dof, FOVEA_OPERATOR_foveate}};
    OWNED(scene_depths_free) struct depths depths = scene_draw_depths(&scene, 1);
    OWNED(scene_batch_free)
    struct scene_batch pictures = scene_batch_make(&scene, HEIGHT, IMAGES, false);
    depths.depth.height_px = HEIGHT;
    depths.depth.next_bytes = HEIGHT * depths.depth.row_stride_bytes;
    for (int i = 0; i < 2; i++) {
        struct said said = {0};
        OWNED(fovea_context_destroy)
        struct fovea_context *context = context_of(&scene.settings, &said);
        struct fovea_image first[2];
        results[i] = image_make_packed(53, HEIGHT * IMAGES, scene.format);
        const struct operator_images images =
            scene_batch_images(&pictures, &pictures.src.view, &results[i].view, first);
        struct fovea_batch batch = batch_of(&pictures.src, &results[i], &depths.depth);
        batch.count = IMAGES;
        batch.src = first[0];
        batch.dst = first[1];
        batch.src_next_bytes = images.src_next_bytes;
        batch.dst_next_bytes = images.dst_next_bytes;
        chain_most_between_bytes = i == 0 ? most_bytes : 1;
        for (int k = 0; k < 2; k++) {
            batch.gazes_uv = gazes_uv[k];
            depths.depth.elapsed_s = k == 0 ? 0.0 : 0.2;
            assert_ok(fovea_context_run_batch(context, &batch, NULL));
        }
        assert_silent(&said);
    }
    chain_most_between_bytes = most_bytes;
    compare_assert_all_same(&results[1].view, &results[0].view, "in parts");
    image_free(&results[0]);
    image_free(&results[1]);
}

/* ---- Focus */

static void choose_gaze(struct fovea_settings *settings)
{
    settings->own.dof_focus = 0;
}

/* The left half is at 1 m, the other one at 4. */
static struct given *given_of_halves(void)
{
    struct given *given = given_make(FOVEA_FORMAT_RGB32F, DEPTHS_IN_FOCUS, choose_gaze);
    for (uint32_t k = 0; k < 53 * 41; k++) {
        given->depths.values[k] = k % 53 < 26 ? 1.0 : 4.0;
        image_set(&given->depths.memory.view, k % 53, k / 53, 0, given->depths.values[k]);
    }
    return given;
}

TEST(focus_follows_the_gaze_in_time)
{
    const float gazes_uv[][2] = {{0.2f, 0.5f}, {0.8f, 0.5f}};
    OWNED(given_free) struct given *given = given_of_halves();
    given->batch.gazes_uv = gazes_uv[0];
    run(given);
    assert_focused(given, 1.0);
    given->batch.gazes_uv = gazes_uv[1];
    for (int i = 1; i <= 4; i++) {
        given->depths.depth.elapsed_s = 0.1;
        run(given);
        assert_focused(given, 1.0 / (0.25 + 0.75 * exp(-0.1 * i / 0.3)));
    }
    given->depths.depth.elapsed_s = 0.0; /* another picture */
    run(given);
    assert_focused(given, 4.0);
}

TEST(new_settings_do_not_move_the_focus)
{
    const float gazes_uv[][2] = {{0.2f, 0.5f}, {0.8f, 0.5f}};
    OWNED(given_free) struct given *given = given_of_halves();
    given->batch.gazes_uv = gazes_uv[0];
    run(given);
    given->scene.settings.own.dof_sensor_mm = 4.0;
    assert_ok(fovea_context_set_settings(given->context, &given->scene.settings));
    given->batch.gazes_uv = gazes_uv[1];
    given->depths.depth.elapsed_s = 0.3;
    run(given);
    assert_focused(given, 1.0 / (0.25 + 0.75 * exp(-1.0)));
}

TEST(without_a_gaze_the_focus_stays_where_it_was)
{
    const float gaze_uv[2] = {0.2f, 0.5f};
    OWNED(given_free) struct given *given = given_of_halves();
    run(given);
    assert_focused(given, SCENE_FOCUS_M); /* dof.focus_m */
    given->batch.gazes_uv = gaze_uv;
    run(given);
    given->batch.gazes_uv = NULL;
    given->depths.depth.elapsed_s = 0.1;
    run(given);
    assert_focused(given, 1.0);
}

TEST(a_program_says_what_is_in_focus)
{
    const float gaze_uv[2] = {0.2f, 0.5f};
    OWNED(given_free) struct given *given = given_of_halves();
    given->batch.gazes_uv = gaze_uv;
    given->depths.depth.focus_m = 3.0;
    run(given);
    assert_focused(given, 3.0);
    given->depths.depth.focus_m = (double)INFINITY;
    run(given);
    assert_focused(given, (double)INFINITY);
    given->depths.depth.focus_m = 0.0; /* it goes on from there */
    given->depths.depth.elapsed_s = 0.3;
    run(given);
    assert_focused(given, 1.0 / (1.0 - exp(-1.0)));
}

/* ---- What is refused */

static void expect_refused(struct given *given, const char *word)
{
    OWNED_IMAGE untouched = image_make_packed(53, 41, FOVEA_FORMAT_RGBA8);
    assert_invalid(fovea_context_run_batch(given->context, &given->batch, NULL));
    assert_said(&given->said, word);
    compare_assert_all_same(&given->dst.view, &untouched.view, word);
}

/* The last arguments make good depths bad ones. */
#define REFUSED(word, ...)                                                                         \
    do {                                                                                           \
        OWNED(given_free)                                                                          \
        struct given *given = given_make(FOVEA_FORMAT_RGBA8, DEPTHS_BLOCKS, NULL);                 \
        struct fovea_depth *depth = &given->depths.depth;                                          \
        __VA_ARGS__;                                                                               \
        expect_refused(given, word);                                                               \
    } while (0)

TEST(wrong_depths_are_refused_by_name_and_nothing_is_written)
{
    REFUSED("depth.zero_m and depth.one_m are both 2", depth->kind = FOVEA_DEPTH_PERSPECTIVE;
            depth->zero_m = depth->one_m = 2.0);
    REFUSED("depth.zero_m is 0", depth->kind = FOVEA_DEPTH_PERSPECTIVE; depth->zero_m = 0.0);
    REFUSED("depth.one_m 1e-07", depth->kind = FOVEA_DEPTH_PERSPECTIVE; depth->zero_m = 2.0;
            depth->one_m = 1e-7);
    REFUSED("depth.one_m inf", depth->one_m = (double)INFINITY);
    REFUSED("depth.zero_m is nan", depth->zero_m = (double)NAN);
    REFUSED("depth.kind is 2", depth->kind = (enum fovea_depth_kind)2);
    REFUSED("depth.format is 5", depth->format = (enum fovea_depth_format)5);
    REFUSED("depth is 52x41", depth->width_px--);
    REFUSED("depth.data is NULL", depth->data = NULL);
    REFUSED("depth.row_stride_bytes is 40", depth->row_stride_bytes = 40;
            depth->pixel_stride_bytes = 0);
    REFUSED("depth.data is not aligned", depth->data = (const char *)depth->data + 1);
    REFUSED("memory", depth->memory = FOVEA_MEMORY_CUDA);
    REFUSED("depth.focus_m is -1", depth->focus_m = -1.0);
    REFUSED("depth.focus_m is nan", depth->focus_m = (double)NAN);
    REFUSED("depth.elapsed_s is -0.1", depth->elapsed_s = -0.1);
    REFUSED("struct_bytes", depth->struct_bytes = 0);
    REFUSED("depth.reserved", depth->reserved = 1);
    REFUSED("depth and dst overlap", depth->data = given->dst.view.data;
            depth->row_stride_bytes = given->dst.view.row_stride_bytes;
            depth->pixel_stride_bytes = 0);
}

TEST(no_picture_passes_without_depths)
{
    const struct fovea_point_uv middle = {0.5, 0.5};
    OWNED(given_free) struct given *given = given_make(FOVEA_FORMAT_RGBA8, DEPTHS_BLOCKS, NULL);
    given->batch.depth = NULL;
    assert_invalid(fovea_context_run_batch(given->context, &given->batch, NULL));
    assert_said(&given->said, "fovea_batch.depth");
    given->batch.depth = &given->depths.depth;
    run(given);
    assert_invalid(
        fovea_context_run(given->context, &given->src.view, &given->dst.view, middle, NULL));
    assert_said(&given->said, "fovea_batch.depth");
    given->batch.depth = &given->depths.depth;
    run(given);
    given->batch.struct_bytes = offsetof(struct fovea_batch, depth); /* of older headers */
    assert_invalid(fovea_context_run_batch(given->context, &given->batch, NULL));
}

static void choose_foveate(struct fovea_settings *settings)
{
    settings->operators = (struct fovea_operators){1, {FOVEA_OPERATOR_foveate}};
}

TEST(others_take_no_depths)
{
    const float gaze_uv[2] = {0.5f, 0.5f};
    OWNED(given_free)
    struct given *given = given_make(FOVEA_FORMAT_RGBA8, DEPTHS_BLOCKS, choose_foveate);
    given->batch.gazes_uv = gaze_uv;
    assert_invalid(fovea_context_run_batch(given->context, &given->batch, NULL));
    assert_said(&given->said, "depth is given");
}

/* ---- Beside foveate */

TEST(the_log_says_what_is_in_focus)
{
    static const char *const words[] = {
        "dof: the focus follows the gaze (without one: 2 m); a diopter beside 2 m is a Gaussian of "
        "8.14 px",
        "dof: focused at 2 m; a diopter beside it is a Gaussian of 8.14 px"};
    for (uint32_t focus = 0; focus < 2; focus++) {
        struct fovea_settings settings = fovea_settings_default();
        char said[OPERATOR_DESCRIPTION_BYTES];
        struct operator_plan *plan = NULL;
        settings.own.dof_focus = focus;
        const struct operator_plan_desc desc = {
            .settings = &settings, .width_px = 1280, .height_px = 720};
        assert_int_equal(dof_operator.plan_create(&desc, &plan), FOVEA_OK);
        assert_true(dof_operator.plan_describe(plan, said, sizeof said));
        assert_string_equal(said, words[focus]);
        dof_operator.plan_destroy(&plan);
    }
}
