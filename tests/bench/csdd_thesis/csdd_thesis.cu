/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's three kernels.
 *
 *     rows      kernel 1, loops 1, 5, 2, 6: a row a thread, forth and back, of pixels that are in
 *               the bin or not
 *     columns   kernel 2, loops 3, 7, 4, 8: a column a thread; neighbours' reads are a column apart
 *     sums      kernel 3, loop 9: all bins, one after the other
 *
 * Blocks of the first two are tiles times bins. Filters are doubles, what lies between kernels is
 * floats. Bound by memory, and by chains of doubles that wait for each other. */

#include "csdd_thesis.h"

extern __shared__ __align__(16) char shared_memory[];

namespace {

constexpr int GLOBAL = CSDD_THESIS_GLOBAL;
constexpr int SHARED = CSDD_THESIS_SHARED;
constexpr int VOLATILE = CSDD_THESIS_VOLATILE;
constexpr int FILTER_DOUBLES = sizeof(csdd_thesis_filter) / sizeof(double);

__shared__ double shared_filters[2 * FILTER_DOUBLES];

/* ---- Filters */

template <int kNumbers> struct numbers {
    const double *of;

    __device__ double operator[](int i) const
    {
        return kNumbers == VOLATILE ? ((const volatile double *)of)[i] : of[i];
    }
};

enum offset { CAUSAL = 0, ANTICAUSAL = 4, FEEDBACK = 8, BEFORE = 12, BEHIND = 13 };

/* All threads read the same filter; number 1 is the second derivative. */
template <int kNumbers>
__device__ numbers<kNumbers> filter_of(const csdd_thesis_params &p, int number)
{
    return {kNumbers == GLOBAL ? (const double *)p.filters + number * FILTER_DOUBLES
                               : shared_filters + number * FILTER_DOUBLES};
}

template <int kNumbers> __device__ void load_filters(const csdd_thesis_params &p)
{
    if (kNumbers == SHARED || kNumbers == VOLATILE) {
        for (int i = threadIdx.x; i < 2 * FILTER_DOUBLES; i += blockDim.x) {
            shared_filters[i] = ((const double *)p.filters)[i];
        }
    }
    __syncthreads();
}

/* The last inputs and outputs of one half of a filter. */
template <int kNumbers, bool kCausal> struct recursion {
    numbers<kNumbers> of;
    double in[4], out[4];

    __device__ recursion(numbers<kNumbers> filter, double edge) : of(filter)
    {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            in[k] = edge;
            out[k] = edge * of[kCausal ? BEFORE : BEHIND];
        }
    }
    __device__ double step(double value)
    {
        const double next = kCausal ? of[CAUSAL] * value + of[CAUSAL + 1] * in[0] +
                                          of[CAUSAL + 2] * in[1] + of[CAUSAL + 3] * in[2]
                                    : of[ANTICAUSAL] * in[0] + of[ANTICAUSAL + 1] * in[1] +
                                          of[ANTICAUSAL + 2] * in[2] + of[ANTICAUSAL + 3] * in[3];
        const double made = next - of[FEEDBACK] * out[0] - of[FEEDBACK + 1] * out[1] -
                            of[FEEDBACK + 2] * out[2] - of[FEEDBACK + 3] * out[3];
#pragma unroll
        for (int k = 3; k > 0; k--) {
            in[k] = in[k - 1];
            out[k] = out[k - 1];
        }
        in[0] = value;
        out[0] = made;
        return made;
    }
};

/* The bin and the line of a thread: one division. */
struct line {
    int bin, number;
};

__device__ line own_line(const csdd_thesis_params &p)
{
    const int bin = blockIdx.x / p.tiles;
    return {bin, (int)((blockIdx.x - bin * p.tiles) * blockDim.x + threadIdx.x)};
}

/* ---- Kernel 1 */

template <bool kCausal, int kNumbers, int kUnrolled, typename Number>
__device__ void filter_row(const csdd_thesis_params &p, numbers<kNumbers> filter, int row, float v,
                           float edge, Number *to)
{
    const float *image = (const float *)p.image + row;
    recursion<kNumbers, kCausal> half(filter, edge <= v ? 1.0 : 0.0);
#pragma unroll kUnrolled
    for (int i = 0; i < p.columns; i++) {
        const size_t at = (size_t)(kCausal ? i : p.columns - 1 - i) * p.rows;
        const double made = half.step(image[at] <= v ? 1.0 : 0.0);
        to[at] = (Number)(kCausal ? made : (double)to[at] + made);
    }
}

template <int kNumbers, bool kRowShared, int kUnrolled, typename Number>
__device__ void rows(const csdd_thesis_params &p)
{
    const line own = own_line(p);
    const size_t pixels = (size_t)p.rows * p.columns;
    const float v = (float)(p.first_bin + own.bin);
    const float *image = (const float *)p.image;
    float *edges = (float *)shared_memory;
    load_filters<kNumbers>(p);
    if (own.number >= p.rows) {
        return;
    }
    Number *gauss = (Number *)p.gauss + own.bin * pixels + own.number;
    Number *second = (Number *)p.second + own.bin * pixels + own.number;
    const float *first = image + own.number;
    const float *last = first + (pixels - p.rows);
    if (kRowShared) {
        edges[threadIdx.x] = *first;
        first = edges + threadIdx.x;
    }
    filter_row<true, kNumbers, kUnrolled>(p, filter_of<kNumbers>(p, 0), own.number, v, *first,
                                          gauss);
    filter_row<true, kNumbers, kUnrolled>(p, filter_of<kNumbers>(p, 1), own.number, v, *first,
                                          second);
    if (kRowShared) {
        edges[threadIdx.x] = *last;
        last = edges + threadIdx.x;
    }
    filter_row<false, kNumbers, kUnrolled>(p, filter_of<kNumbers>(p, 0), own.number, v, *last,
                                           gauss);
    filter_row<false, kNumbers, kUnrolled>(p, filter_of<kNumbers>(p, 1), own.number, v, *last,
                                           second);
}

