/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plan.h"

#include "core/large_memory.h"
#include "core/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUT_OFF 4.4 /* of lines: what is left out is less than what rounding does */
#define FREQUENCIES 32 /* that lines of coarser levels are added up of */
#define ASKED 16 /* every second one of them, by which whole numbers are chosen */
#define TRIES 64 /* sums of p, of which the largest is a third more than the least */

static void *make(struct saliency_plan *plan, size_t count, size_t element_bytes)
{
    plan->bytes += count * element_bytes;
    return large_memory_make(count, element_bytes);
}

/* ---- Lines of whole numbers */

/* Makes whole numbers of a line by distance, which come to `sum` with both sides, and whose errors
 * do not add up along it. Where `sums`, what they add up to does not either, at the price of larger
 * errors: what is smooth hardly sees them. */
static void round_line(const double *in, int32_t reach, int32_t sum, bool sums, int32_t *out)
{
    double first = 0.0;
    double second = 0.0;
    int32_t first_made = 0;
    int32_t second_made = 0;
    out[0] = sum;
    for (int32_t i = reach; i > 0; i--) {
        first += in[i];
        second += first;
        out[i] = (int32_t)lround(sums ? second - second_made : first) - first_made;
        out[0] -= 2 * out[i];
        first_made += out[i];
        second_made += first_made;
    }
}

/* Lines that whole numbers shall come close to, and what is known of both */
struct wanted {
    double p[SALIENCY_REACH + 1]; /* comes to 1 */
    double q[SALIENCY_REACH + 1]; /* times p it is d */
    double passed[FREQUENCIES]; /* what is left of each frequency before them */
    double waves[ASKED][SALIENCY_REACH + 1]; /* of the frequencies that are asked for */
    double p_passes[ASKED], q_passes[ASKED]; /* with what is left before them */
    double unit; /* of products of whole numbers: so many are a d of 1 */
    int32_t sum_most; /* of p's whole numbers */
};

static double frequency_of(int32_t number)
{
    return (number + 0.5) * M_PI / FREQUENCIES; /* a sample */
}

static void pass_line(const struct wanted *wanted, const double *line, int32_t reach,
                      double out[ASKED])
{
    for (int32_t n = 0; n < ASKED; n++) {
        out[n] = line[0];
        for (int32_t i = 1; i <= reach; i++) {
            out[n] += 2.0 * line[i] * wanted->waves[n][i];
        }
        out[n] *= wanted->passed[n * FREQUENCIES / ASKED];
    }
}

static void prepare(struct wanted *wanted)
{
    for (int32_t n = 0; n < ASKED; n++) {
        for (int32_t i = 0; i <= SALIENCY_REACH; i++) {
            wanted->waves[n][i] = cos(frequency_of(n * FREQUENCIES / ASKED) * i);
        }
    }
    pass_line(wanted, wanted->p, SALIENCY_REACH, wanted->p_passes);
    pass_line(wanted, wanted->q, SALIENCY_REACH, wanted->q_passes);
}

/* Returns the squares of what p(x) q(y) + q(x) p(y) errs at each pair of frequencies, as the edges
 * of pictures have them. */
static double squares_of(const struct wanted *wanted, const double p[ASKED], const double q[ASKED])
{
    double sum = 0.0;
    for (int32_t n = 0; n < ASKED; n++) {
        const double x = frequency_of(n * FREQUENCIES / ASKED);
        for (int32_t m = 0; m <= n; m++) {
            const double y = frequency_of(m * FREQUENCIES / ASKED);
            const double error = p[n] * q[m] + q[n] * p[m] -
                                 wanted->p_passes[n] * wanted->q_passes[m] -
                                 wanted->q_passes[n] * wanted->p_passes[m];
            const double square = x * x + y * y;
            sum += error * error / (square * sqrt(square)) * (m < n ? 2.0 : 1.0);
        }
    }
    return sum;
}

/* Sums by q are below 2^23, so that floats have half a unit more, too (cuda/filter.cuh). */
static bool sums_by_q_fit(const struct saliency_scale *scale)
{
    int32_t weights = abs(scale->q[0]);
    for (int32_t i = 1; i <= scale->reach; i++) {
        weights += 2 * abs(scale->q[i]);
    }
    return weights * SALIENCY_SAMPLE_MIDDLE < 1 << 23;
}

