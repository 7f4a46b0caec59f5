/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "worker.h"

#include "core/large_memory.h"
#include "kernels/gauss/cpu/nodes/nodes.h"
#include "kernels/gauss/cpu/tiles/tile.h"

enum fovea_result gauss_cpu_worker_init(struct gauss_cpu_worker *worker,
                                        const struct gauss_plan *plan,
                                        const struct gauss_cpu_ladder *ladder)
{
    const size_t values = (size_t)plan->width_px * GAUSS_CPU_MAX_CHANNELS;
    const size_t line = GAUSS_CPU_TILE_LINE;
    const size_t tile = gauss_cpu_tile_floats(plan->width_px);
    const size_t nodes = gauss_cpu_nodes_floats(ladder);
    const size_t floats = line + tile + nodes + values;
    worker->memory = large_memory_make(floats, sizeof *worker->memory);
    if (!worker->memory) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const size_t line_bytes = line * sizeof *worker->memory;
    const size_t beyond_bytes = (uintptr_t)worker->memory % line_bytes;
    worker->tile = worker->memory + (line_bytes - beyond_bytes) / sizeof *worker->memory;
    worker->nodes = worker->tile + tile;
    worker->values = worker->nodes + nodes;
    return FOVEA_OK;
}

void gauss_cpu_worker_finish(struct gauss_cpu_worker *worker)
{
    large_memory_free(worker->memory);
}
