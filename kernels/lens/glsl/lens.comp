#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The whole operator. A thread makes a pixel: it works out where the source lies, and takes the pixels around that
 * place. Bound by memory where pixels are stored values, and by arithmetic where they are light, which each thread
 * works out for all it takes. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/image/pixel.glsl"

/* A display's samples, then a grid's moves (x and y in pixels at each point). */
layout(set = 0, binding = 2, std430) readonly buffer Tables { float tables[]; };
#define LIGHT_SAMPLES tables
#define LIGHT_SAMPLES_FROM 0
#include "kernels/image/light.glsl"

layout(constant_id = 3) const int KIND = 1;
const int NEAREST = 0; /* LENS_* of shape.h */
const int BILINEAR = 1;
const int BICUBIC = 2;
const bool GRID = KIND % 12 >= 6; /* LENS_SHADER_GRID */
const bool COLORED = KIND % 6 >= 3; /* LENS_SHADER_COLORED */
const int FILTER = KIND % 3;
const int ACROSS = KIND / 12 + 1; /* LENS_SHADER_SAMPLES: a pixel's places either way */
const int TAPS = FILTER == BICUBIC ? 4 : 2;

const int POWERS = 5;
const int COLORS = 3;
const int AXIS = 1;

layout(local_size_x = 16, local_size_y = 16) in;

/* struct lens_shape of shape.h. */
struct lens_shape {
    int width_px;
    int height_px;
    float center_x_px;
    float center_y_px;
    float per_px;
    float blank[COLORS];
    float terms[COLORS * POWERS];
};

/* struct lens_constants of lens_shaders.h. */
layout(push_constant) uniform Constants
{
    lens_shape shape;
    int origin_x_px;
    int origin_y_px;
    float light_value;
    int moves_from;
};

/* ---- Places: place.h says the same ---- */

/* Between the centres of pixels `at` and at + 1, along each axis. */
struct lens_place {
    ivec2 at;
    vec2 part;
};

const float FARTHEST_PX = 1e6; /* LENS_FARTHEST_PX */

/* struct lens_grid of shape.h, which lies where terms do. */
int grid_of(int member)
{
    return floatBitsToInt(shape.terms[member]);
}

const int GRID_COLUMNS = 0;
const int GRID_ROWS = 1;
const int GRID_PER_PX_X = 2;
const int GRID_PER_PX_Y = 3;
const int GRID_QUADRATIC = 4;
const int GRID_FIRST = 5;
const int GRID_START = 8;

/* The points that a pixel lies among, along an axis, and their weights. */
struct lens_between {
    int from;
    float weights[3];
};

lens_between between_at(float at_px, float per_px, int points)
{
    precise float at = at_px * per_px - shape.terms[GRID_START];
    if (grid_of(GRID_QUADRATIC) != 0) {
        int middle = clamp(int(at + 0.5), 1, points - 2);
        float t = at - float(middle);
        return lens_between(middle - 1, float[3](0.5 * t * (t - 1.0), 1.0 - t * t, 0.5 * t * (t + 1.0)));
    }
    int from = min(int(at), points - 2);
    float t = at - float(from);
    return lens_between(from, float[3](1.0 - t, t, 0.0));
}

lens_place place_after(vec2 move, ivec2 pixel)
{
    vec2 whole = floor(move);
    return lens_place(pixel + ivec2(whole), move - whole);
}

lens_place grid_place_beside(int color, ivec2 pixel, vec2 offset)
{
    int columns = grid_of(GRID_COLUMNS);
    int count = grid_of(GRID_QUADRATIC) != 0 ? 3 : 2;
    vec2 at_px = vec2(pixel) + 0.5 + offset;
    lens_between across = between_at(at_px.x, shape.terms[GRID_PER_PX_X], columns);
    lens_between down = between_at(at_px.y, shape.terms[GRID_PER_PX_Y], grid_of(GRID_ROWS));
    vec2 move = vec2(0.0);
    for (int j = 0; j < count; j++) {
        int at = moves_from + 2 * (grid_of(GRID_FIRST + color) + (down.from + j) * columns + across.from);
        vec2 row = vec2(0.0);
        for (int i = 0; i < count; i++) {
            row += across.weights[i] * vec2(tables[at + 2 * i], tables[at + 2 * i + 1]);
        }
        move += down.weights[j] * row;
    }
    return place_after(clamp(move, -FARTHEST_PX, FARTHEST_PX) + offset, pixel);
}

/* Only the move from the pixel to its source is a float, and it is rounded as on the processor. offset: from the pixel's
 * centre. */
lens_place source_beside(int color, ivec2 pixel, vec2 offset)
{
    if (GRID) {
        return grid_place_beside(color, pixel, offset);
    }

    int term = color * POWERS;
    precise vec2 from = vec2(pixel) + 0.5 - vec2(shape.center_x_px, shape.center_y_px) + offset;
    precise vec2 scaled = from * shape.per_px;
    precise float r = sqrt(scaled.x * scaled.x + scaled.y * scaled.y);
    precise float factor = shape.terms[term + 3] + r * shape.terms[term + 4];
    factor = shape.terms[term + 1] + r * (shape.terms[term + 2] + r * factor);
    factor = shape.terms[term] + r * factor;
    precise vec2 move = clamp(from * factor, -FARTHEST_PX, FARTHEST_PX) + offset;
    return place_after(move, pixel);
}

