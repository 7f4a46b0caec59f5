/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The steps of dof.h in their order. A frame has its pictures in the plan's memory, a batch in
 * memory of its own, in slices where it is large. Whether anything is near is known on the device
 * alone: what then has nothing to do is launched all the same, and returns at once. */

#include "dof_cuda.h"

#include "core/bounds.h"
#include "core/log.h"
#include "kernels/gauss/cuda/gauss_cuda.h"
#include "kernels/gauss/plan/ladder.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/pixel.h"
#include "kernels/image/pixel_light.h"

#define MOST_BATCH_BYTES ((uint64_t)512 << 20)
#define MOST_IN_A_GRID 21845 /* along z, of three layers each */
/* That share a layer's quarters or a level's tiles: blocks without any cost time, too. */
#define MOST_BLOCKS 1024

/* Images that are under way together. */
struct dof_run {
    struct dof_cuda *dof;
    const struct dof_plan *plan;
    struct dof_cuda_plan *own;
    const struct operator_cuda_run *of;
    struct dof_cuda_frame *frame; /* in the parameters of kernels of images */
    void *params;
    CUfunction layers;
    CUfunction compose;
    uint32_t count;
    const struct fovea_depth *depth; /* of the first */
    struct operator_focus *focuses;
    uint64_t gazes; /* a table on the device; 0: the frame's is for all */
    CUfunction picture; /* of layers of halves */
    int32_t blend; /* enum gauss_blend, of the same */
    struct dof_cuda_discs_run discs;
};

static enum fovea_result launch(const struct dof_run *run, const struct cuda_launch *launch,
                                void *params)
{
    return cuda_launch(run->dof->base.device, run->of->stream, launch, params);
}

/* ---- Sigmas */

static enum fovea_result find_focus(const struct dof_run *run)
{
    const struct operator_frame *frame = run->of->frame;
    struct dof_cuda_focus_params params = {.frame = *run->frame,
                                           .optics = run->plan->optics,
                                           .scale = dof_scale_of(run->depth),
                                           .depth = *run->depth,
                                           .kept = (uintptr_t)run->focuses,
                                           .gazes = run->gazes,
                                           .gaze_q8 = {frame->gaze_x_q8, frame->gaze_y_q8},
                                           .blind = frame->blind,
                                           .count = (int32_t)run->count};
    return launch(run,
                  &(struct cuda_launch){
                      .kernel = run->dof->focus,
                      .blocks = {cuda_parts((int32_t)run->count, DOF_CUDA_FOCUS_THREADS), 1, 1},
                      .threads = {DOF_CUDA_FOCUS_THREADS, 1}},
                  &params);
}

static struct cuda_launch of_groups(const struct dof_run *run, CUfunction kernel, uint32_t down)
{
    return (struct cuda_launch){.kernel = kernel,
                                .blocks = {(uint32_t)run->frame->group_columns,
                                           (uint32_t)run->frame->group_rows, run->count},
                                .threads = {DOF_CUDA_SIDE_X, down}};
}

static struct cuda_launch of_quarters(const struct dof_run *run, CUfunction kernel)
{
    struct cuda_launch launch = of_groups(run, kernel, DOF_CUDA_SIDE_Y);
    launch.blocks[0] *= 2;
    launch.blocks[1] *= 2;
    return launch;
}

static enum fovea_result find_sigmas(const struct dof_run *run)
{
    const struct dof_scale scale = dof_scale_of(run->depth);
    struct dof_cuda_sigmas_params params = {.frame = *run->frame,
                                            .depth = *run->depth,
                                            .start = (float)scale.start,
                                            .step = (float)scale.step,
                                            .is_distance = scale.is_distance};
    const struct cuda_launch offsets = of_groups(run, run->dof->offsets, DOF_CUDA_GROUP_TILES);
    const struct cuda_launch spread = of_groups(run, run->dof->spread, DOF_CUDA_SPREAD_Y);
    const struct cuda_launch means = of_quarters(run, run->dof->means);
    FOVEA_TRY(launch(run, &offsets, &params));
    FOVEA_TRY(launch(run, &spread, &params));
    return run->frame->are_floats ? launch(run, &means, &params) : FOVEA_OK;
}

/* ---- The machine */

/* Pictures that follow each other. */
struct blurred {
    enum fovea_format format;
    uint64_t from;
    uint64_t to;
    uint64_t wanted;
    uint32_t count;
    uint32_t apart; /* pictures from one to the next */
    bool is_alpha; /* which is no light */
};

