/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: a pixel changes the plane of its bin and all that follow, and F - G by its kernel. So
 * pixels are taken in the order of their bins, each adds its kernel once, together with neighbours
 * in the same bin, and where bins are done that the tile has, the absolute values are added: once
 * for all planes up to the next such bin. */

#include "saliency_cpu.h"

#include "core/bounds.h"

#include <string.h>

#define REGION_WIDTH (SALIENCY_TILE_WIDTH + 2 * SALIENCY_FINE_REACH)
#define REGION_HEIGHT (SALIENCY_FINE_ROWS + 2 * SALIENCY_FINE_REACH)
#define BEFORE (2 * SALIENCY_FINE_REACH) /* numbers left of a row, which nobody reads */
#define PITCH (BEFORE + SALIENCY_TILE_WIDTH + 2 * SALIENCY_FINE_REACH + SALIENCY_REGISTER)

struct tile {
    int32_t x_px, y_px, width, height;
    int32_t reach; /* more of the picture on each side that counts */
};

/* Pixels of a row in one bin, from the region's corner. */
struct run {
    unsigned char x, y, count, bin;
};

struct saliency_fine {
    struct tile tile;
    int32_t start[SALIENCY_BINS + 1]; /* of a bin's runs in `order` */
    struct run found[REGION_WIDTH * REGION_HEIGHT]; /* row by row */
    struct run order[REGION_WIDTH * REGION_HEIGHT];
    int32_t sum[SALIENCY_FINE_ROWS * PITCH]; /* F - G of a plane */
    int32_t total[SALIENCY_FINE_SCALES_MAX][SALIENCY_FINE_ROWS * SALIENCY_TILE_WIDTH];
};

const size_t saliency_fine_bytes = sizeof(struct saliency_fine);

int32_t saliency_fine_tiles(const struct saliency_plan *plan)
{
    return bounds_parts(plan->width_px, SALIENCY_TILE_WIDTH) *
           bounds_parts(plan->height_px, SALIENCY_FINE_ROWS);
}

static struct tile tile_of(const struct saliency_plan *plan, int32_t number)
{
    const int32_t across = bounds_parts(plan->width_px, SALIENCY_TILE_WIDTH);
    const int32_t x = number % across * SALIENCY_TILE_WIDTH;
    const int32_t y = number / across * SALIENCY_FINE_ROWS;
    return (struct tile){x, y, bounds_smaller(plan->width_px - x, SALIENCY_TILE_WIDTH),
                         bounds_smaller(plan->height_px - y, SALIENCY_FINE_ROWS), plan->fine_reach};
}

/* The runs of a row. How many: the result. */
static int32_t find_runs(const unsigned char *bins, int32_t width, int32_t y, struct run *out)
{
    int32_t count = 0;
    for (int32_t x = 0; x < width;) {
        int32_t end = x + 1;
        while (end < width && end - x < SALIENCY_RUN_MAX && bins[end] == bins[x]) {
            end++;
        }
        out[count++] =
            (struct run){(unsigned char)x, (unsigned char)y, (unsigned char)(end - x), bins[x]};
        x = end;
    }
    return count;
}

/* A counting sort. */
static void order_runs(const struct saliency_cpu *cpu, struct saliency_fine *fine, uint32_t channel)
{
    const struct tile *tile = &fine->tile;
    const unsigned char *corner =
        saliency_cpu_bins_at(cpu, channel, tile->y_px - tile->reach) + tile->x_px - tile->reach;
    int32_t count = 0;
    int32_t next[SALIENCY_BINS];
    memset(fine->start, 0, sizeof fine->start);
    for (int32_t y = 0; y < tile->height + 2 * tile->reach; y++) {
        count += find_runs(corner + y * cpu->bin_pitch, tile->width + 2 * tile->reach, y,
                           fine->found + count);
    }
    for (int32_t i = 0; i < count; i++) {
        fine->start[fine->found[i].bin + 1]++;
    }
    for (int32_t v = 0; v < SALIENCY_BINS; v++) {
        fine->start[v + 1] += fine->start[v];
        next[v] = fine->start[v];
    }
    for (int32_t i = 0; i < count; i++) {
        fine->order[next[fine->found[i].bin]++] = fine->found[i];
    }
}

