/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_smooth.h"

#include "core/log.h"
#include "foveate_cpu_gather.h"
#include "foveate_cpu_steep.h"
#include "foveate_cpu_tile.h"
#include "large_memory.h"
#include "thread_steps.h"

#include <stdlib.h>

_Static_assert(FOVEATE_MAX_LEVELS + 1 <= THREAD_STEPS_MAX, "each level is a step");

#define CHANNELS FOVEATE_CPU_CHANNELS
/* What fits in a large cache; more images at a time would not be faster. */
#define MAX_LEVEL_BYTES ((size_t)32 << 20)

/* Rows of a level in planes that a worker takes at a time: the fewer, the more rows of the image are read
 * twice. */
#define PLANE_ROWS 16

/* What a worker has for itself. */
struct scratch {
    float *memory;
    float *samples; /* a row of them, and pads */
    float *values; /* a row as the codec reads and writes it */
    float *sigma_px;
    float *tile; /* what squares are made in */
};

/* Images whose levels are in memory together. */
struct group {
    int32_t first;
    int32_t count;
};

/* An image of the batch under way. */
struct view {
    struct foveate_cpu_view image;
    struct foveate_cpu_levels levels;
    const struct foveate_cpu_smooth *smooth;
};

/* Rows of a level or of the image, or of squares. */
struct rows {
    int32_t level;
    int32_t first;
    int32_t end;
};

/* One pass over images of the group: the same rows of each, a few at a time, which is a piece. */
struct step {
    void (*rows_fn)(const struct view *view, struct scratch *scratch, struct rows rows);
    struct rows rows;
    int32_t rows_at_once;
    int32_t image_count; /* of the group, from its first */
};

struct foveate_cpu_smooth {
    const struct foveate_plan *plan;
    const struct foveate_cpu_lines *lines;
    const struct foveate_cpu_tiles *tiles;
    struct foveate_cpu_steepness steepness;
    float *samples; /* the levels of image_capacity images, one image's after the other's */
    uint32_t image_capacity; /* at least 1 */
    struct scratch *scratch;
    uint32_t scratch_count;
    /* Of the batch under way. */
    struct foveate_cpu_smooth_run run;
    const struct pixel_codec *codec;
    uint32_t channels; /* that are averaged */
    bool tiled; /* squares from planes, or a gather for each pixel from samples */
    struct group group;
    struct step steps[THREAD_STEPS_MAX];
    struct thread_steps pieces; /* of these */
};

/* ---- Create and destroy */

static void choose_loops(struct foveate_cpu_smooth *smooth)
{
    smooth->lines = &foveate_cpu_lines_base;
    smooth->tiles = &foveate_cpu_tiles_base;
#ifdef FOVEATE_CPU_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        smooth->lines = &foveate_cpu_lines_avx2;
        smooth->tiles = &foveate_cpu_tiles_avx2;
    }
    if (smooth->tiles != &foveate_cpu_tiles_base && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        smooth->tiles = &foveate_cpu_tiles_avx512;
    }
#endif
}

static enum fovea_result make_scratch(struct scratch *scratch, const struct foveate_plan *plan)
{
    const size_t width = plan->width_px;
    const size_t samples = (width + 2 * (FOVEATE_CPU_PAD + FOVEATE_MARGIN)) * CHANNELS;
    const size_t values = width * CHANNELS;
    const size_t line = FOVEATE_CPU_TILE_LINE;
    const size_t tile = foveate_cpu_tile_floats(plan->width_px);
    const size_t floats = line + tile + samples + values + width;
    scratch->memory = large_memory_make(floats, sizeof *scratch->memory);
    if (!scratch->memory) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const size_t line_bytes = line * sizeof *scratch->memory;
    const size_t beyond_bytes = (uintptr_t)scratch->memory % line_bytes;
    scratch->tile = scratch->memory + (line_bytes - beyond_bytes) / sizeof *scratch->memory;
    scratch->samples = scratch->tile + tile;
    scratch->values = scratch->samples + samples;
    scratch->sigma_px = scratch->values + values;
    return FOVEA_OK;
}

/* Whole registers are read beyond the last sample. */
#define SLACK 32

static size_t level_floats(const struct foveate_cpu_smooth *smooth)
{
    return (size_t)smooth->plan->level_samples * CHANNELS + SLACK;
}

