/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine's definition, in double precision: each pixel by the Gaussian of its own sigma. The
 * references of operators, which say what sigma is, end in it; it shares nothing with what runs. */
#pragma once

#include "core/log.h"

/* The picture has rows without gaps. Beyond its edges is its outermost pixel. */
struct gauss_reference {
    uint32_t width_px, height_px;
    uint32_t channels;
    uint32_t blurred; /* the first of them; the others stay */
    double cut_off_sigmas; /* how far a Gaussian goes */
    long (*radius_px)(const void *user, double sigma_px); /* or so far; NULL: so many sigmas */
    const void *user;
};

/* A pixel whose sigma is not above 0 stays. dst is apart from src. */
FOVEA_MUST_CHECK enum fovea_result gauss_reference(const struct gauss_reference *wanted,
                                                   const double *sigmas_px, const double *src,
                                                   double *dst);
