/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any operator's kernels on a CUDA device, and pictures through them. */
#pragma once

#include "cuda_fixture.h"
#include "kernels/operator/operator_cuda.h"
#include "operators/scene.h"

/* One scene's plan on the device. */
struct operator_rig {
    const struct operator_api *api;
    struct operator_plan *plan;
    struct operator_cuda *cuda;
    struct operator_cuda_plan *cuda_plan;
    struct operator_frame frame;
    struct operator_scene scene; /* whose sigmas are drawn for each run */
};

struct operator_rig operator_rig_make(const struct operator_scene *scene);
void operator_rig_finish(struct operator_rig *rig);

/* Images in linear memory of the device; waits. */
void operator_rig_run(const struct operator_rig *rig, const struct operator_images *images);
/* One picture, `shift_bytes` off the device's own alignment; dst, guards included, is what the
 * device has before, and then what it has made. */
void operator_rig_run_linear(const struct operator_rig *rig, const struct test_image *src,
                             const struct test_image *dst, uint32_t shift_bytes);
/* The same from array to array; packed pictures. */
void operator_rig_run_surface(const struct operator_rig *rig, const struct fovea_image *src,
                              const struct fovea_image *dst);

/* Linear memory, shifted by so many of the format's alignments, with gaps of as many pixels; and
 * surfaces, where the format has any: against the reference. A scene that the device has too little
 * shared memory for is left out, and named. */
void operator_rig_check(const struct operator_scene *scene, uint32_t shift);
