/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How lines are parted among blocks of the kernels of blur_box.cu. */

#include "blur_cuda.h"

#include "core/bounds.h"

#define COLUMNS 4 /* of a block: 32 bytes of each row */
#define ROWS_THREADS 256 /* of a block that makes several rows */
#define USUAL_PLACES 2176 /* of a block's lines, where boxes reach less far than that */

static struct blur_box_lines lines_of(const struct blur_box *box, int32_t boxes)
{
    const int32_t reach_px = blur_box_reach(box);
    return (struct blur_box_lines){.half_px = box->half_px,
                                   .reach_px = reach_px,
                                   .boxes = boxes,
                                   .margin = boxes * reach_px,
                                   .end = (float)box->end,
                                   .scale = (float)box->scale,
                                   .inner = (float)(box->scale * (1.0 - box->end)),
                                   .outer = (float)(box->scale * box->end)};
}

/* A line's threads, of parts of equal length. Half of a part at least is made, of which the widest
 * boxes leave less than 2,600 places around. */
static uint32_t part_line(int32_t length, struct blur_box_lines *lines)
{
    const int32_t around = 2 * lines->margin;
    const int32_t most = BLUR_BOX_EACH * (BLUR_BOX_MOST_THREADS / COLUMNS);
    const int32_t wanted = 3 * around > USUAL_PLACES ? 3 * around : USUAL_PLACES;
    const int32_t parts = (int32_t)cuda_parts(length, (wanted < most ? wanted : most) - around);
    lines->made = (length + parts - 1) / parts;
    const uint32_t threads = cuda_parts(lines->made + around, BLUR_BOX_EACH);
    const int32_t places = ((int32_t)threads + 2 * BLUR_BOX_AROUND) * BLUR_BOX_EACH;
    lines->line_places = places + (20 - places % 16) % 16; /* neighbours lie in different banks */
    return threads;
}

static uint32_t shared_bytes_of(const struct blur_box_lines *lines, uint32_t threads,
                                uint32_t count)
{
    return count * ((uint32_t)lines->line_places * 2 * (uint32_t)sizeof(uint32_t) +
                    (threads + 2 * BLUR_BOX_AROUND) * 4 * (uint32_t)sizeof(float));
}

static enum fovea_result launch(const struct blur_run *run, int axis)
{
    struct blur_box_lines *lines = &run->work->lines;
    const int32_t width = run->passes.frame.width_px;
    const int32_t height = run->passes.frame.height_px;
    const int32_t length = axis == 0 ? width : height;
    const uint32_t threads = part_line(length, lines);
    uint32_t count = axis == 0 ? 1 + (ROWS_THREADS - 1) / threads : COLUMNS;
    count = bounds_smaller_u32(count, BLUR_BOX_MOST_THREADS / threads);
    while (count > 1 &&
           shared_bytes_of(lines, threads, count) > (uint32_t)run->kernels->shared_bytes) {
        count /= 2;
    }
    const struct cuda_launch launch = {
        .kernel = axis == 0 ? run->first : run->last,
        .blocks = {cuda_parts(axis == 0 ? height : width, (int32_t)count),
                   cuda_parts(length, lines->made), run->count},
        .threads = {threads, count},
        .shared_bytes = shared_bytes_of(lines, threads, count)};
    return cuda_launch(run->device, run->stream, &launch, run->work);
}

enum fovea_result blur_run_boxes(struct blur_run *run)
{
    const struct blur_plan *plan = run->passes.plan;
    run->work->lines = lines_of(&plan->box, (int32_t)plan->numbers.passes);
    FOVEA_TRY(launch(run, 0));
    return launch(run, 1);
}
