/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's Figure 3: SSIM of what the ways make beside every pixel's own Gaussian (the kernel
 * that is checked in double precision), in the mean and in the worst region of 32x32 pixels. The
 * paper has 30 pictures; these are drawn: discs upon discs, whose sizes and edges are those of
 * natural pictures, strokes as of text, rings of all frequencies, and noise. */

#include "cuda_foveation.h"
#include "quality/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURES 8
#define PICTURES_QUICK 2
#define DISCS 6000

/* ---- Pictures -------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static double part(uint64_t *state)
{
    return draw(state) * 0x1p-31;
}

static uint32_t opaque(uint32_t rgb)
{
    return rgb | 0xff000000u;
}

static void fill_disc(uint32_t *pixels, const struct bench_size *size, const double at[2],
                      double radius, uint32_t color)
{
    for (int32_t y = (int32_t)(at[1] - radius); y <= at[1] + radius; y++) {
        const double half = sqrt(fmax(radius * radius - (y - at[1]) * (y - at[1]), 0.0));
        for (int32_t x = (int32_t)(at[0] - half); x <= at[0] + half; x++) {
            if (x >= 0 && y >= 0 && x < (int32_t)size->width_px && y < (int32_t)size->height_px) {
                pixels[(size_t)y * size->width_px + (size_t)x] = color;
            }
        }
    }
}

/* Radii fall off with their third power. */
static void draw_discs(uint32_t *pixels, const struct bench_size *size, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < DISCS; i++) {
        const double at[2] = {part(&state) * size->width_px, part(&state) * size->height_px};
        const double radius = fmin(3.0 / sqrt(1.0 - part(&state)), size->height_px / 4.0);
        fill_disc(pixels, size, at, 2.0 * radius, opaque(draw(&state) & 0xffffff));
    }
}

static void draw_strokes(uint32_t *pixels, const struct bench_size *size, uint64_t seed)
{
    uint64_t state = seed;
    memset(pixels, 0xff, (size_t)size->width_px * size->height_px * 4);
    for (uint32_t y = 4; y + 16 < size->height_px; y += 18) {
        for (uint32_t x = 4; x + 12 < size->width_px; x += 3 + draw(&state) % 7) {
            const bool upright = part(&state) < 0.6;
            for (uint32_t i = 0; i < (upright ? 12u : 7u); i++) {
                const uint32_t px = upright ? x : x + i;
                const uint32_t py = upright ? y + i : y + 6 * (draw(&state) % 2);
                pixels[py * size->width_px + px] = opaque(0x101010);
            }
        }
    }
}

static void draw_rings(uint32_t *pixels, const struct bench_size *size)
{
    for (uint32_t y = 0; y < size->height_px; y++) {
        for (uint32_t x = 0; x < size->width_px; x++) {
            const double from_x = x - size->width_px / 2.0;
            const double from_y = y - size->height_px / 2.0;
            const double phase = (from_x * from_x + from_y * from_y) * 3.14159265 / size->width_px;
            const uint32_t grey = (uint32_t)(127.5 + 127.0 * cos(phase));
            pixels[y * size->width_px + x] = opaque(grey * 0x10101u);
        }
    }
}

static void draw_picture(void *pixels, const struct bench_size *size, int number)
{
    if (number == 5) {
        bench_draw(pixels, bench_image_bytes(size, FOVEA_FORMAT_RGBA8), FOVEA_FORMAT_RGBA8);
    } else if (number == 1 || number == 6) {
        draw_strokes(pixels, size, (uint64_t)number);
    } else if (number == 7) {
        draw_rings(pixels, size);
    } else {
        memset(pixels, 0x80, bench_image_bytes(size, FOVEA_FORMAT_RGBA8));
        draw_discs(pixels, size, (uint64_t)number + 1);
    }
}

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
    void *pixels = bench_memory(3, bytes);
    void *exact = (char *)pixels + bytes;
    void *made = (char *)pixels + 2 * bytes;
    draw_picture(pixels, size, number);
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
    free(pixels);
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
    /* What is measured next reads the picture that was written over. */
    CUDA_MUST(b, b->cu->MemcpyHtoD(b->pictures.src[0], own->src,
                                   bench_image_bytes(b->pictures.size, FOVEA_FORMAT_RGBA8)));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

/* A kernel's weights are in constant memory, of which there is one: those of one plan at a time. */
static void run_kernel(struct cuda_foveation *own, const char *what, const struct foveation_case *c)
{
    struct foveation_kernel *kernel = bench_memory(1, sizeof *kernel);
    foveation_kernel_make(own, "foveation_paper_all", FOVEATION_PAPER_THREADS, 1, c, kernel);
    struct ssim_way way = {.what = what, .enqueue = foveation_kernel_enqueue, .user = kernel};
    if (kernel->ready) {
        run(own, &way, 1);
    }
    foveation_kernel_free(kernel);
    free(kernel);
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
