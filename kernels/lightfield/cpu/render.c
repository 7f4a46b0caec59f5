/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cpu.h"

#include "kernels/image/pixel.h"

#include <math.h>
#include <string.h>

struct render {
    const struct lightfield_cpu *cpu;
    const struct fovea_lightfield_rendering *rendering;
    const struct fovea_image *dst;
    struct lightfield_source source;
    struct lightfield_view view;
    double sigma_px;
    int32_t range;
};

/* ---- Weights. Of each pixel the largest along an axis is made 1, so that none of them gets lost
 * where all are small. */

static void least_begin(const struct render *render, float *least)
{
    for (int32_t x = 0; x < render->view.width_px; x++) {
        least[x] = INFINITY;
    }
}

static void least_add(const struct render *render, const struct lightfield_part *part, double view,
                      float *least)
{
    for (int32_t x = 0; x < render->view.width_px; x++) {
        const float apart = part->weight[x] - (float)view;
        least[x] = apart * apart < least[x] ? apart * apart : least[x];
    }
}

static void weigh(const struct render *render, const float *least, double view,
                  const struct lightfield_part *part)
{
    const float factor = (float)(-0.5 / (render->sigma_px * render->sigma_px));
    for (int32_t x = 0; x < render->view.width_px; x++) {
        const float apart = part->weight[x] - (float)view;
        const float weight = expf(factor * (apart * apart - least[x]));
        part->weight[x] = isfinite(apart) ? weight : 0.0f;
    }
}

/* Of one patch size all pixels of a row are as far from a row of lenses. */
static void weigh_row(const struct render *render, const float *least,
                      const struct lightfield_part *part)
{
    struct render narrow = *render;
    if (render->rendering->patches) {
        weigh(render, least, render->rendering->view_y_px, part);
        return;
    }
    narrow.view.width_px = 1;
    weigh(&narrow, least, render->rendering->view_y_px, part);
    for (int32_t x = 1; x < render->view.width_px; x++) {
        part->weight[x] = part->weight[0];
    }
}

static bool row_exists(const struct render *render, int32_t row)
{
    return row >= 0 && row < (int32_t)render->view.geometry->rows;
}

/* What all columns of lenses have. */
static void make_columns(const struct render *render, const struct lightfield_patches *patches,
                         struct lightfield_worker *worker)
{
    const int kinds = render->view.geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL ? 2 : 1;
    const double view = render->rendering->view_x_px;
    const int32_t lenses = 2 * render->range + 1;
    least_begin(render, worker->least);
    for (int32_t i = 0; i < kinds * lenses; i++) {
        const struct lightfield_part *part = &worker->columns[i / lenses][i % lenses];
        lightfield_columns_place(&render->view, i / lenses, i % lenses - render->range, patches,
                                 part);
        least_add(render, part, view, worker->least);
    }
    for (int32_t i = 0; i < kinds * lenses; i++) {
        weigh(render, worker->least, view, &worker->columns[i / lenses][i % lenses]);
    }
}

static void make_rows(const struct render *render, const struct lightfield_patches *patches,
                      struct lightfield_worker *worker, int32_t y)
{
    const double view = render->rendering->view_y_px;
    const int32_t first = lightfield_row_of(&render->view, y) - render->range;
    least_begin(render, worker->least);
    for (int32_t i = 0; i < 2 * render->range + 1; i++) {
        if (row_exists(render, first + i)) {
            lightfield_rows_place(&render->view, y, first + i, patches, &worker->rows[i]);
            least_add(render, &worker->rows[i], view, worker->least);
        }
    }
    for (int32_t i = 0; i < 2 * render->range + 1; i++) {
        if (row_exists(render, first + i)) {
            weigh_row(render, worker->least, &worker->rows[i]);
        }
    }
}

/* ---- Rows */

static void render_row(const struct render *render, struct lightfield_worker *worker, int32_t y)
{
    const int32_t first = lightfield_row_of(&render->view, y) - render->range;
    const int32_t lenses = 2 * render->range + 1;
    memset(worker->sum, 0, sizeof *worker->sum * LIGHTFIELD_LANES * (size_t)render->view.width_px);
    for (int32_t i = 0; i < lenses * lenses; i++) {
        const int32_t row = first + i / lenses;
        if (row_exists(render, row)) {
            const int kind = lightfield_row_is_shifted(render->view.geometry, row) ? 1 : 0;
            render->cpu->loops->blend(&render->source, &worker->columns[kind][i % lenses],
                                      &worker->rows[i / lenses], render->view.width_px,
                                      worker->sum);
        }
    }
    lightfield_write_row(render->dst, y, worker->sum, render->source.most, worker->packed);
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
    if (!render->rendering->patches) {
        make_columns(render, &patches, worker);
    }
    for (int32_t y = first; y < end; y++) {
        if (render->rendering->patches) {
            patches.each = patches_of_row(render, worker, y);
            make_columns(render, &patches, worker);
        }
        make_rows(render, &patches, worker, y);
        render_row(render, worker, y);
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
        .sigma_px =
            rendering->sigma_px > 0.0 ? rendering->sigma_px : pitch_px / LIGHTFIELD_SIGMA_PARTS,
        .range = (int32_t)lightfield_range_of(rendering, pitch_px),
    };
    struct lightfield_job job = {.cpu = cpu,
                                 .make = render_strip,
                                 .user = &render,
                                 .rows = render.view.height_px,
                                 .strip_rows = LIGHTFIELD_STRIP_ROWS};
    lightfield_cpu_run(&job);
}
