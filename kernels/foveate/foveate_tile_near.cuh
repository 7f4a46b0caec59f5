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

#include "foveate_tile_nodes.cuh"
#include "foveate_tile_product.cuh"
#include "foveate_tile_window.cuh"

/* A block's shared memory. */
template <int HALO> struct near_memory {
    typedef near_shape<HALO> shape;
    __half *light; /* of each level of 8 bits */
    uint2 *least; /* of each warp */
    near_weights *weights; /* of each warp */
    __half *planes;

    __device__ __forceinline__ explicit near_memory(char *shared)
        : light((__half *)shared), least((uint2 *)(shared + FOVEATE_TILE_LIGHT_BYTES)),
          weights((near_weights *)(least + FOVEATE_TILE_WARPS)),
          planes((__half *)(weights + FOVEATE_TILE_WARPS))
    {
    }
};

/* ---- The window */

/* Four samples beside each other as four halves of each channel. */
static __device__ __forceinline__ void store_planes(__half *to, int plane, const tile_sample &a,
                                                    const tile_sample &b, const tile_sample &c,
                                                    const tile_sample &d)
{
    const uint32_t low = 0x5410;
    const uint32_t high = 0x7632;
    const uint2 ab = bits_of(a);
    const uint2 bb = bits_of(b);
    const uint2 cb = bits_of(c);
    const uint2 db = bits_of(d);
    *(uint2 *)to = make_uint2(__byte_perm(ab.x, bb.x, low), __byte_perm(cb.x, db.x, low));
    *(uint2 *)(to + plane) =
        make_uint2(__byte_perm(ab.x, bb.x, high), __byte_perm(cb.x, db.x, high));
    *(uint2 *)(to + 2 * plane) =
        make_uint2(__byte_perm(ab.y, bb.y, low), __byte_perm(cb.y, db.y, low));
    *(uint2 *)(to + 3 * plane) =
        make_uint2(__byte_perm(ab.y, bb.y, high), __byte_perm(cb.y, db.y, high));
}

/* What a thread has seen of the window. */
struct near_seen {
    tile_sample least;
    uint32_t all; /* the AND of all words */
};

template <int HALO, enum fovea_format FORMAT>
static __device__ __forceinline__ void take_four(const tile_decoder<FORMAT> &decode, __half *planes,
                                                 int i, const uint4 &words, near_seen &seen)
{
    typedef near_shape<HALO> shape;
    const int fours = shape::side / 4;
    const tile_sample a = decode(words.x);
    const tile_sample b = decode(words.y);
    const tile_sample c = decode(words.z);
    const tile_sample d = decode(words.w);
    store_planes(planes + i / fours * shape::pitch + i % fours * 4, shape::plane, a, b, c, d);
    seen.all &= words.x & words.y & words.z & words.w;
    if (decode.light) {
        seen.least = least_of(seen.least, least_of(least_of(a, b), least_of(c, d)));
    }
}

/* Where all of it is in the picture, every load is on its way before the first is used. */
template <int HALO, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ near_seen load_window(const tile_work<FORMAT, Image> &work,
                                                        const near_memory<HALO> &memory, int x0,
                                                        int y0, const tile_sample &base)
{
    typedef near_shape<HALO> shape;
    const int fours = shape::side / 4;
    const int count = fours * shape::side;
    const int turns = (count + FOVEATE_TILE_THREADS - 1) / FOVEATE_TILE_THREADS;
    tile_decoder<FORMAT> decode(work.frame.light != 0, memory.light);
    decode.zero = decode.zero + base;
    const int left = x0 - HALO;
    const int top = y0 - HALO;
    const endless_image<Image> endless = {work.src, work.frame.width_px - 1,
                                          work.frame.height_px - 1};
    const bool inside = left >= 0 && top >= 0 && left + shape::side <= work.frame.width_px &&
                        top + shape::side <= work.frame.height_px;
    near_seen seen = {largest_sample(), ~0u};
    if (inside && has_runs(work.src, 4)) {
        uint4 words[turns];
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int i = min((int)threadIdx.x + turn * FOVEATE_TILE_THREADS, count - 1);
            words[turn] = load_four(endless, true, left + i % fours * 4, top + i / fours);
        }
#pragma unroll
        for (int turn = 0; turn < turns; turn++) {
            const int i = min((int)threadIdx.x + turn * FOVEATE_TILE_THREADS, count - 1);
            take_four<HALO>(decode, memory.planes, i, words[turn], seen);
        }
        return seen;
    }
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < count; i += FOVEATE_TILE_THREADS) {
        const uint4 words = load_four(endless, false, left + i % fours * 4, top + i / fours);
        take_four<HALO>(decode, memory.planes, i, words, seen);
    }
    return seen;
}

