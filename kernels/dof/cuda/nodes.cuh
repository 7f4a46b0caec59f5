/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine's nodes (gauss/cuda/nodes/) on layers of halves, which are made of colours and offsets
 * as they are read: of levels what is looked at, of pictures what is blurred. What is not made holds what was there before, finite or not. Tiles that
 * are made have such samples in their windows, but do not weigh them: where one is not finite,
 * their pixels are summed one by one (gather.cuh). */
#ifndef FOVEA_KERNELS_DOF_CUDA_NODES_CUH
#define FOVEA_KERNELS_DOF_CUDA_NODES_CUH

#include "kernels/gauss/cuda/nodes/picture.cuh"
#include "memory.cuh"

typedef pixel<FOVEA_FORMAT_RGBA16F> layer_pixel;
#define LAYER_CHANNELS 4
#define MEANS_CHANNELS 2 /* of the layer that means are made of */

/* A block's layer. Means are made where the near layer is. */
struct dof_layer_place {
    int image;
    int which;
    int pair; /* its number, or the near layer's, among all pairs */

    __device__ __forceinline__ dof_layer_place(const dof_cuda_nodes_params &params)
        : image((int)blockIdx.z / params.layers),
          which(params.layers == 1 ? (int)DOF_MEANS : (int)blockIdx.z % params.layers),
          pair(2 * image + (which == DOF_BEHIND ? DOF_BEHIND : DOF_NEAR))
    {
    }
    __device__ __forceinline__ const uint8_t *reads(const dof_cuda_frame &frame) const
    {
        return reads_of(frame, image, pair % 2);
    }
    __device__ __forceinline__ char *levels(const gauss_nodes &nodes) const
    {
        return (char *)(nodes.samples + (3 * image + which) * nodes.next_bytes);
    }
};

/* ---- What the machine reads, made as it is read. Four pixels begin at a multiple of four */

/* The layer that means are made of: sums of w n, then w, from the offsets. Of the sums t is made. */
struct means_image {
    dof_values<false> offsets;
    dof_values<false> near;
    const dof_cuda_frame &own;

    typedef uint2 word;

    __device__ __forceinline__ means_image(const dof_cuda_frame &frame,
                                           const dof_layer_place &layer)
        : offsets(frame, frame.memory.offsets, layer.image),
          near(frame, frame.memory.sigmas, 2 * layer.image + DOF_NEAR), own(frame)
    {
    }
    static __device__ __forceinline__ word word_of(uint32_t bits)
    {
        const float offset_px = dof_number((uint16_t)bits);
        const float coverage = nearness(offset_px);
        return make_uint2(mma_rounded(-coverage * offset_px, coverage), 0);
    }
    __device__ __forceinline__ word load(int x, int y) const
    {
        return word_of(__ldg(offsets.at(x, y)));
    }
    __device__ __forceinline__ node_run<layer_pixel> four(int x, int y) const
    {
        const uint2 bits = __ldg((const uint2 *)offsets.at(x, y));
        return {{word_of(bits.x), word_of(bits.x >> 16), word_of(bits.y), word_of(bits.y >> 16)},
                x};
    }
    __device__ void store(int x, int y, word sums) const
    {
        const float2 two = __half22float2(half2_of(sums.x));
        near.store(x, y,
                   near_sigma(dof_number(offsets.bits(x, y)), two.x, two.y, reach_at(own, x, y)));
    }
};

/* A layer of colours, weighted as their offsets say; what is made of it. */
struct layer_image {
    dof_layer<false> colours;
    dof_layer<false> made;
    int which;

    typedef uint2 word;

    __device__ __forceinline__ layer_image(const dof_cuda_frame &frame,
                                           const dof_layer_place &layer)
        : colours(colours_of(frame, layer.image)),
          made(frame, frame.memory.made, 2 * layer.image + layer.which), which(layer.which)
    {
    }
    /* A pixel that the layer has nothing of does not get into it, though it be no number. */
    __device__ __forceinline__ word word_of(uint2 bits) const
    {
        const float offset_px = dof_number((uint16_t)(bits.y >> 16));
        const float coverage = which == DOF_NEAR ? nearness(offset_px) : weight_behind(offset_px);
        const __half2 by = __float2half2_rn(coverage);
        const uint32_t blue_and_one = (bits.y & 0xffffu) | 0x3c000000u;
        return coverage > 0.0f ? make_uint2(bits_of(__hmul2(half2_of(bits.x), by)),
                                            bits_of(__hmul2(half2_of(blue_and_one), by)))
                               : make_uint2(0, 0);
    }
    __device__ __forceinline__ word load(int x, int y) const
    {
        return word_of(__ldg(colours.at(x, y)));
    }
    __device__ __forceinline__ node_run<layer_pixel> four(int x, int y) const
    {
        const uint4 *from = (const uint4 *)colours.at(x, y);
        const uint4 left = __ldg(from);
        const uint4 right = __ldg(from + 1);
        return {{word_of(make_uint2(left.x, left.y)), word_of(make_uint2(left.z, left.w)),
                 word_of(make_uint2(right.x, right.y)), word_of(make_uint2(right.z, right.w))},
                x};
    }
    __device__ void store(int x, int y, word sums) const
    {
        *made.at(x, y) = sums;
    }
};

