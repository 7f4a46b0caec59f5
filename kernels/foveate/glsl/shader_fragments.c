/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "shader_fragments.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "kernels/foveate/plan/fragment.h"
#include "kernels/foveate/plan/smooth.h"
#include "kernels/foveate/plan/tile.h"

#include <string.h>

#define DEPTHS FOVEATE_SHADER_DEPTHS

_Static_assert(sizeof(struct foveate_fragment_filter) == 16, "as blockwise_levels.comp has it");

/* Filters for 10 bits are those for 8 if nothing asks for more. */
static bool is_shared(const struct foveate_plan *plan, int depth)
{
    return depth > 0 && foveate_plan_light(plan) == IMAGE_LIGHT_STORED;
}

static size_t filter_words(const struct foveate_plan *plan)
{
    return plan->ring_count * sizeof(struct foveate_fragment_filter) / sizeof(uint32_t);
}

static void lay_out(const struct foveate_plan *plan, const struct foveate_fragment_filters *filters,
                    struct foveate_shader_fragments *fragments, size_t *out_count)
{
    const size_t first =
        plan->ring_count * sizeof *plan->rings / sizeof(uint32_t) + plan->tap_count;
    size_t at = first;
    for (int i = 0; i < DEPTHS; i++) {
        if (is_shared(plan, i)) {
            fragments->filters_at[i] = fragments->filters_at[0];
            fragments->weights_at[i] = fragments->weights_at[0];
            continue;
        }
        fragments->filters_at[i] = (int32_t)at;
        fragments->weights_at[i] = (int32_t)(at + filter_words(plan));
        at += filter_words(plan) + filters[i].weight_count;
    }
    *out_count = at - first;
}

static enum fovea_result put_words(const struct foveate_plan *plan,
                                   const struct foveate_fragment_filters *filters,
                                   struct foveate_shader_fragments *fragments,
                                   struct foveate_shader_words *out)
{
    lay_out(plan, filters, fragments, &out->count);
    out->words = large_memory_make(out->count, sizeof *out->words);
    if (!out->words) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    uint32_t *to = out->words;
    for (int i = 0; i < DEPTHS && !is_shared(plan, i); i++) {
        memcpy(to, filters[i].filters, filter_words(plan) * sizeof *to);
        to += filter_words(plan);
        memcpy(to, filters[i].weights, filters[i].weight_count * sizeof *to);
        to += filters[i].weight_count;
    }
    return FOVEA_OK;
}

/* A bank has filters for every gaze. A sigma may be nearest to a filter larger than any in the
 * picture. */
static int32_t count_near_rings(const struct foveate_plan *plan)
{
    const bool is_bank = plan->law.bank_per_octave > 0.0f;
    int32_t count = is_bank ? 1 : (int32_t)plan->ring_count;
    while (count < (int32_t)plan->ring_count &&
           plan->rings[count - 1].sigma_px <= plan->sigma_max_px) {
        count++;
    }
    return count;
}

static void count_levels(const struct foveate_plan *plan,
                         const struct foveate_fragment_filters *filters,
                         struct foveate_shader_fragments *fragments)
{
    fragments->near_ring_count = count_near_rings(plan);
    for (int i = 0; i < DEPTHS && !is_shared(plan, i); i++) {
        const int32_t all = filters[i].level_count;
        fragments->level_count = all > fragments->level_count ? all : fragments->level_count;
        for (int32_t k = 0; k < fragments->near_ring_count; k++) {
            const int32_t near = filters[i].filters[k].level + 1;
            fragments->near_level_count =
                near > fragments->near_level_count ? near : fragments->near_level_count;
        }
    }
    struct foveate_plan laid = *plan;
    foveate_plan_lay_levels(&laid, (uint32_t)fragments->level_count);
    memcpy(fragments->levels, laid.levels, sizeof laid.levels);
    fragments->sample_count = laid.level_samples;
}

enum fovea_result foveate_shader_fragments_init(struct foveate_shader_fragments *fragments,
                                                const struct foveate_plan *plan,
                                                uint32_t most_samples,
                                                struct foveate_shader_words *out_words)
{
    struct foveate_fragment_filters filters[DEPTHS] = {{0}};
    enum fovea_result result = FOVEA_OK;
    *fragments = (struct foveate_shader_fragments){0};
    *out_words = (struct foveate_shader_words){0};
    if (!foveate_fragments_pay(plan)) {
        return FOVEA_OK;
    }
    for (int i = 0; i < DEPTHS && !is_shared(plan, i) && result == FOVEA_OK; i++) {
        result = foveate_fragment_filters_init(&filters[i], plan, i == 0 ? 8 : 10);
    }
    if (result == FOVEA_OK) {
        count_levels(plan, filters, fragments);
    }
    if (result == FOVEA_OK && fragments->sample_count <= most_samples) {
        result = put_words(plan, filters, fragments, out_words);
        fragments->used = result == FOVEA_OK;
    }
    for (int i = 0; i < DEPTHS; i++) {
        foveate_fragment_filters_finish(&filters[i]);
    }
    return result;
}

struct foveate_shader_need foveate_shader_fragments_need(
    const struct foveate_shader_fragments *fragments, const struct foveate_frame *frame)
{
    return foveate_frame_gaze_is_inside(frame) && !frame->late
               ? (struct foveate_shader_need){fragments->near_ring_count,
                                              fragments->near_level_count}
               : (struct foveate_shader_need){frame->ring_count, fragments->level_count};
}
