/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finds a tile's pixels on the ladder of nodes: sigma of each by the law, and the least and
 * most of a warp. A Plan has the law, its table, a run's picture of sigmas, and `end`. Conversions
 * between floats and integers take as long as eight sums and are avoided. */
#pragma once

#include "kernels/gauss/cuda/common/image.cuh"
#include "kernels/gauss/grid.h"
#include "product.cuh"

const int NODES_PIXELS = 8; /* the lane's */

/* A lane has four neighbours of each of two rows: i = 4 half + 2 r + k is the k-th of the left or
 * the right two, of row r. */
struct node_tile {
    int x, y; /* the tile's first pixel */
    node_lane lane;

    MEMBER int column(int i) const
    {
        return x + 4 * lane.pair + i / 4 * 2 + i % 2;
    }
    MEMBER int row(int i) const
    {
        return y + lane.place() + i / 2 % 2 * 2;
    }
};

struct node_places {
    float of[NODES_PIXELS]; /* later from the middle of the tile's nodes, or the first of many */
    float lowest, highest; /* of the warp */
    uint32_t copied; /* a bit for each pixel at node 0, the picture itself */
};

template <int CHANNELS, int COUNT>
DEVICE float4 colour_of(const float (&sums)[CHANNELS][COUNT], int i)
{
    float v[4] = {};
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        v[c] = sums[c][i];
    }
    return make_float4(v[0], v[1], v[2], v[3]);
}

DEVICE float channel_of(const float4 &v, int c)
{
    return c == 0 ? v.x : c == 1 ? v.y : c == 2 ? v.z : v.w;
}

/* 2^23: a float beyond it has an integer in its low bits. */
const float NODES_WHOLE = 8388608.0f;

/* Does gauss_law_plain_at for a law by distance. */
template <typename Plan> DEVICE float radial_plain(const Plan &plan, float distance_px)
{
    const float last = (float)(plan.law.table_count - 1);
    const float place = fminf(distance_px * plan.law.table_per_unit, last);
    const float below = __fadd_rd(fminf(place, last - 1.0f), NODES_WHOLE);
    const float *entry =
        (const float *)plan.table + (__float_as_int(below) - __float_as_int(NODES_WHOLE));
    const float first = __ldg(entry);
    return fmaf(place - (below - NODES_WHOLE), __ldg(entry + 1) - first, first);
}

/* The law is asked here, counted as the gaze is: at the centres of the lane's pixels, or at one
 * place, the middle of a fragment. */
struct node_law_places {
    float column[4], row[2];

    MEMBER float x(int i) const
    {
        return column[i / 4 * 2 + i % 2];
    }
    MEMBER float y(int i) const
    {
        return row[i / 2 % 2];
    }
};

struct node_law_place {
    float at_x, at_y;

    MEMBER float x(int) const
    {
        return at_x;
    }
    MEMBER float y(int) const
    {
        return at_y;
    }
};

DEVICE node_law_places law_places(const gauss_frame &frame, const node_tile &tile)
{
    node_law_places places;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        places.column[k] = (float)min(tile.column(k / 2 * 4 + k % 2), frame.width_px - 1) + 0.5f;
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
        places.row[k] = (float)min(tile.row(2 * k), frame.height_px - 1) + 0.5f;
    }
    return places;
}

/* Finds sigmas before the ramp from distances, if the law is a line. Of the plans that kernels
 * have, those of nodes say so. */
template <int COUNT> DEVICE bool follow_line(const gauss_nodes &nodes, float (&distances)[COUNT])
{
    if (nodes.line_slope <= 0.0f) {
        return false;
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const float sigma = fmaf(distances[i], nodes.line_slope, nodes.line_px);
        distances[i] = fminf(fmaxf(sigma, nodes.line_least_px), nodes.line_most_px);
    }
    return true;
}
template <int COUNT, typename Plan> DEVICE bool follow_line(const Plan &, float (&)[COUNT])
{
    return false;
}

template <int COUNT, typename Plan, typename Places>
DEVICE void radial_sigmas(const gauss_frame &frame, const Plan &plan, const Places &places,
                          float (&sigmas)[COUNT])
{
    const float gaze_x_px = (float)frame.gaze_x_q8 * (1.0f / 256.0f);
    const float gaze_y_px = (float)frame.gaze_y_q8 * (1.0f / 256.0f);
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const float dx = places.x(i) - gaze_x_px;
        const float dy = places.y(i) - gaze_y_px;
        sigmas[i] = ptx_sqrt(fmaf(dx, dx, dy * dy));
    }
    if (!follow_line(plan, sigmas)) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            sigmas[i] = radial_plain(plan, sigmas[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const float risen =
            fmaf(2.0f, sigmas[i], -2.0f * plan.law.sharp_px); /* Does gauss_law_ramp. */
        sigmas[i] = plan.law.strength * fmaxf(fminf(sigmas[i], risen), 0.0f);
    }
}

