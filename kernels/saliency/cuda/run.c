/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The launches of a picture, or of as many as there is memory for: the same for every picture of a
 * size. */

#include "saliency_cuda.h"

#include "core/bounds.h"
#include "core/thread_steps.h"
#include "kernels/image/image_slice.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Images that are under way together. */
struct saliency_cuda_group {
    struct saliency_cuda *cuda;
    CUstream stream; /* of all steps, or of the last ones */
    struct fovea_image first;
    ptrdiff_t next_bytes;
    uint32_t count;
    uint32_t half; /* of the memory */
    struct fovea_blob *out_blobs;
    uint32_t *out_counts;
    _Atomic enum fovea_result chosen;
};

#define FILTER_BLOCKS 600 /* wanted; more would take longer to find their planes than they save */
#define FILTER_SHARES_MOST 8

static const struct saliency_cuda_frame *frame_of(const struct saliency_cuda_group *group)
{
    return &group->cuda->frames[group->half];
}

/* ---- Launches */

static enum fovea_result launch(const struct saliency_cuda_group *group, CUfunction kernel,
                                const uint32_t blocks[3], const uint32_t threads[2],
                                uint32_t shared_bytes, void *params)
{
    const struct cuda_launch launch = {.kernel = kernel,
                                       .blocks = {blocks[0], blocks[1], blocks[2]},
                                       .threads = {threads[0], threads[1]},
                                       .shared_bytes = shared_bytes};
    return cuda_launch(group->cuda->device, group->stream, &launch, params);
}

static enum fovea_result clear(const struct saliency_cuda_group *group, uint64_t memory,
                               uint64_t bytes)
{
    const struct cuda_device *device = group->cuda->device;
    return bytes > 0 ? CU_CHECK(device->log, device->cu,
                                device->cu->MemsetD8Async(memory, 0, bytes, group->stream))
                     : FOVEA_OK;
}

static const uint32_t segment_threads[2] = {SALIENCY_CUDA_SEGMENT, SALIENCY_CUDA_ROWS};

static enum fovea_result make_bins(const struct saliency_cuda_group *group)
{
    const struct saliency_cuda *cuda = group->cuda;
    const enum fovea_format format = group->first.format;
    const struct saliency_range range = saliency_range_of(format);
    struct saliency_cuda_image params = {
        .src = image_linear_of(&group->first, group->next_bytes),
        .next_bytes = group->next_bytes,
        .width_px = cuda->frames[0].width_px,
        .height_px = cuda->frames[0].height_px,
        .most = range.most,
        .bin = range.bin,
        .bins = frame_of(group)->bins,
    };
    const uint32_t blocks[3] = {cuda_parts(params.width_px, SALIENCY_CUDA_SEGMENT),
                                cuda_parts(params.height_px, SALIENCY_CUDA_ROWS), group->count};
    return launch(group, cuda->bins.linear[format], blocks, segment_threads, 0, &params);
}

static enum fovea_result make_fine(const struct saliency_cuda_group *group)
{
    struct saliency_cuda_frame params = *frame_of(group);
    const uint32_t blocks[3] = {cuda_parts(params.width_px, SALIENCY_CUDA_STRIP_WIDTH),
                                cuda_parts(params.height_px, SALIENCY_CUDA_STRIP_HEIGHT),
                                group->count * group->cuda->channels};
    if (params.levels[0].scale_end == 0) {
        return FOVEA_OK;
    }
    static const uint32_t threads[2] = {32, SALIENCY_CUDA_STRIP_WARPS};
    return launch(group, group->cuda->fine, blocks, threads, 0, &params);
}

/* Blocks that share a strip's planes: many where few strips would leave multiprocessors idle, few
 * where that many blocks would look for planes longer than they make or filter them. */
static uint32_t shares_of(uint32_t strips)
{
    const uint32_t shares = strips > 0 ? FILTER_BLOCKS / strips + 1 : 1;
    return shares < FILTER_SHARES_MOST ? shares : FILTER_SHARES_MOST;
}

