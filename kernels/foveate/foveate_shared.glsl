/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What every shader that knows the fragment grid shares: the frame's constants, the plan's tables,
 * raw pixels, and the exact search for a fragment's ring. The C twin is foveate_grid.h. */

#extension GL_EXT_samplerless_texture_functions : require

/* struct foveate_frame of foveate.h, member by member. */
struct foveate_frame {
    int width_px;
    int height_px;
    int fragment_px;
    int gaze_x_q8;
    int gaze_y_q8;
    int ring_count;
    int blur_alpha;
    int reserved;
};

/* struct foveate_ring of foveate.h. */
struct foveate_ring {
    uint bound_sq_low;
    uint bound_sq_high;
    uint radius_px;
    uint first_tap;
    float sigma_px;
    float reserved0;
    float reserved1;
    float reserved2;
};

const int PIXEL_RGBA8 = 1; /* enum fovea_format */
const int PIXEL_A2B10G10R10 = 4;
const int PIXEL_B10G11R11F = 5;
const int PIXEL_RGBA16F = 6;
layout(constant_id = 0) const int PIXEL = PIXEL_RGBA8;

layout(set = 0, binding = 0) uniform utexture2D source;
#if WORDS == 4
layout(set = 0, binding = 1, rgba16ui) uniform uimage2D result;
#else
layout(set = 0, binding = 1, r32ui) uniform uimage2D result;
#endif
layout(set = 0, binding = 2, std430) readonly buffer Rings { foveate_ring rings[]; };
layout(set = 0, binding = 3, std430) readonly buffer Taps { float taps[]; };

/* ---- Pixels: raw words <-> the numbers that are averaged ---- */

vec4 decode(uvec4 raw)
{
    if (PIXEL == PIXEL_RGBA16F) {
        uvec2 pairs = raw.xz | raw.yw << 16;
        return vec4(unpackHalf2x16(pairs.x), unpackHalf2x16(pairs.y));
    }
    uint word = raw.x;
    if (PIXEL == PIXEL_A2B10G10R10) {
        return vec4(uvec4(word, word >> 10, word >> 20, word >> 30) & uvec4(1023, 1023, 1023, 3));
    }
    if (PIXEL == PIXEL_B10G11R11F) {
        /* 11 and 10-bit floats are halves without a sign and with fewer bits of mantissa. */
        vec2 rg = unpackHalf2x16((word & 0x7ffu) << 4 | (word >> 11 & 0x7ffu) << 20);
        return vec4(rg, unpackHalf2x16((word >> 22) << 5).x, 1.0);
    }
    return vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u);
}

/* A half's bits with its mantissa rounded to nearest even to `bits` fewer bits; no sign. */
uint shorten_half(float value, int bits)
{
    uint half_bits = packHalf2x16(vec2(value, 0.0));
    if ((half_bits & 0x7fffu) > 0x7c00u) {
        return 0x7c00u >> bits | 1u; /* NaN, whatever its sign */
    }
    if ((half_bits & 0x8000u) != 0u) {
        return 0u;
    }
    uint odd = half_bits >> bits & 1u;
    return (half_bits + (1u << (bits - 1)) - 1u + odd) >> bits;
}

/* raw is the source's pixel: its alpha is kept where alpha is not filtered. */
uvec4 encode(vec4 value, uvec4 raw, bool blur_alpha)
{
    if (PIXEL == PIXEL_RGBA16F) {
        uvec2 pairs = uvec2(packHalf2x16(value.xy), packHalf2x16(value.zw));
        uvec4 halves = uvec4(pairs.x & 0xffffu, pairs.x >> 16, pairs.y & 0xffffu, pairs.y >> 16);
        return uvec4(halves.xyz, blur_alpha ? halves.w : raw.w);
    }
    if (PIXEL == PIXEL_B10G11R11F) {
        return uvec4(shorten_half(value.x, 4) | shorten_half(value.y, 4) << 11 |
                     shorten_half(value.z, 5) << 22);
    }
    bool ten = PIXEL == PIXEL_A2B10G10R10;
    uvec4 n = uvec4(value + 0.5);
    uint word = ten ? n.x | n.y << 10 | n.z << 20 | n.w << 30
                    : n.x | n.y << 8 | n.z << 16 | n.w << 24;
    uint alpha = ten ? 0xc0000000u : 0xff000000u;
    return uvec4(blur_alpha ? word : (word & ~alpha) | (raw.x & alpha));
}

/* ---- The fragment grid, centred on the gaze (Malkin, Deza and Poggio 2020) ---- */

/* By how many pixels the grid is shifted left or up, so that the gaze is in a fragment's middle. */
int grid_shift(int gaze_q8, int fragment_px)
{
    int side = fragment_px * 256;
    int rest = gaze_q8 % side;
    rest = rest < 0 ? rest + side : rest;
    int middle = side / 2;
    return (rest <= middle ? middle - rest : middle + side - rest) >> 8;
}

int fragment_centre(int index, int fragment_px, int shift)
{
    return (2 * index * fragment_px + fragment_px - 2 * shift) / 2;
}

/* dx^2 + dy^2 as two words: (low, high). */
uvec2 square_sum(int dx, int dy)
{
    uint x_high, x_low, y_high, y_low, carry;
    umulExtended(uint(abs(dx)), uint(abs(dx)), x_high, x_low);
    umulExtended(uint(abs(dy)), uint(abs(dy)), y_high, y_low);
    uint low = uaddCarry(x_low, y_low, carry);
    return uvec2(low, x_high + y_high + carry);
}

bool inside_bound(uvec2 distance_sq, int i)
{
    uint high = rings[i].bound_sq_high;
    return distance_sq.y < high || (distance_sq.y == high && distance_sq.x < rings[i].bound_sq_low);
}

/* 0: copied; v: filter v - 1, for the smallest v whose bound is beyond the distance, the last filter
 * where there is none. Exact: floats only guess where to start. */
int ring_at(foveate_frame frame, ivec2 centre)
{
    if (frame.ring_count == 0) {
        return 0;
    }
    ivec2 d = centre * 256 - ivec2(frame.gaze_x_q8, frame.gaze_y_q8);
    uvec2 distance_sq = square_sum(d.x, d.y);
    float fragments = length(vec2(d)) / (256.0 * float(frame.fragment_px));
    int v = clamp(int((fragments - 0.5) / 1.4), 0, frame.ring_count - 1);
    while (v > 0 && inside_bound(distance_sq, v - 1)) {
        v--;
    }
    while (v < frame.ring_count && !inside_bound(distance_sq, v)) {
        v++;
    }
    return v;
}

int ring_of_pixel(foveate_frame frame, ivec2 pixel)
{
    ivec2 shift = ivec2(grid_shift(frame.gaze_x_q8, frame.fragment_px),
                        grid_shift(frame.gaze_y_q8, frame.fragment_px));
    ivec2 index = (pixel + shift) / frame.fragment_px;
    return ring_at(frame, ivec2(fragment_centre(index.x, frame.fragment_px, shift.x),
                                fragment_centre(index.y, frame.fragment_px, shift.y)));
}
