/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles as products (foveate_tile_product.cuh): from blurred samples to pixels. */
#ifndef FOVEA_KERNELS_FOVEATE_PRODUCT_WRITE_CUH
#define FOVEA_KERNELS_FOVEATE_PRODUCT_WRITE_CUH

#include "foveate_mma.cuh"
#include "foveate_product_blur.cuh"
#include "foveate_tile_spline.cuh"

/* ---- Pixels */

/* What turns samples relative to a base into words. */
struct product_levels {
    __half2 zero[PRODUCT_COLORS]; /* to numbers behind 1024 */
    __half2 low[PRODUCT_COLORS]; /* that samples are not below */
    __half2 high[PRODUCT_COLORS];

    template <enum fovea_format FORMAT>
    __device__ __forceinline__ void set(const tile_sample &base, bool light)
    {
        const tile_sample number =
            light ? zero_sample() : base + numbers_of_middle<pixel<FORMAT>>();
        zero[0] = __low2half2(number.xy);
        zero[1] = __high2half2(number.xy);
        zero[2] = __low2half2(number.zw);
#pragma unroll
        for (int c = 0; c < PRODUCT_COLORS; c++) {
            low[c] = __hsub2(__float2half2_rn(light ? 0.0f : 1024.0f), zero[c]);
            high[c] = __hsub2(__float2half2_rn(light ? 1.0f : 1024.0f + 255.0f), zero[c]);
        }
    }
};

/* Two neighbours whose samples are light. */
template <enum fovea_format FORMAT>
static __device__ __forceinline__ uint2 words_of_light(uint32_t r, uint32_t g, uint32_t b)
{
    const tile_encoder<FORMAT> encode(zero_sample(), true);
    const __half2 blue = half2_of(b);
    const tile_sample first = {low_halves(half2_of(r), half2_of(g)), __low2half2(blue)};
    const tile_sample second = {high_halves(half2_of(r), half2_of(g)), __high2half2(blue)};
    return make_uint2(encode.in_light(first) | 0xff000000u, encode.in_light(second) | 0xff000000u);
}

/* A product's sums are rounded to halves once, on sm_90: those that begin behind 1024 become whole levels by it. Older
 * devices round after 8 terms, too, and get their levels by an addition. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define PRODUCT_ROUNDS_ONCE true
#else
#define PRODUCT_ROUNDS_ONCE false
#endif

/* What a product that makes pixels begins with. Two words, as in product_weights. */
template <bool LIGHT>
static __device__ __forceinline__ mma_halves start_of_pixels(const product_levels &levels, int c)
{
    const uint32_t start = bits_of(levels.zero[c]);
    return PRODUCT_ROUNDS_ONCE && !LIGHT ? make_uint2(start, start | blockIdx.y) : make_uint2(0, 0);
}

/* Two opaque neighbours from such products, or from samples: ROUNDED false. */
template <enum fovea_format FORMAT, bool LIGHT, bool ROUNDED>
static __device__ __forceinline__ uint2 words_of_two(const product_levels &levels, uint32_t r,
                                                     uint32_t g, uint32_t b)
{
    if constexpr (LIGHT) {
        return words_of_light<FORMAT>(r, g, b);
    }
    const uint32_t red = ROUNDED ? r : bits_of(__hadd2(half2_of(r), levels.zero[0]));
    const uint32_t green = ROUNDED ? g : bits_of(__hadd2(half2_of(g), levels.zero[1]));
    const uint32_t blue = ROUNDED ? b : bits_of(__hadd2(half2_of(b), levels.zero[2]));
    const uint32_t rg = __byte_perm(red, green, 0x6240);
    const uint32_t ba = blue | 0xff00ff00u;
    return make_uint2(__byte_perm(rg, ba, 0x5410), __byte_perm(rg, ba, 0x7632));
}

/* Where a warp's pixels go. Nearly all lie in the picture, opaque, and are written in runs, so that nothing is asked
 * for each: PLAIN, decided once. */
