/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places from a grid of points: those of a block lie in a few lines of the cache. */
#ifndef FOVEA_KERNELS_LENS_CUDA_GRID_CUH
#define FOVEA_KERNELS_LENS_CUDA_GRID_CUH

#include "kernels/lens/place.h"
#include "params.h"

struct lens_grid_places {
    struct shown {
        int32_t x;
        int32_t y;
    };

    static __device__ __forceinline__ shown shown_at(const lens_frame &, int x, int y)
    {
        return {x, y};
    }
    static __device__ __forceinline__ lens_place at(const lens_frame &frame, int color,
                                                    const shown &shown)
    {
        return lens_grid_place_of(&frame.shape, (const float *)frame.ways, color, shown.x, shown.y);
    }
};

#endif
