/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields on Vulkan: tables, and compute passes as data, for who has the device
 * (plugin/lightfield_vk/). */
#pragma once

#include "kernels/lightfield/lightfield.h"
#include "kernels/operator/operator_glsl.h"
#include "lightfield_shaders.h"

#define LIGHTFIELD_COST_BYTES (sizeof(float) * LIGHTFIELD_SIZES_MAX) /* of a search */

/* All passes of an object have this in common. */
struct lightfield_glsl {
    struct fovea_lightfield_geometry geometry;
    uint32_t width_px, height_px; /* of pictures */
};

/* The raw picture of a call. */
struct lightfield_glsl_raw {
    bool is_grey;
    uint32_t most; /* the level that its format has as 1 */
    uint32_t maximum;
    enum fovea_lightfield_bayer bayer; /* of a grey one */
};

/* The picture of a call; sums have no patch sizes. */
struct lightfield_glsl_picture {
    enum fovea_format format; /* of frames, or RGBA32F */
    bool blue_first;
    bool has_patches;
};

/* A depth writes these. */
enum lightfield_glsl_output { LIGHTFIELD_GLSL_DEPTH, LIGHTFIELD_GLSL_CONFIDENCE };

size_t lightfield_glsl_table_bytes(const struct lightfield_glsl *glsl);
/* In order; nothing is read. */
void lightfield_glsl_fill(const struct lightfield_glsl *glsl, void *tables);

void lightfield_glsl_render(const struct lightfield_glsl *glsl,
                            const struct lightfield_glsl_raw *raw,
                            const struct fovea_lightfield_rendering *rendering,
                            const struct lightfield_glsl_picture *picture,
                            struct operator_pass *out_pass);
void lightfield_glsl_sum(const struct lightfield_glsl *glsl, const struct lightfield_glsl_raw *raw,
                         const struct fovea_lightfield_sum *sum,
                         const struct lightfield_glsl_picture *picture,
                         struct operator_pass *out_pass);
/* Costs, what is in focus, the picture: a barrier behind each. */
#define LIGHTFIELD_GLSL_REFOCUS_PASSES 3
void lightfield_glsl_refocus(const struct lightfield_glsl *glsl,
                             const struct lightfield_glsl_raw *raw,
                             const struct fovea_lightfield_refocusing *refocusing,
                             const struct lightfield_glsl_picture *picture,
                             struct operator_pass out_passes[LIGHTFIELD_GLSL_REFOCUS_PASSES]);

/* Rows of a picture that are made at once. */
struct lightfield_glsl_rows {
    uint32_t cost_first, cost_count; /* that there are costs of */
    uint32_t first, count; /* that are written */
};

/* Says whether costs are kept, for a confidence or the box. */
static inline bool lightfield_glsl_keeps(const struct fovea_lightfield_matching *matching,
                                         bool confidence)
{
    return confidence || matching->box != 0;
}

/* Bytes of costs of a row. */
static inline uint64_t lightfield_glsl_row_bytes(const struct lightfield_glsl *glsl,
                                                 const struct fovea_lightfield_matching *matching)
{
    return sizeof(float) * (uint64_t)glsl->width_px * lightfield_size_count(matching);
}

/* Returns as many rows from `first` on as costs of cost_rows allow. */
struct lightfield_glsl_rows lightfield_glsl_rows_from(
    const struct lightfield_glsl *glsl, const struct fovea_lightfield_matching *matching,
    uint32_t first, uint32_t cost_rows);
/* Costs that are kept, or else depths at once. */
void lightfield_glsl_match(const struct lightfield_glsl *glsl,
                           const struct lightfield_glsl_raw *raw,
                           const struct fovea_lightfield_matching *matching,
                           const struct lightfield_glsl_rows *rows, bool keep,
                           struct operator_pass *out_pass);
/* Comes after these. */
void lightfield_glsl_choose(const struct lightfield_glsl *glsl,
                            const struct fovea_lightfield_matching *matching,
                            const struct lightfield_glsl_rows *rows,
                            enum lightfield_glsl_output output, struct operator_pass *out_pass);
