#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of a level from those of the next finer one, by a binomial along rows and then along columns, each rounded: whole
 * numbers, the processor's. A workgroup has some of a plane, and a thread two samples of each of eight rows. Where it has
 * all of a plane it goes on to the next level. The last in y has no plane but says which differ there. Memory bounds it.
 *
 * Workgroup: 256 threads. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int GOES_ON = 0; /* 1: to all levels from the first on */
const int THREADS = 256;
const int RUN = 8; /* SALIENCY_GLSL_PLANE_ROWS */
const int ROWS = 2 * RUN + 7; /* of the finer level, for them */
const int ROW_WORDS = 6; /* of such a row */
const float STEP = 256.0; /* 2^SALIENCY_HALF_SHIFT */

layout(local_size_x = THREADS) in;

layout(std430, set = 0, binding = 4) buffer Planes {
    uint planes[]; /* two samples of a row each */
};
/* These see what other threads of the workgroup have made. */
layout(std430, set = 0, binding = 4) coherent buffer OwnPlanes {
    uint own_planes[];
};
layout(std430, set = 0, binding = 3) coherent buffer OwnWork {
    uint own_work[];
};

float rounded(float sum)
{
    return floor((sum + 0.5 * STEP) * (1.0 / STEP));
}

float weigh_nine(float a, float b, float c, float d, float e, float f, float g, float h, float i)
{
    return rounded(70.0 * e + 56.0 * (d + f) + 28.0 * (c + g) + 8.0 * (b + h) + (a + i));
}

/* Two samples of a row, whose first word is at `line`; word: the first that they need */
vec2 sum_row(int line, int word, int last)
{
    float v[2 * ROW_WORDS];
    [[unroll]] for (int i = 0; i < ROW_WORDS; i++) {
        int at = line + clamp(word + i, 0, last);
        vec2 two = unpackHalf2x16(GOES_ON == 1 ? own_planes[at] : planes[at]);
        v[2 * i] = two.x;
        v[2 * i + 1] = two.y;
    }
    return vec2(weigh_nine(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]),
                weigh_nine(v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]));
}

void make_rows(level_entry of, level_entry finer, int channel, int bin, int pair, int first)
{
    int from = plane_of(finer, channel, bin);
    int to = plane_of(of, channel, bin) + pair;
    vec2 rows[ROWS];
    [[unroll]] for (int i = 0; i < ROWS; i++) {
        int row = clamp(2 * (first + of.y.first) - 4 + i - finer.y.first, 0, finer.y.count - 1);
        rows[i] = sum_row(from + row * words_of(finer), 2 * pair + of.x.first - 2 - finer.x.first / 2,
                          last_word_of(finer));
    }
    [[unroll]] for (int n = 0; n < RUN; n++) {
        vec2 sum = 70.0 * rows[2 * n + 4] + 56.0 * (rows[2 * n + 3] + rows[2 * n + 5]) +
                   28.0 * (rows[2 * n + 2] + rows[2 * n + 6]) + 8.0 * (rows[2 * n + 1] + rows[2 * n + 7]) +
                   (rows[2 * n] + rows[2 * n + 8]);
        uint two = packHalf2x16(vec2(rounded(sum.x), rounded(sum.y)));
        if (first + n < of.y.count && GOES_ON == 1) {
            own_planes[to + (first + n) * words_of(of)] = two;
        } else if (first + n < of.y.count) {
            planes[to + (first + n) * words_of(of)] = two;
        }
    }
}

void make_plane(level_entry of, level_entry finer, int channel, int bin)
{
    int pairs = words_of(of);
    int count = pairs * ((of.y.count + RUN - 1) / RUN);
    for (int i = int(gl_GlobalInvocationID.x); i < count; i += int(gl_NumWorkGroups.x) * THREADS) {
        make_rows(of, finer, channel, bin, i % pairs, i / pairs * RUN);
    }
}

/* Planes that differ in what SAMPLES of a row are made of */
void make_masks(level_entry of, level_entry finer, int channel)
{
    int from = finer.mask + channel * mask_words_of(finer);
    int to = of.mask + channel * mask_words_of(of);
    int across = of.pitch / SAMPLES;
    int finer_across = finer.pitch / SAMPLES;
    for (int i = int(gl_GlobalInvocationID.x); i < mask_words_of(of); i += int(gl_NumWorkGroups.x) * THREADS) {
        int segment = i / 4 % across;
        int row = 2 * (i / 4 / across + of.y.first) - finer.y.first;
        uint found = 0u;
        for (int y = row - 4; y <= row + 4; y++) {
            int line = from + clamp(y, 0, finer.y.count - 1) * finer_across * 4 + i % 4;
            for (int x = 2 * segment - 1; x <= 2 * segment + 1; x++) {
                found |= own_work[line + clamp(x, 0, finer_across - 1) * 4];
            }
        }
        own_work[to + i] = found;
    }
}

void main()
{
    int channel = int(gl_WorkGroupID.y) / (bin_count + 1);
    int bin = int(gl_WorkGroupID.y) % (bin_count + 1);
    if (bin < bin_count && !is_there(channel, bin)) {
        return;
    }
    for (int number = slot; number < (GOES_ON == 1 ? level_count : slot + 1); number++) {
        if (bin < bin_count) {
            make_plane(level_of(number), level_of(number - 1), channel, bin);
        } else {
            make_masks(level_of(number), level_of(number - 1), channel_first + channel);
        }
        memoryBarrierBuffer();
        barrier();
    }
}
