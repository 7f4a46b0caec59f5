/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/cuda/embed.h"

CUDA_EMBED(lightfield);
