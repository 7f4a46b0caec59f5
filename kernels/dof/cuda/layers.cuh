/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The layers of dof.h, which the machine blurs, and the picture that is composed of them. Bound by
 * memory: a thread makes four pixels, of halves all at once. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "kernels/gauss/cuda/nodes/write.cuh"
#include "kernels/image/light.cuh"
#include "memory.cuh"

DEVICE frame_light light_of(const dof_cuda_frame &frame)
{
    return frame_light(frame.light, frame.light_value, (const float *)frame.light_samples);
}

/* ---- The layer of means where layers are floats, a thread a pixel. Bound by memory: a value in, a
 * sample and one out */

static __device__ void make_layer_of_means(const dof_cuda_frame &frame)
{
    const dof_column column(frame);
    const dof_values<true> offsets = offsets_of<true>(frame);
    const dof_values<true> sigmas = sigmas_of<true>(frame, DOF_NEAR);
    const dof_layer<true> layer = layer_of(frame, DOF_NEAR);
    float offsets_px[QUARTER_PIXELS] = {};
    if (!has_near(frame)) {
        return;
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            offsets_px[i] = offsets.bits(column.x, column.row(i));
        }
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            const float near = dof_nearness(offsets_px[i]);
            layer.store(column.x, column.row(i),
                        make_float4(-near * offsets_px[i], near, 0.0f, 0.0f));
            sigmas.store(column.x, column.row(i), reach_at(frame, column.x, column.row(i)));
        }
    }
}

/* ---- Layers */

/* Layers of halves are of stored values, or of sRGB's light (dof_cuda_takes_floats). */
template <typename Pixel, bool FLOATS>
DEVICE float4 read_pixel(const dof_cuda_frame &frame, typename Pixel::word word)
{
    const float4 value = Pixel::decode(word);
    if (frame.light == IMAGE_LIGHT_STORED) {
        return value;
    }
    return FLOATS ? levels_to_light<Pixel>(value, light_of(frame)) : levels_to_light<Pixel>(value);
}

/* A pixel that a layer has nothing of does not get into it, though it be no number. */
DEVICE float covered(float value, float coverage)
{
    return coverage > 0.0f ? coverage * value : 0.0f;
}

/* Channels that a format has not are 0, as a word of its own has them or not. */
template <typename Pixel> DEVICE float4 channels_of(const float4 &value)
{
    return make_float4(value.x, Pixel::channels >= 3 ? value.y : 0.0f,
                       Pixel::channels >= 3 ? value.z : 0.0f, value.w);
}

template <typename Pixel, bool FLOATS>
DEVICE void put_alpha(const dof_cuda_frame &frame, int x, int y, float alpha, float near,
                      float behind)
{
    if (Pixel::channels == 4 && frame.memory.alpha_layers) {
        alpha_layer_of<FLOATS>(frame, DOF_NEAR).store(x, y, covered(alpha, near));
        alpha_layer_of<FLOATS>(frame, DOF_BEHIND).store(x, y, covered(alpha, behind));
    }
}

DEVICE void put_floats(const dof_cuda_frame &frame, int which, int x, int y, const float4 &value,
                       float coverage)
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
            has_near_ones ? dof_near_sigma(offset_px, sums.x, sums.y, reach_px) : 0.0f;
        const float near = dof_nearness(offset_px);
        const float behind = dof_weight_behind(offset_px);
        const float4 value = channels_of<Pixel>(read_pixel<Pixel, true>(frame, src.load(x, y)));
        sigmas_of<true>(frame, DOF_NEAR).store(x, y, near_px);
        sigmas_of<true>(frame, DOF_BEHIND).store(x, y, dof_sigma_behind(offset_px, near_px));
        put_floats(frame, DOF_NEAR, x, y, value, near);
        put_floats(frame, DOF_BEHIND, x, y, value, behind);
        put_alpha<Pixel, true>(frame, x, y, value.w, near, behind);
    }
}

/* Red and green of two pixels, and blue of both, as they are averaged: halves. */
struct dof_two_colours {
    uint32_t first, second, blues;
};

DEVICE uint32_t bytes_averaged(const dof_cuda_frame &frame, uint32_t two)
{
    return bits_of(frame.light == IMAGE_LIGHT_STORED
                       ? __hsub2(half2_of(two | 0x64006400u), __float2half2_rn(1024.0f))
                       : light_of_bytes(two));
}

