/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields of packed pictures in CPU memory, which go to a Vulkan device and come back. */
#pragma once

#include "fovea_lightfield.h"

/* The array of the pictures from now on. */
void lightfield_run_geometry(const struct fovea_lightfield_geometry *geometry);

enum fovea_result lightfield_run_render(struct fovea_lightfield *field,
                                        const struct fovea_lightfield_raw *raw,
                                        const struct fovea_lightfield_rendering *rendering,
                                        const struct fovea_image *dst);
enum fovea_result lightfield_run_refocus(struct fovea_lightfield *field,
                                         const struct fovea_lightfield_raw *raw,
                                         const struct fovea_lightfield_refocusing *refocusing,
                                         const struct fovea_image *dst);
enum fovea_result lightfield_run_depth(struct fovea_lightfield *field,
                                       const struct fovea_lightfield_raw *raw,
                                       const struct fovea_lightfield_matching *matching,
                                       const struct fovea_image *depth,
                                       const struct fovea_image *confidence);
enum fovea_result lightfield_run_sum(struct fovea_lightfield *field,
                                     const struct fovea_lightfield_raw *raw,
                                     const struct fovea_lightfield_sum *sum,
                                     const struct fovea_image *dst);
/* Validation had nothing to say, to the end. */
void lightfield_run_close(void);
