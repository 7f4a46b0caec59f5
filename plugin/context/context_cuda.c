/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images in CUDA memory, on the caller's stream. A run enqueues its kernels and returns. */

#include "context_backend.h"
#include "context_cuda_focus.h"
#include "context_cuda_gradient.h"
#include "context_place.h"

#include "kernels/chain/chain.h"
#include "kernels/cuda/cuda_capture.h"
#include "kernels/image/pixel.h"
#include "kernels/operator/operator_cuda.h"

#include <stdlib.h>

/* Tables and memory of one capture, for runs of one kind in it: replays of its graphs share them
 * with nothing else. */
struct captured_plan {
    struct captured_plan *next;
    struct cuda_graphs *graphs;
    struct operator_cuda_plan *plan;
    const struct context_op *op; /* NULL: it was destroyed */
    uint64_t capture;
    enum fovea_format format;
    uint32_t count;
    bool one_source;
    bool src_planes;
    bool dst_planes;
};

struct context_device {
    struct fovea_log log;
    struct cuda_device *cuda;
    struct operator_cuda *kernels;
    bool pointers_refused; /* said once, until good ones come */
    struct captured_plan *captured;
    struct context_cuda_gradients gradients;
    struct context_cuda_focuses focuses; /* of images with depths */
};

/* Tables for the format that a frame has, made when the first one comes: 32-bit floats may take
 * more memory than all others. */
struct context_op {
    const struct operator_plan *plan;
    struct operator_cuda_plan *usual;
    struct operator_cuda_plan *floats;
    struct operator_cuda_plan *gradient;
};

static void forget_captured(struct context_device *device, struct captured_plan **at)
{
    struct captured_plan *gone = *at;
    *at = gone->next;
    operator_cuda_plan_retire(device->kernels, &gone->plan);
    cuda_graphs_forget(&gone->graphs);
    free(gone);
}

static void forget_captures_that_are_gone(struct context_device *device)
{
    struct captured_plan **at = &device->captured;
    while (*at) {
        if (cuda_graphs_are_gone((*at)->graphs)) {
            forget_captured(device, at);
        } else {
            at = &(*at)->next;
        }
    }
    context_cuda_gradients_forget_gone(&device->gradients);
}

/* Graphs that are still there run kernels and use memory of ours: what is on the device stays to
 * the end of the process. */
static void close_kernels(struct context_device *device)
{
    CUstreamCaptureMode before;
    if (!device->cuda || cuda_capture_enter(device->cuda, &before) != FOVEA_OK) {
        return;
    }
    forget_captures_that_are_gone(device);
    const bool graphs_left = device->captured || device->gradients.captured;
    if (graphs_left) {
        operator_cuda_abandon(device->kernels);
        context_cuda_gradients_abandon(&device->gradients);
    }
    while (device->captured) {
        forget_captured(device, &device->captured);
    }
    context_cuda_gradients_finish(&device->gradients);
    context_cuda_focuses_finish(device->cuda, &device->focuses, graphs_left);
    operator_cuda_destroy(&device->kernels);
    cuda_capture_leave(device->cuda, before);
    if (graphs_left) {
        log_warning(device->log, "cuda: the context was destroyed before the graphs that captured "
                                 "it; its memory on the device stays to the end of the process");
        cuda_device_abandon(&device->cuda);
    }
}

static void cuda_close(struct context_device **device)
{
    close_kernels(*device);
    cuda_device_destroy(&(*device)->cuda);
    free(*device);
    *device = NULL;
}

