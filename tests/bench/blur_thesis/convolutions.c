/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Convolution in two dimensions and separable, in the thesis's ways of CUDA and, through texture
 * units, of GLSL; and reshuffling. */

#include "thesis.h"

#include <math.h>
#include <stdlib.h>

#define MOST_SHARED_BYTES (227 * 1024)
#define TAPS_SQUARE 73 /* the widest in two dimensions: constant memory */

static const char *name_of(struct thesis *t, const char *way, const struct exact_blur *exact,
                           double sigma_px)
{
    struct results *results = &t->ways.b->bench->results;
    return sigma_px > 0.0 ? results_words(results, "%s, sigma %g", way, sigma_px)
                          : results_words(results, "%s, width %d", way, exact->taps);
}

static void set_lines(struct thesis *t, const struct exact_blur *exact)
{
    float weights[EXACT_TAPS];
    for (int32_t i = 0; i < exact->taps; i++) {
        weights[i] = (float)exact->weights[i];
    }
    thesis_set_weights(t, weights, (size_t)exact->taps);
}

static void set_square(struct thesis *t, const struct exact_blur *exact)
{
    const size_t count = (size_t)exact->taps * (size_t)exact->taps;
    OWNED(owned_free) float *weights = bench_memory(count, sizeof *weights);
    for (size_t i = 0; i < count; i++) {
        weights[i] = (float)(exact->weights[i % (size_t)exact->taps] *
                             exact->weights[i / (size_t)exact->taps]);
    }
    thesis_set_weights(t, weights, count);
}

static unsigned square_bytes(int32_t taps)
{
    const unsigned side = BLUR_THESIS_SIDE + (unsigned)taps - 1;
    return side * side * 16;
}

/* ---- In two dimensions ----------------------------------------------------------------------- */

static void run_square(struct thesis *t, const char *kernel, const char *words, double sigma_px,
                       const struct exact_blur *exact)
{
    const char *what = name_of(t, words, exact, sigma_px);
    if (!thesis_want(t, what)) {
        return;
    }
    struct thesis_way way = thesis_begin(t, what, sigma_px > 0.0 ? sigma_px : exact_sigma(exact));
    struct thesis_step *step = thesis_add(&way, kernel, THESIS_SRC, THESIS_DST);
    step->params.taps = exact->taps;
    step->params.weights = t->weights;
    step->shared_bytes = square_bytes(exact->taps);
    thesis_shape(&way, step, BLUR_THESIS_SIDE, BLUR_THESIS_SIDE);
    way.exact = *exact;
    set_square(t, exact);
    thesis_end(&way);
}

static void run_square_texture(struct thesis *t, const char *kernel, const char *words,
                               double sigma_px, const struct exact_blur *exact)
{
    const char *what = name_of(t, words, exact, sigma_px);
    if (!t->textures || !thesis_want(t, what)) {
        return;
    }
    struct thesis_way way = thesis_begin(t, what, sigma_px > 0.0 ? sigma_px : exact_sigma(exact));
    struct thesis_step *step = thesis_add_texture(&way, kernel, THESIS_SRC, THESIS_DST);
    step->params.taps = exact->taps;
    step->params.weights = t->weights_texture;
    way.exact = *exact;
    set_square(t, exact);
    thesis_end(&way);
}

static void run_squares(struct thesis *t, double sigma_px, const struct exact_blur *exact)
{
    const bool corners = exact->taps <= BLUR_THESIS_SIDE;
    if (square_bytes(exact->taps) > MOST_SHARED_BYTES || exact->taps > TAPS_SQUARE) {
        return;
    }
    run_square(t, corners ? "blur_thesis_convolve_corners" : "blur_thesis_convolve_wide",
               "two dimensions", sigma_px, exact);
    run_square_texture(t, "blur_textures_convolve", "two dimensions, texture units", sigma_px,
                       exact);
}

static void run_square_variants(struct thesis *t, double sigma_px, const struct exact_blur *exact)
{
    run_square(t, "blur_thesis_convolve_global", "two dimensions, weights in global memory",
               sigma_px, exact);
    run_square_texture(t, "blur_textures_convolve_weights",
                       "two dimensions, texture units, weights in a texture", sigma_px, exact);
    if (exact->taps == BLUR_THESIS_TAPS_3 || exact->taps == BLUR_THESIS_TAPS_6) {
        const bool narrow = exact->taps == BLUR_THESIS_TAPS_3;
        run_square(t,
                   narrow ? "blur_thesis_convolve_unrolled_19" : "blur_thesis_convolve_unrolled_37",
                   "two dimensions, unrolled", sigma_px, exact);
        run_square_texture(
            t, narrow ? "blur_textures_convolve_unrolled_19" : "blur_textures_convolve_unrolled_37",
            "two dimensions, texture units, unrolled", sigma_px, exact);
    }
}

/* ---- Reshuffling ----------------------------------------------------------------------------- */

/* Weights of a symmetric kernel are equal where |x| and |y| are, in any order. */
static int32_t links_of(const struct exact_blur *exact, int32_t *links, float *weights,
                        int32_t *out_groups)
{
    const int32_t reach = exact->taps / 2;
    int32_t count = 0;
    *out_groups = 0;
    for (int32_t a = 0; a <= reach; a++) {
        for (int32_t b = 0; b <= a; b++) {
            const int32_t begin = count++;
            weights[(*out_groups)++] =
                (float)(exact->weights[reach + a] * exact->weights[reach + b]);
            for (int32_t y = -reach; y <= reach; y++) {
                for (int32_t x = -reach; x <= reach; x++) {
                    const int32_t far = abs(x) > abs(y) ? abs(x) : abs(y);
                    const int32_t near = abs(x) > abs(y) ? abs(y) : abs(x);
                    if (far == a && near == b) {
                        links[count++] = (x + 1024) | (y + 1024) << 16;
                    }
                }
            }
            links[begin] = count - begin - 1;
        }
    }
    return count;
}

