/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_input_keys.h"

#include <stdio.h>

/* A key that is seen up only once between two polls has chattered. */
#define UP_POLLS_MIN 2

struct action_info {
    size_t offset; /* in struct fovea_layer_keys */
    const char *help;
};

#define INFO(member, text)                                                                         \
    {                                                                                              \
        offsetof(struct fovea_layer_keys, member), text                                            \
    }
static const struct action_info infos[LAYER_ACTION_COUNT] = {
    [LAYER_ACTION_HELP] = INFO(help, "these keys"),
    [LAYER_ACTION_TOGGLE] = INFO(toggle, "foveation on/off"),
    [LAYER_ACTION_HUD] = INFO(hud, "HUD on/off"),
    [LAYER_ACTION_COMPARE] = INFO(compare, "hold: without foveation"),
    [LAYER_ACTION_RINGS] = INFO(rings, "rings of eccentricity"),
    [LAYER_ACTION_MARKER] = INFO(marker, "marker at the gaze"),
    [LAYER_ACTION_WIPE] = INFO(wipe, "split screen at the pointer"),
    [LAYER_ACTION_HEATMAP] = INFO(heatmap, "heat map of the blur"),
    [LAYER_ACTION_STRONGER] = INFO(stronger, "more blur"),
    [LAYER_ACTION_WEAKER] = INFO(weaker, "less blur"),
    [LAYER_ACTION_RELOAD] = INFO(reload, "read the configuration again"),
};

static const char *keys_of(const struct fovea_layer_keys *keys, size_t action)
{
    return (const char *)keys + infos[action].offset;
}

void layer_input_help(const struct fovea_layer_keys *keys, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < LAYER_ACTION_COUNT && used < size; i++) {
        const char *name = keys_of(keys, i);
        if (name[0]) {
            const int added = snprintf(text + used, size - used, "%s%-19s %s", used ? "\n" : "",
                                       name, infos[i].help);
            used += added > 0 ? (size_t)added : 0;
        }
    }
}

/* ---- Keycodes --------------------------------------------------------------------------------- */

static void set_bit(struct keymap *map, uint32_t keycode)
{
    if (keycode < KEYMAP_BYTES * 8) {
        map->bits[keycode / 8] |= (uint8_t)(1u << keycode % 8);
    }
}

static bool is_empty(const struct keymap *map)
{
    static const struct keymap none;
    return memcmp(map, &none, sizeof none) == 0;
}

static bool intersect(const struct keymap *a, const struct keymap *b)
{
    unsigned common = 0;
    for (size_t i = 0; i < KEYMAP_BYTES; i++) {
        common |= (unsigned)a->bits[i] & b->bits[i];
    }
    return common != 0;
}

/* Columns 0 and 1 are the first layout without and with Shift, 2 and 3 the second; what lies behind takes
 * more modifiers, and is somebody else's. */
#define COLUMNS_MAX 4

/* Every keycode that has the keysym; without Shift if any has it so: the key with 1 and ! is 1's. */
static struct keymap keycodes_of(const struct key_mapping *mapping, uint32_t keysym)
{
    struct keymap found = {0};
    for (uint32_t shift = 0; shift < 2 && is_empty(&found); shift++) {
        for (uint32_t i = 0; i < mapping->keycode_count; i++) {
            const uint32_t *row = mapping->keysyms + (size_t)i * mapping->columns;
            for (uint32_t c = shift; c < mapping->columns && c < COLUMNS_MAX; c += 2) {
                if (row[c] == keysym) {
                    set_bit(&found, mapping->first_keycode + i);
                }
            }
        }
    }
    return found;
}

static void add(struct keymap *to, const struct keymap *from)
{
    for (size_t i = 0; i < KEYMAP_BYTES; i++) {
        to->bits[i] |= from->bits[i];
    }
}

static struct keymap all_modifiers(const struct key_mapping *mapping)
{
    static const char *const names[] = {"Shift_L", "Shift_R", "Control_L", "Control_R", "Alt_L",
                                        "Alt_R",   "Meta_L",  "Meta_R",    "Super_L",   "Super_R",
                                        "Hyper_L", "Hyper_R", "AltGr"};
    struct keymap all = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct keymap one = keycodes_of(mapping, key_keysym(names[i]));
        add(&all, &one);
    }
    return all;
}

static struct input_action map_action(const char *text, const struct key_mapping *mapping)
{
    struct input_action action = {0};
    struct key_combo combo;
    char wrong[KEY_NAME_MAX];
    if (!key_combo_parse(text, &combo, wrong)) {
        return action;
    }
    struct keymap own = {0};
    for (uint32_t i = 0; i < combo.count; i++) {
        action.keys[i] = keycodes_of(mapping, combo.keysyms[i]);
        if (is_empty(&action.keys[i])) {
            return (struct input_action){0};
        }
        add(&own, &action.keys[i]);
    }
    action.count = combo.count;
    action.others = all_modifiers(mapping);
    for (size_t i = 0; i < KEYMAP_BYTES; i++) {
        action.others.bits[i] &= (uint8_t)~own.bits[i];
    }
    return action;
}

void input_actions_map(struct input_actions *actions, const struct fovea_layer_keys *keys,
                       const struct key_mapping *mapping)
{
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        const uint32_t up_polls = actions->actions[i].up_polls;
        actions->actions[i] = map_action(keys_of(keys, i), mapping);
        actions->actions[i].up_polls = up_polls;
    }
}

void input_actions_forget(struct input_actions *actions)
{
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        actions->actions[i].up_polls = 0;
    }
}

/* ---- Polls ------------------------------------------------------------------------------------ */

static bool is_down(const struct input_action *action, const struct keymap *down)
{
    for (uint32_t i = 0; i < action->count; i++) {
        if (!intersect(&action->keys[i], down)) {
            return false;
        }
    }
    return action->count > 0 && !intersect(&action->others, down);
}

uint32_t input_actions_poll(struct input_actions *actions, const struct keymap *down)
{
    uint32_t pressed = 0;
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        struct input_action *action = &actions->actions[i];
        action->down = is_down(action, down);
        if (action->down && action->up_polls >= UP_POLLS_MIN) {
            pressed |= 1u << i;
        }
        action->up_polls = action->down ? 0 : action->up_polls + 1;
    }
    return pressed;
}
