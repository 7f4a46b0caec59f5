/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blurs of foveate_small.cu, by tiles of 16 x 16 outputs of levels 1 and 2 and of the pixels
 * near the gaze. Each of the level's nodes has two products of 16 x 32 weights, and every output
 * adds its share of the node. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_BLUR_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_BLUR_CUH

#include "blend.cuh"

/* 32 x 32 inputs of a channel. */
struct small_window {
    uint32_t of[4][2][2]; /* [y / 8][x / 16][pair] */
};

/* Filters along x: 16 columns of eight rows y each. `start` is what the sums begin with. */
static __device__ __forceinline__ void blur_lines(const small_window &window, const uint4 (&x)[2],
                                                  uint32_t start, small_result (&lines)[4])
{
#pragma unroll
    for (int j = 0; j < 4; j++) {
        lines[j] = make_uint2(start, start);
        small_multiply(lines[j], x[0], window.of[j][0][0], window.of[j][0][1]);
        small_multiply(lines[j], x[1], window.of[j][1][0], window.of[j][1][1]);
    }
}

/* Filters along y with weights that are the same for every output: those 8, 0, 16 and 8 after it
 * on. */
static __device__ __forceinline__ void blur_by_band(const small_result (&lines)[4],
                                                    const uint4 &band, small_result (&blurred)[2])
{
    blurred[0] = blurred[1] = make_uint2(0, 0);
    small_multiply_next(blurred[0], lines[1], lines[0], band.x, band.y);
    mma_add_of_8(blurred[0], lines[2], band.z);
    small_multiply_next(blurred[1], lines[3], lines[2], band.z, band.w);
    mma_add_of_8(blurred[1], lines[1], band.y);
}

static __device__ __forceinline__ void add_part(uint32_t &sum, uint32_t part, uint32_t blurred)
{
    sum = bits_of_pair(__hfma2(pair_of_bits(part), pair_of_bits(blurred), pair_of_bits(sum)));
}

static __device__ __forceinline__ void add_parts(small_result (&sums)[2],
                                                 const uint32_t (&parts)[2][2],
                                                 const small_result (&blurred)[2])
{
#pragma unroll
    for (int n = 0; n < 2; n++) {
        add_part(sums[n].x, parts[n][0], blurred[n].x);
        add_part(sums[n].y, parts[n][1], blurred[n].y);
    }
}

/* ---- Levels */

/* Loads rows of a tile's window of a plane, eight at a time. */
template <int LEVEL>
static __device__ __forceinline__ void load_rows(const small_work &work, int channel, int x0,
                                                 int y0, small_window &window, const small_lane &l)
{
    const int columns = LEVEL == 1 ? work.small.x.samples : FOVEATE_SMALL_SAMPLES_2;
    const int rows = LEVEL == 1 ? work.small.y.samples : FOVEATE_SMALL_SAMPLES_2;
    const int x = min(max(x0 + l.lane / 8 * 8, 0), columns - 8);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int y = min(max(y0 + 8 * j + l.lane % 8, 0), rows - 1);
        uint32_t squares[4];
        mma_load_squares(squares,
                         mma_place_of(work.memory.level[LEVEL] + sample_at<LEVEL>(channel, x, y)));
#pragma unroll
        for (int i = 0; i < 4; i++) {
            window.of[j][i / 2][i % 2] = squares[i];
        }
    }
}

/* Beside the level its outermost samples repeat. */
static __device__ __forceinline__ void repeat_outermost(small_window &window, bool left, bool right,
                                                        const small_lane &l)
{
    if (left) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            window.of[j][0][0] =
                __byte_perm(__shfl_sync(~0u, window.of[j][0][1], l.lane & ~3), 0, 0x1010);
        }
    }
    if (right) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            window.of[j][1][1] =
                __byte_perm(__shfl_sync(~0u, window.of[j][1][0], l.lane | 3), 0, 0x3232);
        }
    }
}

/* Blurs all channels, so that weights are looked up once. */
template <typename Format>
static __device__ __forceinline__ void blur_level_1(const small_work &work, int tile)
{
    const small_lane l;
    const int x0 = tile % TILES_1 * TILE;
    const int y0 = tile / TILES_1 * TILE;
    const int NODES = FOVEATE_SMALL_NODES_1(Format::LIGHT);
    const small_blend<NODES> blend =
        blend_of<1, NODES>(work, entries_of_samples<1>(work, x0, y0, l), 0);
    const uint4 *operands = work.operands(work.small.blur_1, l);
#pragma unroll 1
    for (int c = 0; c < Format::CHANNELS; c++, operands += work.small.opaque_zero) {
        small_window window;
        small_result sums[2] = {};
        load_rows<1>(work, c, x0 - 8, y0 - 8, window, l);
        repeat_outermost(window, x0 == 0, x0 + TILE >= work.small.x.samples, l);
#pragma unroll
        for (int j = 0; j < NODES; j++) {
            const uint4 *weights = operands + 2 * j * OPERAND;
            const uint4 x[2] = {__ldg(weights), __ldg(weights + OPERAND)};
            small_result lines[4];
            small_result blurred[2];
            blur_lines(window, x, 0, lines);
            blur_by_band(lines, make_uint4(x[0].z, x[0].w, x[1].x, x[1].y), blurred);
            add_parts(sums, blend.of[j], blurred);
        }
        store_tile<1>(work.memory.blurred[1], c, y0, x0, sums, l);
    }
}

