/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels of engines with passes, and images that go through them. The view's samples, as they are
 * read and then as they are made, are behind those between passes. */

#include "blur_fft.h"

#include "kernels/blur/engine.h"
#include "kernels/image/pixel_light.h"

extern const unsigned char blur_fatbin[];
extern const unsigned char blur_box_fatbin[];

/* ---- Kernels */

static enum fovea_result get_kernels(const struct cuda_device *device, struct blur_kernels *kernels)
{
    static const char *const names[][2] = {
        [BLUR_WAY_SAMPLES] = {"blur_load", "blur_store"},
        [BLUR_WAY_LEVELS] = {"blur_halve", "blur_double"},
        [BLUR_WAY_BOXES] = {"blur_box_rows", "blur_box_columns"}};
    const struct cuda_named_kernel works[] = {
        {"blur_box", &kernels->works[BLUR_LINE_BOX], 0},
        {"blur_tent", &kernels->works[BLUR_LINE_TENT], 0},
        {"blur_halve", &kernels->works[BLUR_LEVEL_HALVE], 0},
        {"blur_widen", &kernels->works[BLUR_LEVEL_WIDEN], 0},
        {"blur_double", &kernels->works[BLUR_LEVEL_DOUBLE], 0},
        {"blur_heat", &kernels->works[BLUR_HEAT_EVERYWHERE], 0},
        {"blur_heat_within_edges", &kernels->works[BLUR_HEAT_WITHIN_EDGES], 0}};
    const uint32_t levels = 1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_RGB8 |
                            1u << FOVEA_FORMAT_R8 | 1u << FOVEA_FORMAT_A2B10G10R10;
    for (int way = 0; way < BLUR_WAY_PLANES; way++) {
        const bool boxes = way == BLUR_WAY_BOXES;
        const CUmodule module = boxes ? kernels->boxes : kernels->module;
        const uint32_t formats = boxes ? levels : CUDA_EVERY_FORMAT;
        FOVEA_TRY(cuda_kernels_get(device, module, names[way][0], formats, &kernels->first[way]));
        FOVEA_TRY(cuda_kernels_get(device, module, names[way][1], formats, &kernels->last[way]));
    }
    FOVEA_TRY(cuda_device_shared_bytes(device, &kernels->shared_bytes));
    FOVEA_TRY(
        cuda_kernels_allow_shared(device, &kernels->first[BLUR_WAY_BOXES], kernels->shared_bytes));
    FOVEA_TRY(
        cuda_kernels_allow_shared(device, &kernels->last[BLUR_WAY_BOXES], kernels->shared_bytes));
    return cuda_kernels_get_named(device, kernels->module, works, sizeof works / sizeof *works);
}

void blur_kernels_unload(const struct cuda_device *device, struct blur_kernels *kernels)
{
    cuda_module_unload(device, &kernels->module);
    cuda_module_unload(device, &kernels->boxes);
    cuda_module_unload(device, &kernels->planes);
}

enum fovea_result blur_kernels_load(const struct cuda_device *device, struct blur_kernels *kernels)
{
    if (kernels->module) {
        return FOVEA_OK;
    }
    enum fovea_result result = cuda_module_load(device, blur_fatbin, &kernels->module);
    result = result < 0 ? result : cuda_module_load(device, blur_box_fatbin, &kernels->boxes);
    result = result < 0 ? result : get_kernels(device, kernels);
    if (result < 0) {
        cuda_module_unload(device, &kernels->module);
        cuda_module_unload(device, &kernels->boxes);
    }
    return result;
}

/* ---- Passes */

/* A thread makes some samples, or four pixels. */
static void launch_level(struct blur_run *run, const struct blur_pass *pass)
{
    const bool first = pass->from_source;
    const struct blur_pass_frame *frame = &run->passes.frame;
    const struct blur_pass_level *made = &pass->constants.level.made;
    const int32_t width = first ? made->pitch : frame->width_px / 2 + 1;
    const int32_t height = first ? (int32_t)cuda_parts(made->last_y - made->first + 1, BLUR_HALVED)
                                 : frame->height_px / 2 + 1;
    const struct cuda_launch launch =
        cuda_launch_over(first ? run->first : run->last, width, height, run->count,
                         BLUR_CUDA_SIDE_X, BLUR_CUDA_SIDE_Y);
    run->work->level = pass->constants.level;
    run->result = cuda_launch(run->device, run->stream, &launch, run->work);
}

