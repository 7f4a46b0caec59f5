/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs of pictures in the device's memory: a whole call by the clock, from the pictures to the
 * lists, and its steps by themselves. Pictures are drawn as photographs are, or noise, which has
 * all bins everywhere. */

#include "cuda_bench.h"
#include "discs.h"

#include "core/thread_pool.h"
#include "kernels/saliency/cuda/saliency_cuda.h"

#define CALLS_MOST 200
#define CALLS_QUICK 3
#define CALLS_NS 1500000000

static const struct blobs_case {
    const char *name;
    struct bench_size size;
    uint32_t images;
    bool noise;
} cases[] = {
    {"cuda/blobs/640x480", {"640x480", 640, 480}, 1, false},
    {"cuda/blobs/640x480/noise", {"640x480", 640, 480}, 1, true},
    {"cuda/blobs/1080p", {"1080p", 1920, 1080}, 1, false},
    {"cuda/blobs/64", {"224x224", 224, 224}, 64, false},
};
static const struct bench_size quick_size = {"96x64", 96, 64};

struct blobs_bench {
    const struct blobs_case *of;
    const struct bench_size *size;
    uint32_t images;
    size_t bytes; /* of an image */
    CUdeviceptr memory;
    struct fovea_image image;
    struct thread_pool *pool;
    struct saliency_plan *plan;
    struct saliency_cuda *cuda;
    struct saliency_cuda_run run;
    enum saliency_cuda_step step; /* that is timed */
};

/* ---- A case */

static void open_case(struct cuda_bench *own, struct blobs_bench *b)
{
    const struct saliency_numbers numbers = {19, FOVEA_BLOBS_DEFAULT, 2.0, 0.15, 0.5};
    unsigned char *pixels = bench_memory(b->bytes, b->images);
    for (uint32_t i = 0; i < b->images; i++) {
        discs_draw(b->size, i, b->of->noise, pixels + i * b->bytes);
    }
    CUDA_MUST(own, own->cu->MemAlloc(&b->memory, b->bytes * b->images));
    CUDA_MUST(own, own->cu->MemcpyHtoD(b->memory, pixels, b->bytes * b->images));
    free(pixels);
    b->image =
        bench_image(b->size, FOVEA_FORMAT_RGB8, FOVEA_MEMORY_CUDA, (void *)(uintptr_t)b->memory);
    bench_must(thread_pool_create(0, &b->pool), "blobs");
    bench_must(saliency_plan_create(&numbers, b->size->width_px, b->size->height_px, &b->plan),
               "blobs");
    bench_must(saliency_cuda_create(own->device->ordinal, bench_log(), &b->cuda), "blobs");
    bench_must(saliency_cuda_reserve(b->cuda, b->plan, SALIENCY_CHANNELS, b->images), "blobs");
    b->run = (struct saliency_cuda_run){
        .src = &b->image,
        .image_count = b->images,
        .src_next_bytes = (ptrdiff_t)b->bytes,
        .stream = own->stream,
        .pool = b->pool,
        .out_blobs =
            bench_memory((size_t)b->images * FOVEA_BLOBS_DEFAULT, sizeof *b->run.out_blobs),
        .out_counts = bench_memory(b->images, sizeof *b->run.out_counts),
    };
}

static void close_case(struct cuda_bench *own, struct blobs_bench *b)
{
    free(b->run.out_blobs);
    free(b->run.out_counts);
    saliency_cuda_destroy(&b->cuda);
    saliency_plan_destroy(&b->plan);
    thread_pool_destroy(&b->pool);
    CUDA_MUST(own, own->cu->MemFree(b->memory));
}

static void add_row(struct cuda_bench *own, const struct blobs_bench *b, const char *what,
                    const char *way, const struct bench_times *times)
{
    results_add_batch(&own->bench->results, "cuda", b->size, what, FOVEA_FORMAT_RGB8, b->images,
                      way, times);
}

