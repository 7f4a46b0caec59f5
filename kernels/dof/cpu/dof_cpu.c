/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The steps of dof.h, an image at a time: rows that workers share, and between them foveate's
 * machine, which blurs layers by pictures of sigmas. */

#include "steps.h"

#include "core/bounds.h"
#include "core/large_memory.h"
#include "core/thread_steps.h"
#include "kernels/dof/discs.h"
#include "kernels/gauss/cpu/common/picture.h"

#include <math.h>
#include <string.h>

/* ---- An image */

static void make_tile_row(void *user, uint32_t worker, int32_t tile_row)
{
    const struct dof_cpu *cpu = user;
    cpu->rows_fn(cpu, tile_row, cpu->base.workers.of[worker]);
}

static void run_rows(struct dof_cpu *cpu, dof_step_fn rows_fn)
{
    cpu->rows_fn = rows_fn;
    thread_chunks_run(cpu->rows, cpu->base.pool, cpu->base.workers.count, make_tile_row, cpu);
}

static struct fovea_image image_of(const struct dof_cpu *cpu, enum fovea_format format,
                                   float *values)
{
    const ptrdiff_t bytes = (ptrdiff_t)pixel_codec_of(format)->bytes;
    return (struct fovea_image){.data = values,
                                .width_px = cpu->plan->machine.width_px,
                                .height_px = cpu->plan->machine.height_px,
                                .format = format,
                                .row_stride_bytes = bytes * dof_width(cpu),
                                .pixel_stride_bytes = bytes};
}

struct blur {
    enum fovea_format format;
    float *from;
    float *to;
    float *sigma_px;
    bool of_colors;
};

static void blur(const struct dof_cpu *cpu, const struct blur *blur)
{
    const struct fovea_image src = image_of(cpu, blur->format, blur->from);
    const struct fovea_image dst = image_of(cpu, blur->format, blur->to);
    const struct fovea_image sigmas = image_of(cpu, FOVEA_FORMAT_R32F, blur->sigma_px);
    const struct operator_images images = {.count = 1, .src = &src, .dst = &dst, .sigmas = &sigmas};
    gauss_cpu_set_of_light(cpu->machine, blur->of_colors && cpu->of_light);
    gauss_cpu_run_batch(cpu->machine, &images, &cpu->frame);
}

static void blur_layer(const struct dof_cpu *cpu, float *to, float *alpha_to, float *sigma_px)
{
    blur(cpu, &(struct blur){FOVEA_FORMAT_RGBA32F, cpu->layer, to, sigma_px, true});
    if (cpu->channels > cpu->codec->color_channels) {
        blur(cpu, &(struct blur){FOVEA_FORMAT_R32F, cpu->alpha_layer, alpha_to, sigma_px, false});
    }
}

static float nearest_of(const struct dof_cpu *cpu)
{
    float nearest_px = 0.0f;
    for (int32_t i = 0; i < cpu->columns * cpu->rows; i++) {
        nearest_px = fmaxf(nearest_px, cpu->tile_px[i]);
    }
    return nearest_px;
}

/* Takes highlights out of the layer. */
static void take_discs(struct dof_cpu *cpu, bool is_near)
{
    cpu->layer_is_near = is_near;
    if (cpu->discs) {
        run_rows(cpu, dof_take_discs);
    }
}

static void make_near(struct dof_cpu *cpu)
{
    run_rows(cpu, dof_spread_tiles);
    run_rows(cpu, dof_layer_of_means);
    blur(cpu, &(struct blur){FOVEA_FORMAT_RGBA32F, cpu->layer, cpu->near, cpu->reach_px, false});
    run_rows(cpu, dof_layer_of_near);
    take_discs(cpu, true);
    blur_layer(cpu, cpu->near, cpu->alpha_near, cpu->near_px);
}

