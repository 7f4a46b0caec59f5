/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_link.h"
#include "frame_late.h"

#include "core/log.h"
#include "vulkan/vk_check.h"
#include "vulkan/vk_semaphore.h"

static enum fovea_result make(struct fovea_vk *fovea, VkSemaphore *out_semaphore,
                              struct peer_semaphore **out_peer)
{
    struct peer *peer = fovea->peer;
    bool exported = peer->api->imports_handles;
    FOVEA_TRY(vk_semaphore_create(&fovea->device, fovea->link.timeline, exported, out_semaphore));
    struct peer_semaphore_desc desc = {
        .handle = OS_HANDLE_INVALID, .timeline = fovea->link.timeline, .semaphore = *out_semaphore};
    if (exported) {
        FOVEA_TRY(vk_semaphore_export(&fovea->device, *out_semaphore, &desc.handle));
    }
    enum fovea_result result = peer->api->import_semaphore(peer, &desc, out_peer);
    if (result < 0) {
        os_handle_close(&desc.handle);
    }
    return result;
}

static enum fovea_result make_pair(struct fovea_vk *fovea, struct frame_slot *slot)
{
    struct vk_device *device = &fovea->device;
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK_TRY(fovea->log,
           device->vk.CreateFence(device->handle, &fence, fovea->device.allocator, &slot->taken));
    FOVEA_TRY(make(fovea, &slot->to_peer, &slot->peer_to_peer));
    return make(fovea, &slot->from_peer, &slot->peer_from_peer);
}

enum fovea_result frame_link_init(struct fovea_vk *fovea)
{
    struct frame_link *link = &fovea->link;
    bool handles = fovea->peer->api->imports_handles;
    link->timeline =
        fovea->device.timeline && (!handles || vk_semaphore_exportable(&fovea->device, true));
    if (link->timeline) {
        return make(fovea, &link->semaphore, &link->peer_semaphore);
    }
    if (!handles || !vk_semaphore_exportable(&fovea->device, false)) {
        log_warning(fovea->log, "%s: the device cannot share semaphores", fovea->peer->api->name);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        FOVEA_TRY(make_pair(fovea, &fovea->slots[i]));
    }
    return FOVEA_OK;
}

static void drop(struct fovea_vk *fovea, VkSemaphore *semaphore, struct peer_semaphore **peer)
{
    if (*peer) {
        fovea->peer->api->forget_semaphore(fovea->peer, peer);
    }
    fovea->device.vk.DestroySemaphore(fovea->device.handle, *semaphore, fovea->device.allocator);
    *semaphore = VK_NULL_HANDLE;
}

void frame_link_finish(struct fovea_vk *fovea)
{
    drop(fovea, &fovea->link.semaphore, &fovea->link.peer_semaphore);
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        struct frame_slot *slot = &fovea->slots[i];
        drop(fovea, &slot->to_peer, &slot->peer_to_peer);
        drop(fovea, &slot->from_peer, &slot->peer_from_peer);
        fovea->device.vk.DestroyFence(fovea->device.handle, slot->taken, fovea->device.allocator);
        slot->taken = VK_NULL_HANDLE;
    }
}

void frame_peer_drop(struct fovea_vk *fovea)
{
    fovea->peer->api->drain(fovea->peer);
    frame_link_finish(fovea);
    fovea->peer->api->destroy(fovea->peer);
    fovea->peer = NULL;
    fovea->peer_closed = false;
    fovea->peer_lost_noticed = false;
    atomic_store(&fovea->peer_lost, false);
    fovea->link = (struct frame_link){.timeline = false};
    fovea->backend = FOVEA_BACKEND_VULKAN;
}

enum fovea_result frame_link_enqueue(struct fovea_vk *fovea, const struct frame_work *work,
                                     enum peer_answer *out_answer)
{
    const struct frame_link *link = &fovea->link;
    const struct frame_slot *slot = work->slot;
    struct peer_job job = {.number = atomic_load(&fovea->watchdog.given) + 1,
                           .wait = link->timeline ? link->peer_semaphore : slot->peer_to_peer,
                           .wait_value = link->value + 1,
                           .signal = link->timeline ? link->peer_semaphore : slot->peer_from_peer,
                           .signal_value = link->value + 2,
                           .src = work->read.shared->peer,
                           .dst = work->write.shared->peer,
                           .slot = work->slot_index,
                           .timed = work->slot->timed};
    frame_late_job(fovea, work, &job.late);
    for (uint32_t i = 0; i < work->view_count; i++) {
        const struct frame_view *view = &work->views[i];
        if (view->runs) {
            job.views[job.view_count++] = (struct peer_view){view->plan->peer, view->frame};
        }
    }
    /* It may be over as soon as it is given. */
    atomic_store(&fovea->watchdog.given, job.number);
    const enum fovea_result result = fovea->peer->api->enqueue(fovea->peer, &job, out_answer);
    if (*out_answer == PEER_IS_STILL) {
        atomic_store(&fovea->watchdog.given, job.number - 1);
    }
    return result;
}

void frame_peer_notice(struct fovea_vk *fovea)
{
    if (!fovea->peer || !atomic_load(&fovea->peer_lost)) {
        return;
    }
    atomic_store(&fovea->watchdog.last_value, fovea->link.value);
    if (!fovea->peer_lost_noticed) {
        fovea->peer_lost_noticed = true;
        snprintf(fovea->reason, sizeof fovea->reason, "%s stopped answering",
                 fovea->peer->api->name);
    }
}

bool frame_peer_usable(const struct fovea_vk *fovea)
{
    return fovea->peer && !fovea->peer_closed && !atomic_load(&fovea->peer_lost);
}

void frame_peer_fail(struct fovea_vk *fovea, enum fovea_result result, enum frame_trouble trouble)
{
    const bool lost = result == FOVEA_ERROR_DEVICE_LOST;
    fovea->peer_closed = true;
    snprintf(fovea->reason, sizeof fovea->reason,
             lost ? "%s has lost its device" : "%s refused a frame", fovea->peer->api->name);
    if (lost) {
        fovea->peer_lost_noticed = true;
        atomic_store(&fovea->peer_lost, true);
    }
    frame_trouble_is(fovea, trouble);
}

void frame_quiet_lost_peer(struct fovea_vk *fovea)
{
    if (fovea->peer && atomic_load(&fovea->peer_lost)) {
        fovea->peer->api->drain(fovea->peer);
    }
}

bool frame_peer_is_quiet(const struct fovea_vk *fovea)
{
    const struct peer *peer = fovea->peer;
    return !peer || !atomic_load(&fovea->peer_lost) ||
           (peer->over && atomic_load(peer->over) == atomic_load(&fovea->watchdog.given));
}