enum fovea_result foveate_cpu_smooth_grow_levels(struct foveate_cpu_smooth *smooth,
                                                 uint32_t image_count)
{
    const size_t floats = level_floats(smooth) ? level_floats(smooth) : 1;
    const size_t most = MAX_LEVEL_BYTES / (floats * sizeof *smooth->samples);
    const size_t fitting = image_count < most ? image_count : most;
    const size_t count = fitting ? fitting : 1;
    if (count <= smooth->image_capacity) {
        return FOVEA_OK;
    }
    float *samples = large_memory_make(count * floats, sizeof *samples);
    if (!samples) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    large_memory_free(smooth->samples);
    smooth->samples = samples;
    smooth->image_capacity = (uint32_t)count;
    return FOVEA_OK;
}

static void free_scratch(struct scratch *scratch, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        large_memory_free(scratch[i].memory);
    }
}

static enum fovea_result make_scratches(const struct foveate_plan *plan, struct scratch *scratch,
                                        uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const enum fovea_result result = make_scratch(&scratch[i], plan);
        if (result < 0) {
            free_scratch(scratch, first, i);
            return result;
        }
    }
    return FOVEA_OK;
}

enum fovea_result foveate_cpu_smooth_grow_workers(struct foveate_cpu_smooth *smooth,
                                                  uint32_t worker_count)
{
    const uint32_t old_count = smooth->scratch_count;
    if (worker_count <= old_count) {
        return FOVEA_OK;
    }
    struct scratch *scratch = calloc(worker_count, sizeof *scratch);
    if (!scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = make_scratches(smooth->plan, scratch, old_count, worker_count);
    if (result < 0) {
        free(scratch);
        return result;
    }
    for (uint32_t i = 0; i < old_count; i++) {
        scratch[i] = smooth->scratch[i];
    }
    free(smooth->scratch);
    smooth->scratch = scratch;
    smooth->scratch_count = worker_count;
    return FOVEA_OK;
}

enum fovea_result foveate_cpu_smooth_create(const struct foveate_plan *plan,
                                            struct foveate_cpu_smooth **out_smooth)
{
    *out_smooth = NULL;
    struct foveate_cpu_smooth *smooth = calloc(1, sizeof *smooth);
    if (!smooth) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    smooth->plan = plan;
    smooth->steepness = foveate_cpu_steepness_of(plan);
    choose_loops(smooth);
    const enum fovea_result result = foveate_cpu_smooth_grow_levels(smooth, 1);
    if (result < 0) {
        foveate_cpu_smooth_destroy(&smooth);
        return result;
    }
    *out_smooth = smooth;
    return FOVEA_OK;
}

void foveate_cpu_smooth_destroy(struct foveate_cpu_smooth **smooth)
{
    if (!smooth || !*smooth) {
        return;
    }
    free_scratch((*smooth)->scratch, 0, (*smooth)->scratch_count);
    free((*smooth)->scratch);
    large_memory_free((*smooth)->samples);
    free(*smooth);
    *smooth = NULL;
}

/* ---- Levels */

static void widen(const float *values, uint32_t channels, int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i++, values += channels, out += CHANNELS) {
        for (uint32_t c = 0; c < CHANNELS; c++) {
            out[c] = c < channels ? values[c] : 0.0f;
        }
    }
}

static void make_level_0_row(const struct view *view, struct scratch *scratch, int32_t y)
{
    const struct foveate_cpu_smooth *smooth = view->smooth;
    const int32_t width = view->image.frame.width_px;
    const struct pixel_row row = foveate_cpu_row(&view->image.src, smooth->codec, 0, y, width);
    float *out = foveate_cpu_level_row(&view->levels, 0, y);
    float *values = smooth->channels == CHANNELS ? out : scratch->values;
    smooth->codec->decode(&row, smooth->channels, values);
    if (smooth->run.light) {
        pixel_light_from_levels(smooth->run.light, values, row.count, smooth->channels,
                                smooth->codec->color_channels);
    }
    if (values != out) {
        widen(values, smooth->channels, width, out);
    }
}

static void make_samples(const struct view *view, struct scratch *scratch, struct rows rows)
{
    for (int32_t row = rows.first; row < rows.end; row++) {
        if (rows.level == 0) {
            make_level_0_row(view, scratch, row);
        } else {
            view->smooth->lines->halve(&view->levels, rows.level, row, scratch->samples);
        }
    }
}

/* ---- Pixels */

static void fill_sigma(const struct view *view, int32_t y, float *out_sigma_px)
{
    for (int32_t x = 0; x < view->image.frame.width_px; x++) {
        out_sigma_px[x] = foveate_sigma_at(view->smooth->plan, &view->image.frame, x, y);
    }
}

