/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A chain on CUDA. Of linear images those between two operators, and the pixels of planes, lie in
 * memory that reserve makes; of surfaces the caller has them. */

#include "kernels/operator/operator_cuda_base.h"

#include "chain_plan.h"
#include "core/log.h"
#include "kernels/image/pack_cuda.h"
#include "kernels/image/pixel.h"
#include "kernels/operators.h"

#include <stdlib.h>

/* Kernels of the table's first operator are there from the start, which says whether the device
 * will do; those of others when a plan first asks for them. */
struct chain_cuda {
    struct operator_cuda base;
    struct pack_cuda planes; /* loaded when the first images in planes come */
    struct pack_cuda levels; /* loaded with the first plan for images of 16 bits */
};

struct chain_cuda_plan {
    /* batch: the images between; NULL: no linear ones need any. tables: the curve's. inner: the
     * parts, in their order */
    struct operator_cuda_plan base;
    struct levels_curve curve; /* of images of 16 bits */
    const struct chain_plan *plan;
};

static struct chain_cuda *own(struct operator_cuda *cuda)
{
    return (struct chain_cuda *)cuda;
}

static struct chain_cuda_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct chain_cuda_plan *)plan;
}

static const struct operator_cuda_api *api_at(enum fovea_operator name)
{
    return operators_at(name)->cuda;
}

/* ---- Kernels */

static enum fovea_result make_kernels(struct operator_cuda *cuda, enum fovea_operator name)
{
    if (!api_at(name)) {
        log_error(cuda->device->log, "cuda: the operator %s has no kernels yet",
                  operators_at(name)->name);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return operator_cuda_make_inner(cuda, name, &api_at(name)->kind);
}

static enum fovea_result load(struct operator_cuda *cuda)
{
    return make_kernels(cuda, (enum fovea_operator)0);
}

static void unload(struct operator_cuda *cuda)
{
    pack_cuda_unload(&own(cuda)->planes);
    pack_cuda_unload(&own(cuda)->levels);
}

/* ---- Plans */

static enum fovea_result make_parts(struct operator_cuda *cuda, enum fovea_format format,
                                    struct chain_cuda_plan *plan)
{
    for (uint32_t i = 0; i < plan->plan->count; i++) {
        const struct chain_part *part = &plan->plan->parts[i];
        char words[OPERATOR_DESCRIPTION_BYTES];
        if (chain_part_lacks(part, FOVEA_BACKEND_CUDA, words, sizeof words)) {
            log_error(cuda->device->log, "cuda: %s", words);
            return FOVEA_ERROR_UNSUPPORTED;
        }
        FOVEA_TRY(make_kernels(cuda, part->name));
        FOVEA_TRY(operator_cuda_plan_make_inner(cuda, part->name, part->plan, format,
                                                &plan->base.inner[i]));
    }
    return FOVEA_OK;
}

static enum fovea_result upload_curve(struct operator_cuda *cuda, const struct levels_light *light,
                                      struct chain_cuda_plan *plan)
{
    const struct pixel_light *curve = &light->curve;
    plan->curve = (struct levels_curve){.first_bits = curve->first_bits,
                                        .sample_count = (int32_t)curve->sample_count,
                                        .line_end = curve->line_end,
                                        .line_slope = curve->line_slope,
                                        .system_gamma = curve->system_gamma};
    const struct operator_cuda_part parts[] = {
        {&plan->curve.light, light->light_of, sizeof light->light_of},
        {&plan->curve.level, curve->level, sizeof curve->level},
        {&plan->curve.samples, curve->samples, curve->sample_count * sizeof curve->samples[0]}};
    return operator_cuda_plan_fill(cuda, &plan->base, parts, sizeof parts / sizeof *parts);
}

/* The parts get floats of images of 16 bits. */
static enum fovea_result plan_fill(struct operator_cuda *cuda, const struct operator_plan *source,
                                   enum fovea_format format, struct operator_cuda_plan *plan)
{
    const struct levels_light *levels = chain_plan_of(source)->levels;
    own_plan(plan)->plan = chain_plan_of(source);
    if (!levels) {
        return make_parts(cuda, format, own_plan(plan));
    }
    FOVEA_TRY(operator_cuda_make_upload(cuda));
    FOVEA_TRY(levels_cuda_load(cuda->device, &own(cuda)->levels));
    FOVEA_TRY(upload_curve(cuda, levels, own_plan(plan)));
    return make_parts(cuda, pixel_floats_of_16_bits(format), own_plan(plan));
}

/* ---- Frames */

static void *between_of(const struct chain_cuda_plan *plan)
{
    return plan->base.batch ? (void *)(uintptr_t)plan->base.batch->memory : NULL;
}

static enum fovea_result make_planes(struct chain_cuda *chain, const struct operator_images *images)
{
    const bool has = images->src_plane_bytes != 0 || images->dst_plane_bytes != 0;
    return has && !pixel_has_16_bit_levels(images->src->format)
               ? planes_cuda_load(chain->base.device, &chain->planes)
               : FOVEA_OK;
}

static enum fovea_result reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                 const struct operator_images *images)
{
    struct chain_cuda *chain = own(cuda);
    struct chain_cuda_plan *own = own_plan(plan);
    struct chain_images slice;
    FOVEA_TRY(make_planes(chain, images));
    FOVEA_TRY(operator_cuda_plan_grow(cuda, plan, chain_between_bytes(own->plan, images)));
    const struct chain_way way = chain_way_of(own->plan, false);
    chain_first_slice(own->plan, images, &slice);
    for (uint32_t i = 0; i < own->plan->count; i++) {
        const struct operator_cuda_inner_plan *part = &plan->inner[i];
        struct chain_images of_part;
        chain_images_of(own->plan, &way, i, &slice.images, between_of(own), &of_part);
        FOVEA_TRY(
            api_at(own->plan->parts[i].name)->reserve(part->kernels, part->plan, &of_part.images));
    }
    return FOVEA_OK;
}

