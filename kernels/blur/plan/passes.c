/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/blur/passes.h"

#include "core/bounds.h"
#include "kernels/blur/plan.h"
#include "kernels/image/pixel_light.h"

static uint32_t parts(int32_t size, int32_t part)
{
    return (uint32_t)((size + part - 1) / part);
}

float blur_passes_white(int32_t light, enum fovea_format format)
{
    if (!pixel_light_known(format)) {
        return 1.0f;
    }
    if (light != IMAGE_LIGHT_STORED) {
        return image_light_is_wide(light) ? (float)IMAGE_LIGHT_SCALE : 1.0f;
    }
    return pixel_white(format);
}

/* Counts the samples of lines along either axis with such a margin on both sides. */
static uint64_t line_samples(const struct blur_plan *plan, int32_t margin_px)
{
    const uint64_t width = plan->machine.width_px;
    const uint64_t height = plan->machine.height_px;
    const uint64_t longer = width > height ? width : height;
    return width * height + 2 * (uint64_t)margin_px * longer;
}

/* ---- Boxes along lines */

/* A workgroup's places, of which its boxes reach over a half at most, unless one alone does. */
static int32_t boxes_of_a_pass(const struct blur_plan *plan)
{
    const int32_t most =
        BLUR_BOX_THREADS * BLUR_BOX_PLACES / 4 / bounds_larger(blur_box_reach(&plan->box), 1);
    return bounds_clamped((int32_t)plan->numbers.passes, 1, bounds_larger(most, 1));
}

/* Those between passes, which need no more than the boxes to come. */
static uint64_t box_half(const struct blur_plan *plan)
{
    const int32_t left = (int32_t)plan->numbers.passes - boxes_of_a_pass(plan);
    return line_samples(plan, left * blur_box_reach(&plan->box));
}

/* An axis after the other needs one half, and more passes of an axis two, by turns. */
static uint64_t box_samples(const struct blur_plan *plan)
{
    const bool once = boxes_of_a_pass(plan) == (int32_t)plan->numbers.passes;
    return (once ? 1 : 2) * box_half(plan);
}

/* Parts lines so that a workgroup makes the most places. Columns lie beside each other in memory,
 * so that one alone counts half. */
static void part_lines(struct blur_box_constants *box)
{
    const int32_t around = 2 * box->boxes * box->reach_px;
    const int32_t fewest =
        bounds_parts(box->out_count, BLUR_BOX_THREADS * BLUR_BOX_PLACES - around);
    int32_t most_made = 0;
    for (int32_t groups = fewest; groups < 4 * fewest + 4; groups++) {
        const int32_t made = bounds_parts(box->out_count, groups);
        const int32_t parts = bounds_parts(made + around, BLUR_BOX_PLACES);
        const int32_t lines = BLUR_BOX_THREADS / parts;
        const int32_t all_made = lines * box->out_count / groups;
        const int32_t counted = box->axis == 1 && lines == 1 ? all_made / 2 : all_made;
        if (counted >= most_made) {
            most_made = counted;
            box->made = made;
            box->parts = parts;
            box->lines = lines;
        }
    }
}

static void emit_boxes(struct blur_passes *passes, struct blur_pass *pass)
{
    struct blur_box_constants *box = &pass->constants.box;
    part_lines(box);
    pass->constant_bytes = sizeof *box;
    pass->groups[0] =
        parts(box->axis == 0 ? box->frame.height_px : box->frame.width_px, box->lines);
    pass->groups[1] = parts(box->out_count, box->made);
    passes->emit(passes, pass);
}

/* Whole boxes are the ones next to them, whose ends count whole, so that all have ends. */
static void add_boxes_along(struct blur_passes *passes, int32_t axis, int32_t *count)
{
    const struct blur_plan *plan = passes->plan;
    const struct blur_box *box = &plan->box;
    const bool whole = !(box->end > 0.0);
    const int32_t half = (int32_t)box_half(plan);
    const int32_t length = axis == 0 ? passes->frame.width_px : passes->frame.height_px;
    int32_t around = 0; /* places beside the picture that are there */
    for (int32_t left = (int32_t)plan->numbers.passes; left > 0; (*count)++) {
        const int32_t boxes = bounds_smaller(left, boxes_of_a_pass(plan));
        left -= boxes;
        const int32_t kept = left * blur_box_reach(box);
        struct blur_pass pass = {.work = BLUR_LINE_BOX,
                                 .from_source = *count == 0,
                                 .to_result = axis == 1 && left == 0,
                                 .constants.box = {.frame = passes->frame,
                                                   .axis = axis,
                                                   .in_first = -around,
                                                   .in_count = length + 2 * around,
                                                   .out_first = -kept,
                                                   .out_count = length + 2 * kept,
                                                   .boxes = boxes,
                                                   .half_px = box->half_px - (whole ? 1 : 0),
                                                   .reach_px = blur_box_reach(box),
                                                   .end = whole ? 1.0f : (float)box->end,
                                                   .scale = (float)box->scale}};
        pass.constants.frame.from = *count % 2 == 0 ? half : 0;
        pass.constants.frame.to = *count % 2 == 0 ? 0 : half;
        emit_boxes(passes, &pass);
        around = kept;
    }
}

