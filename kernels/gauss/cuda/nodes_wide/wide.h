/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method for 32-bit floats by nodes in floats, and for whole numbers in wide light by
 * nodes in halves: kernels (gauss_wide.cu) and their launches. The device is pushed around every
 * call. */
#pragma once

#include "kernels/gauss/cuda/nodes/nodes.h"

struct gauss_cuda_smooth_kernels {
    CUmodule module;
    struct cuda_kernels level; /* level 0 from a picture */
    struct cuda_kernels picture; /* a picture from the levels */
    CUfunction decimate_half;
    CUfunction decimate_float;
    struct cuda_kernels light_level; /* the same of whole numbers in wide light */
    struct cuda_kernels light_picture;
    struct cuda_kernels light_alpha; /* with alpha blurred */
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_smooth_load(
    const struct cuda_device *device, struct gauss_cuda_smooth_kernels *out_kernels);
void gauss_cuda_smooth_unload(const struct cuda_device *device,
                              struct gauss_cuda_smooth_kernels *kernels);

/* Returns the bytes of an image's levels, of 32-bit floats. */
uint64_t gauss_wide_level_bytes(uint64_t level_samples);

/* Launches level 0, decimations, the pictures. On failure dst is not written; launches that were
 * made still use the levels. */
FOVEA_MUST_CHECK enum fovea_result gauss_cuda_smooth_run(
    const struct gauss_cuda_smooth_kernels *kernels, const struct gauss_cuda_smooth *smooth,
    const struct gauss_cuda_run *run);

/* The same in wide light; the kernels of nodes make its levels. */
FOVEA_MUST_CHECK enum fovea_result gauss_light_run(const struct gauss_cuda_smooth_kernels *kernels,
                                                   const struct gauss_nodes_kernels *levels,
                                                   const struct gauss_nodes *nodes,
                                                   const struct gauss_cuda_run *run);

/* ---- A plan as its kernels see it: its ladder's nodes and their matrices */

/* Fills what does not lie in memory, and the table of nodes and their matrices, which is on the
 * heap; there is none for a plan that does not blur. */
FOVEA_MUST_CHECK enum fovea_result gauss_wide_fill(const struct gauss_plan *plan,
                                                   struct gauss_cuda_smooth *out_smooth,
                                                   struct operator_cuda_part *out_table);
/* The same for whole numbers in wide light. */
FOVEA_MUST_CHECK enum fovea_result gauss_light_fill(const struct gauss_plan *plan,
                                                    struct gauss_nodes *out_nodes,
                                                    struct operator_cuda_part *out_table);
