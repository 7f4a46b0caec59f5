/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The MMA path of tiles (gauss/cuda/tiles/mma/tile.cuh): blurred samples become pixels. */
#pragma once

#include "blur.cuh"
#include "kernels/cuda/mma.cuh"
#include "table.cuh"

/* ---- Pixels */

/* A color of a sample, twice. */
DEVICE void two_of_colors(const tile_sample &sample, __half2 (&out)[MMA_COLORS])
{
    out[0] = __low2half2(sample.xy);
    out[1] = __high2half2(sample.xy);
    out[2] = __low2half2(sample.zw);
}

/* Converts samples relative to a base to levels. */
struct tile_mma_levels {
    __half2 zero[MMA_COLORS]; /* added to a sample it gives biased levels */
    __half2 low[MMA_COLORS]; /* the range of samples */
    __half2 high[MMA_COLORS];

    /* Outputs of stored levels and of light may be anything from black to white: polynomials miss
     * the range of the window's samples by less than a step of what is written. Floats have steps
     * as small as they are, so their outputs are not below the window's least: a last place below 0
     * is NaN to a program that takes its root. The largest need only be finite. */
    template <enum fovea_format FORMAT> MEMBER void set(const tile_sample &own, bool light)
    {
        const bool floats = holds_floats<FORMAT>();
        const tile_sample number = floats  ? base_of_least(own)
                                   : light ? flat_sample(0.0f)
                                           : own + biased_middle();
        const float least = light ? 0.0f : 1024.0f;
        const float most = floats ? 65504.0f : light ? 1.0f : 1024.0f + 255.0f;
        two_of_colors(number, zero);
        two_of_colors(least_from_base(own), low);
#pragma unroll
        for (int c = 0; c < MMA_COLORS; c++) {
            low[c] = floats ? low[c] : __hsub2(__float2half2_rn(least), zero[c]);
            high[c] = __hsub2(__float2half2_rn(most), zero[c]);
        }
    }
};

/* Packs two neighbours' alphas, each into the high byte of a half. */
DEVICE uint32_t alphas_of_two(uint32_t first, uint32_t second)
{
    return __byte_perm(first, second, 0x7030);
}

/* Packs two neighbours from their channels, each in the low byte of a half. OPAQUE ignores
 * `alpha`. */
template <bool OPAQUE>
DEVICE uint2 words_of_channels(uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
    const uint32_t rg = __byte_perm(red, green, 0x6240);
    const uint32_t ba = OPAQUE ? blue | 0xff00ff00u : __byte_perm(blue, alpha, 0x7250);
    return make_uint2(__byte_perm(rg, ba, 0x5410), __byte_perm(rg, ba, 0x7632));
}

/* sm_90 rounds the sums of an mma to halves once, so that sums that begin at 1024 and up are
 * rounded to whole levels. Older devices round after 8 terms, too, and add the bias afterwards. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MMA_ROUNDS_ONCE true
#else
#define MMA_ROUNDS_ONCE false
#endif

/* Returns what an mma that makes pixels adds to. It has two registers, as in tile_mma_weights. */
template <bool LIGHT> DEVICE mma_halves start_of_pixels(const tile_mma_levels &levels, int c)
{
    const uint32_t start = bits_of(levels.zero[c]);
    return MMA_ROUNDS_ONCE && !LIGHT ? make_uint2(start, start | blockIdx.y) : make_uint2(0, 0);
}

DEVICE uint32_t level_of_mma_tile(const tile_mma_levels &levels, int c, uint32_t two)
{
    return MMA_ROUNDS_ONCE ? two : bits_of(__hadd2(half2_of(two), levels.zero[c]));
}

