/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ladder: sigmas that pictures are blurred with as a whole, its nodes, and the weights by which
 * a pixel of any sigma blends the pictures of the nodes around its own.
 *
 * A sigma's coordinate is c = log2 W, W the sum over all whole k of exp(-k^2 / (2 sigma^2)): the
 * sum of the sampled Gaussian. It is 0 at sigma 0, log2(sqrt(2 pi) sigma) from sigma 0.8 on, and
 * smooth between, so that one rule serves from the copied pixel to the largest blur. Node i has c =
 * i / GAUSS_LADDER_PER_OCTAVE; a *place* is a coordinate counted in nodes. Node 0 is the picture
 * itself.
 *
 * Wide light (gauss/pyramid.h) shows a neighbour from a billionth of its light on. There c is
 * log2(sigma / 0.1 px), along which the logarithm of such a share is smooth, and less is no blur;
 * and what is blended is the square root of each colour, whose square is the pixel's. Light itself,
 * blended, is 79 of PQ's 1,023 codes off beside what is bright; its codes are no better than the
 * root, and cost a transfer function a node.
 *
 * In C a picture of a node is made from one level of the pyramid (gauss/pyramid.h):
 * gauss_node_row_of has the weights of its samples for a pixel, blur and up-sampling at once, for
 * each axis alike. A tile of pixels takes the few nodes that gauss_tile_nodes_of says, and each
 * of its pixels Lagrange's weights for two to four of them. Used by C and CUDA C; what is
 * HOST_DEVICE is short enough to be said again in GLSL. */
#pragma once

#include "kernels/gauss/pyramid.h"

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GAUSS_LADDER_PER_OCTAVE 16
/* Twelve times what foveation's defaults do at strength 8. Beyond it settings make no picture. */
#define GAUSS_MAX_SIGMA_PX 1024.0
/* The ladder goes up to that, and the nodes that are blended beyond it. */
#define GAUSS_LADDER_NODES 226
#define GAUSS_LADDER_TAPS 352 /* samples of a node, at most, for the widest light */
#define GAUSS_LADDER_TOGETHER 4 /* nodes that a pixel blends, at most */

/* Nodes lie farther apart from these sigmas on: 0.8 px, for floats 2 px, for wide light 0.6 px. */
#define GAUSS_LADDER_FAR 16.0f
#define GAUSS_LADDER_FLOATS_FAR 37.0f
#define GAUSS_LADDER_WIDE_FAR 41.0f

/* At this sigma a neighbour weighs exp(-50). */
#define GAUSS_LADDER_WIDE_PX 0.1f

/* Returns the place of a sigma in wide light. */
HOST_DEVICE float gauss_ladder_wide_place(float sigma_px)
{
    return sigma_px > GAUSS_LADDER_WIDE_PX
               ? GAUSS_LADDER_PER_OCTAVE * log2f(sigma_px * (1.0f / GAUSS_LADDER_WIDE_PX))
               : 0.0f;
}

/* Returns the place of a sigma in any other light. */
HOST_DEVICE float gauss_ladder_place(float sigma_px)
{
    if (sigma_px < 0.1f) {
        return 0.0f;
    }
    if (sigma_px > 0.8f) {
        return GAUSS_LADDER_PER_OCTAVE * (log2f(sigma_px) + 1.32574806f);
    }
    /* exp(-4 / 2 sigma^2) is q^4, exp(-9 / 2 sigma^2) q^9. */
    const float q = expf(-0.5f / (sigma_px * sigma_px));
    const float q4 = q * q * q * q;
    return GAUSS_LADDER_PER_OCTAVE * log2f(1.0f + 2.0f * (q + q4 * (1.0f + q4 * q)));
}

/* Returns the place of a sigma in a plan's light. */
HOST_DEVICE float gauss_light_place(int32_t light, float sigma_px)
{
    return image_light_is_wide(light) ? gauss_ladder_wide_place(sigma_px)
                                      : gauss_ladder_place(sigma_px);
}

/* A tile's nodes are first, first + apart, .., `count` of them. A pixel blends `together`
 * neighbours. */
struct gauss_tile_nodes {
    int32_t first;
    int32_t apart;
    int32_t count;
    int32_t together; /* 1 to 4; less than count only if 4 */
};

