/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/foveate/cuda/nodes/plan.h"
#include "kernels/image/image_slice.h"
#include "plan.h"

#define MOST_IN_A_GRID 65535 /* along z */

static enum foveate_cuda_way way_of(const struct foveate_cuda *foveate,
                                    const struct foveate_cuda_plan *plan,
                                    const struct foveate_cuda_images *images)
{
    const struct foveate_cuda_image image = {images->src->format, false};
    return foveate_cuda_way_of(foveate, plan, image);
}

/* A block each makes the images, without levels in memory. */
static bool are_whole(const struct foveate_cuda *foveate, const struct foveate_cuda_plan *plan,
                      const struct foveate_cuda_images *images)
{
    return way_of(foveate, plan, images) == FOVEATE_CUDA_NODES &&
           foveate_nodes_are_whole(&foveate->nodes, &plan->nodes, images->src->format,
                                   plan->blurs_alpha, images->count);
}

/* Bytes for one image. */
static int64_t node_bytes(const struct foveate_cuda_plan *plan)
{
    return (int64_t)foveate_cuda_aligned(foveate_nodes_level_bytes(&plan->nodes));
}

/* Counts the levels of any format that fit in the memory of those that nodes have for so many
 * images. */
static uint32_t levels_for_nodes(const struct foveate_cuda_plan *plan, uint32_t count)
{
    const uint64_t own = (uint64_t)node_bytes(plan);
    const uint64_t any = foveate_cuda_level_bytes(plan);
    const uint64_t most = FOVEATE_CUDA_LEVEL_BYTES / any;
    const uint64_t levels = (count * own + any - 1) / any;
    return (uint32_t)(levels <= most ? levels : most > 0 ? most : 1);
}

/* Counts the images of a batch that can have levels at a time. */
static uint32_t count_levels(const struct foveate_cuda *foveate,
                             const struct foveate_cuda_plan *plan,
                             const struct foveate_cuda_images *images)
{
    const uint32_t sources = images->src_next_bytes == 0 ? 1 : images->count;
    const enum foveate_cuda_way way = way_of(foveate, plan, images);
    if (plan->level_samples == 0) {
        return 0;
    }
    if (are_whole(foveate, plan, images)) {
        return 1; /* none of them needs any; another format may come, one at a time */
    }
    if (way == FOVEATE_CUDA_NODES) {
        return levels_for_nodes(plan, image_slice_capacity(sources, 0, 0));
    }
    return image_slice_capacity(sources, foveate_cuda_level_bytes(plan), FOVEATE_CUDA_LEVEL_BYTES);
}

/* Counts the images that can have a state at a time: all that have levels, or that share one
 * picture's. */
