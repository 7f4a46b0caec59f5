/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Foveation as programs for OpenGL do it, a thread a pixel: levels of 2x2 boxes in a mipmapped
 * array, and one look-up of the texture units between levels. The level is where a pixel's cutoff
 * is Nyquist: log2(pi sigma). */

#include "foveation_mips.h"

namespace {

__device__ bool own_pixel(const foveation_mips_params &p, int &x, int &y)
{
    x = blockIdx.x * FOVEATION_MIPS_SIDE + threadIdx.x;
    y = blockIdx.y * FOVEATION_MIPS_SIDE + threadIdx.y;
    return x < p.width_px && y < p.height_px;
}

__device__ uchar4 fine(const foveation_mips_params &p, int x, int y)
{
    return surf2Dread<uchar4>((cudaSurfaceObject_t)p.from, x * 4, y);
}

__device__ unsigned char mean(int a, int b, int c, int d)
{
    return (unsigned char)((a + b + c + d + 2) >> 2);
}

__device__ uint32_t byte_of(float value)
{
    return (uint32_t)(value * 255.0f + 0.5f);
}

} // namespace

#define KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(FOVEATION_MIPS_SIDE *FOVEATION_MIPS_SIDE)         \
        foveation_mips_##name(const __grid_constant__ foveation_mips_params p)

KERNEL(level)
{
    int x;
    int y;
    if (own_pixel(p, x, y)) {
        const uchar4 a = fine(p, 2 * x, 2 * y);
        const uchar4 b = fine(p, 2 * x + 1, 2 * y);
        const uchar4 c = fine(p, 2 * x, 2 * y + 1);
        const uchar4 d = fine(p, 2 * x + 1, 2 * y + 1);
        const uchar4 made = make_uchar4(mean(a.x, b.x, c.x, d.x), mean(a.y, b.y, c.y, d.y),
                                        mean(a.z, b.z, c.z, d.z), mean(a.w, b.w, c.w, d.w));
        surf2Dwrite(made, (cudaSurfaceObject_t)p.to, x * 4, y);
    }
}

KERNEL(sample)
{
    int x;
    int y;
    if (own_pixel(p, x, y)) {
        const float from_x = (float)x + 0.5f - p.gaze_x_px;
        const float from_y = (float)y + 0.5f - p.gaze_y_px;
        const float law = p.sigma_at_gaze_px + p.slope * sqrtf(from_x * from_x + from_y * from_y);
        const float sigma = fminf(fmaxf(law, p.least_px), p.most_px);
        const float level = fmaxf(log2f(3.14159265f * sigma), 0.0f);
        const float4 v =
            tex2DLod<float4>((cudaTextureObject_t)p.from, ((float)x + 0.5f) / (float)p.width_px,
                             ((float)y + 0.5f) / (float)p.height_px, level);
        ((uint32_t *)p.to)[y * p.width_px + x] =
            byte_of(v.x) | byte_of(v.y) << 8 | byte_of(v.z) << 16 | byte_of(v.w) << 24;
    }
}
