#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Draws over a foveated frame to show what foveation does: the engine's own image left of a wipe, sigma as colours,
 * circles of equal eccentricity, the gaze, what it may go to and where it was, lines of text, a square for a
 * photodiode.
 *
 * Workgroup: 16 x 16 threads, a pixel each; no shared memory.
 * A thread stores only if something covers its pixel. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/image/pixel.glsl"
#include "kernels/gauss/glsl/frame.glsl"
#include "kernels/gauss/glsl/law.glsl"
#include "kernels/gauss/glsl/gaze_latched.glsl"
#include "overlay_font.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

/* struct overlay_constants of overlay.h. */
layout(push_constant) uniform Constants
{
    gauss_frame submitted;
    float wipe_px; /* 0: none */
    float sigma_max_px;
    vec4 rings; /* from the gaze, in pixels or degrees; 0: none */
    int flags;
    int text_columns;
    int text_rows; /* 0: none */
    int text_scale;
};
gauss_frame frame;
/* struct operator_hud of operator_glsl.h. */
layout(set = 0, binding = 4, std430) readonly buffer Hud
{
    uint characters[384];
    uint circle_count;
    uint point_count;
    uvec2 unused;
    vec4 circles[47];
    vec4 points[16];
};

const int FLAG_MARKER = 1;
const int FLAG_HEATMAP = 2;
const int FLAG_SWAP_RED_BLUE = 4;
const int FLAG_RINGS_BY_ANGLE = 8;
const int FLAG_PATCH_WHITE = 16;
const int FLAG_PATCH_BY_GAZE = 32;
const int FLAG_SEEN = 64;
const int PATCH_SHIFT = 16;
const int TEXT_MARGIN_PX = 8;

bool stores_light()
{
    return PIXEL == PIXEL_RGBA16F || PIXEL == PIXEL_B10G11R11F;
}

/* Colours are mixed in display-encoded values. */
vec3 to_shown(vec3 stored)
{
    if ((flags & FLAG_SWAP_RED_BLUE) != 0) {
        stored = stored.zyx;
    }
    if (stores_light()) {
        return pow(clamp(stored, 0.0, 1.0), vec3(1.0 / 2.2));
    }
    return stored / (PIXEL == PIXEL_A2B10G10R10 ? 1023.0 : 255.0);
}

vec3 to_stored(vec3 shown)
{
    vec3 stored = stores_light() ? pow(shown, vec3(2.2))
                                 : shown * (PIXEL == PIXEL_A2B10G10R10 ? 1023.0 : 255.0);
    return (flags & FLAG_SWAP_RED_BLUE) != 0 ? stored.zyx : stored;
}

/* The colours go from dark blue over green to yellow with rising lightness: they are readable without telling red
 * from green. */
vec3 heat_colour(float t)
{
    const vec3 stops[5] = vec3[5](vec3(0.267, 0.004, 0.329), vec3(0.231, 0.322, 0.545),
                                  vec3(0.129, 0.569, 0.549), vec3(0.369, 0.788, 0.384),
                                  vec3(0.992, 0.906, 0.145));
    float at = clamp(t, 0.0, 1.0) * 4.0;
    int below = min(int(at), 3);
    return mix(stops[below], stops[below + 1], at - float(below));
}

/* A light line with dark edges is visible on every picture: returns the coverage of (light, dark) at a distance. */
vec2 stroke(float distance_px, float half_width_px)
{
    float light = clamp(half_width_px + 0.5 - distance_px, 0.0, 1.0);
    float dark = clamp(half_width_px + 1.5 - distance_px, 0.0, 1.0);
    return vec2(light, dark);
}

float cross_distance(vec2 d)
{
    vec2 a = abs(d);
    float across = max(max(a.x - 10.0, 3.0 - a.x), a.y);
    float down = max(max(a.y - 10.0, 3.0 - a.y), a.x);
    return min(across, down);
}

/* Returns degrees from the gaze's ray, as the law has them. */
float eccentricity_deg(vec2 place)
{
    vec2 gaze = vec2(frame.gaze_x_q8, frame.gaze_y_q8) / 256.0;
    return law_angle_deg(law_ray(place - 0.5), law_ray(gaze - 0.5));
}

/* Returns the eccentricity in the rings' unit, and how much of it a pixel is: on a flat picture a degree has as
 * many pixels as place and direction say, and rings are no circles. */
vec2 ring_place(vec2 pixel, float distance_px)
{
    if ((flags & FLAG_RINGS_BY_ANGLE) == 0 || rings == vec4(0.0)) {
        return vec2(distance_px, 1.0);
    }
    vec2 slope = vec2(eccentricity_deg(pixel + vec2(0.5, 0.0)) - eccentricity_deg(pixel - vec2(0.5, 0.0)),
                      eccentricity_deg(pixel + vec2(0.0, 0.5)) - eccentricity_deg(pixel - vec2(0.0, 0.5)));
    return vec2(eccentricity_deg(pixel), max(length(slope), 1e-6));
}

