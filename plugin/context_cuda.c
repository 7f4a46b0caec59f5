/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images in CUDA memory, on the caller's stream. A run enqueues its kernels and returns. */

#include "context_backend.h"

#include "cuda/cuda_device.h"
#include "foveate/foveate_cuda.h"

#include <stdlib.h>

struct context_device {
    struct fovea_log log;
    struct cuda_device *cuda;
    struct foveate_cuda *foveate;
    bool pointers_refused; /* said once, until good ones come */
};

struct context_op {
    struct foveate_cuda_plan *plan;
};

static void cuda_close(struct context_device **device)
{
    struct context_device *d = *device;
    if (d->cuda && cuda_device_push(d->cuda) == FOVEA_OK) {
        foveate_cuda_destroy(&d->foveate);
        cuda_device_pop(d->cuda);
    }
    cuda_device_destroy(&d->cuda);
    free(d);
    *device = NULL;
}

static enum fovea_result open_cuda(struct context_device *device, int ordinal)
{
    FOVEA_TRY(cuda_device_create(ordinal, device->log, &device->cuda));
    FOVEA_TRY(cuda_device_push(device->cuda));
    enum fovea_result result = foveate_cuda_create(device->cuda, &device->foveate);
    cuda_device_pop(device->cuda);
    return result;
}

static enum fovea_result cuda_open(const struct context_device_desc *desc,
                                   struct context_device **out_device)
{
    *out_device = NULL;
    struct context_device *device = calloc(1, sizeof *device);
    if (!device) {
        log_error(desc->log, "cuda: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    device->log = desc->log;
    enum fovea_result result = open_cuda(device, desc->cuda_device);
    if (result != FOVEA_OK) {
        log_error(desc->log, "cuda: device %d cannot be used: %s", desc->cuda_device,
                  fovea_result_name(result));
        cuda_close(&device);
        return result;
    }
    log_debug(device->log, "cuda: %s, device %d", device->cuda->name, desc->cuda_device);
    *out_device = device;
    return FOVEA_OK;
}

static void cuda_destroy_op(struct context_device *device, struct context_op **op)
{
    /* The tables go when the last launch is over; it is the plan's copy, so nothing has to wait. */
    if (*op && cuda_device_push(device->cuda) == FOVEA_OK) {
        foveate_cuda_plan_retire(device->foveate, &(*op)->plan);
        cuda_device_pop(device->cuda);
    }
    free(*op);
    *op = NULL;
}

static enum fovea_result upload(struct context_device *device, const struct foveate_plan *plan,
                                struct foveate_cuda_plan **out_plan)
{
    FOVEA_TRY(cuda_device_push(device->cuda));
    enum fovea_result result =
        foveate_cuda_plan_create(device->foveate, plan, FOVEATE_CUDA_FORMATS_ALL, out_plan);
    cuda_device_pop(device->cuda);
    return result;
}

static enum fovea_result cuda_create_op(struct context_device *device,
                                        const struct foveate_plan *plan, uint32_t thread_count,
                                        struct context_op **out_op)
{
    (void)thread_count;
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    *out_op = calloc(1, sizeof **out_op);
    if (*out_op) {
        result = upload(device, plan, &(*out_op)->plan);
    }
    if (result != FOVEA_OK) {
        log_error(device->log, "cuda: cannot make the tables of a %ux%u image: %s",
                  (unsigned)plan->width_px, (unsigned)plan->height_px, fovea_result_name(result));
        free(*out_op);
        *out_op = NULL;
    }
    return result;
}

/* Managed memory counts: the device can reach it wherever it lies. */
static bool is_ours(const struct context_device *device, const struct fovea_image *image)
{
    CUmemorytype type = 0;
    int managed = 0;
    int ordinal = -1;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *values[] = {&type, &managed, &ordinal};
    CUresult status = device->cuda->cu->PointerGetAttributes(3, attributes, values,
                                                             (CUdeviceptr)(uintptr_t)image->data);
    return status == CUDA_SUCCESS &&
           (managed || (type == CU_MEMORYTYPE_DEVICE && ordinal == device->cuda->ordinal));
}

static enum fovea_result check_pointers(struct context_device *device,
                                        const struct context_frame *frame)
{
    const bool src_ours = is_ours(device, &frame->src);
    if (src_ours && is_ours(device, &frame->dst)) {
        device->pointers_refused = false;
        return FOVEA_OK;
    }
    if (!device->pointers_refused) {
        log_error(device->log, "cuda: %s.data is not a device pointer of device %d",
                  src_ours ? "dst" : "src", device->cuda->ordinal);
        device->pointers_refused = true;
    }
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

static enum fovea_result run_pushed(struct context_device *device, struct context_op *op,
                                    const struct context_frame *frame)
{
    const struct foveate_cuda_run run = {
        .plan = op->plan, .frame = &frame->foveate, .stream = frame->cuda_stream};
    FOVEA_TRY(check_pointers(device, frame));
    return foveate_cuda_run_linear(device->foveate, &run, &frame->src, &frame->dst);
}

static enum fovea_result cuda_run(struct context_device *device, struct context_op *op,
                                  const struct context_frame *frame)
{
    FOVEA_TRY(cuda_device_push(device->cuda));
    enum fovea_result result = run_pushed(device, op, frame);
    cuda_device_pop(device->cuda);
    return result;
}

const struct context_backend context_backend_cuda = {
    .backend = FOVEA_BACKEND_CUDA,
    .memory = FOVEA_MEMORY_CUDA,
    .open = cuda_open,
    .close = cuda_close,
    .create_op = cuda_create_op,
    .destroy_op = cuda_destroy_op,
    .run = cuda_run,
};
