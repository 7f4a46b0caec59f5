/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the picture and of levels 1 and 2 as products of matrices: 8 bits, stored values averaged, sigma
 * from 0.9 px on. Everything else is foveate_tile_blur.cuh's, which says the same in plain arithmetic.
 *
 * The block loads its window into shared memory, a plane for each channel. From there each of its four warps
 * goes alone: 16 x 16 outputs from 32 x 32 samples, in registers from the first product to the last,
 *
 *     Y = W S         blurred down     16 x 32 times 32 x 32
 *     Z = Y W'        and across       16 x 32 times 32 x 16
 *     X = Z U'        up-sampled across and, its squares turned,
 *     P = U X         down             the pixels
 *
 * since what one product gives is the left factor of the next as it is (foveate_mma.cuh). W has the Gaussian's
 * weights, the same for every output; U the cubic B-spline's.
 *
 * sigma grows across a warp's outputs, and W cannot. So they are blurred with two variances that lie in
 * their range, or three, and each is the polynomial through these at its own variance. Of a texture of w
 * cycles that leaves, with x = (2 pi w)^2 / 2 and h the range's half, h^2 x^2 exp(-x sigma^2) / 4 with two at
 * Chebyshev's places: less than 0.135 (h / sigma^2)^2. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_PRODUCT_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_PRODUCT_CUH

#include "foveate_mma.cuh"
#include "foveate_tile_spline.cuh"
#include "foveate_tile_window.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TILE_HAS_PRODUCTS 1
#else
#define TILE_HAS_PRODUCTS 0
#endif

/* Of the block, read anew each time: what compilers work out from it ahead, for every kind of tile, would lie in
 * local memory. */
static __device__ __forceinline__ int product_thread()
{
#ifdef __CUDA_ARCH__
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
#else
    return (int)threadIdx.x;
#endif
}

#define PRODUCT_COLORS 3 /* alpha is kept, not blurred */
#define PRODUCT_WINDOW 32 /* samples that a warp's outputs are made of, along either axis */

#define PRODUCT_PITCH 56 /* halves of a row of the block's window: odd in units of 16 bytes */
#define PRODUCT_SIDE 48 /* of it, at most */
#define PRODUCT_PLANE (PRODUCT_SIDE * PRODUCT_PITCH)

/* Of the picture's own tiles and of those of levels; counts are of samples. */
struct product_shape {
    int before; /* of the window, before the first output: as far as a Gaussian reaches */
    int own; /* outputs from one warp's to the next one's */
    int spline; /* outputs before the first pixel's own */

    __device__ __forceinline__ explicit product_shape(bool picture)
        : before(picture ? 8 : 10), own(picture ? 16 : 8), spline(picture ? 0 : 2)
    {
    }
};
#define PRODUCT_SIDE_OF_LEVEL 40 /* own + PRODUCT_WINDOW */

/* Whether a tile's Gaussians reach no farther than that; on levels a sample more is four sigmas away. */
static __device__ __forceinline__ bool product_reaches(int level, int radius)
{
    return radius <= (level == 0 ? 8 : 11);
}

/* ---- Shared memory: nodes of each warp, then the planes */

#define PRODUCT_NODES 5 /* along either axis; every fourth output */
#define PRODUCT_NODES_PITCH 28 /* floats of a warp's */

struct product_memory {
    float4 *shares; /* of a warp */
    float *nodes; /* of a warp */
    uint32_t *planes;

    __device__ __forceinline__ explicit product_memory(char *shared)
    {
        const int warp = product_thread() / 32;
        shares = (float4 *)shared + 3 * warp;
        nodes = (float *)(shared + FOVEATE_TILE_LIGHT_BYTES) + warp * PRODUCT_NODES_PITCH;
        planes = (uint32_t *)(shared + FOVEATE_TILE_FIXED_BYTES);
    }
};

static __device__ __forceinline__ __half2 low_halves(__half2 a, __half2 b)
{
    return half2_of(__byte_perm(bits_of(a), bits_of(b), 0x5410));
}

static __device__ __forceinline__ __half2 high_halves(__half2 a, __half2 b)
{
    return half2_of(__byte_perm(bits_of(a), bits_of(b), 0x7632));
}

/* ---- Windows */

/* The window of a tile of a level, asked for and then put down: a thread has a pair of columns, and every so many
 * rows. */
struct level_window {
    static const int side = PRODUCT_SIDE_OF_LEVEL;
    static const int pairs = side / 2;
    static const int rows = FOVEATE_TILE_THREADS / pairs; /* at a time */
    static const int reads = (side + rows - 1) / rows;

    uint2 middle; /* of the tile, its base */
    bool light; /* no base: halves are as precise as light is dark */
    uint4 two[reads];

