/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The weight of each of a tile's nodes for a pixel: Lagrange weights (foveate/plan/ladder.h) as
 * polynomials of the third degree in the pixel's place on the ladder. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_BLEND_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_BLEND_CUH

#include "sigma.cuh"

/* The weight of node i of one to four, for a place p counted from the first node: x p^3 + y p^2 + z
 * p + w. */
__constant__ float4 node_polynomials[FOVEATE_LADDER_TOGETHER][FOVEATE_LADDER_TOGETHER] = {
    {{0.0f, 0.0f, 0.0f, 1.0f}},
    {{0.0f, 0.0f, -1.0f, 1.0f}, {0.0f, 0.0f, 1.0f, 0.0f}},
    {{0.0f, 0.5f, -1.5f, 1.0f}, {0.0f, -1.0f, 2.0f, 0.0f}, {0.0f, 0.5f, -0.5f, 0.0f}},
    {{-1.0f / 6.0f, 1.0f, -11.0f / 6.0f, 1.0f},
     {0.5f, -2.5f, 3.0f, 0.0f},
     {-0.5f, 2.0f, -1.5f, 0.0f},
     {1.0f / 6.0f, -0.5f, 1.0f / 3.0f, 0.0f}}};

/* Returns a node's weight for a pixel that takes the four nodes around it out of more. */
static __device__ __forceinline__ float sliding_weight(float place, float node)
{
    const float s = fminf(fabsf(place - node), 2.0f);
    const bool within = s < 1.0f;
    const float a = within ? 0.5f : -1.0f / 6.0f;
    const float b = within ? -1.0f : 1.0f;
    const float c = within ? -0.5f : -11.0f / 6.0f;
    return fmaf(fmaf(fmaf(a, s, b), s, c), s, 1.0f);
}

/* The node before the first does not exist: node i of the first four takes this part of its
 * weight. */
static __device__ __forceinline__ float weight_of_none(float place, int i)
{
    const float p = fminf(place, 1.0f);
    const float before = p * (1.0f - p) * (2.0f - p) * (-1.0f / 6.0f);
    return before * (i == 0 ? 4.0f : i == 1 ? -6.0f : i == 2 ? 4.0f : -1.0f);
}

/* Finds the weights of the tile's node i for a lane's pixels. */
static __device__ __forceinline__ void find_weights(const node_places &places,
                                                    const foveate_tile_nodes &chosen, int i,
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

#endif
