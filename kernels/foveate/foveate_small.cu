/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches of small pictures: a block foveates a picture of up to 128 x 128 pixels within shared memory,
 * whatever the slope of its law (foveate_small_params.h).
 *
 * In order, with barriers between: the picture is read; sigma at the corners of blocks of 4 x 4 pixels says
 * from which level each is made; level 1; level 2, and the blur of level 1; the blur of level 2, and of the
 * pixels near the gaze; the rest of the picture from levels, in place; it is written. Blurs are tasks of
 * 16 x 16 outputs that warps take in turns: for each sigma of the level's set that the tile needs, two
 * products of 16 x 32 weights, and the sums of a sample's two neighbours in the set.
 *
 * Grid: (1, 1, pictures). Bound by tensor products and the issue of instructions. */

#include "foveate_small_image.cuh"
#include "foveate_small_mma.cuh"
#include "foveate_smooth.h"

namespace {

extern __shared__ char small_shared[];

const int TILE = FOVEATE_SMALL_TILE;
const int WARPS = FOVEATE_SMALL_THREADS / 32;
const int BLOCKS = FOVEATE_SMALL_BLOCKS;
const int PIECE = FOVEATE_SMALL_PIECE_BYTES / 16; /* a sixteenth a lane */

struct small_lane {
    int lane, g, t;

    __device__ small_lane() : lane((int)threadIdx.x % 32), g(lane / 4), t(lane % 4)
    {
    }
};

struct small_work {
    const foveate_small &small;
    const foveate_frame &frame;
    small_memory memory;

    __device__ __forceinline__ const uint4 *pieces(int number, const small_lane &l) const
    {
        return (const uint4 *)small.pieces + number * PIECE + l.lane;
    }
    __device__ __forceinline__ uint4 piece(int number, const small_lane &l) const
    {
        return __ldg(pieces(number, l));
    }

    __device__ __noinline__ float sigma_at(float x_px, float y_px) const
    {
        return foveate_law_sigma_at(&small.law, (const float *)small.table, x_px, y_px,
                                    (float)frame.gaze_x_q8 / 256.0f,
                                    (float)frame.gaze_y_q8 / 256.0f);
    }
};

/* sqrt to 22 bits is enough for a place in a table. */
__device__ __forceinline__ float fast_sqrt(float v)
{
    return v * rsqrtf(fmaxf(v, 1e-12f));
}

__device__ __forceinline__ float entry_at(const uint16_t *entries, float at)
{
    const int entry = (int)(fminf(at, FOVEATE_SMALL_PLACES - 1.0f) + 0.5f);
    return __half2float(__ushort_as_half(__ldg(entries + entry)));
}

/* At places in pixels from the top left corner, row by row. Table 0 to 2: where sigma lies in the level's
 * set; 3: sigma. */
template <int COLUMNS, int ROWS>
__device__ __forceinline__ void look_up(const small_work &work, int table,
                                        const float (&x)[COLUMNS], const float (&y)[ROWS],
                                        float (&out)[ROWS][COLUMNS])
{
    const uint16_t *entries = (const uint16_t *)work.small.places + table * FOVEATE_SMALL_PLACES;
    const float per_px = work.small.places_per_px[table < 3 ? table : 1];
    if (work.small.by_distance) {
        const float gaze_x = (float)work.frame.gaze_x_q8 * (1.0f / 256);
        const float gaze_y = (float)work.frame.gaze_y_q8 * (1.0f / 256);
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            const float down = (y[j] - gaze_y) * (y[j] - gaze_y);
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) {
                const float across = x[i] - gaze_x;
                out[j][i] = entry_at(entries, fast_sqrt(across * across + down) * per_px);
            }
        }
        return;
    }
    for (int j = 0; j < ROWS; j++) {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const float sigma = work.sigma_at(x[i], y[j]);
            out[j][i] = table < 3 ? entry_at(entries, sigma * per_px) : sigma;
        }
    }
}

/* The next task of the phase, to all lanes. */
__device__ __forceinline__ int take_task(const small_work &work)
{
    int task = 0;
    if (threadIdx.x % 32 == 0) {
        task = (int)atomicAdd((uint32_t *)&work.memory.state->next, 1u);
    }
    return __shfl_sync(~0u, task, 0);
}

/* ---- What every block of 4 x 4 pixels is made from */

