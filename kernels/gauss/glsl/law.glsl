/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The law and the levels: gauss/law.h and gauss/pyramid.h in GLSL. Include it after frame.glsl. */

const int MAX_LEVELS = 7;
const int MARGIN = 4;
const float RESIDUAL = LIGHT_WIDE ? 1.6 : 0.90; /* gauss/pyramid.h */
const float REACH = LIGHT_WIDE ? 6.5 : 4.2;
const int LAW_RADIAL = 0;
const int LAW_MAP = 2;
const int LAW_MAP_PROJECTED = 3;
const int LAW_RINGS = 4;
/* Shaders that define FOR_ONE_LAW have no code of other kinds, which is most of theirs and many registers. */
#ifdef FOR_ONE_LAW
layout(constant_id = 3) const int LAW_KIND = LAW_RADIAL;
#else
#define LAW_KIND law.kind
#endif

/* struct gauss_law of gauss/law.h. */
struct gauss_law {
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
};

/* struct gauss_level. */
struct gauss_level {
    int first;
    int pitch;
    int width;
    int height;
};

layout(set = 0, binding = 2, std430) readonly buffer Law
{
    gauss_law law;
    gauss_level levels[MAX_LEVELS];
    float law_table[]; /* then the display's samples */
};
#define LIGHT_SAMPLES law_table
#define LIGHT_SAMPLES_FROM law.table_count

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

/* Returns a map's value at a place from the gaze, right and down, in the table's units. */
float law_map(vec2 at)
{
    vec2 last = vec2(law.map_width, law.map_height) - 1.0;
    vec2 place = clamp(at * law.table_per_unit + 0.5 * last, vec2(0.0), last);
    ivec2 corner = ivec2(min(place, last - 1.0));
    vec2 part = place - vec2(corner);
    int above = corner.y * law.map_width + corner.x;
    int below = above + law.map_width;
    float value = mix(mix(law_table[above], law_table[above + 1], part.x),
                      mix(law_table[below], law_table[below + 1], part.x), part.y);
    return law.map_root != 0 ? inversesqrt(value) : value;
}

vec3 law_ray(vec2 px)
{
    return vec3(law.tan_x0 + px.x * law.tan_x_per_px, law.tan_y0 + px.y * law.tan_y_per_px, 1.0);
}

/* Returns the angle whose tangent is rise / run in degrees, 0 to 180, for a rise that is not negative. GLSL's own
 * may be 4096 units off (Vulkan, "Precision of core SPIR-V instructions"), and is on NVIDIA's GPUs. Cephes' polynomial
 * (atanf), below tan(22.5 degrees). */
float law_arc_deg(float rise, float run)
{
    float ratio = min(rise, abs(run)) / max(max(rise, abs(run)), 1e-30);
    bool reduced = ratio > 0.41421356;
    float x = reduced ? (ratio - 1.0) / (ratio + 1.0) : ratio;
    float z = x * x;
    float arc = (((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z -
                 3.33329491539e-1) * z * x + x;
    arc += reduced ? radians(45.0) : 0.0;
    arc = rise > abs(run) ? radians(90.0) - arc : arc;
    return degrees(run < 0.0 ? radians(180.0) - arc : arc);
}

float law_angle_deg(vec3 a, vec3 b)
{
    return law_arc_deg(length(cross(a, b)), dot(a, b));
}

/* Returns the place on the map of gauss_law_map_projected: differences first, so that small angles are exact. */
vec2 law_map_projected(vec3 ray, vec3 gaze)
{
    vec2 off = ray.xy - gaze.xy;
    float level_sq = 1.0 + gaze.x * gaze.x;
    float gaze_sq = level_sq + gaze.y * gaze.y;
    vec2 side = vec2(off.x / sqrt(level_sq),
                     (off.y + gaze.x * (gaze.x * off.y - gaze.y * off.x)) /
                         sqrt(level_sq * gaze_sq));
    float ahead = dot(ray, gaze) / sqrt(gaze_sq);
    float far = length(side);
    return far > 0.0 ? side * (law_arc_deg(far, ahead) / far) : vec2(0.0);
}

/* Returns sigma at a place, counted as the gaze is, before the ramp and the strength: the least of all foveas. Each
 * table is read in one place of the code: drivers put it into every caller, and take seconds for some of them. */
float law_plain(gauss_frame frame, vec2 place_px)
{
    vec2 pixel = place_px - 0.5;
    bool is_map = LAW_KIND == LAW_MAP || LAW_KIND == LAW_MAP_PROJECTED;
    bool is_flat = LAW_KIND == LAW_MAP || LAW_KIND == LAW_RADIAL;
    vec3 ray = law_ray(pixel);
    float least = 0.0;
    for (int k = 0; k <= frame.other_count; k++) {
        vec2 gaze_px = vec2(fovea_q8(frame, k)) / 256.0 - 0.5;
        vec3 gaze = law_ray(gaze_px);
        vec2 off = pixel - gaze_px;
        float apart = length(off);
        if (LAW_KIND == LAW_MAP_PROJECTED) {
            off = law_map_projected(ray, gaze);
        } else if (!is_flat) {
            apart = law_angle_deg(ray, gaze);
        }
        float value = is_map ? law_map(off) : law_at(apart);
        least = k > 0 ? min(least, value) : value;
    }
    float px_per_radian = length(ray) / max(law.tan_x_per_px, law.tan_y_per_px);
    return is_flat ? least : radians(least) * px_per_radian;
}

float law_applied(float plain_px)
{
    return law.strength * law_ramp(plain_px);
}

#include "grid.glsl"

/* Returns sigma of a pixel, at its centre, or of the fragment with that middle; 0: it is copied. */
float law_sigma_at(gauss_frame frame, ivec2 pixel, ivec2 middle)
{
    if (LAW_KIND == LAW_RINGS) {
        int ring = ring_at(frame, 0, middle);
        for (int k = 1; k <= frame.other_count; k++) {
            ring = min(ring, ring_at(frame, k, middle));
        }
        return ring > 0 ? law.strength * law_table[ring - 1] : 0.0;
    }
    ivec2 size_px = ivec2(frame.width_px, frame.height_px);
    vec2 place_px = frame.fragment_px > 0 ? vec2(clamp(middle, ivec2(0), size_px)) : vec2(pixel) + 0.5;
    return law_applied(law_plain(frame, place_px));
}

/* Returns sigma of a pixel, of any law; shaders that know many pixels of a fragment find its middle once. */
float law_sigma_of_pixel(gauss_frame frame, ivec2 pixel)
{
    ivec2 middle = frame.fragment_px > 0 ? grid_middle(frame, pixel) : ivec2(0);
    return law_sigma_at(frame, pixel, middle);
}

/* Returns sigma of a pixel of a law without steps. */
float law_sigma(gauss_frame frame, ivec2 pixel)
{
    return law_applied(law_plain(frame, vec2(pixel) + 0.5));
}
