/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "frames.h"

#include <time.h>

double frames_thread_cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool init_slot(struct frames *frames, struct frames_slot *slot)
{
    VkDevice device = frames->gpu->device;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                    .queueFamilyIndex = frames->gpu->family};
    VK_TRY(vkCreateCommandPool(device, &pool, NULL, &slot->pool));
    VkCommandBufferAllocateInfo buffers = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = slot->pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    VK_TRY(vkAllocateCommandBuffers(device, &buffers, &slot->draw));
    VK_TRY(vkAllocateCommandBuffers(device, &buffers, &slot->finish));
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK_TRY(vkCreateFence(device, &fence, NULL, &slot->fence));
    return true;
}

bool frames_init(struct frames *frames)
{
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        if (!init_slot(frames, &frames->slots[i])) {
            return false;
        }
    }
    return true;
}

void frames_finish(struct frames *frames)
{
    for (uint32_t i = 0; frames->gpu && i < FRAMES_IN_FLIGHT; i++) {
        vkDestroyFence(frames->gpu->device, frames->slots[i].fence, NULL);
        vkDestroyCommandPool(frames->gpu->device, frames->slots[i].pool, NULL);
        frames->slots[i] = (struct frames_slot){0};
    }
}

static void deliver(struct frames *frames, struct frames_slot *slot)
{
    int64_t start_ns = fovea_time_ns();
    double start_cpu_s = frames_thread_cpu_s();
    frames->sink(frames->sink_user, &slot->picture);
    frames->sink_ns += fovea_time_ns() - start_ns;
    frames->sink_cpu_s += frames_thread_cpu_s() - start_cpu_s;
    slot->captured = false;
}

bool frames_wait(struct frames *frames, uint64_t number)
{
    struct frames_slot *slot = &frames->slots[number % FRAMES_IN_FLIGHT];
    if (!slot->pending) {
        return true;
    }
    VK_TRY(vkWaitForFences(frames->gpu->device, 1, &slot->fence, VK_TRUE, UINT64_MAX));
    slot->pending = false;
    if (slot->captured) {
        deliver(frames, slot);
    }
    return true;
}

bool frames_drain(struct frames *frames)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) {
        if (frames->slots[i].pending && frames->slots[i].picture.number < first) {
            first = frames->slots[i].picture.number;
        }
    }
    for (uint64_t i = 0; first != UINT64_MAX && i < FRAMES_IN_FLIGHT; i++) {
        if (!frames_wait(frames, first + i)) {
            return false;
        }
    }
    return true;
}

static bool begin(VkCommandBuffer commands)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK_TRY(vkBeginCommandBuffer(commands, &info));
    return true;
}

static bool draw_picture(struct frames *frames, const struct frames_request *request,
                         uint32_t slot_index, VkImageLayout *out_layout)
{
    const struct targets *targets = frames->targets;
    VkCommandBuffer commands = frames->slots[slot_index].draw;
    const struct render_target target = {targets->framebuffers[slot_index], targets->desc.extent,
                                         targets->desc.eyes};
    const struct lightfield_frame frame = {.commands = commands,
                                           .to = targets->src[slot_index].image,
                                           .number = request->number,
                                           .frames_in_flight = FRAMES_IN_FLIGHT,
                                           .gaze = request->gaze,
                                           .elapsed_s = frames->elapsed_s};
    if (frames->lightfield) {
        *out_layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
        return lightfield_record(frames->lightfield, &frame);
    }
    *out_layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    renderer_record(frames->renderer, slot_index, commands, &target, request->time_s);
    return true;
}

/* Draws, and if the frame is wanted reads back what was drawn before Fovea gets it. */
static bool draw(struct frames *frames, const struct frames_request *request, uint32_t slot_index,
                 VkImageLayout *out_layout)
{
    struct frames_slot *slot = &frames->slots[slot_index];
    const struct targets *targets = frames->targets;
    if (!begin(slot->draw) || !draw_picture(frames, request, slot_index, out_layout)) {
        return false;
    }
    if (request->capture) {
        targets_read(targets, slot->draw, targets->src[slot_index].image, *out_layout,
                     2 * slot_index);
        *out_layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
        if (!frames->lightfield) {
            targets_read_depth(targets, slot->draw, slot_index);
        }
    }
    VK_TRY(vkEndCommandBuffer(slot->draw));
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &slot->draw};
    VK_TRY(vkQueueSubmit(frames->gpu->queue, 1, &info, VK_NULL_HANDLE));
    return true;
}

/* Fovea did not take the frame: what the engine drew goes to the window as it is. */
static void record_unfoveated(const struct frames *frames, const struct frames_request *request,
                              uint32_t slot_index, VkImageLayout src_layout)
{
    VkCommandBuffer commands = frames->slots[slot_index].finish;
    VkImage src = frames->targets->src[slot_index].image;
    VkImage dst = request->surface->image.image;
    VkImageMemoryBarrier before[2] = {
        gpu_layout_change(src, src_layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
        gpu_layout_change(dst, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL)};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 2, before);
    VkImageCopy region = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .extent = {frames->targets->desc.extent.width, frames->targets->desc.extent.height, 1}};
    vkCmdCopyImage(commands, src, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    VkImageMemoryBarrier after = gpu_layout_change(dst, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                                   VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    after.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    after.dstAccessMask = 0;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 1, &after);
}

