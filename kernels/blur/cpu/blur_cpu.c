/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A frame in three steps (README.md): rows are decimated, columns are decimated, and both are
 * upsampled. Workers share strips of rows; rows of a strip lie beside each other value by value, so
 * that a mean along the rows takes as many of them as it has registers for. */

#include "blur_cpu.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_pool.h"
#include "core/thread_steps.h"
#include "kernels/blur/blur.h"
#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* So much fits in the caches of one core: images of a batch go together as far as their levels do.
 */
#define LEVEL_BYTES_PER_WORKER ((size_t)3 << 19)

struct blur_cpu {
    const struct blur_plan *plan;
    struct thread_pool *pool;
    struct pixel_lights lights;
    float **scratch; /* of each worker */
    uint32_t wanted_workers; /* of the pool; the system may have given fewer */
    uint32_t worker_count; /* that there is memory for */
    float *samples; /* for image_capacity images: rows decimated along x, then the level */
    uint32_t image_capacity; /* at least 1; any number where nothing is blurred */
    /* These are of the images under way. */
    const struct operator_images *images;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: averaged as stored */
    uint32_t channels; /* that are averaged */
    uint32_t group_first;
    struct thread_steps chunks;
    struct step {
        void (*chunk_fn)(const struct blur_cpu *cpu, uint32_t image, int32_t chunk, float *scratch);
        int32_t chunks_per_image;
    } steps[3];
};

/* ---- Memory */

/* A row of the level takes so many; whole groups are read beyond the last sample. */
static size_t level_pitch(const struct blur_plan *plan)
{
    const size_t values = (size_t)plan->shape.columns * BLUR_MAX_CHANNELS;
    return (values + BLUR_WIDTH - 1) / BLUR_WIDTH * BLUR_WIDTH;
}

static size_t image_floats(const struct blur_plan *plan)
{
    const size_t level = plan->shape.step > 1 ? (size_t)plan->shape.rows : 0;
    return level_pitch(plan) * ((size_t)plan->shape.height_px + level);
}

/* A worker has a strip of the picture's rows; behind it one of the level's and a row of the level,
 * or a row of the picture. */
static size_t strip_floats(const struct blur_plan *plan)
{
    return (size_t)plan->shape.width_px * BLUR_WIDTH;
}

static size_t scratch_floats(const struct blur_plan *plan)
{
    const size_t row = (size_t)plan->shape.width_px * BLUR_MAX_CHANNELS;
    const size_t level = level_pitch(plan) * (BLUR_STRIP_ROWS + 1);
    return strip_floats(plan) + (row > level ? row : level);
}

static float *rows_of(const struct blur_cpu *cpu, uint32_t image)
{
    const bool shared = cpu->images->src_next_bytes == 0;
    return cpu->samples + (shared ? 0 : image) * image_floats(cpu->plan);
}

static float *level_of(const struct blur_cpu *cpu, uint32_t image)
{
    return rows_of(cpu, image) + level_pitch(cpu->plan) * (size_t)cpu->plan->shape.height_px;
}

/* ---- Chunks */

static int32_t strip_count(const struct blur_plan *plan)
{
    return (plan->shape.height_px + BLUR_STRIP_ROWS - 1) / BLUR_STRIP_ROWS;
}

static struct pixel_row row_at(const struct blur_cpu *cpu, bool of_src, uint32_t image, int32_t y)
{
    const struct operator_images *images = cpu->images;
    const ptrdiff_t number = (ptrdiff_t)cpu->group_first + image;
    const struct fovea_image view =
        of_src ? pixel_image_after(images->src, number * images->src_next_bytes)
               : pixel_image_after(images->dst, number * images->dst_next_bytes);
    return pixel_row_of(&view, cpu->codec, 0, y, cpu->plan->shape.width_px);
}

static void read_row(const struct blur_cpu *cpu, uint32_t image, int32_t y, float *out)
{
    const struct pixel_row row = row_at(cpu, true, image, y);
    cpu->codec->decode(&row, cpu->channels, out);
    if (cpu->light) {
        pixel_light_from_levels(cpu->light, out, row.count, cpu->channels,
                                cpu->codec->color_channels);
    }
}