static void narrow(const float *samples, uint32_t channels, int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i++, samples += CHANNELS, out += channels) {
        for (uint32_t c = 0; c < channels; c++) {
            out[c] = samples[c];
        }
    }
}

static void blur_pixels(const struct view *view, struct scratch *scratch,
                        struct foveate_cpu_run run)
{
    const struct foveate_cpu_smooth *smooth = view->smooth;
    const int32_t count = run.x1_px - run.x0_px;
    const struct pixel_row src =
        foveate_cpu_row(&view->image.src, smooth->codec, run.x0_px, run.y_px, count);
    const struct pixel_row dst =
        foveate_cpu_row(&view->image.dst, smooth->codec, run.x0_px, run.y_px, count);
    float *values = scratch->samples;
    smooth->lines->gather(&view->levels, run, scratch->sigma_px, values);
    if (smooth->channels != CHANNELS) {
        narrow(values, smooth->channels, count, scratch->values);
        values = scratch->values;
    }
    if (smooth->run.light) {
        pixel_light_to_levels(smooth->run.light, values, (uint32_t)count, smooth->channels,
                              smooth->codec->color_channels);
    }
    smooth->codec->encode(values, smooth->channels, &src, &dst);
}

static void copy_pixels(const struct view *view, struct foveate_cpu_run run)
{
    const struct pixel_codec *codec = view->smooth->codec;
    const int32_t count = run.x1_px - run.x0_px;
    const struct pixel_row src =
        foveate_cpu_row(&view->image.src, codec, run.x0_px, run.y_px, count);
    const struct pixel_row dst =
        foveate_cpu_row(&view->image.dst, codec, run.x0_px, run.y_px, count);
    pixel_copy_row(codec, &src, &dst);
}

static void make_row(const struct view *view, struct scratch *scratch, int32_t y)
{
    const int32_t width = view->image.frame.width_px;
    const float *sigma_px = scratch->sigma_px;
    fill_sigma(view, y, scratch->sigma_px);
    struct foveate_cpu_run run = {.y_px = y};
    while (run.x0_px < width) {
        const bool blurred = sigma_px[run.x0_px] > 0.0f;
        for (run.x1_px = run.x0_px + 1; run.x1_px < width; run.x1_px++) {
            if ((sigma_px[run.x1_px] > 0.0f) != blurred) {
                break;
            }
        }
        if (blurred) {
            blur_pixels(view, scratch, run);
        } else {
            copy_pixels(view, run);
        }
        run.x0_px = run.x1_px;
    }
}

static void make_pixels(const struct view *view, struct scratch *scratch, struct rows rows)
{
    for (int32_t y = rows.first; y < rows.end; y++) {
        make_row(view, scratch, y);
    }
}

/* ---- Squares */

static struct foveate_cpu_picture picture_of(const struct view *view)
{
    const struct foveate_cpu_smooth *smooth = view->smooth;
    return (struct foveate_cpu_picture){
        .plan = smooth->plan,
        .view = view->image,
        .codec = smooth->codec,
        .light = smooth->run.light,
        .channels = (int32_t)smooth->channels,
        .samples = view->levels.samples,
        .steepness = smooth->steepness.slope,
    };
}

static int32_t squares_along(int32_t size_px)
{
    return (size_px + FOVEATE_CPU_TILE_PX - 1) / FOVEATE_CPU_TILE_PX;
}

static void make_planes(const struct view *view, struct scratch *scratch, struct rows rows)
{
    const struct foveate_cpu_picture picture = picture_of(view);
    view->smooth->tiles->level_rows(&picture, scratch->tile, rows.level, rows.first, rows.end);
}

static void make_squares(const struct view *view, struct scratch *scratch, struct rows rows)
{
    const struct foveate_cpu_picture picture = picture_of(view);
    const int32_t across = squares_along(view->image.frame.width_px);
    for (int32_t i = rows.first; i < rows.end; i++) {
        view->smooth->tiles->square(&picture, scratch->tile, i % across * FOVEATE_CPU_TILE_PX,
                                    i / across * FOVEATE_CPU_TILE_PX);
    }
}

/* ---- A batch */

/* Image `index` of the group. Where all images are one picture, its levels serve them all. */
static struct view view_of(const struct foveate_cpu_smooth *smooth, int32_t index)
{
    const struct foveate_cpu_batch *batch = smooth->run.batch;
    const size_t place = batch->src_next_bytes == 0 ? 0 : (size_t)index;
    return (struct view){
        .image = foveate_cpu_view_of(batch, smooth->run.frame, smooth->group.first + index),
        .levels = {.levels = smooth->plan->levels,
                   .count = (int32_t)smooth->plan->level_count,
                   .samples = smooth->samples + place * level_floats(smooth),
                   .rest = foveate_light_rest(smooth->run.frame->light),
                   .reach = foveate_light_reach(smooth->run.frame->light)},
        .smooth = smooth,
    };
}

