/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every shader shares this: the images, and raw pixels as numbers. */

#extension GL_EXT_samplerless_texture_functions : require

const int PIXEL_RGBA8 = 1; /* enum fovea_format */
const int PIXEL_A2B10G10R10 = 4;
const int PIXEL_B10G11R11F = 5;
const int PIXEL_RGBA16F = 6;
#ifdef LAYERED
/* A layer lies among samples, as halves that are averaged as they are, all four of them. */
const int PIXEL = PIXEL_RGBA16F;
#else
layout(constant_id = 0) const int PIXEL = PIXEL_RGBA8;
#endif
/* IMAGE_LIGHT_* of image/light.h, in which UNORM pixels are averaged. */
const int LIGHT_SRGB = 1;
const int LIGHT_PQ = 2;
const int LIGHT_HLG = 3;
const int LIGHT_HLG_BLUE_FIRST = 4;
const int LIGHT_GAMMA = 5;
const int LIGHT_TABLE = 6;
layout(constant_id = 1) const int LIGHT_OF = 0;
const bool LIGHT = LIGHT_OF != 0;
const bool LIGHT_WIDE = LIGHT_OF > LIGHT_SRGB;
const bool LIGHT_IS_HLG = LIGHT_OF == LIGHT_HLG || LIGHT_OF == LIGHT_HLG_BLUE_FIRST;
/* If it is false, nothing of a fourth channel is computed. */
#ifdef LAYERED
const bool AVERAGE_ALPHA = true;
#else
layout(constant_id = 2) const bool AVERAGE_ALPHA = true;
#endif

layout(set = 0, binding = 0) uniform utexture2D source;
#if WORDS == 4
layout(set = 0, binding = 1, rgba16ui) uniform uimage2D result;
#else
layout(set = 0, binding = 1, r32ui) uniform uimage2D result;
#endif

/* ---- Pixels: raw words <-> the numbers that are averaged ---- */

/* Converts integers below 2^23 to floats. Conversions are a quarter as fast as arithmetic on some GPUs; this is
 * exact too, as long as no compiler moves the large number into other sums. */
vec4 whole_numbers(uvec4 n)
{
    precise vec4 whole = uintBitsToFloat(n | 0x4b000000u) - 8388608.0;
    return whole;
}

vec4 decode(uvec4 raw)
{
    if (PIXEL == PIXEL_RGBA16F) {
        uvec2 pairs = raw.xz | raw.yw << 16;
        return vec4(unpackHalf2x16(pairs.x), unpackHalf2x16(pairs.y));
    }
    uint word = raw.x;
    if (PIXEL == PIXEL_A2B10G10R10) {
        return whole_numbers(uvec4(word, word >> 10, word >> 20, word >> 30) &
                             uvec4(1023, 1023, 1023, 3));
    }
    if (PIXEL == PIXEL_B10G11R11F) {
        /* 11 and 10-bit floats are halves without a sign and with fewer bits of mantissa. */
        vec2 rg = unpackHalf2x16((word & 0x7ffu) << 4 | (word >> 11 & 0x7ffu) << 20);
        return vec4(rg, unpackHalf2x16((word >> 22) << 5).x, 1.0);
    }
    return whole_numbers(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u);
}

/* Rounds the mantissa of a half's bits, which have no sign, to nearest even by `bits` bits. */
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

/* raw is the source's pixel: its alpha is kept if alpha is not filtered. */
uvec4 encode(vec4 value, uvec4 raw)
{
    if (PIXEL == PIXEL_RGBA16F) {
        uvec2 pairs = uvec2(packHalf2x16(value.xy), packHalf2x16(value.zw));
        uvec4 halves = uvec4(pairs.x & 0xffffu, pairs.x >> 16, pairs.y & 0xffffu, pairs.y >> 16);
        return uvec4(halves.xyz, AVERAGE_ALPHA ? halves.w : raw.w);
    }
    if (PIXEL == PIXEL_B10G11R11F) {
        return uvec4(shorten_half(value.x, 4) | shorten_half(value.y, 4) << 11 |
                     shorten_half(value.z, 5) << 22);
    }
    uvec4 n = uvec4(value + 0.5);
    if (PIXEL == PIXEL_A2B10G10R10) {
        uint alpha = AVERAGE_ALPHA ? n.w << 30 : raw.x & 0xc0000000u;
        return uvec4(n.x | n.y << 10 | n.z << 20 | alpha);
    }
    uint alpha = AVERAGE_ALPHA ? n.w << 24 : raw.x & 0xff000000u;
    return uvec4(n.x | n.y << 8 | n.z << 16 | alpha);
}
