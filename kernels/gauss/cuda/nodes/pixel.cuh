/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels as samples of level 0, in pairs: stored values around the middle of their range, which
 * is exact, or linear light from 0 to 1. Floats are samples unchanged: halves have all of their
 * bits. */
#pragma once

#include "kernels/gauss/cuda/common/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"

#include <cuda_fp16.h>

/* Returns the stored value of a channel's 0. Its distance from 1024, above which halves count by
 * ones, is a half. */
template <typename Pixel> DEVICE float node_middle(int c, int light)
{
    return c == 3 ? 0.5f * (Pixel::alpha_white + 1) : light ? 0.0f : 0.5f * (Pixel::white + 1);
}

/* The light of levels, as halves; a block computes it once. */
template <typename Pixel> struct node_lights {
    static const int count = Pixel::white + 1;

    uint16_t of[count];

    MEMBER void fill()
    {
        for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) {
            of[i] =
                __half_as_ushort(__float2half_rn(srgb_to_light((float)i * (1.0f / Pixel::white))));
        }
        __syncthreads();
    }
    MEMBER uint32_t pair(uint32_t first, uint32_t second) const
    {
        return of[first] | (uint32_t)of[second] << 16;
    }
};

/* Converts two levels to samples; each is biased by 1024 in its half of the word. */
template <typename Pixel> DEVICE uint32_t node_centred(uint32_t levels, int c)
{
    const float from = -1024.0f - node_middle<Pixel>(c, IMAGE_LIGHT_STORED);
    const __half2 centred = __hadd2(*(const __half2 *)&levels, __float2half2_rn(from));
    return *(const uint32_t *)&centred;
}

/* Returns channel c of two pixels. */
template <typename Pixel> DEVICE uint32_t stored_pair(uint32_t first, uint32_t second, int c)
{
    if constexpr (Pixel::white == 255) {
        const uint32_t levels = __byte_perm(first, second, (uint32_t)(c | (4 + c) << 4));
        return node_centred<Pixel>(__byte_perm(levels, 0x64646464u, 0x4140), c);
    } else {
        const uint32_t base = 0x64006400u; /* 1024, as halves */
        const uint32_t mask = c < 3 ? 1023u : 3u;
        const uint32_t levels = (first >> 10 * c & mask) | (second >> 10 * c & mask) << 16;
        return node_centred<Pixel>(levels | base, c);
    }
}

template <typename Pixel>
DEVICE uint32_t light_pair(const node_lights<Pixel> &lights, uint32_t first, uint32_t second, int c)
{
    const int bits = Pixel::white == 255 ? 8 : 10;
    const uint32_t mask = (uint32_t)Pixel::white;
    return lights.pair(first >> bits * c & mask, second >> bits * c & mask);
}

/* The same for half floats. */
DEVICE uint32_t float_pair(uint2 first, uint2 second, int c)
{
    return __byte_perm(c < 2 ? first.x : first.y, c < 2 ? second.x : second.y,
                       c % 2 ? 0x7632 : 0x5410);
}

/* The same for packed floats, which are halves without a sign and with shorter mantissas. */
DEVICE uint32_t float_half(uint32_t word, int c)
{
    return c == 0 ? word << 4 : c == 1 ? word >> 7 : word >> 17;
}
DEVICE uint32_t float_pair(uint32_t first, uint32_t second, int c)
{
    const uint32_t mask = c < 2 ? 0x7ff07ff0u : 0x7fe07fe0u;
    return __byte_perm(float_half(first, c), float_half(second, c), 0x5410) & mask;
}

template <typename Pixel, bool LIGHT>
DEVICE uint32_t pair_of_words(const node_lights<Pixel> &lights, typename Pixel::word first,
                              typename Pixel::word second, int c)
{
    if constexpr (Pixel::white == 0) {
        return float_pair(first, second, c);
    } else {
        return LIGHT && c < 3 ? light_pair<Pixel>(lights, first, second, c)
                              : stored_pair<Pixel>(first, second, c);
    }
}

/* ---- Runs of four pixels of a row */

