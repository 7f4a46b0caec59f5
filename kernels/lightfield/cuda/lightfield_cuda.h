/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields on a CUDA device. Pictures are the processor's up to how floats are rounded; depths
 * where two costs are alike may be either one's. */
#pragma once

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/lightfield/lightfield.h"
#include "tile.h"

/* Costs have no more memory: beyond it depths come in parts, some rows of the picture each. */
#define LIGHTFIELD_CUDA_MOST_BYTES ((uint64_t)256 << 20)

enum lightfield_cuda_kind { /* of raw pictures */
                            LIGHTFIELD_CUDA_R8,
                            LIGHTFIELD_CUDA_RGB8,
                            LIGHTFIELD_CUDA_RGBA8,
                            LIGHTFIELD_CUDA_TILES, /* those before it have tiles */
                            LIGHTFIELD_CUDA_R16 = LIGHTFIELD_CUDA_TILES,
                            LIGHTFIELD_CUDA_RGB16,
                            LIGHTFIELD_CUDA_RGBA16,
                            LIGHTFIELD_CUDA_MOSAIC8,
                            LIGHTFIELD_CUDA_MOSAIC16,
                            LIGHTFIELD_CUDA_KINDS,
};

struct lightfield_cuda {
    struct fovea_lightfield_geometry geometry;
    struct cuda_device *device;
    CUmodule module;
    CUfunction render[LIGHTFIELD_CUDA_KINDS], render_each[LIGHTFIELD_CUDA_KINDS];
    CUfunction costs[LIGHTFIELD_CUDA_KINDS], sum[LIGHTFIELD_CUDA_KINDS];
    CUfunction search[LIGHTFIELD_CUDA_KINDS];
    CUfunction boxes, choose;
    CUfunction render_tile[LIGHTFIELD_CUDA_TILES], render_rings[LIGHTFIELD_CUDA_TILES];
    CUfunction depth_tile[LIGHTFIELD_CUDA_TILES];
    int32_t tile_bytes; /* of shared memory that tiles may have */
    CUdeviceptr focus; /* struct lightfield_cuda_focus */
    CUevent done; /* of the last depths, which had the memory */
    bool was_used;
    CUdeviceptr memory; /* of costs */
    uint64_t bytes;
};

/* Loads kernels. FOVEA_ERROR_UNSUPPORTED: no driver. */
FOVEA_MUST_CHECK enum fovea_result lightfield_cuda_create(
    const struct fovea_lightfield_geometry *geometry, int ordinal, struct fovea_log log,
    struct lightfield_cuda **out_cuda);
void lightfield_cuda_destroy(struct lightfield_cuda **cuda);

/* These are for arguments that have been checked, and pictures in the device's memory. They enqueue
 * on the stream and wait for nothing. */
FOVEA_MUST_CHECK enum fovea_result lightfield_cuda_render(
    struct lightfield_cuda *cuda, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_rendering *rendering, const struct fovea_image *dst,
    CUstream stream);
/* focus: NULL, or where the patch size goes. */
FOVEA_MUST_CHECK enum fovea_result lightfield_cuda_refocus(
    struct lightfield_cuda *cuda, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_refocusing *refocusing, const struct fovea_image *dst,
    const struct fovea_image *focus, CUstream stream);
FOVEA_MUST_CHECK enum fovea_result lightfield_cuda_sum(struct lightfield_cuda *cuda,
                                                       const struct fovea_lightfield_raw *raw,
                                                       const struct fovea_lightfield_sum *given,
                                                       const struct fovea_image *dst,
                                                       CUstream stream);
/* confidence: NULL, or where it goes. Allocates where there is less than it needs, but for a
 * capture, of which it refuses what needs its memory: FOVEA_ERROR_INVALID_STATE. */
FOVEA_MUST_CHECK enum fovea_result lightfield_cuda_depth(
    struct lightfield_cuda *cuda, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_matching *matching, const struct fovea_image *depth,
    const struct fovea_image *confidence, CUstream stream);

/* ---- Its parts (arguments.c): what kernels know of arguments */

enum lightfield_cuda_kind lightfield_cuda_kind_of(const struct fovea_lightfield_raw *raw);
struct lightfield_cuda_raw lightfield_cuda_raw_of(const struct fovea_lightfield_raw *raw,
                                                  enum fovea_lightfield_filter filter);
struct lightfield_cuda_array lightfield_cuda_array_of(
    const struct fovea_lightfield_geometry *geometry, const struct fovea_image *picture);
struct lightfield_cuda_rings lightfield_cuda_rings_of(
    const struct fovea_lightfield_foveation *foveation, const struct fovea_image *picture);
struct lightfield_cuda_picture lightfield_cuda_picture_of(const struct fovea_image *image,
                                                          uint32_t maximum);

/* ---- Launches. The device is pushed */

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
