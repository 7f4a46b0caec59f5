/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The pictures through foveation and another operator: as a chain, and by each of both. */

#include "cuda_bench.h"
#include "kernels/chain/chain.h"

#define MOST_STEPS 2

/* Rows one after the other, with one image between. */
struct prepared {
    uint32_t count;
    struct operator_cuda *cuda;
    struct operator_plan *plans[MOST_STEPS];
    struct operator_cuda_plan *cuda_plans[MOST_STEPS];
    struct operator_frame frame;
    CUdeviceptr between;
    struct cuda_array between_array; /* where the pictures have some */
    struct cuda_depths depths;
    const struct fovea_depth *depth; /* of the picture; NULL: there are none */
};

static enum fovea_result run_step(struct cuda_bench *b, const struct prepared *p, uint32_t step,
                                  CUdeviceptr from, CUdeviceptr to, bool reserves)
{
    const struct fovea_image src = cuda_image(b, from);
    const struct fovea_image dst = cuda_image(b, to);
    const struct operator_images images = {.count = 1,
                                           .src = &src,
                                           .dst = &dst,
                                           .depth = p->depth,
                                           .focuses = cuda_depths_focuses(&p->depths)};
    const struct operator_cuda_run run = {.plan = p->plans[step],
                                          .cuda_plan = p->cuda_plans[step],
                                          .frame = &p->frame,
                                          .stream = b->stream};
    return reserves ? chain_operator.cuda->reserve(p->cuda, p->cuda_plans[step], &images)
                    : chain_operator.cuda->run_linear(p->cuda, &run, &images);
}

/* A chain has its own image between its operators, of surfaces the caller's; each of both by itself
 * leaves its result in the same. */
static enum fovea_result enqueue_surfaces(struct cuda_bench *b, const struct prepared *p,
                                          uint32_t picture)
{
    const struct cuda_array *between = &p->between_array;
    enum fovea_result result = FOVEA_OK;
    for (uint32_t i = 0; i < p->count && result >= 0; i++) {
        const struct operator_cuda_run run = {.plan = p->plans[i],
                                              .cuda_plan = p->cuda_plans[i],
                                              .frame = &p->frame,
                                              .stream = b->stream,
                                              .depth = p->depth,
                                              .focuses = cuda_depths_focuses(&p->depths),
                                              .between = {between->surface}};
        result = chain_operator.cuda->run_surface(
            p->cuda, &run, b->pictures.format,
            i == 0 ? b->pictures.src_arrays[picture].surface : between->surface,
            i + 1 == p->count ? b->pictures.dst_arrays[picture].surface : between->surface);
    }
    return result;
}

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    struct prepared *p = user;
    p->depth = cuda_depths_of(&p->depths, picture);
    if (b->pictures.surfaces) {
        return enqueue_surfaces(b, p, picture);
    }
    const CUdeviceptr src = b->pictures.src[picture];
    const CUdeviceptr dst = b->pictures.dst[picture];
    enum fovea_result result = FOVEA_OK;
    for (uint32_t i = 0; i < p->count && result >= 0; i++) {
        result = run_step(b, p, i, i == 0 ? src : p->between, i + 1 == p->count ? dst : p->between,
                          false);
    }
    return result;
}

static void prepare_step(struct cuda_bench *b, const struct bench_mode *mode,
                         const struct fovea_operators *operators, struct prepared *p)
{
    const struct bench_size *size = b->pictures.size;
    struct fovea_settings settings = bench_settings(mode);
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = size->width_px, .height_px = size->height_px};
    const uint32_t step = p->count++;
    settings.operators = *operators;
    bench_must(chain_operator.plan_create(&desc, &p->plans[step]), mode->name);
    bench_must(
        operator_cuda_plan_create(p->cuda, p->plans[step], mode->format, &p->cuda_plans[step]),
        mode->name);
    bench_must(run_step(b, p, step, b->pictures.src[0], b->pictures.dst[0], true), mode->name);
}

static void prepare(struct cuda_bench *b, const struct bench_mode *mode, struct prepared *p)
{
    const struct fovea_operators all = bench_settings(mode).operators;
    bench_must(operator_cuda_create(&chain_operator.cuda->kind, b->device, &p->cuda), mode->name);
    p->depths = cuda_depths_make(b, mode);
    p->depth = cuda_depths_of(&p->depths, 0);
    if (b->pictures.surfaces) {
        p->between_array = cuda_array_make(b);
    }
    if (mode->row != BENCH_APART) {
        prepare_step(b, mode, &all, p);
        return;
    }
    for (uint32_t i = 0; i < all.count; i++) {
        prepare_step(b, mode, &(struct fovea_operators){1, {all.order[i]}}, p);
    }
    CUDA_MUST(b, b->cu->MemAlloc(&p->between, bench_image_bytes(b->pictures.size, mode->format)));
}

static void finish(struct cuda_bench *b, struct prepared *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        operator_cuda_plan_retire(p->cuda, &p->cuda_plans[i]);
    }
    operator_cuda_destroy(&p->cuda);
    for (uint32_t i = 0; i < p->count; i++) {
        chain_operator.plan_destroy(&p->plans[i]);
    }
    if (p->between) {
        CUDA_MUST(b, b->cu->MemFree(p->between));
    }
    cuda_array_free(b, &p->between_array);
    cuda_depths_free(b, &p->depths);
}

struct bench_times cuda_time_row(struct cuda_bench *b, const struct bench_case *c,
                                 const char **out_way)
{
    const struct bench_size *size = b->pictures.size;
    struct prepared p = {.frame = operator_frame_make(size->width_px, size->height_px,
                                                      bench_gaze_uv(c->gaze, size))};
    prepare(b, c->mode, &p);
    const struct bench_times times = cuda_time(b, enqueue, &p, out_way);
    finish(b, &p);
    return times;
}
