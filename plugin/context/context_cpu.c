/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_backend.h"

#include "core/log.h"
#include "core/thread_pool.h"
#include "kernels/chain/chain.h"

#include <stdlib.h>

struct context_device {
    struct fovea_log log;
    struct thread_pool *pool; /* of all ops, which run one after the other; made with the first */
};

struct context_op {
    const struct operator_host_api *api; /* the plan's */
    struct operator_host *host;
    const struct operator_plan *plan;
    const struct operator_gradient_api *gradient_api;
    struct operator_host *gradient; /* NULL: none was asked for yet */
};

static enum fovea_result cpu_open(const struct context_device_desc *desc,
                                  struct context_device **out_device)
{
    *out_device = calloc(1, sizeof **out_device);
    if (!*out_device) {
        log_error(desc->log, "cpu: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (*out_device)->log = desc->log;
    return FOVEA_OK;
}

static void cpu_close(struct context_device **device)
{
    thread_pool_destroy(&(*device)->pool);
    free(*device);
    *device = NULL;
}

static void cpu_destroy_op(struct context_device *device, struct context_op **op)
{
    (void)device;
    if (*op) {
        operator_host_destroy(&(*op)->gradient);
        operator_host_destroy(&(*op)->host);
    }
    free(*op);
    *op = NULL;
}

static enum fovea_result make_op(struct context_device *device, const struct operator_plan *plan,
                                 uint32_t thread_count, struct context_op *op)
{
    if (!device->pool) {
        FOVEA_TRY(thread_pool_create(thread_count, &device->pool));
    }
    op->plan = plan;
    op->api = operator_host_of(plan);
    return operator_host_create(&op->api->kind, device->pool, plan, &op->host);
}

static enum fovea_result cpu_create_op(struct context_device *device,
                                       const struct operator_plan *plan, uint32_t thread_count,
                                       struct context_op **out_op)
{
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    *out_op = calloc(1, sizeof **out_op);
    if (*out_op) {
        result = make_op(device, plan, thread_count, *out_op);
    }
    if (result < 0) {
        log_error(device->log, "cpu: cannot make the scratch memory of this image: %s",
                  fovea_result_name(result));
        cpu_destroy_op(device, out_op);
    }
    return result;
}

static enum fovea_result cpu_run(struct context_device *device, struct context_op *op,
                                 const struct context_frame *frame)
{
    const struct operator_images images = context_images_of(frame);
    const enum fovea_result result = op->api->reserve(op->host, &images);
    if (result < 0) {
        log_error(device->log, "cpu: cannot make the scratch memory of %u images: %s",
                  (unsigned)frame->count, fovea_result_name(result));
        return result;
    }
    op->api->run(op->host, &images, &frame->view);
    return FOVEA_OK;
}

/* ---- Gradients */

static enum fovea_result prepare_gradient(struct context_device *device, struct context_op *op,
                                          const struct operator_derivatives *batch)
{
    const struct operator_plan *only = chain_only_plan(op->plan);
    const char *problem = context_gradient_lacks(only, only && only->api->gradient);
    if (problem) {
        log_error(device->log, "%s", problem);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    enum fovea_result result = FOVEA_OK;
    if (!op->gradient) {
        op->gradient_api = only->api->gradient;
        result = operator_host_create(&op->gradient_api->kind, device->pool, only, &op->gradient);
    }
    if (result == FOVEA_OK) {
        result = op->gradient_api->reserve(op->gradient, batch);
    }
    if (result < 0) {
        log_error(device->log, "cpu: cannot make the memory of %u images' gradients: %s",
                  (unsigned)batch->count, fovea_result_name(result));
    }
    return result;
}

static enum fovea_result cpu_run_gradient(struct context_device *device, struct context_op *op,
                                          const struct context_gradient *gradient)
{
    const struct operator_derivatives batch = context_derivatives(gradient);
    FOVEA_TRY(prepare_gradient(device, op, &batch));
    op->gradient_api->run(op->gradient, &batch);
    return FOVEA_OK;
}

const struct context_backend context_backend_cpu = {
    .backend = FOVEA_BACKEND_CPU,
    .memory = FOVEA_MEMORY_CPU,
    .open = cpu_open,
    .close = cpu_close,
    .create_op = cpu_create_op,
    .destroy_op = cpu_destroy_op,
    .run = cpu_run,
    .run_gradient = cpu_run_gradient,
};
