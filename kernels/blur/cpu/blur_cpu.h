/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Engines on the processor. A frame becomes floats, an engine changes them in steps, and they
 * become a frame again. A step is cut into chunks, which workers take; a step begins when the one
 * before it is done. */
#pragma once

#include "core/thread_steps.h"
#include "kernels/blur/plan.h"
#include "kernels/image/pixel_light.h"
#include "kernels/operator/operator_host.h"

#define BLUR_MOST_CHANNELS 4

struct blur_cpu;

struct blur_cpu_step {
    /* scratch: the worker's own, of the engine's scratch_floats. */
    void (*make)(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                 float *scratch);
    const float *from;
    float *to;
    const void *own; /* whatever else the engine wants to know */
    int32_t level;
};

struct blur_cpu_engine {
    /* Memory beside the pixels, which all workers share, and of each worker. NULL: none. */
    size_t (*more_floats)(const struct blur_plan *plan);
    size_t (*scratch_floats)(const struct blur_plan *plan);
    void (*begin)(struct blur_cpu *cpu); /* fills `more` once; NULL: it needs nothing */
    /* Adds the steps of an image; returns where they leave the result. */
    float *(*add)(struct blur_cpu *cpu);
};

struct blur_cpu {
    struct operator_host base; /* workers have scratch_floats each, and one more */
    const struct blur_plan *plan;
    const struct blur_cpu_engine *engine;
    int32_t width_px;
    int32_t height_px;
    float *pixels; /* rows of `channels` floats a pixel without gaps */
    float *more;
    /* These are of the image under way. */
    uint32_t channels;
    uint32_t colors; /* the first of them */
    float white; /* the value of a colour that is white */
    struct fovea_image sigmas; /* format NONE: there is none */
    struct fovea_image src;
    struct fovea_image dst;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: averaged as stored */
    /* The engine's are above. */
    struct pixel_lights lights;
    size_t scratch_floats;
    struct thread_steps chunks;
    struct blur_cpu_step steps[THREAD_STEPS_MAX];
};

/* Runs those before it where there are too many at once. */
void blur_cpu_add(struct blur_cpu *cpu, struct blur_cpu_step step, int32_t chunks);

static inline size_t blur_cpu_row(const struct blur_cpu *cpu)
{
    return (size_t)cpu->width_px * cpu->channels;
}

/* So many rows are a chunk where rows are for themselves. */
#define BLUR_STRIP_ROWS 8
static inline int32_t blur_strips(int32_t rows)
{
    return (rows + BLUR_STRIP_ROWS - 1) / BLUR_STRIP_ROWS;
}
static inline int32_t blur_strip_end(int32_t strip, int32_t rows)
{
    const int32_t end = (strip + 1) * BLUR_STRIP_ROWS;
    return end < rows ? end : rows;
}

/* lines.c has what spread takes where all pixels have one sigma. */
size_t blur_cpu_tent_floats(const struct blur_plan *plan);
float *blur_cpu_tent_add(struct blur_cpu *cpu);

extern const struct blur_cpu_engine blur_cpu_quasi;
extern const struct blur_cpu_engine blur_cpu_box;
extern const struct blur_cpu_engine blur_cpu_diffusion;
extern const struct blur_cpu_engine blur_cpu_spread;
extern const struct blur_cpu_engine blur_cpu_fft;

extern const struct operator_host_api blur_operator_host; /* of all of them */
