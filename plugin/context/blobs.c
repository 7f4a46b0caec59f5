/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fovea_blobs.h"

#include "blobs_check.h"
#include "blobs_cuda.h"
#include "context_image.h"

#include "core/log.h"
#include "core/thread_pool.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/pixel.h"
#include "kernels/saliency/cpu/saliency_cpu.h"

#include <stdlib.h>

struct fovea_blobs {
    struct saliency_numbers numbers;
    struct thread_pool *pool;
    uint32_t channels;
    struct saliency_plan *plan; /* of the last size */
    struct saliency_cpu *cpu; /* NULL: nothing needed it yet */
    struct saliency_cuda *cuda; /* the same */
    bool ran; /* there are responses */
    bool on_device; /* which the processor does not have */
    struct fovea_log log;
};

/* ---- Create and destroy */

enum fovea_result fovea_blobs_create(const struct fovea_blobs_desc *desc,
                                     struct fovea_blobs **out_blobs)
{
    struct fovea_blobs_desc own;
    struct saliency_numbers numbers;
    if (!out_blobs) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_blobs = NULL;
    FOVEA_TRY(blobs_take_desc(desc, NULL, &own, &numbers));
    struct fovea_blobs *blobs = calloc(1, sizeof *blobs);
    FOVEA_TRY_MEMORY(blobs);
    blobs->numbers = numbers;
    blobs->log = own.log;
    const enum fovea_result result = thread_pool_create(own.cpu_threads, &blobs->pool);
    if (result < 0) {
        fovea_blobs_destroy(&blobs);
        return result;
    }
    *out_blobs = blobs;
    return FOVEA_OK;
}

static void forget_size(struct fovea_blobs *blobs)
{
    saliency_cpu_destroy(&blobs->cpu);
    blobs_cuda_forget(blobs->cuda);
    saliency_plan_destroy(&blobs->plan);
    blobs->ran = false;
}

void fovea_blobs_destroy(struct fovea_blobs **blobs)
{
    if (!blobs || !*blobs) {
        return;
    }
    forget_size(*blobs);
    blobs_cuda_destroy(&(*blobs)->cuda);
    thread_pool_destroy(&(*blobs)->pool);
    free(*blobs);
    *blobs = NULL;
}

/* ---- Run */

static enum fovea_result make_size(struct fovea_blobs *blobs, const struct fovea_image *src)
{
    const uint32_t channels =
        pixel_codec_of(src->format)->color_channels == 1 ? 1 : SALIENCY_CHANNELS;
    const struct saliency_plan *plan = blobs->plan;
    if (plan && plan->width_px == (int32_t)src->width_px &&
        plan->height_px == (int32_t)src->height_px && blobs->channels == channels) {
        return FOVEA_OK;
    }
    forget_size(blobs);
    blobs->channels = channels;
    return saliency_plan_create(&blobs->numbers, src->width_px, src->height_px, &blobs->plan);
}

static enum fovea_result make_cpu(struct fovea_blobs *blobs)
{
    return blobs->cpu ? FOVEA_OK
                      : saliency_cpu_create(blobs->plan, blobs->pool, blobs->channels, &blobs->cpu);
}

