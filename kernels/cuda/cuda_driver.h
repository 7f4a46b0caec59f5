/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* NVIDIA's driver API, loaded at run time. Nothing of ours is linked against libcuda or libcudart,
 * so that the library loads on every machine, and nothing is opened before somebody asks: a
 * launcher that forks before its child draws a frame takes no CUDA state along.
 *
 *     const struct cuda_driver *cu = NULL;
 *     FOVEA_TRY(cuda_driver_get(log, &cu));
 *     CU_TRY(log, cu, cu->StreamSynchronize(stream));
 */
#pragma once

#include "core/log.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <stdatomic.h>

/* Name without "cu", and the CUDA version that gave the function the signature we call it with:
 * asking a later driver for that version gives that signature, whatever came after it. */
#define CUDA_DRIVER_FUNCTIONS(X)                                                                   \
    X(Init, 2000)                                                                                  \
    X(DriverGetVersion, 2020)                                                                      \
    X(GetErrorName, 6000)                                                                          \
    X(GetErrorString, 6000)                                                                        \
    X(DeviceGet, 2000)                                                                             \
    X(DeviceGetCount, 2000)                                                                        \
    X(DeviceGetName, 2000)                                                                         \
    X(DeviceGetUuid, 11040)                                                                        \
    X(DeviceGetAttribute, 2000)                                                                    \
    X(DevicePrimaryCtxRetain, 7000)                                                                \
    X(DevicePrimaryCtxRelease, 11000)                                                              \
    X(CtxCreate, 3020)                                                                             \
    X(CtxDestroy, 4000)                                                                            \
    X(CtxPushCurrent, 4000)                                                                        \
    X(CtxPopCurrent, 4000)                                                                         \
    X(CtxGetCurrent, 4000)                                                                         \
    X(CtxGetStreamPriorityRange, 5050)                                                             \
    X(StreamCreateWithPriority, 5050)                                                              \
    X(StreamDestroy, 4000)                                                                         \
    X(StreamSynchronize, 2000)                                                                     \
    X(StreamQuery, 2000)                                                                           \
    X(StreamWriteValue32, 11070)                                                                   \
    X(StreamWaitEvent, 3020)                                                                       \
    X(StreamBeginCapture, 10010)                                                                   \
    X(StreamEndCapture, 10000)                                                                     \
    X(StreamGetCaptureInfo, 11030)                                                                 \
    X(ThreadExchangeStreamCaptureMode, 10010)                                                      \
    X(GraphInstantiateWithFlags, 11040)                                                            \
    X(GraphLaunch, 10000)                                                                          \
    X(GraphExecDestroy, 10000)                                                                     \
    X(GraphDestroy, 10000)                                                                         \
    X(GraphRetainUserObject, 11030)                                                                \
    X(UserObjectCreate, 11030)                                                                     \
    X(UserObjectRelease, 11030)                                                                    \
    X(EventCreate, 2000)                                                                           \
    X(EventDestroy, 4000)                                                                          \
    X(EventRecord, 2000)                                                                           \
    X(EventQuery, 2000)                                                                            \
    X(EventSynchronize, 2000)                                                                      \
    X(EventElapsedTime, 2000)                                                                      \
    X(ModuleLoadData, 2000)                                                                        \
    X(ModuleUnload, 2000)                                                                          \
    X(ModuleGetFunction, 2000)                                                                     \
    X(FuncGetAttribute, 2020)                                                                      \
    X(FuncLoad, 12040)                                                                             \
    X(FuncSetAttribute, 9000)                                                                      \
    X(LaunchKernel, 4000)                                                                          \
    X(LaunchKernelEx, 11060)                                                                       \
    X(MemAlloc, 3020)                                                                              \
    X(MemFree, 3020)                                                                               \
    X(MemFreeHost, 2000)                                                                           \
    X(MemGetInfo, 3020)                                                                            \
    X(MemHostAlloc, 2020)                                                                          \
    X(MemHostRegister, 6050)                                                                       \
    X(MemHostUnregister, 4000)                                                                     \
    X(MemHostGetDevicePointer, 3020)                                                               \
    X(MemPoolCreate, 11020)                                                                        \
    X(MemPoolDestroy, 11020)                                                                       \
    X(MemAllocFromPoolAsync, 11020)                                                                \
    X(MemFreeAsync, 11020)                                                                         \
    X(MemsetD8, 3020)                                                                              \
    X(MemsetD8Async, 3020)                                                                         \
    X(MemcpyHtoD, 3020)                                                                            \
    X(MemcpyDtoH, 3020)                                                                            \
    X(MemcpyHtoDAsync, 3020)                                                                       \
    X(Memcpy2D, 3020)                                                                              \
    X(PointerGetAttributes, 7000)                                                                  \
    X(Array3DCreate, 3020)                                                                         \
    X(Array3DGetDescriptor, 3020)                                                                  \
    X(ArrayDestroy, 2000)                                                                          \
    X(SurfObjectCreate, 5000)                                                                      \
    X(SurfObjectDestroy, 5000)                                                                     \
    X(MipmappedArrayGetLevel, 5000)                                                                \
    X(MipmappedArrayDestroy, 5000)                                                                 \
    X(ImportExternalMemory, 10000)                                                                 \
    X(ExternalMemoryGetMappedMipmappedArray, 10000)                                                \
    X(DestroyExternalMemory, 10000)                                                                \
    X(ImportExternalSemaphore, 10000)                                                              \
    X(DestroyExternalSemaphore, 10000)                                                             \
    X(SignalExternalSemaphoresAsync, 10000)                                                        \
    X(WaitExternalSemaphoresAsync, 10000)

