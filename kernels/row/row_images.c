/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Where the images between two operators lie in linear memory. */

#include "row_plan.h"

#include "kernels/image/image_slice.h"
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

/* As much as a large GPU's cache keeps, and enough work for one. */
uint64_t row_most_between_bytes = (uint64_t)64 << 20;

static uint64_t bytes_each(const struct row_plan *plan, const struct fovea_image *like)
{
    return plan->base.images_between * row_image_bytes(like);
}

static uint32_t capacity(const struct row_plan *plan, const struct operator_images *images)
{
    return image_slice_capacity(images->count, bytes_each(plan, images->src),
                                row_most_between_bytes);
}

uint32_t row_slice_count(const struct row_plan *plan, const struct operator_images *images)
{
    return plan->base.images_between == 0
               ? images->count
               : image_slice_smaller(images->count, capacity(plan, images));
}

uint64_t row_between_bytes(const struct row_plan *plan, const struct operator_images *images)
{
    return capacity(plan, images) * bytes_each(plan, images->src);
}

void row_slice_of(const struct operator_images *images, uint32_t first, uint32_t count,
                  struct row_images *out)
{
    out->images = *images;
    out->src = image_of_batch(images->src, images->src_next_bytes, first);
    out->dst = image_of_batch(images->dst, images->dst_next_bytes, first);
    out->images.src = &out->src;
    out->images.dst = &out->dst;
    out->images.count = image_slice_smaller(count, images->count - first);
    out->images.gazes_uv = images->gazes_uv ? images->gazes_uv + 2 * (size_t)first : NULL;
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

void row_images_of(const struct row_plan *plan, uint32_t part, const struct operator_images *slice,
                   void *between, struct row_images *out)
{
    const ptrdiff_t next_bytes = (ptrdiff_t)row_image_bytes(slice->src);
    out->images = *slice;
    if (part > 0) {
        out->src = image_at(slice, between, row_between(part - 1));
        out->images.src = &out->src;
        out->images.src_next_bytes = slice->count > 1 ? next_bytes : 0;
    }
    if (part + 1 < plan->count) {
        out->dst = image_at(slice, between, row_between(part));
        out->images.dst = &out->dst;
        out->images.dst_next_bytes = slice->count > 1 ? next_bytes : 0;
    }
}
