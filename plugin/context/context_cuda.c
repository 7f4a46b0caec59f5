/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images in CUDA memory, on the caller's stream. A run enqueues its kernels and returns. */

#include "context_backend.h"

#include "kernels/cuda/cuda_device.h"
#include "kernels/image/pixel.h"
#include "kernels/operator/operator_cuda.h"
#include "kernels/row/row.h"

#include <stdlib.h>

struct context_device {
    struct fovea_log log;
    struct cuda_device *cuda;
    const struct operator_cuda_api *api;
    struct operator_cuda *kernels;
    bool pointers_refused; /* said once, until good ones come */
};

/* Tables for the format that a frame has, made when the first one comes: 32-bit floats may take
 * more memory than all others. */
struct context_op {
    const struct operator_plan *plan;
    struct operator_cuda_plan *usual;
    struct operator_cuda_plan *floats;
};

static void cuda_close(struct context_device **device)
{
    struct context_device *d = *device;
    if (d->cuda && cuda_device_push(d->cuda) == FOVEA_OK) {
        d->api->destroy(&d->kernels);
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
    enum fovea_result result = device->api->create(device->cuda, &device->kernels);
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
    device->api = row_operator.cuda;
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
        device->api->plan_retire(device->kernels, &(*op)->usual);
        device->api->plan_retire(device->kernels, &(*op)->floats);
        cuda_device_pop(device->cuda);
    }
    free(*op);
    *op = NULL;
}

static enum fovea_result cuda_create_op(struct context_device *device,
                                        const struct operator_plan *plan, uint32_t thread_count,
                                        struct context_op **out_op)
{
    (void)thread_count;
    *out_op = calloc(1, sizeof **out_op);
    if (!*out_op) {
        log_error(device->log, "cuda: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (*out_op)->plan = plan;
    return FOVEA_OK;
}

/* ---- What is given */

/* What is wrong with a pointer; NULL: nothing. Managed memory counts, because the device can reach
 * it wherever it lies; memory of another context of the same device does not, because kernels of
 * ours cannot. Memory that is of no context says NULL. */
static enum fovea_result find_problem(const struct context_device *device, const void *pointer,
                                      const char **out_problem)
{
    const struct cuda_driver *cu = device->cuda->cu;
    CUmemorytype type = 0;
    CUcontext context = NULL;
    int managed = 0;
    int ordinal = -1;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_CONTEXT};
    void *values[] = {&type, &managed, &ordinal, &context};
    const CUresult status =
        cu->PointerGetAttributes(4, attributes, values, (CUdeviceptr)(uintptr_t)pointer);
    *out_problem = NULL;
    if (cuda_result(status) == FOVEA_ERROR_DEVICE_LOST) {
        return CU_CHECK(device->log, cu, status);
    }
    const bool reached = type == CU_MEMORYTYPE_DEVICE && ordinal == device->cuda->ordinal;
    if (status != CUDA_SUCCESS || !(managed || reached)) {
        *out_problem = "is not a device pointer";
    } else if (!managed && context && context != device->cuda->context) {
        *out_problem = "is of another CUDA context than the primary one";
    }
    return FOVEA_OK;
}

static enum fovea_result check_pointers(struct context_device *device,
                                        const struct context_frame *frame)
{
    const bool gazes = frame->gazes_uv && frame->gazes_memory == FOVEA_MEMORY_CUDA;
    const struct {
        const char *name;
        const void *pointer;
    } given[] = {{"src.data", frame->src.data},
                 {"dst.data", frame->dst.data},
                 {"gazes_uv", frame->gazes_uv}};
    const char *problem = NULL;
    size_t i = 0;
    for (; i < (gazes ? 3 : 2); i++) {
        FOVEA_TRY(find_problem(device, given[i].pointer, &problem));
        if (problem) {
            break;
        }
    }
    if (problem && !device->pointers_refused) {
        log_error(device->log, "cuda: %s %s of device %d", given[i].name, problem,
                  device->cuda->ordinal);
    }
    device->pointers_refused = problem != NULL;
    return problem ? FOVEA_ERROR_INVALID_ARGUMENT : FOVEA_OK;
}

/* ---- A frame */

static enum fovea_result get_plan(struct context_device *device, struct context_op *op,
                                  const struct fovea_image *image,
                                  struct operator_cuda_plan **out_plan)
{
    struct operator_cuda_plan **plan =
        pixel_has_32_bit_floats(image->format) ? &op->floats : &op->usual;
    if (!*plan) {
        const enum fovea_result result =
            device->api->plan_create(device->kernels, op->plan, image->format, plan);
        if (result < 0) {
            log_error(device->log, "cuda: cannot make the tables of a %ux%u image: %s",
                      (unsigned)image->width_px, (unsigned)image->height_px,
                      fovea_result_name(result));
            return result;
        }
    }
    *out_plan = *plan;
    return FOVEA_OK;
}

static enum fovea_result run_pushed(struct context_device *device, struct context_op *op,
                                    const struct context_frame *frame)
{
    struct operator_cuda_run run = {
        .plan = op->plan, .frame = &frame->view, .stream = frame->cuda_stream};
    const struct operator_images images = {
        .count = frame->count,
        .src = &frame->src,
        .dst = &frame->dst,
        .src_next_bytes = frame->src_next_bytes,
        .dst_next_bytes = frame->dst_next_bytes,
        .gazes_uv = frame->gazes_uv,
        .gazes_on_device = frame->gazes_memory == FOVEA_MEMORY_CUDA,
    };
    FOVEA_TRY(check_pointers(device, frame));
    FOVEA_TRY(get_plan(device, op, &frame->src, &run.cuda_plan));
    const enum fovea_result result = device->api->reserve(device->kernels, run.cuda_plan, &images);
    if (result < 0) {
        log_error(device->log, "cuda: cannot make the memory of %u images: %s",
                  (unsigned)frame->count, fovea_result_name(result));
        return result;
    }
    return device->api->run_linear(device->kernels, &run, &images);
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
