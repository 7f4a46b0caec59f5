/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The patch size under a gaze. */

#include "lightfield_cpu.h"

#include "kernels/lightfield/focus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const struct lightfield_loops *loops;
    struct lightfield_worker *worker;
    struct lightfield_source source;
    struct lightfield_view view;
    int32_t columns[2], rows[2]; /* of the square: first and end */
    int32_t range;
};

static int32_t width_of(const struct search *search)
{
    return search->columns[1] - search->columns[0];
}

static void place_columns(const struct search *search, double patch_px)
{
    const int kinds = search->view.geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL ? 2 : 1;
    const int32_t lenses = 2 * search->range + 1;
    for (int32_t i = 0; i < kinds * lenses; i++) {
        const struct lightfield_part *part = &search->worker->columns[i / lenses][i % lenses];
        const int32_t right = i % lenses - search->range;
        for (int32_t x = 0; x < width_of(search); x++) {
            lightfield_column_place(&search->view, search->columns[0] + x, i / lenses, right,
                                    patch_px, part, x);
            part->weight[x] = lightfield_even(abs(right), part->weight[x]);
        }
    }
}

/* All pixels of a row have the same part. */
static void place_row(const struct search *search, int32_t y, int32_t row, double patch_px)
{
    const struct lightfield_part *part = search->worker->rows;
    const int32_t away = abs(row - lightfield_row_of(&search->view, y));
    for (int32_t x = 0; x < width_of(search); x++) {
        lightfield_row_place(&search->view, y, row, patch_px, part, x);
        part->weight[x] = lightfield_even(away, part->weight[x]);
    }
}

/* Adds differences and their numbers to the worker's sums. */
static void differ_row(const struct search *search, int32_t y, double patch_px)
{
    const struct fovea_lightfield_geometry *geometry = search->view.geometry;
    struct lightfield_worker *worker = search->worker;
    const int32_t lenses = 2 * search->range + 1;
    const int32_t middle = lightfield_row_of(&search->view, y);
    const bool shifted = lightfield_row_is_shifted(geometry, middle);
    place_row(search, y, middle, patch_px);
    search->loops->read(&search->source, &worker->columns[shifted][search->range], worker->rows,
                        width_of(search), worker->main);
    for (int32_t down = -search->range; down <= search->range; down++) {
        const int32_t row = middle + down;
        if (row < 0 || row >= (int32_t)geometry->rows) {
            continue;
        }
        place_row(search, y, row, patch_px);
        for (int32_t i = 0; i < lenses; i++) {
            if (down != 0 || i != search->range) {
                search->loops->differ(&search->source,
                                      &worker->columns[lightfield_row_is_shifted(geometry, row)][i],
                                      worker->rows, width_of(search), worker->main, worker->sum);
            }
        }
    }
}

static double cost_of(const struct search *search, double patch_px)
{
    const size_t numbers = (size_t)LIGHTFIELD_LANES * (size_t)width_of(search);
    double sums[LIGHTFIELD_LANES] = {0.0};
    memset(search->worker->sum, 0, numbers * sizeof *search->worker->sum);
    place_columns(search, patch_px);
    for (int32_t y = search->rows[0]; y < search->rows[1]; y++) {
        differ_row(search, y, patch_px);
    }
    for (size_t i = 0; i < numbers; i++) {
        sums[i % LIGHTFIELD_LANES] += (double)search->worker->sum[i];
    }
    return sums[3] > 0.0 ? (sums[0] + sums[1] + sums[2]) / sums[3] : 0.0;
}

double lightfield_cpu_focus(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                            const struct fovea_lightfield_refocusing *refocusing,
                            const struct fovea_image *dst)
{
    const struct fovea_lightfield_matching matching = lightfield_matching_of(refocusing);
    struct search search = {
        .loops = cpu->loops,
        .worker = &cpu->workers[0],
        .source = lightfield_source_of(raw, refocusing->filter),
        .view = lightfield_view_of(&cpu->geometry, dst),
        .range = (int32_t)refocusing->range,
    };
    const uint32_t count = lightfield_size_count(&matching);
    const struct lightfield_focusing how = lightfield_focusing_of(refocusing, count);
    float costs[LIGHTFIELD_SIZES_MAX] = {0.0f};
    if (count == 0) { /* it was refused before */
        return refocusing->first_px;
    }
    if (how.is_blind) {
        return lightfield_focus(&how, (double)NAN, &cpu->focus);
    }
    const struct fovea_point_uv gaze = refocusing->foveation->gaze;
    lightfield_window(gaze.x_uv, dst->width_px, refocusing->window_px, search.columns);
    lightfield_window(gaze.y_uv, dst->height_px, refocusing->window_px, search.rows);
    for (uint32_t n = 0; n < count; n++) {
        costs[n] = (float)cost_of(&search, matching.first_px + n * matching.step_px);
    }
    float confidence;
    const int best = lightfield_least(costs, 1, how.size_count, how.step_px, &confidence);
    return lightfield_focus(&how, lightfield_seen(&how, best, confidence), &cpu->focus);
}
