/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_link.h"
#include "frame_record.h"
#include "frame_watch.h"

#include "core/log.h"
#include "vulkan/vk_check.h"

struct batch {
    VkCommandBuffer commands;
    VkSemaphore waits[FOVEA_VK_MAX_SEMAPHORES + 1];
    uint64_t wait_values[FOVEA_VK_MAX_SEMAPHORES + 1];
    uint32_t wait_count;
    VkSemaphore signals[FOVEA_VK_MAX_SEMAPHORES + 1];
    uint64_t signal_values[FOVEA_VK_MAX_SEMAPHORES + 1];
    uint32_t signal_count;
};

static void add_wait(struct batch *batch, VkSemaphore semaphore, uint64_t value)
{
    batch->waits[batch->wait_count] = semaphore;
    batch->wait_values[batch->wait_count++] = value;
}

static void add_signal(struct batch *batch, VkSemaphore semaphore, uint64_t value)
{
    batch->signals[batch->signal_count] = semaphore;
    batch->signal_values[batch->signal_count++] = value;
}

static void add_engines_waits(struct batch *batch, const struct fovea_vk_frame *desc)
{
    for (uint32_t i = 0; i < desc->wait_count; i++) {
        add_wait(batch, desc->waits[i].semaphore, desc->waits[i].value);
    }
}

static void add_engines_signals(struct batch *batch, const struct fovea_vk_frame *desc)
{
    for (uint32_t i = 0; i < desc->signal_count; i++) {
        add_signal(batch, desc->signals[i].semaphore, desc->signals[i].value);
    }
}

static enum fovea_result begin(struct fovea_vk *fovea, const struct frame_work *work, int which)
{
    struct frame_slot *slot = work->slot;
    const struct vk_device *device = &fovea->device;
    if (!slot->pool_reset) {
        VK_TRY(fovea->log, device->vk.ResetCommandPool(device->handle, slot->pool, 0));
        slot->pool_reset = true;
    }
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK_TRY(fovea->log, device->vk.BeginCommandBuffer(slot->commands[which], &info));
    return FOVEA_OK;
}

/* An engine that has timelines may have forgotten to say so (fovea_vk_desc.timeline_semaphore), and
 * a value of 0 may be a timeline's as well as a binary semaphore's, for which it does not count. */
static bool may_have_timelines(const struct vk_device *device, const struct batch *batch)
{
    return device->vk.GetSemaphoreCounterValue && batch->wait_count + batch->signal_count > 0;
}

static enum fovea_result submit(struct fovea_vk *fovea, const struct batch *batch, VkFence fence)
{
    static const VkPipelineStageFlags stages[] = {
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    _Static_assert(sizeof stages / sizeof stages[0] == FOVEA_VK_MAX_SEMAPHORES + 1,
                   "a stage for each wait");
    struct vk_device *device = &fovea->device;
    VkTimelineSemaphoreSubmitInfo values = {.sType =
                                                VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = batch->wait_count,
                                            .pWaitSemaphoreValues = batch->wait_values,
                                            .signalSemaphoreValueCount = batch->signal_count,
                                            .pSignalSemaphoreValues = batch->signal_values};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = may_have_timelines(device, batch) ? &values : NULL,
                         .waitSemaphoreCount = batch->wait_count,
                         .pWaitSemaphores = batch->wait_count ? batch->waits : NULL,
                         .pWaitDstStageMask = stages,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &batch->commands,
                         .signalSemaphoreCount = batch->signal_count,
                         .pSignalSemaphores = batch->signal_count ? batch->signals : NULL};
    VK_TRY(fovea->log, device->vk.QueueSubmit(device->queue, 1, &info, fence));
    return FOVEA_OK;
}

static enum fovea_result end_and_submit(struct fovea_vk *fovea, const struct batch *batch,
                                        VkFence fence)
{
    VK_TRY(fovea->log, fovea->device.vk.EndCommandBuffer(batch->commands));
    return submit(fovea, batch, fence);
}

