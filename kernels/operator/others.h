/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The foveas of a view beside its gaze, as whole numbers. Device code includes it. */
#ifndef FOVEA_KERNELS_OPERATOR_OTHERS_H
#define FOVEA_KERNELS_OPERATOR_OTHERS_H

#include <stdint.h>

#define GAZE_OTHERS_MAX 3

/* Places in 1/256 px, as the gaze has. 32-bit members only, as struct gauss_frame. */
struct gaze_others {
    int32_t count; /* 0 .. GAZE_OTHERS_MAX */
    int32_t q8[GAZE_OTHERS_MAX][2];
};

#endif
