/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_tile.h"

#include "foveate_cpu_blur.h"
#include "foveate_cpu_enlarge.h"
#include "foveate_cpu_halve.h"
#include "foveate_cpu_sigma.h"
#include "foveate_cpu_tile_room.h"

#define PAD FOVEATE_CPU_ENLARGE_PAD
#define SMALLEST_PX 32 /* square */

/* How many sigmas the blur reaches. Linear light shows more of what lies farther out: FOVEATE_REACH. */
#define REACH_LEVELS 3.5f

/* sigma is linear between nodes so far apart that it is wrong by less than a hundredth of a sample. */
#define MAX_STEP 4
#define NODE_STEEPNESS 0.03f

/* Less than this is a copy: exp(-1 / (2 0.2^2)) is 4e-6. */
#define COPY_SIGMA_PX 0.2f

/* Below this sigma and from this steepness on weights differ too much from pixel to pixel. */
#define STEEP_BELOW_PX 0.7f
#define STEEP_FROM 0.01f

struct tile {
    const struct foveate_cpu_picture *picture;
    const struct foveate_cpu_tile_room *room;
    int32_t x_px, y_px, width_px, height_px;
    int32_t k;
    int32_t radius; /* of the blur, in samples of the level */
    bool steep; /* on level 0: both axes at once */
    struct foveate_cpu_rest rest;
    int32_t step; /* samples between nodes of sigma */
    /* The samples that are blurred; in rows there is room for whole registers. */
    int32_t column, row, columns, rows;
    int32_t pitch; /* floats from a row of a channel to the next in mid and blurred */
};

