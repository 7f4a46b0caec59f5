/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes what the cuda backend needs to foveate the pictures that are there: below its public face,
 * so that its launches can be captured in a graph. */

#include "cuda_bench.h"

/* One picture has the frame's gaze. */
static struct operator_images images_of(const struct cuda_bench *b, const struct cuda_prepared *p,
                                        const struct fovea_image *src,
                                        const struct fovea_image *dst)
{
    const bool batch = b->pictures.images > 1;
    const size_t bytes = bench_image_bytes(b->pictures.size, b->pictures.format);
    return (struct operator_images){.count = b->pictures.images,
                                    .src = src,
                                    .dst = dst,
                                    .src_next_bytes = batch ? (ptrdiff_t)bytes : 0,
                                    .dst_next_bytes = batch ? (ptrdiff_t)bytes : 0,
                                    .gazes_uv = (const float *)(uintptr_t)p->gazes,
                                    .gazes_on_device = batch};
}

enum fovea_result cuda_enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct cuda_prepared *p = user;
    const struct operator_cuda_run run = {
        .plan = &p->plan->base, .cuda_plan = p->tables, .frame = &p->frame, .stream = b->stream};
    if (b->pictures.surfaces) {
        return gauss_operator_cuda.run_surface(b->foveate, &run, b->pictures.format,
                                               b->pictures.src_arrays[picture].surface,
                                               b->pictures.dst_arrays[picture].surface);
    }
    const struct fovea_image src = cuda_image(b, b->pictures.src[picture]);
    const struct fovea_image dst = cuda_image(b, b->pictures.dst[picture]);
    const struct operator_images images = images_of(b, p, &src, &dst);
    return gauss_operator_cuda.run_linear(b->foveate, &run, &images);
}

static void upload_gazes(struct cuda_bench *b, struct cuda_prepared *p)
{
    const uint32_t count = b->pictures.images;
    const size_t bytes = 2 * (size_t)count * sizeof(float);
    OWNED(owned_free) float *gazes = bench_memory(1, bytes);
    bench_place_gazes(gazes, count);
    CUDA_MUST(b, b->cu->MemAlloc(&p->gazes, bytes));
    CUDA_MUST(b, b->cu->MemcpyHtoD(p->gazes, gazes, bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static void prepare_batch(struct cuda_bench *b, struct cuda_prepared *p)
{
    upload_gazes(b, p);
    const struct fovea_image src = cuda_image(b, b->pictures.src[0]);
    const struct fovea_image dst = cuda_image(b, b->pictures.dst[0]);
    const struct operator_images images = images_of(b, p, &src, &dst);
    bench_must(gauss_operator_cuda.reserve(b->foveate, p->tables, &images), "batch");
}

enum fovea_result cuda_prepare(struct cuda_bench *b, const struct fovea_foveation *foveation,
                               struct fovea_point_uv gaze, struct cuda_prepared *out)
{
    const struct cuda_pictures *pictures = &b->pictures;
    *out = (struct cuda_prepared){0};
    FOVEA_TRY(foveate_plan_create(foveation, pictures->size->width_px, pictures->size->height_px,
                                  &out->plan));
    out->plan->base.api = &foveate_operator;
    bench_must(
        operator_cuda_plan_create(b->foveate, &out->plan->base, pictures->format, &out->tables),
        "plan");
    out->frame = operator_frame_make(pictures->size->width_px, pictures->size->height_px, gaze);
    if (pictures->images > 1) {
        prepare_batch(b, out);
    }
    return FOVEA_OK;
}

void cuda_unprepare(struct cuda_bench *b, struct cuda_prepared *p)
{
    operator_cuda_plan_retire(b->foveate, &p->tables);
    foveate_plan_destroy(&p->plan);
    if (p->gazes) {
        CUDA_MUST(b, b->cu->MemFree(p->gazes));
    }
    *p = (struct cuda_prepared){0};
}