template <typename Pixel>
DEVICE dof_two_colours averaged(const dof_cuda_frame &frame, typename Pixel::word first,
                                typename Pixel::word second)
{
    if constexpr (Pixel::white == 255) {
        return {bytes_averaged(frame, __byte_perm(first, 0, 0x4140)),
                bytes_averaged(frame, __byte_perm(second, 0, 0x4140)),
                bytes_averaged(frame, (first >> 16 & 0xffu) | (second & 0xff0000u))};
    } else if constexpr (sizeof(typename Pixel::word) == sizeof(uint2)) { /* halves, as they are */
        return {first.x, second.x, __byte_perm(first.y, second.y, 0x5410)};
    } else {
        const float4 one = channels_of<Pixel>(read_pixel<Pixel, false>(frame, first));
        const float4 other = channels_of<Pixel>(read_pixel<Pixel, false>(frame, second));
        return {mma_rounded(one.x, one.y), mma_rounded(other.x, other.y),
                mma_rounded(one.z, other.z)};
    }
}

/* Makes what the machine reads as both layers of halves (nodes.cuh) of four neighbours. */
template <typename Pixel, typename Words>
DEVICE void make_colours(const dof_cuda_frame &frame, const dof_four &four, const Words &words,
                         const uint2 &offsets)
{
    uint4 *to = (uint4 *)colours_of(frame, (int)blockIdx.z).at(four.x, four.y);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const dof_two_colours two = averaged<Pixel>(frame, words.of[2 * i], words.of[2 * i + 1]);
        const uint32_t two_offsets = i == 0 ? offsets.x : offsets.y;
        to[i] = make_uint4(two.first, __byte_perm(two.blues, two_offsets, 0x5410), two.second,
                           __byte_perm(two.blues, two_offsets, 0x7632));
    }
}

/* Makes a pixel's layers of alpha, and the sigmas of both. */
template <typename Pixel>
DEVICE void make_alpha(const dof_cuda_frame &frame, int x, int y, typename Pixel::word word,
                       float offset_px, bool reached)
{
    const dof_values<false> near = sigmas_of<false>(frame, DOF_NEAR);
    const float near_px = reached ? dof_number(near.bits(x, y)) : 0.0f;
    put_alpha<Pixel, false>(frame, x, y, Pixel::decode(word).w, dof_nearness(offset_px),
                            dof_weight_behind(offset_px));
    near.store(x, y, near_px);
    sigmas_of<false>(frame, DOF_BEHIND).store(x, y, dof_sigma_behind(offset_px, near_px));
}

/* Does so for four neighbours, once sigmas of the near layer are there. */
template <typename Pixel, typename Words>
DEVICE void make_alphas(const dof_cuda_frame &frame, const dof_four &four, const Words &words,
                        const uint2 &offsets)
{
    const bool reached = is_reached(quarters_of(frame, (int)blockIdx.z)[four.group], four.quarter);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t two_offsets = i < 2 ? offsets.x : offsets.y;
        if (four.x + i < frame.width_px) {
            make_alpha<Pixel>(frame, four.x + i, four.y, words.of[i],
                              dof_number((uint16_t)(two_offsets >> i % 2 * 16)), reached);
        }
    }
}

/* Makes one of both for a group, where a blurred pixel looks. A thread has two quarters under way
 * at once. */
template <typename Pixel, typename Image>
static __device__ void make_group(const dof_cuda_frame &frame, const Image &src)
{
    const int group = group_of_block(frame);
    const clamped_image<Image> clamped = {src, frame.width_px - 1, frame.height_px - 1};
    const bool runs = has_runs(src, 4);
    if (!reads_of(frame, (int)blockIdx.z, DOF_NEAR)[group] &&
        !reads_of(frame, (int)blockIdx.z, DOF_BEHIND)[group]) {
        return;
    }
#pragma unroll 1
    for (int row = 0; row < 2; row++) {
        typename clamped_image<Image>::four words[2] = {};
        uint2 offsets[2] = {};
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const dof_four four(frame, 2 * (int)blockIdx.x + i, 2 * (int)blockIdx.y + row);
            if (four.is_inside) {
                words[i] = load_four(clamped, runs && four.x + 4 <= frame.width_px, four.x, four.y);
                offsets[i] = *(const uint2 *)offsets_of<false>(frame).at(four.x, four.y);
            }
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const dof_four four(frame, 2 * (int)blockIdx.x + i, 2 * (int)blockIdx.y + row);
            if (four.is_inside && frame.makes_alpha) {
                make_alphas<Pixel>(frame, four, words[i], offsets[i]);
            } else if (four.is_inside) {
                make_colours<Pixel>(frame, four, words[i], offsets[i]);
            }
        }
    }
}