static void time_calls(struct cuda_bench *own, struct blobs_bench *b)
{
    double us[CALLS_MOST];
    const bool quick = own->bench->wishes.quick;
    size_t count = 0;
    bench_must(saliency_cuda_find(b->cuda, &b->run), "blobs");
    const int64_t begin_ns = fovea_time_ns();
    while (count < CALLS_QUICK ||
           (!quick && count < CALLS_MOST && fovea_time_ns() - begin_ns < CALLS_NS)) {
        const int64_t before_ns = fovea_time_ns();
        bench_must(saliency_cuda_find(b->cuda, &b->run), "blobs");
        us[count++] = (double)(fovea_time_ns() - before_ns) * 1e-3;
    }
    const struct bench_times times = bench_times_of(us, count);
    add_row(own, b, b->of->noise ? "blobs, noise" : "blobs", "clock", &times);
    bench_say("%u blobs of the first picture", b->run.out_counts[0]);
}

static enum fovea_result enqueue(struct cuda_bench *own, void *user, uint32_t picture)
{
    struct blobs_bench *b = user;
    return saliency_cuda_enqueue(b->cuda, &b->run, b->step);
}

static struct bench_times time_step(struct cuda_bench *own, struct blobs_bench *b,
                                    enum saliency_cuda_step step, const char *what)
{
    const char *way = NULL;
    b->step = step;
    const struct bench_times times = cuda_time(own, enqueue, b, &way);
    add_row(own, b, what, way, &times);
    return times;
}

/* Filters by themselves find the planes that are in memory. Where not all of a call's are there at
 * once, those would be the last ones again and again: then coarser levels less their planes. */
static void time_filters(struct cuda_bench *own, struct blobs_bench *b, double rest_us)
{
    const struct bench_times times = {rest_us, rest_us, rest_us, 1};
    if (b->cuda->layers >= b->images * SALIENCY_CHANNELS) {
        time_step(own, b, SALIENCY_CUDA_FILTER, "blobs: filters");
    } else {
        add_row(own, b, "blobs: filters", "coarse levels less planes", &times);
    }
}

/* Steps that are timed add to the responses each time: maxima are those of one picture's. */
static void make_responses(struct cuda_bench *own, struct blobs_bench *b)
{
    static const enum saliency_cuda_step steps[] = {SALIENCY_CUDA_BINS, SALIENCY_CUDA_FINE,
                                                    SALIENCY_CUDA_COARSE};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        b->step = steps[i];
        bench_must(enqueue(own, b, 0), "blobs");
    }
}

static void time_steps(struct cuda_bench *own, struct blobs_bench *b)
{
    time_step(own, b, SALIENCY_CUDA_BINS, "blobs: bins");
    time_step(own, b, SALIENCY_CUDA_FINE, "blobs: level 0");
    const double planes_us = time_step(own, b, SALIENCY_CUDA_PLANES, "blobs: planes").median_us;
    const double all_us = time_step(own, b, SALIENCY_CUDA_COARSE, "blobs: coarse levels").median_us;
    time_filters(own, b, all_us - planes_us);
    make_responses(own, b);
    time_step(own, b, SALIENCY_CUDA_MAXIMA, "blobs: maxima");
    time_step(own, b, SALIENCY_CUDA_REPORT, "blobs: report");
}

bool cuda_blobs(struct cuda_bench *own)
{
    const bool quick = own->bench->wishes.quick;
    for (size_t i = 0; i < (quick ? 1 : sizeof cases / sizeof cases[0]); i++) {
        struct blobs_bench b = {.of = &cases[i],
                                .size = quick ? &quick_size : &cases[i].size,
                                .images = cases[i].images};
        b.bytes = bench_image_bytes(b.size, FOVEA_FORMAT_RGB8);
        if (!bench_wants(own->bench, cases[i].name)) {
            continue;
        }
        if (!cuda_open(own)) {
            return false;
        }
        bench_say("%s", cases[i].name);
        open_case(own, &b);
        time_calls(own, &b);
        time_steps(own, &b);
        close_case(own, &b);
    }
    return true;
}
