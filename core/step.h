/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tangent of a projection in steps of at most 1/256 of itself: projections that differ by less
 * are one. While a camera zooms, each frame would ask for new tables otherwise. */
#pragma once

#include <math.h>

#define STEPS_OF_A_POWER 512 /* between 0 and a power of two; those below a half are not met */

static inline double step_tangent(double tangent)
{
    int exponent = 0;
    const double part = frexp(tangent, &exponent);
    return ldexp(round(part * STEPS_OF_A_POWER) / STEPS_OF_A_POWER, exponent);
}
