/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Highlights of dof.h as discs: means of blocks, what is taken out of a layer, and what is added to
 * it when it is blurred. A worker takes the rows of a block in the first two steps. */

#include "kernels/dof/discs.h"
#include "core/bounds.h"
#include "steps.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979f
#define CELLS_ALONG (DOF_BLOCK_PX / DOF_CELL_PX)

static float share_of_blur(float offset_px)
{
    return dof_clamped(fabsf(offset_px) - 1.0f, 0.0f, 1.0f);
}

static float light_of(const float *pixel, uint32_t colors)
{
    float most = 0.0f;
    for (uint32_t c = 0; c < colors; c++) {
        if (!(fabsf(pixel[c]) <= DOF_MOST_LIGHT)) {
            return 0.0f;
        }
        most = fmaxf(most, pixel[c]);
    }
    return most;
}

/* ---- Means */

static int32_t blocks_along(int32_t px)
{
    return (px + DOF_BLOCK_PX - 1) / DOF_BLOCK_PX;
}

static bool begins_block(int32_t tile_row)
{
    return tile_row % (DOF_BLOCK_PX / DOF_TILE_PX) == 0;
}

static int32_t end_of_block(int32_t first_px, int32_t end_px)
{
    return bounds_smaller(first_px + DOF_BLOCK_PX, end_px);
}

void dof_sum_blocks(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    const int32_t columns = blocks_along(dof_width(cpu));
    const int32_t first_y = tile_row * DOF_TILE_PX;
    float *sums = cpu->block_sums + (ptrdiff_t)2 * (first_y / DOF_BLOCK_PX) * columns;
    if (!begins_block(tile_row)) {
        return;
    }
    memset(sums, 0, (size_t)columns * 2 * sizeof *sums);
    for (int32_t y = first_y; y < end_of_block(first_y, dof_height(cpu)); y++) {
        dof_read_row(cpu, y, pixels);
        for (int32_t x = 0; x < dof_width(cpu); x++) {
            const float weight = share_of_blur(cpu->offset_px[dof_row(cpu, y) + (size_t)x]);
            float *block = sums + (ptrdiff_t)2 * (x / DOF_BLOCK_PX);
            if (weight > 0.0f) {
                block[0] += weight;
                block[1] += weight * light_of(pixels + (size_t)x * cpu->channels,
                                              cpu->codec->color_channels);
            }
        }
    }
}

/* Both blocks around a place along an axis. */
struct between {
    int32_t at[2];
    float share[2];
};

static struct between between_blocks(int32_t px, int32_t count)
{
    const float place = ((float)px + 0.5f) / DOF_BLOCK_PX - 0.5f;
    const float inside = dof_clamped(place, 0.0f, (float)(count - 1));
    const int32_t first = (int32_t)inside;
    const float part = inside - (float)first;
    return (struct between){{first, bounds_smaller(first + 1, count - 1)}, {1.0f - part, part}};
}

static float mean_around(const struct dof_cpu *cpu, int32_t x_px, int32_t y_px)
{
    const int32_t columns = blocks_along(dof_width(cpu));
    const struct between x = between_blocks(x_px, columns);
    const struct between y = between_blocks(y_px, blocks_along(dof_height(cpu)));
    float weight = 0.0f;
    float sum = 0.0f;
    for (int i = 0; i < 4; i++) {
        const float *block = cpu->block_sums + (ptrdiff_t)2 * (y.at[i / 2] * columns + x.at[i % 2]);
        weight += x.share[i % 2] * y.share[i / 2] * block[0];
        sum += x.share[i % 2] * y.share[i / 2] * block[1];
    }
    return weight > 0.0f ? sum / weight : 0.0f;
}

/* ---- Cells of a block */

struct cell {
    float strength, x, y, squares, radius; /* places from the block's corner */
    float light[DOF_COVERAGE];
};

struct block {
    int32_t x, y; /* of the first pixel */
    float shares[DOF_BLOCK_PX][DOF_BLOCK_PX];
    struct cell cells[DOF_BLOCK_CELLS];
    int rank[DOF_BLOCK_CELLS];
    float least; /* strength, of which a cell has more whose light is a disc */
};

static struct cell *cell_of(struct block *block, int32_t x, int32_t y)
{
    return &block->cells[(y - block->y) / DOF_CELL_PX * CELLS_ALONG + (x - block->x) / DOF_CELL_PX];
}

static void add_pixel(struct block *block, int32_t x, int32_t y, float share, float offset_px,
                      const float *pixel)
{
    struct cell *cell = cell_of(block, x, y);
    const float weight = share * light_of(pixel, DOF_COVERAGE);
    const float at_x = (float)(x - block->x) + 0.5f;
    const float at_y = (float)(y - block->y) + 0.5f;
    cell->strength += weight;
    cell->x += weight * at_x;
    cell->y += weight * at_y;
    cell->squares += weight * (at_x * at_x + at_y * at_y);
    cell->radius += weight * 2.0f * fabsf(offset_px);
    for (int c = 0; c < DOF_COVERAGE; c++) {
        cell->light[c] += share * pixel[c];
    }
}

