/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The colour map viridis (S. van der Walt and N. Smith, CC0), by seventeen of its colours. */
#pragma once

#include "picture.h"

/* t in 0..1 */
struct color viridis(float t);
