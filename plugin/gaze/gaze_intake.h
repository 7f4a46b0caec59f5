/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Takes in samples that arrive while others read: for the mouse, and for sources that trackers
 * feed. Any number of threads may add; they wait for each other, asleep, for less than a
 * microsecond of work. Readers wait for nobody. */
#pragma once

#include "gaze_filter.h"
#include "gaze_rate.h"
#include "gaze_slot.h"
#include "gaze_source.h"
#include "gaze_vergence.h"

#include <pthread.h>

/* The state of the samples so far; it travels through the slot word by word. */
struct gaze_track {
    double x; /* of the last valid sample, filtered */
    double y;
    int64_t valid_t_ns;
    int64_t newest_t_ns;
    int64_t missing_since_ns; /* the first sample after the valid one, when that is invalid */
    uint64_t count;
    double vergence_diopters; /* struct gaze_vergence */
    int64_t vergence_t_ns;
    uint8_t any_valid;
    uint8_t missing; /* the newest sample is invalid */
    uint8_t closed; /* and the eye is closed */
    uint8_t movement; /* of the last valid sample: enum gaze_movement */
    uint8_t any_vergence;
    uint8_t unused[3]; /* 0 */
};

/* Zeroed: empty, but for gaze_intake_init. */
struct gaze_intake {
    pthread_mutex_t adding; /* among those who add; also guards what follows, to listeners */
    struct gaze_track track;
    struct gaze_filter filter;
    struct gaze_vergence vergence;
    struct gaze_listener *listeners; /* each its owner's */
    struct gaze_slot slot;
    struct gaze_rate rate;
    _Atomic uint64_t rejected;
};

void gaze_intake_init(struct gaze_intake *intake);
void gaze_intake_finish(struct gaze_intake *intake);

/* Returns whether a sample's numbers can be used at all: finite unless the eye is closed,
 * confidence 0..1. */
bool gaze_intake_understands(const struct fovea_gaze_sample *sample);

/* Clocks of trackers may run ahead of ours by this much. A sample from farther ahead is refused: it
 * would keep out all that come until then. */
#define GAZE_AHEAD_NS (20 * GAZE_NS_PER_MS)

/* False, and counted as rejected: not understood, older than the newest, or of the future. Of the
 * settings the filter counts, and what makes a sample valid; they stay the same. */
bool gaze_intake_add(struct gaze_intake *intake, const struct fovea_gaze_settings *settings,
                     const struct fovea_gaze_sample *sample);
/* Takes what a sample says of both eyes' lines of sight, beside gaze_intake_add: it is smoothed by
 * itself, and no sample of the gaze. Nothing happens where it says nothing, is less sure than
 * gaze.validity.min_confidence, older than the one before, or of the future. */
void gaze_intake_add_eyes(struct gaze_intake *intake, const struct fovea_gaze_settings *settings,
                          const struct gaze_sight eyes[2], double confidence, int64_t t_ns);
void gaze_intake_count_rejected(struct gaze_intake *intake);

/* A listener that does not listen yet; one that does. Both wait like those who add, so that after
 * gaze_intake_unlisten returns the listener is not being called and never will be again. Neither
 * may be called by a listener. */
void gaze_intake_listen(struct gaze_intake *intake, struct gaze_listener *listener);
void gaze_intake_unlisten(struct gaze_intake *intake, struct gaze_listener *listener);

/* Nobody listens any more, and those who did are told (gone). Waits as gaze_intake_unlisten
 * does. */
void gaze_intake_let_go(struct gaze_intake *intake);

void gaze_intake_observe(struct gaze_intake *intake, int64_t t_ns, struct gaze_observation *out);
/* gaze_vergence_m of what was added. */
double gaze_intake_vergence_m(struct gaze_intake *intake,
                              const struct fovea_gaze_settings *settings, int64_t t_ns);
