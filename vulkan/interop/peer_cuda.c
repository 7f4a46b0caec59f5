/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "peer_cuda.h"

#include "kernels/chain/chain.h"
#include "peer_cuda_state.h"

#include <stdlib.h>

/* ---- What is forgotten ----------------------------------------------------------------------- */

/* Within a frame nothing is waited for: jobs may wait for what the same thread does later. Plans
 * come from a pool of memory that can be taken and given back without waiting. On a device without
 * pools freeing waits for all that the device has to do, so that it is put off until no job is
 * left; where so many are forgotten that memory counts, there is no new plan until then. */
#define FORGOTTEN_PLANS_MAX 16

/* No job is left. The device is pushed. */
static bool is_idle(struct cuda_peer *peer)
{
    if (peer->cu->StreamQuery(peer->stream) != CUDA_SUCCESS) {
        return false;
    }
    peer->dirty = false;
    return true;
}

/* The device is pushed, or abandoned. */
static void free_plans(struct cuda_peer *peer)
{
    while (peer->forgotten_plans) {
        struct peer_plan *plan = peer->forgotten_plans;
        peer->forgotten_plans = plan->next;
        operator_cuda_plan_retire(peer->kernels, &plan->cuda);
        free(plan);
    }
    peer->forgotten_plan_count = 0;
}

void peer_cuda_free_images(struct cuda_peer *peer, struct peer_image **list)
{
    while (*list) {
        struct peer_image *image = *list;
        *list = image->next;
        if (!atomic_load(&peer->abandoned)) {
            peer_cuda_unmap_image(peer->device, image);
        }
        free(image);
    }
}

/* Frees what can be freed without waiting for jobs. The device is pushed. */
static void tidy(struct cuda_peer *peer)
{
    const bool waits = !operator_cuda_frees_without_waiting(peer->kernels);
    const bool busy = (peer->dirty || waits) && !is_idle(peer);
    if (!busy) {
        free_plans(peer);
        peer_cuda_free_images(peer, &peer->forgotten_images);
    }
    if (peer->outgrown_images && is_idle(peer)) {
        peer_cuda_free_images(peer, &peer->outgrown_images);
    }
}

/* ---- Images ---------------------------------------------------------------------------------- */

static enum fovea_result import_image(struct peer *base, const struct peer_image_desc *desc,
                                      struct peer_image **out_image)
{
    struct cuda_peer *peer = cuda(base);
    *out_image = NULL;
    FOVEA_TRY(cuda_device_push(peer->device));
    struct peer_image *image = calloc(1, sizeof *image);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    if (image) {
        image->format = desc->format;
        image->width_px = desc->width_px;
        image->height_px = desc->height_px;
        result = peer_cuda_map_image(peer->device, desc, image);
    }
    if (result == FOVEA_OK) {
        result = peer_cuda_between_for_image(peer, desc);
    }
    if (image && result != FOVEA_OK) {
        peer_cuda_unmap_image(peer->device, image);
        free(image);
    }
    cuda_device_pop(peer->device);
    if (result == FOVEA_OK) {
        struct os_handle theirs = desc->memory;
        os_handle_close(&theirs);
        *out_image = image;
    }
    return result;
}

static void forget_image(struct peer *base, struct peer_image **image)
{
    struct cuda_peer *peer = cuda(base);
    struct peer_image *old = *image;
    *image = NULL;
    if (!old) {
        return;
    }
    if (atomic_load(&peer->abandoned) || cuda_device_push(peer->device) != FOVEA_OK) {
        free(old);
        return;
    }
    if (peer->dirty && !is_idle(peer)) {
        old->next = peer->forgotten_images;
        peer->forgotten_images = old;
    } else {
        peer_cuda_unmap_image(peer->device, old);
        free(old);
    }
    cuda_device_pop(peer->device);
}

/* ---- Semaphores ------------------------------------------------------------------------------ */

static enum fovea_result import_semaphore(struct peer *base, const struct peer_semaphore_desc *desc,
                                          struct peer_semaphore **out_semaphore)
{
    struct cuda_peer *peer = cuda(base);
    *out_semaphore = NULL;
    struct peer_semaphore *semaphore = calloc(1, sizeof *semaphore);
    FOVEA_TRY_MEMORY(semaphore);
    enum fovea_result result = cuda_device_push(peer->device);
    if (result == FOVEA_OK) {
        result = peer_cuda_import_semaphore(peer->device, desc, &semaphore->handle);
        cuda_device_pop(peer->device);
    }
    if (result != FOVEA_OK) {
        free(semaphore);
        return result;
    }
    *out_semaphore = semaphore;
    return FOVEA_OK;
}

