/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs on Vulkan: tables, and compute passes as data, for who has the device (plugin/blobs_vk/).
 */
#pragma once

#include "kernels/operator/operator_glsl.h"
#include "kernels/saliency/plan.h"
#include "saliency_shaders.h"

#define SALIENCY_GLSL_WAYS 2 /* pictures of one channel, and of three */

/* The passes of a picture. */
struct saliency_glsl_way {
    struct operator_pass *passes;
    uint32_t count, capacity;
};

/* It is made for pictures of a size. */
struct saliency_glsl {
    struct saliency_constants constants;
    struct saliency_glsl_way ways[SALIENCY_GLSL_WAYS];
    int32_t *tables;
    uint32_t table_count;
    uint64_t plane_bytes, work_bytes; /* of buffers */
    uint64_t plane_most; /* wanted at most, where one plane is less */
};

FOVEA_MUST_CHECK enum fovea_result saliency_glsl_create(const struct saliency_numbers *numbers,
                                                        uint32_t width_px, uint32_t height_px,
                                                        uint64_t plane_bytes_most,
                                                        struct saliency_glsl **out_glsl);
void saliency_glsl_destroy(struct saliency_glsl **glsl);

const struct saliency_glsl_way *saliency_glsl_way_of(const struct saliency_glsl *glsl,
                                                     bool is_grey);
/* most: the level that the picture's format has as 1; 0: of floats */
static inline struct operator_pass saliency_glsl_pass_of(const struct operator_pass *pass,
                                                         int32_t most)
{
    struct operator_pass own = *pass;
    own.constants[offsetof(struct saliency_constants, most) / sizeof own.constants[0]] =
        (uint32_t)most;
    return own;
}
/* After a picture's passes: a map of responses of a scale. */
void saliency_glsl_map(const struct saliency_glsl *glsl, uint32_t scale,
                       struct operator_pass *out_pass);
