/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Keys in somebody else's program. */
#include "input_rig.h"

#include "config/key.h"
#include "kernels/operator/operator_glsl.h"
#include "plugin/layer/input/layer_input_keys.h"

#include <dlfcn.h>

#include <xcb/xtest.h>

/* ---- A server without XInput ----------------------------------------------------------------- */

static bool xinput_is_hidden;

static xcb_query_extension_cookie_t query_other(xcb_connection_t *connection, uint16_t length,
                                                const char *name)
{
    const bool hidden = strncmp(name, "XInput", 6) == 0;
    return xcb_query_extension(connection, hidden ? 8 : length, hidden ? "NotThere" : name);
}

/* layer_input_x11.c calls this here. */
void *dlsym_of_the_test(void *library, const char *name);
void *dlsym_of_the_test(void *library, const char *name)
{
    xcb_query_extension_cookie_t (*other)(xcb_connection_t *, uint16_t, const char *) = query_other;
    void *found = dlsym(library, name);
    if (xinput_is_hidden && strcmp(name, "xcb_query_extension") == 0) {
        memcpy(&found, &other, sizeof found);
    }
    return found;
}

static long press_ms; /* so that some polls see it, where keys are polled */

static int set_up_polled(void **unused)
{
    xinput_is_hidden = true;
    press_ms = 120;
    const int failed = rig_set_up(unused);
    xinput_is_hidden = false;
    return failed;
}

static int set_up_served(void **unused)
{
    press_ms = 20;
    return rig_set_up(unused);
}

#define SERVED(name) TEST_AROUND(name, set_up_served, rig_tear_down)
#define POLLED(name) TEST_AROUND(name, set_up_polled, rig_tear_down)
#define BOTH(name)                                                                                 \
    static void name(void **state);                                                                \
    SERVED(name##_served)                                                                          \
    {                                                                                              \
        name(state);                                                                               \
    }                                                                                              \
    POLLED(name##_polled)                                                                          \
    {                                                                                              \
        name(state);                                                                               \
    }                                                                                              \
    static void name(void **state)

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Macro keyboards and remote controls press and release all of it at once. */
static void tap(uint32_t modifier, uint32_t key)
{
    const uint8_t codes[] = {x_keycode(&client, modifier), x_keycode(&client, key)};
    const struct {
        uint8_t type, code;
    } events[] = {{XCB_KEY_PRESS, codes[0]},
                  {XCB_KEY_PRESS, codes[1]},
                  {XCB_KEY_RELEASE, codes[1]},
                  {XCB_KEY_RELEASE, codes[0]}};
    for (size_t i = 0; i < COUNT_OF(events); i++) {
        xcb_test_fake_input(client.connection, events[i].type, events[i].code, 0, client.root, 0, 0,
                            0);
    }
    x_sync(&client);
}

SERVED(taps_without_any_length_count_all)
{
    rest_ms(POLLS_MS); /* the focus is known */
    for (unsigned i = 0; i < 50; i++) {
        tap(SHIFT_R, F2);
        rest_ms(i % 25);
    }
    UNTIL(rig_state().presses[LAYER_ACTION_TOGGLE] == 50);
    for (unsigned i = 0; i < 50; i++) {
        tap(SHIFT_R, F1);
    }
    UNTIL(rig_state().presses[LAYER_ACTION_HELP] == 50);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 100);
    x_focus(&client, XCB_INPUT_FOCUS_NONE);
    rest_ms(POLLS_MS);
    tap(SHIFT_R, F2);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 100);
    assert_int_equal(rig_said_count(FOVEA_LOG_INFO), 0);
}

POLLED(without_xinput_keys_are_polled_and_that_is_said)
{
    UNTIL(rig_said_count(FOVEA_LOG_INFO) == 1);
    assert_contains(rig_said(FOVEA_LOG_INFO), "keys are polled");
    hold_ms(SHIFT_R, F2, press_ms);
    UNTIL(all_presses() == 1);
}

/* Some servers press both where Shift_R is asked for. */
BOTH(another_modifier_of_the_same_kind_may_be_down_too)
{
    rest_ms(POLLS_MS);
    x_key(&client, SHIFT_L, true);
    hold_ms(SHIFT_R, F2, press_ms);
    x_key(&client, SHIFT_L, false);
    UNTIL(all_presses() == 1);
    x_key(&client, SHIFT_L, true);
    x_key(&client, CONTROL_L, true);
    hold_ms(SHIFT_R, F2, press_ms);
    x_key(&client, CONTROL_L, false);
    x_key(&client, SHIFT_L, false);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 1);
}

