/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thread: it asks the server where the pointer is and which keys are down, and waits in
 * between. Requests of a turn go out together, so that a turn is one way there and back. While one
 * of the windows has the focus keys come as events, too; what they press is counted in the next
 * turn of the keys, which knows the focus. */
#include "layer_input_thread.h"

#include "core/log.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#define KEYS_PERIOD_NS INT64_C(16666667)
#define KEYS_EARLY_NS INT64_C(3000000) /* a turn that comes a little early is still theirs */

/* NULL: the window is gone, or there is none. */
struct sight {
    xcb_query_pointer_reply_t *pointer; /* as the window has it */
    xcb_query_pointer_reply_t *root;
};

static bool is_seen(const struct sight *sight)
{
    return sight->pointer && sight->root;
}

struct turn {
    struct sight sights[LAYER_INPUT_WINDOWS];
    xcb_query_keymap_reply_t *keymap; /* NULL: it is not the keys' turn */
    xcb_get_input_focus_reply_t *focus;
};

static void forget_pointer(struct layer_input *input)
{
    atomic_store(&input->pointer_over, false);
    atomic_store(&input->compare_held, false);
}

/* ---- Keyboard -------------------------------------------------------------------------------- */

static void map_keys(struct layer_input *input)
{
    const struct x11 *x11 = &input->x11;
    (void)pthread_mutex_lock(&input->lock);
    const bool other_keys = input->keys_changed;
    input->mapped_keys = input->keys;
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
    input_actions_map(&input->actions, &input->mapped_keys, &mapping);
    free(reply);
}

/* Any window's will do: raw events are the same on all screens. */
static xcb_window_t root_of(const struct layer_input *input)
{
    xcb_window_t root = 0;
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS && root == 0; i++) {
        root = input->windows[i].root;
    }
    return root;
}

static bool is_any_in_focus(struct layer_input *input, const struct turn *turn)
{
    bool any = false;
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS && !any; i++) {
        any = is_seen(&turn->sights[i]) &&
              input_window_has_focus(&input->windows[i], &input->x11, turn->focus->focus,
                                     turn->sights[i].root->child);
    }
    return any;
}

static void count_presses(struct layer_input *input, uint32_t pressed)
{
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        input->pressed[i] += pressed >> i & 1;
    }
}

static void take_pending(struct layer_input *input)
{
    for (uint32_t i = 0; i < input->pending_count; i++) {
        const struct raw_key *key = &input->pending[i];
        count_presses(input,
                      input_actions_event(&input->actions, key->keycode, key->down, key->time_ms));
    }
    input->pending_count = 0;
}

static void say_missed(struct layer_input *input, bool ours)
{
    char text[INPUT_MISSED_BYTES];
    if (input_actions_missed(&input->actions, &input->mapped_keys, text) && ours) {
        log_once(&input->missed_said, 0, FOVEA_LOG_INFO, input->log, "input: %s", text);
    }
}

/* Takes the keys of the server's reply only if no events came with it, because events may be
 * newer. */
static void take_keys(struct layer_input *input, const struct turn *turn)
{
    struct keymap down;
    memcpy(&down, turn->keymap->keys, sizeof down);
    const bool ours = is_any_in_focus(input, turn);
    map_keys(input);
    if (input->pending_count > 0) {
        take_pending(input);
    } else {
        count_presses(input, input_actions_poll(&input->actions, &down));
    }
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        if (ours && input->pressed[i] > 0) {
            atomic_fetch_add(&input->presses[i], input->pressed[i]);
        }
        input->pressed[i] = 0;
    }
    atomic_store(&input->compare_held, ours && input->actions.actions[LAYER_ACTION_COMPARE].down);
    say_missed(input, ours);
    raw_keys_hear(&input->raw, &input->x11, ours ? root_of(input) : 0);
}

/* ---- Pointer --------------------------------------------------------------------------------- */

/* Not where the slot is another window's by now. */
static void push(struct layer_input *input, uint32_t slot, double x_uv, double y_uv)
{
    const struct fovea_gaze_sample sample = {
        .x = x_uv, .y = y_uv, .t_ns = fovea_time_ns(), .confidence = 1.0};
    (void)pthread_mutex_lock(&input->lock);
    if (input->sources[slot] && atomic_load(&input->watched[slot]) == input->taken[slot]) {
        /* It counts what it refuses itself. */
        (void)(fovea_gaze_source_push(input->sources[slot], &sample) == FOVEA_OK);
    }
    (void)pthread_mutex_unlock(&input->lock);
}

/* The pointer is over no X window if the root has no child under it: XWayland's answer is old
 * then. */