/* How exactly nodes must be blended: light shows errors more, and wide light most. */
enum gauss_blend {
    GAUSS_BLEND_STORED = 0,
    GAUSS_BLEND_LIGHT = 1,
    GAUSS_BLEND_WIDE = 2,
    GAUSS_BLEND_FLOATS = 3, /* which may be light, and have no levels to hide in */
};

HOST_DEVICE int32_t gauss_light_blend(int32_t light)
{
    return image_light_is_wide(light)    ? GAUSS_BLEND_WIDE
           : light != IMAGE_LIGHT_STORED ? GAUSS_BLEND_LIGHT
                                         : GAUSS_BLEND_STORED;
}

/* Distances of nodes: 2, 3 or 4 nodes that enclose all places of a tile may lie so far apart, as
 * may the nodes of a longer row, of which a pixel has two on either side. */
HOST_DEVICE int32_t gauss_blend_apart(int32_t blend, bool is_far, int32_t nodes)
{
    if (blend == GAUSS_BLEND_WIDE) {
        return nodes == 2 ? 0 : nodes == 3 ? 1 : nodes == 4 || !is_far ? 2 : 3;
    }
    if (blend == GAUSS_BLEND_FLOATS) {
        return nodes == 2 ? 0 : nodes < 5 ? 2 : is_far ? 4 : 3;
    }
    if (is_far) {
        const int32_t four = blend == GAUSS_BLEND_LIGHT ? 4 : 6;
        return nodes == 2 ? 2 : nodes == 3 ? 4 : nodes == 4 ? four : 6;
    }
    if (blend == GAUSS_BLEND_LIGHT) {
        return nodes - 1;
    }
    return nodes == 2 ? 1 : nodes == 3 ? 3 : nodes == 4 ? 4 : 6;
}

HOST_DEVICE float gauss_blend_far(int32_t blend)
{
    return blend == GAUSS_BLEND_WIDE     ? GAUSS_LADDER_WIDE_FAR
           : blend == GAUSS_BLEND_FLOATS ? GAUSS_LADDER_FLOATS_FAR
                                         : GAUSS_LADDER_FAR;
}

/* Returns the nodes for places from lowest to highest. */
HOST_DEVICE struct gauss_tile_nodes gauss_tile_nodes_of(float lowest, float highest, int32_t blend)
{
    const bool is_far = lowest >= gauss_blend_far(blend);
    struct gauss_tile_nodes nodes;
    nodes.first = (int32_t)lowest;
    const int32_t reach = (int32_t)ceilf(highest) - nodes.first;
    if (reach <= 0) { /* both on the node */
        nodes.apart = 1;
        nodes.count = 1;
        nodes.together = 1;
        return nodes;
    }
    for (int32_t n = 2; n <= GAUSS_LADDER_TOGETHER; n++) {
        nodes.apart = (reach + n - 2) / (n - 1);
        if (nodes.apart <= gauss_blend_apart(blend, is_far, n)) {
            nodes.count = n;
            nodes.together = n;
            return nodes;
        }
    }
    nodes.apart = gauss_blend_apart(blend, is_far, GAUSS_LADDER_TOGETHER + 1);
    nodes.first = nodes.first > nodes.apart ? nodes.first - nodes.apart : 0;
    nodes.count = (int32_t)((highest - (float)nodes.first) / (float)nodes.apart) + 3;
    nodes.together = GAUSS_LADDER_TOGETHER;
    return nodes;
}

/* Returns the first of a tile's nodes that a place blends, from 0, and in *out_at the place from
 * there, counted in nodes of the tile. */
HOST_DEVICE int32_t gauss_tile_nodes_at(const struct gauss_tile_nodes *nodes, float place,
                                        float *out_at)
{
    const float at = (place - (float)nodes->first) / (float)nodes->apart;
    int32_t first = 0;
    if (nodes->count > nodes->together) {
        first = (int32_t)at - 1;
        first = first < 0 ? 0 : first;
        first = first > nodes->count - nodes->together ? nodes->count - nodes->together : first;
    }
    *out_at = at - (float)first;
    return first;
}

