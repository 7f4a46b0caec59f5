/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One process with 1, 2, 4 .. GPUs: a thread, a context and pictures for each, through the public
 * functions. All start a round together and none waits for another within it; a round has ended
 * when the last one has. Launches one by one, as a program makes them. */

#include "cuda_bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define GPUS_AT_MOST 16
#define ROUNDS 7
#define ROUNDS_QUICK 2
#define ROUND_US 150000.0
#define WARM_UP_RUNS 64
#define BATCH_IMAGES 1024
#define BATCH_IMAGES_QUICK 16

static const struct bench_size frame_size = {"1080p", 1920, 1080};
static const struct bench_size quick_size = {"180p", 320, 180};
static const struct bench_size batch_size = {"128x128", 128, 128};

struct scale_case {
    const char *name;
    enum fovea_format format;
    bool batch;
};

static const struct scale_case cases[] = {
    {"scale/1080p/smooth", FOVEA_FORMAT_RGBA8, false},
    {"scale/batch/rgb8", FOVEA_FORMAT_RGB8, true},
};
#define CASE_COUNT (sizeof cases / sizeof cases[0])

/* One GPU with what a case needs on it. */
struct gpu {
    struct scale *scale;
    struct cuda_device *device;
    CUstream stream;
    struct fovea_context *context;
    CUdeviceptr src[BENCH_PICTURES];
    CUdeviceptr dst[BENCH_PICTURES];
    CUdeviceptr gazes;
    pthread_t thread;
    double us[ROUNDS]; /* of each round */
};

struct scale {
    struct bench *bench;
    const struct cuda_driver *cu;
    const struct scale_case *c;
    const struct bench_size *size;
    uint32_t images; /* of a run */
    uint32_t runs; /* of a round */
    uint32_t rounds;
    pthread_barrier_t start;
    struct gpu gpus[GPUS_AT_MOST];
    uint32_t gpu_count;
};

#define MUST(s, call) bench_must(CU_CHECK(bench_log(), (s)->cu, call), #call)

/* ---- What runs ------------------------------------------------------------------------------- */

static struct fovea_image image_at(const struct scale *s, CUdeviceptr memory)
{
    return bench_image(s->size, s->c->format, FOVEA_MEMORY_CUDA, (void *)(uintptr_t)memory);
}

static void run_batch(struct gpu *gpu, uint32_t picture)
{
    const struct scale *s = gpu->scale;
    const ptrdiff_t next = (ptrdiff_t)bench_image_bytes(s->size, s->c->format);
    const struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                      .count = s->images,
                                      .src = image_at(s, gpu->src[picture]),
                                      .dst = image_at(s, gpu->dst[picture]),
                                      .src_next_bytes = next,
                                      .dst_next_bytes = next,
                                      .gazes_uv = (const float *)(uintptr_t)gpu->gazes,
                                      .gazes_memory = FOVEA_MEMORY_CUDA};
    bench_must(fovea_context_run_batch(gpu->context, &batch, gpu->stream), "batch");
}

static void run_picture(struct gpu *gpu, uint32_t picture)
{
    const struct fovea_image src = image_at(gpu->scale, gpu->src[picture]);
    const struct fovea_image dst = image_at(gpu->scale, gpu->dst[picture]);
    const struct fovea_point_uv gaze = {0.5, 0.5};
    bench_must(fovea_context_run(gpu->context, &src, &dst, gaze, gpu->stream), "picture");
}

static double run_us(struct gpu *gpu, uint32_t runs)
{
    const int64_t start_ns = fovea_time_ns();
    for (uint32_t i = 0; i < runs; i++) {
        (gpu->scale->c->batch ? run_batch : run_picture)(gpu, i % BENCH_PICTURES);
    }
    MUST(gpu->scale, gpu->scale->cu->StreamSynchronize(gpu->stream));
    return (double)(fovea_time_ns() - start_ns) * 1e-3;
}

