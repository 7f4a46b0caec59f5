/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan as kernels have it, and the device's memory for pictures of its size. */

#include "saliency_cuda.h"

#include "core/bounds.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/pixel_float.h"

#include <stdlib.h>
#include <string.h>

#define PART_BYTES 256 /* what parts of memory are aligned to */
#define REPORTED 2048
#define GRID_MOST 65535 /* along z */

/* ---- The plan */

static struct saliency_cuda_axis axis_of(const struct saliency_axis *axis)
{
    return (struct saliency_cuda_axis){axis->first, axis->last - axis->first + 1, axis->out_first,
                                       axis->out_last - axis->out_first + 1};
}

static void fill_samples(struct saliency_cuda_frame *frame, struct saliency_cuda_level *out)
{
    out->stored = bounds_parts(SALIENCY_CUDA_PLANE_BEFORE + out->x.count + 3, 4) * 4;
    out->pitch = bounds_parts(out->stored, SALIENCY_CUDA_SEGMENT) * SALIENCY_CUDA_SEGMENT;
    out->plane = frame->plane_samples;
    out->mask = frame->masks;
    frame->plane_samples += (uint64_t)SALIENCY_BINS * (uint64_t)(out->pitch * out->y.count);
    frame->masks += out->pitch / SALIENCY_CUDA_MASK_WIDTH * out->y.count;
}

static void fill_level(struct saliency_cuda *cuda, uint32_t number, uint32_t *strips)
{
    const struct saliency_level *level = &cuda->plan->levels[number];
    struct saliency_cuda_level *out = &cuda->frames[0].levels[number];
    *out = (struct saliency_cuda_level){.step_px = level->step_px,
                                        .scale_first = level->scale_first,
                                        .scale_end = level->scale_end,
                                        .strip_end = (int32_t)*strips};
    if (level->step_px == 1) {
        return;
    }
    out->x = axis_of(&level->x);
    out->y = axis_of(&level->y);
    out->strips_across = bounds_parts(out->x.out_count, SALIENCY_CUDA_STRIP_WIDTH);
    if (level->scale_end > level->scale_first) {
        *strips += (uint32_t)(out->strips_across *
                              bounds_parts(out->y.out_count, SALIENCY_CUDA_STRIP_HEIGHT));
    }
    out->strip_end = (int32_t)*strips;
    fill_samples(&cuda->frames[0], out);
}

static int32_t sum_of(const int32_t *line, int32_t reach)
{
    int32_t sum = line[0];
    for (int32_t i = 1; i <= reach; i++) {
        sum += 2 * line[i];
    }
    return sum;
}

/* How many words kernels are. */
static int32_t fill_scales(const struct saliency_plan *plan, struct saliency_cuda_frame *frame)
{
    int32_t kernels = 0;
    for (uint32_t i = 0; i < plan->scale_count; i++) {
        const struct saliency_scale *scale = &plan->scales[i];
        struct saliency_cuda_scale *out = &frame->scales[i];
        *out = (struct saliency_cuda_scale){.sigma_px = scale->sigma_px,
                                            .level = scale->level,
                                            .reach = scale->reach,
                                            .p_sum = sum_of(scale->p, scale->reach),
                                            .kernel = kernels,
                                            .width = scale->width,
                                            .height = scale->height,
                                            .offset = scale->offset};
        kernels += SALIENCY_CUDA_KERNEL_WORDS(scale->reach);
    }
    return kernels;
}

static uint32_t weight_half(const int32_t *line, int32_t reach, int32_t distance, float unit)
{
    const int32_t d = abs(distance);
    return pixel_float_to_half(d > reach ? 0.0f : (float)line[d] * unit);
}

static uint32_t weight_halves(const int32_t *line, int32_t reach, int32_t distance, float unit)
{
    return weight_half(line, reach, distance, unit) | weight_half(line, reach, distance + 1, unit)
                                                          << 16;
}

/* A of 16 columns: lane / 4 and lane / 4 + 8; places 4 (lane % 4) and the next of both, and then
 * those 2 on; of eight places alone, 2 (lane % 4) and the next. B of 8 rows: lane / 4; places 2
 * (lane % 4) and the next, of two blocks of rows behind each other, beginning with each of them;
 * before the first comes the last. */
