#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of the level of step 2, from pixels: a workgroup has 32 samples of a row, and for each a column of shared memory
 * with a number for each bin. Eight threads share a column: each adds the weights of some pixels to their bins. A plane's
 * sample is what the bins up to its own have, and the processor's: rounding between rows and columns changes nothing here,
 * as pixels are 0 or 1. Additions to shared memory bound it: 81 a sample.
 *
 * Workgroup: 256 threads, 19 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

const int WIDTH = 32; /* SALIENCY_GLSL_NEAR_SAMPLES */
const int THREADS = 256;
const int PARTS = THREADS / WIDTH;
const int EACH = BINS / PARTS;
const int SIDE = 9; /* pixels that a sample is made of, along an axis */
const int BEFORE = 4; /* of them */
const int QUADS = 3; /* words that have them */
const int REGION = WIDTH / 2 + QUADS; /* words of a row */
const int SHIFT = 4; /* from a sum of 2^16 to 12 bits */
const int MIDDLE = 2048; /* SALIENCY_SAMPLE_MIDDLE */
const int WEIGHTS[SIDE] = int[SIDE](1, 8, 28, 56, 70, 56, 28, 8, 1); /* saliency_half_weight */

layout(local_size_x = THREADS) in;

layout(std430, set = 0, binding = 4) writeonly buffer Planes {
    uint planes[]; /* two samples of a row each, as halves */
};

shared int sums[BINS * WIDTH];
shared uint region[SIDE * REGION];
shared int parts[THREADS];
shared uint mask[WIDTH / SAMPLES * 4];
shared uint there[BINS / 32]; /* bins that the channel has */

/* first: the first sample's pixel. Beyond the picture are PAD of its outermost pixels. */
void load(int channel, ivec2 first, int thread)
{
    for (int i = thread; i < SIDE * REGION; i += THREADS) {
        int y = PAD + first.y - BEFORE + i / REGION;
        int word = (PAD + first.x - BEFORE) / 4 + i % REGION;
        region[i] = work[(channel * bin_rows + y) * bin_pitch + min(word, bin_pitch - 1)];
    }
    if (thread < mask.length()) {
        mask[thread] = 0u;
    }
    if (thread < there.length()) {
        there[thread] = work[there_word_of(channel, 32 * thread)];
    }
    for (int i = thread; i < BINS * WIDTH; i += THREADS) {
        sums[i] = 0;
    }
}

void add(uint bin, int lane, int weight)
{
    atomicAdd(sums[int(bin & 255u) * WIDTH + lane], weight);
}

void add_pixels(int lane, int part)
{
    int bits = lane % 2 * 16;
    for (int i = part; i < SIDE * QUADS; i += PARTS) {
        int quad = i % QUADS;
        int at = i / QUADS * REGION + lane / 2 + quad;
        int down = WEIGHTS[i / QUADS];
        uint found = region[at] >> bits;
        if (quad == QUADS - 1) {
            add(found, lane, down * WEIGHTS[SIDE - 1]);
            continue;
        }
        found |= region[at + 1] << 1 << (31 - bits);
        add(found, lane, down * WEIGHTS[4 * quad]);
        add(found >> 8, lane, down * WEIGHTS[4 * quad + 1]);
        add(found >> 16, lane, down * WEIGHTS[4 * quad + 2]);
        add(found >> 24, lane, down * WEIGHTS[4 * quad + 3]);
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

void write(level_entry of, int channel, int i, int row, int thread)
{
    if (thread < mask.length() && i + thread / 4 * SAMPLES < of.pitch) {
        int segment = row * (of.pitch / SAMPLES) + i / SAMPLES;
        work[of.mask + (channel_first + channel) * mask_words_of(of) + segment * 4 + thread] = mask[thread];
    }
    for (int n = thread; n < bin_count * (WIDTH / 2); n += THREADS) {
        int bin = n / (WIDTH / 2);
        int pair = n % (WIDTH / 2);
        int at = (bin_first + bin) * WIDTH + 2 * pair;
        if (i + 2 * pair < of.pitch && (there[(bin_first + bin) / 32] >> (bin_first + bin) % 32 & 1u) != 0u) {
            planes[plane_of(of, channel, bin) + row * words_of(of) + i / 2 + pair] =
                packHalf2x16(vec2(sums[at], sums[at + 1]));
        }
    }
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    level_entry of = level_of(1);
    int i = int(gl_WorkGroupID.x) * WIDTH;
    int row = int(gl_WorkGroupID.y) % of.y.count;
    int channel = int(gl_WorkGroupID.y) / of.y.count;
    load(channel_first + channel, ivec2(of.x.first + i, of.y.first + row) * of.step_px, thread);
    barrier();
    add_pixels(thread % WIDTH, thread / WIDTH);
    barrier();
    sum_bins(thread % WIDTH, thread / WIDTH, thread);
    write(of, channel, i, row, thread);
}
