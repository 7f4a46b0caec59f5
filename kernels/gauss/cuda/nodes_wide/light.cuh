/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture from nodes of wide light (nodes/params.h), and level 0, for pixels of whole numbers:
 * a warp makes a tile of 16 x 16 pixels. Products take halves, as levels have them; weights are
 * scaled, so that tails are seen. Square roots are blended (gauss/plan/ladder.h). */
#pragma once

#include "kernels/gauss/cuda/nodes/blend.cuh"
#include "kernels/gauss/cuda/nodes/levels.cuh"
#include "kernels/gauss/cuda/nodes/write.cuh"

const int LIGHT_COLOURS = 3; /* Alpha is no light. */

/* ---- Pixels. What depends on the kind of light is chosen once, so that the code that runs is
 * short: a multiprocessor fetches it from far away */

/* Calls `use` with a light whose kind the compiler knows, but which colour of HLG is first. */
template <typename Use> DEVICE void with_kind(frame_light light, const Use &use)
{
    switch (light.kind) {
    case IMAGE_LIGHT_PQ:
        light.kind = IMAGE_LIGHT_PQ;
        use(light);
        break;
    case IMAGE_LIGHT_GAMMA:
        light.kind = IMAGE_LIGHT_GAMMA;
        use(light);
        break;
    case IMAGE_LIGHT_TABLE:
        light.kind = IMAGE_LIGHT_TABLE;
        use(light);
        break;
    case IMAGE_LIGHT_HLG:
        light.kind = IMAGE_LIGHT_HLG;
        use(light);
        break;
    default:
        light.kind = IMAGE_LIGHT_HLG_BLUE_FIRST;
        use(light);
    }
}

/* The display's samples lie behind the law's table. */
DEVICE frame_light light_of(const gauss_frame &frame, const gauss_nodes &nodes)
{
    return frame_light(frame.light, frame.light_value,
                       (const float *)nodes.table + nodes.law.table_count);
}

/* ---- Level 0, a four a thread; a block finds the light of each level of a colour once */

template <typename Pixel> struct light_of_levels {
    float of[Pixel::white + 1];

    MEMBER void fill(const frame_light &light, int thread, int threads)
    {
        with_kind(light, [&](const frame_light &known) {
            for (int i = thread; i <= Pixel::white; i += threads) {
                of[i] = encoded_to_light((float)i * (1.0f / Pixel::white), known);
            }
        });
        __syncthreads();
    }
    /* Alpha is stored around the middle of its range, where halves are closest. */
    MEMBER float4 sample(typename Pixel::word word, const frame_light &light) const
    {
        const uint32_t mask = Pixel::white;
        const int bits = Pixel::white == 255 ? 8 : 10;
        const float4 levels = Pixel::decode(word);
        float4 v = make_float4(of[word & mask], of[word >> bits & mask],
                               of[word >> 2 * bits & mask], levels.w - 0.5f * Pixel::alpha_white);
        if (image_light_is_hlg(light.kind)) {
            v = apply_ootf<Pixel>(v, light.kind, light.value - 1.0f);
        }
        return scaled_colors(v, IMAGE_LIGHT_SCALE);
    }
};

template <typename Pixel, int CHANNELS, typename Image>
DEVICE void make_light_level(const gauss_frame &frame, const gauss_nodes &nodes,
                             const light_of_levels<Pixel> &lights, const Image &src, int four,
                             int row)
{
    const node_level<CHANNELS> level(nodes, levels_of_image(nodes), 0);
    if (four >= level.fours || row >= level.rows) {
        return;
    }
    const int x = 4 * four - GAUSS_LIGHT_BESIDE;
    const frame_light light = light_of(frame, nodes);
    node_run<Pixel> run = run_of_pixels<Pixel>(frame, src, x, row - GAUSS_NODES_MARGIN);
    run.move_to(x, frame.width_px);
    char *to = level.four_at(row, four);
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i] = lights.sample(run.of[i], light);
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        *(uint2 *)(to + 8 * c) = make_uint2(mma_rounded(channel_of(v[0], c), channel_of(v[1], c)),
                                            mma_rounded(channel_of(v[2], c), channel_of(v[3], c)));
    }
}

