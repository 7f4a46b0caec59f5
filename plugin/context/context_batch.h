/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether the images of a batch, or the two of a frame, can be worked on together. */
#pragma once

#include "context_backend.h"
#include "context_image.h"

/* Takes what fovea_context_run_batch was given as a frame, and checks all of `batch`. Fills in
 * pixel strides; distances that do not count become 0. runs_blind: images may have no gaze, and
 * gazes_uv may be NULL. False: out_problem says why. */
bool context_batch_take(const struct fovea_batch *batch, bool runs_blind,
                        struct context_frame *out_frame, char out_problem[CONTEXT_PROBLEM_BYTES]);

/* All `count` images that one of a batch's pictures stands for; a frame has one. The caller owns
 * `first`, so that pixel strides can be filled in. */
struct context_images {
    const char *name; /* for problems */
    struct fovea_image *first;
    ptrdiff_t next_bytes;
    uint32_t count;
};

/* These say in out_problem why they are false. */
bool context_count_check(uint32_t count, char out_problem[CONTEXT_PROBLEM_BYTES]);
bool context_foveas_check(uint32_t count, uint32_t reserved,
                          char out_problem[CONTEXT_PROBLEM_BYTES]);
/* The first, and the distance to the next. */
bool context_images_check(const struct context_images *images,
                          char out_problem[CONTEXT_PROBLEM_BYTES]);
/* Those that passed: of one size, format and memory; none of them overlaps another; none of one
 * overlaps one of the other. */
bool context_images_alike(const struct context_images *src, const struct context_images *dst,
                          char out_problem[CONTEXT_PROBLEM_BYTES]);
bool context_images_check_written(const struct context_images *images,
                                  char out_problem[CONTEXT_PROBLEM_BYTES]);
bool context_images_check_apart(const struct context_images *src, const struct context_images *dst,
                                char out_problem[CONTEXT_PROBLEM_BYTES]);
/* Pictures of sigmas, of which the first may have no data, beside images that passed. */
bool context_sigmas_check(const struct context_images *sigmas, const struct context_images *beside,
                          char out_problem[CONTEXT_PROBLEM_BYTES]);

struct context_gazes {
    const float *uv;
    uint32_t count;
    enum fovea_memory memory;
    enum fovea_memory images_memory;
    bool may_lack; /* one that is not finite is of an image without a gaze */
    uint32_t fovea_count; /* of each; 0: one */
};
bool context_floats_check(const float *floats, const char *name,
                          char out_problem[CONTEXT_PROBLEM_BYTES]);
bool context_gazes_check(const struct context_gazes *gazes,
                         char out_problem[CONTEXT_PROBLEM_BYTES]);

/* The images of a frame, alone and against each other; also fills in pixel strides. */
bool context_batch_check_images(struct context_frame *frame,
                                char out_problem[CONTEXT_PROBLEM_BYTES]);
