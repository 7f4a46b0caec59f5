/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Convolution by Fourier transforms, in tiles whose sides are powers of two: a tile takes the
 * pixels around it that its kernel reaches, so that what comes round at its ends is thrown away.
 * Two channels are the parts of one complex number. Sums are in double precision: next to a
 * highlight, single precision would leave noise in the dark.
 *
 * The transform is ours, because it needs nothing but powers of two and no order: going there
 * leaves bits reversed, coming back takes them so, and products between do not mind. Lines go
 * through it LANES at a time, side by side. */

#include "blur_cpu.h"

#include <math.h>
#include <string.h>

#define LANES 8
#define LEAST_SIDE 16
#define ENOUGH_SIDE 128 /* of several tiles */
#define MOST_SIDE 2048
#define PI 3.14159265358979323846

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
    return 4 * LANES * (size_t)(tiles->width > tiles->height ? tiles->width : tiles->height);
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

/* ---- One dimension, LANES lines at a time: real parts before imaginary ones */

struct complex_lines {
    int32_t length;
    double *values; /* of each place LANES real parts, then as many imaginary ones */
    const double *roots; /* cos and sin of 2 pi i / length, half as many as the length */
};

static double *place_of(const struct complex_lines *lines, int32_t at)
{
    return lines->values + (size_t)at * 2 * LANES;
}

/* (a, b) -> (a + b, (a - b) root) */
static void part(double *a, double *b, double real, double imaginary)
{
    for (int i = 0; i < LANES; i++) {
        const double x = a[i] - b[i];
        const double y = a[i + LANES] - b[i + LANES];
        a[i] += b[i];
        a[i + LANES] += b[i + LANES];
        b[i] = x * real - y * imaginary;
        b[i + LANES] = x * imaginary + y * real;
    }
}

/* (a, b) -> (a + b root, a - b root) */
static void join(double *a, double *b, double real, double imaginary)
{
    for (int i = 0; i < LANES; i++) {
        const double x = b[i] * real - b[i + LANES] * imaginary;
        const double y = b[i] * imaginary + b[i + LANES] * real;
        b[i] = a[i] - x;
        b[i + LANES] = a[i + LANES] - y;
        a[i] += x;
        a[i + LANES] += y;
    }
}

static void go(const struct complex_lines *lines)
{
    for (int32_t half = lines->length / 2; half > 0; half /= 2) {
        const int32_t turn = lines->length / (2 * half);
        for (int32_t first = 0; first < lines->length; first += 2 * half) {
            for (int32_t i = 0; i < half; i++) {
                const double *root = lines->roots + 2 * (size_t)(i * turn);
                part(place_of(lines, first + i), place_of(lines, first + half + i), root[0],
                     -root[1]);
            }
        }
    }
}

static void come_back(const struct complex_lines *lines)
{
    for (int32_t half = 1; half < lines->length; half *= 2) {
        const int32_t turn = lines->length / (2 * half);
        for (int32_t first = 0; first < lines->length; first += 2 * half) {
            for (int32_t i = 0; i < half; i++) {
                const double *root = lines->roots + 2 * (size_t)(i * turn);
                join(place_of(lines, first + i), place_of(lines, first + half + i), root[0],
                     root[1]);
            }
        }
    }
}

/* ---- Two dimensions */

/* A rectangle of complex numbers by rows, and memory for LANES lines of it. */
struct rectangle {
    int32_t width;
    int32_t height;
    double *values;
    double *lines;
    const double *roots[2]; /* of rows, and of columns */
};

/* Lines whose numbers are `next` apart, and which are `beside` apart from each other. */
static void transform_lines(const struct complex_lines *lines, double *first, size_t next,
                            size_t beside, void (*transform)(const struct complex_lines *))
{
    for (int32_t i = 0; i < lines->length; i++) {
        double *place = place_of(lines, i);
        for (size_t k = 0; k < LANES; k++) {
            place[k] = first[2 * ((size_t)i * next + k * beside)];
            place[k + LANES] = first[2 * ((size_t)i * next + k * beside) + 1];
        }
    }
    transform(lines);
    for (int32_t i = 0; i < lines->length; i++) {
        const double *place = place_of(lines, i);
        for (size_t k = 0; k < LANES; k++) {
            first[2 * ((size_t)i * next + k * beside)] = place[k];
            first[2 * ((size_t)i * next + k * beside) + 1] = place[k + LANES];
        }
    }
}

