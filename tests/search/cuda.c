/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "search.h"

#if FOVEA_HAVE_CUDA

#include "kernels/cuda/cuda_device.h"

#include <stdio.h>

static struct cuda_device *device;
static CUstream stream;

static void print_line(void *user, enum fovea_log_level level, const char *message)
{
    fprintf(stderr, "%s\n", message);
}

static const struct fovea_log printed = {.fn = print_line, .min_level = FOVEA_LOG_WARNING};

bool search_cuda_open(void)
{
    return device || (cuda_device_create(0, printed, &device) == FOVEA_OK &&
                      cuda_device_push(device) == FOVEA_OK &&
                      cuda_device_create_stream(device, &stream) == FOVEA_OK);
}

static bool is_done(CUresult result)
{
    return CU_CHECK(printed, device->cu, result) == FOVEA_OK;
}

/* A copy from pageable memory may return before it is over, and other streams do not wait for
 * it. */
static bool upload(CUdeviceptr to, const void *from, size_t bytes)
{
    return is_done(device->cu->MemcpyHtoD(to, from, bytes)) &&
           is_done(device->cu->StreamSynchronize(NULL));
}

/* Memory of just so many bytes on the device, with the same in it. */
static bool copy_up(const void *memory, size_t bytes, CUdeviceptr *out_copy)
{
    return is_done(device->cu->MemAlloc(out_copy, bytes)) && upload(*out_copy, memory, bytes);
}

bool search_cuda_up(const struct search_memory *memory, struct search_copy *out)
{
    const size_t offset = (size_t)((unsigned char *)memory->first.data - memory->memory);
    out->images = *memory;
    if (!copy_up(memory->memory, memory->bytes, &out->address)) {
        return false;
    }
    out->images.first.data = (void *)(uintptr_t)(out->address + offset);
    out->images.first.memory = FOVEA_MEMORY_CUDA;
    return true;
}

bool search_cuda_down(const struct search_copy *copy, const struct search_memory *memory)
{
    return is_done(device->cu->MemcpyDtoH(memory->memory, copy->address, memory->bytes)) &&
           is_done(device->cu->MemFree(copy->address));
}

/* A run's memory on the device. */
struct cuda_run {
    const struct search_point *point;
    struct fovea_context *context;
    struct search_copy src, dst, sigmas, depths;
    CUdeviceptr gazes;
    struct search_given given; /* where the batch is told that they are */
};

static size_t gaze_bytes(const struct search_point *point)
{
    return 2 * sizeof(float) * search_images(point) * search_foveas(point);
}

/* Captured while gazes in CUDA memory were others, which come to be before the graph is launched.
 */
static bool run_graph(const struct cuda_run *run, const float *gazes_uv,
                      enum fovea_result *out_result)
{
    const size_t bytes = gaze_bytes(run->point);
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    bool done = is_done(device->cu->MemsetD8(run->gazes, 0, bytes)) &&
                is_done(device->cu->StreamSynchronize(NULL)) &&
                is_done(device->cu->StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    if (!done) {
        return false;
    }
    *out_result = search_batch_run(run->point, run->context, &run->src.images, &run->dst.images,
                                   &run->given, stream);
    done = is_done(device->cu->StreamEndCapture(stream, &graph)) &&
           upload(run->gazes, gazes_uv, bytes) &&
           is_done(device->cu->GraphInstantiateWithFlags(&exec, graph, 0)) &&
           is_done(device->cu->GraphLaunch(exec, stream)) &&
           is_done(device->cu->StreamSynchronize(stream));
    return done && is_done(device->cu->GraphExecDestroy(exec)) &&
           is_done(device->cu->GraphDestroy(graph));
}

static bool run_here(struct cuda_run *run, const float *gazes_uv, enum fovea_result *out_result)
{
    run->given.gazes_uv = run->point->cuda_gazes ? (const float *)(uintptr_t)run->gazes : gazes_uv;
    run->given.sigmas = run->sigmas.images;
    run->given.depths = run->depths.images;
    if (run->point->graph) {
        return run_graph(run, gazes_uv, out_result);
    }
    void *on = run->point->own_stream ? stream : NULL;
    *out_result = search_batch_run(run->point, run->context, &run->src.images, &run->dst.images,
                                   &run->given, on);
    return is_done(device->cu->StreamSynchronize(on));
}

bool search_cuda_run(const struct search_point *point, struct fovea_context *context,
                     struct search_memory *src, struct search_memory *dst,
                     const struct search_given *given, enum fovea_result *out_result)
{
    struct cuda_run run = {.point = point, .context = context};
    const size_t bytes = gaze_bytes(point);
    return search_cuda_up(src, &run.src) && search_cuda_up(dst, &run.dst) &&
           (!given->sigmas.memory || search_cuda_up(&given->sigmas, &run.sigmas)) &&
           (!given->depths.memory || search_cuda_up(&given->depths, &run.depths)) &&
           copy_up(given->gazes_uv, bytes, &run.gazes) &&
           run_here(&run, given->gazes_uv, out_result) && search_cuda_down(&run.src, src) &&
           search_cuda_down(&run.dst, dst) &&
           (!given->sigmas.memory || search_cuda_down(&run.sigmas, &given->sigmas)) &&
           (!given->depths.memory || search_cuda_down(&run.depths, &given->depths)) &&
           is_done(device->cu->MemFree(run.gazes));
}

#else

bool search_cuda_open(void)
{
    return false;
}

bool search_cuda_up(const struct search_memory *memory, struct search_copy *out)
{
    return false;
}

bool search_cuda_down(const struct search_copy *copy, const struct search_memory *memory)
{
    return false;
}

bool search_cuda_run(const struct search_point *point, struct fovea_context *context,
                     struct search_memory *src, struct search_memory *dst,
                     const struct search_given *given, enum fovea_result *out_result)
{
    return false;
}

#endif
