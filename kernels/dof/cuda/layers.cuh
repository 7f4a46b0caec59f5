/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The layers of dof.h, which the machine blurs, and the picture that is composed of them: a thread
 * a pixel, bound by memory. */
#ifndef FOVEA_KERNELS_DOF_CUDA_LAYERS_CUH
#define FOVEA_KERNELS_DOF_CUDA_LAYERS_CUH

#include "kernels/image/light.cuh"
#include "memory.cuh"

#define LEAST_BEHIND (1.0f / 32.0f)
#define LEAST_MEAN 1e-4f
#define LEAST_COVERAGE (1.0f / 1024.0f)

static __device__ __forceinline__ frame_light light_of(const dof_cuda_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.light_samples);
}

/* As light where it is averaged as that. */
template <typename Pixel>
static __device__ __forceinline__ float4 read_pixel(const dof_cuda_frame &frame,
                                                    typename Pixel::word word)
{
    const float4 value = Pixel::decode(word);
    return frame.light == IMAGE_LIGHT_STORED ? value
                                             : levels_to_light<Pixel>(value, light_of(frame));
}

/* A pixel that a layer has nothing of does not get into it, though it be no number. */
static __device__ __forceinline__ float covered(float value, float coverage)
{
    return coverage > 0.0f ? coverage * value : 0.0f;
}

template <typename Pixel>
static __device__ __forceinline__ void put(const dof_cuda_frame &frame, int which, int x, int y,
                                           const float4 &value, float coverage)
{
    const float green = Pixel::channels >= 3 ? value.y : 0.0f;
    const float blue = Pixel::channels >= 3 ? value.z : 0.0f;
    layer_of(frame, which)
        .store(x, y,
               make_float4(covered(value.x, coverage), covered(green, coverage),
                           covered(blue, coverage), coverage));
    if (Pixel::channels == 4 && frame.memory.alpha_layers) {
        alpha_layer_of(frame, which).store(x, y, covered(value.w, coverage));
    }
}

/* t, which takes the place of d, here reach_px; from the sums of run 1. */
static __device__ __forceinline__ float near_sigma(float offset_px, const float4 &sums,
                                                   float reach_px)
{
    const float near = nearness(offset_px);
    const float mean_px = clamped(sums.x / fmaxf(sums.y, LEAST_MEAN), 0.0f, reach_px);
    return (1.0f - near) * mean_px + near * fmaxf(-offset_px, 0.0f);
}

/* The layers of a pixel that are read. */
template <typename Pixel>
static __device__ __forceinline__ void make_layer_pixel(const dof_cuda_frame &frame, int x, int y,
                                                        float offset_px, float near_px,
                                                        typename Pixel::word word,
                                                        bool near_is_read, bool behind_is_read)
{
    const float near = nearness(offset_px);
    const float far_px = fmaxf(offset_px, 0.0f);
    const float4 value = read_pixel<Pixel>(frame, word);
    if (near_is_read) {
        sigmas_of(frame, DOF_NEAR).store(x, y, near_px);
        put<Pixel>(frame, DOF_NEAR, x, y, value, near);
    }
    if (behind_is_read) {
        const float weight =
            (1.0f - near) * clamped(far_px * (1.0f / DOF_LAYER_PX), LEAST_BEHIND, 1.0f);
        sigmas_of(frame, DOF_BEHIND).store(x, y, (1.0f - near) * far_px + near * near_px);
        put<Pixel>(frame, DOF_BEHIND, x, y, value, weight);
    }
}

/* A thread has all that it reads under way before it waits. */
template <typename Pixel, typename Image>
static __device__ void make_layers(const dof_cuda_frame &frame, const Image &src)
{
    const dof_column column(frame);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[column.group];
    const bool reached = is_reached(quarters, column.quarter);
    const bool near_is_read = reads_of(frame, (int)blockIdx.z, DOF_NEAR)[column.group] != 0;
    const bool behind_is_read = reads_of(frame, (int)blockIdx.z, DOF_BEHIND)[column.group] != 0;
    typename Pixel::word words[QUARTER_PIXELS] = {};
    float offsets_px[QUARTER_PIXELS] = {};
    float4 sums[QUARTER_PIXELS] = {};
    float reaches_px[QUARTER_PIXELS] = {};
    if (!near_is_read && !behind_is_read) {
        return;
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            words[i] = src.load(column.x, column.row(i));
            offsets_px[i] = offsets_of(frame).load(column.x, column.row(i));
        }
        if (i < column.count && reached) {
            sums[i] = made_of(frame, DOF_NEAR).load(column.x, column.row(i));
            reaches_px[i] = sigmas_of(frame, DOF_NEAR).load(column.x, column.row(i));
        }
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            const float near_px =
                reached ? near_sigma(offsets_px[i], sums[i], reaches_px[i]) : 0.0f;
            make_layer_pixel<Pixel>(frame, column.x, column.row(i), offsets_px[i], near_px,
                                    words[i], near_is_read, behind_is_read);
        }
    }
}

