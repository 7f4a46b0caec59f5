/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/cuda/embed.h"

CUDA_EMBED(gaze);
CUDA_EMBED(late);
CUDA_EMBED(foveate_nodes);
CUDA_EMBED(foveate_smooth);
CUDA_EMBED(foveate_tiles);
CUDA_EMBED(foveate_tiles_float);
CUDA_EMBED(foveate_tiles_unorm);
