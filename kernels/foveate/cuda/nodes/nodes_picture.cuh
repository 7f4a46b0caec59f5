/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture: a warp makes a tile of 16 x 16 pixels. It asks the law for each pixel's sigma, takes the nodes that any
 * of them needs from the levels or, for the narrowest, from the picture, and adds them up by each pixel's weights. */
#ifndef FOVEA_KERNELS_FOVEATE_NODES_PICTURE_CUH
#define FOVEA_KERNELS_FOVEATE_NODES_PICTURE_CUH

#include "foveate/cuda/nodes/nodes_levels.cuh"

/* ---- The ladder of nodes */

/* foveate_ladder_place by the device's own functions, which are as exact here. */
static __device__ __forceinline__ float node_place(float sigma_px)
{
    const float g = __expf(-0.5f / (sigma_px * sigma_px));
    const float g_2 = g * g;
    const float g_4 = g_2 * g_2;
    const float near = 1.0f + 2.0f * (g + g_4 + g_4 * g_4 * g);
    const float sum = sigma_px < 0.8f ? near : 2.50662827f * sigma_px;
    return sigma_px < 0.1f ? 0.0f : FOVEATE_LADDER_PER_OCTAVE * __log2f(sum);
}

/* Lagrange's weight of node i of two to four for what is at `at`: a product of a term for each other node, which is
 * multiplied by 0 and added to 1 where there are fewer. The same for the whole warp. */
struct node_polynomial {
    float scale;
    float zero;
    float times_1, plus_1;
    float times_2, plus_2;

    __device__ __forceinline__ node_polynomial(int together, int i)
    {
        const bool outer = i == 0 || i == together - 1;
        const bool odd = (together - 1 - i) % 2 != 0;
        const float size = together < 3    ? 1.0f
                           : together == 3 ? (outer ? 0.5f : 1.0f)
                                           : (outer ? 1.0f / 6.0f : 0.5f);
        scale = odd ? -size : size;
        zero = i == 0 ? 1.0f : 0.0f;
        times_1 = together > 2 ? 1.0f : 0.0f;
        plus_1 = together > 2 ? (i <= 1 ? -2.0f : -1.0f) : 1.0f;
        times_2 = together > 3 ? 1.0f : 0.0f;
        plus_2 = together > 3 ? (i <= 2 ? -3.0f : -2.0f) : 1.0f;
    }
    __device__ __forceinline__ float at(float place) const
    {
        return scale * (place - zero) * fmaf(place, times_1, plus_1) * fmaf(place, times_2, plus_2);
    }
};

/* The same where a pixel takes the four nodes around it out of more; before node 1, where there is none on the other
 * side, the first four. */
static __device__ __forceinline__ float sliding_weight(float at, int i)
{
    const float s = fabsf(at - (float)i);
    const float within = (1.0f - s * s) * (1.0f - 0.5f * s);
    const float beyond = (1.0f - s) * (2.0f - s) * (3.0f - s) * (1.0f / 6.0f);
    float weight = s < 1.0f ? within : s < 2.0f ? beyond : 0.0f;
    if (i < 4 && at < 1.0f) {
        const float before = -at * (1.0f - at) * (2.0f - at) * (1.0f / 6.0f);
        weight += (i == 0 ? 4.0f : i == 1 ? -6.0f : i == 2 ? 4.0f : -1.0f) * before;
    }
    return weight;
}

/* ---- A lane's eight pixels: i = 4 half + 2 r + k is column 8 half + 2 pair + k, row 8 r + row. */

const int NODES_PIXELS = 8;

struct node_tile {
    int x, y; /* of its first pixel */
    node_lane lane;

    __device__ __forceinline__ int column(int i) const
    {
        return x + i / 4 * 8 + 2 * lane.pair + i % 2;
    }
    __device__ __forceinline__ int row(int i) const
    {
        return y + i / 2 % 2 * 8 + lane.row;
    }
};

struct node_places {
    float of[NODES_PIXELS]; /* then as nodes of the tile count */
    uint32_t copied; /* a bit for each: it is at node 0, the picture itself */
    float lowest, highest; /* of the warp */
};

