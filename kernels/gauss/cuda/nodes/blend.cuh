/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The weight of each of a tile's nodes for a pixel: Lagrange weights (gauss/plan/ladder.h) as
 * polynomials of the third degree in the pixel's place on the ladder. */
#pragma once

#include "kernels/cuda/ptx.cuh"
#include "sigma.cuh"

/* The weight of node i of one to four, for a place p counted from their middle: x p^3 + y p^2 + z p
 * + w. */
__constant__ float4 node_polynomials[GAUSS_LADDER_TOGETHER][GAUSS_LADDER_TOGETHER] = {
    {{0.0f, 0.0f, 0.0f, 1.0f}},
    {{0.0f, 0.0f, -1.0f, 0.5f}, {0.0f, 0.0f, 1.0f, 0.5f}},
    {{0.0f, 0.5f, -0.5f, 0.0f}, {0.0f, -1.0f, 0.0f, 1.0f}, {0.0f, 0.5f, 0.5f, 0.0f}},
    {{-1.0f / 6.0f, 0.25f, 1.0f / 24.0f, -0.0625f},
     {0.5f, -0.25f, -1.125f, 0.5625f},
     {-0.5f, -0.25f, 1.125f, 0.5625f},
     {1.0f / 6.0f, 0.25f, -1.0f / 24.0f, -0.0625f}}};

/* Returns a node's weight for a pixel that takes the four nodes around it out of more. */
DEVICE float sliding_weight(float place, float node)
{
    const float s = fminf(fabsf(place - node), 2.0f);
    const float factor = fmaf(s, s < 1.0f ? 0.5f : -1.0f / 6.0f, 0.5f);
    return (1.0f - s) * (2.0f - s) * factor;
}

/* The node before the first does not exist: node i of the first four takes this part of its
 * weight. */
DEVICE float weight_of_none(float place, int i)
{
    const float p = fminf(place, 1.0f);
    const float before = p * (1.0f - p) * (2.0f - p) * (-1.0f / 6.0f);
    return before * (i == 0 ? 4.0f : i == 1 ? -6.0f : i == 2 ? 4.0f : -1.0f);
}

/* Returns what is added to the weight of node i of the first four (gauss_ladder_close). */
DEVICE float close_weight(float place, int i)
{
    return gauss_ladder_close(place) * (i == 0   ? GAUSS_LADDER_CLOSE_0
                                        : i == 1 ? GAUSS_LADDER_CLOSE_1
                                        : i == 2 ? GAUSS_LADDER_CLOSE_2
                                                 : GAUSS_LADDER_CLOSE_3);
}

/* Finds the weights of the tile's node i for a lane's pixels. */
DEVICE void find_weights(const node_places &places, const gauss_tile_nodes &chosen, int i,
                         float (&weights)[NODES_PIXELS])
{
    if (chosen.count > chosen.together) {
#pragma unroll
        for (int k = 0; k < NODES_PIXELS; k++) {
            weights[k] = sliding_weight(places.of[k], (float)i);
        }
        if (chosen.first == 0 && i < 4) {
#pragma unroll
            for (int k = 0; k < NODES_PIXELS; k++) {
                weights[k] += weight_of_none(places.of[k], i);
            }
            if (chosen.apart == GAUSS_LADDER_CLOSE_APART) {
#pragma unroll
                for (int k = 0; k < NODES_PIXELS; k++) {
                    weights[k] += close_weight(places.of[k], i);
                }
            }
        }
        return;
    }
    const float4 by = node_polynomials[chosen.together - 1][i];
#pragma unroll
    for (int k = 0; k < NODES_PIXELS; k++) {
        const float p = places.of[k];
        weights[k] = fmaf(fmaf(fmaf(by.x, p, by.y), p, by.z), p, by.w);
    }
}

/* ---- The same in halves, for neighbours at once: off by up to a thousandth */

