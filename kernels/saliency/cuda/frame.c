/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes what kernels know of a plan. */

#include "saliency_cuda.h"

#include <string.h>

static int32_t whole(int32_t count, int32_t size)
{
    return (count + size - 1) / size;
}

static struct saliency_cuda_axis axis_of(const struct saliency_axis *axis)
{
    return (struct saliency_cuda_axis){axis->first, axis->last - axis->first + 1, axis->out_first,
                                       axis->out_last - axis->out_first + 1};
}

static bool is_near(const struct saliency_level *level)
{
    return level->step_px <= SALIENCY_CUDA_NEAR_STEP;
}

/* These are counted up from level to level. */
struct counts {
    int32_t taps;
    uint32_t tiles, near_blocks, far_blocks;
    int32_t lines; /* of a tile of the level with the most */
};

static void fill_samples(struct saliency_cuda *cuda, struct saliency_cuda_level *out,
                         struct counts *counts)
{
    struct saliency_cuda_frame *frame = &cuda->frame;
    const int32_t segments = whole(out->x.count, SALIENCY_CUDA_SEGMENT);
    const bool near = out->step_px <= SALIENCY_CUDA_NEAR_STEP;
    uint32_t *blocks = near ? &counts->near_blocks : &counts->far_blocks;
    out->pitch = segments * SALIENCY_CUDA_SEGMENT;
    out->plane = frame->plane_samples;
    out->mask = frame->masks;
    frame->plane_samples += (uint64_t)SALIENCY_BINS * (uint64_t)(out->pitch * out->y.count);
    frame->masks += segments * out->y.count;
    *blocks += (uint32_t)((near ? segments : whole(frame->width_px, SALIENCY_CUDA_SEGMENT)) *
                          out->y.count);
    out->far = (int32_t)frame->far_samples;
    frame->far_samples += near ? 0 : out->x.count * out->y.count;
    out->block_end = (int32_t)*blocks;
}

/* Counts what the level's tiles take of shared memory. */
static void count_rows(struct saliency_cuda_frame *frame, const struct saliency_cuda_level *level,
                       struct counts *counts)
{
    int32_t lines = 0;
    for (uint32_t i = level->scale_first; i < level->scale_end; i++) {
        const int32_t rows = SALIENCY_CUDA_TILE_ROWS + 2 * frame->scales[i].reach;
        lines += rows;
        frame->plane_rows = rows > frame->plane_rows ? rows : frame->plane_rows;
    }
    counts->lines = lines > counts->lines ? lines : counts->lines;
}

static void fill_level(struct saliency_cuda *cuda, uint32_t number, struct counts *counts)
{
    const struct saliency_level *level = &cuda->plan->levels[number];
    struct saliency_cuda_level *out = &cuda->frame.levels[number];
    *out = (struct saliency_cuda_level){.step_px = level->step_px,
                                        .reach_px = level->reach_px,
                                        .scale_first = level->scale_first,
                                        .scale_end = level->scale_end,
                                        .taps = counts->taps,
                                        .tile_end = (int32_t)counts->tiles};
    if (level->step_px == 1) {
        return;
    }
    out->x = axis_of(&level->x);
    out->y = axis_of(&level->y);
    out->tiles_across = whole(out->x.out_count, SALIENCY_CUDA_TILE_WIDTH);
    counts->taps += 2 * level->reach_px + 2;
    counts->tiles +=
        (uint32_t)(out->tiles_across * whole(out->y.out_count, SALIENCY_CUDA_TILE_HEIGHT));
    out->tile_end = (int32_t)counts->tiles;
    fill_samples(cuda, out, counts);
    count_rows(&cuda->frame, out, counts);
}

/* Three rows or more are left. */
static unsigned char skipped_rows(const struct saliency_scale *scale, int32_t column)
{
    const int32_t *kernel = saliency_kernel_of(scale, 1) + column;
    int32_t row = 0;
    while (row < scale->reach - 1 && kernel[0] == 0 && kernel[1] == 0 && kernel[2] == 0 &&
           kernel[3] == 0) {
        kernel += SALIENCY_FINE_PITCH;
        row++;
    }
    return (unsigned char)row;
}

