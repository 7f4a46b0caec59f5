/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_cuda_gradient.h"

#include "kernels/cuda/cuda_capture.h"
#include "kernels/row/row.h"

static enum fovea_result refuse(const struct cuda_device *device, const char *problem)
{
    log_error(device->log, "cuda: %s", problem);
    return FOVEA_ERROR_UNSUPPORTED;
}

static enum fovea_result prepare(const struct cuda_device *device,
                                 struct context_cuda_gradients *gradients,
                                 const struct operator_plan *only,
                                 struct operator_cuda_gradient_plan **plan,
                                 const struct operator_derivatives *batch)
{
    gradients->api = only->api->cuda_gradient;
    if (!gradients->kernels) {
        FOVEA_TRY(gradients->api->create(device, &gradients->kernels));
    }
    if (!*plan) {
        FOVEA_TRY(gradients->api->plan_create(gradients->kernels, only, plan));
    }
    return gradients->api->reserve(gradients->kernels, *plan, batch);
}

enum fovea_result context_cuda_gradient_run(const struct cuda_device *device,
                                            struct context_cuda_gradients *gradients,
                                            const struct operator_plan *row_plan,
                                            struct operator_cuda_gradient_plan **plan,
                                            const struct context_gradient *gradient)
{
    const struct operator_plan *only = row_only_plan(row_plan);
    const struct operator_derivatives batch = context_derivatives(gradient);
    struct cuda_capture capture;
    if (!only || !only->api->cuda_gradient) {
        return refuse(device, only ? "this operator has no gradient"
                                   : "several operators have no gradient");
    }
    FOVEA_TRY(cuda_capture_of(device, gradient->cuda_stream, &capture));
    if (capture.id != 0) {
        return refuse(device, "gradients cannot be captured into a graph");
    }
    const enum fovea_result result = prepare(device, gradients, only, plan, &batch);
    if (result < 0) {
        log_error(device->log, "cuda: cannot make the memory of %u images' gradients: %s",
                  (unsigned)batch.count, fovea_result_name(result));
        return result;
    }
    return gradients->api->run(gradients->kernels, *plan, &batch, gradient->cuda_stream);
}

void context_cuda_gradient_retire(struct context_cuda_gradients *gradients,
                                  struct operator_cuda_gradient_plan **plan)
{
    if (gradients->kernels) {
        gradients->api->plan_retire(gradients->kernels, plan);
    }
}

void context_cuda_gradients_finish(struct context_cuda_gradients *gradients)
{
    if (gradients->kernels) {
        gradients->api->destroy(&gradients->kernels);
    }
}
