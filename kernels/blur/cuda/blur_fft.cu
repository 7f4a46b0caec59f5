/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft of blur: a kernel makes rows of planes of pixels and transforms them, one
 * transforms columns, multiplies them by the kernel's and transforms them back, and one transforms
 * rows back and makes pixels of them. Each reads and writes every number once, and computes where
 * it is in shared memory. The issue of instructions bounds them, busy for two thirds of the time
 * on an H200; two blocks of 16 warps fit on a multiprocessor, and wait for memory for the rest. */

#include "blur_pixels.cuh"
#include "transform.cuh"

extern __shared__ __align__(16) char fft_shared[];

/* ---- Rows */

/* Some planes of an image, of which a block has a row each. */
template <typename Real> struct block_rows {
    typedef complex_of<Real> number;

    const blur_planes &planes;
    const int first; /* plane */
    const int row;
    const transformed_lines<Real> lines;

    __device__ block_rows(const blur_planes &of, int first_plane, int of_plane)
        : planes(of), first(first_plane), row(of_plane),
          lines({of.across, (number *)fft_shared, min(of.lines, of.count - first_plane),
                 blur_transform_places(of.across.length), (int)threadIdx.x, (int)blockDim.x})
    {
    }

    /* The row in memory. */
    __device__ number *memory(int line) const
    {
        const int64_t plane = (int64_t)blockIdx.z * planes.count + first + line;
        return (number *)planes.at + (plane * planes.rows + row) * planes.across.length;
    }

    __device__ bool has(int plane) const
    {
        return plane >= first && plane < first + lines.count;
    }

    __device__ void clear_from(int begin) const
    {
        for (int line = 0; line < lines.count; line++) {
            for (int i = begin + lines.thread; i < planes.across.length; i += lines.threads) {
                lines.at(line, i) = {0, 0};
            }
        }
    }

    __device__ void transform() const
    {
        lines.there([&](int line, int i) { return lines.at(line, i); });
        lines.template at_the_end<true, false>(
            [&](int line, int i, number &v) { memory(line)[i] = v; });
    }

    /* A row of all planes stays in shared memory where there is room for it, else in memory. */
    __device__ bool has_all() const
    {
        return planes.lines == planes.count;
    }

    __device__ number made(int line, int i) const
    {
        return has_all() ? lines.at(line, i) : memory(line)[i];
    }

    __device__ void transform_back() const
    {
        lines.template at_the_end<false, true>(
            [&](int line, int i, number &v) { v = memory(line)[i]; });
        lines.back([&](int line, int i, number v) {
            (has_all() ? lines.at(line, i) : memory(line)[i]) = v;
        });
    }
};

/* ---- Pixels */

#define EACH 4 /* columns whose pixels a thread asks for before it works with them */

/* Calls work(x, upper, lower) with the words of two rows. Beyond its edges the picture is its
 * outermost pixels again. */
template <typename Pixel, typename Image, typename Work>
static __device__ void with_pixels(const blur_image_frame &frame, const Image &src, int reach_px,
                                   int upper_y, int lower_y, Work work)
{
    const int y = min(max(upper_y, 0), frame.height_px - 1);
    const int lower = min(max(lower_y, 0), frame.height_px - 1);
    const int threads = (int)blockDim.x;
    const int end = frame.width_px + reach_px;
    for (int first = (int)threadIdx.x - reach_px; first < end; first += EACH * threads) {
        typename Pixel::word words[EACH][2];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int x = min(max(first + k * threads, 0), frame.width_px - 1);
            words[k][0] = src.load(x, y);
            words[k][1] = src.load(x, lower);
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int x = first + k * threads;
            if (x < end) {
                work(x, words[k][0], words[k][1]);
            }
        }
    }
}

static __device__ float &part_of(float4 &value, int c)
{
    return ((float *)&value)[c];
}

