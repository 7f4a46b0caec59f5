/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The list of the thesis's ways in GLSL. Each has the name of its twin in CUDA, after "GLSL, ",
 * and takes the same steps. */

#include "vulkan_thesis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE                                                                                       \
    128u /* threads along what a separable pass blurs in shared memory; 2 lines a group            \
          */
#define TAPS_SQUARE 73
#define TAPS_3 19 /* of sigma 3 and 6, for loops that the compiler unrolls */
#define TAPS_6 37
#define LEVELS_MOST 12

/* Ways without shared memory are fragment shaders, too. */
static bool has_shared(const struct glsl_thesis *t)
{
    return t->form == GLSL_COMPUTE;
}

static bool thorough(const struct glsl_thesis *t)
{
    return t->size->width_px == 1024 || t->b->bench->wishes.quick;
}

static void set_lines(struct glsl_thesis *t, const struct exact_blur *exact)
{
    float weights[EXACT_TAPS];
    for (int32_t i = 0; i < exact->taps; i++) {
        weights[i] = (float)exact->weights[i];
    }
    glsl_set_weights(t, weights, (size_t)exact->taps);
}

static void set_square(struct glsl_thesis *t, const struct exact_blur *exact)
{
    const size_t taps = (size_t)exact->taps;
    OWNED(owned_free) float *weights = bench_memory(taps * taps, sizeof *weights);
    for (size_t i = 0; i < taps * taps; i++) {
        weights[i] = (float)(exact->weights[i % taps] * exact->weights[i / taps]);
    }
    glsl_set_weights(t, weights, taps * taps);
}

/* ---- Convolutions ---------------------------------------------------------------------------- */

static void run_square(struct glsl_way way, enum glsl_shader shader, int32_t known_taps,
                       const struct exact_blur *exact)
{
    struct glsl_step *step = glsl_add(&way, shader, GLSL_SRC, GLSL_DST);
    step->params.taps = exact->taps;
    step->constants.known_taps = known_taps;
    way.exact = *exact;
    set_square(way.t, exact);
    glsl_end(&way);
}

/* Groups are as large as CUDA's, or smaller where their pixels do not fit. */
static void run_square_shared(struct glsl_thesis *t, const char *label,
                              const struct exact_blur *exact)
{
    uint32_t side = has_shared(t) ? 32 : 0;
    while (side >= 8 &&
           (side + (uint32_t)exact->taps - 1) * (side + (uint32_t)exact->taps - 1) * 16 >
               t->most_shared_bytes) {
        side /= 2;
    }
    if (side < 8) {
        return;
    }
    const uint32_t tile = side + (uint32_t)exact->taps - 1;
    struct glsl_way way = glsl_begin(t, "two dimensions, %s", label);
    struct glsl_step *step = glsl_add(&way, GLSL_SHARED_SQUARE, GLSL_SRC, GLSL_DST);
    step->params.taps = exact->taps;
    step->constants = (struct glsl_constants){{side, side}, 0, (int32_t)(tile * tile)};
    way.exact = *exact;
    set_square(t, exact);
    glsl_end(&way);
}

static void run_lines(struct glsl_way way, const struct exact_blur *exact)
{
    glsl_add(&way, GLSL_ROWS, GLSL_SRC, GLSL_A)->params.taps = exact->taps;
    glsl_add(&way, GLSL_COLUMNS, GLSL_A, GLSL_DST)->params.taps = exact->taps;
    way.exact = *exact;
    set_lines(way.t, exact);
    glsl_end(&way);
}

static void run_lines_shared(struct glsl_way way, const struct exact_blur *exact)
{
    for (int pass = 0; pass < 2; pass++) {
        struct glsl_step *step =
            glsl_add(&way, pass == 0 ? GLSL_SHARED_ROWS : GLSL_SHARED_COLUMNS,
                     pass == 0 ? GLSL_SRC : GLSL_A, pass == 0 ? GLSL_A : GLSL_DST);
        step->params.taps = exact->taps;
        step->constants = (struct glsl_constants){
            {pass == 0 ? LINE : 2, pass == 0 ? 2 : LINE}, 0, 2 * ((int32_t)LINE + exact->taps - 1)};
    }
    way.exact = *exact;
    set_lines(way.t, exact);
    glsl_end(&way);
}

