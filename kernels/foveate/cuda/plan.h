/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the files of foveate_cuda share: foveate_cuda.c makes devices and plans, foveate/cuda/run.c
 * launches frames, foveate/cuda/batch.c many images at once. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_PLAN_H
#define FOVEA_KERNELS_FOVEATE_CUDA_PLAN_H

#include "foveate_cuda.h"
#include "kernels/cuda/cuda_block.h"
#include "kernels/cuda/cuda_memory.h"
#include "kernels/foveate/cuda/bands/bands.h"
#include "kernels/foveate/cuda/fragments/fragments.h"
#include "kernels/foveate/cuda/nodes/nodes.h"
#include "kernels/foveate/cuda/nodes_wide/smooth.h"
#include "kernels/foveate/cuda/small/small.h"
#include "kernels/foveate/cuda/tiles/tiles.h"
#include "kernels/gaze/gaze_cuda.h"

#include <stdatomic.h>

/* What batches of a plan need besides it. */
struct foveate_cuda_batch_memory {
    struct cuda_block *block; /* NULL: there was no batch yet */
    uint32_t levels; /* of so many images, first in the block */
    uint32_t gazes; /* of so many, after them */
    uint32_t states; /* of tiles, of so many, last */
    bool states_dirty;
};

struct foveate_cuda_plan {
    struct cuda_block *block; /* rings and taps, or levels and the law's table */
    struct foveate_cuda_tables tables;
    struct foveate_bands bands;
    bool is_smooth;
    bool light_is_plain; /* stored values or sRGB's, for what is not floats */
    enum foveate_cuda_formats formats;
    struct foveate_cuda_smooth smooth;
    uint64_t level_samples; /* of one image */
    bool has_tiles; /* for the formats that tiles take; they use the levels' memory */
    struct foveate_tiles tiles;
    bool states_dirty;
    bool has_small; /* for linear images of the formats that small pictures take */
    bool blurs_alpha;
    struct foveate_small small;
    bool is_wide; /* blockwise, with filters that cost too much from pixels */
    bool
        /* blockwise, of UNORM pictures in wide light: nodes.levels[0] is room for it */
        has_lights;
    bool has_nodes; /* for the formats that they take; they use the levels' memory */
    struct foveate_nodes nodes;
    struct foveate_fragments fragments; /* of a blockwise plan that has nodes */
    struct foveate_cuda_batch_memory batch;
};

struct foveate_cuda {
    const struct cuda_device *device;
    CUmodule module;
    struct cuda_kernels kernels; /* of the blockwise method */
    struct cuda_kernels lights; /* likewise */
    struct foveate_cuda_bands_kernels bands; /* likewise */
    struct foveate_cuda_smooth_kernels smooth;
    struct foveate_cuda_tile_kernels tiles;
    struct foveate_cuda_small_kernels small;
    struct foveate_nodes_kernels nodes;
    struct foveate_fragments_kernels fragments;
    double tile_slope; /* steeper laws are not for tiles */
    struct gaze_cuda_kernels gaze;
    CUstream upload; /* of our own, so that tables wait for nobody's work */
    struct cuda_memory memory; /* of plans; in the order of upload */
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

/* Whatever a table or another image follows is aligned to 16 bytes. */
static inline uint64_t foveate_cuda_aligned(uint64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Of one image: its levels, by the pixel or in tiles; its tiles' state. */
uint64_t foveate_cuda_level_bytes(const struct foveate_cuda_plan *plan);
uint64_t foveate_cuda_state_bytes(const struct foveate_cuda_plan *plan);

/* Of the blockwise method: whole fragments from pixels, or from levels. */
bool foveate_cuda_in_fragments(const struct foveate_cuda *foveate,
                               const struct foveate_cuda_plan *plan, enum fovea_format format);
/* From pixels whose light is worked out beforehand. */
bool foveate_cuda_in_lights(const struct foveate_cuda *foveate,
                            const struct foveate_cuda_plan *plan, enum fovea_format format);

/* The ways of the smooth method, the first that takes an image:
 *
 *     way     laws                        formats                            light    memory
 *     TILES   by distance or angle, flat  0 to 255, 0 to 1023, RGBA16F,      plain    any
 *                                         B10G11R11F
 *     SMALL   any, 24 to 128 pixels       RGB8, RGBA8, R8                    plain    linear
 *     NODES   any                         all but 32-bit floats              plain    any
 *     WIDE    any                         all but smaller floats             any      any
 *
 * Flat: a slope of at most FOVEATE_TILE_MAX_SLOPE. Plain light is stored values and sRGB's, and
 * what floats are. SMALL asks for products in the loaded code. */
enum foveate_cuda_way {
    FOVEATE_CUDA_TILES,
    FOVEATE_CUDA_SMALL,
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
/* Of linear images: a block each, without levels in memory. */
bool foveate_cuda_as_small(const struct foveate_cuda *foveate, const struct foveate_cuda_plan *plan,
                           enum fovea_format format);

/* Frames of one plan share its levels, so each waits on its stream for the one before. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_follow(struct foveate_cuda *foveate,
                                                       const struct foveate_cuda_run *run,
                                                       enum fovea_format format);
/* What was launched when one fails still uses the block, hence the use is noted in any case. */
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
