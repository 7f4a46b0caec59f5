/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A libcuda.so.1 whose device is the host (support/cuda_host/cuda_host.h): the whole host code of
 * the cuda backend runs on it as it is. Memory is the heap's, so that AddressSanitizer sees what
 * lies outside; every call is over when it returns. No images of other interfaces. Functions have
 * their own names too, for programs that are linked with -lcuda. gpu/fake_cuda.c is the one that
 * keeps books and runs nothing. */

#include "cuda_host_texture.h"
#include "graphs.h"
#include "kernels/cuda/cuda_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* A function of the driver. */
#define EMULATED(name, ...) static CUresult emulated_##name(__VA_ARGS__)

/* One that does a thing and succeeds. */
#define EMULATED_DO(name, thing, ...)                                                              \
    EMULATED(name, __VA_ARGS__)                                                                    \
    {                                                                                              \
        thing;                                                                                     \
        return CUDA_SUCCESS;                                                                       \
    }
/* Those that need not do anything. */
#define NOTHING_TO_DO(name, ...) EMULATED_DO(name, (void)0, __VA_ARGS__)

static int some_handle;
#define HANDLE(kind) ((kind)(void *)&some_handle)

/* ---- The device */

NOTHING_TO_DO(Init, unsigned flags)

EMULATED_DO(DriverGetVersion, *version = 13000, int *version)

EMULATED_DO(GetErrorName, *name = "CUDA_ERROR_OF_EMULATION", CUresult error, const char **name)

EMULATED_DO(GetErrorString, *text = "the host that stands for a GPU cannot do this", CUresult error,
            const char **text)

EMULATED(DeviceGet, CUdevice *device, int ordinal)
{
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

EMULATED_DO(DeviceGetCount, *count = 1, int *count)

EMULATED_DO(DeviceGetName, snprintf(name, (size_t)length, "no GPU: kernels run on the host"),
            char *name, int length, CUdevice device)

EMULATED_DO(DeviceGetUuid, memcpy(uuid->bytes, "fovea, emulated", sizeof uuid->bytes), CUuuid *uuid,
            CUdevice device)

EMULATED(DeviceGetAttribute, int *value, CUdevice_attribute attribute, CUdevice device)
{
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
        *value = 1;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = 227 * 1024;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = 228 * 1024;
        break;
    default:
        *value = 0;
        break;
    }
    return CUDA_SUCCESS;
}

EMULATED_DO(DevicePrimaryCtxRetain, *context = HANDLE(CUcontext), CUcontext *context,
            CUdevice device)

NOTHING_TO_DO(DevicePrimaryCtxRelease, CUdevice device)

static _Thread_local int contexts; /* that are pushed; all are one */

/* Made current, as the driver does. */
EMULATED(CtxCreate, CUcontext *context, unsigned flags, CUdevice device)
{
    *context = HANDLE(CUcontext);
    contexts++;
    return CUDA_SUCCESS;
}

NOTHING_TO_DO(CtxDestroy, CUcontext context)

