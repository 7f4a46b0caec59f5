/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The first kernel of the tiles: levels 1 and 2, each straight from the picture and only where tiles need it,
 * and the list of tiles (foveate_tile_scout.cuh).
 *
 * A warp makes sixteen rows of a level. It reads the pixels under them row by row into registers, eight rows
 * at a time, and they are the right side of a product already:
 *
 *   bytes    encoded levels of 8 bits: whole numbers, exact, the taps of the other three channels 0. Nothing
 *            is unpacked.
 *   halves   linear light and 10 bits: what is decoded, channel by channel.
 *
 * Sums along rows, transposed as they lie, are the right side of the product along columns, which leaves each
 * thread one channel of the four quads (bytes) or a whole quad (halves). No shared memory, no barrier. Bound by reading the
 * picture, and at small sizes by latency. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_LEVELS_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_LEVELS_CUH

#include "foveate_tile_image.cuh"
#include "foveate_tile_sample.cuh"
#include "foveate_tile_scout.cuh"
#include "foveate_tile_tables.cuh"

/* ---- Kernels that overlap: from sm_90 on one may begin before the one in front of it has ended */

/* All that the kernels in front have written is there. */
static __device__ __forceinline__ void wait_for_kernels()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

static __device__ __forceinline__ void let_kernels_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* ---- Levels in memory */

/* A quad: of two channels after two. */
struct tile_quad {
    uint4 rg;
    uint4 ba;
};

static __device__ __forceinline__ tile_quad *quad_at(const foveate_tiles &tiles,
                                                     const foveate_level &level, int quad, int y)
{
    return (tile_quad *)(tiles.samples + 8 * (uint64_t)(blockIdx.z * tiles.next_samples)) +
           level.first + (y + FOVEATE_TILE_ROWS_BEFORE) * level.pitch + quad + 1;
}

/* Whether all pixels under sixteen rows of a quad are opaque, so that tiles need not read their alpha. */
static __device__ __forceinline__ uint8_t *opaque_flag(const foveate_tiles &tiles, int level,
                                                       int quad, int row)
{
    const int64_t image = tiles.next_samples == 0 ? 0 : blockIdx.z;
    return (uint8_t *)(tiles.state + image * tiles.state_bytes + tiles.flag_bytes) +
           tiles.making[level].first_flag + row * tiles.levels[level].pitch + quad + 1;
}

/* ---- A warp's part: sixteen rows, four quads wide */

/* What it reads: groups of sixteen pixels along a row; rows by eight, two a product along columns. */
static __host__ __device__ constexpr int row_groups(int level)
{
    return level == 1 ? 3 : 5;
}

static __host__ __device__ constexpr int row_eights(int level)
{
    return level == 1 ? 5 : 10;
}

static __host__ __device__ constexpr int row_steps(int level)
{
    return level == 1 ? 3 : 5;
}

/* How a warp reads its pixels, four at once. */
enum tile_reading {
    READS_INSIDE, /* vectors, all in the picture */
    READS_BESIDE, /* vectors, some of them beyond the sides */
    READS_ANYWHERE /* whatever there is */
};

/* Not inlined: what is rare would be most of the kernel. */
template <typename Image>
static __device__ __noinline__ uint4 load_anywhere(Image image, int last_x, int x, int y)
{
    const endless_image<Image> endless = {image, last_x, y};
    return load_four(endless, has_runs(image, 4) && x >= 0 && x + 3 <= last_x, x, y);
}