static void run_sigma(struct glsl_thesis *t, double sigma)
{
    const struct exact_blur exact = exact_gaussian(sigma);
    char label[32];
    snprintf(label, sizeof label, "sigma %g", sigma);
    run_lines(glsl_begin(t, "separable, texture units, %s", label), &exact);
    if (has_shared(t)) {
        run_lines_shared(glsl_begin(t, "separable, float4, %s", label), &exact);
    }
    if (exact.taps > TAPS_SQUARE || (exact.taps > TAPS_6 && t->size->width_px > 2048)) {
        return;
    }
    run_square(glsl_begin(t, "two dimensions, texture units, %s", label), GLSL_CONVOLVE, 0, &exact);
    run_square_shared(t, label, &exact);
    if (thorough(t)) {
        run_square(glsl_begin(t, "two dimensions, texture units, weights in a texture, %s", label),
                   GLSL_CONVOLVE_WEIGHTS, 0, &exact);
    }
    if (thorough(t) && (exact.taps == TAPS_3 || exact.taps == TAPS_6)) {
        run_square(glsl_begin(t, "two dimensions, texture units, unrolled, %s", label),
                   GLSL_CONVOLVE, exact.taps, &exact);
    }
}

static void run_widths(struct glsl_thesis *t)
{
    static const int32_t widths[] = {3, 5, 7, 9, 13, 23, 31, 45, 63, 81, 101};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const struct exact_blur exact = exact_gaussian((widths[i] - 0.01) / 6.0);
        char label[32];
        snprintf(label, sizeof label, "width %d", widths[i]);
        run_lines(glsl_begin(t, "separable, texture units, %s", label), &exact);
        if (exact.taps <= TAPS_SQUARE) {
            run_square(glsl_begin(t, "two dimensions, texture units, %s", label), GLSL_CONVOLVE, 0,
                       &exact);
            run_square_shared(t, label, &exact);
        }
    }
}

static void run_copy(struct glsl_thesis *t)
{
    struct glsl_way way = glsl_begin(t, "copy through texture units");
    glsl_add(&way, GLSL_COPY, GLSL_SRC, GLSL_DST);
    way.exact.kind = EXACT_COPY;
    glsl_end(&way);
}

static void run_convolutions(struct glsl_thesis *t)
{
    static const double sigmas[] = {3.0, 6.0, 12.0, 24.0};
    run_copy(t);
    for (size_t i = 0; i < (t->b->bench->wishes.quick ? 2 : 4); i++) {
        run_sigma(t, sigmas[i]);
    }
    if (t->size->width_px == 1024) {
        run_widths(t);
    }
}

/* ---- Pyramids -------------------------------------------------------------------------------- */

struct pyramid {
    struct glsl_thesis *t;
    int fine[LEVELS_MOST + 1]; /* what a level has on the way down */
    int between[LEVELS_MOST + 1]; /* 4x4: after its first pass; and what it has on the way up */
    int count;
};

static void add_down(struct pyramid *p, struct glsl_way *way, enum exact_pyramid kind, int level)
{
    const int from = p->fine[level];
    const int to = p->fine[level + 1];
    if (kind == PYRAMID_BOX_4) {
        glsl_add(way, GLSL_DOWN_LEFT, from, p->between[level + 1]);
        glsl_add(way, GLSL_MEAN_RIGHT, p->between[level + 1], to);
    } else {
        glsl_add(way, kind == PYRAMID_QUASI ? GLSL_DOWN_QUASI : GLSL_DOWN_BOX, from, to);
    }
}

static void run_pyramid(struct pyramid *p, const char *words, enum exact_pyramid kind, int levels,
                        int levels_down)
{
    if (levels > p->count) {
        return;
    }
    struct glsl_way way = glsl_begin(p->t, "%s, %d levels", words, levels);
    for (int level = 0; level < levels_down; level++) {
        add_down(p, &way, kind, level);
    }
    for (int level = levels; level > 0; level--) {
        glsl_add(&way, GLSL_UP, level == levels ? p->fine[level] : p->between[level],
                 level == 1 ? GLSL_DST : p->between[level - 1]);
    }
    /* Texture units weigh with 8 bits. */
    way.exact = (struct exact_blur){
        .kind = EXACT_PYRAMID, .pyramid = kind, .levels = levels, .tolerance = 1e-3};
    glsl_end(&way);
}