static int32_t pieces_per_image(const struct step *step)
{
    return (step->rows.end - step->rows.first + step->rows_at_once - 1) / step->rows_at_once;
}

static struct rows rows_of(const struct step *step, int32_t piece)
{
    const int32_t first = step->rows.first + piece * step->rows_at_once;
    const int32_t end = first + step->rows_at_once;
    return (struct rows){step->rows.level, first, end < step->rows.end ? end : step->rows.end};
}

static void work(void *user, uint32_t worker)
{
    struct foveate_cpu_smooth *smooth = user;
    int32_t index;
    int32_t piece;
    while (thread_steps_take(&smooth->pieces, &index, &piece)) {
        const struct step *step = &smooth->steps[index];
        const int32_t pieces = pieces_per_image(step);
        const struct view view = view_of(smooth, piece / pieces);
        step->rows_fn(&view, &smooth->scratch[worker], rows_of(step, piece % pieces));
        thread_steps_finish(&smooth->pieces);
    }
}

static void add_step(struct foveate_cpu_smooth *smooth, struct step step)
{
    smooth->steps[smooth->pieces.count] = step;
    thread_steps_add(&smooth->pieces, pieces_per_image(&step) * step.image_count);
}

/* Squares need no copy of the image as level 0. */
static void add_levels(struct foveate_cpu_smooth *smooth)
{
    const bool shared = smooth->run.batch->src_next_bytes == 0;
    for (int32_t k = smooth->tiled ? 1 : 0; k < (int32_t)smooth->plan->level_count; k++) {
        const int32_t margin = foveate_level_margin(k);
        add_step(smooth,
                 (struct step){.rows_fn = smooth->tiled ? make_planes : make_samples,
                               .rows = {k, -margin, smooth->plan->levels[k].height + margin},
                               .rows_at_once = smooth->tiled ? PLANE_ROWS : FOVEATE_CPU_SMOOTH_ROWS,
                               .image_count = shared ? 1 : smooth->group.count});
    }
}

static void run_group(struct foveate_cpu_smooth *smooth)
{
    const struct foveate_frame *frame = smooth->run.frame;
    thread_steps_clear(&smooth->pieces);
    add_levels(smooth);
    if (smooth->tiled) {
        add_step(smooth, (struct step){.rows_fn = make_squares,
                                       .rows = {.end = squares_along(frame->width_px) *
                                                       squares_along(frame->height_px)},
                                       .rows_at_once = 1,
                                       .image_count = smooth->group.count});
    } else {
        add_step(smooth, (struct step){.rows_fn = make_pixels,
                                       .rows = {.end = frame->height_px},
                                       .rows_at_once = FOVEATE_CPU_SMOOTH_ROWS,
                                       .image_count = smooth->group.count});
    }
    thread_pool_run(smooth->run.pool, smooth->run.worker_count, work, smooth);
}

/* Float formats are gathered: a value that is not finite would spread over squares. So is light that is
 * not sRGB's, which squares cannot write. */
static bool is_tiled(const struct foveate_cpu_smooth *smooth)
{
    const struct foveate_cpu_steepness *s = &smooth->steepness;
    return pixel_light_known(smooth->run.batch->src->format) &&
           smooth->run.frame->light <= FOVEATE_LIGHT_SRGB &&
           s->slope <= FOVEATE_CPU_TILE_STEEPEST && s->sigma_px <= FOVEATE_CPU_TILE_SIGMA_PX;
}

/* The workers wait for one another after every level of a group, not of an image. */
void foveate_cpu_smooth_run(struct foveate_cpu_smooth *smooth,
                            const struct foveate_cpu_smooth_run *run)
{
    const struct foveate_cpu_batch *batch = run->batch;
    const int32_t count = (int32_t)batch->count;
    const int32_t most = batch->src_next_bytes == 0 ? count : (int32_t)smooth->image_capacity;
    smooth->run = *run;
    smooth->codec = pixel_codec_of(batch->src->format);
    smooth->channels = smooth->codec->color_channels +
                       (smooth->codec->has_alpha && run->frame->blur_alpha ? 1 : 0);
    smooth->tiled = is_tiled(smooth);
    for (int32_t first = 0; first < count; first += most) {
        smooth->group = (struct group){first, count - first < most ? count - first : most};
        run_group(smooth);
    }
}
