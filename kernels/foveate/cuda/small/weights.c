/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "weights.h"

#include "kernels/image/pixel_float.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N1 FOVEATE_SMALL_SAMPLES_1
#define N2 FOVEATE_SMALL_SAMPLES_2
#define MOST FOVEATE_SMALL_MOST_PX
#define TILE FOVEATE_SMALL_TILE
#define MAKE_1 FOVEATE_SMALL_MAKE_1_PX

/* Variances of the prefilters, in squares of the spacing: smaller ones alias, larger ones are hard
 * to undo. */
#define PREFILTER_1 0.34
#define PREFILTER_2 0.45
#define REACH 4.5 /* sigmas */

/* ---- Operands -------------------------------------------------------------------------------- */

/* Rounds a row to halves that sum to 1: its largest takes the remainder. */
static void round_row(double *row, int32_t count)
{
    double sum = 0.0;
    int32_t largest = 0;
    for (int32_t i = 0; i < count; i++) {
        row[i] = pixel_half_to_float(pixel_float_to_half((float)row[i]));
        sum += row[i];
        largest = fabs(row[i]) > fabs(row[largest]) ? i : largest;
    }
    row[largest] += 1.0 - sum;
}

/* Outputs and inputs of an operand may be permuted by fours: a lane then has four pixels in a
 * row. */
static int32_t shuffled(int32_t i)
{
    return i < 8 ? i / 2 * 4 + i % 2 : (i - 8) / 2 * 4 + 2 + i % 2;
}

struct order {
    bool outputs;
    bool inputs;
    bool transposed; /* as lanes hold a right operand twice, of eight outputs each */
    double scale; /* 0: 1 */
};

struct writer {
    struct foveate_small_tables *tables;
    int32_t operands;
    /* Scales for inputs of stored bytes, along x, and then along y. */
    double scales[2];
};

#define HALVES (FOVEATE_SMALL_OPERAND_BYTES / 2)

/* Writes weights[output][input] of 16 x 16, `pitch` apart, as lanes hold a left operand of
 * m16n8k16. Transposed, the registers of eight rows on and eight columns on change places. */
static void write_operand(struct writer *w, const double *weights, int32_t pitch,
                          struct order order)
{
    const double scale = order.scale > 0.0 ? order.scale : 1.0;
    uint16_t *out = w->tables->halves + (size_t)w->operands++ * HALVES;
    for (int32_t lane = 0; lane < 32; lane++) {
        for (int32_t i = 0; i < 8; i++) {
            const int32_t row = lane / 4 + (order.transposed ? i / 4 : i / 2 % 2) * 8;
            const int32_t column =
                lane % 4 * 2 + i % 2 + (order.transposed ? i / 2 % 2 : i / 4) * 8;
            const int32_t output = order.outputs ? shuffled(row) : row;
            const int32_t input = order.inputs ? shuffled(column) : column;
            out[lane * 8 + i] =
                pixel_float_to_half((float)(scale * weights[output * pitch + input]));
        }
    }
}

/* Writes weights that are the same for every output, `taps` of 17 inputs: squares of 8 x 8 as lanes
 * hold halves of a right operand whose inputs begin 8, 0, 16, 8 after its outputs. */
static void write_band(struct writer *w, const double *taps, double scale)
{
    static const int32_t begins[4] = {8, 0, 16, 8};
    uint16_t *out = w->tables->halves + (size_t)w->operands++ * HALVES;
    for (int32_t lane = 0; lane < 32; lane++) {
        for (int32_t i = 0; i < 8; i++) {
            const int32_t tap = lane % 4 * 2 + i % 2 - lane / 4 + begins[i / 2];
            const double weight = tap >= 0 && tap <= 16 ? taps[tap] : 0.0;
            out[lane * 8 + i] = pixel_float_to_half((float)(scale * weight));
        }
    }
}

/* ---- An axis --------------------------------------------------------------------------------- */

/* Scratch for the axes. */
struct work {
    struct foveate_small_matrix *make_1, *make_2, *both, *gaussians, *a, *b, *c;
    struct foveate_small_matrix *tile; /* rows of a tile's outputs */
};

/* Returns the rows of a tile, which are zeros. */
static struct foveate_small_matrix *rows_of(const struct work *work, int32_t columns)
{
    memset(work->tile, 0, sizeof *work->tile);
    work->tile->rows = TILE;
    work->tile->columns = columns;
    return work->tile;
}

