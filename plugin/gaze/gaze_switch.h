/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze source of a session, which changes for another while frames go on: the former one stays
 * until the new one is open, and where that cannot be had. What is slow to open is opened on a
 * thread of its own (gaze_opener.h). One thread at a time calls these functions. */
#pragma once

#include "plugin/gaze/gaze_opener.h"

#define GAZE_SWITCH_FIRST_MS 100.0 /* the first frame has its gaze, unless the source is slower */

struct gaze_switch_desc {
    struct fovea_log (*log)(void); /* asked for one whenever something is said, on any thread */
    void (*on_open)(void *user, const struct fovea_gaze_settings *settings);
    void (*on_close)(void *user); /* before the source goes, if there is one; may be NULL */
    void *user;
};

struct gaze_switch {
    struct fovea_gaze_source *source; /* NULL: there is none */
    struct fovea_gaze_settings used; /* that it was opened with */
    bool opening; /* a source has been asked for */

    /* These are its own: */
    struct gaze_switch_desc desc;
    struct gaze_opener *opener; /* NULL: there is no memory; sources are opened by the caller */
    struct fovea_gaze_settings wanted; /* what was asked for last */
    bool wants_none;
    bool has_former; /* there is one to come back to */
    struct fovea_gaze_settings former; /* of one that had to go first */
};

void gaze_switch_begin(struct gaze_switch *own, const struct gaze_switch_desc *desc);
/* Closes what there is, without a word to on_close; as long as gaze_opener_leave. */
void gaze_switch_end(struct gaze_switch *own);

/* True: these settings were taken last, and what they ask for is there or is being opened. */
FOVEA_MUST_CHECK bool gaze_switch_has(const struct gaze_switch *own,
                                      const struct fovea_gaze_settings *settings);
/* Opens a source. The next time that the files are read one that cannot be opened is tried again:
 * gaze_switch_has is false. */
void gaze_switch_open(struct gaze_switch *own, const struct fovea_gaze_settings *settings);
/* Closes the source: these settings ask for none. */
void gaze_switch_close(struct gaze_switch *own, const struct fovea_gaze_settings *settings);

/* Takes what has been opened since; waits for nothing. */
void gaze_switch_poll(struct gaze_switch *own);
/* Does so after a wait for GAZE_SWITCH_FIRST_MS at most. */
void gaze_switch_wait(struct gaze_switch *own);