/* The compiler knows the law's kind. */
template <int KIND, int COUNT, typename Plan, typename Places>
DEVICE void other_sigmas(const gauss_frame &frame, const Plan &plan, const Places &places,
                         float (&sigmas)[COUNT])
{
    gauss_law law = plan.law;
    law.kind = KIND;
    const float gaze_x_px = (float)frame.gaze_x_q8 * (1.0f / 256.0f);
    const float gaze_y_px = (float)frame.gaze_y_q8 * (1.0f / 256.0f);
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        sigmas[i] = gauss_law_sigma_at(&law, (const float *)plan.table, places.x(i), places.y(i),
                                       gaze_x_px, gaze_y_px);
    }
}

/* By the gaze alone. */
template <int COUNT, typename Plan, typename Places>
DEVICE void law_sigmas(const gauss_frame &frame, const Plan &plan, const Places &places,
                       float (&sigmas)[COUNT])
{
    switch (plan.law.kind) {
    case GAUSS_LAW_RADIAL:
        radial_sigmas(frame, plan, places, sigmas);
        break;
    case GAUSS_LAW_PROJECTED:
        other_sigmas<GAUSS_LAW_PROJECTED>(frame, plan, places, sigmas);
        break;
    case GAUSS_LAW_MAP:
        other_sigmas<GAUSS_LAW_MAP>(frame, plan, places, sigmas);
        break;
    default:
        other_sigmas<GAUSS_LAW_MAP_PROJECTED>(frame, plan, places, sigmas);
    }
}

/* This block's image has a picture of sigmas. */
DEVICE float pictured_sigma(const gauss_cuda_sigmas &sigmas, float most_px, int x, int y)
{
    const char *at = (const char *)sigmas.data + blockIdx.z * sigmas.next_bytes +
                     y * sigmas.row_stride_bytes + x * (int64_t)sigmas.pixel_stride_bytes;
    const float value = sigmas.are_halves ? __half2float(__ushort_as_half(*(const uint16_t *)at))
                                          : *(const float *)at;
    return gauss_law_pictured(value, most_px);
}

/* Does gauss_law_pictured. */
template <typename Plan>
DEVICE void pictured_sigmas(const gauss_frame &frame, const Plan &plan, const node_tile &tile,
                            float (&sigmas)[NODES_PIXELS])
{
    const float most_px = __ldg((const float *)plan.table);
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        sigmas[i] = pictured_sigma(plan.sigmas, most_px, min(tile.column(i), frame.width_px - 1),
                                   min(tile.row(i), frame.height_px - 1));
    }
}

/* Returns a pixel's sigma by the others, or what it is by the gaze where that is less. It is
 * called, with a frame of its own, so that one fovea has the registers and a short kernel. */
template <typename Plan>
static __device__ __noinline__ float least_of_others(gauss_frame frame, const Plan &plan, int x,
                                                     int y, float own)
{
#pragma unroll 1
    for (int k = 0; k < plan.others.of.count; k++) {
        const int2 other = other_q8(plan.others, k);
        gauss_frame there = frame;
        there.gaze_x_q8 = other.x;
        there.gaze_y_q8 = other.y;
        own = fminf(own,
                    gauss_frame_sigma(&plan.law, (const float *)plan.table, &frame, &there, x, y));
    }
    return own;
}

/* Does gauss_sigma_at, or gauss_law_pictured. */
template <typename Plan>
DEVICE float sigma_of_pixel(const gauss_frame &frame, const Plan &plan, int x, int y)
{
    const float *table = (const float *)plan.table;
    if (plan.law.kind == GAUSS_LAW_PICTURE) {
        return pictured_sigma(plan.sigmas, table[0], x, y);
    }
    return least_of_others(frame, plan, x, y,
                           gauss_frame_sigma(&plan.law, table, &frame, &frame, x, y));
}

/* Finds sigmas of the lane's pixels by the others. */
template <typename Plan>
static __device__ __noinline__ void find_others(gauss_frame frame, const Plan &plan, node_tile tile,
                                                float *sigmas)
{
#pragma unroll 1
    for (int i = 0; i < NODES_PIXELS; i++) {
        sigmas[i] = least_of_others(frame, plan, min(tile.column(i), frame.width_px - 1),
                                    min(tile.row(i), frame.height_px - 1), INFINITY);
    }
}

