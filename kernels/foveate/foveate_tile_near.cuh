/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tile from the picture itself, where sigma is below two pixels or so. Nothing can be decimated there, and
 * a Gaussian of its own for every pixel costs more in weights than in samples. So few Gaussians are
 * applied to all pixels, as products with banded matrices on tensor cores, rows and then columns without
 * leaving the registers; a pixel blends the two whose sigma lie around its own. Blending pictures that
 * are blurred in both directions already, it is right however fast sigma changes; the Gaussians only have
 * to lie close (foveate_tile_nodes.cuh).
 *
 * A warp makes a patch of 16 x 16 pixels. The window lies in shared memory, a plane of halves for each
 * channel. Pixels that the law leaves alone are copied bit by bit. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_NEAR_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_NEAR_CUH

#include "foveate_tile_mma.cuh"
#include "foveate_tile_nodes.cuh"
#include "foveate_tile_window.cuh"

/* A block's shared memory. */
struct near_memory {
    __half *light; /* of each level of 8 bits */
    uint2 *least; /* of each warp */
    near_sigmas &sigmas;
    near_weights *weights; /* of each warp */
    __half *planes;

    __device__ __forceinline__ explicit near_memory(char *shared)
        : light((__half *)shared), least((uint2 *)(shared + FOVEATE_TILE_LIGHT_BYTES)),
          sigmas(*(near_sigmas *)(least + FOVEATE_TILE_WARPS)),
          weights((near_weights *)(&sigmas + 1)), planes((__half *)(weights + FOVEATE_TILE_WARPS))
    {
    }
};

struct near_tile {
    int x0;
    int y0;
    int side; /* of a square or of a quarter */
    int halo;
};

/* ---- The window */

/* Loads of a thread: those of a square with eight samples around it. */
#define NEAR_AT_ONCE 8

/* What a thread has seen of the window. */
struct near_seen {
    tile_sample least;
    uint32_t all; /* the AND of all words */
};

/* A window in fours of pixels, row by row. */
struct near_fours {
    int across;
    int count;
    uint32_t per_row; /* 65536 of them, rounded up */

    __device__ __forceinline__ explicit near_fours(const near_tile &tile)
        : across((tile.side + 2 * tile.halo) / 4), count(4 * across * across),
          per_row((65536u + (uint32_t)across - 1) / (uint32_t)across)
    {
    }
    __device__ __forceinline__ int row(int i) const
    {
        return (int)((uint32_t)i * per_row >> 16);
    }
};

template <enum fovea_format FORMAT, typename Image> struct near_loader {
    const tile_work<FORMAT, Image> &work;
    const near_memory &memory;
    const near_tile &tile;
    const tile_decoder<FORMAT> &decode;
    const near_fours fours;
    bool with_alpha;
    int plane;
    int pitch;

    static __device__ __forceinline__ void store_halves(__half *to, __half2 a, __half2 b, __half2 c,
                                                        __half2 d, uint32_t which)
    {
        *(uint2 *)to = make_uint2(__byte_perm(bits_of(a), bits_of(b), which),
                                  __byte_perm(bits_of(c), bits_of(d), which));
    }
    /* Four pixels, as four halves of each channel. */
    __device__ __forceinline__ void store(int i, const uint4 &words, near_seen &seen) const
    {
        const tile_sample a = decode(words.x);
        const tile_sample b = decode(words.y);
        const tile_sample c = decode(words.z);
        const tile_sample d = decode(words.w);
        const int row = fours.row(i);
        __half *to = memory.planes + row * pitch + (i - row * fours.across) * 4;
        store_halves(to, a.xy, b.xy, c.xy, d.xy, 0x5410);
        store_halves(to + plane, a.xy, b.xy, c.xy, d.xy, 0x7632);
        store_halves(to + 2 * plane, a.zw, b.zw, c.zw, d.zw, 0x5410);
        if (with_alpha) {
            store_halves(to + 3 * plane, a.zw, b.zw, c.zw, d.zw, 0x7632);
        }
        seen.all &= words.x & words.y & words.z & words.w;
        if (decode.light) {
            seen.least = least_of(seen.least, least_of(least_of(a, b), least_of(c, d)));
        }
    }
    __device__ __forceinline__ uint4 load(int i, bool runs) const
    {
        const endless_image<Image> endless = {work.src, work.frame.width_px - 1,
                                              work.frame.height_px - 1};
        const int row = fours.row(i);
        const int column = (i - row * fours.across) * 4;
        return load_four(endless, runs, tile.x0 - tile.halo + column, tile.y0 - tile.halo + row);
    }
    __device__ __forceinline__ bool is_inside() const
    {
        const int side = tile.side + 2 * tile.halo;
        const int left = tile.x0 - tile.halo;
        const int top = tile.y0 - tile.halo;
        return left >= 0 && top >= 0 && left + side <= work.frame.width_px &&
               top + side <= work.frame.height_px;
    }

    /* All of it lies in the picture: every load is on its way before the first is used, and sigma is asked
     * for meanwhile. */
    __device__ __forceinline__ void load_at_once(near_seen &seen) const
    {
        const int thread = near_thread();
        uint4 words[NEAR_AT_ONCE] = {};
#pragma unroll
        for (int k = 0; k < NEAR_AT_ONCE; k++) {
            if (k * FOVEATE_TILE_THREADS < fours.count) {
                words[k] = load(min(thread + k * FOVEATE_TILE_THREADS, fours.count - 1), true);
            }
        }
        fill_sigmas(work.law, memory.sigmas, tile.x0, tile.y0, tile.side);
#pragma unroll
        for (int k = 0; k < NEAR_AT_ONCE; k++) {
            if (k * FOVEATE_TILE_THREADS < fours.count) {
                store(min(thread + k * FOVEATE_TILE_THREADS, fours.count - 1), words[k], seen);
            }
        }
    }

    __device__ __forceinline__ near_seen operator()() const
    {
        near_seen seen = {largest_sample(), ~0u};
        const bool runs = is_inside() && has_runs(work.src, 4);
        if (runs && !decode.light && fours.count <= NEAR_AT_ONCE * FOVEATE_TILE_THREADS) {
            load_at_once(seen);
            return seen;
        }
        fill_sigmas(work.law, memory.sigmas, tile.x0, tile.y0, tile.side);
#pragma unroll 1
        for (int i = near_thread(); i < fours.count; i += FOVEATE_TILE_THREADS) {
            store(i, load(i, runs), seen);
        }
        return seen;
    }
};

