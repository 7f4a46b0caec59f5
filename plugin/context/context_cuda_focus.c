/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_cuda_focus.h"

#include "core/log.h"

#define MOST_IMAGES 65535 /* of a batch */

static enum fovea_result clear(const struct cuda_device *device, const struct cuda_block *block,
                               CUstream stream)
{
    CU_TRY(device->log, device->cu,
           device->cu->MemsetD8Async(block->memory, 0, MOST_IMAGES * sizeof(struct operator_focus),
                                     stream));
    CU_TRY(device->log, device->cu, device->cu->StreamSynchronize(stream));
    return FOVEA_OK;
}

/* On a stream of its own, which waits for nobody's work. */
static enum fovea_result clear_alone(const struct cuda_device *device,
                                     const struct cuda_block *block)
{
    CUstream stream = NULL;
    FOVEA_TRY(cuda_device_create_stream(device, &stream));
    const enum fovea_result result = clear(device, block, stream);
    CU_WARN(device->log, device->cu, device->cu->StreamDestroy(stream));
    return result;
}

enum fovea_result context_cuda_focuses_make(const struct cuda_device *device,
                                            struct context_cuda_focuses *focuses)
{
    if (focuses->block) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_block_create(device, NULL, MOST_IMAGES * sizeof(struct operator_focus),
                                &focuses->block));
    const enum fovea_result result = clear_alone(device, focuses->block);
    if (result < 0) {
        context_cuda_focuses_finish(device, focuses, false);
    }
    return result;
}

struct operator_focus *context_cuda_focuses_of(const struct context_cuda_focuses *focuses)
{
    return focuses->block ? (struct operator_focus *)(uintptr_t)focuses->block->memory : NULL;
}

enum fovea_result context_cuda_focuses_follow(const struct cuda_device *device,
                                              const struct context_cuda_focuses *focuses,
                                              CUstream stream)
{
    return focuses->block && !device->capturing
               ? cuda_uses_follow(device, &focuses->block->uses, stream)
               : FOVEA_OK;
}

enum fovea_result context_cuda_focuses_note(const struct cuda_device *device,
                                            const struct context_cuda_focuses *focuses,
                                            CUstream stream, enum fovea_result launched)
{
    const enum fovea_result noted = focuses->block && !device->capturing
                                        ? cuda_uses_add(device, &focuses->block->uses, stream)
                                        : FOVEA_OK;
    return launched < 0 ? launched : noted;
}

void context_cuda_focuses_finish(const struct cuda_device *device,
                                 struct context_cuda_focuses *focuses, bool abandoned)
{
    struct cuda_block *retired = NULL;
    cuda_block_retire(&retired, &focuses->block);
    if (abandoned) {
        cuda_block_abandon_all(&retired);
    } else {
        cuda_block_free_all(device, &retired);
    }
}