BOTH(what_is_ignored_for_its_modifiers_is_said_once)
{
    hold_ms(0, F2, press_ms);
    hold_ms(SHIFT_L, 'q', press_ms);
    hold_ms(SHIFT_R, F2, press_ms);
    UNTIL(all_presses() == 1);
    assert_null(strstr(rig_said(FOVEA_LOG_INFO), "ignored"));
    const unsigned before = rig_said_count(FOVEA_LOG_INFO);
    x_key(&client, CONTROL_L, true);
    hold_ms(SHIFT_L, F2, press_ms);
    x_key(&client, CONTROL_L, false);
    UNTIL(rig_said_count(FOVEA_LOG_INFO) == before + 1);
    assert_string_equal(rig_said(FOVEA_LOG_INFO),
                        "input: F2 with Shift_L and Control_L: ignored, the keys are Shift_R+F2 "
                        "and no other modifier");
    hold_ms(SHIFT_L, F1, press_ms);
    rest_ms(POLLS_MS);
    assert_int_equal(rig_said_count(FOVEA_LOG_INFO), before + 1);
    assert_int_equal(all_presses(), 1);
}

/* ---- Events, without a server ---------------------------------------------------------------- */

/* Keycodes 10 and up. */
static const uint32_t few_keys[] = {SHIFT_L, SHIFT_R, F1, F2};

static struct input_actions few_actions(void)
{
    const struct fovea_layer_keys keys = fovea_settings_default().layer.keys;
    const struct key_mapping mapping = {
        .first_keycode = 10, .keycode_count = 4, .columns = 1, .keysyms = few_keys};
    struct input_actions actions = {0};
    input_actions_map(&actions, &keys, &mapping);
    return actions;
}

TEST(keys_of_remote_desktops_that_repeat_by_going_up_count_once)
{
    struct input_actions actions = few_actions();
    uint32_t time_ms = UINT32_MAX - 100; /* servers' clocks overflow */
    assert_int_equal(input_actions_event(&actions, 11, true, time_ms), 0);
    assert_int_equal(input_actions_event(&actions, 13, true, time_ms), 1u << LAYER_ACTION_TOGGLE);
    assert_int_equal(input_actions_event(&actions, 13, true, time_ms), 0);
    for (int i = 0; i < 20; i++) {
        time_ms += 33;
        assert_int_equal(input_actions_event(&actions, 13, false, time_ms), 0);
        assert_int_equal(input_actions_event(&actions, 13, true, time_ms + 1), 0);
    }
    assert_int_equal(input_actions_event(&actions, 13, false, time_ms), 0);
    assert_int_equal(input_actions_event(&actions, 13, true, time_ms + 2),
                     1u << LAYER_ACTION_TOGGLE);
    assert_int_equal(input_actions_event(&actions, 13, false, time_ms + 2), 0);
    assert_int_equal(input_actions_event(&actions, 11, false, time_ms + 2), 0);
    assert_int_equal(input_actions_event(&actions, 11, true, time_ms + 2), 0);
    assert_int_equal(input_actions_event(&actions, 13, true, time_ms + 2),
                     1u << LAYER_ACTION_TOGGLE);
}

TEST(an_event_of_any_keycode_is_taken)
{
    struct input_actions actions = few_actions();
    static const uint32_t keycodes[] = {0, 7, 255, 256, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(keycodes); i++) {
        assert_int_equal(input_actions_event(&actions, keycodes[i], true, 0), 0);
        assert_int_equal(input_actions_event(&actions, keycodes[i], false, 0), 0);
    }
}

BOTH(a_press_counts_once_however_long_and_the_program_gets_it_too)
{
    (void)x_presses(&client);
    for (unsigned i = 1; i <= 3; i++) {
        hold_ms(SHIFT_R, F2, i == 2 ? 900 : press_ms); /* 900: the server repeats it */
        UNTIL(rig_state().presses[LAYER_ACTION_TOGGLE] == i);
    }
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 3);
    x_sync(&client);
    assert_true(x_presses(&client) >= 6);
}

