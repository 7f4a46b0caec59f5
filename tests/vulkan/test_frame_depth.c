/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames with pictures of depths: the focus from frame to frame, rows, views, and what is refused.
 * test_frame_operators has dof against its reference. */

#include "depth_image.h"
#include "depth_scene.h"
#include "operators/scene_vk.h"
#include "plugin/frame/frame.h"

#include <malloc.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define LINE_FIRST 32 /* columns of a picture of 67 */
#define LINE_END 36
#define LINE_LIGHT 400.0

/* ---- Frames */

static void copy(const struct fovea_image *from, const struct fovea_image *to)
{
    assert_int_equal(from->row_stride_bytes, to->row_stride_bytes);
    memcpy(to->data, from->data, (size_t)(from->row_stride_bytes * from->height_px));
}

static void set_settings(struct rig *rig, const struct operator_scene *scene)
{
    rig->settings.foveation = scene->settings.foveation;
    rig->settings.own = scene->settings.own;
    rig->settings.operators = scene->settings.operators;
    assert_int_equal(fovea_vk_set_settings(rig->fovea, &rig->settings), FOVEA_OK);
}

/* A scene's pictures on a rig. */
struct given {
    struct rig rig;
    struct operator_scene scene;
    struct depth_drawn drawn;
    struct depth_image depths;
    struct test_image src;
    struct test_image dst;
};

static struct given *given_make(const struct operator_scene *scene, enum scene_depths scenery,
                                VkFormat format)
{
    struct given *given = calloc(1, sizeof *given);
    assert_non_null(given);
    given->scene = *scene;
    given->drawn = (struct depth_drawn){scenery, depth_scale_of(1, format)};
    rig_open(&given->rig, &scene->settings);
    set_settings(&given->rig, scene);
    given->depths = depth_image_create(&given->rig.engine, format, scene->width_px,
                                       scene->height_px, depth_value_at, &given->drawn);
    given->src = scene_draw(scene);
    given->dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    return given;
}

static void given_free(struct given *given)
{
    depth_image_destroy(&given->rig.engine, &given->depths);
    image_free(&given->src);
    image_free(&given->dst);
    rig_close(&given->rig);
    free(given);
}

static enum fovea_result run(struct given *given, enum rig_path path, struct fovea_vk_depth depth,
                             struct fovea_gaze gaze)
{
    rig_set_depth(depth);
    const enum fovea_result result = rig_frame(&given->rig, path, VK_FORMAT_B8G8R8A8_UNORM,
                                               &given->src.view, gaze, &given->dst.view);
    rig_set_depth((struct fovea_vk_depth){0});
    return result;
}

static void run_well(struct given *given, struct fovea_gaze gaze)
{
    const struct fovea_vk_depth depth = depth_image_given(&given->depths, &given->drawn.values);
    assert_int_equal(run(given, RIG_ENGINE_TO_ENGINE, depth, gaze), FOVEA_OK);
}

/* ---- Focus */

static double value_under(const struct given *given, const struct fovea_gaze *gaze)
{
    const uint32_t x = (uint32_t)(gaze->point.x_uv * given->scene.width_px);
    const uint32_t y = (uint32_t)(gaze->point.y_uv * given->scene.height_px);
    return given->depths.values[y * given->scene.width_px + x];
}

/* The passes keep what dof_focus says, frame by frame: at once, then by the time constant, where it
 * was without a gaze, by hysteresis, and by vergence where the depth is unknown. */
