/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_batch.h"

#include "context_depth.h"
#include "kernels/image/pixel.h"
#include "kernels/image/planes.h"

#include <inttypes.h>
#include <math.h>

#define MAX_IMAGES 65535 /* along the third axis of CUDA's grids */
#define MAX_NEXT_BYTES ((int64_t)1 << 40)
/* Pairs of images that are looked at one by one where nothing simpler tells them apart. */
#define MAX_PAIRS 65536

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* ---- Images */

static bool check_next(const struct context_images *images, char *out)
{
    const int64_t next = images->next_bytes;
    const int64_t align = pixel_codec_of(images->first->format)->align_bytes;
    if (next > MAX_NEXT_BYTES || next < -MAX_NEXT_BYTES) {
        return CONTEXT_PROBLEM(out, "%s_next_bytes is %" PRId64 ", which no batch needs",
                               images->name, next);
    }
    if (next % align != 0) {
        return CONTEXT_PROBLEM(out, "%s_next_bytes is %" PRId64 ", no multiple of %" PRId64,
                               images->name, next, align);
    }
    return true;
}

bool context_images_check(const struct context_images *images,
                          char out_problem[CONTEXT_PROBLEM_BYTES])
{
    return context_image_check(images->first, images->name, out_problem) &&
           check_next(images, out_problem);
}

static const char *memory_name(enum fovea_memory memory)
{
    return memory == FOVEA_MEMORY_CUDA ? "CUDA" : "CPU";
}

static bool check_sizes(const struct context_images *src, const struct context_images *dst,
                        char *out_problem)
{
    const struct fovea_image *a = src->first;
    const struct fovea_image *b = dst->first;
    if (a->width_px != b->width_px || a->height_px != b->height_px) {
        return CONTEXT_PROBLEM(out_problem,
                               "%s is %" PRIu32 "x%" PRIu32 " and %s %" PRIu32 "x%" PRIu32
                               "; they must be of one size",
                               src->name, a->width_px, a->height_px, dst->name, b->width_px,
                               b->height_px);
    }
    return a->memory == b->memory ||
           CONTEXT_PROBLEM(out_problem, "%s is in %s memory and %s in %s memory", src->name,
                           memory_name(a->memory), dst->name, memory_name(b->memory));
}

bool context_images_alike(const struct context_images *src, const struct context_images *dst,
                          char out_problem[CONTEXT_PROBLEM_BYTES])
{
    const enum fovea_format a = src->first->format;
    const enum fovea_format b = dst->first->format;
    if (a != b) {
        return CONTEXT_PROBLEM(out_problem, "%s has format %d and %s %d; they must have one format",
                               src->name, (int)a, dst->name, (int)b);
    }
    return check_sizes(src, dst, out_problem);
}

/* Images have each other's distance, so that the first stands for all. */
bool context_images_check_written(const struct context_images *images,
                                  char out_problem[CONTEXT_PROBLEM_BYTES])
{
    const int64_t next = images->next_bytes;
    for (int64_t i = 1; i < images->count; i++) {
        if (magnitude(i * next) >= context_image_extent_bytes(images->first)) {
            break;
        }
        if (context_images_meet(images->first, images->first, i * next)) {
            return CONTEXT_PROBLEM(out_problem,
                                   "images of %s overlap: with %s_next_bytes %" PRId64
                                   " the first and number %" PRId64,
                                   images->name, images->name, next, i);
        }
    }
    return true;
}

/* Made to reach as far from each of its bytes. */
static struct context_range widened(struct context_range range, int64_t way)
{
    return (struct context_range){range.low + (uint64_t)(way < 0 ? way : 0),
                                  range.bytes + magnitude(way)};
}

static struct context_range range_of(const struct context_images *images)
{
    return widened(context_image_range(images->first),
                   images->next_bytes * ((int64_t)images->count - 1));
}

/* With one distance for both, what counts is how many images apart two of them are. */
static bool meet_in_step(const struct context_images *src, const struct context_images *dst)
{
    const int64_t count = dst->count;
    for (int64_t i = 1 - count; i < count; i++) {
        if (context_images_meet(src->first, dst->first, i * dst->next_bytes)) {
            return true;
        }
    }
    return false;
}

static bool any_pair_meets(const struct context_images *src, const struct context_images *dst,
                           int64_t src_count)
{
    for (int64_t i = 0; i < src_count; i++) {
        for (int64_t j = 0; j < dst->count; j++) {
            const int64_t distance = j * dst->next_bytes - i * src->next_bytes;
            if (context_images_meet(src->first, dst->first, distance)) {
                return true;
            }
        }
    }
    return false;
}

