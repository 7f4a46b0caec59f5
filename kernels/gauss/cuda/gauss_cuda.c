/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine as an operator on CUDA: its kernels, and plans. */

#include "gauss_cuda.h"

#include "kernels/image/pixel.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

/* ---- Kernels */

/* Somebody has built for other cards than this one. */
static enum fovea_result tell_of_old_code(const struct gauss_cuda *gauss)
{
    const struct cuda_device *device = gauss->base.device;
    int major = 0;
    int architecture = 0;
    FOVEA_TRY(cuda_device_architecture_of(device, gauss->nodes.picture.linear[FOVEA_FORMAT_RGBA8],
                                          &architecture));
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                          device->handle));
    if (architecture < CUDA_MMA_ARCHITECTURE && major >= 8) {
        log_info(device->log,
                 "cuda: this build has code of architecture %d.%d at most for %s, and leaves its "
                 "tensor cores idle (FOVEA_CUDA_ARCHITECTURES)",
                 architecture / 10, architecture % 10, device->name);
    }
    return FOVEA_OK;
}

static enum fovea_result load(struct operator_cuda *cuda)
{
    struct gauss_cuda *gauss = gauss_cuda_of(cuda);
    const struct cuda_device *device = cuda->device;
    gauss_cuda_set_tile_slope(cuda, GAUSS_TILE_MAX_SLOPE);
    FOVEA_TRY(gauss_cuda_smooth_load(device, &gauss->smooth));
    FOVEA_TRY(gauss_cuda_tiles_load(device, &gauss->tiles));
    FOVEA_TRY(gauss_nodes_load(device, &gauss->nodes));
    FOVEA_TRY(tell_of_old_code(gauss));
    FOVEA_TRY(gaze_cuda_load(device, &gauss->gaze));
    return operator_cuda_make_upload(cuda);
}

static void unload(struct operator_cuda *cuda)
{
    struct gauss_cuda *gauss = gauss_cuda_of(cuda);
    const struct cuda_device *device = cuda->device;
    gaze_cuda_unload(device, &gauss->gaze);
    gauss_nodes_unload(device, &gauss->nodes);
    gauss_cuda_tiles_unload(device, &gauss->tiles);
    gauss_cuda_smooth_unload(device, &gauss->smooth);
}

/* ---- Plans */

/* The law's table, then the light's samples. Kernels look behind it even where there are none. */
static enum fovea_result make_table(const struct gauss_plan *source, struct gauss_cuda_plan *plan,
                                    struct operator_cuda_part *out_table)
{
    const size_t law_count = (size_t)source->law.table_count;
    const size_t count = law_count + gauss_plan_light_samples(source) + 1;
    float *table = calloc(count, sizeof *table);
    *out_table = (struct operator_cuda_part){&plan->smooth.table, table, count * sizeof *table};
    FOVEA_TRY_MEMORY(table);
    if (law_count > 0) {
        memcpy(table, source->law_table, law_count * sizeof *table);
    }
    gauss_plan_fill_light(source, table + law_count);
    return FOVEA_OK;
}

/* Levels of halves do not hold 32-bit floats. Finds what a frame of any format needs. */
static void choose_ways(const struct gauss_cuda *gauss, enum fovea_format format,
                        struct gauss_cuda_plan *plan, bool out_used[GAUSS_CUDA_WAYS])
{
    const bool all = pixel_has_32_bit_floats(format);
    for (int i = 0; i < CUDA_FORMATS; i++) {
        for (int k = 0; k < GAUSS_CUDA_WAYS && !plan->ways[i]; k++) {
            if ((all || !pixel_has_32_bit_floats(i)) && gauss_cuda_ways[k].takes(gauss, plan, i)) {
                plan->ways[i] = &gauss_cuda_ways[k];
                out_used[k] = true;
            }
        }
    }
}

