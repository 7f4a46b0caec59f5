/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Convolution by Fourier transforms, in tiles whose sides are powers of two: a tile takes the
 * pixels around it that its kernel reaches, so that what comes round at its ends is thrown away.
 * Two channels are the parts of one complex number. Sums are in double precision: next to a
 * highlight, single precision would leave noise in the dark. */

#include "blur_cpu.h"

#include "core/bounds.h"
#include "kernels/image/fft.h"

#include <string.h>

#define LEAST_SIDE 16
#define ENOUGH_SIDE 128 /* of several tiles */
#define MOST_SIDE 2048

/* ---- Sizes */

/* One tile where it is small, else a side of which less than half is thrown away. */
static int32_t side_of(uint32_t length_px, int32_t reach_px)
{
    const int32_t around = 2 * reach_px;
    const int32_t all = (int32_t)length_px + around;
    int32_t side = LEAST_SIDE;
    while (side < all && (side < ENOUGH_SIDE || side < 2 * around) && side < MOST_SIDE) {
        side *= 2;
    }
    return side;
}

struct tiles {
    int32_t width;
    int32_t height;
    int32_t made_x; /* pixels of the result across a tile */
    int32_t made_y;
    int32_t across;
    int32_t down;
};

static struct tiles tiles_of(const struct blur_plan *plan)
{
    const struct blur_kernel *kernel = &plan->kernel;
    struct tiles tiles = {.width = side_of(plan->machine.width_px, kernel->reach_x_px),
                          .height = side_of(plan->machine.height_px, kernel->reach_y_px)};
    tiles.made_x = tiles.width - 2 * kernel->reach_x_px;
    tiles.made_y = tiles.height - 2 * kernel->reach_y_px;
    tiles.across = ((int32_t)plan->machine.width_px + tiles.made_x - 1) / tiles.made_x;
    tiles.down = ((int32_t)plan->machine.height_px + tiles.made_y - 1) / tiles.made_y;
    return tiles;
}

/* A complex number is two floats' places times two. */
static size_t tile_floats(const struct tiles *tiles)
{
    return 4 * (size_t)tiles->width * (size_t)tiles->height;
}

/* Counts the floats of the lines that are transformed together, which are as long as the longer
 * side. */
static size_t line_floats(const struct tiles *tiles)
{
    return 4 * FFT_LANES * (size_t)(tiles->width > tiles->height ? tiles->width : tiles->height);
}

/* Counts the floats of the roots of both axes, half as many as the side each. */
static size_t root_floats(const struct tiles *tiles)
{
    return 2 * (size_t)tiles->width + 2 * (size_t)tiles->height;
}

static size_t pixel_floats(const struct blur_plan *plan)
{
    return (size_t)plan->machine.width_px * plan->machine.height_px * BLUR_MOST_CHANNELS;
}

/* ---- The kernel and the roots */

static double *roots_of(const struct blur_cpu *cpu)
{
    return (double *)(void *)(cpu->more + pixel_floats(cpu->plan));
}

/* The tile and its lines in a worker's scratch, or where the kernel is. */
static struct fft_rectangle rectangle_in(const struct blur_cpu *cpu, const struct tiles *tiles,
                                         double *values, double *lines)
{
    const double *roots = roots_of(cpu);
    return (struct fft_rectangle){
        tiles->width, tiles->height, values, lines, {roots, roots + tiles->width}};
}

static double *kernel_of(const struct blur_cpu *cpu, const struct tiles *tiles)
{
    return roots_of(cpu) + root_floats(tiles) / 2;
}

/* ---- A tile */

/* Channels c and c + 1, or c alone. */
static void read_tile(const struct blur_cpu *cpu, int32_t x0, int32_t y0, uint32_t c,
                      const struct fft_rectangle *tile)
{
    const bool pair = c + 1 < cpu->channels;
    double *to = tile->values;
    for (int32_t y = 0; y < tile->height; y++) {
        const float *row =
            cpu->pixels +
            (size_t)bounds_clamped(y0 + y, 0, cpu->height_px - 1) * blur_cpu_row(cpu) + c;
        for (int32_t x = 0; x < tile->width; x++) {
            const float *from =
                row + (size_t)bounds_clamped(x0 + x, 0, cpu->width_px - 1) * cpu->channels;
            *to++ = (double)from[0];
            *to++ = pair ? (double)from[1] : 0.0;
        }
    }
}