static struct operator_cuda_run run_of(const struct operator_cuda_run *run, uint32_t part)
{
    struct operator_cuda_run of_part = *run;
    of_part.plan = chain_plan_of(run->plan)->parts[part].plan;
    of_part.cuda_plan = run->cuda_plan->inner[part].plan;
    return of_part;
}

/* Makes what operators work on of the source, or the result of what they made. */
static enum fovea_result convert(const struct chain_cuda *chain,
                                 const struct operator_cuda_run *run, const struct chain_way *way,
                                 const struct operator_images *slice, bool packs)
{
    const struct chain_cuda_plan *plan = own_plan(run->cuda_plan);
    void *between = between_of(plan);
    struct planes planes;
    if (plan->plan->levels) {
        struct levels levels = chain_levels_of(plan->plan, way, slice, between, packs);
        levels.curve = plan->curve;
        return levels_cuda_run(&chain->levels, packs, &levels, run->stream);
    }
    return chain_planes_of(plan->plan, way, slice, between, packs, &planes)
               ? planes_cuda_run(&chain->planes, packs, &planes, slice->src->format, run->stream)
               : FOVEA_OK;
}

static enum fovea_result run_slice(struct chain_cuda *chain, const struct operator_cuda_run *run,
                                   const struct operator_images *slice)
{
    const struct chain_cuda_plan *plan = own_plan(run->cuda_plan);
    const struct chain_way way = chain_way_of(plan->plan, run->frame->blind);
    void *between = between_of(plan);
    FOVEA_TRY(convert(chain, run, &way, slice, true));
    for (uint32_t i = 0; i < way.count; i++) {
        const uint32_t part = way.parts[i];
        const struct operator_cuda_run of_part = run_of(run, part);
        struct chain_images images_of_part;
        chain_images_of(plan->plan, &way, i, slice, between, &images_of_part);
        FOVEA_TRY(api_at(plan->plan->parts[part].name)
                      ->run_linear(run->cuda_plan->inner[part].kernels, &of_part,
                                   &images_of_part.images));
    }
    return convert(chain, run, &way, slice, false);
}

static enum fovea_result run_slices(struct chain_cuda *chain, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    const uint32_t count = chain_slice_count(chain_plan_of(run->plan), images);
    struct chain_images slice;
    for (uint32_t first = 0; first < images->count; first += slice.images.count) {
        struct operator_frame frame = *run->frame;
        struct operator_cuda_run of_slice = *run;
        chain_slice_of(images, first, count, &slice);
        frame.blind = frame.blind || slice.blind;
        frame.of_light = chain_plan_of(run->plan)->levels != NULL;
        of_slice.frame = &frame;
        FOVEA_TRY(run_slice(chain, &of_slice, &slice.images));
    }
    return FOVEA_OK;
}

/* Runs of the plan follow each other: the next one writes over the images between. */
static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    struct chain_cuda *chain = own(cuda);
    struct cuda_block *between = run->cuda_plan->batch;
    if (!between) {
        return run_slices(chain, run, images);
    }
    FOVEA_TRY(cuda_uses_follow(chain->base.device, &between->uses, run->stream));
    return operator_cuda_note(&chain->base, between, run->stream, run->stream_kept,
                              run_slices(chain, run, images));
}

static enum fovea_result run_surface(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst)
{
    const struct chain_plan *plan = chain_plan_of(run->plan);
    const struct chain_way way = chain_way_of(plan, run->frame->blind);
    (void)cuda;
    for (uint32_t i = 0; i < way.count; i++) {
        const uint32_t part = way.parts[i];
        const struct operator_cuda_run of_part = run_of(run, part);
        FOVEA_TRY(api_at(plan->parts[part].name)
                      ->run_surface(run->cuda_plan->inner[part].kernels, &of_part, format,
                                    i == 0 ? src : run->between[chain_between(i - 1)],
                                    i + 1 == way.count ? dst : run->between[chain_between(i)]));
    }
    return FOVEA_OK;
}

const struct operator_cuda_api chain_operator_cuda = {
    .kind = {.bytes = sizeof(struct chain_cuda),
             .plan_bytes = sizeof(struct chain_cuda_plan),
             .load = load,
             .unload = unload,
             .plan_fill = plan_fill},
    .reserve = reserve,
    .run_linear = run_linear,
    .run_surface = run_surface,
};