#define IMAGE_OF_LAYERS(image_type)                                                                \
    static __device__ __forceinline__ bool is_even(const image_type &, int width)                  \
    {                                                                                              \
        return width % 4 == 0;                                                                     \
    }                                                                                              \
    static __device__ __forceinline__ node_run<layer_pixel> load_even(const image_type &image,     \
                                                                      int x, int row)              \
    {                                                                                              \
        return image.four(x, row);                                                                 \
    }                                                                                              \
    static __device__ __forceinline__ bool load_run(const image_type &image, int x, int row,       \
                                                    int width, node_run<layer_pixel> &run)         \
    {                                                                                              \
        const bool has_four = x >= 0 && x % 4 == 0 && x + 4 <= width;                              \
        if (has_four) {                                                                            \
            run = image.four(x, row);                                                              \
        }                                                                                          \
        return has_four;                                                                           \
    }
IMAGE_OF_LAYERS(means_image)
IMAGE_OF_LAYERS(layer_image)

/* ---- Sigmas of a lane's pixels: a plan of nodes for find_places and sum_tile */

/* Values of a lane's pixels, or of the nearest ones in the picture. */
static __device__ __forceinline__ void lane_values(const dof_values<false> &values,
                                                   const gauss_frame &frame, const node_tile &tile,
                                                   float (&out)[NODES_PIXELS])
{
    const int x = tile.column(0);
    uint16_t bits[NODES_PIXELS];
    if (x + 4 <= frame.width_px) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const uint2 four = *(const uint2 *)values.at(x, min(tile.row(2 * r), frame.height_px - 1));
            bits[2 * r] = (uint16_t)four.x;
            bits[2 * r + 1] = (uint16_t)(four.x >> 16);
            bits[2 * r + 4] = (uint16_t)four.y;
            bits[2 * r + 5] = (uint16_t)(four.y >> 16);
        }
    } else {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            bits[i] = values.bits(min(tile.column(i), frame.width_px - 1),
                                  min(tile.row(i), frame.height_px - 1));
        }
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        out[i] = dof_number(bits[i]);
    }
}

/* d. A lane's pixels lie between the same tiles. */
struct means_plan {
    const dof_cuda_frame &own;
    int32_t level_count;
    float end;
    dof_layer_place layer;
    bool reached;

    __device__ __forceinline__ void find(const gauss_frame &frame, const node_tile &tile,
                                         float (&sigmas)[NODES_PIXELS]) const
    {
        const float *tiles = tiles_at(own, own.memory.reaches);
        const between_tiles x(min(tile.column(0), frame.width_px - 1), own.columns);
        const between_tiles y(min(tile.row(0), frame.height_px - 1), own.rows);
        const float *upper = tiles + y.first * own.columns;
        const float *lower = tiles + y.second * own.columns;
        const float corners[4] = {upper[x.first], upper[x.second], lower[x.first],
                                  lower[x.second]};
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            const between_tiles across(min(tile.column(i), frame.width_px - 1), own.columns);
            const between_tiles down(min(tile.row(i), frame.height_px - 1), own.rows);
            const float first = corners[0] + across.part * (corners[1] - corners[0]);
            const float second = corners[2] + across.part * (corners[3] - corners[2]);
            sigmas[i] = first + down.part * (second - first);
        }
    }
    __device__ float of_pixel(const gauss_frame &, int x, int y) const
    {
        return reach_at(own, x, y);
    }
};

/* t of what is near, u of what is behind. */
struct layer_plan {
    const dof_cuda_frame &own;
    int32_t level_count;
    float end;
    dof_layer_place layer;
    bool reached;

