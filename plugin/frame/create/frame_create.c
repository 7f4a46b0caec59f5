/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/frame/frame_depth.h"
#include "plugin/frame/frame_image.h"
#include "plugin/frame/frame_journal.h"
#include "plugin/frame/frame_late.h"
#include "plugin/frame/frame_link.h"
#include "plugin/frame/frame_record.h"
#include "plugin/frame/frame_slot.h"
#include "plugin/frame/frame_watch.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/struct_bytes.h"
#include "frame_cost.h"
#include "frame_settings.h"
#include "plugin/context/settings_take.h"
#include "vulkan/vk_check.h"

#include <stdlib.h>

#define DEFAULT_FRAMES_IN_FLIGHT 3

STRUCT_ENDS_WITH(struct fovea_vk_desc, pipeline_cache);

static enum fovea_result check_desc(const struct fovea_vk_desc *desc)
{
    if (!struct_bytes_are_0(desc->reserved, sizeof desc->reserved)) {
        log_error(desc->log, "fovea_vk_create: reserved is not 0");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!desc->instance || !desc->physical_device || !desc->device || !desc->queue ||
        !desc->get_instance_proc_addr) {
        log_error(desc->log, "fovea_vk_create: instance, physical_device, device, queue and "
                             "get_instance_proc_addr are required");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (desc->device_extension_count > 0 && !desc->device_extensions) {
        log_error(desc->log, "fovea_vk_create: device_extensions is NULL");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (desc->frames_in_flight < 1 || desc->frames_in_flight > FRAME_MAX_IN_FLIGHT) {
        log_error(desc->log, "fovea_vk_create: frames_in_flight is %u; it must be 1 to %d",
                  desc->frames_in_flight, FRAME_MAX_IN_FLIGHT);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

static enum fovea_result make_slot(struct fovea_vk *fovea, struct frame_slot *slot)
{
    struct vk_device *device = &fovea->device;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                    .queueFamilyIndex = device->queue_family};
    VK_TRY(fovea->log,
           device->vk.CreateCommandPool(device->handle, &pool, device->allocator, &slot->pool));
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = slot->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 3};
    VK_TRY(fovea->log,
           device->vk.AllocateCommandBuffers(device->handle, &commands, slot->commands));
    FOVEA_TRY(frame_keep_init(fovea, slot));
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK_TRY(fovea->log,
           device->vk.CreateFence(device->handle, &fence, device->allocator, &slot->fence));
    for (uint32_t i = 0; i < FOVEA_VK_MAX_VIEWS; i++) {
        for (uint32_t step = 0; step < OPERATOR_MAX_STEPS; step++) {
            FOVEA_TRY(vk_compute_allocate_set(&fovea->compute, device, &slot->sets[i][step]));
        }
    }
    FOVEA_TRY(vk_compute_allocate_set(&fovea->compute, device, &slot->copy_in_set));
    FOVEA_TRY(vk_compute_allocate_set(&fovea->compute, device, &slot->copy_out_set));
    return FOVEA_OK;
}

static enum fovea_result make_queries(struct fovea_vk *fovea)
{
    struct vk_device *device = &fovea->device;
    if (device->timestamp_bits == 0) {
        return FOVEA_OK;
    }
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                  .queryCount = 2 * fovea->slot_count};
    VK_TRY(fovea->log,
           device->vk.CreateQueryPool(device->handle, &info, device->allocator, &fovea->queries));
    return vk_buffer_init_shared(&fovea->ticks, device,
                                 2 * sizeof(uint64_t) * (VkDeviceSize)fovea->slot_count,
                                 VK_BUFFER_READ_BY_HOST);
}

static enum fovea_result make_frames(struct fovea_vk *fovea)
{
    FOVEA_TRY(vk_compute_init(&fovea->compute, &fovea->device,
                              fovea->slot_count * FOVEA_VK_MAX_VIEWS * OPERATOR_MAX_STEPS));
    FOVEA_TRY(vk_buffer_init_mapped(&fovea->text, &fovea->device,
                                    (VkDeviceSize)fovea->slot_count * sizeof(struct operator_hud)));
    FOVEA_TRY(make_queries(fovea));
    FOVEA_TRY(frame_late_init(fovea));
    FOVEA_TRY(frame_depth_init(fovea));
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        FOVEA_TRY(make_slot(fovea, &fovea->slots[i]));
    }
    return FOVEA_OK;
}