static void fill_kernel(const struct saliency_scale *scale, uint32_t *out)
{
    const int32_t *const lines[] = {scale->p, scale->q};
    const float unit = scale->level == 0 ? 1.0f : 1.0f / (float)(1 << SALIENCY_ROW_SHIFT);
    const int32_t left = SALIENCY_CUDA_STRIP_LEFT(scale->reach);
    const int32_t above = SALIENCY_CUDA_STRIP_ABOVE(scale->reach);
    const int32_t columns = SALIENCY_CUDA_STRIP_COLUMNS(scale->reach);
    const int32_t across = 2 * 32 * columns;
    const int32_t blocks = SALIENCY_CUDA_STRIP_ROWS(scale->reach);
    const int32_t down = 2 * 32 * blocks;
    for (int32_t i = 0; i < 2 * across; i++) {
        const int32_t eight = i % across / 64;
        const int32_t place = eight == columns / 2 * 2 ? eight * 8 + i % 4 * 2
                                                       : eight / 2 * 16 + i % 4 * 4 + eight % 2 * 2;
        const int32_t column = i % 32 / 4 + i / 32 % 2 * 8;
        *out++ = weight_halves(lines[i / across], scale->reach, place - left - column, unit);
    }
    for (int32_t i = 0; i < 2 * down; i++) {
        const int32_t block = (i % down / 64 + i / 32 % 2) % blocks;
        const int32_t place = block * 8 + i % 4 * 2;
        *out++ = weight_halves(lines[i / down], scale->reach, place - above - i % 32 / 4, 1.0f);
    }
}

static void fill_kernels(const struct saliency_cuda *cuda, uint32_t *out)
{
    for (uint32_t i = 0; i < cuda->plan->scale_count; i++) {
        const struct saliency_scale *scale = &cuda->plan->scales[i];
        fill_kernel(scale, out + cuda->frames[0].scales[i].kernel);
    }
}

/* How many bytes kernels are: the result. */
static size_t fill_frame(struct saliency_cuda *cuda)
{
    const struct saliency_plan *plan = cuda->plan;
    const double threshold = plan->numbers.threshold;
    cuda->frames[0] =
        (struct saliency_cuda_frame){.width_px = plan->width_px,
                                     .height_px = plan->height_px,
                                     .channels = (int32_t)cuda->channels,
                                     .fine_reach = plan->fine_reach,
                                     .level_count = plan->level_count,
                                     .scale_count = plan->scale_count,
                                     .response_count = plan->response_count,
                                     .threshold = threshold > 0.0 ? (float)threshold : 0.0f};
    const int32_t kernels = fill_scales(plan, &cuda->frames[0]);
    cuda->strips = 0;
    for (uint32_t i = 0; i < plan->level_count; i++) {
        fill_level(cuda, i, &cuda->strips);
    }
    return sizeof(uint32_t) * (size_t)kernels;
}

/* ---- Memory */

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
static uint64_t place_all(struct saliency_cuda *cuda, uint64_t kernel_bytes)
{
    struct saliency_cuda_frame *frame = &cuda->frames[0];
    const uint64_t layers = (uint64_t)cuda->images * cuda->channels;
    uint64_t bytes = 0;
    frame->kernels = place(kernel_bytes, &bytes);
    frame->planes = place(sizeof(uint16_t) * cuda->layers * frame->plane_samples, &bytes);
    frame->masks_at = place(UINT64_C(16) * cuda->layers * (uint64_t)frame->masks, &bytes);
    frame->bins = place(layers * pixels_of(cuda->plan), &bytes);
    frame->present = place(UINT64_C(16) * layers, &bytes); /* cleared with responses */
    frame->responses = place(sizeof(int32_t) * cuda->images * frame->response_count, &bytes);
    frame->counts = place(sizeof(uint32_t) * cuda->images, &bytes);
    cuda->half_bytes = bytes - frame->bins;
    return bytes + (cuda->halves - 1) * cuda->half_bytes;
}

static void move_half(struct saliency_cuda_frame *frame, uint64_t by)
{
    uint64_t *const places[] = {&frame->bins, &frame->present, &frame->responses, &frame->counts};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        *places[i] += by;
    }
}

/* Both halves have the same kernels and planes. */
static void move_all(struct saliency_cuda *cuda)
{
    struct saliency_cuda_frame *frame = &cuda->frames[0];
    frame->kernels += cuda->memory;
    frame->planes += cuda->memory;
    frame->masks_at += cuda->memory;
    move_half(frame, cuda->memory);
    cuda->frames[1] = *frame;
    move_half(&cuda->frames[1], cuda->half_bytes);
}

/* Returns the bytes of a layer's planes and masks. */
static uint64_t layer_bytes(const struct saliency_cuda *cuda)
{
    return sizeof(uint16_t) * cuda->frames[0].plane_samples +
           UINT64_C(16) * (uint64_t)cuda->frames[0].masks;
}

