/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The device's memory for pictures of a size. */

#include "saliency_cuda.h"

#include "kernels/image/image_slice.h"

#include <stdlib.h>

#define PART_BYTES 256 /* what parts of memory are aligned to */
#define REPORTED 2048
#define FAR_SAMPLE_BYTES (UINT64_C(4) * SALIENCY_BINS)
#define GRID_MOST 65535 /* along z */

/* Nothing is under way: every call has waited for its work. */
void saliency_cuda_free_memory(struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    cuda_device_free(device, &cuda->memory);
    cuda_device_free(device, &cuda->candidates);
    if (cuda->report_memory) {
        CU_WARN(device->log, device->cu, device->cu->MemFreeHost(cuda->report_memory));
    }
    cuda->report_memory = NULL;
    cuda->plan = NULL;
    cuda->images = 0;
    cuda->bytes = 0;
    cuda->pinned_bytes = 0;
}

static uint64_t place(uint64_t bytes, uint64_t *total)
{
    const uint64_t at = *total;
    *total += (bytes + PART_BYTES - 1) / PART_BYTES * PART_BYTES;
    return at;
}

static uint64_t pixels_of(const struct saliency_plan *plan)
{
    return (uint64_t)plan->width_px * (uint64_t)plan->height_px;
}

/* Places from 0 on. How many bytes all take: the result. */
static uint64_t place_all(struct saliency_cuda *cuda, uint64_t kernel_bytes, uint64_t tap_bytes)
{
    struct saliency_cuda_frame *frame = &cuda->frame;
    const uint64_t layers = (uint64_t)cuda->images * cuda->channels;
    uint64_t bytes = 0;
    frame->kernels = place(kernel_bytes, &bytes);
    frame->taps = place(tap_bytes, &bytes);
    frame->bins = place(layers * pixels_of(cuda->plan), &bytes);
    frame->planes = place(sizeof(float) * cuda->layers * frame->plane_samples, &bytes);
    frame->masks_at = place(UINT64_C(16) * cuda->layers * (uint64_t)frame->masks, &bytes);
    frame->far_sums = place(FAR_SAMPLE_BYTES * cuda->layers * (uint64_t)frame->far_samples, &bytes);
    frame->responses = place(sizeof(int32_t) * cuda->images * frame->response_count, &bytes);
    frame->counts = place(sizeof(uint32_t) * cuda->images, &bytes);
    return bytes;
}

static void move_all(struct saliency_cuda_frame *frame, uint64_t by)
{
    uint64_t *const places[] = {&frame->kernels,   &frame->taps,     &frame->bins,
                                &frame->planes,    &frame->masks_at, &frame->far_sums,
                                &frame->responses, &frame->counts};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        *places[i] += by;
    }
}

/* Returns the bytes of a layer's planes and masks. */
static uint64_t layer_bytes(const struct saliency_cuda *cuda)
{
    return sizeof(float) * cuda->frame.plane_samples + UINT64_C(16) * (uint64_t)cuda->frame.masks +
           FAR_SAMPLE_BYTES * (uint64_t)cuda->frame.far_samples;
}

/* Returns those of an image beside them: bins, responses, candidates, and those that are reported.
 */
static uint64_t image_bytes(const struct saliency_cuda *cuda)
{
    const uint64_t candidates = (uint64_t)saliency_candidates_most(cuda->plan) + REPORTED;
    return cuda->channels * pixels_of(cuda->plan) + sizeof(int32_t) * cuda->frame.response_count +
           candidates * sizeof(struct saliency_candidate) + 2 * sizeof(uint32_t);
}

static uint32_t images_for(const struct saliency_cuda *cuda, uint32_t image_count)
{
    const uint64_t bytes = image_bytes(cuda) + cuda->channels * layer_bytes(cuda);
    const uint32_t fit = image_slice_capacity(image_count, bytes, SALIENCY_CUDA_MOST_BYTES);
    return image_slice_smaller(image_slice_smaller(fit, image_count), GRID_MOST / 3);
}

/* Returns how many layers of one image fit. */
static uint32_t layers_for(const struct saliency_cuda *cuda)
{
    const uint64_t other = image_bytes(cuda);
    const uint64_t left = other < SALIENCY_CUDA_MOST_BYTES ? SALIENCY_CUDA_MOST_BYTES - other : 0;
    const uint64_t fit = left / (layer_bytes(cuda) + 1);
    const uint32_t all = cuda->images * cuda->channels;
    return cuda->images > 1 || fit >= all ? all : fit > 0 ? (uint32_t)fit : 1;
}

