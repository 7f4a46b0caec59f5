/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_image.h"
#include "frame_link.h"
#include "frame_record.h"
#include "frame_slot.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/struct_bytes.h"

#include <stdlib.h>

static enum fovea_result share(struct fovea_vk *fovea, struct frame_shared *shared)
{
    struct vk_image *image = &shared->image;
    struct peer_image_desc desc = {.memory = OS_HANDLE_INVALID,
                                   .allocation_bytes = image->allocation_bytes,
                                   .mapped = image->mapped,
                                   .row_stride_bytes = image->row_stride_bytes,
                                   .format = image->desc.format->pixel,
                                   .width_px = image->desc.width_px,
                                   .height_px = image->desc.height_px,
                                   .color_attachment =
                                       image->desc.usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    struct peer *peer = fovea->peer;
    if (peer->api->imports_handles) {
        FOVEA_TRY(vk_image_export(image, &fovea->device, &desc.memory));
    }
    enum fovea_result result = peer->api->import_image(peer, &desc, &shared->peer);
    if (result < 0) {
        os_handle_close(&desc.memory);
    }
    return result;
}

static enum vk_image_sharing sharing_of(const struct fovea_vk *fovea)
{
    if (!fovea->peer || fovea->peer_closed || atomic_load(&fovea->peer_lost)) {
        return VK_IMAGE_PRIVATE;
    }
    return fovea->peer->api->imports_handles ? VK_IMAGE_EXPORTED : VK_IMAGE_MAPPED;
}

static enum fovea_result init_shared(struct fovea_vk *fovea, const struct vk_image_desc *desc,
                                     struct frame_shared *shared)
{
    *shared = (struct frame_shared){0};
    struct vk_image_desc wanted = *desc;
    wanted.sharing = sharing_of(fovea);
    if (wanted.sharing == VK_IMAGE_MAPPED && !wanted.raw &&
        vk_image_supported(&fovea->device, &wanted, FOVEA_LOG_DEBUG) < 0) {
        /* frames with it are copied to scratch that is mapped */
        wanted.sharing = VK_IMAGE_PRIVATE;
    }
    FOVEA_TRY(vk_image_supported(&fovea->device, &wanted, FOVEA_LOG_ERROR));
    enum fovea_result result = vk_image_init(&shared->image, &fovea->device, &wanted);
    if (result == FOVEA_OK && wanted.sharing != VK_IMAGE_PRIVATE) {
        result = share(fovea, shared);
    }
    if (result < 0) {
        frame_shared_finish(fovea, shared);
    }
    return result;
}

void frame_shared_finish(struct fovea_vk *fovea, struct frame_shared *shared)
{
    if (shared->peer) {
        frame_quiet_lost_peer(fovea);
        fovea->peer->api->forget_image(fovea->peer, &shared->peer);
    }
    vk_image_finish(&shared->image, &fovea->device);
    *shared = (struct frame_shared){0};
}

/* ---- Scratch ---- */

static void finish_scratch(struct fovea_vk *fovea, struct frame_scratch *scratch)
{
    frame_shared_finish(fovea, &scratch->src);
    frame_shared_finish(fovea, &scratch->dst);
    *scratch = (struct frame_scratch){0};
}

/* After a resize a size is gone: scratch that was not used for so many frames is freed. */
#define SCRATCH_KEPT_FRAMES 32
/* Scratch with more than so many times the pixels is left to larger pictures. */
#define SCRATCH_TIMES_LARGER 4
/* A picture that grows has one part in so many of its width and height more made for it. */
#define SCRATCH_ROOM 8

static bool is_known(const struct frame_scratch *scratch)
{
    return scratch->src.peer || scratch->dst.peer;
}

static bool is_as_large(const struct vk_image_desc *desc, const struct vk_image_desc *wanted)
{
    const uint64_t pixels = (uint64_t)desc->width_px * desc->height_px;
    return desc->width_px >= wanted->width_px && desc->height_px >= wanted->height_px &&
           pixels / SCRATCH_TIMES_LARGER <= (uint64_t)wanted->width_px * wanted->height_px;
}

/* A peer that is out of use may still write where it has been told to: scratch that it knows is not
 * used again. */
static bool is_of_kind(const struct fovea_vk *fovea, const struct frame_scratch *scratch,
                       const struct vk_image_desc *wanted, uint32_t between)
{
    return scratch->src.image.handle && scratch->between == between &&
           (!is_known(scratch) || frame_peer_usable(fovea)) &&
           scratch->src.image.desc.format->pixel == wanted->format->pixel;
}

static bool goes_without_wait(const struct fovea_vk *fovea, const struct frame_scratch *scratch)
{
    return !is_known(scratch) || frame_peer_is_quiet(fovea);
}

/* A free place, or the one used longest ago that no unfinished frame uses. */
static struct frame_scratch *find_place(struct fovea_vk *fovea)
{
    struct frame_scratch *place = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        struct frame_scratch *scratch = &fovea->scratch[i];
        bool idle = frame_is_free(fovea, scratch->last_frame);
        if (idle && goes_without_wait(fovea, scratch) &&
            scratch->last_frame + SCRATCH_KEPT_FRAMES < fovea->frame) {
            finish_scratch(fovea, scratch);
        }
        if (idle && (!place || scratch->last_frame < place->last_frame)) {
            place = scratch;
        }
    }
    return place;
}

