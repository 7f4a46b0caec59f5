/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "discs.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK 32
#define CELL 4
#define CELLS ((BLOCK / CELL) * (BLOCK / CELL))
#define MOST 16 /* of a block and layer */
#define TIMES_MEAN 3.0
#define MOST_LIGHT 1e30

struct means {
    long columns, rows; /* of blocks */
    double *weights, *sums; /* a value a block each */
};

static double share_of_blur(double offset)
{
    return fmin(fmax(fabs(offset) - 1.0, 0.0), 1.0);
}

/* L: 0 of light that is no number, or more than any. */
static double light_of(const struct dof_reference_picture *picture, size_t at)
{
    const double *pixel = picture->src + at * picture->channels;
    double most = 0.0;
    for (uint32_t c = 0; c < picture->color_channels; c++) {
        if (!(fabs(pixel[c]) <= MOST_LIGHT)) {
            return 0.0;
        }
        most = fmax(most, pixel[c]);
    }
    return most;
}

static void find_means(const struct dof_reference_picture *picture, struct means *means)
{
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) {
        const size_t block =
            i / picture->width / BLOCK * (size_t)means->columns + i % picture->width / BLOCK;
        const double weight = share_of_blur(picture->offset[i]);
        means->weights[block] += weight;
        means->sums[block] += weight * light_of(picture, i);
    }
}

/* Weighs the blocks on both sides of a place along an axis. */
static double weight_along(long block, long count, uint32_t px)
{
    const double at = fmax(0.0, fmin((px + 0.5) / BLOCK - 0.5, (double)(count - 1)));
    return fmax(0.0, 1.0 - fabs(at - (double)block));
}

/* m */
static double mean_around(const struct means *means, uint32_t x, uint32_t y)
{
    double weight = 0.0;
    double sum = 0.0;
    for (long i = 0; i < means->columns * means->rows; i++) {
        const double share = weight_along(i % means->columns, means->columns, x) *
                             weight_along(i / means->columns, means->rows, y);
        weight += share * means->weights[i];
        sum += share * means->sums[i];
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

/* h */
static double share_of_disc(const struct dof_reference_picture *picture, const struct means *means,
                            uint32_t x, uint32_t y)
{
    const size_t at = (size_t)y * picture->width + x;
    const double light = light_of(picture, at);
    const double blur = share_of_blur(picture->offset[at]);
    if (!(blur > 0.0 && light > 0.0)) {
        return 0.0;
    }
    return blur * fmax(1.0 - TIMES_MEAN * mean_around(means, x, y) / light, 0.0);
}

/* ---- Cells of a block */

struct cell {
    double strength, x, y, squares, radius;
    double light[4];
};

struct block {
    const struct dof_reference_picture *picture;
    const double *shares; /* h of the picture's pixels */
    uint32_t first_x, first_y;
    bool is_near;
};

/* Returns the cell of the block that a pixel lies in, or -1: it is none of the block's. */
static long cell_of(const struct block *block, uint32_t x, uint32_t y)
{
    const double offset = block->picture->offset[(size_t)y * block->picture->width + x];
    const bool is_inside = x >= block->first_x && x < block->first_x + BLOCK &&
                           y >= block->first_y && y < block->first_y + BLOCK;
    return is_inside && (offset < 0.0) == block->is_near
               ? (long)((y - block->first_y) / CELL * (BLOCK / CELL) + (x - block->first_x) / CELL)
               : -1;
}

static void sum_cells(const struct block *block, struct cell *cells)
{
    const struct dof_reference_picture *picture = block->picture;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) {
        const uint32_t x = (uint32_t)(i % picture->width);
        const uint32_t y = (uint32_t)(i / picture->width);
        const long at = cell_of(block, x, y);
        if (at < 0 || block->shares[i] == 0.0) {
            continue;
        }
        const double weight = block->shares[i] * light_of(picture, i);
        cells[at].strength += weight;
        cells[at].x += weight * (x + 0.5);
        cells[at].y += weight * (y + 0.5);
        cells[at].squares += weight * ((x + 0.5) * (x + 0.5) + (y + 0.5) * (y + 0.5));
        cells[at].radius += weight * 2.0 * fabs(picture->offset[i]);
        for (uint32_t c = 0; c < picture->color_channels; c++) {
            cells[at].light[c] += block->shares[i] * picture->src[i * picture->channels + c];
        }
    }
}

static int descending(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;
    return first < second ? 1 : first > second ? -1 : 0;
}

/* The strength of which a block's cells have more, or that of none. */
static double least_of(const struct cell *cells)
{
    double strengths[CELLS];
    for (int i = 0; i < CELLS; i++) {
        strengths[i] = cells[i].strength;
    }
    qsort(strengths, CELLS, sizeof *strengths, descending);
    return strengths[MOST];
}

static struct dof_reference_disc disc_of(const struct cell *cell, bool is_near, double share)
{
    struct dof_reference_disc disc = {.is_near = is_near,
                                      .x = cell->x / cell->strength,
                                      .y = cell->y / cell->strength,
                                      .radius = cell->radius / cell->strength};
    const double spread = cell->squares / cell->strength - disc.x * disc.x - disc.y * disc.y;
    disc.edge = fmin(sqrt(1.0 + 6.0 * fmax(spread, 0.0)), 2.0 * disc.radius);
    const double area = acos(-1.0) * (disc.radius * disc.radius + disc.edge * disc.edge / 12.0);
    for (int c = 0; c < 4; c++) {
        disc.light[c] = share * cell->light[c] / area;
    }
    return disc;
}

static void add_block(const struct block *block, struct dof_reference_discs *out)
{
    const struct dof_reference_picture *picture = block->picture;
    struct cell cells[CELLS] = {{0}};
    sum_cells(block, cells);
    const double least = least_of(cells);
    for (int i = 0; i < CELLS; i++) {
        if (cells[i].strength > least) {
            out->of[out->count++] =
                disc_of(&cells[i], block->is_near, 1.0 - least / cells[i].strength);
        }
    }
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) {
        const long at =
            cell_of(block, (uint32_t)(i % picture->width), (uint32_t)(i / picture->width));
        if (at >= 0 && cells[at].strength > least) {
            out->kept[i] -= block->shares[i] * (1.0 - least / cells[at].strength);
        }
    }
}