static inline int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t whole_lanes_of(int32_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

/* ---- sigma */

struct range {
    float lowest, highest;
};

#define PROBES 5 /* along a side */

/* Of a square and half a sample of a fine level around it. What lies between the probes differs from them
 * by what the picture's steepness allows. */
static struct range sigma_range(const struct foveate_cpu_picture *picture, int32_t x_px,
                                int32_t y_px, int32_t size_px)
{
    const float apart_px = (float)size_px / (PROBES - 1);
    struct range range = {1e9f, 0.0f};
    for (int32_t j = 0; j < PROBES; j++) {
        float row[PROBES + LANES];
        foveate_cpu_sigma_row(picture,
                              (struct foveate_cpu_places){
                                  (float)x_px, (float)y_px + (float)j * apart_px, apart_px, PROBES},
                              row);
        for (int32_t i = 0; i < PROBES; i++) {
            range.lowest = row[i] < range.lowest ? row[i] : range.lowest;
            range.highest = row[i] > range.highest ? row[i] : range.highest;
        }
    }
    const float between = 0.7072f * apart_px * picture->steepness;
    range.lowest = range.lowest > between ? range.lowest - between : 0.0f;
    range.highest += between;
    return range;
}

static void spread_nodes(const float *nodes, int32_t step, int32_t count, float *out)
{
    const float part = 1.0f / (float)step;
    for (int32_t i = 0; i < count; i += step, nodes++) {
        for (int32_t n = 0; n < step; n++) {
            out[i + n] = nodes[0] + (float)n * part * (nodes[1] - nodes[0]);
        }
    }
}

/* Rows of sigma, `step` samples apart, for every column: the nodes and what is linear between them. */
static void fill_sigma(const struct tile *tile)
{
    const int32_t step = tile->step;
    const float px = (float)(1 << tile->k);
    const int32_t first_row = tile->row - tile->radius;
    const int32_t count = (tile->rows + 2 * tile->radius - 1) / step + 2;
    float *out = tile->room->sigma;
    float nodes[FOVEATE_CPU_TILE_PITCH];
    for (int32_t j = 0; j < count; j++, out += tile->pitch) {
        const struct foveate_cpu_places places = {
            .x_px = ((float)tile->column + 0.5f) * px,
            .y_px = ((float)(first_row + j * step) + 0.5f) * px,
            .apart_px = (float)step * px,
            .count = (tile->columns - 1) / step + 2,
        };
        foveate_cpu_sigma_row(tile->picture, places, nodes);
        spread_nodes(nodes, step, tile->columns, out);
    }
}

/* ---- Blur */

/* Where the level's rows are to be read from: the planes themselves, or a copy where the window crosses
 * their edges or the level is the image. */
struct window {
    const float *first; /* of the first channel: column of the tile, `radius` rows above it */
    ptrdiff_t plane;
    ptrdiff_t pitch;
};

static bool is_stored(const struct tile *tile)
{
    if (tile->k == 0) {
        return false;
    }
    const struct foveate_level *level = &tile->picture->plan->levels[tile->k];
    const int32_t reach = tile->radius;
    return tile->column - reach >= -FOVEATE_MARGIN && tile->row - reach >= -FOVEATE_MARGIN &&
           tile->column + tile->columns + reach <= level->width + FOVEATE_MARGIN &&
           tile->row + tile->rows + reach <= level->height + FOVEATE_MARGIN;
}

static void copy_level_row(const struct tile *tile, int32_t row, float *out, int32_t count,
                           ptrdiff_t plane)
{
    const struct foveate_level *level = &tile->picture->plan->levels[tile->k];
    const int32_t last_row = level->height + FOVEATE_MARGIN - 1;
    const int32_t last = level->width + FOVEATE_MARGIN - 1;
    const int32_t first = tile->column - tile->radius;
    for (int32_t c = 0; c < tile->picture->channels; c++, out += plane) {
        const float *in = foveate_cpu_plane_row(tile->picture, tile->k, c,
                                                foveate_cpu_clamp(row, -FOVEATE_MARGIN, last_row));
        for (int32_t i = 0; i < count; i++) {
            out[i] = in[foveate_cpu_clamp(first + i, -FOVEATE_MARGIN, last)];
        }
    }
}

static struct window copy_window(const struct tile *tile)
{
    const int32_t count = tile->columns + 2 * tile->radius;
    const ptrdiff_t plane = whole_lanes_of(count) + LANES;
    const ptrdiff_t pitch = plane * tile->picture->channels;
    float *out = tile->room->window;
    for (int32_t j = 0; j < tile->rows + 2 * tile->radius; j++, out += pitch) {
        const int32_t row = tile->row - tile->radius + j;
        if (tile->k == 0) {
            const struct foveate_cpu_span span = {tile->column - tile->radius, row, count};
            foveate_cpu_read(tile->picture, &span, tile->room->values, out, plane);
        } else {
            copy_level_row(tile, row, out, count, plane);
        }
    }
    return (struct window){tile->room->window + tile->radius, plane, pitch};
}

static struct window window_of(const struct tile *tile)
{
    if (!is_stored(tile)) {
        return copy_window(tile);
    }
    const float *first =
        foveate_cpu_plane_row(tile->picture, tile->k, 0, tile->row - tile->radius) + tile->column;
    const struct foveate_plan *plan = tile->picture->plan;
    return (struct window){first, (ptrdiff_t)plan->level_samples - plan->levels[1].first,
                           plan->levels[tile->k].pitch};
}

static float *make_weights(const struct tile *tile, int32_t j)
{
    const float *above = tile->room->sigma + (ptrdiff_t)(j / tile->step) * tile->pitch;
    const float *const sigma_px[2] = {above, above + tile->pitch};
    float *weights = tile->room->weights + (ptrdiff_t)j * tile->pitch;
    foveate_cpu_weights(&tile->rest, sigma_px, (float)(j % tile->step) / (float)tile->step,
                        tile->columns, weights);
    return weights;
}

static void blur_across(const struct tile *tile)
{
    const struct window window = window_of(tile);
    const struct foveate_cpu_tile_room *room = tile->room;
    const ptrdiff_t pitch = tile->pitch * tile->picture->channels;
    for (int32_t j = 0; j < tile->rows + 2 * tile->radius; j++) {
        foveate_cpu_blur(&(struct foveate_cpu_blur){.in = window.first + j * window.pitch,
                                                    .in_plane = window.plane,
                                                    .step = 1,
                                                    .out = room->across + j * pitch,
                                                    .out_plane = tile->pitch,
                                                    .weights = make_weights(tile, j),
                                                    .radius = tile->radius,
                                                    .count = tile->columns},
                         tile->picture->channels);
    }
}

static void blur_down(const struct tile *tile, int32_t row, float *out)
{
    const ptrdiff_t pitch = tile->pitch * tile->picture->channels;
    const int32_t from = row + tile->radius;
    foveate_cpu_blur(
        &(struct foveate_cpu_blur){.in = tile->room->across + from * pitch,
                                   .in_plane = tile->pitch,
                                   .step = pitch,
                                   .out = out,
                                   .out_plane = tile->pitch,
                                   .weights = tile->room->weights + (ptrdiff_t)from * tile->pitch,
                                   .radius = tile->radius,
                                   .count = tile->columns},
        tile->picture->channels);
}

/* ---- Pixels */

static struct foveate_cpu_span span_of(const struct tile *tile, int32_t y)
{
    return (struct foveate_cpu_span){tile->x_px, tile->y_px + y, tile->width_px};
}

static void write_blurred(const struct tile *tile, int32_t y)
{
    const struct foveate_cpu_span span = span_of(tile, y);
    if (foveate_cpu_is_words(tile->picture)) {
        foveate_cpu_write_words(tile->picture, &span, tile->room->blurred, tile->pitch);
    } else {
        foveate_cpu_write(tile->picture, &span, tile->room->blurred, tile->pitch,
                          tile->room->values);
    }
}

static void finish_level_0(const struct tile *tile)
{
    for (int32_t y = 0; y < tile->height_px; y++) {
        blur_down(tile, y, tile->room->blurred);
        write_blurred(tile, y);
    }
}

/* Rows of samples as rows of pixels: they are kept while they are needed. */
#define KEPT_ROWS 8 /* at least four; a power of two */
#define PIXELS_PLANE (FOVEATE_CPU_TILE_PX + LANES)

static float *kept_row(const struct tile *tile, int32_t row)
{
    return tile->room->pixels +
           (ptrdiff_t)(row % KEPT_ROWS) * FOVEATE_CPU_MAX_CHANNELS * PIXELS_PLANE;
}

static void make_kept_row(const struct tile *tile, const struct foveate_cpu_splines *splines,
                          int32_t row)
{
    const struct foveate_cpu_tile_room *room = tile->room;
    const struct foveate_cpu_enlarge_scratch scratch = {room->phases, room->other};
    blur_down(tile, row, room->blurred);
    for (int32_t c = 0; c < tile->picture->channels; c++) {
        foveate_cpu_enlarge_across(splines, &scratch, room->blurred + c * tile->pitch,
                                   tile->columns - 2 * PAD, kept_row(tile, row) + c * PIXELS_PLANE);
    }
}

/* Rows of a square lie far apart: the processor does not see which one comes. */
#define PREFETCHED_ROWS 4

static inline void prefetch(const struct fovea_image *image, const struct foveate_cpu_span *span)
{
    const unsigned char *at = (const unsigned char *)image->data +
                              (ptrdiff_t)(span->y_px + PREFETCHED_ROWS) * image->row_stride_bytes +
                              4 * (ptrdiff_t)span->x_px;
    for (int32_t i = 0; i < 4 * span->count; i += 64) {
        __builtin_prefetch(at + i);
    }
}

static void write_row(const struct tile *tile, const struct foveate_cpu_enlarge_rows *rows,
                      int32_t y)
{
    const struct foveate_cpu_picture *picture = tile->picture;
    const struct foveate_cpu_span span = span_of(tile, y);
    if (foveate_cpu_is_words(picture)) {
        prefetch(&picture->view.src, &span);
        prefetch(&picture->view.dst, &span);
        foveate_cpu_enlarge_words(rows, picture->light,
                                  foveate_cpu_span_row(picture, &picture->view.src, &span).data,
                                  foveate_cpu_span_row(picture, &picture->view.dst, &span).data);
        return;
    }
    foveate_cpu_enlarge_down(rows, picture->channels, tile->room->row, PIXELS_PLANE);
    foveate_cpu_write(picture, &span, tile->room->row, PIXELS_PLANE, tile->room->values);
}

static void finish_level(const struct tile *tile)
{
    struct foveate_cpu_splines splines;
    foveate_cpu_splines_make(tile->k, &splines);
    int32_t made = 0;
    for (int32_t y = 0; y < tile->height_px; y++) {
        const struct foveate_cpu_spline *spline = &splines.phases[y & ((1 << tile->k) - 1)];
        const int32_t first = (y >> tile->k) + spline->first;
        for (; made < first + 4; made++) {
            make_kept_row(tile, &splines, made);
        }
        const struct foveate_cpu_enlarge_rows rows = {
            .in = {kept_row(tile, first), kept_row(tile, first + 1), kept_row(tile, first + 2),
                   kept_row(tile, first + 3)},
            .plane = PIXELS_PLANE,
            .weights = spline->weights,
            .count = tile->width_px,
        };
        write_row(tile, &rows, y);
    }
}

static void copy_tile(const struct tile *tile)
{
    const struct foveate_cpu_picture *picture = tile->picture;
    for (int32_t y = 0; y < tile->height_px; y++) {
        const struct foveate_cpu_span span = span_of(tile, y);
        const struct pixel_row src =
            foveate_cpu_row(&picture->view.src, picture->codec, span.x_px, span.y_px, span.count);
        const struct pixel_row dst =
            foveate_cpu_row(&picture->view.dst, picture->codec, span.x_px, span.y_px, span.count);
        pixel_copy_row(picture->codec, &src, &dst);
    }
}

/* ---- Squares */

/* Where the blur begins, its weights are so small that they double from a pixel to the next, and what
 * should be one pixel's square of weights would be several pixels' in two passes. */
static void make_steep_tile(const struct tile *tile)
{
    const struct window window = window_of(tile);
    for (int32_t y = 0; y < tile->height_px; y++) {
        const int32_t j = y + tile->radius;
        foveate_cpu_blur_square(&(struct foveate_cpu_blur){.in = window.first + j * window.pitch,
                                                           .in_plane = window.plane,
                                                           .step = window.pitch,
                                                           .out = tile->room->blurred,
                                                           .out_plane = tile->pitch,
                                                           .weights = make_weights(tile, j),
                                                           .radius = tile->radius,
                                                           .count = tile->columns},
                                tile->picture->channels);
        write_blurred(tile, y);
    }
}

static void make_tile(const struct tile *tile)
{
    fill_sigma(tile);
    if (tile->steep) {
        make_steep_tile(tile);
        return;
    }
    blur_across(tile);
    if (tile->k == 0) {
        finish_level_0(tile);
    } else {
        finish_level(tile);
    }
}

/* Only level 0 has steps in sigma's slope, where the blur begins, that are as fine as its samples. */
static int32_t step_for(float steepness, int32_t k)
{
    int32_t step = MAX_STEP;
    while (k == 0 && step > 1 && (float)step * steepness > NODE_STEEPNESS) {
        step /= 2;
    }
    return step;
}

static struct foveate_cpu_rest rest_on(int32_t k)
{
    const float sample_sq = (float)(1 << 2 * k);
    return (struct foveate_cpu_rest){
        .taken = k == 0 ? 0.0f : foveate_level_variance(k) + sample_sq / 3.0f,
        .scale = 1.0f / sample_sq,
        .exact = k > 0,
    };
}

static int32_t radius_for(const struct foveate_cpu_picture *picture,
                          const struct foveate_cpu_rest *rest, float sigma_px)
{
    const float v = (sigma_px * sigma_px - rest->taken) * rest->scale;
    const float reach =
        (picture->light ? FOVEATE_REACH : REACH_LEVELS) * sqrtf(v > 0.0f ? v : 0.0f);
    return reach > 1.0f ? (int32_t)ceilf(reach) : 1;
}

static void place_samples(struct tile *tile)
{
    const int32_t pad = tile->k > 0 ? PAD : 0;
    const int32_t last = (1 << tile->k) - 1;
    tile->column = (tile->x_px >> tile->k) - pad;
    tile->row = (tile->y_px >> tile->k) - pad;
    tile->columns = ((tile->width_px + last) >> tile->k) + 2 * pad;
    tile->rows = ((tile->height_px + last) >> tile->k) + 2 * pad;
    tile->pitch = whole_lanes_of(tile->columns) + LANES;
}

/* The level that a square of that size is made from; -1: it is to be divided. */
static int32_t level_for(const struct foveate_cpu_picture *picture, int32_t size_px,
                         struct range range)
{
    const int32_t k = foveate_level_for(range.lowest, (int32_t)picture->plan->level_count);
    if (size_px > SMALLEST_PX) {
        return size_px >> (k < 2 ? k : 2) <= SMALLEST_PX ? k : -1;
    }
    return smaller(k, 5); /* a sample is a pixel of a square at least */
}

static void divide(const struct foveate_cpu_picture *picture,
                   const struct foveate_cpu_tile_room *room, int32_t x_px, int32_t y_px,
                   int32_t size_px)
{
    if (x_px >= picture->view.frame.width_px || y_px >= picture->view.frame.height_px) {
        return;
    }
    const struct range range = sigma_range(picture, x_px, y_px, size_px);
    struct tile tile = {
        .picture = picture,
        .room = room,
        .x_px = x_px,
        .y_px = y_px,
        .width_px = smaller(size_px, picture->view.frame.width_px - x_px),
        .height_px = smaller(size_px, picture->view.frame.height_px - y_px),
    };
    if (range.highest < COPY_SIGMA_PX) {
        copy_tile(&tile);
        return;
    }
    tile.k = level_for(picture, size_px, range);
    if (tile.k >= 0) {
        tile.rest = rest_on(tile.k);
        tile.radius = radius_for(picture, &tile.rest, range.highest);
    }
    if (size_px > SMALLEST_PX && (tile.k < 0 || tile.radius > FOVEATE_CPU_TILE_RADIUS)) {
        const int32_t half = size_px / 2;
        for (int32_t i = 0; i < 4; i++) {
            divide(picture, room, x_px + i % 2 * half, y_px + i / 2 * half, half);
        }
        return;
    }
    tile.radius = smaller(tile.radius, FOVEATE_CPU_TILE_RADIUS);
    tile.steep = range.lowest < STEEP_BELOW_PX && picture->steepness > STEEP_FROM;
    tile.step = step_for(picture->steepness, tile.k);
    place_samples(&tile);
    make_tile(&tile);
}

static void square(const struct foveate_cpu_picture *picture, float *scratch, int32_t x_px,
                   int32_t y_px)
{
    const struct foveate_cpu_tile_room room =
        foveate_cpu_tile_room_of(scratch, picture->plan->width_px);
    divide(picture, &room, x_px, y_px, FOVEATE_CPU_TILE_PX);
}

/* ---- Levels */

static void level_rows(const struct foveate_cpu_picture *picture, float *scratch, int32_t k,
                       int32_t first_row, int32_t end_row)
{
    const struct foveate_cpu_tile_room room =
        foveate_cpu_tile_room_of(scratch, picture->plan->width_px);
    if (k == 1) {
        foveate_cpu_halve_image(picture, &room.halve, first_row, end_row);
        return;
    }
    for (int32_t row = first_row; row < end_row; row++) {
        foveate_cpu_halve_level(picture, &room.halve, k, row);
    }
}

const struct foveate_cpu_tiles FOVEATE_CPU_NAME(foveate_cpu_tiles) = {.level_rows = level_rows,
                                                                      .square = square};
