/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "make.h"

#define CHANNELS GAUSS_CPU_MAX_CHANNELS
#define PITCH GAUSS_CPU_TILE_PITCH
#define ROWS GAUSS_CPU_TILE_ROWS
#define WINDOW_PITCH (PITCH + 2 * GAUSS_CPU_TILE_RADIUS)
#define SLACK 32 /* for whole registers, at the end of every part */
#define LINE GAUSS_CPU_TILE_LINE

struct layout {
    float *memory; /* NULL: the floats are only counted */
    size_t floats;
};

static float *take(struct layout *layout, size_t floats)
{
    float *part = layout->memory ? layout->memory + layout->floats : NULL;
    layout->floats += (floats + SLACK + LINE - 1) / LINE * LINE;
    return part;
}

static struct gauss_cpu_tile_buffers lay_out(struct layout *all, uint32_t width_px)
{
    const size_t row = (size_t)width_px + GAUSS_CPU_DECIMATE_PAD;
    const size_t pixels = GAUSS_CPU_TILE_PX + SLACK;
    struct gauss_cpu_tile_buffers buffers = {0};
    buffers.decimate.rows = take(all, 6 * CHANNELS * row);
    buffers.decimate.whole = take(all, row);
    buffers.decimate.even = take(all, row);
    buffers.decimate.odd = take(all, row);
    buffers.decimate.values = take(all, CHANNELS * row);
    buffers.radii = (int32_t *)take(all, ROWS + 2);
    buffers.nodes = take(all, (size_t)(ROWS + 2) * PITCH);
    buffers.weights = take(all, (size_t)ROWS * PITCH);
    buffers.window = take(all, (size_t)CHANNELS * ROWS * WINDOW_PITCH);
    buffers.across = take(all, (size_t)CHANNELS * ROWS * PITCH);
    buffers.blurred = take(all, (size_t)CHANNELS * PITCH);
    buffers.phases = take(all, pixels);
    buffers.other = take(all, pixels);
    buffers.pixels = take(all, 8 * CHANNELS * pixels);
    buffers.row = take(all, CHANNELS * pixels);
    buffers.values = take(all, CHANNELS * (pixels + WINDOW_PITCH));
    return buffers;
}

struct gauss_cpu_tile_buffers gauss_cpu_tile_buffers_of(float *memory, uint32_t width_px)
{
    struct layout layout = {.memory = memory};
    return lay_out(&layout, width_px);
}

size_t gauss_cpu_tile_floats(uint32_t width_px)
{
    struct layout layout = {0};
    lay_out(&layout, width_px);
    return layout.floats;
}
