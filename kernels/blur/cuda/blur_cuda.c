/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur on CUDA: the machine, or an engine's kernels. An engine with passes has for an image the
 * samples between passes, then the view's as they are read, then as they are made; the engine fft
 * has planes (blur_fft.h). A frame has them in the plan's memory, a batch in memory of its own, in
 * slices where it is large. */

#include "blur_fft.h"

#include "core/bounds.h"
#include "core/log.h"
#include "kernels/blur/engine.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/pixel_light.h"

#include <stdlib.h>

struct blur_cuda {
    struct operator_cuda base;
    struct blur_kernels kernels; /* from the first plan of an engine on */
};

struct blur_cuda_plan {
    struct operator_cuda_plan base; /* with an inner one the machine runs; else an engine does */
    uint64_t light_samples;
    uint64_t memory; /* one image's */
    uint64_t sample_bytes; /* of one image's passes; 0: it has none */
    struct blur_fft_plan fft;
};

static struct blur_cuda *own(struct operator_cuda *cuda)
{
    return (struct blur_cuda *)cuda;
}

static struct blur_cuda_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct blur_cuda_plan *)plan;
}

/* ---- Kernels */

static enum fovea_result load(struct operator_cuda *cuda)
{
    return operator_cuda_make_inner(cuda, OPERATOR_CUDA_MACHINE, &gauss_operator_cuda.kind);
}

static void unload(struct operator_cuda *cuda)
{
    blur_kernels_unload(cuda->device, &own(cuda)->kernels);
}

/* ---- Plans */

/* 0: nothing runs images of the format. */
static uint64_t image_bytes(const struct blur_cuda_plan *plan, enum fovea_format format)
{
    return plan->fft.columns > 0 ? blur_fft_bytes(&plan->fft.planes, format) : plan->sample_bytes;
}

static enum fovea_result fill(struct operator_cuda *cuda, const struct blur_plan *source,
                              enum fovea_format format, struct blur_cuda_plan *plan)
{
    const struct gauss_plan *machine = &source->machine;
    const struct blur_passes_engine *passes = source->engine->passes;
    const size_t count = gauss_plan_light_samples(machine);
    float *light = calloc(count + 1, sizeof *light);
    FOVEA_TRY_MEMORY(light);
    gauss_plan_fill_light(machine, light);
    const struct operator_cuda_part light_part = {&plan->light_samples, light,
                                                  count * sizeof *light};
    enum fovea_result result;
    if (passes) {
        plan->sample_bytes =
            BLUR_SAMPLE_BYTES * (passes->samples(source) + 2 * blur_view_samples(source));
        const struct operator_cuda_part parts[] = {light_part,
                                                   {&plan->memory, NULL, plan->sample_bytes}};
        result = operator_cuda_plan_fill(cuda, &plan->base, parts, sizeof parts / sizeof *parts);
    } else {
        result = blur_fft_make(cuda, &own(cuda)->kernels, source, format, &plan->base, &light_part,
                               &plan->memory, &plan->fft);
    }
    free(light);
    return result;
}

static enum fovea_result plan_fill(struct operator_cuda *cuda, const struct operator_plan *source,
                                   enum fovea_format format, struct operator_cuda_plan *plan)
{
    char words[OPERATOR_PROBLEM_BYTES];
    const struct blur_engine *engine = blur_plan_of(source)->engine;
    if (source->api->plan_lacks(source, FOVEA_BACKEND_CUDA, words, sizeof words)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (!engine) {
        return operator_cuda_plan_make_inner(cuda, OPERATOR_CUDA_MACHINE, source, format,
                                             &plan->inner[OPERATOR_CUDA_MACHINE]);
    }
    FOVEA_TRY(
        (engine->passes ? blur_kernels_load : blur_fft_load)(cuda->device, &own(cuda)->kernels));
    FOVEA_TRY(operator_cuda_make_upload(cuda));
    return fill(cuda, blur_plan_of(source), format, own_plan(plan));
}

/* One image has the plan's memory. */
static enum fovea_result reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                 const struct operator_images *images)
{
    struct blur_cuda_plan *blur = own_plan(plan);
    const struct operator_cuda_inner_plan *machine = &plan->inner[OPERATOR_CUDA_MACHINE];
    if (machine->plan) {
        return gauss_operator_cuda.reserve(machine->kernels, machine->plan, images);
    }
    const uint64_t bytes = image_bytes(blur, images->src->format);
    return images->count == 1
               ? FOVEA_OK
               : operator_cuda_plan_grow(cuda, plan,
                                         bytes * image_slice_capacity(images->count, bytes,
                                                                      BLUR_CUDA_MOST_BATCH_BYTES));
}

