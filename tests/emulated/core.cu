/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels that show whether the host runs CUDA C as a device does (test_emulated_core.c). */

#include "core.h"
#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/mma.cuh"
#include "kernels/gauss/cuda/nodes_wide/wide.cuh"

namespace {

extern __shared__ __align__(16) char core_shared[];

__device__ uint32_t bits(float value)
{
    return __float_as_uint(value);
}

} // namespace

#define KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        name(const __grid_constant__ core_params params)

/* in: a[4], b[2], c0, c1 */
KERNEL(core_mma_floats)
{
    const uint32_t *in = params.in[threadIdx.x];
    const uint32_t a[4] = {in[0], in[1], in[2], in[3]};
    float d[4];
    mma_begin(d, a, in[4], in[5], __uint_as_float(in[6]), __uint_as_float(in[7]));
    for (int i = 0; i < 4; i++) {
        params.out[threadIdx.x][i] = bits(d[i]);
    }
}

/* in: a[4], b[2], c.x, c.y; out: of depth 16, then of depth 8 */
KERNEL(core_mma_halves)
{
    const uint32_t *in = params.in[threadIdx.x];
    const uint32_t a[4] = {in[0], in[1], in[2], in[3]};
    const mma_halves c = {in[6], in[7]};
    mma_halves d;
    mma_halves of_8 = c;
    mma_begin_halves(d, a, in[4], in[5], c);
    mma_add_of_8(of_8, {in[0], in[1]}, in[4]);
    const uint32_t out[4] = {d.x, d.y, of_8.x, of_8.y};
    for (int i = 0; i < 4; i++) {
        params.out[threadIdx.x][i] = out[i];
    }
}

KERNEL(core_mma_bytes)
{
    const uint32_t *in = params.in[threadIdx.x];
    const uint32_t a[4] = {in[0], in[1], in[2], in[3]};
    mma_int_sums d;
    mma_begin_bytes(d, a, in[4], in[5], 7);
    mma_add_bytes(d, a, in[4], in[5]);
    for (int i = 0; i < 4; i++) {
        params.out[threadIdx.x][i] = (uint32_t)d.of[i];
    }
}

/* in: a[4], b[2]; out: the product of floats of 11 bits, then of all their bits */
KERNEL(core_mma_of_floats)
{
    const uint32_t *in = params.in[threadIdx.x];
    const float4 a = make_float4(__uint_as_float(in[0]), __uint_as_float(in[1]),
                                 __uint_as_float(in[2]), __uint_as_float(in[3]));
    float d[2][4] = {{1.0f, 1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f}};
    wide_multiply(d[0], a, __uint_as_float(in[4]), __uint_as_float(in[5]));
    multiply_by_shuffles(d[1], a, __uint_as_float(in[4]), __uint_as_float(in[5]));
    for (int i = 0; i < 8; i++) {
        params.out[threadIdx.x][i] = bits(d[i / 4][i % 4]);
    }
}

/* Four squares of halves, by cp.async into shared memory; out: transposed back in registers, as
 * they lay; transposed twice, which is nothing. */
KERNEL(core_squares)
{
    const int lane = (int)threadIdx.x;
    uint32_t transposed[4];
    copy_begin(core_shared + 16 * lane, params.in[lane / 2] + 4 * (lane % 2));
    copy_wait();
    __syncwarp();
    mma_load_transposed(transposed, mma_place_of(core_shared + 16 * lane));
    for (int i = 0; i < 4; i++) {
        const char *row = core_shared + 16 * (8 * i + lane / 4);
        params.out[lane][i] = mma_transposed(transposed[i]);
        params.out[lane][4 + i] = transposed[i] ^ mma_transposed(((const uint32_t *)row)[lane % 4]);
    }
}

/* A sum over the block, by shuffles, shared memory and an atomic addition for each block. */
KERNEL(core_sum)
{
    __shared__ int of_warp[32];
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int sum = thread < params.count ? thread : 0;
    for (int on = 16; on > 0; on /= 2) {
        sum += __shfl_down_sync(~0u, sum, on);
    }
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        const bool is = threadIdx.x < blockDim.x / 32;
        const int all = __reduce_add_sync(~0u, is ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            atomicAdd(params.numbers, all);
        }
    }
}

/* The same without the barrier. */
KERNEL(core_race)
{
    __shared__ int given[64];
    given[threadIdx.x] = (int)threadIdx.x;
    params.numbers[threadIdx.x] = given[params.count - 1 - (int)threadIdx.x];
}

/* Warp 0 prepares, the others wait for it, and it for nobody. */
KERNEL(core_meeting)
{
    __shared__ int said;
    if (threadIdx.x == 31) {
        said = 41;
    }
    if (threadIdx.x < 32) {
        __syncwarp();
        ptx_barrier_arrive<1, 128>();
    } else {
        ptx_barrier_sync<1, 128>();
    }
    params.numbers[threadIdx.x] = said + 1;
}

/* Half of the block never comes to the barrier. */
KERNEL(core_never)
{
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncwarp();
    }
}
