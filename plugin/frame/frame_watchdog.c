/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A peer that never signals would block the engine's queue for ever. The link's timeline tells
 * whose turn it is: an odd value is the peer's. When it stays the same odd value for too long, the
 * peer is abandoned and the host takes its turns.
 *
 * The watchdog's thread lives as long as the context, and programs end without destroying it:
 * devices and drivers go under its feet. So it asks no driver whose turn it is while jobs get over,
 * which it reads in memory of the process's (struct peer). Only where a job is under way for long
 * does it look at the timeline: the queue may not have come to the peer's turn.
 *
 * A program that is stopped, or a debugger's, is not a peer that is stuck: what counts is how often
 * the watchdog has looked, not how late it is.
 *
 * In the place of a peer whose device is lost the turns are taken at once, and those too of one
 * that does not say when a job is over.
 *
 * A host peer signals nothing after that. A job of CUDA's that is met late still runs and signals
 * its value, which the queue may have left behind by then: the timeline goes back, if the driver
 * lets it. Therefore the highest value that it had is remembered, and given to it again. */

#include "frame_link.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/thread.h"
#include "vulkan/vk_check.h"

/* The part of its patience after which a job is under way for long. */
#define SUSPICION 0.25
/* When exit() has been called: how often and how long a job is waited for. */
#define END_LOOK_MS 1.0
#define END_PATIENCE_MS 1000.0

struct watch {
    struct fovea_vk *fovea;
    double look_every_ms;
    int64_t looked_ns;
    uint32_t over; /* as it was seen last */
    double waited_ms; /* since */
    uint64_t value; /* odd: the timeline's, as it was seen last */
    double held_ms; /* since */
};

/* Errors but VK_ERROR_DEVICE_LOST say nothing: the next look may find out. */
static VkResult counter(struct fovea_vk *fovea, uint64_t *out_value)
{
    struct vk_device *device = &fovea->device;
    return device->vk.GetSemaphoreCounterValue(device->handle, fovea->link.semaphore, out_value);
}

static void raise_to(struct fovea_vk *fovea, uint64_t value)
{
    struct vk_device *device = &fovea->device;
    const VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                        .semaphore = fovea->link.semaphore,
                                        .value = value};
    const VkResult result = device->vk.SignalSemaphore(device->handle, &info);
    (void)vk_checked(fovea->log, result, "vkSignalSemaphore", __FILE__, __LINE__);
}

/* The next turn of the peer's, seen as soon as it comes: a late signal could hide it a moment
 * after. */
static void wait_for_turn(struct fovea_vk *fovea, double ms, uint64_t *highest)
{
    struct vk_device *device = &fovea->device;
    const uint64_t next = *highest + 1;
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &fovea->link.semaphore,
                                      .pValues = &next};
    const VkResult result = device->vk.WaitSemaphores(device->handle, &info, (uint64_t)(ms * 1e6));
    if (result == VK_SUCCESS) {
        *highest = next;
    } else if (result != VK_TIMEOUT) {
        const struct timespec pause = {.tv_nsec = (long)(END_LOOK_MS * 1e6)};
        nanosleep(&pause, NULL);
    }
}

/* Signals in place of a lost peer, which may just have signalled itself. False: the device is
 * lost. */
static bool take_turn(struct fovea_vk *fovea, uint64_t *highest)
{
    uint64_t value = 0;
    const VkResult result = counter(fovea, &value);
    if (result != VK_SUCCESS) {
        return result != VK_ERROR_DEVICE_LOST;
    }
    *highest = value > *highest ? value : *highest;
    *highest += *highest % 2;
    if (value < *highest) {
        raise_to(fovea, *highest);
    }
    return true;
}

static void abandon(struct fovea_vk *fovea)
{
    atomic_store(&fovea->peer_lost, true);
    fovea->peer->api->abandon(fovea->peer);
}

