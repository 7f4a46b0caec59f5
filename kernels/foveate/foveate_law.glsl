/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's law and levels: foveate_smooth.h in GLSL. After foveate_pixel.glsl. */

const int MAX_LEVELS = 7;
const int MARGIN = 4;
const float REST = 0.75;
const float REACH = 4.2;
const int LAW_RADIAL = 0;

/* struct foveate_law of foveate_smooth.h. */
struct foveate_law {
    int kind;
    int table_count;
    float table_per_unit;
    float strength;
    float tan_x0;
    float tan_x_per_px;
    float tan_y0;
    float tan_y_per_px;
    float sharp_px;
    int map_width;
    int map_height;
    int map_root;
    float map_outside;
    float map_least;
    float bank_log2_first;
    float bank_per_octave;
    float reserved[4];
};

/* struct foveate_level. */
struct foveate_level {
    int first;
    int pitch;
    int width;
    int height;
};

layout(set = 0, binding = 2, std430) readonly buffer Law
{
    foveate_law law;
    foveate_level levels[MAX_LEVELS];
    float law_table[];
};

float law_ramp(float sigma_px)
{
    if (sigma_px <= law.sharp_px) {
        return 0.0;
    }
    return sigma_px < 2.0 * law.sharp_px ? 2.0 * (sigma_px - law.sharp_px) : sigma_px;
}

float law_at(float at)
{
    float last = float(law.table_count - 1);
    float place = min(at * law.table_per_unit, last);
    int below = int(min(place, last - 1.0));
    return mix(law_table[below], law_table[below + 1], place - float(below));
}

vec3 law_ray(vec2 px)
{
    return vec3(law.tan_x0 + px.x * law.tan_x_per_px, law.tan_y0 + px.y * law.tan_y_per_px, 1.0);
}

float law_angle_deg(vec3 a, vec3 b)
{
    return degrees(atan(length(cross(a, b)), dot(a, b)));
}

/* sigma at a place, which is counted as the gaze is; 0: what is there is copied. */
float law_sigma_at(foveate_frame frame, vec2 place_px)
{
    vec2 pixel = place_px - 0.5;
    vec2 gaze_px = vec2(frame.gaze_x_q8, frame.gaze_y_q8) / 256.0 - 0.5;
    if (law.kind == LAW_RADIAL) {
        return law.strength * law_ramp(law_at(distance(pixel, gaze_px)));
    }
    vec3 ray = law_ray(pixel);
    float degrees_of_blur = law_at(law_angle_deg(ray, law_ray(gaze_px)));
    float px_per_radian =
        (1.0 + dot(ray.xy, ray.xy)) / sqrt(law.tan_x_per_px * law.tan_y_per_px);
    return law.strength * law_ramp(radians(degrees_of_blur) * px_per_radian);
}

/* sigma of a pixel. */
float law_sigma(foveate_frame frame, ivec2 pixel)
{
    return law_sigma_at(frame, vec2(pixel) + 0.5);
}
