/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The steps of dof on the processor share this: an image under way, and its pictures of floats.
 * Layers are RGBA32F, coverage in the last channel; alpha that is averaged is a layer of its own
 * beside them, of R32F. */
#pragma once

#include "kernels/dof/dof.h"
#include "kernels/dof/weights.h"
#include "kernels/image/pixel_light.h"
#include "kernels/operator/operator_host.h"

#define DOF_TILE_PX 8 /* also the rows that a worker takes */
#define DOF_LAYER_CHANNELS 4
#define DOF_COVERAGE 3

struct thread_pool;
struct dof_cpu;

/* Zeros: the block has no more. */
struct dof_disc {
    float x, y; /* of its middle; a pixel's lies at a half */
    float radius, edge; /* px */
    float light[4]; /* of a colour each, over its area */
};

/* Makes the rows of a row of tiles; `pixels` has memory for a row of the picture. */
typedef void (*dof_step_fn)(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);

struct dof_cpu {
    struct operator_host base; /* workers have a row of the picture each */
    const struct dof_plan *plan;
    struct gauss_cpu *machine;
    struct pixel_lights lights;
    int32_t columns, rows; /* of tiles */
    /* A value a pixel each. */
    float *offset_px; /* s */
    float *reach_px; /* d */
    float *near_px; /* t */
    float *sigma_px; /* of the layer that is blurred */
    float *layer;
    float *near;
    float *behind;
    /* The same for alpha; NULL where it is kept. */
    float *alpha_layer;
    float *alpha_near;
    float *alpha_behind;
    float *tile_px; /* n' of tiles */
    float *tile_reach_px; /* their d */
    float nearest_px; /* the largest n' */
    /* NULL unless highlights are discs. */
    float *block_sums; /* pairs of a block: of k, and of k L */
    float *discs; /* struct dof_disc: lists of blocks, of what is near and then of what is behind */
    bool layer_is_near; /* the one under way */
    struct gauss_frame frame; /* of layers */
    /* The image under way. */
    struct fovea_image src;
    struct fovea_image dst;
    struct fovea_depth depth;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: averaged as stored */
    bool of_light; /* layers are light: of such pixels, or of floats that the chain made of them */
    uint32_t channels; /* that are averaged */
    struct dof_scale scale;
    float focus_diopters;
    float px_per_diopter;
    dof_step_fn rows_fn;
};

static inline bool dof_averages_alpha(const struct dof_cpu *cpu)
{
    return cpu->plan->machine.foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
}

static inline int32_t dof_width(const struct dof_cpu *cpu)
{
    return (int32_t)cpu->plan->machine.width_px;
}

static inline int32_t dof_height(const struct dof_cpu *cpu)
{
    return (int32_t)cpu->plan->machine.height_px;
}

static inline int32_t dof_end_of_rows(const struct dof_cpu *cpu, int32_t tile_row)
{
    const int32_t end = (tile_row + 1) * DOF_TILE_PX;
    return end < dof_height(cpu) ? end : dof_height(cpu);
}

static inline size_t dof_row(const struct dof_cpu *cpu, int32_t y)
{
    return (size_t)y * cpu->plan->machine.width_px;
}

/* In their order: sigmas.c */
void dof_find_offsets(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);
void dof_spread_tiles(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);
void dof_layer_of_means(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);
/* layers.c */
void dof_layer_of_near(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);
void dof_layer_behind(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);
void dof_compose(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);

/* discs.c: the first before layers, the second between a layer and its blur */
void dof_sum_blocks(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);
void dof_take_discs(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);
void dof_add_discs(const struct dof_cpu *cpu, int32_t tile_row, float *pixels);

/* Returns how much of a worker's memory they need at least. */
size_t dof_block_floats(void);

/* The picture's pixels, as light where it is averaged as that. */
void dof_read_row(const struct dof_cpu *cpu, int32_t y, float *pixels);

extern const struct operator_host_api dof_operator_host;