/* Returns those of an image beside them: bins, responses, candidates, and those that are reported,
 * of one half. */
static uint64_t image_bytes(const struct saliency_cuda *cuda)
{
    const uint64_t candidates = (uint64_t)saliency_candidates_most(cuda->plan) + REPORTED;
    return cuda->channels * pixels_of(cuda->plan) +
           sizeof(int32_t) * cuda->frames[0].response_count +
           candidates * sizeof(struct saliency_candidate) + 2 * sizeof(uint32_t) +
           UINT64_C(16) * cuda->channels;
}

static uint32_t images_for(const struct saliency_cuda *cuda, uint32_t image_count, uint32_t halves)
{
    const uint64_t bytes = halves * image_bytes(cuda) + cuda->channels * layer_bytes(cuda);
    const uint32_t fit = image_slice_capacity(image_count, bytes, cuda->most_bytes);
    return bounds_smaller_u32(bounds_smaller_u32(fit, image_count), GRID_MOST / 3);
}

static uint32_t halves_for(const struct saliency_cuda *cuda, uint32_t image_count)
{
    return images_for(cuda, image_count, 1) < image_count ? 2 : 1;
}

/* Returns how many layers of one image fit. */
static uint32_t layers_for(const struct saliency_cuda *cuda)
{
    const uint64_t other = cuda->halves * image_bytes(cuda);
    const uint64_t left = other < cuda->most_bytes ? cuda->most_bytes - other : 0;
    const uint64_t fit = left / (layer_bytes(cuda) + 1);
    const uint32_t all = cuda->images * cuda->channels;
    return cuda->images > 1 || fit >= all ? all : fit > 0 ? (uint32_t)fit : 1;
}

static enum fovea_result upload_kernels(const struct saliency_cuda *cuda, size_t bytes)
{
    const struct cuda_device *device = cuda->device;
    uint32_t *made = calloc(1, bytes + 1);
    FOVEA_TRY_MEMORY(made);
    fill_kernels(cuda, made);
    const enum fovea_result result =
        bytes > 0 ? CU_CHECK(device->log, device->cu,
                             device->cu->MemcpyHtoD(cuda->frames[0].kernels, made, bytes))
                  : FOVEA_OK;
    free(made);
    return result;
}

static uint64_t report_bytes(const struct saliency_cuda *cuda)
{
    return (uint64_t)cuda->halves * cuda->images *
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
    return (uint64_t)cuda->halves * cuda->images * most * sizeof(struct saliency_candidate);
}

enum fovea_result saliency_cuda_make_candidates(struct saliency_cuda *cuda, uint32_t most)
{
    const struct cuda_device *device = cuda->device;
    const uint64_t bytes = candidate_bytes(cuda, most);
    CUdeviceptr made = 0;
    CU_TRY(device->log, device->cu, device->cu->MemAlloc(&made, bytes));
    if (cuda->candidates) {
        cuda->bytes -= candidate_bytes(cuda, cuda->frames[0].candidate_most);
    }
    cuda_device_free(device, &cuda->candidates);
    cuda->bytes += bytes;
    cuda->candidates = made;
    for (uint32_t i = 0; i < 2; i++) {
        cuda->frames[i].candidates = made + i * bytes / cuda->halves;
        cuda->frames[i].candidate_most = most;
    }
    return FOVEA_OK;
}

static enum fovea_result make_memory(struct saliency_cuda *cuda, uint32_t image_count)
{
    const struct cuda_device *device = cuda->device;
    const size_t kernel_bytes = fill_frame(cuda);
    cuda->halves = halves_for(cuda, image_count);
    cuda->images = images_for(cuda, image_count, cuda->halves);
    cuda->layers = layers_for(cuda);
    cuda->bytes = place_all(cuda, kernel_bytes);
    CU_TRY(device->log, device->cu, device->cu->MemAlloc(&cuda->memory, cuda->bytes));
    move_all(cuda);
    FOVEA_TRY(saliency_cuda_make_candidates(cuda, saliency_candidates_most(cuda->plan)));
    FOVEA_TRY(make_report(cuda));
    return upload_kernels(cuda, kernel_bytes);
}

enum fovea_result saliency_cuda_reserve(struct saliency_cuda *cuda,
                                        const struct saliency_plan *plan, uint32_t channels,
                                        uint32_t image_count)
{
    const bool had = cuda->images > 0 && cuda->plan == plan && cuda->channels == channels;
    if (had && (cuda->halves > 1 || image_count <= cuda->images)) {
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