bool context_images_check_apart(const struct context_images *src, const struct context_images *dst,
                                char out_problem[CONTEXT_PROBLEM_BYTES])
{
    const int64_t src_count = src->next_bytes == 0 ? 1 : src->count;
    if (!context_ranges_meet(range_of(src), range_of(dst))) {
        return true;
    }
    if (src->next_bytes != dst->next_bytes && src_count * dst->count > MAX_PAIRS) {
        return CONTEXT_PROBLEM(out_problem,
                               "%" PRIu32 " images of %s and %s lie among each other with"
                               " distances of their own: too many to tell that they are apart",
                               dst->count, src->name, dst->name);
    }
    const bool meet = src->next_bytes == dst->next_bytes ? meet_in_step(src, dst)
                                                         : any_pair_meets(src, dst, src_count);
    return meet ? CONTEXT_PROBLEM(out_problem, "%s and %s overlap", src->name, dst->name) : true;
}

/* ---- Planes. One plane of all images is a batch of one channel; a picture has one or three. */

struct channels {
    struct context_images first; /* all images, or their first planes */
    ptrdiff_t plane_bytes;
    int32_t count;
};

static struct fovea_image plane_image(const struct fovea_image *image, int64_t offset_bytes)
{
    struct fovea_image plane = *image;
    plane.data = (void *)((uintptr_t)image->data + (uintptr_t)offset_bytes);
    return plane;
}

static bool check_plane_bytes(const struct channels *channels, char *out)
{
    const int64_t plane = channels->plane_bytes;
    const int64_t align = pixel_codec_of(channels->first.first->format)->align_bytes;
    if (plane > MAX_NEXT_BYTES || plane < -MAX_NEXT_BYTES || plane % align != 0) {
        return CONTEXT_PROBLEM(out, "%s_plane_bytes is %" PRId64 ", no distance of planes",
                               channels->first.name, plane);
    }
    return true;
}

/* Checks a picture's images, those in planes as `plane`, which then stands for the image. */
static bool check_channels(const struct context_images *images, ptrdiff_t plane_bytes,
                           struct fovea_image *plane, struct channels *out, char *out_problem)
{
    *out = (struct channels){.first = *images, .plane_bytes = plane_bytes, .count = 1};
    if (plane_bytes == 0) {
        return context_images_check(images, out_problem);
    }
    const enum fovea_format channel = planes_channel_format(images->first->format);
    if (channel == FOVEA_FORMAT_NONE) {
        return CONTEXT_PROBLEM(out_problem, "%s has planes in format %d, which has none",
                               images->name, (int)images->first->format);
    }
    *plane = *images->first;
    plane->format = channel;
    out->first.first = plane;
    out->count = PLANES_CHANNELS;
    if (!context_images_check(&out->first, out_problem) || !check_plane_bytes(out, out_problem)) {
        return false;
    }
    images->first->pixel_stride_bytes = plane->pixel_stride_bytes;
    return true;
}

/* Planes of an image before the next image begins, or all first planes before the second ones. */
static bool lie_in_order(const struct channels *channels)
{
    const int64_t extent = context_image_extent_bytes(channels->first.first);
    const int64_t plane = magnitude(channels->plane_bytes);
    const int64_t next = magnitude(channels->first.next_bytes);
    const int64_t images = (int64_t)channels->first.count - 1;
    const bool by_image = plane >= extent && (images == 0 || next >= 2 * plane + extent);
    const bool by_plane = plane >= images * next + extent && (images == 0 || next >= extent);
    return by_image || by_plane;
}

/* The three samples of a pixel before the next pixel begins. */
static bool lie_in_pixels(const struct channels *channels)
{
    const struct fovea_image *image = channels->first.first;
    const int64_t sample = (int64_t)fovea_format_bytes(image->format);
    const int64_t plane = magnitude(channels->plane_bytes);
    return plane >= sample && 2 * plane + sample <= image->pixel_stride_bytes;
}

static bool check_written_channels(const struct channels *channels, char *out_problem)
{
    if (channels->count > 1 && lie_in_order(channels)) {
        return true;
    }
    if (!context_images_check_written(&channels->first, out_problem)) {
        return false;
    }
    for (int32_t i = 1; i < channels->count && !lie_in_pixels(channels); i++) {
        struct fovea_image later = plane_image(channels->first.first, i * channels->plane_bytes);
        const struct context_images planes = {"the next plane", &later, channels->first.next_bytes,
                                              channels->first.count};
        if (!context_images_check_apart(&channels->first, &planes, out_problem)) {
            return false;
        }
    }
    return true;
}

