/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ways that make an image. A plan keeps for each format the first that takes it:
 *
 *     way     laws                        formats                            light    memory
 *     TILES   by distance or angle, flat  RGBA8, RGBA16F, alpha kept         plain    any
 *     NODES   any                         all but 32-bit floats              plain    any
 *     LIGHT   any                         whole numbers                      wide     any
 *     WIDE    any                         32-bit floats                      any      any
 *
 * Flat: a slope of at most GAUSS_TILE_MAX_SLOPE, and no steps; and tiles are made by matrix
 * instructions, so that older code has none. Plain light is stored values and
 * sRGB's, and what floats are. README.md says which files make each. */
#pragma once

#include "gauss_cuda.h"

enum gauss_cuda_way_name {
    GAUSS_CUDA_TILES,
    GAUSS_CUDA_NODES,
    GAUSS_CUDA_LIGHT,
    GAUSS_CUDA_WIDE,
};
#define GAUSS_CUDA_WAYS 4

/* A way needs so many bytes, multiples of 16. */
struct gauss_cuda_bytes {
    uint64_t levels; /* of a source */
    uint64_t state; /* of an image */
    bool whole; /* a block makes an image from its source alone: no levels */
};

struct gauss_cuda_way {
    bool (*takes)(const struct gauss_cuda *cuda, const struct gauss_cuda_plan *plan,
                  enum fovea_format format);
    /* Fills what it has of a plan, and the table that it uploads, if any, which is on the heap.
     * NULL: it was filled before. */
    enum fovea_result (*fill)(const struct gauss_plan *source, struct gauss_cuda_plan *plan,
                              struct operator_cuda_part *out_table);
    /* For so many images at a time. A larger number never needs more for one of them. */
    struct gauss_cuda_bytes (*bytes)(const struct gauss_cuda *cuda,
                                     const struct gauss_cuda_plan *plan, enum fovea_format format,
                                     uint32_t count);
    /* On failure dst is not written; launches that were made still use the levels. */
    enum fovea_result (*run)(const struct gauss_cuda *cuda, const struct gauss_cuda_plan *plan,
                             const struct gauss_cuda_run *run);
};

/* By their names, in the order in which they are asked. */
extern const struct gauss_cuda_way gauss_cuda_ways[GAUSS_CUDA_WAYS];
