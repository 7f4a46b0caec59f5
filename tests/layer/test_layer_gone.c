/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Windows and servers that go away, that do not answer, or that are not there. */
#include "input_rig.h"

#include <dirent.h>
#include <signal.h>

static int64_t destroy_ms(void)
{
    const int64_t start_ns = fovea_time_ns();
    layer_input_destroy(&input);
    return (fovea_time_ns() - start_ns) / MS;
}

WITH_SERVER(a_window_that_is_destroyed_is_let_go_of)
{
    x_pointer(&client, 200, 100);
    UNTIL(rig_state().pointer_over);
    x_key(&client, SHIFT_R, true);
    x_key(&client, F4, true);
    UNTIL(rig_state().compare_held);
    x_window_destroy(&client, window);
    UNTIL(!rig_state().pointer_over && !rig_state().compare_held);
    x_key(&client, F4, false);
    x_key(&client, SHIFT_R, false);
    UNTIL(rig_said_count(FOVEA_LOG_DEBUG) == 1);
    assert_contains(rig_said(FOVEA_LOG_DEBUG), "is gone");
    layer_input_watch(input, 0, window, NULL);
    UNTIL(rig_said_count(FOVEA_LOG_DEBUG) == 2);
    layer_input_watch(input, 0, 0x7fffffff, NULL);
    UNTIL(rig_said_count(FOVEA_LOG_DEBUG) == 3);

    window = x_window(&client, decoration, (struct x_place){10, 20, 400, 200});
    layer_input_watch(input, 0, window, NULL);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    layer_input_watch(input, 0, 0, NULL);
    UNTIL(!rig_state().pointer_over);
    assert_int_equal(rig_said_count(FOVEA_LOG_DEBUG), 3);
    assert_int_equal(rig_said_count(FOVEA_LOG_WARNING) + rig_said_count(FOVEA_LOG_ERROR), 0);
}

WITH_SERVER(a_window_that_is_destroyed_leaves_the_others_alone)
{
    const xcb_window_t other = x_window(&client, 0, (struct x_place){600, 300, 100, 50});
    layer_input_watch(input, 1, other, NULL);
    x_pointer(&client, 630, 310);
    UNTIL(pointer_is(30.5 / 100, 10.5 / 50));
    x_window_destroy(&client, other);
    UNTIL(rig_state().lost == 1u << 1);
    UNTIL(!rig_state().pointer_over);
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    hold_ms(SHIFT_R, F2, 120);
    UNTIL(all_presses() == 1);
    layer_input_watch(input, 1, 0, NULL);
    UNTIL(rig_state().lost == 0);
    assert_int_equal(rig_said_count(FOVEA_LOG_DEBUG), 1);
}

WITH_SERVER(a_server_that_vanishes_is_said_once)
{
    for (int idle = 0; idle < 2; idle++) {
        if (idle) {
            assert_true(x_server_start(&server));
            client = x_client_open(&server);
            rig_open();
            rest_ms(20);
        } else {
            x_pointer(&client, 200, 100);
            UNTIL(rig_state().pointer_over);
        }
        x_server_stop(&server);
        UNTIL(rig_said_count(FOVEA_LOG_WARNING) == 1);
        assert_contains(rig_said(FOVEA_LOG_WARNING), "the X server has gone");
        UNTIL(!rig_state().pointer_over);
        layer_input_watch(input, 0, 5, NULL);
        rest_ms(20);
        assert_in_range(destroy_ms(), 0, 150);
        assert_int_equal(rig_said_count(FOVEA_LOG_WARNING), 1);
        x_client_close(&client);
    }
}

WITH_SERVER(a_server_that_is_grabbed_stops_nobody)
{
    x_pointer(&client, 200, 100);
    UNTIL(rig_state().pointer_over);
    xcb_grab_server(client.connection);
    x_sync(&client);
    rest_ms(40);
    assert_true(rig_state().pointer_over);
    assert_in_range(destroy_ms(), 0, 150);
    xcb_ungrab_server(client.connection);
    x_sync(&client);
}

WITH_SERVER(a_server_that_does_not_answer_holds_nobody_up)
{
    assert_in_range(destroy_ms(), 0, 150);
    kill(server.pid, SIGSTOP);
    rig_open();
    assert_contains(rig_said(FOVEA_LOG_WARNING), "does not answer yet");
    assert_in_range(destroy_ms(), 0, 600);
    rig_open();
    layer_input_watch(input, 0, window, NULL);
    kill(server.pid, SIGCONT);
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    rest_ms(200); /* the thread that was left behind has gone too */
}

WITH_SERVER(nobody_need_wait_for_a_server)
{
    layer_input_destroy(&input);
    const struct layer_input_desc desc = {.display = server.display, .log = rig_log()};
    kill(server.pid, SIGSTOP);
    const int64_t start_ns = fovea_time_ns();
    assert_ok(layer_input_create(&desc, &input));
    assert_in_range((fovea_time_ns() - start_ns) / MS, 0, 150);
    layer_input_watch(input, 0, window, NULL);
    kill(server.pid, SIGCONT);
    x_pointer(&client, 200, 100);
    UNTIL(pointer_is(100.5 / 400, 50.5 / 200));
    layer_input_destroy(&input);

    const struct layer_input_desc nowhere = {.display = ":987654", .log = rig_log()};
    assert_true(layer_input_create(&nowhere, &input) <= FOVEA_OK); /* told at once, or later */
    UNTIL(rig_said_count(FOVEA_LOG_WARNING) == 1);
    assert_contains(rig_said(FOVEA_LOG_WARNING), "nobody answers at X display :987654");
}

/* ---- What is not there ----------------------------------------------------------------------- */

static bool libxcb_is_hidden;

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
    return __real_dlopen(libxcb_is_hidden ? "libnot-there.so.1" : name, flags);
}

static void assert_unsupported(const char *display, const char *why)
{
    const struct layer_input_desc desc = {
        .display = display, .wait_ns = 1000 * MS, .log = rig_log()};
    struct layer_input *none = (struct layer_input *)&server;
    assert_int_equal(layer_input_create(&desc, &none), FOVEA_ERROR_UNSUPPORTED);
    assert_null(none);
    assert_int_equal(rig_said_count(FOVEA_LOG_WARNING), 1);
    assert_contains(rig_said(FOVEA_LOG_WARNING), "no pointer and no keys");
    assert_contains(rig_said(FOVEA_LOG_WARNING), why);
}

TEST(what_is_missing_is_said)
{
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
    FILE *file = fopen(test_text("/proc/self/task/%d/%s", (int)task, name), "r");
    line[0] = 0;
    while (file && fgets(line, size, file) && strncmp(line, begin, strlen(begin)) != 0) {
        line[0] = 0;
    }
    if (file) {
        fclose(file);
    }
}

WITH_SERVER(the_thread_has_a_name_and_takes_no_signals_but_faults)
{
    const unsigned faults =
        1u << SIGSEGV | 1u << SIGBUS | 1u << SIGFPE | 1u << SIGILL | 1u << SIGTRAP | 1u << SIGSYS;
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
                assert_int_equal(blocked >> (number - 1) & 1,
                                 !cannot_be && !(faults >> number & 1));
            }
        }
    }
    closedir(tasks);
    assert_int_equal(found, 1);
}

int main(void)
{
    return RUN_OR_SKIP(tests_run(NULL, NULL));
}
