/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The patch size under a gaze, and what is in focus by it. A block has a patch size and a lens; its
 * threads have a pixel of the square each. The last block to arrive chooses. How long a few loads
 * take, one after the other, bounds it. */
#pragma once

#include "depth.cuh"
#include "kernels/cuda/ptx.cuh"

static_assert(LIGHTFIELD_CUDA_SIZES <= LIGHTFIELD_CUDA_THREADS, "a thread for each cost");

#define SEARCH_LANES 8 /* threads that add up a patch size's lenses */
#define SEARCH_TURN (4 * SEARCH_LANES) /* lenses that are loaded at once */

struct search_memory {
    /* Pixels of the square have places in the nearest lens, and in the other one; columns of them
     * have some in even and some in shifted rows of lenses. */
    place_part columns[2][2][LIGHTFIELD_CUDA_WINDOW];
    place_part rows[2][LIGHTFIELD_CUDA_WINDOW];
    int row_of[LIGHTFIELD_CUDA_WINDOW]; /* the nearest row of lenses */
    lightfield_cuda_difference warps[LIGHTFIELD_CUDA_THREADS / 32];
    float costs[LIGHTFIELD_CUDA_SIZES];
    bool is_last;
};

/* A block's patch size, and the lens that it compares the nearest one with. */
struct search_block {
    double patch_px;
    int right, down;
};

DEVICE void search_place(const lightfield_cuda_search &params, const search_block &block, int width,
                         int height, search_memory &memory)
{
    const lightfield_cuda_array &array = params.array;
    const int columns = (array.hexagonal ? 4 : 2) * width;
    const int first_row = (columns + 31) / 32 * 32; /* no warp has both */
    EACH_OF_BLOCK(item, first_row + 2 * height)
    {
        if (item < columns) {
            const int column = item % width;
            const int other = item / width % 2;
            const int kind = item / width / 2;
            const double at = place_at(array.across, params.columns[0] + column);
            memory.columns[kind][other][column] =
                place_column(array, at, kind != 0, other ? block.right : 0, block.patch_px);
        } else if (item >= first_row) {
            const int row = (item - first_row) % height;
            const int other = (item - first_row) / height;
            const double at = place_at(array.down, params.rows[0] + row);
            memory.rows[other][row] = place_row(array, at, other ? block.down : 0, block.patch_px);
            memory.row_of[row] = place_nearest(at);
        }
    }
    __syncthreads();
}

/* Returns what two samples differ by. Where both are interpolated from whole pixels the compiler is
 * told, so that no branch stands between them: the loads of both are on their way at once. */
template <typename Sampler>
DEVICE float search_apart(const lightfield_cuda_raw &raw, int x, int y, int other_x, int other_y)
{
    if (Sampler::is_short && !raw.nearest && raw.whole_pixels) {
        lightfield_cuda_raw known = raw;
        known.nearest = 0;
        known.whole_pixels = 1;
        return apart(Sampler::sample(known, x, y), Sampler::sample(known, other_x, other_y));
    }
    return apart(Sampler::sample(raw, x, y), Sampler::sample(raw, other_x, other_y));
}

/* Adds what a pixel differs by. */
template <typename Sampler>
DEVICE void search_pixel(const lightfield_cuda_search &params, const search_block &block,
                         const search_memory &memory, int x, int y, lightfield_cuda_difference &out)
{
    const int middle = memory.row_of[y];
    const place_part own = memory.columns[place_is_shifted(params.array, middle) ? 1 : 0][0][x];
    const place_part column =
        memory.columns[place_is_shifted(params.array, middle + block.down) ? 1 : 0][1][x];
    const place_part own_row = memory.rows[0][y];
    const place_part row = memory.rows[1][y];
    if (parts_even(row.from, block.down) * parts_even(column.from, block.right) > 0.0f) {
        out.sum += search_apart<Sampler>(params.raw, column.x + row.x, column.y + row.y,
                                         own.x + own_row.x, own.y + own_row.y);
        out.count += 1.0f;
    }
}

DEVICE void search_add_lanes(lightfield_cuda_difference &own, int lanes)
{
    for (int by = lanes / 2; by > 0; by /= 2) {
        own.sum += __shfl_xor_sync(~0u, own.sum, by);
        own.count += __shfl_xor_sync(~0u, own.count, by);
    }
}

/* Adds up what a block's threads have, for the first of them. */
static __device__ lightfield_cuda_difference search_add_up(int thread,
                                                           lightfield_cuda_difference own,
                                                           search_memory &memory)
{
    search_add_lanes(own, 32);
    if (thread % 32 == 0) {
        memory.warps[thread / 32] = own;
    }
    __syncthreads();
    for (int warp = 1; thread == 0 && warp < LIGHTFIELD_CUDA_THREADS / 32; warp++) {
        own.sum += memory.warps[warp].sum;
        own.count += memory.warps[warp].count;
    }
    return own;
}

/* Says to all threads whether this block is the last: others' differences are there before their
 * arrival is. */