/* A GPU's thread. */
static void *work(void *user)
{
    struct gpu *gpu = user;
    struct scale *s = gpu->scale;
    bench_must(cuda_device_push(gpu->device), "cuda");
    run_us(gpu, WARM_UP_RUNS < s->runs ? WARM_UP_RUNS : s->runs);
    for (uint32_t i = 0; i < s->rounds; i++) {
        pthread_barrier_wait(&s->start);
        gpu->us[i] = run_us(gpu, s->runs);
    }
    cuda_device_pop(gpu->device);
    return NULL;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void make_gazes(struct gpu *gpu)
{
    const struct scale *s = gpu->scale;
    const size_t bytes = 2 * (size_t)s->images * sizeof(float);
    float *gazes = bench_memory(1, bytes);
    for (uint32_t i = 0; i < 2 * s->images; i++) {
        gazes[i] = (float)(i * 37 % 101) / 101.0f;
    }
    MUST(s, s->cu->MemAlloc(&gpu->gazes, bytes));
    MUST(s, s->cu->MemcpyHtoD(gpu->gazes, gazes, bytes));
    free(gazes);
}

static void make_pictures(struct gpu *gpu)
{
    const struct scale *s = gpu->scale;
    const size_t bytes = bench_image_bytes(s->size, s->c->format) * s->images;
    void *pixels = bench_memory(1, bytes);
    bench_draw(pixels, bytes, s->c->format);
    for (int i = 0; i < BENCH_PICTURES; i++) {
        MUST(s, s->cu->MemAlloc(&gpu->src[i], bytes));
        MUST(s, s->cu->MemAlloc(&gpu->dst[i], bytes));
        MUST(s, s->cu->MemcpyHtoD(gpu->src[i], pixels, bytes));
    }
    free(pixels);
    make_gazes(gpu);
    MUST(s, s->cu->StreamSynchronize(NULL));
}

static void open_case(struct gpu *gpu)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    settings.foveation = bench_foveation(&bench_modes[0]);
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.cuda_device = gpu->device->ordinal;
    desc.log = bench_log();
    bench_must(fovea_context_create(&desc, &gpu->context), "fovea_context_create");
    bench_must(cuda_device_push(gpu->device), "cuda");
    make_pictures(gpu);
    cuda_device_pop(gpu->device);
}