/* It reports as far as that can be read. */
static bool all_is_over(struct fovea_vk *fovea)
{
    return !fovea->peer->over ||
           atomic_load(fovea->peer->over) == atomic_load(&fovea->watchdog.given);
}

/* The peer gets no more jobs, none of those that it had may signal late, and no frame waits for
 * one. */
static bool nobody_waits(struct fovea_vk *fovea, uint64_t highest)
{
    const uint64_t last = atomic_load(&fovea->watchdog.last_value);
    return last > 0 && highest >= last && all_is_over(fovea);
}

/* The watchdog takes turns from now on. */
static void take_turns(const struct watch *watch, uint64_t highest)
{
    struct fovea_vk *fovea = watch->fovea;
    bool alive = true;
    while (alive && !atomic_load(&fovea->watchdog.stop) && ending_stage() < ENDING_DRAINS &&
           !nobody_waits(fovea, highest) && ending_enter()) {
        alive = take_turn(fovea, &highest);
        if (alive) {
            wait_for_turn(fovea, watch->look_every_ms, &highest);
        }
        ending_leave();
    }
}

/* The first turn is taken before the log is told, which is the program's and may call exit(). */
static void give_up_peer(const struct watch *watch, uint64_t highest)
{
    struct fovea_vk *fovea = watch->fovea;
    if (!ending_enter()) {
        return;
    }
    abandon(fovea);
    (void)take_turn(fovea, &highest);
    ending_leave();
    log_error(fovea->log, "%s: no answer for %.0f ms; cut loose, the vulkan backend takes over",
              fovea->peer->api->name, fovea->watchdog.patience_ms);
    take_turns(watch, highest);
}

/* Returns how much of the time since the last look counts: at most the time between two, in case
 * the process did not run. */
static double take_look(struct watch *watch)
{
    const int64_t now_ns = fovea_time_ns();
    const double passed_ms = (double)(now_ns - watch->looked_ns) * 1e-6;
    const double most_ms = 2 * watch->look_every_ms;
    watch->looked_ns = now_ns;
    return passed_ms < most_ms ? passed_ms : most_ms;
}

/* Believes the peer's account of its jobs only when the queue has met one of its signals. */
static bool is_idle(struct frame_watchdog *watchdog, uint32_t over)
{
    const uint32_t given = atomic_load(&watchdog->given);
    return given == 0 || (given == over && atomic_load(&watchdog->answered));
}

/* Returns whether a job is under way for long. */
static bool is_suspicious(struct watch *watch, double passed_ms)
{
    struct frame_watchdog *watchdog = &watch->fovea->watchdog;
    if (!watchdog->sees_jobs) {
        return false;
    }
    const uint32_t over = atomic_load(watch->fovea->peer->over);
    const bool waits = over == watch->over && !is_idle(watchdog, over);
    watch->over = over;
    watch->waited_ms = waits ? watch->waited_ms + passed_ms : 0;
    const bool suspicious = watch->waited_ms > SUSPICION * watchdog->patience_ms;
    if (!suspicious) {
        watch->held_ms = 0;
        watch->value = 0;
    }
    return suspicious;
}

/* Returns whether it is the peer's turn, and has been for too long. */
static bool is_stuck(struct watch *watch, uint64_t value, double passed_ms)
{
    if (value > 0 && value % 2 == 0) {
        atomic_store(&watch->fovea->watchdog.answered, true);
    }
    const bool held = value % 2 == 1 && value == watch->value;
    watch->held_ms = held ? watch->held_ms + passed_ms : 0;
    watch->value = value;
    return watch->held_ms > watch->fovea->watchdog.patience_ms;
}