/* Makes whole numbers of both lines, whose p comes to `sum`. The result: how far off they are. */
static double try_sum(const struct wanted *wanted, int32_t sum, bool sums,
                      struct saliency_scale *scale)
{
    double p[SALIENCY_REACH + 1] = {0};
    double q[SALIENCY_REACH + 1] = {0};
    double p_passes[ASKED];
    double q_passes[ASKED];
    for (int32_t i = 0; i <= scale->reach; i++) {
        p[i] = wanted->p[i] * sum;
        q[i] = wanted->q[i] * wanted->unit / sum;
    }
    round_line(p, scale->reach, sum, sums, scale->p);
    round_line(q, scale->reach, 0, sums, scale->q);
    for (int32_t i = 0; i <= scale->reach; i++) {
        p[i] = (double)scale->p[i] / sum;
        q[i] = scale->q[i] * sum / wanted->unit;
    }
    pass_line(wanted, p, scale->reach, p_passes);
    pass_line(wanted, q, scale->reach, q_passes);
    return sums_by_q_fit(scale) ? squares_of(wanted, p_passes, q_passes) : INFINITY;
}

static int32_t sum_of_try(const struct wanted *wanted, int32_t number)
{
    return wanted->sum_most - number / 2 * (wanted->sum_most / (4 * TRIES)) / 2 * 2;
}

/* Whole numbers are off by luck: a little larger or smaller they are so by a half or by twice as
 * much. */
static void make_whole(struct wanted *wanted, struct saliency_scale *scale)
{
    double least = INFINITY;
    int32_t best = 0;
    prepare(wanted);
    for (int32_t i = 0; i < 2 * TRIES; i++) {
        const double squares = try_sum(wanted, sum_of_try(wanted, i), i % 2 == 1, scale);
        best = squares < least ? i : best;
        least = squares < least ? squares : least;
    }
    (void)try_sum(wanted, sum_of_try(wanted, best), best % 2 == 1, scale);
}

/* ---- Level 0 */

/* The Gaussian, and its second derivative, whose sum is 0. */
static void make_lines(struct saliency_scale *scale, double sigma)
{
    struct wanted wanted = {.unit = SALIENCY_UNIT * (1 << SALIENCY_FINE_SHIFT),
                            .sum_most = SALIENCY_FINE_SUM};
    for (int32_t i = 0; i <= SALIENCY_REACH; i++) {
        const double x = i / sigma;
        const double gauss = exp(-0.5 * x * x) / (sqrt(2.0 * M_PI) * sigma);
        wanted.p[i] = gauss;
        wanted.q[i] = 0.5 * M_E * (1.0 - x * x) * gauss;
    }
    for (int32_t n = 0; n < FREQUENCIES; n++) {
        wanted.passed[n] = 1.0;
    }
    make_whole(&wanted, scale);
}

/* -LoG is p(x) q(y) + q(x) p(y). */
static void fill_kernel(const struct saliency_scale *scale)
{
    for (int32_t y = -scale->reach; y <= scale->reach; y++) {
        int32_t *row = scale->kernels + (y + scale->reach) * SALIENCY_FINE_PITCH + scale->reach;
        for (int32_t x = -scale->reach; x <= scale->reach; x++) {
            row[x] = scale->p[abs(x)] * scale->q[abs(y)] + scale->q[abs(x)] * scale->p[abs(y)];
        }
    }
}

/* A run's kernel is that of the run without its last pixel, and one more. */
static void fill_runs(const struct saliency_scale *scale)
{
    const int32_t side = 2 * scale->reach + 1;
    const int32_t count = side * SALIENCY_FINE_PITCH;
    for (int32_t run = 1; run < SALIENCY_RUN_MAX; run++) {
        int32_t *kernel = scale->kernels + run * count;
        memcpy(kernel, kernel - count, (size_t)count * sizeof *kernel);
        for (int32_t i = 0; i < side * side; i++) {
            const int32_t at = i / side * SALIENCY_FINE_PITCH + i % side;
            kernel[at + run] += scale->kernels[at];
        }
    }
}

static enum fovea_result make_kernels(struct saliency_plan *plan, struct saliency_scale *scale,
                                      double sigma)
{
    scale->reach = (int32_t)ceil(CUT_OFF * sigma);
    const size_t rows = SALIENCY_RUN_MAX * (2 * (size_t)scale->reach + 1);
    scale->kernels = make(plan, rows * SALIENCY_FINE_PITCH, sizeof *scale->kernels);
    FOVEA_TRY_MEMORY(scale->kernels);
    make_lines(scale, sigma);
    fill_kernel(scale);
    fill_runs(scale);
    plan->fine_reach = scale->reach > plan->fine_reach ? scale->reach : plan->fine_reach;
    return FOVEA_OK;
}

