/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pointer and keys in somebody else's program: another client of the same server plays the person and the
 * program. */
#include "test_gaze_support.h"

#include "layer_input.h"
#include "x_client.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define F1 0xffbe
#define F2 0xffbf
#define F4 0xffc1
#define SHIFT_L 0xffe1
#define SHIFT_R 0xffe2
#define CONTROL_L 0xffe3

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAVE_TSAN 1
#endif
#endif
#if !defined(HAVE_TSAN)
#define HAVE_TSAN 0
#endif

static struct x_server server;
static struct x_client client;
static struct layer_input *input;
static xcb_window_t frame; /* as a window manager puts around */
static xcb_window_t window; /* the watched one: at 100, 50 on the screen, 400 x 200 */

/* ---- What was logged; the thread may be writing still ----------------------------------------- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned log_counts[4];
static char log_last[4][512];

static void hear(void *unused, enum fovea_log_level level, const char *message)
{
    (void)unused;
    pthread_mutex_lock(&log_lock);
    log_counts[level]++;
    snprintf(log_last[level], sizeof log_last[level], "%s", message);
    pthread_mutex_unlock(&log_lock);
}

static struct fovea_log log_anew(void)
{
    pthread_mutex_lock(&log_lock);
    memset(log_counts, 0, sizeof log_counts);
    memset(log_last, 0, sizeof log_last);
    pthread_mutex_unlock(&log_lock);
    return (struct fovea_log){.fn = hear};
}

static unsigned said_count(enum fovea_log_level level)
{
    pthread_mutex_lock(&log_lock);
    const unsigned count = log_counts[level];
    pthread_mutex_unlock(&log_lock);
    return count;
}

static const char *said_last(enum fovea_log_level level)
{
    static char copy[512];
    pthread_mutex_lock(&log_lock);
    memcpy(copy, log_last[level], sizeof copy);
    pthread_mutex_unlock(&log_lock);
    return copy;
}

/* ---- A program with a window ------------------------------------------------------------------ */

static void rest_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static struct layer_input_state state(void)
{
    struct layer_input_state now;
    layer_input_read(input, &now);
    return now;
}

/* Long enough for a server that has to share two cores with a compiler. */
#define UNTIL(condition)                                                                           \
    do {                                                                                           \
        for (int i_ = 0; i_ < 2500 && !(condition); i_++) {                                        \
            rest_ms(2);                                                                            \
        }                                                                                          \
        assert_true(condition);                                                                    \
    } while (0)

/* Nothing shall happen: long enough for some polls of the keys. */
#define POLLS_MS 120

static void open_input(void)
{
    const struct layer_input_desc desc = {.display = server.display, .log = log_anew()};
    assert_int_equal(layer_input_create(&desc, &input), FOVEA_OK);
}

static int set_up(void **unused)
{
    (void)unused;
    if (!x_server_start(&server)) {
        return -1;
    }
    client = x_client_open(&server);
    x_pointer(&client, 700, 500);
    frame = x_window(&client, 0, (struct x_place){90, 30, 420, 240});
    window = x_window(&client, frame, (struct x_place){10, 20, 400, 200});
    x_focus(&client, window);
    open_input();
    layer_input_watch(input, window);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    layer_input_destroy(&input);
    assert_null(input);
    if (client.connection) {
        x_client_close(&client);
    }
    x_server_stop(&server);
    return 0;
}

/* ---- Pointer ---------------------------------------------------------------------------------- */

static bool pointer_is(double x_uv, double y_uv)
{
    const struct layer_input_state now = state();
    return now.pointer_known && now.pointer_over && fabs(now.pointer_x_uv - x_uv) < 1e-6 &&
           fabs(now.pointer_y_uv - y_uv) < 1e-6;
}

