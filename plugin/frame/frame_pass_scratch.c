/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_image.h"
#include "frame_slot.h"

#include "core/log.h"

/* One that is so many times larger is not used, so that a large picture that is gone does not keep
 * its memory. */
#define TIMES_LARGER 4
/* Smaller ones are not worth a second one. */
#define LEAST_BYTES ((uint64_t)1 << 20)

static bool serves(const struct frame_pass_scratch *scratch, uint64_t bytes)
{
    const uint64_t wanted = bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
    return scratch->buffer.bytes >= bytes && scratch->buffer.bytes / TIMES_LARGER <= wanted;
}

/* The largest: then all pictures of a program use one, and the others go. */
static struct frame_pass_scratch *find(struct fovea_vk *fovea, uint64_t bytes)
{
    struct frame_pass_scratch *found = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (serves(scratch, bytes) && (!found || scratch->buffer.bytes > found->buffer.bytes)) {
            found = scratch;
        }
    }
    return found;
}

/* No unfinished frame uses it, nor does the one that is being made ready. */
static bool retired(struct fovea_vk *fovea, const struct frame_pass_scratch *scratch)
{
    return scratch->last_frame <= fovea->frame && frame_retired(fovea, scratch->last_frame);
}

static bool is_used(const struct fovea_vk *fovea, const struct frame_pass_scratch *scratch)
{
    return scratch->last_frame + FRAME_PLAN_KEPT_FRAMES > fovea->frame;
}

static void finish(struct fovea_vk *fovea, struct frame_pass_scratch *scratch)
{
    vk_buffer_finish(&scratch->buffer, &fovea->device);
    *scratch = (struct frame_pass_scratch){0};
}

/* As plans do: frame_plan.c. */
static void forget_one(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; fovea->frame % FRAME_FORGET_EVERY == 0 && i < FRAME_MAX_PASS_SCRATCH;
         i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (scratch->buffer.handle && !is_used(fovea, scratch) && retired(fovea, scratch)) {
            finish(fovea, scratch);
            return;
        }
    }
}

/* Those that frames have grown out of go first, so that a picture that grows does not take the
 * memory of all its sizes. */
static void make_room(struct fovea_vk *fovea, uint64_t bytes, bool *out_grows)
{
    *out_grows = false;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (!scratch->buffer.handle || scratch->buffer.bytes >= bytes) {
            continue;
        }
        *out_grows = *out_grows || is_used(fovea, scratch);
        if (bytes / TIMES_LARGER <= scratch->buffer.bytes && retired(fovea, scratch)) {
            finish(fovea, scratch);
        }
    }
}

static struct frame_pass_scratch *find_place(struct fovea_vk *fovea)
{
    struct frame_pass_scratch *place = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (!scratch->buffer.handle) {
            return scratch;
        }
        if (retired(fovea, scratch) && (!place || scratch->last_frame < place->last_frame)) {
            place = scratch;
        }
    }
    return place;
}

/* A picture that grows in every frame has a quarter more made for it, if there is as much. */
static enum fovea_result make(struct fovea_vk *fovea, uint64_t bytes,
                              struct frame_pass_scratch **out_scratch)
{
    bool grows = false;
    make_room(fovea, bytes, &grows);
    struct frame_pass_scratch *place = find_place(fovea);
    if (!place) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    finish(fovea, place);
    *out_scratch = place;
    return grows && vk_buffer_init_local(&place->buffer, &fovea->device, bytes + bytes / 4) ==
                        FOVEA_OK
               ? FOVEA_OK
               : vk_buffer_init_local(&place->buffer, &fovea->device, bytes);
}

enum fovea_result frame_pass_scratch_find(struct fovea_vk *fovea, uint64_t bytes,
                                          struct frame_pass_scratch **out_scratch)
{
    *out_scratch = find(fovea, bytes);
    const bool found = *out_scratch;
    if (!found) {
        FOVEA_TRY(make(fovea, bytes, out_scratch));
    }
    (*out_scratch)->last_frame = fovea->frame + 1; /* before others go: it may be the oldest */
    if (found) {
        forget_one(fovea);
    }
    return FOVEA_OK;
}

void frame_pass_scratch_finish(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        finish(fovea, &fovea->pass_scratch[i]);
    }
}
