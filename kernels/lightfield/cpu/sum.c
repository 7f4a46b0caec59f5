/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shifted sums of views. A view is a row of lenses at a time, between whose samples the pixels
 * lie. */

#include "lightfield_cpu.h"

#include <math.h>
#include <string.h>

struct sum {
    const struct lightfield_cpu *cpu;
    const struct fovea_lightfield_sum *given;
    const struct fovea_image *dst;
    struct lightfield_source source;
    struct lightfield_view view;
};

/* A view that is added to a strip. */
struct shifted_view {
    double from_px[2]; /* from the lenses' centres */
    double shift[2]; /* in lenses */
};

/* ---- Samples of lenses */

/* The worker's first column has the places of a row of lenses, its second one those of pixels
 * among lenses. */
static void sample_lenses(const struct sum *sum, const struct shifted_view *view, int32_t row,
                          struct lightfield_worker *worker, float *out)
{
    const struct fovea_lightfield_geometry *geometry = sum->view.geometry;
    const struct lightfield_part *columns = &worker->columns[0][0];
    const struct lightfield_part *rows = &worker->rows[0];
    const double in_raw_px[2] = {
        sum->view.cos * view->from_px[0] - sum->view.sin * view->from_px[1],
        sum->view.sin * view->from_px[0] + sum->view.cos * view->from_px[1]};
    for (int32_t i = 0; i < (int32_t)geometry->columns; i++) {
        double center[2];
        lightfield_lens_center(geometry, i, row, center);
        columns->x[i] = lightfield_fixed(center[0]);
        columns->y[i] = lightfield_fixed(center[1]);
        rows->x[i] = lightfield_fixed(in_raw_px[0]);
        rows->y[i] = lightfield_fixed(in_raw_px[1]);
    }
    sum->cpu->loops->read(&sum->source, columns, rows, (int32_t)geometry->columns, out);
}

/* The left one of the two lenses that a pixel lies between, and the part of the right one. */
static void place_pixels(const struct sum *sum, const struct shifted_view *view, int32_t row,
                         const struct lightfield_part *out)
{
    const uint32_t columns = sum->view.geometry->columns;
    const double shift =
        view->shift[0] + (lightfield_row_is_shifted(sum->view.geometry, row) ? 0.5 : 0.0);
    for (int32_t x = 0; x < sum->view.width_px; x++) {
        const double at = lightfield_at(x, sum->view.width_px, columns) - shift;
        const int32_t left = (int32_t)floor(at);
        out->x[x] = LIGHTFIELD_LANES * lightfield_within(left, columns);
        out->y[x] = LIGHTFIELD_LANES * lightfield_within(left + 1, columns);
        out->weight[x] = (float)(at - left);
    }
}

static void add_row(const struct sum *sum, const struct lightfield_part *pixels,
                    const float *lenses, float part, float *out)
{
    for (int32_t x = 0; x < sum->view.width_px; x++) {
        const float *left = lenses + pixels->x[x];
        const float *right = lenses + pixels->y[x];
        const float of_right = pixels->weight[x] * part;
        const float of_left = part - of_right;
        for (int c = 0; c < 3; c++) {
            out[LIGHTFIELD_LANES * x + c] += of_left * left[c] + of_right * right[c];
        }
        out[LIGHTFIELD_LANES * x + 3] += part;
    }
}

/* ---- Rows of the picture */

static void add_view(const struct sum *sum, struct lightfield_worker *worker, int32_t y,
                     const struct shifted_view *view)
{
    const uint32_t rows = sum->view.geometry->rows;
    const struct lightfield_part *pixels = &worker->columns[0][1];
    const double at = lightfield_at(y, sum->view.height_px, rows) - view->shift[1];
    const int32_t above = (int32_t)floor(at);
    for (int32_t i = 0; i < 2; i++) {
        const int32_t row = lightfield_within(above + i, rows);
        const float part = (float)(i == 0 ? 1.0 - (at - above) : at - above);
        if (part > 0.0f) {
            sample_lenses(sum, view, row, worker, worker->main);
            place_pixels(sum, view, row, pixels);
            add_row(sum, pixels, worker->main, part, worker->sum);
        }
    }
}

static void sum_row(const struct sum *sum, struct lightfield_worker *worker, int32_t y)
{
    const struct fovea_lightfield_sum *given = sum->given;
    const int32_t reach = (int32_t)floor(given->radius_px);
    const double tall = sum->view.geometry->pitch_x_px / sum->view.geometry->pitch_y_px;
    memset(worker->sum, 0, sizeof *worker->sum * LIGHTFIELD_LANES * (size_t)sum->view.width_px);
    for (int32_t dy = -reach; dy <= reach; dy++) {
        for (int32_t dx = -reach; dx <= reach; dx++) {
            const struct shifted_view view = {{sum->view.sign * (dx + given->view_x_px),
                                               sum->view.sign * (dy + given->view_y_px)},
                                              {given->shift * dx, given->shift * dy * tall}};
            if (dx * dx + dy * dy <= given->radius_px * given->radius_px) {
                add_view(sum, worker, y, &view);
            }
        }
    }
    lightfield_write_row(sum->dst, y, worker->sum, sum->source.most, worker->packed);
}

static void sum_strip(const struct lightfield_job *job, struct lightfield_worker *worker,
                      int32_t first, int32_t end)
{
    for (int32_t y = first; y < end; y++) {
        sum_row(job->user, worker, y);
    }
}

void lightfield_cpu_sum(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                        const struct fovea_lightfield_sum *given, const struct fovea_image *dst)
{
    const struct sum sum = {
        .cpu = cpu,
        .given = given,
        .dst = dst,
        .source = lightfield_source_of(raw, FOVEA_LIGHTFIELD_FILTER_LINEAR),
        .view = lightfield_view_of(&cpu->geometry, dst),
    };
    struct lightfield_job job = {
        .cpu = cpu, .make = sum_strip, .user = &sum, .rows = sum.view.height_px, .strip_rows = 1};
    lightfield_cpu_run(&job);
}
