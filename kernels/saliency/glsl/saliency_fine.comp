#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: the processor's sums in another order. A workgroup has a strip of 32 x 32 pixels of a channel and one scale,
 * and goes through the planes that differ there, bin by bin. Pixels of a bin add their weights to the sums of their
 * rows by both lines of the scale; these sums are summed along columns by the other line. A row's pixels lie in the
 * order of their bins, so that each is looked at once. All are whole numbers less than 2^24, which floats add exactly in
 * any order. Products of columns bound it.
 *
 * Workgroup: 128 threads, 16 to 30 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int REACH = 19; /* of the scale's lines */
const int STRIP = 32; /* SALIENCY_GLSL_STRIP */
const int THREADS = 128;
const int PARTS = THREADS / SEGMENT; /* that share rows */
const int RUN = STRIP / PARTS; /* neighbours of a column that a thread sums */
const int WIDTH = SEGMENT + 2 * REACH; /* of the bins that a strip looks at */
const int ROWS = STRIP + 2 * REACH;
const int FOURS = (WIDTH + 3) / 4; /* of a row of bins */
const int PITCH = WIDTH + 1; /* of a row's list: its pixels, and what ends it */
const int EACH = (ROWS + PARTS - 1) / PARTS; /* rows of a part */
const int OFFSET = PAD - REACH; /* of the bins' rows */
const int LINE = 20; /* SALIENCY_REACH + 1 */
const int SHIFT = 2; /* SALIENCY_FINE_SHIFT */
const uint ONES = 0x01010101u;
const uint NO_PIXEL = ~0u;

layout(local_size_x = THREADS) in;

shared uint sums[ROWS * SEGMENT]; /* by p, less half of its sum, and by q, as halves; before: bins of the rows */
shared uint list[ROWS * PITCH]; /* a row's pixels in the order of their bins: bin, place here, and column */
shared vec2 weights[2 * SEGMENT + 2 * REACH]; /* of a row's sums, both, by the distance to its pixels */
shared uint mask[4];
shared int bins[BINS]; /* that are there */

float p[REACH + 1]; /* a side of each line */
float q[REACH + 1];

/* ---- The rows' lists */

void load_rows(int channel, ivec2 first, int thread)
{
    for (int i = thread; i < ROWS * FOURS; i += THREADS) {
        int row = min(first.y + OFFSET + i / FOURS, bin_rows - 1) + channel * bin_rows;
        int column = first.x + OFFSET + i % FOURS * 4;
        int at = row * bin_pitch + column / 4;
        int bits = column % 4 * 8;
        uint next = bits > 0 ? work[at + 1] << 32 - bits : 0u;
        uint four = work[at] >> bits | next;
        sums[i] = i % FOURS * 4 + 2 < WIDTH ? four : four & 0xffffu | 0x7f7f0000u;
    }
}

void clear(scale_entry of, int thread)
{
    for (int i = thread; i < ROWS; i += THREADS) {
        list[i * PITCH + WIDTH] = NO_PIXEL;
    }
    for (int i = thread; i < 2 * SEGMENT + 2 * REACH; i += THREADS) {
        int distance = abs(i - SEGMENT + 1 - REACH);
        weights[i] =
            distance > REACH ? vec2(0.0) : vec2(table[of.lines + distance], table[of.lines + LINE + distance]);
    }
    [[unroll]] for (int i = 0; i <= REACH; i++) {
        p[i] = float(table[of.lines + i]);
        q[i] = float(table[of.lines + LINE + i]);
    }
    if (thread < 4) {
        mask[thread] = 0u;
    }
}

/* Four neighbours find their places in their row: how many have lower bins, or the same farther left. Bins have seven
 * bits, so that a difference leaves the eighth where it is not below 0. */
void put_four(int row, int word, inout uint there[4])
{
    uint four = sums[row * FOURS + word];
    uint before[4] = uint[4](0u, 0u, 0u, 0u);
    for (int i = 0; i < FOURS; i++) {
        uint others = sums[row * FOURS + i];
        [[unroll]] for (int n = 0; n < 4; n++) {
            uint equal = i < word ? ONES : i > word ? 0u : ONES & (1u << 8 * n) - 1u;
            uint own = (four >> 8 * n & 255u) * ONES + 0x7f7f7f7fu + equal;
            before[n] += own - others >> 7 & ONES;
        }
    }
    [[unroll]] for (int n = 0; n < 4; n++) {
        uint column = uint(4 * word + n);
        uint bin = four >> 8 * n & 255u;
        if (column < WIDTH) {
            uint place = before[n] * ONES >> 24;
            list[row * PITCH + int(place)] = bin << 16 | place << 8 | column;
            [[unroll]] for (uint i = 0; i < 4; i++) {
                there[i] |= bin / 32u == i ? 1u << bin % 32u : 0u;
            }
        }
    }
}