/* Leaves what the steps above come to where nothing is near. */
static void clear_near(const struct dof_cpu *cpu)
{
    const size_t pixels = dof_row(cpu, (int32_t)cpu->plan->machine.height_px);
    memset(cpu->near, 0, DOF_LAYER_CHANNELS * pixels * sizeof *cpu->near);
    memset(cpu->near_px, 0, pixels * sizeof *cpu->near_px);
    if (cpu->alpha_near) {
        memset(cpu->alpha_near, 0, pixels * sizeof *cpu->alpha_near);
    }
}

static void run_image(struct dof_cpu *cpu)
{
    run_rows(cpu, dof_find_offsets);
    cpu->nearest_px = nearest_of(cpu);
    if (cpu->discs) {
        run_rows(cpu, dof_sum_blocks);
    }
    if (cpu->nearest_px > 0.0f) {
        make_near(cpu);
    } else {
        clear_near(cpu);
    }
    run_rows(cpu, dof_layer_behind);
    take_discs(cpu, false);
    blur_layer(cpu, cpu->behind, cpu->alpha_behind, cpu->sigma_px);
    if (cpu->discs) {
        run_rows(cpu, dof_add_discs);
    }
    run_rows(cpu, dof_compose);
}

/* ---- A batch */

/* NaN: there is no gaze, or the depth is unknown. */
static float diopters_seen(const struct dof_cpu *cpu, const struct operator_images *images,
                           const struct operator_frame *frame, uint32_t index)
{
    const float *uv = images->gazes_uv ? operator_gaze_of(images, index) : NULL;
    if (frame->blind || (uv && !(isfinite(uv[0]) && isfinite(uv[1])))) {
        return NAN;
    }
    const int32_t x_q8 = uv ? gaze_to_q8((double)uv[0], frame->width_px) : frame->gaze_x_q8;
    const int32_t y_q8 = uv ? gaze_to_q8((double)uv[1], frame->height_px) : frame->gaze_y_q8;
    return dof_scale_diopters(
        &cpu->scale, dof_depth_value(&cpu->depth, bounds_clamped(x_q8 >> 8, 0, frame->width_px - 1),
                                     bounds_clamped(y_q8 >> 8, 0, frame->height_px - 1)));
}

static void set_focus(struct dof_cpu *cpu, const struct operator_images *images,
                      const struct operator_frame *frame, uint32_t index)
{
    const struct dof_optics *optics = &cpu->plan->optics;
    const float seen = diopters_seen(cpu, images, frame, index);
    const double diopters = dof_focus(optics, &cpu->depth, seen, &images->focuses[index]);
    cpu->focus_diopters = (float)diopters;
    cpu->px_per_diopter = (float)dof_optics_sigma_px(optics, diopters);
}

static void run(struct operator_host *host, const struct operator_images *images,
                const struct operator_frame *frame)
{
    struct dof_cpu *cpu = (struct dof_cpu *)host;
    const int32_t light =
        image_light_in_order(gauss_plan_light(&cpu->plan->machine), frame->blue_first);
    pixel_lights_order(&cpu->lights, light);
    cpu->codec = pixel_codec_of(images->src->format);
    cpu->light = pixel_lights_get(&cpu->lights, light, images->src->format);
    cpu->of_light = cpu->light || frame->of_light;
    cpu->channels =
        cpu->codec->color_channels + (cpu->codec->has_alpha && dof_averages_alpha(cpu) ? 1 : 0);
    cpu->scale = dof_scale_of(images->depth);
    cpu->depth = *images->depth;
    for (uint32_t i = 0; i < images->count; i++) {
        cpu->src = pixel_image_after(images->src, (ptrdiff_t)i * images->src_next_bytes);
        cpu->dst = pixel_image_after(images->dst, (ptrdiff_t)i * images->dst_next_bytes);
        cpu->depth.data =
            (const char *)images->depth->data + (ptrdiff_t)i * images->depth->next_bytes;
        set_focus(cpu, images, frame, i);
        run_image(cpu);
    }
}

/* ---- Create and destroy */

static enum fovea_result grow_workers(struct dof_cpu *cpu)
{
    const size_t row = (size_t)dof_width(cpu) * DOF_LAYER_CHANNELS;
    const size_t block = cpu->plan->optics.has_discs ? dof_block_floats() : 0;
    return worker_floats_grow(&cpu->base.workers, cpu->base.pool, (uint32_t)cpu->rows,
                              row > block ? row : block);
}

