/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/gauss/gauss.h"

#include "kernels/gauss/grid.h"
#include "kernels/image/levels.h"
#include "kernels/image/light.h"
#include "kernels/operator/gaze.h"

/* Floats that were levels are light of any range, in which a millionth of white may show, as it
 * does in PQ. */
int32_t gauss_plan_light(const struct gauss_plan *plan)
{
    return plan->levels_light ? IMAGE_LIGHT_PQ : pixel_light_of_settings(&plan->foveation);
}

int32_t gauss_plan_light_told(const struct gauss_plan *plan)
{
    return plan->levels_light ? plan->levels_light->transfer.light : gauss_plan_light(plan);
}

float gauss_plan_light_value(const struct gauss_plan *plan)
{
    return pixel_light_value(gauss_plan_light(plan), &plan->foveation.display);
}

uint32_t gauss_plan_light_samples(const struct gauss_plan *plan)
{
    return pixel_light_samples(gauss_plan_light(plan), &plan->foveation.display);
}

void gauss_plan_fill_light(const struct gauss_plan *plan, float *out_samples)
{
    pixel_light_fill_samples(gauss_plan_light(plan), &plan->foveation.display, out_samples);
}

static struct gauss_frame frame_of(const struct gauss_plan *plan,
                                   const struct operator_frame *frame, bool looks)
{
    return (struct gauss_frame){
        .width_px = frame->width_px,
        .height_px = frame->height_px,
        .fragment_px = (int32_t)plan->fragment_px,
        .gaze_x_q8 = looks ? frame->gaze_x_q8 : 128 * frame->width_px,
        .gaze_y_q8 = looks ? frame->gaze_y_q8 : 128 * frame->height_px,
        .blur_alpha = plan->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED,
        .light = image_light_in_order(gauss_plan_light(plan), frame->blue_first),
        .origin_x_px = frame->origin_x_px,
        .origin_y_px = frame->origin_y_px,
        .late = looks && frame->late,
        .light_value = gauss_plan_light_value(plan),
        .others = looks ? frame->others : (struct gaze_others){0},
    };
}

/* An operator that looks at no gaze has one sigma everywhere: any gaze serves that is one. */
struct gauss_frame gauss_frame_of(const struct gauss_plan *plan, const struct operator_frame *frame)
{
    return frame_of(plan, frame, plan->base.api->looks_at_gaze);
}

struct gauss_frame gauss_frame_make(const struct gauss_plan *plan, struct fovea_point_uv gaze)
{
    const int32_t width_px = (int32_t)plan->width_px;
    const int32_t height_px = (int32_t)plan->height_px;
    const struct operator_frame frame = {.width_px = width_px,
                                         .height_px = height_px,
                                         .gaze_x_q8 = gaze_to_q8(gaze.x_uv, width_px),
                                         .gaze_y_q8 = gaze_to_q8(gaze.y_uv, height_px)};
    return frame_of(plan, &frame, true);
}

float gauss_sigma_at(const struct gauss_plan *plan, const struct gauss_frame *frame, int32_t x,
                     int32_t y)
{
    float least_px = gauss_frame_sigma(&plan->law, plan->law_table, frame, frame, x, y);
    for (int32_t k = 0; k < frame->others.count; k++) {
        const struct gauss_frame there = gauss_frame_at_other(frame, k);
        least_px =
            fminf(least_px, gauss_frame_sigma(&plan->law, plan->law_table, frame, &there, x, y));
    }
    return least_px;
}
