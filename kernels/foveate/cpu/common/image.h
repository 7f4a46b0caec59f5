/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Rows of an image as what is averaged. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_COMMON_IMAGE_H
#define FOVEA_KERNELS_FOVEATE_CPU_COMMON_IMAGE_H

#include "kernels/foveate/foveate.h"
#include "kernels/gaze/gaze.h"
#include "kernels/image/pixel_light.h"

static inline struct pixel_row foveate_cpu_row(const struct fovea_image *image,
                                               const struct pixel_codec *codec, int32_t x_px,
                                               int32_t y_px, int32_t count)
{
    const ptrdiff_t stride_bytes =
        image->pixel_stride_bytes ? image->pixel_stride_bytes : (ptrdiff_t)codec->bytes;
    return (struct pixel_row){
        .data = (unsigned char *)image->data + y_px * image->row_stride_bytes + x_px * stride_bytes,
        .stride_bytes = stride_bytes,
        .count = (uint32_t)count,
    };
}

/* One image of a batch, and its frame. */
struct foveate_cpu_view {
    struct fovea_image src;
    struct fovea_image dst;
    struct foveate_frame frame;
};

static inline struct fovea_image foveate_cpu_image_after(const struct fovea_image *first,
                                                         ptrdiff_t distance_bytes)
{
    struct fovea_image image = *first;
    image.data = (unsigned char *)first->data + distance_bytes;
    return image;
}

static inline struct foveate_cpu_view foveate_cpu_view_of(const struct foveate_cpu_batch *batch,
                                                          const struct foveate_frame *frame,
                                                          int32_t index)
{
    struct foveate_cpu_view view = {
        .src = foveate_cpu_image_after(batch->src, index * batch->src_next_bytes),
        .dst = foveate_cpu_image_after(batch->dst, index * batch->dst_next_bytes),
        .frame = *frame,
    };
    if (batch->gazes_uv) {
        const float *gaze_uv = batch->gazes_uv + 2 * (ptrdiff_t)index;
        view.frame.gaze_x_q8 = gaze_to_q8((double)gaze_uv[0], frame->width_px);
        view.frame.gaze_y_q8 = gaze_to_q8((double)gaze_uv[1], frame->height_px);
    }
    return view;
}

/* For both depths, made once. */
struct foveate_cpu_lights {
    struct pixel_light bits8;
    struct pixel_light bits10;
};

static inline void foveate_cpu_lights_init(struct foveate_cpu_lights *lights,
                                           const struct foveate_plan *plan)
{
    float samples[FOVEA_DISPLAY_MAX];
    const int32_t light = foveate_plan_light(plan);
    const struct pixel_transfer transfer = {
        .light = light == IMAGE_LIGHT_STORED ? IMAGE_LIGHT_SRGB : light,
        .value = foveate_plan_light_value(plan),
        .samples = samples,
    };
    foveate_plan_fill_light(plan, samples);
    pixel_light_init(&lights->bits8, FOVEA_FORMAT_RGBA8, &transfer);
    pixel_light_init(&lights->bits10, FOVEA_FORMAT_A2B10G10R10, &transfer);
}

/* Before the workers of a batch start: which of its images' colours is red. */
static inline void foveate_cpu_lights_order(struct foveate_cpu_lights *lights,
                                            const struct foveate_frame *frame)
{
    lights->bits8.blue_first = frame->light == IMAGE_LIGHT_HLG_BLUE_FIRST;
    lights->bits10.blue_first = lights->bits8.blue_first;
}

/* NULL where the pixels are averaged as they are stored. */
static inline const struct pixel_light *foveate_cpu_light(const struct foveate_cpu_lights *lights,
                                                          const struct foveate_frame *frame,
                                                          enum fovea_format format)
{
    if (!frame->light || !pixel_light_known(format)) {
        return NULL;
    }
    return format == FOVEA_FORMAT_A2B10G10R10 ? &lights->bits10 : &lights->bits8;
}

#endif
