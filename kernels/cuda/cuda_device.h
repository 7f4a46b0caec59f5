/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A CUDA device with its primary context, retained once. The context is shared with everything else
 * in the process that uses CUDA, and no thread's current context is changed: between
 * cuda_device_push and cuda_device_pop it is ours, before and after it is whatever it was. */
#ifndef FOVEA_CUDA_DEVICE_H
#define FOVEA_CUDA_DEVICE_H

#include "cuda/cuda_driver.h"

#define CUDA_UUID_BYTES 16

struct cuda_device {
    const struct cuda_driver *cu;
    struct fovea_log log;
    CUdevice handle;
    CUcontext context;
    int ordinal;
    uint8_t uuid[CUDA_UUID_BYTES];
    char name[128];
};

/* The ordinal of the device with that UUID. FOVEA_ERROR_UNSUPPORTED: no driver, none of its devices
 * has it, or the UUID is all zeros, which is how some containers say that it is unknown; the log says
 * which at INFO. Makes no context. Any thread. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_find(const uint8_t uuid[CUDA_UUID_BYTES],
                                                    struct fovea_log log, int *out_ordinal);

/* The device of that ordinal, as CUDA_VISIBLE_DEVICES leaves them. Vulkan counts differently: use
 * cuda_device_find for its devices. Any thread. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_create(int ordinal, struct fovea_log log,
                                                      struct cuda_device **out_device);
void cuda_device_destroy(struct cuda_device **device);
/* Destroy for a device whose streams are stuck: its context stays to the end of the process. */
void cuda_device_abandon(struct cuda_device **device);

/* Any thread, in pairs. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_push(const struct cuda_device *device);
void cuda_device_pop(const struct cuda_device *device);

/* A stream that the legacy default stream does not wait for, of the highest priority. The device is
 * pushed. */
FOVEA_MUST_CHECK enum fovea_result cuda_device_create_stream(const struct cuda_device *device,
                                                             CUstream *out_stream);

#endif