    /* (left, top): its first sample. */
    __device__ __forceinline__ void ask(const foveate_frame &frame, const foveate_tiles &tiles,
                                        int k, int x0, int y0, int left, int top)
    {
        const foveate_level &level = tiles.levels[k];
        const int half = foveate_tile_side_px(k) / 2;
        light = frame.light != 0;
        middle = *sample_at(tiles, level, min(x0 + half, frame.width_px - 1) >> k,
                            min(y0 + half, frame.height_px - 1) >> k);
        const int last_x = level.width + FOVEATE_MARGIN - 1;
        const int last_y = level.height + FOVEATE_MARGIN - 1;
        const bool inside = left >= -FOVEATE_MARGIN && top >= -FOVEATE_MARGIN &&
                            left + side - 1 <= last_x && top + side - 1 <= last_y;
        const int thread = product_thread();
        const int x = left + thread % pairs * 2;
        const int row = min(thread / pairs, rows - 1); /* the last threads ask for what others do */
        if (inside) {
            const char *from = (const char *)sample_at(tiles, level, x, top + row);
            const uint32_t step = (uint32_t)(rows * level.pitch) * 8u;
#pragma unroll
            for (int i = 0; i < reads; i++) {
                /* Rows beyond the last one are not put down, and the first is there. */
                const bool beyond = i == reads - 1 && row + i * rows >= side;
                two[i] = *(const uint4 *)(from + (beyond ? 0u : (uint32_t)i * step));
            }
        } else {
            const int x_first = min(max(x, -FOVEATE_MARGIN), last_x);
            const int x_second = min(max(x + 1, -FOVEATE_MARGIN), last_x);
#pragma unroll
            for (int i = 0; i < reads; i++) {
                const int y = min(max(top + row + i * rows, -FOVEATE_MARGIN), last_y);
                const uint2 a = *sample_at(tiles, level, x_first, y);
                const uint2 b = *sample_at(tiles, level, x_second, y);
                two[i] = make_uint4(a.x, a.y, b.x, b.y);
            }
        }
    }

    __device__ __forceinline__ tile_sample base() const
    {
        return light ? zero_sample() : whole_levels(sample_of_bits(middle.x, middle.y));
    }

    __device__ __forceinline__ void put(uint32_t *planes) const
    {
        const int thread = product_thread();
        const int row = min(thread / pairs, rows - 1);
        const tile_sample zero = base();
        uint32_t *to = planes + row * (PRODUCT_PITCH / 2) + thread % pairs;
#pragma unroll
        for (int i = 0; i < reads; i++) {
            if (i == reads - 1 && row + i * rows >= side) {
                break;
            }
            const tile_sample a = sample_of_bits(two[i].x, two[i].y) - zero;
            const tile_sample b = sample_of_bits(two[i].z, two[i].w) - zero;
            uint32_t *at = to + i * rows * (PRODUCT_PITCH / 2);
            at[0] = bits_of(low_halves(a.xy, b.xy));
            at[PRODUCT_PLANE / 2] = bits_of(high_halves(a.xy, b.xy));
            at[PRODUCT_PLANE] = bits_of(low_halves(a.zw, b.zw));
        }
    }
};

/* Two pixels' bytes as halves, less `zero`. */
static __device__ __forceinline__ void put_two_words(uint32_t first, uint32_t second,
                                                     const tile_sample &zero,
                                                     uint32_t (&colors)[PRODUCT_COLORS])
{
    const uint32_t rg = __byte_perm(first, second, 0x5140);
    const uint32_t b = __byte_perm(first, second, 0x7362);
    const uint32_t behind_1024 = 0x64646464u;
    colors[0] =
        bits_of(__hsub2(half2_of(__byte_perm(rg, behind_1024, 0x4140)), __low2half2(zero.xy)));
    colors[1] =
        bits_of(__hsub2(half2_of(__byte_perm(rg, behind_1024, 0x4342)), __high2half2(zero.xy)));
    colors[2] =
        bits_of(__hsub2(half2_of(__byte_perm(b, behind_1024, 0x4140)), __low2half2(zero.zw)));
}

static __device__ __forceinline__ void put_four_words(const tile_words<uint32_t, 4> &words,
                                                      const tile_sample &zero, uint32_t *planes)
{
    uint32_t first[PRODUCT_COLORS];
    uint32_t second[PRODUCT_COLORS];
    put_two_words(words.of[0], words.of[1], zero, first);
    put_two_words(words.of[2], words.of[3], zero, second);
#pragma unroll
    for (int c = 0; c < PRODUCT_COLORS; c++) {
        *(uint2 *)(planes + c * (PRODUCT_PLANE / 2)) = make_uint2(first[c], second[c]);
    }
}

