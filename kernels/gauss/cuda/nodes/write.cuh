/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Converts a tile's sums to pixels and writes them, four neighbours at once if memory allows it. */
#pragma once

#include "kernels/cuda/ptx.cuh"
#include "kernels/gauss/cuda/common/gaussian.cuh"
#include "pixel.cuh"
#include "sigma.cuh"

/* ---- Words */

/* Encodes floats that are finite and stay so. */
DEVICE uint32_t finite_halves(float first, float second)
{
    const float most = 65504.0f;
    return mma_rounded(fminf(fmaxf(first, -most), most), fminf(fmaxf(second, -most), most));
}
template <typename Pixel> DEVICE typename Pixel::word word_of_floats(float4 v)
{
    if constexpr (sizeof(typename Pixel::word) == sizeof(uint2)) {
        return make_uint2(finite_halves(v.x, v.y), finite_halves(v.z, v.w));
    } else {
        return Pixel::encode(v);
    }
}

/* Returns a sum as a fraction of white, from 0 to 1. */
template <typename Pixel, int CHANNELS>
DEVICE void share_sums(int light, float (&sums)[CHANNELS][NODES_PIXELS])
{
    const int colours = CHANNELS < 3 ? CHANNELS : 3;
    const float zero = node_middle<Pixel>(0, IMAGE_LIGHT_STORED) / Pixel::white;
    const float clear = node_middle<Pixel>(3, IMAGE_LIGHT_STORED) / Pixel::alpha_white;
    if (light) {
#pragma unroll
        for (int i = 0; i < colours * NODES_PIXELS; i++) {
            float &sum = sums[i / NODES_PIXELS][i % NODES_PIXELS];
            sum = __saturatef(light_to_srgb(sum));
        }
    } else {
#pragma unroll
        for (int i = 0; i < colours * NODES_PIXELS; i++) {
            float &sum = sums[i / NODES_PIXELS][i % NODES_PIXELS];
            sum = __saturatef(fmaf(sum, 1.0f / Pixel::white, zero));
        }
    }
#pragma unroll
    for (int i = 0; i < (CHANNELS == 4 ? NODES_PIXELS : 0); i++) {
        float &sum = sums[CHANNELS - 1][i];
        sum = __saturatef(fmaf(sum, 1.0f / Pixel::alpha_white, clear));
    }
}

/* Returns it as a level; added to 2^23 it is rounded and stands in the low bits. */
DEVICE uint32_t level_of_share(float share, int white)
{
    return (uint32_t)(__float_as_int(fmaf(share, (float)white, NODES_WHOLE)) -
                      __float_as_int(NODES_WHOLE));
}

/* Encodes a lane's pixels from fractions of white. */
template <typename Pixel, int CHANNELS>
DEVICE void words_of_shares(const float (&shares)[CHANNELS][NODES_PIXELS],
                            uint32_t (&words)[NODES_PIXELS])
{
    const int bits = Pixel::white == 255 ? 8 : 10;
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        words[i] = 0;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            words[i] += level_of_share(shares[c][i], c == 3 ? Pixel::alpha_white : Pixel::white)
                        << bits * c;
        }
    }
}

template <typename Pixel, int CHANNELS>
DEVICE void words_of_sums(int light, float (&sums)[CHANNELS][NODES_PIXELS],
                          typename Pixel::word (&words)[NODES_PIXELS])
{
    if constexpr (Pixel::white > 0) {
        share_sums<Pixel>(light, sums);
        words_of_shares<Pixel>(sums, words);
    } else {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            words[i] = word_of_floats<Pixel>(colour_of(sums, i));
        }
    }
}

/* Rounds two sums to levels of 8 bits, which stand in the low bytes of the halves from 1024 on. */
DEVICE uint32_t levels_of_halves(__half2 sums)
{
    const __half2 least = __float2half2_rn(1024.0f);
    const __half2 most = __float2half2_rn(1024.0f + 255.0f);
    const __half2 biased = __hadd2(sums, __float2half2_rn(1024.0f + 128.0f));
    return bits_of(__hmin2(__hmax2(biased, least), most));
}

/* The same for sums in halves, of formats of 8 bits. */
template <typename Pixel, int CHANNELS>
DEVICE void words_of_sums(int light, const __half2 (&sums)[CHANNELS][NODES_PIXELS / 2],
                          uint32_t (&words)[NODES_PIXELS])
{
    if (light) {
        float values[CHANNELS][NODES_PIXELS];
#pragma unroll
        for (int i = 0; i < CHANNELS * NODES_PIXELS; i += 2) {
            const float2 two = __half22float2(sums[i / NODES_PIXELS][i % NODES_PIXELS / 2]);
            values[i / NODES_PIXELS][i % NODES_PIXELS] = two.x;
            values[i / NODES_PIXELS][i % NODES_PIXELS + 1] = two.y;
        }
        words_of_sums<Pixel>(light, values, words);
        return;
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i += 2) {
        uint32_t levels[4];
#pragma unroll
        for (int c = 0; c < 4; c++) {
            levels[c] = levels_of_halves(sums[c < CHANNELS ? c : 0][i / 2]);
        }
        if (CHANNELS == 1) {
            words[i] = levels[0] & 255u;
            words[i + 1] = levels[0] >> 16 & 255u;
            continue;
        }
        const uint32_t first = __byte_perm(levels[0], levels[1], 0x6240);
        const uint32_t second = __byte_perm(levels[2], levels[3], 0x6240);
        words[i] = __byte_perm(first, second, 0x5410);
        words[i + 1] = __byte_perm(first, second, 0x7632);
    }
}

