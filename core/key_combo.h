/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Keys as people write them: "Shift_R+F2", names of X11 with + between them. Header only: the
 * configuration checks the words, the layer looks for the keys. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KEY_COMBO_MAX 4 /* keys held together */
#define KEY_NAME_MAX 24

struct key_combo {
    uint32_t count; /* 0: no keys */
    uint32_t keysyms[KEY_COMBO_MAX];
};

struct key_name {
    const char *name;
    uint32_t keysym;
};

/* Names and values of keysymdef.h (X11's protocol, appendix A); those of one letter, digit or other
 * sign of ASCII are its code. */
static const struct key_name key_names[] = {
    {"Shift_L", 0xffe1},     {"Shift_R", 0xffe2},   {"Control_L", 0xffe3},
    {"Control_R", 0xffe4},   {"Meta_L", 0xffe7},    {"Meta_R", 0xffe8},
    {"Alt_L", 0xffe9},       {"Alt_R", 0xffea},     {"Super_L", 0xffeb},
    {"Super_R", 0xffec},     {"Hyper_L", 0xffed},   {"Hyper_R", 0xffee},
    {"AltGr", 0xfe03},       {"Caps_Lock", 0xffe5}, {"Num_Lock", 0xff7f},
    {"Scroll_Lock", 0xff14}, {"BackSpace", 0xff08}, {"Tab", 0xff09},
    {"Return", 0xff0d},      {"Pause", 0xff13},     {"Escape", 0xff1b},
    {"Home", 0xff50},        {"Left", 0xff51},      {"Up", 0xff52},
    {"Right", 0xff53},       {"Down", 0xff54},      {"Page_Up", 0xff55},
    {"Prior", 0xff55},       {"Page_Down", 0xff56}, {"Next", 0xff56},
    {"End", 0xff57},         {"Print", 0xff61},     {"Insert", 0xff63},
    {"Menu", 0xff67},        {"Delete", 0xffff},    {"KP_Enter", 0xff8d},
    {"KP_Multiply", 0xffaa}, {"KP_Add", 0xffab},    {"KP_Subtract", 0xffad},
    {"KP_Divide", 0xffaf},   {"space", 0x20},       {"plus", 0x2b},
    {"minus", 0x2d},         {"comma", 0x2c},       {"period", 0x2e},
    {"slash", 0x2f},         {"equal", 0x3d},       {"grave", 0x60},
    {"F1", 0xffbe},          {"F2", 0xffbf},        {"F3", 0xffc0},
    {"F4", 0xffc1},          {"F5", 0xffc2},        {"F6", 0xffc3},
    {"F7", 0xffc4},          {"F8", 0xffc5},        {"F9", 0xffc6},
    {"F10", 0xffc7},         {"F11", 0xffc8},       {"F12", 0xffc9},
    {"F13", 0xffca},         {"F14", 0xffcb},       {"F15", 0xffcc},
    {"F16", 0xffcd},         {"F17", 0xffce},       {"F18", 0xffcf},
    {"F19", 0xffd0},         {"F20", 0xffd1},       {"F21", 0xffd2},
    {"F22", 0xffd3},         {"F23", 0xffd4},       {"F24", 0xffd5},
};
#define KEY_NAME_COUNT (sizeof key_names / sizeof key_names[0])

/* 0: no key is called that. A capital letter is the key of the small one. */
static inline uint32_t key_keysym(const char *name)
{
    if (name[0] > ' ' && name[0] < 0x7f && name[1] == 0) {
        const bool capital = name[0] >= 'A' && name[0] <= 'Z';
        return (uint32_t)(capital ? name[0] + ('a' - 'A') : name[0]);
    }
    for (size_t i = 0; i < KEY_NAME_COUNT; i++) {
        if (strcmp(key_names[i].name, name) == 0) {
            return key_names[i].keysym;
        }
    }
    return 0;
}

/* True for "" too. Else out_wrong is the name that no key has: cut where it is long, and empty
 * where one is missing or they are too many. */
static inline bool key_combo_parse(const char *text, struct key_combo *out_combo,
                                   char out_wrong[KEY_NAME_MAX])
{
    *out_combo = (struct key_combo){0};
    out_wrong[0] = 0;
    for (const char *at = text; *text; at++) {
        const size_t length = strcspn(at, "+");
        const size_t kept = length < KEY_NAME_MAX ? length : KEY_NAME_MAX - 1;
        memcpy(out_wrong, at, kept);
        out_wrong[kept] = 0;
        const uint32_t keysym = length == kept ? key_keysym(out_wrong) : 0;
        if (keysym == 0) {
            return false;
        }
        out_wrong[0] = 0;
        if (out_combo->count == KEY_COMBO_MAX) {
            return false;
        }
        out_combo->keysyms[out_combo->count++] = keysym;
        at += length;
        if (!*at) {
            break;
        }
    }
    return true;
}

static inline bool key_combo_has(const struct key_combo *combo, uint32_t keysym)
{
    for (uint32_t i = 0; i < combo->count; i++) {
        if (combo->keysyms[i] == keysym) {
            return true;
        }
    }
    return false;
}

/* The same keys, in whatever order they were written. */
static inline bool key_combo_equal(const struct key_combo *a, const struct key_combo *b)
{
    bool equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++) {
        equal = key_combo_has(b, a->keysyms[i]) && key_combo_has(a, b->keysyms[i]);
    }
    return equal;
}