ivec2 nearest_to(lens_place place)
{
    return place.at + ivec2(greaterThanEqual(place.part, vec2(0.5)));
}

bool is_outside(lens_place place)
{
    ivec2 nearest = nearest_to(place);
    return any(lessThan(nearest, ivec2(0))) ||
           any(greaterThanEqual(nearest, ivec2(shape.width_px, shape.height_px)));
}

/* ---- Pixels ---- */

/* In the images, which may hold several views. Beyond a view's edges is its outermost pixel. */
ivec2 place_in_images(ivec2 pixel)
{
    ivec2 last = ivec2(shape.width_px, shape.height_px) - 1;
    return clamp(pixel, ivec2(0), last) + ivec2(origin_x_px, origin_y_px);
}

vec4 value_at(ivec2 pixel)
{
    vec4 stored = decode(texelFetch(source, place_in_images(pixel), 0));
    return LIGHT ? to_light(stored, light_value) : stored;
}

/* The weights of the pixels that a place lies among; bilinear has two. */
vec4 weights_at(float t)
{
    if (FILTER == BICUBIC) { /* Catmull and Rom's spline */
        return vec4(t * (-0.5 + t * (1.0 - 0.5 * t)), 1.0 + t * t * (-2.5 + 1.5 * t),
                    t * (0.5 + t * (2.0 - 1.5 * t)), t * t * (-0.5 + 0.5 * t));
    }
    return vec4(1.0 - t, t, 0.0, 0.0);
}

vec4 interpolate(lens_place place)
{
    if (FILTER == NEAREST) {
        return value_at(nearest_to(place));
    }
    ivec2 first = FILTER == BICUBIC ? place.at - 1 : place.at;
    vec4 across = weights_at(place.part.x);
    vec4 down = weights_at(place.part.y);
    vec4 sum = vec4(0.0);
    for (int j = 0; j < TAPS; j++) {
        for (int i = 0; i < TAPS; i++) {
            sum += across[i] * down[j] * value_at(first + ivec2(i, j));
        }
    }
    return sum;
}

/* Averages the pixel's places, of which the centre is known. */
vec4 mean_of(int color, ivec2 pixel, lens_place centre)
{
    vec4 sum = vec4(0.0);
    if (ACROSS == 1 || FILTER == NEAREST) {
        sum = interpolate(centre);
    } else {
        for (int i = 0; i < ACROSS * ACROSS; i++) {
            vec2 offset = (vec2(i % ACROSS, i / ACROSS) + 0.5) / float(ACROSS) - 0.5;
            sum += interpolate(source_beside(color, pixel, offset)) / float(ACROSS * ACROSS);
        }
    }
    return LIGHT ? max(sum, 0.0) : sum; /* a spline undershoots; no light is negative */
}

/* ---- Without a source ---- */

float opaque()
{
    return PIXEL == PIXEL_RGBA8 ? 255.0 : PIXEL == PIXEL_A2B10G10R10 ? 3.0 : 1.0;
}

vec4 blank_pixel()
{
    return vec4(shape.blank[0], shape.blank[1], shape.blank[2], opaque());
}

/* A pixel whose alpha is opaque, for what keeps it. */
uvec4 opaque_pixel()
{
    if (PIXEL == PIXEL_RGBA16F) {
        return uvec4(0x3c00u);
    }
    return uvec4(0xffffffffu);
}

/* ---- The result ---- */

/* A spline overshoots: formats of whole numbers hold no more than white. */
vec4 stored_of(vec4 value)
{
    vec4 stored = LIGHT ? from_light(value, light_value) : value;
    bool whole = PIXEL == PIXEL_RGBA8 || PIXEL == PIXEL_A2B10G10R10;
    return whole ? clamp(stored, vec4(0.0), vec4(vec3(pixel_white()), opaque())) : stored;
}

/* kept: the pixel whose alpha is kept where alpha is not interpolated. */
uvec4 warped(ivec2 pixel, lens_place axis, uvec4 kept)
{
    bvec4 blank = bvec4(is_outside(axis));
    vec4 value = blank.a ? vec4(0.0) : mean_of(AXIS, pixel, axis);
    if (COLORED) {
        for (int color = 0; color < COLORS; color += 2) {
            lens_place place = source_beside(color, pixel, vec2(0.0));
            vec4 mean = is_outside(place) ? vec4(0.0) : mean_of(color, pixel, place);
            blank[color] = is_outside(place);
            value[color] = color == 0 ? mean.r : mean.b;
        }
    }
    return encode(mix(stored_of(value), blank_pixel(), blank), kept);
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= shape.width_px || pixel.y >= shape.height_px) {
        return;
    }
    lens_place axis = source_beside(AXIS, pixel, vec2(0.0));
    bool blank = is_outside(axis);
    uvec4 nearest = blank ? opaque_pixel() : texelFetch(source, place_in_images(nearest_to(axis)), 0);
    uvec4 made;
    if (FILTER == NEAREST && !COLORED) { /* pixels move as they are, bit by bit */
        made = blank ? encode(blank_pixel(), nearest) : nearest;
    } else {
        made = warped(pixel, axis, nearest);
    }
    imageStore(result, place_in_images(pixel), made);
}
