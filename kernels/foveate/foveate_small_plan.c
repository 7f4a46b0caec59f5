/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_small_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N1 FOVEATE_SMALL_SAMPLES_1
#define N2 FOVEATE_SMALL_SAMPLES_2
#define MOST FOVEATE_SMALL_MOST_PX
#define TILE FOVEATE_SMALL_TILE

/* Variances of the prefilters, in squares of the spacing: less folds over, more is hard to undo. */
#define PREFILTER_1 0.34
#define PREFILTER_2 0.45
/* From these sigmas on, in spacings, a level shows what the picture has; the sets begin below, since a
 * pixel is interpolated from samples nearer to the gaze too. */
#define FROM_1 0.9
#define FROM_2 1.14
#define SETS_1 0.75
#define SETS_2 0.89
#define OCTAVE 0.25 /* between the sigmas of a set */
#define REACH 4.5
/* How far a block's sigma may lie above its smallest, in pixels: in laws steeper than this weights of 17
 * samples end too early. */
#define MOST_ACROSS_PX 0.8

/* Weights for `count` places, a row each. */
struct matrix {
    int32_t rows, columns;
    double at[MOST * MOST];
};

static struct matrix *matrix_new(int32_t rows, int32_t columns)
{
    struct matrix *m = calloc(1, sizeof *m);
    if (m) {
        m->rows = rows;
        m->columns = columns;
    }
    return m;
}

static double *row_of(struct matrix *m, int32_t row)
{
    return m->at + (ptrdiff_t)row * m->columns;
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* A row of a Gaussian at a place among `count` samples, the outermost repeated. */
static void add_gaussian(double *row, int32_t count, double place, double sigma, double reach)
{
    double sum = 0.0;
    const int32_t first = (int32_t)ceil(place - reach);
    const int32_t last = (int32_t)floor(place + reach);
    for (int32_t i = first; i <= last; i++) {
        sum += exp(-(i - place) * (i - place) / (2.0 * sigma * sigma));
    }
    for (int32_t i = first; i <= last; i++) {
        row[clamp(i, 0, count - 1)] +=
            exp(-(i - place) * (i - place) / (2.0 * sigma * sigma)) / sum;
    }
}

static void fill_gaussians(struct matrix *m, double first, double spacing, double sigma,
                           double reach)
{
    memset(m->at, 0, sizeof m->at);
    for (int32_t i = 0; i < m->rows; i++) {
        add_gaussian(row_of(m, i), m->columns, first + spacing * i, sigma, reach);
    }
}

/* out = a b, or a b^T. */
static void multiply(struct matrix *out, struct matrix *a, struct matrix *b, bool transposed)
{
    out->rows = a->rows;
    out->columns = transposed ? b->rows : b->columns;
    for (int32_t i = 0; i < out->rows; i++) {
        for (int32_t j = 0; j < out->columns; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k < a->columns; k++) {
                sum += row_of(a, i)[k] * (transposed ? row_of(b, j)[k] : row_of(b, k)[j]);
            }
            row_of(out, i)[j] = sum;
        }
    }
}

/* By Gauss and Jordan; what is inverted here is positive definite. */
static void invert(struct matrix *m, struct matrix *out)
{
    const int32_t n = m->rows;
    out->rows = out->columns = n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            row_of(out, i)[j] = i == j;
        }
    }
    for (int32_t p = 0; p < n; p++) {
        const double scale = 1.0 / row_of(m, p)[p];
        for (int32_t j = 0; j < n; j++) {
            row_of(m, p)[j] *= scale;
            row_of(out, p)[j] *= scale;
        }
        for (int32_t i = 0; i < n; i++) {
            const double part = row_of(m, i)[p];
            for (int32_t j = 0; i != p && j < n; j++) {
                row_of(m, i)[j] -= part * row_of(m, p)[j];
                row_of(out, i)[j] -= part * row_of(out, p)[j];
            }
        }
    }
}

/* ---- Pieces ------------------------------------------------------------------------------------ */

static uint16_t half_of(double value)
{
    const float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    const float size = fabsf(f);
    if (size < 6.103515625e-5f) {
        return (uint16_t)(sign | (uint16_t)lrintf(size * 16777216.0f));
    }
    bits &= 0x7fffffffu;
    bits += 0xfffu + (bits >> 13 & 1u);
    return (uint16_t)(sign | (uint16_t)((bits >> 13) - (112u << 10)));
}