TEST(the_focus_follows_the_gaze)
{
    static const struct {
        double x_uv;
        double elapsed_s;
        double focus_m;
        double vergence_m;
    } steps[] = {{0.2, 0.0, 0.0, 0.0},  {0.8, 0.1, 0.0, 0.7},
                 {0.8, 0.1, 0.0, 0.0},  {-1.0, 0.1, 0.0, 0.0},
                 {0.3, 0.0, 0.0, 0.0},  {0.31, 0.1, 0.0, 0.0},
                 {-1.0, 0.1, 0.0, 0.7}, {-1.0, 0.0, 0.0, (double)INFINITY},
                 {0.9, 0.1, 1.3, 0.0},  {0.9, 0.5, 0.0, 0.0}};
    struct operator_scene scene = depth_plain_scene();
    scene.settings.own.dof_focus_hysteresis_diopters = 0.2;
    scene.settings.own.dof_focus = 2; /* vergence */
    struct given *given = given_make(&scene, DEPTHS_SLOPE, VK_FORMAT_R32_SFLOAT);
    const struct dof_optics optics = dof_optics_of(&scene.settings, scene.width_px);
    struct operator_focus focus = {0};
    for (size_t i = 0; i < COUNT(steps); i++) {
        const bool seen = steps[i].x_uv >= 0.0;
        struct fovea_gaze gaze = rig_gaze(seen ? steps[i].x_uv : 0.5, 0.4);
        gaze.usable = seen;
        given->drawn.values.elapsed_s = steps[i].elapsed_s;
        given->drawn.values.focus_m = steps[i].focus_m;
        given->drawn.values.vergence_m = steps[i].vergence_m;
        run_well(given, gaze);
        const struct dof_scale scale = dof_scale_of(&given->drawn.values);
        const float diopters =
            seen ? dof_scale_diopters(&scale, (float)value_under(given, &gaze)) : NAN;
        const double in_focus = dof_focus(&optics, &given->drawn.values, diopters, &focus);
        depth_assert_exact(&given->scene, &given->drawn.values, given->depths.values,
                           1.0 / in_focus, &given->src.view, &given->dst.view);
    }
    given_free(given);
}

/* ---- Light */

/* Draws a line of light on black. */
static void draw_line(const struct fovea_image *image)
{
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            for (uint32_t c = 0; c < 4; c++) {
                const bool lit = x >= LINE_FIRST && x < LINE_END;
                image_set(image, x, y, c, c == 3 ? 1.0 : lit ? LINE_LIGHT : 0.0);
            }
        }
    }
}

static double blurred_line(uint32_t x, double sigma_px)
{
    double sum = 0.0;
    for (uint32_t from = LINE_FIRST; from < LINE_END; from++) {
        sum += exp(-0.5 * pow(((double)x - from) / sigma_px, 2.0));
    }
    return LINE_LIGHT * sum / (sigma_px * sqrt(2.0 * 3.14159265358979));
}

static void assert_tail(const struct fovea_image *image, double sigma_px)
{
    const double middle = 0.5 * (LINE_FIRST + LINE_END - 1);
    for (uint32_t x = (uint32_t)(middle + 3.85 * sigma_px); x <= middle + 4.25 * sigma_px; x++) {
        const double light = image_get(image, x, image->height_px / 2, 0);
        const double wanted = blurred_line(x, sigma_px);
        assert_that(light > 0.7 * wanted && light < 1.1 * wanted, "%.2f sigma: %g, not %g",
                    (x - middle) / sigma_px, light, wanted);
    }
}

/* Layers have light that is no level: they may not end at 3.5 sigma, as stored values do. */
TEST(bright_lines_reach_beyond_four_sigma)
{
    static const double focuses_m[] = {1.2, 8.0};
    struct operator_scene scene = depth_plain_scene();
    scene.format = FOVEA_FORMAT_RGBA16F;
    scene.settings.own.dof_focus = 1; /* fixed */
    for (size_t i = 0; i < COUNT(focuses_m); i++) {
        const double diopters = 1.0 / focuses_m[i];
        scene.settings.own.dof_focus_m = focuses_m[i];
        struct given *given = given_make(&scene, DEPTHS_IN_FOCUS, VK_FORMAT_R32_SFLOAT);
        const struct dof_optics optics = dof_optics_of(&scene.settings, scene.width_px);
        draw_line(&given->src.view);
        rig_set_depth(depth_image_given(&given->depths, &given->drawn.values));
        assert_ok(rig_frame(&given->rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R16G16B16A16_SFLOAT,
                            &given->src.view, rig_gaze(0.5, 0.5), &given->dst.view));
        rig_set_depth((struct fovea_vk_depth){0});
        assert_tail(&given->dst.view,
                    dof_optics_sigma_px(&optics, diopters) * fabs(diopters - 1.0 / SCENE_FOCUS_M));
        given_free(given);
    }
}

/* ---- Rows and views */

/* A row is its operators, one frame after the other: what lies between has the images' format. A
 * backend that makes frames without depths may be two levels off. */
