/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The pictures through another operator than foveation: what that is compared with. */

#include "cuda_bench.h"
#include "kernels/operators.h"

struct cuda_operator cuda_operator_make(struct cuda_bench *b, enum fovea_operator op,
                                        const struct fovea_settings *settings)
{
    const struct cuda_pictures *pictures = &b->pictures;
    const struct bench_size *size = pictures->size;
    const struct operator_plan_desc desc = {
        .settings = settings, .width_px = size->width_px, .height_px = size->height_px};
    struct cuda_operator own = {.api = operators_at(op),
                                .frame = operator_frame_make(size->width_px, size->height_px,
                                                             (struct fovea_point_uv){0.5, 0.5})};
    bench_must(own.api->plan_create(&desc, &own.plan), "operator");
    bench_must(operator_cuda_create(&own.api->cuda->kind, b->device, &own.cuda), "operator");
    bench_must(operator_cuda_plan_create(own.cuda, own.plan, pictures->format, &own.cuda_plan),
               "operator");
    return own;
}

enum fovea_result cuda_operator_enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    struct cuda_operator *own = user;
    const struct operator_cuda_run run = {.plan = own->plan,
                                          .cuda_plan = own->cuda_plan,
                                          .frame = &own->frame,
                                          .stream = b->stream,
                                          .depth = cuda_depths_of(&own->depths, picture),
                                          .focuses = cuda_depths_focuses(&own->depths)};
    if (b->pictures.surfaces) {
        return own->api->cuda->run_surface(own->cuda, &run, b->pictures.format,
                                           b->pictures.src_arrays[picture].surface,
                                           b->pictures.dst_arrays[picture].surface);
    }
    const struct fovea_image src = cuda_image(b, b->pictures.src[picture]);
    const struct fovea_image dst = cuda_image(b, b->pictures.dst[picture]);
    const struct operator_images images = {
        .count = 1, .src = &src, .dst = &dst, .depth = run.depth, .focuses = run.focuses};
    return own->api->cuda->run_linear(own->cuda, &run, &images);
}

void cuda_operator_free(struct cuda_operator *own)
{
    operator_cuda_plan_retire(own->cuda, &own->cuda_plan);
    operator_cuda_destroy(&own->cuda);
    own->api->plan_destroy(&own->plan);
}

struct bench_times cuda_time_operator(struct cuda_bench *b, const struct bench_mode *mode,
                                      const char **out_way)
{
    const struct fovea_settings settings = bench_settings(mode);
    OWNED(cuda_operator_free) struct cuda_operator own = cuda_operator_make(b, mode->op, &settings);
    own.depths = cuda_depths_make(b, mode);
    const struct bench_times times = cuda_time(b, cuda_operator_enqueue, &own, out_way);
    cuda_depths_free(b, &own.depths);
    return times;
}
