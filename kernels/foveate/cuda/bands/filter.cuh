/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Filters as mma operands in shared memory; each warp has those of its unit. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_BANDS_FILTER_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_BANDS_FILTER_CUH

#include "kernels/cuda/mma.cuh"
#include "unit.cuh"

/* The filters of a unit's quarters; a quarter that shares its left neighbour's filter has none of
 * its own. */
struct unit_filters {
    foveate_bands_filter at[QUARTERS];
};

/* Returns the place of the taps from `tap` on that a lane needs; a multiple of four taps on are as
 * many bytes on. */
static __device__ __forceinline__ mma_place taps_at(const foveate_bands_filter &filter, int tap)
{
    const int place = tap - FOVEATE_BANDS_FIRST_TAP;
    return mma_place_of(filter.pairs[place & 3][place >> 2]);
}

/* Loads rows g and g + 8 of A. */
static __device__ __forceinline__ void load_taps(uint32_t (&weights)[4], mma_place upper,
                                                 mma_place lower)
{
    const int two_on = 2 * sizeof(foveate_bands_filter::pairs[0]);
    weights[0] = mma_load(upper);
    weights[1] = mma_load(lower);
    weights[2] = mma_load(upper + two_on);
    weights[3] = mma_load(lower + two_on);
}

/* A warp loads its filters. Quarters that are copied take a neighbour's. Returns the largest
 * radius, -1 if all are copied, and for each quarter which of `filters` is its own, two bits
 * each. */
template <int COUNT>
static __device__ __forceinline__ int load_filters(const foveate_bands &bands, const unit &u,
                                                   unit_filters &filters, uint32_t &slots)
{
    const foveate_ring *rings = (const foveate_ring *)bands.tables.rings;
    int radius = -1;
    int last = FOVEATE_RING_NONE;
    int slot = -1;
    slots = 0;
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        const int ring = u.rings[q];
        if (ring != FOVEATE_RING_NONE && ring != last) {
            last = ring;
            slot++;
            radius = max(radius, (int)rings[ring].radius_px);
            const uint4 *from = (const uint4 *)((const foveate_bands_filter *)bands.filters + ring);
            uint4 *to = (uint4 *)&filters.at[slot];
            for (int i = (int)threadIdx.x % 32; i < (int)sizeof(foveate_bands_filter) / 16;
                 i += 32) {
                to[i] = __ldg(from + i);
            }
        }
        slots |= (uint32_t)max(slot, 0) << 2 * q;
    }
    return radius;
}

#endif
