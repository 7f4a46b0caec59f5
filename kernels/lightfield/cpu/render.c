/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cpu.h"

#include "core/bounds.h"
#include "kernels/image/pixel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct render {
    const struct lightfield_cpu *cpu;
    const struct fovea_lightfield_rendering *rendering;
    const struct fovea_image *dst;
    struct lightfield_source source;
    struct lightfield_view view;
    struct lightfield_rings rings;
    double sigma_px;
    int32_t range;
};

/* Belongs to the row of the picture that is being made: its nearest row of lenses, and what counts
 * there. */
struct reach {
    int32_t row;
    struct lightfield_span spans[LIGHTFIELD_RANGE_MAX + 1];
};

/* ---- Weights. Of each pixel the largest is made 1, so that none of them gets lost where all are
 * small: along the columns that of each kind of row, and along the rows that of all lenses, by what
 * their columns have at least. One kind needs no such sum. */

static void least_begin(const struct render *render, float *least)
{
    for (int32_t x = 0; x < render->view.width_px; x++) {
        least[x] = INFINITY;
    }
}

/* columns: NULL, or the least squares of the kind of row. */
static void least_add(const struct lightfield_span *span, const struct lightfield_part *part,
                      double view, const float *columns, float *least)
{
    for (int32_t x = span->first; x < span->end; x++) {
        const float apart = part->weight[x] - (float)view;
        const float square = apart * apart + (columns ? columns[x] : 0.0f);
        least[x] = square < least[x] ? square : least[x];
    }
}

static void weigh(const struct render *render, const float *least, double view,
                  const float *columns, const struct lightfield_part *part)
{
    const float factor = (float)(-0.5 / (render->sigma_px * render->sigma_px));
    for (int32_t x = 0; x < render->view.width_px; x++) {
        const float apart = part->weight[x] - (float)view;
        const float square = apart * apart + (columns ? columns[x] : 0.0f);
        const float weight = expf(factor * (square - least[x]));
        part->weight[x] = isfinite(apart) ? weight : 0.0f;
    }
}

static bool is_hexagonal(const struct render *render)
{
    return render->view.geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL;
}

static const float *columns_of_row(const struct render *render,
                                   const struct lightfield_worker *worker, int32_t row)
{
    const int kind = lightfield_row_is_shifted(render->view.geometry, row) ? 1 : 0;
    return is_hexagonal(render) ? worker->column_least[kind] : NULL;
}

/* With one patch size and one kind of row all pixels of a row are as far from a row of lenses. */
static void weigh_row(const struct render *render, const struct lightfield_worker *worker,
                      int32_t row, const struct lightfield_part *part)
{
    const double view = render->rendering->view_y_px;
    struct render narrow = *render;
    if (render->rendering->patches || is_hexagonal(render)) {
        weigh(render, worker->least, view, columns_of_row(render, worker, row), part);
        return;
    }
    narrow.view.width_px = 1;
    weigh(&narrow, worker->least, view, NULL, part);
    for (int32_t x = 1; x < render->view.width_px; x++) {
        part->weight[x] = part->weight[0];
    }
}

/* Says whether any pixel takes samples from the row of lenses. */
static bool row_counts(const struct render *render, const struct reach *reach, int32_t row)
{
    const struct lightfield_span *span = &reach->spans[abs(row - reach->row)];
    return row >= 0 && row < (int32_t)render->view.geometry->rows && span->first < span->end;
}

/* Works out what all columns of lenses have. */
static void make_columns(const struct render *render, const struct lightfield_patches *patches,
                         struct lightfield_worker *worker)
{
    const struct lightfield_span all = {0, render->view.width_px};
    const double view = render->rendering->view_x_px;
    const int32_t lenses = 2 * render->range + 1;
    for (int kind = 0; kind < (is_hexagonal(render) ? 2 : 1); kind++) {
        float *least = worker->column_least[kind];
        least_begin(render, least);
        for (int32_t i = 0; i < lenses; i++) {
            const struct lightfield_part *part = &worker->columns[kind][i];
            lightfield_columns_place(&render->view, kind, i - render->range, patches, part);
            least_add(&all, part, view, NULL, least);
        }
        for (int32_t i = 0; i < lenses; i++) {
            weigh(render, least, view, NULL, &worker->columns[kind][i]);
        }
    }
}

/* Away from a gaze pixels take fewer rows, and their nearest row is nearer than any: where there
 * is one kind, all rows have the same least. */
