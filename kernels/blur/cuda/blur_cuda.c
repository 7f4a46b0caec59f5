/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur on CUDA: the machine's kernels, the engine fft's (blur_fft_cuda.c), or another's passes. Of
 * these an image's samples are those between passes, then the view's as they are read, then as they
 * are made. A frame has them in the plan's memory, a batch in memory of its own, in slices where it
 * is large. */

#include "blur_cuda.h"

#include "core/log.h"
#include "kernels/blur/engine.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/pixel_light.h"

#include <stdlib.h>

struct blur_cuda {
    struct operator_cuda base;
    struct operator_cuda *machine;
    struct operator_cuda *fft;
    struct blur_kernels kernels; /* from the first plan of an engine on */
};

struct blur_cuda_plan {
    struct operator_cuda_plan base;
    const struct operator_cuda_api *api; /* the machine's or fft's, which runs; NULL: passes do */
    struct operator_cuda_plan *of_api;
    uint64_t light_samples;
    uint64_t samples; /* of one image */
    uint64_t image_samples;
    uint32_t batch_images; /* that there is memory for */
};

static struct blur_cuda *own(struct operator_cuda *cuda)
{
    return (struct blur_cuda *)cuda;
}

static struct blur_cuda_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct blur_cuda_plan *)plan;
}

/* Returns the object whose plans the API's are. */
static struct operator_cuda *cuda_of(struct operator_cuda *cuda,
                                     const struct operator_cuda_api *api)
{
    return api == &blur_fft_cuda ? own(cuda)->fft : own(cuda)->machine;
}

/* ---- Kernels */

static enum fovea_result load_kernels(struct blur_cuda *blur)
{
    if (!blur->kernels.module) {
        FOVEA_TRY(blur_kernels_load(blur->base.device, &blur->kernels));
    }
    return blur->base.upload ? FOVEA_OK : operator_cuda_make_upload(&blur->base);
}

static void destroy(struct operator_cuda **cuda)
{
    struct blur_cuda *blur = own(*cuda);
    if (operator_cuda_finish(*cuda)) {
        blur_kernels_unload(blur->base.device, &blur->kernels);
    }
    if (blur) {
        gauss_operator_cuda.destroy(&blur->machine);
        blur_fft_cuda.destroy(&blur->fft);
    }
    free(blur);
    *cuda = NULL;
}

static enum fovea_result create(const struct cuda_device *device, struct operator_cuda **out_cuda)
{
    FOVEA_TRY(operator_cuda_make(device, sizeof(struct blur_cuda), out_cuda));
    enum fovea_result result = gauss_operator_cuda.create(device, &own(*out_cuda)->machine);
    result = result < 0 ? result : blur_fft_cuda.create(device, &own(*out_cuda)->fft);
    if (result < 0) {
        destroy(out_cuda);
    }
    return result;
}

static void abandon(struct operator_cuda *cuda)
{
    operator_cuda_abandon(cuda);
    gauss_operator_cuda.abandon(own(cuda)->machine);
    blur_fft_cuda.abandon(own(cuda)->fft);
}

static bool frees_without_waiting(const struct operator_cuda *cuda)
{
    const struct blur_cuda *blur = (const struct blur_cuda *)cuda;
    return gauss_operator_cuda.frees_without_waiting(blur->machine) &&
           blur_fft_cuda.frees_without_waiting(blur->fft) &&
           (!cuda->upload || operator_cuda_frees_without_waiting(cuda));
}

/* ---- Plans */

static void plan_retire(struct operator_cuda *cuda, struct operator_cuda_plan **plan)
{
    struct blur_cuda_plan *gone = own_plan(*plan);
    if (gone && gone->api && gone->of_api) {
        gone->api->plan_retire(cuda_of(cuda, gone->api), &gone->of_api);
    }
    operator_cuda_plan_retire(cuda, plan);
}

static uint64_t samples_of_image(const struct blur_plan *plan)
{
    return plan->engine->passes->samples(plan) + 2 * blur_view_samples(plan);
}

static enum fovea_result fill(struct operator_cuda *cuda, const struct blur_plan *source,
                              struct blur_cuda_plan *plan)
{
    const struct gauss_plan *machine = &source->machine;
    const size_t count = gauss_plan_light_samples(machine);
    float *light = calloc(count + 1, sizeof *light);
    if (!light) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    gauss_plan_fill_light(machine, light);
    plan->image_samples = samples_of_image(source);
    const struct operator_cuda_part parts[] = {
        {&plan->light_samples, light, count * sizeof *light},
        {&plan->samples, NULL, BLUR_SAMPLE_BYTES * plan->image_samples}};
    const enum fovea_result result =
        operator_cuda_plan_fill(cuda, &plan->base, parts, sizeof parts / sizeof *parts);
    free(light);
    return result;
}