template <typename Plan>
DEVICE void pixel_sigmas(const gauss_frame &frame, const Plan &plan, const node_tile &tile,
                         float (&sigmas)[NODES_PIXELS])
{
    law_sigmas(frame, plan, law_places(frame, tile), sigmas);
    if (plan.others.of.count > 0) {
        float by_others[NODES_PIXELS];
        find_others(frame, plan, tile, by_others);
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            sigmas[i] = fminf(sigmas[i], by_others[i]);
        }
    }
}

/* ---- Fragments: a tile has parts of 5 x 5 of them at most. A lane finds one's place on the
 * ladder, and the lane's pixels take theirs from the lanes that have them. */

const int NODES_FRAGMENTS = 5;
static_assert(4 * (NODES_FRAGMENTS - 1) >= NODES_TILE && NODES_FRAGMENTS * NODES_FRAGMENTS <= 32,
              "a tile has more fragments than a warp has lanes");

/* Along an axis of a frame. Floats count pixels exactly, from whichever fragment is first. */
struct node_grid {
    int side_px, shift_px;
    float per_fragment; /* 1 / side */
    float last; /* the picture's last pixel, from fragment 0 on */

    MEMBER node_grid(int gaze_q8, int fragment_px, int picture_px)
        : side_px(fragment_px), per_fragment(1.0f / (float)fragment_px)
    {
        const int moved = (128 * fragment_px - gaze_q8) >> 8;
        shift_px = moved - number((float)moved) * fragment_px; /* Does gauss_grid_shift_px. */
        last = (float)(picture_px - 1 + shift_px);
    }
    /* Returns the number of the fragment of a pixel, counted from fragment 0 on. */
    MEMBER int number(float pixel) const
    {
        const float whole = 1.5f * NODES_WHOLE;
        const float place = __fmaf_rd(pixel + 0.5f, per_fragment, whole);
        return __float_as_int(place) - __float_as_int(whole);
    }
    /* Returns the same for one `beyond` another; outside the picture it is its last pixel's. */
    MEMBER int number(float pixel, int beyond) const
    {
        return number(fminf(pixel + (float)beyond, last));
    }
    MEMBER int middle_px(int fragment) const
    {
        return gauss_grid_middle_px(fragment, side_px, shift_px);
    }
};

/* Returns sigma of the fragment with that middle. */
template <typename Plan>
DEVICE float sigma_of_fragment(const gauss_frame &frame, const Plan &plan, int x, int y)
{
    float sigma[1];
    if (plan.law.kind == GAUSS_LAW_RINGS) {
        const int ring = gauss_grid_ring(x * 256 - frame.gaze_x_q8, y * 256 - frame.gaze_y_q8,
                                         frame.fragment_px, plan.law.table_count);
        sigma[0] = ring < 0 ? 0.0f : plan.law.strength * __ldg((const float *)plan.table + ring);
    } else {
        law_sigmas(frame, plan,
                   node_law_place{gauss_grid_within(x, frame.width_px),
                                  gauss_grid_within(y, frame.height_px)},
                   sigma);
    }
    /* A middle lies in its fragment. */
    return plan.others.of.count > 0 ? least_of_others(frame, plan, x, y, sigma[0]) : sigma[0];
}

template <typename Plan>
DEVICE void find_sigmas(const gauss_frame &frame, const Plan &plan, const node_tile &tile,
                        float (&sigmas)[NODES_PIXELS])
{
    if (plan.law.kind == GAUSS_LAW_PICTURE) {
        pictured_sigmas(frame, plan, tile, sigmas);
    } else {
        pixel_sigmas(frame, plan, tile, sigmas);
    }
}

/* Does gauss_ladder_place for sigma of less than 0.8 px. */
DEVICE float near_place(float sigma_px)
{
    const float g = ptx_ex2(-0.72134752f * ptx_rcp(sigma_px * sigma_px)); /* 1 / (2 sigma^2) */
    const float g_2 = g * g;
    const float g_4 = g_2 * g_2;
    const float sum = 1.0f + 2.0f * (g + g_4 + g_4 * g_4 * g);
    return sigma_px < 0.1f ? 0.0f : GAUSS_LADDER_PER_OCTAVE * ptx_lg2(sum);
}

/* Finds sigmas on the ladder. `wide` takes that of wide light, whose logarithms go down to no
 * blur. */
template <int COUNT>
DEVICE void places_of(bool wide, float end, const float (&sigmas)[COUNT], float (&places)[COUNT])
{
    const float per_px = wide ? 1.0f / GAUSS_LADDER_WIDE_PX : 2.50662827f;
    const float near_px = wide ? 1.001f * GAUSS_LADDER_WIDE_PX : 0.8f;
    float least = sigmas[0];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        places[i] = fminf(GAUSS_LADDER_PER_OCTAVE * ptx_lg2(per_px * sigmas[i]), end);
        least = fminf(least, sigmas[i]);
    }
    if (__any_sync(~0u, least < near_px)) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const float place = wide ? 0.0f : near_place(sigmas[i]);
            places[i] = sigmas[i] < near_px ? fminf(place, end) : places[i];
        }
    }
}

