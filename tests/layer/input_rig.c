/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "input_rig.h"

struct x_server server;
struct x_client client;
struct layer_input *input;
xcb_window_t decoration;
xcb_window_t window;

/* ---- What was logged; the thread may be writing still ---------------------------------------- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned log_counts[4];
static char log_last[4][512];

static void hear(void *unused, enum fovea_log_level level, const char *message)
{
    pthread_mutex_lock(&log_lock);
    log_counts[level]++;
    snprintf(log_last[level], sizeof log_last[level], "%s", message);
    pthread_mutex_unlock(&log_lock);
}

struct fovea_log rig_log(void)
{
    pthread_mutex_lock(&log_lock);
    memset(log_counts, 0, sizeof log_counts);
    memset(log_last, 0, sizeof log_last);
    pthread_mutex_unlock(&log_lock);
    return (struct fovea_log){.fn = hear};
}

unsigned rig_said_count(enum fovea_log_level level)
{
    pthread_mutex_lock(&log_lock);
    const unsigned count = log_counts[level];
    pthread_mutex_unlock(&log_lock);
    return count;
}

const char *rig_said(enum fovea_log_level level)
{
    static char copy[512];
    pthread_mutex_lock(&log_lock);
    memcpy(copy, log_last[level], sizeof copy);
    pthread_mutex_unlock(&log_lock);
    return copy;
}

/* ---- A program with a window ----------------------------------------------------------------- */

struct layer_input_state rig_state(void)
{
    struct layer_input_state now;
    layer_input_read(input, &now);
    return now;
}

void rig_open(void)
{
    const struct layer_input_desc desc = {
        .display = server.display, .wait_ns = 1000 * MS, .log = rig_log()};
    assert_ok(layer_input_create(&desc, &input));
}

int rig_set_up(void **unused)
{
    if (!x_server_start(&server)) {
        return -1;
    }
    client = x_client_open(&server);
    x_pointer(&client, 700, 500);
    decoration = x_window(&client, 0, (struct x_place){90, 30, 420, 240});
    window = x_window(&client, decoration, (struct x_place){10, 20, 400, 200});
    x_focus(&client, window);
    rig_open();
    layer_input_watch(input, 0, window, NULL);
    return 0;
}

int rig_tear_down(void **unused)
{
    layer_input_destroy(&input);
    assert_null(input);
    if (client.connection) {
        x_client_close(&client);
    }
    x_server_stop(&server);
    return 0;
}

bool pointer_is(double x_uv, double y_uv)
{
    const struct layer_input_state now = rig_state();
    return now.pointer_known && now.pointer_over && fabs(now.pointer_x_uv - x_uv) < 1e-6 &&
           fabs(now.pointer_y_uv - y_uv) < 1e-6;
}

void hold_ms(uint32_t modifier, uint32_t key, long ms)
{
    rest_ms(100); /* some polls of the keys have seen it up */
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

unsigned all_presses(void)
{
    const struct layer_input_state now = rig_state();
    unsigned count = 0;
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        count += now.presses[i];
    }
    return count;
}

bool rig_has_server(void)
{
    const bool has = x_server_start(&server);
    x_server_stop(&server);
    if (!has) {
        fputs("no Xvfb here\n", stderr);
    }
    return has;
}
