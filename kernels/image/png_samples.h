/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A PNG picture as the samples of a map. */
#pragma once

#include "fovea.h"

/* 0 for black to 1 for white; colours by their luma, transparency left out. The caller frees
 * values. */
struct image_png {
    float *values;
    uint32_t width;
    uint32_t height;
};

/* `path` is for messages. FOVEA_ERROR_CONFIG: no PNG, broken, or of a size that no map has;
 * FOVEA_ERROR_UNSUPPORTED: this build reads no pictures. */
FOVEA_MUST_CHECK enum fovea_result image_png_decode(const unsigned char *bytes, size_t count,
                                                    const char *path, struct fovea_log log,
                                                    struct image_png *out_picture);
