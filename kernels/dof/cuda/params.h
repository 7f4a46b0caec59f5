/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameter blocks of dof's CUDA kernels, by value. Device pointers and surface objects are
 * 64-bit numbers. Included by C and CUDA. Block z of a grid works on image z of a batch. */
#pragma once

#include "kernels/dof/optics.h"
#include "kernels/gauss/cuda/nodes/params.h"

#define DOF_CUDA_TILE_PX 8
#define DOF_CUDA_GROUP_TILES 8 /* along an axis: what a block finds the offsets of */
#define DOF_CUDA_GROUP_PX (DOF_CUDA_GROUP_TILES * DOF_CUDA_TILE_PX)
#define DOF_CUDA_SIDE_X 32 /* threads of a block of one pixel each */
#define DOF_CUDA_SIDE_Y 8
#define DOF_CUDA_FOCUS_THREADS 64 /* an image each */
#define DOF_CUDA_SPREAD_Y 8 /* rows of 32 threads that work on a group's tiles and those around */

/* A group's quarters are what a block of the machine makes: 32 x 32 px. Bits of a group: */
#define DOF_CUDA_QUARTERS 4
#define DOF_CUDA_BLURRED 1u /* shifted left by a quarter: some pixel of it is not as it was */
#define DOF_CUDA_REACHED 16u /* the same: something near gets to some pixel */

/* The kernel of the focus tells the others this of an image. */
struct dof_cuda_focus {
    float diopters;
    float px_per_diopter;
};

/* Pictures between the steps. A row of them has pitch_px values. Values (offsets, sigmas, alpha)
 * and layers are halves, or 32-bit floats where those of the image are, or where light is wide. A
 * layer has four channels, coverage last. Pairs are of what is near, then of what is behind, so
 * that the machine makes both at once. */
struct dof_cuda_memory {
    uint64_t focuses; /* struct dof_cuda_focus for each image */
    uint64_t wanted; /* uint32_t for each layer of each image: 0 where there is nothing in it */
    uint64_t wanted_means; /* uint32_t for each image: the same of what is near */
    uint64_t offsets; /* s */
    uint64_t sigmas; /* pairs: t, of floats d before; u, of floats and where alpha is averaged */
    uint64_t layers; /* of floats pairs, and before them the layer of means; of halves one for each
                      * image: colours, and last the offset */
    uint64_t made; /* pairs: blurred layers; of floats before them the means */
    uint64_t alpha_layers; /* pairs of values; 0: alpha is kept */
    uint64_t alpha_made;
    uint64_t tiles; /* float: n' */
    uint64_t reaches; /* float: d of tiles */
    uint64_t groups; /* float: the largest n' of 8 x 8 tiles */
    uint64_t farthest; /* float for each quarter of a group: the largest f */
    uint64_t quarters; /* uint8_t for each group: DOF_CUDA_* bits */
    uint64_t reads; /* pairs of uint8_t for each group: 1 where a blurred pixel looks there */
    uint64_t largest; /* pairs of uint32_t for each image: bits of the largest sigma */
    uint64_t listed; /* pairs of uint32_t for each image: quarters in the list of a layer */
    uint64_t lists; /* pairs of uint32_t for each quarter: those that are made, group and quarter */
    uint64_t levels; /* of halves, the machine's of both layers and of means for each image */
    uint64_t gazes; /* int32_t[2] in q8 for each image */
};

struct dof_cuda_frame {
    int32_t width_px;
    int32_t height_px;
    int32_t pitch_px;
    int32_t are_floats; /* 32-bit ones */
    int32_t columns; /* of tiles */
    int32_t rows;
    int32_t group_columns;
    int32_t group_rows;
    int32_t origin_x_px; /* where the view starts in surfaces; linear images begin there */
    int32_t origin_y_px;
    int32_t light; /* IMAGE_LIGHT_*; STORED of float formats too */
    float light_value;
    float sigma_max_px;
    int32_t whole; /* all of a picture is made, whatever is in focus */
    int32_t makes_alpha; /* dof_layers, of halves: layers of alpha and both sigmas, not colours */
    int32_t reserved;
    uint64_t light_samples; /* float[]: a display's */
    int64_t src_next_bytes; /* linear images only */
    int64_t dst_next_bytes;
    struct dof_cuda_memory memory; /* of the first image */
};

struct dof_cuda_focus_params {
    struct dof_cuda_frame frame;
    struct dof_optics optics;
    struct dof_scale scale;
    struct fovea_depth depth; /* of the first image */
    uint64_t kept; /* struct operator_focus for each image */
    uint64_t gazes; /* int32_t[2] in q8 for each; 0: gaze_q8 for all */
    int32_t gaze_q8[2];
    int32_t blind; /* no image has a gaze */
    int32_t count;
};

struct dof_cuda_sigmas_params {
    struct dof_cuda_frame frame;
    struct fovea_depth depth;
    float start, step; /* struct dof_scale */
    int32_t is_distance;
    int32_t reserved;
};

struct dof_cuda_linear_params {
    struct dof_cuda_frame frame;
    struct image_linear src;
    struct image_linear dst;
};

/* The machine's nodes on layers of halves, of which what is looked at is made. The layer of means
 * has two channels (sums of w n, then w). */
struct dof_cuda_nodes_params {
    struct dof_cuda_frame frame;
    struct gauss_nodes_params machine;
    int32_t layers; /* of an image: 1, of means; 2, near and behind; or all 3 */
    int32_t blend; /* enum gauss_blend */
    int32_t first; /* levels that are made, each from the one below; several by a single block */
    int32_t last;
};

/* A highlight that is spread over a disc (kernels/dof/discs.h). */
struct dof_cuda_disc {
    float x, y; /* of its middle; a pixel's lies at a half */
    float radius, per_edge; /* 1 / the width of its edge. Radius 0: none */
    float red, green, blue; /* over its area */
    float per_radius;
};

/* Blocks are quarters of groups in rows of 2 group_columns. */
struct dof_cuda_discs_params {
    struct dof_cuda_frame frame;
    uint64_t sums; /* float[2] for each block of each image: of k, and of k L */
    uint64_t blocks; /* two lists for each image of float[2] for each block: how many discs, how
                      * far they reach */
    uint64_t discs; /* pairs of lists for each image, of DOF_BLOCK_DISCS for each block */
    int32_t reach_blocks; /* how far discs reach */
    int32_t reserved;
};

struct dof_cuda_surface_params {
    struct dof_cuda_frame frame;
    uint64_t src;
    uint64_t dst;
};
