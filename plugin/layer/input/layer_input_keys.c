/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_input_keys.h"

#include <stdio.h>

/* A key that is seen up only once between two polls has chattered. */
#define UP_POLLS_MIN 2
/* A key that is back so soon after its own release, as servers count time, was not let go of. */
#define REPEAT_MS 1

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
    [LAYER_ACTION_MODEL] = INFO(model, "published model on/off"),
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

/* ---- Keycodes -------------------------------------------------------------------------------- */

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

/* Columns 0 and 1 are the first layout without and with Shift, 2 and 3 the second; what lies behind
 * takes more modifiers, and is somebody else's. */
#define COLUMNS_MAX 4

/* Every keycode that has the keysym; without Shift if any has it so: the key with 1 and ! is
 * 1's. */
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

static void take_out(struct keymap *from, const struct keymap *what)
{
    for (size_t i = 0; i < KEYMAP_BYTES; i++) {
        from->bits[i] &= (uint8_t)~what->bits[i];
    }
}

/* ---- Modifiers ------------------------------------------------------------------------------- */

/* Those of one kind mean the same to people, and some servers press both where one is asked for. */
static const struct {
    const char *name;
    int kind;
} modifiers[INPUT_MODIFIERS] = {
    {"Shift_L", 0}, {"Shift_R", 0}, {"Control_L", 1}, {"Control_R", 1}, {"Alt_L", 2},
    {"Alt_R", 2},   {"Meta_L", 2},  {"Meta_R", 2},    {"Super_L", 3},   {"Super_R", 3},
    {"Hyper_L", 4}, {"Hyper_R", 4}, {"AltGr", 5},
};

static bool has_kind(const struct key_combo *combo, int kind)
{
    bool has = false;
    for (size_t i = 0; i < INPUT_MODIFIERS; i++) {
        has |= modifiers[i].kind == kind && key_combo_has(combo, key_keysym(modifiers[i].name));
    }
    return has;
}

static struct keymap all_modifiers(const struct input_actions *actions)
{
    struct keymap all = {0};
    for (size_t i = 0; i < INPUT_MODIFIERS; i++) {
        add(&all, &actions->modifiers[i]);
    }
    return all;
}

/* Modifiers that mean something else than the combination's own. */
static struct keymap others_than(const struct input_actions *actions, const struct key_combo *combo,
                                 const struct keymap *own)
{
    struct keymap others = all_modifiers(actions);
    take_out(&others, own);
    for (size_t i = 0; i < INPUT_MODIFIERS; i++) {
        if (has_kind(combo, modifiers[i].kind)) {
            take_out(&others, &actions->modifiers[i]);
        }
    }
    return others;
}

/* ---- Actions --------------------------------------------------------------------------------- */

static struct input_action map_action(const struct input_actions *actions, const char *text,
                                      const struct key_mapping *mapping)
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
    const struct keymap all = all_modifiers(actions);
    action.count = combo.count;
    action.others = others_than(actions, &combo, &own);
    action.plain = own;
    take_out(&action.plain, &all);
    return action;
}

static bool is_down(const struct input_action *action, const struct keymap *down)
{
    for (uint32_t i = 0; i < action->count; i++) {
        if (!intersect(&action->keys[i], down)) {
            return false;
        }
    }
    return action->count > 0 && !intersect(&action->others, down);
}

void input_actions_map(struct input_actions *actions, const struct fovea_layer_keys *keys,
                       const struct key_mapping *mapping)
{
    for (size_t i = 0; i < INPUT_MODIFIERS; i++) {
        actions->modifiers[i] = keycodes_of(mapping, key_keysym(modifiers[i].name));
    }
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        struct input_action *action = &actions->actions[i];
        const uint32_t up_polls = action->up_polls;
        *action = map_action(actions, keys_of(keys, i), mapping);
        action->up_polls = up_polls;
        action->down = is_down(action, &actions->down);
    }
}

void input_actions_forget(struct input_actions *actions)
{
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        actions->actions[i].up_polls = 0;
    }
}

/* ---- What is pressed ------------------------------------------------------------------------- */

/* All that is missing is that other modifiers are down. */
static bool is_near(const struct input_actions *actions, const struct input_action *action)
{
    const struct keymap all = all_modifiers(actions);
    uint32_t plain = 0;
    for (uint32_t i = 0; i < action->count; i++) {
        if (intersect(&action->keys[i], &action->plain)) {
            plain++;
            if (!intersect(&action->keys[i], &actions->down)) {
                return false;
            }
        }
    }
    return plain > 0 && intersect(&all, &actions->down);
}

static void note_missed(struct input_actions *actions, uint32_t index)
{
    if (is_empty(&actions->missed) && is_near(actions, &actions->actions[index])) {
        actions->missed = actions->down;
        actions->missed_action = index;
    }
}

uint32_t input_actions_poll(struct input_actions *actions, const struct keymap *down)
{
    uint32_t pressed = 0;
    actions->down = *down;
    for (uint32_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        struct input_action *action = &actions->actions[i];
        action->down = is_down(action, down);
        if (action->down && action->up_polls >= UP_POLLS_MIN) {
            pressed |= 1u << i;
        }
        action->up_polls = action->down ? 0 : action->up_polls + 1;
        if (!action->down) {
            note_missed(actions, i);
        }
    }
    return pressed;
}

/* -> whether it was pressed. */
static bool take_event(struct input_action *action, const struct keymap *all, uint32_t keycode,
                       bool down, uint32_t time_ms)
{
    const bool before = action->down;
    action->down = is_down(action, all);
    if (before && !action->down) {
        action->released_keycode = keycode;
        action->released_ms = time_ms;
    }
    if (!before && action->down) {
        const bool repeats =
            keycode == action->released_keycode && time_ms - action->released_ms <= REPEAT_MS;
        action->up_polls = 0;
        return !repeats;
    }
    if (!before && !down) {
        action->released_keycode = 0;
    }
    return false;
}

uint32_t input_actions_event(struct input_actions *actions, uint32_t keycode, bool down,
                             uint32_t time_ms)
{
    struct keymap one = {0};
    uint32_t pressed = 0;
    set_bit(&one, keycode);
    if (down) {
        add(&actions->down, &one);
    } else {
        take_out(&actions->down, &one);
    }
    for (uint32_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        struct input_action *action = &actions->actions[i];
        pressed |= (uint32_t)take_event(action, &actions->down, keycode, down, time_ms) << i;
        if (down && !action->down && intersect(&action->plain, &one)) {
            note_missed(actions, i);
        }
    }
    return pressed;
}

/* ---- What was missed ------------------------------------------------------------------------- */

static void name_modifiers(const struct input_actions *actions, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < INPUT_MODIFIERS && used < size; i++) {
        if (intersect(&actions->modifiers[i], &actions->missed)) {
            const int added =
                snprintf(text + used, size - used, "%s%s", used ? " and " : "", modifiers[i].name);
            used += added > 0 ? (size_t)added : 0;
        }
    }
}

bool input_actions_missed(struct input_actions *actions, const struct fovea_layer_keys *keys,
                          char text[INPUT_MISSED_BYTES])
{
    char with[128];
    if (is_empty(&actions->missed)) {
        return false;
    }
    const char *wanted = keys_of(keys, actions->missed_action);
    const char *last = strrchr(wanted, '+');
    name_modifiers(actions, with, sizeof with);
    snprintf(text, INPUT_MISSED_BYTES, "%s with %s: ignored, the keys are %s and no other modifier",
             last && last[1] ? last + 1 : wanted, with, wanted);
    actions->missed = (struct keymap){0};
    return true;
}