TEST(a_row_is_its_operators_one_after_the_other)
{
    static const enum fovea_operator rows[][2] = {{FOVEA_OPERATOR_dof, FOVEA_OPERATOR_foveate},
                                                  {FOVEA_OPERATOR_dof, FOVEA_OPERATOR_lens},
                                                  {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_dof}};
    const double most = rig_backend() == FOVEA_BACKEND_VULKAN ? 0.0 : 2.0;
    struct operator_scene scene = depth_plain_scene();
    struct given *given = given_make(&scene, DEPTHS_BLOCKS, VK_FORMAT_D16_UNORM);
    for (size_t i = 0; i < COUNT(rows); i++) {
        OWNED_IMAGE at_once = scene_draw(&scene);
        OWNED_IMAGE first = scene_draw(&scene);
        given->scene.settings.operators = (struct fovea_operators){2, {rows[i][0], rows[i][1]}};
        set_settings(&given->rig, &given->scene);
        run_well(given, rig_gaze(0.3, 0.6));
        copy(&given->dst.view, &at_once.view);
        copy(&given->src.view, &first.view);
        for (int k = 0; k < 2; k++) {
            given->scene.settings.operators = (struct fovea_operators){1, {rows[i][k]}};
            set_settings(&given->rig, &given->scene);
            run_well(given, rig_gaze(0.3, 0.6));
            copy(&given->dst.view, &given->src.view);
        }
        struct compare_rect where;
        assert_true(compare_largest(&at_once.view, &given->dst.view, &where) <= most);
        assert_true(compare_largest(&at_once.view, &first.view, &where) >= 5.0);
        copy(&first.view, &given->src.view);
    }
    given_free(given);
}

static struct fovea_vk_depth half_of(const struct depth_image *depths,
                                     const struct fovea_depth *values, uint32_t view)
{
    struct fovea_vk_depth half = depth_image_given(depths, values);
    half.width_px = (half.width_px - 3) / 2;
    half.height_px -= 2;
    half.x_px = 3 + view * half.width_px;
    half.y_px = 2;
    return half;
}

static double *values_of(const struct depth_image *depths, const struct fovea_vk_depth *half)
{
    double *own = malloc((size_t)half->width_px * half->height_px * sizeof *own);
    assert_non_null(own);
    for (uint32_t i = 0; i < half->width_px * half->height_px; i++) {
        const uint32_t x = half->x_px + i % half->width_px;
        own[i] = depths->values[(i / half->width_px + half->y_px) * depths->image.width_px + x];
    }
    return own;
}

static double distance_under_gaze(const struct depth_image *depths,
                                  const struct fovea_vk_view *view)
{
    const struct fovea_depth *values = view->depth.values;
    const uint32_t x = (uint32_t)(view->gaze.point.x_uv * view->width_px);
    const uint32_t y = (uint32_t)(view->gaze.point.y_uv * view->height_px);
    const struct dof_reference reference = {
        .kind = values->kind, .zero_m = values->zero_m, .one_m = values->one_m};
    double *own = values_of(depths, &view->depth);
    const double distance_m = dof_reference_distance(&reference, own[y * view->width_px + x]);
    free(own);
    return distance_m;
}

/* Each view's focus is its own, or that of the first, kept by the context or in a buffer. */
enum focus_of { FOCUS_OWN, FOCUS_FIRST, FOCUS_SHARED, FOCUS_WAYS };

static void check_halves(struct rig *rig, struct stereo *halves, const struct depth_image *depths,
                         enum focus_of focus)
{
    const struct operator_scene scene = depth_plain_scene();
    OWNED_IMAGE src = stereo_picture(halves, IMAGE_RANDOM, 11);
    OWNED_IMAGE dst = stereo_picture(halves, IMAGE_STROKES, 12);
    assert_int_equal(stereo_run(rig, halves, RIG_ENGINE_TO_ENGINE, &src.view, &dst.view), FOVEA_OK);
    for (uint32_t v = 0; v < 2; v++) {
        const struct fovea_vk_view *view = &halves->views[v];
        const double focus_m =
            distance_under_gaze(depths, &halves->views[focus == FOCUS_OWN ? v : 0]);
        OWNED(owned_free) double *own = values_of(depths, &view->depth);
        struct test_image in = stereo_cut_out(halves, view, &src.view);
        OWNED(image_free) struct test_image out = stereo_cut_out(halves, view, &dst.view);
        depth_assert_exact(&scene, view->depth.values, own, focus_m, &in.view, &out.view);
        image_free(&in);
    }
}

