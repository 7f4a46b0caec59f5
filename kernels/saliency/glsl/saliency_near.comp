#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of the finest coarser levels: a workgroup has 32 samples of a row, and for each a column of shared memory with
 * a number for each bin. Eight threads share a column: each adds the weights of some rows of pixels to their bins.
 * Whole numbers, the processor's in another order; those of the bins up to one are its plane's sample. Additions to
 * shared memory bound it: (2 reach + 1)^2 a sample.
 *
 * Workgroup: 256 threads, 23 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

const int WIDTH = 32; /* SALIENCY_GLSL_NEAR_SAMPLES */
const int STEP = 4; /* SALIENCY_GLSL_NEAR_STEP: the largest */
const int THREADS = 256;
const int PARTS = THREADS / WIDTH;
const int EACH = BINS / PARTS;
const int SIDE = 29; /* 2 reach + 1 at that step */
const int QUADS = (SIDE + 3) / 4;
const int REGION = WIDTH - 1 + QUADS; /* words of a row at that step */
const int SHIFT = 18; /* SALIENCY_SAMPLE_SHIFT */
const int MIDDLE = 2048; /* SALIENCY_SAMPLE_MIDDLE */

layout(local_size_x = THREADS) in;

layout(std430, set = 0, binding = 4) writeonly buffer Planes {
    uint planes[]; /* two samples of a row each, as halves */
};

shared int sums[BINS * WIDTH];
shared uint region[SIDE * REGION + 1]; /* whose last nobody needs */
shared ivec4 weights[QUADS]; /* zeros behind the last */
shared int parts[THREADS];
shared uint mask[WIDTH / SAMPLES * 4];

int weight_at(level_entry of, int at)
{
    return at <= 2 * of.reach_px ? table[of.taps + at + 1] - table[of.taps + at] : 0;
}

uint four_at(int channel, int x, int y)
{
    uint four = 0u;
    [[unroll]] for (int i = 0; i < 4; i++) {
        four |= bin_at(channel, clamp(x + i, 0, size_px.x - 1), y) << 8 * i;
    }
    return four;
}

void load(level_entry of, job_entry its, ivec2 first, int thread)
{
    for (int i = thread; i < (2 * of.reach_px + 1) * REGION; i += THREADS) {
        int y = clamp(first.y + i / REGION, 0, size_px.y - 1);
        region[i] = four_at(its.channel, first.x + i % REGION * 4, y);
    }
    if (thread < 4 * QUADS) {
        weights[thread / 4][thread % 4] = weight_at(of, thread);
    }
    if (thread < mask.length()) {
        mask[thread] = 0u;
    }
    for (int i = thread; i < BINS * WIDTH; i += THREADS) {
        sums[i] = 0;
    }
}

void add_rows(level_entry of, int lane, int part)
{
    int byte = lane * of.step_px;
    int bits = byte % 4 * 8;
    for (int row = part; row <= 2 * of.reach_px; row += PARTS) {
        int at = row * REGION + byte / 4;
        int down = weights[row / 4][row % 4];
        for (int i = 0; i <= 2 * of.reach_px / 4; i++) {
            uint found = region[at + i] >> bits | region[at + i + 1] << 1 << (31 - bits);
            ivec4 weight = down * weights[i];
            atomicAdd(sums[int(found & 255u) * WIDTH + lane], weight.x);
            atomicAdd(sums[int(found >> 8 & 255u) * WIDTH + lane], weight.y);
            atomicAdd(sums[int(found >> 16 & 255u) * WIDTH + lane], weight.z);
            atomicAdd(sums[int(found >> 24) * WIDTH + lane], weight.w);
        }
    }
}

/* Makes samples of planes of the bins' sums. */
void sum_bins(int lane, int part, int thread)
{
    int own[EACH];
    int sum = 0;
    uint there = 0u;
    [[unroll]] for (int i = 0; i < EACH; i++) {
        own[i] = sums[(part * EACH + i) * WIDTH + lane];
        sum += own[i];
        there |= own[i] != 0 ? 1u << i : 0u;
    }
    parts[thread] = sum;
    atomicOr(mask[lane / SAMPLES * 4 + part * EACH / 32], there << part * EACH % 32);
    barrier();
    sum = 1 << SHIFT - 1;
    for (int i = 0; i < part; i++) {
        sum += parts[i * WIDTH + lane];
    }
    [[unroll]] for (int i = 0; i < EACH; i++) {
        sum += own[i];
        sums[(part * EACH + i) * WIDTH + lane] = (sum >> SHIFT) - MIDDLE;
    }
    barrier();
}

void write(level_entry of, job_entry its, int i, int row, int thread)
{
    if (thread < mask.length() && i + thread / 4 * SAMPLES < of.pitch) {
        work[its.mask + (row * (of.pitch / SAMPLES) + i / SAMPLES) * 4 + thread] = mask[thread];
    }
    for (int n = thread; n < BINS * WIDTH / 2; n += THREADS) {
        int bin = n / (WIDTH / 2);
        int pair = n % (WIDTH / 2);
        if (i + 2 * pair < of.pitch) {
            planes[its.plane + ((bin * its.rows + row) * of.pitch + i) / 2 + pair] =
                packHalf2x16(vec2(sums[2 * n], sums[2 * n + 1]));
        }
    }
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int group = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    int before = 0;
    job_entry its = job_of(find_job(group, NEAR_END, before));
    if (its.rows == 0) {
        return;
    }
    level_entry of = level_of(its.level);
    int across = (of.pitch + WIDTH - 1) / WIDTH;
    int i = (group - before) % across * WIDTH;
    int row = (group - before) / across;
    load(of, its, ivec2(of.x.first + i, of.y.first + its.row + row) * of.step_px - of.reach_px, thread);
    barrier();
    add_rows(of, thread % WIDTH, thread / WIDTH);
    barrier();
    sum_bins(thread % WIDTH, thread / WIDTH, thread);
    write(of, its, i, row, thread);
}
