/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Converts a tile's sums to pixels and writes them, two neighbours at once if memory allows it. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_WRITE_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_WRITE_CUH

#include "sigma.cuh"

/* ---- Words */

/* Encodes floats that are finite and stay so. */
static __device__ __forceinline__ uint32_t finite_halves(float first, float second)
{
    const float most = 65504.0f;
    return mma_rounded(fminf(fmaxf(first, -most), most), fminf(fmaxf(second, -most), most));
}
template <typename Pixel>
static __device__ __forceinline__ typename Pixel::word word_of_floats(float4 v)
{
    if constexpr (sizeof(typename Pixel::word) == sizeof(uint2)) {
        return make_uint2(finite_halves(v.x, v.y), finite_halves(v.z, v.w));
    } else {
        return Pixel::encode(v);
    }
}

/* Returns a sum as a fraction of white, from 0 to 1. */
template <typename Pixel, int CHANNELS>
static __device__ __forceinline__ void share_sums(int light, float (&sums)[CHANNELS][NODES_PIXELS])
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
static __device__ __forceinline__ uint32_t level_of_share(float share, int white)
{
    return (uint32_t)(__float_as_int(fmaf(share, (float)white, NODES_WHOLE)) -
                      __float_as_int(NODES_WHOLE));
}

/* Encodes a lane's pixels from fractions of white. */
template <typename Pixel, int CHANNELS>
static __device__ __forceinline__ void words_of_shares(
    const float (&shares)[CHANNELS][NODES_PIXELS], uint32_t (&words)[NODES_PIXELS])
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
static __device__ __forceinline__ void words_of_sums(int light,
                                                     float (&sums)[CHANNELS][NODES_PIXELS],
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

/* ---- Memory */

/* Stores two neighbours at once. */
static __device__ __forceinline__ void copy_two(const uint32_t *from, uint32_t *to)
{
    *(uint2 *)to = *(const uint2 *)from;
}
static __device__ __forceinline__ void copy_two(const uint2 *from, uint2 *to)
{
    *(uint4 *)to = *(const uint4 *)from;
}
static __device__ __forceinline__ void copy_two(const uint4 *from, uint4 *to)
{
    to[0] = from[0];
    to[1] = from[1];
}

/* Reads and stores a lane's words of two rows without gaps, if the tile lies wholly inside such a
 * picture. */
template <typename Image> struct node_rows;
template <typename Pixel> struct node_rows<linear_image<Pixel>> {
    typedef typename Pixel::word Word;

    char *rows[2];
    bool are_there;
    bool in_pairs;

    __device__ __forceinline__ node_rows(const foveate_frame &frame,
                                         const linear_image<Pixel> &image, const node_tile &tile)
        : rows{image.at(tile.column(0), tile.row(0)), image.at(tile.column(2), tile.row(2))},
          are_there(linear_image<Pixel>::has_whole && image.view.whole_pixels &&
                    image.view.pixel_stride_bytes == (int)sizeof(Word) &&
                    tile.x + NODES_TILE <= frame.width_px &&
                    tile.y + NODES_TILE <= frame.height_px),
          in_pairs((((uint64_t)rows[0] | (uint64_t)image.view.row_stride_bytes) %
                    (2 * sizeof(Word))) == 0)
    {
    }
    /* Words i and i + 1; i is even. */
    __device__ __forceinline__ void read(int i, Word *to) const
    {
        copy(pair(i), to);
    }
    __device__ __forceinline__ void store(int i, const Word *from) const
    {
        copy(from, pair(i));
    }

  private:
    __device__ __forceinline__ Word *pair(int i) const
    {
        return (Word *)rows[i / 2 % 2] + i / 4 * 8;
    }
    __device__ __forceinline__ void copy(const Word *from, Word *to) const
    {
        if (in_pairs) {
            copy_two(from, to);
        } else {
            to[0] = from[0];
            to[1] = from[1];
        }
    }
};
template <typename Pixel> struct node_rows<surface_image<Pixel>> {
    typedef typename Pixel::word Word;

    const surface_image<Pixel> &image;
    const node_tile &tile;
    bool are_there;

    __device__ __forceinline__ node_rows(const foveate_frame &frame, const surface_image<Pixel> &of,
                                         const node_tile &from)
        : image(of), tile(from),
          are_there(has_runs(of, 2) && from.x + NODES_TILE <= frame.width_px &&
                    from.y + NODES_TILE <= frame.height_px)
    {
    }
    __device__ __forceinline__ void read(int i, Word *to) const
    {
        const tile_words<Word, 2> two =
            read_run<Word, 2>(run_at(image, tile.column(i), tile.row(i)));
        to[0] = two.of[0];
        to[1] = two.of[1];
    }
    __device__ __forceinline__ void store(int i, const Word *from) const
    {
        write_run_at(run_at(image, tile.column(i), tile.row(i)),
                     tile_words<Word, 2>{{from[0], from[1]}});
    }
};

/* A lane whose pixels lie beyond the picture reads its nearest ones. */
template <typename Pixel, typename Image>
static __device__ __forceinline__ void load_tile(const foveate_frame &frame, const Image &src,
                                                 const node_tile &tile,
                                                 typename Pixel::word (&words)[NODES_PIXELS])
{
    const node_rows<Image> rows(frame, src, tile);
    if (rows.are_there) {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i += 2) {
            rows.read(i, words + i);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        words[i] = src.load(min(tile.column(i), frame.width_px - 1),
                            min(tile.row(i), frame.height_px - 1));
    }
}

template <typename Pixel, typename Image>
static __device__ __forceinline__ void store_tile(const foveate_frame &frame, const Image &dst,
                                                  const node_tile &tile,
                                                  const typename Pixel::word (&words)[NODES_PIXELS])
{
    const node_rows<Image> rows(frame, dst, tile);
    if (rows.are_there) {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i += 2) {
            rows.store(i, words + i);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        if (tile.column(i) < frame.width_px && tile.row(i) < frame.height_px) {
            dst.store(tile.column(i), tile.row(i), words[i]);
        }
    }
}

/* Copied pixels, and alpha that is kept, come from the source. */
template <typename Pixel, int CHANNELS, typename Image>
static __device__ __forceinline__ void keep_sources(const foveate_frame &frame, const Image &src,
                                                    const node_tile &tile,
                                                    const node_places &places,
                                                    typename Pixel::word (&words)[NODES_PIXELS])
{
    const bool keeps_alpha = CHANNELS == 3 && Pixel::channels == 4;
    if (!keeps_alpha && places.lowest > 0.0f) {
        return;
    }
    typename Pixel::word sources[NODES_PIXELS];
    load_tile<Pixel>(frame, src, tile, sources);
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        const bool copied = (places.copied >> i & 1u) != 0;
        const typename Pixel::word kept =
            keeps_alpha ? Pixel::keep_alpha(words[i], sources[i]) : words[i];
        words[i] = copied ? sources[i] : kept;
    }
}

