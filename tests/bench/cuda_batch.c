/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Measures what agents see in a step: 1,024 small pictures one behind the other, each with a gaze
 * of its own, read from the device's memory. They are compared with a copy of as many pictures of
 * RGB8, whatever the format. */

#include "cuda_bench.h"

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

static const struct bench_size batch_size = {"128x128", 128, 128};

static void run_case(struct cuda_bench *b, enum fovea_format format, uint32_t images)
{
    const uint32_t count = b->bench->wishes.quick ? IMAGES_QUICK : images;
    const struct fovea_foveation foveation = bench_foveation(&bench_modes[0]);
    struct cuda_prepared batch;
    struct result row = {.kind = RESULT_BATCH,
                         .backend = "cuda",
                         .size = &batch_size,
                         .what = bench_modes[0].name,
                         .format = format,
                         .images = count};
    cuda_need_pictures(b, &batch_size, format, count);
    bench_must(cuda_prepare(b, &foveation, (struct fovea_point_uv){0.5, 0.5}, &batch), "batch");
    row.times = cuda_time(b, cuda_enqueue, &batch, &row.way);
    cuda_unprepare(b, &batch);
    /* RGB8's copy counts, whatever the format. */
    cuda_need_pictures(b, &batch_size, FOVEA_FORMAT_RGB8, count);
    row.reference_us = cuda_copy_us(b, row.way);
    *results_add(&b->bench->results) = row;
}

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
