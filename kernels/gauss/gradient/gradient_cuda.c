/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients on CUDA: two launches a node and gradient. The images of a batch that fit in
 * MOST_BATCH_BYTES go through all of them together, then the next ones. */

#include "launch.h"

#include "core/bounds.h"
#include "core/log.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/pixel.h"

#include <stdlib.h>

extern const unsigned char gauss_gradient_fatbin[];

#define MOST_BATCH_BYTES ((uint64_t)256 << 20)
#define MOST_IN_A_GRID 65535 /* along z */

/* ---- Kernels */

static struct gauss_cuda_gradient *own(struct operator_cuda *cuda)
{
    return (struct gauss_cuda_gradient *)cuda;
}

static struct gauss_cuda_gradient_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct gauss_cuda_gradient_plan *)plan;
}

static enum fovea_result load(struct operator_cuda *cuda)
{
    struct gauss_cuda_gradient *g = own(cuda);
    static const uint32_t formats = CUDA_32_BIT_FLOATS | 1u << FOVEA_FORMAT_RGBA16F |
                                    1u << FOVEA_FORMAT_RGB16F | 1u << FOVEA_FORMAT_R16F;
    const struct cuda_device *device = cuda->device;
    const struct cuda_named_kernel kernels[] = {
        {"gradient_places", &g->places, 0},       {"gradient_columns", &g->columns, 0},
        {"gradient_rows", &g->rows, 0},           {"gradient_node_rows", &g->node_rows, 0},
        {"gradient_node_dots", &g->node_dots, 0}, {"gradient_gaze_parts", &g->gaze_parts, 0},
        {"gradient_gaze", &g->gaze, 0},           {"gradient_sigmas", &g->sigmas, 0}};
    FOVEA_TRY(gaze_cuda_load(device, &g->gaze_kernels));
    FOVEA_TRY(cuda_module_load(device, gauss_gradient_fatbin, &g->module));
    FOVEA_TRY(cuda_kernels_get_linear(device, g->module, "gradient_read", formats, &g->read));
    FOVEA_TRY(cuda_kernels_get_linear(device, g->module, "gradient_write", formats, &g->write));
    FOVEA_TRY(cuda_kernels_get_named(device, g->module, kernels, sizeof kernels / sizeof *kernels));
    return operator_cuda_make_upload(cuda);
}

static void unload(struct operator_cuda *cuda)
{
    gaze_cuda_unload(cuda->device, &own(cuda)->gaze_kernels);
    cuda_module_unload(cuda->device, &own(cuda)->module);
}

/* ---- Plans */

static void plan_finish(struct operator_cuda_plan *plan)
{
    gauss_gradient_tables_finish(&own_plan(plan)->tables);
    gauss_gradient_plan_finish(&own_plan(plan)->laws);
}

/* An image's scratch memory, in floats. A plane of any level and of the picture fits between. */
static void lay_out(const struct gauss_gradient_tables *tables,
                    struct gauss_cuda_gradient_plan *plan)
{
    struct gauss_gradient_params *params = &plan->params;
    const int64_t channels = 4;
    const int64_t pixels = (int64_t)tables->width_px * tables->height_px;
    int64_t width = 0;
    int64_t height = 0;
    params->places = 0;
    params->dots = pixels;
    params->derivative = 2 * pixels;
    /* A pixel's two doubles take its place in the end, at a multiple of 8 bytes. */
    _Static_assert(4 * sizeof(float) == 2 * sizeof(double), "gradient_gaze_parts writes doubles");
    int64_t at = params->derivative + channels * pixels;
    for (int32_t k = 0; k < tables->level_count; k++) {
        const struct gauss_gradient_level *level = &tables->levels[k];
        plan->levels[k] = at;
        at += channels * level->width * level->height;
        width = level->width > width ? level->width : width;
        height = level->height > height ? level->height : height;
    }
    plan->between = at;
    /* doubles in them are aligned */
    params->next_floats = (at + channels * width * height + 1) / 2 * 2;
}

