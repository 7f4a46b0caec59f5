/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This says what the keys ask for that are down. It knows no server. */
#pragma once

#include "core/key_combo.h"
#include "layer_input.h"

/* A bit for each keycode, as QueryKeymap has them. */
#define KEYMAP_BYTES 32
struct keymap {
    uint8_t bits[KEYMAP_BYTES];
};

/* The reply to GetKeyboardMapping. */
struct key_mapping {
    uint32_t first_keycode;
    uint32_t keycode_count;
    uint32_t columns; /* keysyms of each keycode */
    const uint32_t *keysyms;
};

struct input_action {
    uint32_t count; /* of keys; 0: none are set, or this keyboard lacks one */
    struct keymap keys[KEY_COMBO_MAX]; /* the keycodes that count as each of them */
    struct keymap plain; /* those of its keys that are no modifiers */
    struct keymap others; /* modifiers that must be up: they mean something else than its own */
    uint32_t up_polls; /* in a row */
    bool down;
    /* the one whose event has ended it; 0: another has gone up since */
    uint32_t released_keycode;
    uint32_t released_ms;
};

#define INPUT_MODIFIERS 13

struct input_actions {
    struct input_action actions[LAYER_ACTION_COUNT];
    /* the keycodes of each, as this keyboard has them */
    struct keymap modifiers[INPUT_MODIFIERS];
    struct keymap down; /* as events and polls say */
    /* Keys that were down when an action was missed for its modifiers alone; empty: none was. */
    struct keymap missed;
    uint32_t missed_action;
};

/* A server says that its mapping has changed whenever another keyboard is used, which is while a
 * key goes down: what has been up stays so. */
void input_actions_map(struct input_actions *actions, const struct fovea_layer_keys *keys,
                       const struct key_mapping *mapping);

/* Makes every key that is down now count only after it has been up. */
void input_actions_forget(struct input_actions *actions);

/* Call it for each poll. Bit number action of the result: it has been pressed since the poll
 * before. */
uint32_t input_actions_poll(struct input_actions *actions, const struct keymap *down);

/* For each event, in their order; keys that go up and down within a millisecond while the others
 * stay down repeat (some remote desktops do that). Of the result as above. */
uint32_t input_actions_event(struct input_actions *actions, uint32_t keycode, bool down,
                             uint32_t time_ms);

/* The keys of an action went down, with modifiers that are not its own: says so, once for each time
 * that it happened. False: that was not so. */
#define INPUT_MISSED_BYTES 256
bool input_actions_missed(struct input_actions *actions, const struct fovea_layer_keys *keys,
                          char text[INPUT_MISSED_BYTES]);