static void positions_follow_the_pointer_over_the_client_area(void **unused)
{
    (void)unused;
    rest_ms(POLLS_MS);
    assert_false(state().pointer_known);
    static const int16_t places[][2] = {{0, 0}, {399, 0}, {0, 199}, {399, 199}, {123, 45}};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        x_pointer(&client, (int16_t)(100 + places[i][0]), (int16_t)(50 + places[i][1]));
        UNTIL(pointer_is((places[i][0] + 0.5) / 400.0, (places[i][1] + 0.5) / 200.0));
    }
    static const int16_t beside[][2] = {{99, 100}, {500, 100}, {200, 49}, {200, 250}};
    for (size_t i = 0; i < COUNT_OF(beside); i++) {
        x_pointer(&client, 223, 95);
        UNTIL(state().pointer_over);
        x_pointer(&client, beside[i][0], beside[i][1]);
        UNTIL(!state().pointer_over);
        assert_true(state().pointer_known);
        assert_near(state().pointer_x_uv, 123.5 / 400, 1e-6);
    }
}

static void positions_follow_a_window_that_moves_and_grows(void **unused)
{
    (void)unused;
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    x_window_place(&client, window, (struct x_place){40, 30, 400, 200});
    UNTIL(pointer_is(70.5 / 400, 40.5 / 200));
    x_window_place(&client, frame, (struct x_place){80, 35, 420, 240});
    UNTIL(pointer_is(80.5 / 400, 35.5 / 200));
    x_window_place(&client, window, (struct x_place){40, 30, 100, 50});
    UNTIL(pointer_is(80.5 / 100, 35.5 / 50));
    x_window_place(&client, window, (struct x_place){40, 30, 80, 50});
    UNTIL(!state().pointer_over);
}

/* As it is under XWayland while the pointer is over a window of Wayland. */
static void a_pointer_over_no_window_at_all_is_not_over_ours(void **unused)
{
    (void)unused;
    x_pointer(&client, 200, 100);
    UNTIL(state().pointer_over);
    x_window_show(&client, frame, false);
    UNTIL(!state().pointer_over);
    x_window_show(&client, frame, true);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
}

static struct fovea_gaze_source *open_mouse(void)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.hold_ms = 200;
    return gaze_open(&settings);
}

static void a_resting_pointer_is_a_gaze_and_one_that_has_left_is_not(void **unused)
{
    (void)unused;
    struct fovea_gaze_source *source = open_mouse();
    layer_input_feed(input, source);
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

    layer_input_feed(input, NULL);
    const uint64_t count = gaze_at(source, fovea_time_ns()).sample_count;
    rest_ms(POLLS_MS);
    assert_int_equal(gaze_at(source, fovea_time_ns()).sample_count, count);
    fovea_gaze_source_destroy(&source);
}

static void a_frame_may_say_the_same_again_and_again(void **unused)
{
    (void)unused;
    struct fovea_gaze_source *source = open_mouse();
    x_pointer(&client, 200, 100);
    for (int i = 0; i < 500; i++) {
        layer_input_watch(input, window);
        layer_input_feed(input, source);
        rest_ms(1);
    }
    x_pointer(&client, 201, 100);
    rest_ms(40);
    assert_true(pointer_is(101.5 / 400, 50.5 / 200));
    layer_input_feed(input, NULL);
    fovea_gaze_source_destroy(&source);
}

static void a_program_that_grabs_pointer_and_keyboard_keeps_them_and_is_followed(void **unused)
{
    (void)unused;
    const uint8_t mode = XCB_GRAB_MODE_ASYNC;
    xcb_grab_pointer_reply_t *pointer = xcb_grab_pointer_reply(
        client.connection,
        xcb_grab_pointer(client.connection, 1, window, 0, mode, mode, window, 0, XCB_CURRENT_TIME),
        NULL);
    xcb_grab_keyboard_reply_t *keyboard = xcb_grab_keyboard_reply(
        client.connection,
        xcb_grab_keyboard(client.connection, 1, window, XCB_CURRENT_TIME, mode, mode), NULL);
    assert_int_equal(pointer->status, XCB_GRAB_STATUS_SUCCESS);
    assert_int_equal(keyboard->status, XCB_GRAB_STATUS_SUCCESS);
    free(pointer);
    free(keyboard);
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    rest_ms(60);
    (void)x_presses(&client);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F2, true);
    UNTIL(state().presses[LAYER_ACTION_TOGGLE] == 1);
    x_key(&client, F2, false);
    x_key(&client, SHIFT_R, false);
    assert_int_equal(x_presses(&client), 2);
}