/* ---- Out */

/* A channel that has `own` in the picture, of a pixel whose coverages the last two are. */
static __device__ __forceinline__ float composed(float own, float near, float behind,
                                                 float near_coverage, float behind_coverage)
{
    const float lacking = fmaxf(LEAST_COVERAGE - behind_coverage, 0.0f);
    const float mean =
        (lacking > 0.0f ? behind + lacking * own : behind) / (behind_coverage + lacking);
    const float open = 1.0f - clamped(near_coverage, 0.0f, 1.0f);
    return open > 0.0f ? near + open * mean : near;
}

template <typename Pixel>
static __device__ __forceinline__ float4 compose_pixel(const dof_cuda_frame &frame, int x, int y,
                                                       float4 value, const float4 &near,
                                                       const float4 &behind, bool reached)
{
    value.x = composed(value.x, near.x, behind.x, near.w, behind.w);
    value.y = composed(value.y, near.y, behind.y, near.w, behind.w);
    value.z = composed(value.z, near.z, behind.z, near.w, behind.w);
    if (Pixel::channels == 4 && frame.memory.alpha_layers) {
        const float near_alpha = reached ? alpha_made_of(frame, DOF_NEAR).load(x, y) : 0.0f;
        value.w = composed(value.w, near_alpha, alpha_made_of(frame, DOF_BEHIND).load(x, y), near.w,
                           behind.w);
    }
    return value;
}

template <typename Pixel>
static __device__ __forceinline__ typename Pixel::word write_pixel(const dof_cuda_frame &frame,
                                                                   float4 value,
                                                                   typename Pixel::word src)
{
    if (Pixel::white > 0) { /* the blend of nodes may go below 0, which has no light */
        value =
            make_float4(fmaxf(value.x, 0.0f), fmaxf(value.y, 0.0f), fmaxf(value.z, 0.0f), value.w);
    }
    if (frame.light != IMAGE_LIGHT_STORED) {
        value = light_to_levels<Pixel>(value, light_of(frame));
    }
    const typename Pixel::word word = Pixel::encode(value);
    return Pixel::channels == 4 && !frame.memory.alpha_layers ? Pixel::keep_alpha(word, src) : word;
}

/* A pixel that is sharp, where nothing near gets to, is as it was, bit for bit. */
template <typename Pixel, typename Image>
static __device__ void compose(const dof_cuda_frame &frame, const Image &src, const Image &dst)
{
    const dof_column column(frame);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[column.group];
    const bool blurred = is_blurred(quarters, column.quarter);
    const bool reached = is_reached(quarters, column.quarter);
    typename Pixel::word words[QUARTER_PIXELS] = {};
    float4 near[QUARTER_PIXELS] = {};
    float4 behind[QUARTER_PIXELS] = {};
    float sigmas_px[QUARTER_PIXELS] = {};
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            words[i] = src.load(column.x, column.row(i));
        }
        if (i < column.count && blurred) {
            behind[i] = made_of(frame, DOF_BEHIND).load(column.x, column.row(i));
            sigmas_px[i] = sigmas_of(frame, DOF_BEHIND).load(column.x, column.row(i));
        }
        if (i < column.count && reached) {
            near[i] = made_of(frame, DOF_NEAR).load(column.x, column.row(i));
        }
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        const bool is_kept = near[i].w == 0.0f && sigmas_px[i] < SHARP_PX;
        if (i < column.count && blurred && !is_kept) {
            const float4 value = compose_pixel<Pixel>(frame, column.x, column.row(i),
                                                      read_pixel<Pixel>(frame, words[i]), near[i],
                                                      behind[i], reached);
            words[i] = write_pixel<Pixel>(frame, value, words[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            dst.store(column.x, column.row(i), words[i]);
        }
    }
}

#endif