static void forget_semaphore(struct peer *base, struct peer_semaphore **semaphore)
{
    struct cuda_peer *peer = cuda(base);
    if (*semaphore && !atomic_load(&peer->abandoned) &&
        cuda_device_push(peer->device) == FOVEA_OK) {
        CU_WARN(peer->log, peer->cu, peer->cu->DestroyExternalSemaphore((*semaphore)->handle));
        cuda_device_pop(peer->device);
    }
    free(*semaphore);
    *semaphore = NULL;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static enum fovea_result import_plan(struct peer *base, const struct operator_plan *plan,
                                     struct peer_plan **out_plan)
{
    struct cuda_peer *peer = cuda(base);
    *out_plan = NULL;
    struct peer_plan *own = calloc(1, sizeof *own);
    FOVEA_TRY_MEMORY(own);
    own->plan = plan;
    enum fovea_result result = cuda_device_push(peer->device);
    if (result == FOVEA_OK) {
        tidy(peer);
        result =
            peer->forgotten_plan_count < FORGOTTEN_PLANS_MAX
                ? operator_cuda_plan_create(peer->kernels, plan, FOVEA_FORMAT_RGBA8, &own->cuda)
                : FOVEA_ERROR_OUT_OF_MEMORY;
        if (result == FOVEA_OK) {
            result = peer_cuda_between_for_plan(peer, plan);
        }
        if (result < 0) {
            operator_cuda_plan_retire(peer->kernels, &own->cuda);
        }
        cuda_device_pop(peer->device);
    }
    if (result != FOVEA_OK) {
        free(own);
        return result;
    }
    *out_plan = own;
    return FOVEA_OK;
}

static void forget_plan(struct peer *base, struct peer_plan **plan)
{
    struct cuda_peer *peer = cuda(base);
    if (!*plan) {
        return;
    }
    (*plan)->next = peer->forgotten_plans;
    peer->forgotten_plans = *plan;
    peer->forgotten_plan_count++;
    *plan = NULL;
    if (!atomic_load(&peer->abandoned) && cuda_device_push(peer->device) == FOVEA_OK) {
        tidy(peer);
        cuda_device_pop(peer->device);
    }
}

static void abandon(struct peer *base)
{
    struct cuda_peer *peer = cuda(base);
    atomic_store(&peer->abandoned, true);
    operator_cuda_abandon(peer->kernels);
}

static void drain(struct peer *base)
{
    struct cuda_peer *peer = cuda(base);
    if (!atomic_load(&peer->abandoned) && cuda_device_push(peer->device) == FOVEA_OK) {
        CU_WARN(peer->log, peer->cu, peer->cu->StreamSynchronize(peer->stream));
        tidy(peer);
        cuda_device_pop(peer->device);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void destroy_slots(struct cuda_peer *peer)
{
    for (uint32_t i = 0; peer->slots && i < peer->slot_count; i++) {
        CUevent events[] = {peer->slots[i].begin, peer->slots[i].end};
        for (int j = 0; j < 2; j++) {
            if (events[j]) {
                CU_WARN(peer->log, peer->cu, peer->cu->EventDestroy(events[j]));
            }
        }
    }
}

static void destroy_pushed(struct cuda_peer *peer)
{
    if (peer->stream) {
        CU_WARN(peer->log, peer->cu, peer->cu->StreamSynchronize(peer->stream));
    }
    peer_cuda_count_destroy(peer);
    destroy_slots(peer);
    free_plans(peer);
    peer_cuda_free_images(peer, &peer->forgotten_images);
    peer_cuda_between_destroy(peer);
    late_cuda_destroy(&peer->late);
    operator_cuda_destroy(&peer->kernels);
    if (peer->stream) {
        CU_WARN(peer->log, peer->cu, peer->cu->StreamDestroy(peer->stream));
    }
}

/* Frees what is ours alone and nothing that the device knows. */
static void leave(struct cuda_peer *peer)
{
    log_warning(peer->log, "cuda: an abandoned stream is left to the end of the process");
    free_plans(peer);
    peer_cuda_free_images(peer, &peer->forgotten_images);
    peer_cuda_between_destroy(peer);
    late_cuda_abandon(&peer->late);
    operator_cuda_destroy(&peer->kernels);
    cuda_device_abandon(&peer->device);
}

static void destroy(struct peer *base)
{
    struct cuda_peer *peer = cuda(base);
    if (atomic_load(&peer->abandoned)) {
        leave(peer);
    } else if (peer->device && cuda_device_push(peer->device) == FOVEA_OK) {
        destroy_pushed(peer);
        cuda_device_pop(peer->device);
    }
    cuda_device_destroy(&peer->device);
    free(peer->slots);
    free(peer);
}

static const struct peer_api api = {
    .name = "cuda",
    .backend = FOVEA_BACKEND_CUDA,
    .imports_handles = true,
    .destroy = destroy,
    .import_image = import_image,
    .forget_image = forget_image,
    .import_semaphore = import_semaphore,
    .forget_semaphore = forget_semaphore,
    .import_plan = import_plan,
    .forget_plan = forget_plan,
    .enqueue = peer_cuda_enqueue,
    .elapsed = peer_cuda_elapsed,
    .late_block = peer_cuda_late_block,
    .late_age = peer_cuda_late_age,
    .drain = drain,
    .abandon = abandon,
};

static enum fovea_result start_pushed(struct cuda_peer *peer)
{
    const struct cuda_driver *cu = peer->cu;
    FOVEA_TRY(operator_cuda_create(&chain_operator.cuda->kind, peer->device, &peer->kernels));
    FOVEA_TRY(cuda_device_create_stream(peer->device, &peer->stream));
    for (uint32_t i = 0; i < peer->slot_count; i++) {
        CU_TRY(peer->log, cu, cu->EventCreate(&peer->slots[i].begin, CU_EVENT_DEFAULT));
        CU_TRY(peer->log, cu, cu->EventCreate(&peer->slots[i].end, CU_EVENT_DEFAULT));
    }
    if (late_cuda_create(peer->device, peer->stream, peer->slot_count, &peer->late) < 0) {
        log_warning(peer->log, "cuda: gazes cannot be late; each frame keeps its own");
    }
    peer_cuda_count_create(peer);
    return FOVEA_OK;
}

static enum fovea_result start(struct cuda_peer *peer, int ordinal, enum fovea_cuda_context context)
{
    FOVEA_TRY(context == FOVEA_CUDA_CONTEXT_OWN
                  ? cuda_device_create_own(ordinal, peer->log, &peer->device)
                  : cuda_device_create(ordinal, peer->log, &peer->device));
    peer->cu = peer->device->cu;
    FOVEA_TRY(cuda_device_push(peer->device));
    enum fovea_result result = start_pushed(peer);
    cuda_device_pop(peer->device);
    return result;
}

enum fovea_result peer_cuda_available(const uint8_t device_uuid[16], struct fovea_log log)
{
    int ordinal = 0;
    return cuda_device_find(device_uuid, log, &ordinal);
}

enum fovea_result peer_cuda_create(const uint8_t device_uuid[16], uint32_t slot_count,
                                   enum fovea_cuda_context context, struct fovea_log log,
                                   struct peer **out_peer)
{
    *out_peer = NULL;
    int ordinal = 0;
    FOVEA_TRY(cuda_device_find(device_uuid, log, &ordinal));

    struct cuda_peer *peer = calloc(1, sizeof *peer);
    FOVEA_TRY_MEMORY(peer);
    peer->base.api = &api;
    peer->log = log;
    peer->slot_count = slot_count;
    peer->slots = calloc(slot_count, sizeof *peer->slots);
    enum fovea_result result =
        peer->slots ? start(peer, ordinal, context) : FOVEA_ERROR_OUT_OF_MEMORY;
    if (result != FOVEA_OK) {
        destroy(&peer->base);
        return result;
    }
    log_info(log,
             "cuda: %s, device %d, is the Vulkan device (UUIDs match); driver of CUDA %d.%d; %s",
             peer->device->name, ordinal, peer->cu->version / 1000, peer->cu->version % 1000 / 10,
             context == FOVEA_CUDA_CONTEXT_OWN ? "a context of our own" : "the primary context");
    *out_peer = &peer->base;
    return FOVEA_OK;
}