/* ---- Keys ------------------------------------------------------------------------------------- */

static void hold_ms(uint32_t modifier, uint32_t key, long ms)
{
    rest_ms(60); /* some polls of the keys have seen it up */
    if (modifier) {
        x_key(&client, modifier, true);
    }
    x_key(&client, key, true);
    rest_ms(ms);
    x_key(&client, key, false);
    if (modifier) {
        x_key(&client, modifier, false);
    }
}

static unsigned all_presses(void)
{
    const struct layer_input_state now = state();
    unsigned count = 0;
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        count += now.presses[i];
    }
    return count;
}

static void a_press_counts_once_however_long_and_the_program_gets_it_too(void **unused)
{
    (void)unused;
    (void)x_presses(&client);
    for (unsigned i = 1; i <= 3; i++) {
        hold_ms(SHIFT_R, F2, i == 2 ? 900 : 80); /* 900: the server repeats it */
        UNTIL(state().presses[LAYER_ACTION_TOGGLE] == i);
    }
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 3);
    x_sync(&client);
    assert_true(x_presses(&client) >= 6);
}

static void every_action_has_its_own_keys(void **unused)
{
    (void)unused;
    static const struct {
        enum layer_action action;
        uint32_t keysym;
    } keys[] = {
        {LAYER_ACTION_HELP, 0xffbe},   {LAYER_ACTION_TOGGLE, 0xffbf},
        {LAYER_ACTION_HUD, 0xffc0},    {LAYER_ACTION_COMPARE, 0xffc1},
        {LAYER_ACTION_RINGS, 0xffc2},  {LAYER_ACTION_MARKER, 0xffc3},
        {LAYER_ACTION_WIPE, 0xffc4},   {LAYER_ACTION_HEATMAP, 0xffc5},
        {LAYER_ACTION_RELOAD, 0xff57}, {LAYER_ACTION_STRONGER, 0xff55},
        {LAYER_ACTION_WEAKER, 0xff56},
    };
    assert_int_equal(COUNT_OF(keys), LAYER_ACTION_COUNT);
    for (unsigned i = 0; i < COUNT_OF(keys); i++) {
        hold_ms(SHIFT_R, keys[i].keysym, 80);
        UNTIL(state().presses[keys[i].action] == 1);
        assert_int_equal(all_presses(), i + 1);
    }
}

static void other_modifiers_make_it_somebody_elses(void **unused)
{
    (void)unused;
    hold_ms(0, F2, 80);
    hold_ms(SHIFT_L, F2, 80);
    x_key(&client, CONTROL_L, true);
    hold_ms(SHIFT_R, F2, 80);
    x_key(&client, CONTROL_L, false);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 0);
    hold_ms(SHIFT_R, F2, 80);
    UNTIL(all_presses() == 1);
}

static void press_with_focus(xcb_window_t focus, unsigned wanted)
{
    x_focus(&client, focus);
    const unsigned before = all_presses();
    hold_ms(SHIFT_R, F2, 80);
    rest_ms(40);
    assert_int_equal(all_presses() - before, wanted);
}

static void keys_count_while_the_focus_is_in_the_window(void **unused)
{
    (void)unused;
    const xcb_window_t other = x_window(&client, 0, (struct x_place){600, 400, 100, 100});
    const xcb_window_t sibling = x_window(&client, frame, (struct x_place){0, 0, 5, 5});
    const xcb_window_t child = x_window(&client, window, (struct x_place){0, 0, 50, 50});
    const xcb_window_t grandchild = x_window(&client, child, (struct x_place){0, 0, 20, 20});
    press_with_focus(window, 1);
    press_with_focus(other, 0);
    press_with_focus(child, 1);
    press_with_focus(sibling, 0);
    press_with_focus(grandchild, 1);
    press_with_focus(XCB_INPUT_FOCUS_NONE, 0);
    press_with_focus(frame, 1);
    press_with_focus(XCB_INPUT_FOCUS_POINTER_ROOT, 0);
    press_with_focus(client.root, 0);
    x_pointer(&client, 200, 150);
    press_with_focus(XCB_INPUT_FOCUS_POINTER_ROOT, 1);
    press_with_focus(client.root, 1);

    x_window_reparent(&client, window, other);
    press_with_focus(other, 1);
    press_with_focus(frame, 0);
}