static __device__ bool search_is_last(const lightfield_cuda_search &params, int thread,
                                      lightfield_cuda_difference own, search_memory &memory)
{
    lightfield_cuda_focus *focus = (lightfield_cuda_focus *)params.focus;
    if (thread == 0) {
        focus->differences[blockIdx.y * gridDim.x + blockIdx.x] = own;
        memory.is_last = ptx_arrive(&focus->arrived) + 1u == gridDim.x * gridDim.y;
    }
    __syncthreads();
    return memory.is_last;
}

/* Adds a thread's next lenses, whose loads are all on their way at once. */
static __device__ void search_add_turn(const lightfield_cuda_difference *of_size, int lens,
                                       lightfield_cuda_difference &own)
{
    const int sizes = (int)gridDim.x;
    const int last = (int)gridDim.y - 1;
    lightfield_cuda_difference turn[SEARCH_TURN / SEARCH_LANES];
#pragma unroll
    for (int n = 0; n < SEARCH_TURN / SEARCH_LANES; n++) {
        turn[n] = of_size[min(lens + n * SEARCH_LANES, last) * sizes];
    }
#pragma unroll
    for (int n = 0; n < SEARCH_TURN / SEARCH_LANES; n++) {
        const bool counts = lens + n * SEARCH_LANES <= last;
        own.sum += counts ? turn[n].sum : 0.0f;
        own.count += counts ? turn[n].count : 0.0f;
    }
}

/* Costs of all patch sizes. Lenses are added in the same order whatever the order of blocks was. */
static __device__ void search_make_costs(const lightfield_cuda_focus *focus, int thread,
                                         search_memory &memory)
{
    const int sizes = (int)gridDim.x;
    const int lenses = (int)gridDim.y;
    for (int first = 0; first < sizes; first += LIGHTFIELD_CUDA_THREADS / SEARCH_LANES) {
        const int size = first + thread / SEARCH_LANES;
        lightfield_cuda_difference own = {0.0f, 0.0f};
#pragma unroll 1
        for (int lens = thread % SEARCH_LANES; lens < lenses; lens += SEARCH_TURN) {
            search_add_turn(focus->differences + min(size, sizes - 1), lens, own);
        }
        search_add_lanes(own, SEARCH_LANES);
        if (thread % SEARCH_LANES == 0 && size < sizes) {
            memory.costs[size] = own.count > 0.0f ? own.sum / own.count : 0.0f;
        }
    }
    __syncthreads();
}

/* Does as lightfield_least, by a warp. */
static __device__ int search_least(const lightfield_focusing &how, const float *costs, int lane,
                                   float &confidence)
{
    int best = 0;
    float least = INFINITY;
    float other = INFINITY;
    for (int n = lane; n < how.size_count; n += 32) {
        best = costs[n] <= least ? n : best;
        least = fminf(least, costs[n]);
    }
    for (int by = 16; by > 0; by /= 2) {
        const float cost = __shfl_xor_sync(~0u, least, by);
        const int number = __shfl_xor_sync(~0u, best, by);
        best = cost < least || (cost == least && number > best) ? number : best;
        least = fminf(least, cost);
    }
    for (int n = lane; n < how.size_count; n += 32) {
        const bool is_apart = abs(n - best) * how.step_px > 1.0 - 1e-6;
        other = is_apart ? fminf(other, costs[n]) : other;
    }
    for (int by = 16; by > 0; by /= 2) {
        other = fminf(other, __shfl_xor_sync(~0u, other, by));
    }
    confidence = other > 0.0f && isfinite(other) ? 1.0f - least / other : 0.0f;
    return best;
}

template <typename Sampler>
static __device__ void search(const lightfield_cuda_search &params, search_memory &memory)
{
    const int thread = thread_of_block();
    const int lenses = 2 * params.range + 1;
    const int width = params.columns[1] - params.columns[0];
    const int height = params.rows[1] - params.rows[0];
    const search_block block = {params.how.first_px + (int)blockIdx.x * params.how.step_px,
                                (int)blockIdx.y % lenses - params.range,
                                (int)blockIdx.y / lenses - params.range};
    lightfield_cuda_difference own = {0.0f, 0.0f};
    if (!params.how.is_blind && (block.right != 0 || block.down != 0)) {
        search_place(params, block, width, height, memory);
        EACH_OF_BLOCK(pixel, width * height)
        {
            search_pixel<Sampler>(params, block, memory, pixel % width, pixel / width, own);
        }
    }
    own = search_add_up(thread, own, memory);
    if (!search_is_last(params, thread, own, memory)) {
        return;
    }
    lightfield_cuda_focus *focus = (lightfield_cuda_focus *)params.focus;
    operator_focus now = focus->focus; /* loads beside those of differences */
    search_make_costs(focus, thread, memory);
    if (thread >= 32) {
        return;
    }
    float confidence;
    const int best = search_least(params.how, memory.costs, thread, confidence);
    if (thread == 0) {
        focus->arrived = 0;
        focus->patch_px =
            lightfield_focus(&params.how, lightfield_seen(&params.how, best, confidence), &now);
        focus->focus = now;
        picture_store_float(params.patch, 0, 0, (float)focus->patch_px);
    }
}
