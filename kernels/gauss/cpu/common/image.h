/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Rows of an image as what is averaged. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_COMMON_IMAGE_H
#define FOVEA_KERNELS_GAUSS_CPU_COMMON_IMAGE_H

#include "kernels/gauss/gauss.h"
#include "kernels/gaze/gaze.h"
#include "kernels/image/pixel_light.h"

/* One image of a batch, and its frame. */
struct gauss_cpu_view {
    struct fovea_image src;
    struct fovea_image dst;
    struct fovea_image sigmas; /* of a plan of pictures of sigmas */
    struct gauss_frame frame;
};

static inline struct gauss_cpu_view gauss_cpu_view_of(const struct operator_images *batch,
                                                      const struct gauss_frame *frame,
                                                      int32_t index)
{
    struct gauss_cpu_view view = {
        .src = pixel_image_after(batch->src, index * batch->src_next_bytes),
        .dst = pixel_image_after(batch->dst, index * batch->dst_next_bytes),
        .frame = *frame,
    };
    if (batch->sigmas) {
        view.sigmas = pixel_image_after(batch->sigmas, index * batch->sigmas_next_bytes);
    }
    if (batch->gazes_uv) {
        const float *gaze_uv = operator_gaze_of(batch, (size_t)index);
        view.frame.gaze_x_q8 = gaze_to_q8((double)gaze_uv[0], frame->width_px);
        view.frame.gaze_y_q8 = gaze_to_q8((double)gaze_uv[1], frame->height_px);
        view.frame.others.count = (int32_t)operator_foveas_of(batch) - 1;
        for (int32_t k = 0; k < view.frame.others.count; k++) {
            int32_t *place_q8 = view.frame.others.q8[k];
            place_q8[0] = gaze_to_q8((double)gaze_uv[2 * (k + 1)], frame->width_px);
            place_q8[1] = gaze_to_q8((double)gaze_uv[2 * (k + 1) + 1], frame->height_px);
        }
    }
    return view;
}

static inline void gauss_cpu_lights_init(struct pixel_lights *lights, const struct gauss_plan *plan)
{
    float *samples = lights->bits8.samples; /* where the first depth keeps them */
    const struct pixel_transfer transfer = {
        .light = gauss_plan_light(plan),
        .value = gauss_plan_light_value(plan),
        .samples = samples,
    };
    gauss_plan_fill_light(plan, samples);
    pixel_lights_init(lights, &transfer);
}

#endif