/* What lies outside the picture is as its nearest pixel, and widens nothing. */
static __device__ __forceinline__ void find_places(const foveate_frame &frame,
                                                   const foveate_nodes &nodes,
                                                   const node_tile &tile, node_places &places)
{
    const float gaze_x_px = (float)frame.gaze_x_q8 / 256.0f;
    const float gaze_y_px = (float)frame.gaze_y_q8 / 256.0f;
    const bool foveated = frame.gaze_x_q8 != FOVEATE_GAZE_NONE;
    places.copied = 0;
    places.lowest = nodes.end;
    places.highest = 0.0f;
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        const int x = min(tile.column(i), frame.width_px - 1);
        const int y = min(tile.row(i), frame.height_px - 1);
        const float sigma_px = foveated ? foveate_law_sigma(&nodes.law, (const float *)nodes.table,
                                                            x, y, gaze_x_px, gaze_y_px)
                                        : 0.0f;
        places.of[i] = fminf(node_place(sigma_px), nodes.end);
        places.copied |= places.of[i] > 0.0f ? 0u : 1u << i;
        places.lowest = fminf(places.lowest, places.of[i]);
        places.highest = fmaxf(places.highest, places.of[i]);
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        places.lowest = fminf(places.lowest, __shfl_xor_sync(~0u, places.lowest, distance));
        places.highest = fmaxf(places.highest, __shfl_xor_sync(~0u, places.highest, distance));
    }
}

/* The nodes of the warp's tile. */
static __device__ __forceinline__ foveate_tile_nodes choose_nodes(int light, node_places &places)
{
    const foveate_tile_nodes chosen =
        foveate_tile_nodes_of(places.lowest, places.highest, foveate_light_blend(light));
    const float per_node = 1.0f / (float)chosen.apart;
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        places.of[i] = (places.of[i] - (float)chosen.first) * per_node;
    }
    return chosen;
}

/* ---- The picture itself as level 0: a warp's window of 32 x 32 pixels in shared memory. */

const int NODES_NEAR_PX = 8 * FOVEATE_NODES_STEPS_0;
const int NODES_NEAR_PITCH = NODES_NEAR_PX / 2 + 4; /* two rows of a load lie in other banks */
const int NODES_NEAR_PAIRS = NODES_NEAR_PX * NODES_NEAR_PITCH;

template <typename Pixel, typename Pair, typename Image>
static __device__ __forceinline__ void stage_near(const foveate_frame &frame,
                                                  const uint16_t *lights, const Image &src,
                                                  const node_tile &tile, Pair *stage)
{
    const int x = tile.x - FOVEATE_NODES_BEFORE_0;
    const int y = tile.y - FOVEATE_NODES_BEFORE_0;
    for (int i = (int)threadIdx.x % 32; i < NODES_NEAR_PX * NODES_NEAR_PX / 2; i += 32) {
        const int row = i / (NODES_NEAR_PX / 2);
        const int pair = i % (NODES_NEAR_PX / 2);
        stage[row * NODES_NEAR_PITCH + pair] =
            pair_of_pixels<Pixel, Pair>(frame, lights, src, x + 2 * pair, y + row);
    }
    __syncwarp();
}

template <typename Pair>
static __device__ __forceinline__ void open_near(const Pair *stage,
                                                 node_window<Pair, FOVEATE_NODES_STEPS_0> &window)
{
    const node_lane lane;
    window.first = stage;
#pragma unroll
    for (int i = 0; i < FOVEATE_NODES_STEPS_0; i++) {
        window.rows[i] = (8 * i + lane.row) * NODES_NEAR_PITCH;
        window.columns[i] = 4 * i + lane.pair;
    }
}

/* ---- Adding up */

/* Node i of the tile's. */
template <int CHANNELS>
static __device__ __forceinline__ void add_node(const node_places &places,
                                                const foveate_tile_nodes &chosen, int i,
                                                const node_outputs<CHANNELS> &outputs,
                                                float (&sums)[CHANNELS][NODES_PIXELS])
{
    const node_polynomial polynomial(chosen.together, i);
    const bool sliding = chosen.count > chosen.together;
#pragma unroll
    for (int k = 0; k < NODES_PIXELS; k++) {
        const float place = places.of[k];
        const float weight = sliding ? sliding_weight(place, i) : polynomial.at(place);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            sums[c][k] = fmaf(weight, outputs.of[c][k / 4][k % 4], sums[c][k]);
        }
    }
}