static void run_reshuffling(struct thesis *t, double sigma_px, const struct exact_blur *exact)
{
    static int32_t links[BLUR_THESIS_LINKS];
    static float weights[BLUR_THESIS_WEIGHTS];
    const char *what = name_of(t, "reshuffling", exact, sigma_px);
    int32_t groups = 0;
    if (exact->taps > TAPS_SQUARE || !thesis_want(t, what)) {
        return;
    }
    const int32_t count = links_of(exact, links, weights, &groups);
    struct thesis_way way = thesis_begin(t, what, sigma_px > 0.0 ? sigma_px : exact_sigma(exact));
    struct thesis_step *step = thesis_add(&way, "blur_thesis_reshuffle", THESIS_SRC, THESIS_DST);
    step->params.taps = exact->taps;
    step->params.step_px = groups;
    step->shared_bytes = square_bytes(exact->taps);
    thesis_shape(&way, step, BLUR_THESIS_SIDE, BLUR_THESIS_SIDE);
    way.exact = *exact;
    thesis_set_links(t, links, (size_t)count);
    thesis_set_weights(t, weights, (size_t)groups);
    thesis_end(&way);
}

/* ---- Separable ------------------------------------------------------------------------------- */

static void run_lines(struct thesis *t, bool planes, const char *words, double sigma_px,
                      const struct exact_blur *exact)
{
    static const char *const kernels[2][2] = {
        {"blur_thesis_rows_float4", "blur_thesis_columns_float4"},
        {"blur_thesis_rows_planes", "blur_thesis_columns_planes"}};
    const char *what = name_of(t, words, exact, sigma_px);
    if (!thesis_want(t, what)) {
        return;
    }
    struct thesis_way way = thesis_begin(t, what, sigma_px > 0.0 ? sigma_px : exact_sigma(exact));
    for (int pass = 0; pass < 2; pass++) {
        struct thesis_step *step =
            thesis_add(&way, kernels[planes][pass], pass == 0 ? THESIS_SRC : THESIS_A,
                       pass == 0 ? THESIS_A : THESIS_DST);
        step->params.taps = exact->taps;
        step->shared_bytes = (unsigned)(BLUR_THESIS_LINE + exact->taps - 1) * 32;
        thesis_shape(&way, step, pass == 0 ? BLUR_THESIS_LINE : 2,
                     pass == 0 ? 2 : BLUR_THESIS_LINE);
    }
    way.exact = *exact;
    set_lines(t, exact);
    thesis_end(&way);
}

static void run_lines_texture(struct thesis *t, double sigma_px, const struct exact_blur *exact)
{
    const char *what = name_of(t, "separable, texture units", exact, sigma_px);
    if (!t->textures || !thesis_want(t, what)) {
        return;
    }
    struct thesis_way way = thesis_begin(t, what, sigma_px > 0.0 ? sigma_px : exact_sigma(exact));
    thesis_add_texture(&way, "blur_textures_rows", THESIS_SRC, THESIS_A)->params.taps = exact->taps;
    thesis_add_texture(&way, "blur_textures_columns", THESIS_A, THESIS_DST)->params.taps =
        exact->taps;
    way.exact = *exact;
    set_lines(t, exact);
    thesis_end(&way);
}

static void run_copy(struct thesis *t)
{
    if (!t->textures || !thesis_want(t, "copy through texture units")) {
        return;
    }
    OWNED(thesis_end) struct thesis_way way = thesis_begin(t, "copy through texture units", 0.0);
    thesis_add_texture(&way, "blur_textures_copy", THESIS_SRC, THESIS_DST);
    way.exact.kind = EXACT_COPY;
}

static void run_sigma(struct thesis *t, double sigma_px)
{
    const struct exact_blur exact = exact_gaussian(sigma_px);
    run_lines(t, true, "separable, four planes", sigma_px, &exact);
    run_lines(t, false, "separable, float4", sigma_px, &exact);
    run_lines_texture(t, sigma_px, &exact);
    run_squares(t, sigma_px, &exact);
    const bool variants = t->side_px == 1024 || t->ways.b->bench->wishes.quick;
    if (variants && exact.taps <= TAPS_SQUARE) {
        run_square_variants(t, sigma_px, &exact);
    }
    run_reshuffling(t, sigma_px, &exact);
}

/* Finds where one way overtakes another: Figures 4.4, 4.7, 4.16 and 4.19. */
static void run_widths(struct thesis *t)
{
    static const int32_t widths[] = {3, 5, 7, 9, 13, 23, 31, 45, 63, 81, 101};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const struct exact_blur exact = exact_gaussian((widths[i] - 0.01) / 6.0);
        run_lines(t, true, "separable, four planes", 0.0, &exact);
        run_lines_texture(t, 0.0, &exact);
        run_squares(t, 0.0, &exact);
    }
}

void thesis_convolutions(struct thesis *t)
{
    static const double sigmas[] = {3.0, 6.0, 12.0, 24.0};
    run_copy(t);
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        run_sigma(t, sigmas[i]);
    }
    if (t->side_px == 1024) {
        run_widths(t);
    }
}
