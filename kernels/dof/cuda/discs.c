/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Highlights as discs: memory, and the launches of dof_discs.cu. */

#include "dof_cuda.h"

#include "core/log.h"
#include "kernels/dof/discs.h"

#include <math.h>

extern const unsigned char dof_discs_fatbin[];

_Static_assert(sizeof(struct dof_cuda_discs_params) <= 4096, "more than a launch carries");

enum fovea_result dof_cuda_load_discs(struct dof_cuda *dof)
{
    const struct cuda_device *device = dof->base.device;
    const struct cuda_named_kernel kernels[] = {
        {"dof_sum_halves", &dof->discs[0].sum, 0},   {"dof_take_halves", &dof->discs[0].take, 0},
        {"dof_add_halves", &dof->discs[0].add, 0},   {"dof_sum_floats", &dof->discs[1].sum, 0},
        {"dof_take_floats", &dof->discs[1].take, 0}, {"dof_add_floats", &dof->discs[1].add, 0}};
    FOVEA_TRY(cuda_module_load(device, dof_discs_fatbin, &dof->discs_module));
    return cuda_kernels_get_named(device, dof->discs_module, kernels,
                                  sizeof kernels / sizeof *kernels);
}

static uint64_t sum_bytes(uint32_t count, uint64_t groups)
{
    return (count * groups * DOF_CUDA_QUARTERS * 2 * sizeof(float) + 255) / 256 * 256;
}

uint64_t dof_cuda_disc_bytes(const struct dof_plan *plan, uint32_t count, uint64_t groups)
{
    const uint64_t of_blocks = 2 * DOF_BLOCK_DISCS * sizeof(struct dof_cuda_disc);
    return plan->optics.has_discs
               ? 3 * sum_bytes(count, groups) + count * groups * DOF_CUDA_QUARTERS * of_blocks
               : 0;
}

static enum fovea_result launch(const struct dof_cuda_discs_run *run, CUfunction kernel)
{
    const struct dof_cuda_frame *frame = run->frame;
    const uint64_t groups = (uint64_t)frame->group_columns * (uint64_t)frame->group_rows;
    struct dof_cuda_discs_params params = {
        .frame = *frame,
        .sums = run->memory,
        .blocks = run->memory + sum_bytes(run->count, groups),
        .discs = run->memory + 3 * sum_bytes(run->count, groups),
        .reach_blocks = (int32_t)ceil(
            (2.0 * (double)frame->sigma_max_px + (double)DOF_MOST_EDGE_PX) / DOF_BLOCK_PX)};
    return cuda_launch(
        run->dof->base.device, run->stream,
        &(struct cuda_launch){.kernel = kernel,
                              .blocks = {2 * (uint32_t)frame->group_columns,
                                         2 * (uint32_t)frame->group_rows, run->count},
                              .threads = {DOF_CUDA_SIDE_X, DOF_CUDA_SIDE_Y}},
        &params);
}

static const struct dof_cuda_disc_kernels *kernels_of(const struct dof_cuda_discs_run *run)
{
    return &run->dof->discs[run->frame->are_floats ? 1 : 0];
}

enum fovea_result dof_cuda_take_discs(const struct dof_cuda_discs_run *run)
{
    if (!run->memory) {
        return FOVEA_OK;
    }
    FOVEA_TRY(launch(run, kernels_of(run)->sum));
    return launch(run, kernels_of(run)->take);
}

enum fovea_result dof_cuda_add_discs(const struct dof_cuda_discs_run *run)
{
    return run->memory ? launch(run, kernels_of(run)->add) : FOVEA_OK;
}
