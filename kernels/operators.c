/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operators.h"

#include "kernels/operator/gaze.h"

_Static_assert(GAZE_OTHERS_MAX == FOVEA_FOVEAS_MAX - 1, "the gaze is a fovea");

static const struct operator_api *const operators[] = {
#define OPERATOR(name) &name##_operator,
#include "operators.def"
};

const struct operator_api *operators_at(enum fovea_operator name)
{
    return operators[name];
}

struct operator_frame operator_frame_make(uint32_t width_px, uint32_t height_px,
                                          struct fovea_point_uv gaze)
{
    return (struct operator_frame){.width_px = (int32_t)width_px,
                                   .height_px = (int32_t)height_px,
                                   .gaze_x_q8 = gaze_to_q8(gaze.x_uv, (int32_t)width_px),
                                   .gaze_y_q8 = gaze_to_q8(gaze.y_uv, (int32_t)height_px)};
}

void operator_frame_set_others(struct operator_frame *frame, const struct fovea_point_uv *places,
                               uint32_t count)
{
    frame->others.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (isfinite(places[i].x_uv) && isfinite(places[i].y_uv)) {
            int32_t *place_q8 = frame->others.q8[frame->others.count++];
            place_q8[0] = gaze_to_q8(places[i].x_uv, frame->width_px);
            place_q8[1] = gaze_to_q8(places[i].y_uv, frame->height_px);
        }
    }
}