float segment_distance(vec2 pixel, vec2 from, vec2 to)
{
    vec2 along = to - from;
    float part = dot(pixel - from, along) / max(dot(along, along), 1e-6);
    return length(pixel - from - clamp(part, 0.0, 1.0) * along);
}

/* Circles around what a source proposes, and the path that the gaze has gone. */
vec2 seen_at(vec2 pixel)
{
    vec2 cover = vec2(0.0);
    for (uint i = 0u; i < circle_count; i++) {
        cover = max(cover, stroke(abs(length(pixel - circles[i].xy) - circles[i].z), 0.5));
    }
    for (uint i = 0u; i < point_count; i++) {
        vec2 from = points[max(int(i) - 1, 0)].xy;
        cover = max(cover, stroke(segment_distance(pixel, from, points[i].xy), 0.5));
        cover = max(cover, stroke(length(pixel - points[i].xy), 2.5));
    }
    return cover;
}

vec2 marks(vec2 pixel)
{
    vec2 cover = vec2(0.0);
    vec2 d = pixel - vec2(frame.gaze_x_q8, frame.gaze_y_q8) / 256.0;
    float r = length(d);
    vec2 place = ring_place(pixel, r);
    for (int i = 0; i < 4; i++) {
        if (rings[i] > 0.0) {
            cover = max(cover, stroke(abs(place.x - rings[i]) / place.y, 0.5));
        }
    }
    if ((flags & FLAG_MARKER) != 0) {
        cover = max(cover, stroke(abs(r - 14.0), 0.75));
        cover = max(cover, stroke(cross_distance(d), 0.75));
    }
    for (int k = 1; k <= frame.other_count && (flags & (FLAG_MARKER | FLAG_SEEN)) != 0; k++) {
        float away = length(pixel - vec2(fovea_q8(frame, k)) / 256.0);
        cover = max(cover, stroke(abs(away - 14.0), 0.75));
    }
    if ((flags & FLAG_SEEN) != 0) {
        cover = max(cover, seen_at(pixel));
    }
    if (wipe_px > 0.0 && wipe_px < float(frame.width_px)) {
        cover = max(cover, stroke(abs(pixel.x - wipe_px), 1.0));
    }
    return cover;
}

/* 0: no text here, 1: its background, 2: a letter. */
int text_at(ivec2 pixel)
{
    ivec2 cell_px = ivec2(FONT_WIDTH_PX, FONT_HEIGHT_PX) * text_scale;
    ivec2 at = pixel - TEXT_MARGIN_PX;
    ivec2 cell = at / cell_px;
    if (any(lessThan(at, ivec2(0))) || cell.x >= text_columns || cell.y >= text_rows) {
        return 0;
    }
    int index = cell.y * text_columns + cell.x;
    uint character = characters[index >> 2] >> ((index & 3) * 8) & 255u;
    if (character == 0u) {
        return 0;
    }
    ivec2 in_cell = (at - cell * cell_px) / text_scale;
    return font_bit(character, in_cell) ? 2 : 1;
}

/* The square in the lower left corner. */
bool in_patch(ivec2 pixel)
{
    int side_px = flags >> PATCH_SHIFT;
    return pixel.x < side_px && pixel.y >= frame.height_px - side_px;
}

vec3 patch_colour()
{
    bool right = frame.gaze_x_q8 >= frame.width_px * 128;
    bool white = (flags & FLAG_PATCH_BY_GAZE) != 0 ? right : (flags & FLAG_PATCH_WHITE) != 0;
    return vec3(white ? 1.0 : 0.0);
}

void main()
{
    frame = frame_now(submitted);
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= frame.width_px || pixel.y >= frame.height_px) {
        return;
    }
    vec2 centre = vec2(pixel) + 0.5;
    bool wiped = centre.x < wipe_px;
    bool heated = !wiped && (flags & FLAG_HEATMAP) != 0;
    vec2 cover = marks(centre);
    int text = text_rows > 0 ? text_at(pixel) : 0;
    bool patched = in_patch(pixel);
    if (!wiped && !heated && cover.y == 0.0 && text == 0 && !patched) {
        return;
    }
    ivec2 place = place_of(frame, pixel);
    uvec4 raw = wiped ? texelFetch(source, place, 0) : imageLoad(result, place);
    vec4 colour = decode(raw);
    if (wiped && cover.y == 0.0 && text == 0 && !patched) {
        imageStore(result, place, raw);
        return;
    }
    vec3 shown = to_shown(colour.rgb);
    if (heated) {
        shown = mix(shown, heat_colour(law_sigma_of_pixel(frame, pixel) / sigma_max_px), 0.65);
    }
    shown = mix(mix(shown, vec3(0.0), 0.7 * cover.y), vec3(1.0), cover.x);
    shown = patched ? patch_colour() : shown;
    shown = text == 1 ? shown * 0.35 : text == 2 ? vec3(1.0) : shown;
    imageStore(result, place, encode(vec4(to_stored(shown), colour.a), raw));
}