/* ---- Kernel 2 */

/* One loop: adds to what is there but for the first. */
template <bool kCausal, bool kFirst, int kNumbers, int kUnrolled, typename Number>
__device__ void filter_column(const csdd_thesis_params &p, numbers<kNumbers> filter,
                              const Number *from, float *to)
{
    recursion<kNumbers, kCausal> half(filter, from[kCausal ? 0 : p.rows - 1]);
#pragma unroll kUnrolled
    for (int i = 0; i < p.rows; i++) {
        const int at = kCausal ? i : p.rows - 1 - i;
        const double made = half.step(from[at]);
        to[at] = (float)(kFirst ? made : (double)to[at] + made);
    }
}

/* Two loops at once, whose sum is made in shared memory. */
template <bool kCausal, int kNumbers, int kUnrolled, typename Number>
__device__ void filter_column_twice(const csdd_thesis_params &p, const Number *gauss,
                                    const Number *second, float *to)
{
    volatile float *sum = (volatile float *)shared_memory + threadIdx.x;
    const int edge = kCausal ? 0 : p.rows - 1;
    recursion<kNumbers, kCausal> one(filter_of<kNumbers>(p, 1), gauss[edge]);
    recursion<kNumbers, kCausal> other(filter_of<kNumbers>(p, 0), second[edge]);
#pragma unroll kUnrolled
    for (int i = 0; i < p.rows; i++) {
        const int at = kCausal ? i : p.rows - 1 - i;
        *sum = kCausal ? 0.0f : to[at];
        *sum = (float)((double)*sum + one.step(gauss[at]));
        *sum = (float)((double)*sum + other.step(second[at]));
        to[at] = *sum;
    }
}

template <int kNumbers, bool kOutShared, int kUnrolled, typename Number>
__device__ void columns(const csdd_thesis_params &p)
{
    const line own = own_line(p);
    const size_t at = ((size_t)own.bin * p.columns + own.number) * p.rows;
    const Number *gauss = (const Number *)p.gauss + at;
    const Number *second = (const Number *)p.second + at;
    float *to = (float *)p.filtered + at;
    load_filters<kNumbers>(p);
    if (own.number >= p.columns) {
        return;
    }
    if (kOutShared) {
        filter_column_twice<true, kNumbers, kUnrolled>(p, gauss, second, to);
        filter_column_twice<false, kNumbers, kUnrolled>(p, gauss, second, to);
        return;
    }
    const numbers<kNumbers> plain = filter_of<kNumbers>(p, 0);
    const numbers<kNumbers> derived = filter_of<kNumbers>(p, 1);
    filter_column<true, true, kNumbers, kUnrolled>(p, derived, gauss, to);
    filter_column<true, false, kNumbers, kUnrolled>(p, plain, second, to);
    filter_column<false, false, kNumbers, kUnrolled>(p, derived, gauss, to);
    filter_column<false, false, kNumbers, kUnrolled>(p, plain, second, to);
}

/* ---- Kernel 3: a row a thread as the thesis has it, or as many threads as the grid is high. In a
 * tree blocks behind each other have bins of their own. */

template <bool kOutShared> __device__ void sums(const csdd_thesis_params &p)
{
    const size_t pixels = (size_t)p.rows * p.columns;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int bins = p.bins / gridDim.z;
    const float *filtered = (const float *)p.filtered + blockIdx.z * bins * pixels;
    volatile float *sum = (volatile float *)shared_memory + threadIdx.x;
    if (row >= p.rows) {
        return;
    }
    for (int column = blockIdx.y; column < p.columns; column += gridDim.y) {
        const size_t at = (size_t)column * p.rows + row;
        volatile float *to = (volatile float *)p.dst + blockIdx.z * pixels + at;
        volatile float *out = kOutShared ? sum : to;
        *out = p.adds ? *to : 0.0f;
        for (int bin = 0; bin < bins; bin++) {
            *out = *out + p.factor * fabsf(filtered[bin * pixels + at]);
        }
        if (kOutShared) {
            *to = *out;
        }
    }
}

} // namespace

#define KERNEL(name, ...)                                                                          \
    extern "C" __global__ void __launch_bounds__(512)                                              \
        csdd_thesis_##name(const __grid_constant__ csdd_thesis_params p)                           \
    {                                                                                              \
        __VA_ARGS__(p);                                                                            \
    }
#define ROWS(name, numbers, shared, unrolled, number)                                              \
    KERNEL(name, rows<numbers, shared, unrolled, number>)
#define COLUMNS(name, numbers, shared, unrolled, number)                                           \
    KERNEL(name, columns<numbers, shared, unrolled, number>)
#define SUMS(name, shared) KERNEL(name, sums<shared>)
CSDD_THESIS_ROWS(ROWS)
CSDD_THESIS_COLUMNS(COLUMNS)
CSDD_THESIS_SUMS(SUMS)
