/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_windows.h"

#include "layer_session.h"
#include "plugin/gaze/gaze_source.h"

struct layer_window_slot *layer_windows_find(struct layer_windows *windows, uint32_t window)
{
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS && window != 0; i++) {
        if (windows->slots[i].window == window) {
            return &windows->slots[i];
        }
    }
    return NULL;
}

static struct layer_window_slot *find_free(struct layer_windows *windows, uint32_t lost)
{
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        if (windows->slots[i].window == 0 || lost >> i & 1) {
            return &windows->slots[i];
        }
    }
    return NULL;
}

static struct layer_window_slot *find_oldest(struct layer_windows *windows)
{
    struct layer_window_slot *oldest = &windows->slots[0];
    for (uint32_t i = 1; i < LAYER_INPUT_WINDOWS; i++) {
        if (windows->slots[i].since < oldest->since) {
            oldest = &windows->slots[i];
        }
    }
    return oldest;
}

struct layer_window_slot *layer_windows_choose(struct layer_windows *windows, uint32_t window,
                                               uint32_t lost, bool began)
{
    struct layer_window_slot *slot = layer_windows_find(windows, window);
    if (slot) {
        return began && lost >> (slot - windows->slots) & 1 ? slot : NULL;
    }
    slot = find_free(windows, lost);
    return slot || !began ? slot : find_oldest(windows);
}

static struct fovea_gaze_source *open_mouse(const struct fovea_gaze_settings *gaze)
{
    struct fovea_gaze_source *mouse = NULL;
    if (gaze && gaze->kind == FOVEA_GAZE_MOUSE && gaze_source_open(gaze, layer_log(), &mouse) < 0) {
        return NULL; /* it has said why */
    }
    return mouse;
}

static void set(struct layer_windows *windows, struct layer_window_slot *slot, uint32_t window,
                struct layer_input *input, const struct fovea_gaze_settings *gaze)
{
    struct fovea_gaze_source *former = slot->mouse;
    slot->window = window;
    slot->mouse = open_mouse(gaze);
    if (input) {
        const uint32_t index = (uint32_t)(slot - windows->slots);
        layer_input_watch(input, index, window, slot->mouse);
    }
    fovea_gaze_source_destroy(&former);
}

void layer_windows_watch(struct layer_windows *windows, struct layer_window_slot *slot,
                         uint32_t window, struct layer_input *input,
                         const struct fovea_gaze_settings *gaze)
{
    slot->since = ++windows->count;
    set(windows, slot, window, input, gaze);
}

void layer_windows_feed(struct layer_windows *windows, struct layer_input *input,
                        const struct fovea_gaze_settings *gaze)
{
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        struct layer_window_slot *slot = &windows->slots[i];
        if (slot->window != 0) {
            set(windows, slot, slot->window, input, gaze);
        }
    }
}
