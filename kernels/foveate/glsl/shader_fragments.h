/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Decides whether the shaders make a blockwise plan from levels (blockwise_levels.comp), and what
 * they read then. */
#ifndef FOVEA_KERNELS_FOVEATE_GLSL_SHADER_FRAGMENTS_H
#define FOVEA_KERNELS_FOVEATE_GLSL_SHADER_FRAGMENTS_H

#include "kernels/foveate/foveate.h"

#define FOVEATE_SHADER_DEPTHS 2 /* 10 bits in light may ask for other filters */

struct foveate_shader_fragments {
    bool used; /* UNORM pictures only; all else is summed from pixels */
    int32_t level_count; /* with the picture, for any gaze */
    int32_t near_ring_count; /* rings of the plan that a gaze in the picture needs, */
    int32_t near_level_count; /* and the levels of those */
    struct foveate_level levels[FOVEATE_MAX_LEVELS];
    uint32_t sample_count; /* of all levels together, eight bytes each */
    /* Words of the buffer Filters of grid.glsl where each depth's filters begin, struct
     * foveate_fragment_filter, and its weights. */
    int32_t filters_at[FOVEATE_SHADER_DEPTHS];
    int32_t weights_at[FOVEATE_SHADER_DEPTHS];
};

/* Makes the words that follow the plan's rings and taps, which the caller frees. `used` is false if
 * there are none, or if levels are more than most_samples. */
struct foveate_shader_words {
    uint32_t *words;
    size_t count;
};
FOVEA_MUST_CHECK enum fovea_result foveate_shader_fragments_init(
    struct foveate_shader_fragments *fragments, const struct foveate_plan *plan,
    uint32_t most_samples, struct foveate_shader_words *out_words);

/* Returns what a frame may need. A late gaze may be any. */
struct foveate_shader_need {
    int32_t ring_count;
    int32_t level_count;
};
struct foveate_shader_need foveate_shader_fragments_need(
    const struct foveate_shader_fragments *fragments, const struct foveate_frame *frame);

#endif
