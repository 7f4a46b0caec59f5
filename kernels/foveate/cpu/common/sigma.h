/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Does foveate_law_sigma_at for places along a row. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_COMMON_SIGMA_H
#define FOVEA_KERNELS_FOVEATE_CPU_COMMON_SIGMA_H

#include "lanes.h"
#include "picture.h"

#define foveate_cpu_sigma_row FOVEATE_CPU_NAME(foveate_cpu_sigma_row)

struct foveate_cpu_places {
    float x_px, y_px; /* the first place; uv times the size */
    float apart_px;
    int32_t count; /* rounded up to whole registers */
};

void foveate_cpu_sigma_row(const struct foveate_cpu_picture *picture,
                           struct foveate_cpu_places places, float *out);

#endif