/* The same of the picture, its first pixel at (left, top). -> the tile's base. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_sample load_planes(const tile_work<FORMAT, Image> &work,
                                                          uint32_t *planes, int x0, int y0,
                                                          int left, int top)
{
    const int side = PRODUCT_SIDE;
    const int fours = side / 4;
    const int rows = FOVEATE_TILE_THREADS / fours; /* at a time */
    const int reads = (side + rows - 1) / rows;
    const foveate_frame &frame = work.frame;
    const int half = FOVEATE_TILE_QUARTER_PX / 2;
    const uint32_t middle =
        work.src.load(min(x0 + half, frame.width_px - 1), min(y0 + half, frame.height_px - 1));
    const tile_decoder<FORMAT> decode(false, nullptr);
    const int thread = product_thread();
    const int x = left + thread % fours * 4;
    const int row = min(thread / fours, rows - 1);
    uint32_t *to = planes + row * (PRODUCT_PITCH / 2) + thread % fours * 2;
    if (left >= 0 && top >= 0 && left + side <= frame.width_px && top + side <= frame.height_px &&
        has_runs(work.src, 4)) {
        const char *from = run_at(work.src, x, top + row);
        const int64_t step = rows * row_bytes(work.src);
        tile_words<uint32_t, 4> words[reads];
#pragma unroll
        for (int i = 0; i < reads; i++) {
            const bool beyond = i == reads - 1 && row + i * rows >= side;
            words[i] = read_run<uint32_t, 4>(from + (beyond ? 0 : i) * step);
        }
        const tile_sample base = decode(middle);
        const tile_sample zero = numbers_of_middle<pixel<FORMAT>>() + base;
#pragma unroll
        for (int i = 0; i < reads; i++) {
            if (i < reads - 1 || row + i * rows < side) {
                put_four_words(words[i], zero, to + i * rows * (PRODUCT_PITCH / 2));
            }
        }
        return base;
    }
    const endless_image<Image> endless = {work.src, frame.width_px - 1, frame.height_px - 1};
    const tile_sample base = decode(middle);
    const tile_sample zero = numbers_of_middle<pixel<FORMAT>>() + base;
#pragma unroll 1
    for (int i = row; i < side; i += rows) {
        put_four_words(load_four(endless, false, x, top + i), zero, to);
        to += rows * (PRODUCT_PITCH / 2);
    }
    return base;
}

/* ---- Halves, when compiled */

/* From 2^-24 to 1, and 0. */
static constexpr uint32_t product_half_bits(double value)
{
    if (value < 1.0 / 16384) {
        return (uint32_t)(value * 16777216.0 + 0.5);
    }
    int exponent = 15;
    while (value < 1.0) {
        value *= 2.0;
        exponent--;
    }
    return ((uint32_t)exponent << 10) + (uint32_t)(value * 1024.0 - 1024.0 + 0.5);
}

static constexpr double product_half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10);
    double value = exponent > 0 ? 1.0 + (bits & 1023u) / 1024.0 : (bits & 1023u) / 512.0;
    for (; exponent < 15; exponent++) {
        value *= 0.5;
    }
    return value;
}

/* ---- Weights of Gaussians, of every variance that products take */

/* Entry i is of variance 0.4 2^(i / 14), in samples squared: the weights at distances d and d + 1, from -26 on, as
 * halves. They add up to 1 and have just that variance. */
struct product_table {
    static const int entries = 64;
    static const int first = -26;
    static const int words = 52;
    uint32_t of[entries][words];

    constexpr product_table() : of()
    {
        double variance = 0.4;
        for (int i = 0; i < entries; i++) {
            fill(of[i], variance);
            variance *= 1.0507566386532194; /* 2^(1 / 14) */
        }
    }

