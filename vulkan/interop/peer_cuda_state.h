/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files of the cuda peer share this: peer_cuda.c is its life, images, semaphores and plans,
 * peer_cuda_job.c its jobs, peer_cuda_count.c how many are over, peer_cuda_import.c the handles,
 * peer_cuda_between.c the images between operators. */
#pragma once

#include "kernels/gaze/late_cuda.h"
#include "kernels/operator/operator_cuda.h"
#include "peer_cuda_import.h"

#include <stdatomic.h>

struct peer_plan {
    const struct operator_plan *plan;
    struct operator_cuda_plan *cuda;
    struct peer_plan *next; /* of those that are forgotten */
};

struct peer_semaphore {
    CUexternalSemaphore handle;
};

/* One job in flight. */
struct slot {
    CUevent begin;
    CUevent end;
    bool timed;
    bool late;
};

/* Images have one word a pixel, or two. */
#define PEER_CUDA_WIDTHS 2

struct peer_cuda_between {
    uint32_t width_px; /* of the largest that the peer knows or has known; 0: of none */
    uint32_t height_px;
    struct peer_image *images[OPERATOR_MAX_BETWEEN];
};

struct cuda_peer {
    struct peer base;
    struct fovea_log log;
    struct cuda_device *device;
    const struct cuda_driver *cu;
    struct operator_cuda *kernels;
    struct late_cuda *late; /* NULL: jobs cannot be late */
    /* Not freed yet. */
    struct peer_plan *forgotten_plans;
    uint32_t forgotten_plan_count;
    struct peer_image *forgotten_images;
    struct peer_image *outgrown_images; /* of those between operators; jobs may use them */
    struct peer_cuda_between between[PEER_CUDA_WIDTHS];
    uint32_t between_count; /* the most that a plan has asked for */
    CUstream stream;
    CUdeviceptr count_device; /* what base.over points to, where it is not NULL */
    bool dirty; /* a job failed half way: kernels of it may be under way whatever else is over */
    struct slot *slots;
    uint32_t slot_count;
    atomic_bool abandoned;
};

static inline struct cuda_peer *cuda(struct peer *peer)
{
    return (struct cuda_peer *)peer;
}

static inline struct peer_cuda_between *peer_cuda_between_of(struct cuda_peer *peer,
                                                             enum fovea_format format)
{
    return &peer->between[format == FOVEA_FORMAT_RGBA16F ? 1 : 0];
}

/* Jobs may be about images of that kind, and plans of that. The device is pushed. What was there
 * stays on failure. */
FOVEA_MUST_CHECK enum fovea_result peer_cuda_between_for_image(struct cuda_peer *peer,
                                                               const struct peer_image_desc *desc);
FOVEA_MUST_CHECK enum fovea_result peer_cuda_between_for_plan(struct cuda_peer *peer,
                                                              const struct operator_plan *plan);
/* No job is left that uses them. The device is pushed, or abandoned. */
void peer_cuda_free_images(struct cuda_peer *peer, struct peer_image **list);
void peer_cuda_between_destroy(struct cuda_peer *peer);

/* The device is pushed and the stream is there. On failure base.over stays NULL. */
void peer_cuda_count_create(struct cuda_peer *peer);
/* No job is left. */
void peer_cuda_count_destroy(struct cuda_peer *peer);
/* The job's signal is in the stream. */
void peer_cuda_count(struct cuda_peer *peer, const struct peer_job *job);

/* Entries of the api. */
FOVEA_MUST_CHECK enum fovea_result peer_cuda_enqueue(struct peer *base, const struct peer_job *job,
                                                     enum peer_answer *out_answer);
FOVEA_MUST_CHECK enum fovea_result peer_cuda_elapsed(struct peer *base, uint32_t slot,
                                                     double *out_us);
uint32_t *peer_cuda_late_block(struct peer *base);
FOVEA_MUST_CHECK enum fovea_result peer_cuda_late_age(struct peer *base, uint32_t slot,
                                                      int64_t *out_age_ns);
