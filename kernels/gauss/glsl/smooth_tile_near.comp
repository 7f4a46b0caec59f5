#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the smooth method that are made from the picture itself, where sigma is small, or copied. Where sigma is
 * so small that its change within a Gaussian's support would show, pixels are averaged in two dimensions at once.
 * Bound by arithmetic, and by how many workgroups their registers leave room for.
 *
 * Workgroup: 128 threads for a place of 32 x 16 pixels, or several one below the other (places_each);
 * 27 KB: scratch[2970] (window, then lines), grid[96], sigma of pixels, light of levels. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#define FOR_ONE_LAW
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "levels.glsl"
#include "gaze_latched.glsl"
#include "tiles.glsl"

const int THREADS = 128;
layout(local_size_x = THREADS) in;

#include "tile_blur.glsl"

shared float sigma_of_pixel[SHADER_PLACE_WIDTH_PX * SHADER_PLACE_HEIGHT_PX];

/* Loads of four rows are issued before the first is used. */
const int AT_ONCE = 4;
const int ROWS_AT_ONCE = THREADS / 32;

void load_pixels(tile_shape s)
{
    ivec2 first = s.first - s.radius;
    int thread = int(gl_LocalInvocationIndex);
    for (int x = thread % 32; x < s.columns; x += 32) {
        for (int y = thread / 32; y < s.rows; y += AT_ONCE * ROWS_AT_ONCE) {
            uvec4 raw[AT_ONCE];
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                raw[n] = fetch_pixel(first + ivec2(x, y + n * ROWS_AT_ONCE));
            }
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                int row = y + n * ROWS_AT_ONCE;
                if (row < s.rows) {
                    scratch[row * s.pitch + x] = halves_of(sample_of(raw[n]));
                }
            }
        }
    }
}

void copy_place(ivec2 first_px)
{
    for (int i = int(gl_LocalInvocationIndex); i < PLACE_PX.x * PLACE_PX.y; i += THREADS) {
        ivec2 pixel = first_px + ivec2(i % PLACE_PX.x, i / PLACE_PX.x);
        if (in_picture(pixel)) {
            ivec2 place = place_of(frame, pixel);
            imageStore(result, place, texelFetch(source, place, 0));
        }
    }
}

/* Averages around a sample of the window, over the square that its sigma reaches. */
vec4 average_square(tile_shape s, int centre, float sigma_px)
{
    int reach = min(int(REACH * sigma_px), s.radius);
    float first = exp(-0.5 / (sigma_px * sigma_px));
    vec4 sum = vec4(0.0);
    float total = 0.0;
    float down = 1.0;
    float down_ratio = first;
    for (int j = 0; j <= reach; j++) {
        vec4 row = vec4(0.0);
        float weights = 0.0;
        float weight = 1.0;
        float ratio = first;
        int above = centre - j * s.pitch;
        int below = centre + j * s.pitch;
        for (int i = 0; i <= reach; i++) {
            vec4 four = of_halves(scratch[above - i]) + of_halves(scratch[above + i]) +
                        of_halves(scratch[below - i]) + of_halves(scratch[below + i]);
            float times = i == 0 ? 0.5 * weight : weight;
            row += times * four;
            weights += times;
            weight *= ratio;
            ratio *= first * first;
        }
        float times = j == 0 ? 0.5 * down : down;
        sum += times * row;
        total += times * weights;
        down *= down_ratio;
        down_ratio *= first * first;
    }
    return sum / (4.0 * total);
}

/* Writes the pixels whose sigma is below fine_sigma_px, copies among them. */
void write_fine(tile_shape s)
{
    for (int i = int(gl_LocalInvocationIndex); i < PLACE_PX.x * PLACE_PX.y; i += THREADS) {
        ivec2 at = ivec2(i % PLACE_PX.x, i / PLACE_PX.x);
        ivec2 pixel = s.first + at;
        float sigma_px = law_sigma(now, pixel);
        sigma_of_pixel[i] = sigma_px;
        if (!in_picture(pixel) || sigma_px >= fine_sigma_px) {
            continue;
        }
        ivec2 place = place_of(frame, pixel);
        uvec4 raw = texelFetch(source, place, 0);
        if (sigma_px * REACH >= 1.0) {
            int centre = (at.y + s.radius) * s.pitch + at.x + s.radius;
            store_over(pixel, average_square(s, centre, sigma_px), raw);
        } else {
            imageStore(result, place, raw);
        }
    }
}

void write_rows(tile_shape s, bool fine)
{
    int groups = PLACE_PX.x / GROUP;
    for (int i = int(gl_LocalInvocationIndex); i < PLACE_PX.y * groups; i += THREADS) {
        int row = i / groups;
        int column = i % groups * GROUP;
        uvec4 raw[GROUP];
        [[unroll]] for (int n = 0; n < GROUP; n++) {
            raw[n] = kept_alpha(s.first + ivec2(column + n, row));
        }
        mat4 sums = blur_across(s, row, i % groups);
        [[unroll]] for (int n = 0; n < GROUP; n++) {
            ivec2 pixel = s.first + ivec2(column + n, row);
            bool own = !fine || sigma_of_pixel[row * PLACE_PX.x + column + n] >= fine_sigma_px;
            if (own && in_picture(pixel)) {
                store_over(pixel, sums[n], raw[n]);
            }
        }
    }
}

void make_from_picture(ivec2 first_px, uvec2 kind)
{
    tile_shape s = shape_of(0, first_px, int(kind.y));
    fill_light(THREADS);
    fill_grid(s);
    if (LIGHT) {
        barrier();
    }
    load_pixels(s);
    barrier();
    bool fine = (kind.x & KIND_FINE) != 0u;
    if (fine) {
        write_fine(s);
    }
    if ((kind.x & KIND_ALL_FINE) == 0u) {
        blur_down(s);
        barrier();
        write_rows(s, fine);
    }
}

/* Returns the kinds of four places, one below the other, in sixteen bits each. Most workgroups make nothing, so that
 * the time until they know it counts: all are asked for at once. */
uvec2 kinds_from(ivec2 first)
{
    uint each[SHADER_TILE_PLACES_DOWN];
    [[unroll]] for (int i = 0; i < SHADER_TILE_PLACES_DOWN; i++) {
        uvec2 kind = kind_of(first + ivec2(0, min(i, places_each - 1)));
        each[i] = kind.x | kind.y << 8;
    }
    return uvec2(each[0] | each[1] << 16, each[2] | each[3] << 16);
}

void main()
{
    now = frame_now(frame);
    ivec2 first = ivec2(gl_WorkGroupID.x, int(gl_WorkGroupID.y) * places_each);
    uvec2 kinds = kinds_from(first);
    for (int i = 0; i < places_each; i++) {
        uvec2 kind = uvec2(kinds.x & 255u, kinds.x >> 8 & 255u);
        kinds = uvec2(kinds.x >> 16 | kinds.y << 16, kinds.y >> 16);
        uint what = kind.x & KIND_MASK;
        ivec2 first_px = (first + ivec2(0, i)) * PLACE_PX;
        if (what == KIND_COPIED) {
            copy_place(first_px);
        } else if (what == KIND_LEVEL_0) {
            make_from_picture(first_px, kind);
            barrier(); /* the next place's window takes this one's scratch memory */
        }
    }
}