/* In light: subtracts the least of the window from all of it. -> it. */
template <int HALO>
static __device__ __forceinline__ tile_sample rebase_planes(const near_memory<HALO> &memory)
{
    typedef near_shape<HALO> shape;
    const tile_sample least = least_of_block(memory.least);
    const __half2 of[4] = {__low2half2(least.xy), __high2half2(least.xy), __low2half2(least.zw),
                           __high2half2(least.zw)};
#pragma unroll
    for (int c = 0; c < 4; c++) {
        __half2 *plane = (__half2 *)(memory.planes + c * shape::plane);
        for (int i = (int)threadIdx.x; i < shape::plane / 2; i += FOVEATE_TILE_THREADS) {
            plane[i] = __hsub2(plane[i], of[c]);
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
        const int lane = (int)threadIdx.x & 31;
        const int first = 2 * (lane % 4) - lane / 4 - HALO - 8;
#pragma unroll
        for (int i = 0; i < count; i++) {
            pair[i] = weights.pairs[node][NEAR_PAIRS / 2 + first + 8 * i];
        }
    }

    /* Eight rows of a window of one channel, filtered along rows: 16 columns by eight rows. */
    __device__ __forceinline__ tile_block along_rows(const __half *from) const
    {
        typedef near_shape<HALO> shape;
        const int lane = (int)threadIdx.x & 31;
        const __half *own = from + lane % 8 * shape::pitch + lane / 8 * 8;
        uint32_t x[4];
        load_factors(own, x);
        tile_block sum = {};
        sum = add_product_16(sum, pair[1], pair[0], pair[2], pair[1], x[0], x[1]);
        if constexpr (HALO == 4) {
            return add_product_8(sum, pair[3], pair[2], x[2]);
        } else {
            sum = add_product_16(sum, pair[3], pair[2], pair[4], pair[3], x[2], x[3]);
        }
        if constexpr (HALO == 12) {
            load_factors(own + 8, x);
            sum = add_product_8(sum, pair[5], pair[4], x[3]);
        }
        return sum;
    }

    /* Eight rows of results from the groups of eight rows from `rows` on. */
    __device__ __forceinline__ tile_block along_columns(const tile_block *rows) const
    {
        tile_block sum = {};
        sum = add_product_16(sum, rows[0].of[0], rows[0].of[1], rows[1].of[0], rows[1].of[1],
                             pair[1], pair[2]);
        if constexpr (HALO == 8) {
            sum = add_product_8(sum, rows[2].of[0], rows[2].of[1], pair[3]);
        }
        if constexpr (HALO == 12) {
            sum = add_product_16(sum, rows[2].of[0], rows[2].of[1], rows[3].of[0], rows[3].of[1],
                                 pair[3], pair[4]);
        }
        return sum;
    }
};

/* Adds a Gaussian's part of a channel. */
template <int HALO>
static __device__ __forceinline__ void add_blurred(const near_band<HALO> &band, const __half *from,
                                                   const near_pixels &parts, near_pixels &sum)
{
    typedef near_shape<HALO> shape;
    const int groups = 2 + HALO / 4;
    tile_block rows[groups];
#pragma unroll
    for (int i = 0; i < groups; i++) {
        rows[i] = band.along_rows(from + 8 * i * shape::pitch);
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
        const tile_block out = band.along_columns(rows + j);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            sum.of[j][h] = __hfma2(parts.of[j][h], half2_of(out.of[h]), sum.of[j][h]);
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

/* All channels of a patch whose window begins at `from`. */
template <int HALO>
static __device__ __forceinline__ void blur_patch(const near_nodes &nodes, near_weights &weights,
                                                  const __half *from, int channels,
                                                  const near_pixels &places, near_pixels (&out)[4])
{
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
                add_blurred<HALO>(band, from + c * near_shape<HALO>::plane, parts, out[c]);
            }
        }
    }
}

/* ---- Where pixels lie among the Gaussians */

/* Between the points around: x is a lane's column, y its pairs of rows. */
static __device__ __forceinline__ near_pixels places_between(const near_weights &weights)
{
    const int lane = (int)threadIdx.x & 31;
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

/* By the law itself, for every pixel. */
static __device__ __noinline__ near_pixels exact_places(const tile_law &law,
                                                        const near_nodes &nodes, int x0, int y0)
{
    const int lane = (int)threadIdx.x & 31;
    near_pixels out;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int x = x0 + lane / 4 + i % 2 * 8;
        const int y = y0 + lane % 4 * 2 + i / 2 * 8;
        out.of[i / 2][i % 2] =
            __floats2half2_rn(nodes.place(law.of_pixel(x, y)), nodes.place(law.of_pixel(x, y + 1)));
    }
    return out;
}

/* ---- Writing */

