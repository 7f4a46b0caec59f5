/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A frame in two steps: the source becomes floats, row by row, so that a pixel's light is worked
 * out once; then every pixel takes its source's neighbours from there, in runs of pixels (line.c).
 * Workers share strips of rows. Where colours come from one place and the nearest pixel is taken
 * there is one step: pixels are copied bit by bit. */

#include "line.h"

#include "core/bounds.h"
#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_steps.h"
#include "kernels/lens/lens.h"
#include "kernels/lens/place.h"
#include "kernels/operator/operator_host.h"

#include <string.h>

#define STRIP_ROWS 8
#define MAX_CHANNELS 4
#define MAX_PIXEL_BYTES 16

struct lens_cpu {
    struct operator_host base; /* workers have one row of the result each */
    const struct lens_plan *plan;
    struct pixel_lights lights;
    float *samples; /* the source as floats; NULL where pixels are copied */
    /* These are of the image under way. */
    struct fovea_image src;
    struct fovea_image dst;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: interpolated as stored */
    struct lens_shape shape;
    uint32_t channels;
    struct lens_group groups[MAX_CHANNELS];
    uint32_t group_count;
    unsigned char blank[MAX_PIXEL_BYTES]; /* the pixel where there is no source */
    struct thread_steps chunks;
    struct step {
        void (*chunk_fn)(const struct lens_cpu *cpu, int32_t chunk, float *row);
    } steps[2];
};

/* Pixels move as they are, bit by bit. */
static bool moves_pixels(const struct lens_plan *plan)
{
    return plan->filter == LENS_NEAREST && !plan->colored;
}

static size_t row_floats(const struct lens_plan *plan)
{
    return (size_t)plan->shape.width_px * MAX_CHANNELS;
}

static int32_t strip_end(const struct lens_plan *plan, int32_t chunk)
{
    return bounds_smaller((chunk + 1) * STRIP_ROWS, plan->shape.height_px);
}

static struct pixel_row row_at(const struct lens_cpu *cpu, const struct fovea_image *image,
                               int32_t y)
{
    return pixel_row_of(image, cpu->codec, 0, y, cpu->shape.width_px);
}

/* ---- Pixels as they are */

static int32_t axis_of(const struct lens_cpu *cpu)
{
    return cpu->codec->color_channels == 1 ? 0 : LENS_AXIS;
}

/* The pixels of a row from x on that are worked out together. */
static struct lens_run run_at(const struct lens_cpu *cpu, int32_t x, int32_t y)
{
    const int32_t left = cpu->shape.width_px - x;
    return (struct lens_run){x, y, left < LENS_RUN_PX ? left : LENS_RUN_PX};
}

static inline void move_pixels(const struct lens_cpu *cpu, const struct lens_places *places,
                               int32_t count, const unsigned char *marks, unsigned char *to,
                               ptrdiff_t stride_bytes, size_t bytes)
{
    const struct pixel_row first = row_at(cpu, &cpu->src, 0);
    for (int32_t i = 0; i < count; i++) {
        const unsigned char *from = cpu->blank;
        if (!marks[i]) {
            from = first.data +
                   lens_nearest(places->at_y[i], places->part_y[i]) * cpu->src.row_stride_bytes +
                   lens_nearest(places->at_x[i], places->part_x[i]) * first.stride_bytes;
        }
        memcpy(to + i * stride_bytes, from, bytes);
    }
}

static void move_run(const struct lens_cpu *cpu, const struct lens_run *run,
                     const struct pixel_row *dst)
{
    struct lens_places places;
    unsigned char marks[LENS_RUN_PX] = {0};
    unsigned char *to = dst->data + run->x_px * dst->stride_bytes;
    lens_find_places(&cpu->shape, cpu->plan->moves, axis_of(cpu), run,
                     (struct lens_offset){0.0f, 0.0f}, &places);
    lens_mark_outside(&cpu->shape, &places, run->count, 1, marks);
    if (cpu->codec->bytes == 4) {
        move_pixels(cpu, &places, run->count, marks, to, dst->stride_bytes, 4);
    } else {
        move_pixels(cpu, &places, run->count, marks, to, dst->stride_bytes, cpu->codec->bytes);
    }
}

static void move_strip(const struct lens_cpu *cpu, int32_t chunk, float *row)
{
    (void)row;
    for (int32_t y = chunk * STRIP_ROWS; y < strip_end(cpu->plan, chunk); y++) {
        const struct pixel_row dst = row_at(cpu, &cpu->dst, y);
        for (int32_t x = 0; x < cpu->shape.width_px; x += LENS_RUN_PX) {
            const struct lens_run run = run_at(cpu, x, y);
            move_run(cpu, &run, &dst);
        }
    }
}

/* ---- Pixels between others */

