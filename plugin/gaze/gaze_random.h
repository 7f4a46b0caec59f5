/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Made-up eyes have this in common: chance that follows from a seed, angles on a flat picture, and
 * how a saccade runs. */
#pragma once

#include <math.h>
#include <stdint.h>

#define GAZE_TWO_PI 6.283185307179586

/* SplitMix64 (Steele, Lea and Flood 2014). */
static inline uint64_t gaze_random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Returns a number above 0, up to 1. */
static inline double gaze_random_unit(uint64_t *state)
{
    return (double)((gaze_random_next(state) >> 11) + 1) * 0x1p-53;
}

static inline double gaze_random_between(uint64_t *state, double min, double max)
{
    return min + (max - min) * gaze_random_unit(state);
}

static inline double gaze_random_normal(uint64_t *state)
{
    const double radius = sqrt(-2.0 * log(gaze_random_unit(state)));
    return radius * cos(GAZE_TWO_PI * gaze_random_unit(state));
}

static inline double gaze_random_log_normal(uint64_t *state, double median, double log_spread)
{
    return median * exp(log_spread * gaze_random_normal(state));
}

static inline double gaze_clamp(double value, double min, double max)
{
    return fmin(fmax(value, min), max);
}

/* The angle of the height of a flat picture that is `aspect` times as high as wide. */
static inline double gaze_height_deg(double width_deg, double aspect)
{
    return 2.0 * atan(aspect * tan(0.5 * width_deg * M_PI / 180.0)) * 180.0 / M_PI;
}

#define GAZE_SACCADE_MAX_MS 150.0

/* How long a saccade takes, by the main sequence: 2.2 ms for each degree and 21 ms (Carpenter
 * 1988). With the profile below the peak velocity is 1.58 times amplitude over duration and
 * saturates as in Bahill, Clark and Stark 1975: 330 deg/s at 8 deg, 490 deg/s at 20 deg. */
static inline int64_t gaze_saccade_duration_ns(double amplitude_deg)
{
    const double ms = fmin(21.0 + 2.2 * amplitude_deg, GAZE_SACCADE_MAX_MS);
    return llround(ms * 1e6);
}

/* Position along a saccade, 0 to 1. The velocity 9s - 15s^2 + 6s^3 starts and ends at zero and
 * peaks at 39% of the time: saccades speed up faster than they slow down. */
static inline double gaze_saccade_profile(double s)
{
    return s * s * (4.5 + s * (-5.0 + s * 1.5));
}
