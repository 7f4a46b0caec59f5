/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether a way made what it was to make, and how like the Gaussian of its sigma that is. */

#include "quality/metrics.h"
#include "thesis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define QUALITY_PX 1024 /* the thesis's size */
#define MARGIN_PX 128u

/* ---- Quality --------------------------------------------------------------------------------- */

/* Without a margin, where ways differ in what lies beyond the picture. */
static void bytes_of(const struct thesis *t, const float *made, uint8_t *out)
{
    const size_t side = (size_t)t->side_px;
    const size_t inner = QUALITY_PX - 2 * MARGIN_PX;
    for (size_t i = 0; i < inner * inner * 4; i++) {
        const size_t x = i / 4 % inner + MARGIN_PX;
        const size_t y = i / 4 / inner + MARGIN_PX;
        const float value = fminf(fmaxf(made[(y * side + x) * 4 + i % 4], 0.0f), 1.0f);
        out[i] = i % 4 == 3 ? 255 : (uint8_t)lrintf(value * 255.0f);
    }
}

/* The separable way's, which is checked itself. Its weights stay in constant memory: what is timed
 * afterwards takes as long with them. */
static void make_gaussian(struct thesis *t, double sigma_px)
{
    struct cuda_bench *b = t->ways.b;
    const size_t bytes = (size_t)t->side_px * (size_t)t->side_px * 16;
    struct exact_blur exact = exact_gaussian(sigma_px);
    struct thesis_way way = thesis_begin(t, "reference", sigma_px);
    float weights[EXACT_TAPS];
    for (int32_t i = 0; i < exact.taps; i++) {
        weights[i] = (float)exact.weights[i];
    }
    thesis_set_weights(t, weights, (size_t)exact.taps);
    for (int pass = 0; pass < 2; pass++) {
        struct thesis_step *step =
            thesis_add(&way, pass == 0 ? "blur_thesis_rows_planes" : "blur_thesis_columns_planes",
                       pass == 0 ? THESIS_SRC : THESIS_C, pass == 0 ? THESIS_C : THESIS_DST);
        step->params.taps = exact.taps;
        step->shared_bytes = (unsigned)(BLUR_THESIS_LINE + exact.taps - 1) * 32;
        thesis_shape(&way, step, pass == 0 ? BLUR_THESIS_LINE : 2,
                     pass == 0 ? 2 : BLUR_THESIS_LINE);
    }
    OWNED(owned_free) float *made = bench_memory(1, bytes);
    bench_must(thesis_enqueue(b, &way, 0), "reference");
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    CUDA_MUST(b, b->cu->MemcpyDtoH(made, b->pictures.dst[0], bytes));
    free(t->gaussian);
    t->gaussian = bench_memory(1, bytes / 4);
    t->gaussian_px = sigma_px;
    bytes_of(t, made, t->gaussian);
    thesis_drop(&way);
}

void thesis_words_of_quality(struct thesis *t, double sigma_px, const float *made, char *words,
                             size_t bytes)
{
    const size_t pixels = (size_t)t->side_px * (size_t)t->side_px;
    if (t->side_px != QUALITY_PX || sigma_px <= 0.0) {
        return;
    }
    if (!t->gaussian || fabs(t->gaussian_px - sigma_px) > 1e-9) {
        make_gaussian(t, sigma_px);
    }
    OWNED(owned_free) uint8_t *own = bench_memory(pixels, 4);
    bytes_of(t, made, own);
    const struct bench_size size = {"", QUALITY_PX - 2 * MARGIN_PX, QUALITY_PX - 2 * MARGIN_PX};
    const struct fovea_image a =
        bench_image(&size, FOVEA_FORMAT_RGBA8, FOVEA_MEMORY_CPU, t->gaussian);
    const struct fovea_image made_image =
        bench_image(&size, FOVEA_FORMAT_RGBA8, FOVEA_MEMORY_CPU, own);
    const struct score score = metrics_score(&a, &made_image);
    snprintf(words, bytes, "SSIM %.5f, at most %.1f levels from the Gaussian of %.3f px",
             score.ssim, score.max_levels, sigma_px);
}

bool thesis_check(void *user, const void *made, char *words, size_t bytes)
{
    struct thesis_way *way = user;
    const double most = way->exact.tolerance > 0.0 ? way->exact.tolerance : EXACT_BY_FLOATS;
    const double worst = exact_worst(&way->exact, way->t->src, way->t->side_px, made);
    const bool right = worst <= most;
    char quality[RESULT_TEXT_BYTES] = "";
    if (right) {
        thesis_words_of_quality(way->t, way->sigma_px, made, quality, sizeof quality);
    }
    snprintf(words, bytes, "%s%.1e off its definition%s%s", right ? "" : "WRONG: ", worst,
             quality[0] ? "; " : "", quality);
    return right;
}