static double spline(double u)
{
    const double d = fabs(u);
    return d < 1.0 ? (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0
           : d < 2 ? (2.0 - d) * (2.0 - d) * (2.0 - d) / 6.0
                   : 0.0;
}

/* Pixels are interpolated from samples by the cubic spline through them. */
static void fill_upsampling(struct work *w, struct foveate_small_matrix *out, double first,
                            double spacing, int32_t n, int32_t size_px)
{
    w->a->rows = w->a->columns = n;
    w->c->rows = size_px;
    w->c->columns = n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            const bool end = i == 0 || i == n - 1; /* straight there */
            foveate_small_matrix_row(w->a, i)[j] = end ? i == j : spline(i - j);
        }
    }
    for (int32_t i = 0; i < size_px; i++) {
        for (int32_t j = 0; j < n; j++) {
            foveate_small_matrix_row(w->c, i)[j] = spline((i - first) / spacing - j);
        }
    }
    foveate_small_matrix_invert(w->a, w->b);
    foveate_small_matrix_multiply(out, w->c, w->b, false);
}

/* The window starts inside the picture, whose outermost pixels stand for those beyond. `down`
 * writes for the second product, whose inputs are the first's results. */
static void write_make_1(struct writer *w, struct work *work, struct foveate_small_axis *axis,
                         double spacing, bool down)
{
    const double sigma = sqrt(PREFILTER_1) * spacing;
    const int32_t last_start = (foveate_small_clamp(axis->size_px - MAKE_1, 0, MOST) + 3) / 4 * 4;
    axis->make_1 = w->operands;
    for (int32_t tile = 0; tile < axis->samples / TILE; tile++) {
        const double place = (double)axis->first[1] + spacing * TILE * tile;
        const int32_t start = (int32_t)floor((place - 3.6 * sigma) / 4.0) * 4;
        struct foveate_small_matrix *rows = rows_of(work, MAKE_1);
        axis->start_1[tile] = foveate_small_clamp(start, 0, last_start);
        for (int32_t i = 0; i < TILE; i++) {
            double *whole = foveate_small_matrix_row(work->make_1, tile * TILE + i);
            double *used = whole + axis->start_1[tile];
            const int32_t count =
                foveate_small_clamp(axis->size_px - axis->start_1[tile], 0, MAKE_1);
            foveate_small_add_gaussian(whole, axis->size_px, place + spacing * i, sigma,
                                       3.5 * sigma);
            double *row = foveate_small_matrix_row(rows, i);
            memcpy(row, used, (size_t)count * sizeof *used);
            round_row(row, MAKE_1);
            memcpy(used, row, (size_t)count * sizeof *used);
        }
        for (int32_t k = 0; k < 3; k++) {
            write_operand(w, rows->at + TILE * k, MAKE_1,
                          (struct order){.inputs = !down, .scale = w->scales[down]});
        }
    }
}

static void write_make_2(struct writer *w, struct work *work, struct foveate_small_axis *axis,
                         const float *spacing)
{
    const double step = (double)(spacing[2] / spacing[1]);
    const double variance = PREFILTER_2 * step * step - PREFILTER_1;
    const double first = (double)((axis->first[2] - axis->first[1]) / spacing[1]);
    work->make_2->rows = N2;
    work->make_2->columns = axis->samples;
    memset(work->make_2->at, 0, sizeof work->make_2->at);
    axis->make_2 = w->operands;
    for (int32_t tile = 0; tile < N2 / TILE; tile++) {
        struct foveate_small_matrix *rows = rows_of(work, 48);
        for (int32_t i = 0; i < TILE; i++) {
            double *whole = foveate_small_matrix_row(work->make_2, tile * TILE + i);
            foveate_small_add_gaussian(whole, axis->samples, first + step * (tile * TILE + i),
                                       sqrt(variance), 3.5 * sqrt(variance));
            double *row = foveate_small_matrix_row(rows, i);
            for (int32_t k = 0; k < 48; k++) {
                row[k] = k + tile * TILE < axis->samples ? whole[k + tile * TILE] : 0.0;
            }
            round_row(row, 48);
            for (int32_t k = 0; k < axis->samples; k++) {
                const int32_t at = k - tile * TILE;
                whole[k] = at >= 0 && at < 48 ? row[at] : 0.0;
            }
        }
        for (int32_t k = 0; k < 3; k++) {
            write_operand(w, rows->at + TILE * k, 48, (struct order){0});
        }
    }
}