/* ---- A node's window for a tile, as a lane reads it */

template <int CHANNELS> struct light_window {
    node_level<CHANNELS> level;
    int four, row; /* the lane's first; the other one of 16 rows is two on */
    int steps;
    const uint4 *across;
    const uint4 *down;

    MEMBER light_window(const gauss_nodes &nodes, const gauss_wide_node &node,
                        const node_tile &tile)
        : level(nodes, levels_of_image(nodes), node.level),
          four(((gauss_light_window(&node, tile.x) + GAUSS_LIGHT_BESIDE) >> 2) + tile.lane.pair),
          row(gauss_light_window(&node, tile.y) + tile.lane.place()), steps(node.steps),
          across(matrix(nodes, node, tile.x)), down(matrix(nodes, node, tile.y))
    {
    }
    DEVICE const uint4 *matrix(const gauss_nodes &nodes, const gauss_wide_node &node, int px)
    {
        const int phase = px / NODES_TILE & (gauss_nodes_phases(node.level) - 1);
        return (const uint4 *)(nodes.matrices + GAUSS_LIGHT_MATRICES_AT) +
               (node.matrix + phase * node.steps) * 32 + threadIdx.x % 32;
    }
};

DEVICE void light_multiply(float (&d)[4], const uint4 &a, uint32_t b0, uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t words[4] = {a.x, a.y, a.z, a.w};
    mma_add(d, words, b0, b1);
#else
    mma_add_of_8(d, make_uint2(a.x, a.y), b0);
    mma_add_of_8(d, make_uint2(a.z, a.w), b1);
#endif
}

/* Makes a node's pixels, times its scale. A window has so many steps along either
 * axis, of which AT_ONCE are loaded at once: where both are the same number the compiler
 * knows it. */
