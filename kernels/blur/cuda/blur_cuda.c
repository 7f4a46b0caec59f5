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

extern const unsigned char blur_fatbin[];

#define SAMPLE_BYTES 16

struct blur_cuda {
    struct operator_cuda base;
    struct operator_cuda *machine;
    struct operator_cuda *fft;
    CUmodule module; /* from the first plan of an engine on, as what follows */
    struct cuda_kernels load;
    struct cuda_kernels store;
    CUfunction works[BLUR_WORKS];
    struct blur_box_cuda box;
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

static enum fovea_result get_kernels(struct blur_cuda *blur)
{
    static const char *const names[BLUR_WORKS] = {
        [BLUR_LINE_BOX] = "blur_box",
        [BLUR_LINE_TENT] = "blur_tent",
        [BLUR_LEVEL_HALVE] = "blur_halve",
        [BLUR_LEVEL_WIDEN] = "blur_widen",
        [BLUR_LEVEL_DOUBLE] = "blur_double",
        [BLUR_HEAT_EVERYWHERE] = "blur_heat",
        [BLUR_HEAT_WITHIN_EDGES] = "blur_heat_within_edges",
    };
    const struct cuda_device *device = blur->base.device;
    FOVEA_TRY(cuda_kernels_get(device, blur->module, "blur_load", CUDA_EVERY_FORMAT, &blur->load));
    FOVEA_TRY(
        cuda_kernels_get(device, blur->module, "blur_store", CUDA_EVERY_FORMAT, &blur->store));
    for (int i = 0; i < BLUR_WORKS; i++) {
        FOVEA_TRY(cuda_device_get_kernel(device, blur->module, names[i], &blur->works[i]));
    }
    return blur->base.upload ? FOVEA_OK : operator_cuda_make_upload(&blur->base);
}

static enum fovea_result load_kernels(struct blur_cuda *blur)
{
    FOVEA_TRY(blur_box_cuda_load(blur->base.device, &blur->box));
    if (blur->module) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_module_load(blur->base.device, blur_fatbin, &blur->module));
    const enum fovea_result result = get_kernels(blur);
    if (result < 0) {
        cuda_module_unload(blur->base.device, &blur->module);
    }
    return result;
}

static void destroy(struct operator_cuda **cuda)
{
    struct blur_cuda *blur = own(*cuda);
    if (operator_cuda_finish(*cuda)) {
        cuda_module_unload(blur->base.device, &blur->module);
        cuda_module_unload(blur->base.device, &blur->box.module);
    }
    if (blur) {
        foveate_operator_cuda.destroy(&blur->machine);
        blur_fft_cuda.destroy(&blur->fft);
    }
    free(blur);
    *cuda = NULL;
}

static enum fovea_result create(const struct cuda_device *device, struct operator_cuda **out_cuda)
{
    FOVEA_TRY(operator_cuda_make(device, sizeof(struct blur_cuda), out_cuda));
    enum fovea_result result = foveate_operator_cuda.create(device, &own(*out_cuda)->machine);
    result = result < 0 ? result : blur_fft_cuda.create(device, &own(*out_cuda)->fft);
    if (result < 0) {
        destroy(out_cuda);
    }
    return result;
}

static void abandon(struct operator_cuda *cuda)
{
    operator_cuda_abandon(cuda);
    foveate_operator_cuda.abandon(own(cuda)->machine);
    blur_fft_cuda.abandon(own(cuda)->fft);
}

