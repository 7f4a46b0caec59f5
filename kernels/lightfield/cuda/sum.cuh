/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shifted sums of views. A block has a part of the picture and takes views of a row of them at a
 * time: first it samples, in all lenses that its pixels lie between, what these views have, then
 * each pixel adds up what is between four lenses. Where the picture is small, groups of threads
 * share out the views. Shared memory's loads bound it. */
#pragma once

#include "parts.cuh"
#include "picture.cuh"

struct sum_memory {
    /* Each colour has lenses row by row, and each lens all views. */
    float samples[3][LIGHTFIELD_SUM_SAMPLES];
    /* How far the block's first pixel is from the first lens, in straight and in shifted rows. */
    float starts[2][LIGHTFIELD_SUM_VIEWS];
};

/* Views beside each other, of the lenses from a row on. */
struct sum_batch {
    int dx, dy; /* the first view */
    int views;
    int stride; /* between lenses in shared memory: odd, so that neighbours are in other banks */
    int top;
};

/* A pixel: how far it is from the block's first one, and from the row of lenses above it. */
struct sum_pixel {
    float across, down;
    int above; /* in the block's lenses */
    int shifted[2]; /* 1: the row above, the row below */
};

/* In lenses. */
DEVICE double sum_first_at(const lightfield_cuda_sum &params)
{
    return place_at(params.array.across, (int)blockIdx.x * params.block.columns);
}

/* Returns where the block's first pixel lies in a view's row of lenses. Threads that sample and
 * those that add up round alike: nothing is fused. */
DEVICE double sum_start(const lightfield_cuda_sum &params, double first, int dx, bool shifted)
{
    return first - __dmul_rn(params.shift, dx) - (shifted ? 0.5 : 0.0);
}

template <typename Sampler>
DEVICE color3 sum_sample(const lightfield_cuda_sum &params, int dx, int dy, int column, int row)
{
    const lightfield_cuda_array &array = params.array;
    const double x = (column + (place_is_shifted(array, row) ? 0.5 : 0.0)) * array.pitch_x_px +
                     array.sign * (dx + params.view_x_px);
    const double y = row * array.pitch_y_px + array.sign * (dy + params.view_y_px);
    return Sampler::sample(params.raw,
                           place_fixed(array.origin_x_px + array.cos * x - array.sin * y),
                           place_fixed(array.origin_y_px + array.sin * x + array.cos * y));
}

/* Divides small whole numbers. */
DEVICE int sum_divide(int number, float part)
{
    return (int)(((float)number + 0.5f) * part);
}

/* Samples of all lenses that the block's pixels lie between, neighbouring views by neighbouring
 * threads. */
template <typename Sampler>
DEVICE void sum_sample_all(const lightfield_cuda_sum &params, const sum_batch &batch, double first,
                           sum_memory &memory)
{
    const lightfield_cuda_array &array = params.array;
    const lightfield_sum_block &block = params.block;
    const float of_view = 1.0f / (float)batch.views;
    const float of_lens = 1.0f / (float)block.array_columns;
    EACH_OF_BLOCK(item, batch.views * block.array_columns * block.array_rows)
    {
        const int lens = sum_divide(item, of_view);
        const int view = item - lens * batch.views;
        const int down = sum_divide(lens, of_lens);
        const int right = lens - down * block.array_columns;
        const int row = place_within(batch.top + down, array.rows);
        const double start =
            sum_start(params, first, batch.dx + view, place_is_shifted(array, row));
        const int column = place_within((int)floor(start) + right, array.columns);
        const color3 color = sum_sample<Sampler>(params, batch.dx + view, batch.dy, column, row);
        const int at = lens * batch.stride + view;
        memory.samples[0][at] = color.r;
        if (Sampler::colors > 1) {
            memory.samples[1][at] = color.g;
            memory.samples[2][at] = color.b;
        }
    }
    EACH_OF_BLOCK(item, 2 * batch.views)
    {
        const int shifted = item >= batch.views ? 1 : 0;
        const int view = item - shifted * batch.views;
        const double start = sum_start(params, first, batch.dx + view, shifted != 0);
        memory.starts[shifted][view] = (float)(start - floor(start));
    }
}

DEVICE float sum_between(float a, float b, float part)
{
    return a + part * (b - a);
}