template <typename Image> struct tile_making {
    const foveate_frame &frame;
    const foveate_tiles &tiles;
    const endless_image<Image> endless;
    const __half *light;
    int quad; /* the first */
    int row; /* of sixteen */

    __device__ __forceinline__ int lane() const
    {
        return (int)threadIdx.x % 32;
    }
    /* The first pixel that is read, whose place fits 16 bytes. */
    template <int LEVEL> __device__ __forceinline__ int first_x() const
    {
        return ((4 * quad - 2) << LEVEL) - tap_reach(LEVEL) - 2;
    }
    template <int LEVEL> __device__ __forceinline__ int first_y() const
    {
        const int sample = row * FOVEATE_TILE_MADE_ROWS - FOVEATE_TILE_ROWS_BEFORE;
        return (sample << LEVEL) - tap_reach(LEVEL);
    }

    __device__ __forceinline__ tile_reading reading(int x, int width) const
    {
        if (!has_runs(endless.image, 4)) {
            return READS_ANYWHERE;
        }
        if (x >= 0 && x + width - 1 <= endless.last_x) {
            return READS_INSIDE;
        }
        return endless.last_x % 4 == 3 ? READS_BESIDE : READS_ANYWHERE;
    }
    /* Four pixels from x on, a multiple of four. */
    template <tile_reading READING> __device__ __forceinline__ uint4 load(int x, int y) const
    {
        y = min(max(y, 0), endless.last_y);
        if constexpr (READING == READS_INSIDE) {
            return __ldg((const uint4 *)run_at(endless.image, x, y));
        } else if constexpr (READING == READS_BESIDE) {
            const int inside = min(max(x, 0), endless.last_x - 3);
            const uint4 words = __ldg((const uint4 *)run_at(endless.image, inside, y));
            const uint32_t edge = x < 0 ? words.x : words.w;
            return x == inside ? words : make_uint4(edge, edge, edge, edge);
        } else if constexpr (stores_plainly<Image>::value) {
            return load_four(endless, false, x, y);
        } else {
            return load_anywhere(endless.image, endless.last_x, x, y);
        }
    }
    /* The first that this thread writes. */
    __device__ __forceinline__ int sample_row() const
    {
        return row * FOVEATE_TILE_MADE_ROWS - FOVEATE_TILE_ROWS_BEFORE + lane() / 4;
    }
    template <int LEVEL> __device__ __forceinline__ bool has_row(int y) const
    {
        return y < tiles.levels[LEVEL].height + FOVEATE_TILE_ROWS_BEFORE;
    }

    /* `opaque`: the alpha of this thread's samples. A pixel counts in its own sample by enough not to be
     * rounded away. */
    template <int LEVEL> __device__ __forceinline__ void keep_opaque(bool opaque) const
    {
        const bool all = __all_sync(~0u, opaque);
        if (lane() < FOVEATE_TILE_MADE_QUADS && quad + lane() < tiles.levels[LEVEL].pitch - 1) {
            *opaque_flag(tiles, LEVEL, quad + lane(), row) = (uint8_t)all;
        }
    }
};

/* Of the smallest of these alphas. */
template <enum fovea_format FORMAT>
static __device__ __forceinline__ bool is_opaque(const mma_floats (&alpha)[2])
{
    const int white = pixel<FORMAT>::alpha_white;
    float least = alpha[0].at[0][0];
#pragma unroll
    for (int i = 1; i < 8; i++) {
        least = fminf(least, alpha[i / 4].at[i / 2 % 2][i % 2]);
    }
    return least >= (float)(white - (white + 1) / 2);
}

static __device__ __forceinline__ uint32_t halves_of(float low, float high)
{
    return bits_of(__floats2half2_rn(low, high));
}

/* Rows of floats as the right side of the next product. */
static __device__ __forceinline__ mma_halves halves_of(const mma_floats &v)
{
    return {{halves_of(v.at[0][0], v.at[0][1]), halves_of(v.at[1][0], v.at[1][1])}};
}

/* ---- Bytes */

/* A sum in the mantissa of 1.5 x 2^23 becomes a float by being read as one. Less the middle. */
template <int LEVEL> static __device__ __forceinline__ mma_numbers numbers_of_none()
{
    const int32_t none = 0x4b400000 - 128 * tap_total(LEVEL);
    return {{{none, none}, {none, none}}};
}

