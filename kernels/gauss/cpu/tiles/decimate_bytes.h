/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 1 of RGBA8 words that are averaged as stored: integers up to the last step. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_TILES_DECIMATE_BYTES_H
#define FOVEA_KERNELS_GAUSS_CPU_TILES_DECIMATE_BYTES_H

#include "decimate.h"

#define gauss_cpu_decimate_bytes GAUSS_CPU_NAME(gauss_cpu_decimate_bytes)

/* Makes rows of level 1, with margins, of a picture whose pixels are gauss_cpu_is_words. */
void gauss_cpu_decimate_bytes(const struct gauss_cpu_picture *picture,
                              const struct gauss_cpu_decimate_scratch *scratch, int32_t first_row,
                              int32_t end_row);

#endif