static void run_pyramids(struct glsl_thesis *t)
{
    struct pyramid p = {.t = t, .fine = {GLSL_SRC}};
    for (int32_t side = (int32_t)t->size->width_px / 2; side >= 2 && p.count < LEVELS_MOST;
         side /= 2) {
        p.count++;
        p.fine[p.count] = glsl_add_image(t, side);
        p.between[p.count] = glsl_add_image(t, side);
    }
    for (int levels = 1; levels <= 5; levels++) {
        run_pyramid(&p, "pyramid 2x2", PYRAMID_BOX_2, levels, levels);
        run_pyramid(&p, "pyramid quasi", PYRAMID_QUASI, levels, levels);
        run_pyramid(&p, "pyramid 4x4", PYRAMID_BOX_4, levels, levels);
        run_pyramid(&p, "pyramid of all mip levels", PYRAMID_BOX_2, levels, p.count);
    }
}

/* ---- Summed-area tables: boxes, spreading ---------------------------------------------------- */

static int add_passes(struct glsl_way *way, enum glsl_shader shader, int look_ups, int from)
{
    for (int32_t step = 1; step < (int32_t)way->t->size->width_px; step *= look_ups) {
        const int to = from == GLSL_A ? GLSL_B : GLSL_A;
        struct glsl_step *pass = glsl_add(way, shader, from, to);
        pass->params.taps = look_ups;
        pass->params.step_px = step;
        from = to;
    }
    return from;
}

static int add_table(struct glsl_way *way, int look_ups, int from)
{
    from = add_passes(way, GLSL_TABLE_ROWS, look_ups, from);
    return add_passes(way, GLSL_TABLE_COLUMNS, look_ups, from);
}

static void run_boxes_by_tables(struct glsl_way way, int look_ups, const int32_t *widths,
                                int32_t count)
{
    int from = GLSL_SRC;
    for (int32_t i = 0; i < count; i++) {
        const int table = add_table(&way, look_ups, from);
        const int to = i == count - 1 ? GLSL_DST : table == GLSL_A ? GLSL_B : GLSL_A;
        glsl_add(&way, GLSL_BOX, table, to)->params.taps = widths[i];
        from = to;
    }
    way.exact = exact_boxes(widths, count);
    way.exact.tolerance =
        exact_lost_of_table((int32_t)way.t->size->width_px, (double)widths[0] * widths[0]);
    glsl_end(&way);
}

/* Separable, through texture units, with equal weights. */
static void run_boxes_by_weights(struct glsl_way way, int32_t width, int32_t count)
{
    const int32_t widths[] = {width, width, width};
    float weights[EXACT_TAPS];
    int from = GLSL_SRC;
    for (int32_t i = 0; i < width; i++) {
        weights[i] = 1.0f / (float)width;
    }
    for (int32_t i = 0; i < 2 * count; i++) {
        const int to = i == 2 * count - 1 ? GLSL_DST : from == GLSL_A ? GLSL_B : GLSL_A;
        glsl_add(&way, i % 2 == 0 ? GLSL_ROWS : GLSL_COLUMNS, from, to)->params.taps = width;
        from = to;
    }
    way.exact = exact_boxes(widths, count);
    glsl_set_weights(way.t, weights, (size_t)width);
    glsl_end(&way);
}

/* The tent's second derivative in nine passes; its integrals begin a pixel early. */
static void run_spreading(struct glsl_thesis *t, double sigma)
{
    static const float values[] = {1.0f, -2.0f, 1.0f};
    const int32_t r = (int32_t)lround(sqrt(6.0 * sigma * sigma + 1.0));
    if (t->form == GLSL_FRAGMENT && !glsl_fragments_blend(t)) {
        return;
    }
    struct glsl_way way = glsl_begin(t, "spreading, tables of 4 look-ups, sigma %g", sigma);
    glsl_add(&way, GLSL_SPREAD, GLSL_SRC, GLSL_A)->clears = true;
    for (int32_t i = 0; i < 9; i++) {
        struct glsl_step *step = glsl_add(&way, GLSL_SPREAD, GLSL_SRC, GLSL_A);
        step->params.move_x_px = (i % 3 - 1) * r;
        step->params.move_y_px = (i / 3 - 1) * r;
        step->params.factor = values[i % 3] * values[i / 3];
        step->params.border_px = r;
    }
    const int table = add_table(&way, 4, add_table(&way, 4, GLSL_A));
    struct glsl_step *step = glsl_add(&way, GLSL_DIVIDE, table, GLSL_DST);
    step->params.move_x_px = step->params.move_y_px = -1;
    step->params.factor = (float)(1.0 / ((double)r * r * r * r));
    way.exact = exact_tent(r);
    way.exact.tolerance = exact_lost_of_spreading((int32_t)t->size->width_px, r);
    glsl_end(&way);
}

