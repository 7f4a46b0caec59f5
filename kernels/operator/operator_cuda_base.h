/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All operators have this in common on a CUDA device: their structs begin with these. The device is
 * pushed around every call. */
#pragma once

#include "kernels/cuda/cuda_block.h"
#include "kernels/cuda/cuda_memory.h"
#include "kernels/image/image_linear.h"
#include "operator_cuda.h"

#include <stdatomic.h>

#define OPERATOR_CUDA_MACHINE 0 /* of gauss/, among inner operators of those that are no chain */

struct operator_cuda {
    const struct operator_cuda_kind *kind;
    const struct cuda_device *device;
    CUstream upload; /* of our own, so that tables wait for nobody's work; NULL: there are none */
    struct cuda_memory memory; /* of plans' tables; in the order of upload */
    struct cuda_block *retired;
    atomic_bool abandoned;
    /* Kernels of others that it runs, which are abandoned and destroyed with it: a chain's by their
     * names, of others the machine. */
    _Atomic(struct operator_cuda *) inner[FOVEA_OPERATOR_COUNT];
};

/* Memory of launches is freed when the last of them is over. */
struct operator_cuda_plan {
    struct cuda_block *tables; /* NULL: none */
    struct cuda_block *batch; /* NULL: there was no batch that needs memory */
    uint64_t batch_bytes;
    struct operator_cuda_inner_plan {
        struct operator_cuda *kernels;
        struct operator_cuda_plan *plan; /* NULL: there is none; retired with this one */
    } inner[FOVEA_OPERATOR_COUNT];
};

/* Makes what tables are uploaded with, unless it is there. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_make_upload(struct operator_cuda *cuda);
/* Makes an inner operator, unless it is there. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_make_inner(struct operator_cuda *cuda,
                                                            uint32_t number,
                                                            const struct operator_cuda_kind *kind);
static inline struct operator_cuda *operator_cuda_inner(const struct operator_cuda *cuda,
                                                        uint32_t number)
{
    return atomic_load(&cuda->inner[number]);
}
/* Makes a plan's inner one, of the inner operator of that number. */
FOVEA_MUST_CHECK enum fovea_result operator_cuda_plan_make_inner(
    const struct operator_cuda *cuda, uint32_t number, const struct operator_plan *source,
    enum fovea_format format, struct operator_cuda_inner_plan *out);

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
/* Gives batches other memory if theirs is less than that. On failure it stays. */
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