/* Returns whether there is any highlight. A pixel whose k is not 0 is of one layer alone, with a
 * coverage of 1. */
static bool sum_cells(const struct dof_cpu *cpu, struct block *block)
{
    bool any = false;
    memset(block->shares, 0, sizeof block->shares);
    memset(block->cells, 0, sizeof block->cells);
    for (int32_t y = block->y; y < end_of_block(block->y, dof_height(cpu)); y++) {
        for (int32_t x = block->x; x < end_of_block(block->x, dof_width(cpu)); x++) {
            const size_t at = dof_row(cpu, y) + (size_t)x;
            const float *pixel = cpu->layer + DOF_LAYER_CHANNELS * at;
            const float offset_px = cpu->offset_px[at];
            const float blur = share_of_blur(offset_px);
            if (blur == 0.0f || (offset_px < 0.0f) != cpu->layer_is_near) {
                continue;
            }
            const float light = light_of(pixel, DOF_COVERAGE);
            const float mean = light > 0.0f ? mean_around(cpu, x, y) : 0.0f;
            const float share =
                light > 0.0f ? blur * fmaxf(1.0f - DOF_TIMES_MEAN * mean / light, 0.0f) : 0.0f;
            if (share > 0.0f) {
                any = true;
                block->shares[y - block->y][x - block->x] = share;
                add_pixel(block, x, y, share, offset_px, pixel);
            }
        }
    }
    return any;
}

/* The strongest cell has rank 0; of equals the first. */
static void rank_cells(struct block *block)
{
    block->least = 0.0f;
    for (int i = 0; i < DOF_BLOCK_CELLS; i++) {
        const float own = block->cells[i].strength;
        block->rank[i] = 0;
        for (int k = 0; k < DOF_BLOCK_CELLS; k++) {
            const float other = block->cells[k].strength;
            block->rank[i] += other > own || (other == own && k < i) ? 1 : 0;
        }
        block->least = block->rank[i] == DOF_BLOCK_DISCS ? own : block->least;
    }
}

static float share_of_cell(const struct block *block, const struct cell *cell)
{
    return cell->strength > block->least ? 1.0f - block->least / cell->strength : 0.0f;
}

static struct dof_disc disc_of(const struct block *block, const struct cell *cell)
{
    const float per_strength = 1.0f / cell->strength;
    const float x = cell->x * per_strength;
    const float y = cell->y * per_strength;
    const float radius = cell->radius * per_strength;
    const float spread = cell->squares * per_strength - x * x - y * y;
    const float edge = fminf(sqrtf(1.0f + 6.0f * fmaxf(spread, 0.0f)), 2.0f * radius);
    const float share =
        share_of_cell(block, cell) / (PI * (radius * radius + edge * edge * (1.0f / 12.0f)));
    return (struct dof_disc){
        .x = x + (float)block->x,
        .y = y + (float)block->y,
        .radius = radius,
        .edge = edge,
        .light = {share * cell->light[0], share * cell->light[1], share * cell->light[2]}};
}

static struct dof_disc *discs_of(const struct dof_cpu *cpu, bool is_near, int32_t block_x,
                                 int32_t block_y)
{
    const int32_t columns = blocks_along(dof_width(cpu));
    const int32_t of_layer = is_near ? 0 : columns * blocks_along(dof_height(cpu));
    return (struct dof_disc *)cpu->discs +
           (ptrdiff_t)(of_layer + block_y * columns + block_x) * DOF_BLOCK_DISCS;
}

static void take_block(const struct dof_cpu *cpu, struct block *block)
{
    struct dof_disc *discs =
        discs_of(cpu, cpu->layer_is_near, block->x / DOF_BLOCK_PX, block->y / DOF_BLOCK_PX);
    memset(discs, 0, DOF_BLOCK_DISCS * sizeof *discs);
    if (!sum_cells(cpu, block)) {
        return;
    }
    rank_cells(block);
    for (int i = 0; i < DOF_BLOCK_CELLS; i++) {
        if (block->rank[i] < DOF_BLOCK_DISCS && share_of_cell(block, &block->cells[i]) > 0.0f) {
            discs[block->rank[i]] = disc_of(block, &block->cells[i]);
        }
    }
    for (int32_t y = block->y; y < end_of_block(block->y, dof_height(cpu)); y++) {
        for (int32_t x = block->x; x < end_of_block(block->x, dof_width(cpu)); x++) {
            float *pixel = cpu->layer + DOF_LAYER_CHANNELS * (dof_row(cpu, y) + (size_t)x);
            const float share = block->shares[y - block->y][x - block->x] *
                                share_of_cell(block, cell_of(block, x, y));
            for (int c = 0; share > 0.0f && c < DOF_COVERAGE; c++) {
                pixel[c] *= 1.0f - share;
            }
        }
    }
}