static void keys_that_are_held_when_the_focus_comes_do_not_count(void **unused)
{
    (void)unused;
    x_focus(&client, XCB_INPUT_FOCUS_NONE);
    rest_ms(60);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F2, true);
    rest_ms(POLLS_MS);
    x_focus(&client, window);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 0);
    x_key(&client, F2, false);
    x_key(&client, SHIFT_R, false);
}

static void compare_is_held_as_long_as_its_keys_and_the_focus(void **unused)
{
    (void)unused;
    assert_false(state().compare_held);
    rest_ms(60);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F4, true);
    UNTIL(state().compare_held);
    rest_ms(POLLS_MS);
    assert_true(state().compare_held);
    x_key(&client, F4, false);
    UNTIL(!state().compare_held);
    x_key(&client, F4, true);
    UNTIL(state().compare_held);
    x_focus(&client, XCB_INPUT_FOCUS_NONE);
    UNTIL(!state().compare_held);
    x_key(&client, F4, false);
    x_key(&client, SHIFT_R, false);
}

static void keys_can_be_others_or_none(void **unused)
{
    (void)unused;
    struct fovea_layer_keys keys = fovea_settings_default().layer.keys;
    strcpy(keys.toggle, "");
    strcpy(keys.hud, "Control_L+h");
    strcpy(keys.help, "Hyper_R+F20"); /* this keyboard lacks one */
    layer_input_set_keys(input, &keys);
    hold_ms(SHIFT_R, F2, 80);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 0);
    hold_ms(CONTROL_L, 'h', 80);
    UNTIL(state().presses[LAYER_ACTION_HUD] == 1);
    assert_int_equal(all_presses(), 1);

    strcpy(keys.hud, "F4");
    x_key(&client, F4, true);
    rest_ms(POLLS_MS);
    layer_input_set_keys(input, &keys);
    rest_ms(POLLS_MS);
    assert_int_equal(all_presses(), 1);
    x_key(&client, F4, false);
    hold_ms(0, F4, 80);
    UNTIL(state().presses[LAYER_ACTION_HUD] == 2);
}

static void a_keyboard_that_changes_is_read_again(void **unused)
{
    (void)unused;
    const uint8_t keycode = x_keycode(&client, 'q');
    x_map(&client, x_keycode(&client, F2), F1);
    x_map(&client, keycode, F2);
    hold_ms(SHIFT_R, F2, 80);
    UNTIL(state().presses[LAYER_ACTION_TOGGLE] == 1);
    assert_int_equal(all_presses(), 1);
}

/* As it is when somebody takes another keyboard. */
static void a_key_that_goes_down_as_the_keyboard_changes_counts(void **unused)
{
    (void)unused;
    const uint8_t keycode = x_keycode(&client, 'q');
    for (unsigned i = 1; i <= 9; i++) {
        rest_ms(60);
        x_map(&client, keycode, 'q');
        rest_ms(2 * (long)i); /* what is between the two polls that matter is hit by some */
        x_key(&client, SHIFT_R, true);
        x_key(&client, F2, true);
        UNTIL(state().presses[LAYER_ACTION_TOGGLE] == i);
        x_key(&client, F2, false);
        x_key(&client, SHIFT_R, false);
    }
}