static void launch_pass(struct blur_passes *passes, const struct blur_pass *pass)
{
    struct blur_run *run = (struct blur_run *)passes;
    if (run->result < 0) {
        return;
    }
    if (run->way == BLUR_WAY_LEVELS && (pass->from_source || pass->to_result)) {
        launch_level(run, pass);
        return;
    }
    struct blur_pass_params params = {.constants = pass->constants,
                                      .samples = run->memory,
                                      .next_samples = run->frame.next_samples,
                                      .averages_alpha = run->averages_alpha};
    if (pass->from_source) {
        params.constants.frame.from = (int32_t)run->between;
    }
    if (pass->to_result) {
        params.constants.frame.to = (int32_t)(run->between + blur_view_samples(passes->plan));
    }
    struct cuda_launch launch = {.kernel = run->kernels->works[pass->work],
                                 .blocks = {pass->groups[0], pass->groups[1], run->count},
                                 .threads = {BLUR_LINE_GROUP, 1}};
    if (pass->work >= BLUR_HEAT_EVERYWHERE) {
        launch.blocks[0] = cuda_parts(passes->frame.width_px, BLUR_CUDA_HEAT_MADE);
        launch.blocks[1] = cuda_parts(passes->frame.height_px, BLUR_CUDA_HEAT_MADE);
        launch.threads[0] = BLUR_CUDA_HEAT_THREADS;
    } else if (pass->work >= BLUR_LEVEL_HALVE) {
        launch.threads[0] = launch.threads[1] = BLUR_LEVEL_SIDE;
    } else if (pass->work == BLUR_LINE_BOX) {
        launch.threads[0] = BLUR_BOX_THREADS;
    }
    run->result = cuda_launch(run->device, run->stream, &launch, &params);
}

/* ---- Images */

/* In other lights than these 16 bits are too few for the dark. */
static enum blur_way way_of(const struct blur_run *run)
{
    const struct blur_plan *plan = run->passes.plan;
    const struct blur_passes_engine *passes = plan->engine->passes;
    const bool narrow = pixel_light_known(run->format) && run->frame.light <= IMAGE_LIGHT_SRGB;
    return !passes && run->fft->planes.precise                        ? BLUR_WAY_PRECISE_PLANES
           : !passes                                                  ? BLUR_WAY_PLANES
           : passes == &blur_passes_box && narrow                     ? BLUR_WAY_BOXES
           : passes == &blur_passes_quasi && plan->pyramid.levels > 0 ? BLUR_WAY_LEVELS
                                                                      : BLUR_WAY_SAMPLES;
}

struct blur_run blur_run_make(const struct blur_run *given)
{
    struct blur_run run = *given;
    const struct blur_plan *plan = run.passes.plan;
    const struct blur_image_frame *frame = &run.frame;
    const struct pixel_codec *codec = pixel_codec_of(run.format);
    run.passes =
        (struct blur_passes){.plan = plan,
                             .frame = {.width_px = frame->width_px, .height_px = frame->height_px},
                             .white = blur_passes_white(frame->light, run.format),
                             .colors = (int32_t)codec->color_channels,
                             .emit = launch_pass};
    run.way = way_of(&run);
    run.between = plan->engine->passes ? plan->engine->passes->samples(plan) : 0;
    run.averages_alpha = frame->averages_alpha && codec->has_alpha;
    run.frame.samples = run.memory;
    run.frame.next_samples = (int64_t)(run.next_bytes / BLUR_SAMPLE_BYTES);
    return run;
}

static enum fovea_result launch_image(const struct blur_run *run, bool made)
{
    struct blur_image_frame *frame = &run->work->frame;
    const uint64_t first = run->between + (made ? blur_view_samples(run->passes.plan) : 0);
    frame->samples = run->memory + BLUR_SAMPLE_BYTES * first;
    const struct cuda_launch launch =
        cuda_launch_over(made ? run->last : run->first, frame->width_px, frame->height_px,
                         run->count, BLUR_CUDA_SIDE_X, BLUR_CUDA_SIDE_Y);
    return cuda_launch(run->device, run->stream, &launch, run->work);
}

/* Parameters of kernels of images, which begin with the work. */
union image_params {
    struct blur_linear_params linear;
    struct blur_surface_params surface;
};

static enum fovea_result run_passes(struct blur_run *run)
{
    union image_params params;
    if (run->surfaces) {
        params.surface = (struct blur_surface_params){
            .work.frame = run->frame, .src = run->src.data, .dst = run->dst.data};
    } else {
        params.linear =
            (struct blur_linear_params){.work.frame = run->frame, .src = run->src, .dst = run->dst};
    }
    run->work = &params.linear.work;
    run->result = FOVEA_OK;
    if (run->way == BLUR_WAY_BOXES) {
        return blur_run_boxes(run);
    }
    const bool apart = run->way == BLUR_WAY_SAMPLES;
    FOVEA_TRY(apart ? launch_image(run, false) : FOVEA_OK);
    run->passes.plan->engine->passes->add(&run->passes);
    FOVEA_TRY(run->result);
    return apart ? launch_image(run, true) : FOVEA_OK;
}

enum fovea_result blur_run_images(struct blur_run *run)
{
    const struct cuda_kernels *first = &run->kernels->first[run->way];
    const struct cuda_kernels *last = &run->kernels->last[run->way];
    run->first = (run->surfaces ? first->surface : first->linear)[run->format];
    run->last = (run->surfaces ? last->surface : last->linear)[run->format];
    return run->way >= BLUR_WAY_PLANES ? blur_fft_run(run) : run_passes(run);
}
