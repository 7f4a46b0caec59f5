/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

#include "core/log.h"
#include "vk_check.h"

#include <math.h>

/* After a frame that found no memory: how long not to try again. */
#define RETRY_NS 1000000000

/* ---- Slots ---- */

static bool slot_retired(struct fovea_vk *fovea, struct frame_slot *slot)
{
    struct vk_device *device = &fovea->device;
    if (slot->pending && device->vk.GetFenceStatus(device->handle, slot->fence) != VK_NOT_READY) {
        slot->pending = false;
        frame_stats_collect(fovea, slot);
    }
    return !slot->pending;
}

bool frame_retired(struct fovea_vk *fovea, uint64_t frame)
{
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        struct frame_slot *slot = &fovea->slots[i];
        if (slot->frame == frame && !slot_retired(fovea, slot)) {
            return false;
        }
    }
    return true;
}

void frame_wait(struct fovea_vk *fovea, uint64_t frame)
{
    struct vk_device *device = &fovea->device;
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        struct frame_slot *slot = &fovea->slots[i];
        if (!slot->pending || slot->frame > frame) {
            continue;
        }
        VkResult result =
            device->vk.WaitForFences(device->handle, 1, &slot->fence, VK_TRUE, UINT64_MAX);
        (void)vk_checked(fovea->log, result, "vkWaitForFences", __FILE__, __LINE__);
        slot->pending = false;
        frame_stats_collect(fovea, slot);
    }
}

static enum fovea_result take_slot(struct fovea_vk *fovea, struct frame_work *work)
{
    struct vk_device *device = &fovea->device;
    uint32_t index = (uint32_t)((fovea->frame + 1) % fovea->slot_count);
    struct frame_slot *slot = &fovea->slots[index];
    if (!slot_retired(fovea, slot)) {
        return FOVEA_NOT_READY;
    }
    VK_TRY(fovea->log, device->vk.ResetCommandPool(device->handle, slot->pool, 0));
    VK_TRY(fovea->log, device->vk.ResetFences(device->handle, 1, &slot->fence));
    slot->timed = false;
    work->slot = slot;
    work->slot_index = index;
    return FOVEA_OK;
}

/* ---- What a frame needs ---- */

void frame_trouble_is(struct fovea_vk *fovea, enum frame_trouble trouble)
{
    static const char *const words[] = {
        [FRAME_FINE] = "frames are foveated again",
        [FRAME_NO_GAZE] = "no usable gaze; frames pass through",
        [FRAME_PEER_FAILED] = "a frame was passed through; the vulkan backend takes over",
        [FRAME_NO_MEMORY] = "not enough memory to foveate; frames pass through",
    };
    if (trouble != fovea->trouble) {
        log_write(fovea->log, trouble == FRAME_FINE ? FOVEA_LOG_INFO : FOVEA_LOG_WARNING,
                  "frame: %s", words[trouble]);
        fovea->trouble = trouble;
    }
}

static void notice_lost_peer(struct fovea_vk *fovea)
{
    if (fovea->peer && !fovea->peer_lost_noticed && atomic_load(&fovea->peer_lost)) {
        fovea->peer_lost_noticed = true;
        snprintf(fovea->reason, sizeof fovea->reason, "%s stopped answering",
                 fovea->peer->api->name);
    }
}

static bool peer_usable(const struct fovea_vk *fovea)
{
    return fovea->peer && !fovea->peer_closed && !atomic_load(&fovea->peer_lost);
}

static bool gaze_usable(const struct fovea_gaze *gaze)
{
    return gaze->usable && isfinite(gaze->point.x_uv) && isfinite(gaze->point.y_uv);
}

/* Kernels work on an image of Fovea's own where it lies, if the peer knows it. */
static bool direct(const struct frame_work *work, const struct frame_end *end)
{
    return end->made && (!work->use_peer || end->made->shared.peer);
}

