/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze of a frame whose latch has run: gaze_latch.comp. After frame.glsl. */

layout(set = 0, binding = 5) uniform Latched { ivec4 latched_gaze; };

/* The frame as it was submitted, with the gaze that counts. */
foveate_frame frame_now(foveate_frame submitted)
{
    if (submitted.late != 0) {
        submitted.gaze_x_q8 = latched_gaze.x;
        submitted.gaze_y_q8 = latched_gaze.y;
    }
    return submitted;
}
