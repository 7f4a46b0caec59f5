/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze of a frame after gaze_latch.comp has run. Include it after frame.glsl. */

layout(set = 0, binding = 5) uniform Latched { ivec4 latched_gaze; };

/* Returns the frame with the gaze that counts. */
gauss_frame frame_now(gauss_frame submitted)
{
    if (submitted.late != 0) {
        submitted.gaze_x_q8 = latched_gaze.x;
        submitted.gaze_y_q8 = latched_gaze.y;
    }
    return submitted;
}
