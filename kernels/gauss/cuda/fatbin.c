/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/cuda/embed.h"

CUDA_EMBED(gaze);
CUDA_EMBED(late);
CUDA_EMBED(gauss_nodes);
CUDA_EMBED(gauss_wide);
CUDA_EMBED(gauss_tiles);
CUDA_EMBED(gauss_tiles_levels);
