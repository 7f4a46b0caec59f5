/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator foveate on a CUDA device: the kernels once a device, the tables once a plan.
 *
 * The device is pushed (cuda_device_push) around every call. One thread at a time for each
 * foveate_cuda. Runs take any stream of the device, allocate nothing and wait for nothing. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_FOVEATE_CUDA_H
#define FOVEA_KERNELS_FOVEATE_CUDA_FOVEATE_CUDA_H

#include "kernels/cuda/cuda_device.h"
#include "kernels/foveate/foveate.h"

struct foveate_cuda;
struct foveate_cuda_plan;

/* Loads the kernels. The device must outlive it. FOVEA_ERROR_UNSUPPORTED: the device is older than
 * what this build has code for. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_create(const struct cuda_device *device,
                                                       struct foveate_cuda **out_foveate);
/* Waits for the launches that still use plans, unless abandoned. Every plan was retired. */
void foveate_cuda_destroy(struct foveate_cuda **foveate);
/* For tests: plans made from now on go in tiles if their law's slope is at most this, in pixels of
 * sigma a pixel; until then it is FOVEATE_TILE_MAX_SLOPE. */
void foveate_cuda_set_tile_slope(struct foveate_cuda *foveate, double max_slope);
/* A stream is stuck for good: destroy leaves what it may still read to the end of the process. Any
 * thread. */
void foveate_cuda_abandon(struct foveate_cuda *foveate);

/* The formats that a plan runs on. 32-bit floats take twice the memory for the smooth method's
 * levels. */
enum foveate_cuda_formats {
    FOVEATE_CUDA_FORMATS_ALL = 0,
    FOVEATE_CUDA_FORMATS_SURFACE = 1, /* all but 32-bit floats */
};

/* Plans are made and freed without waiting for the device (its memory has pools). Else what is
 * freed may wait for everything that it has to do. */
bool foveate_cuda_frees_without_waiting(const struct foveate_cuda *foveate);

/* Uploads the tables and waits for that, and for nothing else. The plan may go afterwards. The
 * smooth method's levels are the CUDA plan's own: 8 or 16 bytes for each of plan->level_samples,
 * and where it runs in tiles (foveate/cuda/tiles/tiles.h) some bytes for each tile. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_plan_create(struct foveate_cuda *foveate,
                                                            const struct foveate_plan *plan,
                                                            enum foveate_cuda_formats formats,
                                                            struct foveate_cuda_plan **out_plan);
/* Retires a plan: it must not be run any more. It is freed once the last launch that uses it is
 * over, when a later plan is made or retired; nothing waits for that. */
void foveate_cuda_plan_retire(struct foveate_cuda *foveate, struct foveate_cuda_plan **plan);

/* A run writes all of dst; src and dst are apart. On failure dst is not written, unless it is
 * FOVEA_ERROR_DEVICE_LOST. Runs of one plan with the smooth method follow each other on the device,
 * whatever their streams: they share the levels. */
struct foveate_cuda_run {
    struct foveate_cuda_plan *plan;
    const struct foveate_frame *frame; /* made for the same plan */
    CUstream stream;
    bool stream_kept; /* it is there for as long as the foveate_cuda */
    CUdeviceptr gazes; /* surfaces: int32_t[2] in q8 instead of the frame's; 0: the frame's */
};

/* Surface objects of arrays of the frame's size, 32 or 64 bits a pixel as the format has them.
 * RGBA8, A2B10G10R10, B10G11R11F and RGBA16F; FOVEA_ERROR_UNSUPPORTED for others. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_run_surface(struct foveate_cuda *foveate,
                                                            const struct foveate_cuda_run *run,
                                                            enum fovea_format format,
                                                            CUsurfObject src, CUsurfObject dst);

/* Device pointers and strides, any format. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_run_linear(struct foveate_cuda *foveate,
                                                           const struct foveate_cuda_run *run,
                                                           const struct fovea_image *src,
                                                           const struct fovea_image *dst);

/* ---- Batches: images of one size and format, each with a gaze of its own */

struct foveate_cuda_images {
    uint32_t count; /* 1..65535 */
    const struct fovea_image *src; /* the first */
    const struct fovea_image *dst;
    ptrdiff_t src_next_bytes; /* from an image to the next; 0: one picture for all */
    ptrdiff_t dst_next_bytes;
    const float *gazes_uv; /* x and y for each image; NULL: the frame's for all */
    bool gazes_on_device; /* read on the stream; an image whose gaze is not finite is copied */
};

/* Memory for batches of that kind: 8 bytes an image for the gazes and, for the smooth method, a
 * plan's worth of levels for each source, as many as fit in FOVEATE_CUDA_LEVEL_BYTES and at least
 * one. The images beyond those are run after them, in as many launches as it takes. Allocates where
 * the plan has run no batch as large; the memory before it goes when its last launch is over. On
 * failure everything is as it was. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_reserve(struct foveate_cuda *foveate,
                                                        struct foveate_cuda_plan *plan,
                                                        const struct foveate_cuda_images *images);
#define FOVEATE_CUDA_LEVEL_BYTES ((uint64_t)256 << 20)

/* After foveate_cuda_reserve for a batch of that kind. Gazes of host memory are copied when it
 * returns. On failure some images may have been enqueued. Batches of one plan follow each other on
 * the device, whatever their streams. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_run_batch(struct foveate_cuda *foveate,
                                                          const struct foveate_cuda_run *run,
                                                          const struct foveate_cuda_images *images);

#endif