EMULATED(CtxPushCurrent, CUcontext context)
{
    contexts++;
    return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EMULATED(CtxPopCurrent, CUcontext *context)
{
    if (contexts == 0) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    contexts--;
    *context = HANDLE(CUcontext);
    return CUDA_SUCCESS;
}

EMULATED_DO(CtxGetCurrent, *context = contexts ? HANDLE(CUcontext) : NULL, CUcontext *context)

EMULATED(CtxGetStreamPriorityRange, int *lowest, int *highest)
{
    *lowest = 0;
    *highest = -5;
    return CUDA_SUCCESS;
}

/* ---- Streams and events: all is over at once, but for what is captured (graphs.h) */

EMULATED(StreamCreateWithPriority, CUstream *stream, unsigned flags, int priority)
{
    return graphs_StreamCreate(stream);
}

EMULATED(StreamDestroy, CUstream stream)
{
    return graphs_StreamDestroy(stream);
}

EMULATED(StreamSynchronize, CUstream stream)
{
    return graphs_StreamSynchronize(stream);
}

#define emulated_EventCreate graphs_EventCreate
#define emulated_EventDestroy graphs_EventDestroy
#define emulated_EventQuery graphs_EventSynchronize
#define emulated_EventRecord graphs_EventRecord
#define emulated_EventSynchronize graphs_EventSynchronize
#define emulated_GraphDestroy graphs_GraphDestroy
#define emulated_GraphExecDestroy graphs_GraphExecDestroy
#define emulated_GraphInstantiateWithFlags graphs_GraphInstantiateWithFlags
#define emulated_GraphLaunch graphs_GraphLaunch
#define emulated_GraphRetainUserObject graphs_GraphRetainUserObject
#define emulated_StreamBeginCapture graphs_StreamBeginCapture
#define emulated_StreamEndCapture graphs_StreamEndCapture
#define emulated_StreamGetCaptureInfo graphs_StreamGetCaptureInfo
#define emulated_StreamQuery graphs_StreamSynchronize
#define emulated_StreamWaitEvent graphs_StreamWaitEvent
#define emulated_ThreadExchangeStreamCaptureMode graphs_ThreadExchangeStreamCaptureMode
#define emulated_UserObjectCreate graphs_UserObjectCreate
#define emulated_UserObjectRelease graphs_UserObjectRelease

EMULATED_DO(StreamWriteValue32, *(cuuint32_t *)(uintptr_t)memory = value, CUstream stream,
            CUdeviceptr memory, cuuint32_t value, unsigned flags)

EMULATED_DO(EventElapsedTime, *elapsed_ms = 1.0f, float *elapsed_ms, CUevent begin, CUevent end)

/* ---- Kernels: those of the library fovea_emulated, whatever the module */

#define MOST_KERNELS 512
#define USUAL_SHARED_BYTES (48 * 1024)

static struct kernel {
    const struct cuda_host_kernel *code;
    char name[64];
    size_t most_shared_bytes;
} kernels[MOST_KERNELS];
static int kernel_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

EMULATED(ModuleLoadData, CUmodule *module, const void *image)
{
    *module = HANDLE(CUmodule);
    return graphs_ask();
}

NOTHING_TO_DO(ModuleUnload, CUmodule module)

/* A kernel that the sources do not have is not found, as in the driver. */
EMULATED(ModuleGetFunction, CUfunction *function, CUmodule module, const char *name)
{
    if (!cuda_host_find(name)) {
        return CUDA_ERROR_NOT_FOUND;
    }
    pthread_mutex_lock(&mutex);
    int i = 0;
    while (i < kernel_count && strcmp(kernels[i].name, name) != 0) {
        i++;
    }
    if (i == kernel_count && i < MOST_KERNELS) {
        kernel_count++;
        kernels[i].code = cuda_host_find(name);
        kernels[i].most_shared_bytes = USUAL_SHARED_BYTES;
        snprintf(kernels[i].name, sizeof kernels[i].name, "%s", name);
    }
    pthread_mutex_unlock(&mutex);
    *function = i < MOST_KERNELS ? (CUfunction)(void *)&kernels[i] : NULL;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Only programs call it: the library has no variables of kernels. */
EMULATED(ModuleGetGlobal, CUdeviceptr *memory, size_t *bytes, CUmodule module, const char *name)
{
    const struct cuda_host_constant *constant = cuda_host_find_constant(name);
    if (constant) {
        *memory = (CUdeviceptr)(uintptr_t)constant->data;
        *bytes = constant->bytes;
    }
    return constant ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

NOTHING_TO_DO(FuncLoad, CUfunction function)

/* Nobody counts a kernel's own shared memory here: a guess that is larger than any. */
EMULATED(FuncGetAttribute, int *value, CUfunction_attribute attribute, CUfunction function)
{
    *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION         ? 90
             : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? 8 * 1024
                                                                : 0;
    return CUDA_SUCCESS;
}

EMULATED(FuncSetAttribute, CUfunction function, CUfunction_attribute attribute, int value)
{
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 || value > 227 * 1024) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        ((struct kernel *)(void *)function)->most_shared_bytes = (size_t)value;
    }
    return CUDA_SUCCESS;
}

/* A launch whose params follow it where a graph keeps it. */
struct launch {
    const struct kernel *kernel;
    struct cuda_host_launch what;
    unsigned char params[4096]; /* no launch carries more */
};

/* Dynamic shared memory is the calling thread's. */
static CUresult run_launch(const struct launch *launch, const void *params)
{
    struct cuda_host_launch what = launch->what;
    what.argument = params;
    what.shared = launch->kernel->code->shared();
    cuda_host_run(&what);
    return CUDA_SUCCESS;
}

static CUresult replay_launch(const void *kept)
{
    const struct launch *launch = kept;
    return run_launch(launch, launch->params);
}

static CUresult run_or_capture(const CUlaunchConfig *config, CUfunction function, void **params,
                               void **extra)
{
    const struct kernel *kernel = (const struct kernel *)(void *)function;
    struct launch launch = {
        .kernel = kernel,
        .what = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                 .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                 .shared_bytes = config->sharedMemBytes,
                 .run = kernel->code->run,
                 .early = config->numAttrs == 1}, /* there is no other attribute that Fovea gives */
    };
    const uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
    if (!config->gridDimX || !config->gridDimY || !config->gridDimZ || config->gridDimY > 65535 ||
        config->gridDimZ > 65535 || extra || config->sharedMemBytes > kernel->most_shared_bytes ||
        threads > 1024 || threads == 0 || kernel->code->params_bytes > sizeof launch.params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(launch.params, params[0], kernel->code->params_bytes);
    CUresult captured = CUDA_SUCCESS;
    return graphs_capture(config->hStream, replay_launch, &launch, sizeof launch, &captured)
               ? captured
               : run_launch(&launch, params[0]);
}

EMULATED(LaunchKernelEx, const CUlaunchConfig *config, CUfunction function, void **params,
         void **extra)
{
    return run_or_capture(config, function, params, extra);
}

/* The parameters are CUDA's. NOLINTNEXTLINE(readability-function-size) */
EMULATED(LaunchKernel, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
         CUstream stream, void **params, void **extra)
{
    const CUlaunchConfig config = {.gridDimX = grid_x,
                                   .gridDimY = grid_y,
                                   .gridDimZ = grid_z,
                                   .blockDimX = block_x,
                                   .blockDimY = block_y,
                                   .blockDimZ = block_z,
                                   .sharedMemBytes = shared_bytes,
                                   .hStream = stream};
    return run_or_capture(&config, function, params, extra);
}

/* ---- Memory: all ones, until somebody writes it */

#define MOST_MEMORIES 4096

static struct memory {
    char *begin;
    size_t bytes;
} memories[MOST_MEMORIES];

static CUresult make_memory(CUdeviceptr *out, size_t bytes)
{
    void *memory = NULL;
    if (bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (posix_memalign(&memory, 512, bytes) != 0) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memset(memory, 0xff, bytes);
    pthread_mutex_lock(&mutex);
    int i = 0;
    while (i < MOST_MEMORIES && memories[i].begin) {
        i++;
    }
    if (i < MOST_MEMORIES) {
        memories[i] = (struct memory){memory, bytes};
    }
    pthread_mutex_unlock(&mutex);
    *out = (CUdeviceptr)(uintptr_t)memory;
    return CUDA_SUCCESS;
}

static CUresult end_memory(CUdeviceptr memory)
{
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&mutex);
    for (int i = 0; memory && i < MOST_MEMORIES; i++) {
        if (memories[i].begin == (char *)(uintptr_t)memory) {
            free(memories[i].begin);
            memories[i] = (struct memory){0};
            result = CUDA_SUCCESS;
            break;
        }
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

EMULATED(MemAlloc, CUdeviceptr *memory, size_t bytes)
{
    const CUresult asked = graphs_ask();
    return asked == CUDA_SUCCESS ? make_memory(memory, bytes) : asked;
}

EMULATED(MemFree, CUdeviceptr memory)
{
    const CUresult asked = graphs_ask();
    return asked == CUDA_SUCCESS ? end_memory(memory) : asked;
}

EMULATED_DO(MemPoolCreate, *pool = HANDLE(CUmemoryPool), CUmemoryPool *pool,
            const CUmemPoolProps *props)

NOTHING_TO_DO(MemPoolDestroy, CUmemoryPool pool)

EMULATED(MemAllocFromPoolAsync, CUdeviceptr *memory, size_t bytes, CUmemoryPool pool,
         CUstream stream)
{
    return make_memory(memory, bytes);
}

EMULATED(MemFreeAsync, CUdeviceptr memory, CUstream stream)
{
    return end_memory(memory);
}

EMULATED(MemHostAlloc, void **memory, size_t bytes, unsigned flags)
{
    return posix_memalign(memory, 4096, bytes) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EMULATED_DO(MemHostGetDevicePointer, *pointer = (CUdeviceptr)(uintptr_t)memory,
            CUdeviceptr *pointer, void *memory, unsigned flags)

EMULATED_DO(MemFreeHost, free(memory), void *memory)

NOTHING_TO_DO(MemHostRegister, void *memory, size_t bytes, unsigned flags)
NOTHING_TO_DO(MemHostUnregister, void *memory)

EMULATED_DO(MemGetInfo, *free_bytes = *bytes = (size_t)1 << 30, size_t *free_bytes, size_t *bytes)

EMULATED_DO(MemcpyHtoD, memcpy((void *)(uintptr_t)to, from, bytes), CUdeviceptr to,
            const void *from, size_t bytes)

EMULATED_DO(MemcpyHtoDAsync, memcpy((void *)(uintptr_t)to, from, bytes), CUdeviceptr to,
            const void *from, size_t bytes, CUstream stream)

EMULATED_DO(MemcpyDtoH, memcpy(to, (const void *)(uintptr_t)from, bytes), void *to,
            CUdeviceptr from, size_t bytes)

EMULATED_DO(MemsetD8, memset((void *)(uintptr_t)memory, value, bytes), CUdeviceptr memory,
            unsigned char value, size_t bytes)

struct set {
    CUdeviceptr memory;
    unsigned char value;
    size_t bytes;
};

static CUresult replay_set(const void *kept)
{
    const struct set *set = kept;
    memset((void *)(uintptr_t)set->memory, set->value, set->bytes);
    return CUDA_SUCCESS;
}

EMULATED(MemsetD8Async, CUdeviceptr memory, unsigned char value, size_t bytes, CUstream stream)
{
    const struct set set = {memory, value, bytes};
    CUresult captured = CUDA_SUCCESS;
    return graphs_capture(stream, replay_set, &set, sizeof set, &captured) ? captured
                                                                           : replay_set(&set);
}

/* This driver knows only what it made, as the real one knows no memory of the host. */
EMULATED(PointerGetAttributes, unsigned count, CUpointer_attribute *attributes, void **values,
         CUdeviceptr pointer)
{
    const char *at = (const char *)(uintptr_t)pointer;
    bool ours = false;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_MEMORIES; i++) {
        ours |= memories[i].begin && at >= memories[i].begin &&
                at < memories[i].begin + memories[i].bytes;
    }
    pthread_mutex_unlock(&mutex);
    for (unsigned i = 0; i < count; i++) {
        if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
            *(CUmemorytype *)values[i] = ours ? CU_MEMORYTYPE_DEVICE : (CUmemorytype)0;
        } else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
            *(int *)values[i] = ours ? 0 : -2;
        } else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) {
            *(int *)values[i] = 0;
        } else if (attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT) {
            *(CUcontext *)values[i] = ours ? HANDLE(CUcontext) : NULL;
        }
    }
    return CUDA_SUCCESS;
}

