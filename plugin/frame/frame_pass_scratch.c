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

static bool is_used(const struct fovea_vk *fovea, const struct frame_pass_scratch *scratch)
{
    return scratch->last_frame + FRAME_PLAN_KEPT_FRAMES > fovea->frame;
}

static void finish(struct fovea_vk *fovea, struct frame_pass_scratch *scratch)
{
    vk_buffer_finish(&scratch->buffer, &fovea->device);
    *scratch = (struct frame_pass_scratch){0};
}

void frame_pass_scratch_forget(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (scratch->buffer.handle && !is_used(fovea, scratch) &&
            frame_is_free(fovea, scratch->last_frame)) {
            finish(fovea, scratch);
            return;
        }
    }
}

bool frame_pass_scratch_give_up(struct fovea_vk *fovea)
{
    bool any = false;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (scratch->buffer.handle && frame_is_free(fovea, scratch->last_frame)) {
            finish(fovea, scratch);
            any = true;
        }
    }
    return any;
}

/* Those that frames have grown out of go first, so that a picture that grows does not take the
 * memory of all its sizes. True: there was one. */
static bool make_room(struct fovea_vk *fovea, uint64_t bytes)
{
    bool outgrown = false;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (!scratch->buffer.handle || scratch->buffer.bytes >= bytes) {
            continue;
        }
        outgrown = outgrown || is_used(fovea, scratch);
        if (bytes / TIMES_LARGER <= scratch->buffer.bytes &&
            frame_is_free(fovea, scratch->last_frame)) {
            finish(fovea, scratch);
        }
    }
    return outgrown;
}

static struct frame_pass_scratch *find_place(struct fovea_vk *fovea)
{
    struct frame_pass_scratch *place = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        struct frame_pass_scratch *scratch = &fovea->pass_scratch[i];
        if (!scratch->buffer.handle) {
            return scratch;
        }
        if (frame_is_free(fovea, scratch->last_frame) &&
            (!place || scratch->last_frame < place->last_frame)) {
            place = scratch;
        }
    }
    return place;
}

/* A picture that has grown twice within a while has a quarter more made for it. */
static uint64_t with_room(struct fovea_vk *fovea, uint64_t bytes)
{
    return make_room(fovea, bytes) && frame_grows(fovea, &fovea->pass_scratch_grown)
               ? bytes + bytes / 4
               : bytes;
}

static enum fovea_result make(struct fovea_vk *fovea, uint64_t bytes,
                              struct frame_pass_scratch **out_scratch)
{
    const uint64_t roomy = with_room(fovea, bytes);
    struct frame_pass_scratch *place = find_place(fovea);
    FOVEA_TRY_MEMORY(place);
    finish(fovea, place);
    *out_scratch = place;
    return vk_buffer_init_local(&place->buffer, &fovea->device, roomy);
}

enum fovea_result frame_pass_scratch_find(struct fovea_vk *fovea, uint64_t bytes,
                                          struct frame_pass_scratch **out_scratch)
{
    *out_scratch = find(fovea, bytes);
    if (!*out_scratch) {
        FOVEA_TRY(make(fovea, bytes, out_scratch));
    }
    (*out_scratch)->last_frame = fovea->frame + 1;
    return FOVEA_OK;
}

void frame_pass_scratch_finish(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        finish(fovea, &fovea->pass_scratch[i]);
    }
}