__device__ void measure_corners(const small_work &work)
{
    const int across = (work.frame.width_px + 3) / 4 + 1;
    const int down = (work.frame.height_px + 3) / 4 + 1;
    for (int i = (int)threadIdx.x; i < across * down; i += FOVEATE_SMALL_THREADS) {
        const int y = i / across;
        const int x = i - y * across;
        const float px[1] = {4.0f * (float)x};
        const float py[1] = {4.0f * (float)y};
        float sigma[1][1];
        look_up(work, 3, px, py, sigma);
        work.memory.corners[y * (BLOCKS + 1) + x] = sigma[0][0];
    }
    if (threadIdx.x == 0) {
        *work.memory.state = {0, BLOCKS, -1, BLOCKS, -1, {}, 0, {}};
    }
    if (work.memory.light && threadIdx.x < 256) {
        const float light = srgb_to_light((float)threadIdx.x * (1.0f / 255.0f));
        work.memory.light[threadIdx.x] = __half_as_ushort(__float2half_rn(light));
    }
}

/* Tiles of level 1 that a block's pixels are interpolated from. */
__device__ void note_level_1(const small_work &work, int x, int y)
{
    const foveate_small &s = work.small;
    const int left = s.x.from_1[x / 4] / TILE;
    const int right = (s.x.from_1[x / 4] + TILE - 1) / TILE;
    const int top = s.y.from_1[y / 4] / TILE;
    const int bottom = (s.y.from_1[y / 4] + TILE - 1) / TILE;
    const uint32_t bits = 1u << left | 1u << right;
    atomicOr(&work.memory.state->level_1[top], bits);
    atomicOr(&work.memory.state->level_1[bottom], bits);
}

__device__ void choose_levels(const small_work &work)
{
    const int across = (work.frame.width_px + 3) / 4;
    const int down = (work.frame.height_px + 3) / 4;
    small_state *state = work.memory.state;
    for (int i = (int)threadIdx.x; i < across * down; i += FOVEATE_SMALL_THREADS) {
        const int y = i / across;
        const int x = i - y * across;
        const float *corner = work.memory.corners + y * (BLOCKS + 1) + x;
        const float least =
            fminf(fminf(corner[0], corner[1]), fminf(corner[BLOCKS + 1], corner[BLOCKS + 2]));
        const int level = least >= work.small.from_sigma[2]   ? 2
                          : least >= work.small.from_sigma[1] ? 1
                                                              : 0;
        work.memory.blocks[y * BLOCKS + x] = (uint8_t)level;
        atomicOr(&state->tiles[y / 4 * 8 + x / 4], 1u << level);
        if (level == 0) {
            atomicMin(&state->left, x);
            atomicMax(&state->right, x);
            atomicMin(&state->top, y);
            atomicMax(&state->bottom, y);
        } else if (level == 1) {
            note_level_1(work, x, y);
        } else {
            state->far = 1;
        }
    }
}

/* ---- Level 1 from the picture, level 2 from level 1: 48 x 48 inputs, 16 x 16 outputs */

template <int LEVEL>
__device__ __forceinline__ void store_tile(char *to, int channel, int x0, int y0,
                                           const small_result (&sums)[2], const small_lane &l)
{
#pragma unroll
    for (int n = 0; n < 2; n++) {
        const int x = x0 + 8 * n + 2 * l.t;
        *(uint32_t *)(to + sample_at<LEVEL>(channel, x, y0 + l.g)) = sums[n].x;
        *(uint32_t *)(to + sample_at<LEVEL>(channel, x, y0 + l.g + 8)) = sums[n].y;
    }
}

template <typename Format>
__device__ __forceinline__ void load_pixels(const small_work &work, int x, int y,
                                            uint32_t (&pairs)[Format::CHANNELS][2])
{
    const small_memory &m = work.memory;
    uint32_t words[Format::BYTES];
    const char *row = m.picture + min(max(y, 0), work.frame.height_px - 1) * m.pitch;
    small_load_four<Format::BYTES>(m, work.frame.width_px, x, row, words);
#pragma unroll
    for (int c = 0; c < Format::CHANNELS; c++) {
#pragma unroll
        for (int n = 0; n < 2; n++) {
            pairs[c][n] = halves_of_bytes(two_of_channel(words, c, n),
                                          Format::LIGHT && c < 3 ? m.light : nullptr);
        }
    }
}

