/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_device.h"

#include "core/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum fovea_result find_uuid(const struct cuda_driver *cu,
                                   const uint8_t uuid[CUDA_UUID_BYTES], struct fovea_log log,
                                   int *out_ordinal)
{
    int count = 0;
    CU_TRY(log, cu, cu->DeviceGetCount(&count));
    for (int i = 0; i < count; i++) {
        CUdevice device = 0;
        CUuuid candidate = {{0}};
        CU_TRY(log, cu, cu->DeviceGet(&device, i));
        CU_TRY(log, cu, cu->DeviceGetUuid(&candidate, device));
        if (memcmp(candidate.bytes, uuid, CUDA_UUID_BYTES) == 0) {
            *out_ordinal = i;
            return FOVEA_OK;
        }
    }
    log_info(log, "cuda: none of %d devices is the Vulkan device", count);
    return FOVEA_ERROR_UNSUPPORTED;
}

enum fovea_result cuda_device_find(const uint8_t uuid[CUDA_UUID_BYTES], struct fovea_log log,
                                   int *out_ordinal)
{
    static const uint8_t zero[CUDA_UUID_BYTES];
    if (memcmp(uuid, zero, sizeof zero) == 0) {
        log_info(log, "cuda: the Vulkan device does not tell its UUID");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const struct cuda_driver *cu = NULL;
    FOVEA_TRY(cuda_driver_get(log, &cu));
    return find_uuid(cu, uuid, log, out_ordinal);
}

/* Making it makes it current. */
static enum fovea_result open_context(struct cuda_device *device)
{
    const struct cuda_driver *cu = device->cu;
    if (!device->loss.own) {
        CU_TRY(device->log, cu, cu->DevicePrimaryCtxRetain(&device->context, device->handle));
        return FOVEA_OK;
    }
    CU_TRY(device->log, cu, cu->CtxCreate(&device->context, CU_CTX_SCHED_AUTO, device->handle));
    cuda_device_pop(device);
    return FOVEA_OK;
}

static enum fovea_result open_device(struct cuda_device *device)
{
    const struct cuda_driver *cu = device->cu;
    CUuuid uuid = {{0}};
    int count = 0;
    CU_TRY(device->log, cu, cu->DeviceGetCount(&count));
    if (device->ordinal < 0 || device->ordinal >= count) {
        log_info(device->log, "cuda: there is no device %d; the driver has %d", device->ordinal,
                 count);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    CU_TRY(device->log, cu, cu->DeviceGet(&device->handle, device->ordinal));
    CU_TRY(device->log, cu, cu->DeviceGetName(device->name, sizeof device->name, device->handle));
    CU_TRY(device->log, cu, cu->DeviceGetUuid(&uuid, device->handle));
    memcpy(device->uuid, uuid.bytes, sizeof device->uuid);
    return open_context(device);
}

static enum fovea_result create(int ordinal, bool own, struct fovea_log log,
                                struct cuda_device **out_device)
{
    *out_device = NULL;
    const struct cuda_driver *cu = NULL;
    FOVEA_TRY(cuda_driver_get(log, &cu));

    struct cuda_device *device = calloc(1, sizeof *device);
    FOVEA_TRY_MEMORY(device);
    device->driver = *cu;
    device->driver.loss = &device->loss;
    device->loss.own = own;
    device->cu = &device->driver;
    device->code = &device->own_code;
    device->process = getpid();
    device->log = log;
    device->ordinal = ordinal;
    enum fovea_result result = open_device(device);
    if (result != FOVEA_OK) {
        cuda_device_destroy(&device);
        return result;
    }
    *out_device = device;
    return FOVEA_OK;
}

enum fovea_result cuda_device_create(int ordinal, struct fovea_log log,
                                     struct cuda_device **out_device)
{
    return create(ordinal, false, log, out_device);
}

enum fovea_result cuda_device_create_own(int ordinal, struct fovea_log log,
                                         struct cuda_device **out_device)
{
    return create(ordinal, true, log, out_device);
}

static bool is_forked(const struct cuda_device *device)
{
    return process_is_child_of(device->process);
}

void cuda_device_destroy(struct cuda_device **device)
{
    if (!device || !*device) {
        return;
    }
    struct cuda_device *d = *device;
    if (d->context && d->loss.own && !is_forked(d)) {
        CU_WARN(d->log, d->cu, d->cu->CtxDestroy(d->context));
    } else if (d->context && !is_forked(d)) {
        CU_WARN(d->log, d->cu, d->cu->DevicePrimaryCtxRelease(d->handle));
    }
    free(d);
    *device = NULL;
}

void cuda_device_abandon(struct cuda_device **device)
{
    free(*device);
    *device = NULL;
}

enum fovea_result cuda_device_push(const struct cuda_device *device)
{
    if (is_forked(device)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    return CU_CHECK(device->log, device->cu, device->cu->CtxPushCurrent(device->context));
}

void cuda_device_pop(const struct cuda_device *device)
{
    CUcontext popped = NULL;
    CU_WARN(device->log, device->cu, device->cu->CtxPopCurrent(&popped));
}

static enum fovea_result create_stream(const struct cuda_device *device, bool low,
                                       CUstream *out_stream)
{
    const struct cuda_driver *cu = device->cu;
    int lowest = 0;
    int highest = 0;
    *out_stream = NULL;
    CU_TRY(device->log, cu, cu->CtxGetStreamPriorityRange(&lowest, &highest));
    CU_TRY(
        device->log, cu,
        cu->StreamCreateWithPriority(out_stream, CU_STREAM_NON_BLOCKING, low ? lowest : highest));
    return FOVEA_OK;
}

enum fovea_result cuda_device_create_stream(const struct cuda_device *device, CUstream *out_stream)
{
    return create_stream(device, false, out_stream);
}

enum fovea_result cuda_device_create_low_stream(const struct cuda_device *device,
                                                CUstream *out_stream)
{
    return create_stream(device, true, out_stream);
}

enum fovea_result cuda_device_shared_bytes(const struct cuda_device *device, int *out_bytes)
{
    return CU_CHECK(
        device->log, device->cu,
        device->cu->DeviceGetAttribute(
            out_bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device->handle));
}

void cuda_device_free(const struct cuda_device *device, CUdeviceptr *memory)
{
    if (*memory) {
        CU_WARN(device->log, device->cu, device->cu->MemFree(*memory));
        *memory = 0;
    }
}

/* For machine code, too, this is the virtual architecture that it was made from; the binary version
 * may be a newer one. */
enum fovea_result cuda_device_architecture_of(const struct cuda_device *device, CUfunction kernel,
                                              int *out)
{
    return CU_CHECK(device->log, device->cu,
                    device->cu->FuncGetAttribute(out, CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel));
}

enum fovea_result cuda_device_get_kernel(const struct cuda_device *device, CUmodule module,
                                         const char *name, CUfunction *out_kernel)
{
    CU_TRY(device->log, device->cu, device->cu->ModuleGetFunction(out_kernel, module, name));
    CU_TRY(device->log, device->cu, device->cu->FuncLoad(*out_kernel));
    int architecture = 0;
    FOVEA_TRY(cuda_device_architecture_of(device, *out_kernel, &architecture));
    if (architecture < CUDA_WAITING_ARCHITECTURE) {
        atomic_store(&device->code->has_older, true);
    }
    return FOVEA_OK;
}
