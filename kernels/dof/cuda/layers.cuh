/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The layers of dof.h, which the machine blurs, and the picture that is composed of them. Bound by
 * memory: a thread makes four pixels, of halves all at once. */
#ifndef FOVEA_KERNELS_DOF_CUDA_LAYERS_CUH
#define FOVEA_KERNELS_DOF_CUDA_LAYERS_CUH

#include "kernels/image/light.cuh"
#include "memory.cuh"

static __device__ __forceinline__ frame_light light_of(const dof_cuda_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.light_samples);
}

/* Layers of halves are of stored values, or of sRGB's light (dof_cuda_takes_floats). */
template <typename Pixel, bool FLOATS>
static __device__ __forceinline__ float4 read_pixel(const dof_cuda_frame &frame,
                                                    typename Pixel::word word)
{
    const float4 value = Pixel::decode(word);
    if (frame.light == IMAGE_LIGHT_STORED) {
        return value;
    }
    return FLOATS ? levels_to_light<Pixel>(value, light_of(frame)) : levels_to_light<Pixel>(value);
}

/* A pixel that a layer has nothing of does not get into it, though it be no number. */
static __device__ __forceinline__ float covered(float value, float coverage)
{
    return coverage > 0.0f ? coverage * value : 0.0f;
}

/* Channels that a format has not are 0, as a word of its own has them or not. */
template <typename Pixel> static __device__ __forceinline__ float4 channels_of(const float4 &value)
{
    return make_float4(value.x, Pixel::channels >= 3 ? value.y : 0.0f,
                       Pixel::channels >= 3 ? value.z : 0.0f, value.w);
}

template <typename Pixel, bool FLOATS>
static __device__ __forceinline__ void put_alpha(const dof_cuda_frame &frame, int x, int y,
                                                 float alpha, float near, float behind)
{
    if (Pixel::channels == 4 && frame.memory.alpha_layers) {
        alpha_layer_of<FLOATS>(frame, DOF_NEAR).store(x, y, covered(alpha, near));
        alpha_layer_of<FLOATS>(frame, DOF_BEHIND).store(x, y, covered(alpha, behind));
    }
}

static __device__ __forceinline__ void put_floats(const dof_cuda_frame &frame, int which, int x,
                                                  int y, const float4 &value, float coverage)
{
    layer_of(frame, which)
        .store(x, y,
               make_float4(covered(value.x, coverage), covered(value.y, coverage),
                           covered(value.z, coverage), coverage));
}

/* Makes both layers of floats, and their sigmas. */
template <typename Pixel, typename Image>
static __device__ void make_layers(const dof_cuda_frame &frame, const Image &src)
{
    const dof_column column(frame);
    const bool has_near_ones = has_near(frame);
#pragma unroll 1
    for (int i = 0; i < column.count; i++) {
        const int x = column.x;
        const int y = column.row(i);
        const float offset_px = offsets_of<true>(frame).bits(x, y);
        const float reach_px = has_near_ones ? sigmas_of<true>(frame, DOF_NEAR).bits(x, y) : 0.0f;
        const float4 sums =
            has_near_ones ? made_of<true>(frame, DOF_NEAR).bits(x, y) : make_float4(0, 0, 0, 0);
        const float near_px =
            has_near_ones ? near_sigma(offset_px, sums.x, sums.y, reach_px) : 0.0f;
        const float near = nearness(offset_px);
        const float behind = weight_behind(offset_px);
        const float4 value = channels_of<Pixel>(read_pixel<Pixel, true>(frame, src.load(x, y)));
        sigmas_of<true>(frame, DOF_NEAR).store(x, y, near_px);
        sigmas_of<true>(frame, DOF_BEHIND).store(x, y, sigma_behind(offset_px, near_px));
        put_floats(frame, DOF_NEAR, x, y, value, near);
        put_floats(frame, DOF_BEHIND, x, y, value, behind);
        put_alpha<Pixel, true>(frame, x, y, value.w, near, behind);
    }
}

/* Makes what the machine reads as both layers of halves (nodes.cuh) where a blurred pixel looks. A
 * thread has all that it reads under way before it waits. Where alpha is averaged, its layers and
 * their sigmas, too. */
template <typename Pixel, typename Image>
static __device__ void make_colours(const dof_cuda_frame &frame, const Image &src)
{
    const dof_column column(frame);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[column.group];
    const bool near_is_read = reads_of(frame, (int)blockIdx.z, DOF_NEAR)[column.group] != 0;
    const bool behind_is_read = reads_of(frame, (int)blockIdx.z, DOF_BEHIND)[column.group] != 0;
    const dof_values<false> offsets = offsets_of<false>(frame);
    const dof_layer<false> colours = colours_of(frame, (int)blockIdx.z);
    typename Pixel::word words[QUARTER_PIXELS] = {};
    uint16_t offsets_px[QUARTER_PIXELS] = {};
    if (!near_is_read && !behind_is_read) {
        return;
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            words[i] = src.load(column.x, column.row(i));
            offsets_px[i] = offsets.bits(column.x, column.row(i));
        }
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            const float4 value = channels_of<Pixel>(read_pixel<Pixel, false>(frame, words[i]));
            const float offset_px = dof_number(offsets_px[i]);
            colours.store(column.x, column.row(i),
                          make_float4(value.x, value.y, value.z, offset_px));
            put_alpha<Pixel, false>(frame, column.x, column.row(i), value.w, nearness(offset_px),
                                    weight_behind(offset_px));
        }
    }
    if (frame.memory.alpha_layers) {
        const bool reached = is_reached(quarters, column.quarter);
        const dof_values<false> near = sigmas_of<false>(frame, DOF_NEAR);
        for (int i = 0; i < column.count; i++) {
            const float near_px = reached ? dof_number(near.bits(column.x, column.row(i))) : 0.0f;
            near.store(column.x, column.row(i), near_px);
            sigmas_of<false>(frame, DOF_BEHIND)
                .store(column.x, column.row(i),
                       sigma_behind(dof_number(offsets.bits(column.x, column.row(i))), near_px));
        }
    }
}

