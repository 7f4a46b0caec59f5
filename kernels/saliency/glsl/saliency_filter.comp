#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels, from planes to the responses of one scale: a workgroup has a tile of a level's samples and every n-th
 * plane of those that differ there. A plane is summed along rows by both lines of the scale, and these sums along
 * columns by the other line. All are whole numbers less than 2^24, which floats add exactly in any order.
 * A thread keeps the sums of |d| of four samples, and adds them to the response in the end. Products and sums bound it.
 *
 * Workgroup: 256 threads, 7 to 10 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int REACH = 18; /* of the weights; those of a scale that has less are zeros beyond */
const int THREADS = 256;
const int SIDE = TILE + 2 * REACH; /* of the plane that is read */
const int MORE = REACH % 2; /* a sample before, where words begin */
const int PITCH = TILE + 1;
const int RUN = 8; /* neighbours of a row that a thread sums at once */
const int STRIP = 4; /* and of a column */
const int LINE = 20; /* SALIENCY_REACH + 1 */
const float ROW_STEP = 8192.0; /* 2^SALIENCY_ROW_SHIFT */
const float ROW_PART = 1.0 / ROW_STEP; /* a product is exact, where a division need not be */
const int SHIFT = 2; /* SALIENCY_COARSE_SHIFT */

layout(local_size_x = THREADS) in;

layout(std430, set = 0, binding = 4) readonly buffer Planes {
    uint planes[]; /* two samples of a row each */
};

shared uint lines[SIDE * PITCH]; /* a row's sums by p and by q */
shared uint mask[4];
shared int bins[BINS + 1]; /* that are there, and BINS - 1 behind the last one */

float p[REACH + 1]; /* a side of each line */
float q[REACH + 1];

/* The sample of the planes at a place that counts from the response's first; those beyond are like the outermost. */
int sample_at(axis_entry along, int place)
{
    return clamp(along.out_first + place - along.first, 0, along.count - 1);
}

int find_planes(level_entry of, int channel, ivec2 tile, int thread)
{
    int left = sample_at(of.x, tile.x - REACH) / SAMPLES;
    int segments = sample_at(of.x, tile.x + TILE - 1 + REACH) / SAMPLES - left + 1;
    int top = sample_at(of.y, tile.y - REACH);
    int bottom = sample_at(of.y, tile.y + TILE - 1 + REACH);
    int first = of.mask + (channel_first + channel) * mask_words_of(of);
    if (thread < 4) {
        mask[thread] = 0u;
    }
    barrier();
    uint found = 0u;
    for (int i = thread / 4; i < segments * (bottom - top + 1); i += THREADS) {
        [[unroll]] for (int n = 0; n < 4; n++) { /* four loads at once: the last again where there are no more */
            int at = min(i + n * (THREADS / 4), segments * (bottom - top + 1) - 1);
            int segment = (top + at / segments) * (of.pitch / SAMPLES) + left + at % segments;
            found |= work[first + 4 * segment + thread % 4];
        }
    }
    atomicOr(mask[thread % 4], found);
    barrier();
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
    if (thread == 0) {
        bins[count] = BINS - 1;
    }
    barrier();
    return count;
}

/* Rounded to 12 bits, as the processor does. */
float rounded(float sum)
{
    return floor((sum + 0.5 * ROW_STEP) * ROW_PART);
}

/* Four threads beside each other share a row, and find in the cache what each other reads. */
void filter_rows(level_entry of, int from, ivec2 tile, int thread)
{
    for (int item = thread; item < SIDE * (TILE / RUN); item += THREADS) {
        int row = item / (TILE / RUN);
        int column = item % (TILE / RUN) * RUN;
        int line = from + sample_at(of.y, tile.y - REACH + row) * words_of(of);
        int left = (tile.x + column - REACH - MORE + of.x.out_first - of.x.first) / 2;
        float values[RUN + 2 * (REACH + MORE)];
        [[unroll]] for (int i = 0; i < RUN / 2 + REACH + MORE; i++) {
            vec2 two = unpackHalf2x16(planes[line + clamp(left + i, 0, last_word_of(of))]);
            values[2 * i] = two.x;
            values[2 * i + 1] = two.y;
        }
        [[unroll]] for (int i = 0; i < RUN; i++) {
            int middle = i + REACH + MORE;
            vec2 sum = vec2(p[0], q[0]) * values[middle];
            [[unroll]] for (int k = 1; k <= REACH; k++) {
                sum += vec2(p[k], q[k]) * (values[middle - k] + values[middle + k]);
            }
            lines[row * PITCH + column + i] = packHalf2x16(vec2(rounded(sum.x), rounded(sum.y)));
        }
    }
}

/* |d| of the thread's samples */
int[STRIP] filter_columns(int column, int first)
{
    float sums[STRIP] = float[STRIP](0.0, 0.0, 0.0, 0.0);
    [[unroll]] for (int i = 0; i < STRIP + 2 * REACH; i++) {
        vec2 values = unpackHalf2x16(lines[(first + i) * PITCH + column]);
        [[unroll]] for (int n = 0; n < STRIP; n++) {
            int distance = abs(i - n - REACH);
            if (distance <= REACH) {
                sums[n] += q[distance] * values.x; /* by itself, so that it is fused with the sum */
                sums[n] += p[distance] * values.y;
            }
        }
    }
    int sizes[STRIP];
    [[unroll]] for (int n = 0; n < STRIP; n++) {
        sizes[n] = int(abs(sums[n])) >> SHIFT;
    }
    return sizes;
}

/* The level and channel of a workgroup's tile, which becomes the tile's number */
level_entry find_level(inout int tile, out int channel)
{
    int number = level_count - 1;
    level_entry of = level_of(number);
    while (tile >= of.tiles * channel_count) {
        tile -= of.tiles * channel_count;
        of = level_of(--number);
    }
    channel = tile / of.tiles;
    tile %= of.tiles;
    return of;
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int channel = 0;
    int number = int(gl_WorkGroupID.x);
    level_entry of = find_level(number, channel);
    int wanted = of.scale_first + (slot - of.scale_first % 3 + 3) % 3;
    if (wanted >= of.scale_end) {
        return;
    }
    scale_entry to = scale_of(wanted);
    int tiles = (of.x.out_count + TILE - 1) / TILE;
    ivec2 tile = ivec2(number % tiles, number / tiles) * TILE;
    ivec2 end = ivec2(of.x.out_count, of.y.out_count);
    int column = thread % 32;
    int first = thread / 32 * STRIP;
    [[unroll]] for (int i = 0; i <= REACH; i++) {
        p[i] = float(table[to.lines + i]);
        q[i] = float(table[to.lines + LINE + i]);
    }
    int totals[STRIP] = int[STRIP](0, 0, 0, 0);
    int last = find_planes(of, channel, tile, thread) - 1;
    for (int i = int(gl_WorkGroupID.y); i < last; i += int(gl_NumWorkGroups.y)) {
        int bin = bins[i] - bin_first;
        if (bin < 0 || bin >= bin_count) {
            continue;
        }
        barrier();
        filter_rows(of, plane_of(of, channel, bin), tile, thread);
        barrier();
        int sizes[STRIP] = filter_columns(column, first);
        int like = bins[i + 1] - bins[i];
        [[unroll]] for (int n = 0; n < STRIP; n++) {
            totals[n] += like * sizes[n];
        }
    }
    [[unroll]] for (int n = 0; n < STRIP; n++) {
        ivec2 at = tile + ivec2(column, first + n);
        if (all(lessThan(at, end))) {
            atomicAdd(work[to.response + at.y * to.width + at.x], uint(totals[n]));
        }
    }
}