static double value_of(uint16_t half)
{
    const int exponent = half >> 10 & 31;
    const double mantissa = half & 1023;
    const double size =
        exponent ? ldexp(1.0 + mantissa / 1024.0, exponent - 15) : ldexp(mantissa, -24);
    return half & 0x8000 ? -size : size;
}

/* So that a row of halves sums to 1: its largest takes the rest. */
static void round_row(double *row, int32_t count)
{
    double sum = 0.0;
    int32_t largest = 0;
    for (int32_t i = 0; i < count; i++) {
        row[i] = value_of(half_of(row[i]));
        sum += row[i];
        largest = fabs(row[i]) > fabs(row[largest]) ? i : largest;
    }
    row[largest] += 1.0 - sum;
}

/* Outputs and inputs of a piece may be shuffled by fours: a lane then has four pixels in a row. */
static int32_t shuffled(int32_t i)
{
    return i < 8 ? i / 2 * 4 + i % 2 : (i - 8) / 2 * 4 + 2 + i % 2;
}

struct order {
    bool outputs;
    bool inputs;
};

struct writer {
    struct foveate_small_tables *tables;
    int32_t pieces;
};

#define HALVES (FOVEATE_SMALL_PIECE_BYTES / 2)

/* weights[output][input] of 16 x 16, `pitch` apart; as lanes hold a matrix A of m16n8k16. */
static void write_piece(struct writer *w, const double *weights, int32_t pitch, struct order order)
{
    uint16_t *out = w->tables->halves + (size_t)w->pieces++ * HALVES;
    for (int32_t lane = 0; lane < 32; lane++) {
        for (int32_t i = 0; i < 8; i++) {
            const int32_t row = lane / 4 + (i / 2 % 2) * 8;
            const int32_t column = lane % 4 * 2 + i % 2 + i / 4 * 8;
            const int32_t output = order.outputs ? shuffled(row) : row;
            const int32_t input = order.inputs ? shuffled(column) : column;
            out[lane * 8 + i] = half_of(weights[output * pitch + input]);
        }
    }
}

/* ---- An axis ----------------------------------------------------------------------------------- */

/* Scratch for the axes. */
struct work {
    struct matrix *make_1, *make_2, *both, *gaussians, *a, *b, *c;
};

static double spline(double u)
{
    const double d = fabs(u);
    return d < 1.0 ? (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0
           : d < 2 ? (2.0 - d) * (2.0 - d) * (2.0 - d) / 6.0
                   : 0.0;
}

/* Pixels from samples: the cubic spline through them. */
static void fill_show(struct work *w, struct matrix *out, double first, double spacing, int32_t n,
                      int32_t size_px)
{
    w->a->rows = w->a->columns = n;
    w->c->rows = size_px;
    w->c->columns = n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            const bool end = i == 0 || i == n - 1; /* straight there */
            row_of(w->a, i)[j] = end ? i == j : spline(i - j);
        }
    }
    for (int32_t i = 0; i < size_px; i++) {
        for (int32_t j = 0; j < n; j++) {
            row_of(w->c, i)[j] = spline((i - first) / spacing - j);
        }
    }
    invert(w->a, w->b);
    multiply(out, w->c, w->b, false);
}

static void write_make_1(struct writer *w, struct work *work, struct foveate_small_axis *axis,
                         double spacing)
{
    const double sigma = sqrt(PREFILTER_1) * spacing;
    axis->make_1 = w->pieces;
    for (int32_t tile = 0; tile < axis->samples / TILE; tile++) {
        const double place = (double)axis->first[1] + spacing * TILE * tile;
        double rows[TILE][48] = {{0.0}};
        axis->start_1[tile] = (int32_t)floor((place - 3.6 * sigma) / 4.0) * 4;
        for (int32_t i = 0; i < TILE; i++) {
            add_gaussian(rows[i], 48, place + spacing * i - axis->start_1[tile], sigma,
                         3.5 * sigma);
            round_row(rows[i], 48);
            double *whole = row_of(work->make_1, tile * TILE + i);
            for (int32_t k = 0; k < 48; k++) {
                whole[clamp(k + axis->start_1[tile], 0, axis->size_px - 1)] += rows[i][k];
            }
        }
        for (int32_t k = 0; k < 3; k++) {
            write_piece(w, &rows[0][TILE * k], 48, (struct order){false, true});
        }
    }
}

