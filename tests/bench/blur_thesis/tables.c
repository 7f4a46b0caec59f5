/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Summed-area tables by Hensley with 2, 4 and 8 look-ups a pass and by scans; boxes from them and
 * by convolution; spreading, which is integrated by them. */

#include "thesis.h"

#include <math.h>

#define BY_SCANS 0 /* instead of Hensley's look-ups */

/* ---- Tables ---------------------------------------------------------------------------------- */

static int add_passes(struct thesis_way *way, const char *kernel, int look_ups, int from)
{
    for (int32_t step = 1; step < way->t->side_px; step *= look_ups) {
        const int to = from == THESIS_A ? THESIS_B : THESIS_A;
        struct thesis_step *pass = thesis_add(way, kernel, from, to);
        pass->params.taps = look_ups;
        pass->params.step_px = step;
        from = to;
    }
    return from;
}

static void add_scan(struct thesis_way *way, int from, int to)
{
    struct thesis_step *step = thesis_add(way, "blur_thesis_scan", from, to);
    step->shared_bytes = BLUR_THESIS_SCAN * 16;
    step->block[0] = BLUR_THESIS_SCAN;
    step->block[1] = 1;
    step->grid[0] = (unsigned)way->t->side_px;
    step->grid[1] = 1;
}

static void add_transpose(struct thesis_way *way, int from, int to)
{
    thesis_add(way, "blur_thesis_transpose", from, to)->shared_bytes =
        BLUR_THESIS_TILE * (BLUR_THESIS_TILE + 1) * 16;
}

/* Returns the buffer that has it: A or B. from: neither, or what the last one returned. */
static int add_table(struct thesis_way *way, int look_ups, int from)
{
    if (look_ups != BY_SCANS) {
        from = add_passes(way, "blur_thesis_table_rows", look_ups, from);
        return add_passes(way, "blur_thesis_table_columns", look_ups, from);
    }
    const int one = from == THESIS_A ? THESIS_B : THESIS_A;
    const int other = one == THESIS_A ? THESIS_B : THESIS_A;
    add_scan(way, from, one);
    add_transpose(way, one, other);
    add_scan(way, other, one);
    add_transpose(way, one, other);
    return other;
}

