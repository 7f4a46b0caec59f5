/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs of images in CUDA memory, on the device that has them. Where FOVEA_HAVE_CUDA is 0 nothing
 * runs, and the log says so. */
#pragma once

#include "fovea_blobs.h"

struct saliency_cuda;
struct saliency_plan;
struct thread_pool;

struct blobs_run {
    const struct fovea_image *src;
    uint32_t image_count;
    ptrdiff_t src_next_bytes;
    struct fovea_blob *out_blobs;
    uint32_t *out_counts;
    void *cuda_stream;
    struct thread_pool *pool;
    struct fovea_log log;
};

/* *cuda is of the last image's device, and kept from call to call. A stream that is being captured
 * is refused here, before anything changes. */
FOVEA_MUST_CHECK enum fovea_result blobs_cuda_open(struct saliency_cuda **cuda,
                                                   const struct blobs_run *run);
FOVEA_MUST_CHECK enum fovea_result blobs_cuda_run(struct saliency_cuda *cuda,
                                                  const struct saliency_plan *plan,
                                                  uint32_t channels, const struct blobs_run *run);
/* The responses of the last image. */
FOVEA_MUST_CHECK enum fovea_result blobs_cuda_read(const struct saliency_cuda *cuda, int32_t *out);
/* Bytes that it holds in CPU memory. NULL is fine. */
size_t blobs_cuda_bytes(const struct saliency_cuda *cuda);
/* Parts from what it has of a plan. NULL is fine. */
void blobs_cuda_forget(struct saliency_cuda *cuda);
void blobs_cuda_destroy(struct saliency_cuda **cuda);