static void give_halves(struct stereo *halves, const struct depth_image *depths,
                        const struct fovea_depth *values, enum focus_of focus, VkBuffer buffer)
{
    for (uint32_t v = 0; v < 2; v++) {
        struct fovea_vk_depth *depth = &halves->views[v].depth;
        *depth = half_of(depths, values, v);
        depth->focus_stays = v == 1 && focus != FOCUS_OWN;
        depth->focus = focus == FOCUS_SHARED ? buffer : VK_NULL_HANDLE;
        depth->focus_offset = focus == FOCUS_SHARED ? 256 : 0;
    }
}

static bool is_0(const uint8_t *bytes, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        all = all && bytes[i] == 0;
    }
    return all;
}

/* Both are parts of one image, an attachment at last, and in the next frame in the other layout of
 * one: validation knows whether it came back to the first. */
TEST(views_have_their_own_depths_and_focus_or_the_first_ones)
{
    struct operator_scene scene = depth_plain_scene();
    RIG(rig, &scene.settings);
    struct stereo halves = stereo_side_by_side();
    struct depth_drawn drawn = {DEPTHS_SLOPE, depth_scale_of(1, VK_FORMAT_D32_SFLOAT)};
    struct depth_image depths =
        depth_image_create(&rig.engine, VK_FORMAT_D32_SFLOAT, 2 * halves.views[0].width_px + 3,
                           halves.views[0].height_px + 2, depth_value_at, &drawn);
    struct engine_buffer buffer = engine_buffer_create(&rig.engine, 256 + FOVEA_VK_FOCUS_BYTES);
    memset(buffer.mapped, 0, buffer.bytes);
    for (int i = 0; i < 2 * FOCUS_WAYS; i++) {
        const enum focus_of focus = (enum focus_of)(i / 2);
        drawn.values.elapsed_s = i % 2 ? 0.3 : 0.0;
        if (focus == FOCUS_SHARED) {
            depth_image_attach(&rig.engine, &depths);
        }
        give_halves(&halves, &depths, &drawn.values, focus, buffer.buffer);
        check_halves(&rig, &halves, &depths, focus);
    }
    assert_true(is_0(buffer.mapped, 256) && !is_0(buffer.mapped + 256, FOVEA_VK_FOCUS_BYTES));
    engine_buffer_destroy(&rig.engine, &buffer);
    depth_image_destroy(&rig.engine, &depths);
}

/* ---- What is refused */

/* In place, so that what was drawn would be gone. It is said once. */
static void expect_refused(struct given *given, struct fovea_vk_depth depth, const char *words)
{
    const uint32_t said = given->rig.fovea->refusal_count;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(run(given, RIG_ENGINE_IN_PLACE, depth, rig_gaze(0.5, 0.5)),
                         FOVEA_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(given->rig.fovea->refusal, words));
        assert_int_equal(given->rig.fovea->refusal_count, said + 1);
    }
}

/* The last arguments spoil good ones. */
#define REFUSED(words, ...)                                                                        \
    do {                                                                                           \
        struct fovea_depth values = given->drawn.values;                                           \
        struct fovea_vk_depth depth = depth_image_given(&given->depths, &values);                  \
        __VA_ARGS__;                                                                               \
        expect_refused(given, depth, words);                                                       \
    } while (0)

/* Good frames come in between. */
TEST(what_is_wrong_is_named_once_and_the_frame_stays_as_drawn)
{
    struct operator_scene scene = depth_plain_scene();
    struct given *given = given_make(&scene, DEPTHS_BLOCKS, VK_FORMAT_D32_SFLOAT);
    REFUSED("view 0 has none (depth.view)", depth.view = VK_NULL_HANDLE);
    REFUSED("depth.format is VkFormat 37", depth.format = VK_FORMAT_R8G8B8A8_UNORM);
    REFUSED("depth.layout is 3", depth.layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
            depth.image = VK_NULL_HANDLE);
    REFUSED("depth.width_px and depth.height_px are 68x45, the view is 67x45", depth.width_px++);
    REFUSED("depth.focus_offset is 32", depth.focus_offset = 32);
    REFUSED("depth.reserved is not 0", depth.reserved[0] = 1);
    REFUSED("depth.values is NULL", depth.values = NULL);
    REFUSED("struct_bytes is not set", values.struct_bytes = 0);
    REFUSED("depth.zero_m and depth.one_m are both 2", values.zero_m = values.one_m = 2.0);
    REFUSED("depth.elapsed_s is -1", values.elapsed_s = -1.0);
    run_well(given, rig_gaze(0.5, 0.5));
    given_free(given);
}

