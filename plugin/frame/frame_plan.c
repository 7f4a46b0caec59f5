/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "kernels/foveate/foveate_operator.h"
#include "kernels/image/pixel_light.h"
#include "kernels/operators.h"

#include <string.h>

static void finish_plan(struct fovea_vk *fovea, struct frame_plan *plan)
{
    if (plan->peer) {
        frame_quiet_lost_peer(fovea);
        fovea->peer->api->forget_plan(fovea->peer, &plan->peer);
    }
    vk_buffer_finish(&plan->tables, &fovea->device);
    vk_buffer_finish(&plan->filters, &fovea->device);
    vk_buffer_finish(&plan->samples, &fovea->device);
    operators_default()->plan_destroy(&plan->plan);
    *plan = (struct frame_plan){0};
}

void frame_plans_finish(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        finish_plan(fovea, &fovea->plans[i]);
    }
}

/* Every workgroup reads them: near the device where there is such memory, which is written once and in
 * order. Buffers of no bytes cannot be made: an empty table is one zeroed entry. */
static enum fovea_result make_table(struct fovea_vk *fovea, struct vk_buffer *buffer, size_t bytes)
{
    FOVEA_TRY(vk_buffer_init_shared(buffer, &fovea->device, bytes ? bytes : 64,
                                    VK_BUFFER_READ_BY_KERNELS));
    if (bytes == 0) {
        memset(buffer->mapped, 0, buffer->bytes);
    }
    return FOVEA_OK;
}

/* The law, the levels, the law's table and the display's samples: the buffer Law of foveate/glsl/law.glsl. */
static enum fovea_result upload_law(struct fovea_vk *fovea, struct frame_plan *entry)
{
    const struct foveate_plan *plan = foveate_plan_of(entry->plan);
    size_t table_bytes = (size_t)plan->law.table_count * sizeof plan->law_table[0];
    size_t light_bytes = foveate_plan_light_samples(plan) * sizeof plan->law_table[0];
    FOVEA_TRY(make_table(fovea, &entry->tables,
                         sizeof plan->law + sizeof plan->levels + table_bytes + light_bytes));
    const struct foveate_level *levels = entry->tiles.used       ? entry->tiles.levels
                                         : entry->fragments.used ? entry->fragments.levels
                                                                 : plan->levels;
    char *to = entry->tables.mapped;
    memcpy(to, &plan->law, sizeof plan->law);
    memcpy(to + sizeof plan->law, levels, sizeof plan->levels);
    if (table_bytes > 0) {
        memcpy(to + sizeof plan->law + sizeof plan->levels, plan->law_table, table_bytes);
    }
    if (light_bytes > 0) {
        foveate_plan_fill_light(
            plan, (float *)(void *)(to + sizeof plan->law + sizeof plan->levels + table_bytes));
    }
    return FOVEA_OK;
}

/* Rings, then taps, then words: the buffer Filters of foveate/glsl/grid.glsl. */
static enum fovea_result upload_filters(struct fovea_vk *fovea, struct frame_plan *entry,
                                        const struct foveate_shader_words *words)
{
    const struct foveate_plan *plan = foveate_plan_of(entry->plan);
    const size_t ring_bytes = plan->ring_count * sizeof plan->rings[0];
    const size_t tap_bytes = plan->tap_count * sizeof plan->taps[0];
    const size_t word_bytes = words->count * sizeof words->words[0];
    FOVEA_TRY(make_table(fovea, &entry->filters, ring_bytes + tap_bytes + word_bytes));
    char *to = entry->filters.mapped;
    if (plan->ring_count > 0) {
        memcpy(to, plan->rings, ring_bytes);
        memcpy(to + ring_bytes, plan->taps, tap_bytes);
    }
    if (words->count > 0) {
        memcpy(to + ring_bytes + tap_bytes, words->words, word_bytes);
    }
    return FOVEA_OK;
}

/* A faithful view looks mild: the log says how strong it is, once for each time that settings are set;
 * frustums of an engine's own are many. */
