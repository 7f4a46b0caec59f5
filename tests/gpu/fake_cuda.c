/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fake_cuda.h"

#include "kernels/cuda/cuda_driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NOLINTBEGIN(readability-function-size) */

#define EXPORTED __attribute__((visibility("default")))

EXPORTED struct fake_cuda fake_cuda;
EXPORTED struct fake_cuda_object fake_cuda_objects[FAKE_CUDA_MOST_GRAPHS];

/* Handles are numbers that nobody may follow, and for what was imported the descriptor it owns. */
#define HANDLE(kind, number) ((kind)(uintptr_t)(0x1000 + (number)))
#define NUMBER(handle) ((int)((uintptr_t)(handle)-0x1000))

static void write_down(char (*list)[4096], const char *name)
{
    const size_t used = strlen(*list);
    snprintf(*list + used, sizeof *list - used, "%s ", name);
}

static bool must_fail(const char *name)
{
    write_down(&fake_cuda.calls, name);
    if (fake_cuda.fail_at == 0 || (fake_cuda.fails && strcmp(fake_cuda.fails, name) != 0)) {
        return false;
    }
    if (fake_cuda.fail_at > 1) {
        fake_cuda.fail_at--;
        return false;
    }
    fake_cuda.fail_at = fake_cuda.fail_on > 0;
    fake_cuda.fail_on -= fake_cuda.fail_on > 0;
    return true;
}

/* A call that may conflict with a capture ends it, unless the thread has said that it knows. */
static bool ends_capture(const char *name)
{
    static const char unsafe[] = "EventQuery EventSynchronize StreamQuery StreamSynchronize "
                                 "MemAlloc MemFree MemHostAlloc MemFreeHost ModuleLoadData";
    if (!strstr(unsafe, name) || fake_cuda.capturing != CU_STREAM_CAPTURE_STATUS_ACTIVE ||
        fake_cuda.mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
        return false;
    }
    fake_cuda.capturing = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    fake_cuda.error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return true;
}

#define CALLED(name)                                                                               \
    do {                                                                                           \
        if (must_fail(#name) || ends_capture(#name)) {                                             \
            return fake_cuda.error;                                                                \
        }                                                                                          \
    } while (0)

/* A function of the driver. */
#define FAKE(name, ...) static CUresult fake_##name(__VA_ARGS__)
/* One that does a thing and succeeds if that was good. */
#define FAKE_DO(name, thing, good, ...)                                                            \
    FAKE(name, __VA_ARGS__)                                                                        \
    {                                                                                              \
        CALLED(name);                                                                              \
        thing;                                                                                     \
        return (good) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;                                   \
    }
/* One that only looks at what it is given. */
#define FAKE_IF(name, good, ...) FAKE_DO(name, (void)0, good, __VA_ARGS__)
/* One that ends what another has made. */
#define FAKE_END(name, type, count) FAKE_DO(name, fake_cuda.count--, true, type gone)

FAKE_IF(Init, flags == 0, unsigned flags)

FAKE_DO(DriverGetVersion, *version = 13000, true, int *version)

FAKE(GetErrorName, CUresult error, const char **name)
{
    *name = error == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OF_FAKE";
    return CUDA_SUCCESS;
}

FAKE(GetErrorString, CUresult error, const char **text)
{
    *text = "the fake was told to fail";
    return CUDA_SUCCESS;
}

FAKE_DO(DeviceGet, *device = ordinal, true, CUdevice *device, int ordinal)

FAKE_DO(DeviceGetCount, *count = 1, true, int *count)

FAKE_DO(DeviceGetName, snprintf(name, (size_t)length, "Fake"), true, char *name, int length,
        CUdevice device)

FAKE_DO(DeviceGetUuid, memcpy(uuid->bytes, FAKE_CUDA_UUID, sizeof uuid->bytes), true, CUuuid *uuid,
        CUdevice device)

FAKE(DeviceGetAttribute, int *value, CUdevice_attribute attribute, CUdevice device)
{
    CALLED(DeviceGetAttribute);
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
        *value = !fake_cuda.no_pools;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = 20 * 1024; /* too little for whole pictures: batches go by launches for levels */
        break;
    default:
        *value = !fake_cuda.no_timelines;
        break;
    }
    return CUDA_SUCCESS;
}