/* Blurs one channel. */
static __device__ __forceinline__ void blur_level_2(const small_work &work, int tile, int channel)
{
    const small_lane l;
    const int tx = tile % 2;
    const int ty = tile / 2;
    const small_entries entries = entries_of_samples<2>(work, tx * TILE, ty * TILE, l);
    small_window window;
    small_result sums[2] = {};
    load_rows<2>(work, channel, 0, 0, window, l);
#pragma unroll 1
    for (int first = 0; first < work.small.nodes_2; first += FOVEATE_SMALL_NODES_2) {
        const small_blend<FOVEATE_SMALL_NODES_2> blend =
            blend_of<2, FOVEATE_SMALL_NODES_2>(work, entries, first);
        const uint4 *across = work.operands(work.small.x.blur_2 + 4 * first + 2 * tx, l);
        const uint4 *down = work.operands(work.small.y.blur_2 + 4 * first + 2 * ty, l);
#pragma unroll
        for (int j = 0; j < FOVEATE_SMALL_NODES_2;
             j++, across += 4 * OPERAND, down += 4 * OPERAND) {
            const uint4 x[2] = {__ldg(across), __ldg(across + OPERAND)};
            const uint4 y[2] = {__ldg(down), __ldg(down + OPERAND)};
            small_result lines[4];
            small_result blurred[2] = {};
            blur_lines(window, x, 0, lines);
#pragma unroll
            for (int k = 0; k < 2; k++) {
                small_multiply_next(blurred[0], lines[2 * k], lines[2 * k + 1], y[k].x, y[k].y);
                small_multiply_next(blurred[1], lines[2 * k], lines[2 * k + 1], y[k].z, y[k].w);
            }
            add_parts(sums, blend.of[j], blurred);
        }
    }
    store_tile<2>(work.memory.blurred[2], channel, ty * TILE, tx * TILE, sums, l);
}

/* ---- Near the gaze */

/* Which bytes of the words of four pixels are a channel's; beside the picture, its outermost
 * pixel's. */
struct small_taken {
    int x; /* of the four */
    uint32_t of[2]; /* for the pairs */
    bool left, right; /* the picture lies to the right, or to the left */
};

template <int BYTES>
static __device__ __forceinline__ small_taken taken_bytes(int x, int width, int channel)
{
    const int last = (width + 3) / 4 * 4 - 4;
    const int middle = 2 * BYTES / 4; /* the word in which the second pair begins */
    small_taken taken = {
        min(max(x, 0), last),
        {(uint32_t)(channel | (channel + BYTES) << 8),
         (uint32_t)(channel | (channel + BYTES) << 8) + (2 * BYTES - 4 * middle) * 0x101u},
        x<0, x>
            last};
    if (taken.left) {
        taken.of[0] = taken.of[1] = (uint32_t)channel * 0x101u;
    } else if (taken.right) {
        taken.of[0] = taken.of[1] = (uint32_t)(8 - BYTES + channel) * 0x101u;
    }
    return taken;
}

/* Extracts pairs of bytes, each in 16 bits. */
template <int BYTES>
static __device__ __forceinline__ void load_pairs(const char *row, const small_taken &taken,
                                                  uint32_t (&pairs)[2])
{
    const int middle = 2 * BYTES / 4;
    uint32_t words[BYTES];
    small_load_four<BYTES>(row, taken.x, words);
    const uint32_t after = BYTES > 1 ? words[1] : words[0];
    const uint32_t last = words[BYTES - 1];
    pairs[0] = __byte_perm(words[0], taken.right ? last : after, taken.of[0]) & 0x00ff00ffu;
    pairs[1] = __byte_perm(taken.left ? words[0] : words[middle], last, taken.of[1]) & 0x00ff00ffu;
}