static bool may_go(struct fovea_vk *fovea, const struct frame_scratch *scratch)
{
    return scratch->src.image.handle && frame_is_free(fovea, scratch->last_frame) &&
           goes_without_wait(fovea, scratch);
}

void frame_scratch_forget(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        struct frame_scratch *scratch = &fovea->scratch[i];
        if (scratch->last_frame + FRAME_PLAN_KEPT_FRAMES < fovea->frame && may_go(fovea, scratch)) {
            finish_scratch(fovea, scratch);
            return;
        }
    }
}

bool frame_scratch_give_up(struct fovea_vk *fovea)
{
    bool any = false;
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        if (may_go(fovea, &fovea->scratch[i])) {
            finish_scratch(fovea, &fovea->scratch[i]);
            any = true;
        }
    }
    return any;
}

static enum fovea_result make_scratch(struct fovea_vk *fovea, const struct vk_image_desc *desc,
                                      uint32_t between, struct frame_scratch *place)
{
    place->between = between;
    enum fovea_result result = init_shared(fovea, desc, &place->src);
    if (result == FOVEA_OK && between != 1) {
        result = init_shared(fovea, desc, &place->dst);
    }
    if (result < 0) {
        finish_scratch(fovea, place);
    }
    return result;
}

/* Whether pictures have been smaller until now, as those of a resolution that changes are. */
static bool outgrows(const struct fovea_vk *fovea, const struct vk_image_desc *wanted,
                     uint32_t between)
{
    bool any = false;
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        const struct frame_scratch *scratch = &fovea->scratch[i];
        any = any || (is_of_kind(fovea, scratch, wanted, between) &&
                      scratch->last_frame + SCRATCH_KEPT_FRAMES > fovea->frame &&
                      scratch->src.image.desc.width_px <= wanted->width_px &&
                      scratch->src.image.desc.height_px <= wanted->height_px);
    }
    return any;
}

/* With room for pictures that have grown twice within a while, unless there are no such images. */
static struct vk_image_desc with_room(struct fovea_vk *fovea, const struct vk_image_desc *wanted,
                                      uint32_t between)
{
    const uint32_t most_px = fovea->device.properties.limits.maxImageDimension2D;
    struct vk_image_desc larger = *wanted;
    larger.sharing = sharing_of(fovea);
    larger.width_px += larger.width_px / SCRATCH_ROOM;
    larger.height_px += larger.height_px / SCRATCH_ROOM;
    return outgrows(fovea, wanted, between) && frame_grows(fovea, &fovea->scratch_grown) &&
                   larger.width_px <= most_px && larger.height_px <= most_px &&
                   vk_image_supported(&fovea->device, &larger, FOVEA_LOG_DEBUG) == FOVEA_OK
               ? larger
               : *wanted;
}