    __device__ __forceinline__ dof_values<false> near() const
    {
        return {own, own.memory.sigmas, 2 * layer.image + DOF_NEAR};
    }
    __device__ __forceinline__ dof_values<false> offsets() const
    {
        return {own, own.memory.offsets, layer.image};
    }
    __device__ __forceinline__ void find(const gauss_frame &frame, const node_tile &tile,
                                         float (&sigmas)[NODES_PIXELS]) const
    {
        if (reached) {
            lane_values(near(), frame, tile, sigmas);
        }
        if (layer.which == DOF_BEHIND) {
            float offsets_px[NODES_PIXELS];
            lane_values(offsets(), frame, tile, offsets_px);
#pragma unroll
            for (int i = 0; i < NODES_PIXELS; i++) {
                sigmas[i] = sigma_behind(offsets_px[i], reached ? sigmas[i] : 0.0f);
            }
        }
    }
    __device__ float of_pixel(const gauss_frame &, int x, int y) const
    {
        const float near_px = reached ? dof_number(near().bits(x, y)) : 0.0f;
        return layer.which == DOF_NEAR ? near_px
                                       : sigma_behind(dof_number(offsets().bits(x, y)), near_px);
    }
};

#define PLAN_OF_LAYERS(plan_type)                                                                  \
    static __device__ __forceinline__ void find_sigmas(const gauss_frame &frame,                   \
                                                       const plan_type &plan,                      \
                                                       const node_tile &tile,                      \
                                                       float (&sigmas)[NODES_PIXELS])              \
    {                                                                                              \
        plan.find(frame, tile, sigmas);                                                            \
        _Pragma("unroll") for (int i = 0; i < NODES_PIXELS; i++)                                   \
        {                                                                                          \
            sigmas[i] = gauss_law_pictured(sigmas[i], plan.own.sigma_max_px);                      \
        }                                                                                          \
    }                                                                                              \
    static __device__ __forceinline__ float sigma_of_pixel(const gauss_frame &frame,               \
                                                           const plan_type &plan, int x, int y)    \
    {                                                                                              \
        return gauss_law_pictured(plan.of_pixel(frame, x, y), plan.own.sigma_max_px);              \
    }
PLAN_OF_LAYERS(means_plan)
PLAN_OF_LAYERS(layer_plan)

/* ---- What is looked at. Beyond the edges a level goes on, by what is at them */

static __device__ __forceinline__ int group_at(int px, int count)
{
    return min(max(px, 0) / DOF_CUDA_GROUP_PX, count - 1);
}

/* Whether a blurred pixel looks at some group of those with pixels from the first to the last. The
 * lanes of a warp look at one each. */
static __device__ __forceinline__ bool is_looked_at(const dof_cuda_frame &frame,
                                                    const uint8_t *reads, int first_x, int last_x,
                                                    int first_y, int last_y)
{
    const int left = group_at(first_x, frame.group_columns);
    const int top = group_at(first_y, frame.group_rows);
    const int columns = group_at(last_x, frame.group_columns) - left + 1;
    const int count = columns * (group_at(last_y, frame.group_rows) - top + 1);
    uint32_t any = 0;
    for (int i = (int)threadIdx.x % 32; i < count; i += 32) {
        any |= reads[(top + i / columns) * frame.group_columns + left + i % columns];
    }
    return __any_sync(~0u, any != 0);
}

/* The same of so many tiles of a level. */
static __device__ __forceinline__ bool are_looked_at(const dof_cuda_frame &frame,
                                                     const uint8_t *reads, int level, int tile_x,
                                                     int tile_y, int tiles)
{
    const int first_x = (NODES_TILE * tile_x - GAUSS_NODES_MARGIN) * (1 << level);
    const int first_y = (NODES_TILE * tile_y - GAUSS_NODES_MARGIN) * (1 << level);
    const int side = (NODES_TILE * tiles << level) - 1;
    return is_looked_at(frame, reads, first_x, first_x + side, first_y, first_y + side);
}

/* The largest sigma of the layer takes levels up to this: a node of so much more, and what is left
 * for the level to blur (gauss/pyramid.h). */
static __device__ __forceinline__ bool takes_level(const dof_cuda_frame &frame,
                                                   const dof_layer_place &layer, int level)
{
    const uint32_t bits = ((const uint32_t *)frame.memory.largest)[layer.pair];
    const float node_px = bits == 0 ? 0.0f : 1.69f * __uint_as_float(bits) + 0.7f;
    return node_px * node_px >= 1.2f * (float)(1 << 2 * level);
}

