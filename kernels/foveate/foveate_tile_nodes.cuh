/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Which Gaussians a patch of a near tile is blended from (foveate_tile_near.cuh), and where among them its
 * sigma lies. Between two Gaussians whose sigma differ by d, the blend is off by at most some 140 d^2
 * levels of 255 where sigma is 0.6 px and by 40 d^2 at 1.2 px, whatever the picture: the sum of the
 * kernel's errors. It is least where the weight of the middle sample comes out right. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_NODES_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_NODES_CUH

#include "foveate_tile_sample.cuh"
#include "foveate_tile_scout.cuh"

#define NEAR_PATCH FOVEATE_TILE_PATCH_PX
#define NEAR_PATCHES (FOVEATE_TILE_PX / NEAR_PATCH) /* of a square, along either axis */
#define NEAR_PAIRS FOVEATE_TILE_PAIRS
/* sigma is asked for at points so far apart. */
#define NEAR_STEP (NEAR_PATCH / 2)
/* How far apart the Gaussians lie, in pixels and in parts of sigma. */
#define NEAR_APART_PX 0.085f
#define NEAR_APART 0.13f
/* In light a dark pixel shows what is off in its bright neighbours' weights more. */
#define NEAR_FINER_LIGHT 0.7f
#define NEAR_MOST_NODES 16
/* A middle weight at a point may be so far off what is between the points around it; else sigma is asked for by
 * the pixel. The kernel is off by an eighth of that in between, along either axis. */
#define NEAR_BENT 0.012f

/* The thread's number, as if it were another one for every tile: what follows from it would else be reckoned
 * before the loop over tiles, for all kinds of them, and fill more registers than there are. */
static __device__ __forceinline__ int near_thread()
{
    int thread = (int)threadIdx.x;
    asm volatile("" : "+r"(thread));
    return thread;
}

static __device__ __forceinline__ int near_lane()
{
    return near_thread() & 31;
}

/* Of planes in shared memory, in samples. */
template <int HALO> struct near_shape {
    static const int pitch = FOVEATE_TILE_NEAR_PITCH(HALO);
    static const int plane = (FOVEATE_TILE_PX + 2 * HALO) * pitch;
};

/* A warp's, in shared memory. */
struct near_weights {
    uint32_t
        pairs[2][NEAR_PAIRS]; /* of two Gaussians: weights i and i + 1, i from -NEAR_PAIRS / 2 on */
    float places[12]; /* three by three points' places among the Gaussians */
};

static_assert(sizeof(near_weights) == FOVEATE_TILE_NEAR_WARP_BYTES, "C lays out shared memory");

/* a / b, where b is no denormal. */
static __device__ __forceinline__ float quotient(float a, float b)
{
#if defined(__CUDA_ARCH__)
    float reciprocal;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b));
    return a * reciprocal;
#else
    return a / b;
#endif
}

/* exp(-d^2 / (2 v)), d^2 given halved. */
static __device__ __forceinline__ float gaussian_of(float half_distance, float v)
{
    return exp2_of(quotient(-1.44269504f * half_distance, v));
}

/* The square of the middle one of a Gaussian's weights; falls with sigma. */
static __device__ __forceinline__ float middle_weight(float sigma_px)
{
    const float e = gaussian_of(0.5f, fmaxf(sigma_px * sigma_px, 1e-3f));
    const float narrow = 1.0f + 2.0f * e + 2.0f * (e * e) * (e * e);
    const float total = sigma_px < 0.7f ? narrow : 2.50662827f * sigma_px;
    return quotient(1.0f, total * total);
}

struct near_nodes {
    float low_px;
    float step_px;
    float first_weight; /* the middle weights of the first and the last */
    float last_weight;
    int count;
    bool exact; /* sigma is asked for by the pixel: it bends, or some pixels are left alone */

    __device__ __forceinline__ float sigma_px(int node) const
    {
        return fmaf((float)node, step_px, low_px);
    }
    static __device__ __forceinline__ float between(float weight, float first, float next)
    {
        return fminf(fmaxf(quotient(first - weight, fmaxf(first - next, 1e-7f)), 0.0f), 1.0f);
    }
    /* Where a sigma lies among them, from 0 to count - 1. */
    __device__ __forceinline__ float place(float of_px) const
    {
        const float weight = middle_weight(of_px);
        if (count == 2) {
            return between(weight, first_weight, last_weight);
        }
        const float at = fminf(fmaxf(quotient(of_px - low_px, step_px), 0.0f), (float)(count - 1));
        const int below = min((int)at, count - 2);
        return (float)below +
               between(weight, middle_weight(sigma_px(below)), middle_weight(sigma_px(below + 1)));
    }
};

/* The Gaussians of two sigmas, `halo` samples to either side, by half a warp each. */
static __device__ __forceinline__ void fill_weights(near_weights &weights, int halo, float first_px,
                                                    float second_px)
{
    const int lane = near_lane();
    const int i = lane % 16;
    const float sigma_px = lane < 16 ? first_px : second_px;
    const float v = fmaxf(sigma_px * sigma_px, 1e-3f);
    const float weight = i <= halo ? gaussian_of(0.5f * (float)(i * i), v) : 0.0f;
    float total = i > 0 ? 2.0f * weight : 1.0f;
#pragma unroll
    for (int k = 8; k > 0; k >>= 1) {
        total += __shfl_xor_sync(~0u, total, k);
    }
    const uint32_t own = bits_of(__float2half2_rn(quotient(weight, total)));
    const uint32_t next = __shfl_sync(~0u, own, min(i + 1, 15), 16);
    __syncwarp(); /* the pair before is read */
    uint32_t *pairs = weights.pairs[lane / 16] + NEAR_PAIRS / 2;
    pairs[i] = __byte_perm(own, next, 0x5410);
    pairs[-i - 1] = __byte_perm(next, own, 0x5410);
    pairs[i + 16] = 0;
    pairs[-i - 17] = 0;
    __syncwarp();
}