FAKE(DevicePrimaryCtxRetain, CUcontext *context, CUdevice device)
{
    CALLED(DevicePrimaryCtxRetain);
    *context = HANDLE(CUcontext, device);
    fake_cuda.contexts++;
    return CUDA_SUCCESS;
}

FAKE_END(DevicePrimaryCtxRelease, CUdevice, contexts)

/* Made current, as the driver does. */
FAKE(CtxCreate, CUcontext *context, unsigned flags, CUdevice device)
{
    CALLED(CtxCreate);
    *context = HANDLE(CUcontext, 100 + fake_cuda.own_contexts++);
    fake_cuda.pushed++;
    return CUDA_SUCCESS;
}

FAKE(CtxDestroy, CUcontext context)
{
    CALLED(CtxDestroy);
    fake_cuda.own_contexts--;
    return NUMBER(context) >= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

FAKE_DO(CtxPushCurrent, fake_cuda.pushed++, true, CUcontext context)

FAKE(CtxPopCurrent, CUcontext *context)
{
    CALLED(CtxPopCurrent);
    *context = NULL;
    fake_cuda.pushed--;
    return CUDA_SUCCESS;
}

FAKE_DO(CtxGetCurrent, *context = NULL, true, CUcontext *context)

FAKE(CtxGetStreamPriorityRange, int *lowest, int *highest)
{
    CALLED(CtxGetStreamPriorityRange);
    *lowest = 0;
    *highest = -5;
    return CUDA_SUCCESS;
}

FAKE(StreamCreateWithPriority, CUstream *stream, unsigned flags, int priority)
{
    CALLED(StreamCreateWithPriority);
    if (flags != CU_STREAM_NON_BLOCKING || priority != -5) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *stream = HANDLE(CUstream, fake_cuda.streams++);
    return CUDA_SUCCESS;
}

FAKE_END(StreamDestroy, CUstream, streams)

FAKE_IF(StreamSynchronize, true, CUstream stream)

FAKE(StreamQuery, CUstream stream)
{
    CALLED(StreamQuery);
    return fake_cuda.busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

FAKE_IF(StreamWaitEvent, true, CUstream stream, CUevent event, unsigned flags)

static bool recorded[65536]; /* until an event's number comes again */

FAKE(EventCreate, CUevent *event, unsigned flags)
{
    CALLED(EventCreate);
    static int made;
    *event = HANDLE(CUevent, ++made % 65536);
    recorded[NUMBER(*event)] = false;
    fake_cuda.events++;
    return CUDA_SUCCESS;
}

FAKE_END(EventDestroy, CUevent, events)

FAKE_DO(EventRecord, recorded[NUMBER(event)] = true, true, CUevent event, CUstream stream)

FAKE(EventQuery, CUevent event)
{
    CALLED(EventQuery);
    return fake_cuda.busy && (recorded[NUMBER(event)] || !fake_cuda.only_recorded)
               ? CUDA_ERROR_NOT_READY
               : CUDA_SUCCESS;
}

FAKE_IF(EventSynchronize, true, CUevent event)

FAKE(EventElapsedTime, float *elapsed_ms, CUevent begin, CUevent end)
{
    CALLED(EventElapsedTime);
    *elapsed_ms = 0.25f;
    return fake_cuda.busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

FAKE(ModuleLoadData, CUmodule *module, const void *image)
{
    CALLED(ModuleLoadData);
    const uint32_t fatbin_magic = 0xba55ed50u;
    if (memcmp(image, &fatbin_magic, sizeof fatbin_magic) != 0) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *module = HANDLE(CUmodule, fake_cuda.modules++);
    return CUDA_SUCCESS;
}

FAKE_END(ModuleUnload, CUmodule, modules)

#define MOST_KERNELS 256
static char kernels[MOST_KERNELS][64];
static int kernel_count;

/* The same number for the same name, whatever the module. */
FAKE(ModuleGetFunction, CUfunction *function, CUmodule module, const char *name)
{
    CALLED(ModuleGetFunction);
    int i = 0;
    while (i < kernel_count && strcmp(kernels[i], name) != 0) {
        i++;
    }
    if (i == MOST_KERNELS) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (i == kernel_count) {
        snprintf(kernels[kernel_count++], sizeof kernels[0], "%s", name);
    }
    *function = HANDLE(CUfunction, i);
    return CUDA_SUCCESS;
}

FAKE_IF(FuncLoad, true, CUfunction function)

FAKE(FuncGetAttribute, int *value, CUfunction_attribute attribute, CUfunction function)
{
    CALLED(FuncGetAttribute);
    *value = 0;
    if (attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION) {
        *value = fake_cuda.code_of ? fake_cuda.code_of : 90;
    }
    return CUDA_SUCCESS;
}

FAKE_IF(FuncSetAttribute, true, CUfunction function, CUfunction_attribute attribute, int value)

FAKE(LaunchKernel, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
     void **params, void **extra)
{
    CALLED(LaunchKernel);
    const bool fits = grid_x && grid_y && grid_z && grid_y <= 65535 && grid_z <= 65535 &&
                      block_x * block_y <= 1024;
    fake_cuda.images = grid_z;
    write_down(&fake_cuda.launched, kernels[NUMBER(function)]);
    return fits && block_z && params && !extra ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Stands in lists of calls as LaunchKernel, since what it launches is the same. */
FAKE(LaunchKernelEx, const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        fake_cuda.early +=
            config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    }
    return fake_LaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                             config->blockDimX, config->blockDimY, config->blockDimZ,
                             config->sharedMemBytes, config->hStream, params, extra);
}

FAKE(MemAlloc, CUdeviceptr *memory, size_t bytes)
{
    CALLED(MemAlloc);
    if (bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *memory = 0x100000u * (unsigned)++fake_cuda.memories;
    fake_cuda.bytes = bytes;
    return CUDA_SUCCESS;
}

FAKE_END(MemFree, CUdeviceptr, memories)

FAKE(MemPoolCreate, CUmemoryPool *pool, const CUmemPoolProps *props)
{
    CALLED(MemPoolCreate);
    if (props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pool = HANDLE(CUmemoryPool, fake_cuda.pools++);
    return CUDA_SUCCESS;
}

FAKE_END(MemPoolDestroy, CUmemoryPool, pools)

FAKE(MemAllocFromPoolAsync, CUdeviceptr *memory, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    CALLED(MemAllocFromPoolAsync);
    if (bytes == 0 || !pool || !stream) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *memory = 0x100000u * (unsigned)++fake_cuda.memories;
    fake_cuda.bytes = bytes;
    return CUDA_SUCCESS;
}

FAKE_DO(MemFreeAsync, fake_cuda.memories--, stream, CUdeviceptr memory, CUstream stream)

/* An abandoned peer leaves these to the end of the process: a leak checker sees them here. */
static void *host_memories[4096];
static size_t host_memory_count;

FAKE(MemHostAlloc, void **memory, size_t bytes, unsigned flags)
{
    CALLED(MemHostAlloc);
    *memory = bytes ? calloc(1, bytes) : NULL;
    host_memories[host_memory_count++ % 4096] = *memory;
    fake_cuda.memories += *memory != NULL;
    return *memory ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

FAKE_DO(MemHostGetDevicePointer, *pointer = (CUdeviceptr)(uintptr_t)memory, memory && !flags,
        CUdeviceptr *pointer, void *memory, unsigned flags)

FAKE(MemFreeHost, void *memory)
{
    CALLED(MemFreeHost);
    free(memory);
    fake_cuda.memories--;
    return CUDA_SUCCESS;
}

/* Counts as memory for as long as it is lent. */
FAKE(MemHostRegister, void *memory, size_t bytes, unsigned flags)
{
    CALLED(MemHostRegister);
    const bool fits = memory && bytes % 4096 == 0 && (uintptr_t)memory % 4096 == 0;
    fake_cuda.memories += fits;
    return fits && flags == (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

FAKE_DO(MemHostUnregister, fake_cuda.memories--, memory, void *memory)

/* It happens at once, or never. */
FAKE(StreamWriteValue32, CUstream stream, CUdeviceptr memory, cuuint32_t value, unsigned flags)
{
    CALLED(StreamWriteValue32);
    if (!fake_cuda.busy) {
        *(cuuint32_t *)(uintptr_t)memory = value;
    }
    return stream && flags == CU_STREAM_WRITE_VALUE_DEFAULT ? CUDA_SUCCESS
                                                            : CUDA_ERROR_INVALID_VALUE;
}

FAKE_IF(MemcpyHtoDAsync, (dst && src && bytes), CUdeviceptr dst, const void *src, size_t bytes,
        CUstream stream)

FAKE_IF(MemsetD8Async, (memory && bytes), CUdeviceptr memory, unsigned char value, size_t bytes,
        CUstream stream)

/* The second half of the address space is the device's. */
FAKE(PointerGetAttributes, unsigned count, CUpointer_attribute *attributes, void **values,
     CUdeviceptr pointer)
{
    CALLED(PointerGetAttributes);
    const bool ours = pointer >> 63;
    for (unsigned i = 0; i < count; i++) {
        if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
            *(CUmemorytype *)values[i] = ours ? CU_MEMORYTYPE_DEVICE : (CUmemorytype)0;
        } else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
            *(int *)values[i] = ours ? 0 : -2;
        }
    }
    return CUDA_SUCCESS;
}

FAKE_DO(SurfObjectCreate, *surface = 0x1000u + (unsigned)fake_cuda.surfaces++, true,
        CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)

FAKE_END(SurfObjectDestroy, CUsurfObject, surfaces)

/* On success the descriptor is the driver's. */
FAKE(ImportExternalMemory, CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc)
{
    CALLED(ImportExternalMemory);
    if (desc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD || desc->handle.fd < 0 ||
        desc->flags != CUDA_EXTERNAL_MEMORY_DEDICATED || desc->size == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *memory = HANDLE(CUexternalMemory, desc->handle.fd);
    fake_cuda.memories++;
    return CUDA_SUCCESS;
}

FAKE(DestroyExternalMemory, CUexternalMemory memory)
{
    CALLED(DestroyExternalMemory);
    close(NUMBER(memory));
    fake_cuda.memories--;
    return CUDA_SUCCESS;
}

static CUDA_ARRAY3D_DESCRIPTOR mapped;

FAKE(ExternalMemoryGetMappedMipmappedArray, CUmipmappedArray *levels, CUexternalMemory memory,
     const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc)
{
    CALLED(ExternalMemoryGetMappedMipmappedArray);
    if (desc->arrayDesc.Depth != 0 || desc->numLevels != 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    mapped = desc->arrayDesc;
    *levels = (CUmipmappedArray)memory;
    fake_cuda.memories++;
    return CUDA_SUCCESS;
}

FAKE_DO(MipmappedArrayGetLevel, *array = (CUarray)levels, level == 0, CUarray *array,
        CUmipmappedArray levels, unsigned level)

FAKE(Array3DGetDescriptor, CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array)
{
    CALLED(Array3DGetDescriptor);
    *desc = mapped;
    desc->Width -= fake_cuda.maps_wrongly;
    return CUDA_SUCCESS;
}

FAKE_END(MipmappedArrayDestroy, CUmipmappedArray, memories)

FAKE(ImportExternalSemaphore, CUexternalSemaphore *semaphore,
     const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc)
{
    CALLED(ImportExternalSemaphore);
    *semaphore = HANDLE(CUexternalSemaphore, desc->handle.fd);
    fake_cuda.semaphores++;
    return desc->flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FAKE(DestroyExternalSemaphore, CUexternalSemaphore semaphore)
{
    CALLED(DestroyExternalSemaphore);
    close(NUMBER(semaphore));
    fake_cuda.semaphores--;
    return CUDA_SUCCESS;
}

FAKE_IF(WaitExternalSemaphoresAsync, count == 1 && *semaphores,
        const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
        unsigned count, CUstream stream)

FAKE_IF(SignalExternalSemaphoresAsync, count == 1 && *semaphores,
        const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
        unsigned count, CUstream stream)

FAKE(ThreadExchangeStreamCaptureMode, CUstreamCaptureMode *mode)
{
    CALLED(ThreadExchangeStreamCaptureMode);
    const CUstreamCaptureMode before = fake_cuda.mode;
    fake_cuda.mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

/* One capture at a time, of all streams. */
FAKE(StreamGetCaptureInfo, CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
     CUgraph *graph, const CUgraphNode **nodes, size_t *node_count)
{
    CALLED(StreamGetCaptureInfo);
    if (fake_cuda.captured_elsewhere) {
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    *status = fake_cuda.capturing;
    *id = *status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    *graph = HANDLE(CUgraph, 1);
    return CUDA_SUCCESS;
}

FAKE(UserObjectCreate, CUuserObject *object, void *user, CUhostFn end, unsigned count,
     unsigned flags)
{
    CALLED(UserObjectCreate);
    if (fake_cuda.graphs == FAKE_CUDA_MOST_GRAPHS || count != 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *object = HANDLE(CUuserObject, fake_cuda.graphs);
    fake_cuda_objects[fake_cuda.graphs++] = (struct fake_cuda_object){end, user};
    return CUDA_SUCCESS;
}

FAKE(UserObjectRelease, CUuserObject object, unsigned count)
{
    CALLED(UserObjectRelease);
    const struct fake_cuda_object gone = fake_cuda_objects[NUMBER(object)];
    fake_cuda_objects[NUMBER(object)] = fake_cuda_objects[--fake_cuda.graphs];
    gone.end(gone.user);
    return CUDA_SUCCESS;
}

FAKE_IF(GraphRetainUserObject, count == 1 && flags == CU_GRAPH_USER_OBJECT_MOVE, CUgraph graph,
        CUuserObject object, unsigned count, unsigned flags)

/* Those that only tests with a real device call. */
static CUresult fake_absent(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define fake_Array3DCreate fake_absent
#define fake_ArrayDestroy fake_absent
#define fake_GraphDestroy fake_absent
#define fake_GraphExecDestroy fake_absent
#define fake_GraphInstantiateWithFlags fake_absent
#define fake_GraphLaunch fake_absent
#define fake_MemGetInfo fake_absent
#define fake_Memcpy2D fake_absent
#define fake_MemcpyDtoH fake_absent
#define fake_MemcpyHtoD fake_absent
#define fake_MemsetD8 fake_absent
#define fake_StreamBeginCapture fake_absent
#define fake_StreamEndCapture fake_absent

static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
#define ENTRY(name, since) {"cu" #name, (void (*)(void))fake_##name},
    CUDA_DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
};

EXPORTED CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
                                      cuuint64_t flags,
                                      CUdriverProcAddressQueryResult *symbolStatus)
{
    void (*found)(void) = (void (*)(void))fake_absent;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, symbol) == 0) {
            found = functions[i].function;
        }
    }
    if (fake_cuda.lacks && strcmp(fake_cuda.lacks, symbol) == 0) {
        *pfn = NULL;
        return CUDA_ERROR_NOT_FOUND;
    }
    memcpy(pfn, &found, sizeof found);
    return CUDA_SUCCESS;
}

/* NOLINTEND(readability-function-size) */