static enum fovea_result open_cuda(struct context_device *device, int ordinal)
{
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_device_create(ordinal, device->log, &device->cuda));
    FOVEA_TRY(cuda_capture_enter(device->cuda, &before));
    enum fovea_result result =
        operator_cuda_create(&chain_operator.cuda->kind, device->cuda, &device->kernels);
    cuda_capture_leave(device->cuda, before);
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
    CUstreamCaptureMode before;
    if (*op && cuda_capture_enter(device->cuda, &before) == FOVEA_OK) {
        operator_cuda_plan_retire(device->kernels, &(*op)->usual);
        operator_cuda_plan_retire(device->kernels, &(*op)->floats);
        context_cuda_gradient_retire(&device->gradients, (*op)->plan, &(*op)->gradient);
        cuda_capture_leave(device->cuda, before);
    }
    for (struct captured_plan *at = device->captured; at; at = at->next) {
        at->op = at->op == *op ? NULL : at->op;
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

/* Says what is wrong with a pointer; NULL: nothing. Managed memory is right, because the device can
 * reach it wherever it lies; memory of another context of the same device is wrong, because kernels
 * of ours cannot. The driver answers NULL for memory of no context. */
static enum fovea_result find_problem(const struct context_device *device, const void *pointer,
                                      const char **out_problem)
{
    const struct cuda_driver *cu = device->cuda->cu;
    struct context_place place;
    const CUresult status = context_place_look(cu, pointer, &place);
    *out_problem = NULL;
    if (cuda_result(status) == FOVEA_ERROR_DEVICE_LOST) {
        return CU_CHECK(device->log, cu, status);
    }
    if (!place.managed && place.ordinal != device->cuda->ordinal) {
        *out_problem = "is not a device pointer";
    } else if (place.context && place.context != device->cuda->context) {
        *out_problem = "is of another CUDA context than the primary one";
    }
    return FOVEA_OK;
}

struct given {
    const char *name;
    const void *pointer; /* NULL: none is wanted */
};

static enum fovea_result check_given(struct context_device *device, const struct given *given,
                                     size_t count)
{
    const char *problem = NULL;
    size_t i = 0;
    for (; i < count; i++) {
        if (given[i].pointer) {
            FOVEA_TRY(find_problem(device, given[i].pointer, &problem));
        }
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

static enum fovea_result check_pointers(struct context_device *device,
                                        const struct context_frame *frame)
{
    const bool gazes = frame->gazes_memory == FOVEA_MEMORY_CUDA;
    const struct given given[] = {{"src.data", frame->src.data},
                                  {"dst.data", frame->dst.data},
                                  {"gazes_uv", gazes ? frame->gazes_uv : NULL},
                                  {"sigmas.data", frame->sigmas.data},
                                  {"depth.data", frame->depth.data}};
    return check_given(device, given, sizeof given / sizeof *given);
}

/* ---- A frame */

static enum fovea_result make_plan(struct context_device *device, const struct context_op *op,
                                   const struct fovea_image *image,
                                   struct operator_cuda_plan **out_plan)
{
    const enum fovea_result result =
        operator_cuda_plan_create(device->kernels, op->plan, image->format, out_plan);
    if (result < 0) {
        log_error(device->log, "cuda: cannot make the tables of a %ux%u image: %s",
                  (unsigned)image->width_px, (unsigned)image->height_px, fovea_result_name(result));
    }
    return result;
}

static enum fovea_result reserve(struct context_device *device, struct operator_cuda_plan *plan,
                                 const struct operator_images *images)
{
    const enum fovea_result result = chain_operator.cuda->reserve(device->kernels, plan, images);
    if (result < 0) {
        log_error(device->log, "cuda: cannot make the memory of %u images: %s",
                  (unsigned)images->count, fovea_result_name(result));
    }
    return result;
}

static enum fovea_result get_plan(struct context_device *device, struct context_op *op,
                                  const struct operator_images *images,
                                  struct operator_cuda_plan **out_plan)
{
    struct operator_cuda_plan **plan =
        pixel_has_32_bit_floats(images->src->format) ? &op->floats : &op->usual;
    if (!*plan) {
        FOVEA_TRY(make_plan(device, op, images->src, plan));
    }
    *out_plan = *plan;
    return reserve(device, *plan, images);
}

/* Nothing that a graph uses may change its place later: a batch of another kind gets another
 * plan. */
static struct captured_plan *find_captured(const struct context_device *device,
                                           const struct captured_plan *wanted)
{
    struct captured_plan *at = device->captured;
    while (at && !(at->op == wanted->op && at->capture == wanted->capture &&
                   at->format == wanted->format && at->count == wanted->count &&
                   at->one_source == wanted->one_source && at->src_planes == wanted->src_planes &&
                   at->dst_planes == wanted->dst_planes)) {
        at = at->next;
    }
    return at;
}

static enum fovea_result fill_captured(struct context_device *device,
                                       const struct cuda_capture *capture,
                                       const struct operator_images *images,
                                       struct captured_plan *made)
{
    FOVEA_TRY(make_plan(device, made->op, images->src, &made->plan));
    FOVEA_TRY(reserve(device, made->plan, images));
    return cuda_graphs_watch(device->cuda, capture, &made->graphs);
}

static enum fovea_result get_captured_plan(struct context_device *device,
                                           const struct context_op *op,
                                           const struct cuda_capture *capture,
                                           const struct operator_images *images,
                                           struct operator_cuda_plan **out_plan)
{
    const struct captured_plan wanted = {.op = op,
                                         .capture = capture->id,
                                         .format = images->src->format,
                                         .count = images->count,
                                         .one_source = images->src_next_bytes == 0,
                                         .src_planes = images->src_plane_bytes != 0,
                                         .dst_planes = images->dst_plane_bytes != 0};
    struct captured_plan *found = find_captured(device, &wanted);
    if (!found) {
        found = malloc(sizeof *found);
        if (!found) {
            log_error(device->log, "cuda: out of memory");
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        *found = wanted;
        found->next = device->captured;
        device->captured = found;
        const enum fovea_result result = fill_captured(device, capture, images, found);
        if (result < 0) {
            forget_captured(device, &device->captured);
            return result;
        }
    }
    *out_plan = found->plan;
    return FOVEA_OK;
}

/* Has the images run by a plan that is theirs. */
static enum fovea_result run_images(struct context_device *device,
                                    const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    if (!images->depth) {
        return chain_operator.cuda->run_linear(device->kernels, run, images);
    }
    FOVEA_TRY(context_cuda_focuses_follow(device->cuda, &device->focuses, run->stream));
    return context_cuda_focuses_note(device->cuda, &device->focuses, run->stream,
                                     chain_operator.cuda->run_linear(device->kernels, run, images));
}

static enum fovea_result run_entered(struct context_device *device, struct context_op *op,
                                     const struct context_frame *frame)
{
    struct operator_cuda_run run = {
        .plan = op->plan, .frame = &frame->view, .stream = frame->cuda_stream};
    struct operator_images images = context_images_of(frame);
    struct cuda_capture capture;
    FOVEA_TRY(cuda_capture_of(device->cuda, run.stream, &capture));
    FOVEA_TRY(check_pointers(device, frame));
    forget_captures_that_are_gone(device);
    if (images.depth) {
        FOVEA_TRY(context_cuda_focuses_make(device->cuda, &device->focuses));
        images.focuses = context_cuda_focuses_of(&device->focuses);
    }
    if (capture.id == 0) {
        FOVEA_TRY(get_plan(device, op, &images, &run.cuda_plan));
        return run_images(device, &run, &images);
    }
    FOVEA_TRY(get_captured_plan(device, op, &capture, &images, &run.cuda_plan));
    device->cuda->capturing = true;
    const enum fovea_result result = run_images(device, &run, &images);
    device->cuda->capturing = false;
    return result;
}

static enum fovea_result cuda_run(struct context_device *device, struct context_op *op,
                                  const struct context_frame *frame)
{
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_capture_enter(device->cuda, &before));
    enum fovea_result result = run_entered(device, op, frame);
    cuda_capture_leave(device->cuda, before);
    return result;
}

static enum fovea_result cuda_run_gradient(struct context_device *device, struct context_op *op,
                                           const struct context_gradient *gradient)
{
    const bool gazes = gradient->gazes_memory == FOVEA_MEMORY_CUDA;
    const struct given given[] = {{"src.data", gradient->has_src ? gradient->src.data : NULL},
                                  {"d_dst.data", gradient->d_dst.data},
                                  {"d_src.data", gradient->has_d_src ? gradient->d_src.data : NULL},
                                  {"gazes_uv", gazes ? gradient->gazes_uv : NULL},
                                  {"d_gazes_uv", gazes ? gradient->d_gazes_uv : NULL},
                                  {"sigmas.data", gradient->sigmas.data},
                                  {"d_sigmas", gradient->d_sigmas}};
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_capture_enter(device->cuda, &before));
    enum fovea_result result = check_given(device, given, sizeof given / sizeof *given);
    forget_captures_that_are_gone(device);
    if (result == FOVEA_OK) {
        result = context_cuda_gradient_run(device->cuda, &device->gradients, op->plan,
                                           &op->gradient, gradient);
    }
    cuda_capture_leave(device->cuda, before);
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
    .run_gradient = cuda_run_gradient,
};
