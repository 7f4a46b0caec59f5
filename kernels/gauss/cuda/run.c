/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames, in the plan's own memory, and batches, in memory of theirs. */

#include "gauss_cuda.h"

#include "core/bounds.h"
#include "kernels/image/image_slice.h"
#include "ways.h"

#define MOST_IN_A_GRID 65535 /* along z */

static const struct gauss_cuda_way *way_of(const struct gauss_cuda_plan *plan,
                                           enum fovea_format format)
{
    return format >= 0 && format < CUDA_FORMATS ? plan->ways[format] : NULL;
}

static struct gauss_cuda_run run_of(const struct operator_cuda *cuda,
                                    const struct operator_cuda_run *run,
                                    const struct gauss_frame *frame, enum fovea_format format)
{
    return (struct gauss_cuda_run){.device = cuda->device,
                                   .stream = run->stream,
                                   .frame = frame,
                                   .others = {.of = frame->others},
                                   .format = format,
                                   .count = 1,
                                   .sources = 1};
}

/* Returns those from an image of the batch on; NULL: there are none. */
static struct gauss_cuda_sigmas sigmas_of(const struct fovea_image *sigmas, ptrdiff_t next_bytes,
                                          uint32_t first)
{
    if (!sigmas) {
        return (struct gauss_cuda_sigmas){0};
    }
    const struct fovea_image image = image_of_batch(sigmas, next_bytes, first);
    const struct image_linear linear = image_linear_of(&image, next_bytes);
    return (struct gauss_cuda_sigmas){.data = linear.data,
                                      .row_stride_bytes = linear.row_stride_bytes,
                                      .next_bytes = next_bytes,
                                      .pixel_stride_bytes = (int32_t)linear.pixel_stride_bytes,
                                      .are_halves = image.format == FOVEA_FORMAT_R16F};
}

/* ---- Frames. Those of a plan share its levels: each waits on its stream for the one before */

static enum fovea_result run_frame(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                   struct gauss_cuda_run *own)
{
    struct gauss_cuda_plan *plan = gauss_cuda_plan_of(run->cuda_plan);
    own->levels = plan->levels;
    own->state = plan->state;
    own->states = 1;
    own->states_dirty = &plan->states_dirty;
    own->whole = !own->surfaces &&
                 way_of(plan, own->format)->bytes(gauss_cuda_of(cuda), plan, own->format, 1).whole;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &plan->base.tables->uses, run->stream));
    return operator_cuda_note(cuda, plan->base.tables, run->stream, run->stream_kept,
                              way_of(plan, own->format)->run(gauss_cuda_of(cuda), plan, own));
}

