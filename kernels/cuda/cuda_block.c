/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_block.h"

#include <stdlib.h>

static void free_block(const struct cuda_device *device, struct cuda_block *block)
{
    if (block->reads) {
        block->reads->readers--;
    }
    cuda_uses_finish(device, &block->uses);
    if (block->memory && block->from) {
        cuda_memory_give_back(block->from, block->memory);
    } else if (block->memory) {
        CU_WARN(device->log, device->cu, device->cu->MemFree(block->memory));
    }
    free(block);
}

static enum fovea_result fill(const struct cuda_device *device, struct cuda_block *block,
                              size_t bytes)
{
    FOVEA_TRY(cuda_uses_init(device, &block->uses));
    if (bytes > 0 && block->from) {
        FOVEA_TRY(cuda_memory_take(block->from, bytes, &block->memory));
    } else if (bytes > 0) {
        CU_TRY(device->log, device->cu, device->cu->MemAlloc(&block->memory, bytes));
    }
    return FOVEA_OK;
}

enum fovea_result cuda_block_create(const struct cuda_device *device,
                                    const struct cuda_memory *from, size_t bytes,
                                    struct cuda_block **out_block)
{
    *out_block = NULL;
    struct cuda_block *block = calloc(1, sizeof *block);
    FOVEA_TRY_MEMORY(block);
    block->from = from;
    const enum fovea_result result = fill(device, block, bytes);
    if (result != FOVEA_OK) {
        free_block(device, block);
        return result;
    }
    *out_block = block;
    return FOVEA_OK;
}

void cuda_block_retire(struct cuda_block **list, struct cuda_block **block)
{
    if (*block) {
        (*block)->next = *list;
        *list = *block;
        *block = NULL;
    }
}

/* Returns whether there may be more to free. */
static bool free_some(const struct cuda_device *device, struct cuda_block **list)
{
    bool more = false;
    while (*list) {
        struct cuda_block *block = *list;
        if (block->readers > 0 || cuda_uses_query(device, &block->uses) == FOVEA_NOT_READY) {
            list = &block->next;
            continue;
        }
        more |= block->reads != NULL;
        *list = block->next;
        free_block(device, block);
    }
    return more;
}

void cuda_block_free_idle(const struct cuda_device *device, struct cuda_block **list)
{
    while (free_some(device, list)) {
    }
}

void cuda_block_free_all(const struct cuda_device *device, struct cuda_block **list)
{
    for (struct cuda_block *block = *list; block; block = block->next) {
        if (cuda_uses_wait(device, &block->uses) < 0) {
            log_warning(device->log, "cuda: freeing memory after an error of the device");
        }
        block->reads = NULL;
    }
    while (*list) {
        struct cuda_block *block = *list;
        *list = block->next;
        free_block(device, block);
    }
}

void cuda_block_abandon_all(struct cuda_block **list)
{
    while (*list) {
        struct cuda_block *block = *list;
        *list = block->next;
        free(block);
    }
}
