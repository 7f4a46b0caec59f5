/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blurs of foveate_small.cu, by tasks of 16 x 16 outputs: of levels 1 and 2, and of the pixels near the gaze. For
 * each sigma of the level's set that the tile needs, two products of 16 x 32 weights; an output is the sum of
 * its two neighbours in the set. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_BLUR_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_BLUR_CUH

#include "foveate_small_work.cuh"

/* Places in the level's set of a lane's outputs, as they lie in a result: [n][row g, row g + 8]. */
struct small_places {
    uint32_t of[2][2];
    int first, last; /* sigmas that the tile needs */
};

/* From [row g, row g + 8][columns of n = 0, of n = 1]. */
static __device__ __forceinline__ small_places places_from(const float (&at)[2][4])
{
    small_places p;
    float least = at[0][0];
    float most = at[0][0];
#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            least = fminf(least, at[r][i]);
            most = fmaxf(most, at[r][i]);
        }
        p.of[0][r] = bits_of_pair(__floats2half2_rn(at[r][0], at[r][1]));
        p.of[1][r] = bits_of_pair(__floats2half2_rn(at[r][2], at[r][3]));
    }
#pragma unroll
    for (int i = 16; i > 0; i /= 2) {
        least = fminf(least, __shfl_xor_sync(~0u, least, i));
        most = fmaxf(most, __shfl_xor_sync(~0u, most, i));
    }
    p.first = (int)least;
    p.last = (int)ceilf(most);
    return p;
}

/* Of samples of a coarser level. */
static __device__ small_places places_of_samples(const small_work &work, int level, int x0, int y0,
                                                 const small_lane &l)
{
    const float step = work.small.spacing[level];
    const float left = work.small.x.first[level] + 0.5f + step * (float)(x0 + 2 * l.t);
    const float top = work.small.y.first[level] + 0.5f + step * (float)(y0 + l.g);
    const float x[4] = {left, left + step, left + 8.0f * step, left + 9.0f * step};
    const float y[2] = {top, top + 8.0f * step};
    float at[2][4];
    look_up(work, level, x, y, at);
    return places_from(at);
}

/* 32 x 32 inputs of a channel. */
struct small_window {
    uint32_t of[4][2][2]; /* [y / 8][x / 16][pair] */
};

/* The part of place s in the weights of an output: 1 - |place - s|, at least 0. */
static __device__ __forceinline__ __half2 part_of(uint32_t place, __half2 s)
{
    const __half2 apart = __hsub2(pair_of_bits(place), s);
    const __half2 less =
        __hsub2(__float2half2_rn(1.0f), pair_of_bits(bits_of_pair(apart) & 0x7fff7fffu));
    return __hmax2(less, __float2half2_rn(0.0f));
}

/* Adds what is blurred by sigma `s` to the outputs [n][row g, row g + 8]. Pieces of x and y for it: two
 * each. */
static __device__ __forceinline__ void add_blurred(const small_window &window,
                                                   const uint4 (&across)[2], const uint4 (&down)[2],
                                                   const small_places &places, int s,
                                                   small_result (&sums)[2])
{
    const __half2 at = __float2half2_rn((float)s);
    small_result blurred[2] = {};
#pragma unroll
    for (int ky = 0; ky < 2; ky++) {
        small_result lines[2] = {};
#pragma unroll
        for (int kx = 0; kx < 2; kx++) {
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const uint32_t(&pair)[2] = window.of[2 * ky + n][kx];
                small_multiply(lines[n], across[kx], pair[0], pair[1]);
            }
        }
        small_multiply(blurred[0], down[ky], lines[0].x, lines[1].x);
        small_multiply(blurred[1], down[ky], lines[0].y, lines[1].y);
    }
