/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CUDA C for the host, for tests alone: our kernels' own sources, compiled by g++ or clang++ and
 * run without a GPU.
 *
 * How to use it:
 *   1. Put the kernels' file into the list emulated_kernels of tests/emulated.cmake. Each of its
 *      kernels, declared as ours are (extern "C" __global__ void __launch_bounds__(...) name(const
 *      __grid_constant__ T params)), is then in the library fovea_emulated.
 *   2. In a test in C that links it: cuda_host_run_named("name", grid, block, shared_bytes,
 *      &params) runs the kernel; pointers in params are the host's (cuda_host_launch.h; example:
 *      tests/emulated/test_emulated_core.c).
 *   3. The whole host code on top: tests of a device run with
 *      LD_LIBRARY_PATH=<build>/tests/emulated, whose libcuda.so.1 launches kernels here
 *      (tests/cuda.cmake, test_emulated_*).
 *   4. A new instruction of PTX stands in kernels/cuda/ptx.cuh, its emulation in cuda_host_ptx.h.
 *   5. FOVEA_CUDA_HOST_ORDER=reverse, or a number as seed of a random order, changes which thread
 *      runs first between barriers: a result that depends on it lacks one. Built with
 *      AddressSanitizer, accesses outside are found.
 *
 * A thread of a block is a fiber; blocks run one after the other. Fibers go on until they meet
 * others: at a barrier, or at a warp's collective, which checks that all lanes of its mask came to
 * the same one. What would hang a GPU ends the process with a message. Shared memory is all ones
 * when a block begins (NaN), and global memory is the heap. Arithmetic is the host's: instructions
 * that approximate give exact values here, products of matrices are summed exactly and rounded
 * once. Neither times nor occupancy mean anything, and no such run is one of a GPU. */
#pragma once

#ifdef __cplusplus

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* nvcc says this of itself, for code of compute capability 9.0. */
#define FOVEA_CUDA_HOST 1
#define __CUDACC__ 1
#define __CUDA_ARCH__ 900

#define __host__
#define __device__
#define __global__ __attribute__((visibility("default"), used))
#define __grid_constant__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/* The thread of the host that runs the block has them. */
#define __shared__ thread_local

#define CUDA_HOST_MOST_SHARED (227 * 1024)
#define CUDA_HOST_SHARED(name)                                                                     \
    namespace {                                                                                    \
    alignas(1024) thread_local char name[CUDA_HOST_MOST_SHARED];                                   \
    }
/* Files that declare it outside of a namespace use this. */
#define CUDA_HOST_SHARED_BY_ALL(name)                                                              \
    alignas(1024) __attribute__((weak)) thread_local char name[CUDA_HOST_MOST_SHARED];

/* ---- Types of vectors */

#define CUDA_HOST_VECTORS(name, type, align2, align4)                                              \
    struct alignas(align2) name##2                                                                 \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct alignas(align4) name##4                                                                 \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    static inline name##2 make_##name##2(type x, type y)                                           \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline name##3 make_##name##3(type x, type y, type z)                                   \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    static inline name##4 make_##name##4(type x, type y, type z, type w)                           \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
CUDA_HOST_VECTORS(char, signed char, 2, 4)
CUDA_HOST_VECTORS(uchar, unsigned char, 2, 4)
CUDA_HOST_VECTORS(short, short, 4, 8)
CUDA_HOST_VECTORS(ushort, unsigned short, 4, 8)
CUDA_HOST_VECTORS(int, int, 8, 16)
CUDA_HOST_VECTORS(uint, unsigned, 8, 16)
CUDA_HOST_VECTORS(float, float, 8, 16)
CUDA_HOST_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
        : x(width), y(height), z(depth)
    {
    }
};

/* ---- Who runs */

struct cuda_host_place {
    uint3 thread;
    uint3 block;
    dim3 block_size;
    dim3 grid;
};
extern "C" const cuda_host_place *cuda_host_where(void);
#define threadIdx (cuda_host_where()->thread)
#define blockIdx (cuda_host_where()->block)
#define blockDim (cuda_host_where()->block_size)
#define gridDim (cuda_host_where()->grid)