/* In light: subtracts the least of the window from all of it. -> it. */
static __device__ __forceinline__ tile_sample rebase_planes(const near_memory &memory, int plane,
                                                            int channels)
{
    const tile_sample least = least_of_block(memory.least);
    for (int c = 0; c < channels; c++) {
        const __half2 both = c < 2 ? least.xy : least.zw;
        const __half2 own = c % 2 ? __high2half2(both) : __low2half2(both);
        __half2 *halves = (__half2 *)(memory.planes + c * plane);
        for (int i = near_thread(); i < plane / 2; i += FOVEATE_TILE_THREADS) {
            halves[i] = __hsub2(halves[i], own);
        }
    }
    __syncthreads();
    return least;
}

/* ---- A patch */

/* The four pairs of neighbours along a column that a lane holds of a patch's channel: [half of the rows]
 * [half of the columns]. */
struct near_pixels {
    __half2 of[2][2];
};

/* A lane's share of the banded matrix: its pairs of weights, eight samples apart. As a first factor it
 * filters along rows, as a second one along columns. */
template <int HALO> struct near_band {
    static const int count = 3 + HALO / 4;
    uint32_t pair[count];

    __device__ __forceinline__ near_band(const near_weights &weights, int node)
    {
        const int lane = near_lane();
        const int first = 2 * (lane % 4) - lane / 4 - HALO - 8;
#pragma unroll
        for (int i = 0; i < count; i++) {
            pair[i] = weights.pairs[node][NEAR_PAIRS / 2 + first + 8 * i];
        }
    }

    /* Eight rows of a window of one channel, filtered along rows: 16 columns by eight rows. */
    __device__ __forceinline__ mma_halves along_rows(mma_address from) const
    {
        uint32_t x[4];
        mma_load(from, x);
        mma_halves sum = mma({{pair[1], pair[0], pair[2], pair[1]}}, x[0], x[1], mma_halves{});
        if constexpr (HALO == 4) {
            return mma_shallow(pair[3], pair[2], x[2], sum);
        } else {
            sum = mma({{pair[3], pair[2], pair[4], pair[3]}}, x[2], x[3], sum);
        }
        if constexpr (HALO == 12) {
            mma_load(from + 8 * sizeof(__half), x);
            sum = mma_shallow(pair[5], pair[4], x[3], sum);
        }
        return sum;
    }

    /* Eight rows of results from the groups of eight rows from `rows` on. In shallow steps: two groups together
     * would have to be moved to where deep ones want them. */
    __device__ __forceinline__ mma_halves along_columns(const mma_halves *rows) const
    {
        mma_halves sum = {};
#pragma unroll
        for (int i = 0; i < 1 + HALO / 4; i++) {
            sum = mma_shallow(rows[i].row[0], rows[i].row[1], pair[i + 1], sum);
        }
        return sum;
    }
};

