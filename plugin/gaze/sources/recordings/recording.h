/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Recordings of gaze in the formats of trackers and laboratories. Each reader is a file here and a
 * line of the table in recording.c; docs/gaze.md lists them. Positions whose place on the screen a
 * file tells become uv; others stay as the file has them, in gaze.space and gaze.origin. */
#pragma once

#include "plugin/gaze/sources/gaze_scanpath_file.h"
#include "recording_text.h"

#define RECORDING_NS_PER_S 1e9
#define RECORDING_NS_PER_MS 1e6
#define RECORDING_NS_PER_US 1e3
#define RECORDING_NS_PER_NS 1.0

/* A reader knows this much of its file's positions. */
enum recording_space {
    RECORDING_AS_SET, /* nothing: gaze.space and gaze.origin tell */
    RECORDING_SET_PIXELS, /* pixels; gaze.space, gaze.origin and gaze.screen_px must say so */
    RECORDING_SET_DEGREES, /* degrees; gaze.space, gaze.origin and gaze.screen_deg must say so */
    RECORDING_UV_DOWN, /* 0..1, origin top left, y down */
    RECORDING_UV_UP, /* 0..1, origin bottom left, y up */
    RECORDING_PIXELS_DOWN, /* origin top left, y down; of the file's screen, or gaze.screen_px */
};

/* This is what one eye did. */
struct recording_eye {
    bool seen;
    double x;
    double y;
    bool closed; /* and therefore not seen */
    bool is_pair; /* of both eyes, wherever it is: */
    double apart; /* the right one's x less the left one's */
};

struct recording {
    const struct gaze_recording *in;
    const struct fovea_gaze_settings *settings;
    struct recording_text text;
    enum recording_space space;
    double corner_px[2]; /* of the screen, left and top */
    double screen_px[2]; /* 0: not known */
    double ns_per_unit; /* of time */
    double first_t;
    size_t lost_count;
    size_t far_line; /* where a place is that cannot be uv; 0: none */
    size_t capacity;
    struct gaze_scanpath_rows *rows;
};

struct recording_reader {
    const char *name;
    bool (*knows)(const struct recording *recording);
    enum fovea_result (*read)(struct recording *recording);
};

extern const struct recording_reader recording_eyelink;
extern const struct recording_reader recording_bids;
extern const struct recording_reader recording_named; /* gaze.scanpath.columns */
extern const struct recording_reader recording_neon;
extern const struct recording_reader recording_pupil;
extern const struct recording_reader recording_pupil_surface;
extern const struct recording_reader recording_tobii;
extern const struct recording_reader recording_gazebase;
extern const struct recording_reader recording_plain;

/* The unit of gaze.scanpath.time_unit, or where that is auto the file's; 0: neither says one. */
double recording_ns_per_unit(const struct recording *recording, double of_file);
/* Whether settings and file say where on a screen a position is. where: in the line being read. */
enum fovea_result recording_check_space(struct recording *recording, const char *where);
/* Adds a row; a confidence of 0 is a sample without a place. field: that of the time, for messages.
 */
enum fovea_result recording_add(struct recording *recording, struct span field, double t,
                                struct recording_eye gaze, double confidence);
/* The eyes that gaze.scanpath.eye wants: their middle where both are seen. */
struct recording_eye recording_both(const struct recording *recording, struct recording_eye left,
                                    struct recording_eye right);