/* Finds the matrix that makes of the level's samples what is nearest to the Gaussian of the
 * picture: least squares, B = G D^T (D D^T)^-1. `a` and `c` are overwritten, `out` is the
 * result. */
static void fit(struct work *w, struct foveate_small_matrix *make,
                struct foveate_small_matrix *inverse, struct foveate_small_matrix *out)
{
    foveate_small_matrix_multiply(w->a, w->gaussians, make, true);
    foveate_small_matrix_multiply(out, w->a, inverse, false);
}

static void invert_gram(struct work *w, struct foveate_small_matrix *make,
                        struct foveate_small_matrix *out)
{
    foveate_small_matrix_multiply(w->a, make, make, true);
    double trace = 0.0;
    for (int32_t i = 0; i < w->a->rows; i++) {
        trace += foveate_small_matrix_row(w->a, i)[i];
    }
    for (int32_t i = 0; i < w->a->rows; i++) {
        foveate_small_matrix_row(w->a, i)[i] += 1e-5 * trace / w->a->rows;
    }
    foveate_small_matrix_invert(w->a, out);
}

static void write_blur_2(struct writer *w, struct work *work, struct foveate_small_axis *axis,
                         const float *spacing, const double *sigmas, int32_t count, bool down)
{
    foveate_small_matrix_multiply(work->both, work->make_2, work->make_1, false);
    invert_gram(work, work->both, work->b);
    axis->blur_2 = w->operands;
    for (int32_t s = 0; s < count; s++) {
        work->gaussians->rows = N2;
        work->gaussians->columns = axis->size_px;
        foveate_small_matrix_fill_gaussians(work->gaussians, (double)axis->first[2],
                                            (double)spacing[2], sigmas[s], REACH * sigmas[s]);
        fit(work, work->both, work->b, work->c);
        for (int32_t i = 0; i < N2; i++) {
            round_row(foveate_small_matrix_row(work->c, i), N2);
        }
        for (int32_t operand = 0; operand < 4; operand++) {
            write_operand(w, work->c->at + operand / 2 * TILE * N2 + operand % 2 * TILE, N2,
                          (struct order){.transposed = down});
        }
    }
}

/* Sets up level k; its first sample is at least `before` samples before the first pixel. */
static void write_upsampling(struct writer *w, struct work *work, struct foveate_small_axis *axis,
                             int32_t k, double spacing, double before, struct order order)
{
    const int32_t last = (k == 1 ? axis->samples : N2) - TILE;
    axis->upsample[k] = w->operands;
    for (int32_t tile = 0; tile * TILE < axis->size_px; tile++) {
        double rows[TILE][TILE] = {{0.0}};
        const double first = (double)axis->first[k];
        const int32_t wanted = (int32_t)floor((tile * TILE - first) / spacing - before) / 2 * 2;
        const int32_t from = foveate_small_clamp(wanted, 0, last);
        axis->from[k][tile] = from;
        fill_upsampling(work, work->both, first + from * spacing - tile * TILE, spacing, TILE,
                        TILE);
        for (int32_t i = 0; i < TILE && tile * TILE + i < axis->size_px; i++) {
            memcpy(rows[i], foveate_small_matrix_row(work->both, i), sizeof rows[i]);
            round_row(rows[i], TILE);
        }
        write_operand(w, &rows[0][0], TILE, order);
    }
}

static void write_blur_0(struct writer *w, struct work *work, struct foveate_small *small,
                         const double *sigmas, int32_t count)
{
    small->blur_0 = w->operands;
    for (int32_t s = 1; s < count; s++) {
        const struct order order = {.outputs = true, .inputs = true, .scale = w->scales[0]};
        struct foveate_small_matrix *rows = rows_of(work, 32);
        for (int32_t i = 0; i < TILE; i++) {
            double *row = foveate_small_matrix_row(rows, i);
            foveate_small_add_gaussian(row, 32, i + 8, sigmas[s], 8.0);
            round_row(row, 32);
        }
        write_operand(w, rows->at, 32, order);
        write_operand(w, rows->at + TILE, 32, order);
        write_band(w, rows->at, w->scales[1]);
    }
}

