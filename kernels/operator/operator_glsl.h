/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An operator on Vulkan is compute passes as data. Whoever has the device makes the memory
 * and the pipelines, binds the images, and records the passes in their order; shaders.h says what
 * is bound. */
#pragma once

#include "operator.h"
#include "shaders.h"

#include <stdlib.h>
#include <string.h>

#define OPERATOR_MAX_PASSES 34 /* of an operator; of a chain of them OPERATOR_CHAIN_PASSES */
#define OPERATOR_CHAIN_PASSES (FOVEA_OPERATOR_COUNT * OPERATOR_MAX_PASSES)
#define OPERATOR_MAX_STEPS (FOVEA_OPERATOR_COUNT + 1)
#define OPERATOR_CONSTANT_BYTES 128 /* of push constants; what every device has */

/* A plan on a device; the first member of an operator's own struct. */
struct operator_glsl {
    const struct operator_plan *plan;
    const struct operator_glsl_api *api; /* that runs it: the plan's operator's, or the machine's */
};

/* Allocates an operator's struct of so many bytes, all zeros but for these. */
FOVEA_MUST_CHECK static inline enum fovea_result operator_glsl_make(
    const struct operator_plan *plan, size_t bytes, struct operator_glsl **out_glsl)
{
    *out_glsl = (struct operator_glsl *)calloc(1, bytes);
    if (!*out_glsl) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (*out_glsl)->plan = plan;
    (*out_glsl)->api = plan->api->glsl;
    return FOVEA_OK;
}

/* Serves as destroy for structs that own nothing. */
static inline void operator_glsl_free(struct operator_glsl **glsl)
{
    free(*glsl);
    *glsl = NULL;
}

/* Bytes of a buffer. */
struct operator_range {
    uint64_t offset; /* a multiple of what every device can bind at */
    uint64_t bytes;
};

/* The images that passes read and write; after these come the images between. */
enum { OPERATOR_SOURCE, OPERATOR_RESULT, OPERATOR_BETWEEN };

/* Some of the passes have this bound. */
struct operator_step {
    uint32_t reads; /* OPERATOR_SOURCE, or OPERATOR_BETWEEN and up */
    uint32_t writes; /* OPERATOR_RESULT, or OPERATOR_BETWEEN and up; not what it reads */
    bool reads_depths; /* binding 6 is the view's picture of depths, and not of sigmas */
    struct operator_range tables;
};

/* A shader, and what it is specialized to. */
struct operator_shader {
    const struct shader *shader;
    int32_t special[SHADER_SPECIAL_COUNT];
    enum fovea_format format; /* of the pixels that it has; FOVEA_FORMAT_NONE: the images' */
};

/* One dispatch. */
struct operator_pass {
    struct operator_shader shader;
    uint32_t groups[2];
    bool barrier; /* what comes after it reads what it wrote */
    uint32_t step; /* what is bound; of an operator that is no chain 0 */
    uint32_t constant_bytes;
    uint32_t constants[OPERATOR_CONSTANT_BYTES / 4];
};

/* Returns a pass with such push constants. */
static inline struct operator_pass operator_pass_of(struct operator_shader shader,
                                                    const void *constants, size_t bytes)
{
    struct operator_pass pass = {.shader = shader, .constant_bytes = (uint32_t)bytes};
    memcpy(pass.constants, constants, bytes);
    return pass;
}

/* Makes it the one that copies the view as it is, with shader_copy. */
static inline void operator_pass_copies(const struct operator_frame *frame,
                                        struct operator_pass *pass)
{
    const struct shader_copy copy = {{frame->origin_x_px, frame->origin_y_px},
                                     {frame->origin_x_px, frame->origin_y_px},
                                     {frame->width_px, frame->height_px}};
    *pass = operator_pass_of((struct operator_shader){.shader = &shader_copy}, &copy, sizeof copy);
    shader_copy_groups((uint32_t)frame->width_px, (uint32_t)frame->height_px, pass->groups);
}

#define OPERATOR_TEXT_COLUMNS 64
#define OPERATOR_TEXT_ROWS 24
#define OPERATOR_CIRCLES 47
#define OPERATOR_POINTS 16
/* Binding 4: what frames write over a view. The size is a multiple of every alignment that devices
 * ask for. */
struct operator_hud {
    char text[OPERATOR_TEXT_ROWS * OPERATOR_TEXT_COLUMNS]; /* 0 is no character */
    uint32_t circle_count;
    uint32_t point_count;
    uint32_t unused[2];
    float circles[OPERATOR_CIRCLES][4]; /* x, y and radius in pixels of the view */
    float points[OPERATOR_POINTS][4]; /* x and y of a path; the newest comes last */
};
_Static_assert(sizeof(struct operator_hud) % 256 == 0, "slices of a buffer begin at such places");

/* These are drawn over a view. */
struct operator_marks {
    bool marker;
    bool rings;
    bool heatmap;
    float wipe_px; /* 0: none */
    int32_t text_columns;
    int32_t text_rows; /* 0: none */
    int32_t text_scale;
    bool seen; /* circles and points of struct operator_hud */
    int32_t patch_px; /* side of the square in the lower left corner; 0: none */
    bool patch_white;
    bool patch_by_gaze; /* white while the gaze is right of the middle, whatever patch_white says */
};

/* A device allows this much. */
struct operator_glsl_limits {
    uint32_t shared_bytes; /* of a workgroup */
    uint32_t buffer_bytes; /* that a shader may see of a buffer */
};

struct operator_glsl_api {
    /* The plan outlives it. What is made is run by its own api, which may be another one. */
    enum fovea_result (*create)(const struct operator_plan *plan,
                                const struct operator_glsl_limits *limits,
                                struct operator_glsl **out_glsl);
    void (*destroy)(struct operator_glsl **glsl); /* NULL-safe, sets NULL */

    uint64_t (*table_bytes)(const struct operator_glsl *glsl); /* binding 2; never 0 */
    /* Once. They are written in order. */
    void (*fill)(struct operator_glsl *glsl, void *tables);
    /* Binding 3, what passes of that format leave for each other; 0: nothing. */
    uint64_t (*scratch_bytes)(const struct operator_glsl *glsl, enum fovea_format format);

    /* Fills in those of a view of that format; returns how many, at most OPERATOR_MAX_PASSES of an
     * operator and OPERATOR_CHAIN_PASSES of a chain. What was written before them is there. Where
     * the frame's gaze is late, they have every shader that those of any gaze have. */
    uint32_t (*passes)(const struct operator_glsl *glsl, const struct operator_frame *frame,
                       enum fovea_format format, struct operator_pass *out_passes);

    /* The pass that draws over the view what the operator has done to it. NULL, as its shader:
     * there is nothing to show. */
    void (*draw)(const struct operator_glsl *glsl, const struct operator_frame *frame,
                 const struct operator_marks *marks, struct operator_pass *out_pass);
    const struct shader *(*draws)(const struct operator_glsl *glsl); /* its shader */

    /* A chain says what is bound for its passes. NULL, as in operators that are none: one step,
     * which reads the source, writes the result and has the memory whole. */
    uint32_t (*steps)(const struct operator_glsl *glsl,
                      struct operator_step out_steps[OPERATOR_MAX_STEPS]);
};
