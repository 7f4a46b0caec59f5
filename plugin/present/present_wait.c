/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* VK_KHR_present_wait: a thread waits for one present after the other. */
#include "present.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/thread.h"

/* Whoever destroys the swapchain, and exit(), wait as long as this. */
#define SLICE_NS UINT64_C(10000000)

static VkResult wait_a_slice(const struct fovea_present *present, uint64_t id)
{
    if (!ending_enter()) {
        return VK_ERROR_UNKNOWN;
    }
    const VkResult result =
        present->vk.WaitForPresentKHR(present->desc.device, present->desc.swapchain, id, SLICE_NS);
    ending_leave();
    return result == VK_SUBOPTIMAL_KHR ? VK_SUCCESS : result;
}

/* 0: it was not seen. */
static int64_t wait_long(struct fovea_present *present, const struct present_frame *frame)
{
    VkResult result = VK_TIMEOUT;
    while (result == VK_TIMEOUT && !atomic_load(&present->stop) &&
           fovea_time_ns() - frame->since_ns < PRESENT_PATIENCE_NS) {
        result = wait_a_slice(present, frame->id);
    }
    const int64_t now_ns = fovea_time_ns();
    if (result == VK_ERROR_DEVICE_LOST || result == VK_ERROR_SURFACE_LOST_KHR ||
        result == VK_ERROR_UNKNOWN) {
        atomic_store(&present->over, true);
    }
    return result == VK_SUCCESS ? now_ns : 0;
}

/* Vulkan does not say when the wait for a picture ends that another has replaced: drivers end it at
 * once, or with the other's. So nothing is known where another was presented by now. */
static bool may_be_replaced(const struct fovea_present *present, uint32_t tail)
{
    const VkPresentModeKHR mode = present->desc.mode;
    const bool shows_all = mode == VK_PRESENT_MODE_FIFO_KHR ||
                           mode == VK_PRESENT_MODE_FIFO_RELAXED_KHR ||
                           mode == VK_PRESENT_MODE_IMMEDIATE_KHR;
    return !shows_all &&
           (atomic_load(&present->others) || /* head is stored before others is false again */
            atomic_load_explicit(&present->head, memory_order_acquire) != tail + 1);
}

static void *run(void *user)
{
    struct fovea_present *present = user;
    for (;;) {
        while (sem_wait(&present->more) != 0) { /* a signal */
        }
        if (atomic_load(&present->stop)) {
            return NULL;
        }
        const uint32_t tail = atomic_load_explicit(&present->tail, memory_order_relaxed);
        struct present_frame *frame = &present->frames[tail % PRESENT_FRAMES];
        struct record_shown shown = {.t_ns = wait_long(present, frame)};
        if (shown.t_ns != 0 && may_be_replaced(present, tail)) {
            shown.t_ns = 0;
        }
        present_tell(frame, &shown);
        atomic_store_explicit(&present->tail, tail + 1, memory_order_release);
    }
}

enum fovea_result present_wait_start(struct fovea_present *present)
{
    if (sem_init(&present->more, 0, 0) != 0) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    present->started = thread_start(&present->thread, run, present) == 0;
    if (!present->started) {
        sem_destroy(&present->more);
        log_error(present->desc.log, "record: no thread can be started to wait for presents");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

void present_wait_stop(struct fovea_present *present)
{
    if (!present->started) {
        return;
    }
    atomic_store(&present->stop, true);
    (void)sem_post(&present->more);
    pthread_join(present->thread, NULL);
    sem_destroy(&present->more);
    present->started = false;
}
