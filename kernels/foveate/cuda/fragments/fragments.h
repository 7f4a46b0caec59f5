/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method from levels (foveate_fragments.cu): its tables, its kernels, and the
 * launches of a frame. Every call pushes the device. Formats and light are those of
 * foveate/cuda/nodes/nodes.h. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_FRAGMENTS_FRAGMENTS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_FRAGMENTS_FRAGMENTS_H

#include "kernels/foveate/cuda/nodes/nodes.h"
#include "params.h"

struct foveate_fragments_kernels {
    CUmodule module;
    struct cuda_kernels level_0;
    struct cuda_kernels picture;
};

/* If it fails, unload frees what it has loaded. */
FOVEA_MUST_CHECK enum fovea_result foveate_fragments_load(
    const struct cuda_device *device, struct foveate_fragments_kernels *out_kernels);
void foveate_fragments_unload(const struct cuda_device *device,
                              struct foveate_fragments_kernels *kernels);

/* Makes a plan's tables on the host; the caller frees `memory`. NULL: no kernel takes the plan. */
struct foveate_fragments_tables {
    void *memory;
    size_t bytes;
};

/* Fills the plan as the kernels see it, with addresses from `memory` on instead of the device's. */
FOVEA_MUST_CHECK enum fovea_result foveate_fragments_fill(
    const struct foveate_plan *plan, struct foveate_nodes *out_nodes,
    struct foveate_fragments *out_fragments, struct foveate_fragments_tables *out_tables);
/* Tells where the tables are on the device. */
void foveate_fragments_place(struct foveate_nodes *nodes, struct foveate_fragments *fragments,
                             CUdeviceptr tables);

struct foveate_fragments_run {
    struct foveate_nodes_run nodes;
    const struct foveate_fragments_kernels *kernels;
    const struct foveate_fragments *fragments;
};

FOVEA_MUST_CHECK enum fovea_result foveate_fragments_surface(
    const struct foveate_fragments_run *run, enum fovea_format format, CUsurfObject src,
    CUsurfObject dst);
FOVEA_MUST_CHECK enum fovea_result foveate_fragments_linear(const struct foveate_fragments_run *run,
                                                            enum fovea_format format,
                                                            const struct foveate_cuda_slice *slice);

#endif