/* The largest, as in frame_pass_scratch.c. */
static struct frame_scratch *find_scratch(struct fovea_vk *fovea, const struct vk_image_desc *desc,
                                          uint32_t between)
{
    struct frame_scratch *found = NULL;
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        struct frame_scratch *scratch = &fovea->scratch[i];
        const struct vk_image_desc *own = &scratch->src.image.desc;
        if (is_of_kind(fovea, scratch, desc, between) && is_as_large(own, desc) &&
            (!found || own->width_px > found->src.image.desc.width_px)) {
            found = scratch;
        }
    }
    return found;
}

enum fovea_result frame_scratch_find(struct fovea_vk *fovea, const struct vk_image_desc *desc,
                                     uint32_t between, struct frame_scratch **out_scratch)
{
    *out_scratch = find_scratch(fovea, desc, between);
    if (*out_scratch) {
        return FOVEA_OK;
    }
    const struct vk_image_desc roomy = with_room(fovea, desc, between);
    struct frame_scratch *place = find_place(fovea);
    FOVEA_TRY_MEMORY(place);
    finish_scratch(fovea, place);
    *out_scratch = place;
    return make_scratch(fovea, &roomy, between, place);
}

void frame_uses_note(const struct fovea_vk *fovea, struct frame_uses *out_uses)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        out_uses->plans[i] = fovea->plans[i].last_frame;
    }
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        out_uses->scratch[i] = fovea->scratch[i].last_frame;
    }
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        out_uses->pass_scratch[i] = fovea->pass_scratch[i].last_frame;
    }
}

static void put_back(const struct fovea_vk *fovea, uint64_t used, uint64_t *last_frame)
{
    const uint64_t over = frame_surely_over(fovea);
    if (*last_frame > fovea->frame) {
        *last_frame = used > over ? used : over;
    }
}

void frame_uses_put_back(struct fovea_vk *fovea, const struct frame_uses *uses)
{
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        put_back(fovea, uses->plans[i], &fovea->plans[i].last_frame);
    }
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        put_back(fovea, uses->scratch[i], &fovea->scratch[i].last_frame);
    }
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        put_back(fovea, uses->pass_scratch[i], &fovea->pass_scratch[i].last_frame);
    }
}

/* ---- Images for the engine ---- */