static bool is_over(const struct input_window *window, const struct sight *sight)
{
    const int32_t x_px = sight->pointer->win_x;
    const int32_t y_px = sight->pointer->win_y;
    return sight->pointer->same_screen && sight->root->child != 0 && x_px >= 0 && y_px >= 0 &&
           (uint32_t)x_px < window->width_px && (uint32_t)y_px < window->height_px;
}

/* The window that the pointer is over; LAYER_INPUT_WINDOWS: none. Of several the one that is on
 * top, and where that cannot be told the one that it was over before. */
static uint32_t pointed_slot(const struct layer_input *input, const struct turn *turn)
{
    const uint32_t before = atomic_load(&input->pointer_slot);
    uint32_t found = LAYER_INPUT_WINDOWS;
    uint32_t found_depth = 0;
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        const struct input_window *window = &input->windows[i];
        if (is_seen(&turn->sights[i]) && is_over(window, &turn->sights[i])) {
            const uint32_t depth = input_window_depth(window, turn->sights[i].root->child);
            const bool nearer = depth > found_depth || (depth == found_depth && i == before);
            if (found == LAYER_INPUT_WINDOWS || nearer) {
                found = i;
                found_depth = depth;
            }
        }
    }
    return found;
}

static void take_pointer(struct layer_input *input, const struct turn *turn)
{
    const uint32_t slot = pointed_slot(input, turn);
    const bool over = slot < LAYER_INPUT_WINDOWS;
    if (over) {
        const struct input_window *window = &input->windows[slot];
        const double x_uv = (turn->sights[slot].pointer->win_x + 0.5) / window->width_px;
        const double y_uv = (turn->sights[slot].pointer->win_y + 0.5) / window->height_px;
        const float uv[2] = {(float)x_uv, (float)y_uv};
        uint64_t both = 0;
        memcpy(&both, uv, sizeof both);
        atomic_store(&input->pointer, both);
        atomic_store(&input->pointer_slot, slot);
        atomic_store(&input->pointer_known, true);
        push(input, slot, x_uv, y_uv);
    }
    atomic_store(&input->pointer_over, over);
}

/* ---- Windows --------------------------------------------------------------------------------- */

static void lose_window(struct layer_input *input, uint32_t slot)
{
    const bool known = atomic_load(&input->lost[slot]) == input->taken[slot];
    if (known || !x11_is_alive(&input->x11) || atomic_load(&input->stopping)) {
        return;
    }
    input->windows[slot] = (struct input_window){0};
    atomic_store(&input->lost[slot], input->taken[slot]);
    log_debug(input->log, "input: window 0x%x is gone", (unsigned)(uint32_t)input->taken[slot]);
}

static void take_window(struct layer_input *input, uint32_t slot)
{
    const uint64_t watched = atomic_load(&input->watched[slot]);
    if (watched == input->taken[slot]) {
        return;
    }
    input->taken[slot] = watched;
    if (atomic_load(&input->pointer_slot) == slot) {
        atomic_store(&input->pointer_known, false);
    }
    if ((uint32_t)watched == 0) {
        input_window_leave(&input->windows[slot], &input->x11);
        (void)input->x11.flush(input->x11.connection);
    } else if (!input_window_take(&input->windows[slot], &input->x11, (uint32_t)watched)) {
        lose_window(input, slot);
    }
}

/* False: there is none to be looked at. First all that changed are left, since one connection has
 * one mask for a window, and a window may have changed its slot. */
static bool take_windows(struct layer_input *input)
{
    bool any = false;
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        if (atomic_load(&input->watched[i]) != input->taken[i]) {
            input_window_leave(&input->windows[i], &input->x11);
        }
    }
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        take_window(input, i);
        any |= input->windows[i].id != 0;
    }
    return any;
}

static bool are_windows_taken(const struct layer_input *input)
{
    bool all = true;
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        all &= atomic_load(&input->watched[i]) == input->taken[i];
    }
    return all;
}

static void take_key_event(struct layer_input *input, const xcb_generic_event_t *event)
{
    struct raw_key key;
    if (raw_keys_event(&input->raw, event, &key)) {
        if (input->pending_count == INPUT_PENDING_MAX) {
            take_pending(input);
        }
        input->pending[input->pending_count++] = key;
    }
}

static void take_events(struct layer_input *input)
{
    const struct x11 *x11 = &input->x11;
    xcb_generic_event_t *event = x11->poll_for_event(x11->connection);
    while (event) {
        input->mapping_changed |= (event->response_type & 0x7f) == XCB_MAPPING_NOTIFY;
        take_key_event(input, event);
        for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
            input_window_event(&input->windows[i], x11, event);
        }
        free(event);
        event = x11->poll_for_event(x11->connection);
    }
}

