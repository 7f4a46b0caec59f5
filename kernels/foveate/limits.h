/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#ifndef FOVEA_KERNELS_FOVEATE_LIMITS_H
#define FOVEA_KERNELS_FOVEATE_LIMITS_H

#define FOVEATE_MIN_FRAGMENT_PX 4
#define FOVEATE_MAX_FRAGMENT_PX 128
#define FOVEATE_MAX_STRENGTH 8.0
#define FOVEATE_MIN_PEAK_CD_M2 100.0
#define FOVEATE_MAX_PEAK_CD_M2 10000.0
#define FOVEATE_MIN_GAMMA 1.0
#define FOVEATE_MAX_GAMMA 3.0
#define FOVEATE_MIN_CUTOFF_GAIN 0.01
#define FOVEATE_MAX_CUTOFF_GAIN 0.99
#define FOVEATE_MIN_MAP_SIDE 2
#define FOVEATE_MAX_MAP_SIDE 4096
#define FOVEATE_MAX_MAP_CPD 1e6
#define FOVEATE_MIN_MAP_FLOOR 1e-9
/* In halves of the picture's shorter side. */
#define FOVEATE_MAX_RELATIVE 100.0
#define FOVEATE_MIN_RELATIVE_HALVING 0.001
/* A picture wider than 179.9 degrees, or a pixel wider than the picture, is no view. */
#define FOVEATE_MAX_TANGENT 1000.0
#define FOVEATE_MIN_PPD 0.1
#define FOVEATE_MAX_PPD 1e6

#endif