/* Adds a Gaussian's part of a channel. */
template <int HALO>
static __device__ __forceinline__ void add_blurred(const near_band<HALO> &band, mma_address from,
                                                   const near_pixels &parts, near_pixels &sum)
{
    typedef near_shape<HALO> shape;
    const int groups = 2 + HALO / 4;
    mma_halves rows[groups];
#pragma unroll
    for (int i = 0; i < groups; i++) {
        rows[i] = band.along_rows(from + (mma_address)(8 * i * shape::pitch * sizeof(__half)));
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
        const mma_halves out = band.along_columns(rows + j);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            sum.of[j][h] = __hfma2(parts.of[j][h], half2_of(out.row[h]), sum.of[j][h]);
        }
    }
}

/* How much of a Gaussian a pixel takes that lies `places` among them. */
static __device__ __forceinline__ near_pixels parts_of(const near_pixels &places, int node)
{
    const __half2 at = __float2half2_rn((float)node);
    const __half2 one = __float2half2_rn(1.0f);
    const __half2 none = __float2half2_rn(0.0f);
    near_pixels parts;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const __half2 distance = __habs2(__hsub2(places.of[i / 2][i % 2], at));
        parts.of[i / 2][i % 2] = __hmax2(__hsub2(one, distance), none);
    }
    return parts;
}

/* All channels of the patch at (x, y) in the tile. */
template <int HALO>
static __device__ __forceinline__ void blur_patch(const near_nodes &nodes, near_weights &weights,
                                                  const __half *planes, int x, int y, int channels,
                                                  const near_pixels &places, near_pixels (&out)[4])
{
    typedef near_shape<HALO> shape;
    const int lane = near_lane();
    const mma_address from =
        mma_address_of(planes + (y + lane % 8) * shape::pitch + x + lane / 8 * 8);
#pragma unroll 1
    for (int node = 0; node < nodes.count; node++) {
        if (node % 2 == 0) {
            fill_weights(weights, HALO, nodes.sigma_px(node), nodes.sigma_px(node + 1));
        }
        const near_band<HALO> band(weights, node % 2);
        const near_pixels parts = parts_of(places, node);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            if (c < channels) {
                add_blurred<HALO>(band, from + (mma_address)(c * shape::plane * sizeof(__half)),
                                  parts, out[c]);
            }
        }
    }
}

/* ---- Where pixels lie among the Gaussians */

/* Between the points around: x is a lane's column, y its pairs of rows. */
static __device__ __forceinline__ near_pixels places_between(const near_weights &weights)
{
    const int lane = near_lane();
    const float across = ((float)(lane / 4) + 0.5f) * (1.0f / NEAR_STEP);
    const float down = ((float)(lane % 4) * 2.0f + 0.5f) * (1.0f / NEAR_STEP);
    const __half2 of_rows = __floats2half2_rn(down, down + 1.0f / NEAR_STEP);
    float line[3][2];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const float *places = weights.places + 3 * k;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            line[k][h] = fmaf(across, places[h + 1] - places[h], places[h]);
        }
    }
    near_pixels out;
#pragma unroll
    for (int j = 0; j < 2; j++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            out.of[j][h] = __hfma2(of_rows, __float2half2_rn(line[j + 1][h] - line[j][h]),
                                   __float2half2_rn(line[j][h]));
        }
    }
    return out;
}

/* By the law itself, for every pixel. `copied`: a bit for each of the lane's pixels that is left alone. */
static __device__ __forceinline__ near_pixels exact_places(const tile_law &law,
                                                           const near_nodes &nodes, int x0, int y0,
                                                           uint32_t &copied)
{
    const int lane = near_lane();
    uint4 words = {};
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        const int x = x0 + lane / 4 + i / 2 % 2 * 8;
        const int y = y0 + lane % 4 * 2 + i / 4 * 8 + i % 2;
        const float sigma_px = law.of_pixel(x, y);
        const uint32_t place = __half_as_ushort(__float2half_rn(nodes.place(sigma_px)));
        set_word(words, i / 2, word_at(words, i / 2) | place << i % 2 * 16);
        copied |= (uint32_t)(sigma_px * FOVEATE_REACH < 1.0f) << i;
    }
    return {{{half2_of(words.x), half2_of(words.y)}, {half2_of(words.z), half2_of(words.w)}}};
}

/* ---- Writing */

/* A lane's pixels: four pairs, one below the other, of the left and the right half of the upper eight rows,
 * and of the lower eight. */
struct near_words {
    uint4 upper;
    uint4 lower;

