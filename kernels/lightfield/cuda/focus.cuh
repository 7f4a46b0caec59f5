/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The patch size under a gaze, and what is in focus by it. A block has a patch size and a lens; its
 * threads have a pixel of the square each. The last block to arrive chooses. How long a few loads
 * take, one after the other, bounds it. */
#ifndef FOVEA_KERNELS_LIGHTFIELD_CUDA_FOCUS_CUH
#define FOVEA_KERNELS_LIGHTFIELD_CUDA_FOCUS_CUH

#include "depth.cuh"

static_assert(LIGHTFIELD_CUDA_SIZES <= LIGHTFIELD_CUDA_THREADS, "a thread for each cost");

struct search_sums {
    lightfield_cuda_difference warps[LIGHTFIELD_CUDA_THREADS / 32];
    float costs[LIGHTFIELD_CUDA_SIZES];
    bool is_last;
};

/* What a pixel differs by from that of the lens `right` and `down` of the nearest. */
template <typename Sampler>
static __device__ __forceinline__ void search_pixel(const lightfield_cuda_search &params, int x,
                                                    int y, int right, int down, double patch_px,
                                                    lightfield_cuda_difference &out)
{
    const lightfield_cuda_array &array = params.array;
    const double at_x = place_at(x, params.width_px, array.columns);
    const double at_y = place_at(y, params.height_px, array.rows);
    const int middle = place_nearest(at_y);
    const place_part own_row = place_row(array, at_y, 0, patch_px);
    const place_part own = place_column(array, at_x, place_is_shifted(array, middle), 0, patch_px);
    const place_part row = place_row(array, at_y, down, patch_px);
    const place_part column =
        place_column(array, at_x, place_is_shifted(array, middle + down), right, patch_px);
    if (parts_even(row.from, down) * parts_even(column.from, right) > 0.0f) {
        out.sum += apart(Sampler::sample(params.raw, column.x + row.x, column.y + row.y),
                         Sampler::sample(params.raw, own.x + own_row.x, own.y + own_row.y));
        out.count += 1.0f;
    }
}

/* Of a block's threads, for the first of them. */
static __device__ lightfield_cuda_difference search_add_up(int thread,
                                                           lightfield_cuda_difference own,
                                                           search_sums &sums)
{
    for (int by = 16; by > 0; by /= 2) {
        own.sum += __shfl_xor_sync(~0u, own.sum, by);
        own.count += __shfl_xor_sync(~0u, own.count, by);
    }
    if (thread % 32 == 0) {
        sums.warps[thread / 32] = own;
    }
    __syncthreads();
    for (int warp = 1; thread == 0 && warp < LIGHTFIELD_CUDA_THREADS / 32; warp++) {
        own.sum += sums.warps[warp].sum;
        own.count += sums.warps[warp].count;
    }
    return own;
}

/* Says to all threads whether this block is the last: others' differences are there before their
 * arrival is. */
static __device__ bool search_is_last(const lightfield_cuda_search &params, int thread,
                                      lightfield_cuda_difference own, search_sums &sums)
{
    lightfield_cuda_focus *focus = (lightfield_cuda_focus *)params.focus;
    if (thread == 0) {
        focus->differences[blockIdx.y * gridDim.x + blockIdx.x] = own;
        __threadfence();
        sums.is_last = atomicAdd(&focus->arrived, 1u) + 1u == gridDim.x * gridDim.y;
        __threadfence();
    }
    __syncthreads();
    return sums.is_last;
}

/* In the order of lenses, whatever the order of blocks was. */
static __device__ float search_cost(const lightfield_cuda_focus *focus, int size)
{
    const int lenses = (int)gridDim.y;
    lightfield_cuda_difference all = {0.0f, 0.0f};
#pragma unroll 5
    for (int lens = 0; lens < lenses; lens++) {
        const volatile lightfield_cuda_difference &one =
            focus->differences[lens * (int)gridDim.x + size];
        all.sum += one.sum;
        all.count += one.count;
    }
    return all.count > 0.0f ? all.sum / all.count : 0.0f;
}

template <typename Sampler>
static __device__ void search(const lightfield_cuda_search &params, search_sums &sums)
{
    const int thread = thread_of_block();
    const int lenses = 2 * params.range + 1;
    const int right = (int)blockIdx.y % lenses - params.range;
    const int down = (int)blockIdx.y / lenses - params.range;
    const bool is_own = right == 0 && down == 0;
    const int width = params.columns[1] - params.columns[0];
    const int pixels =
        params.how.is_blind || is_own ? 0 : width * (params.rows[1] - params.rows[0]);
    const double patch_px = params.how.first_px + (int)blockIdx.x * params.how.step_px;
    lightfield_cuda_difference own = {0.0f, 0.0f};
    EACH_OF_BLOCK(pixel, pixels)
    {
        search_pixel<Sampler>(params, params.columns[0] + pixel % width,
                              params.rows[0] + pixel / width, right, down, patch_px, own);
    }
    own = search_add_up(thread, own, sums);
    if (!search_is_last(params, thread, own, sums)) {
        return;
    }
    lightfield_cuda_focus *focus = (lightfield_cuda_focus *)params.focus;
    if (thread < params.how.size_count) {
        sums.costs[thread] = search_cost(focus, thread);
    }
    __syncthreads();
    if (thread == 0) {
        focus->arrived = 0;
        focus->patch_px = lightfield_focus(&params.how, sums.costs, &focus->focus);
        picture_store_float(params.patch, 0, 0, (float)focus->patch_px);
    }
}

#endif