/* ---- All */

static void find(const struct dof_reference_picture *picture, struct means *means, double *shares,
                 struct dof_reference_discs *out)
{
    find_means(picture, means);
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) {
        out->kept[i] = 1.0;
        shares[i] = share_of_disc(picture, means, (uint32_t)(i % picture->width),
                                  (uint32_t)(i / picture->width));
    }
    for (long i = 0; i < 2 * means->columns * means->rows; i++) {
        const struct block block = {picture, shares, (uint32_t)(i / 2 % means->columns) * BLOCK,
                                    (uint32_t)(i / 2 / means->columns) * BLOCK, i % 2 == 0};
        add_block(&block, out);
    }
}

enum fovea_result dof_reference_find_discs(const struct dof_reference_picture *picture,
                                           struct dof_reference_discs *out)
{
    const size_t pixels = (size_t)picture->width * picture->height;
    struct means means = {.columns = (long)(picture->width + BLOCK - 1) / BLOCK,
                          .rows = (long)(picture->height + BLOCK - 1) / BLOCK};
    const size_t blocks = (size_t)(means.columns * means.rows);
    double *memory = calloc(2 * blocks + pixels, sizeof *memory);
    *out = (struct dof_reference_discs){.of = calloc(2 * MOST * blocks, sizeof *out->of),
                                        .kept = calloc(pixels, sizeof *out->kept)};
    if (!memory || !out->of || !out->kept) {
        free(memory);
        dof_reference_free_discs(out);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    means.weights = memory;
    means.sums = memory + blocks;
    find(picture, &means, memory + 2 * blocks, out);
    free(memory);
    return FOVEA_OK;
}

void dof_reference_free_discs(struct dof_reference_discs *discs)
{
    free(discs->of);
    free(discs->kept);
    *discs = (struct dof_reference_discs){0};
}

void dof_reference_add_discs(const struct dof_reference_discs *discs, bool of_near, uint32_t x,
                             uint32_t y, double behind_px, uint32_t channels, double *sum)
{
    for (size_t i = 0; i < discs->count; i++) {
        const struct dof_reference_disc *disc = &discs->of[i];
        const double away = hypot(x + 0.5 - disc->x, y + 0.5 - disc->y);
        const double inside = fmin(fmax((disc->radius - away) / disc->edge + 0.5, 0.0), 1.0);
        const double seen =
            of_near ? 1.0 : fmin(fmax((4.0 * behind_px - 0.5) / disc->radius, 0.0), 1.0);
        for (uint32_t c = 0; disc->is_near == of_near && c < channels; c++) {
            sum[c] += inside * seen * disc->light[c];
        }
    }
}