static enum fovea_result upload(struct operator_cuda *cuda, struct gauss_cuda_gradient_plan *plan)
{
    const struct gauss_gradient_tables *tables = &plan->tables;
    const struct gauss_plan *source = plan->plan;
    const struct gauss_plan *laws = &plan->laws.view;
    struct gauss_gradient_params *params = &plan->params;
    const struct operator_cuda_part parts[] = {
        {&params->rows, tables->rows, tables->row_count * sizeof *tables->rows},
        {&params->weights, tables->weights, tables->weight_count * sizeof *tables->weights},
        {&plan->stepped.table, source->law_table, (size_t)source->law.table_count * sizeof(float)},
        {&plan->even.table, laws->law_table, (size_t)laws->law.table_count * sizeof(float)}};
    return operator_cuda_plan_fill(cuda, &plan->base, parts, sizeof parts / sizeof *parts);
}

static enum fovea_result plan_fill(struct operator_cuda *cuda, const struct operator_plan *source,
                                   enum fovea_format format, struct operator_cuda_plan *filled)
{
    struct gauss_cuda_gradient_plan *plan = own_plan(filled);
    const struct gauss_plan *of = (const struct gauss_plan *)source;
    (void)format; /* scratch memory has floats */
    plan->plan = of;
    FOVEA_TRY(gauss_gradient_plan_init(&plan->laws, of));
    FOVEA_TRY(gauss_gradient_tables_init(&plan->tables, &plan->laws.view));
    plan->params = (struct gauss_gradient_params){.width = (int32_t)of->width_px,
                                                  .height = (int32_t)of->height_px,
                                                  .node_count = plan->tables.node_count};
    lay_out(&plan->tables, plan);
    plan->stepped.law = of->law;
    plan->stepped.fragment_px = (int32_t)of->fragment_px;
    plan->stepped.looks_at_gaze = source->api->looks_at_gaze;
    plan->even = plan->stepped;
    plan->even.law = plan->laws.view.law;
    plan->even.fragment_px = 0;
    return upload(cuda, plan);
}

/* ---- Memory of batches */