template <typename Format> __device__ void make_level_1(const small_work &work, int tile)
{
    const int CHANNELS = Format::CHANNELS;
    const small_lane l;
    const int columns = work.small.x.samples / TILE;
    const int ty = tile / columns;
    const int tx = tile - ty * columns;
    uint4 across[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        across[k] = work.piece(work.small.x.make_1 + 3 * tx + k, l);
    }
    small_result sums[CHANNELS][2] = {};
#pragma unroll 1
    for (int ky = 0; ky < 3; ky++) {
        small_result lines[CHANNELS][2] = {};
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const int y = work.small.y.start_1[ty] + TILE * ky + 8 * n + l.g;
#pragma unroll
            for (int kx = 0; kx < 3; kx++) {
                uint32_t pairs[CHANNELS][2];
                load_pixels<Format>(work, work.small.x.start_1[tx] + TILE * kx + 4 * l.t, y, pairs);
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) {
                    small_multiply(lines[c][n], across[kx], pairs[c][0], pairs[c][1]);
                }
            }
        }
        const uint4 down = work.piece(work.small.y.make_1 + 3 * ty + ky, l);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            small_multiply(sums[c][0], down, lines[c][0].x, lines[c][1].x);
            small_multiply(sums[c][1], down, lines[c][0].y, lines[c][1].y);
        }
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        store_tile<1>(work.memory.level[1], c, tx * TILE, ty * TILE, sums[c], l);
    }
}

/* One channel. */
__device__ void make_level_2(const small_work &work, int tile, int channel)
{
    const small_lane l;
    const int tx = tile % 2;
    const int ty = tile / 2;
    small_result sums[2] = {};
#pragma unroll 1
    for (int ky = 0; ky < 3; ky++) {
        small_result lines[2] = {};
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            const uint4 across = work.piece(work.small.x.make_2 + 3 * tx + kx, l);
            /* Past the end the weights are 0, and anything but NaN may lie there. */
            const int x = min(TILE * (tx + kx), work.small.x.samples - TILE) + 2 * l.t;
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const int y = min(TILE * (ty + ky) + 8 * n + l.g, work.small.y.samples - 1);
                const char *from = work.memory.level[1];
                small_multiply(lines[n], across,
                               *(const uint32_t *)(from + sample_at<1>(channel, x, y)),
                               *(const uint32_t *)(from + sample_at<1>(channel, x + 8, y)));
            }
        }
        const uint4 down = work.piece(work.small.y.make_2 + 3 * ty + ky, l);
        small_multiply(sums[0], down, lines[0].x, lines[1].x);
        small_multiply(sums[1], down, lines[0].y, lines[1].y);
    }
    store_tile<2>(work.memory.level[2], channel, tx * TILE, ty * TILE, sums, l);
}

/* ---- Blurs */

/* Places in the level's set of a lane's outputs, as they lie in a result: [n][row g, row g + 8]. */
struct small_places {
    uint32_t of[2][2];
    int first, last; /* sigmas that the tile needs */
};

