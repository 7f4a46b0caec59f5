/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_cuda_gradient.h"

#include "kernels/chain/chain.h"
#include "kernels/cuda/cuda_capture.h"

#include <stdlib.h>

/* Tables and memory of one capture for batches of one size, as context_cuda.c has them for runs:
 * replays share them with nothing else. */
struct context_captured_gradient {
    struct context_captured_gradient *next;
    struct cuda_graphs *graphs;
    struct operator_cuda_plan *plan;
    const struct operator_plan *chain_plan; /* NULL: it was destroyed */
    uint64_t capture;
    uint32_t count;
};

static enum fovea_result refuse(const struct cuda_device *device, const char *problem)
{
    log_error(device->log, "cuda: %s", problem);
    return FOVEA_ERROR_UNSUPPORTED;
}

static enum fovea_result prepare(const struct cuda_device *device,
                                 struct context_cuda_gradients *gradients,
                                 const struct operator_plan *only, struct operator_cuda_plan **plan,
                                 const struct operator_derivatives *batch)
{
    gradients->api = only->api->cuda_gradient;
    if (!gradients->kernels) {
        FOVEA_TRY(operator_cuda_create(&gradients->api->kind, device, &gradients->kernels));
    }
    if (!*plan) {
        FOVEA_TRY(operator_cuda_plan_create(gradients->kernels, only, FOVEA_FORMAT_NONE, plan));
    }
    return gradients->api->reserve(gradients->kernels, *plan, batch);
}

static enum fovea_result prepared(const struct cuda_device *device, enum fovea_result result,
                                  uint32_t count)
{
    if (result < 0) {
        log_error(device->log, "cuda: cannot make the memory of %u images' gradients: %s",
                  (unsigned)count, fovea_result_name(result));
    }
    return result;
}

/* ---- Captures */

static void forget_captured(struct context_cuda_gradients *gradients,
                            struct context_captured_gradient **at)
{
    struct context_captured_gradient *gone = *at;
    *at = gone->next;
    context_cuda_gradient_retire(gradients, NULL, &gone->plan);
    cuda_graphs_forget(&gone->graphs);
    free(gone);
}

void context_cuda_gradients_forget_gone(struct context_cuda_gradients *gradients)
{
    struct context_captured_gradient **at = &gradients->captured;
    while (*at) {
        if (cuda_graphs_are_gone((*at)->graphs)) {
            forget_captured(gradients, at);
        } else {
            at = &(*at)->next;
        }
    }
}

static struct context_captured_gradient *find_captured(
    const struct context_cuda_gradients *gradients, const struct context_captured_gradient *wanted)
{
    struct context_captured_gradient *at = gradients->captured;
    while (at && !(at->chain_plan == wanted->chain_plan && at->capture == wanted->capture &&
                   at->count == wanted->count)) {
        at = at->next;
    }
    return at;
}

static enum fovea_result make_captured(const struct cuda_device *device,
                                       struct context_cuda_gradients *gradients,
                                       const struct context_captured_gradient *wanted,
                                       const struct cuda_capture *capture,
                                       const struct operator_derivatives *batch)
{
    struct context_captured_gradient *made = malloc(sizeof *made);
    FOVEA_TRY_MEMORY(made);
    *made = *wanted;
    made->next = gradients->captured;
    gradients->captured = made;
    enum fovea_result result =
        prepare(device, gradients, chain_only_plan(made->chain_plan), &made->plan, batch);
    if (result == FOVEA_OK) {
        result = cuda_graphs_watch(device, capture, &made->graphs);
    }
    if (result < 0) {
        forget_captured(gradients, &gradients->captured);
    }
    return result;
}

static enum fovea_result run_captured(struct cuda_device *device,
                                      struct context_cuda_gradients *gradients,
                                      const struct operator_plan *chain_plan,
                                      const struct cuda_capture *capture,
                                      const struct operator_derivatives *batch, CUstream stream)
{
    const struct context_captured_gradient wanted = {
        .chain_plan = chain_plan, .capture = capture->id, .count = batch->count};
    if (batch->d_gazes_uv && !batch->gazes_on_device) {
        return refuse(device, "d_gazes_uv in CPU memory cannot be captured into a graph");
    }
    struct context_captured_gradient *found = find_captured(gradients, &wanted);
    if (!found) {
        FOVEA_TRY(prepared(device, make_captured(device, gradients, &wanted, capture, batch),
                           batch->count));
        found = gradients->captured;
    }
    device->capturing = true;
    const enum fovea_result result =
        gradients->api->run(gradients->kernels, found->plan, batch, stream);
    device->capturing = false;
    return result;
}

/* ---- What context_cuda.c calls */

enum fovea_result context_cuda_gradient_run(struct cuda_device *device,
                                            struct context_cuda_gradients *gradients,
                                            const struct operator_plan *chain_plan,
                                            struct operator_cuda_plan **plan,
                                            const struct context_gradient *gradient)
{
    const struct operator_plan *only = chain_only_plan(chain_plan);
    const struct operator_derivatives batch = context_derivatives(gradient);
    struct cuda_capture capture;
    const char *problem = context_gradient_lacks(only, only && only->api->cuda_gradient);
    if (problem) {
        return refuse(device, problem);
    }
    FOVEA_TRY(cuda_capture_of(device, gradient->cuda_stream, &capture));
    if (capture.id != 0) {
        return run_captured(device, gradients, chain_plan, &capture, &batch, gradient->cuda_stream);
    }
    FOVEA_TRY(prepared(device, prepare(device, gradients, only, plan, &batch), batch.count));
    return gradients->api->run(gradients->kernels, *plan, &batch, gradient->cuda_stream);
}

void context_cuda_gradient_retire(struct context_cuda_gradients *gradients,
                                  const struct operator_plan *chain_plan,
                                  struct operator_cuda_plan **plan)
{
    operator_cuda_plan_retire(gradients->kernels, plan);
    struct context_captured_gradient *at = chain_plan ? gradients->captured : NULL;
    for (; at; at = at->next) {
        at->chain_plan = at->chain_plan == chain_plan ? NULL : at->chain_plan;
    }
}

void context_cuda_gradients_abandon(struct context_cuda_gradients *gradients)
{
    if (gradients->kernels) {
        operator_cuda_abandon(gradients->kernels);
    }
}

void context_cuda_gradients_finish(struct context_cuda_gradients *gradients)
{
    while (gradients->captured) {
        forget_captured(gradients, &gradients->captured);
    }
    operator_cuda_destroy(&gradients->kernels);
}
