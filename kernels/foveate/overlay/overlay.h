/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A compute shader draws this over a frame, whatever backend foveated it. */
#ifndef FOVEA_KERNELS_FOVEATE_OVERLAY_OVERLAY_H
#define FOVEA_KERNELS_FOVEATE_OVERLAY_OVERLAY_H

#include "kernels/foveate/foveate.h"

enum overlay_flag {
    OVERLAY_MARKER = 1,
    OVERLAY_HEATMAP = 2,
    OVERLAY_SWAP_RED_BLUE = 4,
    OVERLAY_RINGS_BY_ANGLE = 8, /* rings are degrees between rays, not pixels */
    OVERLAY_SEEN = 16, /* circles and the path of struct operator_hud */
};

/* The shader's push constants, after the frame's. Text, circles and a path are in
 * struct operator_hud. */
struct overlay_constants {
    struct foveate_frame frame;
    float wipe_px;
    float rings[4]; /* from the gaze, in pixels or degrees; 0: none; begins at a multiple of 16
                       bytes */
    float sigma_max_px;
    int32_t flags;
    int32_t text_columns;
    int32_t text_rows;
    int32_t text_scale;
};

#endif
