/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The pointer in somebody else's program: another client of the same server plays the person and
 * the program. */
#include "input_rig.h"

WITH_SERVER(positions_follow_the_pointer_over_the_client_area)
{
    rest_ms(POLLS_MS);
    assert_false(rig_state().pointer_known);
    static const int16_t places[][2] = {{0, 0}, {399, 0}, {0, 199}, {399, 199}, {123, 45}};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        x_pointer(&client, (int16_t)(100 + places[i][0]), (int16_t)(50 + places[i][1]));
        UNTIL(pointer_is((places[i][0] + 0.5) / 400.0, (places[i][1] + 0.5) / 200.0));
    }
    static const int16_t beside[][2] = {{99, 100}, {500, 100}, {200, 49}, {200, 250}};
    for (size_t i = 0; i < COUNT_OF(beside); i++) {
        x_pointer(&client, 223, 95);
        UNTIL(rig_state().pointer_over);
        x_pointer(&client, beside[i][0], beside[i][1]);
        UNTIL(!rig_state().pointer_over);
        assert_true(rig_state().pointer_known);
        assert_near(rig_state().pointer_x_uv, 123.5 / 400, 1e-6);
    }
}

WITH_SERVER(positions_follow_a_window_that_moves_and_grows)
{
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    x_window_place(&client, window, (struct x_place){40, 30, 400, 200});
    UNTIL(pointer_is(70.5 / 400, 40.5 / 200));
    x_window_place(&client, decoration, (struct x_place){80, 35, 420, 240});
    UNTIL(pointer_is(80.5 / 400, 35.5 / 200));
    x_window_place(&client, window, (struct x_place){40, 30, 100, 50});
    UNTIL(pointer_is(80.5 / 100, 35.5 / 50));
    x_window_place(&client, window, (struct x_place){40, 30, 80, 50});
    UNTIL(!rig_state().pointer_over);
}

/* XWayland says this while the pointer is over a window of Wayland. */
WITH_SERVER(a_pointer_over_no_window_at_all_is_not_over_ours)
{
    x_pointer(&client, 200, 100);
    UNTIL(rig_state().pointer_over);
    x_window_show(&client, decoration, false);
    UNTIL(!rig_state().pointer_over);
    x_window_show(&client, decoration, true);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
}

static struct fovea_gaze_source *open_mouse(void)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.hold_ms = 200;
    return gaze_open(&settings);
}

WITH_SERVER(a_resting_pointer_is_a_gaze_and_one_that_has_left_is_not)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_mouse();
    layer_input_watch(input, 0, window, source);
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    rest_ms(700);
    struct fovea_gaze gaze = gaze_at(source, fovea_time_ns());
    assert_int_equal(gaze.state, FOVEA_GAZE_TRACKED);
    assert_near(gaze.point.x_uv, 100.5 / 400, 1e-9);
    assert_near(gaze.point.y_uv, 50.5 / 200, 1e-9);
    assert_int_equal(gaze.rejected_count, 0);
    print_message("%.0f samples a second\n", gaze.rate_hz);
    assert_in_range(gaze.rate_hz, 60, 520);

    x_pointer(&client, 700, 500);
    UNTIL(gaze_at(source, fovea_time_ns()).state == FOVEA_GAZE_LOST);
    x_pointer(&client, 300, 100);
    UNTIL(gaze_at(source, fovea_time_ns()).state == FOVEA_GAZE_TRACKED);

    layer_input_watch(input, 0, window, NULL);
    const uint64_t count = gaze_at(source, fovea_time_ns()).sample_count;
    rest_ms(POLLS_MS);
    assert_int_equal(gaze_at(source, fovea_time_ns()).sample_count, count);
}

WITH_SERVER(a_frame_may_say_the_same_again_and_again)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_mouse();
    x_pointer(&client, 200, 100);
    for (int i = 0; i < 500; i++) {
        layer_input_watch(input, 0, window, source);
        rest_ms(1);
    }
    x_pointer(&client, 201, 100);
    rest_ms(40);
    assert_true(pointer_is(101.5 / 400, 50.5 / 200));
    layer_input_watch(input, 0, window, NULL);
}

static bool is_tracked_at(struct fovea_gaze_source *source, double x_uv, double y_uv)
{
    const struct fovea_gaze gaze = gaze_at(source, fovea_time_ns());
    return gaze.state == FOVEA_GAZE_TRACKED && fabs(gaze.point.x_uv - x_uv) < 1e-9 &&
           fabs(gaze.point.y_uv - y_uv) < 1e-9;
}

