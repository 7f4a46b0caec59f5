/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An operator on a CUDA device: its kernels once a device, its tables once a plan.
 * operator_cuda_base makes and frees both, by what struct operator_cuda_kind says.
 *
 * The device is pushed (cuda_device_push) around every call. One thread at a time for each
 * operator_cuda. Runs take any stream of the device, allocate nothing and wait for nothing. */
#pragma once

#include "kernels/cuda/cuda_device.h"
#include "operator.h"

struct operator_cuda;
struct operator_cuda_plan;

/* The view is written, and all of it, and nothing else of dst; src and dst are apart. On failure
 * dst is not written, unless it is FOVEA_ERROR_DEVICE_LOST. Runs of one plan that write to memory
 * of its own follow each other on the device, whatever their streams. */
struct operator_cuda_run {
    const struct operator_plan *plan;
    struct operator_cuda_plan *cuda_plan; /* made of the same */
    const struct operator_frame *frame;
    CUstream stream;
    bool stream_kept; /* it is there for as long as the operator_cuda */
    CUdeviceptr gazes; /* surfaces: int32_t[2] in q8 instead of the frame's; 0: the frame's */
    /* Surfaces: the plan's images_between, with as many bytes a pixel as src and dst have, and no
     * smaller. Nothing else runs on them meanwhile. */
    CUsurfObject between[OPERATOR_MAX_BETWEEN];
    /* Surfaces: what operator_images has of linear ones, in linear memory. */
    const struct fovea_image *sigmas;
    const struct fovea_depth *depth;
    struct operator_focus *focuses; /* on the device */
};

/* Kernels and plans of one kind: an operator's, or those of derivatives. */
struct operator_cuda_kind {
    size_t bytes; /* of its own struct, which begins with a struct operator_cuda */
    size_t plan_bytes; /* likewise with a struct operator_cuda_plan */

    /* Loads the kernels. FOVEA_ERROR_UNSUPPORTED: the device is older than what this build has code
     * for. */
    enum fovea_result (*load)(struct operator_cuda *cuda);
    /* Unloads those that are there. Nothing uses them any more. */
    void (*unload)(struct operator_cuda *cuda);
    /* Uploads the tables and waits for that, and for nothing else. */
    enum fovea_result (*plan_fill)(struct operator_cuda *cuda, const struct operator_plan *source,
                                   enum fovea_format format, struct operator_cuda_plan *plan);
    /* Frees what a plan has in host memory, though it may not be filled; NULL: nothing. */
    void (*plan_finish)(struct operator_cuda_plan *plan);
};

/* The device must outlive it. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_create(const struct operator_cuda_kind *kind,
                                                        const struct cuda_device *device,
                                                        struct operator_cuda **out_cuda);
/* Waits for the launches that still use plans, unless abandoned. Every plan was retired. NULL-safe,
 * sets NULL. */
void operator_cuda_destroy(struct operator_cuda **cuda);
/* A stream is stuck for good: destroy leaves what it may still read to the end of the process. Any
 * thread. */
void operator_cuda_abandon(struct operator_cuda *cuda);
/* Plans are made and freed without waiting for the device. Else what is freed may wait for
 * everything that it has to do. */
bool operator_cuda_frees_without_waiting(const struct operator_cuda *cuda);

/* For images of that format, and of others that take no more memory a pixel. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_plan_create(struct operator_cuda *cuda,
                                                             const struct operator_plan *source,
                                                             enum fovea_format format,
                                                             struct operator_cuda_plan **out_plan);
/* Not to be run any more. Freed once the last launch that uses it is over, by a later plan that is
 * made or retired; does not wait for that. NULL-safe, sets NULL. */
void operator_cuda_plan_retire(struct operator_cuda *cuda, struct operator_cuda_plan **plan);

struct operator_cuda_api {
    struct operator_cuda_kind kind;

    /* Memory for images of that kind. Allocates where the plan has run no batch as large; on
     * failure everything is as it was. */
    enum fovea_result (*reserve)(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                 const struct operator_images *images);
    /* Device pointers and strides, any format, after reserve. Gazes of host memory are copied when
     * it returns. On failure some of several images may have been enqueued. */
    enum fovea_result (*run_linear)(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images);
    /* Surface objects of arrays, 32 or 64 bits a pixel as the format has them. RGBA8, A2B10G10R10,
     * B10G11R11F and RGBA16F; FOVEA_ERROR_UNSUPPORTED for others. */
    enum fovea_result (*run_surface)(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst);
};

/* Derivatives on a device, as operator_cuda_api has frames: kernels once, tables and scratch memory
 * for a plan, which outlives them. */
struct operator_cuda_gradient_api {
    struct operator_cuda_kind kind;

    enum fovea_result (*reserve)(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                 const struct operator_derivatives *batch);
    /* If d_gazes_uv is the host's it waits for the stream. */
    enum fovea_result (*run)(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                             const struct operator_derivatives *batch, CUstream stream);
};
