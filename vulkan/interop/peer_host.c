/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "peer_host.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/thread.h"
#include "core/thread_pool.h"
#include "kernels/image/pixel.h"
#include "vulkan/vk_check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUEUE_LENGTH 40 /* more than a context has slots */
/* While the worker waits for the queue, it looks so often whether it was abandoned or the process
 * ends. */
#define PATIENCE_NS 20000000ull
#define RETRY_NS 1000000

struct peer_image {
    struct fovea_image image;
};

struct peer_semaphore {
    VkSemaphore handle;
};

struct peer_plan {
    const struct operator_host_api *api;
    struct operator_host *host;
};

struct host_peer {
    struct peer base;
    struct vk_device *device;
    struct thread_pool *pool; /* of all plans: jobs are made one after the other */
    uint32_t slot_count;
    _Atomic uint32_t over;
    _Atomic double *elapsed_us; /* by slot; negative while a job of it is queued */
    _Atomic int64_t *late_age_ns; /* by slot; of late jobs; negative: unknown */
    uint32_t late_block[LATE_WORDS];

    pthread_t worker;
    bool started;
    atomic_bool abandoned;
    pthread_mutex_t signalling; /* held while it is decided and done, and while a latch reports */
    pthread_mutex_t lock; /* of all below; never held while working */
    pthread_cond_t changed;
    struct peer_job queue[QUEUE_LENGTH];
    uint32_t first;
    uint32_t count; /* the one being worked on included */
    bool stop;
};

static struct host_peer *host(struct peer *peer)
{
    return (struct host_peer *)peer;
}

/* The clock of fovea_time_ns. */
static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* False if it will never be reached. Who finds no memory to wait looks again a little later. */
static bool wait_for(struct host_peer *peer, VkSemaphore semaphore, uint64_t value)
{
    struct vk_device *device = peer->device;
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &semaphore,
                                .pValues = &value};
    const struct timespec pause = {.tv_nsec = RETRY_NS};
    VkResult result = VK_TIMEOUT;
    while (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST &&
           !atomic_load(&peer->abandoned) && ending_enter()) {
        result = device->vk.WaitSemaphores(device->handle, &info, PATIENCE_NS);
        ending_leave();
        if (result < 0) {
            nanosleep(&pause, NULL);
        }
    }
    return result == VK_SUCCESS;
}

static void signal_unless_abandoned(struct host_peer *peer, const struct peer_job *job)
{
    struct vk_device *device = peer->device;
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                  .semaphore = job->signal->handle,
                                  .value = job->signal_value};
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&peer->signalling);
    if (!atomic_load(&peer->abandoned)) {
        result = device->vk.SignalSemaphore(device->handle, &info);
    }
    pthread_mutex_unlock(&peer->signalling);
    /* The log is the program's, and may call exit(). */
    (void)vk_checked(device->log, result, "vkSignalSemaphore", __FILE__, __LINE__);
}

/* The image from the view's origin on, and no larger than the view: its borders are the view's. */
static struct fovea_image part_of(const struct fovea_image *image,
                                  const struct operator_frame *frame)
{
    struct fovea_image part = *image;
    part.data = (char *)image->data + frame->origin_y_px * image->row_stride_bytes +
                frame->origin_x_px * (ptrdiff_t)pixel_codec_of(image->format)->bytes;
    part.width_px = (uint32_t)frame->width_px;
    part.height_px = (uint32_t)frame->height_px;
    return part;
}

static void run_views(const struct peer_job *job)
{
    for (uint32_t i = 0; i < job->view_count; i++) {
        const struct peer_view *view = &job->views[i];
        const struct fovea_image src = part_of(&job->src->image, &view->frame);
        const struct fovea_image dst = part_of(&job->dst->image, &view->frame);
        const struct operator_images images = {.count = 1, .src = &src, .dst = &dst};
        view->plan->api->run(view->plan->host, &images, &view->frame);
    }
}

/* The newest gaze, now that the job starts. */
static void latch(struct host_peer *peer, struct peer_job *job, int64_t start_ns)
{
    uint32_t latched[LATCHED_WORDS];
    late_latch(peer->late_block, &job->late.own, start_ns, latched);
    job->views[0].frame.gaze_x_q8 = (int32_t)latched[LATCHED_GAZE_X];
    job->views[0].frame.gaze_y_q8 = (int32_t)latched[LATCHED_GAZE_Y];
    /* An abandoned peer may be without its images and buffers soon. */
    pthread_mutex_lock(&peer->signalling);
    if (!atomic_load(&peer->abandoned)) {
        memcpy(job->late.latched, latched, sizeof latched);
    }
    pthread_mutex_unlock(&peer->signalling);
    const int64_t t_ns = late_join(latched[LATCHED_T_LOW], latched[LATCHED_T_HIGH]);
    atomic_store(&peer->late_age_ns[job->slot], start_ns > t_ns ? start_ns - t_ns : 0);
}

