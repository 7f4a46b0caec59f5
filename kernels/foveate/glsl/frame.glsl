/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The frame's constants. */

/* struct foveate_frame of foveate.h, member by member. */
struct foveate_frame {
    int width_px;
    int height_px;
    int fragment_px;
    int gaze_x_q8;
    int gaze_y_q8;
    int ring_count;
    int blur_alpha;
    int light;
    int origin_x_px;
    int origin_y_px;
    int late;
    float light_value;
};

/* Where a view's pixel lies in the images, which may hold several views. What lies beyond a view's
 * edges is its own edge again: coordinates are clamped before they come here. */
ivec2 place_of(foveate_frame frame, ivec2 pixel)
{
    return pixel + ivec2(frame.origin_x_px, frame.origin_y_px);
}