/* Packs two neighbours from such sums. */
template <bool LIGHT, bool OPAQUE>
DEVICE uint2 words_of_two(const tile_mma_levels &levels, const uint32_t (&of)[MMA_COLORS],
                          uint32_t alpha)
{
    uint32_t channels[MMA_COLORS];
#pragma unroll
    for (int c = 0; c < MMA_COLORS; c++) {
        channels[c] = LIGHT ? bytes_of_light(of[c]) : level_of_mma_tile(levels, c, of[c]);
    }
    return words_of_channels<OPAQUE>(channels[0], channels[1], channels[2], alpha);
}

/* Returns whether a row's pitch fits 32 bits. */
template <typename Image> DEVICE bool is_near(const Image &image)
{
    return row_bytes(image) == (int)row_bytes(image);
}

/* Writes a warp's pixels, four neighbours of a row at a time. PLAIN is decided once for nearly all
 * warps: their pixels lie in the picture, at least sixteen rows of them, so that no pixel is
 * tested. */
template <enum fovea_format FORMAT, typename Image> struct tile_mma_writer {
    static const int count = 4;
    typedef tile_words<uint32_t, count> four;

    const tile_work<FORMAT, Image> &work;
    bool opaque; /* alpha need not be read */
    bool inside; /* All columns lie in the picture, and at least sixteen rows. */
    int rows;
    bool runs; /* Four pixels are written at once, and lie either in the picture or beside it. */
    int x0; /* the lane's first pixel */
    int y0;
    image_run<Image> to;
    int stride; /* bytes, for runs */

    /* (x, y) is the warp's first pixel; the lane's is (right, below) of it. */
    MEMBER tile_mma_writer(const tile_work<FORMAT, Image> &tile, bool is_opaque, int side_px, int x,
                           int y, int right, int below)
        : work(tile), opaque(is_opaque), x0(x + right), y0(y + below)
    {
        const gauss_frame &frame = work.frame;
        runs = (x + side_px <= frame.width_px || frame.width_px % count == 0) &&
               has_runs(work.dst, count) && has_runs(work.src, count) && is_near(work.dst) &&
               is_near(work.src);
        rows = min(side_px, frame.height_px - y);
        inside = x + side_px <= frame.width_px && rows >= 16;
        stride = (int)row_bytes(work.dst);
        to = run_at(work.dst, x0, y0);
    }

    MEMBER bool is_plain() const
    {
        return runs && inside;
    }

    /* (x, y) counts from the lane's first pixel. */
    template <bool PLAIN> MEMBER void write(int x, int y, const four &words) const
    {
        if (PLAIN) {
            write_run_at(rows_on(bytes_on(to, 4 * x), y, stride), words);
        } else if (x0 + x < work.frame.width_px && y0 + y < work.frame.height_px) {
            write_beside(x, y, words);
        }
    }

  private:
    DEVICE four with_alpha(const four &words, const four &own)
    {
        four kept;
#pragma unroll
        for (int n = 0; n < count; n++) {
            kept.of[n] = pixel<FORMAT>::keep_alpha(words.of[n], own.of[n]);
        }
        return kept;
    }

    MEMBER void write_beside(int x, int y, const four &words) const
    {
        if (runs && opaque) {
            write_run_at(rows_on(bytes_on(to, 4 * x), y, stride), words);
        } else if (runs) {
            const four own = read_run<uint32_t, count>(run_at(work.src, x0 + x, y0 + y));
            write_run_at(rows_on(bytes_on(to, 4 * x), y, stride), with_alpha(words, own));
        } else {
            store_run<count>(work.dst, has_runs(work.dst, count), x0 + x, y0 + y,
                             work.frame.width_px,
                             opaque ? words : with_alpha(words, load_own(work, x0 + x, y0 + y)));
        }
    }
};

/* Alphas of a lane's next pixels, for a warp whose pixels lie in the picture and are not opaque.
 * Their loads are issued as soon as the alphas before are used: waiting for them at each row took
 * half of the time. */