template <typename Pixel> struct node_run {
    typename Pixel::word of[4];
    int first; /* the column of the first */

    /* Keeps the pixels from column x on, of a row of `width`, or the nearest that exist. */
    MEMBER void move_to(int x, int width)
    {
        if (x == first) {
            return;
        }
        const node_run own = *this;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int k = min(max(x + i, 0), width - 1) - first;
            of[i] = k == 0 ? own.of[0] : k == 1 ? own.of[1] : k == 2 ? own.of[2] : own.of[3];
        }
    }
};

/* Reads a run without gaps. */
template <typename Pixel> DEVICE node_run<Pixel> read_words(const char *at)
{
    node_run<Pixel> run;
    if (((uint64_t)at & 15) == 0) {
#pragma unroll
        for (int i = 0; i < (int)sizeof run.of / 16; i++) {
            ((uint4 *)run.of)[i] = __ldg((const uint4 *)at + i);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            run.of[i] = __ldg((const typename Pixel::word *)at + i);
        }
    }
    return run;
}

/* Takes pixels of one or three bytes apart. */
template <typename Pixel> DEVICE node_run<Pixel> run_of_words(const uint32_t (&words)[4])
{
    if (Pixel::part_count == 1) {
        return {{words[0], words[0] >> 8, words[0] >> 16, words[0] >> 24}};
    }
    return {{words[0], __funnelshift_r(words[0], words[1], 24),
             __funnelshift_r(words[1], words[2], 16), words[2] >> 8}};
}

/* Does the same for one or three bytes a pixel. Words across a row's end are read only where the
 * row goes on there. */
template <typename Pixel> DEVICE node_run<Pixel> read_bytes(const char *at, int before, int behind)
{
    const uint32_t *words = (const uint32_t *)((uint64_t)at & ~(uint64_t)3);
    const int beyond = (int)((uint64_t)at & 3);
    const int count = Pixel::part_count;
    uint32_t own[4] = {};
    if (beyond == 0) {
#pragma unroll
        for (int i = 0; i < count; i++) {
            own[i] = __ldg(words + i);
        }
    } else if (beyond <= before && 4 - beyond <= behind) {
#pragma unroll
        for (int i = 0; i <= count; i++) {
            own[i] = __ldg(words + i);
        }
#pragma unroll
        for (int i = 0; i < count; i++) {
            own[i] = __funnelshift_r(own[i], own[i + 1], 8 * beyond);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4 * count; i++) {
            own[i / 4] |= (uint32_t)__ldg((const uint8_t *)at + i) << 8 * (i % 4);
        }
    }
    return run_of_words<Pixel>(own);
}

template <typename Pixel> DEVICE bool has_runs(const linear_image<Pixel> &image)
{
    return image.view.pixel_stride_bytes == Pixel::part_count * (int)sizeof(typename Pixel::part) &&
           (linear_image<Pixel>::has_whole ? image.view.whole_pixels != 0 : Pixel::white > 0);
}

template <typename Pixel>
DEVICE bool load_run(const linear_image<Pixel> &image, int x, int row, int width,
                     node_run<Pixel> &run)
{
    const int bytes = Pixel::part_count * (int)sizeof(typename Pixel::part);
    if (!has_runs(image) || width < 4) {
        return false;
    }
    const int first = min(max(x, 0), width - 4);
    const char *at =
        (const char *)image.view.data + row * image.view.row_stride_bytes + first * bytes;
    if constexpr (linear_image<Pixel>::has_whole) {
        run = read_words<Pixel>(at);
    } else if constexpr (Pixel::white > 0) {
        run = read_bytes<Pixel>(at, bytes * first, bytes * (width - 4 - first));
    }
    run.first = first;
    return true;
}

/* Reads four pixels and leaves what else the run has. */
template <typename Pixel>
DEVICE void read_four(const surface_image<Pixel> &image, int x, int row, node_run<Pixel> &run)
{
    const tile_words<typename Pixel::word, 4> words =
        read_run<typename Pixel::word, 4>(run_at(image, x, row));
#pragma unroll
    for (int i = 0; i < 4; i++) {
        run.of[i] = words.of[i];
    }
}