/* ---- Formats of one or three bytes: a tile goes out by way of shared memory */

const int NODES_SCRATCH_BYTES = 3 * NODES_TILE * NODES_TILE; /* for a warp */

/* Writes BYTES a pixel by units of UNIT: a group of lanes has a row's next 16 bytes. */
template <int BYTES, typename Unit>
static __device__ __forceinline__ void write_units(const foveate_frame &frame, char *first,
                                                   int64_t stride, const node_tile &tile,
                                                   const uint8_t *scratch)
{
    const int size = (int)sizeof(Unit);
    const int lanes = 16 / size;
    const int rows_at_once = 32 / lanes;
    const int lane = (int)threadIdx.x % 32;
    const int at = lane % lanes * size;
    const int row_bytes = BYTES * (frame.width_px - tile.x);
    int row = lane / lanes;
    first += row * stride + at;
#pragma unroll
    for (int i = 0; i < NODES_TILE / rows_at_once; i++) {
        const uint8_t *from = scratch + row * (BYTES * NODES_TILE) + at;
#pragma unroll
        for (int k = 0; k < BYTES; k++) {
            if (tile.y + row < frame.height_px && at + 16 * k < row_bytes) {
                *(Unit *)(first + 16 * k) = *(const Unit *)(from + 16 * k);
            }
        }
        first += rows_at_once * stride;
        row += rows_at_once;
    }
}

template <int BYTES>
static __device__ __forceinline__ void put_bytes(const node_tile &tile,
                                                 const uint32_t (&words)[NODES_PIXELS],
                                                 uint8_t *scratch)
{
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i += 2) {
        uint16_t *to =
            (uint16_t *)(scratch +
                         (NODES_TILE * (tile.row(i) - tile.y) + tile.column(i) - tile.x) * BYTES);
        const uint32_t first = words[i];
        const uint32_t second = words[i + 1];
        if (BYTES == 1) {
            to[0] = (uint16_t)__byte_perm(first, second, 0x40);
        } else {
            to[0] = (uint16_t)first;
            to[1] = (uint16_t)__byte_perm(first, second, 0x42);
            to[2] = (uint16_t)(second >> 8);
        }
    }
}

template <typename Pixel>
static __device__ __forceinline__ void store_bytes(const foveate_frame &frame,
                                                   const linear_image<Pixel> &dst,
                                                   const node_tile &tile,
                                                   const uint32_t (&words)[NODES_PIXELS],
                                                   uint8_t *scratch)
{
    const int bytes = Pixel::part_count;
    char *first = dst.at(tile.x, tile.y);
    const int64_t stride = dst.view.row_stride_bytes;
    put_bytes<bytes>(tile, words, scratch);
    __syncwarp();
    if (((uint64_t)first | (uint64_t)stride | (uint64_t)(bytes * frame.width_px)) % 4 == 0) {
        write_units<bytes, uint32_t>(frame, first, stride, tile, scratch);
    } else {
        write_units<bytes, uint8_t>(frame, first, stride, tile, scratch);
    }
}

/* ---- The tile */

template <typename Pixel, int CHANNELS, typename Image>
static __device__ __forceinline__ void write_tile(const foveate_frame &frame, const Image &src,
                                                  const Image &dst, const node_tile &tile,
                                                  const node_places &places,
                                                  float (&sums)[CHANNELS][NODES_PIXELS],
                                                  uint8_t *scratch)
{
    typename Pixel::word words[NODES_PIXELS];
    words_of_sums<Pixel>(frame.light, sums, words);
    keep_sources<Pixel, CHANNELS>(frame, src, tile, places, words);
    if constexpr (!linear_image<Pixel>::has_whole && Pixel::white > 0) {
        if (dst.view.pixel_stride_bytes == Pixel::part_count) {
            store_bytes<Pixel>(frame, dst, tile, words, scratch);
            return;
        }
    }
    store_tile<Pixel>(frame, dst, tile, words);
}

#endif