static void make_rows(const struct render *render, const struct lightfield_patches *patches,
                      const struct reach *reach, struct lightfield_worker *worker, int32_t y)
{
    const struct lightfield_span all = {0, render->view.width_px};
    const double view = render->rendering->view_y_px;
    const int32_t first = reach->row - render->range;
    least_begin(render, worker->least);
    for (int32_t i = 0; i < 2 * render->range + 1; i++) {
        if (row_counts(render, reach, first + i)) {
            const float *columns = columns_of_row(render, worker, first + i);
            lightfield_rows_place(&render->view, y, first + i, patches, &worker->rows[i]);
            least_add(columns ? &reach->spans[abs(i - render->range)] : &all, &worker->rows[i],
                      view, columns, worker->least);
        }
    }
    for (int32_t i = 0; i < 2 * render->range + 1; i++) {
        if (row_counts(render, reach, first + i)) {
            weigh_row(render, worker, first + i, &worker->rows[i]);
        }
    }
}

/* ---- Rows */

/* The samples of a lens, of the pixels that count it. */
static void blend_lens(const struct render *render, const struct reach *reach,
                       struct lightfield_worker *worker, int32_t right, int32_t down)
{
    const int32_t row = reach->row + down;
    const int kind = lightfield_row_is_shifted(render->view.geometry, row) ? 1 : 0;
    const struct lightfield_span span = reach->spans[bounds_larger(abs(right), abs(down))];
    const struct lightfield_part columns =
        lightfield_part_from(&worker->columns[kind][right + render->range], span.first);
    const struct lightfield_part rows =
        lightfield_part_from(&worker->rows[down + render->range], span.first);
    if (span.first < span.end) {
        render->cpu->loops->blend(&render->source, &columns, &rows, span.end - span.first,
                                  worker->sum + (ptrdiff_t)LIGHTFIELD_LANES * span.first);
    }
}

static void render_row(const struct render *render, const struct reach *reach,
                       struct lightfield_worker *worker, int32_t y)
{
    const int32_t lenses = 2 * render->range + 1;
    memset(worker->sum, 0, sizeof *worker->sum * LIGHTFIELD_LANES * (size_t)render->view.width_px);
    for (int32_t i = 0; i < lenses * lenses; i++) {
        const int32_t down = i / lenses - render->range;
        if (row_counts(render, reach, reach->row + down)) {
            blend_lens(render, reach, worker, i % lenses - render->range, down);
        }
    }
    lightfield_write_row(render->dst, y, worker->sum, render->source.most, worker->packed);
}

/* Nothing changes from a row to the next one of the same lenses. */
static void find_reach(const struct render *render, int32_t y, struct reach *reach)
{
    const int32_t row = lightfield_row_of(&render->view, y);
    if (row != reach->row) {
        reach->row = row;
        lightfield_spans_find(&render->view, &render->rings, row, render->range, reach->spans);
    }
}

static const float *patches_of_row(const struct render *render, struct lightfield_worker *worker,
                                   int32_t y)
{
    const struct fovea_image *patches = render->rendering->patches;
    const struct pixel_codec *codec = pixel_codec_of(FOVEA_FORMAT_R32F);
    const struct pixel_row row = pixel_row_of(patches, codec, 0, y, render->view.width_px);
    codec->decode(&row, 1, worker->main);
    return worker->main;
}

static void render_strip(const struct lightfield_job *job, struct lightfield_worker *worker,
                         int32_t first, int32_t end)
{
    const struct render *render = job->user;
    struct lightfield_patches patches = {.patch_px = render->rendering->patch_px};
    struct reach reach = {.row = -1};
    if (!render->rendering->patches) {
        make_columns(render, &patches, worker);
    }
    for (int32_t y = first; y < end; y++) {
        if (render->rendering->patches) {
            patches.each = patches_of_row(render, worker, y);
            make_columns(render, &patches, worker);
        }
        find_reach(render, y, &reach);
        make_rows(render, &patches, &reach, worker, y);
        render_row(render, &reach, worker, y);
    }
}

void lightfield_cpu_render(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                           const struct fovea_lightfield_rendering *rendering,
                           const struct fovea_image *dst)
{
    const double pitch_px = cpu->geometry.pitch_x_px;
    const struct render render = {
        .cpu = cpu,
        .rendering = rendering,
        .dst = dst,
        .source = lightfield_source_of(raw, rendering->filter),
        .view = lightfield_view_of(&cpu->geometry, dst),
        .rings = lightfield_rings_of(rendering->foveation, dst->width_px, dst->height_px),
        .sigma_px = lightfield_sigma_of(rendering, pitch_px),
        .range = (int32_t)lightfield_range_of(rendering, pitch_px),
    };
    struct lightfield_job job = {.cpu = cpu,
                                 .make = render_strip,
                                 .user = &render,
                                 .rows = render.view.height_px,
                                 .strip_rows = LIGHTFIELD_STRIP_ROWS};
    lightfield_cpu_run(&job);
}