/* The same with the inputs as they are: for the second product, whose inputs are the first's results. */
static void write_make_1_down(struct writer *w, struct work *work, struct foveate_small_axis *axis)
{
    axis->make_1 = w->pieces;
    (void)work;
    const double spacing = (double)axis->first[1] / -2.0;
    const double sigma = sqrt(PREFILTER_1) * spacing;
    for (int32_t tile = 0; tile < axis->samples / TILE; tile++) {
        const double place = (double)axis->first[1] + spacing * TILE * tile;
        double rows[TILE][48] = {{0.0}};
        for (int32_t i = 0; i < TILE; i++) {
            add_gaussian(rows[i], 48, place + spacing * i - axis->start_1[tile], sigma,
                         3.5 * sigma);
            round_row(rows[i], 48);
        }
        for (int32_t k = 0; k < 3; k++) {
            write_piece(w, &rows[0][TILE * k], 48, (struct order){false, false});
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
    axis->make_2 = w->pieces;
    for (int32_t tile = 0; tile < N2 / TILE; tile++) {
        double rows[TILE][48] = {{0.0}};
        for (int32_t i = 0; i < TILE; i++) {
            double *whole = row_of(work->make_2, tile * TILE + i);
            add_gaussian(whole, axis->samples, first + step * (tile * TILE + i), sqrt(variance),
                         3.5 * sqrt(variance));
            for (int32_t k = 0; k < 48; k++) {
                rows[i][k] = k + tile * TILE < axis->samples ? whole[k + tile * TILE] : 0.0;
            }
            round_row(rows[i], 48);
            for (int32_t k = 0; k < axis->samples; k++) {
                const int32_t at = k - tile * TILE;
                whole[k] = at >= 0 && at < 48 ? rows[i][at] : 0.0;
            }
        }
        for (int32_t k = 0; k < 3; k++) {
            write_piece(w, &rows[0][TILE * k], 48, (struct order){false, false});
        }
    }
}

/* The matrix that makes of the level's samples what is nearest to the Gaussian of the picture: least
 * squares, B = G D^T (D D^T)^-1. `a` and `c` are overwritten, `out` is the result. */
static void fit(struct work *w, struct matrix *make, struct matrix *inverse, struct matrix *out)
{
    multiply(w->a, w->gaussians, make, true);
    multiply(out, w->a, inverse, false);
}

static void invert_gram(struct work *w, struct matrix *make, struct matrix *out)
{
    multiply(w->a, make, make, true);
    double trace = 0.0;
    for (int32_t i = 0; i < w->a->rows; i++) {
        trace += row_of(w->a, i)[i];
    }
    for (int32_t i = 0; i < w->a->rows; i++) {
        row_of(w->a, i)[i] += 1e-5 * trace / w->a->rows;
    }
    invert(w->a, out);
}

static void write_blur_2(struct writer *w, struct work *work, struct foveate_small_axis *axis,
                         const float *spacing, const double *sigmas, int32_t count)
{
    multiply(work->both, work->make_2, work->make_1, false);
    invert_gram(work, work->both, work->b);
    axis->blur_2 = w->pieces;
    for (int32_t s = 0; s < count; s++) {
        work->gaussians->rows = N2;
        work->gaussians->columns = axis->size_px;
        fill_gaussians(work->gaussians, (double)axis->first[2], (double)spacing[2], sigmas[s],
                       REACH * sigmas[s]);
        fit(work, work->both, work->b, work->c);
        for (int32_t i = 0; i < N2; i++) {
            round_row(row_of(work->c, i), N2);
        }
        for (int32_t piece = 0; piece < 4; piece++) {
            write_piece(w, work->c->at + piece / 2 * TILE * N2 + piece % 2 * TILE, N2,
                        (struct order){false, false});
        }
    }
}

static void write_show(struct writer *w, struct work *work, struct foveate_small_axis *axis,
                       const float *spacing, struct order order)
{
    const int32_t tiles = (axis->size_px + TILE - 1) / TILE;
    axis->show_1 = w->pieces;
    for (int32_t tile = 0; tile < tiles; tile++) {
        double rows[TILE][TILE] = {{0.0}};
        const double place = (tile * TILE - (double)axis->first[1]) / (double)spacing[1];
        const int32_t from = clamp(((int32_t)floor(place - 3.5)) / 2 * 2, 0, axis->samples - 16);
        axis->from_1[tile] = from;
        fill_show(work, work->both,
                  (double)axis->first[1] + from * (double)spacing[1] - tile * TILE,
                  (double)spacing[1], TILE, TILE);
        for (int32_t i = 0; i < TILE && tile * TILE + i < axis->size_px; i++) {
            memcpy(rows[i], row_of(work->both, i), sizeof rows[i]);
            round_row(rows[i], TILE);
        }
        write_piece(w, &rows[0][0], TILE, order);
    }
    fill_show(work, work->both, (double)axis->first[2], (double)spacing[2], N2, axis->size_px);
    axis->show_2 = w->pieces;
    for (int32_t tile = 0; tile < tiles; tile++) {
        double rows[TILE][N2] = {{0.0}};
        for (int32_t i = 0; i < TILE && tile * TILE + i < axis->size_px; i++) {
            memcpy(rows[i], row_of(work->both, tile * TILE + i), sizeof rows[i]);
            round_row(rows[i], N2);
        }
        write_piece(w, &rows[0][0], N2, order);
        write_piece(w, &rows[0][TILE], N2, order);
    }
}

/* ---- Sets of sigmas ---------------------------------------------------------------------------- */

/* Of the sampled Gaussian, which is narrower than sigma where sigma is small. */
static double variance_of(double sigma)
{
    double sum = 0.0;
    double squares = 0.0;
    for (int32_t i = -24; i <= 24 && sigma > 0.0; i++) {
        const double weight = exp(-i * i / (2.0 * sigma * sigma));
        sum += weight;
        squares += weight * i * i;
    }
    return sum > 0.0 && sigma < 3.0 ? squares / sum : sigma * sigma;
}

static double sigma_of(double variance)
{
    double low = 0.05;
    double high = 8.0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(variance_of(middle) < variance ? &low : &high) = middle;
    }
    return low;
}

/* In light a dark pixel shows what little comes from bright ones two pixels away: smaller steps where
 * that little changes fastest. */
static int32_t fill_near_set(double *sigmas, double last, bool light)
{
    static const double variances[] = {0.035, 0.075, 0.125, 0.185, 0.265, 0.37};
    int32_t count = 1;
    double variance = 0.0;
    sigmas[0] = 0.0;
    for (int i = 0; i < 6; i++) {
        variance = variances[i];
        sigmas[count++] = sigma_of(variance);
    }
    while (sigmas[count - 1] < last) {
        variance *= exp2(light && variance < 1.2 ? OCTAVE : 2.0 * OCTAVE);
        sigmas[count++] = sigma_of(variance);
    }
    return count;
}

static int32_t fill_set(double *sigmas, double first, double last)
{
    const double steps = ceil(log2(fmax(last / first, 1.01)) / OCTAVE);
    const int32_t count = (int32_t)fmin(steps, FOVEATE_SMALL_SETS - 1) + 1;
    for (int32_t i = 0; i < count; i++) {
        sigmas[i] = first * pow(last / first, i / (double)(count - 1));
    }
    return count;
}

/* Where in a set a sigma lies. A mixture of two Gaussians has more contrast than the one between, at
 * most frequencies: a little more of the wider one halves the difference. */
static double place_in(const double *sigmas, int32_t count, double sigma)
{
    int32_t below = 0;
    while (below + 2 < count && sigmas[below + 1] <= sigma) {
        below++;
    }
    const double from = variance_of(sigmas[below]);
    const double step = variance_of(sigmas[below + 1]) - from;
    const double variance = variance_of(sigma);
    const double part = fmin(fmax((variance - from) / step, 0.0), 1.0);
    const double bend = fmin(0.6 / fmax(variance, 1e-3), 2.5);
    const double more = bend * part * (1.0 - part) * step;
    return below + fmin(part + more, 1.0);
}

static double sigma_at_distance(const struct foveate_plan *plan, double distance_px)
{
    return (double)foveate_law_sigma_at(&plan->law, plan->law_table, (float)distance_px, 0.0f, 0.0f,
                                        0.0f);
}

/* From there on the law is at least `sigma`, or constant. */
static double last_distance(const struct foveate_plan *plan, double sigma)
{
    const double per_entry = 1.0 / (double)plan->law.table_per_unit;
    int32_t last = plan->law.table_count - 1;
    while (last > 1 && sigma_at_distance(plan, per_entry * (last - 1)) >= sigma) {
        last--;
    }
    return per_entry * last;
}

static void fill_places(const struct foveate_plan *plan, struct foveate_small *small,
                        struct foveate_small_tables *tables, int32_t k, const double *sigmas,
                        int32_t count)
{
    uint16_t *out = tables->halves + tables->places_at / 2 + (size_t)k * FOVEATE_SMALL_PLACES;
    small->sets[k] = count;
    small->by_distance = plan->law.kind == FOVEATE_LAW_RADIAL;
    const double end = small->by_distance
                           ? last_distance(plan, k == 0 ? sigmas[count - 1] : HUGE_VAL)
                           : sigmas[count - 1];
    small->places_per_px[k] = (float)((FOVEATE_SMALL_PLACES - 1) / end);
    for (int32_t i = 0; i < FOVEATE_SMALL_PLACES; i++) {
        const double at = i / (double)small->places_per_px[k];
        const double sigma = small->by_distance ? sigma_at_distance(plan, at) : at;
        out[i] = half_of(place_in(sigmas, count, sigma));
        if (k == 1) {
            out[i + 2 * FOVEATE_SMALL_PLACES] = half_of(sigma); /* of table 3 */
        }
    }
}

/* ---- A plan ------------------------------------------------------------------------------------ */

static double largest_sigma(const struct foveate_plan *plan)
{
    const struct foveate_law *law = &plan->law;
    double largest = (double)plan->sigma_max_px;
    if (law->kind == FOVEATE_LAW_RADIAL) {
        for (int32_t i = 0; i < law->table_count; i++) {
            largest = fmax(largest, (double)(law->strength * plan->law_table[i]));
        }
    }
    return largest * (law->kind == FOVEATE_LAW_RADIAL ? 1.02 : 2.0);
}

static void fill_axis(struct foveate_small_axis *axis, uint32_t size_px, const float *spacing)
{
    *axis = (struct foveate_small_axis){.size_px = (int32_t)size_px,
                                        .first = {0.0f, -2.0f * spacing[1], -spacing[2]}};
    const int32_t needed = (int32_t)ceil((size_px - 1) / (double)spacing[1] - 1e-4) + 5;
    axis->samples = clamp((needed + TILE - 1) / TILE * TILE, TILE, N1);
}

static void fill_spacing(const struct foveate_plan *plan, struct foveate_small *small)
{
    const double most = fmax(plan->width_px, plan->height_px) - 1.0;
    small->spacing[0] = 1.0f;
    small->spacing[1] = (float)fmax(most / (N1 - 5), 2.0);
    small->spacing[2] = (float)fmax(most / (N2 - 3), 2.03 * (double)small->spacing[1]);
    small->from_sigma[0] = 0.0f;
    small->from_sigma[1] = (float)(FROM_1 * (double)small->spacing[1]);
    small->from_sigma[2] = (float)(FROM_2 * (double)small->spacing[2]);
    fill_axis(&small->x, plan->width_px, small->spacing);
    fill_axis(&small->y, plan->height_px, small->spacing);
}

/* Tiles of the box of blocks that need the picture itself. */
static int32_t near_tiles(const struct foveate_plan *plan, float from_sigma,
                          struct fovea_point_uv gaze)
{
    const struct foveate_frame frame = foveate_frame_make(plan, gaze);
    int32_t left = MOST, right = -1, top = MOST, bottom = -1;
    for (int32_t y = 0; y < (int32_t)plan->height_px; y++) {
        for (int32_t x = 0; x < (int32_t)plan->width_px; x++) {
            if (foveate_sigma_at(plan, &frame, x, y) < from_sigma) {
                left = x < left ? x : left;
                right = x > right ? x : right;
                top = y < top ? y : top;
                bottom = y > bottom ? y : bottom;
            }
        }
    }
    /* Blocks stick out by up to 3 pixels, and their corners by another. */
    return right < 0 ? 0 : ((right - left + 8) / TILE + 1) * ((bottom - top + 8) / TILE + 1);
}

/* How much sigma changes across a block of pixels, with the gaze in the middle, in x, or in y. On the
 * ramp, where it starts, blocks are all of level 0, which has every sigma from 0 on. */
static double across_block(const struct foveate_plan *plan)
{
    const struct foveate_frame frame = foveate_frame_make(plan, (struct fovea_point_uv){0.5, 0.5});
    const double ramp_end = 2.0 * (double)(plan->law.strength * plan->law.sharp_px);
    const int32_t step = FOVEATE_SMALL_BLOCK_PX;
    double most = 0.0;
    for (int32_t y = 0; y + step < (int32_t)plan->height_px; y += step) {
        for (int32_t x = 0; x + step < (int32_t)plan->width_px; x += step) {
            const double a = (double)foveate_sigma_at(plan, &frame, x, y);
            const double b = (double)foveate_sigma_at(plan, &frame, x + step, y);
            const double c = (double)foveate_sigma_at(plan, &frame, x, y + step);
            const double d = (double)foveate_sigma_at(plan, &frame, x + step, y + step);
            const double low = fmin(fmin(a, b), fmin(c, d));
            const double high = fmax(fmax(a, b), fmax(c, d));
            most = low > ramp_end ? fmax(most, high - low) : most;
        }
    }
    return most;
}

bool foveate_small_fits(const struct foveate_plan *plan)
{
    struct foveate_small small;
    /* Sigma of a map may jump, and a block is measured at its corners. */
    const bool line =
        plan->law.kind == FOVEATE_LAW_RADIAL || plan->law.kind == FOVEATE_LAW_PROJECTED;
    if (!plan->smooth || !line || plan->level_count == 0 || plan->width_px > MOST ||
        plan->height_px > MOST || plan->width_px < FOVEATE_SMALL_LEAST_PX ||
        plan->height_px < FOVEATE_SMALL_LEAST_PX) {
        return false;
    }
    if (across_block(plan) > MOST_ACROSS_PX) {
        return false;
    }
    fill_spacing(plan, &small);
    for (int i = 0; i < 9; i++) {
        const struct fovea_point_uv gaze = {0.5 * (i % 3), 0.5 * (i / 3)};
        if (near_tiles(plan, small.from_sigma[1], gaze) > FOVEATE_SMALL_NEAR_TILES) {
            return false;
        }
    }
    return true;
}

static void write_blur_0(struct writer *w, struct foveate_small *small, const double *sigmas,
                         int32_t count)
{
    for (int down = 0; down < 2; down++) {
        *(down ? &small->y.blur_0 : &small->x.blur_0) = w->pieces;
        for (int32_t s = 0; s < count; s++) {
            double rows[TILE][32] = {{0.0}};
            for (int32_t i = 0; i < TILE; i++) {
                add_gaussian(rows[i], 32, i + 8, fmax(sigmas[s], 0.05), 8.0);
                round_row(rows[i], 32);
            }
            write_piece(w, &rows[0][0], 32, (struct order){!down, !down});
            write_piece(w, &rows[0][TILE], 32, (struct order){!down, !down});
        }
    }
}

/* The same weights at every sample: those in the middle of an axis of the largest size. */
static void write_blur_1(struct writer *w, struct work *work, struct foveate_small *small,
                         const double *sigmas, int32_t count)
{
    const double spacing = (double)small->spacing[1];
    struct matrix *make = work->make_1;
    make->rows = N1;
    make->columns = MOST;
    fill_gaussians(make, -2.0 * spacing, spacing, sqrt(PREFILTER_1) * spacing,
                   3.5 * sqrt(PREFILTER_1) * spacing);
    invert_gram(work, make, work->b);
    small->blur_1 = w->pieces;
    for (int32_t s = 0; s < count; s++) {
        double rows[TILE][32] = {{0.0}};
        double taps[17];
        double sum = 0.0;
        work->gaussians->rows = N1;
        work->gaussians->columns = MOST;
        fill_gaussians(work->gaussians, -2.0 * spacing, spacing, sigmas[s], REACH * sigmas[s]);
        fit(work, make, work->b, work->c);
        for (int32_t k = 0; k < 17; k++) {
            const double *row = row_of(work->c, N1 / 2 - 1);
            taps[k] = 0.5 * (row[N1 / 2 - 1 - 8 + k] + row[N1 / 2 - 1 + 8 - k]);
            sum += taps[k];
        }
        for (int32_t i = 0; i < TILE; i++) {
            for (int32_t k = 0; k < 17; k++) {
                rows[i][i + k] = taps[k] / sum;
            }
            round_row(rows[i], 32);
        }
        write_piece(w, &rows[0][0], 32, (struct order){false, false});
        write_piece(w, &rows[0][TILE], 32, (struct order){false, false});
    }
}

static void write_axis(struct writer *w, struct work *work, struct foveate_small *small,
                       struct foveate_small_axis *axis, const double *sigmas, int32_t count)
{
    const bool down = axis == &small->y;
    work->make_1->rows = axis->samples;
    work->make_1->columns = axis->size_px;
    memset(work->make_1->at, 0, sizeof work->make_1->at);
    write_make_1(w, work, axis, (double)small->spacing[1]);
    if (down) {
        write_make_1_down(w, work, axis);
    }
    write_make_2(w, work, axis, small->spacing);
    write_blur_2(w, work, axis, small->spacing, sigmas, count);
    write_show(w, work, axis, small->spacing, (struct order){!down, false});
}

static bool work_make(struct work *w)
{
    struct matrix **all[] = {&w->make_1, &w->make_2, &w->both, &w->gaussians, &w->a, &w->b, &w->c};
    bool made = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i] = matrix_new(0, 0);
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
}

