/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Where the images between two operators lie in linear memory. */

#include "row_plan.h"

#include "kernels/image/pixel.h"

/* Of rows: a line of the cache, and what kernels like best. */
#define ALIGN_BYTES 64

static uint64_t row_bytes(const struct fovea_image *like)
{
    const uint64_t bytes = (uint64_t)pixel_codec_of(like->format)->bytes * like->width_px;
    return (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

uint64_t row_image_bytes(const struct fovea_image *like)
{
    return row_bytes(like) * like->height_px;
}

/* The first of so many. */
static struct fovea_image image_at(const struct operator_images *images, void *between,
                                   uint32_t index)
{
    struct fovea_image image = *images->src;
    image.data =
        between ? (char *)between + index * images->count * row_image_bytes(images->src) : NULL;
    image.row_stride_bytes = (ptrdiff_t)row_bytes(images->src);
    image.pixel_stride_bytes = (ptrdiff_t)pixel_codec_of(images->src->format)->bytes;
    return image;
}

void row_images_of(const struct row_plan *plan, uint32_t part, const struct operator_images *images,
                   void *between, struct row_images *out)
{
    const ptrdiff_t next_bytes = (ptrdiff_t)row_image_bytes(images->src);
    out->images = *images;
    if (part > 0) {
        out->src = image_at(images, between, row_between(part - 1));
        out->images.src = &out->src;
        out->images.src_next_bytes = images->count > 1 ? next_bytes : 0;
    }
    if (part + 1 < plan->count) {
        out->dst = image_at(images, between, row_between(part));
        out->images.dst = &out->dst;
        out->images.dst_next_bytes = images->count > 1 ? next_bytes : 0;
    }
}
