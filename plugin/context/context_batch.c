/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_batch.h"

#include "kernels/image/pixel.h"

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

static bool check_next(const struct fovea_image *image, const char *name, int64_t next, char *out)
{
    const int64_t align = pixel_codec_of(image->format)->align_bytes;
    if (next > MAX_NEXT_BYTES || next < -MAX_NEXT_BYTES) {
        return CONTEXT_PROBLEM(out, "%s_next_bytes is %" PRId64 ", which no batch needs", name,
                               next);
    }
    if (next % align != 0) {
        return CONTEXT_PROBLEM(out, "%s_next_bytes is %" PRId64 ", no multiple of %" PRId64, name,
                               next, align);
    }
    return true;
}

/* Images of dst have each other's distance, so that the first stands for all. */
static bool check_dst(const struct context_frame *frame, char *out)
{
    const int64_t next = frame->dst_next_bytes;
    for (int64_t i = 1; i < frame->count; i++) {
        if (magnitude(i * next) >= context_image_extent_bytes(&frame->dst)) {
            break;
        }
        if (context_images_meet(&frame->dst, &frame->dst, i * next)) {
            return CONTEXT_PROBLEM(out,
                                   "images of dst overlap: with dst_next_bytes %" PRId64
                                   " the first and number %" PRId64,
                                   next, i);
        }
    }
    return true;
}

/* Where the bytes of all images begin and end. */
struct range {
    int64_t low;
    int64_t end;
};

static struct range range_of(const struct fovea_image *first, int64_t next, uint32_t count)
{
    const int64_t way = next * ((int64_t)count - 1);
    const int64_t low = context_image_lowest_address(first);
    const int64_t end = low + context_image_extent_bytes(first);
    return (struct range){low + (way < 0 ? way : 0), end + (way > 0 ? way : 0)};
}

static bool ranges_meet(const struct context_frame *frame)
{
    const struct range src = range_of(&frame->src, frame->src_next_bytes, frame->count);
    const struct range dst = range_of(&frame->dst, frame->dst_next_bytes, frame->count);
    return src.low < dst.end && dst.low < src.end;
}

/* With one distance for both, what counts is how many images apart two of them are. */
static bool meet_in_step(const struct context_frame *frame)
{
    const int64_t count = frame->count;
    for (int64_t i = 1 - count; i < count; i++) {
        if (context_images_meet(&frame->src, &frame->dst, i * frame->dst_next_bytes)) {
            return true;
        }
    }
    return false;
}

static bool any_pair_meets(const struct context_frame *frame, int64_t src_count)
{
    for (int64_t i = 0; i < src_count; i++) {
        for (int64_t j = 0; j < frame->count; j++) {
            const int64_t distance = j * frame->dst_next_bytes - i * frame->src_next_bytes;
            if (context_images_meet(&frame->src, &frame->dst, distance)) {
                return true;
            }
        }
    }
    return false;
}

static bool check_apart(const struct context_frame *frame, char *out)
{
    const int64_t src_count = frame->src_next_bytes == 0 ? 1 : frame->count;
    if (!ranges_meet(frame)) {
        return true;
    }
    if (frame->src_next_bytes != frame->dst_next_bytes && src_count * frame->count > MAX_PAIRS) {
        return CONTEXT_PROBLEM(out,
                               "%" PRIu32 " images of src and dst lie among each other with"
                               " distances of their own: too many to tell that they are apart",
                               frame->count);
    }
    const bool meet = frame->src_next_bytes == frame->dst_next_bytes
                          ? meet_in_step(frame)
                          : any_pair_meets(frame, src_count);
    return meet ? CONTEXT_PROBLEM(out, "src and dst overlap") : true;
}

bool context_batch_check_images(struct context_frame *frame,
                                char out_problem[CONTEXT_PROBLEM_BYTES])
{
    return context_image_check(&frame->src, "src", out_problem) &&
           context_image_check(&frame->dst, "dst", out_problem) &&
           context_images_alike(&frame->src, &frame->dst, out_problem) &&
           check_next(&frame->src, "src", frame->src_next_bytes, out_problem) &&
           check_next(&frame->dst, "dst", frame->dst_next_bytes, out_problem) &&
           check_dst(frame, out_problem) && check_apart(frame, out_problem);
}

/* ---- Gazes */

static bool check_values(const struct fovea_batch *batch, char *out)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!isfinite(batch->gazes_uv[2 * (size_t)i]) ||
            !isfinite(batch->gazes_uv[2 * (size_t)i + 1])) {
            return CONTEXT_PROBLEM(out, "the gaze of image %" PRIu32 " is not finite", i);
        }
    }
    return true;
}

static bool check_gazes(const struct fovea_batch *batch, char *out)
{
    if (!batch->gazes_uv) {
        return CONTEXT_PROBLEM(out, "gazes_uv is NULL");
    }
    if ((uintptr_t)batch->gazes_uv % sizeof *batch->gazes_uv != 0) {
        return CONTEXT_PROBLEM(out, "gazes_uv is not aligned to %d bytes",
                               (int)sizeof *batch->gazes_uv);
    }
    if (batch->gazes_memory != FOVEA_MEMORY_CPU && batch->gazes_memory != FOVEA_MEMORY_CUDA) {
        return CONTEXT_PROBLEM(out, "gazes_memory is %d, which is no memory",
                               (int)batch->gazes_memory);
    }
    if (batch->gazes_memory == FOVEA_MEMORY_CPU) {
        return check_values(batch, out);
    }
    return batch->src.memory == FOVEA_MEMORY_CUDA ||
           CONTEXT_PROBLEM(out, "the gazes are in CUDA memory and the images in CPU memory");
}

bool context_batch_take(const struct fovea_batch *batch, struct context_frame *out_frame,
                        char out_problem[CONTEXT_PROBLEM_BYTES])
{
    if (batch->count < 1 || batch->count > MAX_IMAGES) {
        return CONTEXT_PROBLEM(out_problem, "count is %" PRIu32 "; it must be 1 to %d",
                               batch->count, MAX_IMAGES);
    }
    *out_frame = (struct context_frame){
        .count = batch->count,
        .src = batch->src,
        .dst = batch->dst,
        .src_next_bytes = batch->count > 1 ? batch->src_next_bytes : 0,
        .dst_next_bytes = batch->count > 1 ? batch->dst_next_bytes : 0,
        .gazes_uv = batch->gazes_uv,
        .gazes_memory = batch->gazes_memory,
    };
    return context_batch_check_images(out_frame, out_problem) && check_gazes(batch, out_problem);
}