template <typename Pixel>
DEVICE bool load_run(const surface_image<Pixel> &image, int x, int row, int width,
                     node_run<Pixel> &run)
{
    if (!has_runs(image, 4) || x < 0 || x % 4 != 0 || x + 4 > width) {
        return false;
    }
    read_four(image, x, row, run);
    return true;
}

/* Reads the run of the picture's pixels from (x, y) on; beyond its edges pixels repeat the
 * nearest. */
template <typename Pixel, typename Image>
DEVICE node_run<Pixel> run_of_pixels(const gauss_frame &frame, const Image &src, int x, int y)
{
    const int row = min(max(y, 0), frame.height_px - 1);
    node_run<Pixel> run;
    run.first = x;
    if (!load_run(src, x, row, frame.width_px, run)) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            run.of[i] = src.load(min(max(x + i, 0), frame.width_px - 1), row);
        }
    }
    return run;
}

/* ---- Even rows are whole numbers of runs, each of which is aligned */

template <typename Pixel> DEVICE bool is_even(const linear_image<Pixel> &image, int width)
{
    const bool whole = linear_image<Pixel>::has_whole;
    const uint64_t all = image.view.data | (uint64_t)image.view.row_stride_bytes;
    return has_runs(image) && width % 4 == 0 && all % (whole ? 16 : 4) == 0;
}
template <typename Pixel> DEVICE bool is_even(const surface_image<Pixel> &image, int width)
{
    return has_runs(image, 4) && width % 4 == 0;
}

template <typename Pixel>
DEVICE node_run<Pixel> load_even(const linear_image<Pixel> &image, int x, int row)
{
    const int bytes = Pixel::part_count * (int)sizeof(typename Pixel::part);
    const char *at = (const char *)image.view.data + row * image.view.row_stride_bytes + x * bytes;
    node_run<Pixel> run = {};
    if constexpr (linear_image<Pixel>::has_whole) {
#pragma unroll
        for (int i = 0; i < (int)sizeof run.of / 16; i++) {
            ((uint4 *)run.of)[i] = __ldg((const uint4 *)at + i);
        }
    } else if constexpr (Pixel::white > 0) {
        uint32_t words[4] = {};
#pragma unroll
        for (int i = 0; i < Pixel::part_count; i++) {
            words[i] = __ldg((const uint32_t *)at + i);
        }
        run = run_of_words<Pixel>(words);
    }
    return run;
}
template <typename Pixel>
DEVICE node_run<Pixel> load_even(const surface_image<Pixel> &image, int x, int row)
{
    node_run<Pixel> run;
    read_four(image, x, row, run);
    return run;
}

/* Does run_of_pixels for an image with even rows; x is a multiple of four. */
template <typename Pixel, typename Image>
DEVICE node_run<Pixel> even_run(const gauss_frame &frame, const Image &src, int x, int y)
{
    node_run<Pixel> run =
        load_even(src, min(max(x, 0), frame.width_px - 4), min(max(y, 0), frame.height_px - 1));
#pragma unroll
    for (int i = 0; i < 3; i++) {
        run.of[i + 1] = x < 0 ? run.of[0] : run.of[i + 1];
        run.of[i] = x >= frame.width_px ? run.of[3] : run.of[i];
    }
    return run;
}

/* ---- A block's pixels as samples in shared memory, a plane for each channel */

/* A tile's window of it as a lane reads it. */
template <int PITCH, int GROUP, int PLANE> struct node_stage_window {
    static const bool crosses = false;

    const uint32_t *fours; /* of the lane's row of the first eight */
    const uint32_t *last; /* the lane's pair of an odd last step there */
    int last_row; /* from that row to the one of the last eight, if their number is odd */

    MEMBER int row(int j) const
    {
        return j == 4 ? last_row : j / 2 * 4 * GROUP + j % 2 * 2 * PITCH;
    }
    MEMBER uint2 four(int j, int i, int c) const
    {
        return *(const uint2 *)(fours + (c * PLANE + row(j) + 8 * i));
    }
    MEMBER uint32_t pair(int j, int c) const
    {
        return last[c * PLANE + row(j)];
    }
    MEMBER uint2 repeated(uint2 words, int) const
    {
        return words;
    }
};

