/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's Figure 3: SSIM of what the ways make beside every pixel's own Gaussian (the kernel
 * that is checked in double precision), in the mean and in the worst region of 32x32 pixels. The
 * paper has 30 pictures; these are drawn. */

#include "cuda_foveation.h"
#include "papers/draw.h"
#include "quality/metrics.h"

#include <stdio.h>

#define PICTURES 8
#define PICTURES_QUICK 2

/* ---- Maps ------------------------------------------------------------------------------------ */

struct ssim_way {
    const char *what;
    cuda_enqueue_fn enqueue;
    void *user;
    struct ssim_map sum;
};

static void make(struct cuda_foveation *own, cuda_enqueue_fn enqueue, void *user, void *out)
{
    struct cuda_bench *b = own->ways.b;
    bench_must(enqueue(b, user, 0), "foveation");
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    CUDA_MUST(b, b->cu->MemcpyDtoH(out, b->pictures.dst[0],
                                   bench_image_bytes(b->pictures.size, FOVEA_FORMAT_RGBA8)));
}

static void add_map(struct ssim_way *way, const struct ssim_map *map)
{
    const size_t count = (size_t)map->width * map->height;
    if (!way->sum.values) {
        way->sum = *map;
        way->sum.values = bench_memory(count, sizeof *map->values);
    }
    for (size_t i = 0; i < count; i++) {
        way->sum.values[i] += map->values[i];
    }
}

static void add_picture(struct cuda_foveation *own, struct foveation_pixelwise *perfect,
                        struct ssim_way *ways, size_t count, int number)
{
    struct cuda_bench *b = own->ways.b;
    const struct bench_size *size = b->pictures.size;
    const size_t bytes = bench_image_bytes(size, FOVEA_FORMAT_RGBA8);
    OWNED(owned_free) void *pixels = bench_memory(3, bytes);
    void *exact = (char *)pixels + bytes;
    void *made = (char *)pixels + 2 * bytes;
    papers_draw(pixels, size, number);
    CUDA_MUST(b, b->cu->MemcpyHtoD(b->pictures.src[0], pixels, bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
    make(own, foveation_pixelwise_enqueue, perfect, exact);
    const struct fovea_image a = bench_image(size, FOVEA_FORMAT_RGBA8, FOVEA_MEMORY_CPU, exact);
    for (size_t i = 0; i < count; i++) {
        make(own, ways[i].enqueue, ways[i].user, made);
        const struct fovea_image other =
            bench_image(size, FOVEA_FORMAT_RGBA8, FOVEA_MEMORY_CPU, made);
        struct ssim_map map = metrics_ssim_map(&a, &other);
        add_map(&ways[i], &map);
        free(map.values);
    }
}

static void note(struct cuda_foveation *own, struct ssim_way *way, int pictures)
{
    char words[RESULT_TEXT_BYTES];
    for (size_t i = 0; i < (size_t)way->sum.width * way->sum.height; i++) {
        way->sum.values[i] /= pictures;
    }
    snprintf(words, sizeof words, "SSIM %.4f in the mean, %.4f in the worst region, %d pictures",
             metrics_mean(&way->sum), metrics_worst(&way->sum), pictures);
    cuda_ways_note(&own->ways, results_words(&own->ways.b->bench->results, "SSIM, %s", way->what),
                   words);
    free(way->sum.values);
}

static void run(struct cuda_foveation *own, struct ssim_way *ways, size_t count)
{
    struct cuda_bench *b = own->ways.b;
    const struct foveation_case c = {.fragment_px = 32, .strength = 1.0};
    const struct wishes *wishes = &b->bench->wishes;
    const int pictures = wishes->quick || wishes->check ? PICTURES_QUICK : PICTURES;
    struct foveation_pixelwise perfect = foveation_pixelwise_make(own, &c);
    for (int i = 0; i < pictures; i++) {
        add_picture(own, &perfect, ways, count, i);
    }
    for (size_t i = 0; i < count; i++) {
        note(own, &ways[i], pictures);
    }
    /* The next measurement reads the picture that was written over. */
    CUDA_MUST(b, b->cu->MemcpyHtoD(b->pictures.src[0], own->src,
                                   bench_image_bytes(b->pictures.size, FOVEA_FORMAT_RGBA8)));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

/* A kernel's weights are in constant memory, of which there is one: those of one plan at a time. */
static void run_kernel(struct cuda_foveation *own, const char *what, const struct foveation_case *c)
{
    OWNED(owned_free) struct foveation_kernel *kernel = bench_memory(1, sizeof *kernel);
    foveation_kernel_make(own, "foveation_paper_all", FOVEATION_PAPER_THREADS, 1, c, kernel);
    struct ssim_way way = {.what = what, .enqueue = foveation_kernel_enqueue, .user = kernel};
    if (kernel->ready) {
        run(own, &way, 1);
    }
    foveation_kernel_free(kernel);
}

static void run_ours(struct cuda_foveation *own, const char *what, int32_t fragment_px)
{
    const struct foveation_case c = {.fragment_px = fragment_px, .strength = 1.0};
    struct foveation_ours ours;
    foveation_ours_make(own, &c, &ours);
    struct ssim_way way = {.what = what, .enqueue = cuda_enqueue, .user = &ours.prepared};
    run(own, &way, 1);
    foveation_ours_free(own->ways.b, &ours);
}

void cuda_foveation_ssim(struct cuda_foveation *own)
{
    const struct foveation_case centred = {.fragment_px = 32, .strength = 1.0};
    const struct foveation_case fixed = {.fragment_px = 32, .strength = 1.0, .fixed = true};
    const struct foveation_case small = {.fragment_px = 8, .strength = 1.0};
    if (!cuda_ways_want(&own->ways, "SSIM")) {
        return;
    }
    run_kernel(own, "the paper's kernel, F 32", &centred);
    run_kernel(own, "the paper's kernel, F 32, fragments not shifted", &fixed);
    run_kernel(own, "the paper's kernel, F 8", &small);
    run_ours(own, "Fovea, blockwise, F 32", 32);
    run_ours(own, "Fovea, smooth", 0);
}