static uint32_t count_states(const struct foveate_cuda *foveate,
                             const struct foveate_cuda_plan *plan,
                             const struct foveate_cuda_images *images)
{
    if (!plan->has_tiles) {
        return 0;
    }
    return image_slice_capacity(images->src_next_bytes == 0 ? images->count
                                                            : count_levels(foveate, plan, images),
                                foveate_cuda_state_bytes(plan), FOVEATE_CUDA_LEVEL_BYTES);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint64_t gazes_at(const struct foveate_cuda_plan *plan,
                         const struct foveate_cuda_batch_memory *batch)
{
    return batch->levels * foveate_cuda_level_bytes(plan);
}

static uint64_t states_at(const struct foveate_cuda_plan *plan,
                          const struct foveate_cuda_batch_memory *batch)
{
    return gazes_at(plan, batch) + foveate_cuda_aligned(batch->gazes * (uint64_t)GAZE_CUDA_BYTES);
}

enum fovea_result foveate_cuda_reserve(struct foveate_cuda *foveate, struct foveate_cuda_plan *plan,
                                       const struct foveate_cuda_images *images)
{
    struct foveate_cuda_batch_memory grown = {
        .levels = larger(count_levels(foveate, plan, images), plan->batch.levels),
        .gazes = larger(image_slice_capacity(images->count, 0, 0), plan->batch.gazes),
        .states = larger(count_states(foveate, plan, images), plan->batch.states),
        .states_dirty = true};
    if (grown.levels == plan->batch.levels && grown.gazes == plan->batch.gazes &&
        grown.states == plan->batch.states) {
        return FOVEA_OK;
    }
    cuda_block_free_idle(foveate->device, &foveate->retired);
    FOVEA_TRY(cuda_block_create(
        foveate->device, NULL,
        states_at(plan, &grown) + grown.states * foveate_cuda_state_bytes(plan), &grown.block));
    cuda_block_read(grown.block, plan->block);
    cuda_block_retire(&foveate->retired, &plan->batch.block);
    cuda_block_free_idle(foveate->device, &foveate->retired);
    plan->batch = grown;
    return FOVEA_OK;
}

static CUdeviceptr gaze_table(const struct foveate_cuda_plan *plan)
{
    return plan->batch.block->memory + gazes_at(plan, &plan->batch);
}

static enum fovea_result fill_gazes(struct foveate_cuda *foveate,
                                    const struct foveate_cuda_run *run,
                                    const struct foveate_cuda_images *images)
{
    const struct gaze_cuda_run gazes = {.device = foveate->device,
                                        .kernels = &foveate->gaze,
                                        .width_px = run->frame->width_px,
                                        .height_px = run->frame->height_px,
                                        .stream = run->stream,
                                        .table = gaze_table(run->plan),
                                        .gazes_uv = images->gazes_uv,
                                        .on_device = images->gazes_on_device,
                                        .gaze_q8 = {run->frame->gaze_x_q8, run->frame->gaze_y_q8},
                                        .count = images->count};
    return gaze_cuda_fill(&gazes);
}

static struct foveate_cuda_slice slice_of(const struct foveate_cuda_plan *plan,
                                          const struct foveate_cuda_images *images, uint32_t first,
                                          uint32_t count)
{
    const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
    const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
    return (struct foveate_cuda_slice){
        .count = count,
        .batch = {.gazes = gaze_table(plan) + first * (uint64_t)GAZE_CUDA_BYTES,
                  .src_next_bytes = images->src_next_bytes,
                  .dst_next_bytes = images->dst_next_bytes},
        .src = image_linear_of(&src, images->src_next_bytes),
        .dst = image_linear_of(&dst, images->dst_next_bytes),
    };
}

static struct foveate_cuda_levels batch_levels(struct foveate_cuda_plan *plan, bool one_source)
{
    struct foveate_cuda_levels levels = {plan->smooth, plan->tiles, plan->nodes,
                                         &plan->batch.states_dirty, plan->batch.states};
    levels.smooth.samples = levels.tiles.samples = plan->batch.block->memory;
    levels.nodes.samples = plan->batch.block->memory;
    levels.smooth.next_samples = one_source ? 0 : (int64_t)plan->level_samples;
    levels.tiles.next_samples = one_source ? 0 : plan->tiles.level_samples;
    levels.nodes.next_bytes = one_source ? 0 : node_bytes(plan);
    levels.tiles.state = plan->batch.block->memory + states_at(plan, &plan->batch);
    return levels;
}

/* Images that have levels for nodes in the batch's memory. */
static uint32_t nodes_capacity(const struct foveate_cuda_plan *plan)
{
    const uint64_t bytes = plan->batch.levels * foveate_cuda_level_bytes(plan);
    const uint64_t own = (uint64_t)node_bytes(plan);
    return own == 0 || bytes / own > MOST_IN_A_GRID ? MOST_IN_A_GRID : (uint32_t)(bytes / own);
}

/* The batch was reserved for. */
static uint32_t images_at_a_time(const struct foveate_cuda *foveate,
                                 const struct foveate_cuda_plan *plan,
                                 const struct foveate_cuda_images *images)
{
    uint32_t most = images->count;
    const enum foveate_cuda_way way = way_of(foveate, plan, images);
    if (are_whole(foveate, plan, images)) {
        return image_slice_smaller(most, MOST_IN_A_GRID);
    }
    if (way == FOVEATE_CUDA_NODES && images->src_next_bytes != 0) {
        return image_slice_smaller(most, nodes_capacity(plan));
    }
    if (plan->level_samples > 0 && images->src_next_bytes != 0) {
        most = image_slice_smaller(most, plan->batch.levels);
    }
    return way == FOVEATE_CUDA_TILES ? image_slice_smaller(most, plan->batch.states) : most;
}

static enum fovea_result launch_batch(struct foveate_cuda *foveate,
                                      const struct foveate_cuda_run *run,
                                      const struct foveate_cuda_images *images)
{
    const uint32_t most = images_at_a_time(foveate, run->plan, images);
    const struct foveate_cuda_levels levels = batch_levels(run->plan, images->src_next_bytes == 0);
    FOVEA_TRY(fill_gazes(foveate, run, images));
    for (uint32_t first = 0; first < images->count;) {
        const struct foveate_cuda_slice slice =
            slice_of(run->plan, images, first, image_slice_smaller(images->count - first, most));
        FOVEA_TRY(foveate_cuda_launch_slice(foveate, run, &levels, images->src->format, &slice));
        first += slice.count;
    }
    return FOVEA_OK;
}

/* The batch's block holds gazes and levels, which the next batch writes over: that one follows on
 * its stream. The plan's own is read for its tables, and stays as long. */
enum fovea_result foveate_cuda_run_batch(struct foveate_cuda *foveate,
                                         const struct foveate_cuda_run *run,
                                         const struct foveate_cuda_images *images)
{
    struct cuda_block *block = run->plan->batch.block;
    if (!foveate_cuda_takes(run->plan, images->src->format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(cuda_uses_follow(foveate->device, &block->uses, run->stream));
    return foveate_cuda_note_use(foveate, run, block, launch_batch(foveate, run, images));
}