/* Says what a kernel did wrong, and where, and ends the process. */
extern "C" [[noreturn]] void cuda_host_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* ---- Meetings (cuda_host.cpp) */

/* Barrier `id` of `threads` threads, of all of the block where that is 0: how many of them said
 * so. */
extern "C" int cuda_host_barrier(int id, int threads, bool says, bool waits);
/* The lanes of `mask` meet; the last one makes the results of all: made(what each brought, NULL
 * where none is). */
typedef void (*cuda_host_made)(void *const brought[32], uint32_t mask);
extern "C" void cuda_host_warp(uint32_t mask, cuda_host_made made, void *brought);
extern "C" int cuda_host_lane(void);
/* Notes that the thread waits for the kernel ahead: they run one after the other. */
extern "C" void cuda_host_wait_for_kernel_ahead(void);
/* Addresses of 32 bits, as those of shared memory. */
extern "C" uint32_t cuda_host_to_shared(const void *memory);
extern "C" void *cuda_host_from_shared(uint32_t place);

static inline void __syncthreads()
{
    cuda_host_barrier(0, 0, false, true);
}
static inline int __syncthreads_count(int is)
{
    return cuda_host_barrier(0, 0, is != 0, true);
}
static inline int __syncthreads_or(int is)
{
    return __syncthreads_count(is) != 0;
}
static inline int __syncthreads_and(int is)
{
    return __syncthreads_count(!is) == 0;
}

static inline void cuda_host_nothing_made(void *const[32], uint32_t)
{
}
static inline void __syncwarp(uint32_t mask = ~0u)
{
    cuda_host_warp(mask, cuda_host_nothing_made, NULL);
}

static inline void __threadfence()
{
}

static inline void __threadfence_system()
{
}

static inline size_t __cvta_generic_to_shared(const void *memory)
{
    return cuda_host_to_shared(memory);
}

/* ---- Collectives of a warp */

template <typename T> struct cuda_host_shuffle {
    T value, result;
    int from; /* lane */

    static void make(void *const brought[32], uint32_t)
    {
        for (int lane = 0; lane < 32; lane++) {
            cuda_host_shuffle *to = (cuda_host_shuffle *)brought[lane];
            if (to) {
                const cuda_host_shuffle *from = (const cuda_host_shuffle *)brought[to->from];
                if (!from) {
                    cuda_host_fail("a shuffle reads lane %d, which is not there", to->from);
                }
                to->result = from->value;
            }
        }
    }
};

template <typename T> static inline T cuda_host_shuffled(uint32_t mask, T value, int from)
{
    cuda_host_shuffle<T> shuffle = {value, value, from};
    cuda_host_warp(mask, cuda_host_shuffle<T>::make, &shuffle);
    return shuffle.result;
}

template <typename T> static inline T __shfl_sync(uint32_t mask, T value, int from, int width = 32)
{
    const int first = cuda_host_lane() / width * width;
    return cuda_host_shuffled(mask, value, first + (from & (width - 1)));
}
template <typename T>
static inline T __shfl_xor_sync(uint32_t mask, T value, int bits, int width = 32)
{
    const int lane = cuda_host_lane();
    const int from = lane ^ bits;
    return cuda_host_shuffled(mask, value, from / width > lane / width ? lane : from);
}
template <typename T>
static inline T __shfl_up_sync(uint32_t mask, T value, unsigned by, int width = 32)
{
    const int lane = cuda_host_lane();
    const int from = lane - (int)by;
    return cuda_host_shuffled(mask, value, from < lane / width * width ? lane : from);
}
template <typename T>
static inline T __shfl_down_sync(uint32_t mask, T value, unsigned by, int width = 32)
{
    const int lane = cuda_host_lane();
    const int from = lane + (int)by;
    return cuda_host_shuffled(mask, value, from / width != lane / width ? lane : from);
}

/* One result of all values. */
template <typename T> struct cuda_host_reduction {
    T value;

    template <typename Join> static void make(void *const brought[32], Join join)
    {
        T all = T();
        bool begun = false;
        for (int lane = 0; lane < 32; lane++) {
            if (brought[lane]) {
                const T value = ((const cuda_host_reduction *)brought[lane])->value;
                all = begun ? join(all, value) : value;
                begun = true;
            }
        }
        for (int lane = 0; lane < 32; lane++) {
            if (brought[lane]) {
                ((cuda_host_reduction *)brought[lane])->value = all;
            }
        }
    }
};

