#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: the processor's sums in another order. A workgroup has 32 pixels of a row, and for each a column of shared
 * memory with a number for each bin. Eight threads share a column: each adds the weights of four columns of the kernel
 * to the bins of the pixels around its own. A bin's numbers and those of the bins before it are F - G of its plane.
 * Additions to shared memory bound it: (2 reach + 1)^2 a pixel, channel and scale without the kernel's zeros.
 *
 * Workgroup: 256 threads, 27 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

const int PARTS = 8;
const int THREADS = PARTS * SEGMENT;
const int REGION = 18; /* words of a row: 32 pixels and PAD on both sides */
const int FOURS = 10; /* of a kernel's row: SALIENCY_GLSL_FINE_PITCH / 4 */
const int ROWS = 39; /* 2 SALIENCY_FINE_REACH + 1 */
const int EACH = BINS / PARTS;
const int SHIFT = 9; /* SALIENCY_FINE_SHIFT */

layout(local_size_x = THREADS) in;

shared int sums[BINS * SEGMENT];
shared uint region[ROWS * REGION + 1]; /* whose last nobody needs */
shared ivec4 kernel[ROWS * FOURS];
shared int parts[THREADS];

void load_region(int channel, int reach, int thread)
{
    int first = channel * bin_rows + PAD + int(gl_WorkGroupID.y) - reach;
    int from = first * bin_pitch + int(gl_WorkGroupID.x) * SEGMENT / 4;
    for (int i = thread; i < (2 * reach + 1) * REGION; i += THREADS) {
        region[i] = work[from + i / REGION * bin_pitch + i % REGION];
    }
}

void load_kernel(scale_entry of, int thread)
{
    for (int i = thread; i < (2 * of.reach + 1) * FOURS; i += THREADS) {
        int at = of.kernel + 4 * i;
        kernel[i] = ivec4(table[at], table[at + 1], table[at + 2], table[at + 3]);
    }
}

void add_window(scale_entry of, int lane, int part)
{
    for (int four = part; four < (2 * of.reach + 4) / 4; four += PARTS) {
        int skipped = table[of.lines + four];
        int corner = PAD - of.reach + lane + 4 * four;
        int bits = corner % 4 * 8;
        int at = skipped * REGION + corner / 4;
        int weights = skipped * FOURS + four;
        for (int row = skipped; row <= 2 * of.reach - skipped; row++) {
            uint found = region[at] >> bits | region[at + 1] << 1 << (31 - bits);
            ivec4 weight = kernel[weights];
            atomicAdd(sums[int(found & 255u) * SEGMENT + lane], weight.x);
            atomicAdd(sums[int(found >> 8 & 255u) * SEGMENT + lane], weight.y);
            atomicAdd(sums[int(found >> 16 & 255u) * SEGMENT + lane], weight.z);
            atomicAdd(sums[int(found >> 24) * SEGMENT + lane], weight.w);
            at += REGION;
            weights += FOURS;
        }
    }
}

/* The absolute values of the part's planes; leaves zeros. */
int sum_planes(int lane, int part, int thread)
{
    int own[EACH];
    int plane = 0;
    int total = 0;
    [[unroll]] for (int i = 0; i < EACH; i++) {
        int at = (part * EACH + i) * SEGMENT + lane;
        own[i] = sums[at];
        plane += own[i];
        sums[at] = 0;
    }
    parts[thread] = plane;
    barrier();
    plane = 0;
    for (int i = 0; i < part; i++) {
        plane += parts[i * SEGMENT + lane];
    }
    [[unroll]] for (int i = 0; i < EACH; i++) {
        plane += own[i];
        total += abs(plane) >> SHIFT;
    }
    return total;
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int lane = thread % SEGMENT;
    int part = thread / SEGMENT;
    ivec2 pixel = ivec2(int(gl_WorkGroupID.x) * SEGMENT + lane, int(gl_WorkGroupID.y));
    for (int i = 0; i < EACH; i++) {
        sums[(part * EACH + i) * SEGMENT + lane] = 0;
    }
    for (int number = 0; number < fine_count; number++) {
        scale_entry of = scale_of(number);
        int total = 0;
        for (int channel = 0; channel < channels; channel++) {
            barrier();
            load_region(channel, of.reach, thread);
            if (channel == 0) {
                load_kernel(of, thread);
            }
            barrier();
            add_window(of, lane, part);
            barrier();
            total += sum_planes(lane, part, thread);
        }
        barrier();
        parts[thread] = total;
        barrier();
        if (part == 0 && pixel.x < size_px.x) {
            for (int i = 1; i < PARTS; i++) {
                total += parts[i * SEGMENT + lane];
            }
            work[of.response + pixel.y * of.width + pixel.x] = uint(total);
        }
    }
}
