/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_image.h"
#include "frame_link.h"
#include "frame_slot.h"
#include "frame_work.h"

#include "core/log.h"

/* Its buffers stay, for the next plan: where each frame has another frustum, none is made. */
static void vacate(struct fovea_vk *fovea, struct frame_plan *place)
{
    if (place->peer) {
        frame_quiet_lost_peer(fovea);
        fovea->peer->api->forget_plan(fovea->peer, &place->peer);
    }
    chain_operator.glsl->destroy(&place->glsl);
    chain_operator.plan_destroy(&place->plan);
    place->described = false;
    place->last_frame = fovea->frame;
}

static void finish_plan(struct fovea_vk *fovea, struct frame_plan *plan)
{
    vacate(fovea, plan);
    vk_buffer_finish(&plan->tables, &fovea->device);
    plan->last_frame = 0;
}

void frame_plans_finish(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        finish_plan(fovea, &fovea->plans[i]);
    }
}

/* Every workgroup reads it: near the device where there is such memory, which is written once and
 * in order. One that the place had before serves if no half of it is left over. */
static enum fovea_result make_buffer(struct fovea_vk *fovea, uint64_t bytes,
                                     struct vk_buffer *buffer)
{
    if (bytes <= buffer->bytes && bytes > buffer->bytes / 2) {
        return FOVEA_OK;
    }
    vk_buffer_finish(buffer, &fovea->device);
    return vk_buffer_init_shared(buffer, &fovea->device, bytes, VK_BUFFER_READ_BY_KERNELS);
}

static enum fovea_result make_tables(struct fovea_vk *fovea, struct frame_plan *entry)
{
    const struct operator_glsl_api *api = chain_operator.glsl;
    FOVEA_TRY(make_buffer(fovea, api->table_bytes(entry->glsl), &entry->tables));
    api->fill(entry->glsl, entry->tables.mapped);
    return FOVEA_OK;
}

/* Once for each time that settings are set. */
static void warn(struct fovea_vk *fovea, const char *words)
{
    if (!fovea->plan_refused) {
        log_warning(fovea->log, "frame: %s; such frames pass through", words);
        fovea->plan_refused = true;
    }
}

/* Says what the operators have words for. */
static void complain(struct fovea_vk *fovea, const struct operator_plan_desc *desc)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    if (!fovea->plan_refused && chain_operator.plan_complain(desc, words, sizeof words)) {
        warn(fovea, words);
    }
}

static enum fovea_result fill_plan(struct fovea_vk *fovea, const struct operator_plan_desc *desc,
                                   struct frame_plan *entry)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    FOVEA_TRY(chain_operator.plan_create(desc, &entry->plan));
    if (chain_operator.plan_lacks(entry->plan, FOVEA_BACKEND_VULKAN, words, sizeof words)) {
        warn(fovea, words);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(chain_operator.glsl->create(entry->plan, &fovea->compute.limits, &entry->glsl));
    return make_tables(fovea, entry);
}

enum fovea_result frame_plan_share(struct fovea_vk *fovea, struct frame_plan *entry)
{
    if (entry->peer) {
        return FOVEA_OK;
    }
    return fovea->peer->api->import_plan(fovea->peer, entry->plan, &entry->peer);
}

/* Counts bytes on the device: its tables, and what a peer has of its own. */
static uint64_t bytes_of(const struct frame_plan *entry)
{
    const uint64_t peers = entry->peer ? entry->plan->cuda_bytes : 0;
    return entry->tables.bytes + peers;
}

/* Jobs of a lost peer may still read it, and would have to be waited for. */
static bool goes_without_wait(const struct fovea_vk *fovea, const struct frame_plan *entry)
{
    return !entry->peer || frame_peer_is_quiet(fovea);
}

/* The one used longest ago of those that so many frames have not used, and that goes without a wait
 * unless any will do (0 frames); NULL: there is none. */
static struct frame_plan *find_oldest(struct fovea_vk *fovea, uint64_t frames)
{
    struct frame_plan *oldest = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        struct frame_plan *entry = &fovea->plans[i];
        if (entry->plan && entry->last_frame + frames <= fovea->frame &&
            frame_is_free(fovea, entry->last_frame) &&
            (frames == 0 || goes_without_wait(fovea, entry)) &&
            (!oldest || entry->last_frame < oldest->last_frame)) {
            oldest = entry;
        }
    }
    return oldest;
}

/* The free place with buffers that is so longest; NULL: there is none. */
static struct frame_plan *find_vacant(struct fovea_vk *fovea)
{
    struct frame_plan *first = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        struct frame_plan *entry = &fovea->plans[i];
        if (!entry->plan && entry->tables.handle &&
            (!first || entry->last_frame < first->last_frame)) {
            first = entry;
        }
    }
    return first;
}