/* Launches blocks of 32 x 8 threads. */
static enum fovea_result launch_strips(const struct saliency_cuda_group *group, CUfunction kernel,
                                       uint32_t strips, uint32_t layers,
                                       struct saliency_cuda_frame *params)
{
    const uint32_t grid[3] = {strips, shares_of(strips * layers), layers};
    static const uint32_t threads[2] = {32, SALIENCY_CUDA_STRIP_WARPS};
    return launch(group, kernel, grid, threads, 0, params);
}

/* A level's planes are there before the next one's are made. */
static enum fovea_result make_planes(const struct saliency_cuda_group *group, uint32_t first,
                                     uint32_t layers)
{
    const struct saliency_cuda *cuda = group->cuda;
    struct saliency_cuda_frame params = *frame_of(group);
    const uint32_t parts[3] = {
        cuda_parts(params.width_px * params.height_px, SALIENCY_CUDA_PRESENT_PIXELS), 1, layers};
    static const uint32_t threads[2] = {SALIENCY_CUDA_THREADS, 1};
    params.layer_first = first;
    FOVEA_TRY(launch(group, cuda->present, parts, threads, 0, &params));
    for (params.level = 1; params.level < params.level_count; params.level++) {
        const struct saliency_cuda_level *level = &params.levels[params.level];
        const uint32_t strips = cuda_parts(level->pitch, SALIENCY_CUDA_SEGMENT) *
                                cuda_parts(level->y.count, SALIENCY_CUDA_PLANE_HEIGHT);
        FOVEA_TRY(launch_strips(group, params.level == 1 ? cuda->first_planes : cuda->next_planes,
                                strips, layers, &params));
    }
    return FOVEA_OK;
}

static enum fovea_result make_filtered(const struct saliency_cuda_group *group, uint32_t first,
                                       uint32_t layers)
{
    struct saliency_cuda_frame params = *frame_of(group);
    params.layer_first = first;
    return launch_strips(group, group->cuda->filter, group->cuda->strips, layers, &params);
}

static enum fovea_result make_coarse(const struct saliency_cuda_group *group, uint32_t first,
                                     uint32_t layers)
{
    FOVEA_TRY(make_planes(group, first, layers));
    return make_filtered(group, first, layers);
}

static enum fovea_result find_maxima(const struct saliency_cuda_group *group)
{
    const struct saliency_cuda *cuda = group->cuda;
    struct saliency_cuda_frame params = *frame_of(group);
    const uint32_t pixels[3] = {cuda_parts(params.width_px, SALIENCY_CUDA_MAXIMA_WIDTH),
                                cuda_parts(params.height_px, SALIENCY_CUDA_MAXIMA_HEIGHT),
                                group->count};
    static const uint32_t threads[2] = {SALIENCY_CUDA_MAXIMA_WIDTH, SALIENCY_CUDA_MAXIMA_ROWS};
    FOVEA_TRY(clear(group, params.counts, sizeof(uint32_t) * group->count));
    return launch(group, cuda->maxima, pixels, threads, 0, &params);
}

static enum fovea_result report(const struct saliency_cuda_group *group)
{
    const struct saliency_cuda *cuda = group->cuda;
    static const uint32_t threads[2] = {SALIENCY_CUDA_THREADS, 1};
    const uint32_t images[3] = {group->count, 1, 1};
    const uint64_t first = (uint64_t)group->half * cuda->images * cuda->reported;
    const struct saliency_cuda_frame *frame = frame_of(group);
    struct saliency_cuda_report params = {
        .candidates = frame->candidates,
        .counts = frame->counts,
        .out_candidates = cuda->report_device + first * sizeof(struct saliency_candidate),
        .out_counts = cuda->report_device +
                      (uint64_t)cuda->halves * cuda->images * cuda->reported *
                          sizeof(struct saliency_candidate) +
                      (uint64_t)group->half * cuda->images * sizeof(uint32_t),
        .candidate_most = frame->candidate_most,
        .out_most = cuda->reported,
    };
    return launch(group, cuda->report, images, threads, 0, &params);
}

