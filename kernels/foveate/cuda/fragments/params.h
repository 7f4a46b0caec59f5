/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameters of foveate_fragments.cu: the blockwise method from levels. C and CUDA C share
 * them.
 *
 * Levels are those of foveate/cuda/nodes/params.h, and level 0 before them: the picture in halves.
 * A warp makes a *unit*, at most 16 x 16 pixels: fragments side by side, or a part of one that is
 * larger. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_FRAGMENTS_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_FRAGMENTS_PARAMS_H

#include "kernels/foveate/cuda/nodes/params.h"
#include "kernels/foveate/plan/fragment.h"

#define FOVEATE_FRAGMENTS_DEPTHS 2 /* Pictures of 8 and of 10 bits have their own filters. */
#define FOVEATE_FRAGMENTS_UNITS 4 /* units that a warp makes one after the other along x */
/* A unit sees at most so many times sixteen samples along an axis. */
#define FOVEATE_FRAGMENTS_STEPS 16
#define FOVEATE_FRAGMENTS_LEVEL_ROWS 16 /* rows of level 0 for a block, */
#define FOVEATE_FRAGMENTS_LEVEL_PAIRS 256 /* and pairs in each, two a thread */

struct foveate_fragments {
    uint64_t rings; /* struct foveate_ring[frame.ring_count] */
    /* For each ring a struct foveate_fragment_filter. Its rows of weights, as halves, begin with an
     * even sample and have an even number: there are rows for the pixels of two cells. */
    uint64_t filters[FOVEATE_FRAGMENTS_DEPTHS];
    uint64_t weights[FOVEATE_FRAGMENTS_DEPTHS];
    int32_t together; /* fragments of a unit */
    int32_t parts; /* units of a fragment along an axis, */
    int32_t part_px; /* each of so many pixels but for the last */
    int32_t per_px; /* i * per_px >> 16 is the fragment of pixel i of a unit of several */
};

struct foveate_fragments_linear_params {
    struct foveate_frame frame;
    struct foveate_nodes nodes;
    struct foveate_fragments fragments;
    struct foveate_cuda_batch batch;
    struct image_linear src;
    struct image_linear dst;
};

struct foveate_fragments_surface_params {
    struct foveate_frame frame;
    struct foveate_nodes nodes;
    struct foveate_fragments fragments;
    struct foveate_cuda_batch batch;
    uint64_t src;
    uint64_t dst;
};

#endif
