/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A CUDA device with a context: its primary one, retained once and shared with everything else in
 * the process that uses CUDA through the runtime, or one of our own, whose errors are nobody
 * else's. No thread's current context is changed: between cuda_device_push and cuda_device_pop it
 * is ours, before and after it is whatever it was. */
#pragma once

#include "cuda_driver.h"

#include <sys/types.h>

#define CUDA_UUID_BYTES 16

/* The kernels that a device has loaded: this changes behind a device that is const elsewhere. */
struct cuda_code {
    atomic_bool has_older; /* a kernel that does not wait for the one ahead of it (ptx.cuh) */
};

struct cuda_device {
    const struct cuda_driver *cu; /* the process's driver, with this context's loss */
    struct cuda_driver driver;
    struct cuda_loss loss;
    pid_t process; /* that made it; a fork of it makes no calls */
    bool capturing; /* what is enqueued now goes into a graph (cuda_capture.h) */
    struct cuda_code *code; /* own_code */
    struct cuda_code own_code;
    struct fovea_log log;
    CUdevice handle;
    CUcontext context;
    int ordinal;
    uint8_t uuid[CUDA_UUID_BYTES];
    char name[128];
};

/* The ordinal of the device with that UUID. FOVEA_ERROR_UNSUPPORTED: no driver, none of its devices
 * has it, or the UUID is all zeros, which is how some containers say that it is unknown; the log
 * says which at INFO. Makes no context. Any thread. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_find(const uint8_t uuid[CUDA_UUID_BYTES],
                                                    struct fovea_log log, int *out_ordinal);

/* The device of that ordinal, as CUDA_VISIBLE_DEVICES leaves them. Vulkan counts differently: use
 * cuda_device_find for its devices. Any thread. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_create(int ordinal, struct fovea_log log,
                                                      struct cuda_device **out_device);
/* The same with a context of its own, which takes some hundred megabytes of the device's memory
 * beside the primary one where the program has that, and is gone with the device. What it allocates
 * nobody else's context reaches, and the other way round. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_create_own(int ordinal, struct fovea_log log,
                                                          struct cuda_device **out_device);
void cuda_device_destroy(struct cuda_device **device);
/* Destroy for a device whose streams are stuck: its context stays to the end of the process. */
void cuda_device_abandon(struct cuda_device **device);

/* Any thread, in pairs. FOVEA_ERROR_INVALID_STATE in a fork of the process that made it, without a
 * call. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_push(const struct cuda_device *device);
void cuda_device_pop(const struct cuda_device *device);

/* A stream that the legacy default stream does not wait for, of the highest priority. The device is
 * pushed. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_create_stream(const struct cuda_device *device,
                                                             CUstream *out_stream);
/* The same of the lowest priority: its blocks fill the places that others leave free. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_create_low_stream(const struct cuda_device *device,
                                                                 CUstream *out_stream);

/* Finds what a block may have of shared memory where it is asked for. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_shared_bytes(const struct cuda_device *device,
                                                            int *out_bytes);
/* Frees what MemAlloc made, if there is any, and sets 0. */
void cuda_device_free(const struct cuda_device *device, CUdeviceptr *memory);

/* Finds the architecture that a kernel of ours was compiled for: __CUDA_ARCH__ / 10, as 75 or 90. A
 * card also runs code for older ones, and device code is cut by that number: what a kernel has
 * follows it, and not the card's compute capability. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_architecture_of(const struct cuda_device *device,
                                                               CUfunction kernel, int *out);
/* Devices from the first architecture on have matrix instructions for halves and bytes, those from
 * the second one mma_add_of_8 alone (cuda/mma.cuh). */
#define CUDA_MMA_ARCHITECTURE 80
#define CUDA_NARROW_MMA_ARCHITECTURE 75
/* Kernels for it and later ones wait for the one ahead of them (cuda/ptx.cuh). */
#define CUDA_WAITING_ARCHITECTURE 90

/* Each kernel is loaded now: loaded at its first launch, it could allocate or wait in a frame. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_get_kernel(const struct cuda_device *device,
                                                          CUmodule module, const char *name,
                                                          CUfunction *out_kernel);