/* Rows of planes in shared memory, of pixels. */
template <typename Pixel, typename Real, typename Image>
static __device__ void load_pixels(const blur_image_frame &frame, const block_rows<Real> &rows,
                                   const Image &src)
{
    typedef typename Pixel::word word;
    const int reach_px = rows.planes.reach_x_px;
    const int y = rows.row - rows.planes.reach_y_px;
    with_pixels<Pixel>(frame, src, reach_px, y, y + rows.planes.half_px,
                       [&](int x, const word &upper_word, const word &lower_word) {
                           float4 upper = value_of<Pixel>(frame, upper_word);
                           float4 lower = value_of<Pixel>(frame, lower_word);
#pragma unroll
                           for (int c = 0; c < Pixel::channels; c++) {
                               if (rows.has(c)) {
                                   rows.lines.at(c - rows.first, x + reach_px) = {
                                       part_of(upper, c), part_of(lower, c)};
                               }
                           }
                       });
}

/* Two rows of pixels, of rows of planes. */
template <typename Pixel, typename Real, typename Image>
static __device__ void store_pixels(const blur_image_frame &frame, const block_rows<Real> &rows,
                                    const Image &src, const Image &dst)
{
    typedef typename Pixel::word word;
    const int y = rows.row - rows.planes.reach_y_px;
    const int lower_y = y + rows.planes.half_px;
    with_pixels<Pixel>(
        frame, src, 0, y, lower_y, [&](int x, const word &upper_word, const word &lower_word) {
            float4 upper = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            float4 lower = upper;
#pragma unroll
            for (int c = 0; c < Pixel::channels; c++) {
                if (c < rows.planes.count) {
                    const complex_of<Real> v = rows.made(c, rows.planes.reach_x_px + x);
                    part_of(upper, c) = (float)v.real;
                    part_of(lower, c) = (float)v.imaginary;
                }
            }
            dst.store(x, y, word_of<Pixel>(frame, upper, upper_word));
            if (lower_y < frame.height_px) {
                dst.store(x, lower_y, word_of<Pixel>(frame, lower, lower_word));
            }
        });
}

/* All formats are in one kernel, as most of it is the transform. */
#define KIND_linear 0
#define KIND_surface 16
static_assert(FOVEA_FORMAT_R32F < KIND_surface, "a kind and a format are one number");
#define MEMORY_linear(image) image
#define MEMORY_surface(image) image.data
#define SOURCE(kind, format)                                                                       \
    image_of_block<pixel<format>>(params.frame, MEMORY_##kind(params.src),                         \
                                  params.frame.src_next_bytes)
#define LOAD(kind, suffix, format)                                                                 \
    case KIND_##kind + format:                                                                     \
        load_pixels<pixel<format>>(params.frame, rows, SOURCE(kind, format));                      \
        break;
#define STORE(kind, suffix, format)                                                                \
    case KIND_##kind + format:                                                                     \
        store_pixels<pixel<format>>(params.frame, rows, SOURCE(kind, format),                      \
                                    image_of_block<pixel<format>>(params.frame,                    \
                                                                  MEMORY_##kind(params.dst),       \
                                                                  params.frame.dst_next_bytes));   \
        break;

/* A block makes a row of each plane. */
template <typename Real> static __device__ void load_rows(const blur_planes_params &params)
{
    const blur_planes &planes = params.planes;
    for (int first = 0; first < planes.count; first += planes.lines) {
        const block_rows<Real> rows(planes, first, (int)blockIdx.x);
        rows.clear_from(params.frame.width_px + 2 * planes.reach_x_px);
        switch ((params.surfaces ? KIND_surface : KIND_linear) + params.format) {
            IMAGE_OF_EVERY_FORMAT(LOAD)
        }
        __syncthreads();
        rows.transform();
    }
}

/* A block makes two rows of pixels. */
template <typename Real> static __device__ void store_rows(const blur_planes_params &params)
{
    const blur_planes &planes = params.planes;
    const int row = planes.reach_y_px + (int)blockIdx.x;
    for (int first = 0; first < planes.count; first += planes.lines) {
        block_rows<Real>(planes, first, row).transform_back();
    }
    const block_rows<Real> rows(planes, 0, row);
    switch ((params.surfaces ? KIND_surface : KIND_linear) + params.format) {
        IMAGE_OF_EVERY_FORMAT(STORE)
    }
}

