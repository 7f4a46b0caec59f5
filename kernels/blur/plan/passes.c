/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/blur/passes.h"

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

/* ---- Along lines */

/* Counts the samples of lines along either axis with such a margin on both sides. */
static uint64_t line_samples(const struct blur_plan *plan, int32_t margin_px)
{
    const uint64_t width = plan->machine.width_px;
    const uint64_t height = plan->machine.height_px;
    const uint64_t longer = width > height ? width : height;
    return width * height + 2 * (uint64_t)margin_px * longer;
}

static void emit_line(struct blur_passes *passes, struct blur_pass *pass, int32_t each)
{
    const struct blur_line_constants *line = &pass->constants.line;
    pass->constant_bytes = sizeof *line;
    pass->groups[0] =
        parts(line->axis == 0 ? line->frame.height_px : line->frame.width_px, BLUR_LINE_GROUP);
    pass->groups[1] = parts(line->out_count, each);
    passes->emit(passes, pass);
}

/* Those between a line's boxes, which need no more than the boxes to come. */
static uint64_t box_half(const struct blur_plan *plan)
{
    return line_samples(plan, (int32_t)(plan->numbers.passes - 1) * blur_box_reach(&plan->box));
}

static uint64_t box_samples(const struct blur_plan *plan)
{
    return 2 * box_half(plan);
}

/* By turns in two halves of the samples. */
static void add_boxes(struct blur_passes *passes)
{
    const struct blur_box *box = &passes->plan->box;
    const int32_t count = (int32_t)passes->plan->numbers.passes;
    const int32_t half = (int32_t)box_half(passes->plan);
    const int32_t width = 2 * box->half_px + 1;
    for (int32_t i = 0; i < 2 * count; i++) {
        const int32_t axis = i / count;
        const int32_t length = axis == 0 ? passes->frame.width_px : passes->frame.height_px;
        const int32_t left = count - 1 - i % count; /* boxes to come along the axis */
        const int32_t around = i % count == 0 ? 0 : (left + 1) * blur_box_reach(box);
        const int32_t kept = left * blur_box_reach(box);
        struct blur_pass pass = {.work = BLUR_LINE_BOX,
                                 .from_source = i == 0,
                                 .to_result = i + 1 == 2 * count,
                                 .constants.line = {.frame = passes->frame,
                                                    .axis = axis,
                                                    .in_first = -around,
                                                    .in_count = length + 2 * around,
                                                    .out_first = -kept,
                                                    .out_count = length + 2 * kept,
                                                    .reach_px = box->half_px,
                                                    .end = (float)box->end,
                                                    .scale = (float)box->scale}};
        pass.constants.frame.from = i % 2 == 0 ? half : 0;
        pass.constants.frame.to = i % 2 == 0 ? 0 : half;
        emit_line(passes, &pass, width < BLUR_LINE_EACH ? width : BLUR_LINE_EACH);
    }
}

static uint64_t tent_samples(const struct blur_plan *plan)
{
    return line_samples(plan, 0);
}

static void add_tents(struct blur_passes *passes)
{
    const struct blur_tent *tent = &passes->plan->tent;
    for (int32_t axis = 0; axis < 2; axis++) {
        const int32_t length = axis == 0 ? passes->frame.width_px : passes->frame.height_px;
        struct blur_pass pass = {.work = BLUR_LINE_TENT,
                                 .from_source = axis == 0,
                                 .to_result = axis == 1,
                                 .constants.line = {.frame = passes->frame,
                                                    .axis = axis,
                                                    .in_count = length,
                                                    .out_count = length,
                                                    .reach_px = tent->reach_px,
                                                    .radius_px = (float)tent->radius_px,
                                                    .scale = (float)tent->scale}};
        emit_line(passes, &pass, BLUR_LINE_EACH);
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
            .groups = {parts(passes->frame.width_px, BLUR_HEAT_MADE),
                       parts(passes->frame.height_px, BLUR_HEAT_MADE)},
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
