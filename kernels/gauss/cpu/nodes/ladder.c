/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "ladder.h"

#include "core/large_memory.h"

#include <stdlib.h>

#define PX GAUSS_CPU_NODE_PX
#define LINE 16 /* floats of a cache line */
/* Nodes go beyond the largest sigma: a pixel blends four nodes, six apart. */
#define BEYOND 14

_Static_assert((1 << (GAUSS_MAX_LEVELS - 1)) / PX <= GAUSS_CPU_NODE_PHASES,
               "every way in which a tile lies on the coarsest level");

static int32_t phase_count(int32_t level)
{
    return 1 << level > PX ? (1 << level) / PX : 1;
}

static size_t floats_of(const struct gauss_node *node, double reach)
{
    const int32_t taps = gauss_node_taps(node, reach);
    const int32_t samples = taps + (PX >> node->level) + 2; /* at most */
    return (size_t)phase_count(node->level) * (size_t)samples * PX;
}

static float *fill_phase(const struct gauss_node *node, double reach, int32_t phase,
                         struct gauss_cpu_node *out, float *memory)
{
    struct gauss_cpu_node_phase *to = &out->phases[phase];
    struct gauss_node_row row;
    gauss_node_row_of(node, reach, phase * PX + PX - 1, &row);
    const int32_t end = row.first + row.count;
    gauss_node_row_of(node, reach, phase * PX + 0, &row);
    to->first = row.first;
    to->count = end - row.first > out->taps ? end - row.first : out->taps;
    float *columns = memory;
    for (int32_t x = 0; x < PX; x++) {
        gauss_node_row_of(node, reach, phase * PX + x, &row);
        const int32_t at = row.first - to->first;
        const int32_t most = to->count - out->taps; /* so that zeros are not taken for samples */
        to->row_first[x] = at < most ? at : most;
        for (int32_t i = at; i < at + row.count; i++) {
            columns[(ptrdiff_t)i * PX + x] = (float)row.weights[i - at];
        }
    }
    to->columns = columns;
    return columns + (ptrdiff_t)to->count * PX;
}

/* Returns the most samples that a pixel of the tile sees, whatever the tile's phase. */
static int32_t most_taps(const struct gauss_node *node, double reach)
{
    struct gauss_node_row row;
    int32_t most = 0;
    for (int32_t phase = 0; phase < phase_count(node->level); phase++) {
        for (int32_t x = 0; x < PX; x++) {
            gauss_node_row_of(node, reach, phase * PX + x, &row);
            most = row.count > most ? row.count : most;
        }
    }
    return most;
}

static float *fill_node(const struct gauss_node *node, double reach, struct gauss_cpu_node *out,
                        float *memory)
{
    out->level = node->level;
    out->taps = most_taps(node, reach);
    for (int32_t phase = 0; phase < phase_count(node->level); phase++) {
        memory = fill_phase(node, reach, phase, out, memory);
    }
    return memory;
}

enum fovea_result gauss_cpu_ladder_init(struct gauss_cpu_ladder *ladder,
                                        const struct gauss_plan *plan, float sigma_max_px)
{
    const int32_t light = gauss_plan_light(plan);
    const double reach = (double)gauss_light_reach(light);
    const int32_t levels = (int32_t)plan->level_count;
    const float place = gauss_light_place(light, sigma_max_px);
    const int32_t last = (int32_t)place + BEYOND;
    *ladder = (struct gauss_cpu_ladder){
        .count = last + 1 < GAUSS_LADDER_NODES ? last + 1 : GAUSS_LADDER_NODES,
    };
    size_t floats = LINE;
    for (int32_t i = 0; i < ladder->count; i++) {
        const struct gauss_node node = gauss_plan_node(plan, i, light, levels);
        floats += floats_of(&node, gauss_node_reach(&node, reach));
    }
    ladder->nodes = calloc((size_t)ladder->count, sizeof *ladder->nodes);
    ladder->memory = large_memory_make(floats, sizeof *ladder->memory);
    if (!ladder->nodes || !ladder->memory) {
        gauss_cpu_ladder_finish(ladder);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    float *memory = ladder->memory + LINE - (uintptr_t)ladder->memory / sizeof(float) % LINE;
    for (int32_t i = 0; i < ladder->count; i++) {
        const struct gauss_node node = gauss_plan_node(plan, i, light, levels);
        memory = fill_node(&node, gauss_node_reach(&node, reach), &ladder->nodes[i], memory);
    }
    return FOVEA_OK;
}

void gauss_cpu_ladder_finish(struct gauss_cpu_ladder *ladder)
{
    free(ladder->nodes);
    large_memory_free(ladder->memory);
    *ladder = (struct gauss_cpu_ladder){0};
}