template <int LEVEL>
static __device__ __forceinline__ mma_halves halves_of_numbers(const mma_numbers &sums)
{
    const float scale = 1.0f / tap_total(LEVEL);
    mma_floats v;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v.at[i / 2][i % 2] =
            fmaf(__uint_as_float((uint32_t)sums.at[i / 2][i % 2]), scale, -12582912.0f * scale);
    }
    return halves_of(v);
}

/* Eight rows of a quad, along rows. A quad of level 2 has two groups, one of level 1 one, or the ends of two. */
template <int LEVEL>
static __device__ __forceinline__ mma_halves sum_bytes(const mma_a (&across)[2 * LEVEL + 4 / LEVEL],
                                                       const uint4 (&words)[row_groups(LEVEL)],
                                                       int quad)
{
    const bool halved = LEVEL == 1 && quad % 2;
    const int first = LEVEL == 1 ? quad / 2 : quad;
    mma_numbers numbers = numbers_of_none<LEVEL>();
#pragma unroll
    for (int k = 0; k < (LEVEL == 2 || halved ? 2 : 1); k++) {
        const uint4 &four = words[first + k];
        const int step = 2 * k + (halved ? 2 : 0);
        numbers = mma_bytes(across[step], four.x, four.y, numbers);
        numbers = mma_bytes(across[step + 1], four.z, four.w, numbers);
    }
    return halves_of_numbers<LEVEL>(numbers);
}

/* Rows are asked for while those before them are worked on. */
template <int LEVEL, tile_reading READING, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_from_bytes(const tile_making<Image> &making)
{
    const int quads = FOVEATE_TILE_MADE_QUADS;
    const int steps = 2 * LEVEL + 4 / LEVEL;
    const int g = making.lane() / 4;
    const int t = making.lane() % 4;
    const int x = making.template first_x<LEVEL>() + 4 * t;
    const int y = making.template first_y<LEVEL>() + g;
    uint4 words[2][row_groups(LEVEL)];
    const auto load = [&](uint4(&to)[row_groups(LEVEL)], int eight) {
#pragma unroll
        for (int k = 0; k < row_groups(LEVEL); k++) {
            to[k] = make_uint4(0, 0, 0, 0);
            if (eight < row_eights(LEVEL)) {
                to[k] = making.template load<READING>(x + 16 * k, y + 8 * eight);
            }
        }
    };
    load(words[0], 0);
    mma_a across[steps];
#pragma unroll
    for (int i = 0; i < steps; i++) {
        across[i] = load_fragment(tables_of_tiles.bytes[LEVEL][i]);
    }
    mma_floats made[quads][2] = {};
#pragma unroll 1
    for (int s = 0; s < row_steps(LEVEL); s++) {
        mma_halves sums[quads];
        const mma_a down = load_fragment(tables_of_tiles.down[LEVEL][s]);
        load(words[1], 2 * s + 1);
#pragma unroll
        for (int q = 0; q < quads; q++) {
            sums[q] = sum_bytes<LEVEL>(across, words[0], q);
        }
        load(words[0], 2 * s + 2);
#pragma unroll
        for (int q = 0; q < quads; q++) {
            const mma_halves next = sum_bytes<LEVEL>(across, words[1], q);
            made[q][0] = mma(down, sums[q].row[0], next.row[0], made[q][0]);
            made[q][1] = mma(down, sums[q].row[1], next.row[1], made[q][1]);
        }
    }
    const foveate_level &level = making.tiles.levels[LEVEL];
    bool opaque = true;
#pragma unroll
    for (int q = 0; q < quads; q++) {
        opaque = opaque && (t < 3 || is_opaque<FORMAT>(made[q]));
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int row = making.sample_row() + 8 * i;
            if (making.template has_row<LEVEL>(row) && making.quad + q < level.pitch - 1) {
                uint2 *quad = (uint2 *)quad_at(making.tiles, level, making.quad + q, row);
                quad[t] = make_uint2(halves_of(made[q][0].at[i][0], made[q][0].at[i][1]),
                                     halves_of(made[q][1].at[i][0], made[q][1].at[i][1]));
            }
        }
    }
    if (tile_pixel<FORMAT>::has_alpha) {
        making.template keep_opaque<LEVEL>(opaque);
    }
}