static struct fovea_image image_of(const struct dof_run *run, enum fovea_format format,
                                   uint64_t memory)
{
    const ptrdiff_t bytes = (ptrdiff_t)pixel_codec_of(format)->bytes;
    return (struct fovea_image){.data = (void *)(uintptr_t)memory,
                                .width_px = run->plan->machine.width_px,
                                .height_px = run->plan->machine.height_px,
                                .format = format,
                                .memory = FOVEA_MEMORY_CUDA,
                                .row_stride_bytes = bytes * run->frame->pitch_px,
                                .pixel_stride_bytes = bytes};
}

static ptrdiff_t next_of(const struct fovea_image *image, uint32_t apart)
{
    return (ptrdiff_t)apart * (ptrdiff_t)image->height_px * image->row_stride_bytes;
}

static enum fovea_result blur(const struct dof_run *run, const struct blurred *blurred)
{
    const enum fovea_format value = run->frame->are_floats ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_R16F;
    const struct fovea_image src = image_of(run, blurred->format, blurred->from);
    const struct fovea_image dst = image_of(run, blurred->format, blurred->to);
    const struct fovea_image sigmas = image_of(run, value, run->frame->memory.sigmas);
    const struct operator_images images = {.count = blurred->count,
                                           .src = &src,
                                           .dst = &dst,
                                           .sigmas = &sigmas,
                                           .src_next_bytes = next_of(&src, blurred->apart),
                                           .dst_next_bytes = next_of(&dst, blurred->apart),
                                           .sigmas_next_bytes = next_of(&sigmas, blurred->apart)};
    const struct operator_frame frame =
        operator_frame_make(src.width_px, src.height_px, (struct fovea_point_uv){0.5, 0.5});
    const struct operator_cuda_run of_machine = {.plan = &run->own->machine.base,
                                                 .cuda_plan = dof_cuda_machine(run->own)->plan,
                                                 .frame = &frame,
                                                 .stream = run->of->stream,
                                                 .stream_kept = run->of->stream_kept};
    return gauss_cuda_run_layers(
        dof_cuda_machine(run->own)->kernels, &of_machine, &images,
        (struct gauss_cuda_layers){
            .wanted = blurred->wanted,
            .of_light = !blurred->is_alpha &&
                        (run->frame->light != IMAGE_LIGHT_STORED || run->of->frame->of_light)});
}

/* ---- The same of layers of halves, and only where that is looked at */

static struct dof_cuda_nodes_params nodes_of(const struct dof_run *run, int32_t layers)
{
    const struct operator_frame frame =
        operator_frame_make(run->plan->machine.width_px, run->plan->machine.height_px,
                            (struct fovea_point_uv){0.5, 0.5});
    struct dof_cuda_nodes_params params = {
        .frame = *run->frame,
        .machine = {.frame = gauss_frame_of(&run->own->machine, &frame),
                    .nodes = gauss_cuda_plan_of(dof_cuda_machine(run->own)->plan)->nodes},
        .layers = layers,
        .blend = run->blend};
    params.machine.nodes.samples = run->frame->memory.levels;
    params.machine.nodes.next_bytes = (int64_t)dof_cuda_level_bytes(run->own);
    return params;
}

static uint32_t tiles_along(int32_t samples)
{
    return cuda_parts(samples, GAUSS_NODES_TILE_PX);
}

/* Those of both layers and of means, which wait for no sigmas. As the machine does: once a level
 * has so few tiles, one block makes it and all further ones. */
static enum fovea_result make_levels(const struct dof_run *run)
{
    struct dof_cuda_nodes_params params = nodes_of(run, 3);
    const struct gauss_nodes *nodes = &params.machine.nodes;
    const struct gauss_nodes_level *level = &nodes->levels[1];
    if (nodes->level_count <= 1) {
        return FOVEA_OK;
    }
    FOVEA_TRY(
        launch(run,
               &(struct cuda_launch){.kernel = run->dof->level_1,
                                     .blocks = {(tiles_along(4 * level->fours) + 1) / 2,
                                                (tiles_along(level->rows) + 1) / 2, 3 * run->count},
                                     .threads = {32 * GAUSS_NODES_WARPS, 1},
                                     .shared_bytes = 4 * GAUSS_NODES_STAGE_BYTES},
               &params));
    params.last = 1;
    while (params.last < nodes->level_count - 1) {
        params.first = params.last + 1;
        level = &nodes->levels[params.first];
        const uint32_t tiles = gauss_nodes_tiles_of(level);
        const bool is_small = tiles <= GAUSS_NODES_TILES_OF_A_BLOCK;
        params.last = is_small ? nodes->level_count - 1 : params.first;
        FOVEA_TRY(
            launch(run,
                   &(struct cuda_launch){
                       .kernel = run->dof->levels,
                       .blocks = {is_small ? 1
                                           : bounds_smaller_u32(cuda_parts((int32_t)(4 * tiles),
                                                                           GAUSS_NODES_LEVEL_WARPS),
                                                                MOST_BLOCKS),
                                  1, 3 * run->count},
                       .threads = {32 * GAUSS_NODES_LEVEL_WARPS, 1}},
                   &params));
    }
    return FOVEA_OK;
}

