/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate.h"

#include "foveate_gaze.h"
#include "foveate_grid.h"
#include "pixel_light.h"

static bool averages_light(const struct fovea_foveation *foveation)
{
    return foveation->light == FOVEA_LIGHT_LINEAR ||
           (foveation->light == FOVEA_LIGHT_AUTO && foveation->method == FOVEA_METHOD_SMOOTH);
}

int32_t foveate_plan_light(const struct foveate_plan *plan)
{
    const struct fovea_foveation *foveation = &plan->foveation;
    return averages_light(foveation) ? FOVEATE_LIGHT_SRGB + (int32_t)foveation->transfer
                                     : FOVEATE_LIGHT_STORED;
}

static float light_value(const struct foveate_plan *plan)
{
    return foveate_plan_light(plan) == FOVEATE_LIGHT_HLG
               ? (float)pixel_light_system_gamma(plan->foveation.display.hlg_peak_cd_m2)
               : 0.0f;
}

struct foveate_frame foveate_frame_make(const struct foveate_plan *plan, struct fovea_point_uv gaze)
{
    return (struct foveate_frame){
        .width_px = (int32_t)plan->width_px,
        .height_px = (int32_t)plan->height_px,
        .fragment_px = (int32_t)plan->fragment_px,
        .gaze_x_q8 = foveate_gaze_q8(gaze.x_uv, (int32_t)plan->width_px),
        .gaze_y_q8 = foveate_gaze_q8(gaze.y_uv, (int32_t)plan->height_px),
        .ring_count = (int32_t)plan->ring_count,
        .blur_alpha = plan->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED,
        .light = foveate_plan_light(plan),
        .light_value = light_value(plan),
    };
}

static float blockwise_sigma(const struct foveate_plan *plan, const struct foveate_frame *frame,
                             int32_t x, int32_t y)
{
    const int32_t side_px = frame->fragment_px;
    const int32_t index_x = (x + foveate_grid_shift_px(frame->gaze_x_q8, side_px)) / side_px;
    const int32_t index_y = (y + foveate_grid_shift_px(frame->gaze_y_q8, side_px)) / side_px;
    const struct foveate_grid_filters filters = {plan->rings, &plan->law, plan->law_table};
    const int32_t ring = foveate_grid_filter(&filters, frame, index_x, index_y);
    return ring == FOVEATE_RING_NONE ? 0.0f : plan->rings[ring].sigma_px;
}

float foveate_sigma_at(const struct foveate_plan *plan, const struct foveate_frame *frame,
                       int32_t x, int32_t y)
{
    if (!plan->smooth) {
        return blockwise_sigma(plan, frame, x, y);
    }
    return foveate_law_sigma(&plan->law, plan->law_table, x, y, (float)frame->gaze_x_q8 / 256.0f,
                             (float)frame->gaze_y_q8 / 256.0f);
}
