/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/layer/layer.h"
#include "plugin/layer/session/layer_dump.h"
#include "plugin/layer/session/layer_session.h"

#include "core/ending.h"
#include "core/log.h"

/* One frame waits for these. */
struct waits {
    struct fovea_vk_semaphore semaphores[FOVEA_VK_MAX_SEMAPHORES];
    const VkSemaphore *all; /* the same */
    uint32_t count;
};

static struct fovea_vk_frame_target frame_image(const struct layer_swapchain *swapchain,
                                                uint32_t index)
{
    return (struct fovea_vk_frame_target){
        .image = swapchain->images[index],
        .format = swapchain->format,
        .width_px = swapchain->width_px,
        .height_px = swapchain->height_px,
        .layout_before = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
        .layout_after = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
        .queue_family = VK_QUEUE_FAMILY_IGNORED,
        .raw_view = swapchain->raw_views ? swapchain->raw_views[index] : VK_NULL_HANDLE,
    };
}

/* Each reason once a swapchain: it may come and go with every frame. That there are no more frames
 * once exit() has begun is as it should be. */
static void tell(struct layer_swapchain *swapchain, enum fovea_result result)
{
    const bool late = result == FOVEA_NOT_READY && ending_stage() == ENDING_NOT;
    if (result < 0 || late) {
        log_once(&swapchain->said, (unsigned)-(int)result & 31u, FOVEA_LOG_WARNING, layer_log(),
                 "a frame is presented as it is: %s", fovea_result_name(result));
    }
    swapchain->failed =
        swapchain->failed || result == FOVEA_ERROR_DEVICE_LOST || result == FOVEA_ERROR_FRAME_LOST;
}

static enum fovea_result submit(const struct layer_context *context,
                                const struct fovea_vk_frame *frame)
{
    const bool held = layer_session_hold(context);
    const enum fovea_result result = fovea_vk_foveate(context->fovea, frame);
    if (held) {
        layer_session_release();
    }
    return result;
}

static struct layer_dump_picture picture(const struct layer_presentation *p,
                                         const struct layer_swapchain *swapchain, uint32_t index,
                                         const VkSemaphore *waits, uint32_t wait_count)
{
    return (struct layer_dump_picture){.device = p->device,
                                       .queue = p->queue.handle,
                                       .queue_family = p->queue.family,
                                       .swapchain = swapchain,
                                       .image = index,
                                       .waits = waits,
                                       .wait_count = wait_count};
}

/* Tests look at the same frame between two pictures. */
static enum fovea_result present_dumped(const struct layer_presentation *p,
                                        const struct layer_swapchain *swapchain,
                                        const struct layer_context *context,
                                        const struct fovea_vk_frame *frame, uint32_t index,
                                        const struct waits *waits)
{
    struct layer_dump_picture before = picture(p, swapchain, index, waits->all, waits->count);
    before.number = layer_dump_begin();
    layer_dump_before(&before);
    const enum fovea_result result = submit(context, frame);
    if (result == FOVEA_OK || result == FOVEA_PASSED_THROUGH) {
        struct layer_dump_picture after =
            picture(p, swapchain, index, &swapchain->presentable[index], 1);
        after.number = before.number;
        layer_dump_after(&after, &frame->gaze, result);
    }
    return result;
}

/* Takes what the frame has to wait for. More than Fovea takes at once are gathered in the semaphore
 * that the frame signals; should it fail after that, the present waits for that one, or else for
 * those of the program. */
