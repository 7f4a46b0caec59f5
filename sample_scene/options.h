/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The command line. */
#pragma once

#include "fovea.h"
#include "pixels.h"

#define OPTIONS_MAX_SETS 32
#define OPTIONS_SET_BYTES 512
#define OPTIONS_DRAWN "drawn" /* a light field without a file */

struct options {
    bool window;
    bool fullscreen; /* a window that fills the screen */
    bool hmd; /* two eyes side by side */
    bool list_devices;
    bool quiet;
    bool no_video;
    bool copy; /* the engine makes its images itself */
    bool validate;
    bool frozen; /* nothing changes while it runs */
    bool replay; /* the gaze is a record's */
    const char *config; /* NULL: not given */
    const char *output;
    const char *export_settings; /* NULL: not given */
    const char *lightfield; /* OPTIONS_DRAWN, or a raw picture; NULL: the village */
    const char *geometry; /* of the raw picture's array */
    struct options_focus {
        double value; /* 0: not given */
        char unit; /* 'p': patch size in px; 'D': dioptres; 'm': metres */
    } far, near; /* that are looked for under the gaze */
    int device; /* -1: not given */
    uint32_t frames; /* 0: not given */
    uint32_t width_px; /* of both eyes together */
    uint32_t height_px;
    uint64_t seed;
    const struct pixels_format *format; /* NULL: not given */
    bool gaze_given;
    /* --backend, --gaze and --set, in the order in which they stand, as fovea_config_desc wants
     * them. */
    const char *sets[OPTIONS_MAX_SETS];
    char set_texts[OPTIONS_MAX_SETS][OPTIONS_SET_BYTES]; /* of --backend and --gaze */
    size_t set_count;
};

enum options_outcome {
    OPTIONS_GO = 0,
    OPTIONS_DONE = 1, /* help was printed */
    OPTIONS_WRONG = 2, /* a message was printed */
};

enum options_outcome options_read(int argc, char **argv, struct options *out_options);

/* help.c */
void options_help(void);
