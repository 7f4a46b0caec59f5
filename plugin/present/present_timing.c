/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* VK_GOOGLE_display_timing: the driver keeps times of presents until it is asked for them. */
#include "present.h"

#include "core/log.h"

#define TIMES 16u /* of a call */
#define CALLS 4 /* of a present: a driver that has always more is left alone */
#define FUTURE_NS INT64_C(100000000)

static void read_refresh(struct fovea_present *present)
{
    VkRefreshCycleDurationGOOGLE refresh = {0};
    if (present->refresh_ns == 0 &&
        present->vk.GetRefreshCycleDurationGOOGLE(present->desc.device, present->desc.swapchain,
                                                  &refresh) == VK_SUCCESS &&
        refresh.refreshDuration <= INT64_MAX) {
        present->refresh_ns = (int64_t)refresh.refreshDuration;
    }
}

/* Vulkan does not say which clock it is. On Linux it is ours, as far as it is known. */
static bool is_our_clock(const struct present_frame *frame, uint64_t t_ns)
{
    return t_ns >= (uint64_t)frame->since_ns && t_ns <= (uint64_t)(fovea_time_ns() + FUTURE_NS);
}

static void take(struct fovea_present *present, const VkPastPresentationTimingGOOGLE *time)
{
    const uint32_t head = atomic_load_explicit(&present->head, memory_order_relaxed);
    for (uint32_t i = atomic_load_explicit(&present->tail, memory_order_relaxed); i != head; i++) {
        struct present_frame *frame = &present->frames[i % PRESENT_FRAMES];
        if (frame->frame == 0 || (uint32_t)frame->id != time->presentID) {
            continue;
        }
        struct record_shown shown = {.refresh_ns = present->refresh_ns};
        if (is_our_clock(frame, time->actualPresentTime)) {
            shown.t_ns = (int64_t)time->actualPresentTime;
        } else if (!atomic_exchange(&present->over, true)) {
            log_warning(present->desc.log, "record: times of VK_GOOGLE_display_timing are not of "
                                           "CLOCK_MONOTONIC; when frames are on the screen is not "
                                           "known");
        }
        present_tell(frame, &shown);
    }
}

/* Newer ones are known since the present before: of this one nothing will come. */
static void give_up(const struct fovea_present *present, struct present_frame *frame,
                    int64_t now_ns)
{
    const bool passed_by = (int32_t)(present->reported - (uint32_t)frame->id) > 0;
    const struct record_shown shown = {.refresh_ns = present->refresh_ns,
                                       .dropped = passed_by && present->desc.mode ==
                                                                   VK_PRESENT_MODE_MAILBOX_KHR};
    if (passed_by || now_ns - frame->since_ns > PRESENT_PATIENCE_NS) {
        present_tell(frame, &shown);
    }
}

static void clear(struct fovea_present *present)
{
    const uint32_t head = atomic_load_explicit(&present->head, memory_order_relaxed);
    uint32_t tail = atomic_load_explicit(&present->tail, memory_order_relaxed);
    const int64_t now_ns = fovea_time_ns();
    for (uint32_t i = tail; i != head; i++) {
        give_up(present, &present->frames[i % PRESENT_FRAMES], now_ns);
    }
    while (tail != head && present->frames[tail % PRESENT_FRAMES].frame == 0) {
        tail++;
    }
    atomic_store_explicit(&present->tail, tail, memory_order_relaxed);
}

void present_timing_poll(struct fovea_present *present)
{
    VkResult result = VK_INCOMPLETE;
    uint32_t reported = present->reported;
    for (int call = 0; result == VK_INCOMPLETE && call < CALLS; call++) {
        VkPastPresentationTimingGOOGLE times[TIMES];
        uint32_t count = TIMES;
        result = present->vk.GetPastPresentationTimingGOOGLE(
            present->desc.device, present->desc.swapchain, &count, times);
        if (result < 0) {
            break;
        }
        if (count > 0) {
            read_refresh(present);
        }
        for (uint32_t i = 0; i < count; i++) {
            take(present, &times[i]);
            if ((int32_t)(times[i].presentID - reported) > 0) {
                reported = times[i].presentID;
            }
        }
    }
    clear(present);
    present->reported = reported;
}
