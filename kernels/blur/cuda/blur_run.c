/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels of engines with passes, and images that go through them. The view's samples, as they are
 * read and then as they are made, are behind those between passes. */

#include "blur_cuda.h"

#include "kernels/blur/engine.h"
#include "kernels/image/pixel_light.h"

extern const unsigned char blur_fatbin[];
extern const unsigned char blur_box_fatbin[];

/* ---- Kernels */

static enum fovea_result get_works(const struct cuda_device *device, struct blur_kernels *kernels)
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
    for (int i = 0; i < BLUR_WORKS; i++) {
        FOVEA_TRY(cuda_device_get_kernel(device, kernels->module, names[i], &kernels->works[i]));
    }
    return FOVEA_OK;
}

static enum fovea_result allow_shared(const struct cuda_device *device, int32_t bytes,
                                      const struct cuda_kernels *kernels)
{
    for (int i = 0; i < 2 * CUDA_FORMATS; i++) {
        const CUfunction kernel = i % 2 ? kernels->linear[i / 2] : kernels->surface[i / 2];
        if (kernel) {
            CU_TRY(device->log, device->cu,
                   device->cu->FuncSetAttribute(
                       kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result get_kernels(const struct cuda_device *device, struct blur_kernels *kernels)
{
    static const char *const names[BLUR_WAYS][2] = {
        [BLUR_WAY_SAMPLES] = {"blur_load", "blur_store"},
        [BLUR_WAY_LEVELS] = {"blur_halve", "blur_double"},
        [BLUR_WAY_BOXES] = {"blur_box_rows", "blur_box_columns"}};
    const uint32_t levels = 1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_RGB8 |
                            1u << FOVEA_FORMAT_R8 | 1u << FOVEA_FORMAT_A2B10G10R10;
    for (int way = 0; way < BLUR_WAYS; way++) {
        const bool boxes = way == BLUR_WAY_BOXES;
        const CUmodule module = boxes ? kernels->boxes : kernels->module;
        const uint32_t formats = boxes ? levels : CUDA_EVERY_FORMAT;
        FOVEA_TRY(cuda_kernels_get(device, module, names[way][0], formats, &kernels->first[way]));
        FOVEA_TRY(cuda_kernels_get(device, module, names[way][1], formats, &kernels->last[way]));
    }
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&kernels->shared_bytes,
                                          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                          device->handle));
    FOVEA_TRY(allow_shared(device, kernels->shared_bytes, &kernels->first[BLUR_WAY_BOXES]));
    FOVEA_TRY(allow_shared(device, kernels->shared_bytes, &kernels->last[BLUR_WAY_BOXES]));
    return get_works(device, kernels);
}

void blur_kernels_unload(const struct cuda_device *device, struct blur_kernels *kernels)
{
    cuda_module_unload(device, &kernels->module);
    cuda_module_unload(device, &kernels->boxes);
}

enum fovea_result blur_kernels_load(const struct cuda_device *device, struct blur_kernels *out)
{
    enum fovea_result result = cuda_module_load(device, blur_fatbin, &out->module);
    result = result < 0 ? result : cuda_module_load(device, blur_box_fatbin, &out->boxes);
    result = result < 0 ? result : get_kernels(device, out);
    if (result < 0) {
        blur_kernels_unload(device, out);
    }
    return result;
}

/* ---- Passes */

static struct blur_run *run_of(struct blur_passes *passes)
{
    return (struct blur_run *)passes;
}

/* A thread makes a sample, or four pixels. */
static void launch_level(struct blur_run *run, const struct blur_pass *pass)
{
    const bool first = pass->from_source;
    const struct blur_pass_frame *frame = &run->passes.frame;
    const struct blur_pass_level *made = &pass->constants.level.made;
    const int32_t width = first ? made->pitch : frame->width_px / 2 + 1;
    const int32_t height = first ? made->last_y - made->first + 1 : frame->height_px / 2 + 1;
    const struct cuda_launch launch = {.kernel = first ? run->first : run->last,
                                       .blocks = {cuda_parts(width, BLUR_CUDA_SIDE_X),
                                                  cuda_parts(height, BLUR_CUDA_SIDE_Y), run->count},
                                       .threads = {BLUR_CUDA_SIDE_X, BLUR_CUDA_SIDE_Y}};
    run->work->level = pass->constants.level;
    run->result = cuda_launch(run->device, run->stream, &launch, run->work);
}

static void launch_pass(struct blur_passes *passes, const struct blur_pass *pass)
{
    struct blur_run *run = run_of(passes);
    if (run->result < 0) {
        return;
    }
    if (run->way == BLUR_WAY_LEVELS && (pass->from_source || pass->to_result)) {
        launch_level(run, pass);
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
    }
    run->result = cuda_launch(run->device, run->stream, &launch, &params);
}

/* ---- Images */

/* In other lights than these 16 bits are too few for the dark. */
static enum blur_way way_of(const struct blur_plan *plan, int32_t light, enum fovea_format format)
{
    const struct blur_passes_engine *passes = plan->engine->passes;
    const bool narrow = pixel_light_known(format) && light <= IMAGE_LIGHT_SRGB;
    return passes == &blur_passes_box && narrow                       ? BLUR_WAY_BOXES
           : passes == &blur_passes_quasi && plan->pyramid.levels > 0 ? BLUR_WAY_LEVELS
                                                                      : BLUR_WAY_SAMPLES;
}

struct blur_run blur_run_make(const struct blur_plan *plan, const struct blur_kernels *kernels,
                              const struct cuda_device *device, CUstream stream,
                              const struct blur_image_frame *frame, enum fovea_format format,
                              uint64_t samples, uint64_t next_samples)
{
    const struct pixel_codec *codec = pixel_codec_of(format);
    return (struct blur_run){
        .passes = {.plan = plan,
                   .frame = {.width_px = frame->width_px, .height_px = frame->height_px},
                   .white = blur_passes_white(frame->light, format),
                   .colors = (int32_t)codec->color_channels,
                   .emit = launch_pass},
        .kernels = kernels,
        .device = device,
        .stream = stream,
        .count = 1,
        .way = way_of(plan, frame->light, format),
        .samples = samples,
        .next_samples = next_samples,
        .between = plan->engine->passes->samples(plan),
        .averages_alpha = frame->averages_alpha && codec->has_alpha};
}

static enum fovea_result launch_image(const struct blur_run *run, bool made)
{
    struct blur_image_frame *frame = &run->work->frame;
    const uint64_t first = run->between + (made ? blur_view_samples(run->passes.plan) : 0);
    frame->samples = run->samples + BLUR_SAMPLE_BYTES * first;
    const struct cuda_launch launch = {.kernel = made ? run->last : run->first,
                                       .blocks = {cuda_parts(frame->width_px, BLUR_CUDA_SIDE_X),
                                                  cuda_parts(frame->height_px, BLUR_CUDA_SIDE_Y),
                                                  run->count},
                                       .threads = {BLUR_CUDA_SIDE_X, BLUR_CUDA_SIDE_Y}};
    return cuda_launch(run->device, run->stream, &launch, run->work);
}

enum fovea_result blur_run_images(struct blur_run *run, struct blur_image_work *work)
{
    work->frame.samples = run->samples;
    work->frame.next_samples = (int64_t)run->next_samples;
    run->work = work;
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