#pragma unroll
    for (int n = 0; n < 2; n++) {
        sums[n].x = bits_of_pair(__hfma2(part_of(places.of[n][0], at), pair_of_bits(blurred[n].x),
                                         pair_of_bits(sums[n].x)));
        sums[n].y = bits_of_pair(__hfma2(part_of(places.of[n][1], at), pair_of_bits(blurred[n].y),
                                         pair_of_bits(sums[n].y)));
    }
}

/* Two samples side by side; outside of the level the outermost ones. */
static __device__ __forceinline__ uint32_t load_clamped(const char *from, int channel, int x, int y,
                                                        int count)
{
    const uint32_t two =
        *(const uint32_t *)(from + sample_at<1>(channel, min(max(x, 0), count - 2), y));
    return __byte_perm(two, 0, x < 0 ? 0x1010 : x >= count ? 0x3232 : 0x3210);
}

/* One channel. */
static __device__ void blur_level_1(const small_work &work, int tile, int channel)
{
    const small_lane l;
    const int x0 = tile % 4 * TILE;
    const int y0 = tile / 4 * TILE;
    const small_places places = places_of_samples(work, 1, x0, y0, l);
    small_window window;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int y = min(max(y0 - 8 + 8 * j + l.g, 0), work.small.y.samples - 1);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            window.of[j][i / 2][i % 2] = load_clamped(
                work.memory.level[1], channel, x0 - 8 + 8 * i + 2 * l.t, y, work.small.x.samples);
        }
    }
    const uint4 *from = work.pieces(work.small.blur_1 + 2 * places.first, l);
    small_result sums[2] = {};
#pragma unroll 1
    for (int s = places.first; s <= places.last; s++, from += 2 * PIECE) {
        const uint4 weights[2] = {__ldg(from), __ldg(from + PIECE)};
        add_blurred(window, weights, weights, places, s, sums);
    }
    store_tile<1>(work.memory.blurred[1], channel, x0, y0, sums, l);
}

/* One channel. */
static __device__ void blur_level_2(const small_work &work, int tile, int channel)
{
    const small_lane l;
    const int tx = tile % 2;
    const int ty = tile / 2;
    const small_places places = places_of_samples(work, 2, tx * TILE, ty * TILE, l);
    small_window window;
#pragma unroll
    for (int j = 0; j < 4; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            window.of[j][i / 2][i % 2] =
                *(const uint32_t *)(work.memory.level[2] +
                                    sample_at<2>(channel, 8 * i + 2 * l.t, 8 * j + l.g));
        }
    }
    const uint4 *x = work.pieces(work.small.x.blur_2 + 4 * places.first + 2 * tx, l);
    const uint4 *y = work.pieces(work.small.y.blur_2 + 4 * places.first + 2 * ty, l);
    small_result sums[2] = {};
#pragma unroll 1
    for (int s = places.first; s <= places.last; s++, x += 4 * PIECE, y += 4 * PIECE) {
        const uint4 across[2] = {__ldg(x), __ldg(x + PIECE)};
        const uint4 down[2] = {__ldg(y), __ldg(y + PIECE)};
        add_blurred(window, across, down, places, s, sums);
    }
    store_tile<2>(work.memory.blurred[2], channel, tx * TILE, ty * TILE, sums, l);
}

/* ---- Near the gaze */

/* A lane has pixels x0 + 4 t .. + 3 of rows g and g + 8. */
static __device__ small_places places_of_pixels(const small_work &work, int x0, int y0,
                                                const small_lane &l)
{
    const float left = (float)(x0 + 4 * l.t) + 0.5f;
    const float top = (float)(y0 + l.g) + 0.5f;
    const float x[4] = {left, left + 1.0f, left + 2.0f, left + 3.0f};
    const float y[2] = {top, top + 8.0f};
    float at[2][4];
    look_up(work, 0, x, y, at);
    return places_from(at);
}

/* Four finished pixels of a channel. */
template <int CHANNELS>
static __device__ __forceinline__ uint32_t *near_bytes(const small_work &work, int tile,
                                                       int channel, int r, const small_lane &l)
{
    return (uint32_t *)work.memory.level[0] + ((tile * CHANNELS + channel) * 2 + r) * 32 + l.lane;
}

