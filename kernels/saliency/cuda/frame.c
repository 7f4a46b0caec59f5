/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What kernels know of a plan. */

#include "saliency_cuda.h"

#include <math.h>
#include <stdlib.h>

static int32_t whole(int32_t count, int32_t size)
{
    return (count + size - 1) / size;
}

static struct saliency_cuda_axis axis_of(const struct saliency_axis *axis)
{
    return (struct saliency_cuda_axis){axis->first, axis->last - axis->first + 1, axis->out_first,
                                       axis->out_last - axis->out_first + 1};
}

static bool is_near(const struct saliency_level *level)
{
    return level->step_px <= SALIENCY_CUDA_NEAR_STEP;
}

/* What is counted up from level to level. */
struct counts {
    int32_t taps;
    uint32_t tiles, near_blocks, far_blocks;
};

static void fill_samples(struct saliency_cuda *cuda, struct saliency_cuda_level *out,
                         struct counts *counts)
{
    struct saliency_cuda_frame *frame = &cuda->frame;
    const int32_t segments = whole(out->x.count, SALIENCY_CUDA_SEGMENT);
    const bool near = out->step_px <= SALIENCY_CUDA_NEAR_STEP;
    uint32_t *blocks = near ? &counts->near_blocks : &counts->far_blocks;
    out->pitch = segments * SALIENCY_CUDA_SEGMENT;
    out->plane = frame->plane_samples;
    out->mask = frame->masks;
    frame->plane_samples += (uint64_t)SALIENCY_BINS * (uint64_t)(out->pitch * out->y.count);
    frame->masks += segments * out->y.count;
    *blocks += (uint32_t)((near ? segments : whole(frame->width_px, SALIENCY_CUDA_SEGMENT)) *
                          out->y.count);
    out->far = (int32_t)frame->far_samples;
    frame->far_samples += near ? 0 : out->x.count * out->y.count;
    out->block_end = (int32_t)*blocks;
}

static void fill_level(struct saliency_cuda *cuda, uint32_t number, struct counts *counts)
{
    const struct saliency_level *level = &cuda->plan->levels[number];
    struct saliency_cuda_level *out = &cuda->frame.levels[number];
    *out = (struct saliency_cuda_level){.step_px = level->step_px,
                                        .reach_px = level->reach_px,
                                        .scale_first = level->scale_first,
                                        .scale_end = level->scale_end,
                                        .taps = counts->taps,
                                        .tile_end = (int32_t)counts->tiles};
    if (level->step_px == 1) {
        return;
    }
    out->x = axis_of(&level->x);
    out->y = axis_of(&level->y);
    out->tiles_across =
        whole(out->x.out_first - out->x.first + out->x.out_count, SALIENCY_CUDA_STRIP_WIDTH);
    counts->taps += 2 * level->reach_px + 2;
    counts->tiles +=
        (uint32_t)(out->tiles_across * whole(out->y.out_count, SALIENCY_CUDA_STRIP_HEIGHT));
    out->tile_end = (int32_t)counts->tiles;
    fill_samples(cuda, out, counts);
}

/* ---- Kernels: rows.p(x) columns.q(y) + rows.q(x) columns.p(y) */

#define ROW_SUM 32512.0 /* of p along rows: two bytes, of which the lower one is 0 */
#define WEIGHT_MOST 32600.0 /* of two bytes with signs */
#define FULL 16777216.0 /* F - G of 1, in units of 256: 127 planes' fit in 32 bits */
#define WEIGHTS (2 * SALIENCY_CUDA_REACH_MOST + 1)

/* q's sum is 0. */
struct line {
    double p[WEIGHTS], q[WEIGHTS];
};

struct whole_line {
    int32_t p[WEIGHTS], q[WEIGHTS];
};

struct kernel {
    int32_t reach;
    struct line rows, columns;
    double gain; /* to be the processor's numbers */
};

/* Level 0: the Gaussian and its second derivative. */
static struct kernel fine_kernel(double sigma, int32_t reach)
{
    struct kernel kernel = {.reach = reach, .gain = 0.5 * M_E * SALIENCY_UNIT};
    struct line *line = &kernel.rows;
    for (int32_t i = 0; i <= 2 * reach; i++) {
        const double x = (i - reach) / sigma;
        line->p[i] = exp(-0.5 * x * x) / (sqrt(2.0 * M_PI) * sigma);
        line->q[i] = (1.0 - x * x) * line->p[i];
    }
    kernel.columns = kernel.rows;
    return kernel;
}

static double weight_at(const struct saliency_scale *scale, int32_t distance)
{
    const int32_t d = abs(distance);
    return d <= scale->reach ? (double)scale->weights[d] : 0.0;
}

/* Coarser levels: the Gaussian g and its second difference d, and g + d / 6. So that d is as large
 * as g it is multiplied by the variance. */