/* Loads channel c of the 32 x 32 pixels around a tile, and the tile's own as sums, transposed. */
template <typename Format>
static __device__ __forceinline__ void load_near(const small_work &work, int x0, int y0, int c,
                                                 small_window &window, small_result (&own)[2],
                                                 const small_lane &l)
{
    const small_memory &m = work.memory;
    const uint16_t *light = Format::LIGHT && c < 3 ? m.light : nullptr;
    small_taken taken[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        taken[i] = taken_bytes<Format::BYTES>(x0 - 8 + TILE * i + 4 * l.t, work.frame.width_px, c);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int y = min(max(y0 - 8 + 8 * j + l.g, 0), work.frame.height_px - 1);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            load_pairs<Format::BYTES>(m.picture + y * m.pitch, taken[i], window.of[j][i]);
        }
        /* Lanes that have the left half of the tile's pixels hold the right half's place. */
#pragma unroll
        for (int n = 0; n < 2 && (j == 1 || j == 2); n++) {
            const uint32_t two =
                __shfl_xor_sync(~0u, l.t < 2 ? window.of[j][1][n] : window.of[j][0][n], 2);
            *(n == 0 ? &own[j - 1].x : &own[j - 1].y) = mma_transposed(sums_of_bytes(two, light));
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            window.of[j][i / 2][i % 2] = halves_of_bytes<Format>(window.of[j][i / 2][i % 2], light);
        }
    }
}

/* Four finished bytes of a channel, of row g or g + 8, wait here until all channels are done. */
template <int CHANNELS>
static __device__ __forceinline__ uint32_t *kept_near(const small_work &work, int channel, int r,
                                                      const small_lane &l)
{
    return (uint32_t *)work.memory.level[0] + ((small_warp() * CHANNELS + channel) * 2 + r) * 32 +
           l.lane;
}

/* Writes the tile's blocks of level 0. */
template <typename Format>
static __device__ __forceinline__ void write_near(const small_work &work, int x0, int y0,
                                                  const small_lane &l)
{
    bool near[2];
    const small_view dst = small_dst(work.params);
    small_is_of(work, 0, x0 / 4 + l.t, y0 / 4 + l.g / 4, near);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int y = y0 + l.g + 8 * r;
        uint32_t words[Format::BYTES] = {};
        uint32_t bytes[4][2] = {};
        if (!near[r] || y >= work.frame.height_px) {
            continue;
        }
        if (Format::CHANNELS < Format::BYTES) {
            small_load_four<Format::BYTES>(work.memory.picture + y * work.memory.pitch,
                                           x0 + 4 * l.t, words);
        }
#pragma unroll
        for (int c = 0; c < Format::CHANNELS; c++) {
            const uint32_t four = *kept_near<Format::CHANNELS>(work, c, r, l);
            bytes[c][0] = __byte_perm(four, 0, 0x4140);
            bytes[c][1] = __byte_perm(four, 0, 0x4342);
        }
        blend_words<Format>(bytes, words);
        small_write_four<Format::BYTES>(dst, x0 + 4 * l.t, y, work.frame.width_px, words);
    }
}

/* Blurs all channels of a tile. */
template <typename Format>
static __device__ __forceinline__ void blur_near(const small_work &work, int index)
{
    const small_lane l;
    const int tile = work.memory.state->near_tiles[index];
    const int x0 = tile % TILES * TILE;
    const int y0 = tile / TILES * TILE;
    const small_blend<FOVEATE_SMALL_NODES_0> blend =
        blend_of<0, FOVEATE_SMALL_NODES_0>(work, entries_of_pixels(work, x0, y0, l), 0);
    const uint4 *operands = work.operands(work.small.blur_0, l);
#pragma unroll 1
    for (int c = 0; c < Format::CHANNELS; c++, operands += work.small.opaque_zero) {
        const bool light = Format::LIGHT && c < 3;
        small_window window;
        small_result own[2];
        small_result sums[2] = {};
        load_near<Format>(work, x0, y0, c, window, own, l);
        add_parts(sums, blend.of[0], own);
#pragma unroll
        for (int j = 1; j < FOVEATE_SMALL_NODES_0; j++) {
            const uint4 *weights = operands + 3 * (j - 1) * OPERAND;
            const uint4 x[2] = {__ldg(weights), __ldg(weights + OPERAND)};
            small_result lines[4];
            small_result blurred[2];
            blur_lines(window, x, first_sum<Format>(), lines);
            blur_by_band(lines, __ldg(weights + 2 * OPERAND), blurred);
            add_parts(sums, blend.of[j], blurred);
        }
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const uint32_t first = bytes_of_biased(biased(mma_transposed(sums[r].x), light), light);
            const uint32_t second =
                bytes_of_biased(biased(mma_transposed(sums[r].y), light), light);
            *kept_near<Format::CHANNELS>(work, c, r, l) = __byte_perm(first, second, 0x6420);
        }
    }
    write_near<Format>(work, x0, y0, l);
}

#endif