/* Writes the Lagrange weights of `together` nodes at 0, 1, .. for a place `at`; their sum is 1. */
HOST_DEVICE void gauss_ladder_weights(float at, int32_t together, float out[GAUSS_LADDER_TOGETHER])
{
    const float a = at, b = at - 1.0f, c = at - 2.0f, d = at - 3.0f;
    out[0] = 1.0f;
    out[1] = out[2] = out[3] = 0.0f;
    if (together == 2) {
        out[0] = -b;
        out[1] = a;
    } else if (together == 3) {
        out[0] = 0.5f * b * c;
        out[1] = -a * c;
        out[2] = 0.5f * a * b;
    } else if (together == 4) {
        out[0] = b * c * d * (-1.0f / 6.0f);
        out[1] = a * c * d * 0.5f;
        out[2] = a * b * d * -0.5f;
        out[3] = a * b * c * (1.0f / 6.0f);
    }
}

/* Lagrange's weights leave a pixel whose sigma is about 0.3 px 1.8e-4 of white neighbours too much
 * where the picture itself and nodes 3, 6 and 9 are blended. These, times p (p - 1) (p - 2) (p - 3)
 * for a place p of up to 2, counted in nodes of the tile, are added to the weights of its first
 * four nodes, and leave 3.2e-5 (tests/fit/fits.py). */
#define GAUSS_LADDER_CLOSE_APART 3
#define GAUSS_LADDER_CLOSE_0 -0.0150f
#define GAUSS_LADDER_CLOSE_1 0.0563f
#define GAUSS_LADDER_CLOSE_2 -0.0686f
#define GAUSS_LADDER_CLOSE_3 0.0273f

/* Returns whether a tile's nodes are a row that begins so. */
HOST_DEVICE bool gauss_tile_nodes_close(const struct gauss_tile_nodes *nodes)
{
    return nodes->first == 0 && nodes->apart == GAUSS_LADDER_CLOSE_APART &&
           nodes->count > nodes->together;
}

/* Returns the factor of those numbers. */
HOST_DEVICE float gauss_ladder_close(float place)
{
    const float p = fminf(place, 2.0f);
    return p * (p - 1.0f) * (p - 2.0f) * (p - 3.0f);
}

/* ---- On the host: gauss/plan/ladder.c ------------------------------------------------------ */

struct gauss_node {
    double sigma_px;
    int32_t level; /* the level whose samples it is made from */
    double residual; /* the residual sigma in samples: sqrt(sigma^2 - v_level) / 2^level */
};

/* Returns c of a sigma, and back, except in wide light. */
double gauss_ladder_coordinate(double sigma_px);
double gauss_ladder_sigma_px(double coordinate);

/* Returns node i for a pyramid of so many levels: on the coarsest with at least
 * gauss_light_residual(light) left. */
struct gauss_node gauss_ladder_node(int32_t i, int32_t light, int32_t level_count);

struct gauss_plan;
/* Returns what a plan's frames have as node i. Where all pixels have one sigma, the nodes that
 * tiles choose for it are that sigma's: a blend of equal pictures is the picture, whatever the
 * weights, of which some are negative. */
struct gauss_node gauss_plan_node(const struct gauss_plan *plan, int32_t i, int32_t light,
                                  int32_t level_count);

/* The samples of a node's level that a pixel sees along an axis. The sum of the weights is 1. */
struct gauss_node_row {
    int32_t first;
    int32_t count; /* at most gauss_node_taps(node, reach) */
    double weights[GAUSS_LADDER_TAPS];
};

/* Finds those within `reach` residual sigmas of pixel px, at (px + 0.5) / 2^level - 0.5 samples. */
void gauss_node_row_of(const struct gauss_node *node, double reach, int32_t px,
                       struct gauss_node_row *out_row);
/* The same without their weights. */
void gauss_node_span_of(const struct gauss_node *node, double reach, int32_t px,
                        struct gauss_node_row *out_row);
int32_t gauss_node_taps(const struct gauss_node *node, double reach);

/* Returns how many residual sigmas the ladder's node reaches where Gaussians reach so many. From
 * 0.4 samples on it reaches two, since nodes that are blended with it do. */
#define GAUSS_LADDER_REACH_FROM 0.4
#define GAUSS_LADDER_REACH 2.01
double gauss_node_reach(const struct gauss_node *node, double reach);

#ifdef __cplusplus
}
#endif
