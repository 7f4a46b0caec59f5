/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A block's images: block z of a grid works on image z of a batch. Those of every format; and those
 * of RGBA8, whose pixels are words that are read in squares. */
#pragma once

#include "kernels/cuda/ptx.cuh"
#include "kernels/image/image.cuh"
#include "params.h"

/* ---- RGBA8 ----------------------------------------------------------------------------------- */

/* N x N pixels that lie beside each other, by rows. */
template <int N> struct lens_square {
    uint32_t rows[N][N];
};

/* An image whose pixels lie beside each other, in less than 2^31 bytes. */
struct lens_packed_image {
    static const int SIDE_X = LENS_SIDE_X; /* threads of a block */
    static const int SIDE_Y = LENS_SIDE_Y;

    char *data;
    uint32_t row_bytes;

    __device__ char *at(int x, int y) const
    {
        return data + ((uint32_t)y * row_bytes + (uint32_t)x * 4u);
    }
    __device__ uint32_t load(int x, int y) const
    {
        return __ldg((const uint32_t *)at(x, y));
    }
    template <int N> MEMBER lens_square<N> load_square(int x, int y) const
    {
        const char *row = at(x, y);
        lens_square<N> square;
#pragma unroll
        for (int j = 0; j < N; j++) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                square.rows[j][i] = __ldg((const uint32_t *)row + i);
            }
            row += row_bytes;
        }
        return square;
    }

    /* It leads to a pixel and to those below it. */
    typedef char *column;
    __device__ column column_at(int x, int y) const
    {
        return at(x, y);
    }
    __device__ void store(column column, int down, uint32_t word) const
    {
        /* Nobody reads it soon: what the cache has of the source is to stay. */
        __stcs((uint32_t *)(column + (uint32_t)down * row_bytes), word);
    }
};

struct lens_surface_image : surface_image<pixel<FOVEA_FORMAT_RGBA8>> {
    static const int SIDE_X = LENS_SURFACE_SIDE;
    static const int SIDE_Y = LENS_SURFACE_SIDE;

    template <int N> MEMBER lens_square<N> load_square(int x, int y) const
    {
        lens_square<N> square;
#pragma unroll
        for (int i = 0; i < N * N; i++) {
            square.rows[i / N][i % N] = load(x + i % N, y + i / N);
        }
        return square;
    }
    typedef int2 column;
    __device__ column column_at(int x, int y) const
    {
        return make_int2(x, y);
    }
    __device__ void store(column column, int down, uint32_t word) const
    {
        surface_image<pixel<FOVEA_FORMAT_RGBA8>>::store(column.x, column.y + down, word);
    }
};

DEVICE lens_packed_image lens_bytes_of(const lens_frame &frame, const image_linear &image,
                                       int64_t next_bytes)
{
    const linear_image<pixel<FOVEA_FORMAT_RGBA8>> own =
        image_of_block<pixel<FOVEA_FORMAT_RGBA8>>(frame, image, next_bytes);
    const uint32_t *words = (const uint32_t *)own.view.data;
    ptx_keep(words); /* else each pixel works out the image of the batch again */
    return {(char *)words, (uint32_t)own.view.row_stride_bytes};
}

DEVICE lens_surface_image lens_bytes_of(const lens_frame &frame, uint64_t surface, int64_t)
{
    return {image_of_block<pixel<FOVEA_FORMAT_RGBA8>>(frame, surface, 0)};
}

/* Beyond the picture's edge is its outermost pixel. */
template <int N, typename Image>
static __device__ lens_square<N> lens_load_edge(const lens_frame &frame, const Image &src, int x,
                                                int y)
{
    lens_square<N> square;
#pragma unroll
    for (int j = 0; j < N; j++) {
        const int row = min(max(y + j, 0), frame.shape.height_px - 1);
#pragma unroll
        for (int i = 0; i < N; i++) {
            square.rows[j][i] = src.load(min(max(x + i, 0), frame.shape.width_px - 1), row);
        }
    }
    return square;
}