/* Images come one after the other. */
static enum fovea_result reserve(struct operator_host *host, const struct operator_images *images)
{
    struct dof_cpu *cpu = (struct dof_cpu *)host;
    struct operator_images one = *images;
    one.count = 1;
    FOVEA_TRY(grow_workers(cpu));
    return gauss_cpu_reserve(cpu->machine, &one);
}

struct part {
    float **to;
    size_t floats;
};

/* All of them, or those that are freed. */
#define PARTS 14
static void list_parts(struct dof_cpu *cpu, struct part out[PARTS])
{
    const size_t pixels = (size_t)dof_width(cpu) * cpu->plan->machine.height_px;
    const size_t alphas = dof_averages_alpha(cpu) ? pixels : 0;
    const size_t tiles = (size_t)cpu->columns * (size_t)cpu->rows;
    const int32_t all_blocks =
        bounds_parts(dof_width(cpu), DOF_BLOCK_PX) * bounds_parts(dof_height(cpu), DOF_BLOCK_PX);
    const size_t blocks = cpu->plan->optics.has_discs ? (size_t)all_blocks : 0;
    const struct part parts[PARTS] = {
        {&cpu->offset_px, pixels},
        {&cpu->reach_px, pixels},
        {&cpu->near_px, pixels},
        {&cpu->sigma_px, pixels},
        {&cpu->layer, DOF_LAYER_CHANNELS * pixels},
        {&cpu->near, DOF_LAYER_CHANNELS * pixels},
        {&cpu->behind, DOF_LAYER_CHANNELS * pixels},
        {&cpu->alpha_layer, alphas},
        {&cpu->alpha_near, alphas},
        {&cpu->alpha_behind, alphas},
        {&cpu->tile_px, tiles},
        {&cpu->tile_reach_px, tiles},
        {&cpu->block_sums, 2 * blocks},
        {&cpu->discs, 2 * DOF_BLOCK_DISCS * blocks * (sizeof(struct dof_disc) / sizeof(float))},
    };
    memcpy(out, parts, sizeof parts);
}

static enum fovea_result make_parts(struct dof_cpu *cpu)
{
    struct part parts[PARTS];
    list_parts(cpu, parts);
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].floats == 0) {
            continue;
        }
        *parts[i].to = large_memory_make(parts[i].floats, sizeof **parts[i].to);
        FOVEA_TRY_MEMORY(*parts[i].to);
    }
    return FOVEA_OK;
}

static enum fovea_result make(struct operator_host *host)
{
    struct dof_cpu *cpu = (struct dof_cpu *)host;
    const struct gauss_plan *machine = &dof_plan_of(host->plan)->machine;
    cpu->plan = dof_plan_of(host->plan);
    cpu->columns = bounds_parts(dof_width(cpu), DOF_TILE_PX);
    cpu->rows = bounds_parts(dof_height(cpu), DOF_TILE_PX);
    gauss_cpu_lights_init(&cpu->lights, machine);
    cpu->frame = gauss_frame_make(machine, (struct fovea_point_uv){0.5, 0.5});
    cpu->frame.blur_alpha = 1; /* where layers have their coverage */
    FOVEA_TRY(make_parts(cpu));
    FOVEA_TRY(gauss_cpu_create(host->pool, machine, &cpu->machine));
    return grow_workers(cpu);
}

static void finish(struct operator_host *host)
{
    struct dof_cpu *cpu = (struct dof_cpu *)host;
    struct part parts[PARTS];
    list_parts(cpu, parts);
    for (size_t i = 0; i < PARTS; i++) {
        large_memory_free(*parts[i].to);
    }
    gauss_cpu_destroy(&cpu->machine);
}

const struct operator_host_api dof_operator_host = {
    .kind = {.bytes = sizeof(struct dof_cpu), .make = make, .finish = finish},
    .reserve = reserve,
    .run = run};