/* Makes the layers that there is memory for at once. */
static enum fovea_result enqueue_coarse(
    const struct saliency_cuda_group *group,
    enum fovea_result (*make)(const struct saliency_cuda_group *group, uint32_t first,
                              uint32_t layers))
{
    const struct saliency_cuda *cuda = group->cuda;
    const uint32_t layers = group->count * cuda->channels;
    for (uint32_t first = 0; cuda->strips > 0 && first < layers; first += cuda->layers) {
        FOVEA_TRY(make(group, first, bounds_smaller_u32(layers - first, cuda->layers)));
    }
    return FOVEA_OK;
}

static enum fovea_result enqueue(const struct saliency_cuda_group *group,
                                 enum saliency_cuda_step step)
{
    const struct saliency_cuda_frame *frame = frame_of(group);
    switch (step) {
    case SALIENCY_CUDA_BINS:
        FOVEA_TRY(clear(group, frame->present,
                        frame->responses - frame->present +
                            sizeof(int32_t) * group->count * frame->response_count));
        return make_bins(group);
    case SALIENCY_CUDA_FINE:
        return make_fine(group);
    case SALIENCY_CUDA_PLANES:
        return enqueue_coarse(group, make_planes);
    case SALIENCY_CUDA_FILTER:
        return enqueue_coarse(group, make_filtered);
    case SALIENCY_CUDA_COARSE:
        return enqueue_coarse(group, make_coarse);
    case SALIENCY_CUDA_MAXIMA:
        return find_maxima(group);
    case SALIENCY_CUDA_REPORT:
        return report(group);
    }
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

/* Makes what is enqueued on `to` from now on wait for `from`. */
static enum fovea_result follow(const struct saliency_cuda *cuda, CUstream from, CUevent event,
                                CUstream to)
{
    const struct cuda_device *device = cuda->device;
    CU_TRY(device->log, device->cu, device->cu->EventRecord(event, from));
    CU_TRY(device->log, device->cu, device->cu->StreamWaitEvent(to, event, 0));
    return FOVEA_OK;
}

static enum fovea_result enqueue_on(const struct saliency_cuda_group *group,
                                    enum saliency_cuda_step step, CUstream stream)
{
    struct saliency_cuda_group beside = *group;
    beside.stream = stream;
    return enqueue(&beside, step);
}

/* Bins and coarser levels of a group do not wait for candidates of the one before it. */
static enum fovea_result make_responses(const struct saliency_cuda_group *group)
{
    const struct saliency_cuda *cuda = group->cuda;
    FOVEA_TRY(enqueue_on(group, SALIENCY_CUDA_BINS, cuda->coarse_stream));
    FOVEA_TRY(follow(cuda, cuda->coarse_stream, cuda->binned, cuda->fine_stream));
    FOVEA_TRY(enqueue_on(group, SALIENCY_CUDA_COARSE, cuda->coarse_stream));
    FOVEA_TRY(enqueue_on(group, SALIENCY_CUDA_FINE, cuda->fine_stream));
    FOVEA_TRY(follow(cuda, cuda->coarse_stream, cuda->coarse_done, group->stream));
    return follow(cuda, cuda->fine_stream, cuda->fine_done, group->stream);
}

/* Waits for what was enqueued before a call failed: then nothing reads the picture or the memory.
 */
static void wait_for_all(const struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    CU_WARN(device->log, device->cu, device->cu->StreamSynchronize(cuda->coarse_stream));
    CU_WARN(device->log, device->cu, device->cu->StreamSynchronize(cuda->fine_stream));
    CU_WARN(device->log, device->cu, device->cu->StreamSynchronize(cuda->maxima_stream));
}

static enum fovea_result make_candidates(const struct saliency_cuda_group *group)
{
    FOVEA_TRY(enqueue(group, SALIENCY_CUDA_MAXIMA));
    return enqueue(group, SALIENCY_CUDA_REPORT);
}

static enum fovea_result wait(const struct saliency_cuda_group *group)
{
    const struct cuda_device *device = group->cuda->device;
    CU_TRY(device->log, device->cu, device->cu->StreamSynchronize(group->stream));
    return FOVEA_OK;
}

/* ---- From candidates that have come back to lists */

static struct saliency_candidate *reported(const struct saliency_cuda_group *group, uint32_t image)
{
    const struct saliency_cuda *cuda = group->cuda;
    return (struct saliency_candidate *)cuda->report_memory +
           ((size_t)group->half * cuda->images + image) * cuda->reported;
}

static uint32_t reported_count(const struct saliency_cuda_group *group, uint32_t image)
{
    const struct saliency_cuda *cuda = group->cuda;
    const void *counts = (struct saliency_candidate *)cuda->report_memory +
                         (size_t)cuda->halves * cuda->images * cuda->reported;
    return ((const uint32_t *)counts)[group->half * cuda->images + image];
}

/* Fetches all candidates of an image that has more of them than are reported. */
static enum fovea_result fetch(const struct saliency_cuda_group *group, uint32_t image,
                               uint32_t count, struct saliency_candidate **out)
{
    const struct cuda_device *device = group->cuda->device;
    const struct saliency_cuda_frame *frame = frame_of(group);
    const uint64_t first = (uint64_t)image * frame->candidate_most;
    CUstreamCaptureMode before;
    *out = malloc(count * sizeof **out);
    FOVEA_TRY_MEMORY(*out);
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
    struct saliency_candidates candidates = {.of = reported(group, image),
                                             .count = reported_count(group, image),
                                             .most = saliency_candidates_most(plan)};
    struct saliency_candidate *fetched = NULL;
    enum fovea_result result = FOVEA_OK;
    if (candidates.count > group->cuda->reported) {
        result = fetch(group, image, candidates.count, &fetched);
        candidates.of = fetched;
    }
    if (result >= 0) {
        group->out_counts[image] = saliency_prune(
            plan, &candidates, group->out_blobs + (size_t)image * plan->numbers.blob_max);
    }
    free(fetched);
    return result;
}

static void choose_one(void *user, uint32_t worker, int32_t image)
{
    struct saliency_cuda_group *group = user;
    const enum fovea_result result = choose(group, (uint32_t)image);
    (void)worker;
    if (result < 0) {
        atomic_store(&group->chosen, result);
    }
}

static enum fovea_result choose_all(struct saliency_cuda_group *group, struct thread_pool *pool)
{
    if (group->count == 1) {
        return choose(group, 0);
    }
    const uint32_t workers = thread_pool_grow(pool, thread_pool_worker_max(pool));
    thread_chunks_run((int32_t)group->count, pool, workers, choose_one, group);
    return atomic_load(&group->chosen);
}

/* ---- Groups */

static uint32_t most_candidates(const struct saliency_cuda_group *group)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t count = reported_count(group, i);
        most = count > most ? count : most;
    }
    return most;
}