void dof_take_discs(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    struct block *block = (struct block *)pixels;
    block->y = tile_row * DOF_TILE_PX;
    for (block->x = 0; begins_block(tile_row) && block->x < dof_width(cpu);
         block->x += DOF_BLOCK_PX) {
        take_block(cpu, block);
    }
}

size_t dof_block_floats(void)
{
    return sizeof(struct block) / sizeof(float);
}

/* ---- Blurred layers */

/* A row of pixels that a disc may give light to. */
struct span {
    const struct dof_disc *disc;
    float down; /* from the disc's middle */
    int32_t first, end;
    size_t row; /* of the picture's pixels */
};

static bool find_span(const struct dof_cpu *cpu, int32_t y, struct span *out)
{
    const float reach = out->disc->radius + 0.5f * out->disc->edge;
    out->down = (float)y + 0.5f - out->disc->y;
    const float across = reach * reach - out->down * out->down;
    if (!(across > 0.0f)) {
        return false;
    }
    const float half = sqrtf(across);
    out->first = (int32_t)fmaxf(out->disc->x - half - 0.5f, 0.0f);
    out->end = bounds_smaller((int32_t)fmaxf(out->disc->x + half + 1.5f, 0.0f), dof_width(cpu));
    out->row = dof_row(cpu, y);
    return true;
}

static float part_inside(const struct span *span, int32_t x)
{
    const struct dof_disc *disc = span->disc;
    const float across = (float)x + 0.5f - disc->x;
    const float away = sqrtf(across * across + span->down * span->down);
    return dof_clamped((disc->radius - away) / disc->edge + 0.5f, 0.0f, 1.0f);
}

static void add_light(float *sums, const struct dof_disc *disc, float part)
{
    for (int c = 0; c < DOF_COVERAGE; c++) {
        sums[c] += part * disc->light[c];
    }
}

static void add_near(const struct dof_cpu *cpu, const struct span *span)
{
    for (int32_t x = span->first; x < span->end; x++) {
        float *near = cpu->near + DOF_LAYER_CHANNELS * (span->row + (size_t)x);
        const float part = part_inside(span, x);
        if (part > 0.0f) {
            add_light(near, span->disc, part);
            near[DOF_COVERAGE] = fmaxf(near[DOF_COVERAGE], DOF_DISC_COVERAGE);
        }
    }
}

/* The picture is composed of what is behind over its coverage. */
static void add_behind(const struct dof_cpu *cpu, const struct span *span)
{
    for (int32_t x = span->first; x < span->end; x++) {
        const size_t at = span->row + (size_t)x;
        float *behind = cpu->behind + DOF_LAYER_CHANNELS * at;
        const float seen =
            dof_clamped((4.0f * cpu->sigma_px[at] - 0.5f) / span->disc->radius, 0.0f, 1.0f);
        if (seen > 0.0f) {
            add_light(behind, span->disc,
                      part_inside(span, x) * seen *
                          fmaxf(behind[DOF_COVERAGE], DOF_LEAST_COVERAGE));
        }
    }
}

static void add_disc(const struct dof_cpu *cpu, bool is_near, int32_t tile_row,
                     const struct dof_disc *disc)
{
    const float reach_px = disc->radius + 0.5f * disc->edge;
    const int32_t first = (int32_t)fmaxf(disc->y - reach_px - 0.5f, 0.0f);
    const int32_t end = (int32_t)fmaxf(disc->y + reach_px + 1.5f, 0.0f);
    struct span span = {.disc = disc};
    for (int32_t y = bounds_larger(first, tile_row * DOF_TILE_PX);
         y < bounds_smaller(end, dof_end_of_rows(cpu, tile_row)); y++) {
        if (find_span(cpu, y, &span)) {
            (is_near ? add_near : add_behind)(cpu, &span);
        }
    }
}

static void add_layer(const struct dof_cpu *cpu, bool is_near, int32_t tile_row)
{
    const float reach_px = 2.0f * (float)cpu->plan->optics.sigma_max_px + DOF_MOST_EDGE_PX;
    const int32_t reach = (int32_t)ceilf(reach_px / DOF_BLOCK_PX);
    const int32_t own = tile_row * DOF_TILE_PX / DOF_BLOCK_PX;
    const int32_t columns = blocks_along(dof_width(cpu));
    const int32_t last = bounds_smaller(own + reach, blocks_along(dof_height(cpu)) - 1);
    for (int32_t row = bounds_larger(own - reach, 0); row <= last; row++) {
        for (int32_t column = 0; column < columns; column++) {
            const struct dof_disc *discs = discs_of(cpu, is_near, column, row);
            for (int i = 0; i < DOF_BLOCK_DISCS && discs[i].radius > 0.0f; i++) {
                add_disc(cpu, is_near, tile_row, &discs[i]);
            }
        }
    }
}

void dof_add_discs(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    (void)pixels;
    if (cpu->nearest_px > 0.0f) {
        add_layer(cpu, true, tile_row);
    }
    add_layer(cpu, false, tile_row);
}
