/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "room.h"

#define CHANNELS FOVEATE_CPU_MAX_CHANNELS
#define PITCH FOVEATE_CPU_TILE_PITCH
#define ROWS FOVEATE_CPU_TILE_ROWS
#define WINDOW_PITCH (PITCH + 2 * FOVEATE_CPU_TILE_RADIUS)
#define SLACK 32 /* of whole registers, at the end of every part */
#define LINE FOVEATE_CPU_TILE_LINE

struct layout {
    float *memory; /* NULL: it is only counted */
    size_t floats;
};

static float *take(struct layout *layout, size_t floats)
{
    float *part = layout->memory ? layout->memory + layout->floats : NULL;
    layout->floats += (floats + SLACK + LINE - 1) / LINE * LINE;
    return part;
}

static struct foveate_cpu_tile_room lay_out(struct layout *all, uint32_t width_px)
{
    const size_t row = (size_t)width_px + FOVEATE_CPU_HALVE_PAD;
    const size_t pixels = FOVEATE_CPU_TILE_PX + SLACK;
    struct foveate_cpu_tile_room room = {0};
    room.halve.rows = take(all, 6 * CHANNELS * row);
    room.halve.whole = take(all, row);
    room.halve.even = take(all, row);
    room.halve.odd = take(all, row);
    room.halve.values = take(all, CHANNELS * row);
    room.halve.sums = (uint32_t *)take(all, 2 * row);
    for (int c = 0; c < 3; c++) {
        room.halve.pairs[c] = (uint32_t *)take(all, row + 2 * SLACK);
    }
    room.radii = (int32_t *)take(all, ROWS + 2);
    room.nodes = take(all, (size_t)(ROWS + 2) * PITCH);
    room.weights = take(all, (size_t)ROWS * PITCH);
    room.window = take(all, (size_t)CHANNELS * ROWS * WINDOW_PITCH);
    room.across = take(all, (size_t)CHANNELS * ROWS * PITCH);
    room.blurred = take(all, (size_t)CHANNELS * PITCH);
    room.phases = take(all, pixels);
    room.other = take(all, pixels);
    room.pixels = take(all, 8 * CHANNELS * pixels);
    room.row = take(all, CHANNELS * pixels);
    room.values = take(all, CHANNELS * (pixels + WINDOW_PITCH));
    return room;
}

struct foveate_cpu_tile_room foveate_cpu_tile_room_of(float *memory, uint32_t width_px)
{
    struct layout layout = {.memory = memory};
    return lay_out(&layout, width_px);
}

size_t foveate_cpu_tile_floats(uint32_t width_px)
{
    struct layout layout = {0};
    lay_out(&layout, width_px);
    return layout.floats;
}