/* ---- sigma of a tile */

#define NEAR_POINTS (NEAR_PATCHES * 2 + 1)

/* In shared memory: at points NEAR_STEP apart, and at the place of each patch that is nearest to the gaze. */
struct near_sigmas {
    float points[NEAR_POINTS][NEAR_POINTS];
    float nearest[NEAR_PATCHES][NEAR_PATCHES];
    float rest[2]; /* to a multiple of 16 bytes */
};

static_assert(sizeof(near_sigmas) == FOVEATE_TILE_NEAR_SIGMA_BYTES, "C lays out shared memory");

/* Where a patch begins; the last ends with its tile. */
static __device__ __forceinline__ int patch_at(int i, int side)
{
    return min(i * NEAR_PATCH, side - NEAR_PATCH);
}

/* A barrier follows. */
static __device__ __forceinline__ void fill_sigmas(const tile_law &law, near_sigmas &sigmas, int x0,
                                                   int y0, int side)
{
    const int points = NEAR_POINTS * NEAR_POINTS;
    const int i = near_thread();
    if (i >= points + NEAR_PATCHES * NEAR_PATCHES) {
        return;
    }
    float x = (float)(x0 + i % NEAR_POINTS * NEAR_STEP);
    float y = (float)(y0 + i / NEAR_POINTS * NEAR_STEP);
    float *to = &sigmas.points[0][0] + i;
    if (i >= points) {
        const int patch = i - points;
        const float left = (float)(x0 + patch_at(patch % NEAR_PATCHES, side));
        const float top = (float)(y0 + patch_at(patch / NEAR_PATCHES, side));
        x = fminf(fmaxf(law.gaze_x, left), left + NEAR_PATCH);
        y = fminf(fmaxf(law.gaze_y, top), top + NEAR_PATCH);
        to = &sigmas.nearest[0][0] + patch;
    }
    *to = law.at(x, y);
}

static __device__ __forceinline__ tile_range range_of_warp(float value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    /* None is negative: their bits are in the same order. */
    const uint32_t bits = __float_as_uint(value);
    return {__uint_as_float(__reduce_min_sync(~0u, bits)),
            __uint_as_float(__reduce_max_sync(~0u, bits))};
#else
    tile_range range = {value, value};
#pragma unroll
    for (int i = 16; i > 0; i >>= 1) {
        range.low = fminf(range.low, __shfl_xor_sync(~0u, range.low, i));
        range.high = fmaxf(range.high, __shfl_xor_sync(~0u, range.high, i));
    }
    return range;
#endif
}

/* ---- The Gaussians of a patch */

/* Of three neighbours in a row of points, how far the middle one is from between the others. */
static __device__ __forceinline__ float bend_of_patch(float weight)
{
    const int lane = near_lane();
    const float left = __shfl_up_sync(~0u, weight, 1);
    const float right = __shfl_down_sync(~0u, weight, 1);
    const float above = __shfl_up_sync(~0u, weight, 3);
    const float below = __shfl_down_sync(~0u, weight, 3);
    const float across = (0x92u >> lane & 1u) != 0 ? fabsf(left + right - 2.0f * weight) : 0.0f;
    const float down = (0x38u >> lane & 1u) != 0 ? fabsf(above + below - 2.0f * weight) : 0.0f;
    return lane < 9 ? fmaxf(across, down) : 0.0f;
}

/* Of the patch at (x, y) in the tile, from the three by three points around it; `weights` gets theirs. */
static __device__ __forceinline__ near_nodes find_nodes(const near_sigmas &sigmas,
                                                        near_weights &weights, int x, int y,
                                                        bool light)
{
    const int lane = near_lane();
    const int at = min(lane, 8);
    const float point_px = sigmas.points[y / NEAR_STEP + at / 3][x / NEAR_STEP + at % 3];
    const float nearest_px =
        sigmas.nearest[(y + NEAR_PATCH - 1) / NEAR_PATCH][(x + NEAR_PATCH - 1) / NEAR_PATCH];
    const float own_px = lane < 9 ? point_px : nearest_px;
    const tile_range range = range_of_warp(own_px);
    const float own_weight = middle_weight(own_px);
    const tile_range weight = range_of_warp(own_weight);
    const float finer = light ? NEAR_FINER_LIGHT : 1.0f;
    const float apart = finer * fmaxf(NEAR_APART_PX, NEAR_APART * range.low);
    const float across = range.high - range.low;
    near_nodes nodes;
    nodes.low_px = range.low;
    nodes.first_weight = weight.high;
    nodes.last_weight = weight.low;
    nodes.count =
        1 + (int)fminf(fmaxf(ceilf(quotient(across, apart)), 1.0f), NEAR_MOST_NODES - 1.0f);
    nodes.step_px = fmaxf(quotient(across, (float)(nodes.count - 1)), 1e-3f);
    const bool copies = range.low * FOVEATE_REACH < 1.01f;
    nodes.exact = copies || __any_sync(~0u, bend_of_patch(own_weight) > finer * finer * NEAR_BENT);
    const float place = nodes.place(point_px);
    if (lane < 9) {
        weights.places[lane] = place;
    }
    __syncwarp();
    return nodes;
}

#endif