static struct context_range range_of_channels(const struct channels *channels)
{
    const int64_t way = (channels->count - 1) * (int64_t)channels->plane_bytes;
    return widened(range_of(&channels->first), way);
}

static bool check_channels_apart(const struct channels *src, const struct channels *dst,
                                 char *out_problem)
{
    if (!context_ranges_meet(range_of_channels(src), range_of_channels(dst))) {
        return true;
    }
    for (int32_t i = 0; i < src->count * dst->count; i++) {
        struct fovea_image a = plane_image(src->first.first, i % src->count * src->plane_bytes);
        struct fovea_image b = plane_image(dst->first.first, i / src->count * dst->plane_bytes);
        struct context_images of_src = src->first;
        struct context_images of_dst = dst->first;
        of_src.first = &a;
        of_dst.first = &b;
        if (!context_images_check_apart(&of_src, &of_dst, out_problem)) {
            return false;
        }
    }
    return true;
}

/* A picture that comes with the images, of their size and memory. dst is checked. */
static bool check_beside(struct channels *beside, const struct channels *dst, char *out)
{
    return context_images_check(&beside->first, out) &&
           check_sizes(&beside->first, &dst->first, out) && check_channels_apart(beside, dst, out);
}

static bool check_sigmas(const struct context_images *sigmas, const struct channels *dst, char *out)
{
    struct channels beside = {.first = *sigmas, .count = 1};
    const enum fovea_format format = sigmas->first->format;
    if (!sigmas->first->data) {
        return true;
    }
    if (!check_beside(&beside, dst, out)) {
        return false;
    }
    if (format != FOVEA_FORMAT_R16F && format != FOVEA_FORMAT_R32F) {
        return CONTEXT_PROBLEM(out, "sigmas has format %d; it must be R16F or R32F", (int)format);
    }
    return true;
}

bool context_sigmas_check(const struct context_images *sigmas, const struct context_images *beside,
                          char out_problem[CONTEXT_PROBLEM_BYTES])
{
    const struct channels one = {.first = *beside, .count = 1};
    return check_sigmas(sigmas, &one, out_problem);
}

static bool check_depth(const struct context_frame *frame, const struct channels *dst, char *out)
{
    struct fovea_image image = context_depth_image(&frame->depth);
    struct channels depth = {.first = {"depth", &image, frame->depth.next_bytes, frame->count},
                             .count = 1};
    return !frame->depth.data || check_beside(&depth, dst, out);
}

bool context_batch_check_images(struct context_frame *frame,
                                char out_problem[CONTEXT_PROBLEM_BYTES])
{
    const struct context_images src = {"src", &frame->src, frame->src_next_bytes, frame->count};
    const struct context_images dst = {"dst", &frame->dst, frame->dst_next_bytes, frame->count};
    const struct context_images sigmas = {"sigmas", &frame->sigmas, frame->sigmas_next_bytes,
                                          frame->count};
    struct fovea_image planes[2];
    struct channels of_src;
    struct channels of_dst;
    return check_channels(&src, frame->src_plane_bytes, &planes[0], &of_src, out_problem) &&
           check_channels(&dst, frame->dst_plane_bytes, &planes[1], &of_dst, out_problem) &&
           context_images_alike(&src, &dst, out_problem) &&
           check_written_channels(&of_dst, out_problem) &&
           check_channels_apart(&of_src, &of_dst, out_problem) &&
           check_sigmas(&sigmas, &of_dst, out_problem) && check_depth(frame, &of_dst, out_problem);
}

/* ---- Gazes */

static bool check_values(const struct context_gazes *gazes, char *out)
{
    const size_t foveas = gazes->fovea_count > 0 ? gazes->fovea_count : 1;
    for (size_t i = 0; i < foveas * gazes->count; i++) {
        if (!isfinite(gazes->uv[2 * i]) || !isfinite(gazes->uv[2 * i + 1])) {
            return CONTEXT_PROBLEM(out, "%s of image %zu is not finite",
                                   i % foveas == 0 ? "the gaze" : "a fovea", i / foveas);
        }
    }
    return true;
}

bool context_floats_check(const float *floats, const char *name,
                          char out_problem[CONTEXT_PROBLEM_BYTES])
{
    if (!floats) {
        return CONTEXT_PROBLEM(out_problem, "%s is NULL", name);
    }
    return (uintptr_t)floats % sizeof *floats == 0 ||
           CONTEXT_PROBLEM(out_problem, "%s is not aligned to %d bytes", name, (int)sizeof *floats);
}

