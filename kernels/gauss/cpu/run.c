/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "run.h"

#include <assert.h>

_Static_assert(GAUSS_MAX_LEVELS + 2 <= THREAD_STEPS_MAX, "each level is a step");

/* Images of a batch that each worker makes by itself, at least: of fewer, one would wait for the
 * last of another. */
#define IMAGES_PER_WORKER 4

/* A worker takes so many rows of a level at a time: the fewer, the more rows of the image are read
 * twice. */
#define PLANE_ROWS 16

/* ---- Levels, squares and tiles */

static void make_planes(const struct gauss_cpu_picture *picture, const struct gauss_cpu *cpu,
                        const struct gauss_cpu_worker *worker, struct gauss_cpu_rows rows)
{
    if (rows.level == 0) {
        cpu->nodes->read_rows(picture, worker->values, rows.first, rows.end);
        return;
    }
    cpu->tiles->level_rows(picture, worker->tile, rows.level, rows.first, rows.end);
}

static void make_tiles(const struct gauss_cpu_picture *picture, const struct gauss_cpu *cpu,
                       const struct gauss_cpu_worker *worker, struct gauss_cpu_rows rows)
{
    const int32_t across = bounds_parts(picture->view.frame.width_px, GAUSS_CPU_TILE_PX);
    for (int32_t i = rows.first; i < rows.end; i++) {
        cpu->tiles->make(picture, worker->tile, i % across * GAUSS_CPU_TILE_PX,
                         i / across * GAUSS_CPU_TILE_PX);
    }
}

static void make_blended(const struct gauss_cpu_picture *picture, const struct gauss_cpu *cpu,
                         const struct gauss_cpu_worker *worker, struct gauss_cpu_rows rows)
{
    for (int32_t i = rows.first; i < rows.end; i++) {
        cpu->nodes->tiles(picture, &cpu->ladder, worker->nodes, i * GAUSS_CPU_NODE_PX);
    }
}

static void copy_rows(const struct gauss_cpu_picture *picture, const struct gauss_cpu *cpu,
                      const struct gauss_cpu_worker *worker, struct gauss_cpu_rows rows)
{
    const struct pixel_codec *codec = picture->codec;
    const int32_t width = picture->view.frame.width_px;
    (void)cpu;
    (void)worker;
    for (int32_t y = rows.first; y < rows.end; y++) {
        const struct pixel_row src = pixel_row_of(&picture->view.src, codec, 0, y, width);
        const struct pixel_row dst = pixel_row_of(&picture->view.dst, codec, 0, y, width);
        pixel_copy_row(codec, &src, &dst);
    }
}

/* ---- A batch */

/* Returns an image of the batch, whose levels are those at `place`. */
static struct gauss_cpu_picture picture_of(const struct gauss_cpu *cpu, int32_t index,
                                           int32_t place)
{
    return (struct gauss_cpu_picture){
        .plan = cpu->plan,
        .view = gauss_cpu_view_of(cpu->batch, cpu->frame, index),
        .codec = cpu->codec,
        .light = cpu->light,
        .of_light = cpu->of_light,
        .channels = (int32_t)cpu->channels,
        .samples = cpu->samples + (size_t)place * gauss_cpu_level_floats(cpu),
        .first_level = cpu->in_tiles ? 1 : 0,
        .slope = cpu->slope.slope,
    };
}

/* The tile begins where a line of the cache does. */
static struct gauss_cpu_worker worker_of(const struct gauss_cpu *cpu, uint32_t worker)
{
    float *memory = cpu->workers.of[worker];
    const size_t line_bytes = GAUSS_CPU_TILE_LINE * sizeof *memory;
    const size_t beyond_bytes = (uintptr_t)memory % line_bytes;
    float *tile = memory + (line_bytes - beyond_bytes) / sizeof *memory;
    float *nodes = tile + cpu->tile_floats;
    return (struct gauss_cpu_worker){tile, nodes, nodes + cpu->nodes_floats};
}

static int32_t chunks_per_image(const struct gauss_cpu_step *step)
{
    return bounds_parts(step->rows.end - step->rows.first, step->rows_at_once);
}

static struct gauss_cpu_rows rows_of(const struct gauss_cpu_step *step, int32_t chunk)
{
    const int32_t first = step->rows.first + chunk * step->rows_at_once;
    const int32_t end = first + step->rows_at_once;
    return (struct gauss_cpu_rows){step->rows.level, first,
                                   end < step->rows.end ? end : step->rows.end};
}

/* The worker's levels stay in its caches, and nobody waits between the steps. */
static void make_alone(const struct gauss_cpu *cpu, uint32_t worker, int32_t image)
{
    const struct gauss_cpu_worker memory = worker_of(cpu, worker);
    const struct gauss_cpu_picture picture = picture_of(cpu, image, (int32_t)worker);
    for (int32_t s = 1; s < cpu->chunks.count; s++) {
        const struct gauss_cpu_step *step = &cpu->steps[s];
        for (int32_t chunk = 0; chunk < chunks_per_image(step); chunk++) {
            step->rows_fn(&picture, cpu, &memory, rows_of(step, chunk));
        }
    }
}

/* All images are one picture. */
static bool is_shared(const struct gauss_cpu *cpu)
{
    return cpu->batch->src_next_bytes == 0;
}