/* ---- Halves */

/* Both halves of two neighbours' channel, for the channels of a sample. */
struct tile_pair {
    uint32_t channel[4];
};

static __device__ __forceinline__ tile_pair pair_of(const tile_sample &a, const tile_sample &b)
{
    const uint2 x = bits_of(a);
    const uint2 y = bits_of(b);
    return {{__byte_perm(x.x, y.x, 0x5410), __byte_perm(x.x, y.x, 0x7632),
             __byte_perm(x.y, y.y, 0x5410), __byte_perm(x.y, y.y, 0x7632)}};
}

/* Eight rows of sixteen samples, along rows. */
template <int LEVEL, enum fovea_format FORMAT, bool LIGHT>
static __device__ __forceinline__ void sum_across(const tile_decoder<FORMAT> &decode,
                                                  const uint4 (&words)[row_groups(LEVEL)],
                                                  mma_halves (&sums)[4])
{
    mma_floats floats[4] = {};
#pragma unroll
    for (int k = 0; k < row_groups(LEVEL); k++) {
        const mma_a across = load_fragment(tables_of_tiles.across[LEVEL][k]);
        const tile_pair first = pair_of(decode(words[k].x), decode(words[k].y));
        const tile_pair second = pair_of(decode(words[k].z), decode(words[k].w));
#pragma unroll
        for (int c = 0; c < 4; c++) {
            floats[c] = mma(across, first.channel[c], second.channel[c], floats[c]);
        }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        sums[c] = halves_of(floats[c]);
    }
}

/* Sixteen rows of four quads. */
template <int LEVEL, tile_reading READING, enum fovea_format FORMAT, bool LIGHT, typename Image>
static __device__ __forceinline__ void make_from_halves(const tile_making<Image> &making)
{
    const int g = making.lane() / 4;
    const int t = making.lane() % 4;
    const int x = making.template first_x<LEVEL>() + 4 * t;
    const int y = making.template first_y<LEVEL>() + g;
    const tile_decoder<FORMAT> decode(LIGHT, making.light);
    mma_floats made[4][2] = {};
#pragma unroll 1
    for (int s = 0; s < row_steps(LEVEL); s++) {
        uint4 words[2][row_groups(LEVEL)];
#pragma unroll
        for (int i = 0; i < 2 * row_groups(LEVEL); i++) {
            words[i % 2][i / 2] =
                making.template load<READING>(x + 16 * (i / 2), y + 16 * s + 8 * (i % 2));
        }
        mma_halves sums[2][4];
        sum_across<LEVEL, FORMAT, LIGHT>(decode, words[0], sums[0]);
        sum_across<LEVEL, FORMAT, LIGHT>(decode, words[1], sums[1]);
        const mma_a down = load_fragment(tables_of_tiles.down[LEVEL][s]);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            made[i / 2][i % 2] =
                mma(down, sums[0][i / 2].row[i % 2], sums[1][i / 2].row[i % 2], made[i / 2][i % 2]);
        }
    }
    const foveate_level &level = making.tiles.levels[LEVEL];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int row = making.sample_row() + 8 * i;
        if (making.template has_row<LEVEL>(row) && making.quad + t < level.pitch - 1) {
            uint2 channel[4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                channel[c] = make_uint2(halves_of(made[c][0].at[i][0], made[c][0].at[i][1]),
                                        halves_of(made[c][1].at[i][0], made[c][1].at[i][1]));
            }
            *quad_at(making.tiles, level, making.quad + t,
                     row) = {make_uint4(channel[0].x, channel[0].y, channel[1].x, channel[1].y),
                             make_uint4(channel[2].x, channel[2].y, channel[3].x, channel[3].y)};
        }
    }
    if (tile_pixel<FORMAT>::has_alpha) {
        making.template keep_opaque<LEVEL>(is_opaque<FORMAT>(made[3]));
    }
}

/* ---- A block */

