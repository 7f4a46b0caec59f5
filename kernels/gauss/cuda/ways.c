/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "ways.h"

#include "kernels/image/pixel_light.h"

/* ---- TILES: their plan is there before ways are asked */

static bool tiles_take(const struct gauss_cuda *cuda, const struct gauss_cuda_plan *plan,
                       enum fovea_format format)
{
    return plan->has_tiles && cuda_kernels_has(cuda->tiles.picture.linear, format);
}

static struct gauss_cuda_bytes tiles_bytes(const struct gauss_cuda *cuda,
                                           const struct gauss_cuda_plan *plan,
                                           enum fovea_format format, uint32_t count)
{
    (void)cuda;
    (void)format;
    (void)count;
    return (struct gauss_cuda_bytes){.levels = gauss_cuda_tiles_level_bytes(&plan->tiles),
                                     .state = (uint64_t)plan->tiles.state_bytes};
}

static enum fovea_result tiles_run(const struct gauss_cuda *cuda,
                                   const struct gauss_cuda_plan *plan,
                                   const struct gauss_cuda_run *run)
{
    return gauss_cuda_tiles_run(&cuda->tiles, cuda->smooth.decimate_half, &plan->tiles, run);
}

/* ---- NODES: of halves. Those of floats are averaged as they are stored, in any light */

static bool nodes_take(const struct gauss_cuda *cuda, const struct gauss_cuda_plan *plan,
                       enum fovea_format format)
{
    return cuda_kernels_has(cuda->nodes.picture.linear, format) &&
           (plan->light_is_plain || !pixel_light_known(format));
}

static enum fovea_result nodes_fill(const struct gauss_plan *source, struct gauss_cuda_plan *plan,
                                    struct operator_cuda_part *out_table)
{
    return gauss_nodes_fill(source, &plan->nodes, out_table);
}

static struct gauss_cuda_bytes nodes_bytes(const struct gauss_cuda *cuda,
                                           const struct gauss_cuda_plan *plan,
                                           enum fovea_format format, uint32_t count)
{
    const bool whole =
        gauss_nodes_are_whole(&cuda->nodes, &plan->nodes, format, plan->blurs_alpha, count);
    return (struct gauss_cuda_bytes){.levels = whole ? 0 : gauss_nodes_level_bytes(&plan->nodes),
                                     .whole = whole};
}

static enum fovea_result nodes_run(const struct gauss_cuda *cuda,
                                   const struct gauss_cuda_plan *plan,
                                   const struct gauss_cuda_run *run)
{
    return gauss_nodes_run(&cuda->nodes, &plan->nodes, run);
}

/* ---- LIGHT: wide light, by nodes of halves */

static bool light_takes(const struct gauss_cuda *cuda, const struct gauss_cuda_plan *plan,
                        enum fovea_format format)
{
    return cuda_kernels_has(cuda->smooth.light_picture.linear, format) && !plan->light_is_plain;
}

static enum fovea_result light_fill(const struct gauss_plan *source, struct gauss_cuda_plan *plan,
                                    struct operator_cuda_part *out_table)
{
    return gauss_light_fill(source, &plan->light, out_table);
}

static struct gauss_cuda_bytes light_bytes(const struct gauss_cuda *cuda,
                                           const struct gauss_cuda_plan *plan,
                                           enum fovea_format format, uint32_t count)
{
    (void)cuda;
    (void)count;
    const uint32_t channels = gauss_nodes_channels(format, plan->blurs_alpha);
    return (struct gauss_cuda_bytes){
        .levels = (gauss_nodes_whole_bytes(&plan->light, channels) + 15) / 16 * 16};
}

static enum fovea_result light_run(const struct gauss_cuda *cuda,
                                   const struct gauss_cuda_plan *plan,
                                   const struct gauss_cuda_run *run)
{
    return gauss_light_run(&cuda->smooth, &cuda->nodes, &plan->light, run);
}

/* ---- WIDE: nodes of floats */

static bool wide_takes(const struct gauss_cuda *cuda, const struct gauss_cuda_plan *plan,
                       enum fovea_format format)
{
    (void)plan;
    return cuda_kernels_has(cuda->smooth.picture.linear, format);
}

static enum fovea_result wide_fill(const struct gauss_plan *source, struct gauss_cuda_plan *plan,
                                   struct operator_cuda_part *out_table)
{
    plan->wide_samples = source->level_samples;
    return gauss_wide_fill(source, &plan->smooth, out_table);
}

static struct gauss_cuda_bytes wide_bytes(const struct gauss_cuda *cuda,
                                          const struct gauss_cuda_plan *plan,
                                          enum fovea_format format, uint32_t count)
{
    (void)cuda;
    (void)format;
    (void)count;
    return (struct gauss_cuda_bytes){.levels = gauss_wide_level_bytes(plan->wide_samples)};
}

static enum fovea_result wide_run(const struct gauss_cuda *cuda, const struct gauss_cuda_plan *plan,
                                  const struct gauss_cuda_run *run)
{
    return gauss_cuda_smooth_run(&cuda->smooth, &plan->smooth, run);
}

const struct gauss_cuda_way gauss_cuda_ways[GAUSS_CUDA_WAYS] = {
    [GAUSS_CUDA_TILES] = {tiles_take, NULL, tiles_bytes, tiles_run},
    [GAUSS_CUDA_NODES] = {nodes_take, nodes_fill, nodes_bytes, nodes_run},
    [GAUSS_CUDA_LIGHT] = {light_takes, light_fill, light_bytes, light_run},
    [GAUSS_CUDA_WIDE] = {wide_takes, wide_fill, wide_bytes, wide_run},
};