/* ---- Out */

/* Shares of a pixel whose coverages these are. */
struct dof_shares {
    float lacking, per_behind, open;

    MEMBER dof_shares(float near_coverage, float behind_coverage)
        : lacking(fmaxf(DOF_LEAST_COVERAGE - behind_coverage, 0.0f)),
          per_behind(ptx_rcp(behind_coverage + lacking)),
          open(1.0f - dof_clamped(near_coverage, 0.0f, 1.0f))
    {
    }
    /* A channel that has `own` in the picture. */
    MEMBER float composed(float own, float near, float behind) const
    {
        const float mean = (lacking > 0.0f ? behind + lacking * own : behind) * per_behind;
        return open > 0.0f ? near + open * mean : near;
    }
};

/* The picture's own colour counts only where there is too little behind. */
template <typename Pixel, bool FLOATS>
DEVICE float4 compose_pixel(const dof_cuda_frame &frame, int x, int y, typename Pixel::word word,
                            const float4 &near, const float4 &behind, bool reached)
{
    const dof_shares shares(near.w, behind.w);
    const bool has_alpha = Pixel::channels == 4 && frame.memory.alpha_layers;
    float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (shares.lacking > 0.0f || has_alpha) {
        value = read_pixel<Pixel, FLOATS>(frame, word);
    }
    value.x = shares.composed(value.x, near.x, behind.x);
    value.y = shares.composed(value.y, near.y, behind.y);
    value.z = shares.composed(value.z, near.z, behind.z);
    if (has_alpha) {
        const float near_alpha =
            reached ? dof_number(alpha_made_of<FLOATS>(frame, DOF_NEAR).bits(x, y)) : 0.0f;
        value.w = shares.composed(value.w, near_alpha,
                                  dof_number(alpha_made_of<FLOATS>(frame, DOF_BEHIND).bits(x, y)));
    }
    return value;
}

template <typename Pixel>
DEVICE typename Pixel::word write_floats(const dof_cuda_frame &frame, float4 value)
{
    if (Pixel::white > 0) { /* the blend of nodes may go below 0, which has no light */
        value =
            make_float4(fmaxf(value.x, 0.0f), fmaxf(value.y, 0.0f), fmaxf(value.z, 0.0f), value.w);
    }
    if (frame.light != IMAGE_LIGHT_STORED) {
        value = light_to_levels<Pixel>(value, light_of(frame));
    }
    return Pixel::encode(value);
}

/* Does light_to_srgb where branches would take longer than both of its parts. */
DEVICE float srgb_of(float light)
{
    const float power = ptx_ex2(ptx_lg2(fmaxf(light, 0.0f)) * (1.0f / 2.4f));
    return light <= 0.0031308f ? light * 12.92f : fmaf(1.055f, power, -0.055f);
}

template <typename Pixel>
DEVICE typename Pixel::word write_halves(const dof_cuda_frame &frame, const float4 &value)
{
    if constexpr (Pixel::white == 0) {
        return Pixel::encode(value);
    } else {
        const int bits = Pixel::white == 255 ? 8 : 10;
        const float per_level = 1.0f / Pixel::white;
        const bool is_light = frame.light != IMAGE_LIGHT_STORED;
        const float red = is_light ? srgb_of(value.x) : per_level * value.x;
        const float green = is_light ? srgb_of(value.y) : per_level * value.y;
        const float blue = is_light ? srgb_of(value.z) : per_level * value.z;
        const float alpha = value.w * (1.0f / Pixel::alpha_white);
        return level_of_share(__saturatef(red), Pixel::white) |
               level_of_share(__saturatef(green), Pixel::white) << bits |
               level_of_share(__saturatef(blue), Pixel::white) << 2 * bits |
               level_of_share(__saturatef(alpha), Pixel::alpha_white) << 3 * bits;
    }
}