static void run_tables(struct glsl_thesis *t)
{
    static const double sigmas[] = {3.0, 6.0, 12.0};
    static const int32_t widths[] = {3, 5, 7, 9, 15, 21, 25, 35, 45, 65, 101};
    static const int32_t three = 3;
    static const int32_t wide = 25;
    for (int look_ups = 2; look_ups <= 8; look_ups *= 2) {
        run_boxes_by_tables(glsl_begin(t, "tables of %d look-ups alone, with a box of 3", look_ups),
                            look_ups, &three, 1);
    }
    for (size_t i = 0; i < (t->b->bench->wishes.quick ? 1 : 3); i++) {
        int32_t mixed[3];
        exact_kovesi(sigmas[i], 3, mixed);
        run_boxes_by_weights(glsl_begin(t, "three boxes, separable, sigma %g", sigmas[i]), mixed[2],
                             3);
        run_boxes_by_tables(glsl_begin(t, "three boxes, tables of 4 look-ups, sigma %g", sigmas[i]),
                            4, mixed, 3);
        run_spreading(t, sigmas[i]);
    }
    for (size_t i = 0; t->size->width_px == 1024 && i < sizeof widths / sizeof widths[0]; i++) {
        run_boxes_by_weights(glsl_begin(t, "one box, separable, width %d", widths[i]), widths[i],
                             1);
    }
    if (t->size->width_px == 1024) {
        run_boxes_by_tables(glsl_begin(t, "one box, tables of 4 look-ups, width 25"), 4, &wide, 1);
        for (int32_t count = 1; count <= 3; count++) {
            run_boxes_by_weights(glsl_begin(t, "%d boxes of 9, separable", count), 9, count);
        }
    }
}

/* ---- Diffusion ------------------------------------------------------------------------------- */

static void run_diffusion(struct glsl_way way, enum glsl_shader shader, int32_t steps)
{
    int from = GLSL_SRC;
    for (int32_t i = 0; i < steps; i++) {
        const int to = i == steps - 1 ? GLSL_DST : from == GLSL_A ? GLSL_B : GLSL_A;
        struct glsl_step *step = glsl_add(&way, shader, from, to);
        step->constants.tile_pixels = shader == GLSL_SHARED_DIFFUSE ? 18 * 18 : 1;
        from = to;
    }
    way.exact = (struct exact_blur){.kind = EXACT_DIFFUSION, .levels = steps};
    glsl_end(&way);
}

static void run_diffusions(struct glsl_thesis *t)
{
    static const int32_t steps[] = {1, 2, 3, 5, 10, 18, 50, 72, 150, 288}; /* 18, 72, 288: sigmas */
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const bool sigma = steps[i] == 18 || steps[i] == 72 || steps[i] == 288;
        if ((t->b->bench->wishes.quick && steps[i] > 18) ||
            (!thorough(t) && !sigma && steps[i] != 10) ||
            (t->size->width_px > 2048 && steps[i] > 100)) {
            continue;
        }
        run_diffusion(glsl_begin(t, "diffusion, texture units, %d steps", steps[i]), GLSL_DIFFUSE,
                      steps[i]);
        if (has_shared(t)) {
            run_diffusion(glsl_begin(t, "diffusion, shared memory, %d steps", steps[i]),
                          GLSL_SHARED_DIFFUSE, steps[i]);
        }
    }
}

void glsl_ways(struct glsl_thesis *t)
{
    run_convolutions(t);
    run_pyramids(t);
    run_tables(t);
    run_diffusions(t);
}