static void make_rows(const struct gauss_cpu *cpu, uint32_t worker,
                      const struct gauss_cpu_step *step, int32_t chunk)
{
    const int32_t chunks = chunks_per_image(step);
    const int32_t image = chunk / chunks;
    const struct gauss_cpu_worker memory = worker_of(cpu, worker);
    const struct gauss_cpu_picture picture =
        picture_of(cpu, cpu->first + image, is_shared(cpu) ? 0 : image);
    step->rows_fn(&picture, cpu, &memory, rows_of(step, chunk % chunks));
}

static void make_chunk(void *user, uint32_t worker, int32_t step, int32_t chunk)
{
    const struct gauss_cpu *cpu = user;
    if (cpu->alone > 0 && step == 0) {
        make_alone(cpu, worker, chunk);
    } else {
        make_rows(cpu, worker, &cpu->steps[step], chunk);
    }
}

static void add_step(struct gauss_cpu *cpu, struct gauss_cpu_step step)
{
    cpu->steps[cpu->chunks.count] = step;
    thread_steps_add(&cpu->chunks, chunks_per_image(&step) * step.image_count);
}

/* Tiles of one level need no copy of the image as level 0. */
static void add_levels(struct gauss_cpu *cpu)
{
    for (int32_t k = cpu->in_tiles ? 1 : 0; k < (int32_t)cpu->plan->level_count; k++) {
        const int32_t margin = gauss_level_margin(k);
        add_step(cpu,
                 (struct gauss_cpu_step){.rows_fn = make_planes,
                                         .rows = {k, -margin, cpu->plan->levels[k].height + margin},
                                         .rows_at_once = PLANE_ROWS,
                                         .image_count = is_shared(cpu) ? 1 : cpu->count});
    }
}

static void add_pixels(struct gauss_cpu *cpu)
{
    const struct gauss_frame *frame = cpu->frame;
    struct gauss_cpu_step step = {.rows_at_once = 1, .image_count = cpu->count};
    if (cpu->plan->level_count == 0) {
        step.rows_fn = copy_rows;
        step.rows.end = frame->height_px;
        step.rows_at_once = PLANE_ROWS;
    } else if (cpu->in_tiles) {
        step.rows_fn = make_tiles;
        step.rows.end = bounds_parts(frame->width_px, GAUSS_CPU_TILE_PX) *
                        bounds_parts(frame->height_px, GAUSS_CPU_TILE_PX);
    } else {
        step.rows_fn = make_blended;
        step.rows.end = bounds_parts(frame->height_px, GAUSS_CPU_NODE_PX);
    }
    add_step(cpu, step);
}

static void run_group(struct gauss_cpu *cpu)
{
    thread_steps_clear(&cpu->chunks);
    if (cpu->alone > 0) {
        thread_steps_add(&cpu->chunks, cpu->alone);
    }
    add_levels(cpu);
    add_pixels(cpu);
    thread_steps_run(&cpu->chunks, cpu->pool, cpu->running, make_chunk, cpu);
}

/* Returns how many images workers make each by itself: as many as go evenly among them. Others, and
 * those whose levels do not fit in a worker's caches, they make together. */
static int32_t count_alone(const struct gauss_cpu *cpu)
{
    const uint32_t count = cpu->batch->count;
    const uint32_t least = cpu->running > 1 ? IMAGES_PER_WORKER * cpu->running : 1;
    const bool fit = !is_shared(cpu) && cpu->running <= cpu->image_capacity;
    return fit && count >= least ? (int32_t)(count - count % cpu->running) : 0;
}

/* Tiles of one level take sigma that grows by at most 0.04 a pixel, to 256 px. They take no floats,
 * because one that is not finite would spread, and write no light but sRGB's. */
static bool goes_in_tiles(const struct gauss_cpu *cpu)
{
    const struct gauss_slope *s = &cpu->slope;
    return cpu->plan->level_count > 0 && s->slope <= GAUSS_CPU_TILE_MAX_SLOPE &&
           s->sigma_px <= GAUSS_CPU_TILE_SIGMA_PX && pixel_light_known(cpu->batch->src->format) &&
           !image_light_is_wide(cpu->frame->light);
}

static void start(struct gauss_cpu *cpu, const struct operator_images *batch,
                  const struct gauss_frame *frame)
{
    const uint32_t useful = gauss_cpu_count_workers(cpu, batch->count);
    pixel_lights_order(&cpu->lights, frame->light);
    cpu->batch = batch;
    cpu->frame = frame;
    cpu->light = pixel_lights_get(&cpu->lights, frame->light, batch->src->format);
    cpu->codec = pixel_codec_of(batch->src->format);
    cpu->channels =
        cpu->codec->color_channels + (cpu->codec->has_alpha && frame->blur_alpha ? 1 : 0);
    cpu->in_tiles = goes_in_tiles(cpu);
    cpu->running = useful < cpu->workers.count ? useful : cpu->workers.count;
    cpu->alone = count_alone(cpu);
}

/* Workers that make images together wait for one another after every level of a group, not of an
 * image. */
void gauss_cpu_run_batch(struct gauss_cpu *cpu, const struct operator_images *batch,
                         const struct gauss_frame *frame)
{
    const int32_t count = (int32_t)batch->count;
    assert(pixel_codec_of(batch->src->format) && batch->src->format == batch->dst->format);
    assert(frame->width_px == (int32_t)batch->src->width_px &&
           frame->height_px == (int32_t)batch->src->height_px);
    start(cpu, batch, frame);
    const int32_t most = is_shared(cpu) ? count : (int32_t)cpu->image_capacity;
    cpu->first = cpu->alone;
    do {
        cpu->count = count - cpu->first < most ? count - cpu->first : most;
        run_group(cpu);
        cpu->alone = 0;
        cpu->first += most;
    } while (cpu->first < count);
}