static void describe_view(struct fovea_vk *fovea, const struct operator_plan *plan)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    if (operators_default()->plan_describe(plan, words, sizeof words)) {
        log_write(fovea->log, fovea->described ? FOVEA_LOG_DEBUG : FOVEA_LOG_INFO, "model: %s",
                  words);
        fovea->described = true;
    }
}

static enum fovea_result fill_plan(struct fovea_vk *fovea, const struct operator_plan_desc *desc,
                                   struct frame_plan *entry)
{
    FOVEA_TRY(operators_default()->plan_create(desc, &entry->plan));
    describe_view(fovea, entry->plan);
    const struct foveate_plan *plan = foveate_plan_of(entry->plan);
    struct foveate_shader_words words = {0};
    enum fovea_result result = FOVEA_OK;
    if (fovea->compute.takes_tiles) {
        entry->tiles = foveate_shader_tiles_of(plan);
        result = foveate_shader_fragments_init(&entry->fragments, plan, &words);
    }
    if (result == FOVEA_OK) {
        result = upload_law(fovea, entry);
    }
    if (result == FOVEA_OK && !plan->smooth) {
        result = upload_filters(fovea, entry, &words);
    }
    large_memory_free(words.words);
    return result;
}

bool frame_plan_in_fragments(const struct frame_plan *entry, enum fovea_format format)
{
    return entry->fragments.used && pixel_light_known(format);
}

/* Four halves a sample; a peer has levels of its own, so only frames without one need these. */
enum fovea_result frame_plan_make_levels(struct fovea_vk *fovea, enum fovea_format format,
                                         struct frame_plan *entry)
{
    const struct foveate_plan *plan = foveate_plan_of(entry->plan);
    const bool fragments = frame_plan_in_fragments(entry, format);
    if (entry->samples.handle || !(plan->smooth || fragments)) {
        return FOVEA_OK;
    }
    const uint32_t samples = entry->tiles.used ? entry->tiles.sample_count
                             : fragments       ? entry->fragments.sample_count
                                               : plan->level_samples;
    VkDeviceSize bytes = 8 * (VkDeviceSize)samples;
    return vk_buffer_init_local(&entry->samples, &fovea->device, bytes ? bytes : 64);
}

static int32_t level_count(const struct frame_plan *entry)
{
    return entry->tiles.used       ? entry->tiles.level_count
           : entry->fragments.used ? entry->fragments.level_count
                                   : (int32_t)foveate_plan_of(entry->plan)->level_count;
}

bool frame_plan_takes(const struct frame_plan *entry, enum fovea_format format,
                      enum shader_operator which)
{
    const struct foveate_plan *plan = foveate_plan_of(entry->plan);
    const bool smooth = plan->smooth;
    const bool tiles = entry->tiles.used;
    const bool fragments = frame_plan_in_fragments(entry, format);
    switch (which) {
    case SHADER_FOVEATE:
        return !smooth && !fragments;
    case SHADER_BLOCKWISE_LEVELS:
        return fragments;
    case SHADER_SMOOTH_LEVEL:
        return fragments || (smooth && !tiles);
    case SHADER_SMOOTH_NODES:
        return smooth && !tiles;
    case SHADER_SMOOTH_LEVELS:
        return (smooth || fragments) && level_count(entry) > 1;
    case SHADER_TILE_FAR:
        return tiles && entry->tiles.level_count > 1;
    case SHADER_TILE_KINDS:
    case SHADER_TILE_NEAR:
        return tiles;
    case SHADER_OVERLAY:
    case SHADER_LATCH:
    case SHADER_COPY:
    case SHADER_COUNT:
        break;
    }
    return false;
}

enum fovea_result frame_plan_share(struct fovea_vk *fovea, struct frame_plan *entry)
{
    if (entry->peer) {
        return FOVEA_OK;
    }
    return fovea->peer->api->import_plan(fovea->peer, entry->plan, &entry->peer);
}

