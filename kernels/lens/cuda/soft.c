/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "soft.h"

#include <math.h>
#include <string.h>

/* How far sources of a thread's pixels may lie beside the line from the first to the last. */
#define SWING_PX 8.0f
#define MOST_SHARP 0.6 /* of the picture's pixels */

/* A texture does what the bilinear filter does, and no other. It would interpolate alpha as light.
 */
bool lens_soft_reads(const struct operator_plan *operator_plan)
{
    const struct lens_plan *plan = lens_plan_of(operator_plan);
    return !plan->copies && plan->filter == LENS_BILINEAR && !plan->averages_alpha &&
           plan->light.kind == IMAGE_LIGHT_SRGB;
}

/* Pixels that come from near the gaze cost a little more than all do without a texture, the others
 * less than half. */
static bool is_mostly_soft(const struct lens_shape *shape, double from_px)
{
    const double across_px = fmin(2.0 * from_px, shape->width_px);
    const double down_px = fmin(2.0 * from_px, shape->height_px);
    return across_px * down_px < MOST_SHARP * shape->width_px * shape->height_px;
}

bool lens_soft_serves(const struct lens_plan *plan, const struct operator_cuda_texture *texture)
{
    return texture->light != 0 && lens_soft_reads(&plan->base) &&
           is_mostly_soft(&plan->shape, texture->soft_from_px);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

struct lens_soft lens_soft_of(const struct operator_cuda_run *run, const struct lens_frame *frame)
{
    struct lens_soft soft = {
        .texture = run->src_texture.light,
        .gazes = run->gazes,
        .is_late = run->gazes != 0,
        .is_whole = run->src_texture.is_view,
        .last_x_px = (float)frame->shape.width_px - 0.5f,
        .last_y_px = (float)frame->shape.height_px - 0.5f,
        .rounded_x_px = LENS_SOFT_ROUNDS - (float)frame->origin_x_px,
        .rounded_y_px = LENS_SOFT_ROUNDS - (float)frame->origin_y_px,
        .white = 255.0f,
        .gaze_x_2px = (float)run->frame->gaze_x_q8 / 128.0f,
        .gaze_y_2px = (float)run->frame->gaze_y_q8 / 128.0f,
        .from_2px = 2.0f * ((float)run->src_texture.soft_from_px + SWING_PX),
        .width_bits = bits_of((float)frame->shape.width_px),
        .height_bits = bits_of((float)frame->shape.height_px),
        .px_a_step = 1.0f / frame->fixed.steps_a_px,
        .center_x_px = 0.5f - frame->fixed.first_x_px,
        .center_y_px = 0.5f - frame->fixed.first_y_px,
    };
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        const float one = i % LENS_POWERS == 0 ? 1.0f : 0.0f;
        soft.terms[i] = one + frame->fixed.terms[i] / frame->fixed.steps_a_px;
    }
    return soft;
}