static void work(struct host_peer *peer, struct peer_job *job)
{
    if (!wait_for(peer, job->wait->handle, job->wait_value) || !ending_enter()) {
        return;
    }
    const int64_t start_ns = now_ns();
    if (job->late.on) {
        latch(peer, job, start_ns);
    }
    run_views(job);
    atomic_store(&peer->elapsed_us[job->slot], (double)(now_ns() - start_ns) * 1e-3);
    signal_unless_abandoned(peer, job);
    ending_leave();
}

static void *run(void *argument)
{
    struct host_peer *peer = argument;
    pthread_mutex_lock(&peer->lock);
    while (true) {
        while (peer->count == 0 && !peer->stop) {
            pthread_cond_wait(&peer->changed, &peer->lock);
        }
        if (peer->count == 0) {
            break;
        }
        struct peer_job job = peer->queue[peer->first];
        pthread_mutex_unlock(&peer->lock);
        work(peer, &job);
        atomic_store(&peer->over, job.number);
        pthread_mutex_lock(&peer->lock);
        peer->first = (peer->first + 1) % QUEUE_LENGTH;
        peer->count--;
        pthread_cond_broadcast(&peer->changed);
    }
    pthread_mutex_unlock(&peer->lock);
    return NULL;
}

static void destroy(struct peer *base)
{
    struct host_peer *peer = host(base);
    if (peer->started) {
        pthread_mutex_lock(&peer->lock);
        peer->stop = true;
        pthread_cond_broadcast(&peer->changed);
        pthread_mutex_unlock(&peer->lock);
        pthread_join(peer->worker, NULL);
    }
    thread_pool_destroy(&peer->pool);
    pthread_cond_destroy(&peer->changed);
    pthread_mutex_destroy(&peer->lock);
    pthread_mutex_destroy(&peer->signalling);
    free(peer->elapsed_us);
    free(peer->late_age_ns);
    free(peer);
}

static enum fovea_result import_image(struct peer *base, const struct peer_image_desc *desc,
                                      struct peer_image **out_image)
{
    (void)base;
    struct peer_image *image = calloc(1, sizeof *image);
    *out_image = image;
    FOVEA_TRY_MEMORY(image);
    image->image = (struct fovea_image){.data = desc->mapped,
                                        .width_px = desc->width_px,
                                        .height_px = desc->height_px,
                                        .format = desc->format,
                                        .memory = FOVEA_MEMORY_CPU,
                                        .row_stride_bytes = desc->row_stride_bytes};
    return FOVEA_OK;
}

static void forget_image(struct peer *base, struct peer_image **image)
{
    (void)base;
    free(*image);
    *image = NULL;
}

static enum fovea_result import_semaphore(struct peer *base, const struct peer_semaphore_desc *desc,
                                          struct peer_semaphore **out_semaphore)
{
    (void)base;
    *out_semaphore = calloc(1, sizeof **out_semaphore);
    FOVEA_TRY_MEMORY(*out_semaphore);
    (*out_semaphore)->handle = desc->semaphore;
    return FOVEA_OK;
}

static void forget_semaphore(struct peer *base, struct peer_semaphore **semaphore)
{
    (void)base;
    free(*semaphore);
    *semaphore = NULL;
}

static enum fovea_result import_plan(struct peer *base, const struct operator_plan *plan,
                                     struct peer_plan **out_plan)
{
    *out_plan = NULL;
    struct peer_plan *own = calloc(1, sizeof *own);
    FOVEA_TRY_MEMORY(own);
    own->api = operator_host_of(plan);
    const enum fovea_result result =
        operator_host_create(&own->api->kind, host(base)->pool, plan, &own->host);
    if (result < 0) {
        free(own);
        return result;
    }
    *out_plan = own;
    return FOVEA_OK;
}

static void forget_plan(struct peer *base, struct peer_plan **plan)
{
    (void)base;
    if (*plan) {
        operator_host_destroy(&(*plan)->host);
        free(*plan);
        *plan = NULL;
    }
}

