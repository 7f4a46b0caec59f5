/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places the images between two operators in linear memory, and the pixels of images whose
 * channels lie in planes. */

#include "chain_plan.h"

#include "core/bounds.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/pixel.h"

#include <math.h>

/* Rows begin at lines of the cache, which kernels like best. */
#define ALIGN_BYTES 64

/* Returns the format that operators work on. */
static enum fovea_format inner_format(enum fovea_format format)
{
    const enum fovea_format floats = pixel_floats_of_16_bits(format);
    return floats == FOVEA_FORMAT_NONE ? format : floats;
}

/* The chain makes pixels of what is given so. */
static bool is_packed(const struct fovea_image *image, ptrdiff_t plane_bytes)
{
    return plane_bytes != 0 || pixel_has_16_bit_levels(image->format);
}

static bool packs_src(const struct operator_images *images)
{
    return is_packed(images->src, images->src_plane_bytes);
}

static bool packs_dst(const struct operator_images *images)
{
    return is_packed(images->dst, images->dst_plane_bytes);
}

static uint64_t pitch_of(const struct fovea_image *like)
{
    const enum fovea_format format = inner_format(like->format);
    const uint64_t bytes = (uint64_t)pixel_codec_of(format)->bytes * like->width_px;
    return (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

uint64_t chain_image_bytes(const struct fovea_image *like)
{
    return pitch_of(like) * like->height_px;
}

/* A large GPU's cache keeps as much, and it is enough work for one. */
uint64_t chain_most_between_bytes = (uint64_t)64 << 20;

/* Pixels of planes on a device are read once and written once. Slices of a batch cost it more than
 * memory beyond the cache does: 1,024 images of 256x256 took 470 us more than pixels in slices of
 * 64 MiB, where two copies of them take 200. */
static const uint64_t most_plane_bytes = (uint64_t)512 << 20;

/* Pixels of planes come after the images between: those that are read, those that are written. */
static uint64_t bytes_each(const struct chain_plan *plan, const struct operator_images *images)
{
    const uint32_t packed = (packs_src(images) ? 1u : 0u) + (packs_dst(images) ? 1u : 0u);
    return (plan->base.images_between + packed) * chain_image_bytes(images->src);
}

static uint64_t most_bytes(const struct chain_plan *plan, const struct operator_images *images)
{
    const bool planes_alone = plan->base.images_between == 0;
    return planes_alone && images->src->memory == FOVEA_MEMORY_CUDA ? most_plane_bytes
                                                                    : chain_most_between_bytes;
}

static uint32_t capacity(const struct chain_plan *plan, const struct operator_images *images)
{
    return image_slice_capacity(images->count, bytes_each(plan, images), most_bytes(plan, images));
}

uint32_t chain_slice_count(const struct chain_plan *plan, const struct operator_images *images)
{
    return bytes_each(plan, images) == 0
               ? images->count
               : bounds_smaller_u32(images->count, capacity(plan, images));
}

uint64_t chain_between_bytes(const struct chain_plan *plan, const struct operator_images *images)
{
    return capacity(plan, images) * bytes_each(plan, images);
}

static void cut(const struct operator_images *images, uint32_t first, uint32_t count,
                struct chain_images *out)
{
    out->images = *images;
    out->src = image_of_batch(images->src, images->src_next_bytes, first);
    out->dst = image_of_batch(images->dst, images->dst_next_bytes, first);
    out->images.src = &out->src;
    out->images.dst = &out->dst;
    out->images.count = count;
    out->images.gazes_uv = images->gazes_uv ? operator_gaze_of(images, first) : NULL;
    if (images->sigmas) {
        out->sigmas = image_of_batch(images->sigmas, images->sigmas_next_bytes, first);
        out->images.sigmas = &out->sigmas;
    }
    if (images->depth) {
        out->depth = *images->depth;
        out->depth.data = (const char *)out->depth.data + (ptrdiff_t)first * out->depth.next_bytes;
        out->images.depth = &out->depth;
        out->images.focuses = images->focuses + first;
    }
    out->blind = false;
}

void chain_first_slice(const struct chain_plan *plan, const struct operator_images *images,
                       struct chain_images *out)
{
    cut(images, 0, chain_slice_count(plan, images), out);
}

static bool is_blind(const struct operator_images *images, uint32_t index)
{
    const float *uv = operator_gaze_of(images, index);
    return !isfinite(uv[0]) || !isfinite(uv[1]);
}

void chain_slice_of(const struct operator_images *images, uint32_t first, uint32_t count,
                    struct chain_images *out)
{
    const uint32_t most = bounds_smaller_u32(count, images->count - first);
    if (!images->gazes_uv || images->gazes_on_device) {
        cut(images, first, most, out);
        return;
    }
    const bool blind = is_blind(images, first);
    uint32_t alike = 1;
    while (alike < most && is_blind(images, first + alike) == blind) {
        alike++;
    }
    cut(images, first, alike, out);
    out->blind = blind;
}

/* The first of so many. */
static struct fovea_image image_at(const struct operator_images *images, void *between,
                                   uint32_t index)
{
    struct fovea_image image = *images->src;
    image.format = inner_format(image.format);
    image.data =
        between ? (char *)between + index * images->count * chain_image_bytes(images->src) : NULL;
    image.row_stride_bytes = (ptrdiff_t)pitch_of(images->src);
    image.pixel_stride_bytes = (ptrdiff_t)pixel_codec_of(image.format)->bytes;
    return image;
}

/* Says what a step reads or writes: a part of the memory between, or OWN, the caller's. */
#define OWN UINT32_MAX

static uint32_t place_of_src(const struct chain_plan *plan, uint32_t step,
                             const struct operator_images *slice)
{
    if (step > 0) {
        return chain_between(step - 1);
    }
    return packs_src(slice) ? plan->base.images_between : OWN;
}

static uint32_t place_of_dst(const struct chain_plan *plan, const struct chain_way *way,
                             uint32_t step, const struct operator_images *slice)
{
    if (step + 1 < way->count) {
        return chain_between(step);
    }
    const uint32_t after_src = packs_src(slice) ? 1 : 0;
    return packs_dst(slice) ? plan->base.images_between + after_src : OWN;
}

void chain_images_of(const struct chain_plan *plan, const struct chain_way *way, uint32_t step,
                     const struct operator_images *slice, void *between, struct chain_images *out)
{
    const ptrdiff_t next_bytes = (ptrdiff_t)chain_image_bytes(slice->src);
    const uint32_t src = place_of_src(plan, step, slice);
    const uint32_t dst = place_of_dst(plan, way, step, slice);
    const bool one_source = step == 0 && slice->src_next_bytes == 0;
    out->images = *slice;
    out->images.src_plane_bytes = out->images.dst_plane_bytes = 0;
    if (src != OWN) {
        out->src = image_at(slice, between, src);
        out->images.src = &out->src;
        out->images.src_next_bytes = slice->count > 1 && !one_source ? next_bytes : 0;
    }
    if (dst != OWN) {
        out->dst = image_at(slice, between, dst);
        out->images.dst = &out->dst;
        out->images.dst_next_bytes = slice->count > 1 ? next_bytes : 0;
    }
}

/* Places the pixels that operators get of a slice's source, or those that become its result. */
static struct planes_images pixels_of(const struct chain_plan *plan, const struct chain_way *way,
                                      const struct operator_images *slice, void *between,
                                      bool packs, struct chain_images *out)
{
    chain_images_of(plan, way, packs ? 0 : way->count - 1, slice, between, out);
    return packs ? (struct planes_images){out->images.src, out->images.src_next_bytes}
                 : (struct planes_images){out->images.dst, out->images.dst_next_bytes};
}

bool chain_planes_of(const struct chain_plan *plan, const struct chain_way *way,
                     const struct operator_images *slice, void *between, bool packs,
                     struct planes *out)
{
    const struct planes_images planar =
        packs ? (struct planes_images){slice->src, slice->src_next_bytes}
              : (struct planes_images){slice->dst, slice->dst_next_bytes};
    const ptrdiff_t plane_bytes = packs ? slice->src_plane_bytes : slice->dst_plane_bytes;
    struct chain_images own;
    if (plane_bytes == 0) {
        return false;
    }
    const struct planes_images pixels = pixels_of(plan, way, slice, between, packs, &own);
    *out = planes_of(&planar, plane_bytes, &pixels, slice->count);
    return true;
}

struct levels chain_levels_of(const struct chain_plan *plan, const struct chain_way *way,
                              const struct operator_images *slice, void *between, bool packs)
{
    const struct pixel_codec *codec = pixel_codec_of(slice->src->format);
    const bool one = packs && slice->src_next_bytes == 0;
    struct chain_images own;
    const struct planes_images floats = pixels_of(plan, way, slice, between, packs, &own);
    return (struct levels){
        .src = levels_side_of(slice->src, slice->src_next_bytes, slice->src_plane_bytes),
        .dst = levels_side_of(slice->dst, slice->dst_next_bytes, slice->dst_plane_bytes),
        .floats = levels_side_of(floats.first, floats.next_bytes, 0),
        .width_px = (int32_t)slice->src->width_px,
        .height_px = (int32_t)slice->src->height_px,
        .channels = (int32_t)codec->color_channels + (codec->has_alpha ? 1 : 0),
        .count = one ? 1 : (int32_t)slice->count,
    };
}