template <enum fovea_format FORMAT, typename Image> struct near_writer {
    const tile_work<FORMAT, Image> &work;
    const tile_encoder<FORMAT> encode;
    bool keeps_alpha;
    bool copies; /* some pixels may be left alone */

    __device__ __forceinline__ void pixel_at(int x, int y, const tile_sample &sample) const
    {
        const foveate_frame &frame = work.frame;
        if (x >= frame.width_px || y >= frame.height_px) {
            return;
        }
        uint32_t word = encode(sample);
        if (keeps_alpha || copies) {
            const uint32_t own = work.src.load(x, y);
            word = keeps_alpha ? pixel<FORMAT>::keep_alpha(word, own) : word;
            if (copies && work.law.of_pixel(x, y) * FOVEATE_REACH < 1.0f) {
                word = own;
            }
        } else if (needs_alpha<FORMAT>(frame)) {
            word |= tile_pixel<FORMAT>::opaque;
        }
        work.dst.store(x, y, word);
    }

    __device__ __forceinline__ void patch(int x0, int y0, const near_pixels (&colors)[4]) const
    {
        const int lane = (int)threadIdx.x & 31;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t of[4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                of[c] = bits_of(colors[c].of[i / 2][i % 2]);
            }
            const int x = x0 + lane / 4 + i % 2 * 8;
            const int y = y0 + lane % 4 * 2 + i / 2 * 8;
            pixel_at(x, y,
                     sample_of_bits(__byte_perm(of[0], of[1], 0x5410),
                                    __byte_perm(of[2], of[3], 0x5410)));
            pixel_at(x, y + 1,
                     sample_of_bits(__byte_perm(of[0], of[1], 0x7632),
                                    __byte_perm(of[2], of[3], 0x7632)));
        }
    }
};

/* ---- A tile */

template <int HALO, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_patches(const near_writer<FORMAT, Image> &writer,
                                                    const near_memory<HALO> &memory, int x0, int y0)
{
    typedef near_shape<HALO> shape;
    const tile_work<FORMAT, Image> &work = writer.work;
    const int warp = (int)threadIdx.x / 32;
    near_weights &weights = memory.weights[warp];
    const int channels = work.frame.blur_alpha ? 4 : 3;
#pragma unroll 1
    for (int i = warp; i < NEAR_PATCHES * NEAR_PATCHES; i += FOVEATE_TILE_WARPS) {
        const int x = min(i % NEAR_PATCHES * NEAR_PATCH, FOVEATE_TILE_QUARTER_PX - NEAR_PATCH);
        const int y = min(i / NEAR_PATCHES * NEAR_PATCH, FOVEATE_TILE_QUARTER_PX - NEAR_PATCH);
        if (x0 + x >= work.frame.width_px || y0 + y >= work.frame.height_px) {
            continue;
        }
        const near_nodes nodes = find_nodes(work.law, weights, x0 + x, y0 + y);
        const near_pixels places =
            nodes.exact ? exact_places(work.law, nodes, x0 + x, y0 + y) : places_between(weights);
        near_pixels out[4] = {};
        blur_patch<HALO>(nodes, weights, memory.planes + y * shape::pitch + x, channels, places,
                         out);
        near_writer<FORMAT, Image> own = writer;
        own.copies = nodes.copies;
        own.patch(x0 + x, y0 + y, out);
        __syncwarp();
    }
}

template <int HALO, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_near(const tile_work<FORMAT, Image> &work, int x0,
                                                 int y0)
{
    const foveate_frame &frame = work.frame;
    const bool light = frame.light != 0;
    const near_memory<HALO> memory(work.shared);
    fill_light<pixel<FORMAT>>(memory.light, light, FOVEATE_TILE_THREADS);
    tile_sample base = zero_sample();
    if (light) {
        __syncthreads();
    } else {
        const int middle = FOVEATE_TILE_QUARTER_PX / 2;
        const tile_decoder<FORMAT> decode(false, nullptr);
        base = decode(work.src.load(min(x0 + middle, frame.width_px - 1),
                                    min(y0 + middle, frame.height_px - 1)));
    }
    const near_seen seen = load_window<HALO>(work, memory, x0, y0, base);
    if (light) {
        keep_least(seen.least, memory.least);
    }
    const bool opaque = __syncthreads_and(seen.all >= tile_pixel<FORMAT>::opaque) != 0;
    if (light) {
        base = rebase_planes(memory);
    }
    const near_writer<FORMAT, Image> writer = {work, tile_encoder<FORMAT>(base, light),
                                               needs_alpha<FORMAT>(frame) && !opaque, false};
    make_patches<HALO>(writer, memory, x0, y0);
}

/* `radius` reaches as far as the tile's widest Gaussian. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_from_picture(const tile_work<FORMAT, Image> &work,
                                                         int radius, int x0, int y0)
{
    if (radius <= 4) {
        make_near<4>(work, x0, y0);
    } else if (radius <= 8) {
        make_near<8>(work, x0, y0);
    } else {
        make_near<12>(work, x0, y0);
    }
}

#endif