/* Where a node's matrices for a tile begin along an axis: tiles lie in several ways on coarse levels. */
static __device__ __forceinline__ int matrix_at(const foveate_nodes &nodes, int level, int node,
                                                int tile)
{
    const int phases = foveate_nodes_phases(level);
    const foveate_nodes_span &span = nodes.spans[level];
    return span.step + ((node - span.first) * phases + (tile & (phases - 1))) * FOVEATE_NODES_STEPS;
}

/* The tile's nodes from the i-th on, which is not of level 0. */
template <int CHANNELS, typename Pair>
static __device__ __forceinline__ void add_far(const foveate_nodes &nodes, const node_tile &tile,
                                               const node_places &places,
                                               const foveate_tile_nodes &chosen, int i,
                                               float (&sums)[CHANNELS][NODES_PIXELS])
{
    const int tile_x = tile.x / NODES_TILE;
    const int tile_y = tile.y / NODES_TILE;
    node_window<Pair, FOVEATE_NODES_STEPS> window = {};
    int level = 0;
#pragma unroll 1
    for (; i < chosen.count; i++) {
        const int node = chosen.first + i * chosen.apart;
        if (node >= nodes.spans[level + 1].first) {
            do {
                level++;
            } while (node >= nodes.spans[level + 1].first);
            node_level<Pair>(nodes, level)
                .open(foveate_nodes_window(level, tile_x), foveate_nodes_window(level, tile_y),
                      window);
        }
        const node_matrix<FOVEATE_NODES_STEPS> across(nodes.matrices,
                                                      matrix_at(nodes, level, node, tile_x));
        const node_matrix<FOVEATE_NODES_STEPS> down(nodes.matrices,
                                                    matrix_at(nodes, level, node, tile_y));
        node_outputs<CHANNELS> outputs;
        node_product(across, down, window, outputs);
        add_node(places, chosen, i, outputs, sums);
    }
}

/* Those of level 0, which come first. Returns which one is not. */
template <int CHANNELS, typename Pair>
static __device__ __forceinline__ int add_near(const foveate_nodes &nodes, const Pair *stage,
                                               const node_places &places,
                                               const foveate_tile_nodes &chosen,
                                               float (&sums)[CHANNELS][NODES_PIXELS])
{
    node_window<Pair, FOVEATE_NODES_STEPS_0> window;
    open_near(stage, window);
    int i = 0;
    int node = chosen.first;
#pragma unroll 1
    for (; i < chosen.count && node < nodes.spans[1].first; i++, node += chosen.apart) {
        const node_matrix<FOVEATE_NODES_STEPS_0> matrix(
            nodes.matrices, nodes.spans[0].step + node * FOVEATE_NODES_STEPS_0);
        node_outputs<CHANNELS> outputs;
        node_product(matrix, matrix, window, outputs);
        add_node(places, chosen, i, outputs, sums);
    }
    return i;
}

/* ---- Writing */

template <int CHANNELS>
static __device__ __forceinline__ float4 colour_of(const float (&sums)[CHANNELS][NODES_PIXELS],
                                                   int i)
{
    return make_float4(sums[0][i], CHANNELS > 1 ? sums[CHANNELS > 1 ? 1 : 0][i] : 0.0f,
                       CHANNELS > 1 ? sums[CHANNELS > 1 ? 2 : 0][i] : 0.0f,
                       CHANNELS > 3 ? sums[CHANNELS > 3 ? 3 : 0][i] : 0.0f);
}

/* Pixel i as it is written; it is in the picture. */
template <typename Pixel, int CHANNELS, typename Image>
static __device__ __forceinline__ typename Pixel::word word_of_pixel(
    const foveate_frame &frame, const Image &src, const node_tile &tile, const node_places &places,
    const float (&sums)[CHANNELS][NODES_PIXELS], int i)
{
    const bool keeps_alpha = node_format<Pixel>::has_alpha && CHANNELS < 4;
    const bool copied = (places.copied >> i & 1u) != 0;
    typename Pixel::word word = {};
    if (copied || keeps_alpha) {
        word = src.load(tile.column(i), tile.row(i));
    }
    if (copied) {
        return word;
    }
    const typename Pixel::word colour = word_of_sample<Pixel>(colour_of(sums, i), frame.light);
    return keeps_alpha ? Pixel::keep_alpha(colour, word) : colour;
}

