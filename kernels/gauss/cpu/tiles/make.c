/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "make.h"

#include "blur.h"
#include "kernels/gauss/cpu/common/sigma.h"
#include "kernels/gauss/cpu/common/words.h"
#include "upsample.h"

#include <string.h>

#define PAD GAUSS_CPU_UPSAMPLE_PAD

/* ---- sigma and first weights */

/* Interpolates linearly between nodes `step` samples apart, which divides a register. */
static void spread_nodes(const float *nodes, int32_t step, int32_t count, float *out)
{
    const lanes place = lanes_ramp() * (1.0f / (float)step);
    const whole_lanes before = __builtin_convertvector(place, whole_lanes);
    const lanes part = place - __builtin_convertvector(before, lanes);
    for (int32_t i = 0; i < count; i += LANES) {
        const lanes here = *lanes_at(nodes + i / step);
        const lanes next = *lanes_at(nodes + i / step + 1);
        const lanes from = lanes_pick(&here, &before);
        const lanes to = lanes_pick(&next, &before);
        *(lanes *)(out + i) = from + part * (to - from);
    }
}

static int32_t row_radius(const struct gauss_cpu_tile *tile, const float *sigma_px, int32_t count)
{
    float largest = 0.0f;
    for (int32_t i = 0; i < count; i++) {
        largest = sigma_px[i] > largest ? sigma_px[i] : largest;
    }
    return gauss_cpu_tile_radius(tile->picture, &tile->residual, largest);
}

/* Interpolates rows of nodes, `step` samples apart, for every column. The values are sigma where
 * the blur begins, and elsewhere the first weights, which are as smooth there. */
static void fill_nodes(const struct gauss_cpu_tile *tile)
{
    const int32_t step = tile->step;
    const float px = (float)(1 << tile->k);
    const int32_t first_row = tile->row - tile->radius;
    const int32_t count = (tile->rows + 2 * tile->radius - 1) / step + 2;
    float *out = tile->buffers->nodes;
    float nodes[2 * GAUSS_CPU_TILE_PITCH] = {0.0f};
    for (int32_t j = 0; j < count; j++, out += tile->pitch) {
        const struct gauss_cpu_places places = {
            .x_px = ((float)tile->column + 0.5f) * px,
            .y_px = ((float)(first_row + j * step) + 0.5f) * px,
            .apart_px = (float)step * px,
            .count = (tile->columns - 1) / step + 2,
        };
        gauss_cpu_sigma_row(tile->picture, places, nodes);
        tile->buffers->radii[j] =
            bounds_smaller(row_radius(tile, nodes, places.count), tile->radius);
        if (!tile->direct) {
            gauss_cpu_weights(&tile->residual, nodes, places.count, nodes);
        }
        spread_nodes(nodes, step, tile->columns, out);
    }
}

/* ---- Blur */

/* Finds where the level's rows are read from: the planes themselves, or a copy if the window
 * crosses their edges or the level is the image. */
struct window {
    const float *first; /* the first channel's: column of the tile, `radius` rows above it */
    ptrdiff_t plane;
    ptrdiff_t pitch;
};

static bool is_stored(const struct gauss_cpu_tile *tile)
{
    if (tile->k == 0) {
        return false;
    }
    const struct gauss_level *level = &tile->picture->plan->levels[tile->k];
    const int32_t reach = tile->radius;
    return tile->column - reach >= -GAUSS_MARGIN && tile->row - reach >= -GAUSS_MARGIN &&
           tile->column + tile->columns + reach <= level->width + GAUSS_MARGIN &&
           tile->row + tile->rows + reach <= level->height + GAUSS_MARGIN;
}

/* Samples beyond the stored ones repeat the outermost. */
static void copy_level_row(const struct gauss_cpu_tile *tile, int32_t row, float *out,
                           int32_t count, ptrdiff_t plane)
{
    const struct gauss_level *level = &tile->picture->plan->levels[tile->k];
    const int32_t stored_row = bounds_clamped(row, -GAUSS_MARGIN, level->height + GAUSS_MARGIN - 1);
    const int32_t first = tile->column - tile->radius;
    const int32_t from = bounds_clamped(first, -GAUSS_MARGIN, level->width);
    const int32_t end = bounds_clamped(first + count, from + 1, level->width + GAUSS_MARGIN);
    for (int32_t c = 0; c < tile->picture->channels; c++, out += plane) {
        const float *in = gauss_cpu_plane_row(tile->picture, tile->k, c, stored_row);
        gauss_cpu_repeat(out, in[from], from - first);
        memcpy(out + (from - first), in + from, (size_t)(end - from) * sizeof *out);
        gauss_cpu_repeat(out + (end - first), in[end - 1], first + count - end);
    }
}