static void multiply(const struct fft_rectangle *tile, const double *kernel)
{
    double *values = tile->values;
    for (size_t i = 0; i < 2 * (size_t)tile->width * (size_t)tile->height; i += 2) {
        const double real = values[i] * kernel[i] - values[i + 1] * kernel[i + 1];
        values[i + 1] = values[i] * kernel[i + 1] + values[i + 1] * kernel[i];
        values[i] = real;
    }
}

/* Writes the part of a tile that nothing reaches that comes round. */
static void write_tile(const struct blur_cpu *cpu, int32_t x0, int32_t y0, uint32_t c,
                       const struct fft_rectangle *tile, float *to)
{
    const struct blur_kernel *kernel = &cpu->plan->kernel;
    const bool pair = c + 1 < cpu->channels;
    const int32_t end_x = tile->width - kernel->reach_x_px;
    const int32_t end_y = tile->height - kernel->reach_y_px;
    for (int32_t y = kernel->reach_y_px; y < end_y && y0 + y < cpu->height_px; y++) {
        float *row = to + (size_t)(y0 + y) * blur_cpu_row(cpu) + c;
        for (int32_t x = kernel->reach_x_px; x < end_x && x0 + x < cpu->width_px; x++) {
            const double *from = tile->values + 2 * ((size_t)y * (size_t)tile->width + (size_t)x);
            float *pixel = row + (size_t)(x0 + x) * cpu->channels;
            pixel[0] = (float)from[0];
            if (pair) {
                pixel[1] = (float)from[1];
            }
        }
    }
}

static void make(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                 float *scratch)
{
    double *values = (double *)(void *)scratch;
    const struct tiles tiles = tiles_of(cpu->plan);
    const struct fft_rectangle tile =
        rectangle_in(cpu, &tiles, values, values + tile_floats(&tiles) / 2);
    const int32_t x0 = chunk % tiles.across * tiles.made_x - cpu->plan->kernel.reach_x_px;
    const int32_t y0 = chunk / tiles.across * tiles.made_y - cpu->plan->kernel.reach_y_px;
    for (uint32_t c = 0; c < cpu->channels; c += 2) {
        read_tile(cpu, x0, y0, c, &tile);
        fft_go(&tile);
        multiply(&tile, kernel_of(cpu, &tiles));
        fft_come_back(&tile);
        write_tile(cpu, x0, y0, c, &tile, step->to);
    }
}

/* ---- The engine */

/* The result; the roots; the kernel's transform. */
static size_t more_floats(const struct blur_plan *plan)
{
    const struct tiles tiles = tiles_of(plan);
    return pixel_floats(plan) + root_floats(&tiles) + tile_floats(&tiles);
}

static size_t scratch_floats(const struct blur_plan *plan)
{
    const struct tiles tiles = tiles_of(plan);
    return tile_floats(&tiles) + line_floats(&tiles);
}

/* The kernel around the first place, with what both transforms multiply divided out. */
static void begin(struct blur_cpu *cpu)
{
    const struct blur_kernel *kernel = &cpu->plan->kernel;
    const struct tiles tiles = tiles_of(cpu->plan);
    const double count = (double)tiles.width * tiles.height;
    const int32_t across = 2 * kernel->reach_x_px + 1;
    const int32_t down = 2 * kernel->reach_y_px + 1;
    double *values = kernel_of(cpu, &tiles);
    fft_fill_roots(tiles.width, roots_of(cpu));
    fft_fill_roots(tiles.height, roots_of(cpu) + tiles.width);
    memset(values, 0, tile_floats(&tiles) * sizeof(float));
    for (int32_t i = 0; i < across * down; i++) {
        const int32_t x = (i % across - kernel->reach_x_px + tiles.width) % tiles.width;
        const int32_t y = (i / across - kernel->reach_y_px + tiles.height) % tiles.height;
        values[2 * ((size_t)y * (size_t)tiles.width + (size_t)x)] = kernel->weights[i] / count;
    }
    const struct fft_rectangle all =
        rectangle_in(cpu, &tiles, values, (double *)(void *)cpu->base.workers.of[0]);
    fft_go(&all);
}

static float *add(struct blur_cpu *cpu)
{
    const struct tiles tiles = tiles_of(cpu->plan);
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = make, .to = cpu->more},
                 tiles.across * tiles.down);
    return cpu->more;
}

const struct blur_cpu_engine blur_cpu_fft = {
    .more_floats = more_floats, .scratch_floats = scratch_floats, .begin = begin, .add = add};
