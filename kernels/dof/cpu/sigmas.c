/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The sigmas of dof.h: s, and d by tiles. */

#include "steps.h"

#include <math.h>
#include <string.h>

/* A pixel of unknown depth is in focus. */
static float offset_of(const struct dof_cpu *cpu, float value)
{
    const float most_px = (float)cpu->plan->optics.sigma_max_px;
    const float diopters = dof_scale_diopters(&cpu->scale, value);
    const float offset_px = cpu->px_per_diopter * (cpu->focus_diopters - diopters);
    const bool in_focus = isnan(offset_px) || fabsf(offset_px) < DOF_LEAST_OFFSET_PX;
    return in_focus ? 0.0f : dof_clamped(offset_px, -most_px, most_px);
}

void dof_find_offsets(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    float *tiles = cpu->tile_px + (ptrdiff_t)tile_row * cpu->columns;
    (void)pixels;
    memset(tiles, 0, (size_t)cpu->columns * sizeof *tiles);
    for (int32_t y = tile_row * DOF_TILE_PX; y < dof_end_of_rows(cpu, tile_row); y++) {
        float *row = cpu->offset_px + dof_row(cpu, y);
        dof_depth_row(&cpu->depth, y, row);
        for (int32_t x = 0; x < dof_width(cpu); x++) {
            row[x] = offset_of(cpu, row[x]);
            tiles[x / DOF_TILE_PX] = fmaxf(tiles[x / DOF_TILE_PX], -row[x]);
        }
    }
}

/* The sigma of a tile so many rows and columns away, as it gets here. */
static float reaching(float sigma_px, int32_t columns, int32_t rows)
{
    const float apart = sqrtf((float)(columns * columns + rows * rows)) - DOF_REACH_TILES;
    const float left = DOF_REACH_SIGMAS * sigma_px - (float)DOF_TILE_PX * fmaxf(apart, 0.0f);
    return dof_clamped(left, 0.0f, sigma_px);
}

static float most_reaching(const struct dof_cpu *cpu, int32_t column, int32_t row)
{
    const int32_t reach =
        (int32_t)(DOF_REACH_SIGMAS * cpu->nearest_px / DOF_TILE_PX + DOF_REACH_TILES) + 1;
    float most = 0.0f;
    for (int32_t j = -reach; j <= reach; j++) {
        const float *tiles = cpu->tile_px + (ptrdiff_t)(row + j) * cpu->columns;
        if (row + j < 0 || row + j >= cpu->rows) {
            continue;
        }
        const int32_t first = column > reach ? column - reach : 0;
        const int32_t last = column + reach < cpu->columns ? column + reach : cpu->columns - 1;
        for (int32_t i = first; i <= last; i++) {
            if (tiles[i] > most) {
                most = fmaxf(most, reaching(tiles[i], i - column, j));
            }
        }
    }
    return most;
}

void dof_spread_tiles(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    (void)pixels;
    for (int32_t i = 0; i < cpu->columns; i++) {
        cpu->tile_reach_px[tile_row * cpu->columns + i] = most_reaching(cpu, i, tile_row);
    }
}

/* Two tiles around a place, and how far it is from the first's middle to the other's. */
struct between {
    int32_t at[2];
    float part;
};

static struct between between_tiles(int32_t px, int32_t count)
{
    const float place = ((float)px + 0.5f) / DOF_TILE_PX - 0.5f;
    const float inside = dof_clamped(place, 0.0f, (float)(count - 1));
    const int32_t first = (int32_t)inside;
    return (struct between){{first, first + 1 < count ? first + 1 : first}, inside - (float)first};
}

static float reach_at(const struct dof_cpu *cpu, const struct between *y, int32_t x_px)
{
    const struct between x = between_tiles(x_px, cpu->columns);
    float rows[2];
    for (int i = 0; i < 2; i++) {
        const float *tiles = cpu->tile_reach_px + (ptrdiff_t)y->at[i] * cpu->columns;
        rows[i] = tiles[x.at[0]] + x.part * (tiles[x.at[1]] - tiles[x.at[0]]);
    }
    return rows[0] + y->part * (rows[1] - rows[0]);
}

void dof_layer_of_means(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    (void)pixels;
    for (int32_t y = tile_row * DOF_TILE_PX; y < dof_end_of_rows(cpu, tile_row); y++) {
        const struct between rows = between_tiles(y, cpu->rows);
        const size_t first = dof_row(cpu, y);
        for (int32_t x = 0; x < dof_width(cpu); x++) {
            const float offset_px = cpu->offset_px[first + (size_t)x];
            const float near = dof_nearness(offset_px);
            float *out = cpu->layer + DOF_LAYER_CHANNELS * (first + (size_t)x);
            cpu->reach_px[first + (size_t)x] = reach_at(cpu, &rows, x);
            out[0] = -near * offset_px;
            out[1] = out[2] = 0.0f;
            out[DOF_COVERAGE] = near;
        }
    }
}
