/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A frame in two steps: the source becomes floats, row by row, so that a pixel's light is worked
 * out once; then every pixel takes its source's neighbours from there. Workers share strips of
 * rows. Where colours come from one place and the nearest pixel is taken there is one step: pixels
 * are copied bit by bit. */

#include "lens_cpu.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_pool.h"
#include "core/thread_steps.h"
#include "kernels/lens/blank.h"
#include "kernels/lens/lens.h"
#include "kernels/lens/place.h"

#include <stdlib.h>
#include <string.h>

#define STRIP_ROWS 8
#define MAX_CHANNELS 4
#define MAX_PIXEL_BYTES 16
#define ALL_BLANK 0xf /* of a pixel's channels */

struct lens_cpu {
    const struct lens_plan *plan;
    struct thread_pool *pool;
    struct pixel_lights lights;
    float **rows; /* of each worker: one row of the result */
    uint32_t wanted_workers; /* of the pool; the system may have given fewer */
    uint32_t worker_count; /* that there is memory for */
    float *samples; /* the source as floats; NULL where pixels are copied */
    /* These are of the image under way. */
    struct fovea_image src;
    struct fovea_image dst;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: interpolated as stored */
    struct lens_shape shape;
    uint32_t channels;
    unsigned char blank[MAX_PIXEL_BYTES]; /* the pixel where there is no source */
    struct thread_steps chunks;
    struct step {
        void (*chunk_fn)(const struct lens_cpu *cpu, int32_t chunk, float *row);
        int32_t chunk_count;
    } steps[2];
};

/* Pixels move as they are, bit by bit. */
static bool moves_pixels(const struct lens_plan *plan)
{
    return plan->copies || (plan->filter == LENS_NEAREST && !plan->colored);
}

static size_t row_floats(const struct lens_plan *plan)
{
    return (size_t)plan->shape.width_px * MAX_CHANNELS;
}

static int32_t strip_count(const struct lens_plan *plan)
{
    return (plan->shape.height_px + STRIP_ROWS - 1) / STRIP_ROWS;
}

static int32_t strip_end(const struct lens_plan *plan, int32_t chunk)
{
    const int32_t end = (chunk + 1) * STRIP_ROWS;
    return end < plan->shape.height_px ? end : plan->shape.height_px;
}

static struct pixel_row row_at(const struct lens_cpu *cpu, const struct fovea_image *image,
                               int32_t y)
{
    return pixel_row_of(image, cpu->codec, 0, y, cpu->shape.width_px);
}

/* ---- Pixels as they are */

static void copy_strip(const struct lens_cpu *cpu, int32_t chunk, float *row)
{
    (void)row;
    for (int32_t y = chunk * STRIP_ROWS; y < strip_end(cpu->plan, chunk); y++) {
        const struct pixel_row src = row_at(cpu, &cpu->src, y);
        const struct pixel_row dst = row_at(cpu, &cpu->dst, y);
        pixel_copy_row(cpu->codec, &src, &dst);
    }
}

static int32_t axis_of(const struct lens_cpu *cpu)
{
    return cpu->codec->color_channels == 1 ? 0 : LENS_AXIS;
}

static struct lens_place place_beside(const struct lens_cpu *cpu, int32_t color, int32_t x,
                                      int32_t y, struct lens_offset offset)
{
    return lens_source_beside(&cpu->shape, cpu->plan->ways, color, x, y, offset);
}

static struct lens_place place_of(const struct lens_cpu *cpu, int32_t color, int32_t x, int32_t y)
{
    return place_beside(cpu, color, x, y, (struct lens_offset){0.0f, 0.0f});
}

/* Pixels of the row from x on, up to the end of a tile, that are blank without being asked. */
static int32_t count_blank(const struct lens_cpu *cpu, int32_t x, int32_t y)
{
    const int32_t columns = lens_tiles(cpu->shape.width_px);
    const uint32_t *words = cpu->plan->blank_words;
    if (!words || !lens_tile_is_blank(words, columns, x / LENS_TILE_PX, y / LENS_TILE_PX)) {
        return 0;
    }
    const int32_t end = (x / LENS_TILE_PX + 1) * LENS_TILE_PX;
    return (end < cpu->shape.width_px ? end : cpu->shape.width_px) - x;
}