/* A tile of bytes in rows without gaps goes out together: by words where it can. */
template <int BYTES>
static __device__ __forceinline__ void write_bytes(const foveate_frame &frame,
                                                   const foveate_cuda_linear &view, char *first,
                                                   const node_tile &tile, const uint8_t *bytes)
{
    const int lane = (int)threadIdx.x % 32;
    const int row_bytes = BYTES * min(NODES_TILE, frame.width_px - tile.x);
    const int rows = min(NODES_TILE, frame.height_px - tile.y);
    const int part = BYTES * NODES_TILE; /* of the tile's row */
    if (((uint64_t)first | (uint64_t)view.row_stride_bytes | (uint64_t)row_bytes) % 4 == 0) {
        for (int k = lane; k < NODES_TILE * part / 4; k += 32) {
            const int row = k / (part / 4);
            const int at = 4 * (k % (part / 4));
            if (row < rows && at < row_bytes) {
                *(uint32_t *)(first + row * view.row_stride_bytes + at) =
                    *(const uint32_t *)(bytes + 4 * k);
            }
        }
        return;
    }
    for (int k = lane; k < NODES_TILE * part; k += 32) {
        const int row = k / part;
        const int at = k % part;
        if (row < rows && at < row_bytes) {
            first[row * view.row_stride_bytes + at] = (char)bytes[k];
        }
    }
}

template <typename Pixel, int CHANNELS, typename Image>
static __device__ __forceinline__ void write_tile(const foveate_frame &frame, const Image &src,
                                                  const Image &dst, const node_tile &tile,
                                                  const node_places &places,
                                                  const float (&sums)[CHANNELS][NODES_PIXELS],
                                                  uint8_t *room)
{
    const int part_count = Pixel::part_count;
    bool together = false;
    if constexpr (!node_format<Pixel>::has_alpha) {
        together = dst.view.pixel_stride_bytes == part_count;
        __syncwarp(); /* what lay in the room was read */
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        const int x = tile.column(i);
        const int y = tile.row(i);
        if (x >= frame.width_px || y >= frame.height_px) {
            continue;
        }
        const typename Pixel::word word = word_of_pixel<Pixel>(frame, src, tile, places, sums, i);
        if (!together) {
            dst.store(x, y, word);
            continue;
        }
#pragma unroll
        for (int k = 0; k < part_count; k++) {
            room[(NODES_TILE * (y - tile.y) + x - tile.x) * part_count + k] =
                ((const uint8_t *)&word)[k];
        }
    }
    if constexpr (!node_format<Pixel>::has_alpha) {
        if (together) {
            __syncwarp();
            write_bytes<Pixel::part_count>(frame, dst.view, dst.at(tile.x, tile.y), tile, room);
        }
    }
}

template <typename Pixel, int CHANNELS, typename Pair, typename Image>
static __device__ __forceinline__ void make_picture(const foveate_frame &frame,
                                                    const foveate_nodes &nodes, const Image &src,
                                                    const Image &dst, Pair *stage)
{
    __shared__ uint16_t lights[NODES_LIGHTS];
    fill_lights<Pixel>(frame, lights);
    const int warp = (int)threadIdx.x / 32;
    node_tile tile;
    tile.x = NODES_TILE * (2 * (int)blockIdx.x + warp % 2);
    tile.y = NODES_TILE * (2 * (int)blockIdx.y + warp / 2);
    if (tile.x >= frame.width_px || tile.y >= frame.height_px) {
        return;
    }
    node_places places;
    find_places(frame, nodes, tile, places);
    Pair *own = stage + warp * NODES_NEAR_PAIRS;
    float sums[CHANNELS][NODES_PIXELS] = {};
    if (places.highest > 0.0f) {
        const foveate_tile_nodes chosen = choose_nodes(frame.light, places);
        int i = 0;
        if (chosen.first < nodes.spans[1].first) {
            stage_near<Pixel>(frame, lights, src, tile, own);
            i = add_near(nodes, own, places, chosen, sums);
        }
        add_far<CHANNELS, Pair>(nodes, tile, places, chosen, i, sums);
    }
    write_tile<Pixel>(frame, src, dst, tile, places, sums, (uint8_t *)own);
}

#endif
