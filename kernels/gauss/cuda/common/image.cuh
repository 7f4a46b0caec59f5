/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The images of a frame, of which a block sees its own. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_COMMON_IMAGE_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_COMMON_IMAGE_CUH

#include "kernels/image/image.cuh"
#include "params.h"

/* The frame of this block's image. */
static __device__ inline gauss_frame frame_of_image(const gauss_frame &frame,
                                                    const gauss_cuda_batch &batch)
{
    gauss_frame own = frame;
    if (batch.gazes) {
        const int2 gaze = ((const int2 *)batch.gazes)[blockIdx.z];
        own.gaze_x_q8 = gaze.x;
        own.gaze_y_q8 = gaze.y;
    }
    return own;
}

/* Returns a place of this block's image that is as sharp as its gaze. */
static __device__ __forceinline__ int2 other_q8(const gauss_cuda_others &others, int k)
{
    if (others.table) {
        return ((const int2 *)others.table)[blockIdx.z * others.of.count + k];
    }
    return make_int2(others.of.q8[k][0], others.of.q8[k][1]);
}

/* Whether this block's image is made. All of its threads get the same answer. */
static __device__ __forceinline__ bool is_wanted(const gauss_cuda_sigmas &sigmas)
{
    return !sigmas.wanted || __ldg((const uint32_t *)sigmas.wanted + blockIdx.z) != 0;
}

/* This block's image of a batch, and of it what lies from the view's origin on. */
static __device__ inline image_linear view_of(image_linear image, const gauss_frame &frame,
                                              int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes + frame.origin_y_px * image.row_stride_bytes +
                  frame.origin_x_px * image.pixel_stride_bytes;
    return image;
}

template <typename Pixel, typename Params>
static __device__ inline linear_image<Pixel> linear_src(const Params &params,
                                                        const gauss_frame &frame)
{
    return {view_of(params.src, frame, params.batch.src_next_bytes)};
}

template <typename Pixel, typename Params>
static __device__ inline linear_image<Pixel> linear_dst(const Params &params,
                                                        const gauss_frame &frame)
{
    return {view_of(params.dst, frame, params.batch.dst_next_bytes)};
}

template <typename Pixel, typename Params>
static __device__ inline surface_image<Pixel> surface_src(const Params &params,
                                                          const gauss_frame &frame)
{
    return {params.src.data, frame.origin_x_px, frame.origin_y_px};
}

template <typename Pixel, typename Params>
static __device__ inline surface_image<Pixel> surface_dst(const Params &params,
                                                          const gauss_frame &frame)
{
    return {params.dst.data, frame.origin_x_px, frame.origin_y_px};
}

#endif
