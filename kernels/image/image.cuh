/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The two kinds of memory that a kernel reads and writes: rows and pixels at strides, and the
 * surface of an image whose layout only the hardware knows. Both take coordinates inside the
 * image. */
#pragma once

#include "image_linear.h"
#include "pixel.cuh"

template <typename Pixel> struct linear_image {
    struct image_linear view;

    typedef typename Pixel::word word;
    typedef typename Pixel::part part;

    static const bool has_whole = sizeof(part) * Pixel::part_count == sizeof(word);

    __device__ char *at(int x, int y) const
    {
        return (char *)(view.data + y * view.row_stride_bytes + x * view.pixel_stride_bytes);
    }

    __device__ word load(int x, int y) const
    {
        if (has_whole && view.whole_pixels) {
            return *(const word *)at(x, y);
        }
        const part *source = (const part *)at(x, y);
        word w = {};
#pragma unroll
        for (int i = 0; i < Pixel::part_count; i++) {
            ((part *)&w)[i] = source[i];
        }
        return w;
    }

    __device__ void store(int x, int y, word w) const
    {
        if (has_whole && view.whole_pixels) {
            *(word *)at(x, y) = w;
            return;
        }
        part *target = (part *)at(x, y);
#pragma unroll
        for (int i = 0; i < Pixel::part_count; i++) {
            target[i] = ((const part *)&w)[i];
        }
    }
};

/* Surfaces are addressed in bytes along x and deliver raw bits, whatever the format says. */
template <typename Pixel> struct surface_image {
    cudaSurfaceObject_t surface;
    int origin_x;
    int origin_y;

    typedef typename Pixel::word word;

    __device__ word load(int x, int y) const
    {
        return surf2Dread<word>(surface, (origin_x + x) * (int)sizeof(word), origin_y + y);
    }

    __device__ void store(int x, int y, word w) const
    {
        surf2Dwrite(w, surface, (origin_x + x) * (int)sizeof(word), origin_y + y);
    }
};

/* The image of a batch that a block of threads works on, by z, and a surface from the view's corner
 * on. */
template <typename Pixel, typename Frame>
static __device__ linear_image<Pixel> image_of_block(const Frame &, image_linear image,
                                                     int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes;
    return {image};
}

template <typename Pixel, typename Frame>
static __device__ surface_image<Pixel> image_of_block(const Frame &frame, uint64_t surface, int64_t)
{
    return {surface, frame.origin_x_px, frame.origin_y_px};
}

/* Calls of(kind, suffix, format) for all kinds of images: every format in memory, and those that
 * surfaces have. */
#define IMAGE_OF_EVERY_FORMAT(of)                                                                  \
    of(linear, rgba8, FOVEA_FORMAT_RGBA8) of(linear, rgb8, FOVEA_FORMAT_RGB8)                      \
        of(linear, r8, FOVEA_FORMAT_R8) of(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10) of(      \
            linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F) of(linear, rgba16f, FOVEA_FORMAT_RGBA16F) \
            of(linear, rgba32f, FOVEA_FORMAT_RGBA32F) of(linear, rgb16f, FOVEA_FORMAT_RGB16F)      \
                of(linear, r16f, FOVEA_FORMAT_R16F) of(linear, rgb32f, FOVEA_FORMAT_RGB32F)        \
                    of(linear, r32f, FOVEA_FORMAT_R32F) of(surface, rgba8, FOVEA_FORMAT_RGBA8)     \
                        of(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)                         \
                            of(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F)                       \
                                of(surface, rgba16f, FOVEA_FORMAT_RGBA16F)