static const char *of_look_ups(int look_ups)
{
    return look_ups == 2   ? "tables of 2 look-ups"
           : look_ups == 4 ? "tables of 4 look-ups"
           : look_ups == 8 ? "tables of 8 look-ups"
                           : "tables by scans";
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

static void run_boxes_by_tables(struct thesis *t, const char *what, int look_ups,
                                const int32_t *widths, int32_t count)
{
    if (!thesis_want(t, what)) {
        return;
    }
    OWNED(thesis_end) struct thesis_way way = thesis_begin(t, what, 0.0);
    int from = THESIS_SRC;
    way.exact = exact_boxes(widths, count);
    for (int32_t i = 0; i < count; i++) {
        const int table = add_table(&way, look_ups, from);
        const int to = i == count - 1 ? THESIS_DST : table == THESIS_A ? THESIS_B : THESIS_A;
        thesis_add(&way, "blur_thesis_box", table, to)->params.taps = widths[i];
        from = to;
    }
    way.sigma_px = exact_sigma(&way.exact);
    way.exact.tolerance = exact_lost_of_table(t->side_px, (double)widths[0] * widths[0]);
}

/* Boxes run by the separable kernels, or by the one of two dimensions, with equal weights. */
static void run_boxes_by_weights(struct thesis *t, const char *what, bool square,
                                 const int32_t *widths, int32_t count)
{
    static float weights[BLUR_THESIS_WEIGHTS];
    if (!thesis_want(t, what)) {
        return;
    }
    OWNED(thesis_end) struct thesis_way way = thesis_begin(t, what, 0.0);
    const int32_t width = widths[0];
    const int32_t number = square ? width * width : width;
    int from = THESIS_SRC;
    for (int32_t i = 0; i < number; i++) {
        weights[i] = 1.0f / (float)number;
    }
    for (int32_t i = 0; i < count * (square ? 1 : 2); i++) {
        const bool rows = i % 2 == 0;
        const int to = i == count * (square ? 1 : 2) - 1 ? THESIS_DST
                       : from == THESIS_A                ? THESIS_B
                                                         : THESIS_A;
        const unsigned side = BLUR_THESIS_SIDE + (unsigned)width - 1;
        struct thesis_step *step =
            thesis_add(&way,
                       square ? (width <= BLUR_THESIS_SIDE ? "blur_thesis_convolve_corners"
                                                           : "blur_thesis_convolve_wide")
                       : rows ? "blur_thesis_rows_planes"
                              : "blur_thesis_columns_planes",
                       from, to);
        step->params.taps = width;
        step->shared_bytes =
            square ? side * side * 16 : (unsigned)(BLUR_THESIS_LINE + width - 1) * 32;
        thesis_shape(&way, step,
                     square ? BLUR_THESIS_SIDE
                     : rows ? BLUR_THESIS_LINE
                            : 2,
                     square ? BLUR_THESIS_SIDE
                     : rows ? 2
                            : BLUR_THESIS_LINE);
        from = to;
    }
    way.exact = exact_boxes(widths, count);
    way.sigma_px = exact_sigma(&way.exact);
    thesis_set_weights(t, weights, (size_t)number);
}

/* One width, so that weights stay as they are; tables take Kovesi's. */
static void run_boxes(struct thesis *t, double sigma_px)
{
    struct results *results = &t->ways.b->bench->results;
    int32_t widths[3];
    int32_t mixed[3];
    exact_kovesi(sigma_px, 3, mixed);
    for (int i = 0; i < 3; i++) {
        widths[i] = mixed[2];
    }
    run_boxes_by_weights(t, results_words(results, "three boxes, separable, sigma %g", sigma_px),
                         false, widths, 3);
    if (widths[0] <= 45) {
        run_boxes_by_weights(
            t, results_words(results, "three boxes, two dimensions, sigma %g", sigma_px), true,
            widths, 3);
    }
    run_boxes_by_tables(
        t, results_words(results, "three boxes, %s, sigma %g", of_look_ups(4), sigma_px), 4, mixed,
        3);
    run_boxes_by_tables(
        t, results_words(results, "three boxes, %s, sigma %g", of_look_ups(BY_SCANS), sigma_px),
        BY_SCANS, mixed, 3);
}

static void run_box_widths(struct thesis *t)
{
    static const int32_t widths[] = {3, 5, 7, 9, 15, 21, 25, 35, 45, 65, 101};
    static const int look_ups[] = {2, 4, 8, BY_SCANS};
    struct results *results = &t->ways.b->bench->results;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const int32_t width = widths[i];
        run_boxes_by_weights(t, results_words(results, "one box, separable, width %d", width),
                             false, &width, 1);
        if (width <= 45) {
            run_boxes_by_weights(t,
                                 results_words(results, "one box, two dimensions, width %d", width),
                                 true, &width, 1);
        }
    }
    for (size_t i = 0; i < sizeof look_ups / sizeof look_ups[0]; i++) {
        const int32_t width = 25;
        run_boxes_by_tables(
            t, results_words(results, "one box, %s, width %d", of_look_ups(look_ups[i]), width),
            look_ups[i], &width, 1);
    }
    const int32_t two[] = {9, 9, 9};
    for (int32_t count = 1; count <= 3; count++) {
        run_boxes_by_weights(t, results_words(results, "%d boxes of 9, separable", count), false,
                             two, count);
    }
}

/* ---- Spreading ------------------------------------------------------------------------------- */

static enum fovea_result clear(struct cuda_bench *b, const struct thesis_step *step)
{
    const struct thesis *t = step->call_user;
    return CU_CHECK(b->device->log, b->cu,
                    b->cu->MemsetD8Async(t->buffers[THESIS_A].memory, 0,
                                         (size_t)t->side_px * (size_t)t->side_px * 16, b->stream));
}

static void add_clear(struct thesis *t, struct thesis_way *way)
{
    struct thesis_step *step = thesis_add(way, "blur_thesis_spread", THESIS_SRC, THESIS_A);
    step->call = clear;
    step->call_user = t;
}

