/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate as an operator on CUDA: what operator_cuda.h asks for in the words of foveate_cuda.h. */

#include "kernels/operator/operator_cuda.h"

#include "foveate_operator.h"
#include "kernels/foveate/cuda/foveate_cuda.h"
#include "kernels/image/pixel.h"

static struct foveate_cuda *own(struct operator_cuda *cuda)
{
    return (struct foveate_cuda *)cuda;
}

static struct foveate_cuda_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct foveate_cuda_plan *)plan;
}

/* ---- Kernels */

static enum fovea_result create(const struct cuda_device *device, struct operator_cuda **out_cuda)
{
    struct foveate_cuda *made = NULL;
    const enum fovea_result result = foveate_cuda_create(device, &made);
    *out_cuda = (struct operator_cuda *)made;
    return result;
}

static void destroy(struct operator_cuda **cuda)
{
    struct foveate_cuda *gone = own(*cuda);
    foveate_cuda_destroy(&gone);
    *cuda = NULL;
}

static void abandon(struct operator_cuda *cuda)
{
    foveate_cuda_abandon(own(cuda));
}

static bool frees_without_waiting(const struct operator_cuda *cuda)
{
    return foveate_cuda_frees_without_waiting((const struct foveate_cuda *)cuda);
}

/* ---- Plans */

/* Levels take twice the memory where they hold 32-bit floats. */
static enum fovea_result plan_create(struct operator_cuda *cuda, const struct operator_plan *plan,
                                     enum fovea_format format, struct operator_cuda_plan **out_plan)
{
    struct foveate_cuda_plan *made = NULL;
    const enum fovea_result result = foveate_cuda_plan_create(
        own(cuda), foveate_plan_of(plan),
        pixel_has_32_bit_floats(format) ? FOVEATE_CUDA_FORMATS_ALL : FOVEATE_CUDA_FORMATS_SURFACE,
        &made);
    *out_plan = (struct operator_cuda_plan *)made;
    return result;
}

static void plan_retire(struct operator_cuda *cuda, struct operator_cuda_plan **plan)
{
    struct foveate_cuda_plan *gone = own_plan(*plan);
    foveate_cuda_plan_retire(own(cuda), &gone);
    *plan = NULL;
}

/* ---- Frames */

/* An operator that looks at no gaze takes the frame's, which foveate_frame_of sets. */
static struct operator_images without_gazes(const struct operator_images *images)
{
    struct operator_images without = *images;
    without.gazes_uv = NULL;
    without.gazes_on_device = false;
    return without;
}

static bool looks_at_gaze(const struct operator_cuda_run *run)
{
    return run->plan->api->looks_at_gaze;
}

static struct foveate_cuda_images images_of(const struct operator_images *images)
{
    return (struct foveate_cuda_images){.count = images->count,
                                        .src = images->src,
                                        .dst = images->dst,
                                        .src_next_bytes = images->src_next_bytes,
                                        .dst_next_bytes = images->dst_next_bytes,
                                        .gazes_uv = images->gazes_uv,
                                        .gazes_on_device = images->gazes_on_device};
}

static bool is_batch(const struct operator_images *images)
{
    return images->gazes_uv || images->count > 1;
}

static enum fovea_result reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                 const struct operator_images *images)
{
    const struct foveate_cuda_images batch = images_of(images);
    return is_batch(images) ? foveate_cuda_reserve(own(cuda), own_plan(plan), &batch) : FOVEA_OK;
}

static struct foveate_cuda_run run_of(const struct operator_cuda_run *run,
                                      const struct foveate_frame *frame)
{
    return (struct foveate_cuda_run){.plan = own_plan(run->cuda_plan),
                                     .frame = frame,
                                     .stream = run->stream,
                                     .stream_kept = run->stream_kept,
                                     .gazes = looks_at_gaze(run) ? run->gazes : 0};
}

static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    const struct foveate_frame frame = foveate_frame_of(foveate_plan_of(run->plan), run->frame);
    const struct foveate_cuda_run own_run = run_of(run, &frame);
    const struct operator_images seen = looks_at_gaze(run) ? *images : without_gazes(images);
    const struct foveate_cuda_images batch = images_of(&seen);
    return is_batch(&seen) ? foveate_cuda_run_batch(own(cuda), &own_run, &batch)
                           : foveate_cuda_run_linear(own(cuda), &own_run, seen.src, seen.dst);
}

static enum fovea_result run_surface(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst)
{
    const struct foveate_frame frame = foveate_frame_of(foveate_plan_of(run->plan), run->frame);
    const struct foveate_cuda_run own_run = run_of(run, &frame);
    return foveate_cuda_run_surface(own(cuda), &own_run, format, src, dst);
}

const struct operator_cuda_api foveate_operator_cuda = {
    .create = create,
    .destroy = destroy,
    .abandon = abandon,
    .frees_without_waiting = frees_without_waiting,
    .plan_create = plan_create,
    .plan_retire = plan_retire,
    .reserve = reserve,
    .run_linear = run_linear,
    .run_surface = run_surface,
};
