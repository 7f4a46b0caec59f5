/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_input.h"

#include "core/descriptor.h"
#include "core/log.h"
#include "core/thread.h"
#include "layer_input_cookie.h"
#include "layer_input_thread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_RATE_HZ 500.0
#define MAX_RATE_HZ 2000.0
#define LEAVE_WAIT_NS 300000000

static bool wait_for(sem_t *semaphore, int64_t ns)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    const int64_t end_ns = end.tv_nsec + ns;
    end.tv_sec += end_ns / 1000000000;
    end.tv_nsec = end_ns % 1000000000;
    int failed = 0;
    do {
        failed = sem_clockwait(semaphore, CLOCK_MONOTONIC, &end);
    } while (failed && errno == EINTR);
    return !failed;
}

/* ---- Making one ------------------------------------------------------------------------------ */

/* NULL: there is none, said. */
static const char *display_of(const struct layer_input_desc *desc)
{
    const char *display = desc->display ? desc->display : getenv("DISPLAY");
    if (display && display[0]) {
        return display;
    }
    const char *wayland = getenv("WAYLAND_DISPLAY");
    if (wayland && wayland[0]) {
        log_warning(desc->log, "input: no pointer and no keys: Wayland gives them to the focused "
                               "program alone and there is no XWayland (DISPLAY); take the gaze "
                               "from a tracker (gaze.source \"udp\")");
    } else {
        log_warning(desc->log, "input: no pointer and no keys: DISPLAY is not set");
    }
    return NULL;
}

static struct layer_input *allocate(const struct layer_input_desc *desc, const char *display)
{
    struct layer_input *input = calloc(1, sizeof *input);
    if (!input) {
        return NULL;
    }
    const double rate_hz = desc->rate_hz > 0 ? fmin(desc->rate_hz, MAX_RATE_HZ) : DEFAULT_RATE_HZ;
    input->log = desc->log;
    input->pointer_period_ns = (int64_t)(1e9 / rate_hz);
    input->wants_frame = desc->wants_frame;
    input->keys = desc->keys ? *desc->keys : config_settings_standard()->layer.keys;
    input->stop = descriptor_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    input->wake = descriptor_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    input->x11.stop = input->stop;
    (void)sem_init(&input->connected, 0, 0);
    (void)sem_init(&input->ended, 0, 0);
    (void)pthread_mutex_init(&input->lock, NULL);
    input->display = strdup(display);
    input->cookie_file = cookie_file(); /* here: the environment is the program's threads' own */
    if (input->stop < 0 || input->wake < 0 || !input->display) {
        input_free(input);
        return NULL;
    }
    return input;
}

void input_free(struct layer_input *input)
{
    x11_finish(&input->x11);
    if (input->stop >= 0) {
        close(input->stop);
    }
    if (input->wake >= 0) {
        close(input->wake);
    }
    (void)pthread_mutex_destroy(&input->lock);
    (void)sem_destroy(&input->connected);
    (void)sem_destroy(&input->ended);
    free(input->display);
    free(input->cookie_file);
    free(input);
}

/* The connection is the thread's: a server that somebody has grabbed must not stop the program
 * here. */
static void wait_for_connection(struct layer_input *input, int64_t ns)
{
    if (ns > 0 && !wait_for(&input->connected, ns)) {
        log_warning(input->log, "input: the X server does not answer yet");
    }
}

enum fovea_result layer_input_create(const struct layer_input_desc *desc,
                                     struct layer_input **out_input)
{
    *out_input = NULL;
    const char *display = display_of(desc);
    if (!display) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct layer_input *input = allocate(desc, display);
    if (!input) {
        log_error(desc->log, "input: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result loaded = x11_load(&input->x11, desc->log);
    if (loaded < 0) {
        input_free(input);
        return loaded;
    }
    const int error = thread_start(&input->thread, input_thread_run, input);
    if (error != 0) {
        log_error(desc->log, "input: the thread cannot start: %s", strerrordesc_np(error));
        input_free(input);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (void)pthread_setname_np(input->thread, "fovea-input");
    wait_for_connection(input, desc->wait_ns);
    if (atomic_load(&input->state) == INPUT_NO_SERVER) {
        layer_input_destroy(&input);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    *out_input = input;
    return FOVEA_OK;
}

static void forget_sources(struct layer_input *input)
{
    (void)pthread_mutex_lock(&input->lock);
    memset(input->sources, 0, sizeof input->sources);
    (void)pthread_mutex_unlock(&input->lock);
}

void layer_input_destroy(struct layer_input **input_pointer)
{
    if (!input_pointer || !*input_pointer) {
        return;
    }
    struct layer_input *input = *input_pointer;
    *input_pointer = NULL;
    atomic_store(&input->stopping, true);
    (void)eventfd_write(input->stop, 1);
    if (wait_for(&input->ended, LEAVE_WAIT_NS)) {
        (void)pthread_join(input->thread, NULL);
        input_free(input);
        return;
    }
    forget_sources(input);
    (void)pthread_detach(input->thread);
    if (atomic_fetch_add(&input->left, 1) == 1) {
        input_free(input);
    }
}

/* ---- What the program's threads say and ask -------------------------------------------------- */

static void wake(struct layer_input *input)
{
    (void)eventfd_write(input->wake, 1);
}

static bool is_lost(const struct layer_input *input, uint32_t slot)
{
    const uint64_t watched = atomic_load(&input->watched[slot]);
    return (uint32_t)watched != 0 && atomic_load(&input->lost[slot]) == watched;
}

void layer_input_watch(struct layer_input *input, uint32_t slot, uint32_t window,
                       struct fovea_gaze_source *source)
{
    (void)pthread_mutex_lock(&input->lock);
    const uint64_t before = atomic_load(&input->watched[slot]);
    const bool same = (uint32_t)before == window && !is_lost(input, slot);
    const bool changed = !same || input->sources[slot] != source;
    if (!same) {
        atomic_store(&input->watched[slot], ((before >> 32) + 1) << 32 | window);
    }
    input->sources[slot] = source;
    (void)pthread_mutex_unlock(&input->lock);
    if (changed) {
        wake(input);
    }
}

void layer_input_set_keys(struct layer_input *input, const struct fovea_layer_keys *keys)
{
    (void)pthread_mutex_lock(&input->lock);
    input->keys = *keys;
    input->keys_changed = true;
    (void)pthread_mutex_unlock(&input->lock);
    wake(input);
}

void layer_input_read(const struct layer_input *input, struct layer_input_state *out_state)
{
    float uv[2];
    const uint64_t pointer = atomic_load(&input->pointer);
    memcpy(uv, &pointer, sizeof uv);
    *out_state = (struct layer_input_state){
        .compare_held = atomic_load(&input->compare_held),
        .pointer_known = atomic_load(&input->pointer_known),
        .pointer_over = atomic_load(&input->pointer_over),
        .pointer_slot = atomic_load(&input->pointer_slot),
        .pointer_x_uv = (double)uv[0],
        .pointer_y_uv = (double)uv[1],
    };
    for (size_t i = 0; i < LAYER_ACTION_COUNT; i++) {
        out_state->presses[i] = atomic_load(&input->presses[i]);
    }
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        out_state->lost |= (uint32_t)is_lost(input, i) << i;
    }
}
