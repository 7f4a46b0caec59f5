/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "peer_host.h"

#include "core/log.h"
#include "pixel.h"
#include "vk_check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define QUEUE_LENGTH 16
/* How often the worker, waiting for the queue, looks whether it was abandoned. */
#define PATIENCE_NS 100000000ull

struct peer_image {
    struct fovea_image image;
};

struct peer_semaphore {
    VkSemaphore handle;
};

struct peer_plan {
    struct foveate_cpu *cpu;
};

struct host_peer {
    struct peer base;
    struct vk_device *device;
    uint32_t thread_count;
    uint32_t slot_count;
    _Atomic double *elapsed_us; /* by slot; negative while a job of it is queued */

    pthread_t worker;
    bool started;
    atomic_bool abandoned;
    pthread_mutex_t signalling; /* held while it is decided and done */
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

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* False if it will never be reached. */
static bool wait_for(struct host_peer *peer, VkSemaphore semaphore, uint64_t value)
{
    struct vk_device *device = peer->device;
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &semaphore,
                                .pValues = &value};
    VkResult result = VK_TIMEOUT;
    while (result == VK_TIMEOUT && !atomic_load(&peer->abandoned)) {
        result = device->vk.WaitSemaphores(device->handle, &info, PATIENCE_NS);
    }
    return result == VK_SUCCESS;
}

static void signal_unless_abandoned(struct host_peer *peer, const struct peer_job *job)
{
    struct vk_device *device = peer->device;
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                  .semaphore = job->signal->handle,
                                  .value = job->signal_value};
    pthread_mutex_lock(&peer->signalling);
    if (!atomic_load(&peer->abandoned)) {
        VkResult result = device->vk.SignalSemaphore(device->handle, &info);
        (void)vk_checked(device->log, result, "vkSignalSemaphore", __FILE__, __LINE__);
    }
    pthread_mutex_unlock(&peer->signalling);
}

/* The image from the view's origin on, and no larger than the view: its borders are the view's. */
static struct fovea_image part_of(const struct fovea_image *image,
                                  const struct foveate_frame *frame)
{
    struct fovea_image part = *image;
    part.data = (char *)image->data + frame->origin_y_px * image->row_stride_bytes +
                frame->origin_x_px * (ptrdiff_t)pixel_codec_of(image->format)->bytes;
    part.width_px = (uint32_t)frame->width_px;
    part.height_px = (uint32_t)frame->height_px;
    return part;
}

static void foveate(const struct peer_job *job)
{
    for (uint32_t i = 0; i < job->view_count; i++) {
        const struct peer_view *view = &job->views[i];
        const struct fovea_image src = part_of(&job->src->image, &view->frame);
        const struct fovea_image dst = part_of(&job->dst->image, &view->frame);
        foveate_cpu_run(view->plan->cpu, &src, &dst, &view->frame);
    }
}

static void work(struct host_peer *peer, const struct peer_job *job)
{
    if (!wait_for(peer, job->wait->handle, job->wait_value)) {
        return;
    }
    double start_us = now_us();
    foveate(job);
    atomic_store(&peer->elapsed_us[job->slot], now_us() - start_us);
    signal_unless_abandoned(peer, job);
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
    pthread_cond_destroy(&peer->changed);
    pthread_mutex_destroy(&peer->lock);
    pthread_mutex_destroy(&peer->signalling);
    free(peer->elapsed_us);
    free(peer);
}

static enum fovea_result import_image(struct peer *base, const struct peer_image_desc *desc,
                                      struct peer_image **out_image)
{
    (void)base;
    struct peer_image *image = calloc(1, sizeof *image);
    *out_image = image;
    if (!image) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    image->image = (struct fovea_image){.data = desc->mapped,
                                        .width_px = desc->width_px,
                                        .height_px = desc->height_px,
                                        .format = desc->format,
                                        .memory = FOVEA_MEMORY_HOST,
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
    if (!*out_semaphore) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (*out_semaphore)->handle = desc->semaphore;
    return FOVEA_OK;
}

static void forget_semaphore(struct peer *base, struct peer_semaphore **semaphore)
{
    (void)base;
    free(*semaphore);
    *semaphore = NULL;
}

static enum fovea_result import_plan(struct peer *base, const struct foveate_plan *plan,
                                     struct peer_plan **out_plan)
{
    *out_plan = NULL;
    struct peer_plan *own = calloc(1, sizeof *own);
    if (!own) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    enum fovea_result result = foveate_cpu_create(plan, host(base)->thread_count, &own->cpu);
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
        foveate_cpu_destroy(&(*plan)->cpu);
        free(*plan);
        *plan = NULL;
    }
}

static enum fovea_result enqueue(struct peer *base, const struct peer_job *job)
{
    struct host_peer *peer = host(base);
    enum fovea_result result = FOVEA_OK;
    pthread_mutex_lock(&peer->lock);
    if (peer->count == QUEUE_LENGTH || atomic_load(&peer->abandoned)) {
        result = FOVEA_ERROR_INTERNAL;
    } else {
        atomic_store(&peer->elapsed_us[job->slot], -1.0);
        uint32_t at = (peer->first + peer->count) % QUEUE_LENGTH;
        peer->queue[at] = *job;
        peer->count++;
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

/* An abandoned job ends soon: its waits give up, and what it works on is there. */
static void drain(struct peer *base)
{
    struct host_peer *peer = host(base);
    pthread_mutex_lock(&peer->lock);
    while (peer->count > 0) {
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
    .drain = drain,
    .abandon = abandon,
};

static enum fovea_result start(struct host_peer *peer)
{
    peer->elapsed_us = malloc(peer->slot_count * sizeof *peer->elapsed_us);
    if (!peer->elapsed_us) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < peer->slot_count; i++) {
        atomic_init(&peer->elapsed_us[i], -1.0);
    }
    peer->started = pthread_create(&peer->worker, NULL, run, peer) == 0;
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
    if (!peer) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    peer->base.api = &api;
    peer->device = device;
    peer->slot_count = slot_count;
    peer->thread_count = thread_count;
    pthread_mutex_init(&peer->lock, NULL);
    pthread_mutex_init(&peer->signalling, NULL);
    pthread_cond_init(&peer->changed, NULL);
    enum fovea_result result = start(peer);
    if (result < 0) {
        destroy(&peer->base);
        return result;
    }
    *out_peer = &peer->base;
    return FOVEA_OK;
}
