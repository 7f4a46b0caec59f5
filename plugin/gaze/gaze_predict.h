/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Says where the eye goes while it leaps: a short way ahead, or to the end of the leap. Only what
 * has been counts; the end of a leap shows that it was one. */
#pragma once

#include "gaze_past.h"

/* Zeroed: no leap. */
struct gaze_leap {
    bool begun;
    bool is_known; /* where it lands */
    int64_t start_ns;
    double start_deg[2];
    double peak_deg_s;
    double landing_deg[2];
};

/* A Taylor series of first order (of which Wang, Woods, Costela and Luo 2017 predict with): the
 * newest sample, and ahead_ns of the velocity over the last GAZE_TAYLOR_NS. */
#define GAZE_TAYLOR_NS (4 * GAZE_NS_PER_MS)
void gaze_predict_taylor(const struct gaze_past *past, int64_t ahead_ns, double out_deg[2]);

/* The newest sample is one of a leap, with its velocity over window_ns. The waveform of Dai,
 * Selesnick, Rizzo, Rucker and Hudson 2016 is symmetric in time: what is behind the eye when the
 * velocity rises through a value is what is left when it falls through it. False, and nothing is
 * written, until it falls through 0.9 of the highest, and where the eye is beyond. */
bool gaze_predict_landing(struct gaze_leap *leap, const struct gaze_past *past, int64_t window_ns,
                          double out_deg[2]);