static void help_names_what_has_keys(void **unused)
{
    (void)unused;
    struct fovea_layer_keys keys = fovea_settings_default().layer.keys;
    char text[LAYER_INPUT_HELP_BYTES];
    layer_input_help(&keys, text, sizeof text);
    assert_contains(text, "Shift_R+F2          foveation on/off\n");
    assert_contains(text, "Shift_R+Page_Down   less blur\n");
    assert_contains(text, "hold: without foveation");
    strcpy(keys.toggle, "");
    layer_input_help(&keys, text, sizeof text);
    assert_null(strstr(text, "foveation on/off"));
    char small[10];
    layer_input_help(&keys, small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
}

/* ---- What goes away --------------------------------------------------------------------------- */

static int64_t destroy_ms(void)
{
    const int64_t start_ns = fovea_time_ns();
    layer_input_destroy(&input);
    return (fovea_time_ns() - start_ns) / MS;
}

static void a_window_that_is_destroyed_is_let_go_of(void **unused)
{
    (void)unused;
    x_pointer(&client, 200, 100);
    UNTIL(state().pointer_over);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F4, true);
    UNTIL(state().compare_held);
    x_window_destroy(&client, window);
    UNTIL(!state().pointer_over && !state().compare_held);
    x_key(&client, F4, false);
    x_key(&client, SHIFT_R, false);
    UNTIL(said_count(FOVEA_LOG_DEBUG) == 1);
    assert_contains(said_last(FOVEA_LOG_DEBUG), "is gone");
    layer_input_watch(input, window);
    UNTIL(said_count(FOVEA_LOG_DEBUG) == 2);
    layer_input_watch(input, 0x7fffffff);
    UNTIL(said_count(FOVEA_LOG_DEBUG) == 3);

    window = x_window(&client, frame, (struct x_place){10, 20, 400, 200});
    layer_input_watch(input, window);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    layer_input_watch(input, 0);
    UNTIL(!state().pointer_over);
    assert_int_equal(said_count(FOVEA_LOG_DEBUG), 3);
    assert_int_equal(said_count(FOVEA_LOG_WARNING) + said_count(FOVEA_LOG_ERROR), 0);
}

static void a_server_that_vanishes_is_said_once(void **unused)
{
    (void)unused;
    for (int idle = 0; idle < 2; idle++) {
        if (idle) {
            assert_true(x_server_start(&server));
            client = x_client_open(&server);
            open_input();
            rest_ms(20);
        } else {
            x_pointer(&client, 200, 100);
            UNTIL(state().pointer_over);
        }
        x_server_stop(&server);
        UNTIL(said_count(FOVEA_LOG_WARNING) == 1);
        assert_contains(said_last(FOVEA_LOG_WARNING), "the X server has gone");
        UNTIL(!state().pointer_over);
        layer_input_watch(input, 5);
        rest_ms(20);
        assert_in_range(destroy_ms(), 0, 150);
        assert_int_equal(said_count(FOVEA_LOG_WARNING), 1);
        x_client_close(&client);
    }
}

static void a_server_that_is_grabbed_stops_nobody(void **unused)
{
    (void)unused;
    x_pointer(&client, 200, 100);
    UNTIL(state().pointer_over);
    xcb_grab_server(client.connection);
    x_sync(&client);
    rest_ms(40);
    assert_true(state().pointer_over);
    assert_in_range(destroy_ms(), 0, 150);
    xcb_ungrab_server(client.connection);
    x_sync(&client);
}

static void a_server_that_does_not_answer_holds_nobody_up(void **unused)
{
    (void)unused;
    if (HAVE_TSAN) {
        skip(); /* two threads are in libXau at a time, which keeps a file's name in one place */
    }
    assert_in_range(destroy_ms(), 0, 150);
    kill(server.pid, SIGSTOP);
    open_input();
    assert_contains(said_last(FOVEA_LOG_WARNING), "does not answer yet");
    assert_in_range(destroy_ms(), 0, 600);
    open_input();
    layer_input_watch(input, window);
    kill(server.pid, SIGCONT);
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    rest_ms(200); /* the thread that was left behind has gone too */
}

/* ---- What is not there ------------------------------------------------------------------------ */

static bool libxcb_is_hidden;

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
    return __real_dlopen(libxcb_is_hidden ? "libnot-there.so.1" : name, flags);
}

static void assert_unsupported(const char *display, const char *why)
{
    const struct layer_input_desc desc = {.display = display, .log = log_anew()};
    struct layer_input *none = (struct layer_input *)&server;
    assert_int_equal(layer_input_create(&desc, &none), FOVEA_ERROR_UNSUPPORTED);
    assert_null(none);
    assert_int_equal(said_count(FOVEA_LOG_WARNING), 1);
    assert_contains(said_last(FOVEA_LOG_WARNING), "no pointer and no keys");
    assert_contains(said_last(FOVEA_LOG_WARNING), why);
}

