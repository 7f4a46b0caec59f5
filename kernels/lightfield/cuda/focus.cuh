/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The patch size under a gaze, and what is in focus by it. A block has a patch size; its threads
 * have a pixel of the square and a row of lenses at a time. The last block to arrive chooses. What
 * bounds it is how long loads take, of a few KiB. */
#ifndef FOVEA_KERNELS_LIGHTFIELD_CUDA_FOCUS_CUH
#define FOVEA_KERNELS_LIGHTFIELD_CUDA_FOCUS_CUH

#include "depth.cuh"

static_assert(LIGHTFIELD_CUDA_SIZES <= LIGHTFIELD_CUDA_THREADS, "a thread for each cost");

struct search_sums {
    float differences[LIGHTFIELD_CUDA_THREADS];
    float counts[LIGHTFIELD_CUDA_THREADS];
    bool is_last;
};

/* Of a pixel with the row of lenses that is `down` of the nearest. */
template <typename Sampler>
static __device__ __forceinline__ void search_pixel(const lightfield_cuda_search &params, int x,
                                                    int y, int down, double patch_px, float &sum,
                                                    float &count)
{
    const lightfield_cuda_array &array = params.array;
    const double at_x = place_at(x, params.width_px, array.columns);
    const double at_y = place_at(y, params.height_px, array.rows);
    const int middle = place_nearest(at_y);
    const place_part own_row = place_row(array, at_y, 0, patch_px);
    const place_part own = place_column(array, at_x, place_is_shifted(array, middle), 0, patch_px);
    const place_part row = place_row(array, at_y, down, patch_px);
    if (parts_even(row.from, down) == 0.0f) {
        return;
    }
    const color3 main = Sampler::sample(params.raw, own.x + own_row.x, own.y + own_row.y);
    for (int right = -params.range; right <= params.range; right++) {
        const place_part column =
            place_column(array, at_x, place_is_shifted(array, middle + down), right, patch_px);
        if ((right != 0 || down != 0) && parts_even(column.from, right) > 0.0f) {
            sum += apart(Sampler::sample(params.raw, column.x + row.x, column.y + row.y), main);
            count += 1.0f;
        }
    }
}

static __device__ void search_add_up(int thread, search_sums &sums)
{
    for (int by = LIGHTFIELD_CUDA_THREADS / 2; by > 0; by /= 2) {
        __syncthreads();
        if (thread < by) {
            sums.differences[thread] += sums.differences[thread + by];
            sums.counts[thread] += sums.counts[thread + by];
        }
    }
}

/* Says to all threads whether this block is the last: others' costs are there before their arrival
 * is. */
static __device__ bool search_is_last(const lightfield_cuda_search &params, int thread,
                                      search_sums &sums)
{
    lightfield_cuda_focus *focus = (lightfield_cuda_focus *)params.focus;
    if (thread == 0) {
        const float count = sums.counts[0];
        focus->costs[blockIdx.x] = count > 0.0f ? sums.differences[0] / count : 0.0f;
        __threadfence();
        sums.is_last = atomicAdd(&focus->arrived, 1u) + 1u == (uint32_t)params.how.size_count;
        __threadfence();
    }
    __syncthreads();
    return sums.is_last;
}

template <typename Sampler>
static __device__ void search(const lightfield_cuda_search &params, search_sums &sums)
{
    const int thread = thread_of_block();
    const int size = (int)blockIdx.x;
    const int lenses = 2 * params.range + 1;
    const int width = params.columns[1] - params.columns[0];
    const int pixels = params.how.is_blind ? 0 : width * (params.rows[1] - params.rows[0]);
    float sum = 0.0f;
    float count = 0.0f;
    EACH_OF_BLOCK(item, pixels * lenses)
    {
        const int pixel = item / lenses;
        search_pixel<Sampler>(params, params.columns[0] + pixel % width,
                              params.rows[0] + pixel / width, item % lenses - params.range,
                              params.how.first_px + size * params.how.step_px, sum, count);
    }
    sums.differences[thread] = sum;
    sums.counts[thread] = count;
    search_add_up(thread, sums);
    if (!search_is_last(params, thread, sums)) {
        return;
    }
    lightfield_cuda_focus *focus = (lightfield_cuda_focus *)params.focus;
    if (thread < params.how.size_count) {
        sums.differences[thread] = *(const volatile float *)&focus->costs[thread];
    }
    __syncthreads();
    if (thread == 0) {
        focus->arrived = 0;
        focus->patch_px = lightfield_focus(&params.how, sums.differences, &focus->focus);
        picture_store_float(params.patch, 0, 0, (float)focus->patch_px);
    }
}

#endif