/* auto goes on without a peer that cannot be linked; a backend that was asked for does not. */
static enum fovea_result link_peer(struct fovea_vk *fovea)
{
    if (!fovea->peer) {
        return FOVEA_OK;
    }
    enum fovea_result result = frame_link_init(fovea);
    if (result == FOVEA_OK || fovea->settings.backend != FOVEA_BACKEND_AUTO) {
        return result;
    }
    frame_peer_drop(fovea);
    snprintf(fovea->reason, sizeof fovea->reason, "no cuda: semaphores cannot be shared");
    return FOVEA_OK;
}

static enum fovea_result by_settings(struct fovea_vk *fovea, void *user)
{
    (void)user;
    return frame_choose_backend(fovea);
}

static enum fovea_result build(struct fovea_vk *fovea, const struct fovea_vk_desc *desc,
                               enum fovea_result (*make_peer)(struct fovea_vk *, void *),
                               void *user)
{
    struct vk_device_desc device = {.instance = desc->instance,
                                    .physical = desc->physical_device,
                                    .device = desc->device,
                                    .queue = desc->queue,
                                    .queue_family = desc->queue_family,
                                    .get_instance_proc_addr = desc->get_instance_proc_addr,
                                    .extensions = desc->device_extensions,
                                    .extension_count = desc->device_extension_count,
                                    .timeline = desc->timeline_semaphore,
                                    .allocator = desc->allocator,
                                    .pipeline_cache = desc->pipeline_cache,
                                    .log = desc->log};
    FOVEA_TRY(vk_device_init(&fovea->device, &device));
    FOVEA_TRY(make_frames(fovea));
    FOVEA_TRY(make_peer(fovea, user));
    FOVEA_TRY(link_peer(fovea));
    const bool by_events = fovea->peer && fovea->peer->api->imports_handles;
    fovea->timed_every = by_events ? FRAME_TIMED_EVERY : 1;
    frame_cost_choose(fovea);
    if (fovea->peer) {
        FOVEA_TRY(frame_watchdog_start(fovea));
    }
    frame_late_meet_peer(fovea);
    log_info(fovea->log, "backend %s on %s (%s)", fovea_backend_name(fovea->backend),
             fovea->device.properties.deviceName, fovea->reason);
    return FOVEA_OK;
}

static enum fovea_result create(const struct fovea_vk_desc *desc,
                                enum fovea_result (*make_peer)(struct fovea_vk *, void *),
                                void *user, struct fovea_vk **out_fovea)
{
    if (!ending_expect((unsigned)FOVEA_BACKEND_VULKAN)) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    struct fovea_vk *fovea = calloc(1, sizeof *fovea);
    FOVEA_TRY_MEMORY(fovea);
    fovea->log = desc->log;
    fovea->process = getpid();
    fovea->settings = desc->settings ? *desc->settings : *config_settings_standard();
    fovea->slot_count = desc->frames_in_flight + 1;
    enum fovea_result result = settings_take(&fovea->settings, &fovea->kept, fovea->log);
    if (result == FOVEA_OK) {
        result = build(fovea, desc, make_peer ? make_peer : by_settings, user);
    }
    if (result == FOVEA_OK) {
        result =
            frame_journal_open(fovea, desc->settings ? desc->settings : config_settings_standard());
    }
    if (result < 0) {
        fovea_vk_destroy(&fovea);
        return result;
    }
    *out_fovea = fovea;
    return FOVEA_OK;
}

enum fovea_result frame_create(const struct fovea_vk_desc *desc,
                               enum fovea_result (*make_peer)(struct fovea_vk *, void *),
                               void *user, struct fovea_vk **out_fovea)
{
    if (out_fovea) {
        *out_fovea = NULL;
    }
    struct fovea_vk_desc taken;
    if (!desc || !out_fovea || !struct_take(&taken, sizeof taken, desc)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (taken.frames_in_flight == 0) {
        taken.frames_in_flight = DEFAULT_FRAMES_IN_FLIGHT;
    }
    FOVEA_TRY(check_desc(&taken));
    /* This call counts as a frame: exit() must know of what it starts before it looks what there is
     * to end. */
    if (!ending_enter_frame()) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    const enum fovea_result result = create(&taken, make_peer, user, out_fovea);
    ending_leave_frame();
    return result;
}

enum fovea_result fovea_vk_create(const struct fovea_vk_desc *desc, struct fovea_vk **out_fovea)
{
    return frame_create(desc, NULL, NULL, out_fovea);
}

static void finish_frames(struct fovea_vk *fovea)
{
    struct vk_device *device = &fovea->device;
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        device->vk.DestroyFence(device->handle, fovea->slots[i].fence, device->allocator);
        device->vk.DestroyCommandPool(device->handle, fovea->slots[i].pool, device->allocator);
        device->vk.DestroyCommandPool(device->handle, fovea->slots[i].kept_pool, device->allocator);
    }
    device->vk.DestroyQueryPool(device->handle, fovea->queries, device->allocator);
    vk_buffer_finish(&fovea->ticks, device);
    vk_buffer_finish(&fovea->text, device);
    frame_late_finish(fovea);
    frame_watch_finish(fovea);
    frame_depth_finish(fovea);
    vk_compute_finish(&fovea->compute, device);
}

