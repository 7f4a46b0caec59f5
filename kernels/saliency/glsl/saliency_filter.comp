#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels, from planes to the responses of one scale: a workgroup has a tile of a level's samples and every n-th
 * plane of those that differ there. A plane is blurred along rows, then along columns, and has its Laplacian taken.
 * A thread keeps the sums of |d| of four samples, whole numbers, and adds them to the response in the end. Products and
 * sums bound it, which are not fused, and shared memory.
 *
 * Workgroup: 256 threads, 12 to 30 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int REACH = 16; /* of the weights; those of a scale that has less are zeros beyond */
const int THREADS = 256;
const int COLUMNS = TILE + 2; /* that are blurred, and as many rows */
const int SIDE = COLUMNS + 2 * REACH; /* of the plane that is read */
const int PLANE_PITCH = SIDE + 1;
const int PITCH = COLUMNS + 1;
const int RUN = 8; /* neighbours of a row that a thread blurs at once */
const int STRIP = 4; /* and of a column */

layout(local_size_x = THREADS) in;

layout(std430, set = 0, binding = 4) readonly buffer Planes {
    float planes[];
};

shared float plane[SIDE * PLANE_PITCH];
shared float lines[SIDE * PITCH];
shared float blurred[COLUMNS * PITCH];
shared uint mask[4];
shared int bins[BINS + 1]; /* that are there, and BINS - 1 behind the last one */

float weights[REACH + 1]; /* of the Gaussian, a side of it */

/* The sample of the planes at a place that counts from the response's first; those beyond are like the outermost. */
int sample_at(axis_entry along, int place)
{
    return clamp(along.out_first + place - along.first, 0, along.count - 1);
}

int find_planes(level_entry of, job_entry its, ivec2 tile, int thread)
{
    int left = sample_at(of.x, tile.x - 1 - REACH) / SAMPLES;
    int segments = sample_at(of.x, tile.x + TILE + REACH) / SAMPLES - left + 1;
    int top = sample_at(of.y, tile.y - 1 - REACH) - its.row;
    int bottom = min(sample_at(of.y, tile.y + TILE + REACH) - its.row, its.rows - 1);
    if (thread < 4) {
        mask[thread] = 0u;
    }
    barrier();
    uint found = 0u;
    for (int i = thread / 4; i < segments * (bottom - top + 1); i += THREADS / 4) {
        int segment = (top + i / segments) * (of.pitch / SAMPLES) + left + i % segments;
        found |= work[its.mask + 4 * segment + thread % 4];
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

void load_plane(level_entry of, job_entry its, ivec2 tile, int bin, int thread)
{
    int from = its.plane + (bin * its.rows - its.row) * of.pitch;
    for (int row = thread / 32; row < SIDE; row += THREADS / 32) {
        int line = from + min(sample_at(of.y, tile.y - 1 - REACH + row), its.row + its.rows - 1) * of.pitch;
        for (int column = thread % 32; column < SIDE; column += 32) {
            plane[row * PLANE_PITCH + column] = planes[line + sample_at(of.x, tile.x - 1 - REACH + column)];
        }
    }
}

void filter_rows(int thread)
{
    for (int item = thread; item < SIDE * (COLUMNS / RUN); item += THREADS) {
        int row = item % SIDE;
        int column = item / SIDE * RUN;
        float values[RUN + 2 * REACH];
        [[unroll]] for (int i = 0; i < RUN + 2 * REACH; i++) {
            values[i] = plane[row * PLANE_PITCH + column + i];
        }
        [[unroll]] for (int i = 0; i < RUN; i++) {
            precise float sum = weights[0] * values[i + REACH];
            [[unroll]] for (int k = 1; k <= REACH; k++) {
                sum = sum + weights[k] * (values[i + REACH - k] + values[i + REACH + k]);
            }
            lines[row * PITCH + column + i] = sum;
        }
    }
}

void filter_columns(int column, int first)
{
    float values[STRIP + 2 * REACH];
    [[unroll]] for (int i = 0; i < STRIP + 2 * REACH; i++) {
        values[i] = lines[(first + i) * PITCH + column];
    }
    [[unroll]] for (int i = 0; i < STRIP; i++) {
        precise float sum = weights[0] * values[i + REACH];
        [[unroll]] for (int k = 1; k <= REACH; k++) {
            sum = sum + weights[k] * (values[i + REACH - k] + values[i + REACH + k]);
        }
        blurred[(first + i) * PITCH + column] = sum;
    }
}

/* Second differences across. */
float across(int at)
{
    precise float difference = (blurred[at] - blurred[at + 1]) + (blurred[at + 2] - blurred[at + 1]);
    return difference;
}

/* Six times the Laplacian of nine samples, as kernels/saliency/cpu/loops.c has it, as a whole number. */
int laplacian_at(int at, float gain)
{
    float middle = blurred[at + PITCH + 1];
    precise float x = across(at + PITCH);
    precise float y = (blurred[at + 1] - middle) + (blurred[at + 2 * PITCH + 1] - middle);
    precise float xy = (across(at) - x) + (across(at + 2 * PITCH) - x);
    precise float value = ((x + y) + xy * (1.0 / 6.0)) * gain;
    precise float rounded = abs(value) + 0.5;
    return int(rounded);
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int number = 0;
    int before = 0;
    job_entry its = job_of(0);
    for (; int(gl_WorkGroupID.x) >= its.tile_end; its = job_of(++number)) {
        before = its.tile_end;
    }
    level_entry of = level_of(its.level);
    int wanted = of.scale_first + (slot - of.scale_first % 3 + 3) % 3;
    if (wanted >= of.scale_end) {
        return;
    }
    scale_entry to = scale_of(wanted);
    int tiles = (of.x.out_count + TILE - 1) / TILE;
    int tile_number = int(gl_WorkGroupID.x) - before;
    ivec2 tile = ivec2(tile_number % tiles, tile_number / tiles) * TILE + ivec2(0, its.out_row);
    ivec2 end = ivec2(of.x.out_count, its.out_row + its.out_rows);
    int column = thread % 32;
    int first = thread / 32 * STRIP;
    [[unroll]] for (int i = 0; i <= REACH; i++) {
        weights[i] = intBitsToFloat(table[to.weights + i]);
    }
    int totals[STRIP] = int[STRIP](0, 0, 0, 0);
    int last = find_planes(of, its, tile, thread) - 1;
    for (int i = int(gl_WorkGroupID.y); i < last; i += int(gl_NumWorkGroups.y)) {
        load_plane(of, its, tile, bins[i], thread);
        barrier();
        filter_rows(thread);
        barrier();
        filter_columns(column, first);
        barrier();
        int like = bins[i + 1] - bins[i];
        for (int n = 0; n < STRIP; n++) { /* glslc's copies of an unrolled loop lose `precise` */
            if (column < TILE && first + n < TILE) {
                totals[n] += like * laplacian_at((first + n) * PITCH + column, to.gain);
            }
        }
    }
    [[unroll]] for (int n = 0; n < STRIP; n++) {
        ivec2 at = tile + ivec2(column, first + n);
        if (column < TILE && first + n < TILE && all(lessThan(at, end))) {
            atomicAdd(work[to.response + at.y * to.width + at.x], uint(totals[n]));
        }
    }
}