/* ---- Memory */

/* The words of a lane's row r, from left to right. */
template <typename Word>
DEVICE tile_words<Word, 4> words_of_row(const Word (&words)[NODES_PIXELS], int r)
{
    return {{words[2 * r], words[2 * r + 1], words[4 + 2 * r], words[5 + 2 * r]}};
}

/* Copied pixels, and alpha that is kept, come from the source; a lane whose pixels lie beyond the
 * picture reads its nearest ones. */
template <typename Pixel, int CHANNELS, typename Image>
DEVICE void keep_sources(const gauss_frame &frame, const Image &src, const node_tile &tile,
                         const node_places &places, typename Pixel::word (&words)[NODES_PIXELS])
{
    const bool keeps_alpha = CHANNELS == 3 && Pixel::channels == 4;
    if (!keeps_alpha && places.lowest > 0.0f) {
        return;
    }
    const clamped_image<Image> clamped = {src, frame.width_px - 1, frame.height_px - 1};
    const bool runs = has_runs(src, 4) && tile.column(0) + 4 <= frame.width_px;
    tile_words<typename Pixel::word, 4> sources[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        sources[r] =
            load_four(clamped, runs, tile.column(0), min(tile.row(2 * r), frame.height_px - 1));
    }
#pragma unroll
    for (int i = 0; keeps_alpha && i < NODES_PIXELS; i++) {
        words[i] = Pixel::keep_alpha(words[i], sources[i / 2 % 2].of[i / 4 * 2 + i % 2]);
    }
    if (places.lowest > 0.0f) {
        return;
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        const bool copied = (places.copied >> i & 1u) != 0;
        words[i] = copied ? sources[i / 2 % 2].of[i / 4 * 2 + i % 2] : words[i];
    }
}

template <typename Pixel, typename Image>
DEVICE void store_tile(const gauss_frame &frame, const Image &dst, const node_tile &tile,
                       const typename Pixel::word (&words)[NODES_PIXELS])
{
    const bool runs = has_runs(dst, 4);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (tile.row(2 * r) < frame.height_px) {
            store_run(dst, runs, tile.column(0), tile.row(2 * r), frame.width_px,
                      words_of_row(words, r));
        }
    }
}

/* Does the same for one or three bytes a pixel without gaps, by words where they are aligned. */
template <typename Pixel>
DEVICE void store_bytes(const gauss_frame &frame, const linear_image<Pixel> &dst,
                        const node_tile &tile, const uint32_t (&words)[NODES_PIXELS])
{
    const int x = tile.column(0);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int y = tile.row(2 * r);
        uint32_t *to = (uint32_t *)dst.at(x, y);
        const tile_words<uint32_t, 4> four = words_of_row(words, r);
        const auto &row = four.of;
        if (y >= frame.height_px) {
            continue;
        }
        if (x + 4 > frame.width_px || ((uint64_t)to & 3) != 0) {
            store_run(dst, false, x, y, frame.width_px, words_of_row(words, r));
        } else if (Pixel::part_count == 1) {
            to[0] = __byte_perm(__byte_perm(row[0], row[1], 0x40),
                                __byte_perm(row[2], row[3], 0x40), 0x5410);
        } else {
            to[0] = __byte_perm(row[0], row[1], 0x4210);
            to[1] = __byte_perm(row[1], row[2], 0x5421);
            to[2] = __byte_perm(row[2], row[3], 0x6542);
        }
    }
}

/* ---- The tile */

template <typename Pixel, int CHANNELS, typename Image, typename Sums>
DEVICE void write_tile(const gauss_frame &frame, const Image &src, const Image &dst,
                       const node_tile &tile, const node_places &places, Sums &sums)
{
    typename Pixel::word words[NODES_PIXELS];
    words_of_sums<Pixel, CHANNELS>(frame.light, sums, words);
    keep_sources<Pixel, CHANNELS>(frame, src, tile, places, words);
    if constexpr (!linear_image<Pixel>::has_whole && Pixel::white > 0) {
        if (dst.view.pixel_stride_bytes == Pixel::part_count) {
            store_bytes<Pixel>(frame, dst, tile, words);
            return;
        }
    }
    store_tile<Pixel>(frame, dst, tile, words);
}

/* ---- Pixels one by one: if a tile of floats has a value that is not finite, each of its pixels is
 * summed from its own samples; a node would spread the value over all of the tile */

template <typename Pixel, typename Plan, typename Levels, typename Image>
static __device__ __noinline__ void sum_tile(const gauss_frame &frame, const Plan &plan,
                                             const Levels &levels, int light, const Image &src,
                                             const Image &dst, const node_tile &tile)
{
#pragma unroll 1
    for (int i = 0; i < NODES_PIXELS; i++) {
        const int x = tile.column(i);
        const int y = tile.row(i);
        if (x >= frame.width_px || y >= frame.height_px) {
            continue;
        }
        const float sigma_px = sigma_of_pixel(frame, plan, x, y);
        typename Pixel::word word = src.load(x, y);
        /* A Gaussian without neighbours in its support is a copy. */
        if (sigma_px * gauss_light_reach(light) >= 1.0f) {
            const typename Pixel::word colour =
                Pixel::encode(sum_pixel(levels, plan.level_count, light, sigma_px, x, y));
            word = frame.blur_alpha > 0 ? colour : Pixel::keep_alpha(colour, word);
        }
        dst.store(x, y, word);
    }
}