SERVED(every_action_has_its_own_keys)
{
    static const struct {
        enum layer_action action;
        uint32_t keysym;
    } keys[] = {
        {LAYER_ACTION_HELP, 0xffbe},   {LAYER_ACTION_TOGGLE, 0xffbf},
        {LAYER_ACTION_HUD, 0xffc0},    {LAYER_ACTION_COMPARE, 0xffc1},
        {LAYER_ACTION_RINGS, 0xffc2},  {LAYER_ACTION_MARKER, 0xffc3},
        {LAYER_ACTION_WIPE, 0xffc4},   {LAYER_ACTION_HEATMAP, 0xffc5},
        {LAYER_ACTION_RELOAD, 0xff57}, {LAYER_ACTION_STRONGER, 0xff55},
        {LAYER_ACTION_WEAKER, 0xff56}, {LAYER_ACTION_MODEL, 0xff63},
    };
    assert_int_equal(COUNT_OF(keys), LAYER_ACTION_COUNT);
    for (unsigned i = 0; i < COUNT_OF(keys); i++) {
        hold_ms(SHIFT_R, keys[i].keysym, press_ms);
        UNTIL(rig_state().presses[keys[i].action] == 1);
        assert_int_equal(all_presses(), i + 1);
    }
}

BOTH(other_modifiers_make_it_somebody_elses)
{
    hold_ms(0, F2, press_ms);
    hold_ms(SHIFT_L, F2, press_ms);
    x_key(&client, CONTROL_L, true);
    hold_ms(SHIFT_R, F2, press_ms);
    x_key(&client, CONTROL_L, false);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 0);
    hold_ms(SHIFT_R, F2, press_ms);
    UNTIL(all_presses() == 1);
}

static void press_with_focus(xcb_window_t focus, unsigned wanted)
{
    x_focus(&client, focus);
    const unsigned before = all_presses();
    hold_ms(SHIFT_R, F2, press_ms);
    rest_ms(40);
    assert_int_equal(all_presses() - before, wanted);
}

SERVED(keys_count_while_the_focus_is_in_the_window)
{
    const xcb_window_t other = x_window(&client, 0, (struct x_place){600, 400, 100, 100});
    const xcb_window_t sibling = x_window(&client, decoration, (struct x_place){0, 0, 5, 5});
    const xcb_window_t child = x_window(&client, window, (struct x_place){0, 0, 50, 50});
    const xcb_window_t grandchild = x_window(&client, child, (struct x_place){0, 0, 20, 20});
    press_with_focus(window, 1);
    press_with_focus(other, 0);
    press_with_focus(child, 1);
    press_with_focus(sibling, 0);
    press_with_focus(grandchild, 1);
    press_with_focus(XCB_INPUT_FOCUS_NONE, 0);
    press_with_focus(decoration, 1);
    press_with_focus(XCB_INPUT_FOCUS_POINTER_ROOT, 0);
    press_with_focus(client.root, 0);
    x_pointer(&client, 200, 150);
    press_with_focus(XCB_INPUT_FOCUS_POINTER_ROOT, 1);
    press_with_focus(client.root, 1);

    x_window_reparent(&client, window, other);
    press_with_focus(other, 1);
    press_with_focus(decoration, 0);
}

SERVED(keys_count_in_every_window_that_is_watched)
{
    const xcb_window_t second = x_window(&client, 0, (struct x_place){600, 300, 100, 100});
    const xcb_window_t third = x_window(&client, 0, (struct x_place){600, 450, 100, 100});
    layer_input_watch(input, 1, second, NULL);
    press_with_focus(second, 1);
    press_with_focus(third, 0);
    layer_input_watch(input, 2, third, NULL);
    press_with_focus(window, 1);
    press_with_focus(third, 1);
    layer_input_watch(input, 1, 0, NULL);
    press_with_focus(second, 0);
    press_with_focus(third, 1);
    x_pointer(&client, 650, 500);
    press_with_focus(XCB_INPUT_FOCUS_POINTER_ROOT, 1);
    x_pointer(&client, 650, 350);
    press_with_focus(XCB_INPUT_FOCUS_POINTER_ROOT, 0);
}

BOTH(keys_that_are_held_when_the_focus_comes_do_not_count)
{
    x_focus(&client, XCB_INPUT_FOCUS_NONE);
    rest_ms(100);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F2, true);
    rest_ms(POLLS_MS);
    x_focus(&client, window);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 0);
    x_key(&client, F2, false);
    x_key(&client, SHIFT_R, false);
}

BOTH(compare_is_held_as_long_as_its_keys_and_the_focus)
{
    assert_false(rig_state().compare_held);
    rest_ms(100);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F4, true);
    UNTIL(rig_state().compare_held);
    rest_ms(POLLS_MS);
    assert_true(rig_state().compare_held);
    x_key(&client, F4, false);
    UNTIL(!rig_state().compare_held);
    x_key(&client, F4, true);
    UNTIL(rig_state().compare_held);
    x_focus(&client, XCB_INPUT_FOCUS_NONE);
    UNTIL(!rig_state().compare_held);
    x_key(&client, F4, false);
    x_key(&client, SHIFT_R, false);
}