static void transform(const struct rectangle *all, void (*line)(const struct complex_lines *))
{
    const struct complex_lines rows = {all->width, all->lines, all->roots[0]};
    const struct complex_lines columns = {all->height, all->lines, all->roots[1]};
    const size_t width = (size_t)all->width;
    for (size_t i = 0; i < (size_t)all->height; i += LANES) {
        transform_lines(&rows, all->values + 2 * i * width, 1, width, line);
    }
    for (size_t i = 0; i < width; i += LANES) {
        transform_lines(&columns, all->values + 2 * i, width, 1, line);
    }
}

static double *roots_of(const struct blur_cpu *cpu)
{
    return (double *)(void *)(cpu->more + pixel_floats(cpu->plan));
}

/* The tile and its lines in a worker's scratch, or where the kernel is. */
static struct rectangle rectangle_in(const struct blur_cpu *cpu, const struct tiles *tiles,
                                     double *values, double *lines)
{
    const double *roots = roots_of(cpu);
    return (struct rectangle){
        tiles->width, tiles->height, values, lines, {roots, roots + tiles->width}};
}

static double *kernel_of(const struct blur_cpu *cpu, const struct tiles *tiles)
{
    return roots_of(cpu) + root_floats(tiles) / 2;
}

/* ---- A tile */

static int32_t within(int32_t at, int32_t length)
{
    return at < 0 ? 0 : at >= length ? length - 1 : at;
}

/* Channels c and c + 1, or c alone. */
static void read_tile(const struct blur_cpu *cpu, int32_t x0, int32_t y0, uint32_t c,
                      const struct rectangle *tile)
{
    const bool pair = c + 1 < cpu->channels;
    double *to = tile->values;
    for (int32_t y = 0; y < tile->height; y++) {
        const float *row =
            cpu->pixels + (size_t)within(y0 + y, cpu->height_px) * blur_cpu_row(cpu) + c;
        for (int32_t x = 0; x < tile->width; x++) {
            const float *from = row + (size_t)within(x0 + x, cpu->width_px) * cpu->channels;
            *to++ = (double)from[0];
            *to++ = pair ? (double)from[1] : 0.0;
        }
    }
}

static void multiply(const struct rectangle *tile, const double *kernel)
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
                       const struct rectangle *tile, float *to)
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
    const struct rectangle tile =
        rectangle_in(cpu, &tiles, values, values + tile_floats(&tiles) / 2);
    const int32_t x0 = chunk % tiles.across * tiles.made_x - cpu->plan->kernel.reach_x_px;
    const int32_t y0 = chunk / tiles.across * tiles.made_y - cpu->plan->kernel.reach_y_px;
    for (uint32_t c = 0; c < cpu->channels; c += 2) {
        read_tile(cpu, x0, y0, c, &tile);
        transform(&tile, go);
        multiply(&tile, kernel_of(cpu, &tiles));
        transform(&tile, come_back);
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

static void fill_roots(int32_t side, double *roots)
{
    for (int32_t i = 0; i < side / 2; i++) {
        roots[2 * i] = cos(2.0 * PI * i / side);
        roots[2 * i + 1] = sin(2.0 * PI * i / side);
    }
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
    fill_roots(tiles.width, roots_of(cpu));
    fill_roots(tiles.height, roots_of(cpu) + tiles.width);
    memset(values, 0, tile_floats(&tiles) * sizeof(float));
    for (int32_t i = 0; i < across * down; i++) {
        const int32_t x = (i % across - kernel->reach_x_px + tiles.width) % tiles.width;
        const int32_t y = (i / across - kernel->reach_y_px + tiles.height) % tiles.height;
        values[2 * ((size_t)y * (size_t)tiles.width + (size_t)x)] = kernel->weights[i] / count;
    }
    const struct rectangle all =
        rectangle_in(cpu, &tiles, values, (double *)(void *)cpu->workers.of[0]);
    transform(&all, go);
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
