/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* OpenCV's own foveation beside ours: opencv_pyramid.py in a process of its own, after the cpu
 * backend's cases, on the same cores. */
#ifndef FOVEA_BENCH_OPENCV_H
#define FOVEA_BENCH_OPENCV_H

#include "bench.h"

void bench_opencv(struct bench *bench);

#endif
