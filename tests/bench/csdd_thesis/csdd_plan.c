/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "csdd_plan.h"

#include "csdd_recursive.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define WARP 32
#define LEAST_THREADS 64
#define BLOCKS_MORE_THAN 2

/* ---- Execution configuration ----------------------------------------------------------------- */

const struct csdd_device csdd_gtx280 = {16384, 16384, 8, 32};

static int32_t warps_of(int32_t threads)
{
    return (threads + WARP - 1) / WARP;
}

static int32_t least_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

int32_t csdd_active_blocks(const struct csdd_device *device, const struct csdd_use *use,
                           int32_t threads)
{
    const int32_t by_warps = device->warps / warps_of(threads);
    const int32_t by_registers = device->registers / (use->registers * threads);
    const int32_t by_shared = device->shared_bytes / (use->shared_bytes + 4 * threads);
    return least_of(least_of(device->blocks, by_warps), least_of(by_registers, by_shared));
}

int32_t csdd_active_warps(const struct csdd_device *device, const struct csdd_use *use,
                          int32_t threads)
{
    return csdd_active_blocks(device, use, threads) * warps_of(threads);
}

int32_t csdd_most_threads(const struct csdd_device *device, const struct csdd_use *use)
{
    int32_t threads = LEAST_THREADS;
    while (csdd_active_blocks(device, use, threads + LEAST_THREADS) > BLOCKS_MORE_THAN &&
           2 * csdd_active_warps(device, use, threads + LEAST_THREADS) >= device->warps) {
        threads += LEAST_THREADS;
    }
    return threads;
}

int32_t csdd_padded(int32_t pixels, int32_t threads)
{
    return (pixels + threads - 1) / threads * threads;
}

int32_t csdd_threads(int32_t pixels, int32_t most_threads)
{
    int32_t best = LEAST_THREADS;
    for (int32_t threads = LEAST_THREADS; threads <= most_threads; threads += LEAST_THREADS) {
        best = csdd_padded(pixels, threads) <= csdd_padded(pixels, best) ? threads : best;
    }
    return best;
}

int32_t csdd_streams(int64_t pixels, int64_t memory_bytes)
{
    int32_t streams = 1;
    while (streams < CSDD_THESIS_BINS &&
           pixels * (CSDD_THESIS_BINS / streams) * CSDD_BYTES_A_BIN > memory_bytes / 5 * 4) {
        streams *= 2;
    }
    return streams;
}

/* ---- Filters --------------------------------------------------------------------------------- */

static double sum_of(const double values[4])
{
    return values[0] + values[1] + values[2] + values[3];
}

void csdd_filters(double sigma_px, struct csdd_thesis_filter out[2])
{
    for (int i = 0; i < 2; i++) {
        struct csdd_recursive recursive;
        csdd_recursive_of(sigma_px, 2 * i, &recursive);
        memcpy(out[i].causal, recursive.causal, sizeof out[i].causal);
        memcpy(out[i].anticausal, recursive.anticausal, sizeof out[i].anticausal);
        memcpy(out[i].feedback, recursive.feedback, sizeof out[i].feedback);
        out[i].before = sum_of(recursive.causal) / (1.0 + sum_of(recursive.feedback));
        out[i].behind = sum_of(recursive.anticausal) / (1.0 + sum_of(recursive.feedback));
    }
}

double csdd_factor(double sigma_px)
{
    return 0.5 * M_E * sigma_px * sigma_px / CSDD_THESIS_BINS;
}

/* ---- On the processor ------------------------------------------------------------------------ */

/* A line of values, steps apart, forth or back. */
struct line {
    const double *from;
    double *to;
    ptrdiff_t step;
    int32_t count;
    bool adds;
};

static void forth(const struct csdd_thesis_filter *f, const struct line *line)
{
    const double *n = f->causal;
    const double *d = f->feedback;
    double x1 = line->from[0], x2 = x1, x3 = x1;
    double y1 = x1 * f->before, y2 = y1, y3 = y1, y4 = y1;
    for (int32_t i = 0; i < line->count; i++) {
        const double x = line->from[i * line->step];
        const double y = n[0] * x + n[1] * x1 + n[2] * x2 + n[3] * x3 - d[0] * y1 - d[1] * y2 -
                         d[2] * y3 - d[3] * y4;
        line->to[i * line->step] = line->adds ? line->to[i * line->step] + y : y;
        x3 = x2, x2 = x1, x1 = x;
        y4 = y3, y3 = y2, y2 = y1, y1 = y;
    }
}

static void back(const struct csdd_thesis_filter *f, const struct line *line)
{
    const double *m = f->anticausal;
    const double *d = f->feedback;
    double x1 = line->from[(line->count - 1) * line->step], x2 = x1, x3 = x1, x4 = x1;
    double y1 = x1 * f->behind, y2 = y1, y3 = y1, y4 = y1;
    for (int32_t i = line->count - 1; i >= 0; i--) {
        const double y = m[0] * x1 + m[1] * x2 + m[2] * x3 + m[3] * x4 - d[0] * y1 - d[1] * y2 -
                         d[2] * y3 - d[3] * y4;
        line->to[i * line->step] += y;
        x4 = x3, x3 = x2, x2 = x1, x1 = line->from[i * line->step];
        y4 = y3, y3 = y2, y2 = y1, y1 = y;
    }
}

static void filter(const struct csdd_thesis_filter *f, struct line line)
{
    forth(f, &line);
    back(f, &line);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The picture of a bin's pixels lies where the last sums do until kernel 2 begins. */
static void filter_rows(struct csdd_cpu *cpu, int32_t bin)
{
    const size_t pixels = (size_t)cpu->rows * (size_t)cpu->columns;
    for (size_t i = 0; i < pixels; i++) {
        cpu->filtered[i] = cpu->image[i] <= (float)bin ? 1.0 : 0.0;
    }
    for (int32_t row = 0; row < cpu->rows; row++) {
        const double *from = cpu->filtered + row;
        filter(&cpu->filters[0],
               (struct line){from, cpu->gauss + row, cpu->rows, cpu->columns, false});
        filter(&cpu->filters[1],
               (struct line){from, cpu->second + row, cpu->rows, cpu->columns, false});
    }
}

static void filter_columns(struct csdd_cpu *cpu)
{
    for (int32_t column = 0; column < cpu->columns; column++) {
        const size_t first = (size_t)column * (size_t)cpu->rows;
        double *to = cpu->filtered + first;
        filter(&cpu->filters[1], (struct line){cpu->gauss + first, to, 1, cpu->rows, false});
        filter(&cpu->filters[0], (struct line){cpu->second + first, to, 1, cpu->rows, true});
    }
}

void csdd_cpu_add(struct csdd_cpu *cpu, int32_t bin, double factor, double *out)
{
    const double begin = now_ns();
    filter_rows(cpu, bin);
    const double after_rows = now_ns();
    filter_columns(cpu);
    const double after_columns = now_ns();
    for (size_t i = 0; i < (size_t)cpu->rows * (size_t)cpu->columns; i++) {
        out[i] += factor * fabs(cpu->filtered[i]);
    }
    cpu->ns[0] += after_rows - begin;
    cpu->ns[1] += after_columns - after_rows;
    cpu->ns[2] += now_ns() - after_columns;
}