/* ---- Arrays and surfaces */

static size_t element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    switch ((int)desc->Format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        return desc->NumChannels;
    case CU_AD_FORMAT_HALF:
        return 2 * (size_t)desc->NumChannels;
    default:
        return 4 * (size_t)desc->NumChannels;
    }
}

EMULATED(Array3DCreate, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    struct cuda_host_surface *surface = calloc(1, sizeof *surface);
    if (!surface) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    surface->row_bytes = desc->Width * element_bytes(desc);
    surface->rows = (int)desc->Height;
    surface->data = malloc(surface->row_bytes * desc->Height);
    *array = (CUarray)(void *)surface;
    return surface->data ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EMULATED(ArrayDestroy, CUarray array)
{
    struct cuda_host_surface *surface = (struct cuda_host_surface *)(void *)array;
    free(surface->data);
    free(surface);
    return CUDA_SUCCESS;
}

EMULATED(Memcpy2D, const CUDA_MEMCPY2D *copy)
{
    const bool upload = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    const struct cuda_host_surface *surface =
        (const struct cuda_host_surface *)(const void *)(upload ? copy->dstArray : copy->srcArray);
    if ((copy->srcMemoryType == CU_MEMORYTYPE_ARRAY) == upload ||
        copy->WidthInBytes > surface->row_bytes || (int)copy->Height > surface->rows) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t y = 0; y < copy->Height; y++) {
        char *row = (char *)surface->data + y * surface->row_bytes;
        if (upload) {
            memcpy(row, (const char *)copy->srcHost + y * copy->srcPitch, copy->WidthInBytes);
        } else {
            memcpy((char *)copy->dstHost + y * copy->dstPitch, row, copy->WidthInBytes);
        }
    }
    return CUDA_SUCCESS;
}