static struct window copy_window(const struct gauss_cpu_tile *tile)
{
    const int32_t count = tile->columns + 2 * tile->radius;
    const ptrdiff_t plane = gauss_cpu_whole_lanes(count) + LANES;
    const ptrdiff_t pitch = plane * tile->picture->channels;
    float *out = tile->buffers->window;
    for (int32_t j = 0; j < tile->rows + 2 * tile->radius; j++, out += pitch) {
        const int32_t row = tile->row - tile->radius + j;
        if (tile->k == 0) {
            const struct gauss_cpu_span span = {tile->column - tile->radius, row, count};
            gauss_cpu_read(tile->picture, &span, tile->buffers->values, out, plane);
        } else {
            copy_level_row(tile, row, out, count, plane);
        }
    }
    return (struct window){tile->buffers->window + tile->radius, plane, pitch};
}

static struct window window_of(const struct gauss_cpu_tile *tile)
{
    if (!is_stored(tile)) {
        return copy_window(tile);
    }
    const float *first =
        gauss_cpu_plane_row(tile->picture, tile->k, 0, tile->row - tile->radius) + tile->column;
    const struct gauss_plan *plan = tile->picture->plan;
    return (struct window){first, (ptrdiff_t)plan->level_samples - plan->levels[1].first,
                           plan->levels[tile->k].pitch};
}

/* Returns the values of row j, between its nodes. */
static int32_t radius_at(const struct gauss_cpu_tile *tile, int32_t j)
{
    const int32_t *radii = tile->buffers->radii + j / tile->step;
    return radii[0] > radii[1] ? radii[0] : radii[1];
}

static float *make_weights(const struct gauss_cpu_tile *tile, int32_t j)
{
    const float *above = tile->buffers->nodes + (ptrdiff_t)(j / tile->step) * tile->pitch;
    const float *below = above + tile->pitch;
    const float part = (float)(j % tile->step) / (float)tile->step;
    float *weights = tile->buffers->weights + (ptrdiff_t)j * tile->pitch;
    for (int32_t i = 0; i < tile->columns; i += LANES) {
        *(lanes *)(weights + i) =
            *lanes_at(above + i) + part * (*lanes_at(below + i) - *lanes_at(above + i));
    }
    if (tile->direct) {
        gauss_cpu_weights(&tile->residual, weights, tile->columns, weights);
    }
    return weights;
}

static void blur_across(const struct gauss_cpu_tile *tile)
{
    const struct window window = window_of(tile);
    const struct gauss_cpu_tile_buffers *buffers = tile->buffers;
    const ptrdiff_t pitch = tile->pitch * tile->picture->channels;
    const int32_t rows = tile->rows + 2 * tile->radius;
    for (int32_t j = 0; j < rows; j++) {
        gauss_cpu_blur(&(struct gauss_cpu_blur){.in = window.first + j * window.pitch,
                                                .in_plane = window.plane,
                                                .step = 1,
                                                .out = buffers->across + j * pitch,
                                                .out_plane = tile->pitch,
                                                .weights = make_weights(tile, j),
                                                .radius = radius_at(tile, j),
                                                .count = tile->columns},
                       tile->picture->channels);
    }
}

static void blur_down(const struct gauss_cpu_tile *tile, int32_t row, float *out)
{
    const ptrdiff_t pitch = tile->pitch * tile->picture->channels;
    const int32_t from = row + tile->radius;
    gauss_cpu_blur(
        &(struct gauss_cpu_blur){.in = tile->buffers->across + from * pitch,
                                 .in_plane = tile->pitch,
                                 .step = pitch,
                                 .out = out,
                                 .out_plane = tile->pitch,
                                 .weights = tile->buffers->weights + (ptrdiff_t)from * tile->pitch,
                                 .radius = radius_at(tile, from),
                                 .count = tile->columns},
        tile->picture->channels);
}

/* ---- Pixels */

static struct gauss_cpu_span span_of(const struct gauss_cpu_tile *tile, int32_t y)
{
    return (struct gauss_cpu_span){tile->x_px, tile->y_px + y, tile->width_px};
}

static void write_blurred(const struct gauss_cpu_tile *tile, int32_t y)
{
    const struct gauss_cpu_span span = span_of(tile, y);
    if (gauss_cpu_is_words(tile->picture)) {
        gauss_cpu_write_words(tile->picture, &span, tile->buffers->blurred, tile->pitch);
    } else {
        gauss_cpu_write(tile->picture, &span, tile->buffers->blurred, tile->pitch,
                        tile->buffers->values);
    }
}

static void finish_level_0(const struct gauss_cpu_tile *tile)
{
    for (int32_t y = 0; y < tile->height_px; y++) {
        blur_down(tile, y, tile->buffers->blurred);
        write_blurred(tile, y);
    }
}

