/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of float formats in which there are values that are not finite: a node would spread them over all of the
 * tile, so each pixel is summed from its own samples. Slow, and rare. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_NODE_GATHER_H
#define FOVEA_KERNELS_FOVEATE_CPU_NODE_GATHER_H

#include "../foveate_cpu_picture.h"

/* sigma_px: rows of 16 pixels; those that are 0 are copied. */
void foveate_cpu_node_gather(const struct foveate_cpu_picture *picture, const float *sigma_px,
                             int32_t x_px, int32_t y_px);

#endif