void frame_record_alone(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands, bool foveate)
{
    if (foveate) {
        if (fovea->queries) {
            fovea->device.vk.CmdResetQueryPool(commands, fovea->queries, 2 * work->slot_index, 2);
        }
        frame_record_open(fovea, work, commands);
        frame_watch_record(fovea, work, commands);
        frame_record_foveate(fovea, work, commands);
        frame_record_plain(fovea, work, commands, FRAME_PLAIN_VIEWS);
        frame_overlay_record(fovea, work, commands);
        frame_record_close(fovea, work, commands);
    } else {
        frame_record_pass(fovea, work, commands);
    }
}

enum fovea_result frame_submit_alone(struct fovea_vk *fovea, const struct frame_work *work,
                                     bool foveate)
{
    FOVEA_TRY(begin(fovea, work, 0));
    VkCommandBuffer commands = work->slot->commands[0];
    frame_record_alone(fovea, work, commands, foveate);
    struct batch batch = {.commands = commands};
    add_engines_waits(&batch, work->desc);
    add_engines_signals(&batch, work->desc);
    return end_and_submit(fovea, &batch, work->slot->fence);
}

static enum fovea_result submit_to_peer(struct fovea_vk *fovea, const struct frame_work *work,
                                        VkCommandBuffer commands)
{
    struct batch batch = {.commands = commands};
    add_engines_waits(&batch, work->desc);
    if (fovea->link.timeline) {
        add_signal(&batch, fovea->link.semaphore, fovea->link.value + 1);
    } else {
        add_signal(&batch, work->slot->to_peer, 0);
    }
    VkFence taken = work->slot->taken;
    if (taken) {
        VK_TRY(fovea->log, fovea->device.vk.ResetFences(fovea->device.handle, 1, &taken));
    }
    return submit(fovea, &batch, taken);
}

static enum fovea_result record_to_peer(struct fovea_vk *fovea, const struct frame_work *work)
{
    VkCommandBuffer commands = work->slot->commands[0];
    FOVEA_TRY(begin(fovea, work, 0));
    frame_record_open(fovea, work, commands);
    frame_watch_record(fovea, work, commands);
    frame_record_to_peer(fovea, work, commands);
    VK_TRY(fovea->log, fovea->device.vk.EndCommandBuffer(commands));
    return FOVEA_OK;
}

static enum fovea_result record_from_peer(struct fovea_vk *fovea, const struct frame_work *work,
                                          bool answered)
{
    int which = answered ? 1 : 2;
    VkCommandBuffer commands = work->slot->commands[which];
    FOVEA_TRY(begin(fovea, work, which));
    frame_record_from_peer(fovea, work, commands);
    frame_record_plain(fovea, work, commands, answered ? FRAME_PLAIN_VIEWS : FRAME_ALL_VIEWS);
    if (answered) {
        frame_overlay_record(fovea, work, commands);
    }
    frame_record_close(fovea, work, commands);
    VK_TRY(fovea->log, fovea->device.vk.EndCommandBuffer(commands));
    return FOVEA_OK;
}

/* Finds the commands before the peer's job and those after it. */
static enum fovea_result find_commands(struct fovea_vk *fovea, const struct frame_work *work,
                                       VkCommandBuffer out_commands[2])
{
    if (frame_keep_takes(work)) {
        return frame_keep_find(fovea, work, out_commands);
    }
    out_commands[0] = work->slot->commands[0];
    out_commands[1] = work->slot->commands[1];
    FOVEA_TRY(record_to_peer(fovea, work));
    return record_from_peer(fovea, work, true);
}

/* The queue waits for a peer that has part of a job too: until that is over nobody may write to its
 * images. Where it cannot say when, the watchdog does, after its patience, if there is one. */