/* Rows of samples, up-sampled to rows of pixels, are kept while they are needed. */
#define KEPT_ROWS 8 /* at least four; a power of two */
#define PIXELS_PLANE (GAUSS_CPU_TILE_PX + LANES)

static float *kept_row(const struct gauss_cpu_tile *tile, int32_t row)
{
    return tile->buffers->pixels +
           (ptrdiff_t)(row % KEPT_ROWS) * GAUSS_CPU_MAX_CHANNELS * PIXELS_PLANE;
}

static void make_kept_row(const struct gauss_cpu_tile *tile,
                          const struct gauss_cpu_splines *splines, int32_t row)
{
    const struct gauss_cpu_tile_buffers *buffers = tile->buffers;
    const struct gauss_cpu_upsample_scratch scratch = {buffers->phases, buffers->other};
    blur_down(tile, row, buffers->blurred);
    for (int32_t c = 0; c < tile->picture->channels; c++) {
        gauss_cpu_upsample_across(splines, &scratch, buffers->blurred + c * tile->pitch,
                                  tile->columns - 2 * PAD, kept_row(tile, row) + c * PIXELS_PLANE);
    }
}

/* Rows of a tile lie far apart: the processor cannot predict the next one. */
#define PREFETCHED_ROWS 4

static inline void prefetch(const struct fovea_image *image, const struct gauss_cpu_span *span)
{
    const int32_t y = bounds_smaller(span->y_px + PREFETCHED_ROWS, (int32_t)image->height_px - 1);
    const unsigned char *at = (const unsigned char *)image->data + y * image->row_stride_bytes +
                              4 * (ptrdiff_t)span->x_px;
    for (int32_t i = 0; i < 4 * span->count; i += 64) {
        __builtin_prefetch(at + i);
    }
}

static void write_row(const struct gauss_cpu_tile *tile, const struct gauss_cpu_upsample_rows *rows,
                      int32_t y)
{
    const struct gauss_cpu_picture *picture = tile->picture;
    const struct gauss_cpu_span span = span_of(tile, y);
    if (gauss_cpu_is_words(picture)) {
        unsigned char *out = gauss_cpu_span_row(picture, &picture->view.dst, &span).data;
        prefetch(&picture->view.src, &span);
        if (!gauss_cpu_may_stream(out)) {
            prefetch(&picture->view.dst, &span);
        }
        gauss_cpu_upsample_words(rows, picture->light,
                                 gauss_cpu_span_row(picture, &picture->view.src, &span).data, out);
        return;
    }
    gauss_cpu_upsample_down(rows, picture->channels, tile->buffers->row, PIXELS_PLANE);
    gauss_cpu_write(picture, &span, tile->buffers->row, PIXELS_PLANE, tile->buffers->values);
}

static void finish_level(const struct gauss_cpu_tile *tile)
{
    struct gauss_cpu_splines splines;
    gauss_cpu_splines_make(tile->k, &splines);
    int32_t made = 0;
    for (int32_t y = 0; y < tile->height_px; y++) {
        const struct gauss_cpu_spline *spline = &splines.phases[y & ((1 << tile->k) - 1)];
        const int32_t first = (y >> tile->k) + spline->first;
        for (; made < first + 4; made++) {
            make_kept_row(tile, &splines, made);
        }
        const struct gauss_cpu_upsample_rows rows = {
            .in = {kept_row(tile, first), kept_row(tile, first + 1), kept_row(tile, first + 2),
                   kept_row(tile, first + 3)},
            .plane = PIXELS_PLANE,
            .weights = spline->weights,
            .count = tile->width_px,
        };
        write_row(tile, &rows, y);
    }
}

/* ---- All of it */

/* The blur begins with weights that double from a pixel to the next; in two
 * passes, one pixel's square of weights would mix those of several pixels. */
static void make_direct_tile(const struct gauss_cpu_tile *tile)
{
    const struct window window = window_of(tile);
    for (int32_t y = 0; y < tile->height_px; y++) {
        const int32_t j = y + tile->radius;
        gauss_cpu_blur_direct(&(struct gauss_cpu_blur){.in = window.first + j * window.pitch,
                                                       .in_plane = window.plane,
                                                       .step = window.pitch,
                                                       .out = tile->buffers->blurred,
                                                       .out_plane = tile->pitch,
                                                       .weights = make_weights(tile, j),
                                                       .radius = radius_at(tile, j),
                                                       .count = tile->columns},
                              tile->picture->channels);
        write_blurred(tile, y);
    }
}

void gauss_cpu_tile_make(const struct gauss_cpu_tile *tile)
{
    fill_nodes(tile);
    if (tile->direct) {
        make_direct_tile(tile);
        return;
    }
    blur_across(tile);
    if (tile->k == 0) {
        finish_level_0(tile);
    } else {
        finish_level(tile);
    }
}