static uint64_t gazes_bytes(uint32_t capacity)
{
    const uint64_t line_bytes = 256;
    const uint64_t bytes = capacity * (uint64_t)(GAZE_CUDA_BYTES + 2 * sizeof(float));
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/* The other foveas, behind the gazes; 0: there are none. */
static uint64_t others_at(const struct gauss_cuda_gradient_plan *plan,
                          const struct operator_derivatives *batch)
{
    return operator_derivatives_foveas(batch) > 1
               ? plan->base.batch->memory + batch->count * (uint64_t)GAZE_CUDA_BYTES
               : 0;
}

/* The gazes' derivatives, behind all foveas. */
static uint64_t d_gazes_at(const struct gauss_cuda_gradient_plan *plan)
{
    return plan->base.batch->memory + plan->gaze_capacity * (uint64_t)GAZE_CUDA_BYTES;
}

static enum fovea_result reserve(struct operator_cuda *cuda, struct operator_cuda_plan *of,
                                 const struct operator_derivatives *batch)
{
    struct gauss_cuda_gradient_plan *plan = own_plan(of);
    const uint64_t image_bytes = (uint64_t)plan->params.next_floats * sizeof(float);
    uint32_t images = bounds_smaller_u32(
        image_slice_capacity(batch->count, image_bytes, MOST_BATCH_BYTES), MOST_IN_A_GRID);
    uint32_t gazes = image_slice_capacity(batch->count * operator_derivatives_foveas(batch), 0, 0);
    if (images <= plan->image_capacity && gazes <= plan->gaze_capacity) {
        return FOVEA_OK;
    }
    images = images > plan->image_capacity ? images : plan->image_capacity;
    gazes = gazes > plan->gaze_capacity ? gazes : plan->gaze_capacity;
    FOVEA_TRY(operator_cuda_plan_grow(cuda, of, gazes_bytes(gazes) + images * image_bytes));
    plan->image_capacity = images;
    plan->gaze_capacity = gazes;
    return FOVEA_OK;
}

/* ---- A batch */

static enum fovea_result fill_gazes(const struct gauss_cuda_gradient *gradient,
                                    const struct gauss_cuda_gradient_plan *plan,
                                    const struct operator_derivatives *batch, CUstream stream)
{
    const struct gaze_cuda_run gazes = {.device = gradient->base.device,
                                        .kernels = &gradient->gaze_kernels,
                                        .width_px = plan->params.width,
                                        .height_px = plan->params.height,
                                        .stream = stream,
                                        .table = plan->base.batch->memory,
                                        .gazes_uv = batch->gazes_uv,
                                        .on_device = batch->gazes_on_device,
                                        .count = batch->count};
    return gaze_cuda_fill_foveas(&gazes, operator_derivatives_foveas(batch),
                                 others_at(plan, batch));
}

static enum fovea_result run_slices(const struct gauss_cuda_gradient *gradient,
                                    const struct gauss_cuda_gradient_plan *plan,
                                    const struct operator_derivatives *batch, CUstream stream)
{
    const struct pixel_codec *codec = pixel_codec_of(batch->d_dst->format);
    const bool alpha = codec->has_alpha && plan->plan->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
    const uint32_t foveas = operator_derivatives_foveas(batch);
    const uint64_t others = others_at(plan, batch);
    const uint64_t d_gazes =
        batch->gazes_on_device ? (uint64_t)(uintptr_t)batch->d_gazes_uv : d_gazes_at(plan);
    struct gauss_gradient_slice slice = {.gradient = gradient,
                                         .plan = plan,
                                         .format = batch->d_dst->format,
                                         .stream = stream,
                                         .params = plan->params};
    slice.params.channels = (int32_t)codec->color_channels + alpha;
    slice.params.other_count = (int32_t)foveas - 1;
    slice.params.scratch = plan->base.batch->memory + gazes_bytes(plan->gaze_capacity);
    if (plan->stepped.looks_at_gaze) {
        FOVEA_TRY(fill_gazes(gradient, plan, batch, stream));
    }
    for (uint32_t first = 0; first < batch->count; first += slice.count) {
        slice.count = bounds_smaller_u32(batch->count - first, plan->image_capacity);
        slice.params.gazes = plan->base.batch->memory + first * (uint64_t)GAZE_CUDA_BYTES;
        slice.params.others = others + first * (foveas - 1) * (uint64_t)GAZE_CUDA_BYTES;
        slice.params.d_gazes_uv = d_gazes + first * foveas * (uint64_t)(2 * sizeof(float));
        FOVEA_TRY(gauss_gradient_launch(&slice, batch, first));
    }
    return FOVEA_OK;
}

static enum fovea_result fetch_d_gazes(const struct gauss_cuda_gradient *gradient,
                                       const struct gauss_cuda_gradient_plan *plan,
                                       const struct operator_derivatives *batch, CUstream stream)
{
    const struct cuda_device *device = gradient->base.device;
    CU_TRY(device->log, device->cu, device->cu->StreamSynchronize(stream));
    CU_TRY(device->log, device->cu,
           device->cu->MemcpyDtoH(batch->d_gazes_uv, d_gazes_at(plan),
                                  2 * sizeof(float) * batch->count *
                                      operator_derivatives_foveas(batch)));
    return FOVEA_OK;
}

/* The next batch writes over the scratch memory: it follows on its stream. The plan's own block is
 * read for its tables, and stays as long. */
static enum fovea_result run(struct operator_cuda *cuda, struct operator_cuda_plan *of,
                             const struct operator_derivatives *batch, CUstream stream)
{
    const struct gauss_cuda_gradient *gradient = own(cuda);
    const struct gauss_cuda_gradient_plan *plan = own_plan(of);
    if (!cuda_kernels_has(gradient->read.linear, batch->d_dst->format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(cuda_uses_follow(cuda->device, &of->batch->uses, stream));
    FOVEA_TRY(operator_cuda_note(cuda, of->batch, stream, false,
                                 run_slices(gradient, plan, batch, stream)));
    return batch->d_gazes_uv && !batch->gazes_on_device
               ? fetch_d_gazes(gradient, plan, batch, stream)
               : FOVEA_OK;
}

const struct operator_cuda_gradient_api gauss_operator_cuda_gradient = {
    .kind = {.bytes = sizeof(struct gauss_cuda_gradient),
             .plan_bytes = sizeof(struct gauss_cuda_gradient_plan),
             .load = load,
             .unload = unload,
             .plan_fill = plan_fill,
             .plan_finish = plan_finish},
    .reserve = reserve,
    .run = run,
};
