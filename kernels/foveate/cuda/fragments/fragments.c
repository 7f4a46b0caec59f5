/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fragments.h"

#include "core/log.h"
#include "kernels/foveate/cuda/nodes/plan.h"
#include "kernels/foveate/grid.h"
#include "kernels/image/pixel_float.h"

#include <stdlib.h>
#include <string.h>

extern const unsigned char foveate_fragments_fatbin[];

_Static_assert(sizeof(struct foveate_fragments_linear_params) <= 4096,
               "more than a launch carries");

#define TILE FOVEATE_NODES_TILE_PX
#define DEPTHS FOVEATE_FRAGMENTS_DEPTHS

static const uint32_t formats = 1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_RGB8 |
                                1u << FOVEA_FORMAT_R8 | 1u << FOVEA_FORMAT_A2B10G10R10;

enum fovea_result foveate_fragments_load(const struct cuda_device *device,
                                         struct foveate_fragments_kernels *out_kernels)
{
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_fragments_fatbin));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "fragments_level_0", formats,
                               &out_kernels->level_0));
    return cuda_kernels_get(device, out_kernels->module, "fragments_picture", formats,
                            &out_kernels->picture);
}

void foveate_fragments_unload(const struct cuda_device *device,
                              struct foveate_fragments_kernels *kernels)
{
    if (kernels->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->module));
    }
}

/* ---- Tables: the matrix that makes levels, then for either depth filters and weights --------- */

static size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Filters for 10 bits are those for 8 if nothing asks for more. */
static bool is_shared(const struct foveate_plan *plan, int depth)
{
    return depth > 0 && foveate_plan_light(plan) == IMAGE_LIGHT_STORED;
}

static size_t filter_bytes(const struct foveate_plan *plan)
{
    return aligned(plan->ring_count * sizeof(struct foveate_fragment_filter));
}

/* A row on the device is an even number of samples from an even one on, which may lie before the
 * filter's own first. */
static int32_t even_count(const struct foveate_fragment_filter *filter)
{
    return (filter->count + 2) & ~1;
}

static uint32_t weight_count(const struct foveate_fragment_filter *filter)
{
    return (uint32_t)even_count(filter) << (filter->level + 1);
}

static size_t weight_bytes(const struct foveate_plan *plan,
                           const struct foveate_fragment_filters *filters)
{
    size_t halves = 0;
    for (uint32_t i = 0; i < plan->ring_count; i++) {
        halves += weight_count(&filters->filters[i]);
    }
    return aligned(halves * sizeof(uint16_t));
}

/* Rounds weights to halves. From the largest outwards each weight takes up what rounding has left
 * of the one two samples nearer, so that the weights of even samples keep their sum, and those of
 * odd ones: flat pictures and stripes a pixel wide are averaged as by the weights themselves. */
static void put_row(const float *weights, int32_t count, uint16_t *out)
{
    int32_t largest = 0;
    for (int32_t i = 1; i < count; i++) {
        largest = weights[i] > weights[largest] ? i : largest;
    }
    double left[2] = {0.0, 0.0};
    for (int32_t distance = 0; distance < count; distance++) {
        for (int32_t side = distance > 0 ? -1 : 1; side <= 1; side += 2) {
            const int32_t i = largest + side * distance;
            if (i < 0 || i >= count) {
                continue;
            }
            const double weight = (double)weights[i] + left[i % 2];
            out[i] = pixel_float_to_half((float)weight);
            left[i % 2] = weight - (double)pixel_half_to_float(out[i]);
        }
    }
}

/* `out_halves` is zero on entry. */
static void put_filters(const struct foveate_plan *plan,
                        const struct foveate_fragment_filters *filters,
                        struct foveate_fragment_filter *out_filters, uint16_t *out_halves)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < plan->ring_count; i++) {
        const struct foveate_fragment_filter *filter = &filters->filters[i];
        const int32_t count = even_count(filter);
        for (int32_t px = 0; px < 2 << filter->level; px++) {
            put_row(filters->weights + foveate_fragment_row(filter, px), filter->count,
                    out_halves + first + px * count + (foveate_fragment_first(filter, px) & 1));
        }
        out_filters[i] = *filter;
        out_filters[i].count = count;
        out_filters[i].first = first;
        first += weight_count(filter);
    }
}

