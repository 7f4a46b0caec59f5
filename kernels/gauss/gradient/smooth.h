/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients on the cpu, image by image. */
#ifndef FOVEA_KERNELS_GAUSS_GRADIENT_SMOOTH_H
#define FOVEA_KERNELS_GAUSS_GRADIENT_SMOOTH_H

#include "loops.h"

/* One image of a batch. */
struct gauss_gradient_image {
    const struct fovea_image *src; /* NULL: neither d_gazes_px nor d_sigmas is wanted */
    const struct fovea_image *d_dst;
    const struct fovea_image *d_src; /* NULL: not wanted */
    const struct pixel_codec *codec;
    int32_t channels; /* averaged channels: 1, 3 or 4 */
    struct gauss_frame frame; /* size, gaze and others */
    struct fovea_image sigmas; /* of a plan of pictures of sigmas */
    double d_gazes_px[1 + GAZE_OTHERS_MAX][2]; /* written: of the gaze and the others */
    float *d_sigmas; /* written instead of d_gazes_px, pixel by pixel; NULL: not wanted */
};

/* The tables of a plan; read by all threads. */
struct gauss_gradient_smooth {
    const struct gauss_plan *plan;
    const struct gauss_plan *even; /* the same without steps */
    struct gauss_gradient_tables tables;
    const struct gauss_gradient_loops *loops;
};

/* On failure nothing is left. */
FOVEA_MUST_CHECK enum fovea_result gauss_gradient_smooth_init(struct gauss_gradient_smooth *smooth,
                                                              const struct gauss_plan *plan,
                                                              const struct gauss_plan *even);
void gauss_gradient_smooth_finish(struct gauss_gradient_smooth *smooth);

/* Floats of scratch memory of a thread. */
size_t gauss_gradient_smooth_floats(const struct gauss_gradient_smooth *smooth);
void gauss_gradient_smooth_run(const struct gauss_gradient_smooth *smooth, float *scratch,
                               struct gauss_gradient_image *image);

#endif
