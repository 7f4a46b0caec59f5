/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A compute shader draws this over a frame, whatever backend foveated it. */
#pragma once

#include "kernels/gauss/frame.h"
#include "kernels/operator/shaders.h"

enum overlay_flag {
    OVERLAY_MARKER = 1,
    OVERLAY_HEATMAP = 2,
    OVERLAY_SWAP_RED_BLUE = 4,
    OVERLAY_RINGS_BY_ANGLE = 8, /* rings are degrees between rays, not pixels */
    OVERLAY_PATCH_WHITE = 16,
    OVERLAY_PATCH_BY_GAZE = 32,
    OVERLAY_SEEN = 64, /* circles and the path of struct operator_hud */
};

#define OVERLAY_PATCH_SHIFT 16 /* of the flags, above which the patch's side in pixels stands */

/* The shader's push constants, after the frame's. Text, circles and a path are in
 * struct operator_hud. */
struct overlay_constants {
    struct gauss_frame frame;
    float wipe_px;
    float sigma_max_px;
    float rings[4]; /* from the gaze, in pixels or degrees; 0: none; begins at a multiple of 16
                       bytes */
    int32_t flags;
    int32_t text_columns;
    int32_t text_rows;
    int32_t text_scale;
};

/* One thread a pixel. */
extern const struct shader foveate_shader_overlay;
