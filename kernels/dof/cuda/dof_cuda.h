/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof on a CUDA device: its own kernels and foveate's machine. dof_cuda.c makes kernels and plans,
 * run.c runs frames and batches. */
#pragma once

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/dof/dof.h"
#include "kernels/gaze/gaze_cuda.h"
#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

struct dof_cuda_disc_kernels {
    CUfunction sum, take, add;
};

struct dof_cuda {
    struct operator_cuda base; /* with the machine */
    struct gaze_cuda_kernels gaze;
    CUmodule module;
    CUfunction focus;
    CUfunction offsets;
    CUfunction spread;
    CUfunction means;
    CUfunction level_1; /* the machine's, of layers of halves */
    CUfunction levels;
    CUfunction picture_of_means;
    CUfunction picture_of_bytes; /* layers of UNORM pixels of 8 bits a channel */
    CUfunction picture_of_light; /* of other ones */
    CUfunction picture_of_floats; /* layers of pixels that are floats */
    struct cuda_kernels layers;
    struct cuda_kernels compose;
    CUmodule discs_module;
    struct dof_cuda_disc_kernels discs[2]; /* of layers of halves, and of 32-bit floats */
};

struct dof_cuda_plan {
    struct operator_cuda_plan base; /* tables: the light's samples, one image's pictures */
    const struct dof_plan *source; /* for as long as this is not retired */
    /* It is of layers, whose alpha is their coverage; the machine's inner plan is made of it. */
    struct gauss_plan machine;
    bool has_floats; /* there is memory for pictures of 32-bit floats */
    uint64_t light_samples;
    uint64_t memory; /* one image's pictures */
    bool had_floats, batch_had_floats; /* the last run left 32-bit floats in the memory */
};

static inline struct dof_cuda *dof_cuda_of(struct operator_cuda *cuda)
{
    return (struct dof_cuda *)cuda;
}

static inline struct dof_cuda_plan *dof_cuda_plan_of(struct operator_cuda_plan *plan)
{
    return (struct dof_cuda_plan *)plan;
}

static inline const struct operator_cuda_inner_plan *dof_cuda_machine(
    const struct dof_cuda_plan *plan)
{
    return &plan->base.inner[OPERATOR_CUDA_MACHINE];
}

/* Layers are halves, which keep to the bound of README.md. (In 330 pictures levels of 8 bits were
 * by at most 0.44 more than their rounding off the reference and those of 10 bits by 1.8 before
 * layers of bytes were blended in halves, where layers of 32-bit floats on the processor are by
 * 0.44 and 2.6.) Of 32-bit floats, and of light that falls to a millionth of white, they are 32-bit
 * floats. */
bool dof_cuda_takes_floats(const struct dof_plan *plan, enum fovea_format format);

/* Memory from an address on, of so many images at most. */
struct dof_cuda_scratch {
    uint64_t memory;
    uint32_t images;
};

/* The frame's numbers but for the light's and the image's, and where the pictures of so many images
 * lie; returns their bytes. */
uint64_t dof_cuda_lay_out(const struct dof_cuda_plan *own, bool are_floats, uint32_t count,
                          struct dof_cuda_scratch scratch, struct dof_cuda_frame *out_frame);
/* Bytes of the machine's levels of a layer of halves. */
uint64_t dof_cuda_level_bytes(const struct dof_cuda_plan *own);

/* Parts of a layer or level that are not made stay as they were: zeros at first, since tiles with
 * values in their windows that are no numbers are slow. */
FOVEA_MUST_CHECK enum fovea_result dof_cuda_clear(struct operator_cuda *cuda, uint64_t memory,
                                                  uint64_t bytes);

/* Memory of the machine for the layers of so many images that it blurs whole. */
FOVEA_MUST_CHECK enum fovea_result dof_cuda_reserve_machine(const struct dof_cuda_plan *own,
                                                            bool are_floats, uint32_t count);

/* discs.c: what highlights that are discs take. No memory: they are none. */
struct dof_cuda_discs_run {
    const struct dof_cuda *dof;
    const struct dof_cuda_frame *frame;
    uint64_t memory; /* of dof_cuda_disc_bytes */
    uint32_t count;
    CUstream stream;
};
FOVEA_MUST_CHECK enum fovea_result dof_cuda_load_discs(struct dof_cuda *dof);
/* Returns bytes for so many images of so many groups; 0: the plan has no discs. */
uint64_t dof_cuda_disc_bytes(const struct dof_plan *plan, uint32_t count, uint64_t groups);
/* Take highlights out of layers that are not blurred yet, and add discs to those that are. */
FOVEA_MUST_CHECK enum fovea_result dof_cuda_take_discs(const struct dof_cuda_discs_run *run);
FOVEA_MUST_CHECK enum fovea_result dof_cuda_add_discs(const struct dof_cuda_discs_run *run);

/* run.c's entries of dof_operator_cuda. */
FOVEA_MUST_CHECK enum fovea_result dof_cuda_reserve(struct operator_cuda *cuda,
                                                    struct operator_cuda_plan *plan,
                                                    const struct operator_images *images);
FOVEA_MUST_CHECK enum fovea_result dof_cuda_run_linear(struct operator_cuda *cuda,
                                                       const struct operator_cuda_run *run,
                                                       const struct operator_images *images);
FOVEA_MUST_CHECK enum fovea_result dof_cuda_run_surface(struct operator_cuda *cuda,
                                                        const struct operator_cuda_run *run,
                                                        enum fovea_format format, CUsurfObject src,
                                                        CUsurfObject dst);