static void write_row(const struct blur_cpu *cpu, uint32_t image, int32_t y, float *values)
{
    const struct pixel_row src = row_at(cpu, true, image, y);
    const struct pixel_row dst = row_at(cpu, false, image, y);
    if (cpu->light) {
        pixel_light_to_levels(cpu->light, values, dst.count, cpu->channels,
                              cpu->codec->color_channels);
    }
    cpu->codec->encode(values, cpu->channels, &src, &dst);
}

/* Value i of a strip's row lies at i * BLUR_STRIP_ROWS + row. */
static void put_in_strip(float *strip, int32_t row, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        strip[i * BLUR_STRIP_ROWS + (size_t)row] = values[i];
    }
}

static void take_from_strip(const float *strip, int32_t row, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = strip[i * BLUR_STRIP_ROWS + (size_t)row];
    }
}

static int32_t rows_in_strip(const struct blur_plan *plan, int32_t chunk)
{
    const int32_t left = plan->shape.height_px - chunk * BLUR_STRIP_ROWS;
    return left < BLUR_STRIP_ROWS ? left : BLUR_STRIP_ROWS;
}

static struct blur_line strip_line(const struct blur_cpu *cpu, const float *strip, int32_t count)
{
    return (struct blur_line){strip, (ptrdiff_t)cpu->channels * BLUR_STRIP_ROWS, count - 1};
}

/* A strip of the picture, decimated along x. */
static void decimate_rows(const struct blur_cpu *cpu, uint32_t image, int32_t chunk, float *scratch)
{
    const struct blur_shape *shape = &cpu->plan->shape;
    const int32_t row_count = rows_in_strip(cpu->plan, chunk);
    const size_t channels = cpu->channels;
    const size_t pitch = level_pitch(cpu->plan);
    float *rows = rows_of(cpu, image) + pitch * (size_t)(chunk * BLUR_STRIP_ROWS);
    float *values = scratch + strip_floats(cpu->plan);
    for (int32_t r = 0; r < row_count; r++) {
        read_row(cpu, image, chunk * BLUR_STRIP_ROWS + r, values);
        put_in_strip(scratch, r, values, (size_t)shape->width_px * channels);
    }
    const struct blur_line line = strip_line(cpu, scratch, shape->width_px);
    const blur_mean_fn mean = blur_mean_of(cpu->channels);
    struct blur_window window = {cpu->plan->weights, 0, 2 * shape->decimate_radius + 1};
    float out[BLUR_WIDTH];
    for (int32_t j = 0; j < shape->columns; j++) {
        window.from = (j - shape->margin) * shape->step - shape->decimate_radius;
        mean(&line, &window, out);
        for (int32_t r = 0; r < row_count; r++) {
            take_from_strip(out, r, rows + pitch * (size_t)r + (size_t)j * channels, channels);
        }
    }
}

static void mean_of_rows(const struct blur_cpu *cpu, const struct blur_line *rows,
                         const struct blur_window *window, float *out)
{
    const blur_mean_fn mean = blur_mean_of(BLUR_MAX_CHANNELS);
    const size_t count = (size_t)cpu->plan->shape.columns * cpu->channels;
    for (size_t i = 0; i < count; i += BLUR_WIDTH) {
        const struct blur_line part = {rows->first + i, rows->next, rows->last};
        mean(&part, window, out + i);
    }
}

/* A row of the level from rows that are decimated already. */
static void decimate_columns(const struct blur_cpu *cpu, uint32_t image, int32_t chunk,
                             float *scratch)
{
    const struct blur_shape *shape = &cpu->plan->shape;
    const ptrdiff_t pitch = (ptrdiff_t)level_pitch(cpu->plan);
    const struct blur_line rows = {rows_of(cpu, image), pitch, shape->height_px - 1};
    const struct blur_window window = {
        cpu->plan->weights, (chunk - shape->margin) * shape->step - shape->decimate_radius,
        2 * shape->decimate_radius + 1};
    (void)scratch;
    mean_of_rows(cpu, &rows, &window, level_of(cpu, image) + chunk * pitch);
}

static struct blur_window window_at(const struct blur_plan *plan, int32_t place)
{
    const struct blur_shape *shape = &plan->shape;
    return (struct blur_window){plan->weights + plan->decimate_count +
                                    (ptrdiff_t)(place % shape->step) * shape->taps,
                                place / shape->step - shape->before, shape->taps};
}

