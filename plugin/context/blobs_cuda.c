/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blobs_cuda.h"

#include "core/log.h"

#if FOVEA_HAVE_CUDA
#include "context_place.h"
#include "kernels/saliency/cuda/saliency_cuda.h"

static enum fovea_result open_device(struct saliency_cuda **cuda, const struct blobs_run *run)
{
    struct context_place place;
    enum fovea_result result = FOVEA_OK;
    FOVEA_TRY(context_place_find(run->log, "blobs: src.data", run->src->data, &place));
    if (!*cuda || (*cuda)->device->ordinal != place.ordinal) {
        saliency_cuda_destroy(cuda);
        result = saliency_cuda_create(place.ordinal, run->log, cuda);
    }
    if (result < 0) {
        log_error(run->log, "blobs: CUDA device %d cannot be used: %s", place.ordinal,
                  fovea_result_name(result));
    } else if (place.context && place.context != (*cuda)->device->context) {
        log_error(run->log, "blobs: src.data is of another CUDA context than the primary one");
        result = FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return result;
}

enum fovea_result blobs_cuda_open(struct saliency_cuda **cuda, const struct blobs_run *run)
{
    FOVEA_TRY(open_device(cuda, run));
    return saliency_cuda_refuse_capture(*cuda, run->cuda_stream);
}

enum fovea_result blobs_cuda_run(struct saliency_cuda *cuda, const struct saliency_plan *plan,
                                 uint32_t channels, const struct blobs_run *run)
{
    const struct saliency_cuda_run of = {
        .src = run->src,
        .image_count = run->image_count,
        .src_next_bytes = run->src_next_bytes,
        .stream = run->cuda_stream,
        .pool = run->pool,
        .out_blobs = run->out_blobs,
        .out_counts = run->out_counts,
    };
    FOVEA_TRY(saliency_cuda_reserve(cuda, plan, channels, run->image_count));
    return saliency_cuda_find(cuda, &of);
}

enum fovea_result blobs_cuda_read(const struct saliency_cuda *cuda, int32_t *out)
{
    return saliency_cuda_read(cuda, out);
}

size_t blobs_cuda_bytes(const struct saliency_cuda *cuda)
{
    return cuda ? sizeof *cuda + (size_t)cuda->pinned_bytes : 0;
}

void blobs_cuda_forget(struct saliency_cuda *cuda)
{
    if (cuda) {
        saliency_cuda_forget(cuda);
    }
}

void blobs_cuda_destroy(struct saliency_cuda **cuda)
{
    saliency_cuda_destroy(cuda);
}

#else

enum fovea_result blobs_cuda_open(struct saliency_cuda **cuda, const struct blobs_run *run)
{
    (void)cuda;
    log_error(run->log, "blobs: this build reads images in CPU memory alone: it has no CUDA");
    return FOVEA_ERROR_UNSUPPORTED;
}

enum fovea_result blobs_cuda_run(struct saliency_cuda *cuda, const struct saliency_plan *plan,
                                 uint32_t channels, const struct blobs_run *run)
{
    (void)cuda;
    (void)plan;
    (void)channels;
    (void)run;
    return FOVEA_ERROR_UNSUPPORTED;
}

size_t blobs_cuda_bytes(const struct saliency_cuda *cuda)
{
    (void)cuda;
    return 0;
}

enum fovea_result blobs_cuda_read(const struct saliency_cuda *cuda, int32_t *out)
{
    (void)cuda;
    (void)out;
    return FOVEA_ERROR_UNSUPPORTED;
}

void blobs_cuda_forget(struct saliency_cuda *cuda)
{
    (void)cuda;
}

void blobs_cuda_destroy(struct saliency_cuda **cuda)
{
    (void)cuda;
}
#endif
