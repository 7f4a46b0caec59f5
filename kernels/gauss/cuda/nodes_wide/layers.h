/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures of floats that are layers of wide light, each channel of them nothing or more. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_LAYERS_H
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_LAYERS_H

/* blur_alpha of their struct gauss_frame: all channels are averaged, and blended by their roots,
 * as the light of pixels is (gauss/plan/ladder.h); the coverage too, by which it is divided. */
#define GAUSS_WIDE_LAYERS 2

#endif