/* ---- Coarser levels */

/* Returns the variance of what a sample is of pixels, in its steps: 2, and 4 times as much with
 * each level. */
static double plane_variance(const struct saliency_level *level)
{
    return 2.0 / 3.0 * (1.0 - 1.0 / level->step_px / level->step_px);
}

/* Returns what samples have left of each frequency: binomials leave powers of a cosine. */
static void pass_planes(const struct saliency_level *level, double out[FREQUENCIES])
{
    for (int32_t n = 0; n < FREQUENCIES; n++) {
        out[n] = 1.0;
        for (int32_t step = 2; step <= level->step_px; step *= 2) {
            out[n] *= pow(cos(0.5 * frequency_of(n) / step), 2.0 * SALIENCY_HALF_REACH);
        }
    }
}

/* Makes lines that with what samples are make a Gaussian of sigma, and its second derivative. */
static void make_coarse_lines(struct saliency_scale *scale, double sigma,
                              const struct saliency_level *level)
{
    const double in_steps = sigma / level->step_px;
    struct wanted wanted = {.unit = SALIENCY_UNIT * (1 << SALIENCY_COARSE_SHIFT) *
                                    (1 << SALIENCY_ROW_SHIFT) / (2.0 * SALIENCY_SAMPLE_MIDDLE),
                            .sum_most = SALIENCY_COARSE_SUM};
    pass_planes(level, wanted.passed);
    scale->reach = (int32_t)ceil(CUT_OFF * sqrt(in_steps * in_steps - plane_variance(level)));
    for (int32_t n = 0; n < FREQUENCIES; n++) {
        const double w = frequency_of(n) * in_steps;
        const double gauss = exp(-0.5 * w * w) / (FREQUENCIES * wanted.passed[n]);
        for (int32_t i = 0; i <= SALIENCY_REACH; i++) {
            const double wave = gauss * cos(frequency_of(n) * i);
            wanted.p[i] += wave;
            wanted.q[i] += 0.5 * M_E * w * w * wave;
        }
    }
    make_whole(&wanted, scale);
}

static void add_tap(const struct saliency_axis *axis, int32_t pixel, int32_t sample, int32_t weight)
{
    if (axis->tap_count[pixel] == 0) {
        axis->tap_first[pixel] = sample;
    }
    axis->tap_count[pixel] = sample - axis->tap_first[pixel] + 1;
    axis->taps[pixel * SALIENCY_TAPS_MAX + sample - axis->tap_first[pixel]] += weight;
}

static void fill_taps(const struct saliency_axis *axis)
{
    for (int32_t sample = axis->first; sample <= axis->last; sample++) {
        for (int32_t d = -SALIENCY_HALF_REACH; d <= SALIENCY_HALF_REACH; d++) {
            const int32_t at = 2 * sample + d;
            const int32_t pixel = at < 0 ? 0 : at >= axis->pixels ? axis->pixels - 1 : at;
            add_tap(axis, pixel, sample, saliency_half_weight(abs(d)));
        }
    }
}

static enum fovea_result make_taps(struct saliency_plan *plan, struct saliency_axis *axis)
{
    const size_t pixels = (size_t)axis->pixels;
    axis->tap_first = make(plan, pixels, sizeof *axis->tap_first);
    axis->tap_count = make(plan, pixels, sizeof *axis->tap_count);
    axis->taps = make(plan, pixels * SALIENCY_TAPS_MAX, sizeof *axis->taps);
    FOVEA_TRY_MEMORY(axis->tap_first && axis->tap_count && axis->taps);
    fill_taps(axis);
    return FOVEA_OK;
}

/* finer: the axis of the level before, NULL at level 0 */
static struct saliency_axis axis_of(int32_t pixels, int32_t step, const struct saliency_axis *finer)
{
    struct saliency_axis axis = {.pixels = pixels, .last = pixels - 1, .out_last = pixels - 1};
    if (finer) {
        axis.first = -SALIENCY_HALF_REACH;
        axis.last = (finer->last + SALIENCY_HALF_REACH + 1) / 2;
        axis.out_first = -SALIENCY_OUT_BEFORE;
        axis.out_last = (pixels - 1) / step + SALIENCY_OUT_AFTER;
    }
    return axis;
}