  private:
    static constexpr double exponential(double x) /* from -2 to 0 */
    {
        double sum = 1.0;
        for (int i = 18; i > 0; i--) {
            sum = 1.0 + sum * x / i;
        }
        return sum;
    }
    /* Subnormal numbers are no constants. */
    static constexpr double times(double a, double b)
    {
        return a > 1e-30 && b > 1e-30 ? a * b : 0.0;
    }
    /* The variance of weights g^(d^2). */
    static constexpr double variance_of(double g)
    {
        double weight = g;
        double ratio = g * g * g;
        double total = 0.5;
        double sum = 0.0;
        for (int d = 1; d < 27; d++) {
            total += weight;
            sum += d * d * weight;
            weight = times(weight, ratio);
            ratio = times(ratio, g * g);
        }
        return sum / total;
    }
    static constexpr void fill(uint32_t (&words_of)[words], double variance)
    {
        /* A sampled Gaussian that is narrow has less than its own. */
        double wider = variance;
        for (int i = 0; i < 6; i++) {
            wider += variance - variance_of(exponential(-0.5 / wider));
        }
        const double g = exponential(-0.5 / wider);
        double weights[28] = {1.0};
        double total = 0.5;
        double ratio = g;
        for (int d = 1; d < 28; d++) {
            weights[d] = times(weights[d - 1], ratio);
            total += weights[d];
            ratio = times(ratio, g * g);
        }
        uint32_t halves[28] = {};
        double middle = 1.0;
        for (int d = 1; d < 28; d++) {
            halves[d] = product_half_bits(0.5 * weights[d] / total);
            middle -= 2.0 * product_half_value(halves[d]);
        }
        halves[0] = product_half_bits(middle);
        for (int k = 0; k < words; k++) {
            const int d = k + first;
            const int next = d + 1;
            words_of[k] = halves[d < 0 ? -d : d] | halves[next < 0 ? -next : next] << 16;
        }
    }
};

static __device__ const product_table product_gaussians;

static __device__ __forceinline__ float entry_of_variance(float v)
{
    return fmaf(14.0f, tile_logarithm(v), 18.5069933f);
}

static __device__ __forceinline__ float variance_of_entry(int i)
{
    return tile_power(((float)i - 18.5069933f) * (1.0f / 14.0f));
}

/* ---- Variances of a warp's outputs */

#define PRODUCT_TWO_VARIANCES 1.41f /* ratio of the largest sigma^2 to the least */

struct product_variances {
    int count;
    float at
        [8]; /* of a lane's outputs: rows g and g + 8 of columns 2t and 2t + 1, then 8 columns on */

    /* (x0, y0): the warp's first output. */
    __device__ __forceinline__ void find(const tile_law &law, int level, int x0, int y0,
                                         const product_memory &memory)
    {
        float *nodes = memory.nodes;
        const int lane = product_thread() % 32;
        const int last = level == 0 ? 4 : 3; /* of the outputs that are used */
        const int column = min(lane % PRODUCT_NODES, last);
        const int row = min(lane / PRODUCT_NODES, last);
        const float step_px = (float)(1 << level);
        const float sigma_px = law.at(((float)(x0 + 4 * column) + 0.5f) * step_px,
                                      ((float)(y0 + 4 * row) + 0.5f) * step_px);
        const float own = foveate_tile_rest(sigma_px, level);
        if (lane < PRODUCT_NODES * PRODUCT_NODES) {
            nodes[lane] = own;
        }
        const tile_range range = range_of_warp(own);
        choose(range, foveate_tile_variance(level) / (step_px * step_px), memory.shares);
        __syncwarp();
        place(nodes + lane / 16 * PRODUCT_NODES + lane % 4 / 2, (float)(lane / 4 % 4) * 0.25f,
              (float)(lane % 2) * 0.5f);
    }

  private:
    /* For each variance its entry of the table, and the polynomial in the variance that is 1 there and 0 at the
     * others. `before`: the variance that samples have without the blur. */
    __device__ __forceinline__ void choose(const tile_range &range, float before, float4 *shares)
    {
        const float most = (float)(product_table::entries - 1);
        const float low = fminf(fmaxf(entry_of_variance(range.low), 0.0f), most);
        const float span = fminf(fmaxf(entry_of_variance(range.high), 0.0f), most) - low;
        const bool three = range.high + before > PRODUCT_TWO_VARIANCES * (range.low + before);
        const float outside = three ? 0.067f : 0.146f;
        const int a = min((int)fmaf(outside, span, low), product_table::entries - 2);
        const int c = min(max(a + (three ? 2 : 1), (int)ceilf(fmaf(1.0f - outside, span, low))),
                          product_table::entries - 1);
        count = three ? 3 : 2;
        /* Lane 0 has the first, lane 1 the last, lane 2 what lies between. */
        const int lane = product_thread() % 32;
        const int b = (a + c) / 2;
        const int own = lane == 0 ? a : lane == 1 ? c : b;
        const float v = variance_of_entry(own);
        const float first = variance_of_entry(lane == 0 ? c : a);
        const float second = variance_of_entry(lane == 2 ? c : b);
        const float scale = tile_inverse((v - first) * (three ? v - second : 1.0f));
        if (lane < count) {
            shares[lane] = three ? make_float4(__int_as_float(own), scale * (first * second),
                                               -scale * (first + second), scale)
                                 : make_float4(__int_as_float(own), -scale * first, scale, 0.0f);
        }
    }
    __device__ __forceinline__ void place(const float *nodes, float down, float across)
    {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float column[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                column[i] = between(nodes[2 * h * PRODUCT_NODES + i],
                                    nodes[(2 * h + 1) * PRODUCT_NODES + i], down);
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                at[4 * j + 2 * h] = between(column[2 * j], column[2 * j + 1], across);
                at[4 * j + 2 * h + 1] = between(column[2 * j], column[2 * j + 1], across + 0.25f);
            }
        }
    }
};