/* All of a job or nothing. */
static enum fovea_result enqueue(struct peer *base, const struct peer_job *job,
                                 enum peer_answer *out_answer)
{
    struct host_peer *peer = host(base);
    enum fovea_result result = FOVEA_OK;
    *out_answer = PEER_IS_STILL;
    pthread_mutex_lock(&peer->lock);
    if (peer->count == QUEUE_LENGTH || atomic_load(&peer->abandoned)) {
        result = FOVEA_ERROR_INTERNAL;
    } else {
        atomic_store(&peer->elapsed_us[job->slot], -1.0);
        atomic_store(&peer->late_age_ns[job->slot], -1);
        uint32_t at = (peer->first + peer->count) % QUEUE_LENGTH;
        peer->queue[at] = *job;
        peer->count++;
        *out_answer = PEER_SIGNALS;
        pthread_cond_broadcast(&peer->changed);
    }
    pthread_mutex_unlock(&peer->lock);
    return result;
}

static enum fovea_result elapsed(struct peer *base, uint32_t slot, double *out_us)
{
    *out_us = atomic_load(&host(base)->elapsed_us[slot]);
    return *out_us < 0 ? FOVEA_NOT_READY : FOVEA_OK;
}

static uint32_t *late_block(struct peer *base)
{
    return host(base)->late_block;
}

static enum fovea_result late_age(struct peer *base, uint32_t slot, int64_t *out_age_ns)
{
    *out_age_ns = atomic_load(&host(base)->late_age_ns[slot]);
    return *out_age_ns < 0 ? FOVEA_NOT_READY : FOVEA_OK;
}

/* An abandoned job ends soon: its waits give up, and what it works on is there. The worker itself
 * may come here, when the program's log has called exit() on it. */
static void drain(struct peer *base)
{
    struct host_peer *peer = host(base);
    pthread_mutex_lock(&peer->lock);
    while (peer->count > 0 && !pthread_equal(pthread_self(), peer->worker)) {
        pthread_cond_wait(&peer->changed, &peer->lock);
    }
    pthread_mutex_unlock(&peer->lock);
}

static void abandon(struct peer *base)
{
    struct host_peer *peer = host(base);
    pthread_mutex_lock(&peer->signalling);
    atomic_store(&peer->abandoned, true);
    pthread_mutex_unlock(&peer->signalling);
}

static const struct peer_api api = {
    .name = "host",
    .backend = FOVEA_BACKEND_CPU,
    .imports_handles = false,
    .destroy = destroy,
    .import_image = import_image,
    .forget_image = forget_image,
    .import_semaphore = import_semaphore,
    .forget_semaphore = forget_semaphore,
    .import_plan = import_plan,
    .forget_plan = forget_plan,
    .enqueue = enqueue,
    .elapsed = elapsed,
    .late_block = late_block,
    .late_age = late_age,
    .drain = drain,
    .abandon = abandon,
};

static enum fovea_result start(struct host_peer *peer, uint32_t thread_count)
{
    FOVEA_TRY(thread_pool_create(thread_count, &peer->pool));
    peer->elapsed_us = malloc(peer->slot_count * sizeof *peer->elapsed_us);
    peer->late_age_ns = malloc(peer->slot_count * sizeof *peer->late_age_ns);
    FOVEA_TRY_MEMORY(peer->elapsed_us && peer->late_age_ns);
    for (uint32_t i = 0; i < peer->slot_count; i++) {
        atomic_init(&peer->elapsed_us[i], -1.0);
        atomic_init(&peer->late_age_ns[i], -1);
    }
    peer->started = thread_start(&peer->worker, run, peer) == 0;
    return peer->started ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

enum fovea_result peer_host_create(struct vk_device *device, uint32_t slot_count,
                                   uint32_t thread_count, struct peer **out_peer)
{
    *out_peer = NULL;
    if (!device->timeline) {
        log_error(device->log, "cpu backend: Vulkan images need timeline semaphores");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct host_peer *peer = calloc(1, sizeof *peer);
    FOVEA_TRY_MEMORY(peer);
    peer->base.api = &api;
    peer->base.over = &peer->over;
    peer->device = device;
    peer->slot_count = slot_count;
    pthread_mutex_init(&peer->lock, NULL);
    pthread_mutex_init(&peer->signalling, NULL);
    pthread_cond_init(&peer->changed, NULL);
    enum fovea_result result = start(peer, thread_count);
    if (result < 0) {
        destroy(&peer->base);
        return result;
    }
    *out_peer = &peer->base;
    return FOVEA_OK;
}