template <enum fovea_format FORMAT, typename Image> struct product_writer {
    const tile_work<FORMAT, Image> &work;
    bool opaque; /* no alpha is read */
    bool runs; /* all in the picture */
    int x0; /* the lane's first pixel */
    int y0;
    char *to;
    const char *from;
    int64_t stride;

    __device__ __forceinline__ product_writer(const tile_work<FORMAT, Image> &tile, bool is_opaque,
                                              int side_px, int count, int x, int y)
        : work(tile), opaque(is_opaque)
    {
        runs = x + side_px <= work.frame.width_px && y + side_px <= work.frame.height_px &&
               has_runs(work.dst, count) && has_runs(work.src, count);
        stride = row_bytes(work.dst);
    }

    __device__ __forceinline__ bool is_plain() const
    {
        return runs && opaque;
    }

    __device__ __forceinline__ void start(int x, int y)
    {
        x0 = x;
        y0 = y;
        to = run_at(work.dst, x, y);
        from = run_at(work.src, x, y);
    }

    /* COUNT pixels in a row, x and y from the lane's first. */
    template <bool PLAIN, int COUNT>
    __device__ __forceinline__ void write(int x, int y,
                                          const tile_words<uint32_t, COUNT> &words) const
    {
        if (PLAIN) {
            write_run_at(to + y * stride + 4 * x, words);
        } else if (runs) {
            tile_words<uint32_t, COUNT> own =
                read_run<uint32_t, COUNT>(from + y * row_bytes(work.src) + 4 * x);
#pragma unroll
            for (int n = 0; n < COUNT; n++) {
                own.of[n] = pixel<FORMAT>::keep_alpha(words.of[n], own.of[n]);
            }
            write_run_at(to + y * stride + 4 * x, own);
        } else {
            write_slowly(x0 + x, y0 + y, words);
        }
    }

  private:
    template <int COUNT>
    __device__ __forceinline__ void write_slowly(int x, int y,
                                                 tile_words<uint32_t, COUNT> words) const
    {
        const foveate_frame &frame = work.frame;
        if (y >= frame.height_px || x >= frame.width_px) {
            return;
        }
        if (!opaque) {
            const tile_words<uint32_t, COUNT> own = own_words<COUNT>(x, y);
#pragma unroll
            for (int n = 0; n < COUNT; n++) {
                words.of[n] = pixel<FORMAT>::keep_alpha(words.of[n], own.of[n]);
            }
        }
        store_run<COUNT>(work.dst, has_runs(work.dst, COUNT), x, y, frame.width_px, words);
    }

    template <int COUNT>
    __device__ __forceinline__ tile_words<uint32_t, COUNT> own_words(int x, int y) const
    {
        const int last_x = work.frame.width_px - 1;
        if (has_runs(work.src, COUNT) && x + COUNT <= last_x + 1) {
            return read_run<uint32_t, COUNT>(run_at(work.src, x, y));
        }
        tile_words<uint32_t, COUNT> words = {};
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            words.of[n] = work.src.load(min(x + n, last_x), y);
        }
        return words;
    }
};

/* Of the picture's own tiles, outputs are pixels. */
template <bool PLAIN, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_outputs(const product_writer<FORMAT, Image> &writer,
                                                     const product_levels &levels,
                                                     const uint32_t (&z)[PRODUCT_COLORS][4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint2 two = words_of_two<FORMAT, false, false>(levels, z[0][k], z[1][k], z[2][k]);
        writer.template write<PLAIN>(k / 2 * 8, k % 2 * 8, tile_words<uint32_t, 2>{{two.x, two.y}});
    }
}

/* Pixels of a warp across: squares of 8 columns, side by side or in pairs, of which a lane's columns are four
 * neighbours. */
template <int SQUARES> static __device__ __forceinline__ int spline_pixel(int p, int n)
{
    return SQUARES == 2 ? n / 2 * 4 + p * 2 + n % 2 : n;
}

/* Up-sampled across, from pixel `first` on: right factors. */
template <int STEP, int SQUARES>
static __device__ __forceinline__ void upsample_across(const uint32_t (&z)[PRODUCT_COLORS][4],
                                                       int first,
                                                       uint2 (&across)[PRODUCT_COLORS][SQUARES])
{
    const int lane = product_lane();
#pragma unroll
    for (int p = 0; p < SQUARES; p++) {
        const uint32_t *row = spline_row<STEP>(first + spline_pixel<SQUARES>(p, lane / 4));
        const uint32_t upper = __ldg(row + lane % 4);
        const uint32_t lower = __ldg(row + lane % 4 + 4);
#pragma unroll
        for (int c = 0; c < PRODUCT_COLORS; c++) {
            mma_halves x;
            mma_begin_halves(x, z[c], upper, lower, make_uint2(0, 0));
            across[c][p] = make_uint2(mma_turned(x.x), mma_turned(x.y));
        }
    }
}