/* ---- Columns */

/* Threads of an x transform a column together; neighbouring threads have neighbouring columns. */
template <typename Real> struct columns {
    typedef complex_of<Real> number;

    const blur_fft_columns_params &params;
    const int column;
    number *at; /* the column's first number */

    __device__ explicit columns(const blur_fft_columns_params &own)
        : params(own), column((int)(blockIdx.x / (unsigned)own.planes * blockDim.x + threadIdx.x)),
          at((number *)own.at + (int)(blockIdx.x % (unsigned)own.planes) * own.next + column)
    {
    }

    __device__ transformed_lines<Real> lines() const
    {
        const int places = blur_transform_places(params.transform.length);
        return {params.transform,
                (number *)fft_shared + (int)threadIdx.x * places,
                1,
                places,
                (int)threadIdx.y,
                (int)blockDim.y};
    }

    __device__ number get(int row) const
    {
        const bool is_there = row < params.rows && column < params.width;
        return is_there ? at[(int64_t)row * params.width] : number{0, 0};
    }

    __device__ void put(int row, number v) const
    {
        const int from = row - params.first_written;
        if (from >= 0 && from < params.written && column < params.width) {
            at[(int64_t)row * params.width] = v;
        }
    }
};

template <typename Real> static __device__ void convolve_columns(const blur_fft_columns_params &own)
{
    typedef complex_of<Real> number;
    const columns<Real> columns(own);
    const transformed_lines<Real> lines = columns.lines();
    const number *kernel = (const number *)own.kernel + min(columns.column, own.width - 1);
    lines.there([&](int, int row) { return columns.get(row); });
    lines.template at_the_end<true, true>(
        [&](int, int row, number &v) { v = v * kernel[(int64_t)row * own.width]; });
    lines.back([&](int, int row, number v) { columns.put(row, v); });
}

/* ---- The kernel, as it is made */

template <typename Real> static __device__ void transform_rows(const blur_planes &planes)
{
    const block_rows<Real> rows(planes, 0, (int)blockIdx.x);
    for (int i = rows.lines.thread; i < planes.across.length; i += rows.lines.threads) {
        rows.lines.at(0, i) = rows.memory(0)[i];
    }
    __syncthreads();
    rows.transform();
}

template <typename Real>
static __device__ void transform_columns(const blur_fft_columns_params &own)
{
    const columns<Real> columns(own);
    const transformed_lines<Real> lines = columns.lines();
    lines.there([&](int, int row) { return columns.get(row); });
    lines.template at_the_end<true, false>(
        [&](int, int row, complex_of<Real> &v) { columns.put(row, v); });
}

#define KERNEL(blocks) extern "C" __global__ void __launch_bounds__(BLUR_FFT_MOST_THREADS, blocks)

#define TRANSFORM_KERNELS(suffix, Real, blocks)                                                    \
    KERNEL(blocks) blur_fft_load##suffix(const __grid_constant__ blur_planes_params params)        \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        load_rows<Real>(params);                                                                   \
    }                                                                                              \
    KERNEL(blocks) blur_fft_store##suffix(const __grid_constant__ blur_planes_params params)       \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        store_rows<Real>(params);                                                                  \
    }                                                                                              \
    KERNEL(1) blur_fft_rows##suffix(const __grid_constant__ blur_planes planes)                    \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        transform_rows<Real>(planes);                                                              \
    }                                                                                              \
    KERNEL(blocks)                                                                                 \
    blur_fft_columns##suffix(const __grid_constant__ blur_fft_columns_params params)               \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        convolve_columns<Real>(params);                                                            \
    }                                                                                              \
    KERNEL(1)                                                                                      \
    blur_fft_columns_there##suffix(const __grid_constant__ blur_fft_columns_params params)         \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        transform_columns<Real>(params);                                                           \
    }
TRANSFORM_KERNELS(, float, 2)
TRANSFORM_KERNELS(_precise, double, 1)
