/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Engines on GPUs: passes over samples, four floats each, which shaders and CUDA kernels make
 * alike. Included by C and CUDA; glsl/ says the same. */
#pragma once

#ifndef __CUDACC__
#include "fovea.h"
#endif

#include <stdbool.h>
#include <stdint.h>

#define BLUR_BOX_PLACES 7 /* of a line, that a thread makes */
#define BLUR_BOX_THREADS 240 /* of a workgroup */
#define BLUR_LINE_EACH 16 /* places of a thread */
#define BLUR_LINE_GROUP 64 /* lines of a workgroup, a thread each */
#define BLUR_LEVEL_SIDE 16 /* samples of a workgroup, each way, a thread each */
#define BLUR_HEAT_MADE_X 48 /* pixels of a workgroup */
#define BLUR_HEAT_MADE_Y 24
#define BLUR_HEAT_STEPS 8 /* of a pass, at most */

/* The work of a pass. */
enum blur_work {
    BLUR_LINE_BOX,
    BLUR_LINE_TENT,
    BLUR_LEVEL_HALVE,
    BLUR_LEVEL_WIDEN,
    BLUR_LEVEL_DOUBLE,
    BLUR_HEAT_EVERYWHERE,
    BLUR_HEAT_WITHIN_EDGES,
    BLUR_WORKS
};

/* The first members of every pass's constants. The view's samples lie as its pixels do, by rows
 * without gaps. */
struct blur_pass_frame {
    int32_t width_px;
    int32_t height_px;
    int32_t origin_x_px; /* where the view starts in images, of shaders */
    int32_t origin_y_px;
    float light_value; /* of shaders */
    int32_t from; /* the first sample that is read */
    int32_t to; /* and written */
};

struct blur_box_constants {
    struct blur_pass_frame frame;
    int32_t axis; /* 0: along x */
    int32_t in_first; /* places that are read; those beyond are the outermost ones again */
    int32_t in_count;
    int32_t out_first; /* and made */
    int32_t out_count;
    int32_t boxes; /* one after the other */
    int32_t half_px;
    int32_t reach_px; /* with the ends */
    int32_t lines; /* of a workgroup; lines times parts are BLUR_BOX_THREADS at most */
    int32_t parts; /* of a line, of BLUR_BOX_PLACES each, with what boxes reach around */
    int32_t made; /* places of a line that a workgroup makes */
    float end; /* the share of the next ones, more than 0 */
    float scale;
};

struct blur_line_constants {
    struct blur_pass_frame frame;
    int32_t axis;
    int32_t length; /* of a line; places beyond it are the outermost ones again */
    int32_t reach_px;
    float radius_px;
    float scale;
};

struct blur_pass_level {
    int32_t first; /* of both axes */
    int32_t last_x;
    int32_t last_y;
    int32_t pitch;
};

struct blur_level_constants {
    struct blur_pass_frame frame;
    struct blur_pass_level fine; /* that is read */
    struct blur_pass_level made;
    float taps[4];
};

struct blur_heat_constants {
    struct blur_pass_frame frame;
    int32_t steps;
    float rate;
    float per_square; /* of the differences of the colours; 0: heat flows everywhere alike */
};

union blur_constants {
    struct blur_pass_frame frame;
    struct blur_box_constants box;
    struct blur_line_constants line;
    struct blur_level_constants level;
    struct blur_heat_constants heat;
};

struct blur_pass {
    enum blur_work work;
    bool from_source; /* it reads the view, not samples at `from` */
    bool to_result;
    uint32_t constant_bytes;
    uint32_t groups[2];
    union blur_constants constants;
};

#define BLUR_MOST_PASSES 24 /* on Vulkan; OPERATOR_MAX_PASSES holds them */

#ifndef __CUDACC__
struct blur_plan;

/* Passes as they come: what follows reads what they write. */
struct blur_passes {
    const struct blur_plan *plan;
    struct blur_pass_frame frame; /* but for `from` and `to` */
    float white; /* the value of a colour that is white */
    int32_t colors; /* of a pixel */
    void (*emit)(struct blur_passes *passes, const struct blur_pass *pass);
};

/* Returns white of a format's pixels as kernels have them in samples. */
float blur_passes_white(int32_t light, enum fovea_format format);

struct blur_passes_engine {
    uint64_t (*samples)(const struct blur_plan *plan); /* that passes leave for each other */
    void (*add)(struct blur_passes *passes);
};

extern const struct blur_passes_engine blur_passes_quasi;
extern const struct blur_passes_engine blur_passes_box;
extern const struct blur_passes_engine blur_passes_diffusion;
extern const struct blur_passes_engine blur_passes_spread;
#endif
