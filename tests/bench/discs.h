/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures for blobs: drawn as photographs are, or noise, which has all bins everywhere. */
#pragma once

#include "bench.h"

/* RGB8, rows without gaps. */
void discs_draw(const struct bench_size *size, uint32_t number, bool noise, unsigned char *out);
