/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A PNG picture as the samples of a map. */
#ifndef FOVEA_KERNELS_FOVEATE_MODEL_MAP_PNG_H
#define FOVEA_KERNELS_FOVEATE_MODEL_MAP_PNG_H

#include "fovea.h"

/* 0 for black to 1 for white; colours by their luma, transparency left out. The caller frees
 * values. */
struct foveate_map_picture {
    float *values;
    uint32_t width;
    uint32_t height;
};

/* `path` is for messages. FOVEA_ERROR_CONFIG: no PNG, broken, or of a size that no map has;
 * FOVEA_ERROR_UNSUPPORTED: this build reads no pictures. */
FOVEA_MUST_CHECK enum fovea_result foveate_map_png_decode(const unsigned char *bytes, size_t count,
                                                          const char *path, struct fovea_log log,
                                                          struct foveate_map_picture *out_picture);

#endif