/* A lane's pixels of a row: two of each square. */
template <int SQUARES, bool LIGHT, enum fovea_format FORMAT>
static __device__ __forceinline__ tile_words<uint32_t, 2 * SQUARES>
words_of_row(const product_levels &levels, const uint32_t (&samples)[SQUARES][PRODUCT_COLORS])
{
    tile_words<uint32_t, 2 * SQUARES> words;
#pragma unroll
    for (int p = 0; p < SQUARES; p++) {
        const uint2 two = words_of_two<FORMAT, LIGHT, PRODUCT_ROUNDS_ONCE>(
            levels, samples[p][0], samples[p][1], samples[p][2]);
        words.of[2 * p] = two.x;
        words.of[2 * p + 1] = two.y;
    }
    return words;
}

/* Weights of a warp's rows: 16 to a product. */
template <int SIDE> struct spline_rows {
    static const int products = (SIDE + 15) / 16;
    uint32_t of[products][4];

    template <int STEP> __device__ __forceinline__ void load(int first)
    {
        const int lane = product_lane();
#pragma unroll
        for (int q = 0; q < products; q++) {
            const uint32_t *row = spline_row<STEP>(first + 16 * q + lane / 4) + lane % 4;
            const uint32_t *eight_on = 16 * q + 8 < SIDE ? row + 64 : row;
            of[q][0] = __ldg(row);
            of[q][1] = __ldg(eight_on);
            of[q][2] = __ldg(row + 4);
            of[q][3] = __ldg(eight_on + 4);
        }
    }
};

/* And down, and written: so many squares from column x on. */
template <int SIDE, int SQUARES, bool PLAIN, bool LIGHT, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void upsample_down(const product_writer<FORMAT, Image> &writer,
                                                     const product_levels &levels,
                                                     const spline_rows<SIDE> &down,
                                                     const uint2 (&across)[PRODUCT_COLORS][SQUARES],
                                                     int x)
{
#pragma unroll
    for (int q = 0; q < spline_rows<SIDE>::products; q++) {
        uint32_t upper[SQUARES][PRODUCT_COLORS];
        uint32_t lower[SQUARES][PRODUCT_COLORS];
#pragma unroll
        for (int p = 0; p < SQUARES; p++) {
#pragma unroll
            for (int c = 0; c < PRODUCT_COLORS; c++) {
                mma_halves y;
                mma_begin_halves(y, down.of[q], across[c][p].x, across[c][p].y,
                                 start_of_pixels<LIGHT>(levels, c));
                upper[p][c] = y.x;
                lower[p][c] = y.y;
            }
        }
        writer.template write<PLAIN>(x, 16 * q,
                                     words_of_row<SQUARES, LIGHT, FORMAT>(levels, upper));
        if (16 * q + 8 < SIDE) {
            writer.template write<PLAIN>(x, 16 * q + 8,
                                         words_of_row<SQUARES, LIGHT, FORMAT>(levels, lower));
        }
    }
}

/* A warp's pixels, SIDE by SIDE; (first_x, first_y): its first in the table of the spline. */
template <int STEP, int SIDE, bool PLAIN, bool LIGHT, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void
upsample(product_writer<FORMAT, Image> &writer, const product_levels &levels,
         const uint32_t (&z)[PRODUCT_COLORS][4], int x0, int y0, int first_x, int first_y)
{
    const int lane = product_lane();
    spline_rows<SIDE> down;
    down.template load<STEP>(first_y);
    writer.start(x0 + lane % 4 * 4, y0 + lane / 4);
    /* One piece of code for all pairs: three of them would be fetched anew by every warp. */
#pragma unroll 1
    for (int x = 0; x + 16 <= SIDE; x += 16) {
        uint2 across[PRODUCT_COLORS][2];
        upsample_across<STEP>(z, first_x + x, across);
        upsample_down<SIDE, 2, PLAIN, LIGHT>(writer, levels, down, across, x);
    }
    if constexpr (SIDE % 16 != 0) {
        const int x = SIDE / 16 * 16;
        uint2 across[PRODUCT_COLORS][1];
        upsample_across<STEP>(z, first_x + x, across);
        writer.start(x0 + lane % 4 * 2, y0 + lane / 4);
        upsample_down<SIDE, 1, PLAIN, LIGHT>(writer, levels, down, across, x);
    }
}

#endif
