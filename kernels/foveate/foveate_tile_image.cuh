/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Runs of neighbouring pixels of 32 bits, read and written at once where memory allows it: rows of
 * whole pixels without gaps whose runs are aligned to their size. Everything else goes by the pixel.
 *
 * What decides is asked once for a run, and what is rare is a loop: unrolled around every pixel, the
 * branches would take more instructions than the blur. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_IMAGE_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_IMAGE_CUH

#include "foveate_image.cuh"

/* ---- What an image can do. The same for all threads. */

/* Runs of `count` pixels that start at multiples of it. */
template <typename Pixel>
static __device__ __forceinline__ bool has_runs(const linear_image<Pixel> &image, int count)
{
    const uint64_t all = image.view.data | (uint64_t)image.view.row_stride_bytes;
    return linear_image<Pixel>::has_whole && image.view.whole_pixels &&
           image.view.pixel_stride_bytes == 4 && (all & (uint64_t)(4 * count - 1)) == 0;
}

template <typename Pixel>
static __device__ __forceinline__ bool has_runs(const surface_image<Pixel> &, int)
{
    return false;
}

/* Every pixel is read in one way that is known here: whole, or in parts because the format has no whole
 * ones, or through a surface. */
template <typename Pixel>
static __device__ __forceinline__ bool is_plain(const linear_image<Pixel> &image)
{
    return !linear_image<Pixel>::has_whole || image.view.whole_pixels;
}

template <typename Pixel>
static __device__ __forceinline__ bool is_plain(const surface_image<Pixel> &)
{
    return true;
}

template <typename Pixel>
static __device__ __forceinline__ uint32_t load_plain(const linear_image<Pixel> &image, int x,
                                                      int y)
{
    if constexpr (linear_image<Pixel>::has_whole) {
        return __ldg((const uint32_t *)image.at(x, y));
    } else {
        return image.load(x, y);
    }
}

template <typename Pixel>
static __device__ __forceinline__ uint32_t load_plain(const surface_image<Pixel> &image, int x,
                                                      int y)
{
    return image.load(x, y);
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

template <typename Pixel>
static __device__ __forceinline__ int64_t row_bytes(const linear_image<Pixel> &image)
{
    return image.view.row_stride_bytes;
}

template <typename Pixel>
static __device__ __forceinline__ int64_t row_bytes(const surface_image<Pixel> &)
{
    return 0;
}

template <typename Image> struct stores_plainly;
template <typename Pixel> struct stores_plainly<linear_image<Pixel>> {
    static const bool value = !linear_image<Pixel>::has_whole;
};
template <typename Pixel> struct stores_plainly<surface_image<Pixel>> {
    static const bool value = true;
};

/* ---- Words that a loop chooses: an index that is no constant would put them into local memory */

static __device__ __forceinline__ uint32_t word_at(const uint4 &words, int i)
{
    return i == 0 ? words.x : i == 1 ? words.y : i == 2 ? words.z : words.w;
}

static __device__ __forceinline__ void set_word(uint4 &words, int i, uint32_t word)
{
    words.x = i == 0 ? word : words.x;
    words.y = i == 1 ? word : words.y;
    words.z = i == 2 ? word : words.z;
    words.w = i == 3 ? word : words.w;
}

/* ---- Reading. The picture is repeated beyond its edges. */

template <typename Image> struct endless_image {
    const Image &image;
    int last_x;
    int last_y;

    __device__ __forceinline__ uint32_t load(int x, int y) const
    {
        return image.load(min(max(x, 0), last_x), min(max(y, 0), last_y));
    }
    /* Of an image that is plain. */
    __device__ __forceinline__ uint32_t load_plainly(int x, int y) const
    {
        return load_plain(image, min(max(x, 0), last_x), min(max(y, 0), last_y));
    }
};

/* `runs`: has_runs, and the four pixels lie in the picture. */
template <typename Image>
static __device__ __forceinline__ uint4 load_four(const endless_image<Image> &endless, bool runs,
                                                  int x, int y)
{
    if (runs) {
        return __ldg((const uint4 *)run_at(endless.image, x, y));
    }
    uint4 words = {};
    if (is_plain(endless.image)) {
        words = make_uint4(endless.load_plainly(x, y), endless.load_plainly(x + 1, y),
                           endless.load_plainly(x + 2, y), endless.load_plainly(x + 3, y));
    } else {
#pragma unroll 1
        for (int i = 0; i < 4; i++) {
            set_word(words, i, endless.load(x + i, y));
        }
    }
    return words;
}

/* ---- Writing, of a run what lies left of `width` */

template <int COUNT, typename Image>
static __device__ __forceinline__ void store_run(const Image &image, bool runs, int x, int y,
                                                 int width, const uint4 &words)
{
    static_assert(COUNT == 2 || COUNT == 4, "a vector's worth");
    if (runs && x + COUNT <= width) {
        if constexpr (COUNT == 4) {
            *(uint4 *)run_at(image, x, y) = words;
        } else {
            *(uint2 *)run_at(image, x, y) = make_uint2(words.x, words.y);
        }
    } else if constexpr (stores_plainly<Image>::value) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (x + i < width) {
                image.store(x + i, y, word_at(words, i));
            }
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < COUNT && x + i < width; i++) {
            image.store(x + i, y, word_at(words, i));
        }
    }
}

#endif
