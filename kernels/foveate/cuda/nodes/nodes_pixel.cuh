/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels as samples of level 0, in pairs, and back: stored values around the middle of their range, which is exact
 * for bytes, or linear light from 0 to 1. */
#ifndef FOVEA_KERNELS_FOVEATE_NODES_PIXEL_CUH
#define FOVEA_KERNELS_FOVEATE_NODES_PIXEL_CUH

#include "foveate/cuda/nodes/nodes_product.cuh"
#include "foveate/foveate_image.cuh"
#include "foveate/foveate_sample.cuh"

/* A format's alpha is of its word, or there is none. */
template <typename Pixel> struct node_format {
    static const bool has_alpha =
        Pixel::part_count * sizeof(typename Pixel::part) == sizeof(typename Pixel::word);
};

template <typename Pixel>
static __device__ __forceinline__ float4 sample_of_word(typename Pixel::word word, int light)
{
    const float4 levels = Pixel::decode(word);
    const float4 v = light ? levels_to_light<Pixel>(levels) : levels;
    const float4 middle = sample_middle<Pixel>(light);
    return make_float4(v.x - middle.x, v.y - middle.y, v.z - middle.z, v.w - middle.w);
}

template <typename Pixel>
static __device__ __forceinline__ typename Pixel::word word_of_sample(float4 v, int light)
{
    const float4 middle = sample_middle<Pixel>(light);
    const float4 moved =
        make_float4(v.x + middle.x, v.y + middle.y, v.z + middle.z, v.w + middle.w);
    return Pixel::encode(light ? light_to_levels<Pixel>(moved) : moved);
}

/* The light of bytes, as halves: a block works it out once. */
const int NODES_LIGHTS = 256;

template <typename Pixel>
static __device__ __forceinline__ void fill_lights(const foveate_frame &frame, uint16_t *lights)
{
    if (Pixel::white == 255 && frame.light) {
        for (int i = (int)threadIdx.x; i < NODES_LIGHTS; i += (int)blockDim.x) {
            lights[i] =
                __half_as_ushort(__float2half_rn(srgb_to_light((float)i * (1.0f / 255.0f))));
        }
    }
    __syncthreads();
}

template <typename Pixel, typename Pair>
static __device__ __forceinline__ Pair pair_of_words(int light, const uint16_t *lights,
                                                     typename Pixel::word first,
                                                     typename Pixel::word second)
{
    uint32_t words[4] = {};
    if constexpr (Pixel::white == 255) {
        if (light) {
#pragma unroll
            for (int c = 0; c < Pixel::colors; c++) {
                words[c] = lights[first >> 8 * c & 255u] | (uint32_t)lights[second >> 8 * c & 255u]
                                                               << 16;
            }
            words[3] = mma_rounded((float)(first >> 24) - 127.5f, (float)(second >> 24) - 127.5f);
            return Pair::make(words);
        }
    }
    const float4 a = sample_of_word<Pixel>(first, light);
    const float4 b = sample_of_word<Pixel>(second, light);
    words[0] = mma_rounded(a.x, b.x);
    words[1] = mma_rounded(a.y, b.y);
    words[2] = mma_rounded(a.z, b.z);
    words[3] = mma_rounded(a.w, b.w);
    return Pair::make(words);
}

/* Pixels (x, y) and (x + 1, y), or the nearest ones that there are. */
template <typename Pixel, typename Pair, typename Image>
static __device__ __forceinline__ Pair pair_of_pixels(const foveate_frame &frame,
                                                      const uint16_t *lights, const Image &src,
                                                      int x, int y)
{
    const int row = min(max(y, 0), frame.height_px - 1);
    const int last = frame.width_px - 1;
    return pair_of_words<Pixel, Pair>(frame.light, lights, src.load(min(max(x, 0), last), row),
                                      src.load(min(max(x + 1, 0), last), row));
}

#endif
