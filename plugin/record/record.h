/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A record of frames: a line each, in the files of BIDS (docs/experiments.md).
 *
 * The thread that makes frames puts rows into a ring and does nothing else: no lock, no file, no
 * memory. A thread of the record's takes them out ten times a second and writes them. Where it is
 * late and the ring is full, a row is lost, and counted.
 *
 * When a frame was on the screen is known some frames after its row was pushed, on whatever thread
 * asks the driver: the row waits in the ring for that. */
#pragma once

#include "config/settings.h"

#define RECORD_VIEWS 2 /* of a frame; further ones are not in the record */

struct record_gaze {
    double x_uv;
    double y_uv;
};

/* When a frame was on the screen. */
struct record_shown {
    int64_t t_ns; /* fovea_time_ns; 0: nobody knows */
    int64_t refresh_ns; /* what the display takes for a picture; 0: nobody knows */
    bool dropped; /* it never was; t_ns is 0 */
    bool after_others; /* since the frame before, pictures may have been shown that are no frames */
};

/* Who says so. */
enum record_shown_by {
    RECORD_SHOWN_UNASKED, /* nobody has been asked to */
    RECORD_SHOWN_BY_PROGRAM,
    RECORD_SHOWN_BY_DISPLAY_TIMING,
    RECORD_SHOWN_BY_PRESENT_WAIT,
    RECORD_SHOWN_CANNOT, /* the driver cannot say it */
};

struct record_row {
    uint64_t frame; /* from 1 on */
    int64_t t_ns; /* when it was handed over, fovea_time_ns */
    uint32_t width_px; /* of a view */
    uint32_t height_px;
    uint32_t view_count;
    struct record_gaze gaze[RECORD_VIEWS]; /* that it was handed over with */
    enum fovea_gaze_state state; /* of the first */
    bool usable;
    bool foveated; /* else it passed through */
    int64_t age_ns; /* of the first gaze's sample when that was read */
    double rate_hz;
    bool late; /* the gaze below was taken when the frame began */
    bool late_age_known;
    struct record_gaze late_gaze;
    int64_t late_age_ns;
    double gpu_us; /* negative: not known */
    uint64_t refused; /* frames that were not taken since the one before */
    uint32_t settings; /* the number of those in force; the first are 1 */
    struct record_shown shown; /* or what record_shown says later */
    double vergence_m; /* where both lines of sight cross, perhaps infinity; 0: not known */
};

struct record;

/* The record says this of its settings. */
struct record_settings {
    uint32_t number;
    uint64_t hash;
    struct fovea_geometry geometry;
    const char *eye; /* whose gaze it is, in the words of BIDS */
};

/* Makes the files that the name stands for; those of an earlier run stay as they are, and these get
 * the next number. Starts a thread. FOVEA_ERROR_IO: they cannot be made, the log says why. */
FOVEA_MUST_CHECK enum fovea_result record_open(const char *name, struct fovea_log log,
                                               struct record **out_record);
/* Waits until all rows are written. Accepts NULL twice over. */
void record_close(struct record **record);

/* The settings of the rows to come. Not in a frame: it may wait for the writer. */
void record_set(struct record *record, uint64_t hash, const struct fovea_settings *settings);
uint32_t record_settings_number(const struct record *record);

/* Call it on one thread at a time. */
void record_push(struct record *record, const struct record_row *row);

/* Rows from here on wait for record_shown, each half a second at most. RECORD_SHOWN_CANNOT and
 * _UNASKED: they do not. Any thread. */
void record_expect(struct record *record, enum record_shown_by by);
/* When the frame of that number was on the screen, before its row is pushed or after that; of one
 * of which nobody will know t_ns is 0. Takes no lock. Any thread, for a frame one at a time. */
void record_shown(struct record *record, uint64_t frame, const struct record_shown *shown);