static void decode_strip(const struct lens_cpu *cpu, int32_t chunk, float *row)
{
    (void)row;
    for (int32_t y = chunk * STRIP_ROWS; y < strip_end(cpu->plan, chunk); y++) {
        const struct pixel_row src = row_at(cpu, &cpu->src, y);
        float *out = cpu->samples + (size_t)y * row_floats(cpu->plan);
        cpu->codec->decode(&src, cpu->channels, out);
        if (cpu->light) {
            pixel_light_from_levels(cpu->light, out, src.count, cpu->channels,
                                    cpu->codec->color_channels);
        }
    }
}

/* A row of the result that is being made. */
struct line {
    struct lens_run run;
    float *out; /* of the run's first pixel */
    unsigned char *marks; /* bits of the channels that lie outside */
};

/* Sets channels of a run, around the places of a colour's pixels, of which `centres` are known. A
 * spline may take them below 0, which no format with a light encodes. */
static void take_group(const struct lens_cpu *cpu, const struct line *line,
                       const struct lens_group *group, struct lens_places *centres)
{
    const struct lens_samples samples = {cpu->samples, row_floats(cpu->plan), cpu->shape.width_px,
                                         cpu->shape.height_px, cpu->channels};
    const int32_t across = group->filter == LENS_NEAREST ? 1 : cpu->plan->samples_across;
    const int32_t count = line->run.count;
    lens_mark_outside(&cpu->shape, centres, count, group->bits, line->marks);
    if (group->filter == LENS_NEAREST) {
        lens_copy_nearest(&samples, group, centres, count, line->marks, line->out);
        return;
    }
    for (int32_t i = 0; i < across * across; i++) {
        if (across > 1) {
            lens_find_places(&cpu->shape, cpu->plan->moves, group->color, &line->run,
                             lens_offset_of(across, i), centres);
        }
        lens_add_between(&samples, group, centres, count, 1.0f / (float)(across * across),
                         line->marks, line->out);
    }
}

static void make_run(const struct lens_cpu *cpu, const struct line *line)
{
    struct lens_places centres; /* of one colour at a time, as they take 2 KiB */
    int32_t color = -1;
    for (uint32_t i = 0; i < cpu->group_count; i++) {
        const struct lens_group *group = &cpu->groups[i];
        if (group->color != color || cpu->plan->samples_across > 1) {
            lens_find_places(&cpu->shape, cpu->plan->moves, group->color, &line->run,
                             (struct lens_offset){0.0f, 0.0f}, &centres);
        }
        color = group->color;
        take_group(cpu, line, group, &centres);
    }
}

/* Says how a pixel's channels are taken: those that follow each other together, but colours that
 * lie apart, and alpha that is the nearest pixel's. Alpha comes after colours, whose sums may spill
 * into it. */
static void set_groups(struct lens_cpu *cpu)
{
    const uint32_t colors = cpu->codec->color_channels;
    const bool apart = cpu->plan->colored && colors > 1;
    cpu->group_count = 0;
    for (uint32_t c = 0; c < cpu->channels; c++) {
        const bool keeps = c >= colors && !cpu->plan->averages_alpha;
        if (c == 0 || apart || keeps) {
            cpu->groups[cpu->group_count++] =
                (struct lens_group){.color = apart && c < colors ? (int32_t)c : axis_of(cpu),
                                    .filter = keeps ? LENS_NEAREST : cpu->plan->filter,
                                    .first = c};
        }
        struct lens_group *group = &cpu->groups[cpu->group_count - 1];
        group->end = c + 1;
        group->bits |= (unsigned char)(1u << c);
    }
}

/* Returns what is written for a channel without a source: alpha is opaque. */
static float blank_of(const struct lens_cpu *cpu, uint32_t channel)
{
    if (channel < cpu->codec->color_channels) {
        return cpu->shape.blank[channel];
    }
    return pixel_opaque(cpu->dst.format);
}

static void put_blanks(const struct lens_cpu *cpu, const unsigned char *blanks, float *values)
{
    for (int32_t x = 0; x < cpu->shape.width_px; x++) {
        for (uint32_t c = 0; blanks[x] && c < cpu->channels; c++) {
            if (blanks[x] >> c & 1) {
                values[(size_t)x * cpu->channels + c] = blank_of(cpu, c);
            }
        }
    }
}

/* A spline overshoots, and levels hold no more than white and no less than black. */
static void clamp(const struct lens_cpu *cpu, float *row)
{
    const size_t count = (size_t)cpu->shape.width_px * cpu->channels;
    for (size_t i = 0; i < count; i++) {
        const float most = i % cpu->channels == 3 ? 1.0f : cpu->plan->most;
        const float value = row[i] > 0.0f ? row[i] : 0.0f;
        row[i] = value < most ? value : most;
    }
}

