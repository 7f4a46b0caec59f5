/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The interface between fovea_context and a backend. context_cpu.c is the template: a new backend
 * is a file and a line in the table of context.c. */
#pragma once

#include "kernels/operator/operator.h"

/* A context's device and its stream. Each backend defines its own. */
struct context_device;

/* A plan's tables on the device, scratch and threads. Each backend defines its own. */
struct context_op;

struct context_device_desc {
    int cuda_device; /* of fovea_context_desc */
    struct fovea_log log; /* lives as long as the context */
};

/* The arguments of run, already validated against each other: same size, format and memory, strides
 * that do not overlap, aligned data, no overlap of src and dst or of images of dst; format fits the
 * plan. All images are of the size of the op's plan. pixel_stride_bytes is filled in, never 0; of
 * images in planes it is a sample's. */
struct context_frame {
    uint32_t count; /* at least 1 */
    struct fovea_image src; /* the first */
    struct fovea_image dst;
    ptrdiff_t src_next_bytes; /* from an image to the next; 0: one picture for all */
    ptrdiff_t dst_next_bytes;
    ptrdiff_t src_plane_bytes; /* from a channel's plane to the next; 0: no planes */
    ptrdiff_t dst_plane_bytes;
    struct operator_frame view;
    const float *gazes_uv; /* of all images; NULL: `view` has the gaze */
    enum fovea_memory gazes_memory;
    uint32_t fovea_count; /* of each image, at least 1 */
    const float *others_uv; /* where `view` has the gaze; NULL: there are none */
    struct fovea_image sigmas; /* the first; of the memory and size of src; data NULL: none */
    ptrdiff_t sigmas_next_bytes; /* from an image's to the next; 0: one for all */
    struct fovea_depth depth; /* the first; of the memory and size of src; data NULL: none */
    struct operator_focus *focuses; /* of all images, where there is depth, in CPU memory */
    void *cuda_stream;
};

/* The images of the frame as operators take them. */
struct operator_images context_images_of(const struct context_frame *frame);

/* The arguments of run_gradient, validated likewise: images of one size, format and memory, those
 * of d_src apart from each other and from the others; gazes of the host are finite. */
struct context_gradient {
    uint32_t count;
    bool has_src; /* and d_gazes_uv or d_sigmas */
    bool has_d_src;
    struct fovea_image src;
    struct fovea_image d_dst;
    struct fovea_image d_src;
    ptrdiff_t src_next_bytes;
    ptrdiff_t d_dst_next_bytes;
    ptrdiff_t d_src_next_bytes;
    const float *gazes_uv;
    float *d_gazes_uv;
    enum fovea_memory gazes_memory;
    uint32_t fovea_count; /* of each image, at least 1 */
    struct fovea_image sigmas; /* as struct context_frame has them */
    ptrdiff_t sigmas_next_bytes;
    float *d_sigmas;
    void *cuda_stream;
};

/* No entry is NULL. Called from one thread at a time for each device. A function that fails says
 * why in the device's log, once, and leaves nothing behind. */
struct context_backend {
    enum fovea_backend backend;
    enum fovea_memory memory; /* of the images that it takes */

    /* Called when the first image of that memory comes, or at once where the settings name the
     * backend. FOVEA_ERROR_UNSUPPORTED: not on this machine. */
    enum fovea_result (*open)(const struct context_device_desc *desc,
                              struct context_device **out_device);
    /* After every op of it was destroyed. */
    void (*close)(struct context_device **device);

    /* thread_count as in fovea_settings.cpu_threads. The plan outlives the op. */
    enum fovea_result (*create_op)(struct context_device *device, const struct operator_plan *plan,
                                   uint32_t thread_count, struct context_op **out_op);
    /* Work that run has enqueued may still be under way: waits for it. */
    void (*destroy_op)(struct context_device *device, struct context_op **op);

    /* Allocates where no earlier frame of the op was of that format or of so many images, and
     * nothing else; on failure the op is as it was, and dst is not written. */
    enum fovea_result (*run)(struct context_device *device, struct context_op *op,
                             const struct context_frame *frame);
    /* Likewise. FOVEA_ERROR_UNSUPPORTED: the plan has no derivative there. */
    enum fovea_result (*run_gradient)(struct context_device *device, struct context_op *op,
                                      const struct context_gradient *gradient);
};

/* Returns why a chain has no derivative; NULL: it has one. `only` is the plan of its only operator,
 * or NULL: there are several. `has`: that operator has a derivative on the backend. */
static inline const char *context_gradient_lacks(const struct operator_plan *only, bool has)
{
    if (!only) {
        return "several operators have no gradient";
    }
    return has ? only->lacks_gradient : "this operator has no gradient";
}

/* The derivatives as operators take them. */
struct operator_derivatives context_derivatives(const struct context_gradient *gradient);

extern const struct context_backend context_backend_cpu;
/* Compiled and in the table where FOVEA_HAVE_CUDA is 1. */
extern const struct context_backend context_backend_cuda;
