/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/foveate/foveate.h"

#include "kernels/foveate/grid.h"
#include "kernels/gaze/gaze.h"
#include "kernels/image/pixel_light.h"

static bool averages_light(const struct fovea_foveation *foveation)
{
    switch (foveation->light) {
    case FOVEA_LIGHT_ENCODED:
        return false;
    case FOVEA_LIGHT_AUTO:
        return foveation->method == FOVEA_METHOD_SMOOTH;
    case FOVEA_LIGHT_LINEAR:
    case FOVEA_LIGHT_GAMMA:
    case FOVEA_LIGHT_TABLE:
        break;
    }
    return true;
}

int32_t foveate_plan_light(const struct foveate_plan *plan)
{
    const struct fovea_foveation *foveation = &plan->foveation;
    return averages_light(foveation) ? pixel_light_of(foveation->light, foveation->transfer)
                                     : IMAGE_LIGHT_STORED;
}

float foveate_plan_light_value(const struct foveate_plan *plan)
{
    return pixel_light_value(foveate_plan_light(plan), &plan->foveation.display);
}

uint32_t foveate_plan_light_samples(const struct foveate_plan *plan)
{
    return pixel_light_samples(foveate_plan_light(plan), &plan->foveation.display);
}

void foveate_plan_fill_light(const struct foveate_plan *plan, float *out_samples)
{
    pixel_light_fill_samples(foveate_plan_light(plan), &plan->foveation.display, out_samples);
}

struct foveate_frame foveate_frame_make(const struct foveate_plan *plan, struct fovea_point_uv gaze)
{
    return (struct foveate_frame){
        .width_px = (int32_t)plan->width_px,
        .height_px = (int32_t)plan->height_px,
        .fragment_px = (int32_t)plan->fragment_px,
        .gaze_x_q8 = gaze_to_q8(gaze.x_uv, (int32_t)plan->width_px),
        .gaze_y_q8 = gaze_to_q8(gaze.y_uv, (int32_t)plan->height_px),
        .blur_alpha = plan->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED,
        .light = foveate_plan_light(plan),
        .light_value = foveate_plan_light_value(plan),
    };
}

float foveate_sigma_at(const struct foveate_plan *plan, const struct foveate_frame *frame,
                       int32_t x, int32_t y)
{
    return foveate_frame_sigma(&plan->law, plan->law_table, frame, x, y);
}