template <int AT_ONCE, int CHANNELS>
DEVICE void light_product(const light_window<CHANNELS> &window, int steps, float unscale,
                          float (&outputs)[CHANNELS][2][4])
{
    const int last = window.level.fours - 1;
#pragma unroll 1
    for (int p = 0; p < steps; p++) {
        const char *rows[2] = {window.level.row_at(window.row + 16 * p),
                               window.level.row_at(window.row + 16 * p + 2)};
        const uint4 down = __ldg(window.down + 32 * p);
        float filtered[2][CHANNELS][4] = {};
#pragma unroll 1
        for (int first = 0; first < steps; first += AT_ONCE) {
            /* Beyond the level its outermost fours stand for all. */
            uint2 samples[AT_ONCE][2 * CHANNELS];
#pragma unroll
            for (int q = 0; q < AT_ONCE; q++) {
                const int four = min(max(window.four + 4 * (first + q), 0), last);
                const uint32_t at = (uint32_t)(four * node_level<CHANNELS>::four_bytes);
#pragma unroll
                for (int i = 0; i < 2 * CHANNELS; i++) {
                    samples[q][i] =
                        __ldg((const uint2 *)(rows[i / CHANNELS] + at + 8 * (i % CHANNELS)));
                }
            }
#pragma unroll
            for (int q = 0; q < AT_ONCE; q++) {
                const uint4 across = __ldg(window.across + 32 * (first + q));
#pragma unroll
                for (int i = 0; i < 2 * CHANNELS; i++) {
                    light_multiply(filtered[i / CHANNELS][i % CHANNELS], across, samples[q][i].x,
                                   samples[q][i].y);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 2 * CHANNELS; i++) {
            uint32_t b[2];
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const float *of = &filtered[r][i / 2][i % 2 * 2];
                b[r] = mma_rounded(unscale * of[0], unscale * of[1]);
            }
            light_multiply(outputs[i / 2][i % 2], down, b[0], b[1]);
        }
    }
}

template <int CHANNELS>
DEVICE void light_product(const light_window<CHANNELS> &window, float unscale,
                          float (&outputs)[CHANNELS][2][4])
{
    switch (window.steps) {
    case 1:
        light_product<1>(window, 1, unscale, outputs);
        break;
    case 2:
        light_product<2>(window, 2, unscale, outputs);
        break;
    case 3:
        light_product<3>(window, 3, unscale, outputs);
        break;
    case 4:
        light_product<4>(window, 4, unscale, outputs);
        break;
    default:
        light_product<1>(window, window.steps, unscale, outputs);
    }
}

/* ---- Blending */

/* Returns whether any pixel of the warp blends the node: fragments leave out some of a long row.
 * The fourth stands in for the one before the first (blend.cuh). */
DEVICE bool is_blended(const node_places &places, int i)
{
    bool any = false;
#pragma unroll
    for (int k = 0; k < NODES_PIXELS; k++) {
        const float place = places.of[k];
        any = any || fabsf(place - (float)i) < 2.0f || (i == 3 && place < 1.0f);
    }
    return __any_sync(~0u, any);
}

/* Adds the tile's nodes from `first` on, `apart` from each other. */
template <int CHANNELS>
DEVICE void blend_light(const gauss_nodes &nodes, const node_tile &tile, const node_places &places,
                        const gauss_tile_nodes &chosen, int first, int apart,
                        float (&sums)[CHANNELS][NODES_PIXELS])
{
    const gauss_wide_node *ladder =
        (const gauss_wide_node *)(nodes.matrices + GAUSS_LIGHT_NODES_AT);
    const int last = nodes.spans[GAUSS_NODES_LEVELS].first - 1;
#pragma unroll 1
    for (int i = first; i < chosen.count; i += apart) {
        if (chosen.count > chosen.together && !is_blended(places, i)) {
            continue;
        }
        const gauss_wide_node &node = ladder[min(chosen.first + i * chosen.apart, last)];
        const light_window<CHANNELS> window(nodes, node, tile);
        float outputs[CHANNELS][2][4] = {};
        light_product(window, node.unscale, outputs);
        add_node(LIGHT_COLOURS, node.root, node.unscale, places, chosen, i, outputs, sums);
    }
}

/* ---- A block's tiles, 2 x 2. Those near the gaze blend many nodes, which all warps share out, so
 * that none waits for one */

const int LIGHT_ALONE = 5; /* a warp makes a tile of so many nodes by itself */
/* A warp encodes so many of each lane's pixels where all warps make a tile. */
const int LIGHT_EACH = NODES_PIXELS / NODES_WARPS;

template <int CHANNELS> struct light_block {
    gauss_tile_nodes chosen[NODES_WARPS];
    float places[NODES_WARPS][NODES_PIXELS][32]; /* later words, of tiles that all make */
    float sums[NODES_WARPS][CHANNELS * NODES_PIXELS][32];

    /* Adds up what all warps have of a warp's share, in the same order each time. */
    MEMBER void add_up(int warp, const float (&own)[CHANNELS][NODES_PIXELS],
                       float (&out)[CHANNELS][LIGHT_EACH])
    {
        const int lane = (int)threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < CHANNELS * NODES_PIXELS; i++) {
            sums[warp][i][lane] = own[i / NODES_PIXELS][i % NODES_PIXELS];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < CHANNELS * LIGHT_EACH; i++) {
            const int from = i / LIGHT_EACH * NODES_PIXELS + LIGHT_EACH * warp + i % LIGHT_EACH;
            out[i / LIGHT_EACH][i % LIGHT_EACH] = sums[0][from][lane] + sums[1][from][lane] +
                                                  sums[2][from][lane] + sums[3][from][lane];
        }
    }
};

DEVICE node_tile light_tile(int warp)
{
    node_tile tile;
    tile.x = NODES_TILE * (2 * (int)blockIdx.x + warp % 2);
    tile.y = NODES_TILE * (2 * (int)blockIdx.y + warp / 2);
    return tile;
}