/* Makes t of means, or both blurred layers. */
static enum fovea_result make_picture(const struct dof_run *run, uint32_t layers)
{
    struct dof_cuda_nodes_params params = nodes_of(run, (int32_t)layers);
    const uint32_t quarters =
        DOF_CUDA_QUARTERS * (uint32_t)run->frame->group_columns * (uint32_t)run->frame->group_rows;
    return launch(run,
                  &(struct cuda_launch){
                      .kernel = layers == 1 ? run->dof->picture_of_means : run->picture,
                      .blocks = {bounds_smaller_u32(quarters, MOST_BLOCKS), 1, layers * run->count},
                      .threads = {32 * GAUSS_NODES_WARPS, 1}},
                  &params);
}

static enum fovea_result blur_alpha(const struct dof_run *run, enum fovea_format format)
{
    const struct dof_cuda_memory *memory = &run->frame->memory;
    return blur(run, &(struct blurred){.format = format,
                                       .from = memory->alpha_layers,
                                       .to = memory->alpha_made,
                                       .wanted = memory->wanted,
                                       .count = 2 * run->count,
                                       .apart = 1,
                                       .is_alpha = true});
}

/* ---- Runs */

/* Layers of floats, which the machine makes whole. */
static enum fovea_result run_floats(const struct dof_run *run, const struct cuda_launch *layers,
                                    bool has_alpha)
{
    const struct dof_cuda_memory *memory = &run->frame->memory;
    struct blurred blurred = {.format = FOVEA_FORMAT_RGBA32F,
                              .from = memory->layers,
                              .to = memory->made,
                              .wanted = memory->wanted_means,
                              .count = run->count,
                              .apart = 2};
    FOVEA_TRY(blur(run, &blurred));
    FOVEA_TRY(launch(run, layers, run->params));
    FOVEA_TRY(dof_cuda_take_discs(&run->discs));
    blurred.wanted = memory->wanted;
    blurred.count = 2 * run->count;
    blurred.apart = 1;
    FOVEA_TRY(blur(run, &blurred));
    return has_alpha ? blur_alpha(run, FOVEA_FORMAT_R32F) : FOVEA_OK;
}

/* The frame is the caller's, and other kernels read it too. */
static enum fovea_result launch_alpha(const struct dof_run *run, const struct cuda_launch *layers)
{
    run->frame->makes_alpha = 1;
    const enum fovea_result result = launch(run, layers, run->params);
    run->frame->makes_alpha = 0;
    return result;
}

/* Layers of halves. Sigmas of alpha's are known once those of the near layer are. */
static enum fovea_result launch_halves(const struct dof_run *run, const struct cuda_launch *layers,
                                       bool has_alpha)
{
    FOVEA_TRY(launch(run, layers, run->params));
    FOVEA_TRY(dof_cuda_take_discs(&run->discs));
    FOVEA_TRY(make_levels(run));
    FOVEA_TRY(make_picture(run, 1));
    FOVEA_TRY(make_picture(run, 2));
    return has_alpha ? launch_alpha(run, layers) : FOVEA_OK;
}

static enum fovea_result run_halves(const struct dof_run *run, const struct cuda_launch *layers,
                                    bool has_alpha)
{
    const struct operator_cuda_inner_plan *machine = dof_cuda_machine(run->own);
    FOVEA_TRY(operator_cuda_note(machine->kernels, machine->plan->tables, run->of->stream,
                                 run->of->stream_kept, launch_halves(run, layers, has_alpha)));
    return has_alpha ? blur_alpha(run, FOVEA_FORMAT_R16F) : FOVEA_OK;
}

/* ---- Images */

static enum fovea_result run_images(const struct dof_run *run, enum fovea_format format)
{
    const bool has_alpha = run->frame->memory.alpha_layers && pixel_codec_of(format)->has_alpha;
    const struct cuda_launch layers = run->frame->are_floats
                                          ? of_quarters(run, run->layers)
                                          : of_groups(run, run->layers, DOF_CUDA_SIDE_Y);
    const struct cuda_launch compose = of_quarters(run, run->compose);
    FOVEA_TRY(find_focus(run));
    FOVEA_TRY(find_sigmas(run));
    FOVEA_TRY(run->frame->are_floats ? run_floats(run, &layers, has_alpha)
                                     : run_halves(run, &layers, has_alpha));
    FOVEA_TRY(dof_cuda_add_discs(&run->discs));
    return launch(run, &compose, run->params);
}

