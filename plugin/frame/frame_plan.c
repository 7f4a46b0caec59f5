/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

#include "core/log.h"

#include <string.h>

static void finish_plan(struct fovea_vk *fovea, struct frame_plan *plan)
{
    if (fovea->peer_plan == plan->plan) {
        fovea->peer_plan = NULL; /* another plan may get the same address */
    }
    vk_buffer_finish(&plan->rings, &fovea->device);
    vk_buffer_finish(&plan->taps, &fovea->device);
    foveate_plan_destroy(&plan->plan);
    *plan = (struct frame_plan){0};
}

void frame_plans_finish(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        finish_plan(fovea, &fovea->plans[i]);
    }
}

/* Buffers of no bytes cannot be made: an empty table is one zeroed entry. */
static enum fovea_result upload(struct fovea_vk *fovea, struct vk_buffer *buffer, const void *data,
                                size_t bytes)
{
    FOVEA_TRY(vk_buffer_init(buffer, &fovea->device, bytes ? bytes : 64));
    memset(buffer->mapped, 0, buffer->bytes);
    if (bytes) {
        memcpy(buffer->mapped, data, bytes);
    }
    return FOVEA_OK;
}

static enum fovea_result fill_plan(struct fovea_vk *fovea, struct frame_plan *entry,
                                   uint32_t width_px, uint32_t height_px)
{
    FOVEA_TRY(foveate_plan_create(&fovea->settings.foveation, width_px, height_px, &entry->plan));
    const struct foveate_plan *plan = entry->plan;
    FOVEA_TRY(upload(fovea, &entry->rings, plan->rings, plan->ring_count * sizeof plan->rings[0]));
    FOVEA_TRY(upload(fovea, &entry->taps, plan->taps, plan->tap_count * sizeof plan->taps[0]));
    return FOVEA_OK;
}

/* The place used longest ago that no unfinished frame uses; there are more places than frames. */
static struct frame_plan *find_place(struct fovea_vk *fovea)
{
    struct frame_plan *place = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        struct frame_plan *entry = &fovea->plans[i];
        if (!entry->plan) {
            return entry;
        }
        bool free = frame_retired(fovea, entry->last_frame);
        if (free && (!place || entry->last_frame < place->last_frame)) {
            place = entry;
        }
    }
    return place;
}

enum fovea_result frame_plan_find(struct fovea_vk *fovea, uint32_t width_px, uint32_t height_px,
                                  struct frame_plan **out_plan)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        struct frame_plan *entry = &fovea->plans[i];
        if (entry->plan &&
            foveate_plan_fits(entry->plan, &fovea->settings.foveation, width_px, height_px)) {
            *out_plan = entry;
            return FOVEA_OK;
        }
    }
    struct frame_plan *place = find_place(fovea);
    if (!place) {
        return FOVEA_NOT_READY;
    }
    finish_plan(fovea, place);
    enum fovea_result result = fill_plan(fovea, place, width_px, height_px);
    if (result < 0) {
        finish_plan(fovea, place);
    }
    *out_plan = place;
    return result;
}