/* Adds up the views of a thread's group. */
template <int COLORS>
DEVICE void sum_add(const lightfield_cuda_sum &params, const sum_batch &batch,
                    const sum_pixel &pixel, int group, int groups, const sum_memory &memory,
                    float sum[COLORS])
{
    const int row = params.block.array_columns * batch.stride;
    for (int view = group; view < batch.views; view += groups) {
        const float above = memory.starts[pixel.shifted[0]][view] + pixel.across;
        const float below =
            params.array.hexagonal ? memory.starts[pixel.shifted[1]][view] + pixel.across : above;
        const int at = pixel.above * row + (int)above * batch.stride + view;
        const int next = (pixel.above + 1) * row + (int)below * batch.stride + view;
        const float part_above = above - (float)(int)above;
        const float part_below = below - (float)(int)below;
#pragma unroll
        for (int i = 0; i < COLORS; i++) {
            const float *samples = memory.samples[i];
            sum[i] += sum_between(
                sum_between(samples[at], samples[at + batch.stride], part_above),
                sum_between(samples[next], samples[next + batch.stride], part_below), pixel.down);
        }
    }
}

/* Adds up the groups' sums for the first of them. */
template <int COLORS>
DEVICE void sum_add_groups(int thread, int pixels, int groups, sum_memory &memory,
                           float sum[COLORS])
{
    for (int i = 0; i < COLORS; i++) {
        memory.samples[i][thread] = sum[i];
    }
    __syncthreads();
    for (int group = 1; thread < pixels && group < groups; group++) {
        for (int i = 0; i < COLORS; i++) {
            sum[i] += memory.samples[i][group * pixels + thread];
        }
    }
}

/* The views to each side of the middle one of a row. */
DEVICE int sum_half(double square, int dy)
{
    int half = (int)sqrt(square - dy * dy);
    half += (half + 1) * (half + 1) + dy * dy <= square ? 1 : 0;
    return half - (half * half + dy * dy > square ? 1 : 0);
}

template <typename Sampler>
static __device__ void sum_views(const lightfield_cuda_sum &params, sum_memory &memory)
{
    const lightfield_cuda_array &array = params.array;
    const lightfield_sum_block &block = params.block;
    const int thread = thread_of_block();
    const int pixels = block.columns * block.rows;
    const int group = thread / pixels;
    const int groups = LIGHTFIELD_CUDA_THREADS / pixels;
    const int right = thread % block.columns;
    const int x = (int)blockIdx.x * block.columns + right;
    const int first_y = (int)blockIdx.y * block.rows;
    const int y = first_y + thread % pixels / block.columns;
    const double first = sum_first_at(params);
    const double first_row = place_at(array.down, first_y);
    const double row = place_at(array.down, y);
    const double square = params.radius_px * params.radius_px;
    const int reach = (int)floor(params.radius_px);
    float sum[Sampler::colors] = {};
    float count = 0.0f;
    sum_pixel pixel;
    pixel.across = (float)(place_at(array.across, x) - first);
    for (int dy = -reach; dy <= reach; dy++) {
        const double shift = params.shift * dy * (array.pitch_x_px / array.pitch_y_px);
        const int half = sum_half(square, dy);
        const int top = (int)floor(first_row - shift);
        const float down = (float)(row - shift - top);
        pixel.above = (int)down;
        pixel.down = down - (float)pixel.above;
        for (int i = 0; i < 2; i++) {
            const int lens = place_within(top + pixel.above + i, array.rows);
            pixel.shifted[i] = place_is_shifted(array, lens) ? 1 : 0;
        }
        const int batches = (2 * half + block.views) / block.views;
        const int most = (2 * half + batches) / batches;
        for (int dx = -half; dx <= half; dx += most) {
            const sum_batch batch = {dx, dy, min(most, half + 1 - dx), most | 1, top};
            __syncthreads();
            sum_sample_all<Sampler>(params, batch, first, memory);
            __syncthreads();
            sum_add<Sampler::colors>(params, batch, pixel, group, groups, memory, sum);
            count += (float)batch.views;
        }
    }
    __syncthreads();
    sum_add_groups<Sampler::colors>(thread, pixels, groups, memory, sum);
    if (group == 0 && x < params.dst.width_px && y < params.dst.height_px) {
        const bool is_gray = Sampler::colors == 1;
        picture_store(params.dst, x, y,
                      {sum[0], sum[is_gray ? 0 : 1 % Sampler::colors],
                       sum[is_gray ? 0 : 2 % Sampler::colors]},
                      count);
    }
}
