/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compute shaders of blobs. Bindings are those of operator/shaders.h, but 0 is the picture, of
 * floats; 1 is a map of responses, one float a pixel; 2 are tables; 3 is what passes leave for each
 * other but planes, which are 4; 7 is the list. Special constant 1 of level 0 and of
 * the filter is their reach. */
#pragma once

#include "kernels/operator/shaders.h"

extern const struct shader saliency_bins_shader;
extern const struct shader saliency_fine_shader;
extern const struct shader saliency_near_shader;
extern const struct shader saliency_planes_shader;
extern const struct shader saliency_filter_shader;
extern const struct shader saliency_maxima_shader;
extern const struct shader saliency_rank_shader;
extern const struct shader saliency_prune_shader;
extern const struct shader saliency_map_shader;

/* Push constants of all of them; saliency.glsl has the same. Places of buffers are in words. */
struct saliency_constants {
    int32_t size_px[2];
    int32_t channels;
    int32_t most; /* the level that the format has as 1; 0: of floats */
    int32_t bin_pitch, bin_rows; /* of a channel, words and rows; they begin at 0 */
    int32_t masks;
    int32_t responses, response_count;
    int32_t counts; /* of candidates; behind them which bins channels have */
    int32_t candidates, candidate_capacity;
    int32_t orders; /* twice a number for each: what is sorted, and what it becomes */
    int32_t sorted, states, near;
    int32_t candidate_most; /* that overlap is looked for among */
    int32_t blob_max;
    int32_t scale_count, fine_count; /* scales, those of level 0 */
    int32_t level_count;
    int32_t levels, scales, overlaps; /* of tables */
    int32_t channel_first, channel_count; /* of planes that are made at once */
    int32_t bin_first, bin_count;
    int32_t slot; /* planes: the first level; filter: scales whose number is that, modulo 3; rank:
                     the pass, from 0 on */
    float threshold;
};

/* Numbers of a table's entries; saliency.glsl names them. */
#define SALIENCY_GLSL_LEVEL_INTS 15
#define SALIENCY_GLSL_SCALE_INTS 46
#define SALIENCY_GLSL_OVERLAPS 1024 /* steps of the radii's ratio */

#define SALIENCY_GLSL_PAD_PX 20 /* of bins, on all sides */
#define SALIENCY_GLSL_SEGMENT 32 /* pixels of a row that a workgroup has at level 0 */
#define SALIENCY_GLSL_STRIP 32 /* and of a column */
#define SALIENCY_GLSL_SAMPLES 8 /* of a plane's row, whose bins are known together */
#define SALIENCY_GLSL_NEAR_SAMPLES 32 /* of a plane's row that a workgroup makes of pixels */
#define SALIENCY_GLSL_PLANE_ROWS 8 /* of a plane that a thread makes of finer ones */
#define SALIENCY_GLSL_TILE 32 /* samples of a response on each side, that a workgroup filters */
#define SALIENCY_GLSL_CANDIDATE_INTS 6 /* struct saliency_candidate */
#define SALIENCY_GLSL_BLOB_INTS 4 /* struct fovea_blob */
#define SALIENCY_GLSL_NEAR 16 /* overlapping candidates that a candidate has a list of */
#define SALIENCY_GLSL_BLOCK 8 /* candidates of a workgroup at once */
#define SALIENCY_GLSL_RUN 1024 /* candidates that a workgroup sorts */
#define SALIENCY_GLSL_RUNS 16 /* sorted runs that become one */
#define SALIENCY_GLSL_SHARED_BYTES 32768 /* no workgroup takes more */
