/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tile's sums as pixels, and how they go out: two neighbours at once where memory allows it. */
#ifndef FOVEA_KERNELS_FOVEATE_NODES_WRITE_CUH
#define FOVEA_KERNELS_FOVEATE_NODES_WRITE_CUH

#include "sigma.cuh"

/* ---- Words */

/* What sums are of white, from 0 to 1. */
template <typename Pixel, int CHANNELS>
static __device__ __forceinline__ void share_sums(int light, float (&sums)[CHANNELS][NODES_PIXELS])
{
    const float zero = node_middle<Pixel>(0, FOVEATE_LIGHT_STORED) / Pixel::white;
    const float clear = node_middle<Pixel>(3, FOVEATE_LIGHT_STORED) / Pixel::alpha_white;
    if (light) {
#pragma unroll
        for (int i = 0; i < Pixel::colors * NODES_PIXELS; i++) {
            float &sum = sums[i / NODES_PIXELS][i % NODES_PIXELS];
            sum = __saturatef(light_to_srgb(sum));
        }
    } else {
#pragma unroll
        for (int i = 0; i < Pixel::colors * NODES_PIXELS; i++) {
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

/* As a level; added to 2^23 it is rounded and stands in the low bits. */
static __device__ __forceinline__ uint32_t level_of_share(float share, int white)
{
    return (uint32_t)(__float_as_int(fmaf(share, (float)white, NODES_WHOLE)) -
                      __float_as_int(NODES_WHOLE));
}

/* A lane's pixels as the format has them, from shares. */
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

/* ---- Memory */

/* A lane's words of two rows without gaps, the tile wholly inside the picture. */
struct node_rows {
    char *rows[2];
    bool in_pairs;

    template <typename Pixel>
    static __device__ __forceinline__ bool are_in(const linear_image<Pixel> &image)
    {
        return linear_image<Pixel>::has_whole && image.view.whole_pixels &&
               image.view.pixel_stride_bytes == (int)sizeof(uint32_t);
    }
    template <typename Image>
    __device__ __forceinline__ node_rows(const Image &image, const node_tile &tile)
        : rows{image.at(tile.column(0), tile.row(0)), image.at(tile.column(2), tile.row(2))},
          in_pairs((((uint64_t)rows[0] | (uint64_t)image.view.row_stride_bytes) % 8) == 0)
    {
    }
    __device__ __forceinline__ uint32_t *pair(int i) const
    {
        return (uint32_t *)rows[i / 2 % 2] + i / 4 * 8;
    }
    __device__ __forceinline__ void load(uint32_t (&words)[NODES_PIXELS]) const
    {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i += 2) {
            if (in_pairs) {
                const uint2 both = *(const uint2 *)pair(i);
                words[i] = both.x;
                words[i + 1] = both.y;
            } else {
                words[i] = pair(i)[0];
                words[i + 1] = pair(i)[1];
            }
        }
    }
    __device__ __forceinline__ void store(const uint32_t (&words)[NODES_PIXELS]) const
    {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i += 2) {
            if (in_pairs) {
                *(uint2 *)pair(i) = make_uint2(words[i], words[i + 1]);
            } else {
                pair(i)[0] = words[i];
                pair(i)[1] = words[i + 1];
            }
        }
    }
};

static __device__ __forceinline__ bool is_whole(const foveate_frame &frame, const node_tile &tile)
{
    return tile.x + NODES_TILE <= frame.width_px && tile.y + NODES_TILE <= frame.height_px;
}

template <typename Pixel>
static __device__ __forceinline__ bool load_rows(const linear_image<Pixel> &image,
                                                 const node_tile &tile,
                                                 uint32_t (&words)[NODES_PIXELS])
{
    const bool has = node_rows::are_in(image);
    if (has) {
        node_rows(image, tile).load(words);
    }
    return has;
}

template <typename Pixel>
static __device__ __forceinline__ bool store_rows(const linear_image<Pixel> &image,
                                                  const node_tile &tile,
                                                  const uint32_t (&words)[NODES_PIXELS])
{
    const bool has = node_rows::are_in(image);
    if (has) {
        node_rows(image, tile).store(words);
    }
    return has;
}

template <typename Pixel>
static __device__ __forceinline__ bool load_rows(const surface_image<Pixel> &, const node_tile &,
                                                 uint32_t (&)[NODES_PIXELS])
{
    return false;
}

template <typename Pixel>
static __device__ __forceinline__ bool store_rows(const surface_image<Pixel> &, const node_tile &,
                                                  const uint32_t (&)[NODES_PIXELS])
{
    return false;
}

/* Where a lane's pixels lie beyond the picture, its nearest ones. */
template <typename Pixel, typename Image>
static __device__ __forceinline__ void load_tile(const foveate_frame &frame, const Image &src,
                                                 const node_tile &tile,
                                                 uint32_t (&words)[NODES_PIXELS])
{
    if (is_whole(frame, tile) && load_rows(src, tile, words)) {
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
                                                  const uint32_t (&words)[NODES_PIXELS])
{
    if (is_whole(frame, tile) && store_rows(dst, tile, words)) {
        return;
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        if (tile.column(i) < frame.width_px && tile.row(i) < frame.height_px) {
            dst.store(tile.column(i), tile.row(i), words[i]);
        }
    }
}

/* ---- Formats of one or three bytes: a tile goes out together, from shared memory */

const int NODES_ROOM_BYTES = 3 * NODES_TILE * NODES_TILE; /* of a warp */

/* BYTES a pixel, by units of UNIT: a group of lanes has a row's next 16 bytes. */
template <int BYTES, typename Unit>
static __device__ __forceinline__ void write_units(const foveate_frame &frame, char *first,
                                                   int64_t stride, const node_tile &tile,
                                                   const uint8_t *room)
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
        const uint8_t *from = room + row * (BYTES * NODES_TILE) + at;
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
                                                 uint8_t *room)
{
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i += 2) {
        uint16_t *to =
            (uint16_t *)(room +
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
                                                   uint8_t *room)
{
    const int bytes = Pixel::part_count;
    char *first = dst.at(tile.x, tile.y);
    const int64_t stride = dst.view.row_stride_bytes;
    put_bytes<bytes>(tile, words, room);
    __syncwarp();
    if (((uint64_t)first | (uint64_t)stride | (uint64_t)(bytes * frame.width_px)) % 4 == 0) {
        write_units<bytes, uint32_t>(frame, first, stride, tile, room);
    } else {
        write_units<bytes, uint8_t>(frame, first, stride, tile, room);
    }
}

/* ---- The tile */

template <typename Pixel, int CHANNELS, typename Image>
static __device__ __forceinline__ void write_tile(const foveate_frame &frame, const Image &src,
                                                  const Image &dst, const node_tile &tile,
                                                  const node_places &places,
                                                  float (&sums)[CHANNELS][NODES_PIXELS],
                                                  uint8_t *room)
{
    const bool keeps_alpha = node_format<Pixel>::has_alpha && CHANNELS < 4;
    const bool copies = places.lowest <= 0.0f;
    uint32_t words[NODES_PIXELS];
    share_sums<Pixel>(frame.light, sums);
    words_of_shares<Pixel>(sums, words);
    if (keeps_alpha || copies) {
        uint32_t sources[NODES_PIXELS];
        load_tile<Pixel>(frame, src, tile, sources);
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            const bool copied = (places.copied >> i & 1u) != 0;
            const uint32_t kept = keeps_alpha ? Pixel::keep_alpha(words[i], sources[i]) : words[i];
            words[i] = copied ? sources[i] : kept;
        }
    }
    if constexpr (!node_format<Pixel>::has_alpha) {
        if (dst.view.pixel_stride_bytes == Pixel::part_count) {
            store_bytes<Pixel>(frame, dst, tile, words, room);
            return;
        }
    }
    store_tile<Pixel>(frame, dst, tile, words);
}

#endif
