/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the files of the row share: row.c has plans, row_host.c, row_cuda.c and row_glsl.c how they
 * run. */
#ifndef FOVEA_KERNELS_ROW_PLAN_H
#define FOVEA_KERNELS_ROW_PLAN_H

#include "kernels/image/planes.h"
#include "row.h"

struct row_part {
    enum fovea_operator name;
    const struct operator_api *api;
    struct operator_plan *plan;
};

struct row_plan {
    struct operator_plan base;
    uint32_t width_px;
    uint32_t height_px;
    bool has_sigmas;
    uint32_t count;
    struct row_part parts[FOVEA_OPERATOR_COUNT];
};

static inline const struct row_plan *row_plan_of(const struct operator_plan *plan)
{
    return (const struct row_plan *)plan;
}

/* The part says that a backend has no way to run its plan (operator_api.plan_lacks). */
bool row_part_lacks(const struct row_part *part, enum fovea_backend backend, char *out,
                    size_t bytes);

/* The parts that pictures go through. */
struct row_way {
    uint32_t count;
    uint32_t parts[FOVEA_OPERATOR_COUNT];
};
/* All of them; blind: those that do not look at the gaze, of which there is one. */
struct row_way row_way_of(const struct row_plan *plan, bool blind);

/* The image between that a step of a way writes, where it is not the last: the next one reads it.
 */
static inline uint32_t row_between(uint32_t step)
{
    return step % OPERATOR_MAX_BETWEEN;
}

/* Bytes from a row of an image between in linear memory to the next, and of the image. */
uint64_t row_image_pitch(const struct fovea_image *like);
uint64_t row_image_bytes(const struct fovea_image *like);

/* Bytes of the images between, at most, or of those of one image: a batch goes through the whole
 * row in slices that have room there. Tests make it less. Pixels of planes on a device have more.
 */
extern uint64_t row_most_between_bytes;

/* How many images go through the row at a time, and the memory between that they need. */
uint32_t row_slice_count(const struct row_plan *plan, const struct operator_images *images);
uint64_t row_between_bytes(const struct row_plan *plan, const struct operator_images *images);

struct row_images {
    struct operator_images images;
    bool blind; /* of a slice: there is no gaze in host memory */
    struct fovea_image src;
    struct fovea_image dst;
    struct fovea_image sigmas; /* of a slice that has any */
    struct fovea_depth depth; /* likewise */
};
/* As many images as go through the row at a time. */
void row_first_slice(const struct row_plan *plan, const struct operator_images *images,
                     struct row_images *out);
/* So many images from `first` on, or those that are left, or those up to the first that has a gaze
 * where the one at `first` has none, or the other way round: out->blind says which. */
void row_slice_of(const struct operator_images *images, uint32_t first, uint32_t count,
                  struct row_images *out);
/* The images of a step of the way, as pixels. Those between lie in linear memory: images_between
 * times as many as the slice has, and as many again for each side that has planes. NULL where there
 * are none. */
void row_images_of(const struct row_plan *plan, const struct row_way *way, uint32_t step,
                   const struct operator_images *slice, void *between, struct row_images *out);
/* What is to be done before a slice's first step, and after its last: false is nothing. */
bool row_planes_to_pack(const struct row_plan *plan, const struct row_way *way,
                        const struct operator_images *slice, void *between, struct planes *out);
bool row_planes_to_unpack(const struct row_plan *plan, const struct row_way *way,
                          const struct operator_images *slice, void *between, struct planes *out);

/* Entries of struct operator_host_api. */
FOVEA_MUST_CHECK enum fovea_result row_host_create(struct thread_pool *pool,
                                                   const struct operator_plan *plan,
                                                   struct operator_host **out_host);
void row_host_destroy(struct operator_host **host);
FOVEA_MUST_CHECK enum fovea_result row_host_reserve(struct operator_host *host,
                                                    const struct operator_images *images);
void row_host_run(struct operator_host *host, const struct operator_images *images,
                  const struct operator_frame *frame);

extern const struct operator_glsl_api row_glsl;
/* Where FOVEA_HAVE_CUDA is 1. */
extern const struct operator_cuda_api row_cuda;

#endif
