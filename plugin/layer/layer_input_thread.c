/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thread: it asks the server where the pointer is and which keys are down, and waits in between. Requests
 * of a turn go out together, so that a turn is one way there and back. */
#include "layer_input_thread.h"

#include "core/log.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#define KEYS_PERIOD_NS INT64_C(16666667)
#define KEYS_EARLY_NS INT64_C(3000000) /* a turn that comes a little early is still theirs */

struct turn {
    xcb_query_pointer_reply_t *pointer; /* of the window; NULL: it is gone */
    xcb_query_pointer_reply_t *root;
    xcb_query_keymap_reply_t *keymap; /* NULL: it is not the keys' turn */
    xcb_get_input_focus_reply_t *focus;
};

static void forget_pointer(struct layer_input *input)
{
    atomic_store(&input->pointer_over, false);
    atomic_store(&input->compare_held, false);
}

/* ---- Keyboard --------------------------------------------------------------------------------- */

static void map_keys(struct layer_input *input)
{
    const struct x11 *x11 = &input->x11;
    struct fovea_layer_keys keys;
    (void)pthread_mutex_lock(&input->lock);
    const bool other_keys = input->keys_changed;
    keys = input->keys;
    input->keys_changed = false;
    (void)pthread_mutex_unlock(&input->lock);
    if (other_keys) {
        input_actions_forget(&input->actions);
    } else if (!input->mapping_changed) {
        return;
    }
    input->mapping_changed = false;
    const xcb_setup_t *setup = x11->get_setup(x11->connection);
    const uint8_t count = (uint8_t)(setup->max_keycode - setup->min_keycode + 1);
    xcb_get_keyboard_mapping_reply_t *reply = x11_reply(
        x11, x11->get_keyboard_mapping(x11->connection, setup->min_keycode, count).sequence);
    if (!reply) {
        return;
    }
    const struct key_mapping mapping = {
        .first_keycode = setup->min_keycode,
        .keycode_count =
            reply->keysyms_per_keycode ? reply->length / reply->keysyms_per_keycode : 0,
        .columns = reply->keysyms_per_keycode,
        .keysyms = (const uint32_t *)(reply + 1),
    };
    input_actions_map(&input->actions, &keys, &mapping);
    free(reply);
}

static void take_keys(struct layer_input *input, const struct turn *turn)
{
    struct keymap down;
    memcpy(&down, turn->keymap->keys, sizeof down);
    const bool ours =
        input_window_has_focus(&input->window, &input->x11, turn->focus->focus, turn->root->child);
    const uint32_t pressed = input_actions_poll(&input->actions, &down);
    for (size_t i = 0; ours && i < LAYER_ACTION_COUNT; i++) {
        if (pressed >> i & 1) {
            atomic_fetch_add(&input->presses[i], 1);
        }
    }
    atomic_store(&input->compare_held, ours && input->actions.actions[LAYER_ACTION_COMPARE].down);
}

/* ---- Pointer ---------------------------------------------------------------------------------- */

static void push(struct layer_input *input, double x_uv, double y_uv)
{
    const struct fovea_gaze_sample sample = {
        .x = x_uv, .y = y_uv, .t_ns = fovea_time_ns(), .confidence = 1.0};
    (void)pthread_mutex_lock(&input->lock);
    if (input->source) {
        (void)(fovea_gaze_source_push(input->source, &sample) == FOVEA_OK); /* it counts itself */
    }
    (void)pthread_mutex_unlock(&input->lock);
}

/* Where the root has no child under the pointer, it is over no X window: XWayland's answer is old then. */
static void take_pointer(struct layer_input *input, const struct turn *turn)
{
    const struct input_window *window = &input->window;
    const int32_t x_px = turn->pointer->win_x;
    const int32_t y_px = turn->pointer->win_y;
    const bool over = turn->pointer->same_screen && turn->root->child != 0 && x_px >= 0 &&
                      y_px >= 0 && (uint32_t)x_px < window->width_px &&
                      (uint32_t)y_px < window->height_px;
    if (over) {
        const double x_uv = (x_px + 0.5) / window->width_px;
        const double y_uv = (y_px + 0.5) / window->height_px;
        const float uv[2] = {(float)x_uv, (float)y_uv};
        uint64_t both = 0;
        memcpy(&both, uv, sizeof both);
        atomic_store(&input->pointer, both);
        atomic_store(&input->pointer_known, true);
        push(input, x_uv, y_uv);
    }
    atomic_store(&input->pointer_over, over);
}

/* ---- Window ----------------------------------------------------------------------------------- */

static void lose_window(struct layer_input *input)
{
    const bool known = atomic_load(&input->lost) == input->taken;
    if (known || !x11_is_alive(&input->x11) || atomic_load(&input->stopping)) {
        return;
    }
    input->window = (struct input_window){0};
    forget_pointer(input);
    atomic_store(&input->lost, input->taken);
    log_debug(input->log, "input: window 0x%x is gone", (unsigned)(uint32_t)input->taken);
}

static void take_window(struct layer_input *input)
{
    const uint64_t watched = atomic_load(&input->watched);
    if (watched == input->taken) {
        return;
    }
    input->taken = watched;
    atomic_store(&input->pointer_known, false);
    forget_pointer(input);
    if ((uint32_t)watched == 0) {
        input_window_leave(&input->window, &input->x11);
        (void)input->x11.flush(input->x11.connection);
    } else if (!input_window_take(&input->window, &input->x11, (uint32_t)watched)) {
        lose_window(input);
    }
}

