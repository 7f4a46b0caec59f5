/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate in the table of operators. */
#ifndef FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H
#define FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H

#include "kernels/foveate/foveate.h"
#include "kernels/operator/operator_glsl.h"

extern const struct operator_api foveate_operator;
extern const struct operator_glsl_api foveate_operator_glsl;

/* For operators whose plan begins with a struct foveate_plan: its backends, the shaders without
 * what foveate draws over a picture; foveate_operator_cuda serves as it is. */
extern const struct operator_glsl_api foveate_machine_glsl;

/* The machine on Vulkan, run on layers: pictures of four halves a pixel, which whoever needs them
 * writes as level 0 among the samples of a plan of pictures of sigmas. What is made and the sigmas
 * lie there too, behind the machine's own samples: an uvec2 a pixel, row by row, where a sigma is
 * the bits of a float in y. Passes have the tables of foveate_machine_glsl. */
struct foveate_layer {
    uint32_t sigmas; /* the first */
    uint32_t made;
    bool wide; /* its colours are of light that is (image_light_is_wide) */
};
/* Both return how many; at most so many. What reads the result comes after them. */
#define FOVEATE_MAX_LAYER_PASSES (FOVEATE_MAX_LEVELS / 2 + 1)
uint32_t foveate_layer_shaders(bool wide, struct operator_shader *out_shaders);
uint32_t foveate_layer_passes(const struct foveate_plan *plan, const struct foveate_layer *layer,
                              struct operator_pass *out_passes);

FOVEA_MUST_CHECK enum fovea_result foveate_host_create(struct thread_pool *pool,
                                                       const struct operator_plan *plan,
                                                       struct operator_host **out_host);
void foveate_host_destroy(struct operator_host **host);
FOVEA_MUST_CHECK enum fovea_result foveate_host_reserve(struct operator_host *host,
                                                        const struct operator_images *images);
void foveate_host_run(struct operator_host *host, const struct operator_images *images,
                      const struct operator_frame *frame);

#endif
