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
    int other_count;
    int others_q8[6];
};

/* Returns a place that is looked at: of number 0 the gaze, then the others. The compiler knows each index. */
ivec2 fovea_q8(gauss_frame frame, int k)
{
    return k == 0   ? ivec2(frame.gaze_x_q8, frame.gaze_y_q8)
           : k == 1 ? ivec2(frame.others_q8[0], frame.others_q8[1])
           : k == 2 ? ivec2(frame.others_q8[2], frame.others_q8[3])
                    : ivec2(frame.others_q8[4], frame.others_q8[5]);
}

/* Returns the place of a view's pixel in the images, which may hold several views. Coordinates are clamped to the
 * view's edges before they come here. */
ivec2 place_of(gauss_frame frame, ivec2 pixel)
{
    return pixel + ivec2(frame.origin_x_px, frame.origin_y_px);
}