static enum fovea_result find_images(struct fovea_vk *fovea, struct frame_work *work)
{
    work->copy_in = !direct(work, &work->src);
    work->copy_out = !direct(work, &work->dst) || work->in_place;
    if (!work->copy_in) {
        work->read = &work->src.made->shared;
    }
    if (!work->copy_out) {
        work->write = &work->dst.made->shared;
    }
    if (work->copy_in || work->copy_out) {
        struct frame_scratch *scratch = NULL;
        FOVEA_TRY(frame_scratch_find(fovea, work->src.format, work->src.width_px,
                                     work->src.height_px, &scratch));
        if (!scratch) {
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        scratch->last_frame = fovea->frame + 1;
        work->read = work->copy_in ? &scratch->src : work->read;
        work->write = work->copy_out ? &scratch->dst : work->write;
    }
    return FOVEA_OK;
}

struct vk_compute_kind frame_compute_kind(const struct frame_work *work, enum shader_operator which)
{
    enum fovea_format format = work->src.format->pixel;
    bool unorm = format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_A2B10G10R10;
    bool averages = which != SHADER_OVERLAY && which != SHADER_SMOOTH_DECIMATE;
    return (struct vk_compute_kind){
        .which = which, .format = format, .light = unorm && averages && work->constants.light};
}

static enum fovea_result find_pipelines(struct fovea_vk *fovea, const struct frame_work *work)
{
    bool smooth = work->plan->plan->smooth;
    for (int which = 0; which < SHADER_COUNT; which++) {
        bool wanted = which == SHADER_OVERLAY
                          ? work->overlay
                          : !work->use_peer && (which != SHADER_FOVEATE) == smooth;
        if (wanted) {
            FOVEA_TRY(vk_compute_prepare(&fovea->compute, &fovea->device,
                                         frame_compute_kind(work, (enum shader_operator)which)));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result gather(struct fovea_vk *fovea, struct frame_work *work)
{
    FOVEA_TRY(frame_plan_find(fovea, work->src.width_px, work->src.height_px, &work->plan));
    if (!work->plan) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    work->plan->last_frame = fovea->frame + 1;
    work->use_peer = peer_usable(fovea);
    if (work->use_peer && fovea->peer_plan != work->plan->plan) {
        FOVEA_TRY(fovea->peer->api->set_plan(fovea->peer, work->plan->plan));
        fovea->peer_plan = work->plan->plan;
    }
    work->overlay = frame_overlay_wanted(&fovea->settings.overlay);
    work->constants = foveate_frame_make(work->plan->plan, work->desc->gaze.point);
    FOVEA_TRY(find_images(fovea, work));
    FOVEA_TRY(find_pipelines(fovea, work));
    if (!work->use_peer) {
        FOVEA_TRY(frame_plan_make_levels(fovea, work->plan));
    }
    return FOVEA_OK;
}

static void write_set(struct fovea_vk *fovea, const struct frame_work *work)
{
    const struct frame_plan *plan = work->plan;
    /* Every binding must be something, also where only the overlay runs. */
    VkBuffer values = plan->values.handle ? plan->values.handle : plan->tables.handle;
    struct vk_compute_bindings bindings = {.source = work->read->image.raw_view,
                                           .result = work->write->image.raw_view,
                                           .tables = plan->tables.handle,
                                           .values = values,
                                           .text = fovea->text.handle,
                                           .text_offset = work->slot_index * OVERLAY_TEXT_BYTES,
                                           .text_bytes = OVERLAY_TEXT_BYTES};
    vk_compute_write_set(&fovea->device, work->slot->set, &bindings);
}

/* It gets no more jobs; those that it has go on. */
static void close_peer(struct fovea_vk *fovea)
{
    fovea->peer_closed = true;
    snprintf(fovea->reason, sizeof fovea->reason, "%s refused a frame", fovea->peer->api->name);
    frame_trouble_is(fovea, FRAME_PEER_FAILED);
}

/* False: this frame passes through. */
static bool ready_to_foveate(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns)
{
    if (!gaze_usable(&work->desc->gaze)) {
        frame_trouble_is(fovea, FRAME_NO_GAZE);
        return false;
    }
    if (now_ns < fovea->retry_ns) {
        return false;
    }
    enum fovea_result result = gather(fovea, work);
    if (result < 0 && result != FOVEA_ERROR_OUT_OF_MEMORY && work->use_peer) {
        close_peer(fovea);
        result = gather(fovea, work);
    }
    if (result < 0) {
        frame_trouble_is(fovea, FRAME_NO_MEMORY);
        fovea->retry_ns = now_ns + RETRY_NS;
        return false;
    }
    if (!work->use_peer || work->overlay) {
        write_set(fovea, work);
    }
    return true;
}

/* ---- Batches ---- */

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
    VkCommandBuffer commands = work->slot->commands[which];
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK_TRY(fovea->log, fovea->device.vk.BeginCommandBuffer(commands, &info));
    return FOVEA_OK;
}

static enum fovea_result submit(struct fovea_vk *fovea, const struct batch *batch, VkFence fence)
{
    static const VkPipelineStageFlags stages[FOVEA_VK_MAX_SEMAPHORES + 1] = {
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    struct vk_device *device = &fovea->device;
    VkTimelineSemaphoreSubmitInfo values = {.sType =
                                                VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = batch->wait_count,
                                            .pWaitSemaphoreValues = batch->wait_values,
                                            .signalSemaphoreValueCount = batch->signal_count,
                                            .pSignalSemaphoreValues = batch->signal_values};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = device->timeline ? &values : NULL,
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

/* A frame of one batch: the vulkan backend, or nothing but a copy. */
static enum fovea_result run_alone(struct fovea_vk *fovea, const struct frame_work *work,
                                   bool foveate)
{
    FOVEA_TRY(begin(fovea, work, 0));
    VkCommandBuffer commands = work->slot->commands[0];
    if (foveate) {
        if (fovea->queries) {
            fovea->device.vk.CmdResetQueryPool(commands, fovea->queries, 2 * work->slot_index, 2);
        }
        frame_record_open(fovea, work, commands);
        frame_record_foveate(fovea, work, commands);
        frame_overlay_record(fovea, work, commands);
        frame_record_close(fovea, work, commands);
    } else {
        frame_record_pass(fovea, work, commands);
    }
    struct batch batch = {.commands = commands};
    add_engines_waits(&batch, work->desc);
    add_engines_signals(&batch, work->desc);
    return end_and_submit(fovea, &batch, work->slot->fence);
}

static enum fovea_result submit_to_peer(struct fovea_vk *fovea, const struct frame_work *work)
{
    FOVEA_TRY(begin(fovea, work, 0));
    struct batch batch = {.commands = work->slot->commands[0]};
    frame_record_open(fovea, work, batch.commands);
    frame_record_to_peer(fovea, work, batch.commands);
    add_engines_waits(&batch, work->desc);
    if (fovea->link.timeline) {
        add_signal(&batch, fovea->link.semaphore, fovea->link.value + 1);
    } else {
        add_signal(&batch, work->slot->to_peer, 0);
    }
    return end_and_submit(fovea, &batch, VK_NULL_HANDLE);
}

static enum fovea_result record_from_peer(struct fovea_vk *fovea, const struct frame_work *work,
                                          bool answered)
{
    int which = answered ? 1 : 2;
    VkCommandBuffer commands = work->slot->commands[which];
    FOVEA_TRY(begin(fovea, work, which));
    frame_record_from_peer(fovea, work, commands);
    if (answered) {
        frame_overlay_record(fovea, work, commands);
    } else {
        frame_record_plain(fovea, work, commands);
    }
    frame_record_close(fovea, work, commands);
    VK_TRY(fovea->log, fovea->device.vk.EndCommandBuffer(commands));
    return FOVEA_OK;
}

/* The peer did not take the frame (answered false): batch B stands in for it, so that the values of
 * the link go on. A binary semaphore is left as it is: the peer may have taken the wait in, and a
 * closed peer's semaphores are not used again. */
static enum fovea_result submit_from_peer(struct fovea_vk *fovea, const struct frame_work *work,
                                          bool answered)
{
    struct batch batch = {.commands = work->slot->commands[answered ? 1 : 2]};
    uint64_t value = fovea->link.value + 2;
    if (answered) {
        add_wait(&batch, fovea->link.timeline ? fovea->link.semaphore : work->slot->from_peer,
                 value);
    } else if (fovea->link.timeline) {
        add_signal(&batch, fovea->link.semaphore, value);
    }
    add_engines_signals(&batch, work->desc);
    return submit(fovea, &batch, work->slot->fence);
}

static enum fovea_result run_with_peer(struct fovea_vk *fovea, const struct frame_work *work)
{
    FOVEA_TRY(record_from_peer(fovea, work, true));
    FOVEA_TRY(submit_to_peer(fovea, work));
    bool answered = frame_link_enqueue(fovea, work) == FOVEA_OK;
    if (!answered) {
        close_peer(fovea);
    }
    if ((!answered && record_from_peer(fovea, work, false) < 0) ||
        submit_from_peer(fovea, work, answered) < 0) {
        /* The engine's waits are consumed and nothing will signal: no way back. */
        return FOVEA_ERROR_DEVICE_LOST;
    }
    fovea->link.value += 2;
    work->slot->timed = answered;
    work->slot->timed_by_peer = true;
    return answered ? FOVEA_OK : FOVEA_PASSED_THROUGH;
}

/* ---- The frame ---- */

static void hand_over(struct fovea_vk *fovea, struct frame_work *work, enum fovea_result result)
{
    fovea->frame++;
    work->slot->frame = fovea->frame;
    work->slot->pending = true;
    struct fovea_vk_image *src = work->src.made;
    struct fovea_vk_image *dst = work->dst.made;
    if (src) {
        src->holder = FRAME_HELD_BY_FOVEA;
        src->layout = work->src.layout_after;
        src->last_frame = fovea->frame;
    }
    if (dst) {
        dst->holder = FRAME_HELD_BY_ENGINE;
        dst->layout = work->dst.layout_after;
        dst->last_frame = fovea->frame;
    }
    if (result == FOVEA_OK) {
        fovea->foveated++;
    } else {
        fovea->passed_through++;
    }
}

/* What was recorded never ran: scratch may not be in GENERAL. */
static void forget_layouts(struct frame_work *work)
{
    if (work->read) {
        work->read->general = false;
    }
    if (work->write) {
        work->write->general = false;
    }
}

static enum fovea_result run(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns)
{
    FOVEA_TRY(frame_check(fovea, work));
    enum fovea_result result = take_slot(fovea, work);
    if (result != FOVEA_OK) {
        return result;
    }
    notice_lost_peer(fovea);
    if (!ready_to_foveate(fovea, work, now_ns)) {
        result = run_alone(fovea, work, false);
        result = result == FOVEA_OK ? FOVEA_PASSED_THROUGH : result;
    } else if (work->use_peer) {
        result = run_with_peer(fovea, work);
    } else {
        result = run_alone(fovea, work, true);
    }
    if (result >= 0) {
        hand_over(fovea, work, result);
    } else {
        forget_layouts(work);
    }
    if (result == FOVEA_OK) {
        frame_trouble_is(fovea, FRAME_FINE);
    }
    return result;
}

enum fovea_result fovea_vk_foveate(struct fovea_vk *fovea, const struct fovea_vk_frame *frame)
{
    if (!fovea || !frame) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (fovea->device_lost) {
        return FOVEA_ERROR_DEVICE_LOST;
    }
    int64_t start_ns = fovea_time_ns();
    struct frame_work work = {.desc = frame};
    enum fovea_result result = run(fovea, &work, start_ns);
    if (result == FOVEA_ERROR_DEVICE_LOST) {
        fovea->device_lost = true;
    }
    if (result == FOVEA_OK) {
        frame_times_add(&fovea->cpu_times, (double)(fovea_time_ns() - start_ns) * 1e-3);
    }
    return result;
}
