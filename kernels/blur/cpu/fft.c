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
#define LEAST_SIDE 128
#define MOST_SIDE 2048
#define PI 3.14159265358979323846

/* ---- Sizes */

static int32_t side_of(const struct blur_plan *plan)
{
    const uint32_t width = plan->machine.width_px;
    const uint32_t height = plan->machine.height_px;
    const int32_t longest = (int32_t)(width > height ? width : height);
    const int32_t around = 2 * plan->kernel.reach_px;
    int32_t side = LEAST_SIDE;
    while (side < 2 * around && side < longest + around && side < MOST_SIDE) {
        side *= 2;
    }
    return side;
}

/* Pixels of the result across a tile. */
static int32_t made_of(const struct blur_plan *plan)
{
    return side_of(plan) - 2 * plan->kernel.reach_px;
}

static int32_t tiles_across(const struct blur_plan *plan)
{
    return ((int32_t)plan->machine.width_px + made_of(plan) - 1) / made_of(plan);
}

static int32_t tiles_down(const struct blur_plan *plan)
{
    return ((int32_t)plan->machine.height_px + made_of(plan) - 1) / made_of(plan);
}

/* A complex number is two floats' places times two. */
static size_t tile_floats(const struct blur_plan *plan)
{
    const size_t side = (size_t)side_of(plan);
    return 4 * side * side;
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

/* A square of complex numbers by rows, and memory for LANES lines of it. */
struct square {
    int32_t side;
    double *values;
    struct complex_lines lines;
};

/* Lines that begin at `first` and go on by `next` numbers; those side by side are `beside` apart.
 */
static void transform_lines(const struct square *square, double *first, size_t next, size_t beside,
                            void (*transform)(const struct complex_lines *))
{
    for (int32_t i = 0; i < square->side; i++) {
        double *place = place_of(&square->lines, i);
        for (size_t k = 0; k < LANES; k++) {
            place[k] = first[2 * ((size_t)i * next + k * beside)];
            place[k + LANES] = first[2 * ((size_t)i * next + k * beside) + 1];
        }
    }
    transform(&square->lines);
    for (int32_t i = 0; i < square->side; i++) {
        const double *place = place_of(&square->lines, i);
        for (size_t k = 0; k < LANES; k++) {
            first[2 * ((size_t)i * next + k * beside)] = place[k];
            first[2 * ((size_t)i * next + k * beside) + 1] = place[k + LANES];
        }
    }
}

static void transform(const struct square *square, void (*line)(const struct complex_lines *))
{
    const size_t side = (size_t)square->side;
    for (size_t i = 0; i < side; i += LANES) {
        transform_lines(square, square->values + 2 * i * side, 1, side, line);
    }
    for (size_t i = 0; i < side; i += LANES) {
        transform_lines(square, square->values + 2 * i, side, 1, line);
    }
}

/* The square and its lines in a worker's scratch, or where the kernel is. */
static struct square square_in(const struct blur_cpu *cpu, double *values, double *lines)
{
    const int32_t side = side_of(cpu->plan);
    const double *roots = (const double *)(const void *)(cpu->more + pixel_floats(cpu->plan));
    return (struct square){side, values, {side, lines, roots}};
}

static double *kernel_of(const struct blur_cpu *cpu)
{
    return (double *)(void *)(cpu->more + pixel_floats(cpu->plan)) + side_of(cpu->plan);
}

/* ---- A tile */

static int32_t within(int32_t at, int32_t length)
{
    return at < 0 ? 0 : at >= length ? length - 1 : at;
}

/* Channels c and c + 1, or c alone. */
static void read_tile(const struct blur_cpu *cpu, int32_t x0, int32_t y0, uint32_t c,
                      const struct square *square)
{
    const bool pair = c + 1 < cpu->channels;
    double *to = square->values;
    for (int32_t y = 0; y < square->side; y++) {
        const float *row =
            cpu->pixels + (size_t)within(y0 + y, cpu->height_px) * blur_cpu_row(cpu) + c;
        for (int32_t x = 0; x < square->side; x++) {
            const float *from = row + (size_t)within(x0 + x, cpu->width_px) * cpu->channels;
            *to++ = (double)from[0];
            *to++ = pair ? (double)from[1] : 0.0;
        }
    }
}

static void multiply(const struct square *square, const double *kernel)
{
    double *values = square->values;
    for (size_t i = 0; i < 2 * (size_t)square->side * (size_t)square->side; i += 2) {
        const double real = values[i] * kernel[i] - values[i + 1] * kernel[i + 1];
        values[i + 1] = values[i] * kernel[i + 1] + values[i + 1] * kernel[i];
        values[i] = real;
    }
}

/* Writes the part of a tile that nothing reaches that comes round. */
static void write_tile(const struct blur_cpu *cpu, int32_t x0, int32_t y0, uint32_t c,
                       const struct square *square, float *to)
{
    const int32_t reach = cpu->plan->kernel.reach_px;
    const bool pair = c + 1 < cpu->channels;
    for (int32_t y = reach; y < square->side - reach && y0 + y < cpu->height_px; y++) {
        float *row = to + (size_t)(y0 + y) * blur_cpu_row(cpu) + c;
        for (int32_t x = reach; x < square->side - reach && x0 + x < cpu->width_px; x++) {
            const double *from =
                square->values + 2 * ((size_t)y * (size_t)square->side + (size_t)x);
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
    const struct square square = square_in(cpu, values, values + tile_floats(cpu->plan) / 2);
    const int32_t reach = cpu->plan->kernel.reach_px;
    const int32_t x0 = chunk % tiles_across(cpu->plan) * made_of(cpu->plan) - reach;
    const int32_t y0 = chunk / tiles_across(cpu->plan) * made_of(cpu->plan) - reach;
    for (uint32_t c = 0; c < cpu->channels; c += 2) {
        read_tile(cpu, x0, y0, c, &square);
        transform(&square, go);
        multiply(&square, kernel_of(cpu));
        transform(&square, come_back);
        write_tile(cpu, x0, y0, c, &square, step->to);
    }
}

/* ---- The engine */

/* The result; the roots; the kernel's transform. */
static size_t more_floats(const struct blur_plan *plan)
{
    return pixel_floats(plan) + 2 * (size_t)side_of(plan) + tile_floats(plan);
}

static size_t scratch_floats(const struct blur_plan *plan)
{
    return tile_floats(plan) + 4 * LANES * (size_t)side_of(plan);
}

/* The kernel around the first place, with what both transforms multiply divided out. */
static void begin(struct blur_cpu *cpu)
{
    const struct blur_kernel *kernel = &cpu->plan->kernel;
    const int32_t side = side_of(cpu->plan);
    const int32_t across = 2 * kernel->reach_px + 1;
    double *roots = (double *)(void *)(cpu->more + pixel_floats(cpu->plan));
    double *values = kernel_of(cpu);
    for (int32_t i = 0; i < side / 2; i++) {
        roots[2 * i] = cos(2.0 * PI * i / side);
        roots[2 * i + 1] = sin(2.0 * PI * i / side);
    }
    memset(values, 0, tile_floats(cpu->plan) * sizeof(float));
    for (int32_t i = 0; i < across * across; i++) {
        const int32_t x = (i % across - kernel->reach_px + side) % side;
        const int32_t y = (i / across - kernel->reach_px + side) % side;
        values[2 * ((size_t)y * (size_t)side + (size_t)x)] =
            kernel->weights[i] / ((double)side * side);
    }
    const struct square square = square_in(cpu, values, (double *)(void *)cpu->workers.of[0]);
    transform(&square, go);
}

static float *add(struct blur_cpu *cpu)
{
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = make, .to = cpu->more},
                 tiles_across(cpu->plan) * tiles_down(cpu->plan));
    return cpu->more;
}

const struct blur_cpu_engine blur_cpu_fft = {
    .more_floats = more_floats, .scratch_floats = scratch_floats, .begin = begin, .add = add};
