#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of the levels beyond those of saliency_near.comp: every sample of every plane, from the pixels that it has a
 * weight for. A workgroup has eight samples of a row. It goes through their pixels by 32 columns, and adds those of a column up by their bins, with
 * the rows' weights; then a thread has a bin, and weighs its columns for each of the samples. Whole numbers, the
 * processor's in another order; those of the bins up to one are its plane's sample. Additions to shared
 * memory bound it.
 *
 * Workgroup: 128 threads, 20 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

const int PITCH = SEGMENT + 1; /* of a bin's columns */
const int TOTAL_PITCH = SAMPLES + 1;
const int PARTS = BINS / SEGMENT; /* that share a column's rows */
const int ROWS = 8; /* of a thread that are under way at once */
const int HEIGHT = 256; /* rows between barriers */
const int PAIRS = SAMPLES / 2;
const int EACH = PAIRS; /* bins of a thread, in the end, of two samples */
const int SHIFT = 18; /* SALIENCY_SAMPLE_SHIFT */
const int MIDDLE = 2048; /* SALIENCY_SAMPLE_MIDDLE */

layout(local_size_x = BINS) in;

layout(std430, set = 0, binding = 4) writeonly buffer Planes {
    uint planes[]; /* two samples of a row each, as halves */
};

shared int sums[BINS * PITCH];
shared ivec4 across[SEGMENT * SAMPLES / 4];
shared int down[HEIGHT]; /* weights of rows */
shared ivec2 parts[BINS];
shared uint mask[4];

/* A sample's pixels along an axis: the outermost of the picture stand for all beyond them. */
int weight_of(level_entry of, int middle, int pixel, int last)
{
    int end = 2 * of.reach_px + 1;
    int at = pixel - middle + of.reach_px;
    int before = pixel == 0 ? 0 : table[of.taps + clamp(at, 0, end)];
    return table[of.taps + (pixel == last ? end : clamp(at + 1, 0, end))] - before;
}

void weigh_columns(level_entry of, int i, int x, int thread)
{
    for (int n = thread; n < SEGMENT * SAMPLES; n += BINS) {
        int column = n / SAMPLES;
        int number = i + n % SAMPLES;
        bool has = number < of.x.count && x + column < size_px.x;
        across[n / 4][n % 4] =
            has ? weight_of(of, (of.x.first + number) * of.step_px, x + column, size_px.x - 1) : 0;
    }
}

/* A row has one weight in all columns; those beyond the last have none. */
void weigh_rows(level_entry of, int middle, int first, int last, int thread)
{
    for (int n = thread; n < HEIGHT; n += BINS) {
        int y = first + n;
        down[n] = y <= last ? weight_of(of, middle, y, size_px.y - 1) : 0;
    }
}

void add_rows(int channel, int x, int first, int last, int thread)
{
    int lane = thread % SEGMENT;
    if (x + lane >= size_px.x) {
        return;
    }
    for (int row = thread / SEGMENT; row < HEIGHT && first + row <= last; row += ROWS * PARTS) {
        uint bins[ROWS];
        [[unroll]] for (int i = 0; i < ROWS; i++) {
            bins[i] = bin_at(channel, x + lane, min(first + row + i * PARTS, last));
        }
        [[unroll]] for (int i = 0; i < ROWS; i++) {
            atomicAdd(sums[int(bins[i]) * PITCH + lane], down[row + i * PARTS]);
        }
    }
}

/* totals: the thread's bin's, of each sample */
void write(level_entry of, job_entry its, int i, int row, int totals[SAMPLES], int thread)
{
    int any = 0;
    [[unroll]] for (int n = 0; n < SAMPLES; n++) {
        sums[thread * TOTAL_PITCH + n] = totals[n];
        any |= totals[n];
    }
    if (any != 0) {
        atomicOr(mask[thread / 32], 1u << thread % 32);
    }
    barrier();
    int pair = thread % PAIRS;
    int part = thread / PAIRS;
    ivec2 sum = ivec2(0);
    for (int n = 0; n < EACH; n++) {
        int at = (part * EACH + n) * TOTAL_PITCH + 2 * pair;
        sum += ivec2(sums[at], sums[at + 1]);
    }
    parts[thread] = sum;
    if (thread < 4) {
        work[its.mask + (row * (of.pitch / SAMPLES) + i / SAMPLES) * 4 + thread] = mask[thread];
    }
    barrier();
    sum = ivec2(0);
    for (int n = 0; n < part; n++) {
        sum += parts[n * PAIRS + pair];
    }
    for (int n = 0; n < EACH; n++) {
        int bin = part * EACH + n;
        int at = bin * TOTAL_PITCH + 2 * pair;
        sum += ivec2(sums[at], sums[at + 1]);
        ivec2 samples = ((sum + (1 << (SHIFT - 1))) >> SHIFT) - MIDDLE;
        planes[its.plane + ((bin * its.rows + row) * of.pitch + i) / 2 + pair] = packHalf2x16(vec2(samples));
    }
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int group = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    int before = 0;
    job_entry its = job_of(find_job(group, FAR_END, before));
    if (its.rows == 0) {
        return;
    }
    level_entry of = level_of(its.level);
    int i = (group - before) % (of.pitch / SAMPLES) * SAMPLES;
    int row = (group - before) / (of.pitch / SAMPLES);
    int middle = (of.y.first + its.row + row) * of.step_px;
    ivec2 end = size_px - 1;
    int top = clamp(middle - of.reach_px, 0, end.y);
    int bottom = clamp(middle + of.reach_px, 0, end.y);
    int left = clamp((of.x.first + i) * of.step_px - of.reach_px, 0, end.x);
    int right = clamp((of.x.first + i + SAMPLES - 1) * of.step_px + of.reach_px, 0, end.x);
    int totals[SAMPLES] = int[SAMPLES](0, 0, 0, 0, 0, 0, 0, 0);
    if (thread < 4) {
        mask[thread] = 0u;
    }
    for (int x = left; x <= right; x += SEGMENT) {
        for (int n = thread; n < BINS * PITCH; n += BINS) {
            sums[n] = 0;
        }
        weigh_columns(of, i, x, thread);
        for (int y = top; y <= bottom; y += HEIGHT) {
            if (y > top) {
                barrier();
            }
            if (x == left || bottom - top >= HEIGHT) {
                weigh_rows(of, middle, y, bottom, thread);
            }
            barrier();
            add_rows(its.channel, x, y, bottom, thread);
        }
        barrier();
        for (int column = 0; column < SEGMENT; column++) {
            int found = sums[thread * PITCH + column];
            if (found != 0) {
                ivec4 first = across[2 * column];
                ivec4 second = across[2 * column + 1];
                [[unroll]] for (int n = 0; n < 4; n++) {
                    totals[n] += found * first[n];
                    totals[n + 4] += found * second[n];
                }
            }
        }
        barrier();
    }
    write(of, its, i, row, totals, thread);
}