/* The rows of a run's kernel that lie in the tile. */
static void add_kernel(const struct saliency_cpu *cpu, struct saliency_fine *fine,
                       const struct saliency_scale *scale, struct run run)
{
    const struct tile *tile = &fine->tile;
    const int32_t left = run.x - tile->reach - scale->reach;
    const int32_t top = run.y - tile->reach - scale->reach;
    const int32_t width = 2 * scale->reach + run.count;
    const int32_t first = top < 0 ? -top : 0;
    const int32_t end = bounds_smaller(2 * scale->reach + 1, tile->height - top);
    if (first < end && left + width > 0 && left < tile->width) {
        const struct saliency_stamp stamp = {
            .kernel = saliency_kernel_of(scale, run.count) + first * SALIENCY_FINE_PITCH,
            .out = fine->sum + (top + first) * PITCH + BEFORE + left,
            .kernel_pitch = SALIENCY_FINE_PITCH,
            .out_pitch = PITCH,
            .width = width,
            .rows = end - first};
        cpu->loops->stamp(&stamp);
    }
}

static void add_absolute(const struct saliency_cpu *cpu, struct saliency_fine *fine, int32_t planes,
                         int32_t *total)
{
    for (int32_t y = 0; y < fine->tile.height; y++) {
        cpu->loops->absolute(fine->sum + y * PITCH + BEFORE, planes, fine->tile.width,
                             total + y * SALIENCY_TILE_WIDTH);
    }
}

/* Planes from bin v on that are like it. */
static int32_t like(const struct saliency_cpu *cpu, const struct saliency_fine *fine, int32_t v)
{
    int32_t next = v + 1;
    while (!cpu->adds_every_plane && next < SALIENCY_BINS - 1 &&
           fine->start[next] == fine->start[next + 1]) {
        next++;
    }
    return next - v;
}

static void add_scale(const struct saliency_cpu *cpu, struct saliency_fine *fine,
                      const struct saliency_scale *scale, int32_t *total)
{
    memset(fine->sum, 0, sizeof fine->sum);
    for (int32_t v = 0; v < SALIENCY_BINS - 1;) {
        const int32_t planes = like(cpu, fine, v);
        for (int32_t i = fine->start[v]; i < fine->start[v + 1]; i++) {
            add_kernel(cpu, fine, scale, fine->order[i]);
        }
        if (cpu->adds_every_plane || fine->start[v] < fine->start[v + 1]) {
            add_absolute(cpu, fine, planes, total);
        }
        v += planes;
    }
}

static void write(const struct saliency_cpu *cpu, const struct tile *tile,
                  const struct saliency_scale *scale, const int32_t *total)
{
    for (int32_t y = 0; y < tile->height; y++) {
        const size_t row = (size_t)(tile->y_px + y) * (size_t)scale->width + (size_t)tile->x_px;
        memcpy(cpu->response + scale->offset + row, total + y * SALIENCY_TILE_WIDTH,
               (size_t)tile->width * sizeof *total);
    }
}

void saliency_fine_make(const struct saliency_cpu *cpu, struct saliency_fine *fine, int32_t tile)
{
    const struct saliency_level *level = &cpu->plan->levels[0];
    const uint32_t count = level->scale_end - level->scale_first;
    fine->tile = tile_of(cpu->plan, tile);
    memset(fine->total, 0, sizeof fine->total);
    for (uint32_t channel = 0; channel < cpu->channels; channel++) {
        order_runs(cpu, fine, channel);
        for (uint32_t i = 0; i < count; i++) {
            add_scale(cpu, fine, &cpu->plan->scales[i], fine->total[i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        write(cpu, &fine->tile, &cpu->plan->scales[i], fine->total[i]);
    }
}
