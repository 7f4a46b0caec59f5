/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What a block of foveate_tile_near.cuh works on: a tile's window of the picture in shared memory, a plane of
 * halves for each channel, next to what the block knows of sigma. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_NEAR_WINDOW_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_NEAR_WINDOW_CUH

#include "foveate_tile_nodes.cuh"
#include "foveate_tile_window.cuh"

/* A block's shared memory. */
struct near_memory {
    __half *light; /* of each level of 8 bits */
    uint2 *least; /* of each warp */
    near_sigmas &sigmas;
    near_weights *weights; /* of each warp */
    __half *planes;

    __device__ __forceinline__ explicit near_memory(char *shared)
        : light((__half *)shared), least((uint2 *)(shared + FOVEATE_TILE_LIGHT_BYTES)),
          sigmas(*(near_sigmas *)(least + FOVEATE_TILE_WARPS)),
          weights((near_weights *)(&sigmas + 1)), planes((__half *)(weights + FOVEATE_TILE_WARPS))
    {
    }
};

struct near_tile {
    int x0;
    int y0;
    int side; /* of a square or of a quarter */
    int halo;
};

/* ---- The window */

/* Loads of a thread: those of a square with eight samples around it. */
#define NEAR_AT_ONCE 8

/* What a thread has seen of the window. */
struct near_seen {
    tile_sample least;
    uint32_t all; /* the AND of all words */
};

/* A window in fours of pixels, row by row. */
struct near_fours {
    int across;
    int count;
    uint32_t per_row; /* 65536 of them, rounded up */

    __device__ __forceinline__ explicit near_fours(const near_tile &tile)
        : across((tile.side + 2 * tile.halo) / 4), count(4 * across * across),
          per_row((65536u + (uint32_t)across - 1) / (uint32_t)across)
    {
    }
    __device__ __forceinline__ int row(int i) const
    {
        return (int)((uint32_t)i * per_row >> 16);
    }
};

template <enum fovea_format FORMAT, typename Image> struct near_loader {
    const tile_work<FORMAT, Image> &work;
    const near_memory &memory;
    const near_tile &tile;
    const tile_decoder<FORMAT> &decode;
    const near_fours fours;
    bool with_alpha;
    int plane;
    int pitch;

    static __device__ __forceinline__ void store_halves(__half *to, __half2 a, __half2 b, __half2 c,
                                                        __half2 d, uint32_t which)
    {
        *(uint2 *)to = make_uint2(__byte_perm(bits_of(a), bits_of(b), which),
                                  __byte_perm(bits_of(c), bits_of(d), which));
    }
    /* Four pixels, as four halves of each channel. */
    __device__ __forceinline__ void store(int i, const uint4 &words, near_seen &seen) const
    {
        const tile_sample a = decode(words.x);
        const tile_sample b = decode(words.y);
        const tile_sample c = decode(words.z);
        const tile_sample d = decode(words.w);
        const int row = fours.row(i);
        __half *to = memory.planes + row * pitch + (i - row * fours.across) * 4;
        store_halves(to, a.xy, b.xy, c.xy, d.xy, 0x5410);
        store_halves(to + plane, a.xy, b.xy, c.xy, d.xy, 0x7632);
        store_halves(to + 2 * plane, a.zw, b.zw, c.zw, d.zw, 0x5410);
        if (with_alpha) {
            store_halves(to + 3 * plane, a.zw, b.zw, c.zw, d.zw, 0x7632);
        }
        seen.all &= words.x & words.y & words.z & words.w;
        if (decode.light) {
            seen.least = least_of(seen.least, least_of(least_of(a, b), least_of(c, d)));
        }
    }
    __device__ __forceinline__ uint4 load(int i, bool runs) const
    {
        const endless_image<Image> endless = {work.src, work.frame.width_px - 1,
                                              work.frame.height_px - 1};
        const int row = fours.row(i);
        const int column = (i - row * fours.across) * 4;
        return load_four(endless, runs, tile.x0 - tile.halo + column, tile.y0 - tile.halo + row);
    }
    __device__ __forceinline__ bool is_inside() const
    {
        const int side = tile.side + 2 * tile.halo;
        const int left = tile.x0 - tile.halo;
        const int top = tile.y0 - tile.halo;
        return left >= 0 && top >= 0 && left + side <= work.frame.width_px &&
               top + side <= work.frame.height_px;
    }

    /* All of it lies in the picture: every load is on its way before the first is used, and sigma is asked
     * for meanwhile. */
    __device__ __forceinline__ void load_at_once(near_seen &seen) const
    {
        const int thread = near_thread();
        uint4 words[NEAR_AT_ONCE] = {};
#pragma unroll
        for (int k = 0; k < NEAR_AT_ONCE; k++) {
            if (k * FOVEATE_TILE_THREADS < fours.count) {
                words[k] = load(min(thread + k * FOVEATE_TILE_THREADS, fours.count - 1), true);
            }
        }
        fill_sigmas(work.law, memory.sigmas, tile.x0, tile.y0, tile.side);
#pragma unroll
        for (int k = 0; k < NEAR_AT_ONCE; k++) {
            if (k * FOVEATE_TILE_THREADS < fours.count) {
                store(min(thread + k * FOVEATE_TILE_THREADS, fours.count - 1), words[k], seen);
            }
        }
    }

    __device__ __forceinline__ near_seen operator()() const
    {
        near_seen seen = {largest_sample(), ~0u};
        const bool runs = is_inside() && has_runs(work.src, 4);
        if (runs && !decode.light && fours.count <= NEAR_AT_ONCE * FOVEATE_TILE_THREADS) {
            load_at_once(seen);
            return seen;
        }
        fill_sigmas(work.law, memory.sigmas, tile.x0, tile.y0, tile.side);
#pragma unroll 1
        for (int i = near_thread(); i < fours.count; i += FOVEATE_TILE_THREADS) {
            store(i, load(i, runs), seen);
        }
        return seen;
    }
};

/* In light: subtracts the least of the window from all of it. -> it. */
static __device__ __forceinline__ tile_sample rebase_planes(const near_memory &memory, int plane,
                                                            int channels)
{
    const tile_sample least = least_of_block(memory.least);
    for (int c = 0; c < channels; c++) {
        const __half2 both = c < 2 ? least.xy : least.zw;
        const __half2 own = c % 2 ? __high2half2(both) : __low2half2(both);
        __half2 *halves = (__half2 *)(memory.planes + c * plane);
        for (int i = near_thread(); i < plane / 2; i += FOVEATE_TILE_THREADS) {
            halves[i] = __hsub2(halves[i], own);
        }
    }
    __syncthreads();
    return least;
}

#endif