/* No unfinished frame uses it, nor does the one that is being made ready. */
static bool retired(struct fovea_vk *fovea, const struct frame_plan *entry)
{
    return entry->last_frame <= fovea->frame && frame_retired(fovea, entry->last_frame);
}

/* On the device: its tables, and the levels, which a peer has of its own. */
static uint64_t bytes_of(const struct frame_plan *entry)
{
    const uint64_t peers = entry->peer ? entry->plan->cuda_bytes : 0;
    return entry->tables.bytes + entry->filters.bytes + entry->samples.bytes + peers;
}

/* Of no interest to jobs of a lost peer, which would have to be waited for. */
static bool goes_without_wait(const struct fovea_vk *fovea, const struct frame_plan *entry)
{
    return !entry->peer || frame_peer_is_quiet(fovea);
}

/* The one used longest ago of those that so many frames have not used, and that goes without a wait unless any will do
 * (0 frames); NULL: there is none. */
static struct frame_plan *find_oldest(struct fovea_vk *fovea, uint64_t frames)
{
    struct frame_plan *oldest = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        struct frame_plan *entry = &fovea->plans[i];
        if (entry->plan && entry->last_frame + frames <= fovea->frame && retired(fovea, entry) &&
            (frames == 0 || goes_without_wait(fovea, entry)) &&
            (!oldest || entry->last_frame < oldest->last_frame)) {
            oldest = entry;
        }
    }
    return oldest;
}

static void forget_old(struct fovea_vk *fovea)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        bytes += bytes_of(&fovea->plans[i]);
    }
    while (true) {
        const bool too_much = bytes > FRAME_PLAN_BYTES;
        struct frame_plan *old =
            find_oldest(fovea, too_much ? FRAME_PLAN_CYCLE_FRAMES : FRAME_PLAN_KEPT_FRAMES);
        if (!old) {
            return;
        }
        bytes -= bytes_of(old);
        finish_plan(fovea, old);
    }
}

/* A window whose edge was dragged rests: no new plan comes, and those of its former sizes go all the same, one
 * at a time, so that no frame pays for many. */
static void forget_one(struct fovea_vk *fovea)
{
    struct frame_plan *old =
        fovea->frame % FRAME_FORGET_EVERY == 0 ? find_oldest(fovea, FRAME_PLAN_KEPT_FRAMES) : NULL;
    if (old) {
        finish_plan(fovea, old);
    }
}

/* A free place, or the one used longest ago; there are more than frames in flight use. */
static struct frame_plan *find_place(struct fovea_vk *fovea)
{
    forget_old(fovea);
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        if (!fovea->plans[i].plan) {
            return &fovea->plans[i];
        }
    }
    return find_oldest(fovea, 0);
}

static struct frame_plan *find_plan(struct fovea_vk *fovea, const struct operator_plan_desc *desc)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        struct frame_plan *entry = &fovea->plans[i];
        if (entry->plan && operators_default()->plan_fits(entry->plan, desc)) {
            return entry;
        }
    }
    return NULL;
}

static enum fovea_result make_plan(struct fovea_vk *fovea, const struct operator_plan_desc *desc,
                                   struct frame_plan **out_plan)
{
    struct frame_plan *place = find_place(fovea);
    if (!place) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    finish_plan(fovea, place);
    enum fovea_result result = fill_plan(fovea, desc, place);
    if (result < 0) {
        finish_plan(fovea, place);
        return result;
    }
    *out_plan = place;
    return FOVEA_OK;
}

enum fovea_result frame_plan_find(struct fovea_vk *fovea, const struct operator_plan_desc *desc,
                                  struct frame_plan **out_plan)
{
    struct frame_plan *plan = find_plan(fovea, desc);
    const bool found = plan;
    if (!found) {
        FOVEA_TRY(make_plan(fovea, desc, &plan));
    }
    plan->last_frame = fovea->frame + 1; /* before others go: this one may be the oldest */
    if (found) {
        forget_one(fovea);
    }
    *out_plan = plan;
    return FOVEA_OK;
}
