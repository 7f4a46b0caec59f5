/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A frame's blur_alpha, beside GAUSS_WIDE_COLORS (common/params.h, which all kernels include): the
 * same, but alpha is averaged, as it is and not by its root. Shared by C and CUDA C. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_ALPHA_H
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_ALPHA_H

#define GAUSS_WIDE_COLORS_AND_ALPHA 3

#endif
