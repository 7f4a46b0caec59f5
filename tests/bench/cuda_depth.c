/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Depths for the pictures that take turns, a depth buffer each, and what has been in focus. */

#include "cuda_bench.h"
#include "kernels/operators.h"

#include <math.h>

static void upload(struct cuda_bench *b, const struct cuda_depths *depths, enum bench_depths kind)
{
    OWNED(owned_free) float *values = malloc(depths->picture_bytes);
    if (!values) {
        bench_must(FOVEA_ERROR_OUT_OF_MEMORY, "depths");
    }
    bench_draw_depths(b->pictures.size, kind, values);
    for (uint32_t i = 0; i < BENCH_PICTURES; i++) {
        CUDA_MUST(b, b->cu->MemcpyHtoD(depths->memory + i * depths->picture_bytes, values,
                                       depths->picture_bytes));
    }
}

struct cuda_depths cuda_depths_make(struct cuda_bench *b, const struct bench_mode *mode)
{
    struct cuda_depths depths = {0};
    const struct bench_size *size = b->pictures.size;
    if (!operators_at(mode->op)->needs_depth) {
        return depths;
    }
    depths.picture_bytes = sizeof(float) * (size_t)size->width_px * size->height_px;
    CUDA_MUST(b, b->cu->MemAlloc(&depths.memory, BENCH_PICTURES * depths.picture_bytes));
    CUDA_MUST(b, b->cu->MemAlloc(&depths.focuses, sizeof(struct operator_focus)));
    CUDA_MUST(b, b->cu->MemsetD8(depths.focuses, 0, sizeof(struct operator_focus)));
    upload(b, &depths, (enum bench_depths)mode->of_operator);
    fovea_depth_init(&depths.depth);
    depths.depth.width_px = size->width_px;
    depths.depth.height_px = size->height_px;
    depths.depth.format = FOVEA_DEPTH_FORMAT_R32F;
    depths.depth.memory = FOVEA_MEMORY_CUDA;
    depths.depth.row_stride_bytes = (ptrdiff_t)(sizeof(float) * size->width_px);
    depths.depth.kind = FOVEA_DEPTH_PERSPECTIVE;
    depths.depth.zero_m = (double)INFINITY;
    depths.depth.one_m = BENCH_NEAR_M;
    depths.depth.elapsed_s = 0.01;
    return depths;
}

const struct fovea_depth *cuda_depths_of(struct cuda_depths *depths, uint32_t picture)
{
    depths->depth.data =
        (const void *)(uintptr_t)(depths->memory + picture * depths->picture_bytes);
    return depths->memory ? &depths->depth : NULL;
}

struct operator_focus *cuda_depths_focuses(const struct cuda_depths *depths)
{
    return (struct operator_focus *)(uintptr_t)depths->focuses;
}

void cuda_depths_free(struct cuda_bench *b, struct cuda_depths *depths)
{
    if (depths->memory) {
        CUDA_MUST(b, b->cu->MemFree(depths->memory));
        CUDA_MUST(b, b->cu->MemFree(depths->focuses));
    }
    *depths = (struct cuda_depths){0};
}