static void take_events(struct layer_input *input)
{
    const struct x11 *x11 = &input->x11;
    xcb_generic_event_t *event = x11->poll_for_event(x11->connection);
    while (event) {
        input->mapping_changed |= (event->response_type & 0x7f) == XCB_MAPPING_NOTIFY;
        input_window_event(&input->window, x11, event);
        free(event);
        event = x11->poll_for_event(x11->connection);
    }
}

/* ---- Turns ------------------------------------------------------------------------------------ */

static struct turn ask(const struct layer_input *input, bool with_keys)
{
    const struct x11 *x11 = &input->x11;
    xcb_connection_t *connection = x11->connection;
    const unsigned pointer = x11->query_pointer(connection, input->window.id).sequence;
    const unsigned root = x11->query_pointer(connection, input->window.root).sequence;
    const unsigned keymap = with_keys ? x11->query_keymap(connection).sequence : 0;
    const unsigned focus = with_keys ? x11->get_input_focus(connection).sequence : 0;
    return (struct turn){
        .pointer = x11_reply(x11, pointer),
        .root = x11_reply(x11, root),
        .keymap = with_keys ? x11_reply(x11, keymap) : NULL,
        .focus = with_keys ? x11_reply(x11, focus) : NULL,
    };
}

static void free_turn(struct turn *turn)
{
    free(turn->pointer);
    free(turn->root);
    free(turn->keymap);
    free(turn->focus);
}

static void look(struct layer_input *input)
{
    const int64_t now_ns = fovea_time_ns();
    const bool with_keys = now_ns >= input->next_keys_ns - KEYS_EARLY_NS;
    if (with_keys) {
        map_keys(input);
        input->next_keys_ns = now_ns + KEYS_PERIOD_NS;
    }
    struct turn turn = ask(input, with_keys);
    take_events(input);
    if (!turn.pointer || !turn.root) {
        lose_window(input);
    } else {
        take_pointer(input, &turn);
        if (turn.keymap && turn.focus) {
            take_keys(input, &turn);
        }
    }
    free_turn(&turn);
}

static int64_t period_ns(struct layer_input *input)
{
    (void)pthread_mutex_lock(&input->lock);
    const bool fed = input->source != NULL;
    (void)pthread_mutex_unlock(&input->lock);
    return fed ? input->pointer_period_ns : KEYS_PERIOD_NS;
}

/* Until then_ns, or without an end where that is negative; until something changes in any case. The server
 * is listened to only where nothing is asked of it: it may tell more than anybody wants to know. */
static void wait_until(struct layer_input *input, int64_t then_ns)
{
    struct pollfd fds[] = {
        {.fd = input->stop, .events = POLLIN},
        {.fd = input->wake, .events = POLLIN},
        {.fd = input->x11.get_file_descriptor(input->x11.connection), .events = POLLIN}};
    struct timespec rest = {0};
    const int64_t rest_ns = then_ns - fovea_time_ns();
    if (rest_ns > 0) {
        rest.tv_sec = rest_ns / 1000000000;
        rest.tv_nsec = rest_ns % 1000000000;
    }
    (void)ppoll(fds, then_ns < 0 ? 3 : 2, then_ns < 0 ? NULL : &rest, NULL);
    if (fds[1].revents != 0) {
        eventfd_t ignored;
        (void)eventfd_read(input->wake, &ignored);
    }
}

static void poll_server(struct layer_input *input)
{
    int64_t next_ns = fovea_time_ns();
    while (!atomic_load(&input->stopping) && x11_is_alive(&input->x11)) {
        take_window(input);
        if (input->window.id == 0) {
            take_events(input);
            if (atomic_load(&input->watched) == input->taken && x11_is_alive(&input->x11)) {
                wait_until(input, -1);
            }
            continue;
        }
        look(input);
        const int64_t now_ns = fovea_time_ns();
        const int64_t wanted_ns = period_ns(input);
        next_ns += wanted_ns;
        /* Neither turns that were missed are made up for, nor are those that a wake-up has added. */
        next_ns = next_ns < now_ns ? now_ns : next_ns;
        next_ns = next_ns > now_ns + wanted_ns ? now_ns + wanted_ns : next_ns;
        wait_until(input, next_ns);
    }
}

static void say_what_it_is(struct layer_input *input)
{
    static const char name[] = "XWAYLAND";
    const struct x11 *x11 = &input->x11;
    xcb_query_extension_reply_t *reply =
        x11_reply(x11, x11->query_extension(x11->connection, sizeof name - 1, name).sequence);
    if (reply && reply->present) {
        log_info(input->log, "input: XWayland: the pointer is known while it is over an X window");
    }
    free(reply);
}

static bool connect_to_server(struct layer_input *input)
{
    const bool connected = x11_connect(&input->x11, input->display);
    if (!connected && !atomic_load(&input->stopping)) {
        log_warning(input->log, "input: no pointer and no keys: nobody answers at X display %s",
                    input->display);
    }
    atomic_store(&input->state, connected ? INPUT_RUNNING : INPUT_NO_SERVER);
    (void)sem_post(&input->connected);
    return connected;
}

void *input_thread_run(void *user)
{
    struct layer_input *input = user;
    if (connect_to_server(input)) {
        input->mapping_changed = true;
        say_what_it_is(input);
        poll_server(input);
        if (!atomic_load(&input->stopping)) {
            log_warning(input->log,
                        "input: the X server has gone; no pointer and no keys from now on");
        }
    }
    forget_pointer(input);
    (void)sem_post(&input->ended);
    if (atomic_fetch_add(&input->left, 1) == 1) {
        input_free(input);
    }
    return NULL;
}