/* After a lost device a job may wait for what never comes, and where waits fail so do a job's. */
static void drain_peer(struct fovea_vk *fovea, bool waits_fail)
{
    if (!fovea->peer) {
        return;
    }
    if (fovea->device_lost || waits_fail) {
        fovea->peer->api->abandon(fovea->peer);
    }
    fovea->peer->api->drain(fovea->peer);
}

/* Drivers may be gone, or frames may still use it: all is left to the end of the process, where a
 * checker of leaks finds it. */
static void leave_to_the_end(struct fovea_vk *fovea)
{
    static struct fovea_vk *_Atomic last_left;
    fovea->left_before = atomic_load(&last_left);
    while (!atomic_compare_exchange_weak(&last_left, &fovea->left_before, fovea)) {
    }
}

static void destroy(struct fovea_vk *old)
{
    /* Nothing was made before the functions were there. */
    if (old->device.vk.WaitForFences) {
        const bool over = frame_wait(old, old->frame);
        frame_watchdog_stop(old);
        drain_peer(old, !over);
        frame_journal_close(old);
        if (!over) {
            log_error(old->log, "fovea_vk_destroy: its frames may be on the queue; all that they "
                                "use stays until the process ends");
            leave_to_the_end(old);
            return;
        }
        frame_link_finish(old);
        frame_images_finish(old);
        frame_plans_finish(old);
        frame_pass_scratch_finish(old);
        if (old->peer) {
            old->peer->api->destroy(old->peer);
            old->peer = NULL;
        }
        finish_frames(old);
    }
    settings_kept_finish(&old->kept);
    free(old);
}

void fovea_vk_destroy(struct fovea_vk **fovea)
{
    if (!fovea || !*fovea) {
        return;
    }
    struct fovea_vk *old = *fovea;
    *fovea = NULL;
    if (frame_is_parents(old)) {
        return; /* the parent's: neither threads nor drivers of it are there */
    }
    frame_late_leave(old);
    frame_watch_leave(old);
    if (!ending_enter()) {
        leave_to_the_end(old);
        return;
    }
    destroy(old);
    ending_leave();
}

static enum fovea_result take_settings(struct fovea_vk *fovea,
                                       const struct fovea_settings *settings, struct fovea_log log)
{
    fovea->scratch_settings = *settings;
    return settings_take(&fovea->scratch_settings, &fovea->kept, log);
}

/* Who has no memory for settings tries them again in each frame, as the layers do: it is said
 * once. */
static enum fovea_result take_settings_again(struct fovea_vk *fovea,
                                             const struct fovea_settings *settings)
{
    const struct fovea_log silent = {0};
    enum fovea_result result = fovea->lack_said ? take_settings(fovea, settings, silent) : FOVEA_OK;
    if (!fovea->lack_said || (result < 0 && result != FOVEA_ERROR_OUT_OF_MEMORY)) {
        result = take_settings(fovea, settings, fovea->log);
    }
    fovea->lack_said = result == FOVEA_ERROR_OUT_OF_MEMORY;
    return result;
}

enum fovea_result fovea_vk_set_settings(struct fovea_vk *fovea,
                                        const struct fovea_settings *settings)
{
    if (!fovea || !settings) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (frame_is_parents(fovea)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    FOVEA_TRY(take_settings_again(fovea, settings));
    frame_settings_change(&fovea->settings, &fovea->scratch_settings);
    frame_journal_set(fovea, settings);
    fovea->hud_next_ns = 0;
    frame_ready_try_again(fovea);
    fovea->described = false;
    fovea->plan_refused = false;
    fovea->refusal_count = 0;
    return FOVEA_OK;
}