/* Finds the least and the most of the warp, of which the lane has some, and what is copied. These
 * floats are not negative, so their bits are in their order. */
DEVICE void find_range(node_places &places, float lowest, float highest)
{
#if __CUDA_ARCH__ >= 800
    places.lowest = __uint_as_float(__reduce_min_sync(~0u, __float_as_uint(lowest)));
    places.highest = __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(highest)));
#else
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        lowest = fminf(lowest, __shfl_xor_sync(~0u, lowest, distance));
        highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, distance));
    }
    places.lowest = lowest;
    places.highest = highest;
#endif
    places.copied = 0;
    if (places.lowest <= 0.0f) {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            places.copied |= places.of[i] > 0.0f ? 0u : 1u << i;
        }
    }
}

/* Finds the places of a lane's pixels. */
DEVICE void find_places(bool wide, float end, const float (&sigmas)[NODES_PIXELS],
                        node_places &places)
{
    places_of(wide, end, sigmas, places.of);
    float lowest = places.of[0];
    float highest = places.of[0];
#pragma unroll
    for (int i = 1; i < NODES_PIXELS; i++) {
        lowest = fminf(lowest, places.of[i]);
        highest = fmaxf(highest, places.of[i]);
    }
    find_range(places, lowest, highest);
}

/* Does the same where sigma has steps. A lane without a fragment of the tile widens nothing. */
template <typename Plan>
DEVICE void find_fragments(const gauss_frame &frame, bool wide, const Plan &plan,
                           const node_tile &tile, node_places &places)
{
    const node_grid across(frame.gaze_x_q8, frame.fragment_px, frame.width_px);
    const node_grid down(frame.gaze_y_q8, frame.fragment_px, frame.height_px);
    const int first_x = across.number((float)(tile.x + across.shift_px), 0);
    const int first_y = down.number((float)(tile.y + down.shift_px), 0);
    const int lane = (int)threadIdx.x % 32;
    const int x = first_x + lane % NODES_FRAGMENTS;
    const int y = first_y + lane / NODES_FRAGMENTS;
    const bool seen =
        x * frame.fragment_px < min(tile.x + NODES_TILE, frame.width_px) + across.shift_px &&
        y * frame.fragment_px < min(tile.y + NODES_TILE, frame.height_px) + down.shift_px;
    float sigma[1] = {sigma_of_fragment(frame, plan, across.middle_px(x), down.middle_px(y))};
    sigma[0] = seen ? sigma[0] : INFINITY;
    float own[1];
    places_of(wide, plan.end, sigma, own);
    const float column = (float)(tile.column(0) + across.shift_px);
    const float row = (float)(tile.row(0) + down.shift_px);
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        const int from_x = across.number(column, i / 4 * 2 + i % 2) - first_x;
        const int from_y = down.number(row, i / 2 % 2 * 2) - first_y;
        places.of[i] = __shfl_sync(~0u, own[0], from_y * NODES_FRAGMENTS + from_x);
    }
    find_range(places, own[0], seen ? own[0] : 0.0f);
}

/* Pixels outside the picture are treated as the nearest one inside. */
template <typename Plan>
DEVICE void find_places(const gauss_frame &frame, bool wide, const Plan &plan,
                        const node_tile &tile, node_places &places)
{
    const bool blurs = plan.level_count > 0 && frame.gaze_x_q8 != GAZE_NONE;
    if (blurs && frame.fragment_px > 0 && plan.law.kind != GAUSS_LAW_PICTURE) {
        find_fragments(frame, wide, plan, tile, places);
        return;
    }
    float sigmas[NODES_PIXELS] = {};
    if (blurs) {
        find_sigmas(frame, plan, tile, sigmas);
    }
    find_places(wide, plan.end, sigmas, places);
}

/* Chooses the nodes of the warp's tile; `blend` is an enum gauss_blend. */
DEVICE gauss_tile_nodes choose_nodes(int blend, node_places &places)
{
    const gauss_tile_nodes chosen = gauss_tile_nodes_of(places.lowest, places.highest, blend);
    const float per_node = ptx_rcp((float)chosen.apart);
    const float middle = chosen.count > chosen.together ? 0.0f : 0.5f * (float)(chosen.count - 1);
    const float first = fmaf((float)chosen.first, per_node, middle);
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        places.of[i] = fmaf(places.of[i], per_node, -first);
    }
    return chosen;
}