EMULATED_DO(SurfObjectCreate, *surface = (CUsurfObject)(uintptr_t)resource->res.array.hArray,
            CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)

NOTHING_TO_DO(SurfObjectDestroy, CUsurfObject surface)

/* ---- Mipmapped arrays and textures, for programs alone: the library has neither */

EMULATED(MipmappedArrayCreate, CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc,
         unsigned count)
{
    struct cuda_host_levels *levels = calloc(1, sizeof *levels);
    if (!levels || count > CUDA_HOST_LEVELS) {
        free(levels);
        return CUDA_ERROR_INVALID_VALUE;
    }
    levels->count = (int)count;
    levels->bytes_a_channel = desc->Format == CU_AD_FORMAT_UNSIGNED_INT8 ? 1 : 4;
    for (unsigned i = 0; i < count; i++) {
        const size_t width = desc->Width >> i ? desc->Width >> i : 1;
        const size_t height = desc->Height >> i ? desc->Height >> i : 1;
        levels->levels[i] = (struct cuda_host_surface){
            .data = malloc(width * element_bytes(desc) * height),
            .row_bytes = width * element_bytes(desc),
            .rows = (int)height,
        };
        if (!levels->levels[i].data) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    *array = (CUmipmappedArray)(void *)levels;
    return CUDA_SUCCESS;
}

EMULATED(MipmappedArrayGetLevel, CUarray *array, CUmipmappedArray of, unsigned level)
{
    struct cuda_host_levels *levels = (struct cuda_host_levels *)(void *)of;
    *array = (CUarray)(void *)&levels->levels[level];
    return (int)level < levels->count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EMULATED(MipmappedArrayDestroy, CUmipmappedArray array)
{
    struct cuda_host_levels *levels = (struct cuda_host_levels *)(void *)array;
    for (int i = 0; i < levels->count; i++) {
        free(levels->levels[i].data);
    }
    free(levels);
    return CUDA_SUCCESS;
}

EMULATED(TexObjectCreate, CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
         const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct cuda_host_levels *levels = calloc(1, sizeof *levels);
    if (!levels) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *levels = (struct cuda_host_levels){.count = 1, .bytes_a_channel = 4};
    if (resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        *levels =
            *(const struct cuda_host_levels *)(const void *)resource->res.mipmap.hMipmappedArray;
    } else if (resource->resType == CU_RESOURCE_TYPE_PITCH2D) {
        const bool floats = resource->res.pitch2D.format == CU_AD_FORMAT_FLOAT;
        levels->bytes_a_channel = floats ? 4 : 1;
        levels->levels[0] =
            (struct cuda_host_surface){.data = (void *)(uintptr_t)resource->res.pitch2D.devPtr,
                                       .row_bytes = resource->res.pitch2D.pitchInBytes,
                                       .rows = (int)resource->res.pitch2D.height};
    } else {
        levels->levels[0] =
            (struct cuda_host_surface){.data = (void *)(uintptr_t)resource->res.linear.devPtr,
                                       .row_bytes = resource->res.linear.sizeInBytes,
                                       .rows = 1};
    }
    levels->normalized = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    *texture = (CUtexObject)(uintptr_t)levels;
    return CUDA_SUCCESS;
}

EMULATED_DO(TexObjectDestroy, free((void *)(uintptr_t)texture), CUtexObject texture)

/* ---- What the host cannot do */

static CUresult emulated_absent(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define emulated_Array3DGetDescriptor emulated_absent
#define emulated_DestroyExternalMemory emulated_absent
#define emulated_DestroyExternalSemaphore emulated_absent
#define emulated_ExternalMemoryGetMappedMipmappedArray emulated_absent
#define emulated_ImportExternalMemory emulated_absent
#define emulated_ImportExternalSemaphore emulated_absent
#define emulated_SignalExternalSemaphoresAsync emulated_absent
#define emulated_WaitExternalSemaphoresAsync emulated_absent

/* Only programs call it: Fovea does without. */
EMULATED(StreamCreate, CUstream *stream, unsigned flags)
{
    return emulated_StreamCreateWithPriority(stream, flags, 0);
}

EMULATED(MemcpyDtoHAsync, void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return emulated_MemcpyDtoH(to, from, bytes);
}

/* cuda.h's macros give the name its version. */
#define EXPORT(name)                                                                               \
    EXPORTED __typeof__(emulated_##name) cu##name __attribute__((alias("emulated_" #name)));
EXPORT(Init)
EXPORT(DeviceGet)
EXPORT(DevicePrimaryCtxRetain)
EXPORT(DevicePrimaryCtxRelease)
EXPORT(CtxPushCurrent)
EXPORT(CtxPopCurrent)
EXPORT(MipmappedArrayCreate)
EXPORT(ModuleGetGlobal)
EXPORT(TexObjectCreate)
EXPORT(TexObjectDestroy)
EXPORT(StreamCreate)
EXPORT(StreamDestroy)
EXPORT(StreamSynchronize)
EXPORT(MemAlloc)
EXPORT(MemFree)
EXPORT(MemcpyHtoDAsync)
EXPORT(MemcpyDtoHAsync)

static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
#define ENTRY(name, since) {"cu" #name, (void (*)(void))emulated_##name},
    CUDA_DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
};

EXPORTED CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
                                      cuuint64_t flags,
                                      CUdriverProcAddressQueryResult *symbolStatus)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, symbol) == 0) {
            memcpy(pfn, &functions[i].function, sizeof *pfn);
            return CUDA_SUCCESS;
        }
    }
    *pfn = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
