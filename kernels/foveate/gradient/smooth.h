/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients on the cpu, image by image. */
#ifndef FOVEA_KERNELS_FOVEATE_GRADIENT_SMOOTH_H
#define FOVEA_KERNELS_FOVEATE_GRADIENT_SMOOTH_H

#include "loops.h"

/* One image of a batch. */
struct foveate_gradient_image {
    const struct fovea_image *src; /* NULL: d_gazes_px are not wanted */
    const struct fovea_image *d_dst;
    const struct fovea_image *d_src; /* NULL: not wanted */
    const struct pixel_codec *codec;
    int32_t channels; /* averaged channels: 1, 3 or 4 */
    struct gauss_frame frame; /* size, gaze and others */
    double d_gazes_px[1 + GAZE_OTHERS_MAX][2]; /* written: of the gaze and the others */
};

/* The tables of a plan; read by all threads. */
struct foveate_gradient_smooth {
    const struct gauss_plan *plan;
    const struct gauss_plan *even; /* the same without steps */
    struct foveate_gradient_tables tables;
    const struct foveate_gradient_loops *loops;
};

/* On failure nothing is left. */
FOVEA_MUST_CHECK enum fovea_result foveate_gradient_smooth_init(
    struct foveate_gradient_smooth *smooth, const struct gauss_plan *plan,
    const struct gauss_plan *even);
void foveate_gradient_smooth_finish(struct foveate_gradient_smooth *smooth);

/* Floats of scratch memory of a thread. */
size_t foveate_gradient_smooth_floats(const struct foveate_gradient_smooth *smooth);
void foveate_gradient_smooth_run(const struct foveate_gradient_smooth *smooth, float *scratch,
                                 struct foveate_gradient_image *image);

#endif
