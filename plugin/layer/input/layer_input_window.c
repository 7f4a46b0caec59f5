/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_input_window.h"

#include <stdlib.h>

static void select_events(const struct x11 *x11, xcb_window_t id, uint32_t mask)
{
    x11->change_window_attributes(x11->connection, id, XCB_CW_EVENT_MASK, &mask);
}

/* 0: it has none, or is gone. */
static xcb_window_t parent_of(const struct x11 *x11, xcb_window_t id)
{
    xcb_query_tree_reply_t *tree = x11_reply(x11, x11->query_tree(x11->connection, id).sequence);
    const xcb_window_t parent = tree ? tree->parent : 0;
    free(tree);
    return parent;
}

static void find_above(struct input_window *window, const struct x11 *x11)
{
    window->above_count = 0;
    window->focus = 0;
    window->focus_inside = false;
    xcb_window_t above = parent_of(x11, window->id);
    while (above != 0 && above != window->root && window->above_count < WINDOW_ABOVE_MAX) {
        window->above[window->above_count++] = above;
        above = parent_of(x11, above);
    }
}

void input_window_leave(struct input_window *window, const struct x11 *x11)
{
    if (window->id != 0) {
        select_events(x11, window->id, XCB_EVENT_MASK_NO_EVENT);
    }
    *window = (struct input_window){0};
}

bool input_window_take(struct input_window *window, const struct x11 *x11, xcb_window_t id)
{
    input_window_leave(window, x11);
    /* First the events, then the size: a change in between is not lost. */
    select_events(x11, id, XCB_EVENT_MASK_STRUCTURE_NOTIFY);
    xcb_get_geometry_reply_t *geometry =
        x11_reply(x11, x11->get_geometry(x11->connection, id).sequence);
    if (!geometry) {
        return false;
    }
    *window = (struct input_window){.id = id,
                                    .root = geometry->root,
                                    .width_px = geometry->width,
                                    .height_px = geometry->height};
    free(geometry);
    find_above(window, x11);
    return true;
}

/* A destroyed window is noticed where it is asked about. */
void input_window_event(struct input_window *window, const struct x11 *x11,
                        const xcb_generic_event_t *event)
{
    const xcb_configure_notify_event_t *configure = (const xcb_configure_notify_event_t *)event;
    const xcb_reparent_notify_event_t *reparent = (const xcb_reparent_notify_event_t *)event;
    const uint8_t type =
        event->response_type & 0x7f; /* without the mark of what a client has sent */
    if (type == XCB_CONFIGURE_NOTIFY && configure->window == window->id) {
        window->width_px = configure->width;
        window->height_px = configure->height;
    }
    if (type == XCB_UNMAP_NOTIFY &&
        ((const xcb_unmap_notify_event_t *)event)->window == window->id) {
        window->hidden = true;
    }
    if (type == XCB_MAP_NOTIFY && ((const xcb_map_notify_event_t *)event)->window == window->id) {
        window->hidden = false;
    }
    if (type == XCB_REPARENT_NOTIFY && window->id != 0 && reparent->window == window->id) {
        find_above(window, x11);
    }
}

void input_window_expose(const struct input_window *window, const struct x11 *x11)
{
    union {
        xcb_expose_event_t expose;
        char bytes[32]; /* of every event */
    } event = {.bytes = {0}};
    event.expose.response_type = XCB_EXPOSE;
    event.expose.window = window->id;
    event.expose.width = (uint16_t)window->width_px;
    event.expose.height = (uint16_t)window->height_px;
    x11->send_event(x11->connection, false, window->id, XCB_EVENT_MASK_EXPOSURE, event.bytes);
}

static bool is_at_or_above(const struct input_window *window, xcb_window_t id)
{
    bool found = id == window->id;
    for (uint32_t i = 0; i < window->above_count && !found; i++) {
        found = window->above[i] == id;
    }
    return found;
}

static bool is_below(const struct input_window *window, const struct x11 *x11, xcb_window_t id)
{
    for (uint32_t i = 0; i < WINDOW_ABOVE_MAX && id != 0 && id != window->root; i++) {
        id = parent_of(x11, id);
        if (id == window->id) {
            return true;
        }
    }
    return false;
}

uint32_t input_window_depth(const struct input_window *window, xcb_window_t pointed)
{
    return is_at_or_above(window, pointed) ? 1 + window->above_count : 0;
}

bool input_window_has_focus(struct input_window *window, const struct x11 *x11, xcb_window_t focus,
                            xcb_window_t pointed)
{
    if (focus == XCB_INPUT_FOCUS_POINTER_ROOT || focus == window->root) {
        return pointed != 0 && is_at_or_above(window, pointed);
    }
    if (focus != window->focus) {
        window->focus = focus;
        window->focus_inside =
            focus != 0 && (is_at_or_above(window, focus) || is_below(window, x11, focus));
    }
    return window->focus_inside;
}
