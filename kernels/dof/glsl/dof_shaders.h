/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compute shader of dof's own steps. Specialization constants from 1 on: light (IMAGE_LIGHT_*),
 * whether alpha is averaged, and enum dof_work. Push constants: struct dof_constants. Tables are
 * the machine's; passes leave its samples for each other, and behind them
 *
 *     an uvec2 a pixel each: sigma, negative before the focus, and that of the layer under way
 *                            (floats); what is near; what is behind; where alpha is averaged, both
 *                            layers of it
 *     an uvec2 a tile: the largest sigma before the focus, and how far it gets
 *     two uvec2: what is near, what is behind; word x is 0 where no pixel needs it, and then it is
 *                not made
 *     an uvec2 a block: the largest sigma before the focus
 *     where highlights are discs, an uvec2 a block: sums;
 *                and DOF_BLOCK_DISCS of four uvec2 a block, for both layers */
#pragma once

#include "kernels/gauss/frame.h"
#include "kernels/operator/shaders.h"

extern const struct shader dof_shader;
/* Highlights as discs: the same, but for enum dof_disc_work. */
extern const struct shader dof_discs_shader;

/* In their order, but for alpha, which comes after the colours of its layer. dof.comp has the same
 * numbers. */
enum dof_work {
    DOF_WORK_FOCUS, /* one workgroup */
    DOF_WORK_OFFSETS, /* a workgroup a block of pixels */
    DOF_WORK_SPREAD, /* a thread a tile */
    DOF_WORK_MEANS, /* a workgroup a block, as all that follow */
    DOF_WORK_NEAR,
    DOF_WORK_BEHIND,
    DOF_WORK_COMPOSE,
    DOF_WORK_NEAR_ALPHA,
    DOF_WORK_BEHIND_ALPHA,
    DOF_WORKS
};

/* A workgroup a block. dof_discs.comp has the same numbers. */
enum dof_disc_work {
    DOF_DISCS_SUM, /* before layers */
    DOF_DISCS_TAKE_NEAR, /* before the layer is blurred */
    DOF_DISCS_TAKE_BEHIND,
    DOF_DISCS_ADD, /* before the picture is composed */
    DOF_DISC_WORKS
};

#define DOF_SHADER_SIDE 8 /* of a tile in pixels */
#define DOF_SHADER_BLOCK 32 /* of a block; a workgroup has as many columns of threads, */
#define DOF_SHADER_ROWS 8 /* and so many rows */

enum dof_constant_flags {
    DOF_CONSTANT_DISTANCE = 1, /* dof_scale.is_distance */
    DOF_CONSTANT_FOLLOWS = 2, /* the frame follows on the one before */
    DOF_CONSTANT_BLIND = 4, /* there is no gaze */
    DOF_CONSTANT_KNOWN = 8, /* first_diopters is given, or where both lines of sight cross */
};

/* 32-bit members only; dof.glsl declares the same. */
struct dof_constants {
    struct gauss_frame frame;
    int32_t depth_x_px; /* where the view starts in the picture of depths */
    int32_t depth_y_px;
    int32_t fields; /* the first uvec2 behind the machine's samples */
    int32_t tiles; /* of the tiles */
    float most_px; /* the largest sigma */
    /* struct dof_scale */
    float start;
    float step;
    /* dof_focus */
    float first_diopters; /* where nothing was seen yet, or in its place */
    float hysteresis_diopters;
    float left; /* of the way to what is seen */
    int32_t flags; /* DOF_CONSTANT_* */
    /* sigma of a diopter: scale / (1 - min(focal_m diopters in focus, 1/2)) */
    float sigma_scale;
    float focal_m;
};