template <typename Pixel, bool FLOATS>
DEVICE typename Pixel::word write_pixel(const dof_cuda_frame &frame, const float4 &value,
                                        typename Pixel::word src)
{
    const typename Pixel::word word =
        FLOATS ? write_floats<Pixel>(frame, value) : write_halves<Pixel>(frame, value);
    return Pixel::channels == 4 && !frame.memory.alpha_layers ? Pixel::keep_alpha(word, src) : word;
}

template <typename Pixel, bool FLOATS>
DEVICE typename Pixel::word composed_word(const dof_cuda_frame &frame, int x, int y,
                                          typename Pixel::word word, const float4 &near,
                                          const float4 &behind, bool reached)
{
    return write_pixel<Pixel, FLOATS>(
        frame, compose_pixel<Pixel, FLOATS>(frame, x, y, word, near, behind, reached), word);
}

/* Takes layers of floats. A pixel that is sharp, where nothing near gets to, is as it was, bit for
 * bit. */
template <typename Pixel, typename Image>
static __device__ void compose_floats(const dof_cuda_frame &frame, const Image &src,
                                      const Image &dst)
{
    const dof_column column(frame);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[column.group];
    const bool blurred = is_blurred(quarters, column.quarter);
    const bool reached = is_reached(quarters, column.quarter);
#pragma unroll 1
    for (int i = 0; i < column.count; i++) {
        const int x = column.x;
        const int y = column.row(i);
        typename Pixel::word word = src.load(x, y);
        if (blurred) {
            const float4 behind = made_of<true>(frame, DOF_BEHIND).bits(x, y);
            const float sigma_px = sigmas_of<true>(frame, DOF_BEHIND).bits(x, y);
            const float4 near = reached ? made_of<true>(frame, DOF_NEAR).bits(x, y)
                                        : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (near.w != 0.0f || !(sigma_px < SHARP_PX)) {
                word = composed_word<Pixel, true>(frame, x, y, word, near, behind, reached);
            }
        }
        dst.store(x, y, word);
    }
}

/* Does so with halves: a thread makes four neighbours. */
template <typename Pixel, typename Image>
static __device__ void compose_halves(const dof_cuda_frame &frame, const Image &src,
                                      const Image &dst)
{
    const dof_four four(frame, (int)blockIdx.x, (int)blockIdx.y);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[four.group];
    const bool blurred = is_blurred(quarters, four.quarter);
    const bool reached = is_reached(quarters, four.quarter);
    const clamped_image<Image> clamped = {src, frame.width_px - 1, frame.height_px - 1};
    const bool fits = four.x + 4 <= frame.width_px;
    tile_words<uint2, 4> behind = {};
    tile_words<uint2, 4> near = {};
    uint2 offsets = {};
    uint2 sigmas = {};
    if (!four.is_inside) {
        return;
    }
    auto words = load_four(clamped, has_runs(src, 4) && fits, four.x, four.y);
    if (blurred) {
        const uint4 *from = (const uint4 *)made_of<false>(frame, DOF_BEHIND).at(four.x, four.y);
        ((uint4 *)behind.of)[0] = from[0];
        ((uint4 *)behind.of)[1] = from[1];
        offsets = *(const uint2 *)offsets_of<false>(frame).at(four.x, four.y);
    }
    if (reached) {
        const uint4 *from = (const uint4 *)made_of<false>(frame, DOF_NEAR).at(four.x, four.y);
        ((uint4 *)near.of)[0] = from[0];
        ((uint4 *)near.of)[1] = from[1];
        sigmas = *(const uint2 *)sigmas_of<false>(frame, DOF_NEAR).at(four.x, four.y);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t two_offsets = i < 2 ? offsets.x : offsets.y;
        const uint32_t two_sigmas = i < 2 ? sigmas.x : sigmas.y;
        const float sigma_px = dof_sigma_behind(dof_number((uint16_t)(two_offsets >> i % 2 * 16)),
                                                dof_number((uint16_t)(two_sigmas >> i % 2 * 16)));
        const float4 near_layer = dof_number(near.of[i]);
        if (blurred && (near_layer.w != 0.0f || !(sigma_px < SHARP_PX))) {
            words.of[i] = composed_word<Pixel, false>(frame, min(four.x + i, frame.width_px - 1),
                                                      four.y, words.of[i], near_layer,
                                                      dof_number(behind.of[i]), reached);
        }
    }
    store_run(dst, has_runs(dst, 4), four.x, four.y, frame.width_px, words);
}
