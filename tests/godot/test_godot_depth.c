/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Depth of field in the host: the engine's depths against dof's reference, what stays in focus, and
 * where there are none. */

#include "cmocka_all.h"
#include "host.h"
#include "operators/scene_depths.h"

#define WIDTH_PX 66
#define HEIGHT_PX 44
#define PIXELS ((size_t)WIDTH_PX * HEIGHT_PX)
#define VIEWS 2
#define PIXEL_BYTES 8

/* An effect, what it is given, and what comes of it; views below each other. */
struct shot {
    struct object *effect;
    struct operator_scene scene;
    struct test_image src;
    struct test_image dst;
    float depths[VIEWS * PIXELS];
    double values[VIEWS * PIXELS]; /* the same */
    struct host_frame frame;
};

static void set(struct shot *shot, const char *name, struct host_value value)
{
    assert_true(host_set(shot->effect, name, value));
}

/* A block at 1.1 m in the left half, and 30 m behind it. */
static double distance_at(uint32_t x, uint32_t y)
{
    return x < WIDTH_PX / 2 && y > 8 ? 1.1 : 30.0;
}

static void draw_depths(struct shot *shot)
{
    const double near = HOST_NEAR_M, far = HOST_FAR_M;
    for (uint32_t i = 0; i < VIEWS * PIXELS; i++) {
        const double distance_m = distance_at(i % WIDTH_PX, i / WIDTH_PX % HEIGHT_PX);
        shot->depths[i] = (float)(shot->frame.orthographic_m > 0
                                      ? (far - distance_m) / (far - near)
                                      : near / (far - near) * (far / distance_m - 1.0));
        shot->values[i] = (double)shot->depths[i];
    }
}

static void choose_lens(struct shot *shot)
{
    struct fovea_operator_settings *own = &shot->scene.settings.own;
    own->dof_focal_mm = 60.0;
    own->dof_f_number = 1.4;
    own->dof_sensor_mm = 5.0;
    own->dof_sigma_max_px = 9.0;
    set(shot, "dof_focal_mm", host_float(own->dof_focal_mm));
    set(shot, "dof_f_number", host_float(own->dof_f_number));
    set(shot, "dof_sensor_mm", host_float(own->dof_sensor_mm));
    set(shot, "dof_sigma_max_px", host_float(own->dof_sigma_max_px));
    set(shot, "dof_focus_time_s", host_float(0));
    set(shot, "operators", host_string("dof"));
}

static struct shot *open_shot(const struct host_options *options)
{
    struct shot *shot = calloc(1, sizeof *shot);
    assert_non_null(shot);
    shot->effect = host_open_effect(FOVEA_GODOT, options);
    shot->scene = (struct operator_scene){.settings = fovea_settings_default(),
                                          .format = FOVEA_FORMAT_RGBA16F,
                                          .width_px = WIDTH_PX,
                                          .height_px = HEIGHT_PX};
    shot->src = image_make_packed(WIDTH_PX, VIEWS * HEIGHT_PX, FOVEA_FORMAT_RGBA16F);
    shot->dst = image_make_packed(WIDTH_PX, VIEWS * HEIGHT_PX, FOVEA_FORMAT_RGBA16F);
    image_draw(&shot->src.view, IMAGE_PHOTO, 5);
    shot->frame = (struct host_frame){.width_px = WIDTH_PX,
                                      .height_px = HEIGHT_PX,
                                      .pixels = shot->src.view.data,
                                      .depths = shot->depths,
                                      .out = shot->dst.view.data};
    choose_lens(shot);
    draw_depths(shot);
    return shot;
}

static void close_shot(struct shot *shot)
{
    host_release(shot->effect);
    host_unload();
    if (host_close() != 0) {
        fail_msg("something is left:\n%s", host_console());
    }
    image_free(&shot->src);
    image_free(&shot->dst);
    free(shot);
}

static void look_at(struct shot *shot, float x_uv, float y_uv)
{
    set(shot, "gaze_uv", host_vector2(x_uv, y_uv));
}

static bool is_drawn(const struct shot *shot)
{
    return memcmp(shot->src.view.data, shot->dst.view.data, PIXELS * PIXEL_BYTES) == 0;
}

static struct fovea_image view_of(const struct fovea_image *all, uint32_t view)
{
    struct fovea_image part = *all;
    part.height_px = HEIGHT_PX;
    part.data = image_pixel(all, 0, view * HEIGHT_PX);
    return part;
}

