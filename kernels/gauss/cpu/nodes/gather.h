/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of floats in which a value is not finite, which a node would spread over all of the tile,
 * are summed pixel by pixel, each from its own samples. This is slow, and rare. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_NODES_GATHER_H
#define FOVEA_KERNELS_GAUSS_CPU_NODES_GATHER_H

#include "kernels/gauss/cpu/common/picture.h"

/* sigma_px has rows of 16 pixels; those that are 0 are copied. */
void gauss_cpu_node_gather(const struct gauss_cpu_picture *picture, const float *sigma_px,
                           int32_t x_px, int32_t y_px);

#endif
