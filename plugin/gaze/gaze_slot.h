/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The newest state of a source that is fed from another thread, without locks.
 *
 * One writer at a time, any number of readers. A reader never waits: a writer that stops half way
 * leaves the copy before it readable, and a reader only starts again when writers have gone once
 * around all copies while it was reading one. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GAZE_SLOT_COPIES 8
#define GAZE_SLOT_WORDS 9 /* the words of struct gaze_track */

struct gaze_slot_copy {
    _Atomic uint64_t generation; /* 0 while it is written */
    _Atomic uint64_t words[GAZE_SLOT_WORDS];
};

/* Zeroed: nothing published yet. */
struct gaze_slot {
    _Atomic uint64_t newest; /* generation of the last complete copy; 0: none */
    struct gaze_slot_copy copies[GAZE_SLOT_COPIES];
};

void gaze_slot_publish(struct gaze_slot *slot, const uint64_t words[GAZE_SLOT_WORDS]);
/* False when nothing was published yet. */
bool gaze_slot_read(struct gaze_slot *slot, uint64_t out_words[GAZE_SLOT_WORDS]);
