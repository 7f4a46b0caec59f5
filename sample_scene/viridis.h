/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The colour map viridis (S. van der Walt and N. Smith, CC0), by seventeen of its colours. */
#ifndef SCENE_VIRIDIS_H
#define SCENE_VIRIDIS_H

#include "picture.h"

/* t in 0..1 */
struct color viridis(float t);

#endif