static bool frees_without_waiting(const struct operator_cuda *cuda)
{
    const struct blur_cuda *blur = (const struct blur_cuda *)cuda;
    return foveate_operator_cuda.frees_without_waiting(blur->machine) &&
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

static uint64_t view_samples(const struct blur_plan *plan)
{
    return (uint64_t)plan->machine.width_px * plan->machine.height_px;
}

static uint64_t samples_of_image(const struct blur_plan *plan)
{
    return plan->engine->passes->samples(plan) + 2 * view_samples(plan);
}

static enum fovea_result fill(struct operator_cuda *cuda, const struct blur_plan *source,
                              struct blur_cuda_plan *plan)
{
    const struct foveate_plan *machine = &source->machine;
    const size_t count = foveate_plan_light_samples(machine);
    float *light = calloc(count + 1, sizeof *light);
    if (!light) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    foveate_plan_fill_light(machine, light);
    plan->image_samples = samples_of_image(source);
    const struct operator_cuda_part parts[] = {
        {&plan->light_samples, light, count * sizeof *light},
        {&plan->samples, NULL, SAMPLE_BYTES * plan->image_samples}};
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
    made->api = !engine ? &foveate_operator_cuda : engine->passes ? NULL : &blur_fft_cuda;
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
    const uint64_t bytes = SAMPLE_BYTES * blur->image_samples;
    const uint32_t wanted = image_slice_capacity(images->count, bytes, BLUR_CUDA_MOST_BATCH_BYTES);
    if (images->count == 1 || wanted <= blur->batch_images) {
        return FOVEA_OK;
    }
    FOVEA_TRY(operator_cuda_plan_grow(cuda, plan, wanted * bytes));
    blur->batch_images = wanted;
    return FOVEA_OK;
}

/* ---- Frames */

/* Images that are under way together. */
struct blur_run {
    struct blur_passes passes;
    const struct blur_cuda *blur;
    CUstream stream;
    uint32_t count;
    uint64_t samples;
    uint64_t next_samples;
    uint64_t between; /* samples between passes, behind which those of the view lie */
    bool averages_alpha;
    enum fovea_result result;
};

static struct blur_run *run_of(struct blur_passes *passes)
{
    return (struct blur_run *)passes;
}

/* The view's samples are behind the others. */
static void launch_pass(struct blur_passes *passes, const struct blur_pass *pass)
{
    struct blur_run *run = run_of(passes);
    if (run->result < 0) {
        return;
    }
    struct blur_pass_params params = {.constants = pass->constants,
                                      .samples = run->samples,
                                      .next_samples = (int64_t)run->next_samples,
                                      .averages_alpha = run->averages_alpha};
    if (pass->from_source) {
        params.constants.frame.from = (int32_t)run->between;
    }
    if (pass->to_result) {
        params.constants.frame.to = (int32_t)(run->between + view_samples(passes->plan));
    }
    struct cuda_launch launch = {.kernel = run->blur->works[pass->work],
                                 .blocks = {pass->groups[0], pass->groups[1], run->count},
                                 .threads = {BLUR_LINE_GROUP, 1}};
    if (pass->work >= BLUR_HEAT_EVERYWHERE) {
        launch.blocks[0] = cuda_parts(passes->frame.width_px, BLUR_CUDA_HEAT_MADE);
        launch.blocks[1] = cuda_parts(passes->frame.height_px, BLUR_CUDA_HEAT_MADE);
        launch.threads[0] = BLUR_CUDA_HEAT_THREADS;
    } else if (pass->work >= BLUR_LEVEL_HALVE) {
        launch.threads[0] = launch.threads[1] = BLUR_LEVEL_SIDE;
    }
    run->result = cuda_launch(run->blur->base.device, run->stream, &launch, &params);
}

static struct blur_run start(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                             const struct blur_image_frame *frame, enum fovea_format format)
{
    const struct blur_plan *plan = blur_plan_of(run->plan);
    return (struct blur_run){
        .passes = {.plan = plan,
                   .frame = {.width_px = frame->width_px, .height_px = frame->height_px},
                   .white = blur_passes_white(frame->light, format),
                   .colors = (int32_t)pixel_codec_of(format)->color_channels,
                   .emit = launch_pass},
        .blur = own(cuda),
        .stream = run->stream,
        .count = 1,
        .samples = own_plan(run->cuda_plan)->samples,
        .next_samples = own_plan(run->cuda_plan)->image_samples,
        .between = plan->engine->passes->samples(plan),
        .averages_alpha = frame->averages_alpha && pixel_codec_of(format)->has_alpha};
}

static enum fovea_result launch_image(const struct blur_run *run, CUfunction kernel,
                                      struct blur_image_frame *frame, void *params, bool made)
{
    const uint64_t first = run->between + (made ? view_samples(run->passes.plan) : 0);
    frame->samples = run->samples + SAMPLE_BYTES * first;
    frame->next_samples = (int64_t)run->next_samples;
    const struct cuda_launch launch = {.kernel = kernel,
                                       .blocks = {cuda_parts(frame->width_px, BLUR_CUDA_SIDE_X),
                                                  cuda_parts(frame->height_px, BLUR_CUDA_SIDE_Y),
                                                  run->count},
                                       .threads = {BLUR_CUDA_SIDE_X, BLUR_CUDA_SIDE_Y}};
    return cuda_launch(run->blur->base.device, run->stream, &launch, params);
}

/* `frame` and `lines` are in `params`; kernels: rows, columns. */
static enum fovea_result run_boxes(const struct blur_run *run, const CUfunction kernels[2],
                                   struct blur_image_frame *frame, struct blur_box_lines *lines,
                                   void *params)
{
    const struct blur_box_run boxes = {.plan = run->passes.plan,
                                       .kernels = {kernels[0], kernels[1]},
                                       .stream = run->stream,
                                       .count = run->count};
    frame->samples = run->samples;
    frame->next_samples = (int64_t)run->next_samples;
    return blur_box_cuda_run(run->blur->base.device, &run->blur->box, &boxes, lines, params);
}

/* `frame` is in `params`. */
static enum fovea_result run_images(struct blur_run *run, const CUfunction kernels[2],
                                    struct blur_image_frame *frame, void *params)
{
    FOVEA_TRY(launch_image(run, kernels[0], frame, params, false));
    run->result = FOVEA_OK;
    run->passes.plan->engine->passes->add(&run->passes);
    FOVEA_TRY(run->result);
    return launch_image(run, kernels[1], frame, params, true);
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
    const struct blur_cuda *blur = own(cuda);
    const struct operator_cuda_api *api = own_plan(run->cuda_plan)->api;
    if (api) {
        const struct operator_cuda_run of_api = run_of_api(run);
        return api->run_surface(cuda_of(cuda, api), &of_api, format, src, dst);
    }
    if (!cuda_kernels_has(blur->load.surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct blur_surface_params params = {
        .frame = blur_cuda_frame_of(run, format, own_plan(run->cuda_plan)->light_samples),
        .src = src,
        .dst = dst};
    struct blur_run images = start(cuda, run, &params.frame, format);
    const bool boxes = blur_box_cuda_makes(images.passes.plan, params.frame.light, format);
    const CUfunction kernels[2] = {(boxes ? &blur->box.rows : &blur->load)->surface[format],
                                   (boxes ? &blur->box.columns : &blur->store)->surface[format]};
    struct cuda_block *block = run->cuda_plan->tables;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(
        cuda, block, run->stream, run->stream_kept,
        boxes ? run_boxes(&images, kernels, &params.frame, &params.lines, &params)
              : run_images(&images, kernels, &params.frame, &params));
}

static enum fovea_result run_slices(struct blur_run *run, const struct operator_cuda_run *of,
                                    const struct operator_images *images, uint32_t most)
{
    const enum fovea_format format = images->src->format;
    const struct blur_cuda *blur = run->blur;
    const struct blur_image_frame frame =
        blur_cuda_frame_of(of, format, own_plan(of->cuda_plan)->light_samples);
    const bool boxes = blur_box_cuda_makes(run->passes.plan, frame.light, format);
    const CUfunction kernels[2] = {(boxes ? &blur->box.rows : &blur->load)->linear[format],
                                   (boxes ? &blur->box.columns : &blur->store)->linear[format]};
    for (uint32_t first = 0; first < images->count; first += run->count) {
        const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
        const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
        struct blur_linear_params params = {.frame = frame};
        params.src = operator_cuda_view_of(&src, images->src_next_bytes, of->frame);
        params.dst = operator_cuda_view_of(&dst, images->dst_next_bytes, of->frame);
        params.frame.src_next_bytes = images->src_next_bytes;
        params.frame.dst_next_bytes = images->dst_next_bytes;
        run->count = image_slice_smaller(images->count - first, most);
        FOVEA_TRY(boxes ? run_boxes(run, kernels, &params.frame, &params.lines, &params)
                        : run_images(run, kernels, &params.frame, &params));
    }
    return FOVEA_OK;
}

static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    const struct blur_cuda *blur = own(cuda);
    const enum fovea_format format = images->src->format;
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    if (plan->api) {
        const struct operator_cuda_run of_api = run_of_api(run);
        return plan->api->run_linear(cuda_of(cuda, plan->api), &of_api, images);
    }
    if (!cuda_kernels_has(blur->load.linear, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const bool alone = images->count == 1;
    const struct blur_image_frame frame =
        blur_cuda_frame_of(run, format, own_plan(run->cuda_plan)->light_samples);
    struct blur_run slices = start(cuda, run, &frame, format);
    struct cuda_block *block = alone ? plan->base.tables : plan->base.batch;
    slices.samples = alone ? plan->samples : block->memory;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(
        cuda, block, run->stream, run->stream_kept,
        run_slices(&slices, run, images,
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