template <enum fovea_format FORMAT, typename Image> struct tile_mma_alphas {
    typedef tile_mma_writer<FORMAT, Image> writer;

    typename writer::four own[2]; /* rows y and y + 8 */

    /* (x, y) counts from the lane's first pixel. */
    MEMBER void issue_loads(const writer &to, int x, int y)
    {
        const int stride = (int)row_bytes(to.work.src);
        const image_run<Image> from = bytes_on(run_at(to.work.src, to.x0, to.y0), 4 * x);
        own[0] = read_run<uint32_t, writer::count>(rows_on(from, y, stride));
        own[1] = read_run<uint32_t, writer::count>(rows_on(from, y + 8, stride));
    }

    MEMBER void take(uint32_t (&alphas)[2][2]) const
    {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            alphas[i][0] = alphas_of_two(own[i].of[0], own[i].of[1]);
            alphas[i][1] = alphas_of_two(own[i].of[2], own[i].of[3]);
        }
    }
};

/* Keeps the pointer in a register: compilers would compute every word's address from the
 * table's. */
DEVICE const uint32_t *pointer_of_lane(const uint32_t *words)
{
    ptx_keep(words);
    return words;
}

/* Returns a lane's words of the first two squares of 8 columns, from that row of the spline on. A
 * lane has two neighbours of each square. With FOURS the second square's are two pixels on, so that
 * all four are neighbours. */
template <bool FOURS> DEVICE const uint32_t *words_across(const uint32_t *rows)
{
    const int lane = tile_mma_lane();
    const int pixel = FOURS ? lane / 4 / 2 * 4 + lane / 4 % 2 : lane / 4;
    return pointer_of_lane(rows + 8 * pixel + lane % 4);
}

/* Up-samples across and returns right operands for two squares. */
template <bool FOURS>
DEVICE void upsample_across(const uint32_t (&z)[MMA_COLORS][4], const uint32_t *words,
                            uint2 (&across)[MMA_COLORS][2])
{
    const int words_on = 8 * (FOURS ? 2 : 8);
#pragma unroll
    for (int p = 0; p < 2; p++) {
        const uint32_t upper = __ldg(words + words_on * p);
        const uint32_t lower = __ldg(words + words_on * p + 4);
#pragma unroll
        for (int c = 0; c < MMA_COLORS; c++) {
            mma_halves x;
            mma_begin_halves(x, z[c], upper, lower, make_uint2(0, 0));
            across[c][p] = make_uint2(mma_transposed(x.x), mma_transposed(x.y));
        }
    }
}

/* An mma makes 16 of a warp's rows, or columns: of 24 the second 16 begin at 8, and the shared ones
 * are made twice, with the same result, and written once. Warps with fewer skip the last, as do
 * those at the picture's lower border. */
#define MMA_DOWNS 3

DEVICE int first_of_sixteen(int i, int side_px)
{
    return min(16 * i, side_px - 16);
}

/* Returns whether so many rows or columns from `first` on have been written with the sixteens
 * before number i. */
DEVICE bool are_written(int i, int first, int count)
{
    return first + count <= 16 * i;
}

/* The spline's weights of the rows. */
struct spline_downs {
    uint32_t of[MMA_DOWNS][4];

    MEMBER void load(const uint32_t *rows, int side_px)
    {
        const int lane = tile_mma_lane();
        const uint32_t *first = rows + 8 * (lane / 4) + lane % 4;
#pragma unroll
        for (int q = 0; q < MMA_DOWNS; q++) {
            const uint32_t *row = pointer_of_lane(first + 8 * first_of_sixteen(q, side_px));
            of[q][0] = __ldg(row);
            of[q][1] = __ldg(row + 64);
            of[q][2] = __ldg(row + 4);
            of[q][3] = __ldg(row + 68);
        }
    }
};