/* Returns whether a window holds what a unit sees. */
static bool fits(const struct foveate_plan *plan, const struct foveate_fragment_filters *filters)
{
    for (uint32_t i = 0; filters->filters && i < plan->ring_count; i++) {
        const struct foveate_fragment_filter *filter = &filters->filters[i];
        if (filter->count + (TILE >> filter->level) + 4 > 16 * FOVEATE_FRAGMENTS_STEPS) {
            return false;
        }
    }
    return true;
}

static enum fovea_result put_tables(const struct foveate_plan *plan,
                                    const struct foveate_fragment_filters filters[DEPTHS],
                                    struct foveate_nodes *nodes, struct foveate_fragments *out,
                                    struct foveate_fragments_tables *tables)
{
    size_t at = aligned(foveate_nodes_matrix_bytes(nodes));
    for (int i = 0; i < DEPTHS; i++) {
        if (is_shared(plan, i)) {
            out->filters[i] = out->filters[0];
            out->weights[i] = out->weights[0];
            continue;
        }
        out->filters[i] = at;
        out->weights[i] = at + filter_bytes(plan);
        at += filter_bytes(plan) + weight_bytes(plan, &filters[i]);
    }
    tables->bytes = at;
    tables->memory = calloc(1, tables->bytes);
    if (!tables->memory) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    unsigned char *memory = tables->memory;
    foveate_nodes_fill_matrices(nodes, tables->memory);
    for (int i = 0; i < DEPTHS && !is_shared(plan, i); i++) {
        put_filters(plan, &filters[i], (struct foveate_fragment_filter *)(memory + out->filters[i]),
                    (uint16_t *)(memory + out->weights[i]));
    }
    return FOVEA_OK;
}

static void cut_fragments(const struct foveate_plan *plan, struct foveate_fragments *out)
{
    const int32_t side_px = (int32_t)plan->fragment_px;
    out->together = side_px < TILE ? TILE / side_px : 1;
    out->parts = (side_px + TILE - 1) / TILE;
    out->part_px = (side_px + out->parts - 1) / out->parts;
    out->per_px = (65536 + side_px - 1) / side_px;
}

enum fovea_result foveate_fragments_fill(const struct foveate_plan *plan,
                                         struct foveate_nodes *out_nodes,
                                         struct foveate_fragments *out_fragments,
                                         struct foveate_fragments_tables *out_tables)
{
    struct foveate_fragment_filters filters[DEPTHS] = {{0}};
    enum fovea_result result = FOVEA_OK;
    *out_tables = (struct foveate_fragments_tables){0};
    *out_fragments = (struct foveate_fragments){0};
    *out_nodes = (struct foveate_nodes){.law = plan->law};
    for (int i = 0; i < DEPTHS && !is_shared(plan, i) && result == FOVEA_OK; i++) {
        result = foveate_fragment_filters_init(&filters[i], plan, i == 0 ? 8 : 10);
    }
    if (result == FOVEA_OK && fits(plan, &filters[0]) && fits(plan, &filters[1])) {
        out_nodes->level_count = filters[0].level_count > filters[1].level_count
                                     ? filters[0].level_count
                                     : filters[1].level_count;
        out_nodes->spans[FOVEATE_NODES_LEVELS].step = FOVEATE_NODES_STEPS_BELOW;
        foveate_nodes_lay_levels(plan, 0, out_nodes);
        cut_fragments(plan, out_fragments);
        result = put_tables(plan, filters, out_nodes, out_fragments, out_tables);
    }
    for (int i = 0; i < DEPTHS; i++) {
        foveate_fragment_filters_finish(&filters[i]);
    }
    return result;
}