static enum fovea_result upload(const struct cuda_device *device, CUdeviceptr to, const void *from,
                                size_t bytes)
{
    return bytes > 0 ? CU_CHECK(device->log, device->cu, device->cu->MemcpyHtoD(to, from, bytes))
                     : FOVEA_OK;
}

static enum fovea_result upload_tables(const struct saliency_cuda *cuda,
                                       const struct saliency_cuda_tables *tables)
{
    const struct cuda_device *device = cuda->device;
    const size_t bytes = tables->kernel_bytes + tables->tap_bytes;
    unsigned char *made = calloc(1, bytes + 1);
    if (!made) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    saliency_cuda_fill_tables(cuda, (int32_t *)(void *)made,
                              (int32_t *)(void *)(made + tables->kernel_bytes));
    enum fovea_result result = upload(device, cuda->frame.kernels, made, tables->kernel_bytes);
    if (result >= 0) {
        result = upload(device, cuda->frame.taps, made + tables->kernel_bytes, tables->tap_bytes);
    }
    free(made);
    return result;
}

static uint64_t report_bytes(const struct saliency_cuda *cuda)
{
    return cuda->images *
           (sizeof(uint32_t) + (uint64_t)cuda->reported * sizeof(struct saliency_candidate));
}

static enum fovea_result make_report(struct saliency_cuda *cuda)
{
    const struct cuda_device *device = cuda->device;
    const struct cuda_driver *cu = device->cu;
    cuda->reported = REPORTED;
    cuda->pinned_bytes = report_bytes(cuda);
    CU_TRY(device->log, cu,
           cu->MemHostAlloc(&cuda->report_memory, report_bytes(cuda),
                            CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    CU_TRY(device->log, cu,
           cu->MemHostGetDevicePointer(&cuda->report_device, cuda->report_memory, 0));
    return FOVEA_OK;
}

static uint64_t candidate_bytes(const struct saliency_cuda *cuda, uint32_t most)
{
    return (uint64_t)cuda->images * most * sizeof(struct saliency_candidate);
}

enum fovea_result saliency_cuda_make_candidates(struct saliency_cuda *cuda, uint32_t most)
{
    const struct cuda_device *device = cuda->device;
    const uint64_t bytes = candidate_bytes(cuda, most);
    CUdeviceptr made = 0;
    CU_TRY(device->log, device->cu, device->cu->MemAlloc(&made, bytes));
    if (cuda->candidates) {
        cuda->bytes -= candidate_bytes(cuda, cuda->frame.candidate_most);
    }
    cuda_device_free(device, &cuda->candidates);
    cuda->bytes += bytes;
    cuda->candidates = made;
    cuda->frame.candidates = made;
    cuda->frame.candidate_most = most;
    return FOVEA_OK;
}

static enum fovea_result make_memory(struct saliency_cuda *cuda, uint32_t image_count)
{
    const struct cuda_device *device = cuda->device;
    const struct saliency_cuda_tables tables = saliency_cuda_fill_frame(cuda);
    cuda->images = images_for(cuda, image_count);
    cuda->layers = layers_for(cuda);
    cuda->bytes = place_all(cuda, tables.kernel_bytes, tables.tap_bytes);
    CU_TRY(device->log, device->cu, device->cu->MemAlloc(&cuda->memory, cuda->bytes));
    move_all(&cuda->frame, cuda->memory);
    FOVEA_TRY(saliency_cuda_make_candidates(cuda, saliency_candidates_most(cuda->plan)));
    FOVEA_TRY(make_report(cuda));
    return upload_tables(cuda, &tables);
}

enum fovea_result saliency_cuda_reserve(struct saliency_cuda *cuda,
                                        const struct saliency_plan *plan, uint32_t channels,
                                        uint32_t image_count)
{
    const bool had = cuda->images > 0 && cuda->plan == plan && cuda->channels == channels;
    if (had && images_for(cuda, image_count) <= cuda->images) {
        return FOVEA_OK;
    }
    CUstreamCaptureMode before;
    FOVEA_TRY(cuda_capture_enter(cuda->device, &before));
    saliency_cuda_free_memory(cuda);
    cuda->plan = plan;
    cuda->channels = channels;
    const enum fovea_result result = make_memory(cuda, image_count);
    if (result < 0) {
        saliency_cuda_free_memory(cuda);
    }
    cuda_capture_leave(cuda->device, before);
    return result;
}
