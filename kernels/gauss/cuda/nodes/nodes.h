/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method by nodes of sigma (gauss_nodes.cu): its kernels and their launches. The
 * device is pushed around every call.
 *
 * Plans: all laws and sizes. Formats: all but 32-bit floats; levels are averaged as stored or in
 * sRGB's light. 32-bit floats and wide light go to nodes_wide/wide.h, which has levels of the same
 * kind made here. */
#pragma once

#include "kernels/gauss/cuda/common/run.h"
#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

#define GAUSS_NODES_LEVELS_KERNELS 6

struct gauss_nodes_kernels {
    CUmodule module;
    struct cuda_kernels level_1; /* level 1 from a picture */
    struct cuda_kernels picture; /* a picture from the levels */
    struct cuda_kernels alpha; /* the same, with alpha blurred */
    struct cuda_kernels whole; /* a picture by one block */
    CUfunction levels[GAUSS_NODES_LEVELS_KERNELS]; /* further levels */
    uint32_t whole_from; /* as many pictures */
    int most_shared_bytes; /* of a block */
    int shared_bytes; /* of a multiprocessor, for its blocks */
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result gauss_nodes_load(const struct cuda_device *device,
                                                    struct gauss_nodes_kernels *out_kernels);
void gauss_nodes_unload(const struct cuda_device *device, struct gauss_nodes_kernels *kernels);

/* For tests: a block each makes also few pictures, or as many as ever. */
void gauss_nodes_make_whole(struct gauss_nodes_kernels *kernels, bool few);

/* Returns whether so many pictures are made by a block each, without levels in memory. */
bool gauss_nodes_are_whole(const struct gauss_nodes_kernels *kernels,
                           const struct gauss_nodes *nodes, enum fovea_format format,
                           bool blurs_alpha, uint32_t count);

/* Launches level 1, further levels, the pictures. On failure dst is not written; launches that were
 * made still use the levels. */
FOVEA_MUST_CHECK enum fovea_result gauss_nodes_run(const struct gauss_nodes_kernels *kernels,
                                                   const struct gauss_nodes *nodes,
                                                   const struct gauss_cuda_run *run);

/* Counts the channels that levels have. */
uint32_t gauss_nodes_channels(enum fovea_format format, bool blurs_alpha);
/* Returns the kernels' parameters for a run. */
struct gauss_nodes_params gauss_nodes_params_of(const struct gauss_nodes *nodes,
                                                const struct gauss_cuda_run *run);
/* Counts a level's tiles. */
uint32_t gauss_nodes_tiles_of(const struct gauss_nodes_level *level);
/* Launches the levels from `first` on, each from the one below. */
FOVEA_MUST_CHECK enum fovea_result gauss_nodes_make_levels(
    const struct gauss_nodes_kernels *kernels, const struct gauss_cuda_run *run,
    const struct gauss_nodes *nodes, int32_t first);

/* ---- A plan as its kernels see it: where its levels lie, which nodes it needs, their matrices */

/* Fills all but addresses and next_bytes, and the matrices, which are on the heap; there are none
 * for a plan that does not blur. In wide light its nodes are those of floats, which are no light.
 */
FOVEA_MUST_CHECK enum fovea_result gauss_nodes_fill(const struct gauss_plan *plan,
                                                    struct gauss_nodes *out_nodes,
                                                    struct operator_cuda_part *out_table);
/* Fills the law and where levels lie, of which it knows how many there are, with so many samples
 * beside each edge. */
void gauss_nodes_lay_out(const struct gauss_plan *plan, int32_t beside, struct gauss_nodes *nodes);

/* Returns the bytes of an image's levels, a multiple of 16. */
size_t gauss_nodes_level_bytes(const struct gauss_nodes *nodes);
/* Returns the bytes that a picture's levels of so many channels have, with level 0. */
size_t gauss_nodes_whole_bytes(const struct gauss_nodes *nodes, uint32_t channels);

/* Writes the matrix that makes a level from the one below, sample i from those from 2 i - 2 on.
 * Returns where it ends. */
uint16_t *gauss_nodes_put_taps(uint16_t *out_halves);
