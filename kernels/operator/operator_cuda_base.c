/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operator_cuda_base.h"

#include "core/log.h"

#include <stdlib.h>

#define PART_BYTES 256 /* what parts are aligned to */

enum fovea_result operator_cuda_make(const struct cuda_device *device, size_t bytes,
                                     struct operator_cuda **out_cuda)
{
    *out_cuda = calloc(1, bytes);
    if (!*out_cuda) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (*out_cuda)->device = device;
    return FOVEA_OK;
}

enum fovea_result operator_cuda_make_upload(struct operator_cuda *cuda)
{
    FOVEA_TRY(cuda_device_create_stream(cuda->device, &cuda->upload));
    return cuda_memory_init(cuda->device, cuda->upload, &cuda->memory);
}

bool operator_cuda_finish(struct operator_cuda *cuda)
{
    if (!cuda) {
        return false;
    }
    const struct cuda_device *device = cuda->device;
    if (atomic_load(&cuda->abandoned)) {
        cuda_block_abandon_all(&cuda->retired);
        return false;
    }
    cuda_block_free_all(device, &cuda->retired);
    if (cuda->upload) {
        CU_WARN(device->log, device->cu, device->cu->StreamSynchronize(cuda->upload));
        cuda_memory_finish(&cuda->memory);
        CU_WARN(device->log, device->cu, device->cu->StreamDestroy(cuda->upload));
    }
    return true;
}

void operator_cuda_abandon(struct operator_cuda *cuda)
{
    atomic_store(&cuda->abandoned, true);
}

bool operator_cuda_frees_without_waiting(const struct operator_cuda *cuda)
{
    return cuda_memory_is_pooled(&cuda->memory);
}

void operator_cuda_free_idle(struct operator_cuda *cuda)
{
    if (!atomic_load(&cuda->abandoned)) {
        cuda_block_free_idle(cuda->device, &cuda->retired);
    }
}

/* ---- Plans */

/* A program that makes plans and retires none frees blocks here, but only if nobody waits. */
enum fovea_result operator_cuda_plan_make(struct operator_cuda *cuda, size_t bytes,
                                          struct operator_cuda_plan **out_plan)
{
    if (operator_cuda_frees_without_waiting(cuda)) {
        operator_cuda_free_idle(cuda);
    }
    *out_plan = calloc(1, bytes);
    return *out_plan ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

void operator_cuda_plan_retire(struct operator_cuda *cuda, struct operator_cuda_plan **plan)
{
    struct operator_cuda_plan *gone = *plan;
    *plan = NULL;
    if (gone) {
        cuda_block_retire(&cuda->retired, &gone->tables);
        cuda_block_retire(&cuda->retired, &gone->batch);
        free(gone);
        operator_cuda_free_idle(cuda);
    }
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + PART_BYTES - 1) / PART_BYTES * PART_BYTES;
}

enum fovea_result operator_cuda_plan_fill(struct operator_cuda *cuda,
                                          struct operator_cuda_plan *plan,
                                          const struct operator_cuda_part *parts, size_t count)
{
    const struct cuda_device *device = cuda->device;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += aligned(parts[i].bytes);
    }
    FOVEA_TRY(cuda_block_create(device, &cuda->memory, bytes, &plan->tables));
    uint64_t at = plan->tables->memory;
    for (size_t i = 0; i < count; i++) {
        const struct operator_cuda_part *part = &parts[i];
        *part->out_at = part->bytes > 0 ? at : 0;
        if (part->from && part->bytes > 0) {
            CU_TRY(device->log, device->cu,
                   device->cu->MemcpyHtoDAsync(at, part->from, part->bytes, cuda->upload));
        }
        at += aligned(part->bytes);
    }
    CU_TRY(device->log, device->cu, device->cu->StreamSynchronize(cuda->upload));
    return FOVEA_OK;
}

/* Runs that use the batch's memory read the tables too, which stay as long. */
enum fovea_result operator_cuda_plan_grow(struct operator_cuda *cuda,
                                          struct operator_cuda_plan *plan, uint64_t bytes)
{
    struct cuda_block *grown = NULL;
    operator_cuda_free_idle(cuda);
    FOVEA_TRY(cuda_block_create(cuda->device, NULL, bytes, &grown));
    if (plan->tables) {
        cuda_block_read(grown, plan->tables);
    }
    cuda_block_retire(&cuda->retired, &plan->batch);
    operator_cuda_free_idle(cuda);
    plan->batch = grown;
    return FOVEA_OK;
}

enum fovea_result operator_cuda_note(const struct operator_cuda *cuda, struct cuda_block *block,
                                     CUstream stream, bool stream_kept, enum fovea_result launched)
{
    const enum fovea_result noted = cuda_uses_note(cuda->device, &block->uses, stream, stream_kept);
    return launched < 0 ? launched : noted;
}

struct image_linear operator_cuda_view_of(const struct fovea_image *image, ptrdiff_t next_bytes,
                                          const struct operator_frame *frame)
{
    struct image_linear view = image_linear_of(image, next_bytes);
    view.data += (uint64_t)(frame->origin_y_px * view.row_stride_bytes +
                            frame->origin_x_px * view.pixel_stride_bytes);
    return view;
}
