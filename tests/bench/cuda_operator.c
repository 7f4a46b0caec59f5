/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The pictures through another operator than foveation: what that is compared with. */

#include "cuda_bench.h"
#include "kernels/operator/operator_cuda.h"
#include "kernels/operators.h"

struct prepared {
    const struct operator_api *api;
    struct operator_plan *plan;
    struct operator_cuda *cuda;
    struct operator_cuda_plan *cuda_plan;
    struct operator_frame frame;
};

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct prepared *p = user;
    const struct fovea_image src = cuda_image(b, b->pictures.src[picture]);
    const struct fovea_image dst = cuda_image(b, b->pictures.dst[picture]);
    const struct operator_images images = {.count = 1, .src = &src, .dst = &dst};
    const struct operator_cuda_run run = {
        .plan = p->plan, .cuda_plan = p->cuda_plan, .frame = &p->frame, .stream = b->stream};
    return p->api->cuda->run_linear(p->cuda, &run, &images);
}

struct bench_times cuda_time_operator(struct cuda_bench *b, const struct bench_mode *mode,
                                      const char **out_way)
{
    const struct bench_size *size = b->pictures.size;
    const struct fovea_settings settings = bench_settings(mode);
    const struct operator_plan_desc desc = {&settings, size->width_px, size->height_px};
    struct prepared p = {.api = operators_at(mode->op),
                         .frame = operator_frame_make(size->width_px, size->height_px,
                                                      (struct fovea_point_uv){0.5, 0.5})};
    bench_must(p.api->plan_create(&desc, &p.plan), mode->name);
    bench_must(p.api->cuda->create(b->device, &p.cuda), mode->name);
    bench_must(p.api->cuda->plan_create(p.cuda, p.plan, mode->format, &p.cuda_plan), mode->name);
    const struct bench_times times = cuda_time(b, enqueue, &p, out_way);
    p.api->cuda->plan_retire(p.cuda, &p.cuda_plan);
    p.api->cuda->destroy(&p.cuda);
    p.api->plan_destroy(&p.plan);
    return times;
}