/* False: there is nothing left to watch. */
static bool look(struct watch *watch)
{
    const double passed_ms = take_look(watch);
    if (atomic_load(&watch->fovea->peer_lost)) {
        take_turns(watch, 0); /* its device is lost: there is nothing to wait for */
        return false;
    }
    if (!is_suspicious(watch, passed_ms)) {
        return true;
    }
    uint64_t value = 0;
    if (!ending_enter()) {
        return false;
    }
    const VkResult result = counter(watch->fovea, &value);
    ending_leave();
    if (result == VK_ERROR_DEVICE_LOST) {
        return false; /* the frame loop will say so */
    }
    if (result != VK_SUCCESS || !is_stuck(watch, value, passed_ms)) {
        return true;
    }
    give_up_peer(watch, value);
    return false;
}

/* exit() was called, and no frame is submitted any more. What the queue waits for gets over, or the
 * program's own waits for it would not end. */
static void drain_jobs(struct fovea_vk *fovea)
{
    const struct timespec pause = {.tv_nsec = (long)(END_LOOK_MS * 1e6)};
    for (double ms = 0; ms < END_PATIENCE_MS && !all_is_over(fovea); ms += END_LOOK_MS) {
        nanosleep(&pause, NULL);
    }
    uint64_t highest = 0;
    if (all_is_over(fovea) || !ending_enter()) {
        return;
    }
    abandon(fovea);
    for (double ms = 0; ms < END_PATIENCE_MS && highest < fovea->link.value; ms += END_LOOK_MS) {
        if (!take_turn(fovea, &highest)) {
            break;
        }
        wait_for_turn(fovea, END_LOOK_MS, &highest);
    }
    ending_leave();
}

static void *run(void *argument)
{
    struct fovea_vk *fovea = argument;
    struct frame_watchdog *watchdog = &fovea->watchdog;
    struct watch watch = {.fovea = fovea,
                          .look_every_ms =
                              watchdog->patience_ms / 8 < 50 ? watchdog->patience_ms / 8 : 50,
                          .looked_ns = fovea_time_ns()};
    ending_watch_here();
    bool watches = true;
    unsigned wakes = ending_wakes();
    while (watches && !atomic_load(&watchdog->stop) && ending_stage() < ENDING_DRAINS) {
        ending_rest(watch.look_every_ms, wakes);
        wakes = ending_wakes();
        watches = look(&watch);
    }
    if (ending_stage() >= ENDING_DRAINS && !atomic_load(&fovea->peer_lost)) {
        drain_jobs(fovea);
    }
    ending_watch(-1);
    return NULL;
}

enum fovea_result frame_watchdog_start(struct fovea_vk *fovea)
{
    struct frame_watchdog *watchdog = &fovea->watchdog;
    const bool timeline = fovea->link.timeline;
    if (!ending_expect((unsigned)fovea->peer->api->backend)) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    watchdog->sees_jobs = timeline && fovea->peer->over;
    if (!watchdog->sees_jobs) {
        log_info(fovea->log, "%s: %s; a frame that gets stuck cannot be cut loose",
                 fovea->peer->api->name,
                 timeline ? "it does not say when a job is over" : "binary semaphores");
    }
    if (!timeline) {
        return FOVEA_OK; /* nobody but the peer can signal them */
    }
    /* Threads of this process get stuck less easily than they get slow. */
    const double patience = fovea->peer->api->imports_handles ? 1 : 10;
    watchdog->patience_ms = patience * fovea->settings.watchdog_ms;
    atomic_store(&watchdog->stop, false);
    ending_watch(1);
    watchdog->started = thread_start(&watchdog->thread, run, fovea) == 0;
    if (!watchdog->started) {
        ending_watch(-1);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

/* The thread itself may come here, when the program's log has called exit() on it. */
void frame_watchdog_stop(struct fovea_vk *fovea)
{
    struct frame_watchdog *watchdog = &fovea->watchdog;
    if (watchdog->started) {
        atomic_store(&watchdog->stop, true);
        ending_wake();
        if (!pthread_equal(pthread_self(), watchdog->thread)) {
            pthread_join(watchdog->thread, NULL);
        }
        watchdog->started = false;
    }
}