static struct gauss_cuda_bytes frame_bytes(const struct gauss_cuda *gauss,
                                           const struct gauss_cuda_plan *plan)
{
    struct gauss_cuda_bytes most = {0};
    for (int i = 0; i < CUDA_FORMATS; i++) {
        if (plan->ways[i]) {
            const struct gauss_cuda_bytes bytes = plan->ways[i]->bytes(gauss, plan, i, 1);
            most.levels = bytes.levels > most.levels ? bytes.levels : most.levels;
            most.state = bytes.state > most.state ? bytes.state : most.state;
        }
    }
    return most;
}

/* Those of the ways that are used, then the law's. */
static enum fovea_result fill_tables(const struct gauss_plan *source,
                                     const bool used[GAUSS_CUDA_WAYS], struct gauss_cuda_plan *plan,
                                     struct operator_cuda_part out_tables[GAUSS_CUDA_WAYS + 1])
{
    FOVEA_TRY(make_table(source, plan, &out_tables[GAUSS_CUDA_WAYS]));
    for (int k = 0; k < GAUSS_CUDA_WAYS; k++) {
        if (used[k] && gauss_cuda_ways[k].fill) {
            FOVEA_TRY(gauss_cuda_ways[k].fill(source, plan, &out_tables[k]));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result upload(struct gauss_cuda *gauss, struct gauss_cuda_plan *plan,
                                const struct operator_cuda_part tables[GAUSS_CUDA_WAYS + 1])
{
    const struct gauss_cuda_bytes bytes = frame_bytes(gauss, plan);
    struct operator_cuda_part parts[GAUSS_CUDA_WAYS + 3] = {{&plan->levels, NULL, bytes.levels},
                                                            {&plan->state, NULL, bytes.state}};
    size_t count = 2;
    for (int k = 0; k <= GAUSS_CUDA_WAYS; k++) {
        if (tables[k].bytes > 0) {
            parts[count++] = tables[k];
        }
    }
    FOVEA_TRY(operator_cuda_plan_fill(&gauss->base, &plan->base, parts, count));
    plan->smooth.matrices = plan->smooth.nodes + GAUSS_WIDE_NODES_BYTES;
    plan->tiles.table = plan->nodes.table = plan->light.table = plan->smooth.table;
    plan->states_dirty = true;
    return FOVEA_OK;
}

static enum fovea_result fill(struct gauss_cuda *gauss, const struct gauss_plan *source,
                              enum fovea_format format, struct gauss_cuda_plan *plan)
{
    struct operator_cuda_part tables[GAUSS_CUDA_WAYS + 1] = {0};
    bool used[GAUSS_CUDA_WAYS] = {false};
    plan->light_is_plain = gauss_plan_light(source) <= IMAGE_LIGHT_SRGB;
    plan->blurs_alpha = source->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
    plan->looks_at_gaze = source->base.api->looks_at_gaze;
    plan->has_tiles = plan->light_is_plain && !plan->blurs_alpha &&
                      gauss_cuda_tiles_plan(source, gauss->tile_slope, &plan->tiles);
    choose_ways(gauss, format, plan, used);
    enum fovea_result result = fill_tables(source, used, plan, tables);
    if (result == FOVEA_OK) {
        result = upload(gauss, plan, tables);
    }
    for (int k = 0; k <= GAUSS_CUDA_WAYS; k++) {
        free((void *)(uintptr_t)tables[k].from);
    }
    return result;
}

static enum fovea_result plan_fill(struct operator_cuda *cuda, const struct operator_plan *source,
                                   enum fovea_format format, struct operator_cuda_plan *plan)
{
    return fill(gauss_cuda_of(cuda), gauss_plan_of(source), format, gauss_cuda_plan_of(plan));
}

const struct operator_cuda_api gauss_operator_cuda = {
    .kind = {.bytes = sizeof(struct gauss_cuda),
             .plan_bytes = sizeof(struct gauss_cuda_plan),
             .load = load,
             .unload = unload,
             .plan_fill = plan_fill},
    .reserve = gauss_cuda_reserve,
    .run_linear = gauss_cuda_run_linear,
    .run_surface = gauss_cuda_run_surface,
};