static enum fovea_result make_plan(struct operator_cuda *cuda, const struct operator_plan *plan,
                                   enum fovea_format format, struct blur_cuda_plan *made)
{
    char words[OPERATOR_PROBLEM_BYTES];
    if (plan->api->plan_lacks(plan, FOVEA_BACKEND_CUDA, words, sizeof words)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const struct blur_engine *engine = blur_plan_of(plan)->engine;
    made->api = !engine ? &gauss_operator_cuda : engine->passes ? NULL : &blur_fft_cuda;
    if (made->api) {
        return made->api->plan_create(cuda_of(cuda, made->api), plan, format, &made->of_api);
    }
    FOVEA_TRY(load_kernels(own(cuda)));
    return fill(cuda, blur_plan_of(plan), made);
}

static enum fovea_result plan_create(struct operator_cuda *cuda, const struct operator_plan *plan,
                                     enum fovea_format format, struct operator_cuda_plan **out_plan)
{
    FOVEA_TRY(operator_cuda_plan_make(cuda, sizeof(struct blur_cuda_plan), out_plan));
    const enum fovea_result result = make_plan(cuda, plan, format, own_plan(*out_plan));
    if (result < 0) {
        plan_retire(cuda, out_plan);
    }
    return result;
}

/* One image has the plan's memory. */
static enum fovea_result reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                 const struct operator_images *images)
{
    struct blur_cuda_plan *blur = own_plan(plan);
    if (blur->api) {
        return blur->api->reserve(cuda_of(cuda, blur->api), blur->of_api, images);
    }
    const uint64_t bytes = BLUR_SAMPLE_BYTES * blur->image_samples;
    const uint32_t wanted = image_slice_capacity(images->count, bytes, BLUR_CUDA_MOST_BATCH_BYTES);
    if (images->count == 1 || wanted <= blur->batch_images) {
        return FOVEA_OK;
    }
    FOVEA_TRY(operator_cuda_plan_grow(cuda, plan, wanted * bytes));
    blur->batch_images = wanted;
    return FOVEA_OK;
}

/* ---- Frames */

static struct blur_run start(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                             enum fovea_format format, struct blur_image_work *work)
{
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    *work = (struct blur_image_work){.frame = blur_cuda_frame_of(run, format, plan->light_samples)};
    return blur_run_make(blur_plan_of(run->plan), &own(cuda)->kernels, cuda->device, run->stream,
                         &work->frame, format, plan->samples, plan->image_samples);
}

static struct operator_cuda_run run_of_api(const struct operator_cuda_run *run)
{
    struct operator_cuda_run of_api = *run;
    of_api.cuda_plan = own_plan(run->cuda_plan)->of_api;
    return of_api;
}

static enum fovea_result run_surface(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst)
{
    const struct blur_kernels *kernels = &own(cuda)->kernels;
    const struct operator_cuda_api *api = own_plan(run->cuda_plan)->api;
    if (api) {
        const struct operator_cuda_run of_api = run_of_api(run);
        return api->run_surface(cuda_of(cuda, api), &of_api, format, src, dst);
    }
    if (!cuda_kernels_has(kernels->first[BLUR_WAY_SAMPLES].surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct blur_surface_params params = {.src = src, .dst = dst};
    struct blur_run images = start(cuda, run, format, &params.work);
    images.first = kernels->first[images.way].surface[format];
    images.last = kernels->last[images.way].surface[format];
    struct cuda_block *block = run->cuda_plan->tables;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(cuda, block, run->stream, run->stream_kept,
                              blur_run_images(&images, &params.work));
}

static enum fovea_result run_slices(struct blur_run *run, const struct operator_cuda_run *of,
                                    const struct operator_images *images,
                                    const struct blur_image_work *work, uint32_t most)
{
    for (uint32_t first = 0; first < images->count; first += run->count) {
        const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
        const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
        struct blur_linear_params params = {.work = *work};
        params.src = operator_cuda_view_of(&src, images->src_next_bytes, of->frame);
        params.dst = operator_cuda_view_of(&dst, images->dst_next_bytes, of->frame);
        params.work.frame.src_next_bytes = images->src_next_bytes;
        params.work.frame.dst_next_bytes = images->dst_next_bytes;
        run->count = image_slice_smaller(images->count - first, most);
        FOVEA_TRY(blur_run_images(run, &params.work));
    }
    return FOVEA_OK;
}

static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    const struct blur_kernels *kernels = &own(cuda)->kernels;
    const enum fovea_format format = images->src->format;
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    if (plan->api) {
        const struct operator_cuda_run of_api = run_of_api(run);
        return plan->api->run_linear(cuda_of(cuda, plan->api), &of_api, images);
    }
    if (!cuda_kernels_has(kernels->first[BLUR_WAY_SAMPLES].linear, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const bool alone = images->count == 1;
    struct blur_image_work work;
    struct blur_run slices = start(cuda, run, format, &work);
    slices.first = kernels->first[slices.way].linear[format];
    slices.last = kernels->last[slices.way].linear[format];
    struct cuda_block *block = alone ? plan->base.tables : plan->base.batch;
    slices.samples = alone ? plan->samples : block->memory;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(
        cuda, block, run->stream, run->stream_kept,
        run_slices(&slices, run, images, &work,
                   alone ? 1 : image_slice_smaller(plan->batch_images, BLUR_CUDA_MOST_IN_A_GRID)));
}

const struct operator_cuda_api blur_operator_cuda = {
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