/* The last submit of a frame carries the fence, which so covers Fovea's work as well. */
static bool finish(struct frames *frames, const struct frames_request *request, uint32_t slot_index,
                   VkImageLayout src_layout)
{
    struct frames_slot *slot = &frames->slots[slot_index];
    bool foveated = slot->picture.foveated;
    bool rescue = request->surface && !foveated;
    bool read = request->capture && foveated && !request->surface;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &slot->finish};
    if (rescue) {
        info.waitSemaphoreCount = info.signalSemaphoreCount = 1;
        info.pWaitSemaphores = &request->surface->acquired;
        info.pWaitDstStageMask = &stage;
        info.pSignalSemaphores = &request->surface->finished;
    }
    if (rescue || read) {
        if (!begin(slot->finish)) {
            return false;
        }
        if (rescue) {
            record_unfoveated(frames, request, slot_index, src_layout);
        } else {
            targets_read(frames->targets, slot->finish, frames->targets->dst[slot_index].image,
                         VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, 2 * slot_index + 1);
        }
        VK_TRY(vkEndCommandBuffer(slot->finish));
    }
    VK_TRY(vkQueueSubmit(frames->gpu->queue, rescue || read ? 1 : 0, &info, slot->fence));
    slot->pending = true;
    slot->captured = request->capture && !request->surface;
    return true;
}

static void eyes_of(const struct targets_desc *targets, struct fovea_gaze gaze,
                    struct foveation_eye out_eyes[FOVEATION_MOST_EYES])
{
    const uint32_t width_px = headset_eye_width_px(targets->extent.width, targets->eyes);
    for (uint32_t i = 0; i < targets->eyes; i++) {
        out_eyes[i].gaze = headset_gaze(gaze, i, targets->eyes, width_px, targets->extent.height);
        out_eyes[i].geometry = headset_geometry(i, width_px, targets->extent.height);
    }
}

/* A frame that goes back in time, or is the first, does not follow on the one before. */
static double elapsed_s(struct frames *frames, const struct frames_request *request)
{
    const double since_s = request->time_s - frames->last_time_s;
    frames->last_time_s = request->time_s;
    return request->number > 0 && since_s > 0.0 ? since_s : 0.0;
}

/* Makes a frame but for its eyes. */
static struct foveation_frame frame_of(struct frames *frames, const struct frames_request *request,
                                       uint32_t slot_index, VkImageLayout src_layout)
{
    struct frames_surface *surface = request->surface;
    return (struct foveation_frame){
        .src = &frames->targets->src[slot_index],
        .src_layout = src_layout,
        .dst = surface ? &surface->image : &frames->targets->dst[slot_index],
        .dst_layout_after =
            surface ? VK_IMAGE_LAYOUT_PRESENT_SRC_KHR : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        .wait = surface ? surface->acquired : VK_NULL_HANDLE,
        .signal = surface ? surface->finished : VK_NULL_HANDLE,
        .depth = {.view = frames->lightfield ? VK_NULL_HANDLE : frames->targets->depth_view,
                  .format = DEPTH_FORMAT,
                  .layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                  .near_m = NEAR_M,
                  .elapsed_s = frames->elapsed_s},
        .gaze = request->gaze,
        .vergence_m = request->vergence_m,
        .hud = request->hud};
}

static void add_eyes(const struct frames *frames, struct foveation_frame *frame,
                     struct foveation_eye eyes[FOVEATION_MOST_EYES])
{
    if (frames->targets->desc.eyes > 1) {
        eyes_of(&frames->targets->desc, frame->gaze, eyes);
        frame->eyes = eyes;
        frame->eye_count = frames->targets->desc.eyes;
    }
}

static enum foveation_outcome foveate(struct frames *frames, const struct frames_request *request,
                                      uint32_t slot_index, VkImageLayout src_layout)
{
    struct foveation_eye eyes[FOVEATION_MOST_EYES];
    struct foveation_frame frame = frame_of(frames, request, slot_index, src_layout);
    add_eyes(frames, &frame, eyes);
    return foveation_run(frames->foveation, &frame);
}

void frames_prepare(struct frames *frames)
{
    const struct targets *targets = frames->targets;
    struct frames_surface shown = {
        .image = {.format = targets->format, .extent = targets->desc.extent}};
    const struct frames_request request = {.surface = targets->desc.own_dst ? NULL : &shown};
    struct foveation_eye eyes[FOVEATION_MOST_EYES];
    struct foveation_frame frame =
        frame_of(frames, &request, 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    add_eyes(frames, &frame, eyes);
    foveation_prepare(frames->foveation, &frame);
}

bool frames_run(struct frames *frames, const struct frames_request *request)
{
    uint32_t slot_index = (uint32_t)(request->number % FRAMES_IN_FLIGHT);
    struct frames_slot *slot = &frames->slots[slot_index];
    VkImageLayout src_layout;
    if (!frames_wait(frames, request->number) ||
        !foveation_acquire(&frames->targets->src[slot_index])) {
        return false;
    }
    VK_TRY(vkResetCommandPool(frames->gpu->device, slot->pool, 0));
    VK_TRY(vkResetFences(frames->gpu->device, 1, &slot->fence));
    frames->elapsed_s = elapsed_s(frames, request);
    if (!draw(frames, request, slot_index, &src_layout)) {
        return false;
    }
    const enum foveation_outcome outcome = foveate(frames, request, slot_index, src_layout);
    if (outcome == FOVEATION_LOST) {
        return false; /* the surface is not ours to wait for, and there is nothing to show */
    }
    const bool foveated = outcome == FOVEATION_DONE;
    slot->picture = (struct frames_picture){
        .number = request->number,
        .gaze = request->gaze,
        .foveated = foveated,
        .drawn = targets_picture(frames->targets, 2 * slot_index),
        .depth = frames->lightfield ? NULL : targets_depth(frames->targets, slot_index),
        .shown = targets_picture(frames->targets, 2 * slot_index + (foveated ? 1 : 0))};
    return finish(frames, request, slot_index, src_layout);
}