static void forget_old(struct fovea_vk *fovea)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        bytes += bytes_of(&fovea->plans[i]);
    }
    while (true) {
        const bool too_much = bytes > FRAME_PLAN_BYTES;
        struct frame_plan *old = too_much ? find_vacant(fovea) : NULL;
        old = old ? old
                  : find_oldest(fovea, too_much ? FRAME_PLAN_CYCLE_FRAMES : FRAME_PLAN_KEPT_FRAMES);
        if (!old) {
            return;
        }
        bytes -= bytes_of(old);
        (too_much ? finish_plan : vacate)(fovea, old);
        bytes += bytes_of(old);
    }
}

/* A vacant place that no new plan has taken for long. */
static struct frame_plan *find_left_over(struct fovea_vk *fovea)
{
    struct frame_plan *place = find_vacant(fovea);
    return place && place->last_frame + FRAME_PLAN_KEPT_FRAMES <= fovea->frame ? place : NULL;
}

/* A window whose edge was dragged rests: no new plan comes, and those of its former sizes go all
 * the same, one at a time, so that no frame pays for many. Their buffers stay a while: another view
 * of the frame may have a new plan each time. */
static void forget_one(struct fovea_vk *fovea)
{
    if (fovea->frame % FRAME_FORGET_EVERY != 0) {
        return;
    }
    struct frame_plan *place = find_left_over(fovea);
    struct frame_plan *old = find_oldest(fovea, FRAME_PLAN_KEPT_FRAMES);
    if (place) {
        finish_plan(fovea, place);
    }
    if (old) {
        vacate(fovea, old);
    }
}

static struct frame_plan *find_empty(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        if (!fovea->plans[i].plan) {
            return &fovea->plans[i];
        }
    }
    return NULL;
}

/* A free place, with buffers if there is one, or the plan used longest ago; there are more than
 * frames in flight use. */
static struct frame_plan *find_place(struct fovea_vk *fovea)
{
    forget_old(fovea);
    struct frame_plan *place = find_vacant(fovea);
    place = place ? place : find_empty(fovea);
    return place ? place : find_oldest(fovea, 0);
}

bool frame_plans_give_up(struct fovea_vk *fovea)
{
    bool any = false;
    struct frame_plan *place = find_vacant(fovea);
    for (; place; place = find_vacant(fovea)) {
        finish_plan(fovea, place);
        any = true;
    }
    return any;
}

static struct frame_plan *find_plan(struct fovea_vk *fovea, const struct operator_plan_desc *desc)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        struct frame_plan *entry = &fovea->plans[i];
        if (entry->plan && chain_operator.plan_fits(entry->plan, desc)) {
            return entry;
        }
    }
    return NULL;
}

static enum fovea_result make_plan(struct fovea_vk *fovea, const struct operator_plan_desc *desc,
                                   struct frame_plan **out_plan)
{
    struct frame_plan *place = find_place(fovea);
    FOVEA_TRY_MEMORY(place);
    vacate(fovea, place);
    enum fovea_result result = fill_plan(fovea, desc, place);
    if (result < 0) {
        finish_plan(fovea, place);
        return result;
    }
    *out_plan = place;
    return FOVEA_OK;
}

enum fovea_result frame_plan_find(struct fovea_vk *fovea, const struct frame_view *view,
                                  uint32_t width_px, uint32_t height_px, enum frame_plan_for whom,
                                  struct frame_plan **out_plan)
{
    struct fovea_settings *settings = &fovea->scratch_settings;
    *settings = fovea->settings;
    settings->foveation.geometry = view->geometry;
    settings->foveation.map.eye = view->eye;
    const struct operator_plan_desc desc = {.settings = settings,
                                            .width_px = width_px,
                                            .height_px = height_px,
                                            .has_sigmas = view->sigmas.view != VK_NULL_HANDLE};
    struct frame_plan *plan = find_plan(fovea, &desc);
    const bool found = plan;
    const enum fovea_result result = found ? FOVEA_OK : make_plan(fovea, &desc, &plan);
    if (result == FOVEA_ERROR_INVALID_ARGUMENT && whom != FRAME_PLAN_FOR_LATER) {
        complain(fovea, &desc);
    }
    FOVEA_TRY(result);
    /* Before others go: this one may be the oldest. */
    const uint64_t used = whom == FRAME_PLAN_FOR_CALL ? frame_surely_over(fovea) : fovea->frame + 1;
    plan->last_frame = plan->last_frame > used ? plan->last_frame : used;
    if (found) {
        forget_one(fovea);
    }
    *out_plan = plan;
    return FOVEA_OK;
}

void frame_plan_describe(struct fovea_vk *fovea, struct frame_plan *entry)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    if (!entry->described && chain_operator.plan_describe(entry->plan, words, sizeof words)) {
        log_write(fovea->log, fovea->described ? FOVEA_LOG_DEBUG : FOVEA_LOG_INFO, "%s", words);
        fovea->described = true;
    }
    entry->described = true;
}