static enum fovea_result begin_group(const struct saliency_cuda_group *group)
{
    const struct cuda_device *device = group->cuda->device;
    FOVEA_TRY(make_responses(group));
    FOVEA_TRY(make_candidates(group));
    CU_TRY(device->log, device->cu,
           device->cu->EventRecord(group->cuda->reported_at[group->half], group->stream));
    return FOVEA_OK;
}

/* Finds those of both groups that are under way again, with more places than there were. */
static enum fovea_result find_more(const struct saliency_cuda_group *group,
                                   const struct saliency_cuda_group *after, uint32_t most)
{
    FOVEA_TRY(wait(group));
    FOVEA_TRY(saliency_cuda_make_candidates(group->cuda, most));
    FOVEA_TRY(make_candidates(group));
    FOVEA_TRY(after ? make_candidates(after) : FOVEA_OK);
    return wait(group);
}

/* Chooses blobs while the device works on the group after it, if there is one. */
static enum fovea_result end_group(struct saliency_cuda_group *group,
                                   const struct saliency_cuda_group *after,
                                   struct thread_pool *pool)
{
    struct saliency_cuda *cuda = group->cuda;
    const struct cuda_device *device = cuda->device;
    CU_TRY(device->log, device->cu, device->cu->EventSynchronize(cuda->reported_at[group->half]));
    const uint32_t most = most_candidates(group);
    if (most > frame_of(group)->candidate_most) {
        FOVEA_TRY(find_more(group, after, most));
    }
    return choose_all(group, pool);
}

