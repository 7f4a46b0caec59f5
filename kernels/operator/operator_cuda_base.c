/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operator_cuda_base.h"

#include "core/log.h"

#include <stdlib.h>

#define PART_BYTES 256 /* what parts are aligned to */

/* Frees what was retired and nothing uses any more. */
static void free_idle(struct operator_cuda *cuda)
{
    if (!atomic_load(&cuda->abandoned)) {
        cuda_block_free_idle(cuda->device, &cuda->retired);
    }
}

/* Frees what there is for plans, after waiting for what uses it. False: everything on the device
 * stays to the end of the process. */
static bool finish(struct operator_cuda *cuda)
{
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

void operator_cuda_destroy(struct operator_cuda **cuda)
{
    struct operator_cuda *gone = *cuda;
    *cuda = NULL;
    if (!gone) {
        return;
    }
    const bool frees = finish(gone);
    for (uint32_t i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        struct operator_cuda *inner = operator_cuda_inner(gone, i);
        operator_cuda_destroy(&inner);
    }
    if (frees) {
        gone->kind->unload(gone);
    }
    free(gone);
}

enum fovea_result operator_cuda_create(const struct operator_cuda_kind *kind,
                                       const struct cuda_device *device,
                                       struct operator_cuda **out_cuda)
{
    struct operator_cuda *made = calloc(1, kind->bytes);
    *out_cuda = made;
    FOVEA_TRY_MEMORY(made);
    made->kind = kind;
    made->device = device;
    const enum fovea_result result = kind->load(made);
    if (result < 0) {
        operator_cuda_destroy(out_cuda);
    }
    return result;
}

enum fovea_result operator_cuda_make_upload(struct operator_cuda *cuda)
{
    if (cuda->upload) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_device_create_stream(cuda->device, &cuda->upload));
    return cuda_memory_init(cuda->device, cuda->upload, &cuda->memory);
}

enum fovea_result operator_cuda_make_inner(struct operator_cuda *cuda, uint32_t number,
                                           const struct operator_cuda_kind *kind)
{
    struct operator_cuda *made = NULL;
    if (operator_cuda_inner(cuda, number)) {
        return FOVEA_OK;
    }
    FOVEA_TRY(operator_cuda_create(kind, cuda->device, &made));
    atomic_store(&cuda->inner[number], made);
    if (atomic_load(&cuda->abandoned)) {
        operator_cuda_abandon(made); /* by another thread that did not see it */
    }
    return FOVEA_OK;
}

void operator_cuda_abandon(struct operator_cuda *cuda)
{
    atomic_store(&cuda->abandoned, true);
    for (uint32_t i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        struct operator_cuda *inner = operator_cuda_inner(cuda, i);
        if (inner) {
            operator_cuda_abandon(inner);
        }
    }
}

bool operator_cuda_frees_without_waiting(const struct operator_cuda *cuda)
{
    bool frees = !cuda->upload || cuda_memory_is_pooled(&cuda->memory);
    for (uint32_t i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        const struct operator_cuda *inner = operator_cuda_inner(cuda, i);
        frees = frees && (!inner || operator_cuda_frees_without_waiting(inner));
    }
    return frees;
}

/* ---- Plans */

/* A program that makes plans and retires none frees blocks here, but only if nobody waits. */
enum fovea_result operator_cuda_plan_create(struct operator_cuda *cuda,
                                            const struct operator_plan *source,
                                            enum fovea_format format,
                                            struct operator_cuda_plan **out_plan)
{
    if (cuda_memory_is_pooled(&cuda->memory)) {
        free_idle(cuda);
    }
    *out_plan = calloc(1, cuda->kind->plan_bytes);
    FOVEA_TRY_MEMORY(*out_plan);
    const enum fovea_result result = cuda->kind->plan_fill(cuda, source, format, *out_plan);
    if (result < 0) {
        operator_cuda_plan_retire(cuda, out_plan);
    }
    return result;
}

void operator_cuda_plan_retire(struct operator_cuda *cuda, struct operator_cuda_plan **plan)
{
    struct operator_cuda_plan *gone = *plan;
    *plan = NULL;
    if (!gone) {
        return;
    }
    for (uint32_t i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        operator_cuda_plan_retire(gone->inner[i].kernels, &gone->inner[i].plan);
    }
    if (cuda->kind->plan_finish) {
        cuda->kind->plan_finish(gone);
    }
    cuda_block_retire(&cuda->retired, &gone->tables);
    cuda_block_retire(&cuda->retired, &gone->batch);
    free(gone);
    free_idle(cuda);
}

enum fovea_result operator_cuda_plan_make_inner(const struct operator_cuda *cuda, uint32_t number,
                                                const struct operator_plan *source,
                                                enum fovea_format format,
                                                struct operator_cuda_inner_plan *out)
{
    out->kernels = operator_cuda_inner(cuda, number);
    return operator_cuda_plan_create(out->kernels, source, format, &out->plan);
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
    if (bytes <= plan->batch_bytes) {
        return FOVEA_OK;
    }
    free_idle(cuda);
    FOVEA_TRY(cuda_block_create(cuda->device, NULL, bytes, &grown));
    if (plan->tables) {
        cuda_block_read(grown, plan->tables);
    }
    cuda_block_retire(&cuda->retired, &plan->batch);
    free_idle(cuda);
    plan->batch = grown;
    plan->batch_bytes = bytes;
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
