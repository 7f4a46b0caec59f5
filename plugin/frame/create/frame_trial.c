/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of the context itself, on images of its own, with the peer and without it in turns, so
 * that clocks that rise meanwhile rise for both. A round is several frames one behind the other,
 * each of which is the work before of the next; the clock is stopped when the last one has left the
 * queue. So a frame's time has in it whatever it costs: kernels, the way to a peer and back,
 * submits. */

#include "frame_cost.h"

#include "core/log.h"
#include "plugin/frame/frame_image.h"
#include "plugin/frame/frame_link.h"
#include "plugin/frame/frame_slot.h"
#include "vulkan/vk_check.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* Most programs draw this size. The way to a peer costs the same at every size and kernels do not,
 * so that smaller pictures would speak for vulkan and larger ones for the peer. */
#define WIDTH_PX 1920
#define HEIGHT_PX 1080
/* For Vulkan on a CPU, whose shaders make only a few larger pictures a second. */
#define CPU_WIDTH_PX 160
#define CPU_HEIGHT_PX 90
#define ROUNDS 12
#define ROUNDS_ALONE 3 /* the other one is out */
#define FRAMES_A_ROUND 4
#define BUDGET_NS 80000000 /* of all rounds */
/* A backend that takes so many times as long as the other one, and so much longer, needs no
 * median. */
#define CLEARLY_OUT 4
#define CLEARLY_OUT_US 5000

struct side {
    bool peer;
    bool broken; /* the peer refused a frame */
    bool out;
    struct fovea_vk_image *images[2]; /* the first is the engine's */
    double once_us; /* of a frame by itself */
    struct frame_times times; /* of a frame, a round each */
};

static uint32_t width_of(const struct fovea_vk *fovea)
{
    const bool cpu = fovea->device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    return cpu ? CPU_WIDTH_PX : WIDTH_PX;
}

static uint32_t height_of(const struct fovea_vk *fovea)
{
    return width_of(fovea) == WIDTH_PX ? HEIGHT_PX : CPU_HEIGHT_PX;
}

/* ---- Images ---- */

/* Grey, in layout GENERAL. */
static void record_paint(struct fovea_vk *fovea, VkCommandBuffer commands, VkImage image)
{
    const struct vk_functions *vk = &fovea->device.vk;
    const VkClearColorValue grey = {.float32 = {0.5f, 0.5f, 0.5f, 1.0f}};
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = all};
    vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                           VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
    vk->CmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, &grey, 1, &all);
}

/* The first slot's commands and fence do: it is before the first frame, or all are over. */
static enum fovea_result paint(struct fovea_vk *fovea, const struct side *side)
{
    const struct vk_device *device = &fovea->device;
    struct frame_slot *slot = &fovea->slots[0];
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &slot->commands[0]};
    VK_TRY(fovea->log, device->vk.ResetCommandPool(device->handle, slot->pool, 0));
    VK_TRY(fovea->log, device->vk.ResetFences(device->handle, 1, &slot->fence));
    VK_TRY(fovea->log, device->vk.BeginCommandBuffer(slot->commands[0], &begin));
    for (int i = 0; i < 2; i++) {
        record_paint(fovea, slot->commands[0], fovea_vk_image_handle(side->images[i]));
    }
    VK_TRY(fovea->log, device->vk.EndCommandBuffer(slot->commands[0]));
    VK_TRY(fovea->log, device->vk.QueueSubmit(device->queue, 1, &submit, slot->fence));
    slot->pending = true;
    return frame_wait(fovea, fovea->frame) ? FOVEA_OK : FOVEA_ERROR_INTERNAL;
}

static enum fovea_result make_images(struct fovea_vk *fovea, struct side *side)
{
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = VK_FORMAT_R8G8B8A8_UNORM,
                                             .width_px = width_of(fovea),
                                             .height_px = height_of(fovea)};
    VkImageLayout layout;
    for (int i = 0; i < 2; i++) {
        FOVEA_TRY(fovea_vk_image_create(fovea, &desc, &side->images[i]));
    }
    FOVEA_TRY(paint(fovea, side));
    return fovea_vk_image_acquire(side->images[0], &layout);
}

/* ---- Frames ---- */

/* The last dst is the next src. */
static enum fovea_result run_frame(struct fovea_vk *fovea, struct side *side)
{
    const struct fovea_vk_frame_target end = {.layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                              .layout_after = VK_IMAGE_LAYOUT_GENERAL};
    struct fovea_vk_frame frame = {.struct_bytes = sizeof frame,
                                   .src = end,
                                   .dst = end,
                                   .gaze = {.point = {0.5, 0.5}, .usable = true}};
    struct fovea_vk_image *src = side->images[0];
    struct fovea_vk_image *dst = side->images[1];
    frame.src.made = src;
    frame.dst.made = dst;
    side->images[0] = dst;
    side->images[1] = src;
    const enum fovea_result result = fovea_vk_foveate(fovea, &frame);
    side->broken = side->peer && fovea->peer_closed;
    return result == FOVEA_OK && !side->broken ? FOVEA_OK : FOVEA_ERROR_INTERNAL;
}

static bool all_retired(struct fovea_vk *fovea)
{
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        if (!frame_retired(fovea, fovea->slots[i].frame)) {
            return false;
        }
    }
    return true;
}