/* values[i] goes places[i] away along each axis: a pass for each of their pairs, so that no two
 * threads add to one pixel. */
static void add_spread(struct thesis_way *way, const int32_t *places, const float *values,
                       int32_t count, int32_t border_px)
{
    for (int32_t i = 0; i < count * count; i++) {
        struct thesis_step *step = thesis_add(way, "blur_thesis_spread", THESIS_SRC, THESIS_A);
        step->params.move_x_px = places[i % count];
        step->params.move_y_px = places[i / count];
        step->params.factor = values[i % count] * values[i / count];
        step->params.border_px = border_px;
    }
}

static void end_spread(struct thesis_way *way, int look_ups, int integrals, int32_t back_px,
                       double divided_by)
{
    int from = THESIS_A;
    for (int i = 0; i < integrals; i++) {
        from = add_table(way, look_ups, from);
    }
    struct thesis_step *step = thesis_add(way, "blur_thesis_divide", from, THESIS_DST);
    step->params.move_x_px = step->params.move_y_px = back_px;
    step->params.factor = (float)(1.0 / divided_by);
    way->sigma_px = exact_sigma(&way->exact);
    thesis_end(way);
}

/* The tent's second derivative; its integrals begin a pixel early. */
static void run_polynomial(struct thesis *t, double sigma_px, int look_ups)
{
    const int32_t r = (int32_t)lround(sqrt(6.0 * sigma_px * sigma_px + 1.0));
    const char *what = results_words(&t->ways.b->bench->results, "spreading, %s, sigma %g",
                                     of_look_ups(look_ups), sigma_px);
    if (!thesis_want(t, what)) {
        return;
    }
    struct thesis_way way = thesis_begin(t, what, sigma_px);
    const double r4 = (double)r * r * r * r;
    add_clear(t, &way);
    add_spread(&way, (const int32_t[]){-r, 0, r}, (const float[]){1.0f, -2.0f, 1.0f}, 3, r);
    way.exact = exact_tent(r);
    way.exact.tolerance = exact_lost_of_spreading(t->side_px, r);
    end_spread(&way, look_ups, 2, -1, r4);
}

static void run_rectangular(struct thesis *t, double sigma_px)
{
    const int32_t reach = (int32_t)lround((sqrt(12.0 * sigma_px * sigma_px + 1.0) - 1.0) / 2.0);
    const int32_t width = 2 * reach + 1;
    const char *what =
        results_words(&t->ways.b->bench->results, "rectangular spreading, %s, sigma %g",
                      of_look_ups(4), sigma_px);
    if (!thesis_want(t, what)) {
        return;
    }
    struct thesis_way way = thesis_begin(t, what, sigma_px);
    add_clear(t, &way);
    add_spread(&way, (const int32_t[]){-reach, reach + 1}, (const float[]){1.0f, -1.0f}, 2,
               reach + 1);
    way.exact = exact_boxes(&width, 1);
    way.exact.border_px = width + 1;
    way.exact.tolerance = exact_lost_of_table(t->side_px, (double)width * width);
    end_spread(&way, 4, 1, 0, (double)width * width);
}

static void run_table(struct thesis *t, int look_ups)
{
    const char *what = results_words(&t->ways.b->bench->results, "%s alone, with a box of 3",
                                     of_look_ups(look_ups));
    run_boxes_by_tables(t, what, look_ups, (const int32_t[]){3}, 1);
}

void thesis_tables(struct thesis *t)
{
    static const double sigmas[] = {3.0, 6.0, 12.0};
    static const int look_ups[] = {2, 4, 8, BY_SCANS};
    for (size_t i = 0; i < sizeof look_ups / sizeof look_ups[0]; i++) {
        run_table(t, look_ups[i]);
    }
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        run_boxes(t, sigmas[i]);
        run_polynomial(t, sigmas[i], 4);
        run_polynomial(t, sigmas[i], BY_SCANS);
        run_rectangular(t, sigmas[i]);
    }
    if (t->side_px == 1024) {
        run_box_widths(t);
    }
}
