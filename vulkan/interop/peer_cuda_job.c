/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "peer_cuda_state.h"

#include "kernels/chain/chain.h"

static enum fovea_result enqueue_wait(struct cuda_peer *peer, const struct peer_job *job)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params = {0};
    params.params.fence.value = job->wait_value;
    CU_TRY(peer->log, peer->cu,
           peer->cu->WaitExternalSemaphoresAsync(&job->wait->handle, &params, 1, peer->stream));
    return FOVEA_OK;
}

static enum fovea_result enqueue_signal(struct cuda_peer *peer, const struct peer_job *job)
{
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params = {0};
    params.params.fence.value = job->signal_value;
    CU_TRY(peer->log, peer->cu,
           peer->cu->SignalExternalSemaphoresAsync(&job->signal->handle, &params, 1, peer->stream));
    return FOVEA_OK;
}

static enum fovea_result enqueue_views(struct cuda_peer *peer, const struct peer_job *job,
                                       CUdeviceptr gazes)
{
    const struct peer_cuda_between *between = peer_cuda_between_of(peer, job->src->format);
    for (uint32_t i = 0; i < job->view_count; i++) {
        const struct peer_view *view = &job->views[i];
        struct operator_cuda_run run = {.plan = view->plan->plan,
                                        .cuda_plan = view->plan->cuda,
                                        .frame = &view->frame,
                                        .stream = peer->stream,
                                        .stream_kept = true,
                                        .gazes = gazes};
        for (uint32_t j = 0; j < view->plan->plan->images_between; j++) {
            run.between[j] = between->images[j]->surface;
        }
        FOVEA_TRY(chain_operator.cuda->run_surface(peer->kernels, &run, job->src->format,
                                                   job->src->surface, job->dst->surface));
    }
    return FOVEA_OK;
}

static enum fovea_result record(struct cuda_peer *peer, const struct peer_job *job, CUevent event)
{
    if (job->timed) {
        CU_TRY(peer->log, peer->cu, peer->cu->EventRecord(event, peer->stream));
    }
    return FOVEA_OK;
}

static enum fovea_result enqueue_work(struct cuda_peer *peer, const struct peer_job *job)
{
    struct slot *slot = &peer->slots[job->slot];
    CUdeviceptr gazes = 0;
    slot->late = job->late.on && peer->late;
    if (slot->late) {
        FOVEA_TRY(late_cuda_latch(peer->late, peer->stream, job->slot, &job->late.own, &gazes));
    }
    FOVEA_TRY(record(peer, job, slot->begin));
    FOVEA_TRY(enqueue_views(peer, job, gazes));
    return record(peer, job, slot->end);
}

/* Launches that were made go on whatever failed, and the signal comes after them. It is tried once
 * more, because without it nobody could know when that is. */
static enum peer_answer end_job(struct cuda_peer *peer, const struct peer_job *job,
                                enum fovea_result *out_result)
{
    *out_result = enqueue_signal(peer, job);
    if (*out_result < 0 && *out_result != FOVEA_ERROR_DEVICE_LOST) {
        *out_result = enqueue_signal(peer, job);
    }
    if (*out_result == FOVEA_OK) {
        peer_cuda_count(peer, job);
    }
    return *out_result == FOVEA_OK                  ? PEER_SIGNALS
           : *out_result == FOVEA_ERROR_DEVICE_LOST ? PEER_IS_STILL
                                                    : PEER_MAY_RUN;
}

static enum fovea_result enqueue_all(struct cuda_peer *peer, const struct peer_job *job,
                                     enum peer_answer *out_answer)
{
    struct slot *slot = &peer->slots[job->slot];
    slot->timed = slot->late = false;
    FOVEA_TRY(enqueue_wait(peer, job));
    const enum fovea_result worked = enqueue_work(peer, job);
    if (worked == FOVEA_ERROR_DEVICE_LOST) {
        return worked; /* the context is lost, and with it what was launched */
    }
    enum fovea_result ended = FOVEA_OK;
    *out_answer = end_job(peer, job, &ended);
    slot->timed = job->timed && worked == FOVEA_OK && ended == FOVEA_OK;
    return worked < 0 ? worked : ended;
}

static bool view_fits(const struct peer_view *view, const struct peer_image *image)
{
    const struct operator_frame *frame = &view->frame;
    return view->plan && frame->origin_x_px >= 0 && frame->origin_y_px >= 0 &&
           (int64_t)frame->origin_x_px + frame->width_px <= image->width_px &&
           (int64_t)frame->origin_y_px + frame->height_px <= image->height_px;
}

/* Surfaces trap outside their size: a job that does not fit must not reach the device. */
static bool job_fits(const struct cuda_peer *peer, const struct peer_job *job)
{
    for (uint32_t i = 0; i < job->view_count; i++) {
        if (!view_fits(&job->views[i], job->src) || !view_fits(&job->views[i], job->dst)) {
            return false;
        }
    }
    return job->src->format == job->dst->format && job->view_count > 0 &&
           job->view_count <= PEER_MAX_VIEWS && job->slot < peer->slot_count;
}

enum fovea_result peer_cuda_enqueue(struct peer *base, const struct peer_job *job,
                                    enum peer_answer *out_answer)
{
    struct cuda_peer *peer = cuda(base);
    *out_answer = PEER_IS_STILL;
    if (atomic_load(&peer->abandoned)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    if (!job_fits(peer, job)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(cuda_device_push(peer->device));
    enum fovea_result result = enqueue_all(peer, job, out_answer);
    peer->dirty = peer->dirty || result != FOVEA_OK;
    cuda_device_pop(peer->device);
    return result;
}

enum fovea_result peer_cuda_elapsed(struct peer *base, uint32_t slot, double *out_us)
{
    struct cuda_peer *peer = cuda(base);
    *out_us = 0.0;
    if (slot >= peer->slot_count || !peer->slots[slot].timed) {
        return FOVEA_NOT_READY;
    }
    const struct slot *times = &peer->slots[slot];
    float elapsed_ms = 0.0f;
    FOVEA_TRY(cuda_device_push(peer->device));
    /* It knows whether they have happened. */
    const enum fovea_result result = CU_CHECK(
        peer->log, peer->cu, peer->cu->EventElapsedTime(&elapsed_ms, times->begin, times->end));
    cuda_device_pop(peer->device);
    *out_us = result == FOVEA_OK ? (double)elapsed_ms * 1e3 : 0.0;
    return result;
}

uint32_t *peer_cuda_late_block(struct peer *base)
{
    struct cuda_peer *peer = cuda(base);
    return peer->late ? late_cuda_block(peer->late) : NULL;
}

enum fovea_result peer_cuda_late_age(struct peer *base, uint32_t slot, int64_t *out_age_ns)
{
    struct cuda_peer *peer = cuda(base);
    const bool known = slot < peer->slot_count && peer->slots[slot].late &&
                       !atomic_load(&peer->abandoned) &&
                       late_cuda_age(peer->late, slot, out_age_ns);
    return known ? FOVEA_OK : FOVEA_NOT_READY;
}