    __device__ __forceinline__ uint32_t at(int i) const
    {
        return i < 4 ? word_at(upper, i) : word_at(lower, i - 4);
    }
};

template <enum fovea_format FORMAT, typename Image> struct near_writer {
    const tile_work<FORMAT, Image> &work;
    const tile_encoder<FORMAT> encode;
    bool keeps_alpha; /* and there is some */

    /* `which` of each pair. */
    template <bool LIGHT>
    __device__ __forceinline__ uint32_t word_of(const near_pixels (&colors)[4], int i,
                                                uint32_t which) const
    {
        const __half2 x = colors[0].of[i / 2][i % 2];
        const __half2 y = colors[1].of[i / 2][i % 2];
        const __half2 z = colors[2].of[i / 2][i % 2];
        const __half2 w = colors[3].of[i / 2][i % 2];
        const tile_sample sample = sample_of_bits(__byte_perm(bits_of(x), bits_of(y), which),
                                                  __byte_perm(bits_of(z), bits_of(w), which));
        const uint32_t word = LIGHT ? encode.in_light(sample) : encode.in_levels(sample);
        return needs_alpha<FORMAT>(work.frame) ? word | tile_pixel<FORMAT>::opaque : word;
    }
    template <bool LIGHT>
    __device__ __forceinline__ near_words words_of(const near_pixels (&colors)[4]) const
    {
        const uint32_t first = 0x5410;
        const uint32_t second = 0x7632;
        return {make_uint4(word_of<LIGHT>(colors, 0, first), word_of<LIGHT>(colors, 0, second),
                           word_of<LIGHT>(colors, 1, first), word_of<LIGHT>(colors, 1, second)),
                make_uint4(word_of<LIGHT>(colors, 2, first), word_of<LIGHT>(colors, 2, second),
                           word_of<LIGHT>(colors, 3, first), word_of<LIGHT>(colors, 3, second))};
    }

    /* What was there, of whole words in the picture, `row` bytes a row. */
    static __device__ __forceinline__ near_words words_from(const char *from, int64_t row)
    {
        const char *below = from + 8 * row;
        return {make_uint4(__ldg((const uint32_t *)from), __ldg((const uint32_t *)(from + row)),
                           __ldg((const uint32_t *)(from + 32)),
                           __ldg((const uint32_t *)(from + row + 32))),
                make_uint4(__ldg((const uint32_t *)below), __ldg((const uint32_t *)(below + row)),
                           __ldg((const uint32_t *)(below + 32)),
                           __ldg((const uint32_t *)(below + row + 32)))};
    }
    static __device__ __forceinline__ void words_to(char *to, int64_t row, const near_words &words)
    {
        char *below = to + 8 * row;
        *(uint32_t *)to = words.upper.x;
        *(uint32_t *)(to + row) = words.upper.y;
        *(uint32_t *)(to + 32) = words.upper.z;
        *(uint32_t *)(to + row + 32) = words.upper.w;
        *(uint32_t *)below = words.lower.x;
        *(uint32_t *)(below + row) = words.lower.y;
        *(uint32_t *)(below + 32) = words.lower.z;
        *(uint32_t *)(below + row + 32) = words.lower.w;
    }
    __device__ __forceinline__ uint32_t merged(uint32_t color, uint32_t own, bool copied) const
    {
        const uint32_t kept = keeps_alpha ? pixel<FORMAT>::keep_alpha(color, own) : color;
        return copied ? own : kept;
    }
    __device__ __forceinline__ void merge(near_words &words, const near_words &own,
                                          uint32_t copied) const
    {
        uint4 &a = words.upper;
        uint4 &b = words.lower;
        a = make_uint4(merged(a.x, own.upper.x, copied & 1), merged(a.y, own.upper.y, copied & 2),
                       merged(a.z, own.upper.z, copied & 4), merged(a.w, own.upper.w, copied & 8));
        b = make_uint4(merged(b.x, own.lower.x, copied & 16), merged(b.y, own.lower.y, copied & 32),
                       merged(b.z, own.lower.z, copied & 64),
                       merged(b.w, own.lower.w, copied & 128));
    }
    __device__ __forceinline__ void store_each(int x0, int y0, const near_words &words,
                                               uint32_t copied) const
    {
#pragma unroll 1
        for (int i = 0; i < 8; i++) {
            const int x = x0 + i / 2 % 2 * 8;
            const int y = y0 + i / 4 * 8 + i % 2;
            if (x >= work.frame.width_px || y >= work.frame.height_px) {
                continue;
            }
            uint32_t word = words.at(i);
            const bool copy = copied >> i & 1;
            if (keeps_alpha || copy) {
                word = merged(word, work.src.load(x, y), copy);
            }
            work.dst.store(x, y, word);
        }
    }

    /* Of the patch at (x0, y0) in the picture; a bit for each pixel that is copied. `some`: of any lane. */
    __device__ __forceinline__ void operator()(int x0, int y0, const near_pixels (&colors)[4],
                                               uint32_t copied, bool some) const
    {
        const foveate_frame &frame = work.frame;
        const int lane = near_lane();
        const int x = x0 + lane / 4;
        const int y = y0 + lane % 4 * 2;
        const bool whole = has_runs(work.src, 1) && has_runs(work.dst, 1) &&
                           x0 + NEAR_PATCH <= frame.width_px && y0 + NEAR_PATCH <= frame.height_px;
        const bool needs_own = keeps_alpha || some;
        near_words own = {};
        if (whole && needs_own) {
            own = words_from(run_at(work.src, x, y), run_below(work.src));
        }
        near_words words = frame.light ? words_of<true>(colors) : words_of<false>(colors);
        if (!whole) {
            store_each(x, y, words, copied);
            return;
        }
        if (needs_own) {
            merge(words, own, copied);
        }
        words_to(run_at(work.dst, x, y), run_below(work.dst), words);
    }
};

