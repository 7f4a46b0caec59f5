/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Points of the domain on the cpu backend, through the public functions. */

#include "cpu_copy.h"
#include "domain.h"

#include "core/thread_pool.h"
#include "settings_for.h"

#define REPETITIONS_AT_LEAST 3
#define REPETITIONS_AT_MOST 50
#define ENOUGH_NS 300000000

struct cpu_domain {
    struct bench *bench;
    struct fovea_context *context;
    struct cpu_copy *copy;
    struct fovea_batch batch;
    struct fovea_point_uv gaze;
};

static void run_fovea(struct cpu_domain *d)
{
    if (d->batch.count == 1) {
        bench_must(fovea_context_run(d->context, &d->batch.src, &d->batch.dst, d->gaze, NULL),
                   "cpu");
    } else {
        bench_must(fovea_context_run_batch(d->context, &d->batch, NULL), "cpu");
    }
}

static void run_copy(struct cpu_domain *d)
{
    cpu_copy_run(d->copy, d->batch.src.data, (size_t)d->batch.src_next_bytes * d->batch.count);
}

static struct bench_times time_it(struct cpu_domain *d, void (*run)(struct cpu_domain *))
{
    double us[REPETITIONS_AT_MOST];
    size_t count = 0;
    run(d);
    const int64_t begin_ns = fovea_time_ns();
    const int64_t enough_ns = d->bench->wishes.quick ? 0 : ENOUGH_NS;
    while (count < REPETITIONS_AT_LEAST ||
           (count < REPETITIONS_AT_MOST && fovea_time_ns() - begin_ns < enough_ns)) {
        const int64_t before_ns = fovea_time_ns();
        run(d);
        us[count++] = (double)(fovea_time_ns() - before_ns) * 1e-3;
    }
    return bench_times_of(us, count);
}

static struct fovea_image make_images(const struct domain_point *point)
{
    const size_t bytes = bench_image_bytes(&point->size, point->format) * point->images;
    void *pixels = bench_memory(bytes, 1);
    bench_draw(pixels, bytes, point->format);
    return bench_image(&point->size, point->format, FOVEA_MEMORY_CPU, pixels);
}

static float *make_gazes(uint32_t count)
{
    float *gazes = bench_memory(2 * (size_t)count, sizeof *gazes);
    bench_place_gazes(gazes, count);
    return gazes;
}

static enum fovea_result time_point(void *user, const struct domain_point *point,
                                    struct domain_result *out_result)
{
    struct cpu_domain *d = user;
    const ptrdiff_t next_bytes = (ptrdiff_t)bench_image_bytes(&point->size, point->format);
    OWNED(owned_free) float *gazes = make_gazes(point->images);
    d->batch = (struct fovea_batch){.struct_bytes = sizeof(struct fovea_batch),
                                    .count = point->images,
                                    .src = make_images(point),
                                    .dst = make_images(point),
                                    .src_next_bytes = next_bytes,
                                    .dst_next_bytes = next_bytes,
                                    .gazes_uv = gazes,
                                    .gazes_memory = FOVEA_MEMORY_CPU};
    d->gaze = point->gaze;
    enum fovea_result result =
        fovea_context_set_settings(d->context, settings_for(&point->foveation));
    if (result == FOVEA_OK) { /* a first run says whether there is such a blur */
        result = fovea_context_run(d->context, &d->batch.src, &d->batch.dst, d->gaze, NULL);
    }
    if (result == FOVEA_OK) {
        out_result->copy_us = time_it(d, run_copy).median_us;
        out_result->times = time_it(d, run_fovea);
    }
    free(d->batch.src.data);
    free(d->batch.dst.data);
    return result;
}

static void open_context(struct cpu_domain *d, uint32_t threads)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CPU;
    settings.cpu_threads = threads;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.log = (struct fovea_log){0}; /* refused points are counted */
    bench_must(fovea_context_create(&desc, &d->context), "cpu");
    d->copy = cpu_copy_create(threads);
}

void domain_cpu(struct bench *bench)
{
    const bool quick = bench->wishes.quick;
    struct cpu_domain d = {.bench = bench};
    const struct domain_device device = {
        .backend = "cpu",
        .limits = {.most_pixels = quick ? 320 * 180 : 1920 * 1080,
                   .batch_pixels = quick ? 60000 : 500000},
        .threads = bench->wishes.threads ? bench->wishes.threads : thread_pool_core_count(),
        .time = time_point,
        .user = &d,
    };
    open_context(&d, device.threads);
    domain_run(bench, &device);
    fovea_context_destroy(&d.context);
    cpu_copy_destroy(&d.copy);
}
