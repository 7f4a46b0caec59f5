/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "run.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_steps.h"
#include "kernels/gauss/cpu/common/lanes.h"
#include "kernels/gauss/cpu/nodes/nodes.h"
#include "kernels/gauss/cpu/tiles/tile.h"
#include "kernels/gauss/plan/slope.h"
#include "worker.h"

#include <stdlib.h>

_Static_assert(GAUSS_MAX_LEVELS + 2 <= THREAD_STEPS_MAX, "each level is a step");

#define CHANNELS GAUSS_CPU_MAX_CHANNELS
/* So many bytes fit in the caches of one core; more images at a time would go through memory. */
#define LEVEL_BYTES_PER_WORKER ((size_t)3 << 19)

/* Images of a batch that each worker makes by itself, at least: of fewer, one would wait for the
 * last of another. */
#define IMAGES_PER_WORKER 4

/* A worker takes so many rows of a level at a time: the fewer, the more rows of the image are read
 * twice. */
#define PLANE_ROWS 16

/* Images whose levels are in memory together. */
struct group {
    int32_t first;
    int32_t count;
};

/* An image of the batch under way. */
struct view {
    struct gauss_cpu_view image;
    float *samples; /* its levels' */
    const struct gauss_cpu_smooth *smooth;
};

/* Rows of a level, of the image, or of tiles. */
struct rows {
    int32_t level;
    int32_t first;
    int32_t end;
};

/* One pass over images of the group: the same rows of each, a few at a time, which is a chunk. */
struct step {
    void (*rows_fn)(const struct view *view, struct gauss_cpu_worker *scratch, struct rows rows);
    struct rows rows;
    int32_t rows_at_once;
    int32_t image_count; /* images of the group, from its first */
};

/* How pixels are made. */
enum way {
    WAY_COPY,
    WAY_TILES, /* gauss/cpu/tiles/tile.h */
    WAY_NODES, /* gauss/cpu/nodes/nodes.h */
};

struct gauss_cpu_smooth {
    const struct gauss_plan *plan;
    const struct gauss_cpu_tiles *tiles;
    const struct gauss_cpu_nodes *nodes;
    struct gauss_slope slope;
    struct gauss_cpu_ladder ladder;
    float *samples; /* the levels of image_capacity images, one image's after the other's */
    uint32_t image_capacity; /* at least 1 */
    struct gauss_cpu_worker *scratch;
    uint32_t scratch_count;
    /* The batch under way. */
    struct gauss_cpu_smooth_run run;
    const struct pixel_codec *codec;
    uint32_t channels; /* averaged channels */
    enum way way;
    struct group group;
    struct step steps[THREAD_STEPS_MAX];
    int32_t alone; /* images that are made before the group's, each by one worker: step 0 */
    struct thread_steps chunks; /* chunks of these steps */
};

/* ---- Create and destroy */

static void choose_loops(struct gauss_cpu_smooth *smooth)
{
    smooth->tiles = &gauss_cpu_tiles_base;
    smooth->nodes = &gauss_cpu_nodes_base;
#ifdef GAUSS_CPU_HAVE_AVX2
    if (!gauss_cpu_runs_avx2()) {
        return;
    }
    smooth->tiles = &gauss_cpu_tiles_avx2;
    smooth->nodes = &gauss_cpu_nodes_avx2;
    if (gauss_cpu_runs_avx512()) {
        smooth->tiles = &gauss_cpu_tiles_avx512;
        smooth->nodes = &gauss_cpu_nodes_avx512;
    }
#endif
}

/* Whole registers are read beyond the last sample. */
#define SLACK 32

static size_t level_floats(const struct gauss_cpu_smooth *smooth)
{
    return (size_t)smooth->plan->level_samples * CHANNELS + SLACK;
}

enum fovea_result gauss_cpu_smooth_grow_levels(struct gauss_cpu_smooth *smooth,
                                               uint32_t image_count)
{
    const size_t floats = level_floats(smooth) ? level_floats(smooth) : 1;
    const size_t workers = smooth->scratch_count ? smooth->scratch_count : 1;
    const size_t most = workers * LEVEL_BYTES_PER_WORKER / (floats * sizeof *smooth->samples);
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

static void free_scratch(struct gauss_cpu_worker *scratch, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        gauss_cpu_worker_finish(&scratch[i]);
    }
}

