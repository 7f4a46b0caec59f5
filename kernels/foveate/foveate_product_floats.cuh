/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles as products (foveate_tile_product.cuh): from blurred samples to pixels of half floats, which keep their
 * alpha. */
#ifndef FOVEA_KERNELS_FOVEATE_PRODUCT_FLOATS_CUH
#define FOVEA_KERNELS_FOVEATE_PRODUCT_FLOATS_CUH

#include "foveate_product_write.cuh"

/* Where a warp's pixels go, four neighbours of a row at a time. PLAIN: all lie in the picture, in runs. Then the alpha
 * of a lane's next pixels is asked for as soon as that of the ones before is used: to wait for it at each row took
 * most of the time. */
template <typename Image> struct product_float_writer {
    static const int count = 4;
    typedef tile_words<uint2, count> four;

    const tile_work<FOVEA_FORMAT_RGBA16F, Image> &work;
    int side_px;
    int x0; /* the lane's first pixel */
    int y0;
    bool plain;
    char *to;
    const char *from;
    uint32_t alpha[PRODUCT_DOWNS][2][count]; /* the second half of each pixel */

    /* (x, y): the warp's first pixel. */
    __device__ __forceinline__
    product_float_writer(const tile_work<FOVEA_FORMAT_RGBA16F, Image> &tile, int side, int x, int y)
        : work(tile), side_px(side), x0(x + product_lane() % 4 * count), y0(y + product_lane() / 4),
          plain(x + side <= tile.frame.width_px && y + side <= tile.frame.height_px &&
                has_runs(tile.dst, count) && has_runs(tile.src, count)),
          to(run_at(tile.dst, x0, y0)), from(run_at(tile.src, x0, y0))
    {
    }

    __device__ __forceinline__ void ask(int x, int q, int i)
    {
        const int y = first_of_sixteen(q, side_px) + 8 * i;
        const char *own = from + y * row_bytes(work.src) + 8 * x;
#pragma unroll
        for (int n = 0; n < count; n++) {
            alpha[q][i][n] = __ldg((const uint32_t *)(own + 8 * n + 4));
        }
    }

    /* All of the first columns. */
    __device__ __forceinline__ void ask_first()
    {
#pragma unroll
        for (int q = 0; q < PRODUCT_DOWNS; q++) {
            if (plain && 16 * q < side_px) {
                ask(0, q, 0);
                ask(0, q, 1);
            }
        }
    }

    /* Colours that are 0 beyond the third. */
    template <bool PLAIN>
    __device__ __forceinline__ void write(int x, int q, int i, const four &colors) const
    {
        const int y = first_of_sixteen(q, side_px) + 8 * i;
        four words = colors;
        if (PLAIN) {
#pragma unroll
            for (int n = 0; n < count; n++) {
                words.of[n].y = __byte_perm(colors.of[n].y, alpha[q][i][n], 0x7610);
            }
            write_run_at(to + y * row_bytes(work.dst) + 8 * x, words);
        } else if (x0 + x < work.frame.width_px && y0 + y < work.frame.height_px) {
            const four own = load_own(work, x0 + x, y0 + y);
#pragma unroll
            for (int n = 0; n < count; n++) {
                words.of[n] = pixel<FOVEA_FORMAT_RGBA16F>::keep_alpha(words.of[n], own.of[n]);
            }
            store_run<count>(work.dst, has_runs(work.dst, count), x0 + x, y0 + y,
                             work.frame.width_px, words);
        }
    }
};

/* Two neighbours, from a product. */
static __device__ __forceinline__ uint4 floats_of_two(const product_levels &levels,
                                                      const uint32_t (&of)[PRODUCT_COLORS])
{
    const uint32_t red = bits_of(__hadd2(half2_of(of[0]), levels.zero[0]));
    const uint32_t green = bits_of(__hadd2(half2_of(of[1]), levels.zero[1]));
    const uint32_t blue = bits_of(__hadd2(half2_of(of[2]), levels.zero[2]));
    return make_uint4(__byte_perm(red, green, 0x5410), blue & 0xffffu,
                      __byte_perm(red, green, 0x7632), blue >> 16);
}

/* A warp's pixels, as write_upsampled makes them of bytes. */
template <bool PLAIN, typename Image>
static __device__ __forceinline__ void write_floats(product_float_writer<Image> &writer,
                                                    const product_levels &levels,
                                                    const uint32_t (&z)[PRODUCT_COLORS][4],
                                                    const uint32_t *first_across,
                                                    const uint32_t *first_down)
{
    const int side_px = writer.side_px;
    spline_downs down;
    down.load(first_down, side_px);
#pragma unroll 1
    for (int p = 0; 16 * p < side_px; p++) {
        const int x = first_of_sixteen(p, side_px);
        uint2 across[PRODUCT_COLORS][2];
        upsample_across(z, first_across + 8 * x, across);
#pragma unroll
        for (int q = 0; q < PRODUCT_DOWNS; q++) {
            if (16 * q >= side_px) {
                break;
            }
            uint32_t samples[2][2][PRODUCT_COLORS];
            upsample_down<true>(levels, down.of[q], across, samples);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const uint4 a = floats_of_two(levels, samples[i][0]);
                const uint4 b = floats_of_two(levels, samples[i][1]);
                writer.template write<PLAIN>(x, q, i,
                                             {{make_uint2(a.x, a.y), make_uint2(a.z, a.w),
                                               make_uint2(b.x, b.y), make_uint2(b.z, b.w)}});
                if (PLAIN && 16 * (p + 1) < side_px) {
                    writer.ask(first_of_sixteen(p + 1, side_px), q, i);
                }
            }
        }
    }
}

#endif