/* ---- The blur */

/* Of one variance: the weights of the samples 2t and 2t + 1 for output g, from eight before the window's first on,
 * eight on each time. All that W is made of, down and across. */
struct product_weights {
    uint32_t of[5];

    __device__ __forceinline__ void load(int entry, int before)
    {
        const int lane = product_thread() % 32;
        const uint32_t *from = product_gaussians.of[entry] + lane % 4 * 2 - lane / 4 - before - 8 -
                               product_table::first;
#pragma unroll
        for (int j = 0; j < 5; j++) {
            of[j] = __ldg(from + 8 * j);
        }
    }
};

/* Outputs as products give them: rows g and g + 8 of columns 2t and 2t + 1, then 8 columns on. */
typedef float product_sums[PRODUCT_COLORS][8];

/* A channel with one variance. `window`: where the lane's row of the first square lies. */
static __device__ __forceinline__ void blur_plane(mma_place window, const product_weights &weights,
                                                  float (&across)[2][4])
{
    const int pitch_bytes = 2 * PRODUCT_PITCH;
    const uint32_t(&w)[5] = weights.of;
    const uint32_t upper[4] = {w[1], w[0], w[2], w[1]}; /* W, its first 16 columns */
    const uint32_t lower[4] = {w[3], w[2], w[4], w[3]};
#pragma unroll
    for (int s = 0; s < 2; s++) {
        uint32_t above[4];
        uint32_t below[4];
        mma_load_turned(above, window + 32 * s);
        mma_load_turned(below, window + 32 * s + 16 * pitch_bytes);
        float left[4];
        float right[4];
        mma_begin(left, upper, above[0], above[1], 0.0f, 0.0f);
        mma_begin(right, upper, above[2], above[3], 0.0f, 0.0f);
        mma_add(left, lower, below[0], below[1]);
        mma_add(right, lower, below[2], below[3]);
        const uint32_t down[4] = {mma_rounded(left[0], left[1]), mma_rounded(left[2], left[3]),
                                  mma_rounded(right[0], right[1]), mma_rounded(right[2], right[3])};
        if (s == 0) {
            mma_begin(across[0], down, w[1], w[2], 0.0f, 0.0f);
            mma_begin(across[1], down, w[0], w[1], 0.0f, 0.0f);
        } else {
            mma_add(across[0], down, w[3], w[4]);
            mma_add(across[1], down, w[2], w[3]);
        }
    }
}

/* A warp's outputs. */
static __device__ __forceinline__ void blur_outputs(const product_variances &variances,
                                                    const float4 *memory, int before,
                                                    mma_place window, product_sums &sums)
{
#pragma unroll
    for (int i = 0; i < PRODUCT_COLORS * 8; i++) {
        sums[i / 8][i % 8] = 0.0f;
    }
#pragma unroll 1
    for (int i = 0; i < variances.count; i++) {
        const float4 share = memory[i];
        product_weights weights;
        weights.load(__float_as_int(share.x), before);
        float shares[8];
#pragma unroll
        for (int n = 0; n < 8; n++) {
            const float at = variances.at[n];
            shares[n] = fmaf(fmaf(share.w, at, share.z), at, share.y);
        }
#pragma unroll
        for (int c = 0; c < PRODUCT_COLORS; c++) {
            float across[2][4];
            blur_plane(window + c * (2 * PRODUCT_PLANE), weights, across);
#pragma unroll
            for (int n = 0; n < 8; n++) {
                sums[c][n] = fmaf(shares[n], across[n / 4][n % 4], sums[c][n]);
            }
        }
    }
}

/* What rounding, and polynomials that reach below 0, may add to an average. As a left factor. */
static __device__ __forceinline__ void limit_outputs(const product_sums &sums, const __half2 *low,
                                                     const __half2 *high,
                                                     uint32_t (&z)[PRODUCT_COLORS][4])
{
#pragma unroll
    for (int c = 0; c < PRODUCT_COLORS; c++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const __half2 two = half2_of(mma_rounded(sums[c][2 * k], sums[c][2 * k + 1]));
            z[c][k] = bits_of(__hmin2(__hmax2(two, low[c]), high[c]));
        }
    }
}

/* ---- The spline */