BOTH(keys_can_be_others_or_none)
{
    struct fovea_layer_keys keys = fovea_settings_default().layer.keys;
    strcpy(keys.toggle, "");
    strcpy(keys.hud, "Control_L+h");
    strcpy(keys.help, "Hyper_R+F20"); /* this keyboard lacks one */
    layer_input_set_keys(input, &keys);
    hold_ms(SHIFT_R, F2, press_ms);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 0);
    hold_ms(CONTROL_L, 'h', press_ms);
    UNTIL(rig_state().presses[LAYER_ACTION_HUD] == 1);
    assert_int_equal(all_presses(), 1);

    strcpy(keys.hud, "F4");
    x_key(&client, F4, true);
    rest_ms(POLLS_MS);
    layer_input_set_keys(input, &keys);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 1);
    x_key(&client, F4, false);
    hold_ms(0, F4, press_ms);
    UNTIL(rig_state().presses[LAYER_ACTION_HUD] == 2);
}

SERVED(a_keyboard_that_changes_is_read_again)
{
    const uint8_t keycode = x_keycode(&client, 'q');
    x_map(&client, x_keycode(&client, F2), F1);
    x_map(&client, keycode, F2);
    hold_ms(SHIFT_R, F2, press_ms);
    UNTIL(rig_state().presses[LAYER_ACTION_TOGGLE] == 1);
    assert_int_equal(all_presses(), 1);
}

/* This happens when somebody takes another keyboard. */
BOTH(a_key_that_goes_down_as_the_keyboard_changes_counts)
{
    const uint8_t keycode = x_keycode(&client, 'q');
    for (unsigned i = 1; i <= 9; i++) {
        rest_ms(100);
        x_map(&client, keycode, 'q');
        rest_ms(2 * (long)i); /* what is between the two polls that matter is hit by some */
        x_key(&client, SHIFT_R, true);
        x_key(&client, F2, true);
        UNTIL(rig_state().presses[LAYER_ACTION_TOGGLE] == i);
        x_key(&client, F2, false);
        x_key(&client, SHIFT_R, false);
    }
}

/* One order everywhere: in the settings, in their table, in the help. */
TEST(actions_are_in_the_settings_order)
{
    size_t index = 0;
    for (size_t i = 0; i < config_key_count; i++) {
        if (config_keys[i].type == CONFIG_KEYS) {
            assert_int_equal(config_keys[i].offset,
                             offsetof(struct fovea_settings, layer.keys) + index * FOVEA_NAME_MAX);
            index++;
        }
    }
    assert_int_equal(index, LAYER_ACTION_COUNT);
    struct fovea_layer_keys keys = {0};
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        snprintf((char *)&keys + i * FOVEA_NAME_MAX, FOVEA_NAME_MAX, "F%zu", i + 1);
    }
    char text[LAYER_INPUT_HELP_BYTES];
    layer_input_help(&keys, text, sizeof text);
    const char *line = text;
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        assert_non_null(line);
        assert_int_equal(strtoul(line + 1, NULL, 10), i + 1);
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    }
    assert_null(line);
}

/* Under the HUD's own five lines, and the one that says "off". */
TEST(help_fits_into_the_hud)
{
    assert_true(6 + LAYER_ACTION_COUNT <= OPERATOR_TEXT_ROWS);
}

TEST(help_names_what_has_keys)
{
    struct fovea_layer_keys keys = fovea_settings_default().layer.keys;
    char text[LAYER_INPUT_HELP_BYTES];
    layer_input_help(&keys, text, sizeof text);
    assert_string_equal(text, "Shift_R+F1          these keys\n"
                              "Shift_R+F2          foveation on/off\n"
                              "Shift_R+F3          HUD on/off\n"
                              "Shift_R+F4          hold: without foveation\n"
                              "Shift_R+F5          rings of eccentricity\n"
                              "Shift_R+F6          marker at the gaze\n"
                              "Shift_R+F7          split screen at the pointer\n"
                              "Shift_R+F8          heat map of the blur\n"
                              "Shift_R+Page_Up     more blur\n"
                              "Shift_R+Page_Down   less blur\n"
                              "Shift_R+Insert      published model on/off\n"
                              "Shift_R+End         read the configuration again");
    strcpy(keys.toggle, "");
    layer_input_help(&keys, text, sizeof text);
    assert_null(strstr(text, "foveation on/off"));
    char small[10];
    layer_input_help(&keys, small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

int main(void)
{
    return RUN_OR_SKIP(tests_run(NULL, NULL));
}