/* RUNS fours of pixels across, ROWS down. A row has PITCH words, and a group of four rows 16 more:
 * so the four rows that half a warp reads at once lie in different banks. */
template <int RUNS, int ROWS, int PITCH, int THREADS> struct node_stage {
    static const int at_once = 5; /* runs of even rows that a thread loads before it waits */
    static const int group = 4 * PITCH + 16; /* words */
    static const int plane = ROWS / 4 * group;
    typedef node_stage_window<PITCH, group, plane> window;

    uint32_t *memory;
    int x, y; /* the first pixel's place */

    DEVICE int word_of(int row)
    {
        return row / 4 * group + row % 4 * PITCH;
    }
    /* The window whose first sample is (left, above), multiples of four, for a lane. */
    MEMBER window open(int left, int above, int row, int pair) const
    {
        const int first = word_of(gauss_nodes_place(row));
        const uint32_t *from = memory + (above / 4 * group + left / 2 + first);
        return {from + 2 * pair, from + 16 + pair, 8 * group + word_of(row) - first};
    }
    __device__ float value(int column, int row, int c) const
    {
        const uint32_t word = memory[c * plane + word_of(row) + column / 2];
        return __half2float(__ushort_as_half((unsigned short)(word >> column % 2 * 16)));
    }

    template <typename Pixel, bool LIGHT, int CHANNELS>
    MEMBER void put(const node_lights<Pixel> &lights, const node_run<Pixel> &run, int i) const
    {
        uint32_t *to = memory + word_of(i / RUNS) + 2 * (i % RUNS);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            *(uint2 *)(to + c * plane) =
                make_uint2(pair_of_words<Pixel, LIGHT>(lights, run.of[0], run.of[1], c),
                           pair_of_words<Pixel, LIGHT>(lights, run.of[2], run.of[3], c));
        }
    }
    template <typename Pixel, bool LIGHT, int CHANNELS, typename Image>
    MEMBER void fill(const gauss_frame &frame, const Image &src, const node_lights<Pixel> &lights,
                     int rows) const
    {
        const int count = rows * RUNS;
        if (!is_even(src, frame.width_px)) {
#pragma unroll 1
            for (int i = (int)threadIdx.x; i < count; i += THREADS) {
                const int column = x + 4 * (i % RUNS);
                node_run<Pixel> run = run_of_pixels<Pixel>(frame, src, column, y + i / RUNS);
                run.move_to(column, frame.width_px);
                put<Pixel, LIGHT, CHANNELS>(lights, run, i);
            }
            return;
        }
#pragma unroll 1
        for (int first = (int)threadIdx.x; first < count; first += at_once * THREADS) {
            node_run<Pixel> runs[at_once];
#pragma unroll
            for (int k = 0; k < at_once; k++) {
                const int i = min(first + k * THREADS, count - 1);
                runs[k] = even_run<Pixel>(frame, src, x + 4 * (i % RUNS), y + i / RUNS);
            }
#pragma unroll
            for (int k = 0; k < at_once; k++) {
                put<Pixel, LIGHT, CHANNELS>(lights, runs[k], min(first + k * THREADS, count - 1));
            }
        }
    }

    /* Fills the first rows, an even number; the others have no weight, and are 0. */
    template <typename Pixel, int CHANNELS, typename Image>
    MEMBER void fill(const gauss_frame &frame, const Image &src, node_lights<Pixel> &lights,
                     int rows) const
    {
        for (int i = rows * (PITCH / 2) + (int)threadIdx.x; i < ROWS * (PITCH / 2); i += THREADS) {
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                *(uint2 *)(memory + c * plane + word_of(i / (PITCH / 2)) + i % (PITCH / 2) * 2) =
                    make_uint2(0, 0);
            }
        }
        if (Pixel::white > 0 && frame.light) {
            lights.fill();
            fill<Pixel, true, CHANNELS>(frame, src, lights, rows);
        } else {
            fill<Pixel, false, CHANNELS>(frame, src, lights, rows);
        }
        __syncthreads();
    }
};
