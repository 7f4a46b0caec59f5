/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How much a pixel has of each node, and how that changes with its sigma. Used by C and CUDA C. */
#pragma once

#include "kernels/gauss/plan/ladder.h"

/* Nodes lie 3/16 octaves of the ladder apart. The blended transfer function is at most 5e-4 off
 * near sigma 0.4 px and 1.3e-4 from 1 px on, its derivative with respect to sigma 0.9 % and 0.45 %
 * of the largest; at 4/16 it is 1.2e-3 and 2 %. */
#define GAUSS_GRADIENT_APART 3

/* Samples of a level that are left of a node's sigma at least. */
#define GAUSS_GRADIENT_RESIDUAL 1.4f

/* Returns the place of a sigma, counted in our nodes. */
HOST_DEVICE float gauss_gradient_place(float sigma_px)
{
    return gauss_ladder_place(sigma_px) * (1.0f / GAUSS_GRADIENT_APART);
}

/* Returns how fast the place grows with sigma: W'/W over ln 2, W the sum of the sampled
 * Gaussian. */
HOST_DEVICE float gauss_gradient_place_slope(float sigma_px)
{
    const float per_log = GAUSS_LADDER_PER_OCTAVE / (GAUSS_GRADIENT_APART * 0.69314718f);
    if (sigma_px < 0.1f) {
        return 0.0f;
    }
    if (sigma_px > 0.8f) {
        return per_log / sigma_px;
    }
    const float q = expf(-0.5f / (sigma_px * sigma_px));
    const float q4 = q * q * q * q;
    const float sum = 1.0f + 2.0f * (q + q4 * (1.0f + q4 * q));
    const float grows = 2.0f * (q + q4 * (4.0f + 9.0f * q4 * q));
    return per_log * grows / (sum * sigma_px * sigma_px * sigma_px);
}

/* Returns the first of the four nodes that a place blends. */
HOST_DEVICE int32_t gauss_gradient_first(float place, int32_t node_count)
{
    const int32_t before = (int32_t)place - 1;
    const int32_t last = node_count - 4;
    const int32_t first = before < 0 ? 0 : before;
    return first > last ? last : first;
}

/* Returns the weight of a node at a place: 0 for all but four. */
HOST_DEVICE float gauss_gradient_weight(float place, int32_t node, int32_t node_count)
{
    const int32_t first = gauss_gradient_first(place, node_count);
    const int32_t t = node - first;
    const float a = place - (float)first;
    const float b = a - 1.0f, c = a - 2.0f, d = a - 3.0f;
    const float outer = t == 0 ? b * c * d * (-1.0f / 6.0f) : a * b * c * (1.0f / 6.0f);
    const float inner = t == 1 ? a * c * d * 0.5f : a * b * d * -0.5f;
    const float weight = t == 1 || t == 2 ? inner : outer;
    return t >= 0 && t <= 3 ? weight : 0.0f;
}

/* Returns the derivative of that with respect to the place. */
HOST_DEVICE float gauss_gradient_weight_slope(float place, int32_t node, int32_t node_count)
{
    const int32_t first = gauss_gradient_first(place, node_count);
    const int32_t t = node - first;
    const float a = place - (float)first;
    const float square = 3.0f * a * a;
    const float outer = t == 0 ? (square - 12.0f * a + 11.0f) * (-1.0f / 6.0f)
                               : (square - 6.0f * a + 2.0f) * (1.0f / 6.0f);
    const float inner =
        t == 1 ? (square - 10.0f * a + 6.0f) * 0.5f : (square - 8.0f * a + 3.0f) * -0.5f;
    const float slope = t == 1 || t == 2 ? inner : outer;
    return t >= 0 && t <= 3 ? slope : 0.0f;
}