/* Up-samples down: sixteen rows of two squares. `samples`: [rows, rows 8 on][squares]. */
template <bool LIGHT>
DEVICE void upsample_down(const tile_mma_levels &levels, const uint32_t (&down)[4],
                          const uint2 (&across)[MMA_COLORS][2],
                          uint32_t (&samples)[2][2][MMA_COLORS])
{
#pragma unroll
    for (int p = 0; p < 2; p++) {
#pragma unroll
        for (int c = 0; c < MMA_COLORS; c++) {
            mma_halves two;
            mma_begin_halves(two, down, across[c][p].x, across[c][p].y,
                             start_of_pixels<LIGHT>(levels, c));
            samples[0][p][c] = two.x;
            samples[1][p][c] = two.y;
        }
    }
}

/* Writes rows number q of sixteen and of two squares, whose first pixel is (x, y). */
template <bool PLAIN, bool LIGHT, bool OPAQUE, enum fovea_format FORMAT, typename Image>
DEVICE void write_sixteen_rows(const tile_mma_writer<FORMAT, Image> &writer,
                               const tile_mma_levels &levels,
                               const uint32_t (&samples)[2][2][MMA_COLORS],
                               const uint32_t (&alphas)[2][2], int q, int x, int y, bool written)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (written || are_written(q, y + 8 * i, 8)) {
            continue;
        }
        const uint2 a = words_of_two<LIGHT, OPAQUE>(levels, samples[i][0], alphas[i][0]);
        const uint2 b = words_of_two<LIGHT, OPAQUE>(levels, samples[i][1], alphas[i][1]);
        writer.template write<PLAIN>(x, y + 8 * i, {{a.x, a.y, b.x, b.y}});
    }
}

/* Writes a warp's pixels. One piece of code serves all pairs of squares: three copies would be
 * fetched anew by every warp. ASKS loads alphas; opaque pixels do without those instructions.
 * `first_*` is the spline's row of the warp's first pixel, along either axis. */
template <bool PLAIN, bool LIGHT, bool ASKS, enum fovea_format FORMAT, typename Image>
DEVICE void write_pairs(const tile_mma_writer<FORMAT, Image> &writer, const tile_mma_levels &levels,
                        const uint32_t (&z)[MMA_COLORS][4], const uint32_t *first_across,
                        const uint32_t *first_down, int side_px)
{
    const int rows_px = PLAIN ? writer.rows : side_px;
    tile_mma_alphas<FORMAT, Image> next;
    if (ASKS) {
        next.issue_loads(writer, 0, 0);
    }
    const uint32_t *words = words_across<true>(first_across);
    spline_downs down;
    down.load(first_down, rows_px);
#pragma unroll 1
    for (int p = 0; 16 * p < side_px; p++) {
        const int x = first_of_sixteen(p, side_px);
        const bool written = are_written(p, x + tile_mma_lane() % 4 * writer.count, writer.count);
        uint2 across[MMA_COLORS][2];
        upsample_across<true>(z, words + 8 * x, across);
#pragma unroll
        for (int q = 0; q < MMA_DOWNS; q++) {
            if (q > 0 && 16 * q >= writer.rows) {
                break;
            }
            uint32_t samples[2][2][MMA_COLORS];
            upsample_down<LIGHT>(levels, down.of[q], across, samples);
            uint32_t alphas[2][2] = {};
            if (ASKS) {
                /* The last alphas are loaded twice. */
                const bool turns = 16 * (q + 1) >= rows_px;
                next.take(alphas);
                next.issue_loads(writer, turns ? first_of_sixteen(p + 1, side_px) : x,
                                 turns ? 0 : first_of_sixteen(q + 1, rows_px));
            }
            write_sixteen_rows<PLAIN, LIGHT, !ASKS>(writer, levels, samples, alphas, q, x,
                                                    first_of_sixteen(q, rows_px), written);
        }
    }
}

