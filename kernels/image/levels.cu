/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* levels.h on the device: a pixel a thread, neighbours along x, an image is one step along y of the
 * grid. The tables stay in the caches; the memory of levels and floats bounds it. */

#include "levels.h"
#include "light.h"

#include "kernels/cuda/ptx.cuh"

#define HIGHEST 65535.0f

#define KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(LEVELS_CUDA_THREADS)                              \
        name(const __grid_constant__ levels params)

DEVICE char *place_of(const levels_side &side, int x, int y)
{
    return (char *)(side.first + (int64_t)blockIdx.y * side.next_bytes + y * side.row_bytes +
                    x * side.pixel_bytes);
}

/* Finds a thread's pixel; false: there is none. */
DEVICE bool find_pixel(const levels &params, int &x, int &y)
{
    const int i = (int)(blockIdx.x * LEVELS_CUDA_THREADS + threadIdx.x);
    y = i / params.width_px;
    x = i - y * params.width_px;
    return y < params.height_px;
}

/* Multiplies colours by a power of their luminance. Both kernels must round alike. */
template <int CHANNELS> DEVICE void apply_ootf(float exponent, float (&values)[CHANNELS])
{
    const int colors = CHANNELS == 1 ? 1 : 3;
    float luminance = values[0];
    if (CHANNELS > 1) {
        luminance = fmaf(
            IMAGE_LIGHT_BLUE, values[2 % CHANNELS],
            fmaf(IMAGE_LIGHT_GREEN, values[1 % CHANNELS], __fmul_rn(IMAGE_LIGHT_RED, values[0])));
    }
    const float factor = luminance > 0.0f ? powf(luminance, exponent) : 0.0f;
    for (int c = 0; c < colors; c++) {
        values[c] *= factor;
    }
}

template <int CHANNELS>
DEVICE void load(const levels &params, int x, int y, uint16_t (&of)[CHANNELS],
                 float (&values)[CHANNELS])
{
    const char *pixel = place_of(params.src, x, y);
    const float *light = (const float *)params.curve.light;
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        of[c] = *(const uint16_t *)(pixel + c * params.src.channel_bytes);
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        values[c] = c < 3 ? __ldg(light + of[c]) : (float)of[c] / HIGHEST;
    }
    if (params.curve.system_gamma > 0.0f) {
        apply_ootf(params.curve.system_gamma - 1.0f, values);
    }
}

/* The lowest value that gives the light. */
static __device__ float sampled(const levels_curve &curve, float light)
{
    const float *samples = (const float *)curve.samples;
    int low = 0;
    int high = curve.sample_count - 2;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (__ldg(samples + middle + 1) >= light) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const float first = __ldg(samples + low);
    const float step = __ldg(samples + low + 1) - first;
    const float above = light - first;
    const float part = above > 0.0f && step > 0.0f ? fminf(above / step, 1.0f) : 0.0f;
    return HIGHEST * ((float)low + part) / (float)(curve.sample_count - 1);
}

/* Does as level_of in pixel_light.c. */
DEVICE float level_of(const levels_curve &curve, float light)
{
    const float clamped = fminf(fmaxf(light, 0.0f), 1.0f);
    if (curve.sample_count > 0) {
        return sampled(curve, clamped);
    }
    if (clamped <= curve.line_end) {
        return clamped * curve.line_slope;
    }
    const int step_bits = LEVELS_STEP_BITS;
    const uint32_t bits = __float_as_uint(clamped) - curve.first_bits;
    const float *level = (const float *)curve.level + (bits >> step_bits);
    const float part = (float)(bits & ((1u << step_bits) - 1u)) * (1.0f / (1u << step_bits));
    const float below = __ldg(level);
    return below + part * (__ldg(level + 1) - below);
}

template <int CHANNELS> DEVICE void pack(const levels &params)
{
    int x;
    int y;
    if (!find_pixel(params, x, y)) {
        return;
    }
    uint16_t of[CHANNELS];
    float values[CHANNELS];
    load(params, x, y, of, values);
    float *out = (float *)place_of(params.floats, x, y);
    if constexpr (CHANNELS == 4) {
        *(float4 *)out = make_float4(values[0], values[1], values[2], values[3]);
    } else {
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            out[c] = values[c];
        }
    }
}

template <int CHANNELS> DEVICE void unpack(const levels &params)
{
    int x;
    int y;
    if (!find_pixel(params, x, y)) {
        return;
    }
    uint16_t before[CHANNELS];
    float given[CHANNELS];
    float seen[CHANNELS];
    float light[CHANNELS];
    load(params, x, y, before, given);
    const float *in = (const float *)place_of(params.floats, x, y);
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        seen[c] = in[c];
        light[c] = fminf(fmaxf(seen[c], 0.0f), 2.0f);
    }
    if (params.curve.system_gamma > 0.0f) {
        apply_ootf(1.0f / params.curve.system_gamma - 1.0f, light);
    }
    char *pixel = place_of(params.dst, x, y);
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        const float level = c < 3 ? level_of(params.curve, light[c]) : seen[c] * HIGHEST;
        const float rounded = fminf(fmaxf(level + 0.5f, 0.0f), HIGHEST);
        *(uint16_t *)(pixel + c * params.dst.channel_bytes) =
            seen[c] == given[c] ? before[c] : (uint16_t)rounded;
    }
}

#define KERNELS(channels)                                                                          \
    KERNEL(levels_pack_##channels)                                                                 \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        pack<channels>(params);                                                                    \
    }                                                                                              \
    KERNEL(levels_unpack_##channels)                                                               \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        unpack<channels>(params);                                                                  \
    }

KERNELS(1)
KERNELS(3)
KERNELS(4)
