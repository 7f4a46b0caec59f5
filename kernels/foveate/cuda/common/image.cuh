/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The two kinds of memory that a kernel reads and writes: rows and pixels at strides, and the
 * surface of an image whose layout only the hardware knows. Both take coordinates inside the
 * image. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_COMMON_IMAGE_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_COMMON_IMAGE_CUH

#include "kernels/image/pixel.cuh"
#include "params.h"

/* The frame of this block's image. */
static __device__ inline foveate_frame frame_of_image(const foveate_frame &frame,
                                                      const foveate_cuda_batch &batch)
{
    foveate_frame own = frame;
    if (batch.gazes) {
        const int2 gaze = ((const int2 *)batch.gazes)[blockIdx.z];
        own.gaze_x_q8 = gaze.x;
        own.gaze_y_q8 = gaze.y;
    }
    return own;
}

/* This block's image of a batch, and of it what lies from the view's origin on. */
static __device__ inline foveate_cuda_linear view_of(foveate_cuda_linear image,
                                                     const foveate_frame &frame, int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes + frame.origin_y_px * image.row_stride_bytes +
                  frame.origin_x_px * image.pixel_stride_bytes;
    return image;
}

template <typename Pixel> struct linear_image {
    struct foveate_cuda_linear view;

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

template <typename Pixel, typename Params>
static __device__ inline linear_image<Pixel> linear_src(const Params &params,
                                                        const foveate_frame &frame)
{
    return {view_of(params.src, frame, params.batch.src_next_bytes)};
}

template <typename Pixel, typename Params>
static __device__ inline linear_image<Pixel> linear_dst(const Params &params,
                                                        const foveate_frame &frame)
{
    return {view_of(params.dst, frame, params.batch.dst_next_bytes)};
}

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

template <typename Pixel, typename Params>
static __device__ inline surface_image<Pixel> surface_src(const Params &params,
                                                          const foveate_frame &frame)
{
    return {params.src, frame.origin_x_px, frame.origin_y_px};
}

template <typename Pixel, typename Params>
static __device__ inline surface_image<Pixel> surface_dst(const Params &params,
                                                          const foveate_frame &frame)
{
    return {params.dst, frame.origin_x_px, frame.origin_y_px};
}

#endif
