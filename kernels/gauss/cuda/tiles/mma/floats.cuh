/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The MMA path of tiles (gauss/cuda/tiles/mma/tile.cuh): blurred samples become pixels of half
 * floats, which keep their alpha. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_MMA_FLOATS_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_MMA_FLOATS_CUH

#include "write.cuh"

/* Writes a warp's pixels, two neighbours of a row at a time, so that four lanes write 64 bytes at
 * once; with four neighbours each write was half a sector. PLAIN: in runs, all columns in the
 * picture and at least sixteen rows. Then the load of a lane's next alphas is issued as soon as
 * those before are used: waiting for it at each row took most of the time. */
template <typename Image> struct tile_mma_float_writer {
    static const int count = 2;
    static const int apart_px = 8; /* columns from one square's to the next one's */
    typedef tile_words<uint2, count> two;

    const tile_work<FOVEA_FORMAT_RGBA16F, Image> &work;
    int side_px;
    int rows; /* in the picture */
    int x0; /* to the lane's first pixel */
    int y0;
    bool plain;
    image_run<Image> to;
    image_run<Image> from;
    /* The second halves of pixels: [sixteen rows][rows, rows 8 on][squares]. */
    uint32_t alpha[MMA_DOWNS][2][2][count];

    /* (x, y) is the warp's first pixel. */
    __device__ __forceinline__ tile_mma_float_writer(
        const tile_work<FOVEA_FORMAT_RGBA16F, Image> &tile, int side, int x, int y)
        : work(tile), side_px(side), rows(min(side, tile.frame.height_px - y)),
          x0(x + tile_mma_lane() % 4 * count), y0(y + tile_mma_lane() / 4),
          plain(x + side <= tile.frame.width_px && rows >= 16 && has_runs(tile.dst, count) &&
                has_runs(tile.src, count) && is_near(tile.dst) && is_near(tile.src)),
          to(run_at(tile.dst, x0, y0)), from(run_at(tile.src, x0, y0))
    {
    }

    __device__ __forceinline__ void issue_loads(int x, int q, int i)
    {
        const int y = first_of_sixteen(q, rows) + 8 * i;
        const image_run<Image> own = rows_on(bytes_on(from, 8 * x), y, (int)row_bytes(work.src));
#pragma unroll
        for (int n = 0; n < 2 * count; n++) {
            const int x_on = n / count * apart_px + n % count;
            alpha[q][i][n / count][n % count] = read_word(bytes_on(own, 8 * x_on + 4));
        }
    }

    /* Loads all alphas of the first columns. */
    __device__ __forceinline__ void issue_first_loads()
    {
#pragma unroll
        for (int q = 0; q < MMA_DOWNS; q++) {
            if (plain && 16 * q < rows) {
                issue_loads(0, q, 0);
                issue_loads(0, q, 1);
            }
        }
    }

    /* Returns the colour, or 0 beyond the third. */
    template <bool PLAIN>
    __device__ __forceinline__ void write(int x, int q, int i, int square, const two &colors) const
    {
        const int y = first_of_sixteen(q, PLAIN ? rows : side_px) + 8 * i;
        two words = colors;
        if (PLAIN) {
#pragma unroll
            for (int n = 0; n < count; n++) {
                words.of[n].y = __byte_perm(colors.of[n].y, alpha[q][i][square][n], 0x7610);
            }
            write_run_at(rows_on(bytes_on(to, 8 * x), y, (int)row_bytes(work.dst)), words);
        } else if (x0 + x < work.frame.width_px && y0 + y < work.frame.height_px) {
            const tile_words<uint2, 4> own = load_own(work, x0 + x, y0 + y);
#pragma unroll
            for (int n = 0; n < count; n++) {
                words.of[n] = pixel<FOVEA_FORMAT_RGBA16F>::keep_alpha(words.of[n], own.of[n]);
            }
            store_run<count>(work.dst, has_runs(work.dst, count), x0 + x, y0 + y,
                             work.frame.width_px, words);
        }
    }
};

/* Packs two neighbours from mma's outputs. */
static __device__ __forceinline__ uint4 floats_of_two(const tile_mma_levels &levels,
                                                      const uint32_t (&of)[MMA_COLORS])
{
    const uint32_t red = bits_of(__hadd2(half2_of(of[0]), levels.zero[0]));
    const uint32_t green = bits_of(__hadd2(half2_of(of[1]), levels.zero[1]));
    const uint32_t blue = bits_of(__hadd2(half2_of(of[2]), levels.zero[2]));
    return make_uint4(__byte_perm(red, green, 0x5410), blue & 0xffffu,
                      __byte_perm(red, green, 0x7632), blue >> 16);
}

/* Writes a warp's pixels, as write_upsampled does for bytes. */
template <bool PLAIN, typename Image>
static __device__ __forceinline__ void write_floats(tile_mma_float_writer<Image> &writer,
                                                    const tile_mma_levels &levels,
                                                    const uint32_t (&z)[MMA_COLORS][4],
                                                    const uint32_t *first_across,
                                                    const uint32_t *first_down)
{
    const int side_px = writer.side_px;
    const uint32_t *words = words_across<false>(first_across);
    spline_downs down;
    down.load(first_down, PLAIN ? writer.rows : side_px);
#pragma unroll 1
    for (int p = 0; 16 * p < side_px; p++) {
        const int x = first_of_sixteen(p, side_px);
        uint2 across[MMA_COLORS][2];
        upsample_across<false>(z, words + 8 * x, across);
#pragma unroll
        for (int q = 0; q < MMA_DOWNS; q++) {
            if (q > 0 && 16 * q >= writer.rows) {
                break;
            }
            uint32_t samples[2][2][MMA_COLORS];
            upsample_down<true>(levels, down.of[q], across, samples);
#pragma unroll
            for (int i = 0; i < 2; i++) {
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    const uint4 two = floats_of_two(levels, samples[i][k]);
                    writer.template write<PLAIN>(
                        x + k * writer.apart_px, q, i, k,
                        {{make_uint2(two.x, two.y), make_uint2(two.z, two.w)}});
                }
                if (PLAIN && 16 * (p + 1) < side_px) {
                    writer.issue_loads(first_of_sixteen(p + 1, side_px), q, i);
                }
            }
        }
    }
}

#endif