/* node_polynomials, each number twice. */
__constant__ uint4 node_half_polynomials[GAUSS_LADDER_TOGETHER][GAUSS_LADDER_TOGETHER] = {
    {{0, 0, 0, 0x3c003c00u}},
    {{0, 0, 0xbc00bc00u, 0x38003800u}, {0, 0, 0x3c003c00u, 0x38003800u}},
    {{0, 0x38003800u, 0xb800b800u, 0},
     {0, 0xbc00bc00u, 0, 0x3c003c00u},
     {0, 0x38003800u, 0x38003800u, 0}},
    {{0xb155b155u, 0x34003400u, 0x29552955u, 0xac00ac00u},
     {0x38003800u, 0xb400b400u, 0xbc80bc80u, 0x38803880u},
     {0xb800b800u, 0xb400b400u, 0x3c803c80u, 0x38803880u},
     {0x31553155u, 0x34003400u, 0xa955a955u, 0xac00ac00u}}};

DEVICE __half2 sliding_weight(float first, float second, float node)
{
    const __half2 one = __float2half2_rn(1.0f);
    const __half2 two = __float2half2_rn(2.0f);
    const __half2 away = __floats2half2_rn(first - node, second - node);
    const __half2 s = __hmin2(__habs2(away), two);
    const uint32_t near = __hle2_mask(s, one);
    const uint32_t slope = (near & 0x38003800u) | (~near & 0xb155b155u); /* 1/2, or -1/6 */
    const __half2 factor = __hfma2(s, half2_of(slope), __float2half2_rn(0.5f));
    return __hmul2(__hmul2(__hsub2(one, s), __hsub2(two, s)), factor);
}

DEVICE void find_weights(const node_places &places, const gauss_tile_nodes &chosen, int i,
                         __half2 (&weights)[NODES_PIXELS / 2])
{
    if (chosen.count > chosen.together) {
#pragma unroll
        for (int k = 0; k < NODES_PIXELS; k += 2) {
            weights[k / 2] = sliding_weight(places.of[k], places.of[k + 1], (float)i);
        }
        if (chosen.first == 0 && i < 4) {
#pragma unroll
            for (int k = 0; k < NODES_PIXELS; k += 2) {
                weights[k / 2] =
                    __hadd2(weights[k / 2], __floats2half2_rn(weight_of_none(places.of[k], i),
                                                              weight_of_none(places.of[k + 1], i)));
            }
        }
        return;
    }
    const uint4 by = node_half_polynomials[chosen.together - 1][i];
    const __half2 x = half2_of(by.x);
    const __half2 y = half2_of(by.y);
    const __half2 z = half2_of(by.z);
    const __half2 w = half2_of(by.w);
#pragma unroll
    for (int k = 0; k < NODES_PIXELS; k += 2) {
        const __half2 p = __floats2half2_rn(places.of[k], places.of[k + 1]);
        weights[k / 2] = __hfma2(__hfma2(__hfma2(x, p, y), p, z), p, w);
    }
}

/* ---- Floats, and wide light: square roots are blended (gauss/plan/ladder.h) */

/* Adds samples, or the square roots of the first channels: of colours, since alpha is no light, or
 * of a layer's all. Either may be by some power of two too large. */
template <int CHANNELS>
DEVICE void add_node(int roots, float of_root, float of_value, const node_places &places,
                     const gauss_tile_nodes &chosen, int i, const float (&outputs)[CHANNELS][2][4],
                     float (&sums)[CHANNELS][NODES_PIXELS])
{
    float weights[NODES_PIXELS];
    find_weights(places, chosen, i, weights);
#pragma unroll
    for (int k = 0; k < NODES_PIXELS; k++) {
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            const float value = outputs[c][k / 4][k % 4];
            const float blended = c < roots ? ptx_sqrt(fmaxf(value, 0.0f)) : value;
            sums[c][k] = fmaf(weights[k] * (c < roots ? of_root : of_value), blended, sums[c][k]);
        }
    }
}

/* Negative weights may make a root below 0. */
template <int CHANNELS, int COUNT>
DEVICE void square_roots(int roots, float (&sums)[CHANNELS][COUNT])
{
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const float root = fmaxf(sums[c][i], 0.0f);
            sums[c][i] = c < roots ? root * root : sums[c][i];
        }
    }
}
