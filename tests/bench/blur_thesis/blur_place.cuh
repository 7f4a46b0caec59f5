/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The pixel that a thread of the thesis's kernels makes. */
#pragma once

#include "blur_thesis.h"

namespace {

struct place {
    int x, y;
    bool inside;
};

__device__ place own_place(const blur_thesis_params &p)
{
    place at;
    at.x = blockIdx.x * blockDim.x + threadIdx.x;
    at.y = blockIdx.y * blockDim.y + threadIdx.y;
    at.inside = at.x < p.width_px && at.y < p.height_px;
    return at;
}

} // namespace
