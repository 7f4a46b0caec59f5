/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine on Vulkan, run on layers: its levels and nodes from samples to samples. */

#include "gauss_operator.h"
#include "kernels/gauss/glsl/gauss_shaders.h"

/* Any wide light stands for all. */
static void set(struct operator_pass *pass, const struct shader *shader, bool wide,
                const struct smooth_constants *constants)
{
    const struct operator_shader special = {.shader = shader,
                                            .special = {wide ? IMAGE_LIGHT_PQ : IMAGE_LIGHT_STORED},
                                            .format = FOVEA_FORMAT_RGBA16F};
    *pass = operator_pass_of(special, constants, sizeof *constants);
    pass->barrier = true;
}

uint32_t gauss_layer_passes(const struct gauss_plan *plan, const struct gauss_layer *layer,
                            struct operator_pass *out_passes)
{
    struct smooth_constants constants = {.frame = {.width_px = (int32_t)plan->width_px,
                                                   .height_px = (int32_t)plan->height_px,
                                                   .blur_alpha = 1},
                                         .level_count = (int32_t)plan->level_count,
                                         .layer_sigmas = (int32_t)layer->sigmas,
                                         .layer_made = (int32_t)layer->made,
                                         .layer_wanted = (int32_t)layer->wanted};
    uint32_t count = 0;
    for (constants.level = 1; constants.level < constants.level_count; constants.level += 2) {
        struct operator_pass *pass = &out_passes[count++];
        set(pass, &gauss_shader_levels_layered, layer->wide, &constants);
        gauss_shader_levels_groups(&constants.frame, constants.level,
                                   constants.level + 1 >= constants.level_count, pass->groups);
    }
    set(&out_passes[count], &gauss_shader_nodes_layered, layer->wide, &constants);
    shader_pixel_groups(plan->width_px, plan->height_px, out_passes[count].groups);
    return count + 1;
}