WITH_SERVER(of_several_windows_the_pointer_is_in_the_one_that_it_is_over)
{
    const xcb_window_t other = x_window(&client, 0, (struct x_place){600, 300, 100, 50});
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *first = open_mouse();
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *second = open_mouse();
    layer_input_watch(input, 0, window, first);
    layer_input_watch(input, 3, other, second);
    for (int i = 0; i < 2; i++) {
        x_pointer(&client, 200, 100);
        UNTIL(pointer_is(100.5 / 400, 50.5 / 200) && rig_state().pointer_slot == 0);
        UNTIL(is_tracked_at(first, 100.5 / 400, 50.5 / 200));
        x_pointer(&client, 630, 310);
        UNTIL(pointer_is(30.5 / 100, 10.5 / 50) && rig_state().pointer_slot == 3);
        UNTIL(is_tracked_at(second, 30.5 / 100, 10.5 / 50));
        UNTIL(gaze_at(first, fovea_time_ns()).state == FOVEA_GAZE_LOST);
    }
    x_pointer(&client, 550, 400);
    UNTIL(!rig_state().pointer_over);
    UNTIL(gaze_at(second, fovea_time_ns()).state == FOVEA_GAZE_LOST);
    assert_int_equal(rig_state().pointer_slot, 3);

    layer_input_watch(input, 0, window, NULL);
    layer_input_watch(input, 3, other, NULL);
}

/* Two windows over each other, in either order, and one inside another. */
WITH_SERVER(of_windows_above_one_another_the_pointer_is_in_the_top_one)
{
    const xcb_window_t other = x_window(&client, 0, (struct x_place){150, 80, 200, 100});
    const xcb_window_t inner = x_window(&client, other, (struct x_place){100, 50, 40, 40});
    x_pointer(&client, 200, 100);
    layer_input_watch(input, 1, other, NULL);
    UNTIL(pointer_is(50.5 / 200, 20.5 / 100) && rig_state().pointer_slot == 1);
    x_window_raise(&client, decoration);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200) && rig_state().pointer_slot == 0);
    x_window_raise(&client, other);
    UNTIL(pointer_is(50.5 / 200, 20.5 / 100) && rig_state().pointer_slot == 1);
    layer_input_watch(input, 7, inner, NULL);
    x_pointer(&client, 270, 150);
    UNTIL(pointer_is(20.5 / 40, 20.5 / 40) && rig_state().pointer_slot == 7);
    x_pointer(&client, 240, 150);
    UNTIL(pointer_is(90.5 / 200, 70.5 / 100) && rig_state().pointer_slot == 1);

    /* Another program's on top of all: as with one window the pointer is still over what lies
     * below. */
    (void)x_window(&client, 0, (struct x_place){0, 0, 800, 600});
    rest_ms(POLLS_MS);
    assert_true(rig_state().pointer_over);
    assert_int_equal(rig_state().pointer_slot, 1);
}

WITH_SERVER(a_program_that_grabs_pointer_and_keyboard_keeps_them_and_is_followed)
{
    const uint8_t mode = XCB_GRAB_MODE_ASYNC;
    OWNED(owned_free)
    xcb_grab_pointer_reply_t *pointer = xcb_grab_pointer_reply(
        client.connection,
        xcb_grab_pointer(client.connection, 1, window, 0, mode, mode, window, 0, XCB_CURRENT_TIME),
        NULL);
    OWNED(owned_free)
    xcb_grab_keyboard_reply_t *keyboard = xcb_grab_keyboard_reply(
        client.connection,
        xcb_grab_keyboard(client.connection, 1, window, XCB_CURRENT_TIME, mode, mode), NULL);
    assert_int_equal(pointer->status, XCB_GRAB_STATUS_SUCCESS);
    assert_int_equal(keyboard->status, XCB_GRAB_STATUS_SUCCESS);
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    rest_ms(100);
    (void)x_presses(&client);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F2, true);
    UNTIL(rig_state().presses[LAYER_ACTION_TOGGLE] == 1);
    x_key(&client, F2, false);
    x_key(&client, SHIFT_R, false);
    assert_int_equal(x_presses(&client), 2);
}

int main(void)
{
    return RUN_OR_SKIP(tests_run(NULL, NULL));
}
