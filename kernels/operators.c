/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operators.h"

#include "kernels/gaze/gaze.h"

#define OPERATOR(name) extern const struct operator_api name##_operator;
#include "operators.def"

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