template <int CHANNELS, typename Image>
static __device__ __forceinline__ void make_layer_level_1(const dof_cuda_nodes_params &params,
                                                          const dof_layer_place &layer,
                                                          uint32_t *memory)
{
    __shared__ node_lights<layer_pixel> lights;
    const uint8_t *reads = layer.reads(params.frame);
    if (!takes_level(params.frame, layer, 1) ||
        !are_looked_at(params.frame, reads, 1, 2 * (int)blockIdx.x, 2 * (int)blockIdx.y, 2)) {
        return;
    }
    make_level_1<true, CHANNELS, layer_pixel>(
        params.machine.frame, params.machine.nodes,
        Image(params.frame, layer), lights, memory);
}

/* A warp makes a channel of a tile at a time, as make_levels does. */
template <int CHANNELS>
static __device__ __forceinline__ void make_layer_levels(const dof_cuda_nodes_params &params,
                                                         const dof_layer_place &layer)
{
    const gauss_nodes &nodes = params.machine.nodes;
    const uint8_t *reads = layer.reads(params.frame);
    char *levels = layer.levels(nodes);
    const int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int warps = (int)(blockDim.x / 32 * gridDim.x);
    const node_matrix<GAUSS_NODES_STEPS_BELOW> taps(nodes.matrices, 0);
#pragma unroll 1
    for (int k = params.first; k <= params.last && takes_level(params.frame, layer, k); k++) {
        const node_level<CHANNELS> level(nodes, levels, k);
        const node_level<CHANNELS> below(nodes, levels, k - 1);
        const int columns = tiles_along(4 * level.fours);
        const int count = columns * tiles_along(level.rows) * CHANNELS;
#pragma unroll 1
        for (int i = warp; i < count; i += warps) {
            const int tile_y = i / CHANNELS / columns;
            const int tile_x = i / CHANNELS - tile_y * columns;
            const int x = first_below(tile_x);
            const int y = first_below(tile_y);
            if (!are_looked_at(params.frame, reads, k, tile_x, tile_y, 1)) {
                continue;
            }
            node_window<CHANNELS, GAUSS_NODES_STEPS_BELOW, false> window;
            below.open(x, 0, y, 0, window);
            make_samples<true>(level, tile_x, tile_y, i % CHANNELS, taps, window, below, x, y);
        }
        __syncthreads();
    }
}

/* ---- The picture: t from the means, or a blurred layer. Rows of memory go on beyond the picture by
 * whole fours. A pixel at node 0 has what the layer has there */

static __device__ __forceinline__ void write_tile(const gauss_frame &frame, const means_image &image,
                                                  const means_plan &plan, const node_tile &tile,
                                                  const node_places &places,
                                                  const float (&sums)[MEANS_CHANNELS][NODES_PIXELS])
{
    float offsets_px[NODES_PIXELS];
    float reaches_px[NODES_PIXELS];
    uint32_t bits[NODES_PIXELS / 2];
    lane_values(image.offsets, frame, tile, offsets_px);
    plan.find(frame, tile, reaches_px);
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i += 2) {
        float near_px[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const bool copied = (places.copied >> (i + k) & 1u) != 0;
            const float near = nearness(offsets_px[i + k]);
            near_px[k] = near_sigma(offsets_px[i + k],
                                    copied ? -near * offsets_px[i + k] : sums[0][i + k],
                                    copied ? near : sums[1][i + k], reaches_px[i + k]);
        }
        bits[i / 2] = mma_rounded(near_px[0], near_px[1]);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (tile.row(2 * r) < frame.height_px && tile.column(0) < frame.width_px) {
            *(uint2 *)image.near.at(tile.column(0), tile.row(2 * r)) =
                make_uint2(bits[r], bits[r + 2]);
        }
    }
}

