/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operators.h"

#include "kernels/gaze/gaze.h"

/* Each name is a folder here, which has NAME_operator. */
#define OPERATORS(X) X(foveate)

#define DECLARE(name) extern const struct operator_api name##_operator;
OPERATORS(DECLARE)

#define LIST(name) &name##_operator,
static const struct operator_api *const operators[] = {OPERATORS(LIST)};

const struct operator_api *operators_default(void)
{
    return operators[0];
}

struct operator_frame operator_frame_make(uint32_t width_px, uint32_t height_px,
                                          struct fovea_point_uv gaze)
{
    return (struct operator_frame){.width_px = (int32_t)width_px,
                                   .height_px = (int32_t)height_px,
                                   .gaze_x_q8 = gaze_to_q8(gaze.x_uv, (int32_t)width_px),
                                   .gaze_y_q8 = gaze_to_q8(gaze.y_uv, (int32_t)height_px)};
}
