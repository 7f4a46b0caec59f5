/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea's extension in the host: its properties, signals and sources, where it does not run, and
 * its end. test_godot_frames has its pictures. */

#include "cmocka_all.h"
#include "compare.h"
#include "host.h"
#include "images.h"
#include "test_foveate_support.h"

#define CLASS "FoveaEffect"
#define WIDTH_PX 160
#define HEIGHT_PX 96
#define FORMAT FOVEA_FORMAT_RGBA16F

/* Layers below each other, as the host takes them. */
struct pictures {
    struct test_image in;
    struct test_image out;
};

static struct pictures make_pictures(uint32_t width_px, uint32_t height_px)
{
    struct pictures pictures = {image_make_packed(width_px, height_px, FORMAT),
                                image_make_packed(width_px, height_px, FORMAT)};
    image_draw(&pictures.in.view, IMAGE_PHOTO, 7);
    return pictures;
}

static void free_pictures(struct pictures *pictures)
{
    assert_true(image_guards_intact(&pictures->out));
    image_free(&pictures->in);
    image_free(&pictures->out);
}

static struct host_frame frame_of(const struct pictures *pictures, uint32_t views)
{
    return (struct host_frame){.width_px = pictures->in.view.width_px,
                               .height_px = pictures->in.view.height_px / views,
                               .views = views,
                               .pixels = pictures->in.view.data,
                               .out = pictures->out.view.data};
}

static void close_effect(struct object *effect)
{
    host_release(effect); /* the render thread frees what it had, later */
    host_unload();
    assert_int_equal(host_counts().rids, 0);
    assert_that(host_close() == 0, "something is left:\n%s", host_console());
}

static void close_clean(struct object **effect)
{
    host_expect_clean();
    close_effect(*effect);
}

/* The picture has one layer, and the gaze is in uv. */
static void expect_foveated(const struct fovea_foveation *foveation, const struct fovea_image *in,
                            const struct fovea_image *out, double x_uv, double y_uv,
                            const char *what)
{
    OWNED(foveate_plan_destroy)
    struct gauss_plan *plan = plan_of(foveation, in->width_px, in->height_px);
    const struct gauss_frame frame = frame_at(plan, x_uv * in->width_px, y_uv * in->height_px);
    OWNED(owned_free) double *expected = compare_expected(foveation, in, &frame);
    compare_assert_close(out, expected, compare_budget_for(foveation, FORMAT), what);
}

static void expect_drawn(const struct pictures *pictures, const char *what)
{
    compare_assert_all_same(&pictures->out.view, &pictures->in.view, what);
}

/* ---- Tests */

/* Once everything is made, frames make nothing more. */
TEST(frames_leave_nothing_behind)
{
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    const struct host_frame frame = frame_of(&pictures, 1);
    OWNED(close_clean)
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    assert_true(host_frame(effect, &frame));
    const struct host_counts before = host_counts();
    for (int i = 0; i < 5; i++) {
        assert_true(host_set(effect, "gaze_uv", host_vector2(0.1F * (float)i, 0.5F)));
        assert_true(host_frame(effect, &frame));
    }
    const struct host_counts after = host_counts();
    assert_int_equal(after.rids, before.rids);
    assert_int_equal(after.objects, before.objects);
    assert_int_equal(after.values, before.values);
}

static void check_second_operator(const char *row, const char *second)
{
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    OWNED_IMAGE first = image_make_packed(WIDTH_PX, HEIGHT_PX, FORMAT);
    const struct host_frame frame = frame_of(&pictures, 1);
    struct host_frame again = frame;
    OWNED(close_clean)
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    again.pixels = first.view.data;
    assert_true(host_set(effect, "blur_sigma_px", host_float(3)));
    assert_true(host_set(effect, "operators", host_string(row)));
    assert_true(host_frame(effect, &frame));
    memcpy(first.view.data, pictures.out.view.data,
           (size_t)WIDTH_PX * HEIGHT_PX * fovea_format_bytes(FORMAT));
    /* One by one it is the same, but for the half floats between. */
    OWNED_IMAGE between = image_make_packed(WIDTH_PX, HEIGHT_PX, FORMAT);
    struct host_frame one = frame;
    one.out = between.view.data;
    assert_true(host_set(effect, "operators", host_string("foveate")));
    assert_true(host_frame(effect, &one));
    again.pixels = between.view.data;
    assert_true(host_set(effect, "operators", host_string(second)));
    assert_true(host_frame(effect, &again));
    struct compare_rect where;
    assert_true(compare_largest(&first.view, &pictures.out.view, &where) < 1e-3);
}

TEST(several_operators_follow_each_other)
{
    check_second_operator("foveate,blur", "blur");
    check_second_operator("foveate,lens", "lens");
}

