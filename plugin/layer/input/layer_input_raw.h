/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Key events as the server gets them (raw events of XInput 2.1, XI2proto.txt), whichever window has
 * them: a key that is up again before anybody asks shows here alone. Spoken over libxcb by hand,
 * because libxcb-xinput is not in every process. */
#pragma once

#include "layer_input_x11.h"

struct raw_keys {
    uint8_t opcode; /* of the extension; 0: the server has none, and there are no events */
    xcb_window_t root; /* where events are asked for; 0: nowhere */
};

struct raw_key {
    uint32_t keycode;
    uint32_t time_ms; /* of the server */
    bool down;
};

/* Asks the server whether it can. */
void raw_keys_open(struct raw_keys *raw, const struct x11 *x11);

/* Events of all keyboards at that root, from now on; 0: no longer. */
void raw_keys_hear(struct raw_keys *raw, const struct x11 *x11, xcb_window_t root);

/* False: it is another event. */
bool raw_keys_event(const struct raw_keys *raw, const xcb_generic_event_t *event,
                    struct raw_key *out_key);