/* Weights of pixel p for outputs 2 k and 2 k + 1; the fourth sample before the pixel's own cell is its first. */
template <int STEP> struct spline_table {
    uint32_t of[8 * STEP][8];

    static constexpr double weight(int pixel, int output)
    {
        const double place = ((double)pixel + 0.5) / STEP - 0.5 + 2.0;
        const double d = place > output ? place - output : output - place;
        return d >= 2.0   ? 0.0
               : d >= 1.0 ? (2.0 - d) * (2.0 - d) * (2.0 - d) / 6.0
                          : (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0;
    }
    constexpr spline_table() : of()
    {
        for (int p = 0; p < 8 * STEP; p++) {
            for (int k = 0; k < 8; k++) {
                of[p][k] = product_half_bits(weight(p, 2 * k)) |
                           product_half_bits(weight(p, 2 * k + 1)) << 16;
            }
        }
    }
};

static __device__ const spline_table<2> spline_table_2;
static __device__ const spline_table<4> spline_table_4;

template <int STEP> static __device__ __forceinline__ const uint32_t *spline_row(int pixel)
{
    if constexpr (STEP == 4) {
        return spline_table_4.of[pixel];
    } else {
        return spline_table_2.of[pixel];
    }
}

/* Pixels of a warp across: column n of square p. A lane's two columns of two squares are four neighbours. */
static __device__ __forceinline__ int spline_pixel(int p, int n)
{
    return p / 2 * 16 + n / 2 * 4 + p % 2 * 2 + n % 2;
}

/* ---- Pixels */

/* What turns samples relative to a base into words. */
struct product_levels {
    __half2 zero[PRODUCT_COLORS]; /* to numbers behind 1024 */
    __half2 low[PRODUCT_COLORS]; /* that samples are not below */
    __half2 high[PRODUCT_COLORS];

    template <enum fovea_format FORMAT> __device__ __forceinline__ void set(const tile_sample &base, bool light)
    {
        const tile_sample number =
            light ? zero_sample() : base + numbers_of_middle<pixel<FORMAT>>();
        zero[0] = __low2half2(number.xy);
        zero[1] = __high2half2(number.xy);
        zero[2] = __low2half2(number.zw);
#pragma unroll
        for (int c = 0; c < PRODUCT_COLORS; c++) {
            low[c] = __hsub2(__float2half2_rn(light ? 0.0f : 1024.0f), zero[c]);
            high[c] = __hsub2(__float2half2_rn(light ? 1.0f : 1024.0f + 255.0f), zero[c]);
        }
    }
};

/* Two neighbours whose samples are light. */
template <enum fovea_format FORMAT>
static __device__ __forceinline__ uint2 words_of_light(uint32_t r, uint32_t g, uint32_t b)
{
    const tile_encoder<FORMAT> encode(zero_sample(), true);
    const __half2 blue = half2_of(b);
    const tile_sample first = {low_halves(half2_of(r), half2_of(g)), __low2half2(blue)};
    const tile_sample second = {high_halves(half2_of(r), half2_of(g)), __high2half2(blue)};
    return make_uint2(encode.in_light(first) | 0xff000000u, encode.in_light(second) | 0xff000000u);
}

/* Two opaque neighbours; stored values are rounded by the addition. */
template <enum fovea_format FORMAT, bool LIGHT>
static __device__ __forceinline__ uint2 words_of_two(const product_levels &levels, uint32_t r,
                                                     uint32_t g, uint32_t b)
{
    if constexpr (LIGHT) {
        return words_of_light<FORMAT>(r, g, b);
    }
    const uint32_t red = bits_of(__hadd2(half2_of(r), levels.zero[0]));
    const uint32_t green = bits_of(__hadd2(half2_of(g), levels.zero[1]));
    const uint32_t blue = bits_of(__hadd2(half2_of(b), levels.zero[2]));
    const uint32_t rg = __byte_perm(red, green, 0x6240);
    const uint32_t ba = __byte_perm(blue, 0xffffffffu, 0x4240);
    return make_uint2(__byte_perm(rg, ba, 0x5410), __byte_perm(rg, ba, 0x7632));
}

/* Where a warp's pixels go. Nearly all of its squares lie in the picture and are written in runs, so that nothing
 * is asked for each pixel: PLAIN, decided once. */
template <enum fovea_format FORMAT, typename Image> struct product_writer {
    const tile_work<FORMAT, Image> &work;
    bool opaque; /* no alpha is read */
    bool plain;
    int x0; /* the lane's first pixel */
    int y0;
    char *to;
    const char *from;
    int64_t stride;

    __device__ __forceinline__ product_writer(const tile_work<FORMAT, Image> &tile, bool is_opaque,
                                              int side_px, int count, int x, int y)
        : work(tile), opaque(is_opaque)
    {
        plain = x + side_px <= work.frame.width_px && y + side_px <= work.frame.height_px &&
                has_runs(work.dst, count) && has_runs(work.src, count);
        stride = row_bytes(work.dst);
    }

    __device__ __forceinline__ void start(int x, int y)
    {
        x0 = x;
        y0 = y;
        to = run_at(work.dst, x, y);
        from = run_at(work.src, x, y);
    }

    /* COUNT pixels in a row, x and y from the lane's first. */
    template <bool PLAIN, int COUNT>
    __device__ __forceinline__ void write(int x, int y,
                                          const tile_words<uint32_t, COUNT> &words) const
    {
        if (PLAIN) {
            tile_words<uint32_t, COUNT> own = words;
            if (!opaque) {
                own = read_run<uint32_t, COUNT>(from + y * row_bytes(work.src) + 4 * x);
#pragma unroll
                for (int n = 0; n < COUNT; n++) {
                    own.of[n] = pixel<FORMAT>::keep_alpha(words.of[n], own.of[n]);
                }
            }
            write_run_at(to + y * stride + 4 * x, own);
        } else {
            write_slowly(x0 + x, y0 + y, words);
        }
    }

  private:
    template <int COUNT>
    __device__ __forceinline__ void write_slowly(int x, int y,
                                                 tile_words<uint32_t, COUNT> words) const
    {
        const foveate_frame &frame = work.frame;
        if (y >= frame.height_px || x >= frame.width_px) {
            return;
        }
        if (!opaque) {
            const tile_words<uint32_t, COUNT> own = own_words<COUNT>(x, y);
#pragma unroll
            for (int n = 0; n < COUNT; n++) {
                words.of[n] = pixel<FORMAT>::keep_alpha(words.of[n], own.of[n]);
            }
        }
        store_run<COUNT>(work.dst, has_runs(work.dst, COUNT), x, y, frame.width_px, words);
    }

    template <int COUNT>
    __device__ __forceinline__ tile_words<uint32_t, COUNT> own_words(int x, int y) const
    {
        const int last_x = work.frame.width_px - 1;
        if (has_runs(work.src, COUNT) && x + COUNT <= last_x + 1) {
            return read_run<uint32_t, COUNT>(run_at(work.src, x, y));
        }
        tile_words<uint32_t, COUNT> words = {};
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            words.of[n] = work.src.load(min(x + n, last_x), y);
        }
        return words;
    }
};