/* ---- Out */

/* A channel that has `own` in the picture, of a pixel whose coverages the last two are. */
struct dof_shares {
    float lacking, per_behind, open;

    __device__ __forceinline__ dof_shares(float near_coverage, float behind_coverage)
        : lacking(fmaxf(LEAST_COVERAGE - behind_coverage, 0.0f)),
          per_behind(1.0f / (behind_coverage + lacking)),
          open(1.0f - clamped(near_coverage, 0.0f, 1.0f))
    {
    }
    /* A channel that has `own` in the picture. */
    __device__ __forceinline__ float composed(float own, float near, float behind) const
    {
        const float mean = (lacking > 0.0f ? behind + lacking * own : behind) * per_behind;
        return open > 0.0f ? near + open * mean : near;
    }
};

template <typename Pixel, bool FLOATS>
static __device__ __forceinline__ float4 compose_pixel(const dof_cuda_frame &frame, int x, int y,
                                                       float4 value, const float4 &near,
                                                       const float4 &behind, bool reached)
{
    const dof_shares shares(near.w, behind.w);
    value.x = shares.composed(value.x, near.x, behind.x);
    value.y = shares.composed(value.y, near.y, behind.y);
    value.z = shares.composed(value.z, near.z, behind.z);
    if (Pixel::channels == 4 && frame.memory.alpha_layers) {
        const float near_alpha =
            reached ? dof_number(alpha_made_of<FLOATS>(frame, DOF_NEAR).bits(x, y)) : 0.0f;
        value.w = shares.composed(value.w, near_alpha,
                                  dof_number(alpha_made_of<FLOATS>(frame, DOF_BEHIND).bits(x, y)));
    }
    return value;
}

template <typename Pixel, bool FLOATS>
static __device__ __forceinline__ typename Pixel::word write_pixel(const dof_cuda_frame &frame,
                                                                   float4 value,
                                                                   typename Pixel::word src)
{
    if (Pixel::white > 0) { /* the blend of nodes may go below 0, which has no light */
        value =
            make_float4(fmaxf(value.x, 0.0f), fmaxf(value.y, 0.0f), fmaxf(value.z, 0.0f), value.w);
    }
    if (frame.light != IMAGE_LIGHT_STORED) {
        value = FLOATS ? light_to_levels<Pixel>(value, light_of(frame))
                       : light_to_levels<Pixel>(value);
    }
    const typename Pixel::word word = Pixel::encode(value);
    return Pixel::channels == 4 && !frame.memory.alpha_layers ? Pixel::keep_alpha(word, src) : word;
}

/* u of a pixel: of floats as it was stored. */
static __device__ __forceinline__ float sigma_of_bits(float behind_px, float)
{
    return behind_px;
}
static __device__ __forceinline__ float sigma_of_bits(uint16_t offset_px, uint16_t near_px)
{
    return sigma_behind(dof_number(offset_px), dof_number(near_px));
}

/* A pixel that is sharp, where nothing near gets to, is as it was, bit for bit. */
template <typename Pixel, bool FLOATS, typename Image>
static __device__ void compose(const dof_cuda_frame &frame, const Image &src, const Image &dst)
{
    const int at_once = FLOATS ? 1 : QUARTER_PIXELS;
    const dof_column column(frame);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[column.group];
    const bool blurred = is_blurred(quarters, column.quarter);
    const bool reached = is_reached(quarters, column.quarter);
    const dof_values<FLOATS> sigmas =
        FLOATS ? sigmas_of<FLOATS>(frame, DOF_BEHIND) : offsets_of<FLOATS>(frame);
#pragma unroll 1
    for (int first = 0; first < column.count; first += at_once) {
        typename Pixel::word words[at_once] = {};
        typename dof_bits<FLOATS>::layer near[at_once] = {};
        typename dof_bits<FLOATS>::layer behind[at_once] = {};
        typename dof_bits<FLOATS>::value sigmas_px[at_once] = {};
        typename dof_bits<FLOATS>::value near_px[at_once] = {};
#pragma unroll
        for (int i = 0; i < at_once; i++) {
            const int y = column.row(first + i);
            if (first + i < column.count) {
                words[i] = src.load(column.x, y);
            }
            if (first + i < column.count && blurred) {
                behind[i] = made_of<FLOATS>(frame, DOF_BEHIND).bits(column.x, y);
                sigmas_px[i] = sigmas.bits(column.x, y);
            }
            if (first + i < column.count && reached) {
                near[i] = made_of<FLOATS>(frame, DOF_NEAR).bits(column.x, y);
                near_px[i] = sigmas_of<FLOATS>(frame, DOF_NEAR).bits(column.x, y);
            }
        }
#pragma unroll
        for (int i = 0; i < at_once; i++) {
            const float4 near_layer = dof_number(near[i]);
            const int y = column.row(first + i);
            const bool is_kept =
                near_layer.w == 0.0f && sigma_of_bits(sigmas_px[i], near_px[i]) < SHARP_PX;
            if (first + i < column.count && blurred && !is_kept) {
                const float4 value = compose_pixel<Pixel, FLOATS>(
                    frame, column.x, y, read_pixel<Pixel, FLOATS>(frame, words[i]), near_layer,
                    dof_number(behind[i]), reached);
                words[i] = write_pixel<Pixel, FLOATS>(frame, value, words[i]);
            }
            if (first + i < column.count) {
                dst.store(column.x, y, words[i]);
            }
        }
    }
}

#endif
