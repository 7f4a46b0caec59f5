/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* State that the thread of layer_input.c and the program's threads share, and the thread's own. */
#pragma once

#include "core/said.h"
#include "layer_input.h"
#include "layer_input_keys.h"
#include "layer_input_raw.h"
#include "layer_input_window.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum input_state {
    INPUT_CONNECTING = 0,
    INPUT_RUNNING,
    INPUT_NO_SERVER,
};

/* More than anybody presses in a turn; those beyond are taken at once. */
#define INPUT_PENDING_MAX 64

struct layer_input {
    struct fovea_log log;
    char *display;
    char *cookie_file; /* NULL: there is none */
    int64_t pointer_period_ns;
    bool (*wants_frame)(uint32_t slot, const struct layer_input_state *now); /* NULL: never */

    pthread_t thread;
    int stop; /* an eventfd, readable when the thread shall end */
    int wake; /* an eventfd, readable when something has changed */
    sem_t connected; /* posted when state has left INPUT_CONNECTING */
    sem_t ended; /* posted when the thread has nothing more to do */
    atomic_int state;
    atomic_bool stopping;
    /* of thread and owner: the second one frees, where the owner could not wait */
    atomic_int left;

    /* Written by the program's threads, under the lock. */
    pthread_mutex_t lock; /* held for a push and a copy */
    atomic_uint_least64_t watched[LAYER_INPUT_WINDOWS]; /* the window, and above it a number that
                                                           tells two calls apart */
    struct fovea_gaze_source *sources[LAYER_INPUT_WINDOWS];
    struct fovea_layer_keys keys;
    bool keys_changed;

    /* Written by the thread. */
    atomic_uint_least64_t lost[LAYER_INPUT_WINDOWS]; /* of watched: that window is gone */
    atomic_uint presses[LAYER_ACTION_COUNT];
    atomic_bool compare_held;
    atomic_bool pointer_known;
    atomic_bool pointer_over;
    atomic_uint pointer_slot;
    atomic_uint_least64_t pointer; /* two floats: both are of the same instant */

    /* The thread's own. */
    struct x11 x11;
    struct input_window windows[LAYER_INPUT_WINDOWS];
    uint64_t taken[LAYER_INPUT_WINDOWS]; /* of watched */
    struct raw_keys raw;
    struct raw_key pending[INPUT_PENDING_MAX]; /* events that no turn of the keys has taken yet */
    uint32_t pending_count;
    uint32_t pressed[LAYER_ACTION_COUNT]; /* since the last turn of the keys */
    struct input_actions actions;
    struct fovea_layer_keys mapped_keys; /* that actions are of */
    struct said missed_said;
    bool mapping_changed;
    int64_t next_keys_ns;
};

void *input_thread_run(void *user);

/* Closes and frees everything. */
void input_free(struct layer_input *input);