/* ---- Turns ----------------------------------------------------------------------------------- */

static struct turn ask(const struct layer_input *input, bool with_keys)
{
    const struct x11 *x11 = &input->x11;
    xcb_connection_t *connection = x11->connection;
    unsigned pointers[LAYER_INPUT_WINDOWS] = {0};
    unsigned roots[LAYER_INPUT_WINDOWS] = {0};
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        if (input->windows[i].id != 0) {
            pointers[i] = x11->query_pointer(connection, input->windows[i].id).sequence;
            roots[i] = x11->query_pointer(connection, input->windows[i].root).sequence;
        }
    }
    const unsigned keymap = with_keys ? x11->query_keymap(connection).sequence : 0;
    const unsigned focus = with_keys ? x11->get_input_focus(connection).sequence : 0;
    struct turn turn = {0};
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        if (input->windows[i].id != 0) {
            turn.sights[i].pointer = x11_reply(x11, pointers[i]);
            turn.sights[i].root = x11_reply(x11, roots[i]);
        }
    }
    turn.keymap = with_keys ? x11_reply(x11, keymap) : NULL;
    turn.focus = with_keys ? x11_reply(x11, focus) : NULL;
    return turn;
}

static void free_turn(struct turn *turn)
{
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        free(turn->sights[i].pointer);
        free(turn->sights[i].root);
    }
    free(turn->keymap);
    free(turn->focus);
}

/* Those that nothing could be heard of. */
static void lose_windows(struct layer_input *input, const struct turn *turn)
{
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        if (input->windows[i].id != 0 && !is_seen(&turn->sights[i])) {
            lose_window(input, i);
        }
    }
}

/* Asks windows for a frame. The state already has the keys that were just counted. */
static void ask_for_frames(struct layer_input *input)
{
    struct layer_input_state now;
    bool any = false;
    layer_input_read(input, &now);
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        const struct input_window *window = &input->windows[i];
        if (window->id != 0 && !window->hidden && !atomic_load(&input->stopping) &&
            input->wants_frame(i, &now)) {
            input_window_expose(window, &input->x11);
            any = true;
        }
    }
    if (any) {
        (void)input->x11.flush(input->x11.connection);
    }
}

static void look(struct layer_input *input)
{
    const int64_t now_ns = fovea_time_ns();
    const bool with_keys = now_ns >= input->next_keys_ns - KEYS_EARLY_NS;
    if (with_keys) {
        input->next_keys_ns = now_ns + KEYS_PERIOD_NS;
    }
    struct turn turn = ask(input, with_keys);
    take_events(input);
    lose_windows(input, &turn);
    take_pointer(input, &turn);
    if (turn.keymap && turn.focus) {
        take_keys(input, &turn);
    }
    free_turn(&turn);
    if (with_keys && input->wants_frame) {
        ask_for_frames(input);
    }
}

static int64_t period_ns(struct layer_input *input)
{
    bool fed = false;
    (void)pthread_mutex_lock(&input->lock);
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        fed |= input->sources[i] != NULL;
    }
    (void)pthread_mutex_unlock(&input->lock);
    return fed ? input->pointer_period_ns : KEYS_PERIOD_NS;
}

/* Until then_ns, or without an end where that is negative; until something changes in any case. The
 * server is listened to only where nothing is asked of it: it may tell more than anybody wants to
 * know. */
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
        if (!take_windows(input)) {
            forget_pointer(input);
            take_events(input);
            raw_keys_hear(&input->raw, &input->x11, 0);
            input->pending_count = 0;
            if (are_windows_taken(input) && x11_is_alive(&input->x11)) {
                wait_until(input, -1);
            }
            continue;
        }
        look(input);
        const int64_t now_ns = fovea_time_ns();
        const int64_t wanted_ns = period_ns(input);
        next_ns += wanted_ns;
        /* Neither turns that were missed are made up for, nor are those that a wake-up has
         * added. */
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

static void find_raw_keys(struct layer_input *input)
{
    raw_keys_open(&input->raw, &input->x11);
    if (input->raw.opcode == 0 && x11_is_alive(&input->x11) && !atomic_load(&input->stopping)) {
        log_info(input->log, "input: the X server has no XInput 2.1: keys are polled, and one that "
                             "is up again within 17 ms is lost");
    }
}

static bool connect_to_server(struct layer_input *input)
{
    const bool connected = x11_connect(&input->x11, input->display, input->cookie_file);
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
        find_raw_keys(input);
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
