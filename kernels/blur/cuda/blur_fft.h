/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft on a device: turns of both transforms, the kernel's transform, and planes of
 * images. */
#pragma once

#include "blur_cuda.h"

struct blur_fft_plan {
    struct blur_planes planes; /* of one image, and the most of any format */
    uint64_t kernel;
    uint32_t columns; /* that a block transforms; 0: a line is longer than a block holds */
};

/* Loads its kernels, unless they are there. */
FOVEA_MUST_CHECK enum fovea_result blur_fft_load(const struct cuda_device *device,
                                                 struct blur_kernels *kernels);

/* Fills the tables of `base` with the light and all else, and transforms the kernel. Where a line
 * does not fit into a block's memory there is nothing but the light: the log says so once. */
FOVEA_MUST_CHECK enum fovea_result blur_fft_make(
    struct operator_cuda *cuda, const struct blur_kernels *kernels, const struct blur_plan *source,
    enum fovea_format format, struct operator_cuda_plan *base,
    const struct operator_cuda_part *light, uint64_t *out_memory, struct blur_fft_plan *out);
/* Makes what of that is numbers of the host's. */
FOVEA_MUST_CHECK enum fovea_result blur_fft_fill(struct operator_cuda *cuda, int shared_bytes,
                                                 const struct blur_plan *source,
                                                 enum fovea_format format,
                                                 struct operator_cuda_plan *base,
                                                 const struct operator_cuda_part *light,
                                                 uint64_t *out_memory, struct blur_fft_plan *out);
FOVEA_MUST_CHECK enum fovea_result blur_fft_run(struct blur_run *run);

static inline uint32_t blur_fft_number_bytes(const struct blur_planes *planes)
{
    return planes->precise ? 2 * sizeof(double) : 2 * sizeof(float);
}

/* Bytes of a row in a block's shared memory. */
static inline uint32_t blur_fft_row_bytes(const struct blur_planes *planes)
{
    return (uint32_t)blur_transform_places(planes->across.length) * blur_fft_number_bytes(planes);
}

/* Planes of an image of that format, and the bytes of all of them. */
uint32_t blur_fft_planes_in(const struct blur_planes *planes, enum fovea_format format);
uint64_t blur_fft_bytes(const struct blur_planes *planes, enum fovea_format format);