/* ---- Frames */

static struct blur_image_frame frame_of(const struct operator_cuda_run *run,
                                        enum fovea_format format)
{
    const struct gauss_plan *machine = &blur_plan_of(run->plan)->machine;
    const int32_t light = image_light_in_order(gauss_plan_light(machine), run->frame->blue_first);
    return (struct blur_image_frame){.width_px = (int32_t)machine->width_px,
                                     .height_px = (int32_t)machine->height_px,
                                     .origin_x_px = run->frame->origin_x_px,
                                     .origin_y_px = run->frame->origin_y_px,
                                     .light =
                                         pixel_light_known(format) ? light : IMAGE_LIGHT_STORED,
                                     .light_value = gauss_plan_light_value(machine),
                                     .averages_alpha = machine->foveation.alpha != FOVEA_ALPHA_KEEP,
                                     .light_samples = own_plan(run->cuda_plan)->light_samples};
}

static struct blur_run start(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                             enum fovea_format format, uint64_t memory)
{
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    const struct blur_image_frame frame = frame_of(run, format);
    return blur_run_make(&(struct blur_run){.passes.plan = blur_plan_of(run->plan),
                                            .kernels = &own(cuda)->kernels,
                                            .device = cuda->device,
                                            .stream = run->stream,
                                            .count = 1,
                                            .format = format,
                                            .fft = &plan->fft,
                                            .memory = memory,
                                            .next_bytes = image_bytes(plan, format),
                                            .frame = frame});
}

static struct operator_cuda_run run_of_machine(const struct operator_cuda_run *run)
{
    struct operator_cuda_run of_machine = *run;
    of_machine.cuda_plan = run->cuda_plan->inner[OPERATOR_CUDA_MACHINE].plan;
    return of_machine;
}

static enum fovea_result run_surface(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst)
{
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    const struct operator_cuda_run of_machine = run_of_machine(run);
    if (of_machine.cuda_plan) {
        return gauss_operator_cuda.run_surface(operator_cuda_inner(cuda, OPERATOR_CUDA_MACHINE),
                                               &of_machine, format, src, dst);
    }
    struct blur_run image = start(cuda, run, format, plan->memory);
    if (image.next_bytes == 0 ||
        !cuda_kernels_has(own(cuda)->kernels.first[image.way].surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    image.surfaces = true;
    image.src.data = src;
    image.dst.data = dst;
    struct cuda_block *block = run->cuda_plan->tables;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(cuda, block, run->stream, run->stream_kept, blur_run_images(&image));
}

static enum fovea_result run_slices(struct blur_run *run, const struct operator_cuda_run *of,
                                    const struct operator_images *images, uint32_t most)
{
    run->frame.src_next_bytes = images->src_next_bytes;
    run->frame.dst_next_bytes = images->dst_next_bytes;
    for (uint32_t first = 0; first < images->count; first += run->count) {
        const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
        const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
        run->src = operator_cuda_view_of(&src, images->src_next_bytes, of->frame);
        run->dst = operator_cuda_view_of(&dst, images->dst_next_bytes, of->frame);
        run->count = bounds_smaller_u32(images->count - first, most);
        FOVEA_TRY(blur_run_images(run));
    }
    return FOVEA_OK;
}

static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    const enum fovea_format format = images->src->format;
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    const struct operator_cuda_run of_machine = run_of_machine(run);
    if (of_machine.cuda_plan) {
        return gauss_operator_cuda.run_linear(operator_cuda_inner(cuda, OPERATOR_CUDA_MACHINE),
                                              &of_machine, images);
    }
    const bool alone = images->count == 1;
    struct cuda_block *block = alone ? plan->base.tables : plan->base.batch;
    if (image_bytes(plan, format) == 0) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct blur_run slices = start(cuda, run, format, alone ? plan->memory : block->memory);
    if (!cuda_kernels_has(own(cuda)->kernels.first[slices.way].linear, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const uint32_t most =
        alone ? 1
              : bounds_smaller_u32((uint32_t)(plan->base.batch_bytes / slices.next_bytes),
                                   BLUR_CUDA_MOST_IN_A_GRID);
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(cuda, block, run->stream, run->stream_kept,
                              run_slices(&slices, run, images, most));
}

const struct operator_cuda_api blur_operator_cuda = {
    .kind = {.bytes = sizeof(struct blur_cuda),
             .plan_bytes = sizeof(struct blur_cuda_plan),
             .load = load,
             .unload = unload,
             .plan_fill = plan_fill},
    .reserve = reserve,
    .run_linear = run_linear,
    .run_surface = run_surface,
};
