/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What agents see in a step: 1,024 small pictures one behind the other, each with a gaze of its own, read
 * from the device's memory. Against a copy of as many pictures of RGB8, whatever the format. */

#include "cuda_bench.h"

#include <stdio.h>
#include <stdlib.h>

#define IMAGES 1024
#define IMAGES_QUICK 16

/* The other counts show how time goes with it. */
static const struct {
    const char *name;
    enum fovea_format format;
    uint32_t images;
} kinds[] = {{"cuda/batch/rgb8", FOVEA_FORMAT_RGB8, IMAGES},
             {"cuda/batch/rgba8", FOVEA_FORMAT_RGBA8, IMAGES},
             {"cuda/batch/rgb8/64", FOVEA_FORMAT_RGB8, 64},
             {"cuda/batch/rgb8/256", FOVEA_FORMAT_RGB8, 256},
             {"cuda/batch/rgb8/4096", FOVEA_FORMAT_RGB8, 4096}};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

#ifdef FOVEATE_CUDA_LEVEL_BYTES /* the cuda backend has batches */

static const struct bench_size batch_size = {"128x128", 128, 128};

struct batch {
    struct foveate_plan *plan;
    struct foveate_cuda_plan *tables;
    struct foveate_frame frame;
    uint32_t count;
    CUdeviceptr gazes;
};

static struct foveate_cuda_images images_of(const struct cuda_bench *b, const struct batch *batch,
                                            const struct fovea_image *src,
                                            const struct fovea_image *dst)
{
    const ptrdiff_t next_bytes = (ptrdiff_t)bench_image_bytes(b->pictures.size, b->pictures.format);
    return (struct foveate_cuda_images){.count = batch->count,
                                        .src = src,
                                        .dst = dst,
                                        .src_next_bytes = next_bytes,
                                        .dst_next_bytes = next_bytes,
                                        .gazes_uv = (const float *)(uintptr_t)batch->gazes,
                                        .gazes_on_device = true};
}

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct batch *batch = user;
    const struct foveate_cuda_run run = {
        .plan = batch->tables, .frame = &batch->frame, .stream = b->stream};
    const struct fovea_image src = cuda_image(b, b->pictures.src[picture]);
    const struct fovea_image dst = cuda_image(b, b->pictures.dst[picture]);
    const struct foveate_cuda_images images = images_of(b, batch, &src, &dst);
    return foveate_cuda_run_batch(b->foveate, &run, &images);
}

/* All over the picture, by an additive recurrence of two irrational steps. */
static void upload_gazes(struct cuda_bench *b, struct batch *batch)
{
    const size_t bytes = 2 * (size_t)batch->count * sizeof(float);
    float *gazes = bench_memory(1, bytes);
    for (uint32_t i = 0; i < batch->count; i++) {
        const double x = 0.7548776662 * i;
        const double y = 0.5698402910 * i;
        gazes[2 * i] = (float)(x - (double)(uint32_t)x);
        gazes[2 * i + 1] = (float)(y - (double)(uint32_t)y);
    }
    CUDA_MUST(b, b->cu->MemAlloc(&batch->gazes, bytes));
    CUDA_MUST(b, b->cu->MemcpyHtoD(batch->gazes, gazes, bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
    free(gazes);
}

static void prepare(struct cuda_bench *b, struct batch *batch)
{
    const struct fovea_foveation foveation = bench_foveation(&bench_modes[0]);
    bench_must(
        foveate_plan_create(&foveation, batch_size.width_px, batch_size.height_px, &batch->plan),
        "plan");
    bench_must(foveate_cuda_plan_create(b->foveate, batch->plan, FOVEATE_CUDA_FORMATS_SURFACE,
                                        &batch->tables),
               "plan");
    batch->frame = foveate_frame_make(batch->plan, (struct fovea_point_uv){0.5, 0.5});
    upload_gazes(b, batch);
    const struct fovea_image src = cuda_image(b, b->pictures.src[0]);
    const struct fovea_image dst = cuda_image(b, b->pictures.dst[0]);
    const struct foveate_cuda_images images = images_of(b, batch, &src, &dst);
    bench_must(foveate_cuda_reserve(b->foveate, batch->tables, &images), "batch");
}

static void finish(struct cuda_bench *b, struct batch *batch)
{
    foveate_cuda_plan_retire(b->foveate, &batch->tables);
    foveate_plan_destroy(&batch->plan);
    CUDA_MUST(b, b->cu->MemFree(batch->gazes));
}

static void run_case(struct cuda_bench *b, enum fovea_format format, uint32_t images)
{
    struct batch batch = {.count = b->bench->wishes.quick ? IMAGES_QUICK : images};
    struct result row = {.kind = RESULT_BATCH,
                         .backend = "cuda",
                         .size = &batch_size,
                         .what = bench_modes[0].name,
                         .format = format,
                         .images = batch.count};
    cuda_need_pictures(b, &batch_size, format, batch.count);
    prepare(b, &batch);
    row.times = cuda_time(b, enqueue, &batch, &row.way);
    finish(b, &batch);
    /* RGB8's copy counts, whatever the format. */
    cuda_need_pictures(b, &batch_size, FOVEA_FORMAT_RGB8, batch.count);
    row.reference_us = cuda_copy_us(b, row.way);
    *results_add(&b->bench->results) = row;
}

#else

static void run_case(struct cuda_bench *b, enum fovea_format format, uint32_t images)
{
    (void)format;
    (void)images;
    results_absent(&b->bench->results, "batches", "not in this version of the cuda backend");
}

#endif

bool cuda_batch(struct cuda_bench *b)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const bool other = kinds[i].images != IMAGES;
        if ((other && b->bench->wishes.quick) || !bench_wants(b->bench, kinds[i].name)) {
            continue;
        }
        if (!cuda_open(b)) {
            return false;
        }
        bench_say("%s", kinds[i].name);
        run_case(b, kinds[i].format, kinds[i].images);
    }
    return true;
}