static struct kernel coarse_kernel(const struct saliency_scale *scale)
{
    const double sample = (double)SALIENCY_CUDA_SAMPLE;
    const double shifted = 256 << SALIENCY_CUDA_WIDE_SHIFT;
    struct kernel kernel = {.reach = scale->reach + 1};
    double variance = 0.0;
    for (int32_t d = -scale->reach; d <= scale->reach; d++) {
        variance += d * d * weight_at(scale, d);
    }
    for (int32_t i = 0; i <= 2 * kernel.reach; i++) {
        const int32_t d = i - kernel.reach;
        const double g = weight_at(scale, d);
        const double second = weight_at(scale, d - 1) - 2.0 * g + weight_at(scale, d + 1);
        kernel.rows.p[i] = g;
        kernel.columns.p[i] = g + second / 6.0;
        kernel.rows.q[i] = kernel.columns.q[i] = variance * second;
    }
    kernel.gain = scale->gain * (double)SALIENCY_CUDA_WEIGHT / variance * shifted / sample;
    return kernel;
}

/* Both sides are alike. Where `sums` are rounded, from an end on, errors do not add up along the
 * line; the middle has what is left of its sum. */
static void round_line(const double *in, int32_t reach, double factor, bool sums, int32_t *out)
{
    double sum = 0.0;
    int32_t whole = 0;
    for (int32_t i = 0; i < reach; i++) {
        const double before = sums ? sum : 0.0;
        sum = before + factor * in[i];
        out[i] = (int32_t)(lround(sum) - lround(before));
        out[2 * reach - i] = out[i];
        whole += 2 * out[i];
    }
    out[reach] = (int32_t)lround(sums ? 2.0 * sum + factor * in[reach] : factor * in[reach]);
    out[reach] -= sums ? whole : 0;
}

static struct whole_line rounded(const struct line *line, int32_t reach, double factor, bool sums)
{
    struct whole_line whole;
    int32_t sum = 0;
    round_line(line->p, reach, factor, sums, whole.p);
    round_line(line->q, reach, factor, sums, whole.q);
    for (int32_t i = 0; i <= 2 * reach; i++) {
        sum += whole.q[i];
    }
    whole.q[reach] -= sum;
    return whole;
}

/* So large that neither a weight nor a sum has more bits than there are. */
static double column_factor(const struct kernel *kernel)
{
    double most = 0.0;
    for (int32_t i = 0; i <= 2 * kernel->reach; i++) {
        most = fmax(most, fmax(fabs(kernel->columns.p[i]), fabs(kernel->columns.q[i])));
    }
    return fmin(WEIGHT_MOST / most, FULL * 256.0 * 0.97 * kernel->gain / SALIENCY_UNIT / ROW_SUM);
}

/* What sums of whole weights are to be multiplied by, to be those of the kernel, as near as may
 * be. */
static double gain_of(const struct kernel *kernel, const struct whole_line *rows,
                      const struct whole_line *columns)
{
    double common = 0.0;
    double own = 0.0;
    for (int32_t y = 0; y <= 2 * kernel->reach; y++) {
        for (int32_t x = 0; x <= 2 * kernel->reach; x++) {
            const double whole =
                (double)rows->p[x] * columns->q[y] + (double)rows->q[x] * columns->p[y];
            common += whole * (kernel->rows.p[x] * kernel->columns.q[y] +
                               kernel->rows.q[x] * kernel->columns.p[y]);
            own += whole * whole;
        }
    }
    return kernel->gain * common / own;
}

/* Of a kind of weights at a distance: the high byte, or the low one, which has a sign, too. */
static uint32_t weight_byte(const struct whole_line *line, int32_t reach, int32_t kind, int32_t d)
{
    if (d < -reach || d > reach) {
        return 0;
    }
    const int32_t weight = kind < 2 ? line->p[d + reach] : line->q[d + reach];
    const int32_t high = (weight + 128 + 65536) / 256 - 256;
    return (uint32_t)(kind % 2 == 0 ? high : weight - 256 * high) & 255u;
}

/* A of 16 columns: lane / 4 and lane / 4 + 8; places 4 (lane % 4) and on. */
static uint32_t row_word(const struct whole_line *rows, int32_t reach, int32_t kind, int32_t part,
                         int32_t lane)
{
    uint32_t word = 0;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t column = lane / 4 + part % 2 * 8;
        const int32_t place = part / 2 * 16 + lane % 4 * 4 + i - SALIENCY_CUDA_STRIP_LEFT(reach);
        word |= weight_byte(rows, reach, kind, place - column) << 8 * i;
    }
    return word;
}

/* B of 8 rows: lane / 4; places 2 (lane % 4) and the next, and those 8 on. */
static uint32_t column_word(const struct whole_line *columns, int32_t reach, int32_t kind,
                            int32_t part, int32_t lane)
{
    uint32_t word = 0;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t place = part * 16 + i / 2 * 8 + lane % 4 * 2 + i % 2;
        const int32_t d = place - SALIENCY_CUDA_STRIP_ABOVE(reach) - lane / 4;
        word |= weight_byte(columns, reach, kind, d) << 8 * i;
    }
    return word;
}