/* ---- The plan */

static int32_t step_of(double sigma)
{
    int32_t step = 1;
    while (sigma / step >= 4.0 * (1.0 - 1e-9)) {
        step *= 2;
    }
    return step;
}

static enum fovea_result make_scale(struct saliency_plan *plan, uint32_t number)
{
    struct saliency_scale *scale = &plan->scales[number];
    const double sigma = saliency_sigma_px(&plan->numbers, number);
    struct saliency_level *level = plan->levels;
    for (int32_t step = step_of(sigma); level->step_px < step; level++) {
    }
    level->scale_first = level->scale_end == 0 ? number : level->scale_first;
    level->scale_end = number + 1;
    scale->sigma_px = (float)sigma;
    scale->level = (int32_t)(level - plan->levels);
    if (level->step_px == 1) {
        return make_kernels(plan, scale, sigma);
    }
    make_coarse_lines(scale, sigma, level);
    return FOVEA_OK;
}

static enum fovea_result make_level(struct saliency_plan *plan)
{
    struct saliency_level *level = &plan->levels[plan->level_count];
    const struct saliency_level *finer = plan->level_count > 0 ? level - 1 : NULL;
    level->step_px = 1 << plan->level_count;
    level->x = axis_of(plan->width_px, level->step_px, finer ? &finer->x : NULL);
    level->y = axis_of(plan->height_px, level->step_px, finer ? &finer->y : NULL);
    plan->level_count++;
    if (level->step_px == 2) {
        FOVEA_TRY(make_taps(plan, &level->x));
        FOVEA_TRY(make_taps(plan, &level->y));
    }
    return FOVEA_OK;
}

static void place_response(struct saliency_plan *plan, struct saliency_scale *scale)
{
    const struct saliency_level *level = &plan->levels[scale->level];
    scale->width = level->x.out_last - level->x.out_first + 1;
    scale->height = level->y.out_last - level->y.out_first + 1;
    scale->offset = plan->response_count;
    plan->response_count += (size_t)scale->width * (size_t)scale->height;
}

static enum fovea_result fill(struct saliency_plan *plan)
{
    for (int32_t i = 0; i <= SALIENCY_OVERLAPS; i++) {
        plan->overlaps[i] =
            (float)saliency_overlap_reach(plan->numbers.overlap, (double)i / SALIENCY_OVERLAPS);
    }
    const int32_t step = step_of(saliency_sigma_px(&plan->numbers, plan->scale_count - 1));
    while (plan->level_count == 0 || plan->levels[plan->level_count - 1].step_px < step) {
        FOVEA_TRY(make_level(plan));
    }
    for (uint32_t i = 0; i < plan->scale_count; i++) {
        FOVEA_TRY(make_scale(plan, i));
        place_response(plan, &plan->scales[i]);
    }
    return FOVEA_OK;
}

enum fovea_result saliency_plan_create(const struct saliency_numbers *numbers, uint32_t width_px,
                                       uint32_t height_px, struct saliency_plan **out_plan)
{
    struct saliency_plan *plan = calloc(1, sizeof *plan);
    *out_plan = NULL;
    FOVEA_TRY_MEMORY(plan);
    *plan = (struct saliency_plan){.numbers = *numbers,
                                   .width_px = (int32_t)width_px,
                                   .height_px = (int32_t)height_px,
                                   .scale_count = numbers->scale_count,
                                   .bytes = sizeof *plan};
    const enum fovea_result result = fill(plan);
    if (result < 0) {
        saliency_plan_destroy(&plan);
        return result;
    }
    *out_plan = plan;
    return FOVEA_OK;
}

static void free_axis(const struct saliency_axis *axis)
{
    large_memory_free(axis->tap_first);
    large_memory_free(axis->tap_count);
    large_memory_free(axis->taps);
}

void saliency_plan_destroy(struct saliency_plan **plan)
{
    if (!*plan) {
        return;
    }
    for (uint32_t i = 0; i < (*plan)->level_count; i++) {
        free_axis(&(*plan)->levels[i].x);
        free_axis(&(*plan)->levels[i].y);
    }
    for (uint32_t i = 0; i < (*plan)->scale_count; i++) {
        large_memory_free((*plan)->scales[i].kernels);
    }
    free(*plan);
    *plan = NULL;
}
