/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Launches. The device is pushed. */
#ifndef FOVEA_KERNELS_LIGHTFIELD_CUDA_RUN_H
#define FOVEA_KERNELS_LIGHTFIELD_CUDA_RUN_H

#include "lightfield_cuda.h"
#include "tile.h"

/* Launches blocks of 32 x 8 threads for so many pixels, once for each layer. */
FOVEA_MUST_CHECK enum fovea_result lightfield_cuda_launch(const struct lightfield_cuda *cuda,
                                                          CUstream stream, CUfunction kernel,
                                                          const uint32_t pixels[2], uint32_t layers,
                                                          void *params);

/* Tiles of a picture that have room for the patch size, and for what the device finds between it
 * and most_px: the more lenses count, the smaller are their patches. False: tiles cannot make it.
 */
bool lightfield_tile_plan_picture(const struct lightfield_cuda_rendering *params,
                                  enum lightfield_cuda_kind kind, double most_px,
                                  struct lightfield_tile *out);
FOVEA_MUST_CHECK enum fovea_result lightfield_tile_render(const struct lightfield_cuda *cuda,
                                                          CUstream stream,
                                                          enum lightfield_cuda_kind kind,
                                                          struct lightfield_tile_rendering *params);

/* Says what depths by tiles are made of. */
struct lightfield_tile_wish {
    const struct lightfield_cuda_raw *raw;
    const struct lightfield_cuda_array *array;
    enum lightfield_cuda_kind kind;
    int32_t width_px, height_px; /* of the picture */
    int32_t range;
    double least_px, most_px; /* patch sizes */
};
/* False: tiles cannot make them. */
bool lightfield_tile_plan(const struct lightfield_cuda *cuda,
                          const struct lightfield_tile_wish *wish, struct lightfield_tile *out,
                          uint32_t *out_shared_bytes);
FOVEA_MUST_CHECK enum fovea_result lightfield_tile_match(const struct lightfield_cuda *cuda,
                                                         CUstream stream,
                                                         enum lightfield_cuda_kind kind,
                                                         struct lightfield_tile_matching *params,
                                                         uint32_t shared_bytes);

#endif
