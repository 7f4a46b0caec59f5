/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Runs of neighbouring pixels of 32 bits, read and written at once where memory allows it: rows of
 * whole pixels without gaps whose runs are aligned to their size. Everything else goes by the pixel. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_IMAGE_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_IMAGE_CUH

#include "foveate_image.cuh"

/* Of runs of `count` pixels that start at multiples of it. The same for all threads. */
template <typename Pixel>
static __device__ __forceinline__ bool has_runs(const linear_image<Pixel> &image, int count)
{
    const uint64_t all = image.view.data | (uint64_t)image.view.row_stride_bytes;
    return linear_image<Pixel>::has_whole && sizeof(typename Pixel::word) == 4 &&
           image.view.whole_pixels && image.view.pixel_stride_bytes == 4 &&
           (all & (uint64_t)(4 * count - 1)) == 0;
}

template <typename Pixel>
static __device__ __forceinline__ bool has_runs(const surface_image<Pixel> &, int)
{
    return false;
}

template <typename Pixel>
static __device__ __forceinline__ char *run_at(const linear_image<Pixel> &image, int x, int y)
{
    return image.at(x, y);
}

template <typename Pixel>
static __device__ __forceinline__ char *run_at(const surface_image<Pixel> &, int, int)
{
    return nullptr; /* it has no runs */
}

/* ---- Reading. The whole run lies in the picture. */

template <typename Image>
static __device__ __forceinline__ uint2 load_two(const Image &image, bool runs, int x, int y)
{
    if (runs) {
        return __ldg((const uint2 *)run_at(image, x, y));
    }
    return make_uint2(image.load(x, y), image.load(x + 1, y));
}

template <typename Image>
static __device__ __forceinline__ uint4 load_four(const Image &image, bool runs, int x, int y)
{
    if (runs) {
        return __ldg((const uint4 *)run_at(image, x, y));
    }
    return make_uint4(image.load(x, y), image.load(x + 1, y), image.load(x + 2, y),
                      image.load(x + 3, y));
}

/* ---- The picture repeated beyond its edges */

template <typename Image> struct endless_image {
    Image image;
    int last_x;
    int last_y;

    __device__ __forceinline__ uint32_t load(int x, int y) const
    {
        return image.load(min(max(x, 0), last_x), min(max(y, 0), last_y));
    }
};

template <typename Image>
static __device__ __forceinline__ uint2 load_two(const endless_image<Image> &image, int x, int y)
{
    return make_uint2(image.load(x, y), image.load(x + 1, y));
}

template <typename Image>
static __device__ __forceinline__ uint4 load_four(const endless_image<Image> &image, int x, int y)
{
    return make_uint4(image.load(x, y), image.load(x + 1, y), image.load(x + 2, y),
                      image.load(x + 3, y));
}

/* ---- Writing, of a run what lies left of `width` */

template <typename Image, int COUNT>
static __device__ __forceinline__ void store_run(const Image &image, bool runs, int x, int y,
                                                 int width, const uint32_t (&words)[COUNT])
{
    static_assert(COUNT == 2 || COUNT == 4, "a vector's worth");
    if (runs && x + COUNT <= width) {
        if constexpr (COUNT == 4) {
            *(uint4 *)run_at(image, x, y) = make_uint4(words[0], words[1], words[2], words[3]);
        } else {
            *(uint2 *)run_at(image, x, y) = make_uint2(words[0], words[1]);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        if (x + i < width) {
            image.store(x + i, y, words[i]);
        }
    }
}

#endif
