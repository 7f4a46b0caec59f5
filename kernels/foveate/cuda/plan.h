/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files of foveate_cuda share this: foveate_cuda.c makes devices and plans, foveate/cuda/run.c
 * launches frames, foveate/cuda/batch.c many images at once. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_PLAN_H
#define FOVEA_KERNELS_FOVEATE_CUDA_PLAN_H

#include "foveate_cuda.h"
#include "kernels/cuda/cuda_block.h"
#include "kernels/cuda/cuda_memory.h"
#include "kernels/foveate/cuda/nodes/nodes.h"
#include "kernels/foveate/cuda/nodes_wide/smooth.h"
#include "kernels/foveate/cuda/tiles/tiles.h"
#include "kernels/gaze/gaze_cuda.h"

#include <stdatomic.h>

/* A plan's memory for batches. */
struct foveate_cuda_batch_memory {
    struct cuda_block *block; /* NULL: there was no batch yet */
    uint32_t levels; /* images that have levels, first in the block */
    uint32_t gazes; /* gazes, after them */
    uint32_t states; /* images that have a state of tiles, last */
    bool states_dirty;
};

struct foveate_cuda_plan {
    struct cuda_block *block; /* levels and the law's table */
    bool light_is_plain; /* stored values or sRGB's, for what is not floats */
    enum foveate_cuda_formats formats;
    struct foveate_cuda_smooth smooth;
    uint64_t level_samples; /* one image's */
    bool has_tiles; /* for the formats that tiles take; they use the levels' memory */
    struct foveate_tiles tiles;
    bool states_dirty;
    bool blurs_alpha;
    struct foveate_nodes nodes; /* for the formats that they take; they use the levels' memory */
    struct foveate_cuda_batch_memory batch;
};

struct foveate_cuda {
    const struct cuda_device *device;
    struct foveate_cuda_smooth_kernels smooth;
    struct foveate_cuda_tile_kernels tiles;
    struct foveate_nodes_kernels nodes;
    double tile_slope; /* steeper laws are not for tiles */
    struct gaze_cuda_kernels gaze;
    CUstream upload; /* our own stream, so that tables wait for nobody's work */
    struct cuda_memory memory; /* plans, in the order of upload */
    struct cuda_block *retired;
    atomic_bool abandoned;
};

/* The levels of a run, and who may use them: the plan's own for a frame, a batch's for its
 * images. */
struct foveate_cuda_levels {
    struct foveate_cuda_smooth smooth;
    struct foveate_tiles tiles;
    struct foveate_nodes nodes;
    bool *states_dirty;
    uint32_t states;
};

/* Rounds up to 16 bytes, to which everything that follows a table or an image is aligned. */
static inline uint64_t foveate_cuda_aligned(uint64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Bytes of one image: its levels, by the pixel or in tiles; its tiles' state. */
uint64_t foveate_cuda_level_bytes(const struct foveate_cuda_plan *plan);
uint64_t foveate_cuda_state_bytes(const struct foveate_cuda_plan *plan);

/* The ways that make an image; the first that takes it:
 *
 *     way     laws                        formats                            light    memory
 *     TILES   by distance or angle, flat  0 to 255, 0 to 1023, RGBA16F,      plain    any
 *                                         B10G11R11F
 *     NODES   any                         all but 32-bit floats              plain    any
 *     WIDE    any                         all but smaller floats             any      any
 *
 * Flat: a slope of at most FOVEATE_TILE_MAX_SLOPE, and no steps. Plain light is stored values and
 * sRGB's, and what floats are. README.md says which files make each. */
enum foveate_cuda_way {
    FOVEATE_CUDA_TILES,
    FOVEATE_CUDA_NODES,
    FOVEATE_CUDA_WIDE,
};
struct foveate_cuda_image {
    enum fovea_format format;
    bool is_surface;
};
enum foveate_cuda_way foveate_cuda_way_of(const struct foveate_cuda *foveate,
                                          const struct foveate_cuda_plan *plan,
                                          struct foveate_cuda_image image);

/* Levels of halves do not hold 32-bit floats. */
bool foveate_cuda_takes(const struct foveate_cuda_plan *plan, enum fovea_format format);
bool foveate_cuda_in_tiles(const struct foveate_cuda_plan *plan, enum fovea_format format);

/* Frames of one plan share its levels, so each waits on its stream for the one before. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_follow(struct foveate_cuda *foveate,
                                                       const struct foveate_cuda_run *run);
/* Launches made before one that fails still use the block, so the use is noted in any case. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_note_use(struct foveate_cuda *foveate,
                                                         const struct foveate_cuda_run *run,
                                                         struct cuda_block *block,
                                                         enum fovea_result launched);
/* `levels` are those of the slice's images. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_launch_slice(
    struct foveate_cuda *foveate, const struct foveate_cuda_run *run,
    const struct foveate_cuda_levels *levels, enum fovea_format format,
    const struct foveate_cuda_slice *slice);

#endif
