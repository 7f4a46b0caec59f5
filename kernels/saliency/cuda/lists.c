/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* From candidates that have come back to lists. */

#include "group.h"

#include "core/thread_pool.h"

#include <stdlib.h>

static struct saliency_candidate *reported(const struct saliency_cuda *cuda, uint32_t image)
{
    return (struct saliency_candidate *)cuda->report_memory + (size_t)image * cuda->reported;
}

uint32_t saliency_cuda_reported(const struct saliency_cuda *cuda, uint32_t image)
{
    return ((const uint32_t *)(const void *)reported(cuda, cuda->images))[image];
}

/* All candidates of an image with more of them than are reported. */
static enum fovea_result fetch(const struct saliency_cuda_group *group, uint32_t image,
                               uint32_t count, struct saliency_candidate **out)
{
    const struct cuda_device *device = group->cuda->device;
    const struct saliency_cuda_frame *frame = &group->cuda->frame;
    const uint64_t first = (uint64_t)image * frame->candidate_most;
    CUstreamCaptureMode before;
    *out = malloc(count * sizeof **out);
    if (!*out) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    FOVEA_TRY(cuda_capture_enter(device, &before));
    const enum fovea_result result =
        CU_CHECK(device->log, device->cu,
                 device->cu->MemcpyDtoH(*out, frame->candidates + first * sizeof **out,
                                        count * sizeof **out));
    cuda_capture_leave(device, before);
    return result;
}

static enum fovea_result choose(struct saliency_cuda_group *group, uint32_t image)
{
    const struct saliency_plan *plan = group->cuda->plan;
    struct saliency_candidates candidates = {.of = reported(group->cuda, image),
                                             .count = saliency_cuda_reported(group->cuda, image),
                                             .most = saliency_candidates_most(plan)};
    struct saliency_candidate *fetched = NULL;
    enum fovea_result result = FOVEA_OK;
    if (candidates.count > group->cuda->reported) {
        result = fetch(group, image, candidates.count, &fetched);
        candidates.of = fetched;
    }
    if (result >= 0) {
        group->out_counts[image] =
            saliency_prune(&candidates, plan->numbers.overlap, plan->numbers.blob_max,
                           group->out_blobs + (size_t)image * plan->numbers.blob_max);
    }
    free(fetched);
    return result;
}

static void choose_some(void *user, uint32_t worker)
{
    struct saliency_cuda_group *group = user;
    (void)worker;
    uint32_t image = atomic_fetch_add(&group->next, 1);
    while (image < group->count) {
        const enum fovea_result result = choose(group, image);
        if (result < 0) {
            atomic_store(&group->chosen, result);
        }
        image = atomic_fetch_add(&group->next, 1);
    }
}

enum fovea_result saliency_cuda_choose(struct saliency_cuda_group *group, struct thread_pool *pool)
{
    if (group->count == 1) {
        return choose(group, 0);
    }
    const uint32_t workers = thread_pool_grow(pool, thread_pool_worker_max(pool));
    thread_pool_share(pool, workers, choose_some, group);
    return atomic_load(&group->chosen);
}
