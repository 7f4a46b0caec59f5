/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients of foveation in double precision, from the formulas: shares only the settings and
 * sigma's own formula with what is tested. */
#pragma once

#include "config/settings.h"

struct gradient_case {
    const struct fovea_foveation *foveation;
    uint32_t width_px, height_px;
    uint32_t channels;
    uint32_t fovea_count;
    double foveas_px[2 * FOVEA_FOVEAS_MAX]; /* x and y of each, the gaze first */
    const double *sigmas_px; /* of pixels, whatever the settings say; NULL: they say it */
};

/* Takes the smooth method; rows without gaps. Alpha that is kept is a copy. */
void gradient_of_image(const struct gradient_case *c, const double *d_dst, double *out_d_src);
/* Takes either method: an impulse at each pixel goes through the reference of the frame. */
void gradient_by_impulses(const struct gradient_case *c, const double *d_dst, double *out_d_src);
/* Differentiates by the sigma of each pixel: 0 where that is 0. */
void gradient_of_sigmas(const struct gradient_case *c, const double *src, const double *d_dst,
                        double *out_d_sigmas);
/* Differentiates by pixels of each fovea, of the smooth method whatever the settings name.
 * *out_scale: the root of the sum of the squares of what pixels have added, along both axes.
 * *out_tied: what those add to either fovea whose sigma two ask for but for a thousandth: rounding
 * says whose they are. */
void gradient_of_gazes(const struct gradient_case *c, const double *src, const double *d_dst,
                       double out_d_foveas[2 * FOVEA_FOVEAS_MAX], double *out_scale,
                       double *out_tied);