static void warp_strip(const struct lens_cpu *cpu, int32_t chunk, float *row)
{
    unsigned char *blanks = (unsigned char *)(row + row_floats(cpu->plan));
    for (int32_t y = chunk * STRIP_ROWS; y < strip_end(cpu->plan, chunk); y++) {
        const struct pixel_row dst = row_at(cpu, &cpu->dst, y);
        memset(blanks, 0, (size_t)cpu->shape.width_px);
        memset(row, 0, (size_t)cpu->shape.width_px * cpu->channels * sizeof *row);
        for (int32_t x = 0; x < cpu->shape.width_px; x += LENS_RUN_PX) {
            const struct line line = {run_at(cpu, x, y), row + (size_t)x * cpu->channels,
                                      blanks + x};
            make_run(cpu, &line);
        }
        if (cpu->light) {
            pixel_light_to_levels(cpu->light, row, dst.count, cpu->channels,
                                  cpu->codec->color_channels);
        }
        if (cpu->plan->most > 0.0f) {
            clamp(cpu, row);
        }
        put_blanks(cpu, blanks, row);
        cpu->codec->encode(row, cpu->channels, &dst, &dst);
    }
}

/* ---- Frames */

static void make_chunk(void *user, uint32_t worker, int32_t step, int32_t chunk)
{
    const struct lens_cpu *cpu = user;
    cpu->steps[step].chunk_fn(cpu, chunk, cpu->base.workers.of[worker]);
}

static void add_step(struct lens_cpu *cpu,
                     void (*chunk_fn)(const struct lens_cpu *cpu, int32_t chunk, float *row))
{
    cpu->steps[cpu->chunks.count] = (struct step){chunk_fn};
    thread_steps_add(&cpu->chunks, bounds_parts(cpu->plan->shape.height_px, STRIP_ROWS));
}

static void run_image(struct lens_cpu *cpu, bool decoded)
{
    thread_steps_clear(&cpu->chunks);
    if (moves_pixels(cpu->plan)) {
        add_step(cpu, move_strip);
    } else {
        if (!decoded) {
            add_step(cpu, decode_strip);
        }
        add_step(cpu, warp_strip);
    }
    thread_steps_run(&cpu->chunks, cpu->base.pool, cpu->base.workers.count, make_chunk, cpu);
}

static void set_blank_pixel(struct lens_cpu *cpu)
{
    float values[MAX_CHANNELS];
    const struct pixel_row row = {cpu->blank, cpu->codec->bytes, 1};
    for (uint32_t c = 0; c < cpu->channels; c++) {
        values[c] = blank_of(cpu, c);
    }
    cpu->codec->encode(values, cpu->channels, &row, &row);
}

static void run(struct operator_host *host, const struct operator_images *images,
                const struct operator_frame *frame)
{
    struct lens_cpu *cpu = (struct lens_cpu *)host;
    const int32_t light = image_light_in_order(cpu->plan->light, frame->blue_first);
    pixel_lights_order(&cpu->lights, light);
    cpu->codec = pixel_codec_of(images->src->format);
    cpu->light = pixel_lights_get(&cpu->lights, light, images->src->format);
    cpu->shape = lens_shape_of(cpu->plan, images->src->format, frame->blue_first);
    cpu->channels = cpu->codec->color_channels + (cpu->codec->has_alpha ? 1 : 0);
    cpu->dst = *images->dst;
    set_blank_pixel(cpu);
    set_groups(cpu);
    for (uint32_t i = 0; i < images->count; i++) {
        cpu->src = pixel_image_after(images->src, (ptrdiff_t)i * images->src_next_bytes);
        cpu->dst = pixel_image_after(images->dst, (ptrdiff_t)i * images->dst_next_bytes);
        run_image(cpu, i > 0 && images->src_next_bytes == 0);
    }
}

/* ---- Create and destroy */

static enum fovea_result reserve(struct operator_host *host, const struct operator_images *images)
{
    struct lens_cpu *cpu = (struct lens_cpu *)host;
    const size_t blanks = ((size_t)cpu->plan->shape.width_px + 3) / 4; /* a byte a pixel */
    (void)images; /* one after the other */
    return worker_floats_grow(&cpu->base.workers, cpu->base.pool,
                              (uint32_t)bounds_parts(cpu->plan->shape.height_px, STRIP_ROWS),
                              row_floats(cpu->plan) + blanks);
}

static void finish(struct operator_host *host)
{
    large_memory_free(((struct lens_cpu *)host)->samples);
}

static enum fovea_result make(struct operator_host *host)
{
    struct lens_cpu *cpu = (struct lens_cpu *)host;
    const struct lens_plan *plan = cpu->plan = lens_plan_of(host->plan);
    pixel_lights_init(&cpu->lights,
                      &(struct pixel_transfer){plan->light, plan->light_value, plan->samples});
    if (!moves_pixels(plan)) {
        const size_t rows = (size_t)plan->shape.height_px;
        cpu->samples = large_memory_make(rows * row_floats(plan), sizeof *cpu->samples);
        FOVEA_TRY_MEMORY(cpu->samples);
    }
    return reserve(host, NULL);
}

const struct operator_host_api lens_operator_host = {
    .kind = {.bytes = sizeof(struct lens_cpu), .make = make, .finish = finish},
    .reserve = reserve,
    .run = run};