/* Of the picture's own tiles, outputs are pixels. */
template <bool PLAIN, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_outputs(const product_writer<FORMAT, Image> &writer,
                                                     const product_levels &levels,
                                                     const uint32_t (&z)[PRODUCT_COLORS][4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint2 two = words_of_two<FORMAT, false>(levels, z[0][k], z[1][k], z[2][k]);
        writer.template write<PLAIN>(k / 2 * 8, k % 2 * 8, tile_words<uint32_t, 2>{{two.x, two.y}});
    }
}

/* Up-sampled across: right factors. */
template <int STEP>
static __device__ __forceinline__ void upsample_across(const uint32_t (&z)[PRODUCT_COLORS][4],
                                                       uint2 (&across)[PRODUCT_COLORS][STEP])
{
    const int lane = product_thread() % 32;
#pragma unroll
    for (int p = 0; p < STEP; p++) {
        const uint32_t *row = spline_row<STEP>(spline_pixel(p, lane / 4));
        const uint32_t first = __ldg(row + lane % 4);
        const uint32_t second = __ldg(row + lane % 4 + 4);
#pragma unroll
        for (int c = 0; c < PRODUCT_COLORS; c++) {
            mma_halves x = make_uint2(0, 0);
            mma_add_halves(x, z[c], first, second);
            across[c][p] = make_uint2(mma_turned(x.x), mma_turned(x.y));
        }
    }
}

