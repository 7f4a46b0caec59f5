/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gaussians as half filters: the centre tap, then one tap for each distance from it. */
#ifndef FOVEA_KERNELS_FOVEATE_PLAN_FILTER_H
#define FOVEA_KERNELS_FOVEATE_PLAN_FILTER_H

#include "config/settings.h"

/* Taps on each side of the centre. sigma_px is finite and not above FOVEATE_MAX_SIGMA_PX. */
uint32_t foveate_filter_radius_px(enum fovea_filter_length rule, double sigma_px);

/* A filter has floor(so many sigma + 0.5) taps a side. */
double foveate_filter_taps_per_sigma(enum fovea_filter_length rule);

/* Filters of a smaller sigma have only the centre tap: a copy. */
double foveate_filter_least_sigma_px(enum fovea_filter_length rule);

/* Writes radius_px + 1 taps, each a multiple of 2^-24 and not negative, which sum to 1 with the
 * sides counted twice: so every partial sum is exact in float, in any order. */
void foveate_filter_make(double sigma_px, uint32_t radius_px, float *out_taps);

/* Writes the same taps each as near as a float can be, for light of which 2^-25 shows; they sum to
 * 1 within 1e-6. */
void foveate_filter_make_wide(double sigma_px, uint32_t radius_px, float *out_taps);

#endif
