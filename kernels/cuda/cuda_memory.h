/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Device memory that comes and goes while streams wait for what this process has yet to do.
 * cuMemFree may wait for everything that the device has to do, the program's own streams included;
 * memory of a pool is freed in the order of a stream, and nobody waits. The pool is our own: from
 * one that is shared, memory may be handed out that somebody else's stream has not let go of yet.
 *
 * Where the device has no pools it is cuMemAlloc and cuMemFree. The device is pushed around every
 * call. */
#pragma once

#include "cuda_device.h"

struct cuda_memory {
    const struct cuda_device *device;
    CUstream stream; /* the owner's; memory comes and goes in its order */
    CUmemoryPool pool; /* NULL: the device has none */
};

/* The stream outlives it, and never waits for anything that may not come. */
FOVEA_MUST_CHECK enum fovea_result cuda_memory_init(const struct cuda_device *device,
                                                    CUstream stream, struct cuda_memory *memory);
/* Everything was given back. */
void cuda_memory_finish(struct cuda_memory *memory);

/* Giving back waits for nothing. */
static inline bool cuda_memory_is_pooled(const struct cuda_memory *memory)
{
    return memory->pool;
}

/* Other streams may use it once the stream has been waited for. At least one byte. */
FOVEA_MUST_CHECK enum fovea_result cuda_memory_take(const struct cuda_memory *memory, size_t bytes,
                                                    CUdeviceptr *out_memory);
/* Gives memory back that nothing uses any more. */
void cuda_memory_give_back(const struct cuda_memory *memory, CUdeviceptr taken);
