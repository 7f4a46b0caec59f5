/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Filters as foveate_bands.cu's products want them. */
#ifndef FOVEA_KERNELS_FOVEATE_BANDS_FILTER_CUH
#define FOVEA_KERNELS_FOVEATE_BANDS_FILTER_CUH

#include "foveate_bands_window.cuh"

/* The taps from BANDS_FIRST_TAP from the centre on, zeros where there are none, as pairs of neighbours:
 * those that begin at even places, and those that begin at odd ones, so that any two neighbours are one
 * word. */
const int BANDS_FIRST_TAP = -60;
const int BANDS_PAIRS = 64;

struct filter_table {
    uint32_t pairs[2][BANDS_PAIRS];

    /* Taps `tap` and `tap` + 1; those that are an even number on follow behind. */
    __device__ __forceinline__ const uint32_t *at(int tap) const
    {
        const int place = tap - BANDS_FIRST_TAP;
        return &pairs[place & 1][place >> 1];
    }
};

struct filter {
    const unsigned short *taps; /* centre first, as halves */
    int radius;

    __device__ __forceinline__ uint32_t at(int tap) const
    {
        const int distance = abs(tap);
        return distance <= radius ? __ldg(taps + distance) : 0;
    }
};

static __device__ __forceinline__ filter filter_of_ring(const foveate_bands &bands, int ring)
{
    const foveate_ring *entry = (const foveate_ring *)bands.tables.rings + ring;
    return {(const unsigned short *)bands.half_taps + entry->first_tap, (int)entry->radius_px};
}

/* By a warp. */
static __device__ __forceinline__ void fill_table(const filter &f, filter_table &table)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < BANDS_PAIRS; i += 32) {
        const int tap = BANDS_FIRST_TAP + 2 * (i + lane);
        const uint32_t first = f.at(tap);
        const uint32_t second = f.at(tap + 1);
        const uint32_t third = f.at(tap + 2);
        table.pairs[0][i + lane] = first | second << 16;
        table.pairs[1][i + lane] = second | third << 16;
    }
}

#endif
