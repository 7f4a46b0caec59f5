/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files of gauss_operator_cuda share this: gauss_cuda.c makes kernels and plans, ways.c has
 * the ways that make an image, run.c runs frames and batches. */
#pragma once

#include "kernels/gauss/cuda/nodes/nodes.h"
#include "kernels/gauss/cuda/nodes_wide/wide.h"
#include "kernels/gauss/cuda/tiles/tiles.h"
#include "kernels/gaze/gaze_cuda.h"
#include "kernels/operator/operator_cuda_base.h"

/* A batch's levels take at most so many bytes, and so do its states; further images follow. */
#define GAUSS_CUDA_LEVEL_BYTES ((uint64_t)256 << 20)

struct gauss_cuda {
    struct operator_cuda base;
    struct gauss_cuda_smooth_kernels smooth;
    struct gauss_cuda_tile_kernels tiles;
    struct gauss_nodes_kernels nodes;
    struct gaze_cuda_kernels gaze;
    double tile_slope; /* steeper laws are not for tiles */
};

/* The memory of a plan's batches: levels, gazes, states. */
struct gauss_cuda_batch_memory {
    uint64_t level_bytes;
    uint32_t gazes;
    uint32_t states;
    bool states_dirty;
};

struct gauss_cuda_plan {
    struct operator_cuda_plan base;
    /* These make images of each format. NULL: the levels of this plan do not hold such. */
    const struct gauss_cuda_way *ways[CUDA_FORMATS];
    bool light_is_plain; /* stored values or sRGB's, for what is not floats */
    bool blurs_alpha;
    bool looks_at_gaze; /* its operator does; else a frame's gaze is the middle */
    bool has_tiles; /* for the formats that they take */
    struct gauss_tiles tiles;
    struct gauss_nodes nodes;
    struct gauss_nodes light; /* of wide light */
    struct gauss_cuda_smooth smooth;
    uint64_t wide_samples; /* of its levels */
    uint64_t levels; /* a frame's */
    uint64_t state;
    bool states_dirty;
    struct gauss_cuda_batch_memory batch;
};

static inline struct gauss_cuda *gauss_cuda_of(struct operator_cuda *cuda)
{
    return (struct gauss_cuda *)cuda;
}

static inline struct gauss_cuda_plan *gauss_cuda_plan_of(struct operator_cuda_plan *plan)
{
    return (struct gauss_cuda_plan *)plan;
}

/* Tests call it: plans made from now on go in tiles if their law's slope is at most this, in pixels
 * of sigma a pixel; until then it is GAUSS_TILE_MAX_SLOPE. */
static inline void gauss_cuda_set_tile_slope(struct operator_cuda *cuda, double max_slope)
{
    gauss_cuda_of(cuda)->tile_slope = max_slope;
}

/* run.c's entries of gauss_operator_cuda. */
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_reserve(struct operator_cuda *cuda,
                                                      struct operator_cuda_plan *plan,
                                                      const struct operator_images *images);
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_run_linear(struct operator_cuda *cuda,
                                                         const struct operator_cuda_run *run,
                                                         const struct operator_images *images);
struct gauss_cuda_layers {
    CUdeviceptr wanted; /* of images whose uint32_t there is 0 nothing is made; 0: all are */
    bool of_light; /* of pixels' light, as the plan has it: nothing or more in every channel */
};

/* The same of a plan of pictures of sigmas, where images are layers, and the device alone knows
 * which there are. */
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_run_layers(struct operator_cuda *cuda,
                                                         const struct operator_cuda_run *run,
                                                         const struct operator_images *images,
                                                         struct gauss_cuda_layers layers);
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_run_surface(struct operator_cuda *cuda,
                                                          const struct operator_cuda_run *run,
                                                          enum fovea_format format,
                                                          CUsurfObject src, CUsurfObject dst);
