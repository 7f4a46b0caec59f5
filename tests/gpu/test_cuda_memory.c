/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The cuda backend on a GPU whose memory somebody else has taken. No other program may need any at
 * the same time: CTest runs this one alone. */

#include "cuda_scene.h"

#define MAX_BLOCKS 4096

static size_t take_all_memory(CUdeviceptr blocks[MAX_BLOCKS])
{
    size_t count = 0;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    CU_ASSERT(fixture.cu->MemGetInfo(&free_bytes, &total_bytes));
    for (size_t bytes = free_bytes / 2; bytes >= 512 && count < MAX_BLOCKS; bytes /= 2) {
        while (count < MAX_BLOCKS && fixture.cu->MemAlloc(&blocks[count], bytes) == CUDA_SUCCESS) {
            count++;
        }
    }
    return count;
}

TEST(a_plan_without_memory_is_an_error_that_passes)
{
    static CUdeviceptr blocks[MAX_BLOCKS];
    struct scene scene = scene_default();
    scene.width_px = 4096;
    scene.height_px = 4096;
    scene.foveation.method = FOVEA_METHOD_SMOOTH; /* more than the pool may have left */
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    struct operator_cuda_plan *tables = NULL;
    assert_ok(foveate_plan_create(&scene.foveation, 4096, 4096, &plan));
    plan->base.api = &foveate_operator;

    const size_t count = take_all_memory(blocks);
    const enum fovea_result without =
        operator_cuda_plan_create(fixture.foveate, &plan->base, FOVEA_FORMAT_RGBA32F, &tables);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT(fixture.cu->MemFree(blocks[i]));
    }
    assert_int_equal(without, FOVEA_ERROR_OUT_OF_MEMORY);
    assert_null(tables);

    assert_ok(
        operator_cuda_plan_create(fixture.foveate, &plan->base, FOVEA_FORMAT_RGBA32F, &tables));
    operator_cuda_plan_retire(fixture.foveate, &tables);
}
