#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The bins of a picture's channels, those of kernels/saliency/cpu/bins.c, with those of its outermost pixels beyond its
 * edges; and zeros where sums and counts begin. A thread has four neighbours of a row; memory bounds it.
 *
 * Workgroup: 64 x 4 threads. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(local_size_x = 64, local_size_y = 4) in;

layout(set = 0, binding = 0) uniform texture2D picture;

const int CHANNELS = 3;

shared uint there[CHANNELS * BINS / 32]; /* bins of the workgroup's pixels */

/* NaN, which a driver need not know, is 0. */
float within(float value)
{
    return (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u ? 0.0 : clamp(value, 0.0, 1.0);
}

/* sum / (3 / 128), without a division: which of two bins a sum at their edge is in would be the driver's to choose. */
int bin_of_sum(float sum)
{
    float parts = sum * 128.0;
    int bin = int(parts * (1.0 / 3.0));
    bin += float(3 * (bin + 1)) <= parts ? 1 : 0;
    return bin - (float(3 * bin) > parts ? 1 : 0);
}

ivec3 bins_of(vec3 color)
{
    if (most > 0) {
        ivec3 n = ivec3(round(color * float(most)));
        return ivec3(n.r + n.g + n.b, n.r - n.b + most, 2 * n.g - n.r - n.b + 2 * most) /
               ((most + 1) / BINS * ivec3(3, 2, 4));
    }
    float r = within(color.r);
    float g = within(color.g);
    float b = within(color.b);
    precise float sum = r + g + b;
    precise float second = (r - b + 1.0) * 64.0;
    precise float third = (2.0 * g - r - b + 2.0) * 32.0;
    return ivec3(bin_of_sum(sum), int(second), int(third));
}

void clear()
{
    int across = int(gl_NumWorkGroups.x * gl_WorkGroupSize.x);
    int every = across * int(gl_NumWorkGroups.y * gl_WorkGroupSize.y);
    int first = int(gl_GlobalInvocationID.y) * across + int(gl_GlobalInvocationID.x);
    for (int i = first; i < response_count; i += every) {
        work[responses + i] = 0u;
    }
    if (first == 0) {
        work[counts] = 0u;
    }
}

/* Most threads find that another one has noted their bin. */
void note(int channel, uint bin)
{
    int at = channel * BINS / 32 + int(bin / 32u);
    uint bit = 1u << bin % 32u;
    if ((there[at] & bit) == 0u) {
        atomicOr(there[at], bit);
    }
}

void put_four(ivec2 at)
{
    uvec3 words = uvec3(0);
    for (int i = 0; i < 4; i++) {
        ivec2 pixel = clamp(ivec2(4 * at.x + i, at.y) - PAD, ivec2(0), size_px - 1);
        vec4 color = texelFetch(picture, pixel, 0);
        uvec3 bins = uvec3(min(bins_of(channels == 1 ? color.rrr : color.rgb), ivec3(BINS - 1)));
        words |= bins << 8 * i;
        for (int channel = 0; channel < channels; channel++) {
            note(channel, bins[channel]);
        }
    }
    int place = at.y * bin_pitch + at.x;
    for (int i = 0; i < channels; i++) {
        work[i * bin_rows * bin_pitch + place] = words[i];
    }
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int thread = int(gl_LocalInvocationIndex);
    if (thread < there.length()) {
        there[thread] = 0u;
    }
    clear();
    barrier();
    if (at.x < bin_pitch && at.y < bin_rows) {
        put_four(at);
    }
    barrier();
    if (thread < there.length() && (there[thread] & ~work[counts + 1 + thread]) != 0u) {
        atomicOr(work[counts + 1 + thread], there[thread]);
    }
}