static uint64_t image_bytes(const struct dof_cuda_plan *own, enum fovea_format format)
{
    struct dof_cuda_frame frame;
    return dof_cuda_lay_out(own, dof_cuda_takes_floats(own->source, format), 1,
                            (struct dof_cuda_scratch){0, 1}, &frame);
}

static struct dof_cuda_scratch scratch_of(const struct dof_cuda_plan *own, enum fovea_format format,
                                          uint64_t memory)
{
    const bool of_one = memory == own->memory;
    return (struct dof_cuda_scratch){
        memory, of_one ? 1 : (uint32_t)(own->base.batch_bytes / image_bytes(own, format))};
}

/* Layers of floats are made whole, those of halves where they are looked at: what else they have
 * must not be bits of floats, which may be halves that are no numbers, and so slow. */
static enum fovea_result clear_floats(const struct operator_cuda *cuda,
                                      const struct operator_cuda_run *run, enum fovea_format format,
                                      bool alone)
{
    const struct cuda_device *device = cuda->device;
    struct dof_cuda_plan *own = dof_cuda_plan_of(run->cuda_plan);
    const bool are_floats = dof_cuda_takes_floats(own->source, format);
    bool *had_floats = alone ? &own->had_floats : &own->batch_had_floats;
    const uint64_t memory = alone ? own->memory : own->base.batch->memory;
    if (*had_floats && !are_floats) {
        /* A smaller batch may come first: all of the memory is cleared. */
        const uint64_t bytes = alone ? image_bytes(own, format) : own->base.batch_bytes;
        CU_TRY(device->log, device->cu, device->cu->MemsetD8Async(memory, 0, bytes, run->stream));
    }
    *had_floats = are_floats;
    return FOVEA_OK;
}

static struct dof_run start(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                            enum fovea_format format, uint64_t memory, uint32_t count,
                            struct dof_cuda_frame *frame)
{
    const struct dof_plan *plan = dof_plan_of(run->plan);
    const struct dof_cuda *dof = dof_cuda_of(cuda);
    const int32_t light = gauss_plan_light(&plan->machine);
    const bool is_light = pixel_light_known(format);
    struct dof_cuda_plan *own = dof_cuda_plan_of(run->cuda_plan);
    dof_cuda_lay_out(own, dof_cuda_takes_floats(plan, format), count,
                     scratch_of(own, format, memory), frame);
    frame->origin_x_px = run->frame->origin_x_px;
    frame->origin_y_px = run->frame->origin_y_px;
    frame->light =
        is_light ? image_light_in_order(light, run->frame->blue_first) : IMAGE_LIGHT_STORED;
    frame->light_value = gauss_plan_light_value(&plan->machine);
    frame->light_samples = own->light_samples;
    const bool is_stored_bytes =
        frame->light == IMAGE_LIGHT_STORED && pixel_codec_of(format)->align_bytes == 1;
    return (struct dof_run){
        .dof = dof_cuda_of(cuda),
        .plan = plan,
        .own = own,
        .of = run,
        .frame = frame,
        .count = count,
        .discs = {dof, frame, plan->optics.has_discs ? memory : 0, count, run->stream},
        .picture = !is_light         ? dof->picture_of_floats
                   : is_stored_bytes ? dof->picture_of_bytes
                                     : dof->picture_of_light,
        .blend = is_light ? GAUSS_BLEND_LIGHT : GAUSS_BLEND_FLOATS};
}

enum fovea_result dof_cuda_run_surface(struct operator_cuda *cuda,
                                       const struct operator_cuda_run *run,
                                       enum fovea_format format, CUsurfObject src, CUsurfObject dst)
{
    const struct dof_cuda *dof = dof_cuda_of(cuda);
    struct cuda_block *block = run->cuda_plan->tables;
    if (!cuda_kernels_has(dof->layers.surface, format) || !run->depth || !run->focuses) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct dof_cuda_surface_params params = {.src = src, .dst = dst};
    struct dof_run images =
        start(cuda, run, format, dof_cuda_plan_of(run->cuda_plan)->memory, 1, &params.frame);
    images.params = &params;
    images.layers = dof->layers.surface[format];
    images.compose = dof->compose.surface[format];
    images.depth = run->depth;
    images.focuses = run->focuses;
    images.gazes = run->gazes;
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    FOVEA_TRY(clear_floats(cuda, run, format, true));
    return operator_cuda_note(cuda, block, run->stream, run->stream_kept,
                              run_images(&images, format));
}