/* How many numbers level 0's kernels are. */
static int32_t fill_scales(const struct saliency_plan *plan, struct saliency_cuda_frame *frame)
{
    int32_t kernels = 0;
    for (uint32_t i = 0; i < plan->scale_count; i++) {
        const struct saliency_scale *scale = &plan->scales[i];
        struct saliency_cuda_scale *out = &frame->scales[i];
        *out = (struct saliency_cuda_scale){.sigma_px = scale->sigma_px,
                                            .gain = scale->gain,
                                            .level = scale->level,
                                            .reach = scale->reach,
                                            .kernel = kernels,
                                            .width = scale->width,
                                            .height = scale->height,
                                            .offset = scale->offset};
        memcpy(out->weights, scale->weights, sizeof out->weights);
        if (scale->kernels) {
            kernels += (2 * scale->reach + 1) * SALIENCY_CUDA_FINE_PITCH;
            for (int32_t column = 0; column <= 2 * scale->reach; column += 4) {
                frame->fine_skipped[i][column / 4] = skipped_rows(scale, column);
            }
        }
    }
    return kernels;
}

static void fill_kernels(const struct saliency_cuda *cuda, int32_t *out)
{
    for (uint32_t i = 0; i < cuda->plan->scale_count; i++) {
        const struct saliency_scale *scale = &cuda->plan->scales[i];
        const int32_t side = 2 * scale->reach + 1;
        for (int32_t y = 0; scale->kernels && y < side; y++) {
            memcpy(out + cuda->frame.scales[i].kernel + y * SALIENCY_CUDA_FINE_PITCH,
                   saliency_kernel_of(scale, 1) + y * SALIENCY_FINE_PITCH,
                   (size_t)side * sizeof *out);
        }
    }
}

static void fill_taps(const struct saliency_cuda *cuda, int32_t *out)
{
    for (uint32_t i = 0; i < cuda->plan->level_count; i++) {
        const struct saliency_level *level = &cuda->plan->levels[i];
        int32_t *to = out + cuda->frame.levels[i].taps;
        int32_t sum = 0;
        for (int32_t d = -level->reach_px; level->step_px > 1 && d <= level->reach_px; d++) {
            const int32_t tap = saliency_tap_of(level, d);
            sum += tap;
            if (is_near(level)) {
                to[d + level->reach_px] = tap;
            } else {
                to[d + level->reach_px + 1] = sum;
            }
        }
    }
}

struct saliency_cuda_tables saliency_cuda_fill_frame(struct saliency_cuda *cuda)
{
    const struct saliency_plan *plan = cuda->plan;
    const double threshold = plan->numbers.threshold;
    struct counts counts = {0};
    cuda->frame =
        (struct saliency_cuda_frame){.width_px = plan->width_px,
                                     .height_px = plan->height_px,
                                     .channels = (int32_t)cuda->channels,
                                     .fine_reach = plan->fine_reach,
                                     .level_count = plan->level_count,
                                     .scale_count = plan->scale_count,
                                     .response_count = plan->response_count,
                                     .threshold = threshold > 0.0 ? (float)threshold : 0.0f};
    const int32_t kernels = fill_scales(plan, &cuda->frame);
    for (uint32_t i = 0; i < plan->level_count; i++) {
        fill_level(cuda, i, &counts);
    }
    cuda->tiles = counts.tiles;
    cuda->near_blocks = counts.near_blocks;
    cuda->far_blocks = counts.far_blocks;
    cuda->filter_bytes = (uint32_t)SALIENCY_CUDA_FILTER_BYTES(cuda->frame.plane_rows, counts.lines);
    return (struct saliency_cuda_tables){sizeof(int32_t) * (size_t)kernels,
                                         sizeof(int32_t) * (size_t)counts.taps};
}

void saliency_cuda_fill_tables(const struct saliency_cuda *cuda, int32_t *kernels, int32_t *taps)
{
    fill_kernels(cuda, kernels);
    fill_taps(cuda, taps);
}
