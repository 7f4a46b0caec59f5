/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture from nodes of wide light (window.cuh), and level 0, for pixels of whole numbers: a
 * block makes 2 x 2 tiles. Square roots are blended (gauss/plan/ladder.h). */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_LIGHT_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_LIGHT_CUH

#include "kernels/gauss/cuda/nodes/blend.cuh"
#include "kernels/gauss/cuda/nodes/write.cuh"
#include "sample.cuh"
#include "window.cuh"

/* ---- Pixels. What depends on the kind of light is chosen once, so that the code that runs is
 * short: a multiprocessor fetches it from far away */

/* Calls `use` with a light whose kind the compiler knows, but which colour of HLG is first. */
template <typename Use>
static __device__ __forceinline__ void with_kind(frame_light light, const Use &use)
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

/* ---- Level 0, a four a thread; a block finds the light of each level of a colour once */

template <typename Pixel> struct light_of_levels {
    float of[Pixel::white + 1];

    __device__ __forceinline__ void fill(const frame_light &light, int thread, int threads)
    {
        with_kind(light, [&](const frame_light &known) {
            for (int i = thread; i <= Pixel::white; i += threads) {
                of[i] = encoded_to_light((float)i * (1.0f / Pixel::white), known);
            }
        });
        __syncthreads();
    }
    /* Does sample_of_pixel. */
    __device__ __forceinline__ float4 sample(typename Pixel::word word,
                                             const frame_light &light) const
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
static __device__ __forceinline__ void make_light_level(const gauss_frame &frame,
                                                        const gauss_nodes &nodes,
                                                        const light_of_levels<Pixel> &lights,
                                                        const Image &src, int four, int row)
{
    const node_level<CHANNELS> level(nodes, levels_of_image(nodes), 0);
    if (four >= level.fours || row >= level.rows) {
        return;
    }
    const int x = 4 * four - GAUSS_NODES_MARGIN;
    const frame_light light = light_of(frame, nodes);
    node_run<Pixel> run = run_of_pixels<Pixel>(frame, src, x, row - GAUSS_NODES_MARGIN);
    run.move_to(x, frame.width_px);
    char *to =
        level.first + (uint32_t)(row * level.fours + four) * node_level<CHANNELS>::four_bytes;
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

/* ---- Blending */

/* Adds the roots of colours, and alpha as it is. */
template <int CHANNELS>
static __device__ __forceinline__ void add_light(const gauss_light_node &node,
                                                 const node_places &places,
                                                 const gauss_tile_nodes &chosen, int i,
                                                 const float (&outputs)[CHANNELS][2][4],
                                                 float (&sums)[CHANNELS][NODES_PIXELS])
{
    float weights[NODES_PIXELS];
    find_weights(places, chosen, i, weights);
#pragma unroll
    for (int k = 0; k < NODES_PIXELS; k++) {
        const float of_root = weights[k] * node.root;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            const float value = outputs[c][k / 4][k % 4];
            sums[c][k] = c < 3 ? fmaf(of_root, ptx_sqrt(fmaxf(value, 0.0f)), sums[c][k])
                               : fmaf(weights[k] * node.unscale, value, sums[c][k]);
        }
    }
}

/* Returns whether any pixel of the warp blends the node: fragments leave out some of a long row.
 * The fourth stands in for the one before the first (blend.cuh). */
static __device__ __forceinline__ bool is_blended(const node_places &places, int i)
{
    bool any = false;
#pragma unroll
    for (int k = 0; k < NODES_PIXELS; k++) {
        const float place = places.of[k];
        any = any || fabsf(place - (float)i) < 2.0f || (i == 3 && place < 1.0f);
    }
    return __any_sync(~0u, any);
}

/* Makes a node and adds it to the sums. */
template <int CHANNELS>
static __device__ __forceinline__ void blend_light(const gauss_nodes &nodes,
                                                   const gauss_light_node &node,
                                                   const node_tile &tile, const node_places &places,
                                                   const gauss_tile_nodes &chosen, int i,
                                                   const light_box &box, const uint32_t *memory,
                                                   float (&sums)[CHANNELS][NODES_PIXELS])
{
    const int x = gauss_light_window(&node, tile.x);
    const int y = gauss_light_window(&node, tile.y);
    const light_staged staged(memory, box, x, y, tile.lane);
    const light_weights weights(nodes, node, tile);
    float outputs[CHANNELS][2][4] = {};
    switch (node.pairs) {
    case 1:
        light_product<1>(staged, weights, 1, node.unscale, outputs);
        break;
    case 2:
        light_product<2>(staged, weights, 2, node.unscale, outputs);
        break;
    case 3:
        light_product<3>(staged, weights, 3, node.unscale, outputs);
        break;
    case 4:
        light_product<4>(staged, weights, 4, node.unscale, outputs);
        break;
    default: {
        const light_unstaged<CHANNELS> unstaged = {
            node_level<CHANNELS>(nodes, levels_of_image(nodes), node.level),
            (x + GAUSS_NODES_MARGIN) / 4 + tile.lane.pair, y + tile.lane.place()};
        light_product<1>(unstaged, weights, node.pairs, node.unscale, outputs);
    }
    }
    add_light(node, places, chosen, i, outputs, sums);
}

/* Negative weights may make a root below 0. */
template <int CHANNELS>
static __device__ __forceinline__ void square_light(float (&sums)[CHANNELS][NODES_PIXELS])
{
#pragma unroll
    for (int i = 0; i < (CHANNELS < 3 ? CHANNELS : 3) * NODES_PIXELS; i++) {
        float &sum = sums[i / NODES_PIXELS][i % NODES_PIXELS];
        sum = fmaxf(sum, 0.0f);
        sum *= sum;
    }
}

/* ---- A block's tiles, 2 x 2. Those near the gaze blend many nodes, which all warps share out, so
 * that none waits for one */

const int LIGHT_ALONE = 5; /* a warp makes a tile of so many nodes by itself */

struct light_block {
    gauss_tile_nodes chosen[NODES_WARPS];
    float places[NODES_WARPS][NODES_PIXELS][32];
    light_box boxes[NODES_WARPS];
};

/* Adds the other warps' sums to those of the tile's own warp, in the same order each time. */
template <int CHANNELS>
static __device__ __forceinline__ void add_up(float *memory, int warp, int own,
                                              float (&sums)[CHANNELS][NODES_PIXELS])
{
    const int count = CHANNELS * NODES_PIXELS;
    float *lane = memory + threadIdx.x % 32;
    __syncthreads();
    if (warp != own) {
#pragma unroll
        for (int i = 0; i < count; i++) {
            lane[32 * (count * (warp - (warp > own)) + i)] =
                sums[i / NODES_PIXELS][i % NODES_PIXELS];
        }
    }
    __syncthreads();
    if (warp == own) {
#pragma unroll
        for (int i = 0; i < count; i++) {
            sums[i / NODES_PIXELS][i % NODES_PIXELS] +=
                lane[32 * i] + lane[32 * (count + i)] + lane[32 * (2 * count + i)];
        }
    }
}

/* Adds the nodes of a warp's tile, a level at a time, which all warps bring into shared memory; of
 * a tile that they share out a warp makes every `apart`th from `first` on. */
template <int CHANNELS>
static __device__ __forceinline__ void blend_levels(const gauss_nodes &nodes, light_block &block,
                                                    uint32_t *memory, const node_tile &tile,
                                                    const node_places &places,
                                                    const gauss_tile_nodes &chosen, int first,
                                                    int apart,
                                                    float (&sums)[CHANNELS][NODES_PIXELS])
{
    const gauss_light_node *ladder =
        (const gauss_light_node *)(nodes.matrices + GAUSS_LIGHT_NODES_AT);
    const int last = nodes.spans[GAUSS_NODES_LEVELS].first - 1;
    const auto node_of = [&](int i) -> const gauss_light_node & {
        return ladder[min(chosen.first + i * chosen.apart, last)];
    };
    int i = 0;
#pragma unroll 1
    for (;;) {
        const int far = 1 << 28;
        light_box own = {i < chosen.count ? node_of(i).level : GAUSS_NODES_LEVELS, far, far, -far,
                         -far};
        int end = i;
#pragma unroll 1
        for (; end < chosen.count && node_of(end).level == own.level; end++) {
            const gauss_light_node &node = node_of(end);
            const int x = gauss_light_window(&node, tile.x);
            const int y = gauss_light_window(&node, tile.y);
            if (node.pairs <= GAUSS_LIGHT_STAGED_PAIRS) {
                own = {own.level, min(own.x0, x), min(own.y0, y), max(own.x1, x + 16 * node.pairs),
                       max(own.y1, y + 16 * node.pairs)};
            }
        }
        block.boxes[(int)threadIdx.x / 32] = own;
        __syncthreads();
        light_box box = block.boxes[0];
#pragma unroll
        for (int k = 1; k < NODES_WARPS; k++) {
            const light_box other = block.boxes[k];
            if (other.level < box.level) {
                box = other;
            } else if (other.level == box.level) {
                box = {box.level, min(box.x0, other.x0), min(box.y0, other.y0),
                       max(box.x1, other.x1), max(box.y1, other.y1)};
            }
        }
        if (box.level == GAUSS_NODES_LEVELS) {
            return;
        }
        if (box.x0 < box.x1) {
            fill_stage(node_level<CHANNELS>(nodes, levels_of_image(nodes), box.level), box, memory);
        }
        __syncthreads();
        if (own.level != box.level) {
            continue;
        }
#pragma unroll 1
        for (; i < end; i++) {
            if (i % apart == first && (chosen.count <= chosen.together || is_blended(places, i))) {
                blend_light(nodes, node_of(i), tile, places, chosen, i, box, memory, sums);
            }
        }
    }
}

static __device__ __forceinline__ node_tile light_tile(int warp)
{
    node_tile tile;
    tile.x = NODES_TILE * (2 * (int)blockIdx.x + warp % 2);
    tile.y = NODES_TILE * (2 * (int)blockIdx.y + warp / 2);
    return tile;
}

template <typename Pixel, int CHANNELS, typename Image>
static __device__ __forceinline__ void write_light(const gauss_frame &frame,
                                                   const gauss_nodes &nodes, const Image &src,
                                                   const Image &dst, const node_tile &tile,
                                                   const node_places &places,
                                                   float (&sums)[CHANNELS][NODES_PIXELS])
{
    typename Pixel::word words[NODES_PIXELS] = {};
    if (places.highest > 0.0f) {
        square_light(sums);
        with_kind(light_of(frame, nodes), [&](const frame_light &light) {
#pragma unroll
            for (int i = 0; i < NODES_PIXELS; i++) {
                words[i] = pixel_of_sample<Pixel>(colour_of(sums, i), light);
            }
        });
    }
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
static __device__ __forceinline__ void make_light_picture(const gauss_frame &frame,
                                                          const gauss_nodes &nodes,
                                                          const Image &src, const Image &dst,
                                                          char *memory)
{
    __shared__ light_block block;
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
    /* First those that all warps make, one by one, then all others at once. */
#pragma unroll 1
    for (int job = 0; job <= NODES_WARPS; job++) {
        const bool together = job < NODES_WARPS;
        const int t = together ? job : warp;
        gauss_tile_nodes of_tile = block.chosen[t];
        const bool is_long = of_tile.count > LIGHT_ALONE;
        if (together && !is_long) {
            continue;
        }
        of_tile.count = together == is_long ? of_tile.count : 0;
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            places.of[i] = block.places[t][i][lane];
        }
        float sums[CHANNELS][NODES_PIXELS] = {};
        blend_levels(nodes, block, (uint32_t *)memory, light_tile(t), places, of_tile,
                     together ? warp : 0, together ? NODES_WARPS : 1, sums);
        if (together) {
            add_up((float *)memory, warp, t, sums);
        }
        if (t == warp && together == is_long && is_inside) {
            write_light<Pixel>(frame, nodes, src, dst, own, places, sums);
        }
    }
}

#endif