/* A context that an error has ended: an address out of bounds, an assertion, a card that has
 * failed. Every call in it fails from then on, with that error, and only its owner's end brings it
 * back. */
struct cuda_loss {
    atomic_bool lost; /* and said so */
    bool own; /* the context is Fovea's alone */
};

struct cuda_driver {
    int version; /* the CUDA version that the driver speaks, 13000 for 13.0 */
    /* The loss of the context that calls are made in (cuda_device.h); NULL: none. */
    struct cuda_loss *loss;
#define CUDA_DRIVER_FIELD(name, since) PFN_cu##name##_v##since name;
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_FIELD)
#undef CUDA_DRIVER_FIELD
};

/* The driver of this process, opened and initialised by the first call that succeeds and never
 * closed, because no driver survives being unloaded. Any thread. FOVEA_ERROR_UNSUPPORTED: no
 * library, one older than CUDA 12.4, no device, or this process is a fork of the one that opened
 * it; the log says which at INFO, because a machine without NVIDIA's driver is a normal machine. */
FOVEA_MUST_CHECK enum fovea_result cuda_driver_get(struct fovea_log log,
                                                   const struct cuda_driver **out_driver);

/* Fills a table from the library of that name; behind cuda_driver_get, by itself for tests. */
FOVEA_MUST_CHECK enum fovea_result cuda_driver_load(const char *library, struct fovea_log log,
                                                    struct cuda_driver *out_driver);

/* Returns what the caller of Fovea can do about a CUresult. */
enum fovea_result cuda_result(CUresult result);

/* Does the same after logging the call, the error's name and meaning, file and line. NOT_READY is
 * not an error and not logged. The loss of a context is logged once as an error, with what it means
 * for the program; later failures in it are for debugging. */
FOVEA_MUST_CHECK enum fovea_result cuda_check(struct fovea_log log, const struct cuda_driver *cu,
                                              CUresult result, const char *call, const char *file,
                                              int line);

#define CU_CHECK(log, cu, call) cuda_check((log), (cu), (call), #call, __FILE__, __LINE__)

/* Only logs a failure, in destroy and pop, where nothing else can be done. */
void cuda_warn(struct fovea_log log, const struct cuda_driver *cu, CUresult result,
               const char *call, const char *file, int line);

#define CU_WARN(log, cu, call) cuda_warn((log), (cu), (call), #call, __FILE__, __LINE__)

/* Returns from the calling function when the call failed. */
#define CU_TRY(log, cu, call) FOVEA_TRY(CU_CHECK(log, cu, call))
