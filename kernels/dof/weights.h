/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Weights and sigmas of a pixel in both layers (dof.h), on the processor and on CUDA; GLSL says
 * them again. */
#pragma once

#include "kernels/cuda/host_device.h"

#include <math.h>

#define DOF_LAYER_PX 1.0f /* of sigma, from where a pixel is all near, or all behind */
#define DOF_LEAST_OFFSET_PX (1.0f / 256.0f)
#define DOF_LEAST_BEHIND (1.0f / 32.0f)
#define DOF_LEAST_MEAN 1e-4f
#define DOF_LEAST_COVERAGE (1.0f / 1024.0f) /* behind */
/* The last of a tile's sigma is gone at this distance; one sigma nearer it is whole. */
#define DOF_REACH_SIGMAS 4.0f
#define DOF_REACH_TILES 1.5f

HOST_DEVICE float dof_clamped(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

/* How much of a pixel is near. */
HOST_DEVICE float dof_nearness(float offset_px)
{
    return dof_clamped(-offset_px * (1.0f / DOF_LAYER_PX), 0.0f, 1.0f);
}

/* How much of it counts among what is behind. */
HOST_DEVICE float dof_weight_behind(float offset_px)
{
    return (1.0f - dof_nearness(offset_px)) *
           dof_clamped(offset_px * (1.0f / DOF_LAYER_PX), DOF_LEAST_BEHIND, 1.0f);
}

/* u: sigma behind, of a pixel whose sigma of the near layer near_px is. */
HOST_DEVICE float dof_sigma_behind(float offset_px, float near_px)
{
    const float near = dof_nearness(offset_px);
    return (1.0f - near) * fmaxf(offset_px, 0.0f) + near * near_px;
}

/* t, from the sums of run 1 and d, here reach_px. */
HOST_DEVICE float dof_near_sigma(float offset_px, float sum_px, float coverage, float reach_px)
{
    const float near = dof_nearness(offset_px);
    const float mean_px = dof_clamped(sum_px / fmaxf(coverage, DOF_LEAST_MEAN), 0.0f, reach_px);
    return (1.0f - near) * mean_px + near * fmaxf(-offset_px, 0.0f);
}
