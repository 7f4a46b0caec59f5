/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finds where memory lies that a caller says is CUDA's. */
#pragma once

#include "kernels/cuda/cuda_driver.h"

struct context_place {
    int ordinal; /* below 0: it is no memory of a device */
    CUcontext context; /* NULL: of none */
    bool managed; /* any device reaches it, wherever it lies */
};

CUresult context_place_look(const struct cuda_driver *cu, const void *data,
                            struct context_place *out);

/* FOVEA_ERROR_UNSUPPORTED: there is no CUDA; FOVEA_ERROR_INVALID_ARGUMENT: it is no device pointer.
 * The log says so; `name` is the first word. */
FOVEA_MUST_CHECK enum fovea_result context_place_find(struct fovea_log log, const char *name,
                                                      const void *data, struct context_place *out);