/* Takes the same weights at every sample: those in the middle of an axis of the largest size. */
static void write_blur_1(struct writer *w, struct work *work, struct foveate_small *small,
                         const double *sigmas, int32_t count)
{
    const double spacing = (double)small->spacing[1];
    struct foveate_small_matrix *make = work->make_1;
    make->rows = N1;
    make->columns = MOST;
    foveate_small_matrix_fill_gaussians(make, -2.0 * spacing, spacing, sqrt(PREFILTER_1) * spacing,
                                        3.5 * sqrt(PREFILTER_1) * spacing);
    invert_gram(work, make, work->b);
    small->blur_1 = w->operands;
    for (int32_t s = 0; s < count; s++) {
        struct foveate_small_matrix *rows = rows_of(work, 32);
        double taps[17];
        double sum = 0.0;
        work->gaussians->rows = N1;
        work->gaussians->columns = MOST;
        foveate_small_matrix_fill_gaussians(work->gaussians, -2.0 * spacing, spacing, sigmas[s],
                                            REACH * sigmas[s]);
        fit(work, make, work->b, work->c);
        for (int32_t k = 0; k < 17; k++) {
            const double *row = foveate_small_matrix_row(work->c, N1 / 2 - 1);
            taps[k] = 0.5 * (row[N1 / 2 - 1 - 8 + k] + row[N1 / 2 - 1 + 8 - k]);
            sum += taps[k];
        }
        for (int32_t i = 0; i < TILE; i++) {
            for (int32_t k = 0; k < 17; k++) {
                foveate_small_matrix_row(rows, i)[i + k] = taps[k] / sum;
            }
            round_row(foveate_small_matrix_row(rows, i), 32);
        }
        write_operand(w, rows->at, 32, (struct order){0});
        write_operand(w, rows->at + TILE, 32, (struct order){0});
    }
}

static void write_axis(struct writer *w, struct work *work, struct foveate_small *small,
                       struct foveate_small_axis *axis, const double *sigmas, int32_t count)
{
    const bool down = axis == &small->y;
    work->make_1->rows = axis->samples;
    work->make_1->columns = axis->size_px;
    memset(work->make_1->at, 0, sizeof work->make_1->at);
    write_make_1(w, work, axis, (double)small->spacing[1], down);
    write_make_2(w, work, axis, small->spacing);
    write_blur_2(w, work, axis, small->spacing, sigmas, count, down);
    const struct order order = {.outputs = !down, .transposed = !down};
    write_upsampling(w, work, axis, 1, (double)small->spacing[1], 3.5, order);
    write_upsampling(w, work, axis, 2, (double)small->spacing[2], 6.0, order);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool work_make(struct work *w)
{
    struct foveate_small_matrix **all[] = {&w->make_1, &w->make_2, &w->both, &w->gaussians,
                                           &w->a,      &w->b,      &w->c,    &w->tile};
    bool made = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i] = foveate_small_matrix_new(0, 0);
        made = made && *all[i];
    }
    return made;
}

static void work_free(struct work *w)
{
    free(w->make_1);
    free(w->make_2);
    free(w->both);
    free(w->gaussians);
    free(w->a);
    free(w->b);
    free(w->c);
    free(w->tile);
}

enum fovea_result foveate_small_write_weights(const struct foveate_small_sets *sets,
                                              struct foveate_small *small,
                                              struct foveate_small_tables *tables)
{
    struct work work = {0};
    struct writer w = {tables, 0, {1.0, 1.0}};
    if (!sets->light) {
        w.scales[0] = FOVEATE_SMALL_FIRST_SCALE;
        w.scales[1] = FOVEATE_SMALL_NEXT_SCALE;
    }
    const bool made = work_make(&work);
    if (made) {
        write_blur_0(&w, &work, small, sets->sigmas[0], sets->counts[0]);
        write_blur_1(&w, &work, small, sets->sigmas[1], sets->counts[1]);
        write_axis(&w, &work, small, &small->x, sets->sigmas[2], sets->counts[2]);
        write_axis(&w, &work, small, &small->y, sets->sigmas[2], sets->counts[2]);
    }
    work_free(&work);
    return made ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}