/* ---- A tile */

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_patch(const near_writer<FORMAT, Image> &writer,
                                                  const near_memory &memory, const near_tile &tile,
                                                  int x, int y)
{
    const tile_work<FORMAT, Image> &work = writer.work;
    near_weights &weights = memory.weights[near_thread() / 32];
    const int channels = work.frame.blur_alpha ? 4 : 3;
    const near_nodes nodes = find_nodes(memory.sigmas, weights, x, y, work.frame.light != 0);
    uint32_t copied = 0;
    const near_pixels places = nodes.exact
                                   ? exact_places(work.law, nodes, tile.x0 + x, tile.y0 + y, copied)
                                   : places_between(weights);
    near_pixels out[4] = {};
    if (tile.halo == 4) {
        blur_patch<4>(nodes, weights, memory.planes, x, y, channels, places, out);
    } else if (tile.halo == 8) {
        blur_patch<8>(nodes, weights, memory.planes, x, y, channels, places, out);
    } else {
        blur_patch<12>(nodes, weights, memory.planes, x, y, channels, places, out);
    }
    writer(tile.x0 + x, tile.y0 + y, out, copied, nodes.exact);
    __syncwarp();
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_near(const tile_work<FORMAT, Image> &work,
                                                 const near_tile &tile)
{
    const foveate_frame &frame = work.frame;
    const bool light = frame.light != 0;
    const near_memory memory(work.shared);
    fill_light<pixel<FORMAT>>(memory.light, light, FOVEATE_TILE_THREADS);
    tile_sample base = zero_sample();
    if (light) {
        __syncthreads();
    } else {
        const tile_decoder<FORMAT> plain(false, nullptr);
        base = plain(work.src.load(min(tile.x0 + tile.side / 2, frame.width_px - 1),
                                   min(tile.y0 + tile.side / 2, frame.height_px - 1)));
    }
    tile_decoder<FORMAT> decode(light, memory.light);
    decode.zero = decode.zero + base;
    const near_loader<FORMAT, Image> load = {work,
                                             memory,
                                             tile,
                                             decode,
                                             near_fours(tile),
                                             frame.blur_alpha != 0,
                                             foveate_tile_plane(tile.halo),
                                             FOVEATE_TILE_NEAR_PITCH(tile.halo)};
    const near_seen seen = load();
    if (light) {
        keep_least(seen.least, memory.least);
    }
    const bool opaque = __syncthreads_and(seen.all >= tile_pixel<FORMAT>::opaque) != 0;
    if (light) {
        base = rebase_planes(memory, foveate_tile_plane(tile.halo), frame.blur_alpha ? 4 : 3);
    }
    const near_writer<FORMAT, Image> writer = {work, tile_encoder<FORMAT>(base, light),
                                               needs_alpha<FORMAT>(frame) && !opaque};
    const int patches = (tile.side + NEAR_PATCH - 1) / NEAR_PATCH;
#pragma unroll 1
    for (int i = near_thread() / 32; i < patches * patches; i += FOVEATE_TILE_WARPS) {
        const int x = patch_at(i % patches, tile.side);
        const int y = patch_at(i / patches, tile.side);
        if (tile.x0 + x < frame.width_px && tile.y0 + y < frame.height_px) {
            make_patch(writer, memory, tile, x, y);
        }
    }
}

#endif