#define PIECES_MOST 1024

static enum fovea_result fill(const struct foveate_plan *plan, struct foveate_small *small,
                              struct foveate_small_tables *tables, struct work *work)
{
    double sigmas[3][FOVEATE_SMALL_SETS];
    int32_t counts[3];
    const double across = fmax(across_block(plan), 0.5) + 0.05;
    const bool averages_light =
        foveate_frame_make(plan, (struct fovea_point_uv){0.5, 0.5}).light != 0;
    counts[0] = fill_near_set(sigmas[0], (double)small->from_sigma[1] + across, averages_light);
    counts[1] = fill_set(sigmas[1], SETS_1 * (double)small->spacing[1],
                         (double)small->from_sigma[2] + across);
    counts[2] = fill_set(sigmas[2], SETS_2 * (double)small->spacing[2], largest_sigma(plan));
    struct writer w = {tables, 0};
    tables->places_at = (size_t)PIECES_MOST * FOVEATE_SMALL_PIECE_BYTES;
    tables->bytes = tables->places_at + 4 * 2 * FOVEATE_SMALL_PLACES;
    tables->halves = calloc(1, tables->bytes);
    if (!tables->halves) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    write_blur_0(&w, small, sigmas[0], counts[0]);
    write_blur_1(&w, work, small, sigmas[1], counts[1]);
    write_axis(&w, work, small, &small->x, sigmas[2], counts[2]);
    write_axis(&w, work, small, &small->y, sigmas[2], counts[2]);
    for (int32_t k = 0; k < 3; k++) {
        fill_places(plan, small, tables, k, sigmas[k], counts[k]);
    }
    return FOVEA_OK;
}

enum fovea_result foveate_small_fill(const struct foveate_plan *plan,
                                     struct foveate_small *out_small,
                                     struct foveate_small_tables *out_tables)
{
    *out_small = (struct foveate_small){.law = plan->law};
    *out_tables = (struct foveate_small_tables){0};
    fill_spacing(plan, out_small);
    struct work work = {0};
    const enum fovea_result result =
        work_make(&work) ? fill(plan, out_small, out_tables, &work) : FOVEA_ERROR_OUT_OF_MEMORY;
    work_free(&work);
    return result;
}