TEST(debug_views_show_something)
{
    static const char *const views[] = {"marker", "rings", "heatmap", "split"};
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    OWNED_IMAGE plain = image_make_packed(WIDTH_PX, HEIGHT_PX, FORMAT);
    struct host_frame frame = frame_of(&pictures, 1);
    struct compare_rect where;
    OWNED(close_clean)
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    frame.out = plain.view.data;
    assert_true(host_frame(effect, &frame));
    frame.out = pictures.out.view.data;
    for (int i = 0; i < 4; i++) {
        assert_true(host_set(effect, "debug_view", host_string(views[i])));
        assert_true(host_frame(effect, &frame));
        assert_that(compare_largest(&pictures.out.view, &plain.view, &where) > 0.01,
                    "%s shows nothing", views[i]);
    }
    const struct compare_rect left = {0, 0, WIDTH_PX / 2 - 4, HEIGHT_PX};
    compare_assert_same(&pictures.out.view, &pictures.in.view, left, "left of the split");
}

TEST(properties_take_what_fits_and_say_what_does_not)
{
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    const char *const hints[] = {"strength:3:1:0,8,0.0001", "method:4:2:blockwise,smooth",
                                 "map_file:4:13:*.png",     "lens_file:4:13:",
                                 "blur_file:4:13:",         "gaze_scanpath_file:4:13:"};
    size_t found = 0;
    for (uint32_t i = 0; host_property(CLASS, i); i++) {
        for (size_t j = 0; j < sizeof hints / sizeof hints[0]; j++) {
            found += strcmp(host_property(CLASS, i), hints[j]) == 0;
        }
    }
    assert_int_equal(found, sizeof hints / sizeof hints[0]);
    assert_true(host_has_signal(CLASS, "gaze_lost") && host_has_signal(CLASS, "gaze_found"));
    assert_true(host_get(effect, "strength").d == 1);
    assert_string_equal(host_get(effect, "gaze_source").s, "script");
    assert_true(host_get(effect, "gaze_valid").b);
    assert_true(host_set(effect, "strength", host_int(2)));
    assert_true(host_get(effect, "strength").d == 2);
    assert_true(host_set(effect, "paper_fragment_px", host_int(16)));
    assert_int_equal(host_get(effect, "paper_fragment_px").i, 16);
    assert_true(host_set(effect, "map_file", host_string("res://maps/a.png")));
    assert_string_equal(host_get(effect, "map_file").s, "res://maps/a.png");
    host_expect_clean();
    assert_true(host_set(effect, "strength", host_float(9)));
    assert_true(host_said("0 to 8"));
    assert_true(host_get(effect, "strength").d == 2);
    assert_true(host_set(effect, "model", host_string("cubic")));
    assert_true(host_said("\"paper\""));
    assert_true(host_set(effect, "debug_view", host_string("everything")));
    assert_true(host_said("heatmap"));
    assert_string_equal(host_get(effect, "debug_view").s, "off");
    assert_int_equal(host_counts().extension_errors, 3);
    close_effect(effect);
}

TEST(sources_are_those_of_the_settings_but_in_the_editor)
{
    const struct fovea_foveation foveation = fovea_settings_default().foveation;
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    const struct host_frame frame = frame_of(&pictures, 1);
    for (int editor = 0; editor < 2; editor++) {
        OWNED(close_clean)
        struct object *effect =
            host_open_effect(FOVEA_GODOT, &(struct host_options){.editor = editor});
        assert_true(host_set(effect, "gaze_uv", host_vector2(0.25F, 0.5F)));
        assert_true(host_set(effect, "gaze_fixed_x", host_float(0.75)));
        assert_true(host_set(effect, "gaze_source", host_string("fixed")));
        assert_true(host_frame(effect, &frame));
        expect_foveated(&foveation, &pictures.in.view, &pictures.out.view, editor ? 0.25 : 0.75,
                        0.5, editor ? "editor" : "game");
        assert_int_equal(host_counts().descriptions, editor);
    }
}

/* A blink is held; a loss is told, and so is its end. */
TEST(lost_gazes_are_told_and_come_back)
{
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    const struct host_frame frame = frame_of(&pictures, 1);
    OWNED(close_clean)
    struct object *effect =
        host_open_effect(FOVEA_GODOT, &(struct host_options){.render_thread = true});
    assert_true(host_set(effect, "gaze_validity_hold_ms", host_float(0)));
    assert_true(host_set(effect, "gaze_validity_return_ms", host_float(0)));
    assert_true(host_set(effect, "gaze_validity_fallback", host_string("none")));
    assert_true(host_frame(effect, &frame));
    assert_true(host_set(effect, "gaze_valid", host_bool(false)));
    for (int i = 0; i < 3; i++) {
        assert_true(host_frame(effect, &frame));
    }
    host_idle();
    assert_int_equal(host_emitted("gaze_lost"), 1);
    assert_int_equal(host_emitted("gaze_found"), 0);
    expect_drawn(&pictures, "no gaze");
    assert_true(host_set(effect, "gaze_valid", host_bool(true)));
    assert_true(host_frame(effect, &frame));
    assert_true(host_frame(effect, &frame));
    host_idle();
    assert_int_equal(host_emitted("gaze_found"), 1);
}

static void show_blind(struct object *effect, const char *row, const struct host_frame *frame)
{
    assert_true(host_set(effect, "operators", host_string(row)));
    assert_true(host_frame(effect, frame));
}