/* Rows of the level's width become the picture's, in place of the strip that they lie in. */
static void upsample_rows(const struct blur_cpu *cpu, const float *level_strip, float *strip)
{
    const struct blur_shape *shape = &cpu->plan->shape;
    const struct blur_line line = strip_line(cpu, level_strip, shape->columns);
    const blur_mean_fn mean = blur_mean_of(cpu->channels);
    float out[BLUR_WIDTH];
    for (int32_t x = 0; x < shape->width_px; x++) {
        const struct blur_window window = window_at(cpu->plan, x);
        mean(&line, &window, out);
        memcpy(strip + x * line.next, out, (size_t)line.next * sizeof *out);
    }
}

/* A strip of the result. Of step 1 the columns alone are filtered here. */
static void upsample(const struct blur_cpu *cpu, uint32_t image, int32_t chunk, float *scratch)
{
    const struct blur_shape *shape = &cpu->plan->shape;
    const bool decimated = shape->step > 1;
    const struct blur_line rows = {decimated ? level_of(cpu, image) : rows_of(cpu, image),
                                   (ptrdiff_t)level_pitch(cpu->plan), shape->rows - 1};
    const int32_t row_count = rows_in_strip(cpu->plan, chunk);
    float *level_strip = scratch + strip_floats(cpu->plan);
    float *values = level_strip + level_pitch(cpu->plan) * BLUR_STRIP_ROWS;
    for (int32_t r = 0; r < row_count; r++) {
        const int32_t y = chunk * BLUR_STRIP_ROWS + r;
        const struct blur_window window = window_at(cpu->plan, y);
        mean_of_rows(cpu, &rows, &window, values);
        if (decimated) {
            put_in_strip(level_strip, r, values, (size_t)shape->columns * cpu->channels);
        } else {
            write_row(cpu, image, y, values);
        }
    }
    if (!decimated) {
        return;
    }
    upsample_rows(cpu, level_strip, scratch);
    for (int32_t r = 0; r < row_count; r++) {
        take_from_strip(scratch, r, level_strip, (size_t)shape->width_px * cpu->channels);
        write_row(cpu, image, chunk * BLUR_STRIP_ROWS + r, level_strip);
    }
}

static void copy_strip(const struct blur_cpu *cpu, uint32_t image, int32_t chunk, float *scratch)
{
    (void)scratch;
    for (int32_t r = 0; r < rows_in_strip(cpu->plan, chunk); r++) {
        const struct pixel_row src = row_at(cpu, true, image, chunk * BLUR_STRIP_ROWS + r);
        const struct pixel_row dst = row_at(cpu, false, image, chunk * BLUR_STRIP_ROWS + r);
        pixel_copy_row(cpu->codec, &src, &dst);
    }
}

/* ---- Frames */

static void work(void *user, uint32_t worker)
{
    struct blur_cpu *cpu = user;
    int32_t index;
    int32_t chunk;
    while (thread_steps_take(&cpu->chunks, &index, &chunk)) {
        const struct step *step = &cpu->steps[index];
        step->chunk_fn(cpu, (uint32_t)(chunk / step->chunks_per_image),
                       chunk % step->chunks_per_image, cpu->scratch[worker]);
        thread_steps_finish(&cpu->chunks);
    }
}

static void add_step(struct blur_cpu *cpu, struct step step, uint32_t image_count)
{
    cpu->steps[cpu->chunks.count] = step;
    thread_steps_add(&cpu->chunks, step.chunks_per_image * (int32_t)image_count);
}

/* If all images are one picture, its level serves them all. */
static void run_group(struct blur_cpu *cpu, uint32_t image_count)
{
    const struct blur_plan *plan = cpu->plan;
    const uint32_t sources = cpu->images->src_next_bytes == 0 ? 1 : image_count;
    thread_steps_clear(&cpu->chunks);
    if (plan->shape.step == 0) {
        add_step(cpu, (struct step){copy_strip, strip_count(plan)}, image_count);
    } else {
        add_step(cpu, (struct step){decimate_rows, strip_count(plan)}, sources);
        if (plan->shape.step > 1) {
            add_step(cpu, (struct step){decimate_columns, plan->shape.rows}, sources);
        }
        add_step(cpu, (struct step){upsample, strip_count(plan)}, image_count);
    }
    thread_pool_share(cpu->pool, cpu->worker_count, work, cpu);
}