void put_rows(int thread)
{
    uint there[4] = uint[4](0u, 0u, 0u, 0u);
    for (int i = thread; i < ROWS * FOURS; i += THREADS) {
        put_four(i / FOURS, i % FOURS, there);
    }
    [[unroll]] for (int i = 0; i < 4; i++) {
        atomicOr(mask[i], there[i]);
    }
}

/* Returns how many bins there are. */
int list_bins(int thread)
{
    int count = 0;
    int before = 0;
    [[unroll]] for (int word = 0; word < 4; word++) {
        count += bitCount(mask[word]);
        uint below = word < thread / 32 ? ~0u : word == thread / 32 ? (1u << thread % 32) - 1u : 0u;
        before += bitCount(mask[word] & below);
    }
    if (thread < BINS && (mask[thread / 32] >> thread % 32 & 1u) != 0u) {
        bins[before] = thread;
    }
    return count;
}

/* ---- Planes */

/* Adds pixels of the bin to sums of the part's rows. next: each row's first pixel that is not added yet. */
void add_rows(uint bin, int lane, int part, inout uint next[EACH])
{
    [[unroll]] for (int i = 0; i < EACH; i++) {
        if (next[i] >> 16 == bin) {
            int row = part + i * PARTS;
            int at = row * PITCH + int(next[i] >> 8 & 255u);
            vec2 sum = unpackHalf2x16(sums[row * SEGMENT + lane]);
            do {
                sum += weights[int(next[i] & 255u) - lane + SEGMENT - 1];
                next[i] = list[++at];
            } while (next[i] >> 16 == bin);
            sums[row * SEGMENT + lane] = packHalf2x16(sum);
        }
    }
}

/* Returns |d| of the thread's pixels. */
int[RUN] sum_columns(int lane, int first)
{
    float d[RUN];
    [[unroll]] for (int n = 0; n < RUN; n++) {
        d[n] = 0.0;
    }
    [[unroll]] for (int i = 0; i < RUN + 2 * REACH; i++) {
        vec2 both = unpackHalf2x16(sums[(first + i) * SEGMENT + lane]);
        [[unroll]] for (int n = 0; n < RUN; n++) {
            int distance = abs(i - n - REACH);
            if (distance <= REACH) {
                d[n] += q[distance] * both.x; /* by itself, so that it is fused with the sum */
                d[n] += p[distance] * both.y;
            }
        }
    }
    int sizes[RUN];
    [[unroll]] for (int n = 0; n < RUN; n++) {
        sizes[n] = int(abs(d[n])) >> SHIFT;
    }
    return sizes;
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int lane = thread % SEGMENT;
    int part = thread / SEGMENT;
    int strips = (size_px.y + STRIP - 1) / STRIP;
    ivec2 first = ivec2(gl_WorkGroupID.x, int(gl_WorkGroupID.y) % strips) * ivec2(SEGMENT, STRIP);
    scale_entry of = scale_of(slot);
    load_rows(channel_first + int(gl_WorkGroupID.y) / strips, first, thread);
    clear(of, thread);
    barrier();
    put_rows(thread);
    barrier();
    float whole = p[0];
    [[unroll]] for (int i = 1; i <= REACH; i++) {
        whole += 2.0 * p[i];
    }
    for (int i = thread; i < ROWS * SEGMENT; i += THREADS) {
        sums[i] = packHalf2x16(vec2(-0.5 * whole, 0.0));
    }
    int last = list_bins(thread) - 1;
    uint next[EACH];
    [[unroll]] for (int i = 0; i < EACH; i++) {
        int row = part + i * PARTS;
        next[i] = row < ROWS ? list[row * PITCH] : NO_PIXEL;
    }
    barrier();
    int totals[RUN];
    [[unroll]] for (int n = 0; n < RUN; n++) {
        totals[n] = 0;
    }
    for (int i = 0; i < last; i++) { /* all pixels come to 0 */
        add_rows(uint(bins[i]), lane, part, next);
        barrier();
        int d[RUN] = sum_columns(lane, part * RUN);
        int like = bins[i + 1] - bins[i];
        [[unroll]] for (int n = 0; n < RUN; n++) {
            totals[n] += like * d[n];
        }
        barrier();
    }
    [[unroll]] for (int n = 0; n < RUN; n++) {
        ivec2 pixel = first + ivec2(lane, part * RUN + n);
        int at = of.response + pixel.y * of.width + pixel.x;
        if (all(lessThan(pixel, size_px)) && channels > 1) {
            atomicAdd(work[at], uint(totals[n]));
        } else if (all(lessThan(pixel, size_px))) {
            work[at] = uint(totals[n]);
        }
    }
}