static void what_is_missing_is_said(void **unused)
{
    (void)unused;
    assert_unsupported(":987654", "nobody answers at X display :987654");
    assert_unsupported("nonsense", "nobody answers at X display nonsense");
    setenv("DISPLAY", ":987653", 1);
    assert_unsupported(NULL, "nobody answers at X display :987653");
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    assert_unsupported(NULL, "DISPLAY is not set");
    assert_unsupported("", "DISPLAY is not set");
    setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    assert_unsupported(NULL, "no XWayland");
    libxcb_is_hidden = true;
    assert_unsupported(":0", "libnot-there.so.1");
    libxcb_is_hidden = false;
    layer_input_destroy(NULL);
    struct layer_input *none = NULL;
    layer_input_destroy(&none);
}

static void read_line(pid_t task, const char *name, const char *begin, char *line, int size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)task, name);
    FILE *file = fopen(path, "r");
    line[0] = 0;
    while (file && fgets(line, size, file) && strncmp(line, begin, strlen(begin)) != 0) {
        line[0] = 0;
    }
    if (file) {
        fclose(file);
    }
}

static void the_thread_has_a_name_and_takes_no_signals(void **unused)
{
    (void)unused;
    char line[128];
    unsigned found = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks)) {
        const pid_t task = (pid_t)strtol(entry->d_name, NULL, 10);
        read_line(task, "comm", "fovea-input", line, sizeof line);
        if (task != 0 && line[0]) {
            found++;
            read_line(task, "status", "SigBlk:", line, sizeof line);
            const unsigned long long blocked = strtoull(line + strlen("SigBlk:"), NULL, 16);
            for (int number = 1; number < 32; number++) {
                const bool cannot_be = number == SIGKILL || number == SIGSTOP;
                assert_int_equal(blocked >> (number - 1) & 1, !cannot_be);
            }
        }
    }
    closedir(tasks);
    assert_int_equal(found, 1);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    if (!x_server_start(&server)) {
        fputs("no Xvfb here\n", stderr);
        return 77;
    }
    x_server_stop(&server);
    const struct CMUnitTest tests[] = {
        WITH_SERVER(positions_follow_the_pointer_over_the_client_area),
        WITH_SERVER(positions_follow_a_window_that_moves_and_grows),
        WITH_SERVER(a_pointer_over_no_window_at_all_is_not_over_ours),
        WITH_SERVER(a_resting_pointer_is_a_gaze_and_one_that_has_left_is_not),
        WITH_SERVER(a_frame_may_say_the_same_again_and_again),
        WITH_SERVER(a_program_that_grabs_pointer_and_keyboard_keeps_them_and_is_followed),
        WITH_SERVER(a_press_counts_once_however_long_and_the_program_gets_it_too),
        WITH_SERVER(every_action_has_its_own_keys),
        WITH_SERVER(other_modifiers_make_it_somebody_elses),
        WITH_SERVER(keys_count_while_the_focus_is_in_the_window),
        WITH_SERVER(keys_that_are_held_when_the_focus_comes_do_not_count),
        WITH_SERVER(compare_is_held_as_long_as_its_keys_and_the_focus),
        WITH_SERVER(keys_can_be_others_or_none),
        WITH_SERVER(a_keyboard_that_changes_is_read_again),
        WITH_SERVER(a_key_that_goes_down_as_the_keyboard_changes_counts),
        cmocka_unit_test(help_names_what_has_keys),
        WITH_SERVER(a_window_that_is_destroyed_is_let_go_of),
        WITH_SERVER(a_server_that_vanishes_is_said_once),
        WITH_SERVER(a_server_that_is_grabbed_stops_nobody),
        WITH_SERVER(a_server_that_does_not_answer_holds_nobody_up),
        cmocka_unit_test(what_is_missing_is_said),
        WITH_SERVER(the_thread_has_a_name_and_takes_no_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
