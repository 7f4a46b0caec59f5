/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveation_mips.cu's kernels are given these. C and CUDA include this. */
#pragma once

#include <stdint.h>

#define FOVEATION_MIPS_SIDE 16 /* threads of a block along each axis */

struct foveation_mips_params {
    uint64_t from; /* a surface, uchar4: the finer level; for sampling a texture of all levels */
    uint64_t to; /* a surface: the coarser level; for sampling uint32_t[], rows without gaps */
    int32_t width_px; /* of what is written */
    int32_t height_px;
    float gaze_x_px;
    float gaze_y_px;
    float sigma_at_gaze_px; /* as foveation_pixelwise_params has them */
    float slope;
    float least_px;
    float most_px;
};
