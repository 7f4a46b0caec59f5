/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether the shaders make a blockwise plan from levels (blockwise_levels.comp), and what they are
 * told then. */
#ifndef FOVEA_KERNELS_FOVEATE_GLSL_SHADER_FRAGMENTS_H
#define FOVEA_KERNELS_FOVEATE_GLSL_SHADER_FRAGMENTS_H

#include "kernels/foveate/foveate.h"

#define FOVEATE_SHADER_DEPTHS                                                                      \
    2 /* filters of fragments differ where 10 bits in light ask for more */

struct foveate_shader_fragments {
    bool used; /* of UNORM pictures; all else is summed from pixels */
    int32_t level_count; /* the picture included; of any gaze */
    int32_t near_ring_count; /* of the plan's, that a gaze in the picture needs, */
    int32_t near_level_count; /* and the levels of those */
    struct foveate_level levels[FOVEATE_MAX_LEVELS];
    uint32_t sample_count; /* of all levels together, eight bytes each */
    /* Words of the buffer Filters of grid.glsl where each depth's filters begin, struct
     * foveate_fragment_filter, and its weights. */
    int32_t filters_at[FOVEATE_SHADER_DEPTHS];
    int32_t weights_at[FOVEATE_SHADER_DEPTHS];
};

/* Makes the words that follow the plan's rings and taps, which the caller frees. None: `used` is
 * false, which it is, too, where levels are more than most_samples. */
struct foveate_shader_words {
    uint32_t *words;
    size_t count;
};
FOVEA_MUST_CHECK enum fovea_result foveate_shader_fragments_init(
    struct foveate_shader_fragments *fragments, const struct foveate_plan *plan,
    uint32_t most_samples, struct foveate_shader_words *out_words);

/* What a frame may need. A late gaze may be any. */
struct foveate_shader_need {
    int32_t ring_count;
    int32_t level_count;
};
struct foveate_shader_need foveate_shader_fragments_need(
    const struct foveate_shader_fragments *fragments, const struct foveate_frame *frame);

#endif