/* From [row g, row g + 8][columns of n = 0, of n = 1]. */
__device__ __forceinline__ small_places places_from(const float (&at)[2][4])
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
__device__ small_places places_of_samples(const small_work &work, int level, int x0, int y0,
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
__device__ __forceinline__ __half2 part_of(uint32_t place, __half2 s)
{
    const __half2 apart = __hsub2(pair_of_bits(place), s);
    const __half2 less =
        __hsub2(__float2half2_rn(1.0f), pair_of_bits(bits_of_pair(apart) & 0x7fff7fffu));
    return __hmax2(less, __float2half2_rn(0.0f));
}

/* Adds what is blurred by sigma `s` to the outputs [n][row g, row g + 8]. Pieces of x and y for it: two
 * each. */
__device__ __forceinline__ void add_blurred(const small_window &window, const uint4 (&across)[2],
                                            const uint4 (&down)[2], const small_places &places,
                                            int s, small_result (&sums)[2])
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
__device__ __forceinline__ uint32_t load_clamped(const char *from, int channel, int x, int y,
                                                 int count)
{
    const uint32_t two =
        *(const uint32_t *)(from + sample_at<1>(channel, min(max(x, 0), count - 2), y));
    return __byte_perm(two, 0, x < 0 ? 0x1010 : x >= count ? 0x3232 : 0x3210);
}

/* One channel. */
__device__ void blur_level_1(const small_work &work, int tile, int channel)
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
__device__ void blur_level_2(const small_work &work, int tile, int channel)
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
__device__ small_places places_of_pixels(const small_work &work, int x0, int y0,
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
__device__ __forceinline__ uint32_t *near_bytes(const small_work &work, int tile, int channel,
                                                int r, const small_lane &l)
{
    return (uint32_t *)work.memory.level[0] + ((tile * CHANNELS + channel) * 2 + r) * 32 + l.lane;
}

/* Channel c of the 32 x 32 pixels around a tile. */
template <typename Format>
__device__ __forceinline__ void load_near(const small_work &work, int x0, int y0, int c,
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
__device__ void blur_near(const small_work &work, int tile, int c, int x0, int y0)
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

template <typename Format> __device__ void put_near(const small_work &work, const near_tiles &tiles)
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

/* ---- The picture from levels: a warp makes 16 columns */

/* A tile's pixels that are of `level`, into the picture. */
template <typename Format>
__device__ __forceinline__ void put_tile(const small_work &work, int level, int x0, int y0,
                                         const small_result (&sums)[Format::CHANNELS][2],
                                         const small_lane &l)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int x = x0 + 4 * l.t;
        const int y = y0 + 8 * r + l.g;
        if (x < work.frame.width_px && y < work.frame.height_px &&
            work.memory.blocks[y / 4 * BLOCKS + x / 4] == level) {
            char *row = work.memory.picture + y * work.memory.pitch;
            uint32_t words[Format::BYTES] = {};
            uint32_t bytes[4] = {};
            if (Format::CHANNELS < Format::BYTES) {
                small_load_four<Format::BYTES>(work.memory, x + 4, x, row, words);
            }
#pragma unroll
            for (int c = 0; c < Format::CHANNELS; c++) {
                bytes[c] =
                    four_of_halves(r == 0 ? sums[c][0].x : sums[c][0].y,
                                   r == 0 ? sums[c][1].x : sums[c][1].y, Format::LIGHT && c < 3);
            }
            blend_words<Format>(bytes, words);
            small_store_four<Format::BYTES>(row, x, words);
        }
    }
}

template <typename Format>
__device__ void show_level_1(const small_work &work, int tx, int ty, const uint4 &across,
                             const small_lane &l)
{
    const int CHANNELS = Format::CHANNELS;
    const int x = work.small.x.from_1[tx] + 2 * l.t;
    const uint4 down = work.piece(work.small.y.show_1 + ty, l);
    small_result sums[CHANNELS][2] = {};
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        small_result lines[2] = {};
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const int y = work.small.y.from_1[ty] + 8 * n + l.g;
            const char *from = work.memory.blurred[1];
            small_multiply(lines[n], across, *(const uint32_t *)(from + sample_at<1>(c, x, y)),
                           *(const uint32_t *)(from + sample_at<1>(c, x + 8, y)));
        }
        small_multiply(sums[c][0], down, lines[0].x, lines[1].x);
        small_multiply(sums[c][1], down, lines[0].y, lines[1].y);
    }
    put_tile<Format>(work, 1, tx * TILE, ty * TILE, sums, l);
}

/* Lines of level 2 along x for 16 columns: the right matrices of the products along y. */
template <int CHANNELS>
__device__ __forceinline__ void show_lines_2(const small_work &work, int tx,
                                             small_result (&lines)[CHANNELS][4],
                                             const small_lane &l)
{
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const uint4 across = work.piece(work.small.x.show_2 + 2 * tx + k, l);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
            for (int n = 0; n < 4; n++) {
                const int x = TILE * k + 2 * l.t;
                const int y = 8 * n + l.g;
                const char *from = work.memory.blurred[2];
                small_multiply(lines[c][n], across,
                               *(const uint32_t *)(from + sample_at<2>(c, x, y)),
                               *(const uint32_t *)(from + sample_at<2>(c, x + 8, y)));
            }
        }
    }
}

