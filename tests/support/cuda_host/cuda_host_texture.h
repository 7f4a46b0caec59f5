/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Textures for kernels on the host: bytes or floats of four channels, or floats in a row; places
 * beyond the edges are those at the edges. Weights between pixels are exact here, those of a device
 * have 8 bits. */
#pragma once

#include "cuda_host_launch.h"

#define CUDA_HOST_LEVELS 16

/* Behind the number that is a texture, and a mipmapped array. */
struct cuda_host_levels {
    int count;
    int bytes_a_channel; /* 1: from 0 to 1; 4: floats */
    int normalized; /* places from 0 to 1 */
    struct cuda_host_surface levels[CUDA_HOST_LEVELS];
};

#ifdef __cplusplus

typedef unsigned long long cudaTextureObject_t;

static inline float cuda_host_channel(const cuda_host_levels *of, int level, int x, int y,
                                      int channel)
{
    const cuda_host_surface *surface = &of->levels[level];
    const int last_x = (int)(surface->row_bytes / (4 * of->bytes_a_channel)) - 1;
    const int px = x < 0 ? 0 : x > last_x ? last_x : x;
    const int py = y < 0 ? 0 : y >= surface->rows ? surface->rows - 1 : y;
    const char *row = (const char *)surface->data + (size_t)py * surface->row_bytes;
    return of->bytes_a_channel == 1 ? (float)((const uint8_t *)row)[px * 4 + channel] / 255.0f
                                    : ((const float *)row)[px * 4 + channel];
}

static inline float cuda_host_between(const cuda_host_levels *of, int level, float x, float y,
                                      int channel)
{
    const int left = (int)floorf(x - 0.5f);
    const int above = (int)floorf(y - 0.5f);
    const float right = x - 0.5f - (float)left;
    const float below = y - 0.5f - (float)above;
    const float upper = (1.0f - right) * cuda_host_channel(of, level, left, above, channel) +
                        right * cuda_host_channel(of, level, left + 1, above, channel);
    const float lower = (1.0f - right) * cuda_host_channel(of, level, left, above + 1, channel) +
                        right * cuda_host_channel(of, level, left + 1, above + 1, channel);
    return (1.0f - below) * upper + below * lower;
}

static inline float4 cuda_host_at_level(const cuda_host_levels *of, int level, float x, float y)
{
    const cuda_host_surface *surface = &of->levels[level];
    const float width = (float)(surface->row_bytes / (4 * of->bytes_a_channel));
    const float px = of->normalized ? x * width : x;
    const float py = of->normalized ? y * (float)surface->rows : y;
    return make_float4(
        cuda_host_between(of, level, px, py, 0), cuda_host_between(of, level, px, py, 1),
        cuda_host_between(of, level, px, py, 2), cuda_host_between(of, level, px, py, 3));
}

template <typename T> static inline T tex2D(cudaTextureObject_t texture, float x, float y)
{
    return cuda_host_at_level((const cuda_host_levels *)texture, 0, x, y);
}

/* Four bytes as they are, of the nearest pixel. */
template <> inline unsigned tex2D<unsigned>(cudaTextureObject_t texture, float x, float y)
{
    const cuda_host_surface *surface = &((const cuda_host_levels *)texture)->levels[0];
    const int last_x = (int)(surface->row_bytes / 4) - 1;
    const int px = x < 0.0f ? 0 : (int)x > last_x ? last_x : (int)x;
    const int py = y < 0.0f ? 0 : (int)y >= surface->rows ? surface->rows - 1 : (int)y;
    return ((const unsigned *)((const char *)surface->data + (size_t)py * surface->row_bytes))[px];
}

template <typename T>
static inline T tex2DLod(cudaTextureObject_t texture, float x, float y, float level)
{
    const cuda_host_levels *of = (const cuda_host_levels *)texture;
    const float last = (float)(of->count - 1);
    const float own = level < 0.0f ? 0.0f : level > last ? last : level;
    const int finer = (int)own;
    const int coarser = finer + 1 < of->count ? finer + 1 : finer;
    const float part = own - (float)finer;
    const float4 a = cuda_host_at_level(of, finer, x, y);
    const float4 b = cuda_host_at_level(of, coarser, x, y);
    return make_float4(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z),
                       a.w + part * (b.w - a.w));
}

template <typename T> static inline T tex1Dfetch(cudaTextureObject_t texture, int i)
{
    const cuda_host_levels *of = (const cuda_host_levels *)texture;
    if (i < 0 || (size_t)i * sizeof(T) >= of->levels[0].row_bytes) {
        cuda_host_fail("number %d lies outside of a texture", i);
    }
    return ((const T *)of->levels[0].data)[i];
}

#endif