void foveate_fragments_place(struct foveate_nodes *nodes, struct foveate_fragments *fragments,
                             CUdeviceptr tables)
{
    nodes->matrices = tables;
    for (int i = 0; i < DEPTHS; i++) {
        fragments->filters[i] += tables;
        fragments->weights[i] += tables;
    }
}

/* ---- Launches -------------------------------------------------------------------------------- */

struct stages {
    CUfunction level_0;
    CUfunction picture;
    enum fovea_format format;
    uint32_t sources;
    uint32_t images;
    void *params;
};

/* Counts blocks for the gaze that shifts the grid furthest, so that the grid does not depend on
 * it. */
static uint32_t count_blocks(const struct foveate_fragments_run *run, int32_t size_px,
                             int32_t of_a_block)
{
    const int32_t side_px = run->nodes.frame->fragment_px;
    const int32_t parts = foveate_grid_count(size_px, side_px, side_px - 1) * run->fragments->parts;
    return foveate_nodes_parts(parts, of_a_block);
}

static enum fovea_result launch_all(const struct foveate_fragments_run *run,
                                    const struct stages *stages)
{
    const struct cuda_device *device = run->nodes.device;
    const struct foveate_frame *frame = run->nodes.frame;
    const struct foveate_nodes_level *level = &run->nodes.nodes->levels[0];
    const uint32_t threads = 32 * FOVEATE_NODES_WARPS;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(
               stages->level_0, foveate_nodes_parts(level->pairs, FOVEATE_FRAGMENTS_LEVEL_PAIRS),
               foveate_nodes_parts(level->rows, FOVEATE_FRAGMENTS_LEVEL_ROWS), stages->sources,
               FOVEATE_FRAGMENTS_LEVEL_PAIRS / 2, 1, 1, 0, run->nodes.stream,
               (void *[]){stages->params}, NULL));
    FOVEA_TRY(foveate_nodes_further_levels(&run->nodes, stages->format, stages->sources, 1));
    CU_TRY(
        device->log, device->cu,
        device->cu->LaunchKernel(
            stages->picture,
            count_blocks(run, frame->width_px, FOVEATE_FRAGMENTS_UNITS * run->fragments->together),
            count_blocks(run, frame->height_px, FOVEATE_NODES_WARPS), stages->images, threads, 1, 1,
            0, run->nodes.stream, (void *[]){stages->params}, NULL));
    return FOVEA_OK;
}

enum fovea_result foveate_fragments_surface(const struct foveate_fragments_run *run,
                                            enum fovea_format format, CUsurfObject src,
                                            CUsurfObject dst)
{
    struct foveate_fragments_surface_params params = {.frame = *run->nodes.frame,
                                                      .nodes = *run->nodes.nodes,
                                                      .fragments = *run->fragments,
                                                      .batch = {.gazes = run->nodes.gazes},
                                                      .src = src,
                                                      .dst = dst};
    const struct stages stages = {run->kernels->level_0.surface[format],
                                  run->kernels->picture.surface[format],
                                  format,
                                  1,
                                  1,
                                  &params};
    return launch_all(run, &stages);
}

enum fovea_result foveate_fragments_linear(const struct foveate_fragments_run *run,
                                           enum fovea_format format,
                                           const struct foveate_cuda_slice *slice)
{
    struct foveate_fragments_linear_params params = {.frame = *run->nodes.frame,
                                                     .nodes = *run->nodes.nodes,
                                                     .fragments = *run->fragments,
                                                     .batch = slice->batch,
                                                     .src = slice->src,
                                                     .dst = slice->dst};
    const struct stages stages = {run->kernels->level_0.linear[format],
                                  run->kernels->picture.linear[format],
                                  format,
                                  slice->batch.src_next_bytes == 0 ? 1 : slice->count,
                                  slice->count,
                                  &params};
    return launch_all(run, &stages);
}
