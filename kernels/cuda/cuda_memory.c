/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_memory.h"

static enum fovea_result make_pool(const struct cuda_device *device, CUmemoryPool *out_pool)
{
    const CUmemPoolProps props = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->handle}};
    CU_TRY(device->log, device->cu, device->cu->MemPoolCreate(out_pool, &props));
    return FOVEA_OK;
}

enum fovea_result cuda_memory_init(const struct cuda_device *device, CUstream stream,
                                   struct cuda_memory *memory)
{
    int pools = 0;
    *memory = (struct cuda_memory){.device = device, .stream = stream};
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                                          device->handle));
    return pools ? make_pool(device, &memory->pool) : FOVEA_OK;
}

void cuda_memory_finish(struct cuda_memory *memory)
{
    if (memory->pool) {
        const struct cuda_device *device = memory->device;
        CU_WARN(device->log, device->cu, device->cu->MemPoolDestroy(memory->pool));
        memory->pool = NULL;
    }
}

enum fovea_result cuda_memory_take(const struct cuda_memory *memory, size_t bytes,
                                   CUdeviceptr *out_memory)
{
    const struct cuda_driver *cu = memory->device->cu;
    if (memory->pool) {
        return CU_CHECK(memory->device->log, cu,
                        cu->MemAllocFromPoolAsync(out_memory, bytes, memory->pool, memory->stream));
    }
    return CU_CHECK(memory->device->log, cu, cu->MemAlloc(out_memory, bytes));
}

void cuda_memory_give_back(const struct cuda_memory *memory, CUdeviceptr taken)
{
    const struct cuda_driver *cu = memory->device->cu;
    if (memory->pool) {
        CU_WARN(memory->device->log, cu, cu->MemFreeAsync(taken, memory->stream));
    } else {
        CU_WARN(memory->device->log, cu, cu->MemFree(taken));
    }
}