/* Channel c of the 32 x 32 pixels around a tile. */
template <typename Format>
static __device__ __forceinline__ void load_near(const small_work &work, int x0, int y0, int c,
                                                 small_window &window, const small_lane &l)
{
    const small_memory &m = work.memory;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int y = min(max(y0 - 8 + 8 * j + l.g, 0), work.frame.height_px - 1);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint32_t words[Format::BYTES];
            small_load_four<Format::BYTES>(m, work.frame.width_px, x0 - 8 + TILE * i + 4 * l.t,
                                           m.picture + y * m.pitch, words);
#pragma unroll
            for (int n = 0; n < 2; n++) {
                window.of[j][i][n] = halves_of_bytes(two_of_channel(words, c, n),
                                                     Format::LIGHT && c < 3 ? m.light : nullptr);
            }
        }
    }
}

/* One channel. The finished pixels wait until every tile has read the picture. */
template <typename Format>
static __device__ void blur_near(const small_work &work, int tile, int c, int x0, int y0)
{
    const small_lane l;
    const bool light = Format::LIGHT && c < 3;
    const small_places places = places_of_pixels(work, x0, y0, l);
    small_window window;
    load_near<Format>(work, x0, y0, c, window, l);
    const uint4 *x = work.pieces(work.small.x.blur_0 + 2 * places.first, l);
    const uint4 *y = work.pieces(work.small.y.blur_0 + 2 * places.first, l);
    small_result sums[2] = {};
#pragma unroll 1
    for (int s = places.first; s <= places.last; s++, x += 2 * PIECE, y += 2 * PIECE) {
        const uint4 across[2] = {__ldg(x), __ldg(x + PIECE)};
        const uint4 down[2] = {__ldg(y), __ldg(y + PIECE)};
        add_blurred(window, across, down, places, s, sums);
    }
    *near_bytes<Format::CHANNELS>(work, tile, c, 0, l) =
        four_of_halves(sums[0].x, sums[1].x, light);
    *near_bytes<Format::CHANNELS>(work, tile, c, 1, l) =
        four_of_halves(sums[0].y, sums[1].y, light);
}

struct near_tiles {
    int left, top, columns, count;

    __device__ explicit near_tiles(const small_state &state)
        : left(4 * state.left), top(4 * state.top),
          columns((4 * (state.right - state.left) + 4 + TILE - 1) / TILE),
          count(columns * ((4 * (state.bottom - state.top) + 4 + TILE - 1) / TILE))
    {
        count = state.right < 0 ? 0 : min(count, FOVEATE_SMALL_NEAR_TILES);
    }
};

template <typename Format>
static __device__ void put_near(const small_work &work, const near_tiles &tiles)
{
    const small_lane l;
    for (int tile = (int)threadIdx.x / 32; tile < tiles.count; tile += WARPS) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const int x = tiles.left + tile % tiles.columns * TILE + 4 * l.t;
            const int y = tiles.top + tile / tiles.columns * TILE + 8 * r + l.g;
            if (x < work.frame.width_px && y < work.frame.height_px &&
                work.memory.blocks[y / 4 * BLOCKS + x / 4] == 0) {
                char *row = work.memory.picture + y * work.memory.pitch;
                uint32_t words[Format::BYTES] = {};
                uint32_t bytes[4] = {};
                if (Format::CHANNELS < Format::BYTES) {
                    small_load_four<Format::BYTES>(work.memory, x + 4, x, row, words);
                }
#pragma unroll
                for (int c = 0; c < Format::CHANNELS; c++) {
                    bytes[c] = *near_bytes<Format::CHANNELS>(work, tile, c, r, l);
                }
                blend_words<Format>(bytes, words);
                small_store_four<Format::BYTES>(row, x, words);
            }
        }
    }
}

#endif