template <int LEVEL, tile_reading READING, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_rows(const tile_making<Image> &making)
{
    if (making.frame.light) {
        make_from_halves<LEVEL, READING, FORMAT, true>(making);
    } else if constexpr (pixel<FORMAT>::white > 255) {
        make_from_halves<LEVEL, READING, FORMAT, false>(making);
    } else {
        make_from_bytes<LEVEL, READING, FORMAT>(making);
    }
}

template <int LEVEL, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_warp_rows(const tile_making<Image> &making)
{
    const tile_reading reading =
        making.reading(making.template first_x<LEVEL>(), 16 * row_groups(LEVEL));
    if (reading == READS_INSIDE) {
        make_rows<LEVEL, READS_INSIDE, FORMAT>(making);
    } else if (reading == READS_BESIDE) {
        make_rows<LEVEL, READS_BESIDE, FORMAT>(making);
    } else {
        make_rows<LEVEL, READS_ANYWHERE, FORMAT>(making);
    }
}

/* Whether there are images that share these levels: the first makes all of them. */
static __device__ __forceinline__ bool has_shared_levels(const foveate_tiles &tiles)
{
    return tiles.next_samples == 0 && gridDim.z > 1;
}

static __device__ __forceinline__ tile_area widened(const tile_area &area, float margin)
{
    return {area.x - margin, area.y - margin, area.width + 2.0f * margin,
            area.height + 2.0f * margin};
}

/* Where sigma only rises with the distance: whether some of an area is neither too near for a level nor too
 * far. */
static __device__ __forceinline__ bool lies_in_ring(const tile_law &law, int level,
                                                    const tile_area &area)
{
    const foveate_tile_making &making = law.tiles.making[level];
    const tile_distances distances = distances_of(law, widened(area, foveate_tile_margin(level)));
    return distances.farthest >= making.from_px * making.from_px &&
           distances.nearest <= making.to_px * making.to_px;
}

/* Whether a tile reads level 1 or 2 in an area of the picture. A whole block asks. */
static __device__ __forceinline__ bool needs_level(const tile_law &law, int level,
                                                   const tile_area &area, int &shared_answer)
{
    const foveate_tiles &tiles = law.tiles;
    const bool shared = has_shared_levels(tiles);
    if (level >= tiles.level_count || (shared ? blockIdx.z > 0 : !law.blurs)) {
        return false;
    }
    const bool wants_all = level == 2 && law.level_count > 3; /* level 3 is made of all of it */
    if (wants_all || shared) {
        return true;
    }
    if (tiles.radial) {
        return lies_in_ring(law, level, area);
    }
    if (threadIdx.x < 32) {
        const tile_range range = range_by_warp(law, widened(area, foveate_tile_margin(level)));
        shared_answer = range.high >= foveate_tile_sigma_from(level) &&
                        (level > 1 || range.low < tiles.most_sigma_1);
    }
    __syncthreads();
    return shared_answer != 0;
}

/* Where four quads' sixteen rows lie. */
static __device__ __forceinline__ tile_area area_of_rows(int level, int quad, int quads, int row)
{
    const float side_px = (float)(FOVEATE_TILE_QUAD << level);
    const float rows_px = (float)(FOVEATE_TILE_MADE_ROWS << level);
    return {(float)quad * side_px, (float)row * rows_px - side_px, (float)quads * side_px, rows_px};
}