static struct kernel kernel_of(const struct saliency_plan *plan, uint32_t number)
{
    const struct saliency_scale *scale = &plan->scales[number];
    return scale->kernels ? fine_kernel(saliency_sigma_px(&plan->numbers, number), scale->reach)
                          : coarse_kernel(scale);
}

/* out: NULL, or the kernel's words. The result: what sums are to be multiplied by. */
static double fill_kernel(const struct kernel *kernel, uint32_t *out)
{
    const int32_t reach = kernel->reach;
    const struct whole_line rows = rounded(&kernel->rows, reach, ROW_SUM, true);
    const struct whole_line columns =
        rounded(&kernel->columns, reach, column_factor(kernel), false);
    for (int32_t kind = 0; out && kind < SALIENCY_CUDA_STRIP_KINDS; kind++) {
        for (int32_t i = 0; i < 2 * SALIENCY_CUDA_STRIP_COLUMNS(reach) * 32; i++) {
            *out++ = row_word(&rows, reach, kind, i / 32, i % 32);
        }
    }
    for (int32_t kind = 0; out && kind < SALIENCY_CUDA_STRIP_KINDS; kind++) {
        for (int32_t i = 0; i < SALIENCY_CUDA_STRIP_ROWS(reach) * 32; i++) {
            *out++ = column_word(&columns, reach, kind, i / 32, i % 32);
        }
    }
    return 256.0 * gain_of(kernel, &rows, &columns);
}

/* ---- Scales and tables */

/* How many words all kernels are. */
static int32_t fill_scales(const struct saliency_plan *plan, struct saliency_cuda_frame *frame)
{
    int32_t words = 0;
    for (uint32_t i = 0; i < plan->scale_count; i++) {
        const struct saliency_scale *scale = &plan->scales[i];
        const struct kernel kernel = kernel_of(plan, i);
        frame->scales[i] = (struct saliency_cuda_scale){.sigma_px = scale->sigma_px,
                                                        .gain = (float)fill_kernel(&kernel, NULL),
                                                        .level = scale->level,
                                                        .reach = kernel.reach,
                                                        .kernel = words,
                                                        .width = scale->width,
                                                        .height = scale->height,
                                                        .offset = scale->offset};
        words += SALIENCY_CUDA_KERNEL_WORDS(kernel.reach);
    }
    return words;
}

static void fill_kernels(const struct saliency_cuda *cuda, uint32_t *out)
{
    for (uint32_t i = 0; i < cuda->plan->scale_count; i++) {
        const struct kernel kernel = kernel_of(cuda->plan, i);
        fill_kernel(&kernel, out + cuda->frame.scales[i].kernel);
    }
}

static void fill_taps(const struct saliency_cuda *cuda, int32_t *out)
{
    for (uint32_t i = 0; i < cuda->plan->level_count; i++) {
        const struct saliency_level *level = &cuda->plan->levels[i];
        int32_t *to = out + cuda->frame.levels[i].taps;
        int32_t sum = 0;
        for (int32_t d = -level->reach_px; level->step_px > 1 && d <= level->reach_px; d++) {
            const int32_t tap = saliency_tap_of(level, d);
            sum += tap;
            if (is_near(level)) {
                to[d + level->reach_px] = tap;
            } else {
                to[d + level->reach_px + 1] = sum;
            }
        }
    }
}

struct saliency_cuda_tables saliency_cuda_fill_frame(struct saliency_cuda *cuda)
{
    const struct saliency_plan *plan = cuda->plan;
    const double threshold = plan->numbers.threshold;
    struct counts counts = {0};
    cuda->frame =
        (struct saliency_cuda_frame){.width_px = plan->width_px,
                                     .height_px = plan->height_px,
                                     .channels = (int32_t)cuda->channels,
                                     .fine_reach = plan->fine_reach,
                                     .level_count = plan->level_count,
                                     .scale_count = plan->scale_count,
                                     .response_count = plan->response_count,
                                     .threshold = threshold > 0.0 ? (float)threshold : 0.0f};
    const int32_t kernels = fill_scales(plan, &cuda->frame);
    for (uint32_t i = 0; i < plan->level_count; i++) {
        fill_level(cuda, i, &counts);
    }
    cuda->tiles = counts.tiles;
    cuda->near_blocks = counts.near_blocks;
    cuda->far_blocks = counts.far_blocks;
    return (struct saliency_cuda_tables){sizeof(uint32_t) * (size_t)kernels,
                                         sizeof(int32_t) * (size_t)counts.taps};
}

void saliency_cuda_fill_tables(const struct saliency_cuda *cuda, uint32_t *kernels, int32_t *taps)
{
    fill_kernels(cuda, kernels);
    fill_taps(cuda, taps);
}