/* And down, and written. */
template <int STEP, bool PLAIN, bool LIGHT, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void upsample_down(const product_writer<FORMAT, Image> &writer,
                                                     const product_levels &levels,
                                                     const uint2 (&across)[PRODUCT_COLORS][STEP])
{
    const int lane = product_thread() % 32;
#pragma unroll
    for (int q = 0; q < STEP / 2; q++) {
        const uint32_t *row = spline_row<STEP>(16 * q + lane / 4) + lane % 4;
        const uint32_t down[4] = {__ldg(row), __ldg(row + 64), __ldg(row + 4), __ldg(row + 68)};
#pragma unroll
        for (int p = 0; p < STEP; p += 2) {
            mma_halves y[2][PRODUCT_COLORS];
#pragma unroll
            for (int i = 0; i < 2; i++) {
#pragma unroll
                for (int c = 0; c < PRODUCT_COLORS; c++) {
                    y[i][c] = make_uint2(0, 0);
                    mma_add_halves(y[i][c], down, across[c][p + i].x, across[c][p + i].y);
                }
            }
            const uint2 a = words_of_two<FORMAT, LIGHT>(levels, y[0][0].x, y[0][1].x, y[0][2].x);
            const uint2 b = words_of_two<FORMAT, LIGHT>(levels, y[1][0].x, y[1][1].x, y[1][2].x);
            writer.template write<PLAIN>(8 * p, 16 * q,
                                         tile_words<uint32_t, 4>{{a.x, a.y, b.x, b.y}});
            const uint2 c = words_of_two<FORMAT, LIGHT>(levels, y[0][0].y, y[0][1].y, y[0][2].y);
            const uint2 d = words_of_two<FORMAT, LIGHT>(levels, y[1][0].y, y[1][1].y, y[1][2].y);
            writer.template write<PLAIN>(8 * p, 16 * q + 8,
                                         tile_words<uint32_t, 4>{{c.x, c.y, d.x, d.y}});
        }
    }
}

/* ---- A tile */

template <int STEP, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_upsampled(const tile_work<FORMAT, Image> &work,
                                                       const product_levels &levels,
                                                       const uint32_t (&z)[PRODUCT_COLORS][4],
                                                       bool opaque, int x0, int y0)
{
    const int lane = product_thread() % 32;
    product_writer<FORMAT, Image> writer(work, opaque, 8 * STEP, 4, x0, y0);
    writer.start(x0 + lane % 4 * 4, y0 + lane / 4);
    uint2 across[PRODUCT_COLORS][STEP];
    upsample_across<STEP>(z, across);
    if (work.frame.light) {
        if (writer.plain) {
            upsample_down<STEP, true, true>(writer, levels, across);
        } else {
            upsample_down<STEP, false, true>(writer, levels, across);
        }
    } else if (writer.plain) {
        upsample_down<STEP, true, false>(writer, levels, across);
    } else {
        upsample_down<STEP, false, false>(writer, levels, across);
    }
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_share(const tile_work<FORMAT, Image> &work, int level,
                                                   const product_levels &levels,
                                                   const uint32_t (&z)[PRODUCT_COLORS][4],
                                                   bool opaque, int x0, int y0)
{
    if (level == 2) {
        write_upsampled<4>(work, levels, z, opaque, x0, y0);
    } else if (level == 1) {
        write_upsampled<2>(work, levels, z, opaque, x0, y0);
    } else {
        const int lane = product_thread() % 32;
        product_writer<FORMAT, Image> writer(work, opaque, 16, 2, x0, y0);
        writer.start(x0 + lane % 4 * 2, y0 + lane / 4);
        if (writer.plain) {
            write_outputs<true>(writer, levels, z);
        } else {
            write_outputs<false>(writer, levels, z);
        }
    }
}

/* All that is asked for is on its way before the first of it is waited for. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_by_products(const tile_work<FORMAT, Image> &work,
                                                        int level, int x0, int y0)
{
    const product_memory memory(work.shared);
    const product_shape shape(level == 0);
    const int warp = product_thread() / 32;
    const int right = warp % 2;
    const int below = warp / 2;
    const int first_x = (x0 >> level) - shape.spline;
    const int first_y = (y0 >> level) - shape.spline;
    bool opaque = !needs_alpha<FORMAT>(work.frame);
    tile_sample base;
    if (level == 0) {
        base = load_planes(work, memory.planes, x0, y0, first_x - shape.before,
                           first_y - shape.before);
    } else {
        level_window window;
        window.ask(work.frame, work.tiles, level, x0, y0, first_x - shape.before,
                   first_y - shape.before);
        opaque = opaque || is_opaque(work.tiles, x0, y0);
        window.put(memory.planes);
        base = window.base();
    }
    product_variances variances;
    variances.find(work.law, level, first_x + right * shape.own, first_y + below * shape.own,
                   memory);
    __syncthreads();
    const int lane = product_thread() % 32;
    const mma_place window =
        mma_place_of(memory.planes) +
        2 * ((below * shape.own + lane % 16) * PRODUCT_PITCH + right * shape.own + lane / 16 * 8);
    product_sums sums;
    blur_outputs(variances, memory.shares, shape.before, window, sums);
    product_levels levels;
    levels.set<FORMAT>(base, work.frame.light != 0);
    uint32_t z[PRODUCT_COLORS][4];
    limit_outputs(sums, levels.low, levels.high, z);
    const int warp_px = shape.own << level;
    write_share(work, level, levels, z, opaque, x0 + right * warp_px, y0 + below * warp_px);
}

#endif
