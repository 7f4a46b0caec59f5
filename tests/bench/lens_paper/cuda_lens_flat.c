/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether a pixel costs as much at every size and behind every lens: random ones, the same in every
 * run, against the default lens at 4K. */

#include "cuda_lens.h"
#include "kernels/operators.h"

#include <math.h>
#include <stdio.h>

#define POINTS 24
#define POINTS_QUICK 2

struct flat_point {
    struct bench_size size;
    char words[RESULT_TEXT_BYTES];
    struct fovea_settings settings;
    bool colored;
    bool linear;
};

static double uniform(uint64_t *state, double from, double to)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(*state >> 33) * 0x1p-31;
}

static void choose_lens(uint64_t *state, struct flat_point *point)
{
    struct fovea_operator_settings *own = &point->settings.own;
    own->lens_filter = 1;
    own->lens_r0 = uniform(state, 0.9, 1.1);
    own->lens_r1 = fmax(uniform(state, -0.1, 0.1), 0.0); /* mostly even powers alone */
    own->lens_r2 = uniform(state, -0.05, 0.4);
    own->lens_r4 = uniform(state, 0.0, 0.2);
    own->lens_shift_x = uniform(state, -0.1, 0.1);
    own->lens_shift_y = uniform(state, -0.1, 0.1);
    point->colored = uniform(state, 0.0, 1.0) < 0.5;
    point->linear = uniform(state, 0.0, 1.0) < 0.5;
    own->lens_red_r2 = point->colored ? -0.01 : 0.0;
    own->lens_blue_r2 = point->colored ? 0.01 : 0.0;
    point->settings.foveation.light = point->linear ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
}

static struct flat_point point_of(uint64_t number, bool quick)
{
    struct flat_point point = {.settings = fovea_settings_default()};
    uint64_t state = number * 0x9e3779b97f4a7c15u + 1;
    (void)uniform(&state, 0.0, 1.0);
    const double area = exp(uniform(&state, log(640.0 * 480.0), log(7680.0 * 4320.0)));
    const double aspect = exp(uniform(&state, log(0.6), log(2.2)));
    const double scale = quick ? 0.2 : 1.0;
    point.size = (struct bench_size){.name = "random",
                                     .width_px = (uint32_t)(sqrt(area * aspect) * scale),
                                     .height_px = (uint32_t)(sqrt(area / aspect) * scale)};
    choose_lens(&state, &point);
    const struct fovea_operator_settings *own = &point.settings.own;
    snprintf(point.words, sizeof point.words, "%ux%u, r0 %.2f r1 %.2f r2 %.2f r4 %.2f%s, %s",
             point.size.width_px, point.size.height_px, own->lens_r0, own->lens_r1, own->lens_r2,
             own->lens_r4, point.colored ? ", colours of their own" : "",
             point.linear ? "as light" : "as stored");
    return point;
}

static bool folds(const struct flat_point *point)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    const struct operator_plan_desc desc = {.settings = &point->settings,
                                            .width_px = point->size.width_px,
                                            .height_px = point->size.height_px};
    return operators_at(FOVEA_OPERATOR_lens)->plan_complain(&desc, words, sizeof words);
}

/* Returns the time of Fovea's rows on CUDA; 0: it was not measured. */
static double us_at_4k(const struct results *results, const struct flat_point *point)
{
    static const char *const names[2][2] = {
        {"Fovea, bilinear, as stored", "Fovea, bilinear, as light"},
        {"Fovea, colours of their own, as stored", "Fovea, colours of their own, as light"}};
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (strcmp(row->backend, "cuda") == 0 && strcmp(row->size->name, "4K") == 0 &&
            strcmp(row->what, names[point->colored][point->linear]) == 0) {
            return row->times.median_us;
        }
    }
    return 0.0;
}

static void run_point(struct cuda_bench *b, struct flat_point *point)
{
    const double pixels = (double)point->size.width_px * point->size.height_px;
    cuda_make_pictures(b, &point->size, FOVEA_FORMAT_RGBA8, 1);
    struct cuda_operator own = cuda_operator_make(b, FOVEA_OPERATOR_lens, &point->settings);
    struct result row = {.kind = RESULT_LENS,
                         .backend = "cuda",
                         .size = &point->size,
                         .what = "any lens",
                         .format = FOVEA_FORMAT_RGBA8,
                         .images = 1,
                         .ours_us =
                             us_at_4k(&b->bench->results, point) * pixels / (3840.0 * 2160.0)};
    row.reference_us = cuda_time_copy(b, &row.way).median_us;
    row.times = cuda_time(b, cuda_operator_enqueue, &own, &row.way);
    snprintf(row.note, sizeof row.note, "%s", point->words);
    cuda_operator_free(&own);
    *results_add(&b->bench->results) = row;
    cuda_free_pictures(b);
}

void cuda_lens_flat(struct cuda_bench *b)
{
    static struct flat_point points[POINTS]; /* rows name their sizes by address */
    const bool quick = b->bench->wishes.quick;
    for (uint64_t i = 0; i < (quick ? POINTS_QUICK : POINTS); i++) {
        char name[RESULT_NAME_BYTES + RESULT_TEXT_BYTES];
        points[i] = point_of(i, quick);
        snprintf(name, sizeof name, "cuda/random/lens-paper/%s", points[i].words);
        if (!folds(&points[i]) && bench_wants(b->bench, name)) {
            bench_say("%s", name);
            run_point(b, &points[i]);
        }
    }
}