static void expect_focused(struct shot *shot, uint32_t view, double focus_m)
{
    const bool flat = shot->frame.orthographic_m > 0;
    const struct fovea_image src = view_of(&shot->src.view, view);
    const struct fovea_image dst = view_of(&shot->dst.view, view);
    const struct depths depths = {
        .depth = {.kind = flat ? FOVEA_DEPTH_LINEAR : FOVEA_DEPTH_PERSPECTIVE,
                  .zero_m = HOST_FAR_M,
                  .one_m = HOST_NEAR_M},
        .values = shot->values + view * PIXELS};
    host_expect_clean();
    assert_false(is_drawn(shot));
    dof_assert_focused(&shot->scene, &depths, focus_m, &src, &dst);
}

TEST(what_is_under_the_gaze_is_in_focus)
{
    static const struct {
        uint32_t minor;
        bool msaa;
        double orthographic_m;
    } cases[] = {{4, false, 0}, {7, true, 0}, {5, false, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shot *shot = open_shot(&(struct host_options){.minor = cases[i].minor});
        shot->frame.msaa = cases[i].msaa;
        shot->frame.orthographic_m = cases[i].orthographic_m;
        draw_depths(shot);
        look_at(shot, 0.25F, 0.75F);
        assert_true(host_frame(shot->effect, &shot->frame));
        expect_focused(shot, 0, 1.1);
        look_at(shot, 0.75F, 0.75F);
        assert_true(host_frame(shot->effect, &shot->frame));
        expect_focused(shot, 0, 30.0);
        close_shot(shot);
    }
}

TEST(each_view_and_viewport_has_a_focus)
{
    struct shot *shot = open_shot(&(struct host_options){.render_thread = true});
    set(shot, "dof_focus_hysteresis_diopters", host_float(5));
    shot->frame.views = VIEWS;
    set(shot, "gaze_per_eye", host_bool(true));
    set(shot, "gaze_uv_left", host_vector2(0.25F, 0.75F));
    set(shot, "gaze_uv_right", host_vector2(0.75F, 0.75F));
    for (int i = 0; i < 2; i++) {
        assert_true(host_frame(shot->effect, &shot->frame));
        expect_focused(shot, 0, 1.1);
        expect_focused(shot, 1, 30.0);
    }
    shot->frame.viewport = 1;
    set(shot, "gaze_uv_left", host_vector2(0.75F, 0.75F));
    assert_true(host_frame(shot->effect, &shot->frame));
    expect_focused(shot, 0, 30.0);
    close_shot(shot);
}

/* Within 5 diopters it stays where it was, if it is known where that is. */
TEST(the_focus_is_remembered_and_outlives_a_size)
{
    struct shot *shot = open_shot(&(struct host_options){0});
    set(shot, "dof_focus_hysteresis_diopters", host_float(5));
    look_at(shot, 0.75F, 0.75F);
    assert_true(host_frame(shot->effect, &shot->frame));
    expect_focused(shot, 0, 30.0);
    look_at(shot, 0.25F, 0.75F);
    assert_true(host_frame(shot->effect, &shot->frame));
    expect_focused(shot, 0, 30.0);
    struct host_frame other = shot->frame;
    other.height_px = HEIGHT_PX / 2;
    assert_true(host_frame(shot->effect, &other));
    assert_true(host_frame(shot->effect, &shot->frame));
    expect_focused(shot, 0, 30.0);
    set(shot, "dof_focus_hysteresis_diopters", host_float(0.1));
    assert_true(host_frame(shot->effect, &shot->frame));
    expect_focused(shot, 0, 1.1);
    close_shot(shot);
}

/* Within the block, which is blurred while what is behind it is in focus. */
static double difference(const struct test_image *a, const struct test_image *b)
{
    struct fovea_image parts[2] = {a->view, b->view};
    struct compare_rect where;
    for (int i = 0; i < 2; i++) {
        parts[i].data = image_pixel(&parts[i], 6, 18);
        parts[i].width_px = 18;
        parts[i].height_px = 18;
    }
    return compare_largest(&parts[0], &parts[1], &where);
}

/* Frames of a test are much nearer to each other than the time constant. */
TEST(the_focus_follows_in_time)
{
    struct shot *shot = open_shot(&(struct host_options){0});
    struct test_image seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = image_make_packed(WIDTH_PX, VIEWS * HEIGHT_PX, FOVEA_FORMAT_RGBA16F);
        set(shot, "dof_focus_time_s", host_float(i == 1 ? 10 : 0));
        look_at(shot, i == 0 ? 0.75F : 0.25F, 0.75F);
        shot->frame.out = NULL;
        assert_true(host_frame(shot->effect, &shot->frame)); /* makes shaders, and takes its time */
        shot->frame.out = seen[i].view.data;
        assert_true(host_frame(shot->effect, &shot->frame));
    }
    const double moved = difference(&seen[0], &seen[1]);
    assert_true(moved > 0);
    assert_true(4 * moved < difference(&seen[0], &seen[2]));
    for (int i = 0; i < 3; i++) {
        image_free(&seen[i]);
    }
    close_shot(shot);
}

