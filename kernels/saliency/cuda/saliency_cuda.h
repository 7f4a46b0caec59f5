/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD on a CUDA device. Responses are the processor's to the last bit. Candidates come back, and
 * the processor leaves out those that overlap stronger ones. */
#pragma once

#include "kernels/cuda/cuda_capture.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/saliency/cpu/saliency_cpu.h"
#include "params.h"

/* The device's and pinned memory for images at once: beyond it images come after each other, and
 * then their channels' planes. One channel of an image has no less than it takes. */
#define SALIENCY_CUDA_MOST_BYTES ((uint64_t)512 << 20)

struct saliency_cuda {
    struct cuda_device *device;
    CUmodule module;
    struct cuda_kernels bins;
    CUfunction fine, present, first_planes, next_planes, filter, maxima, report;
    /* Coarser levels, whose launches wait for each other, and candidates have those of the highest
     * priority, and level 0, which fills what they leave free, one of the lowest */
    CUstream coarse_stream, maxima_stream, fine_stream;
    CUevent begun, binned, coarse_done, fine_done;
    CUevent reported_at[2]; /* what the images of a half have */

    /* It is made for a plan, a number of channels and of images */
    const struct saliency_plan *plan;
    uint32_t channels;
    uint32_t images; /* that there is memory for at once */
    uint32_t halves; /* of memory for all but planes: 2 where groups of images have them in turns */
    uint64_t half_bytes; /* of bins, responses and counts */
    uint32_t layers; /* whose planes there is memory for at once */
    uint32_t strips; /* of all levels */
    struct saliency_cuda_frame frames[2]; /* of each half */
    CUdeviceptr memory, candidates;
    uint32_t reported; /* candidates of an image that come back unasked, at most */
    void *report_memory; /* the processor's, which the device writes */
    CUdeviceptr report_device;
    uint64_t most_bytes; /* for images at once: SALIENCY_CUDA_MOST_BYTES */
    uint64_t bytes; /* of the device's memory */
    uint64_t pinned_bytes; /* of the processor's */
    CUdeviceptr last_responses; /* of the last picture */
};

/* Loads kernels. FOVEA_ERROR_UNSUPPORTED: no driver, or no code of architecture 8.0 or later. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_create(int ordinal, struct fovea_log log,
                                                        struct saliency_cuda **out_cuda);
void saliency_cuda_destroy(struct saliency_cuda **cuda);

/* Memory for pictures of the plan's size, which outlives them. Allocates where there is less. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_reserve(struct saliency_cuda *cuda,
                                                         const struct saliency_plan *plan,
                                                         uint32_t channels, uint32_t image_count);
void saliency_cuda_forget(struct saliency_cuda *cuda);

struct saliency_cuda_run {
    const struct fovea_image *src;
    uint32_t image_count;
    ptrdiff_t src_next_bytes;
    CUstream stream;
    struct thread_pool *pool;
    struct fovea_blob *out_blobs;
    uint32_t *out_counts;
};

/* FOVEA_ERROR_INVALID_STATE: the stream is being captured, and what comes back is wanted now. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_refuse_capture(const struct saliency_cuda *cuda,
                                                                CUstream stream);
/* Begins behind what the stream has, waits for the blobs, and writes them. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_find(struct saliency_cuda *cuda,
                                                      const struct saliency_cuda_run *run);
/* A run's launches in their order; PLANES and FILTER together are COARSE. */
enum saliency_cuda_step {
    SALIENCY_CUDA_BINS,
    SALIENCY_CUDA_FINE,
    SALIENCY_CUDA_PLANES,
    SALIENCY_CUDA_FILTER,
    SALIENCY_CUDA_COARSE,
    SALIENCY_CUDA_MAXIMA,
    SALIENCY_CUDA_REPORT,
};
/* Enqueues one of them for all images, to be timed by itself. The device is pushed. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_enqueue(struct saliency_cuda *cuda,
                                                         const struct saliency_cuda_run *run,
                                                         enum saliency_cuda_step step);
/* The responses of all scales of the last picture: response_count of the plan. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_read(const struct saliency_cuda *cuda,
                                                      int32_t *out);

/* ---- Its parts */

void saliency_cuda_free_memory(struct saliency_cuda *cuda);
/* Places for so many of an image, instead of those that there are. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_make_candidates(struct saliency_cuda *cuda,
                                                                 uint32_t most);
