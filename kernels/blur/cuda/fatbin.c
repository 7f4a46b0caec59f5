/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/cuda/embed.h"

CUDA_EMBED(blur);
CUDA_EMBED(blur_box);
CUDA_EMBED(blur_fft);