template <typename Format>
__device__ void show_columns(const small_work &work, int tx, int first, int step)
{
    const int CHANNELS = Format::CHANNELS;
    const small_lane l;
    const uint4 across = work.piece(work.small.x.show_1 + tx, l);
    small_result lines[CHANNELS][4] = {};
    show_lines_2<CHANNELS>(work, tx, lines, l);
    const int rows = (work.frame.height_px + TILE - 1) / TILE;
#pragma unroll 1
    for (int ty = first; ty < rows; ty += step) {
        const uint32_t levels = work.memory.state->tiles[8 * ty + tx];
        if (levels & 4u) {
            small_result sums[CHANNELS][2] = {};
#pragma unroll
            for (int k = 0; k < 2; k++) {
                const uint4 down = work.piece(work.small.y.show_2 + 2 * ty + k, l);
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) {
                    small_multiply(sums[c][0], down, lines[c][2 * k].x, lines[c][2 * k + 1].x);
                    small_multiply(sums[c][1], down, lines[c][2 * k].y, lines[c][2 * k + 1].y);
                }
            }
            put_tile<Format>(work, 2, tx * TILE, ty * TILE, sums, l);
        }
        if (levels & 2u) {
            show_level_1<Format>(work, tx, ty, across, l);
        }
    }
}

/* ---- A picture */

__device__ __forceinline__ void next_phase(const small_work &work)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        work.memory.state->next = 0;
    }
    __syncthreads();
}

template <typename Format> __device__ void foveate(const small_work &work)
{
    const int CHANNELS = Format::CHANNELS;
    const small_state &state = *work.memory.state;
    measure_corners(work);
    __syncthreads();
    choose_levels(work);
    const int made = work.small.x.samples / TILE * (work.small.y.samples / TILE);
    for (int tile = (int)threadIdx.x / 32; tile < made; tile += WARPS) {
        make_level_1<Format>(work, tile);
    }
    next_phase(work);
    const int coarse = state.far ? 4 * CHANNELS : 0;
    for (int task = take_task(work); task < coarse + 16 * CHANNELS; task = take_task(work)) {
        const int tile = (task - coarse) / CHANNELS;
        if (task < coarse) {
            make_level_2(work, task / CHANNELS, task % CHANNELS);
        } else if (state.level_1[tile / 4] >> tile % 4 & 1u) {
            blur_level_1(work, tile, (task - coarse) % CHANNELS);
        }
    }
    next_phase(work);
    const near_tiles tiles(state);
    const int near = tiles.count * CHANNELS;
    for (int task = take_task(work); task < near + coarse; task = take_task(work)) {
        if (task < near) { /* the longer ones first */
            const int tile = task / CHANNELS;
            blur_near<Format>(work, tile, task % CHANNELS, tiles.left + tile % tiles.columns * TILE,
                              tiles.top + tile / tiles.columns * TILE);
        } else {
            blur_level_2(work, (task - near) / CHANNELS, (task - near) % CHANNELS);
        }
    }
    __syncthreads();
    put_near<Format>(work, tiles);
    const int tx = (int)threadIdx.x / 32 % 8;
    if (tx * TILE < work.frame.width_px) {
        show_columns<Format>(work, tx, (int)threadIdx.x / 32 / 8, WARPS / 8);
    }
}

template <typename Format> __device__ void run(const foveate_small_linear_params &params)
{
    const foveate_frame frame = frame_of_image(params.frame, params.batch);
    const small_work work = {
        params.small, frame,
        small_layout(small_shared, params.small, Format::CHANNELS, Format::LIGHT)};
    const foveate_cuda_linear src = view_of(params.src, frame, params.batch.src_next_bytes);
    const foveate_cuda_linear dst = view_of(params.dst, frame, params.batch.dst_next_bytes);
    small_move<true>(work.memory, src, frame.width_px, frame.height_px, Format::BYTES);
    if (frame.gaze_x_q8 != FOVEATE_GAZE_NONE) {
        foveate<Format>(work);
    }
    __syncthreads();
    small_move<false>(work.memory, dst, frame.width_px, frame.height_px, Format::BYTES);
}

} // namespace

#define KERNEL(name, bytes, channels, light)                                                       \
    extern "C" __global__ void __launch_bounds__(FOVEATE_SMALL_THREADS, 2)                         \
        small_##name(const __grid_constant__ foveate_small_linear_params params)                   \
    {                                                                                              \
        run<small_format<bytes, channels, light>>(params);                                         \
    }

KERNEL(r8, 1, 1, false)
KERNEL(rgb8, 3, 3, false)
KERNEL(rgba8, 4, 3, false) /* alpha is kept */
KERNEL(rgba8_alpha, 4, 4, false)
KERNEL(r8_light, 1, 1, true)
KERNEL(rgb8_light, 3, 3, true)
KERNEL(rgba8_light, 4, 3, true)
KERNEL(rgba8_alpha_light, 4, 4, true)