/* An engine may always give them. */
TEST(depths_do_not_count_where_no_operator_needs_them)
{
    struct operator_scene scene = depth_plain_scene();
    struct given *given = given_make(&scene, DEPTHS_BLOCKS, VK_FORMAT_D32_SFLOAT);
    given->scene.settings.operators = scene_vk_operators(&foveate_under_test);
    set_settings(&given->rig, &given->scene);
    for (int i = 0; i < 2; i++) {
        struct fovea_vk_depth depth = depth_image_given(&given->depths, NULL);
        OWNED_IMAGE before = image_make_packed(67, 45, scene.format);
        copy(&given->dst.view, &before.view);
        depth.view = i == 0 ? VK_NULL_HANDLE : depth.view;
        assert_int_equal(run(given, RIG_ENGINE_TO_ENGINE, depth, rig_gaze(0.5, 0.5)), FOVEA_OK);
        if (i == 1) {
            compare_assert_all_same(&given->dst.view, &before.view, "foveate");
        }
    }
    given_free(given);
}

/* The program was built before there were depths, whatever lies behind its struct. */
static void run_in_all_places(struct given *given, struct fovea_vk_depth depth)
{
    for (uint32_t i = 0; i < given->rig.fovea->slot_count; i++) {
        assert_int_equal(run(given, RIG_ENGINE_TO_ENGINE, depth, rig_gaze(0.5, 0.5)), FOVEA_OK);
    }
}

/* lavapipe looks at all that a set has, whoever reads it, and freed memory is overwritten here. */
TEST(depths_of_former_frames_may_be_gone)
{
    struct operator_scene scene = depth_plain_scene();
    struct given *given = given_make(&scene, DEPTHS_BLOCKS, VK_FORMAT_D32_SFLOAT);
    run_in_all_places(given, depth_image_given(&given->depths, &given->drawn.values));
    mallopt(M_PERTURB, 0xa5);
    depth_image_destroy(&given->rig.engine, &given->depths);
    given->scene.settings.operators = scene_vk_operators(&foveate_under_test);
    set_settings(&given->rig, &given->scene);
    run_in_all_places(given, (struct fovea_vk_depth){0});
    mallopt(M_PERTURB, 0);
    given->depths = depth_image_create(&given->rig.engine, VK_FORMAT_D32_SFLOAT, scene.width_px,
                                       scene.height_px, depth_value_at, &given->drawn);
    given_free(given);
}

TEST(frames_of_older_programs_have_none)
{
    struct operator_scene scene = depth_plain_scene();
    struct given *given = given_make(&scene, DEPTHS_BLOCKS, VK_FORMAT_D32_SFLOAT);
    struct fovea_vk_frame frame;
    fovea_vk_frame_init(&frame);
    memset(&frame.depth, 0x5a, sizeof frame.depth);
    frame.struct_bytes = offsetof(struct fovea_vk_frame, depth);
    struct engine_image image =
        engine_image_create(&given->rig.engine, VK_FORMAT_B8G8R8A8_UNORM, 67, 45);
    frame.src = (struct fovea_vk_frame_target){.image = image.image,
                                               .format = VK_FORMAT_B8G8R8A8_UNORM,
                                               .width_px = 67,
                                               .height_px = 45,
                                               .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                               .layout_after = VK_IMAGE_LAYOUT_GENERAL};
    frame.dst = frame.src;
    frame.gaze = rig_gaze(0.5, 0.5);
    engine_write(&given->rig.engine, image.image, 67, 45, VK_FORMAT_B8G8R8A8_UNORM,
                 given->src.view.data, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    assert_int_equal(rig_foveate(&given->rig, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(given->rig.fovea->refusal, "view 0 has none"));
    given->scene.settings.operators = scene_vk_operators(&foveate_under_test);
    set_settings(&given->rig, &given->scene);
    assert_int_equal(rig_foveate(&given->rig, &frame), FOVEA_OK);
    engine_idle(&given->rig.engine);
    engine_image_destroy(&given->rig.engine, &image);
    given_free(given);
}
