/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Highlights of dof.h as discs, in double precision. */
#pragma once

#include "kernels/dof/dof.h"

struct dof_reference_picture {
    const double *src; /* rows of `channels`, without gaps */
    const double *offset; /* s, a value a pixel */
    uint32_t width, height, channels, color_channels;
};

/* Light of a cell that is a disc. */
struct dof_reference_disc {
    bool is_near;
    double x, y; /* of its middle; a pixel's lies at a half */
    double radius, edge; /* px */
    double light[4]; /* of its channels, over the disc's area */
};

struct dof_reference_discs {
    struct dof_reference_disc *of;
    size_t count;
    double *kept; /* a value a pixel: what of it is no disc's */
};

FOVEA_MUST_CHECK enum fovea_result dof_reference_find_discs(
    const struct dof_reference_picture *picture, struct dof_reference_discs *out);
void dof_reference_free_discs(struct dof_reference_discs *discs);
/* Adds to sum what a layer's discs give a pixel whose sigma behind that is. */
void dof_reference_add_discs(const struct dof_reference_discs *discs, bool of_near, uint32_t x,
                             uint32_t y, double behind_px, uint32_t channels, double *sum);