TEST(rows_focus_and_foveate)
{
    static const char *const rows[] = {"dof", "foveate", "dof,foveate", "foveate,dof"};
    struct shot *shot = open_shot(&(struct host_options){.minor = 6});
    struct test_image seen[4];
    look_at(shot, 0.25F, 0.75F);
    for (int i = 0; i < 4; i++) {
        seen[i] = image_make_packed(WIDTH_PX, VIEWS * HEIGHT_PX, FOVEA_FORMAT_RGBA16F);
        shot->frame.out = seen[i].view.data;
        set(shot, "operators", host_string(rows[i]));
        assert_true(host_frame(shot->effect, &shot->frame));
        for (int k = 0; k < i; k++) {
            assert_memory_not_equal(seen[i].view.data, seen[k].view.data, PIXELS * PIXEL_BYTES);
        }
    }
    host_expect_clean();
    for (int i = 0; i < 4; i++) {
        image_free(&seen[i]);
    }
    close_shot(shot);
}

static bool count(void *user)
{
    ++*(int *)user;
    return true;
}

TEST(depths_are_asked_for_where_an_operator_needs_them)
{
    struct shot *shot = open_shot(&(struct host_options){0});
    int asked = 0;
    host_at("RenderSceneBuffersRD.get_depth_layer", count, &asked);
    set(shot, "operators", host_string("foveate"));
    assert_true(host_frame(shot->effect, &shot->frame));
    assert_int_equal(asked, 0);
    set(shot, "operators", host_string("foveate,dof"));
    assert_true(host_frame(shot->effect, &shot->frame));
    assert_int_equal(asked, 1);
    host_at(NULL, NULL, NULL);
    host_expect_clean();
    close_shot(shot);
}

TEST(a_size_that_needs_too_large_a_buffer_is_said)
{
    struct shot *shot = open_shot(&(struct host_options){0});
    const uint32_t side_px = 1700;
    float *depths = calloc((size_t)side_px * side_px, sizeof *depths);
    assert_non_null(depths);
    const struct host_frame large = {.width_px = side_px, .height_px = side_px, .depths = depths};
    assert_true(host_frame(shot->effect, &large));
    assert_true(host_said("need a buffer of over 128 MiB at this size"));
    assert_int_equal(host_counts().extension_warnings, 1);
    set(shot, "operators", host_string("foveate"));
    host_clear();
    assert_true(host_frame(shot->effect, &large));
    host_expect_clean();
    free(depths);
    close_shot(shot);
}

/* Said once; with depths, and with other operators, frames come out right afterwards. */
TEST(without_depths_frames_are_as_they_were_drawn)
{
    for (int unread = 0; unread < 2; unread++) {
        struct shot *shot = open_shot(&(struct host_options){0});
        const struct host_frame whole = shot->frame;
        look_at(shot, 0.25F, 0.75F);
        shot->frame.depths = unread ? shot->depths : NULL;
        shot->frame.depths_unread = unread;
        for (int i = 0; i < 2; i++) {
            host_clear();
            assert_true(host_frame(shot->effect, &shot->frame));
            assert_true(is_drawn(shot));
            assert_int_equal(host_said("one of the operators needs depths"), i == 0);
        }
        set(shot, "operators", host_string("foveate"));
        assert_true(host_frame(shot->effect, &shot->frame));
        assert_false(is_drawn(shot));
        set(shot, "operators", host_string("dof"));
        assert_true(host_frame(shot->effect, &whole));
        expect_focused(shot, 0, 1.1);
        close_shot(shot);
    }
}