static void move_pixel(const struct lens_cpu *cpu, int32_t axis, int32_t x, int32_t y,
                       unsigned char *to)
{
    const struct lens_place place = place_of(cpu, axis, x, y);
    const unsigned char *from = cpu->blank;
    if (!lens_is_outside(&cpu->shape, &place)) {
        from = pixel_row_of(&cpu->src, cpu->codec, lens_nearest(place.at_x, place.part_x),
                            lens_nearest(place.at_y, place.part_y), 1)
                   .data;
    }
    memcpy(to, from, cpu->codec->bytes);
}

static void move_strip(const struct lens_cpu *cpu, int32_t chunk, float *row)
{
    const int32_t axis = axis_of(cpu);
    (void)row;
    for (int32_t y = chunk * STRIP_ROWS; y < strip_end(cpu->plan, chunk); y++) {
        const struct pixel_row dst = row_at(cpu, &cpu->dst, y);
        for (int32_t x = 0; x < cpu->shape.width_px;) {
            const int32_t end = x + count_blank(cpu, x, y);
            for (; x < end; x++) {
                memcpy(dst.data + x * dst.stride_bytes, cpu->blank, cpu->codec->bytes);
            }
            if (x < cpu->shape.width_px) {
                move_pixel(cpu, axis, x, y, dst.data + x * dst.stride_bytes);
                x++;
            }
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

static int32_t inside(int32_t at, int32_t count)
{
    return at < 0 ? 0 : at < count ? at : count - 1;
}

static const float *sample_at(const struct lens_cpu *cpu, int32_t x, int32_t y)
{
    return cpu->samples + (size_t)inside(y, cpu->shape.height_px) * row_floats(cpu->plan) +
           (size_t)inside(x, cpu->shape.width_px) * cpu->channels;
}

/* Says which channels of a pixel are taken, first..end - 1, and around which colour's place. */
struct taken {
    struct lens_place centre; /* the source of the pixel's centre */
    int32_t color;
    int32_t filter;
    uint32_t first;
    uint32_t end;
};

static void copy_nearest(const struct lens_cpu *cpu, const struct taken *taken, float *out)
{
    const struct lens_place *place = &taken->centre;
    const float *from = sample_at(cpu, lens_nearest(place->at_x, place->part_x),
                                  lens_nearest(place->at_y, place->part_y));
    memcpy(out + taken->first, from + taken->first, (taken->end - taken->first) * sizeof *out);
}

static void add_between(const struct lens_cpu *cpu, const struct lens_place *place, float share,
                        const struct taken *taken, float *out)
{
    float across[4];
    float down[4];
    const int32_t count = lens_weights(taken->filter, place->part_x, across);
    lens_weights(taken->filter, place->part_y, down);
    const int32_t before = taken->filter == LENS_BICUBIC ? 1 : 0;
    for (int32_t j = 0; j < count; j++) {
        for (int32_t i = 0; i < count; i++) {
            const float weight = across[i] * (share * down[j]);
            const float *from = sample_at(cpu, place->at_x - before + i, place->at_y - before + j);
            for (uint32_t c = taken->first; c < taken->end; c++) {
                out[c] += weight * from[c];
            }
        }
    }
}

/* Returns true if the pixel's centre lies outside. */
static bool take(const struct lens_cpu *cpu, int32_t x, int32_t y, const struct taken *taken,
                 float *out)
{
    const int32_t across = cpu->plan->samples_across;
    const bool outside = lens_is_outside(&cpu->shape, &taken->centre);
    if (!outside && taken->filter == LENS_NEAREST) {
        copy_nearest(cpu, taken, out);
        return false;
    }
    for (uint32_t c = taken->first; c < taken->end; c++) {
        out[c] = 0.0f;
    }
    if (!outside && across == 1) {
        add_between(cpu, &taken->centre, 1.0f, taken, out);
    }
    for (int32_t i = 0; !outside && across > 1 && i < across * across; i++) {
        const struct lens_place place =
            place_beside(cpu, taken->color, x, y, lens_offset_of(across, i));
        add_between(cpu, &place, 1.0f / (float)(across * across), taken, out);
    }
    for (uint32_t c = taken->first; cpu->light && c < taken->end; c++) {
        out[c] = out[c] < 0.0f ? 0.0f : out[c]; /* a spline undershoots; no light is negative */
    }
    return outside;
}

/* Sets bits of the channels that lie outside. */
static uint32_t make_pixel(const struct lens_cpu *cpu, int32_t x, int32_t y, float *out)
{
    const uint32_t colors = cpu->codec->color_channels;
    const int32_t filter = cpu->plan->filter;
    const int32_t axis = axis_of(cpu);
    const struct lens_place centre = place_of(cpu, axis, x, y);
    uint32_t blank = 0;
    if (cpu->channels > colors) {
        const int32_t own = cpu->plan->averages_alpha ? filter : LENS_NEAREST;
        const struct taken alpha = {centre, axis, own, colors, cpu->channels};
        blank |= (uint32_t)take(cpu, x, y, &alpha, out) << colors;
    }
    if (!cpu->plan->colored || colors == 1) {
        const struct taken all = {centre, axis, filter, 0, colors};
        return blank | (take(cpu, x, y, &all, out) ? (1u << colors) - 1u : 0u);
    }
    for (uint32_t c = 0; c < colors; c++) {
        const struct lens_place own = place_of(cpu, (int32_t)c, x, y);
        const struct taken one = {own, (int32_t)c, filter, c, c + 1};
        blank |= (uint32_t)take(cpu, x, y, &one, out) << c;
    }
    return blank;
}

/* Returns what is written for a channel without a source: alpha is opaque. */
static float blank_of(const struct lens_cpu *cpu, uint32_t channel)
{
    if (channel < cpu->codec->color_channels) {
        return cpu->shape.blank[channel];
    }
    switch (cpu->dst.format) {
    case FOVEA_FORMAT_RGBA8:
        return 255.0f;
    case FOVEA_FORMAT_A2B10G10R10:
        return 3.0f;
    default:
        return 1.0f;
    }
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

static void warp_strip(const struct lens_cpu *cpu, int32_t chunk, float *row)
{
    unsigned char *blanks = (unsigned char *)(row + row_floats(cpu->plan));
    for (int32_t y = chunk * STRIP_ROWS; y < strip_end(cpu->plan, chunk); y++) {
        const struct pixel_row dst = row_at(cpu, &cpu->dst, y);
        for (int32_t x = 0; x < cpu->shape.width_px;) {
            const int32_t count = count_blank(cpu, x, y);
            memset(blanks + x, ALL_BLANK, (size_t)count);
            memset(row + (size_t)x * cpu->channels, 0, (size_t)count * cpu->channels * sizeof *row);
            x += count;
            if (x < cpu->shape.width_px) {
                blanks[x] = (unsigned char)make_pixel(cpu, x, y, row + (size_t)x * cpu->channels);
                x++;
            }
        }
        if (cpu->light) {
            pixel_light_to_levels(cpu->light, row, dst.count, cpu->channels,
                                  cpu->codec->color_channels);
        }
        put_blanks(cpu, blanks, row);
        cpu->codec->encode(row, cpu->channels, &dst, &dst);
    }
}

/* ---- Frames */

static void work(void *user, uint32_t worker)
{
    struct lens_cpu *cpu = user;
    int32_t index;
    int32_t chunk;
    while (thread_steps_take(&cpu->chunks, &index, &chunk)) {
        cpu->steps[index].chunk_fn(cpu, chunk, cpu->rows[worker]);
        thread_steps_finish(&cpu->chunks);
    }
}

static void add_step(struct lens_cpu *cpu,
                     void (*chunk_fn)(const struct lens_cpu *cpu, int32_t chunk, float *row))
{
    cpu->steps[cpu->chunks.count] = (struct step){chunk_fn, strip_count(cpu->plan)};
    thread_steps_add(&cpu->chunks, strip_count(cpu->plan));
}

static void run_image(struct lens_cpu *cpu, bool decoded)
{
    thread_steps_clear(&cpu->chunks);
    if (cpu->plan->copies) {
        add_step(cpu, copy_strip);
    } else if (moves_pixels(cpu->plan)) {
        add_step(cpu, move_strip);
    } else {
        if (!decoded) {
            add_step(cpu, decode_strip);
        }
        add_step(cpu, warp_strip);
    }
    thread_pool_share(cpu->pool, cpu->worker_count, work, cpu);
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

void lens_cpu_run(struct operator_host *host, const struct operator_images *images,
                  const struct operator_frame *frame)
{
    struct lens_cpu *cpu = (struct lens_cpu *)host;
    const int32_t light = image_light_in_order(cpu->plan->light.kind, frame->blue_first);
    pixel_lights_order(&cpu->lights, light);
    cpu->codec = pixel_codec_of(images->src->format);
    cpu->light = pixel_lights_get(&cpu->lights, light, images->src->format);
    cpu->shape = lens_shape_of(cpu->plan, images->src->format, frame->blue_first);
    cpu->channels = cpu->codec->color_channels + (cpu->codec->has_alpha ? 1 : 0);
    cpu->dst = *images->dst;
    set_blank_pixel(cpu);
    for (uint32_t i = 0; i < images->count; i++) {
        cpu->src = pixel_image_after(images->src, (ptrdiff_t)i * images->src_next_bytes);
        cpu->dst = pixel_image_after(images->dst, (ptrdiff_t)i * images->dst_next_bytes);
        run_image(cpu, i > 0 && images->src_next_bytes == 0);
    }
}

/* ---- Create and destroy */

static enum fovea_result grow(struct lens_cpu *cpu)
{
    const uint32_t chunks = (uint32_t)strip_count(cpu->plan);
    const uint32_t most = thread_pool_worker_max(cpu->pool);
    const uint32_t wanted = chunks < most ? chunks : most;
    if (wanted <= cpu->wanted_workers) {
        return FOVEA_OK;
    }
    const uint32_t there = thread_pool_grow(cpu->pool, wanted);
    const uint32_t count = there < wanted ? there : wanted;
    float **rows = realloc(cpu->rows, count * sizeof *rows);
    if (!rows) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->rows = rows;
    const size_t blanks = ((size_t)cpu->plan->shape.width_px + 3) / 4; /* a byte a pixel */
    for (; cpu->worker_count < count; cpu->worker_count++) {
        rows[cpu->worker_count] =
            large_memory_make(row_floats(cpu->plan) + blanks, sizeof *rows[0]);
        if (!rows[cpu->worker_count]) {
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
    }
    cpu->wanted_workers = wanted;
    return FOVEA_OK;
}

enum fovea_result lens_cpu_reserve(struct operator_host *host, const struct operator_images *images)
{
    (void)images; /* one after the other */
    return grow((struct lens_cpu *)host);
}

void lens_cpu_destroy(struct operator_host **host)
{
    struct lens_cpu *cpu = (struct lens_cpu *)*host;
    *host = NULL;
    if (!cpu) {
        return;
    }
    for (uint32_t i = 0; i < cpu->worker_count; i++) {
        large_memory_free(cpu->rows[i]);
    }
    free(cpu->rows);
    large_memory_free(cpu->samples);
    free(cpu);
}

static enum fovea_result make(struct lens_cpu *cpu)
{
    if (!moves_pixels(cpu->plan)) {
        const size_t rows = (size_t)cpu->plan->shape.height_px;
        cpu->samples = large_memory_make(rows * row_floats(cpu->plan), sizeof *cpu->samples);
        if (!cpu->samples) {
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
    }
    return grow(cpu);
}

enum fovea_result lens_cpu_create(struct thread_pool *pool, const struct operator_plan *plan,
                                  struct operator_host **out_host)
{
    struct lens_cpu *cpu = calloc(1, sizeof *cpu);
    *out_host = (struct operator_host *)cpu;
    if (!cpu) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->plan = lens_plan_of(plan);
    cpu->pool = pool;
    const struct lens_light *light = &cpu->plan->light;
    pixel_lights_init(&cpu->lights,
                      &(struct pixel_transfer){light->kind, light->value, light->samples});
    const enum fovea_result result = make(cpu);
    if (result < 0) {
        lens_cpu_destroy(out_host);
    }
    return result;
}
