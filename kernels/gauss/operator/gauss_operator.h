/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine's backends as operators have them: gauss_operator_cuda (gauss/gauss.h), and these. */
#pragma once

#include "kernels/gauss/gauss.h"
#include "kernels/operator/operator_glsl.h"

/* For operators whose plan begins with a struct gauss_plan: its backends, as they are. */
extern const struct operator_glsl_api gauss_machine_glsl;

/* Its entries, for an operator that draws something over the machine's picture. */
FOVEA_MUST_CHECK enum fovea_result gauss_glsl_create(const struct operator_plan *plan,
                                                     const struct operator_glsl_limits *limits,
                                                     struct operator_glsl **out_glsl);
uint64_t gauss_glsl_table_bytes(const struct operator_glsl *glsl);
void gauss_glsl_fill(struct operator_glsl *glsl, void *tables);
uint64_t gauss_glsl_scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format);
uint32_t gauss_glsl_passes(const struct operator_glsl *glsl, const struct operator_frame *view,
                           enum fovea_format format, struct operator_pass *out_passes);
#define GAUSS_MACHINE_GLSL                                                                         \
    .create = gauss_glsl_create, .destroy = operator_glsl_free,                                    \
    .table_bytes = gauss_glsl_table_bytes, .fill = gauss_glsl_fill,                                \
    .scratch_bytes = gauss_glsl_scratch_bytes, .passes = gauss_glsl_passes

/* The machine on Vulkan, run on layers: pictures of four halves a pixel, which whoever needs them
 * writes as level 0 among the samples of a plan of pictures of sigmas. What is made and the sigmas
 * lie there too, behind the machine's own samples: an uvec2 a pixel, row by row, where a sigma is
 * the bits of a float in y. Passes have the tables of gauss_machine_glsl. */
struct gauss_layer {
    uint32_t sigmas; /* the first */
    uint32_t made;
    uint32_t wanted; /* a sample whose word x is 0 where nothing needs the layer: it is not made */
    bool wide; /* its colours are of light that is (image_light_is_wide) */
};
/* Returns how many; at most so many. What reads the result comes after them. */
#define GAUSS_MAX_LAYER_PASSES (GAUSS_MAX_LEVELS / 2 + 1)
uint32_t gauss_layer_passes(const struct gauss_plan *plan, const struct gauss_layer *layer,
                            struct operator_pass *out_passes);

extern const struct operator_host_api gauss_operator_host;
