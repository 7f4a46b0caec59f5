/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A peer that never signals would block the engine's queue for ever. The link's timeline tells whose
 * turn it is: an odd value is the peer's. When it stays the same odd value for too long, the peer is
 * abandoned and the host takes its turns.
 *
 * A host peer signals nothing after that. A job of CUDA's that is met late still runs and signals its value,
 * which the queue may have left behind by then: the timeline goes back, if the driver lets it. Therefore the
 * highest value that it had is remembered, and given to it again. */

#include "frame.h"

#include "core/log.h"
#include "core/thread.h"
#include "vk_check.h"

#include <errno.h>
#include <time.h>

static void sleep_ms(double ms)
{
    struct timespec rest = {.tv_sec = (time_t)(ms / 1000.0),
                            .tv_nsec = (long)((ms - 1000.0 * (double)(long)(ms / 1000.0)) * 1e6)};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

static bool counter(struct fovea_vk *fovea, uint64_t *out_value)
{
    struct vk_device *device = &fovea->device;
    return device->vk.GetSemaphoreCounterValue(device->handle, fovea->link.semaphore, out_value) ==
           VK_SUCCESS;
}

static void raise_to(struct fovea_vk *fovea, uint64_t value)
{
    struct vk_device *device = &fovea->device;
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                  .semaphore = fovea->link.semaphore,
                                  .value = value};
    VkResult result = device->vk.SignalSemaphore(device->handle, &info);
    (void)vk_checked(fovea->log, result, "vkSignalSemaphore", __FILE__, __LINE__);
}

static void cut_loose(struct fovea_vk *fovea)
{
    if (!atomic_exchange(&fovea->peer_lost, true)) {
        log_error(fovea->log, "%s: no answer for %.0f ms; cut loose, the vulkan backend takes over",
                  fovea->peer->api->name, fovea->watchdog.patience_ms);
    }
    fovea->peer->api->abandon(fovea->peer);
}

/* The next turn of the peer's, seen as soon as it comes: a late signal could hide it a moment after. */
static void wait_for_turn(struct fovea_vk *fovea, double ms, uint64_t *highest)
{
    struct vk_device *device = &fovea->device;
    const uint64_t next = *highest + 1;
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &fovea->link.semaphore,
                                      .pValues = &next};
    if (device->vk.WaitSemaphores(device->handle, &info, (uint64_t)(ms * 1e6)) == VK_SUCCESS) {
        *highest = next;
    }
}

/* In the place of a peer that is lost; it may just have signalled. False: the device is lost. */
static bool take_turn(struct fovea_vk *fovea, uint64_t *highest)
{
    uint64_t value = 0;
    if (!counter(fovea, &value)) {
        return false;
    }
    *highest = value > *highest ? value : *highest;
    *highest += *highest % 2;
    if (value < *highest) {
        raise_to(fovea, *highest);
    }
    return true;
}

static void stand_in(struct fovea_vk *fovea, double look_every_ms, uint64_t highest)
{
    while (take_turn(fovea, &highest) && !atomic_load(&fovea->watchdog.stop)) {
        wait_for_turn(fovea, look_every_ms, &highest);
    }
}

static void *watch(void *argument)
{
    struct fovea_vk *fovea = argument;
    struct frame_watchdog *dog = &fovea->watchdog;
    double look_every_ms = dog->patience_ms / 8 < 50 ? dog->patience_ms / 8 : 50;
    uint64_t seen = 0;
    int64_t since_ns = 0;
    while (!atomic_load(&dog->stop)) {
        sleep_ms(look_every_ms);
        uint64_t value = 0;
        if (!counter(fovea, &value)) {
            break; /* the device is lost; the frame loop will say so */
        }
        if (atomic_load(&fovea->peer_lost)) {
            stand_in(fovea, look_every_ms,
                     value); /* its device is lost: there is nothing to wait for */
            break;
        }
        int64_t now_ns = fovea_time_ns();
        if (value != seen) {
            seen = value;
            since_ns = now_ns;
        }
        double waited_ms = (double)(now_ns - since_ns) * 1e-6;
        if (value % 2 == 1 && waited_ms > dog->patience_ms) {
            cut_loose(fovea);
            stand_in(fovea, look_every_ms, value);
            break;
        }
    }
    return NULL;
}

enum fovea_result frame_watchdog_start(struct fovea_vk *fovea)
{
    struct frame_watchdog *dog = &fovea->watchdog;
    if (!fovea->link.timeline) {
        log_info(fovea->log, "%s: binary semaphores; a frame that gets stuck cannot be cut loose",
                 fovea->peer->api->name);
        return FOVEA_OK;
    }
    /* Threads of this process get stuck less easily than they get slow. */
    double patience = fovea->peer->api->imports_handles ? 1 : 10;
    dog->patience_ms = patience * fovea->settings.watchdog_ms;
    atomic_store(&dog->stop, false);
    dog->started = thread_start(&dog->thread, watch, fovea) == 0;
    return dog->started ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

void frame_watchdog_stop(struct fovea_vk *fovea)
{
    struct frame_watchdog *dog = &fovea->watchdog;
    if (dog->started) {
        atomic_store(&dog->stop, true);
        pthread_join(dog->thread, NULL);
        dog->started = false;
    }
}
