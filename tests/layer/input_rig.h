/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An X server, a program on it with a window, and the layer's input that watches it: what the tests
 * of pointer and keys share. One at a time. */
#pragma once

#include "test_gaze_support.h"

#include "plugin/layer/input/layer_input.h"
#include "support/clock.h"
#include "x_client.h"

#define F1 0xffbe
#define F2 0xffbf
#define F4 0xffc1
#define SHIFT_L 0xffe1
#define SHIFT_R 0xffe2
#define CONTROL_L 0xffe3

extern struct x_server server;
extern struct x_client client;
extern struct layer_input *input;
extern xcb_window_t decoration; /* as a window manager puts around */
extern xcb_window_t window; /* the watched one: at 100, 50 on the screen, 400 x 200 */

int rig_set_up(void **unused);
int rig_tear_down(void **unused);
/* Input alone, without a watched window. */
void rig_open(void);

/* rig_log keeps what was logged since it was called, by rig_open or a test; the thread may be
 * writing still. */
struct fovea_log rig_log(void);
unsigned rig_said_count(enum fovea_log_level level);
const char *rig_said(enum fovea_log_level level);

struct layer_input_state rig_state(void);
bool pointer_is(double x_uv, double y_uv);
unsigned all_presses(void);

/* A key, with a modifier or 0, after a time in which it is seen up. */
void hold_ms(uint32_t modifier, uint32_t key, long ms);

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

#define WITH_SERVER(test) TEST_AROUND(test, rig_set_up, rig_tear_down)

/* 77 where there is no Xvfb. */
#define RUN_OR_SKIP(run) (rig_has_server() ? (run) : 77)
bool rig_has_server(void);