static enum fovea_result check_images(const struct fovea_blobs *blobs, struct fovea_image *src,
                                      uint32_t image_count, ptrdiff_t src_next_bytes)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    if (!context_image_check(src, "src", problem)) {
        log_error(blobs->log, "blobs: %s", problem);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (context_image_lacks_kernels(src, "src", problem)) {
        log_error(blobs->log, "blobs: %s", problem);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (image_count == 0 || image_count > UINT16_MAX ||
        src_next_bytes % pixel_codec_of(src->format)->align_bytes != 0) {
        log_error(blobs->log, "blobs: image_count is not 1 .. 65535, or src_next_bytes no whole "
                              "number of channels");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

static enum fovea_result run_cpu(struct fovea_blobs *blobs, const struct blobs_run *run)
{
    FOVEA_TRY(make_cpu(blobs));
    for (uint32_t i = 0; i < run->image_count; i++) {
        const struct fovea_image image = image_of_batch(run->src, run->src_next_bytes, i);
        run->out_counts[i] = saliency_cpu_run(blobs->cpu, &image,
                                              run->out_blobs + (size_t)i * blobs->numbers.blob_max);
    }
    return FOVEA_OK;
}

static enum fovea_result run(struct fovea_blobs *blobs, const struct blobs_run *run)
{
    const bool on_device = run->src->memory == FOVEA_MEMORY_CUDA;
    if (on_device) {
        FOVEA_TRY(blobs_cuda_open(&blobs->cuda, run));
    }
    enum fovea_result result = make_size(blobs, run->src);
    if (result >= 0 && on_device) {
        result = blobs_cuda_run(blobs->cuda, blobs->plan, blobs->channels, run);
    } else if (result >= 0) {
        result = run_cpu(blobs, run);
    }
    if (result == FOVEA_ERROR_OUT_OF_MEMORY) {
        log_error(blobs->log, "blobs: no memory for a picture of %ux%u pixels", run->src->width_px,
                  run->src->height_px);
        forget_size(blobs);
    }
    return result;
}

enum fovea_result fovea_blobs_run(struct fovea_blobs *blobs, const struct fovea_image *src,
                                  uint32_t image_count, ptrdiff_t src_next_bytes,
                                  struct fovea_blob *out_blobs, uint32_t *out_counts,
                                  void *cuda_stream)
{
    if (!blobs || !src || !out_blobs || !out_counts) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_image first = *src;
    FOVEA_TRY(check_images(blobs, &first, image_count, src_next_bytes));
    const struct blobs_run of = {
        .src = &first,
        .image_count = image_count,
        .src_next_bytes = src_next_bytes,
        .out_blobs = out_blobs,
        .out_counts = out_counts,
        .cuda_stream = cuda_stream,
        .pool = blobs->pool,
        .log = blobs->log,
    };
    blobs->ran = false;
    FOVEA_TRY(run(blobs, &of));
    blobs->ran = true;
    blobs->on_device = first.memory == FOVEA_MEMORY_CUDA;
    return FOVEA_OK;
}

/* Copies the responses of the device once. */
static enum fovea_result get_responses(struct fovea_blobs *blobs)
{
    if (blobs->on_device) {
        FOVEA_TRY(make_cpu(blobs));
        FOVEA_TRY(blobs_cuda_read(blobs->cuda, blobs->cpu->response));
        blobs->on_device = false;
    }
    return FOVEA_OK;
}

enum fovea_result fovea_blobs_response(struct fovea_blobs *blobs, uint32_t scale, float *out,
                                       ptrdiff_t row_stride_bytes)
{
    if (!blobs || !out || scale >= blobs->numbers.scale_count ||
        row_stride_bytes % (ptrdiff_t)sizeof *out != 0) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!blobs->ran) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    const ptrdiff_t row_bytes = (ptrdiff_t)sizeof *out * blobs->plan->width_px;
    if (blobs->plan->height_px > 1 && row_stride_bytes < row_bytes &&
        row_stride_bytes > -row_bytes) {
        log_error(blobs->log, "blobs: row_stride_bytes is %td: rows of %td bytes would overlap",
                  row_stride_bytes, row_bytes);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(get_responses(blobs));
    for (int32_t y = 0; y < blobs->plan->height_px; y++) {
        saliency_cpu_response_row(blobs->cpu, scale, y,
                                  out + y * (row_stride_bytes / (ptrdiff_t)sizeof *out));
    }
    return FOVEA_OK;
}

size_t fovea_blobs_bytes(const struct fovea_blobs *blobs)
{
    if (!blobs) {
        return 0;
    }
    return sizeof *blobs + (blobs->plan ? blobs->plan->bytes : 0) +
           (blobs->cpu ? blobs->cpu->bytes : 0) + blobs_cuda_bytes(blobs->cuda);
}
