/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The scout, a few blocks of the first kernel: what each tile of the second is made from. A thread takes a
 * quarter; where its square is made from level 2 or up, the first of four speaks for all. Far tiles get a
 * task with all that does not depend on the sample, so that the second kernel only loads it. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_SCOUT_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_SCOUT_CUH

#include "foveate_tile_sigma.cuh"

#include <cuda_fp16.h>

/* An image's list. */
struct tile_list {
    foveate_tile_counts *counts;
    foveate_tile_task *tasks;
    uint32_t *entries;

    __device__ __forceinline__ explicit tile_list(const foveate_tiles &tiles)
    {
        char *state = (char *)(tiles.state + blockIdx.z * tiles.state_bytes);
        counts = (foveate_tile_counts *)state;
        tasks = (foveate_tile_task *)(counts + 1);
        entries = (uint32_t *)(state + tiles.entry_bytes);
    }
};

/* ---- Blurs */

static __device__ __forceinline__ float exp2_of(float x)
{
#if defined(__CUDA_ARCH__)
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

/* The weight of the first neighbour, for the weights together to have just the variance v. A sampled
 * Gaussian has less where it is narrow; a polynomial meets it there. */
static __device__ __forceinline__ float first_weight_of(float v)
{
    float narrow = fmaf(v, 10.55670533f, -13.13284221f);
    narrow = fmaf(v, narrow, 3.22919751f);
    narrow = fmaf(v, narrow, 0.30924196f);
    narrow = fmaf(v, narrow, 0.49422777f);
    narrow = v * fmaf(v, narrow, 0.50034221f);
    return v > 0.6f ? __expf(__fdividef(-0.5f, v)) : narrow;
}

/* The middle weight makes up for what the others lose when they are rounded. */
static __device__ __forceinline__ foveate_tile_blur blur_of(float v)
{
    foveate_tile_blur blur;
    blur.power = __log2f(first_weight_of(fmaxf(v, 1e-3f)));
    float total = 0.0f;
#pragma unroll
    for (int d = 1; d <= FOVEATE_TILE_RADIUS; d++) {
        total += exp2_of((float)(d * d) * blur.power);
    }
    blur.first = -__log2f(1.0f + 2.0f * total);
    blur.middle = 1.0f;
#pragma unroll
    for (int d = 1; d <= FOVEATE_TILE_RADIUS; d++) {
        const float weight = exp2_of(fmaf((float)(d * d), blur.power, blur.first));
        blur.middle -= 2.0f * __half2float(__float2half_rn(weight));
    }
    return blur;
}

/* ---- Far tiles */

/* A tile's outputs. */
static __device__ __forceinline__ tile_area outputs_of(int level, int x_px, int y_px)
{
    const float step_px = (float)(1 << level);
    const int offset = (x_px >> level) % 4;
    const int before = 2 + offset;
    return {((float)((x_px >> level) - before) + 0.5f) * step_px,
            ((float)((y_px >> level) - before) + 0.5f) * step_px,
            (FOVEATE_TILE_OUTPUTS - 1) * step_px, (FOVEATE_TILE_OUTPUTS - 1) * step_px};
}

/* How many blurs a range of sigma takes on a level; 0: more than a tile has, or too wide ones. */
static __device__ __forceinline__ int blurs_for(const tile_range &range, int level)
{
    if (range.low < foveate_tile_sigma_from(level) || !foveate_tile_reaches(level, range.high)) {
        return 0;
    }
    const float low = range.low * range.low;
    const float high = range.high * range.high;
    const float steps = ceilf(__fdividef(high - low, FOVEATE_TILE_VARIANCE_STEP * low));
    return steps < (float)FOVEATE_TILE_BLURS ? (int)steps + 1 : 0;
}

/* The surface of second order through an area's nine sigmas, of their variances as a task wants them. */
static __device__ __forceinline__ void fill_surface(const tile_sigmas &sigmas, int level, float low,
                                                    float scale, foveate_tile_task &task)
{
    float v[3][3];
#pragma unroll
    for (int i = 0; i < 9; i++) {
        v[i / 3][i % 3] = (foveate_tile_rest(sigmas.at[i / 3][i % 3], level) - low) * scale;
    }
    const float half = 2.0f / (FOVEATE_TILE_OUTPUTS - 1); /* a sample, of half the area */
    task.c0 = v[1][1];
    task.cx = (v[1][2] - v[1][0]) * (0.5f * half);
    task.cy = (v[2][1] - v[0][1]) * (0.5f * half);
    task.cxx = (0.5f * (v[1][2] + v[1][0]) - v[1][1]) * (half * half);
    task.cyy = (0.5f * (v[2][1] + v[0][1]) - v[1][1]) * (half * half);
    task.cxy = (v[2][2] - v[2][0] - v[0][2] + v[0][0]) * (0.25f * half * half);
}

static __device__ __forceinline__ void fill_task(const tile_law &law, const tile_range &range,
                                                 int level, int blurs, int x, int y,
                                                 foveate_tile_task &task)
{
    const tile_area area =
        outputs_of(level, x * FOVEATE_TILE_QUARTER_PX, y * FOVEATE_TILE_QUARTER_PX);
    const float low = foveate_tile_rest(range.low, level);
    const float step = __fdividef(foveate_tile_rest(range.high, level) - low, (float)(blurs - 1));
    task.place = tile_entry(FOVEATE_TILE_LEVEL_0 + level, blurs, x, y);
    fill_surface(sigmas_in(law, area), level, low, blurs > 1 ? __fdividef(1.0f, step) : 0.0f, task);
#pragma unroll 1
    for (int i = 0; i < blurs; i++) {
        task.blur[i] = blur_of(i > 0 ? fmaf(step, (float)i, low) : low);
    }
}

/* The finest level from 2 on that serves a square; 0: none. */
struct tile_choice {
    int level;
    int blurs;
    tile_range range;
};

static __device__ __forceinline__ tile_choice choose_level(const tile_law &law, int first, int last,
                                                           int x_px, int y_px)
{
    tile_choice choice = {};
#pragma unroll 1
    for (int level = first; level <= last && choice.blurs == 0; level++) {
        choice.level = level;
        choice.range = range_over(law, outputs_of(level, x_px, y_px));
        choice.blurs = law.blurs ? blurs_for(choice.range, level) : 0;
    }
    return choice;
}

/* Four quarters in a row of threads are a square. All threads of a warp come here. */
static __device__ __forceinline__ void list_quarter(const tile_law &law, const foveate_frame &frame,
                                                    int x, int y)
{
    const int px = FOVEATE_TILE_QUARTER_PX;
    const bool inside = x * px < frame.width_px && y * px < frame.height_px;
    const bool first = x % 2 == 0 && y % 2 == 0;
    const tile_list list(law.tiles);
    tile_choice choice = {};
    if (inside) {
        choice = choose_level(law, 2, law.level_count - 1, (x & ~1) * px, (y & ~1) * px);
    }
    const bool whole = choice.blurs > 0;
    if (inside && !whole) {
        choice = choose_level(law, 1, min(law.level_count - 1, 1), x * px, y * px);
    }
    const bool near = inside && choice.blurs == 0;
    const uint32_t others = __ballot_sync(~0u, near || !inside) >> (threadIdx.x & 28u);
    if (choice.blurs > 0 && (first || !whole)) {
        fill_task(law, choice.range, choice.level, choice.blurs, x, y,
                  list.tasks[atomicAdd(&list.counts->far, 1u)]);
    }
    if (near && (first || (others & 15u) != 15u)) {
        list.entries[atomicAdd(&list.counts->near, 1u)] =
            entry_of_picture(law, (others & 15u) == 15u, x, y);
    }
}

static __device__ __forceinline__ void list_tiles(const tile_law &law, const foveate_frame &frame,
                                                  int block)
{
    /* Four quarters of a square are four threads in a row. */
    const int i = block * FOVEATE_TILE_MAKERS + (int)threadIdx.x;
    const int squares = law.tiles.columns / 2;
    const int x = 2 * (i / 4 % squares) + i % 2;
    const int y = 2 * (i / 4 / squares) + i / 2 % 2;
    list_quarter(law, frame, x, y);
}

#endif
