/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An image as tiles see it: pixels, and levels in planes, one plane a channel, so that eight
 * neighbours of one channel are one register. Tiles of one level store no level 0: it is the image,
 * read again where it is needed. */
#pragma once

#include "core/bounds.h"
#include "kernels/gauss/gauss.h"
#include "kernels/image/pixel_light.h"

#define GAUSS_CPU_MAX_CHANNELS 4

/* One image of a batch, and its frame. */
struct gauss_cpu_view {
    struct fovea_image src;
    struct fovea_image dst;
    struct fovea_image sigmas; /* of a plan of pictures of sigmas */
    struct gauss_frame frame;
};

/* Sets the gaze of a frame whose size is set, and its other foveas. */
static inline void gauss_cpu_look(struct gauss_frame *frame, const float *foveas_uv,
                                  uint32_t foveas)
{
    frame->gaze_x_q8 = gaze_to_q8((double)foveas_uv[0], frame->width_px);
    frame->gaze_y_q8 = gaze_to_q8((double)foveas_uv[1], frame->height_px);
    frame->others.count = (int32_t)foveas - 1;
    for (int32_t k = 0; k < frame->others.count; k++) {
        int32_t *place_q8 = frame->others.q8[k];
        place_q8[0] = gaze_to_q8((double)foveas_uv[2 * (k + 1)], frame->width_px);
        place_q8[1] = gaze_to_q8((double)foveas_uv[2 * (k + 1) + 1], frame->height_px);
    }
}

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
        gauss_cpu_look(&view.frame, operator_gaze_of(batch, (size_t)index),
                       operator_foveas_of(batch));
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

struct gauss_cpu_picture {
    const struct gauss_plan *plan;
    struct gauss_cpu_view view;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: stored values are averaged */
    int32_t channels; /* averaged channels */
    float *samples; /* levels from first_level on */
    int32_t first_level; /* 0 or 1 */
    bool of_light; /* floats that are light, as layers of UNORM pixels are: none below 0 */
    float slope; /* no two pixels' sigmas differ by more than this times their distance */
};

/* Floats from a channel's samples to the next channel's. */
static inline ptrdiff_t gauss_cpu_plane(const struct gauss_cpu_picture *picture)
{
    const struct gauss_plan *plan = picture->plan;
    return (ptrdiff_t)plan->level_samples - plan->levels[picture->first_level].first;
}

/* Sample 0 of a row; gauss_level_margin(k) more lie before it and after the last one. */
static inline float *gauss_cpu_plane_row(const struct gauss_cpu_picture *picture, int32_t k,
                                         int32_t channel, int32_t row)
{
    const struct gauss_plan *plan = picture->plan;
    const struct gauss_level *level = &plan->levels[k];
    const int32_t margin = gauss_level_margin(k);
    return picture->samples + channel * gauss_cpu_plane(picture) +
           (level->first - plan->levels[picture->first_level].first) +
           (int64_t)(row + margin) * level->pitch + margin;
}