static enum fovea_result make_scratches(const struct gauss_cpu_smooth *smooth,
                                        struct gauss_cpu_worker *scratch, uint32_t first,
                                        uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const enum fovea_result result =
            gauss_cpu_worker_init(&scratch[i], smooth->plan, &smooth->ladder);
        if (result < 0) {
            free_scratch(scratch, first, i + 1);
            return result;
        }
    }
    return FOVEA_OK;
}

enum fovea_result gauss_cpu_smooth_grow_workers(struct gauss_cpu_smooth *smooth,
                                                uint32_t worker_count)
{
    const uint32_t old_count = smooth->scratch_count;
    if (worker_count <= old_count) {
        return FOVEA_OK;
    }
    struct gauss_cpu_worker *scratch = calloc(worker_count, sizeof *scratch);
    if (!scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = make_scratches(smooth, scratch, old_count, worker_count);
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

/* Makes the parts of the plan, besides levels, that make pixels. */
static enum fovea_result make_tables(struct gauss_cpu_smooth *smooth)
{
    smooth->slope = gauss_slope_of(smooth->plan);
    return gauss_cpu_ladder_init(&smooth->ladder, smooth->plan, smooth->slope.sigma_px);
}

enum fovea_result gauss_cpu_smooth_create(const struct gauss_plan *plan,
                                          struct gauss_cpu_smooth **out_smooth)
{
    *out_smooth = NULL;
    struct gauss_cpu_smooth *smooth = calloc(1, sizeof *smooth);
    if (!smooth) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    smooth->plan = plan;
    choose_loops(smooth);
    enum fovea_result result = make_tables(smooth);
    if (result == FOVEA_OK) {
        result = gauss_cpu_smooth_grow_levels(smooth, 1);
    }
    if (result < 0) {
        gauss_cpu_smooth_destroy(&smooth);
        return result;
    }
    *out_smooth = smooth;
    return FOVEA_OK;
}

void gauss_cpu_smooth_destroy(struct gauss_cpu_smooth **smooth)
{
    if (!smooth || !*smooth) {
        return;
    }
    free_scratch((*smooth)->scratch, 0, (*smooth)->scratch_count);
    free((*smooth)->scratch);
    large_memory_free((*smooth)->samples);
    gauss_cpu_ladder_finish(&(*smooth)->ladder);
    free(*smooth);
    *smooth = NULL;
}

/* ---- Levels, squares and tiles */

static struct gauss_cpu_picture picture_of(const struct view *view)
{
    const struct gauss_cpu_smooth *smooth = view->smooth;
    return (struct gauss_cpu_picture){
        .plan = smooth->plan,
        .view = view->image,
        .codec = smooth->codec,
        .light = smooth->run.light,
        .of_light = smooth->run.of_light,
        .channels = (int32_t)smooth->channels,
        .samples = view->samples,
        .first_level = smooth->way == WAY_TILES ? 1 : 0,
        .slope = smooth->slope.slope,
    };
}

static int32_t tiles_along(int32_t size_px, int32_t tile_px)
{
    return (size_px + tile_px - 1) / tile_px;
}

static void make_planes(const struct view *view, struct gauss_cpu_worker *scratch, struct rows rows)
{
    const struct gauss_cpu_picture picture = picture_of(view);
    if (rows.level == 0) {
        view->smooth->nodes->read_rows(&picture, scratch->values, rows.first, rows.end);
        return;
    }
    view->smooth->tiles->level_rows(&picture, scratch->tile, rows.level, rows.first, rows.end);
}

static void make_tiles(const struct view *view, struct gauss_cpu_worker *scratch, struct rows rows)
{
    const struct gauss_cpu_picture picture = picture_of(view);
    const int32_t across = tiles_along(view->image.frame.width_px, GAUSS_CPU_TILE_PX);
    for (int32_t i = rows.first; i < rows.end; i++) {
        view->smooth->tiles->make(&picture, scratch->tile, i % across * GAUSS_CPU_TILE_PX,
                                  i / across * GAUSS_CPU_TILE_PX);
    }
}

static void make_blended(const struct view *view, struct gauss_cpu_worker *scratch,
                         struct rows rows)
{
    const struct gauss_cpu_picture picture = picture_of(view);
    for (int32_t i = rows.first; i < rows.end; i++) {
        view->smooth->nodes->tiles(&picture, &view->smooth->ladder, scratch->nodes,
                                   i * GAUSS_CPU_NODE_PX);
    }
}

static void copy_rows(const struct view *view, struct gauss_cpu_worker *scratch, struct rows rows)
{
    const struct pixel_codec *codec = view->smooth->codec;
    const int32_t width = view->image.frame.width_px;
    (void)scratch;
    for (int32_t y = rows.first; y < rows.end; y++) {
        const struct pixel_row src = pixel_row_of(&view->image.src, codec, 0, y, width);
        const struct pixel_row dst = pixel_row_of(&view->image.dst, codec, 0, y, width);
        pixel_copy_row(codec, &src, &dst);
    }
}

/* ---- A batch */

/* Returns an image of the batch, whose levels are those at `place`. */
static struct view view_of(const struct gauss_cpu_smooth *smooth, int32_t index, int32_t place)
{
    return (struct view){
        .image = gauss_cpu_view_of(smooth->run.batch, smooth->run.frame, index),
        .samples = smooth->samples + (size_t)place * level_floats(smooth),
        .smooth = smooth,
    };
}

static int32_t chunks_per_image(const struct step *step)
{
    return (step->rows.end - step->rows.first + step->rows_at_once - 1) / step->rows_at_once;
}

static struct rows rows_of(const struct step *step, int32_t chunk)
{
    const int32_t first = step->rows.first + chunk * step->rows_at_once;
    const int32_t end = first + step->rows_at_once;
    return (struct rows){step->rows.level, first, end < step->rows.end ? end : step->rows.end};
}

/* The worker's levels stay in its caches, and nobody waits between the steps. */
static void make_alone(const struct gauss_cpu_smooth *smooth, uint32_t worker, int32_t image)
{
    const struct view view = view_of(smooth, image, (int32_t)worker);
    for (int32_t s = 1; s < smooth->chunks.count; s++) {
        const struct step *step = &smooth->steps[s];
        for (int32_t chunk = 0; chunk < chunks_per_image(step); chunk++) {
            step->rows_fn(&view, &smooth->scratch[worker], rows_of(step, chunk));
        }
    }
}

static void make_chunk(const struct gauss_cpu_smooth *smooth, uint32_t worker,
                       const struct step *step, int32_t chunk)
{
    const bool shared = smooth->run.batch->src_next_bytes == 0; /* all images are one picture */
    const int32_t chunks = chunks_per_image(step);
    const int32_t image = chunk / chunks;
    const struct view view = view_of(smooth, smooth->group.first + image, shared ? 0 : image);
    step->rows_fn(&view, &smooth->scratch[worker], rows_of(step, chunk % chunks));
}

static void work(void *user, uint32_t worker)
{
    struct gauss_cpu_smooth *smooth = user;
    int32_t index;
    int32_t chunk;
    while (thread_steps_take(&smooth->chunks, &index, &chunk)) {
        if (smooth->alone > 0 && index == 0) {
            make_alone(smooth, worker, chunk);
        } else {
            make_chunk(smooth, worker, &smooth->steps[index], chunk);
        }
        thread_steps_finish(&smooth->chunks);
    }
}

static void add_step(struct gauss_cpu_smooth *smooth, struct step step)
{
    smooth->steps[smooth->chunks.count] = step;
    thread_steps_add(&smooth->chunks, chunks_per_image(&step) * step.image_count);
}

/* Tiles of one level need no copy of the image as level 0. */
static void add_levels(struct gauss_cpu_smooth *smooth)
{
    const bool shared = smooth->run.batch->src_next_bytes == 0;
    const int32_t first = smooth->way == WAY_TILES ? 1 : 0;
    for (int32_t k = first; k < (int32_t)smooth->plan->level_count; k++) {
        const int32_t margin = gauss_level_margin(k);
        add_step(smooth,
                 (struct step){.rows_fn = make_planes,
                               .rows = {k, -margin, smooth->plan->levels[k].height + margin},
                               .rows_at_once = PLANE_ROWS,
                               .image_count = shared ? 1 : smooth->group.count});
    }
}

static void add_pixels(struct gauss_cpu_smooth *smooth)
{
    const struct gauss_frame *frame = smooth->run.frame;
    struct step step = {.rows_at_once = 1, .image_count = smooth->group.count};
    switch (smooth->way) {
    case WAY_COPY:
        step.rows_fn = copy_rows;
        step.rows.end = frame->height_px;
        step.rows_at_once = PLANE_ROWS;
        break;
    case WAY_TILES:
        step.rows_fn = make_tiles;
        step.rows.end = tiles_along(frame->width_px, GAUSS_CPU_TILE_PX) *
                        tiles_along(frame->height_px, GAUSS_CPU_TILE_PX);
        break;
    case WAY_NODES:
        step.rows_fn = make_blended;
        step.rows.end = tiles_along(frame->height_px, GAUSS_CPU_NODE_PX);
        break;
    }
    add_step(smooth, step);
}

static void run_group(struct gauss_cpu_smooth *smooth)
{
    thread_steps_clear(&smooth->chunks);
    if (smooth->alone > 0) {
        thread_steps_add(&smooth->chunks, smooth->alone);
    }
    add_levels(smooth);
    add_pixels(smooth);
    thread_pool_share(smooth->run.pool, smooth->run.worker_count, work, smooth);
}

/* Returns how many images workers make each by itself: as many as go evenly among them. Others, and
 * those whose levels do not fit in a worker's caches, they make together. */
static int32_t count_alone(const struct gauss_cpu_smooth *smooth)
{
    const struct operator_images *batch = smooth->run.batch;
    const uint32_t workers = smooth->run.worker_count;
    const uint32_t least = workers > 1 ? IMAGES_PER_WORKER * workers : 1;
    const bool fit = batch->src_next_bytes != 0 && workers <= smooth->image_capacity;
    return fit && batch->count >= least ? (int32_t)(batch->count - batch->count % workers) : 0;
}

/* Returns the first way that takes the plan: nothing is blurred; sigma grows by at most 0.04 a
 * pixel, to 256 px; any other. Tiles take no floats, because one that is not finite would spread,
 * and write no light but sRGB's. */
static enum way way_of(const struct gauss_cpu_smooth *smooth)
{
    const struct gauss_slope *s = &smooth->slope;
    const bool unorm = pixel_light_known(smooth->run.batch->src->format);
    if (smooth->plan->level_count == 0) {
        return WAY_COPY;
    }
    const bool mild =
        s->slope <= GAUSS_CPU_TILE_MAX_SLOPE && s->sigma_px <= GAUSS_CPU_TILE_SIGMA_PX;
    return mild && unorm && !image_light_is_wide(smooth->run.frame->light) ? WAY_TILES : WAY_NODES;
}

/* Workers that make images together wait for one another after every level of a group, not of an
 * image. */
void gauss_cpu_smooth_run(struct gauss_cpu_smooth *smooth, const struct gauss_cpu_smooth_run *run)
{
    const struct operator_images *batch = run->batch;
    const int32_t count = (int32_t)batch->count;
    const int32_t most = batch->src_next_bytes == 0 ? count : (int32_t)smooth->image_capacity;
    smooth->run = *run;
    smooth->codec = pixel_codec_of(batch->src->format);
    smooth->channels = smooth->codec->color_channels +
                       (smooth->codec->has_alpha && run->frame->blur_alpha ? 1 : 0);
    smooth->way = way_of(smooth);
    smooth->alone = count_alone(smooth);
    int32_t first = smooth->alone;
    do {
        smooth->group = (struct group){first, count - first < most ? count - first : most};
        run_group(smooth);
        smooth->alone = 0;
        first += most;
    } while (first < count);
}