template <bool PLAIN, bool LIGHT, enum fovea_format FORMAT, typename Image>
DEVICE void write_upsampled(const tile_mma_writer<FORMAT, Image> &writer,
                            const tile_mma_levels &levels, const uint32_t (&z)[MMA_COLORS][4],
                            const uint32_t *first_across, const uint32_t *first_down, int side_px)
{
    if (PLAIN && !writer.opaque) {
        write_pairs<PLAIN, LIGHT, PLAIN>(writer, levels, z, first_across, first_down, side_px);
    } else {
        write_pairs<PLAIN, LIGHT, false>(writer, levels, z, first_across, first_down, side_px);
    }
}

/* ---- Half floats, which keep their alpha */

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
    MEMBER tile_mma_float_writer(const tile_work<FOVEA_FORMAT_RGBA16F, Image> &tile, int side,
                                 int x, int y)
        : work(tile), side_px(side), rows(min(side, tile.frame.height_px - y)),
          x0(x + tile_mma_lane() % 4 * count), y0(y + tile_mma_lane() / 4),
          plain(x + side <= tile.frame.width_px && rows >= 16 && has_runs(tile.dst, count) &&
                has_runs(tile.src, count) && is_near(tile.dst) && is_near(tile.src)),
          to(run_at(tile.dst, x0, y0)), from(run_at(tile.src, x0, y0))
    {
    }

    MEMBER void issue_loads(int x, int q, int i)
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
    MEMBER void issue_first_loads()
    {
#pragma unroll
        for (int q = 0; q < MMA_DOWNS; q++) {
            if (plain && 16 * q < rows) {
                issue_loads(0, q, 0);
                issue_loads(0, q, 1);
            }
        }
    }

    template <bool PLAIN>
    MEMBER void write(int x, int q, int i, int square, const two &colors) const
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
DEVICE uint4 floats_of_two(const tile_mma_levels &levels, const uint32_t (&of)[MMA_COLORS])
{
    const uint32_t red = bits_of(__hadd2(half2_of(of[0]), levels.zero[0]));
    const uint32_t green = bits_of(__hadd2(half2_of(of[1]), levels.zero[1]));
    const uint32_t blue = bits_of(__hadd2(half2_of(of[2]), levels.zero[2]));
    return make_uint4(__byte_perm(red, green, 0x5410), blue & 0xffffu,
                      __byte_perm(red, green, 0x7632), blue >> 16);
}

/* Writes a warp's outputs where they are pixels. Those of bit n of `copied`, output n of the lane,
 * are the picture's: relative to a base they were rounded. */
template <typename Image>
DEVICE void write_outputs(const tile_mma_float_writer<Image> &writer, const tile_mma_levels &levels,
                          const uint32_t (&z)[MMA_COLORS][4], uint32_t copied)
{
    const gauss_frame &frame = writer.work.frame;
    tile_words<uint2, 4> own[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        own[k] = load_own(writer.work, writer.x0 + k / 2 * writer.apart_px,
                          min(writer.y0 + k % 2 * 8, frame.height_px - 1));
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int x = writer.x0 + k / 2 * writer.apart_px;
        const int y = writer.y0 + k % 2 * 8;
        const uint32_t of[MMA_COLORS] = {z[0][k], z[1][k], z[2][k]};
        const uint4 both = floats_of_two(levels, of);
        tile_words<uint2, 2> words = {{make_uint2(both.x, both.y), make_uint2(both.z, both.w)}};
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const bool copies = copied >> (2 * k + n) & 1u;
            words.of[n] = copies
                              ? own[k].of[n]
                              : pixel<FOVEA_FORMAT_RGBA16F>::keep_alpha(words.of[n], own[k].of[n]);
        }
        if (x < frame.width_px && y < frame.height_px) {
            store_run<2>(writer.work.dst, has_runs(writer.work.dst, 2), x, y, frame.width_px,
                         words);
        }
    }
}

/* Writes a warp's pixels, as write_upsampled does for bytes. */
template <bool PLAIN, typename Image>
DEVICE void write_floats(tile_mma_float_writer<Image> &writer, const tile_mma_levels &levels,
                         const uint32_t (&z)[MMA_COLORS][4], const uint32_t *first_across,
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