static void add_boxes(struct blur_passes *passes)
{
    int32_t count = 0;
    add_boxes_along(passes, 0, &count);
    add_boxes_along(passes, 1, &count);
}

/* ---- Tents along lines */

static uint64_t tent_samples(const struct blur_plan *plan)
{
    return line_samples(plan, 0);
}

static void add_tents(struct blur_passes *passes)
{
    const struct blur_tent *tent = &passes->plan->tent;
    const struct blur_pass_frame *frame = &passes->frame;
    for (int32_t axis = 0; axis < 2; axis++) {
        const int32_t length = axis == 0 ? frame->width_px : frame->height_px;
        struct blur_pass pass = {
            .work = BLUR_LINE_TENT,
            .from_source = axis == 0,
            .to_result = axis == 1,
            .constant_bytes = sizeof pass.constants.line,
            .groups = {parts(axis == 0 ? frame->height_px : frame->width_px, BLUR_LINE_GROUP),
                       parts(length, BLUR_LINE_EACH)},
            .constants.line = {.frame = *frame,
                               .axis = axis,
                               .length = length,
                               .reach_px = tent->reach_px,
                               .radius_px = (float)tent->radius_px,
                               .scale = (float)tent->scale}};
        passes->emit(passes, &pass);
    }
}

/* ---- Levels */

/* Levels from 1 on; then the coarsest one, widened. */
static uint64_t pyramid_samples(const struct blur_plan *plan)
{
    const int32_t levels = plan->pyramid.levels;
    const struct blur_pass_level coarsest = blur_level_of(plan, levels);
    return (uint64_t)blur_level_samples_before(plan, levels + 1) +
           (uint64_t)coarsest.pitch * (uint64_t)blur_level_rows(&coarsest);
}

static void add_level(struct blur_passes *passes, enum blur_work work, int32_t read, int32_t made)
{
    const struct blur_plan *plan = passes->plan;
    const int32_t levels = plan->pyramid.levels;
    const bool reads_widened = work == BLUR_LEVEL_DOUBLE && read == levels;
    struct blur_pass pass = {.work = work,
                             .from_source = read == 0,
                             .to_result = made == 0,
                             .constant_bytes = sizeof pass.constants.level,
                             .constants.level = {.frame = passes->frame,
                                                 .fine = blur_level_of(plan, read),
                                                 .made = blur_level_of(plan, made)}};
    struct blur_level_constants *level = &pass.constants.level;
    level->frame.from = blur_level_samples_before(plan, reads_widened ? levels + 1 : read);
    level->frame.to = blur_level_samples_before(plan, work == BLUR_LEVEL_WIDEN ? levels + 1 : made);
    blur_pyramid_taps(&plan->pyramid, level->taps);
    pass.groups[0] = parts(level->made.pitch, BLUR_LEVEL_SIDE);
    pass.groups[1] = parts(blur_level_rows(&level->made), BLUR_LEVEL_SIDE);
    passes->emit(passes, &pass);
}

static void add_pyramid(struct blur_passes *passes)
{
    const int32_t levels = passes->plan->pyramid.levels;
    for (int32_t i = 0; i < levels; i++) {
        add_level(passes, BLUR_LEVEL_HALVE, i, i + 1);
    }
    add_level(passes, BLUR_LEVEL_WIDEN, levels, levels);
    for (int32_t i = levels; i > 0; i--) {
        add_level(passes, BLUR_LEVEL_DOUBLE, i, i - 1);
    }
}

/* ---- Heat */

static uint64_t heat_samples(const struct blur_plan *plan)
{
    return 2 * line_samples(plan, 0);
}

static void add_heat(struct blur_passes *passes)
{
    const struct blur_heat *heat = &passes->plan->heat;
    const int32_t half = (int32_t)line_samples(passes->plan, 0);
    const double edge = heat->edge * (double)passes->white;
    for (int32_t done = 0, i = 0; done < heat->steps; i++) {
        const int32_t left = heat->steps - done;
        const int32_t steps = left < BLUR_HEAT_STEPS ? left : BLUR_HEAT_STEPS;
        struct blur_pass pass = {
            .work = edge > 0.0 ? BLUR_HEAT_WITHIN_EDGES : BLUR_HEAT_EVERYWHERE,
            .from_source = i == 0,
            .to_result = done + steps == heat->steps,
            .constant_bytes = sizeof pass.constants.heat,
            .groups = {parts(passes->frame.width_px, BLUR_HEAT_MADE_X),
                       parts(passes->frame.height_px, BLUR_HEAT_MADE_Y)},
            .constants.heat = {
                .frame = passes->frame,
                .steps = steps,
                .rate = (float)heat->rate,
                .per_square = edge > 0.0 ? (float)(1.0 / (edge * edge * passes->colors)) : 0.0f}};
        pass.constants.frame.from = i % 2 == 0 ? half : 0;
        pass.constants.frame.to = i % 2 == 0 ? 0 : half;
        done += steps;
        passes->emit(passes, &pass);
    }
}

const struct blur_passes_engine blur_passes_quasi = {pyramid_samples, add_pyramid};
const struct blur_passes_engine blur_passes_box = {box_samples, add_boxes};
const struct blur_passes_engine blur_passes_diffusion = {heat_samples, add_heat};
const struct blur_passes_engine blur_passes_spread = {tent_samples, add_tents};