static struct saliency_cuda_group group_of(struct saliency_cuda *cuda,
                                           const struct saliency_cuda_run *run, uint32_t first)
{
    return (struct saliency_cuda_group){
        .cuda = cuda,
        .half = first / cuda->images % cuda->halves,
        .stream = run->stream,
        .first = image_of_batch(run->src, run->src_next_bytes, first),
        .next_bytes = run->src_next_bytes,
        .count = bounds_smaller_u32(run->image_count - first, cuda->images),
        .out_blobs = run->out_blobs + (size_t)first * cuda->plan->numbers.blob_max,
        .out_counts = run->out_counts + first,
    };
}

static enum fovea_result run_groups(struct saliency_cuda *cuda, const struct saliency_cuda_run *run)
{
    struct saliency_cuda_group groups[2];
    struct saliency_cuda_group *before = NULL;
    FOVEA_TRY(follow(cuda, run->stream, cuda->begun, cuda->coarse_stream));
    for (uint32_t first = 0; first < run->image_count; first += cuda->images) {
        struct saliency_cuda_group *group = &groups[first / cuda->images % 2];
        *group = group_of(cuda, run, first);
        group->stream = cuda->maxima_stream;
        cuda->last_responses = frame_of(group)->responses + (group->count - 1) * sizeof(int32_t) *
                                                                frame_of(group)->response_count;
        FOVEA_TRY(begin_group(group));
        FOVEA_TRY(before ? end_group(before, group, run->pool) : FOVEA_OK);
        before = group;
    }
    return before ? end_group(before, NULL, run->pool) : FOVEA_OK;
}

enum fovea_result saliency_cuda_enqueue(struct saliency_cuda *cuda,
                                        const struct saliency_cuda_run *run,
                                        enum saliency_cuda_step step)
{
    for (uint32_t first = 0; first < run->image_count; first += cuda->images) {
        const struct saliency_cuda_group group = group_of(cuda, run, first);
        FOVEA_TRY(enqueue(&group, step));
    }
    return FOVEA_OK;
}

enum fovea_result saliency_cuda_refuse_capture(const struct saliency_cuda *cuda, CUstream stream)
{
    struct cuda_capture capture;
    FOVEA_TRY(cuda_device_push(cuda->device));
    const enum fovea_result result = cuda_capture_of(cuda->device, stream, &capture);
    cuda_device_pop(cuda->device);
    FOVEA_TRY(result);
    if (capture.id != 0) {
        log_error(cuda->device->log, "blobs: the stream is being captured");
        return FOVEA_ERROR_INVALID_STATE;
    }
    return FOVEA_OK;
}

enum fovea_result saliency_cuda_find(struct saliency_cuda *cuda,
                                     const struct saliency_cuda_run *run)
{
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_capture_enter(cuda->device, &before));
    const enum fovea_result result = run_groups(cuda, run);
    if (result < 0) {
        wait_for_all(cuda);
    }
    cuda_capture_leave(cuda->device, before);
    return result;
}

enum fovea_result saliency_cuda_read(const struct saliency_cuda *cuda, int32_t *out)
{
    const struct cuda_device *device = cuda->device;
    const uint64_t bytes = cuda->frames[0].response_count * sizeof *out;
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_capture_enter(cuda->device, &before));
    const enum fovea_result result =
        CU_CHECK(device->log, device->cu, device->cu->MemcpyDtoH(out, cuda->last_responses, bytes));
    cuda_capture_leave(cuda->device, before);
    return result;
}