static enum fovea_result take_waits(struct layer_presentation *p,
                                    const struct layer_swapchain *swapchain,
                                    struct layer_context *context, uint32_t index,
                                    struct waits *out_waits)
{
    const uint32_t count = p->waits_taken ? 0 : p->info->waitSemaphoreCount;
    *out_waits = (struct waits){.count = count, .all = p->info->pWaitSemaphores};
    if (count > FOVEA_VK_MAX_SEMAPHORES) {
        const struct layer_batch batch = {.wait_count = count,
                                          .waits = p->info->pWaitSemaphores,
                                          .signal_count = 1,
                                          .signals = &swapchain->presentable[index]};
        if (layer_gather_submit(p->device, context, &batch) != VK_SUCCESS) {
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        p->gathered = true;
        *out_waits = (struct waits){.count = 1, .all = &swapchain->presentable[index]};
    }
    for (uint32_t i = 0; i < out_waits->count; i++) {
        out_waits->semaphores[i].semaphore = out_waits->all[i];
    }
    return FOVEA_OK;
}

static enum fovea_result foveate(struct layer_presentation *p, struct layer_swapchain *swapchain,
                                 struct layer_context *context, uint32_t index,
                                 const struct layer_frame *own)
{
    struct waits waits;
    const enum fovea_result taken = take_waits(p, swapchain, context, index, &waits);
    if (taken < 0) {
        return taken;
    }
    const struct fovea_vk_semaphore signal = {.semaphore = swapchain->presentable[index]};
    const struct fovea_vk_frame frame = {
        .struct_bytes = sizeof frame,
        .src = frame_image(swapchain, index),
        .dst = frame_image(swapchain, index),
        .waits = waits.semaphores,
        .wait_count = waits.count,
        .signals = &signal,
        .signal_count = 1,
        .gaze = own->gaze,
        .vergence_m = own->vergence_m,
    };
    fovea_vk_set_hud_text(context->fovea, own->hud, own->hud_gaze);
    return layer_dump_wanted() ? present_dumped(p, swapchain, context, &frame, index, &waits)
                               : submit(context, &frame);
}

/* If frames without a gaze pass through, nothing is drawn and nothing needs to be submitted; but
 * Fovea sees the first such frame, and says so. A record has all of them. */
static bool is_left_alone(const struct layer_swapchain *swapchain,
                          const struct layer_context *context, const struct layer_frame *own)
{
    return !own->gaze.usable && !layer_dump_wanted() &&
           swapchain->blind_serial == own->settings_serial &&
           fovea_present_frame(context->fovea) == 0;
}

/* The present waits for what the image's frame signals, or for what stands for it. */
static void take(struct layer_presentation *p, struct layer_swapchain *swapchain, uint32_t index,
                 bool is_made)
{
    p->taken[p->taken_count++] = (struct layer_taken){swapchain, index, is_made, NULL};
    p->waits_taken = true;
    p->gathered = false;
}

static void make_image(struct layer_presentation *p, struct layer_swapchain *swapchain,
                       struct layer_context *context, uint32_t index)
{
    struct layer_frame own;
    layer_session_frame(swapchain, context, &own);
    if (is_left_alone(swapchain, context, &own)) {
        return;
    }
    const enum fovea_result result = foveate(p, swapchain, context, index, &own);
    tell(swapchain, result);
    swapchain->blind_serial =
        !own.gaze.usable && result == FOVEA_PASSED_THROUGH ? own.settings_serial : 0;
    p->context = context;
    const bool made = result == FOVEA_OK || result == FOVEA_PASSED_THROUGH;
    if (result == FOVEA_ERROR_FRAME_LOST) {
        /* The semaphores of the program's present are taken, and nothing has taken their place. */
        p->waits_taken = true;
        p->gathered = false;
    } else if (made || p->gathered) {
        take(p, swapchain, index, made);
        p->taken[p->taken_count - 1].made_by = made ? context : NULL;
        swapchain->frame += made;
    }
}

/* Makes an image's frame, or takes the one that is in it since a present in vain: its semaphore
 * stands for those of the program, also where frames are not foveated (`on` is false). */
static void take_image(struct layer_presentation *p, bool on, VkSwapchainKHR handle, uint32_t index)
{
    struct layer_swapchain *swapchain = layer_registry_swapchain(p->device, handle);
    if (!swapchain || index >= swapchain->image_count) {
        return;
    }
    const enum layer_retry retry = layer_retry_of(swapchain, index, p->info);
    p->has_made = p->has_made || retry == LAYER_RETRY_MADE;
    if (retry == LAYER_RETRY_MADE || (retry == LAYER_RETRY_NONE && (!on || swapchain->failed))) {
        return;
    }
    struct layer_context *context = on ? layer_context_find(swapchain, &p->queue) : NULL;
    if (retry == LAYER_RETRY_FOR_FRAME) {
        p->context = context ? context : p->context;
        take(p, swapchain, index, swapchain->unpresented[index].is_made);
    } else if (context && layer_context_is_as_named(p->device, context)) {
        make_image(p, swapchain, context, index);
    }
}

/* Layers may hold a lock while they present, as gfxreconstruct does. A driver that waits there for
 * a frame of the cpu backend's would wait for ever: the thread that signals it needs the lock. */
static void finish_frames(const struct layer_presentation *p)
{
    for (uint32_t i = 0; p->device->has_stranger && i < p->taken_count; i++) {
        const struct layer_context *context = p->taken[i].made_by;
        if (context && context->is_signalled_by_host) {
            fovea_vk_wait(context->fovea);
        }
    }
}

static VkResult present(struct layer_presentation *p)
{
    VkPresentInfoKHR own = *p->info;
    struct layer_present_chain chain;
    struct layer_timing_chain timing;
    VkSemaphore waits[LAYER_MAX_PRESENTED];
    for (uint32_t i = 0; i < p->taken_count; i++) {
        waits[i] = p->taken[i].swapchain->presentable[p->taken[i].image];
    }
    layer_present_chain_without_regions(&chain, &own);
    if (p->waits_taken) {
        own.pWaitSemaphores = waits;
        own.waitSemaphoreCount = p->taken_count;
    }
    layer_timing_begin(p, &own, &timing);
    finish_frames(p);
    return p->device->vk.QueuePresentKHR(p->queue.handle, &own);
}

/* Gives the present a number and leaves it with the images whose semaphores it waits for. */
static void note_number(const struct layer_presentation *p)
{
    const uint64_t number = atomic_fetch_add(&p->device->presents, 1) + 1;
    for (uint32_t i = 0; i < p->taken_count; i++) {
        const struct layer_taken *taken = &p->taken[i];
        taken->swapchain->presented[taken->image] = (struct layer_presented){
            .number = number, .queue = p->queue.handle, .is_made = taken->made_by != NULL};
    }
}

/* False: frames are shown as they are for now. Keys may change that: they work all the same. */
static bool begin(const struct layer_presentation *p)
{
    const bool on = layer_session_tick();
    for (uint32_t i = 0; i < p->info->swapchainCount; i++) {
        struct layer_swapchain *swapchain =
            layer_registry_swapchain(p->device, p->info->pSwapchains[i]);
        if (swapchain) {
            layer_session_watch(swapchain);
        }
    }
    return on;
}

/* Finds the queue. False: such presents are passed through, which is said once. */
static bool is_fit(struct layer_presentation *p, VkQueue queue)
{
    if (p->device->inert) {
        return false; /* said */
    }
    if (!layer_registry_queue(p->device, queue, &p->queue)) {
        layer_say_once(p->device, LAYER_SAID_QUEUE_UNKNOWN, "the device has more than 64 queues");
        return false;
    }
    if (!p->queue.usable) {
        layer_say_once(p->device, LAYER_SAID_QUEUE_UNFIT,
                       "their queue cannot compute, or is protected");
        return false;
    }
    if (layer_registry_beside_openxr(p->device)) {
        layer_say_once(
            p->device, LAYER_SAID_OPENXR,
            "the program's session of OpenXR is on another device: a runtime shows there "
            "what was foveated");
        return false;
    }
    return true;
}

/* The contexts of those that are retired go on to other swapchains, or go; not before a present
 * that was in vain is made up for. */
static void leave_retired(const struct layer_presentation *p)
{
    for (uint32_t i = 0; i < p->info->swapchainCount; i++) {
        struct layer_swapchain *swapchain =
            layer_registry_swapchain(p->device, p->info->pSwapchains[i]);
        if (swapchain && swapchain->retired) {
            layer_contexts_leave(swapchain);
        }
    }
}

VKAPI_ATTR VkResult VKAPI_CALL layer_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
    struct layer_presentation p = {
        .device = layer_registry_device(queue), .queue.handle = queue, .info = info};
    const bool on = is_fit(&p, queue) && begin(&p);
    const bool any = on || atomic_load(&p.device->has_unpresented);
    for (uint32_t i = 0; any && i < info->swapchainCount; i++) {
        if (p.taken_count == LAYER_MAX_PRESENTED) {
            layer_say_once(p.device, LAYER_SAID_MANY, "they are the 17th and later ones of a call");
            break;
        }
        take_image(&p, on, info->pSwapchains[i], info->pImageIndices[i]);
    }
    const VkResult result =
        p.waits_taken || p.has_made ? present(&p) : p.device->vk.QueuePresentKHR(queue, info);
    if (p.taken_count > 0) {
        note_number(&p);
    }
    layer_timing_end(&p, result);
    layer_retry_note(&p, result);
    leave_retired(&p);
    return result;
}