bool context_gazes_check(const struct context_gazes *gazes, char out_problem[CONTEXT_PROBLEM_BYTES])
{
    if (!context_floats_check(gazes->uv, "gazes_uv", out_problem)) {
        return false;
    }
    if (gazes->memory != FOVEA_MEMORY_CPU && gazes->memory != FOVEA_MEMORY_CUDA) {
        return CONTEXT_PROBLEM(out_problem, "gazes_memory is %d, which is no memory",
                               (int)gazes->memory);
    }
    if (gazes->memory == FOVEA_MEMORY_CPU) {
        return gazes->may_lack || check_values(gazes, out_problem);
    }
    return gazes->images_memory == FOVEA_MEMORY_CUDA ||
           CONTEXT_PROBLEM(out_problem,
                           "the gazes are in CUDA memory and the images in CPU memory");
}

/* ---- Batches */

bool context_count_check(uint32_t count, char out_problem[CONTEXT_PROBLEM_BYTES])
{
    return (count >= 1 && count <= MAX_IMAGES) ||
           CONTEXT_PROBLEM(out_problem, "count is %" PRIu32 "; it must be 1 to %d", count,
                           MAX_IMAGES);
}

bool context_foveas_check(uint32_t count, uint32_t reserved,
                          char out_problem[CONTEXT_PROBLEM_BYTES])
{
    if (count > FOVEA_FOVEAS_MAX) {
        return CONTEXT_PROBLEM(out_problem, "fovea_count is %" PRIu32 "; it must be 0 to %d", count,
                               FOVEA_FOVEAS_MAX);
    }
    return reserved == 0 || CONTEXT_PROBLEM(out_problem, "reserved is not 0");
}

/* If images may lack gazes, all of them may. */
static bool check_gazes(const struct context_frame *frame, bool runs_blind, char *out_problem)
{
    const struct context_gazes gazes = {frame->gazes_uv,   frame->count, frame->gazes_memory,
                                        frame->src.memory, runs_blind,   frame->fovea_count};
    return (runs_blind && !frame->gazes_uv) || context_gazes_check(&gazes, out_problem);
}

bool context_batch_take(const struct fovea_batch *batch, bool runs_blind,
                        struct context_frame *out_frame, char out_problem[CONTEXT_PROBLEM_BYTES])
{
    if (!context_count_check(batch->count, out_problem)) {
        return false;
    }
    *out_frame = (struct context_frame){
        .count = batch->count,
        .src = batch->src,
        .dst = batch->dst,
        .src_next_bytes = batch->count > 1 ? batch->src_next_bytes : 0,
        .dst_next_bytes = batch->count > 1 ? batch->dst_next_bytes : 0,
        .src_plane_bytes = batch->src_plane_bytes,
        .dst_plane_bytes = batch->dst_plane_bytes,
        .gazes_uv = batch->gazes_uv,
        .gazes_memory = batch->gazes_memory,
        .fovea_count = batch->fovea_count > 0 ? batch->fovea_count : 1,
        .sigmas = batch->sigmas,
        .sigmas_next_bytes = batch->count > 1 ? batch->sigmas_next_bytes : 0,
    };
    if (!context_foveas_check(batch->fovea_count, batch->reserved, out_problem) ||
        !context_depth_take(batch->depth, &out_frame->depth, out_problem)) {
        return false;
    }
    out_frame->depth.next_bytes = batch->count > 1 ? out_frame->depth.next_bytes : 0;
    return context_batch_check_images(out_frame, out_problem) &&
           check_gazes(out_frame, runs_blind, out_problem);
}

struct operator_images context_images_of(const struct context_frame *frame)
{
    return (struct operator_images){
        .count = frame->count,
        .src = &frame->src,
        .dst = &frame->dst,
        .src_next_bytes = frame->src_next_bytes,
        .dst_next_bytes = frame->dst_next_bytes,
        .src_plane_bytes = frame->src_plane_bytes,
        .dst_plane_bytes = frame->dst_plane_bytes,
        .gazes_uv = frame->gazes_uv,
        .foveas = frame->fovea_count,
        .gazes_on_device = frame->gazes_uv && frame->gazes_memory == FOVEA_MEMORY_CUDA,
        .sigmas = frame->sigmas.data ? &frame->sigmas : NULL,
        .sigmas_next_bytes = frame->sigmas_next_bytes,
        .depth = frame->depth.data ? &frame->depth : NULL,
        .focuses = frame->focuses,
    };
}
