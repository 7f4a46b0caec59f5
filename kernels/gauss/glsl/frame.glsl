/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The frame's constants. */

/* struct gauss_frame of gauss/frame.h, member by member. */
struct gauss_frame {
    int width_px;
    int height_px;
    int fragment_px;
    int gaze_x_q8;
    int gaze_y_q8;
    int blur_alpha;
    int light;
    int origin_x_px;
    int origin_y_px;
    int late;
    float light_value;
};

/* Returns the place of a view's pixel in the images, which may hold several views. Coordinates are clamped to the
 * view's edges before they come here. */
ivec2 place_of(gauss_frame frame, ivec2 pixel)
{
    return pixel + ivec2(frame.origin_x_px, frame.origin_y_px);
}