/* Asking again and again ends closer to the frame's end than sleeping does. It does not end where
 * asking fails. */
static bool wait_for_all(struct fovea_vk *fovea)
{
    const int64_t end_ns = fovea_time_ns() + BUDGET_NS;
    while (!all_retired(fovea)) {
        if (fovea_time_ns() > end_ns) {
            return frame_wait(fovea, fovea->frame);
        }
        sched_yield();
    }
    return true;
}

static enum fovea_result run_frames(struct fovea_vk *fovea, struct side *side, uint32_t count,
                                    double *out_us)
{
    fovea->peer_closed = !side->peer;
    const int64_t start_ns = fovea_time_ns();
    for (uint32_t i = 0; i < count; i++) {
        FOVEA_TRY(run_frame(fovea, side));
    }
    if (!wait_for_all(fovea)) {
        return FOVEA_ERROR_INTERNAL;
    }
    *out_us = (double)(fovea_time_ns() - start_ns) * 1e-3 / count;
    return FOVEA_OK;
}

/* The first frame makes plans and kernels. */
static enum fovea_result warm_up(struct fovea_vk *fovea, struct side *side)
{
    double us[3];
    fovea->peer_closed = !side->peer;
    FOVEA_TRY(make_images(fovea, side));
    for (int i = 0; i < 3; i++) {
        FOVEA_TRY(run_frames(fovea, side, 1, &us[i]));
    }
    side->once_us = us[1] < us[2] ? us[1] : us[2];
    return FOVEA_OK;
}

static void find_out(struct side *side, const struct side *other)
{
    side->out = side->once_us > CLEARLY_OUT * other->once_us &&
                side->once_us > CLEARLY_OUT_US + other->once_us;
    if (side->out) {
        frame_times_add(&side->times, side->once_us);
    }
}

static enum fovea_result run_round(struct fovea_vk *fovea, struct side *side)
{
    double us = 0;
    const uint32_t frames = fovea->slot_count < FRAMES_A_ROUND ? fovea->slot_count : FRAMES_A_ROUND;
    if (!side->out) {
        FOVEA_TRY(run_frames(fovea, side, frames, &us));
        frame_times_add(&side->times, us);
    }
    return FOVEA_OK;
}

static enum fovea_result run_rounds(struct fovea_vk *fovea, struct side sides[2])
{
    FOVEA_TRY(warm_up(fovea, &sides[0]));
    FOVEA_TRY(warm_up(fovea, &sides[1]));
    find_out(&sides[0], &sides[1]);
    find_out(&sides[1], &sides[0]);
    const int rounds = sides[0].out || sides[1].out ? ROUNDS_ALONE : ROUNDS;
    const int64_t end_ns = fovea_time_ns() + BUDGET_NS;
    for (int i = 0; i < rounds && (i == 0 || fovea_time_ns() < end_ns); i++) {
        FOVEA_TRY(run_round(fovea, &sides[0]));
        FOVEA_TRY(run_round(fovea, &sides[1]));
    }
    return FOVEA_OK;
}

/* ---- The whole ---- */

static void clean_up(struct fovea_vk *fovea)
{
    if (!frame_wait(fovea, fovea->frame)) {
        return; /* it may be in use until the context goes */
    }
    fovea->half = (struct frame_half){.lost = false}; /* nobody but the trial has lost anything */
    frame_images_finish(fovea);
    frame_plans_finish(fovea);
    frame_pass_scratch_finish(fovea);
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        fovea->slots[i].frame = 0;
    }
    fovea->frame = 0;
    fovea->foveated = 0;
    fovea->passed_through = 0;
    fovea->gpu_times = (struct frame_times){.count = 0};
    fovea->cpu_times = (struct frame_times){.count = 0};
    fovea->trouble = FRAME_FINE;
    fovea->said = (struct frame_said){.last = FRAME_FINE};
    fovea->refusal_count = 0;
    frame_ready_try_again(fovea);
    fovea->hud_next_ns = 0;
    fovea->described = false;
    fovea->plan_refused = false;
    atomic_store(&fovea->late.size, 0);
}

enum frame_trial_result frame_trial(struct fovea_vk *fovea, struct frame_cost *out_cost)
{
    struct side *sides = calloc(2, sizeof *sides);
    if (!sides) {
        return FRAME_TRIAL_FAILED;
    }
    sides[0].peer = true;
    enum fovea_result result = frame_watchdog_start(fovea);
    if (result == FOVEA_OK) {
        result = run_rounds(fovea, sides);
    }
    (void)frame_wait(fovea, fovea->frame);
    frame_watchdog_stop(fovea);
    frame_peer_notice(fovea);
    const bool broken = sides[0].broken || fovea->peer_lost_noticed;
    clean_up(fovea);
    fovea->peer_closed = broken;
    *out_cost = (struct frame_cost){.peer = fovea->backend,
                                    .peer_us = frame_times_percentile(&sides[0].times, 0.5),
                                    .vulkan_us = frame_times_percentile(&sides[1].times, 0.5),
                                    .width_px = width_of(fovea),
                                    .height_px = height_of(fovea),
                                    .when_s = (int64_t)time(NULL)};
    free(sides);
    return broken ? FRAME_TRIAL_PEER_BROKEN : result < 0 ? FRAME_TRIAL_FAILED : FRAME_TRIAL_DONE;
}
