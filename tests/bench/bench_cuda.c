/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The cuda backend, below its public face: so that its launches can be captured in a graph. */

#include "cuda_bench.h"

#include <stdio.h>

/* ---- The device ------------------------------------------------------------------------------ */

static void note_device(struct cuda_bench *b)
{
    char text[RESULT_TEXT_BYTES];
    results_machine(&b->bench->results, "CUDA device", b->device->name);
    snprintf(text, sizeof text, "%d.%d", b->cu->version / 1000, b->cu->version % 1000 / 10);
    results_machine(&b->bench->results, "CUDA of the driver", text);
}

bool cuda_open(struct cuda_bench *b)
{
    if (b->device) {
        return true;
    }
    if (cuda_device_create(0, bench_log(), &b->device) != FOVEA_OK) {
        return false;
    }
    b->cu = b->device->cu;
    bench_must(cuda_device_push(b->device), "cuda");
    bench_must(operator_cuda_create(&gauss_operator_cuda.kind, b->device, &b->foveate), "cuda");
    bench_must(cuda_device_create_stream(b->device, &b->stream), "cuda");
    cuda_copy_load(b);
    note_device(b);
    return true;
}

static void close_device(struct cuda_bench *b)
{
    if (!b->device) {
        return;
    }
    cuda_free_pictures(b);
    operator_cuda_destroy(&b->foveate);
    CUDA_MUST(b, b->cu->ModuleUnload(b->copy_module));
    CUDA_MUST(b, b->cu->StreamDestroy(b->stream));
    cuda_device_pop(b->device);
    cuda_device_destroy(&b->device);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static struct bench_times time_foveation(struct cuda_bench *b, const struct bench_case *c,
                                         const char **out_way)
{
    struct cuda_prepared p;
    const struct fovea_foveation foveation = bench_foveation(c->mode);
    bench_must(cuda_prepare(b, &foveation, bench_gaze_uv(c->gaze, c->size), &p), c->mode->name);
    const struct bench_times times = cuda_time(b, cuda_enqueue, &p, out_way);
    cuda_unprepare(b, &p);
    return times;
}

static struct bench_times time_case(struct cuda_bench *b, const struct bench_case *c,
                                    const char **out_way)
{
    if (c->mode->row != BENCH_ALONE) {
        return cuda_time_row(b, c, out_way);
    }
    return c->mode->op != FOVEA_OPERATOR_foveate ? cuda_time_operator(b, c->mode, out_way)
                                                 : time_foveation(b, c, out_way);
}

static void run_case(struct cuda_bench *b, const struct bench_case *c)
{
    cuda_need_pictures(b, c->size, c->mode->format, 1);
    struct result row = {.kind = RESULT_PICTURE,
                         .backend = "cuda",
                         .size = c->size,
                         .what = c->mode->name,
                         .gaze = c->gaze->name,
                         .format = c->mode->format,
                         .images = 1};
    row.times = time_case(b, c, &row.way);
    row.reference_us = cuda_copy_us(b, row.way);
    *results_add(&b->bench->results) = row;
}

/* False: there is no device. */
static bool run_size(struct cuda_bench *b, const struct bench_size *size)
{
    for (size_t m = 0; m < bench_mode_count; m++) {
        for (size_t g = 0; g < bench_gaze_count; g++) {
            const struct bench_case c = {size, &bench_modes[m], &bench_gazes[g]};
            char name[RESULT_NAME_BYTES];
            bench_case_name("cuda", &c, name);
            if (!bench_case_exists(&c) || !bench_wants(b->bench, name)) {
                continue;
            }
            if (!cuda_open(b)) {
                return false;
            }
            bench_say("%s", name);
            run_case(b, &c);
        }
    }
    return true;
}

static bool run_all(struct cuda_bench *b)
{
    size_t count = 0;
    const struct bench_size *sizes = bench_sizes(b->bench->wishes.quick, &count);
    bool there = true;
    for (size_t i = 0; there && i < count; i++) {
        there = run_size(b, &sizes[i]);
    }
    return there && cuda_batch(b) && cuda_blobs(b) && cuda_lightfield(b);
}

void bench_cuda(struct bench *bench)
{
    struct cuda_bench b = {.bench = bench};
    const bool there = bench->wishes.lens_paper          ? cuda_lens_paper(&b)
                       : bench->wishes.foveation_paper   ? cuda_foveation_paper(&b)
                       : bench->wishes.blur_thesis       ? cuda_blur_thesis(&b)
                       : bench->wishes.lightfield_paper  ? cuda_lightfield_paper(&b)
                       : bench->wishes.csdd_thesis       ? cuda_csdd_thesis(&b)
                       : bench->wishes.domain_points > 0 ? cuda_domain(&b)
                                                         : run_all(&b);
    close_device(&b);
    if (!there) {
        results_absent(&bench->results, "cuda", "no device, or no driver, on this machine");
    }
}