static __device__ __forceinline__ void write_tile(const gauss_frame &frame, const layer_image &image,
                                                  const layer_plan &, const node_tile &tile,
                                                  const node_places &places,
                                                  float (&sums)[LAYER_CHANNELS][NODES_PIXELS])
{
    uint2 words[NODES_PIXELS];
    words_of_sums<layer_pixel, LAYER_CHANNELS>(IMAGE_LIGHT_STORED, sums, words);
    if (places.lowest == 0.0f) {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            if ((places.copied >> i & 1u) != 0) {
                words[i] = image.load(min(tile.column(i), frame.width_px - 1),
                                      min(tile.row(i), frame.height_px - 1));
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (tile.row(2 * r) < frame.height_px && tile.column(0) < frame.width_px) {
            write_run_at((char *)image.made.at(tile.column(0), tile.row(2 * r)),
                         words_of_row(words, r));
        }
    }
}

/* Does make_tile; Tile says how sums are made. */
template <int CHANNELS, typename Tile, typename Image, typename Plan, typename Window>
static __device__ __forceinline__ void make_layer_tile(const gauss_frame &frame,
                                                       const gauss_nodes &nodes,
                                                       const Window &window, const Image &image,
                                                       const Plan &plan, const node_tile &tile,
                                                       const node_places &places,
                                                       const gauss_tile_nodes &chosen)
{
    char *levels = plan.layer.levels(nodes);
    Tile sums = {};
    if (places.highest > 0.0f) {
        const int i = add_near<CHANNELS>(nodes, window, places, chosen, sums);
        add_far<CHANNELS, true>(nodes, levels, tile, places, chosen, i, sums);
        if (!all_finite(sums.of)) {
            const auto level_of = [&](int k) {
                return node_samples<layer_pixel, CHANNELS, Image>{
                    frame, image, {nodes, levels, k}, k > 0};
            };
            sum_tile<layer_pixel>(frame, plan, level_of, IMAGE_LIGHT_STORED, image, image, tile);
            return;
        }
    }
    write_tile(frame, image, plan, tile, places, sums.of);
}

/* Does make_picture for a quarter of a group. */
template <int CHANNELS, typename Tile, typename Image, typename Plan>
static __device__ __forceinline__ void make_layer_quarter(const dof_cuda_nodes_params &params,
                                                          const Image &image, const Plan &plan,
                                                          int block_x, int block_y,
                                                          uint32_t *memory,
                                                          node_lights<layer_pixel> &lights)
{
    const gauss_frame &frame = params.machine.frame;
    const gauss_nodes &nodes = params.machine.nodes;
    const int warp = (int)threadIdx.x / 32;
    node_tile tile;
    tile.x = NODES_TILE * (2 * block_x + warp % 2);
    tile.y = NODES_TILE * (2 * block_y + warp / 2);
    node_places places;
    find_places(frame, false, plan, tile, places);
    const gauss_tile_nodes chosen = choose_nodes(params.blend, places);
    const bool is_inside = tile.x < frame.width_px && tile.y < frame.height_px;
    const bool blurs = is_inside && places.highest > 0.0f;
    const node_near_stage stage = {memory, 2 * NODES_TILE * block_x - GAUSS_NODES_BEFORE,
                                   2 * NODES_TILE * block_y - GAUSS_NODES_BEFORE};
    if (__syncthreads_or(blurs && chosen.first < nodes.spans[1].first)) {
        stage.template fill<layer_pixel, CHANNELS>(frame, image, lights, NODES_NEAR_PX);
    }
    if (is_inside) {
        const auto window = stage.open(NODES_TILE * (warp % 2), NODES_TILE * (warp / 2),
                                       tile.lane.row, tile.lane.pair);
        make_layer_tile<CHANNELS, Tile>(frame, nodes, window, image, plan, tile, places, chosen);
    }
}

/* Blocks share the quarters of the list. */
template <int CHANNELS, typename Tile, typename Image, typename Plan>
static __device__ __forceinline__ void make_layer_picture(const dof_cuda_nodes_params &params)
{
    __shared__ __align__(16) uint32_t memory[CHANNELS * node_near_stage::plane];
    __shared__ node_lights<layer_pixel> lights;
    const dof_layer_place layer(params);
    const Image image(params.frame, layer);
    const gauss_nodes &nodes = params.machine.nodes;
    const uint32_t count = *listed_of(params.frame, layer.pair);
#pragma unroll 1
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        const uint32_t entry = list_of(params.frame, layer.pair)[i];
        const int group = (int)(entry / DOF_CUDA_QUARTERS);
        const int quarter = (int)(entry % DOF_CUDA_QUARTERS);
        const int row = group / params.frame.group_columns;
        const int column = group - row * params.frame.group_columns;
        const bool reached = is_reached(quarters_of(params.frame, layer.image)[group], quarter);
        make_layer_quarter<CHANNELS, Tile>(
            params, image, Plan{params.frame, nodes.level_count, nodes.end, layer, reached},
            2 * column + quarter % 2, 2 * row + quarter / 2, memory, lights);
        __syncthreads();
    }
}

#endif