template <typename Pixel, int CHANNELS, int COUNT>
DEVICE void encode_light(const gauss_frame &frame, const gauss_nodes &nodes,
                         float (&sums)[CHANNELS][COUNT], typename Pixel::word (&words)[COUNT])
{
    square_roots(LIGHT_COLOURS, sums);
    with_kind(light_of(frame, nodes), [&](const frame_light &light) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            float4 v = colour_of(sums, i);
            v.w += 0.5f * Pixel::alpha_white;
            words[i] = Pixel::encode(light_to_levels<Pixel>(v, light));
        }
    });
}

/* Encodes a tile that all warps have made in part, each its share of the pixels. */
template <typename Pixel, int CHANNELS>
DEVICE void encode_together(const gauss_frame &frame, const gauss_nodes &nodes,
                            const float (&sums)[CHANNELS][NODES_PIXELS],
                            light_block<CHANNELS> &block, float (&encoded)[NODES_PIXELS][32],
                            typename Pixel::word (&words)[NODES_PIXELS])
{
    const int warp = (int)threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    float own[CHANNELS][LIGHT_EACH];
    typename Pixel::word made[LIGHT_EACH];
    block.add_up(warp, sums, own);
    encode_light<Pixel>(frame, nodes, own, made);
#pragma unroll
    for (int i = 0; i < LIGHT_EACH; i++) {
        encoded[LIGHT_EACH * warp + i][lane] = __uint_as_float(made[i]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        words[i] = __float_as_uint(encoded[i][lane]);
    }
}

template <typename Pixel, int CHANNELS, typename Image>
DEVICE void write_light(const gauss_frame &frame, const Image &src, const Image &dst,
                        const node_tile &tile, const node_places &places,
                        typename Pixel::word (&words)[NODES_PIXELS])
{
    keep_sources<Pixel, CHANNELS>(frame, src, tile, places, words);
    if constexpr (!linear_image<Pixel>::has_whole) {
        if (dst.view.pixel_stride_bytes == Pixel::part_count) {
            store_bytes<Pixel>(frame, dst, tile, words);
            return;
        }
    }
    store_tile<Pixel>(frame, dst, tile, words);
}

template <typename Pixel, int CHANNELS, typename Image>
DEVICE void make_light_picture(const gauss_frame &frame, const gauss_nodes &nodes, const Image &src,
                               const Image &dst)
{
    __shared__ light_block<CHANNELS> block;
    const int warp = (int)threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    const node_tile own = light_tile(warp);
    const bool is_inside = own.x < frame.width_px && own.y < frame.height_px;
    node_places places;
    find_places(frame, true, nodes, own, places);
    gauss_tile_nodes chosen = choose_nodes(GAUSS_BLEND_WIDE, places);
    chosen.count = is_inside && places.highest > 0.0f ? chosen.count : 0;
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        block.places[warp][i][lane] = places.of[i];
    }
    block.chosen[warp] = chosen;
    __syncthreads();
#pragma unroll 1
    for (int t = 0; t < NODES_WARPS; t++) {
        const gauss_tile_nodes of_tile = block.chosen[t];
        const bool together = of_tile.count > LIGHT_ALONE;
        if (!together && t != warp) {
            continue;
        }
        float sums[CHANNELS][NODES_PIXELS] = {};
        typename Pixel::word words[NODES_PIXELS] = {};
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            places.of[i] = block.places[t][i][lane];
        }
        blend_light(nodes, light_tile(t), places, of_tile, together ? warp : 0,
                    together ? NODES_WARPS : 1, sums);
        if (together) {
            encode_together<Pixel>(frame, nodes, sums, block, block.places[t], words);
        } else if (places.highest > 0.0f) {
            encode_light<Pixel>(frame, nodes, sums, words);
        }
        if (t == warp && is_inside) {
            write_light<Pixel, CHANNELS>(frame, src, dst, own, places, words);
        }
    }
}
