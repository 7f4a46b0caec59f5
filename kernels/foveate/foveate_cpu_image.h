/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Rows of an image as what is averaged. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_IMAGE_H
#define FOVEA_KERNELS_FOVEATE_CPU_IMAGE_H

#include "foveate.h"
#include "pixel_light.h"

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

/* For both depths, made once. */
struct foveate_cpu_lights {
    struct pixel_light bits8;
    struct pixel_light bits10;
};

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