#define CUDA_HOST_REDUCTION(name, type, joined)                                                    \
    static inline type name(uint32_t mask, type value)                                             \
    {                                                                                              \
        const cuda_host_made made = [](void *const brought[32], uint32_t) {                        \
            cuda_host_reduction<type>::make(brought, [](type a, type b) { return joined; });       \
        };                                                                                         \
        cuda_host_reduction<type> reduction = {value};                                             \
        cuda_host_warp(mask, made, &reduction);                                                    \
        return reduction.value;                                                                    \
    }
CUDA_HOST_REDUCTION(__reduce_add_sync, unsigned, a + b)
CUDA_HOST_REDUCTION(__reduce_add_sync, int, (int)((unsigned)a + (unsigned)b))
CUDA_HOST_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
CUDA_HOST_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
CUDA_HOST_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
CUDA_HOST_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
CUDA_HOST_REDUCTION(__reduce_or_sync, unsigned, a | b)
CUDA_HOST_REDUCTION(__reduce_and_sync, unsigned, a &b)
CUDA_HOST_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
CUDA_HOST_REDUCTION(cuda_host_ballot, uint32_t, a | b)

static inline uint32_t __ballot_sync(uint32_t mask, int is)
{
    return cuda_host_ballot(mask, is ? 1u << cuda_host_lane() : 0u);
}
static inline int __any_sync(uint32_t mask, int is)
{
    return __ballot_sync(mask, is) != 0;
}
static inline int __all_sync(uint32_t mask, int is)
{
    return __ballot_sync(mask, !is) == 0;
}

/* ---- Atomic operations: a fiber is never interrupted */

template <typename T, typename V> static inline T atomicAdd(T *to, V value)
{
    const T old = *to;
    *to = (T)(old + (T)value);
    return old;
}
template <typename T, typename V> static inline T atomicMax(T *to, V value)
{
    const T old = *to;
    *to = old < (T)value ? (T)value : old;
    return old;
}
template <typename T, typename V> static inline T atomicMin(T *to, V value)
{
    const T old = *to;
    *to = (T)value < old ? (T)value : old;
    return old;
}
template <typename T, typename V> static inline T atomicOr(T *to, V value)
{
    const T old = *to;
    *to = (T)(old | (T)value);
    return old;
}

/* ---- Memory */

template <typename T> static inline T __ldg(const T *from)
{
    return *from;
}
template <typename T> static inline void __stcs(T *to, T value)
{
    *to = value;
}

#endif

#include "cuda_host_launch.h"

#ifdef __cplusplus

typedef unsigned long long cudaSurfaceObject_t;

static inline char *cuda_host_surface_at(cudaSurfaceObject_t surface, int x_bytes, int y,
                                         size_t bytes)
{
    const struct cuda_host_surface *of = (const struct cuda_host_surface *)surface;
    if (x_bytes % (int)bytes != 0) {
        cuda_host_fail("byte %d is no multiple of the %zu that are accessed", x_bytes, bytes);
    }
    if (x_bytes < 0 || y < 0 || x_bytes + bytes > of->row_bytes || y >= of->rows) {
        cuda_host_fail("byte %d of row %d lies outside of a surface of %zu x %d", x_bytes, y,
                       of->row_bytes, of->rows);
    }
    return (char *)of->data + (size_t)y * of->row_bytes + x_bytes;
}
/* Only the byte within a row has to be aligned. */
template <typename T> static inline T surf2Dread(cudaSurfaceObject_t surface, int x_bytes, int y)
{
    T value;
    memcpy(&value, cuda_host_surface_at(surface, x_bytes, y, sizeof(T)), sizeof(T));
    return value;
}
template <typename T>
static inline void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x_bytes, int y)
{
    memcpy(cuda_host_surface_at(surface, x_bytes, y, sizeof(T)), &value, sizeof(T));
}

#include "cuda_host_texture.h"

#include "cuda_host_math.h"

#endif