void blur_cpu_run(struct operator_host *host, const struct operator_images *images,
                  const struct operator_frame *frame)
{
    struct blur_cpu *cpu = (struct blur_cpu *)host;
    const int32_t light = image_light_in_order(cpu->plan->light.kind, frame->blue_first);
    const uint32_t most = images->src_next_bytes == 0 ? images->count : cpu->image_capacity;
    pixel_lights_order(&cpu->lights, light);
    cpu->images = images;
    cpu->codec = pixel_codec_of(images->src->format);
    cpu->light = pixel_lights_get(&cpu->lights, light, images->src->format);
    cpu->channels =
        cpu->codec->color_channels + (cpu->codec->has_alpha && cpu->plan->averages_alpha ? 1 : 0);
    for (uint32_t first = 0; first < images->count; first += most) {
        cpu->group_first = first;
        run_group(cpu, images->count - first < most ? images->count - first : most);
    }
}

/* ---- Create and destroy */

static enum fovea_result grow_workers(struct blur_cpu *cpu, uint32_t image_count)
{
    const uint64_t chunks = (uint64_t)strip_count(cpu->plan) * image_count;
    const uint32_t most = thread_pool_worker_max(cpu->pool);
    const uint32_t wanted = chunks < most ? (uint32_t)chunks : most;
    if (wanted <= cpu->wanted_workers) {
        return FOVEA_OK;
    }
    const uint32_t there = thread_pool_grow(cpu->pool, wanted);
    const uint32_t count = there < wanted ? there : wanted;
    float **scratch = realloc(cpu->scratch, count * sizeof *scratch);
    if (!scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->scratch = scratch;
    for (; cpu->worker_count < count; cpu->worker_count++) {
        scratch[cpu->worker_count] =
            large_memory_make(scratch_floats(cpu->plan), sizeof *scratch[0]);
        if (!scratch[cpu->worker_count]) {
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
    }
    cpu->wanted_workers = wanted;
    return FOVEA_OK;
}

static enum fovea_result grow_samples(struct blur_cpu *cpu, uint32_t source_count)
{
    const size_t floats = image_floats(cpu->plan);
    const size_t most =
        cpu->worker_count * LEVEL_BYTES_PER_WORKER / (floats * sizeof *cpu->samples);
    const size_t fitting = source_count < most ? source_count : most;
    const size_t count = fitting ? fitting : 1;
    if (count <= cpu->image_capacity) {
        return FOVEA_OK;
    }
    float *samples = large_memory_make(count * floats, sizeof *samples);
    if (!samples) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    large_memory_free(cpu->samples);
    cpu->samples = samples;
    cpu->image_capacity = (uint32_t)count;
    return FOVEA_OK;
}

static enum fovea_result grow(struct blur_cpu *cpu, uint32_t image_count, uint32_t source_count)
{
    FOVEA_TRY(grow_workers(cpu, image_count));
    return grow_samples(cpu, source_count);
}

enum fovea_result blur_cpu_reserve(struct operator_host *host, const struct operator_images *images)
{
    return grow((struct blur_cpu *)host, images->count,
                images->src_next_bytes == 0 ? 1 : images->count);
}

void blur_cpu_destroy(struct operator_host **host)
{
    struct blur_cpu *cpu = (struct blur_cpu *)*host;
    *host = NULL;
    if (!cpu) {
        return;
    }
    for (uint32_t i = 0; i < cpu->worker_count; i++) {
        large_memory_free(cpu->scratch[i]);
    }
    free(cpu->scratch);
    large_memory_free(cpu->samples);
    free(cpu);
}

enum fovea_result blur_cpu_create(struct thread_pool *pool, const struct operator_plan *plan,
                                  struct operator_host **out_host)
{
    struct blur_cpu *cpu = calloc(1, sizeof *cpu);
    *out_host = (struct operator_host *)cpu;
    if (!cpu) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->plan = blur_plan_of(plan);
    cpu->pool = pool;
    cpu->image_capacity = cpu->plan->shape.step == 0 ? UINT32_MAX : 0;
    const struct blur_light *light = &cpu->plan->light;
    pixel_lights_init(&cpu->lights,
                      &(struct pixel_transfer){light->kind, light->value, light->samples});
    const enum fovea_result result = grow(cpu, 1, 1);
    if (result < 0) {
        blur_cpu_destroy(out_host);
    }
    return result;
}