static void close_case(struct gpu *gpu)
{
    const struct cuda_driver *cu = gpu->scale->cu;
    fovea_context_destroy(&gpu->context);
    bench_must(cuda_device_push(gpu->device), "cuda");
    for (int i = 0; i < BENCH_PICTURES; i++) {
        MUST(gpu->scale, cu->MemFree(gpu->src[i]));
        MUST(gpu->scale, cu->MemFree(gpu->dst[i]));
    }
    MUST(gpu->scale, cu->MemFree(gpu->gazes));
    cuda_device_pop(gpu->device);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static bool open_gpus(struct scale *s)
{
    int count = 0;
    if (s->gpu_count > 0) {
        return true;
    }
    if (cuda_driver_get(bench_log(), &s->cu) != FOVEA_OK || s->cu->DeviceGetCount(&count) != 0 ||
        count < 1) {
        return false;
    }
    s->gpu_count = count < GPUS_AT_MOST ? (uint32_t)count : GPUS_AT_MOST;
    for (uint32_t i = 0; i < s->gpu_count; i++) {
        struct gpu *gpu = &s->gpus[i];
        gpu->scale = s;
        bench_must(cuda_device_create((int)i, bench_log(), &gpu->device), "cuda");
        bench_must(cuda_device_push(gpu->device), "cuda");
        bench_must(cuda_device_create_stream(gpu->device, &gpu->stream), "cuda");
        cuda_device_pop(gpu->device);
    }
    return true;
}

static void close_gpus(struct scale *s)
{
    for (uint32_t i = 0; i < s->gpu_count; i++) {
        struct gpu *gpu = &s->gpus[i];
        bench_must(cuda_device_push(gpu->device), "cuda");
        MUST(s, s->cu->StreamDestroy(gpu->stream));
        cuda_device_pop(gpu->device);
        cuda_device_destroy(&gpu->device);
    }
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* As many runs as take ROUND_US on the first GPU. */
static void find_runs(struct scale *s)
{
    struct gpu *gpu = &s->gpus[0];
    const uint32_t few = 16;
    s->runs = s->bench->wishes.quick ? 2 : few;
    if (s->bench->wishes.quick) {
        return;
    }
    bench_must(cuda_device_push(gpu->device), "cuda");
    run_us(gpu, few);
    const double us = run_us(gpu, few) / few;
    cuda_device_pop(gpu->device);
    s->runs = us * few < ROUND_US ? (uint32_t)(ROUND_US / us) : few;
}

/* Microseconds that the first `count` GPUs took for a round, the last one of them. */
static struct bench_times time_gpus(struct scale *s, uint32_t count)
{
    double us[ROUNDS] = {0};
    pthread_barrier_init(&s->start, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        if (pthread_create(&s->gpus[i].thread, NULL, work, &s->gpus[i]) != 0) {
            bench_fail("no thread");
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(s->gpus[i].thread, NULL);
        for (uint32_t r = 0; r < s->rounds; r++) {
            us[r] = s->gpus[i].us[r] > us[r] ? s->gpus[i].us[r] : us[r];
        }
    }
    pthread_barrier_destroy(&s->start);
    return bench_times_of(us, s->rounds);
}

/* 1, 2, 4 .. and all that there are. */
static uint32_t next_count(const struct scale *s, uint32_t count)
{
    return count < s->gpu_count && 2 * count > s->gpu_count ? s->gpu_count : 2 * count;
}

static void add_result(struct scale *s, uint32_t count, const struct bench_times *times,
                       double one_per_s)
{
    const double pictures = (double)count * s->runs * s->images;
    const double per_s = pictures / times->median_us * 1e6;
    struct scale_result *row = results_add_scale(&s->bench->results);
    *row = (struct scale_result){.gpus = count,
                                 .pictures_per_s = per_s,
                                 .least_per_s = pictures / times->p90_us * 1e6,
                                 .most_per_s = pictures / times->p10_us * 1e6,
                                 .of_linear = one_per_s > 0.0 ? per_s / (one_per_s * count) : 1.0};
    snprintf(row->what, sizeof row->what, "%u x %s smooth %s", s->images, s->size->name,
             bench_format_name(s->c->format));
}

static void run_case(struct scale *s, const struct scale_case *c)
{
    const bool quick = s->bench->wishes.quick;
    double one_per_s = 0.0;
    s->c = c;
    s->size = c->batch ? &batch_size : quick ? &quick_size : &frame_size;
    s->images = !c->batch ? 1 : quick ? BATCH_IMAGES_QUICK : BATCH_IMAGES;
    s->rounds = quick ? ROUNDS_QUICK : ROUNDS;
    for (uint32_t i = 0; i < s->gpu_count; i++) {
        open_case(&s->gpus[i]);
    }
    find_runs(s);
    for (uint32_t count = 1; count <= s->gpu_count; count = next_count(s, count)) {
        const struct bench_times times = time_gpus(s, count);
        add_result(s, count, &times, one_per_s);
        if (count == 1) {
            one_per_s = s->bench->results.scales[s->bench->results.scale_count - 1].pictures_per_s;
        }
    }
    for (uint32_t i = 0; i < s->gpu_count; i++) {
        close_case(&s->gpus[i]);
    }
}

bool cuda_scale(struct bench *bench)
{
    struct scale *s = bench_memory(1, sizeof *s);
    bool there = true;
    s->bench = bench;
    for (size_t i = 0; there && i < CASE_COUNT; i++) {
        if (!bench_wants(bench, cases[i].name)) {
            continue;
        }
        there = open_gpus(s);
        if (there) {
            bench_say("%s", cases[i].name);
            run_case(s, &cases[i]);
        }
    }
    close_gpus(s);
    free(s);
    return there;
}