/* Blocks: those that list tiles, then those of level 1, then of level 2. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_levels(const foveate_frame &frame,
                                                   const foveate_tiles &tiles, const Image &src)
{
    __shared__ __half light[256];
    __shared__ int needed;
    let_kernels_begin();
    const tile_law law(tiles, frame);
    int block = (int)blockIdx.x - tiles.listing_blocks;
    if (block < 0) {
        list_tiles(law, frame, (int)blockIdx.x);
        return;
    }
    const int level = block < tiles.making[1].blocks ? 1 : 2;
    block -= level == 2 ? tiles.making[1].blocks : 0;
    const int quads = FOVEATE_TILE_MADE_QUADS;
    const foveate_tile_making &making_of = tiles.making[level];
    const int warps = FOVEATE_TILE_MAKERS / 32;
    const int column = making_of.first_column + block % making_of.columns;
    const int quad = column * warps * quads - 1;
    const int row = making_of.first_row + block / making_of.columns;
    if (!needs_level(law, level, area_of_rows(level, quad, warps * quads, row), needed)) {
        return;
    }
    fill_light<pixel<FORMAT>>(light, frame.light != 0, FOVEATE_TILE_MAKERS);
    if (frame.light) {
        __syncthreads();
    }
    const tile_making<Image> making = {frame,
                                       tiles,
                                       {src, frame.width_px - 1, frame.height_px - 1},
                                       light,
                                       quad + (int)threadIdx.x / 32 * quads,
                                       row};
    const bool of_all = has_shared_levels(tiles) || (level == 2 && law.level_count > 3);
    if (making.quad >= tiles.levels[level].pitch - 1 ||
        (tiles.radial && !of_all &&
         !lies_in_ring(law, level, area_of_rows(level, making.quad, quads, row)))) {
        return;
    }
    if (level == 1) {
        make_warp_rows<1, FORMAT>(making);
    } else {
        make_warp_rows<2, FORMAT>(making);
    }
}

/* ---- Levels from the third on, each from the one below and whole: a thread makes a quad, from twelve samples of six
 * rows. In floats: what is flat stays flat. */

static __device__ __forceinline__ float2 half_pair(uint32_t bits)
{
    return __half22float2(half2_of(bits));
}

static __device__ __forceinline__ uint2 decimated(const foveate_tiles &tiles,
                                                  const foveate_level &below, int channel, int quad,
                                                  int y)
{
    const float taps[6] = {1.0f / 32, 5.0f / 32, 10.0f / 32, 10.0f / 32, 5.0f / 32, 1.0f / 32};
    float sums[12] = {};
#pragma unroll
    for (int j = 0; j < 6; j++) {
        const int row = min(max(2 * y - 2 + j, -FOVEATE_TILE_ROWS_BEFORE),
                            below.height + FOVEATE_TILE_ROWS_BEFORE - 1);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int from = min(max(2 * quad - 1 + i, -1), below.pitch - 2);
            const uint2 four = ((const uint2 *)quad_at(tiles, below, from, row))[channel];
            const float2 low = half_pair(four.x);
            const float2 high = half_pair(four.y);
            sums[4 * i] = fmaf(taps[j], low.x, sums[4 * i]);
            sums[4 * i + 1] = fmaf(taps[j], low.y, sums[4 * i + 1]);
            sums[4 * i + 2] = fmaf(taps[j], high.x, sums[4 * i + 2]);
            sums[4 * i + 3] = fmaf(taps[j], high.y, sums[4 * i + 3]);
        }
    }
    float made[4] = {};
#pragma unroll
    for (int i = 0; i < 24; i++) {
        made[i / 6] = fmaf(taps[i % 6], sums[i / 6 * 2 + i % 6], made[i / 6]);
    }
    return make_uint2(halves_of(made[0], made[1]), halves_of(made[2], made[3]));
}

/* Threads: four for a quad, a channel each. */
static __device__ __forceinline__ void decimate_level(const foveate_tiles_decimate_params &params)
{
    const foveate_tiles &tiles = params.tiles;
    const foveate_level &level = tiles.levels[params.level];
    const int i = (int)(blockIdx.x * FOVEATE_TILE_MAKERS + threadIdx.x);
    let_kernels_begin();
    wait_for_kernels();
    const int quad = i / 4 % level.pitch - 1;
    const int y = i / 4 / level.pitch - FOVEATE_TILE_ROWS_BEFORE;
    if (y < level.height + FOVEATE_TILE_ROWS_BEFORE) {
        ((uint2 *)quad_at(tiles, level, quad, y))[i % 4] =
            decimated(tiles, tiles.levels[params.level - 1], i % 4, quad, y);
    }
}

#endif