/* A headset whose tracker has lost the eye shows what its lens undoes, not foveated. Debug views
 * need a gaze. */
TEST(what_does_not_look_at_the_gaze_runs_without_one)
{
    static const char *const rows[] = {"foveate,lens", "lens,foveate", "lens"};
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, 2 * HEIGHT_PX);
    OWNED_IMAGE warped = image_make_packed(WIDTH_PX, 2 * HEIGHT_PX, FORMAT);
    const struct host_frame frame = frame_of(&pictures, 2);
    struct host_frame expected = frame;
    struct compare_rect where;
    OWNED(close_clean)
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    expected.out = warped.view.data;
    show_blind(effect, "lens", &expected);
    assert_true(compare_largest(&warped.view, &pictures.in.view, &where) > 0.1);
    assert_true(host_set(effect, "gaze_validity_hold_ms", host_float(0)));
    assert_true(host_set(effect, "gaze_validity_return_ms", host_float(0)));
    assert_true(host_set(effect, "gaze_validity_fallback", host_string("none")));
    assert_true(host_set(effect, "gaze_valid", host_bool(false)));
    assert_true(host_set(effect, "debug_view", host_string("heatmap")));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        show_blind(effect, rows[i], &frame);
        compare_assert_all_same(&pictures.out.view, &warped.view, rows[i]);
    }
    show_blind(effect, "foveate", &frame);
    expect_drawn(&pictures, "no operator that runs without a gaze");
}

TEST(gazes_far_away_and_strength_0_are_no_trouble)
{
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    const struct host_frame frame = frame_of(&pictures, 1);
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    assert_true(host_set(effect, "gaze_uv", host_vector2(1e9F, -1e9F)));
    assert_true(host_frame(effect, &frame));
    assert_true(host_set(effect, "strength", host_float(0)));
    assert_true(host_frame(effect, &frame));
    expect_drawn(&pictures, "strength 0");
    assert_true(host_said("cannot be uv")); /* once: it is most probably in pixels */
    assert_int_equal(host_counts().extension_warnings, 1);
    assert_int_equal(host_counts().extension_errors + host_counts().engine_errors, 0);
    assert_int_equal(host_counts().messages, 0);
    close_effect(effect);
}

/* Says it once, and draws nothing. */
static void expect_refusal(const struct host_options *options, const char *words)
{
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    const struct host_frame frame = frame_of(&pictures, 1);
    struct object *effect = host_open_effect(FOVEA_GODOT, options);
    for (int i = 0; i < 3; i++) {
        host_frame(effect, &frame);
    }
    if (!options->headless) {
        assert_true(host_said(words));
        assert_int_equal(host_counts().extension_warnings, 1);
    }
    assert_int_equal(host_counts().extension_errors, 0);
    assert_int_equal(host_counts().engine_errors, 0);
    close_effect(effect);
}

TEST(renderers_that_cannot_are_told_once)
{
    expect_refusal(&(struct host_options){.mobile = true}, "Forward+");
    expect_refusal(&(struct host_options){.headless = true}, "RenderingDevice");
}

TEST(a_place_before_the_whole_picture_is_refused_once)
{
    const struct fovea_foveation foveation = fovea_settings_default().foveation;
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    struct host_frame frame = frame_of(&pictures, 1);
    OWNED(close_clean)
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    frame.early = true;
    for (int i = 0; i < 3; i++) {
        assert_true(host_frame(effect, &frame));
        expect_drawn(&pictures, "too early");
    }
    assert_true(host_said("Post Transparent"));
    assert_int_equal(host_counts().extension_warnings, 1);
    host_clear();
    frame.early = false;
    assert_true(host_frame(effect, &frame));
    expect_foveated(&foveation, &pictures.in.view, &pictures.out.view, 0.5, 0.5, "in its place");
}

TEST(double_precision_is_refused)
{
    assert_true(host_open(&(struct host_options){.double_precision = true, .headless = true}));
    assert_true(host_load(FOVEA_GODOT, "fovea_godot_init"));
    assert_true(host_said("precision=double"));
    assert_int_equal(host_counts().engine_errors, 0);
    assert_null(host_construct(CLASS));
    host_unload();
    assert_int_equal(host_close(), 0);
}

TEST(the_library_can_be_loaded_again)
{
    OWNED(free_pictures) struct pictures pictures = make_pictures(WIDTH_PX, HEIGHT_PX);
    const struct host_frame frame = frame_of(&pictures, 1);
    OWNED(close_clean)
    struct object *effect =
        host_open_effect(FOVEA_GODOT, &(struct host_options){.render_thread = true});
    assert_true(host_frame(effect, &frame));
    host_release(effect);
    host_unload();
    assert_int_equal(host_counts().names, 0);
    assert_true(host_load(FOVEA_GODOT, "fovea_godot_init"));
    effect = host_construct(CLASS);
    assert_true(host_frame(effect, &frame));
}

static bool has_vulkan(void)
{
    const bool there = host_open(&(struct host_options){0});
    if (there) {
        host_close();
    }
    return there;
}

int main(void)
{
    if (!has_vulkan()) {
        return 77;
    }
    return tests_run(NULL, NULL);
}