static enum fovea_result check_desc(struct fovea_vk *fovea, const struct fovea_vk_image_desc *desc)
{
    if (!vk_format_find(desc->format)) {
        log_error(fovea->log,
                  "image: VkFormat %d is not supported; fovea_vulkan.h lists the formats",
                  (int)desc->format);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (desc->width_px == 0 || desc->height_px == 0) {
        log_error(fovea->log, "image: %ux%u has no pixels", desc->width_px, desc->height_px);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (desc->width_px > OPERATOR_MAX_SIZE_PX || desc->height_px > OPERATOR_MAX_SIZE_PX) {
        log_error(fovea->log, "image: %ux%u is more than %dx%d", desc->width_px, desc->height_px,
                  OPERATOR_MAX_SIZE_PX, OPERATOR_MAX_SIZE_PX);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

static enum fovea_result make_image(struct fovea_vk *fovea, const struct fovea_vk_image_desc *desc,
                                    struct fovea_vk_image **out_image)
{
    FOVEA_TRY(check_desc(fovea, desc));
    struct fovea_vk_image *image = calloc(1, sizeof *image);
    FOVEA_TRY_MEMORY(image);
    struct vk_image_desc wanted = {.format = vk_format_find(desc->format),
                                   .width_px = desc->width_px,
                                   .height_px = desc->height_px,
                                   .usage = desc->usage};
    enum fovea_result result = init_shared(fovea, &wanted, &image->shared);
    if (result == FOVEA_ERROR_DEVICE_LOST && frame_peer_usable(fovea)) {
        frame_peer_fail(fovea, result,
                        FRAME_PEER_REPLACED); /* a lost Vulkan device says so again */
        result = init_shared(fovea, &wanted, &image->shared);
    }
    if (result < 0) {
        free(image);
        return result;
    }
    image->fovea = fovea;
    image->layout = VK_IMAGE_LAYOUT_UNDEFINED;
    image->next = fovea->images;
    fovea->images = image;
    *out_image = image;
    return FOVEA_OK;
}

STRUCT_ENDS_WITH(struct fovea_vk_image_desc, usage);

enum fovea_result fovea_vk_image_create(struct fovea_vk *fovea,
                                        const struct fovea_vk_image_desc *desc,
                                        struct fovea_vk_image **out_image)
{
    if (out_image) {
        *out_image = NULL;
    }
    struct fovea_vk_image_desc taken;
    if (!fovea || !desc || !out_image || !struct_take(&taken, sizeof taken, desc)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (frame_is_parents(fovea) || !ending_enter()) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    const enum fovea_result result = make_image(fovea, &taken, out_image);
    ending_leave();
    return result;
}

static void unlink_image(struct fovea_vk_image *image)
{
    struct fovea_vk_image **at = &image->fovea->images;
    while (*at != image) {
        at = &(*at)->next;
    }
    *at = image->next;
}

static void destroy_image(struct fovea_vk_image *image)
{
    struct fovea_vk *fovea = image->fovea;
    if (!frame_wait(fovea, image->last_frame)) {
        return; /* its context's, which may know by its own end */
    }
    unlink_image(image);
    frame_keep_forget(fovea);
    frame_shared_finish(fovea, &image->shared);
    free(image);
}

void fovea_vk_image_destroy(struct fovea_vk_image **image)
{
    if (!image || !*image) {
        return;
    }
    struct fovea_vk_image *old = *image;
    *image = NULL;
    if (frame_is_parents(old->fovea)) {
        return; /* the parent's: its frames never get over here */
    }
    if (!ending_enter()) {
        return; /* its context's until the process is over */
    }
    destroy_image(old);
    ending_leave();
}

void frame_images_finish(struct fovea_vk *fovea)
{
    frame_keep_forget(fovea);
    while (fovea->images) {
        struct fovea_vk_image *image = fovea->images;
        fovea->images = image->next;
        frame_shared_finish(fovea, &image->shared);
        free(image);
    }
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        finish_scratch(fovea, &fovea->scratch[i]);
    }
}

VkImage fovea_vk_image_handle(const struct fovea_vk_image *image)
{
    return image ? image->shared.image.handle : VK_NULL_HANDLE;
}

VkImageView fovea_vk_image_view(const struct fovea_vk_image *image)
{
    return image ? image->shared.image.view : VK_NULL_HANDLE;
}

enum fovea_result fovea_vk_image_acquire(struct fovea_vk_image *image, VkImageLayout *out_layout)
{
    if (!image || !out_layout) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (frame_is_parents(image->fovea)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    if (image->holder == FRAME_HELD_BY_ENGINE) {
        log_error(image->fovea->log, "image: acquired twice; it is the engine's already");
        return FOVEA_ERROR_INVALID_STATE;
    }
    image->holder = FRAME_HELD_BY_ENGINE;
    *out_layout = image->layout;
    return FOVEA_OK;
}

enum fovea_result fovea_vk_image_release(struct fovea_vk_image *image, VkImageLayout layout)
{
    if (!image) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (frame_is_parents(image->fovea)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    if (image->holder != FRAME_HELD_BY_ENGINE) {
        log_error(image->fovea->log, "image: released, but it is not the engine's");
        return FOVEA_ERROR_INVALID_STATE;
    }
    image->holder = FRAME_HELD_BY_FOVEA;
    image->layout = layout;
    return FOVEA_OK;
}