static bool waits_for_peer(const struct fovea_vk *fovea, enum peer_answer answer)
{
    return answer == PEER_SIGNALS || (answer == PEER_MAY_RUN && fovea->watchdog.sees_jobs);
}

/* A peer that is still: batch B stands in for it, so that the values of the link go on. A binary
 * semaphore is left as it is: the peer may have taken the wait in, and a closed peer's semaphores
 * are not used again. In the place of a lost peer the watchdog signals. */
static enum fovea_result submit_from_peer(struct fovea_vk *fovea, const struct frame_work *work,
                                          enum peer_answer answer, VkCommandBuffer commands)
{
    struct batch batch = {.commands = commands};
    uint64_t value = fovea->link.value + 2;
    if (waits_for_peer(fovea, answer)) {
        add_wait(&batch, fovea->link.timeline ? fovea->link.semaphore : work->slot->from_peer,
                 value);
    } else if (fovea->link.timeline && !atomic_load(&fovea->peer_lost)) {
        add_signal(&batch, fovea->link.semaphore, value);
    }
    add_engines_signals(&batch, work->desc);
    return submit(fovea, &batch, work->slot->fence);
}

/* The first batch is on the queue. The engine's image goes as it is where the job was not taken
 * (commands is NULL). A submit that has found no memory has changed nothing and is tried once more,
 * for there is no way back. */
static enum fovea_result finish(struct fovea_vk *fovea, const struct frame_work *work,
                                enum peer_answer answer, VkCommandBuffer commands)
{
    if (!commands) {
        FOVEA_TRY(record_from_peer(fovea, work, false));
        commands = work->slot->commands[2];
    }
    const enum fovea_result result = submit_from_peer(fovea, work, answer, commands);
    return result == FOVEA_ERROR_OUT_OF_MEMORY ? submit_from_peer(fovea, work, answer, commands)
                                               : result;
}

/* The engine's waits are consumed and nothing will signal: that is said before all else, because
 * whoever waits for them again on a device that is lost for this one call waits for ever. */
static enum fovea_result lose(struct fovea_vk *fovea, const struct frame_work *work, bool answered,
                              enum fovea_result result)
{
    fovea->device_lost = fovea->device_lost || result == FOVEA_ERROR_DEVICE_LOST;
    log_error(fovea->log, "frame: given up half way; the context takes no more");
    fovea->half = (struct frame_half){
        .lost = true, .pending = true, .answered = answered, .slot = work->slot};
    if (work->dst.made) {
        work->dst.made->layout = VK_IMAGE_LAYOUT_UNDEFINED;
    }
    if (!answered && !atomic_load(&fovea->peer_lost)) {
        /* The link stays at the peer's turn, and nobody waits for it. In the place of a lost one
         * turns go on: frames before this one wait for them. */
        atomic_store(&fovea->watchdog.stop, true);
    }
    return FOVEA_ERROR_FRAME_LOST;
}

enum fovea_result frame_submit_with_peer(struct fovea_vk *fovea, const struct frame_work *work)
{
    VkCommandBuffer commands[2];
    FOVEA_TRY(find_commands(fovea, work, commands));
    FOVEA_TRY(submit_to_peer(fovea, work, commands[0]));
    work->slot->by_peer = true;
    work->slot->timed = fovea->frame % fovea->timed_every == 0;
    enum peer_answer answer = PEER_IS_STILL;
    const enum fovea_result result = frame_link_enqueue(fovea, work, &answer);
    const bool taken = result == FOVEA_OK;
    if (!taken) {
        frame_peer_fail(fovea, result, FRAME_PEER_FAILED);
    }
    const enum fovea_result finished = finish(fovea, work, answer, taken ? commands[1] : NULL);
    if (finished < 0) {
        return lose(fovea, work, answer == PEER_SIGNALS, finished);
    }
    fovea->link.value += 2;
    work->slot->timed = work->slot->timed && taken;
    return taken ? FOVEA_OK : FOVEA_PASSED_THROUGH;
}
