/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A unit of foveate_bands.cu into the picture: sums become words, which are stored by the row with what the
 * picture keeps of its own: alpha, and the pixels of fragments that have no filter. */
#ifndef FOVEA_KERNELS_FOVEATE_BANDS_STORE_CUH
#define FOVEA_KERNELS_FOVEATE_BANDS_STORE_CUH

#include "foveate_bands_unit.cuh"

/* What the sums of a channel begin with: levels are held less 128, and an exact half shall round up. */
template <bool LIGHT> static __device__ __forceinline__ float sums_begin()
{
    return LIGHT ? 0.0f : 128.0f + 1.0f / 2048;
}

/* The nearest level in the lowest byte: behind the exponent of 1.5 * 2^23 the steps of floats are whole
 * numbers. Averages stay in range. */
template <bool LIGHT> static __device__ __forceinline__ uint32_t byte_of(float sum)
{
    if (LIGHT) {
        sum = light_to_srgb(fminf(fmaxf(sum, 0.0f), 1.0f)) * 255.0f + 1.0f / 2048;
    }
    return __float_as_uint(sum + 12582912.0f);
}

/* The fourth byte is the picture's. */
template <int CHANNELS, bool LIGHT>
static __device__ __forceinline__ uint32_t word_of(float x, float y, float z)
{
    if constexpr (CHANNELS == 1) {
        return byte_of<LIGHT>(x);
    }
    const uint32_t low = __byte_perm(byte_of<LIGHT>(x), byte_of<LIGHT>(y), 0x0040u);
    return __byte_perm(low, byte_of<LIGHT>(z), 0x0410u);
}

/* A unit's words, by the row. */
struct unit_words {
    uint32_t at[ROWS][COLUMNS];
};

/* Where both halves have one filter, the two H stand side by side; else each serves its half. */
template <int CHANNELS, bool LIGHT>
static __device__ __forceinline__ void write_words(const float (&sums)[CHANNELS][2][4], bool pair,
                                                   unit_words &words)
{
    const int row = (int)threadIdx.x % 32 / 4;
    const int column = (int)threadIdx.x % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            uint32_t two[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float v[3] = {};
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) {
                    const int n = 2 * half + i;
                    v[c] = half == 1 && j == 0 && pair ? sums[c][1][n] : sums[c][j][n];
                }
                two[i] = word_of<CHANNELS, LIGHT>(v[0], v[1], v[2]);
            }
            *(uint2 *)&words.at[HALF_ROWS * half + row][HALF_COLUMNS * j + column] =
                make_uint2(two[0], two[1]);
        }
    }
}

/* Where a lane's pixels of a unit lie: two rows of 16 at a time, from the upper half's first on. */
struct lane_places {
    int x, column;
    bool in_columns;

    __device__ __forceinline__ lane_places(const foveate_frame &frame, const bands_region &region,
                                           const unit &u)
        : x(region.x + u.x + (int)threadIdx.x % COLUMNS), column((int)threadIdx.x % COLUMNS),
          in_columns(column < u.columns && x >= 0 && x < frame.width_px)
    {
    }
};

static __device__ __forceinline__ bool in_lower_half(int i)
{
    return 2 * i >= HALF_ROWS;
}

/* Row i of the lane's eight, from its half's first. */
static __device__ __forceinline__ int row_in_half(int i)
{
    return (2 * i) % HALF_ROWS + (int)threadIdx.x % 32 / COLUMNS;
}

template <enum fovea_format FORMAT, typename Image> struct target {
    const foveate_frame &frame;
    const bands_region &region;
    const Image &src;
    const Image &dst;
    bool words; /* both have rows of them */

    __device__ __forceinline__ int y_of(const unit &u, int i) const
    {
        return region.y + u.y + (in_lower_half(i) ? u.lower : 0) + row_in_half(i);
    }
    __device__ __forceinline__ bool is_inside(const unit &u, const lane_places &lane, int i) const
    {
        const int y = y_of(u, i);
        return lane.in_columns &&
               row_in_half(i) < (in_lower_half(i) ? u.lower_rows : u.upper_rows) && y >= 0 &&
               y < frame.height_px;
    }
    /* Of what was made and what the picture has there. */
    __device__ __forceinline__ uint32_t merged(const unit &u, int i, uint32_t made,
                                               uint32_t own) const
    {
        const int ring = in_lower_half(i) ? u.lower_ring : u.upper_ring;
        return ring == FOVEATE_RING_NONE ? own : pixel<FORMAT>::keep_alpha(made, own);
    }

    __device__ __forceinline__ void store_words(const unit &u, const unit_words &made) const
    {
        const lane_places lane(frame, region, u);
        const int row = (int)threadIdx.x % 32 / COLUMNS;
        const char *from = run_at(src, lane.x, region.y + u.y);
        char *to = run_at(dst, lane.x, region.y + u.y);
        uint32_t own[ROWS / 2] = {};
        uint32_t inside = 0;
#pragma unroll
        for (int i = 0; i < ROWS / 2; i++) {
            if (is_inside(u, lane, i)) {
                const int down = y_of(u, i) - region.y - u.y;
                own[i] = __ldg((const uint32_t *)(from + down * row_bytes_of(src)));
                inside |= 1u << i;
            }
        }
#pragma unroll
        for (int i = 0; i < ROWS / 2; i++) {
            if (inside >> i & 1u) {
                const int down = y_of(u, i) - region.y - u.y;
                *(uint32_t *)(to + down * row_bytes_of(dst)) =
                    merged(u, i, made.at[2 * i + row][lane.column], own[i]);
            }
        }
    }

    __device__ __forceinline__ void store_pixels(const unit &u, const unit_words &made) const
    {
        const lane_places lane(frame, region, u);
        const int row = (int)threadIdx.x % 32 / COLUMNS;
#pragma unroll 1
        for (int i = 0; i < ROWS / 2; i++) {
            if (is_inside(u, lane, i)) {
                const int y = y_of(u, i);
                const uint32_t word = made.at[2 * i + row][lane.column];
                dst.store(lane.x, y, merged(u, i, word, src.load(lane.x, y)));
            }
        }
    }

    __device__ __forceinline__ void store(const unit &u, const unit_words &made) const
    {
        if (words) {
            store_words(u, made);
        } else {
            store_pixels(u, made);
        }
    }
};

#endif
