/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Device memory with the launches that use it, so that its owner can part from it at any time: it
 * is freed once the last of them is over, and nobody waits for that; but cuMemAlloc and cuMemFree,
 * for blocks that are of no pool, may wait for all that the device has to do. The device is pushed
 * around every call. */
#pragma once

#include "cuda_memory.h"
#include "cuda_uses.h"

struct cuda_block {
    struct cuda_block *next; /* retired blocks' list */
    const struct cuda_memory *from; /* NULL: of cuMemAlloc */
    CUdeviceptr memory; /* 0 where it was made with no bytes */
    struct cuda_uses uses;
    struct cuda_block *reads; /* NULL: none. What uses this block may use that one too */
    uint32_t readers; /* blocks that name this one so */
};

/* Launches that are added to `reader` need not be added to `read`, which then lives as long. Both
 * are of one list once they are retired. */
static inline void cuda_block_read(struct cuda_block *reader, struct cuda_block *read)
{
    reader->reads = read;
    read->readers++;
}

/* On failure nothing is left. from: outlives the block and says when its memory can be used; NULL:
 * at once, from cuMemAlloc. */
FOVEA_MUST_CHECK enum fovea_result cuda_block_create(const struct cuda_device *device,
                                                     const struct cuda_memory *from, size_t bytes,
                                                     struct cuda_block **out_block);

/* The owner's part is over: into the list. NULL is fine. Neither waits nor frees. */
void cuda_block_retire(struct cuda_block **list, struct cuda_block **block);
/* Frees those of the list that nothing uses any more; does not wait for those that something uses,
 * and for nothing at all where their memory is of a pool. */
void cuda_block_free_idle(const struct cuda_device *device, struct cuda_block **list);
/* Frees all of them after waiting for what uses them. */
void cuda_block_free_all(const struct cuda_device *device, struct cuda_block **list);
/* Forgets blocks of a device whose streams are stuck: their memory stays to the end of the
 * process. */
void cuda_block_abandon_all(struct cuda_block **list);
