/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cpu.h"

#include "core/bounds.h"
#include "kernels/image/pixel.h"
#include "kernels/lightfield/focus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct depth {
    const struct lightfield_cpu *cpu;
    const struct fovea_lightfield_matching *matching;
    const struct fovea_image *depth, *confidence;
    struct lightfield_source source;
    struct lightfield_view view;
    struct lightfield_rings rings;
    uint32_t size_count;
};

/* A row of the picture and a patch size. */
struct line {
    struct lightfield_patches patches;
    uint32_t size;
    int32_t y;
    int32_t row; /* the nearest of lenses */
    /* Pixels that are compared with lenses so far to each side: with 2, all that are not coarse */
    struct lightfield_span spans[LIGHTFIELD_RANGE_MAX + 1];
};

static double size_of(const struct depth *depth, uint32_t number)
{
    return depth->matching->first_px + number * depth->matching->step_px;
}

static float *costs_at(const struct depth *depth, const struct lightfield_worker *worker,
                       uint32_t size, int32_t row)
{
    return worker->costs +
           ((size_t)size * LIGHTFIELD_COST_ROWS + (size_t)row) * (size_t)depth->view.width_px;
}

/* ---- Costs */

static void make_even(int32_t away, int32_t width, const struct lightfield_part *part)
{
    for (int32_t x = 0; x < width; x++) {
        part->weight[x] = lightfield_even(away, part->weight[x]);
    }
}

static void make_columns(const struct depth *depth, const struct lightfield_patches *patches,
                         struct lightfield_worker *worker)
{
    const int kinds = depth->view.geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL ? 2 : 1;
    const int32_t range = (int32_t)depth->matching->range;
    const int32_t lenses = 2 * range + 1;
    for (int32_t i = 0; i < kinds * lenses; i++) {
        const struct lightfield_part *part = &worker->columns[i / lenses][i % lenses];
        const int32_t right = i % lenses - range;
        lightfield_columns_place(&depth->view, i / lenses, right, patches, part);
        make_even(right < 0 ? -right : right, depth->view.width_px, part);
    }
}

/* Nothing changes from a row to the next one of the same lenses. */
static void find_spans(const struct depth *depth, struct line *line)
{
    const int32_t row = lightfield_row_of(&depth->view, line->y);
    if (row != line->row) {
        line->row = row;
        lightfield_spans_find(&depth->view, &depth->rings, row, LIGHTFIELD_RANGE_MAX, line->spans);
    }
}

/* Beyond the ring every other patch size is compared with the next lenses. */
static struct lightfield_span span_of(const struct line *line, int32_t away)
{
    return line->spans[line->size % 2 != 0 ? 2 : away];
}

static void differ_lens(const struct depth *depth, struct lightfield_worker *worker,
                        const struct lightfield_part *column, struct lightfield_span span)
{
    const ptrdiff_t at = (ptrdiff_t)LIGHTFIELD_LANES * span.first;
    const struct lightfield_part columns = lightfield_part_from(column, span.first);
    const struct lightfield_part rows = lightfield_part_from(worker->rows, span.first);
    if (span.first < span.end) {
        depth->cpu->loops->differ(&depth->source, &columns, &rows, span.end - span.first,
                                  worker->main + at, worker->sum + at);
    }
}

static void differ_row(const struct depth *depth, const struct line *line,
                       struct lightfield_worker *worker)
{
    const struct lightfield_loops *loops = depth->cpu->loops;
    const struct fovea_lightfield_geometry *geometry = depth->view.geometry;
    const int32_t width = depth->view.width_px;
    const int32_t range = (int32_t)depth->matching->range;
    const int32_t lenses = 2 * range + 1;
    const int32_t middle = line->row;
    struct lightfield_part *part = worker->rows;
    lightfield_rows_place(&depth->view, line->y, middle, &line->patches, part);
    loops->read(&depth->source,
                &worker->columns[lightfield_row_is_shifted(geometry, middle)][range], part, width,
                worker->main);
    for (int32_t i = 0; i < lenses * lenses; i++) {
        const int32_t down = i / lenses - range;
        const int32_t right = i % lenses - range;
        const int32_t row = middle + down;
        if (row < 0 || row >= (int32_t)geometry->rows || i == lenses * lenses / 2) {
            continue;
        }
        if (i % lenses == 0 || (down == 0 && i % lenses == 1)) {
            lightfield_rows_place(&depth->view, line->y, row, &line->patches, part);
            make_even(abs(down), width, part);
        }
        differ_lens(depth, worker,
                    &worker->columns[lightfield_row_is_shifted(geometry, row)][i % lenses],
                    span_of(line, bounds_larger(abs(right), abs(down))));
    }
}

