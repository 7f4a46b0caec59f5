/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files of the chain share this: chain.c has plans, chain_host.c, chain_cuda.c and chain_glsl.c
 * how they run. */
#pragma once

#include "chain.h"
#include "kernels/image/levels.h"
#include "kernels/image/planes.h"

struct chain_part {
    enum fovea_operator name;
    const struct operator_api *api;
    struct operator_plan *plan;
};

struct chain_plan {
    struct operator_plan base;
    uint32_t width_px;
    uint32_t height_px;
    bool has_sigmas;
    struct levels_light *levels; /* of images of 16 bits; NULL: of others */
    uint32_t count;
    struct chain_part parts[FOVEA_OPERATOR_COUNT];
};

static inline const struct chain_plan *chain_plan_of(const struct operator_plan *plan)
{
    return (const struct chain_plan *)plan;
}

/* The part says that a backend has no way to run its plan (operator_api.plan_lacks). */
bool chain_part_lacks(const struct chain_part *part, enum fovea_backend backend, char *out,
                      size_t bytes);

/* The parts that pictures go through. */
struct chain_way {
    uint32_t count;
    uint32_t parts[FOVEA_OPERATOR_COUNT];
};
/* All of them; blind: those that do not look at the gaze, of which there is one. */
struct chain_way chain_way_of(const struct chain_plan *plan, bool blind);

/* The image between that a step of a way writes, where it is not the last: the next one reads it.
 */
static inline uint32_t chain_between(uint32_t step)
{
    return step % OPERATOR_MAX_BETWEEN;
}

/* Bytes of an image between in linear memory. */
uint64_t chain_image_bytes(const struct fovea_image *like);

/* Bytes of the images between, at most, or of those of one image: a batch goes through the whole
 * chain in slices that have room there. Tests make it less. Pixels of planes on a device have more.
 */
extern uint64_t chain_most_between_bytes;

/* How many images go through the chain at a time, and the memory between that they need. */
uint32_t chain_slice_count(const struct chain_plan *plan, const struct operator_images *images);
uint64_t chain_between_bytes(const struct chain_plan *plan, const struct operator_images *images);

struct chain_images {
    struct operator_images images;
    bool blind; /* of a slice: there is no gaze in host memory */
    struct fovea_image src;
    struct fovea_image dst;
    struct fovea_image sigmas; /* of a slice that has any */
    struct fovea_depth depth; /* likewise */
};
/* Takes as many images as go through the chain at a time. */
void chain_first_slice(const struct chain_plan *plan, const struct operator_images *images,
                       struct chain_images *out);
/* So many images from `first` on, or those that are left, or those up to the first that has a gaze
 * where the one at `first` has none, or the other way round: out->blind says which. */
void chain_slice_of(const struct operator_images *images, uint32_t first, uint32_t count,
                    struct chain_images *out);
/* The images of a step of the way, as pixels. Those between lie in linear memory: images_between
 * times as many as the slice has, and as many again for each side that has planes or whole numbers
 * of 16 bits, of which operators get floats. NULL where there are none. */
void chain_images_of(const struct chain_plan *plan, const struct chain_way *way, uint32_t step,
                     const struct operator_images *slice, void *between, struct chain_images *out);
/* Says what is done before a slice's first step (packs) and after its last. False: its images of
 * that side have no planes. */
bool chain_planes_of(const struct chain_plan *plan, const struct chain_way *way,
                     const struct operator_images *slice, void *between, bool packs,
                     struct planes *out);
/* The same of images of 16 bits, in planes or not: both are done for every slice of a plan that has
 * levels. */
struct levels chain_levels_of(const struct chain_plan *plan, const struct chain_way *way,
                              const struct operator_images *slice, void *between, bool packs);

extern const struct operator_host_api chain_operator_host;
extern const struct operator_glsl_api chain_operator_glsl;
/* It is there if FOVEA_HAVE_CUDA is 1. */
extern const struct operator_cuda_api chain_operator_cuda;
