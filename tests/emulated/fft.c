/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A libcufft.so.12 beside the driver whose device is the host (driver.c): planes of real numbers,
 * there and back, in double precision. As with the real one, what makes transforms conflicts with
 * captures, what runs them is captured, and they need the memory that they asked for, where nothing
 * stays as it was. */

#include "graphs.h"

#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define PI 3.14159265358979323846

enum { OK = 0, INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID_VALUE = 4, EXEC_FAILED = 6 };
enum { R2C = 0x2a, C2R = 0x2c, D2Z = 0x6a, Z2D = 0x6c };

#define MOST_PLANS 4096

static struct plan {
    bool is_there;
    int height;
    int width;
    int type;
    int count;
    int pitch; /* of real numbers */
    size_t work_bytes;
    void *work;
    CUstream stream;
} plans[MOST_PLANS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct plan *plan_of(int handle)
{
    return handle >= 0 && handle < MOST_PLANS && plans[handle].is_there ? &plans[handle] : NULL;
}

/* ---- One dimension, of any length: as many as the smallest factor, and what is left of each */

static int factor_of(int length)
{
    int factor = 2;
    while (factor < length && length % factor) {
        factor++;
    }
    return factor;
}

static void transform(const double complex *from, int next, int length, double sign,
                      double complex *to)
{
    if (length == 1) {
        to[0] = from[0];
        return;
    }
    const int parts = factor_of(length);
    const int left = length / parts;
    double complex sums[64] = {0};
    for (int i = 0; i < parts; i++) {
        transform(from + (ptrdiff_t)i * next, next * parts, left, sign, to + (ptrdiff_t)i * left);
    }
    for (int k = 0; k < left; k++) {
        for (int j = 0; j < parts; j++) {
            sums[j] = 0.0;
            for (int i = 0; i < parts; i++) {
                const double turn = (double)((long)i * (k + j * left) % length) / length;
                sums[j] += to[i * left + k] * cexp(sign * 2.0 * PI * turn * I);
            }
        }
        for (int j = 0; j < parts; j++) {
            to[j * left + k] = sums[j];
        }
    }
}

/* ---- Planes */

static bool is_double(const struct plan *plan)
{
    return plan->type == D2Z || plan->type == Z2D;
}

static double number(const struct plan *plan, const void *memory, size_t at)
{
    return is_double(plan) ? ((const double *)memory)[at] : (double)((const float *)memory)[at];
}

static void set_number(const struct plan *plan, void *memory, size_t at, double value)
{
    if (is_double(plan)) {
        ((double *)memory)[at] = value;
    } else {
        ((float *)memory)[at] = (float)value;
    }
}

static void transform_columns(const struct plan *plan, int columns, double sign,
                              double complex *all, double complex *line)
{
    for (int x = 0; x < columns; x++) {
        transform(all + x, plan->width, plan->height, sign, line);
        for (int y = 0; y < plan->height; y++) {
            all[y * plan->width + x] = line[y];
        }
    }
}

/* Rows of complex numbers as long as the width, of which half and one lie in memory. */
static void go(const struct plan *plan, void *memory, double complex *all, double complex *line)
{
    const int half = plan->width / 2 + 1;
    for (int y = 0; y < plan->height; y++) {
        double complex *row = all + (ptrdiff_t)y * plan->width;
        for (int x = 0; x < plan->width; x++) {
            row[x] = number(plan, memory, (size_t)y * (size_t)plan->pitch + (size_t)x);
        }
        transform(row, 1, plan->width, -1.0, line);
        memcpy(row, line, (size_t)plan->width * sizeof *row);
    }
    transform_columns(plan, half, -1.0, all, line);
    for (int i = 0; i < plan->height * half; i++) {
        const double complex value = all[i / half * plan->width + i % half];
        set_number(plan, memory, 2 * (size_t)i, creal(value));
        set_number(plan, memory, 2 * (size_t)i + 1, cimag(value));
    }
}

static void come_back(const struct plan *plan, void *memory, double complex *all,
                      double complex *line)
{
    const int half = plan->width / 2 + 1;
    for (int i = 0; i < plan->height * half; i++) {
        all[i / half * plan->width + i % half] =
            number(plan, memory, 2 * (size_t)i) + number(plan, memory, 2 * (size_t)i + 1) * I;
    }
    transform_columns(plan, half, 1.0, all, line);
    for (int y = 0; y < plan->height; y++) {
        double complex *row = all + (ptrdiff_t)y * plan->width;
        for (int x = half; x < plan->width; x++) {
            row[x] = conj(row[plan->width - x]);
        }
        transform(row, 1, plan->width, 1.0, line);
        for (int x = 0; x < plan->width; x++) {
            set_number(plan, memory, (size_t)y * (size_t)plan->pitch + (size_t)x, creal(line[x]));
        }
    }
}

/* ---- Runs */

struct run {
    struct plan plan;
    void *memory;
};

static CUresult run(const void *kept)
{
    const struct run *run = kept;
    const struct plan *plan = &run->plan;
    const size_t plane_bytes =
        (size_t)plan->pitch * (size_t)plan->height * (is_double(plan) ? 8 : 4);
    const int longer = plan->width > plan->height ? plan->width : plan->height;
    double complex *all = malloc((size_t)plan->width * (size_t)plan->height * sizeof *all);
    double complex *line = malloc((size_t)longer * sizeof *line);
    for (int i = 0; all && line && i < plan->count; i++) {
        void *memory = (char *)run->memory + (size_t)i * plane_bytes;
        (plan->type == R2C || plan->type == D2Z ? go : come_back)(plan, memory, all, line);
    }
    const bool made = all && line;
    free(all);
    free(line);
    memset(plan->work, 0xff, plan->work_bytes);
    return made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static int exec(int handle, int type, void *from, void *to)
{
    const struct plan *plan = plan_of(handle);
    if (!plan || plan->type != type || from != to || !plan->work) {
        return INVALID_PLAN;
    }
    const struct run what = {*plan, to};
    CUresult captured = CUDA_SUCCESS;
    const CUresult result =
        graphs_capture(plan->stream, run, &what, sizeof what, &captured) ? captured : run(&what);
    return result == CUDA_SUCCESS ? OK : EXEC_FAILED;
}

#define EXEC(name)                                                                                 \
    EXPORTED int cufftExec##name(int handle, void *from, void *to);                                \
    int cufftExec##name(int handle, void *from, void *to)                                          \
    {                                                                                              \
        return exec(handle, name, from, to);                                                       \
    }
EXEC(R2C)
EXEC(C2R)
EXEC(D2Z)
EXEC(Z2D)

/* ---- Handles */

EXPORTED int cufftCreate(int *out_handle);
int cufftCreate(int *out_handle)
{
    int i = 0;
    const bool may = graphs_ask() == CUDA_SUCCESS;
    pthread_mutex_lock(&mutex);
    while (i < MOST_PLANS && plans[i].is_there) {
        i++;
    }
    if (i < MOST_PLANS) {
        plans[i] = (struct plan){.is_there = may};
    }
    pthread_mutex_unlock(&mutex);
    *out_handle = i;
    return may && i < MOST_PLANS ? OK : ALLOC_FAILED;
}

EXPORTED int cufftDestroy(int handle);
int cufftDestroy(int handle)
{
    struct plan *plan = plan_of(handle);
    if (!plan || graphs_ask() != CUDA_SUCCESS) {
        return INVALID_PLAN;
    }
    plan->is_there = false;
    return OK;
}

EXPORTED int cufftSetAutoAllocation(int handle, int whether);
int cufftSetAutoAllocation(int handle, int whether)
{
    return plan_of(handle) && !whether ? OK : INVALID_PLAN;
}

EXPORTED int cufftMakePlanMany(int handle, int rank, int *sides, int *in_sides, int in_next,
                               int in_plane, int *out_sides, int out_next, int out_plane, int type,
                               int count, size_t *work_bytes);
/* The parameters are cuFFT's. NOLINTNEXTLINE(readability-function-size) */
int cufftMakePlanMany(int handle, int rank, int *sides, int *in_sides, int in_next, int in_plane,
                      int *out_sides, int out_next, int out_plane, int type, int count,
                      size_t *work_bytes)
{
    struct plan *plan = plan_of(handle);
    const bool there = type == R2C || type == D2Z;
    const int *reals = there ? in_sides : out_sides;
    const int *complexes = there ? out_sides : in_sides;
    const int real_plane = there ? in_plane : out_plane;
    const int complex_plane = there ? out_plane : in_plane;
    if (!plan || rank != 2 || in_next != 1 || out_next != 1 || count < 1 ||
        graphs_ask() != CUDA_SUCCESS || complexes[1] != sides[1] / 2 + 1 ||
        reals[1] != 2 * complexes[1] || real_plane != reals[1] * sides[0] ||
        complex_plane != complexes[1] * sides[0]) {
        return INVALID_VALUE;
    }
    plan->height = sides[0];
    plan->width = sides[1];
    plan->pitch = reals[1];
    plan->type = type;
    plan->count = count;
    *work_bytes = plan->work_bytes = 4096;
    return OK;
}

EXPORTED int cufftSetWorkArea(int handle, void *work);
int cufftSetWorkArea(int handle, void *work)
{
    struct plan *plan = plan_of(handle);
    if (plan) {
        plan->work = work;
    }
    return plan ? OK : INVALID_PLAN;
}

EXPORTED int cufftSetStream(int handle, CUstream stream);
int cufftSetStream(int handle, CUstream stream)
{
    struct plan *plan = plan_of(handle);
    if (plan) {
        plan->stream = stream;
    }
    return plan ? OK : INVALID_PLAN;
}