/* A size that is not compared costs more than all that are. */
static void cost_row(const struct depth *depth, const struct line *line,
                     struct lightfield_worker *worker, float *out)
{
    const int32_t width = depth->view.width_px;
    const struct lightfield_span span = span_of(line, 0);
    memset(worker->sum, 0, sizeof *worker->sum * LIGHTFIELD_LANES * (size_t)width);
    if (span.first < span.end) {
        differ_row(depth, line, worker);
    }
    for (int32_t x = 0; x < width; x++) {
        const float *sum = worker->sum + (size_t)LIGHTFIELD_LANES * (size_t)x;
        const float cost = sum[3] > 0.0f ? (sum[0] + sum[1] + sum[2]) / sum[3] : 0.0f;
        out[x] = x >= span.first && x < span.end ? cost : INFINITY;
    }
}

/* ---- The box: sums of columns first */

static void box_row(const struct depth *depth, const struct lightfield_worker *worker,
                    uint32_t size, int32_t first, int32_t end, float *out)
{
    const int32_t width = depth->view.width_px;
    float *sums = worker->packed;
    memset(sums, 0, sizeof *sums * (size_t)width);
    for (int32_t row = first; row < end; row++) {
        const float *costs = costs_at(depth, worker, size, row);
        for (int32_t x = 0; x < width; x++) {
            sums[x] += costs[x];
        }
    }
    for (int32_t x = 0; x < width; x++) {
        const int32_t left = bounds_larger(x - LIGHTFIELD_BOX_REACH, 0);
        const int32_t right = bounds_smaller(x + LIGHTFIELD_BOX_REACH + 1, width);
        float sum = 0.0f;
        for (int32_t i = left; i < right; i++) {
            sum += sums[i];
        }
        out[x] = sum / (float)((right - left) * (end - first));
    }
}

/* ---- The least of them */

static void write_floats(const struct fovea_image *image, int32_t y, const float *values)
{
    const struct pixel_codec *codec = pixel_codec_of(FOVEA_FORMAT_R32F);
    const struct pixel_row row = pixel_row_of(image, codec, 0, y, (int32_t)image->width_px);
    codec->encode(values, 1, &row, &row);
}

/* costs: of the first size at the row. */
static void choose_row(const struct depth *depth, struct lightfield_worker *worker, int32_t y,
                       const float *costs)
{
    const int64_t pitch = (int64_t)LIGHTFIELD_COST_ROWS * depth->view.width_px;
    float *depths = worker->packed;
    float *confidences = worker->main;
    for (int32_t x = 0; x < depth->view.width_px; x++) {
        const int best = lightfield_least(costs + x, pitch, (int)depth->size_count,
                                          depth->matching->step_px, &confidences[x]);
        depths[x] = (float)size_of(depth, (uint32_t)best);
    }
    write_floats(depth->depth, y, depths);
    if (depth->confidence) {
        write_floats(depth->confidence, y, confidences);
    }
}

/* ---- Strips: with the box, of some rows more to both sides */

static void make_boxes(const struct depth *depth, struct lightfield_worker *worker, int32_t first,
                       int32_t end)
{
    for (uint32_t n = 0; n < depth->size_count; n++) {
        box_row(depth, worker, n, first, end, costs_at(depth, worker, n, LIGHTFIELD_BOX_ROW));
    }
}

static void depth_strip(const struct lightfield_job *job, struct lightfield_worker *worker,
                        int32_t first, int32_t end)
{
    const struct depth *depth = job->user;
    const int32_t reach = depth->matching->box ? LIGHTFIELD_BOX_REACH : 0;
    const int32_t from = bounds_larger(first - reach, 0);
    const int32_t to = bounds_smaller(end + reach, depth->view.height_px);
    for (uint32_t n = 0; n < depth->size_count; n++) {
        struct line line = {.patches = {.patch_px = size_of(depth, n)}, .size = n, .row = -1};
        make_columns(depth, &line.patches, worker);
        for (line.y = from; line.y < to; line.y++) {
            find_spans(depth, &line);
            cost_row(depth, &line, worker, costs_at(depth, worker, n, line.y - from));
        }
    }
    for (int32_t y = first; y < end; y++) {
        if (depth->matching->box) {
            make_boxes(depth, worker, bounds_larger(y - reach, 0) - from,
                       bounds_smaller(y + reach + 1, depth->view.height_px) - from);
        }
        choose_row(
            depth, worker, y,
            costs_at(depth, worker, 0, depth->matching->box ? LIGHTFIELD_BOX_ROW : y - from));
    }
}

void lightfield_cpu_depth(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                          const struct fovea_lightfield_matching *matching,
                          const struct fovea_image *depth, const struct fovea_image *confidence)
{
    struct depth own = {
        .cpu = cpu,
        .matching = matching,
        .depth = depth,
        .confidence = confidence,
        .source = lightfield_source_of(raw, matching->filter),
        .view = lightfield_view_of(&cpu->geometry, depth),
        .rings = lightfield_rings_of(matching->foveation, depth->width_px, depth->height_px),
        .size_count = lightfield_size_count(matching),
    };
    own.rings.next_px = INFINITY; /* the next lenses count everywhere */
    struct lightfield_job job = {.cpu = cpu,
                                 .make = depth_strip,
                                 .user = &own,
                                 .rows = own.view.height_px,
                                 .strip_rows = LIGHTFIELD_STRIP_ROWS};
    lightfield_cpu_run(&job);
}
