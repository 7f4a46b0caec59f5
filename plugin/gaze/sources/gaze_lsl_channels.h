/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze is in those channels of an LSL stream that gaze.lsl.channels names, else in those whose
 * labels or types are known (docs/gaze.md). */
#pragma once

#include "config/settings.h"
#include "fovea.h"

#define LSL_CHANNELS_MAX 1024
#define LSL_LABEL_BYTES 64

struct lsl_label {
    char label[LSL_LABEL_BYTES]; /* "": it has none */
    char type[LSL_LABEL_BYTES];
};

/* Numbers from 0. Of two eyes the middle counts, or the one that is seen. */
struct lsl_channels {
    size_t eyes; /* 1 or 2 */
    size_t x[2];
    size_t y[2];
    bool has_confidence;
    size_t confidence;
};

/* NULL: chosen. Else what is wrong, in `why`. */
const char *lsl_channels_choose(const char *wanted, const struct lsl_label *labels, size_t count,
                                char *why, size_t why_bytes, struct lsl_channels *out);

/* A sample of these numbers, one for each channel; a place that is not a number is a lost eye.
 * Where there are two eyes, of the wanted ones. */
struct fovea_gaze_sample lsl_channels_sample(const struct lsl_channels *channels,
                                             enum fovea_gaze_eye wanted, const double *numbers);

/* Says where each eye looks; NAN: it is lost. False: the stream has one of them. */
bool lsl_channels_places(const struct lsl_channels *channels, const double *numbers,
                         double out_x[2], double out_y[2]);