enum fovea_result gauss_cuda_run_surface(struct operator_cuda *cuda,
                                         const struct operator_cuda_run *run,
                                         enum fovea_format format, CUsurfObject src,
                                         CUsurfObject dst)
{
    const struct gauss_plan *plan = gauss_plan_of(run->plan);
    const struct gauss_frame frame = gauss_frame_of(plan, run->frame);
    struct gauss_cuda_run own = run_of(cuda, run, &frame, format);
    if (!cuda_kernels_has(gauss_cuda_of(cuda)->nodes.picture.surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    own.surfaces = true;
    own.src.data = src;
    own.dst.data = dst;
    own.batch.gazes = gauss_cuda_plan_of(run->cuda_plan)->looks_at_gaze ? run->gazes : 0;
    own.sigmas = sigmas_of(run->sigmas, 0, 0);
    return run_frame(cuda, run, &own);
}

/* ---- Batches. One writes over the memory of the one before, and follows it on its stream */

/* An operator that looks at no gaze takes the frame's, which gauss_frame_of sets. */
static const float *gazes_of(struct operator_cuda_plan *plan, const struct operator_images *images)
{
    return gauss_cuda_plan_of(plan)->looks_at_gaze ? images->gazes_uv : NULL;
}

static struct gauss_cuda_bytes bytes_for(struct operator_cuda *cuda,
                                         const struct gauss_cuda_plan *plan,
                                         enum fovea_format format, uint32_t count)
{
    return way_of(plan, format)->bytes(gauss_cuda_of(cuda), plan, format, count);
}

/* Images beyond those that have memory are run after them. */
static struct gauss_cuda_batch_memory memory_for(struct operator_cuda *cuda,
                                                 const struct gauss_cuda_plan *plan,
                                                 const struct operator_images *images)
{
    const struct gauss_cuda_bytes bytes = bytes_for(cuda, plan, images->src->format, images->count);
    const bool one_source = images->src_next_bytes == 0;
    const uint32_t levels =
        image_slice_capacity(one_source ? 1 : images->count, bytes.levels, GAUSS_CUDA_LEVEL_BYTES);
    return (struct gauss_cuda_batch_memory){
        .level_bytes = levels * bytes.levels,
        .gazes = image_slice_capacity(images->count * operator_foveas_of(images), 0, 0),
        .states = bytes.state == 0 ? 0
                                   : image_slice_capacity(one_source ? images->count : levels,
                                                          bytes.state, GAUSS_CUDA_LEVEL_BYTES),
        .states_dirty = true};
}

static uint64_t gazes_at(const struct gauss_cuda_batch_memory *memory)
{
    return memory->level_bytes;
}

static uint64_t states_at(const struct gauss_cuda_batch_memory *memory)
{
    return (gazes_at(memory) + memory->gazes * (uint64_t)GAZE_CUDA_BYTES + 15) / 16 * 16;
}

enum fovea_result gauss_cuda_reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                     const struct operator_images *images)
{
    struct gauss_cuda_plan *own = gauss_cuda_plan_of(plan);
    const struct gauss_cuda_batch_memory *before = &own->batch;
    if ((!gazes_of(plan, images) && images->count == 1) || !way_of(own, images->src->format)) {
        return FOVEA_OK;
    }
    struct gauss_cuda_batch_memory grown = memory_for(cuda, own, images);
    if (grown.level_bytes <= before->level_bytes && grown.gazes <= before->gazes &&
        grown.states <= before->states) {
        return FOVEA_OK;
    }
    grown.level_bytes =
        grown.level_bytes > before->level_bytes ? grown.level_bytes : before->level_bytes;
    grown.gazes = bounds_larger_u32(grown.gazes, before->gazes);
    grown.states = bounds_larger_u32(grown.states, before->states);
    FOVEA_TRY(operator_cuda_plan_grow(
        cuda, plan, states_at(&grown) + grown.states * (uint64_t)own->tiles.state_bytes));
    own->batch = grown;
    return FOVEA_OK;
}

/* The gazes' table, and the others' behind it. */
static enum fovea_result fill_gazes(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images,
                                    const struct gauss_cuda_run *own)
{
    const struct gaze_cuda_run gazes = {.device = cuda->device,
                                        .kernels = &gauss_cuda_of(cuda)->gaze,
                                        .width_px = own->frame->width_px,
                                        .height_px = own->frame->height_px,
                                        .stream = own->stream,
                                        .table = own->batch.gazes,
                                        .gazes_uv = gazes_of(run->cuda_plan, images),
                                        .on_device = images->gazes_on_device,
                                        .gaze_q8 = {own->frame->gaze_x_q8, own->frame->gaze_y_q8},
                                        .count = images->count};
    return gaze_cuda_fill_foveas(&gazes, operator_foveas_of(images), own->others.table);
}

/* Serves images that have others of their own each. */
static void set_others(const struct operator_cuda_run *run, const struct operator_images *images,
                       struct gauss_cuda_run *own)
{
    const uint32_t foveas = operator_foveas_of(images);
    if (gazes_of(run->cuda_plan, images)) {
        own->others.table =
            foveas > 1 ? own->batch.gazes + images->count * (uint64_t)GAZE_CUDA_BYTES : 0;
        own->others.of.count = (int32_t)foveas - 1;
    }
}

/* Memory that is reserved for a batch serves smaller ones, too: a row cuts its own into slices.
 * Levels that a smaller one would take may then not be there, and its images are made whole as
 * well. */
static struct gauss_cuda_bytes bytes_of_run(struct operator_cuda *cuda,
                                            const struct gauss_cuda_plan *plan,
                                            const struct operator_images *images)
{
    const enum fovea_format format = images->src->format;
    const struct gauss_cuda_bytes bytes = bytes_for(cuda, plan, format, images->count);
    return bytes.levels > plan->batch.level_bytes ? bytes_for(cuda, plan, format, UINT32_MAX)
                                                  : bytes;
}

/* The batch was reserved for. */
static uint32_t images_at_a_time(const struct gauss_cuda_plan *plan,
                                 const struct operator_images *images,
                                 struct gauss_cuda_bytes bytes)
{
    uint64_t most = bounds_smaller_u32(images->count, MOST_IN_A_GRID);
    if (bytes.levels > 0 && images->src_next_bytes != 0 &&
        plan->batch.level_bytes / bytes.levels < most) {
        most = plan->batch.level_bytes / bytes.levels;
    }
    return bytes.state > 0 ? bounds_smaller_u32((uint32_t)most, plan->batch.states)
                           : (uint32_t)most;
}

static void take_slice(const struct operator_images *images, uint32_t first, uint32_t count,
                       struct gauss_cuda_run *run)
{
    const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
    const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
    run->src = image_linear_of(&src, images->src_next_bytes);
    run->dst = image_linear_of(&dst, images->dst_next_bytes);
    run->sigmas = sigmas_of(images->sigmas, images->sigmas_next_bytes, first);
    run->sigmas.wanted = run->wanted ? run->wanted + first * sizeof(uint32_t) : 0;
    run->count = count;
    run->sources = images->src_next_bytes == 0 ? 1 : count;
}

static enum fovea_result run_slices(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images,
                                    struct gauss_cuda_run *own)
{
    struct gauss_cuda_plan *plan = gauss_cuda_plan_of(run->cuda_plan);
    const struct gauss_cuda_bytes bytes = bytes_of_run(cuda, plan, images);
    const uint32_t most = images_at_a_time(plan, images, bytes);
    own->whole = bytes.whole;
    own->levels = plan->base.batch->memory;
    own->next_bytes = images->src_next_bytes == 0 ? 0 : (int64_t)bytes.levels;
    own->state = own->levels + states_at(&plan->batch);
    own->states = plan->batch.states;
    own->states_dirty = &plan->batch.states_dirty;
    own->batch.gazes = own->levels + gazes_at(&plan->batch);
    own->batch.src_next_bytes = images->src_next_bytes;
    own->batch.dst_next_bytes = images->dst_next_bytes;
    set_others(run, images, own);
    FOVEA_TRY(fill_gazes(cuda, run, images, own));
    for (uint32_t first = 0; first < images->count; first += own->count) {
        take_slice(images, first, bounds_smaller_u32(images->count - first, most), own);
        FOVEA_TRY(way_of(plan, own->format)->run(gauss_cuda_of(cuda), plan, own));
        own->batch.gazes += own->count * (uint64_t)GAZE_CUDA_BYTES;
        own->others.table +=
            own->others.table ? own->count * (uint64_t)own->others.of.count * GAZE_CUDA_BYTES : 0;
    }
    return FOVEA_OK;
}

enum fovea_result gauss_cuda_run_linear(struct operator_cuda *cuda,
                                        const struct operator_cuda_run *run,
                                        const struct operator_images *images)
{
    return gauss_cuda_run_layers(cuda, run, images, (struct gauss_cuda_layers){0});
}

enum fovea_result gauss_cuda_run_layers(struct operator_cuda *cuda,
                                        const struct operator_cuda_run *run,
                                        const struct operator_images *images,
                                        struct gauss_cuda_layers layers)
{
    struct gauss_frame frame = gauss_frame_of(gauss_plan_of(run->plan), run->frame);
    if (layers.of_light) {
        frame.blur_alpha = GAUSS_WIDE_LAYERS;
    } else if (run->frame->of_light) {
        frame.blur_alpha = frame.blur_alpha ? GAUSS_WIDE_COLORS_AND_ALPHA : GAUSS_WIDE_COLORS;
    }
    struct gauss_cuda_run own = run_of(cuda, run, &frame, images->src->format);
    own.wanted = layers.wanted;
    if (!way_of(gauss_cuda_plan_of(run->cuda_plan), own.format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (!gazes_of(run->cuda_plan, images) && images->count == 1) {
        take_slice(images, 0, 1, &own);
        return run_frame(cuda, run, &own);
    }
    struct cuda_block *block = run->cuda_plan->batch;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(cuda, block, run->stream, run->stream_kept,
                              run_slices(cuda, run, images, &own));
}
