/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All operators have this in common on a CUDA device: their structs begin with these, and what is
 * here serves as entries of their struct operator_cuda_api. The device is pushed around every call.
 */
#ifndef FOVEA_KERNELS_OPERATOR_OPERATOR_CUDA_BASE_H
#define FOVEA_KERNELS_OPERATOR_OPERATOR_CUDA_BASE_H

#include "kernels/cuda/cuda_block.h"
#include "kernels/cuda/cuda_memory.h"
#include "kernels/image/image_linear.h"
#include "operator_cuda.h"

#include <stdatomic.h>

struct operator_cuda {
    const struct cuda_device *device;
    CUstream upload; /* of our own, so that tables wait for nobody's work; NULL: there are none */
    struct cuda_memory memory; /* of plans' tables; in the order of upload */
    struct cuda_block *retired;
    atomic_bool abandoned;
};

/* Memory of launches is freed when the last of them is over. */
struct operator_cuda_plan {
    struct cuda_block *tables; /* NULL: none */
    struct cuda_block *batch; /* NULL: there was no batch that needs memory */
};

/* Allocates an operator's struct of so many bytes, all zeros but for the device. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_make(const struct cuda_device *device,
                                                      size_t bytes,
                                                      struct operator_cuda **out_cuda);
/* Makes what tables are uploaded with. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_make_upload(struct operator_cuda *cuda);
/* Frees all but the struct, after waiting for what uses it. False: it is NULL or abandoned, and
 * everything that it has on the device stays to the end of the process. */
bool operator_cuda_finish(struct operator_cuda *cuda);

void operator_cuda_abandon(struct operator_cuda *cuda);
bool operator_cuda_frees_without_waiting(const struct operator_cuda *cuda);
/* Frees what was retired and nothing uses any more. */
void operator_cuda_free_idle(struct operator_cuda *cuda);

/* Allocates a plan's struct of so many bytes, all zeros. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_plan_make(struct operator_cuda *cuda, size_t bytes,
                                                           struct operator_cuda_plan **out_plan);
void operator_cuda_plan_retire(struct operator_cuda *cuda, struct operator_cuda_plan **plan);

/* A part of the memory of a plan's tables. */
struct operator_cuda_part {
    uint64_t *out_at; /* a multiple of 256; 0 where it has no bytes */
    const void *from; /* NULL: nothing is uploaded */
    uint64_t bytes;
};
/* Makes the memory of all parts and uploads what they have. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_plan_fill(struct operator_cuda *cuda,
                                                           struct operator_cuda_plan *plan,
                                                           const struct operator_cuda_part *parts,
                                                           size_t count);
/* Other memory for batches takes the place of what there is. On failure that stays. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_plan_grow(struct operator_cuda *cuda,
                                                           struct operator_cuda_plan *plan,
                                                           uint64_t bytes);

/* The image from the view's corner on. next_bytes: to the image after it; 0 where there is none. */
struct image_linear operator_cuda_view_of(const struct fovea_image *image, ptrdiff_t next_bytes,
                                          const struct operator_frame *frame);

/* Launches made before one that failed still use the block, so that it is noted in any case;
 * returns what `launched` says. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_note(const struct operator_cuda *cuda,
                                                      struct cuda_block *block, CUstream stream,
                                                      bool stream_kept, enum fovea_result launched);

#endif