/* ---- Batches */

/* Those that a program gives without one have the frame's. */
static enum fovea_result fill_gazes(const struct dof_run *run, const struct operator_images *images,
                                    uint32_t first)
{
    const struct gaze_cuda_run gazes = {.device = run->dof->base.device,
                                        .kernels = &run->dof->gaze,
                                        .width_px = run->frame->width_px,
                                        .height_px = run->frame->height_px,
                                        .stream = run->of->stream,
                                        .table = run->frame->memory.gazes,
                                        .gazes_uv = operator_gaze_of(images, first),
                                        .group = 1,
                                        .apart = operator_foveas_of(images),
                                        .on_device = images->gazes_on_device,
                                        .count = run->count};
    return gaze_cuda_fill(&gazes);
}

static enum fovea_result run_slice(struct operator_cuda *cuda, const struct operator_cuda_run *of,
                                   const struct operator_images *images, uint64_t memory,
                                   uint32_t first, uint32_t count)
{
    const struct dof_cuda *dof = dof_cuda_of(cuda);
    const enum fovea_format format = images->src->format;
    const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
    const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
    struct fovea_depth depth = *images->depth;
    struct dof_cuda_linear_params params = {
        .src = operator_cuda_view_of(&src, images->src_next_bytes, of->frame),
        .dst = operator_cuda_view_of(&dst, images->dst_next_bytes, of->frame)};
    struct dof_run run = start(cuda, of, format, memory, count, &params.frame);
    depth.data = (const char *)depth.data + (ptrdiff_t)first * depth.next_bytes;
    params.frame.src_next_bytes = images->src_next_bytes;
    params.frame.dst_next_bytes = images->dst_next_bytes;
    run.params = &params;
    run.layers = dof->layers.linear[format];
    run.compose = dof->compose.linear[format];
    run.depth = &depth;
    run.focuses = images->focuses + first;
    if (images->gazes_uv && !of->frame->blind) {
        FOVEA_TRY(fill_gazes(&run, images, first));
        run.gazes = params.frame.memory.gazes;
    }
    return run_images(&run, format);
}

static enum fovea_result run_slices(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images, uint64_t memory,
                                    uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t first = 0; first < images->count; first += count) {
        count = bounds_smaller_u32(images->count - first, most);
        FOVEA_TRY(run_slice(cuda, run, images, memory, first, count));
    }
    return FOVEA_OK;
}

static uint32_t images_at_a_time(const struct dof_cuda_plan *own,
                                 const struct operator_images *images)
{
    return bounds_smaller_u32(image_slice_capacity(images->count,
                                                   image_bytes(own, images->src->format),
                                                   MOST_BATCH_BYTES),
                              MOST_IN_A_GRID);
}

/* One image has the plan's memory. */
enum fovea_result dof_cuda_reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                   const struct operator_images *images)
{
    struct dof_cuda_plan *own = dof_cuda_plan_of(plan);
    const enum fovea_format format = images->src->format;
    const uint32_t count = images_at_a_time(own, images);
    const uint64_t bytes = count * image_bytes(own, format);
    const struct cuda_block *before = plan->batch;
    if (images->count == 1) {
        return FOVEA_OK;
    }
    FOVEA_TRY(dof_cuda_reserve_machine(own, dof_cuda_takes_floats(own->source, format), count));
    FOVEA_TRY(operator_cuda_plan_grow(cuda, plan, bytes));
    return plan->batch == before ? FOVEA_OK : dof_cuda_clear(cuda, plan->batch->memory, bytes);
}

enum fovea_result dof_cuda_run_linear(struct operator_cuda *cuda,
                                      const struct operator_cuda_run *run,
                                      const struct operator_images *images)
{
    const struct dof_cuda_plan *own = dof_cuda_plan_of(run->cuda_plan);
    const bool alone = images->count == 1;
    struct cuda_block *block = alone ? own->base.tables : own->base.batch;
    const uint32_t most = images_at_a_time(own, images);
    if (!cuda_kernels_has(dof_cuda_of(cuda)->layers.linear, images->src->format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    FOVEA_TRY(clear_floats(cuda, run, images->src->format, alone));
    return operator_cuda_note(
        cuda, block, run->stream, run->stream_kept,
        run_slices(cuda, run, images, alone ? own->memory : block->memory, most));
}
