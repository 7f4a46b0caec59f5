/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur as an operator on CUDA: two or three launches a frame, and many images in one launch. */

#include "core/log.h"
#include "kernels/blur/blur.h"
#include "kernels/blur/operator/blur_operator.h"
#include "kernels/cuda/cuda_block.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/cuda_memory.h"
#include "kernels/image/image_slice.h"
#include "kernels/operator/operator_cuda.h"
#include "params.h"

#include <stdatomic.h>
#include <stdlib.h>

extern const unsigned char blur_fatbin[];

/* A batch takes no more for its samples; images beyond that come after those. */
#define MOST_BATCH_BYTES ((uint64_t)256 << 20)

struct blur_cuda {
    const struct cuda_device *device;
    CUmodule module;
    struct cuda_kernels rows;
    CUfunction columns;
    struct cuda_kernels picture;
    CUstream upload; /* of our own, so that tables wait for nobody's work */
    struct cuda_memory memory; /* of plans; in the order of upload */
    struct cuda_block *retired;
    atomic_bool abandoned;
};

struct blur_cuda_plan {
    struct cuda_block *block; /* samples of one image, then the tables */
    struct cuda_block *batch; /* samples of batch_images; NULL: there was no batch yet */
    uint32_t batch_images;
    uint64_t image_bytes; /* of samples; 0: the picture is copied */
    struct blur_frame frame; /* what does not change from frame to frame */
};

static struct blur_cuda *own(struct operator_cuda *cuda)
{
    return (struct blur_cuda *)cuda;
}

static struct blur_cuda_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct blur_cuda_plan *)plan;
}

/* ---- Kernels */

static enum fovea_result load(struct blur_cuda *blur)
{
    const struct cuda_device *device = blur->device;
    CU_TRY(device->log, device->cu, device->cu->ModuleLoadData(&blur->module, blur_fatbin));
    FOVEA_TRY(cuda_kernels_get(device, blur->module, "blur_rows", CUDA_EVERY_FORMAT, &blur->rows));
    FOVEA_TRY(
        cuda_kernels_get(device, blur->module, "blur_picture", CUDA_EVERY_FORMAT, &blur->picture));
    FOVEA_TRY(cuda_device_get_kernel(device, blur->module, "blur_columns", &blur->columns));
    FOVEA_TRY(cuda_device_create_stream(device, &blur->upload));
    return cuda_memory_init(device, blur->upload, &blur->memory);
}

static void unload(struct blur_cuda *blur)
{
    const struct cuda_device *device = blur->device;
    if (blur->upload) {
        CU_WARN(device->log, device->cu, device->cu->StreamSynchronize(blur->upload));
    }
    cuda_memory_finish(&blur->memory);
    if (blur->upload) {
        CU_WARN(device->log, device->cu, device->cu->StreamDestroy(blur->upload));
    }
    if (blur->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(blur->module));
    }
}

static void destroy(struct operator_cuda **cuda)
{
    struct blur_cuda *blur = own(*cuda);
    *cuda = NULL;
    if (!blur) {
        return;
    }
    if (atomic_load(&blur->abandoned)) {
        cuda_block_abandon_all(&blur->retired);
    } else {
        cuda_block_free_all(blur->device, &blur->retired);
        unload(blur);
    }
    free(blur);
}

static enum fovea_result create(const struct cuda_device *device, struct operator_cuda **out_cuda)
{
    struct blur_cuda *blur = calloc(1, sizeof *blur);
    *out_cuda = (struct operator_cuda *)blur;
    if (!blur) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    blur->device = device;
    const enum fovea_result result = load(blur);
    if (result < 0) {
        destroy(out_cuda);
    }
    return result;
}

static void abandon(struct operator_cuda *cuda)
{
    atomic_store(&own(cuda)->abandoned, true);
}

static bool frees_without_waiting(const struct operator_cuda *cuda)
{
    return cuda_memory_is_pooled(&((const struct blur_cuda *)cuda)->memory);
}

/* ---- Plans */

static void part_with(struct blur_cuda *blur, struct blur_cuda_plan *plan)
{
    cuda_block_retire(&blur->retired, &plan->block);
    cuda_block_retire(&blur->retired, &plan->batch);
    free(plan);
}

static void plan_retire(struct operator_cuda *cuda, struct operator_cuda_plan **plan)
{
    struct blur_cuda *blur = own(cuda);
    if (!*plan) {
        return;
    }
    part_with(blur, own_plan(*plan));
    *plan = NULL;
    if (!atomic_load(&blur->abandoned)) {
        cuda_block_free_idle(blur->device, &blur->retired);
    }
}

static enum fovea_result upload(const struct blur_cuda *blur, CUdeviceptr to, const float *from,
                                size_t count)
{
    const struct cuda_device *device = blur->device;
    if (count > 0) {
        CU_TRY(device->log, device->cu,
               device->cu->MemcpyHtoDAsync(to, from, count * sizeof *from, blur->upload));
    }
    return FOVEA_OK;
}

static enum fovea_result fill(struct blur_cuda *blur, const struct blur_plan *source,
                              struct blur_cuda_plan *plan)
{
    const struct cuda_device *device = blur->device;
    const size_t light = source->light.sample_count;
    const size_t weights = (size_t)source->decimate_count + source->upsample_count;
    plan->image_bytes = blur_sample_bytes(&source->shape);
    FOVEA_TRY(cuda_block_create(device, &blur->memory,
                                plan->image_bytes + (light + weights + 1) * sizeof(float),
                                &plan->block));
    const CUdeviceptr tables = plan->block->memory + plan->image_bytes;
    plan->frame = (struct blur_frame){.shape = source->shape,
                                      .light_value = source->light.value,
                                      .averages_alpha = source->averages_alpha,
                                      .decimate_at = (int32_t)light,
                                      .upsample_at = (int32_t)(light + source->decimate_count),
                                      .tables = tables};
    FOVEA_TRY(upload(blur, tables, source->light.samples, light));
    FOVEA_TRY(upload(blur, tables + light * sizeof(float), source->weights, weights));
    CU_TRY(device->log, device->cu, device->cu->StreamSynchronize(blur->upload));
    return FOVEA_OK;
}

static enum fovea_result plan_create(struct operator_cuda *cuda, const struct operator_plan *plan,
                                     enum fovea_format format, struct operator_cuda_plan **out_plan)
{
    struct blur_cuda *blur = own(cuda);
    struct blur_cuda_plan *made = calloc(1, sizeof *made);
    (void)format; /* samples are of 32-bit floats */
    *out_plan = NULL;
    if (!made) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = fill(blur, blur_plan_of(plan), made);
    if (result < 0) {
        part_with(blur, made);
        return result;
    }
    *out_plan = (struct operator_cuda_plan *)made;
    return FOVEA_OK;
}

/* ---- Batches */

static uint32_t count_sources(const struct operator_images *images)
{
    return images->src_next_bytes == 0 ? 1 : images->count;
}

static enum fovea_result reserve(struct operator_cuda *cuda, struct operator_cuda_plan *of,
                                 const struct operator_images *images)
{
    struct blur_cuda *blur = own(cuda);
    struct blur_cuda_plan *plan = own_plan(of);
    struct cuda_block *grown = NULL;
    if (plan->image_bytes == 0 || count_sources(images) == 1) {
        return FOVEA_OK;
    }
    const uint32_t count =
        image_slice_capacity(count_sources(images), plan->image_bytes, MOST_BATCH_BYTES);
    if (count <= plan->batch_images) {
        return FOVEA_OK;
    }
    cuda_block_free_idle(blur->device, &blur->retired);
    FOVEA_TRY(cuda_block_create(blur->device, NULL, count * plan->image_bytes, &grown));
    cuda_block_read(grown, plan->block);
    cuda_block_retire(&blur->retired, &plan->batch);
    cuda_block_free_idle(blur->device, &blur->retired);
    plan->batch = grown;
    plan->batch_images = count;
    return FOVEA_OK;
}

/* ---- Frames */

/* Of one slice of a batch, or of a frame. */
struct launches {
    const struct blur_cuda *blur;
    CUstream stream;
    CUfunction rows;
    CUfunction picture;
    uint32_t sources;
    uint32_t images;
    const struct blur_frame *frame;
    void *params; /* that begin with it */
};

static uint32_t divide_up(int32_t a, uint32_t b)
{
    return ((uint32_t)a + b - 1) / b;
}

static enum fovea_result launch(const struct launches *all, CUfunction kernel,
                                const uint32_t grid[3], const uint32_t block[2])
{
    const struct cuda_device *device = all->blur->device;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel, grid[0], grid[1], grid[2], block[0], block[1], 1, 0,
                                    all->stream, (void *[]){all->params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result launch_all(const struct launches *all)
{
    const struct blur_shape *shape = &all->frame->shape;
    const uint32_t row[2] = {BLUR_ROW_THREADS, 1};
    const uint32_t tile[2] = {BLUR_SIDE_X, BLUR_SIDE_Y};
    const uint32_t rows_grid[3] = {divide_up(shape->columns, BLUR_ROW_THREADS),
                                   (uint32_t)shape->height_px, all->sources};
    const uint32_t columns_grid[3] = {divide_up(shape->columns, BLUR_SIDE_X),
                                      divide_up(shape->rows, BLUR_SIDE_Y), all->sources};
    const uint32_t picture_grid[3] = {divide_up(shape->width_px, BLUR_SIDE_X),
                                      divide_up(shape->height_px, BLUR_SIDE_Y * BLUR_ROWS),
                                      all->images};
    if (shape->step > 0) {
        FOVEA_TRY(launch(all, all->rows, rows_grid, row));
    }
    if (shape->step > 1) {
        FOVEA_TRY(launch(all, all->blur->columns, columns_grid, tile));
    }
    return launch(all, all->picture, picture_grid, tile);
}

static struct blur_frame frame_of(const struct operator_cuda_run *run)
{
    struct blur_frame frame = own_plan(run->cuda_plan)->frame;
    frame.origin_x_px = run->frame->origin_x_px;
    frame.origin_y_px = run->frame->origin_y_px;
    frame.light = image_light_in_order(blur_plan_of(run->plan)->light.kind, run->frame->blue_first);
    frame.samples = own_plan(run->cuda_plan)->block->memory;
    return frame;
}

static enum fovea_result note_use(const struct blur_cuda *blur, const struct operator_cuda_run *run,
                                  struct cuda_block *block, enum fovea_result launched)
{
    const enum fovea_result noted =
        cuda_uses_note(blur->device, &block->uses, run->stream, run->stream_kept);
    return launched < 0 ? launched : noted;
}

static enum fovea_result run_surface(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst)
{
    struct blur_cuda *blur = own(cuda);
    struct cuda_block *block = own_plan(run->cuda_plan)->block;
    if (!cuda_kernels_has(blur->picture.surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct blur_surface_params params = {.frame = frame_of(run), .src = src, .dst = dst};
    const struct launches all = {
        blur,          run->stream, blur->rows.surface[format], blur->picture.surface[format], 1, 1,
        &params.frame, &params};
    FOVEA_TRY(cuda_uses_follow(blur->device, &block->uses, run->stream));
    return note_use(blur, run, block, launch_all(&all));
}

/* Samples of a source each, in the batch's memory. */
static bool is_batched(const struct blur_cuda_plan *plan, const struct operator_images *images)
{
    return plan->batch && plan->image_bytes > 0 && count_sources(images) > 1;
}

static enum fovea_result launch_slices(const struct blur_cuda *blur,
                                       const struct operator_cuda_run *run,
                                       const struct operator_images *images)
{
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    const bool whole = images->src_next_bytes == 0 || plan->image_bytes == 0;
    const bool batched = is_batched(plan, images);
    const uint32_t most = whole ? images->count : batched ? plan->batch_images : 1;
    struct blur_linear_params params = {.frame = frame_of(run)};
    params.frame.src_next_bytes = images->src_next_bytes;
    params.frame.dst_next_bytes = images->dst_next_bytes;
    params.frame.samples = batched ? plan->batch->memory : params.frame.samples;
    params.frame.next_samples = batched ? (int64_t)(plan->image_bytes / BLUR_SAMPLE_BYTES) : 0;
    for (uint32_t first = 0; first < images->count; first += most) {
        const uint32_t count = image_slice_smaller(images->count - first, most);
        const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
        const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
        params.src = image_linear_of(&src, images->src_next_bytes);
        params.dst = image_linear_of(&dst, images->dst_next_bytes);
        const struct launches all = {blur,
                                     run->stream,
                                     blur->rows.linear[images->src->format],
                                     blur->picture.linear[images->src->format],
                                     images->src_next_bytes == 0 ? 1 : count,
                                     count,
                                     &params.frame,
                                     &params};
        FOVEA_TRY(launch_all(&all));
    }
    return FOVEA_OK;
}

/* Runs share samples, so each waits on its stream for the one before that had them. */
static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    struct blur_cuda *blur = own(cuda);
    const struct blur_cuda_plan *plan = own_plan(run->cuda_plan);
    struct cuda_block *samples = is_batched(plan, images) ? plan->batch : plan->block;
    if (!cuda_kernels_has(blur->picture.linear, images->src->format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(cuda_uses_follow(blur->device, &samples->uses, run->stream));
    return note_use(blur, run, samples, launch_slices(blur, run, images));
}

const struct operator_cuda_api blur_operator_cuda = {
    .create = create,
    .destroy = destroy,
    .abandon = abandon,
    .frees_without_waiting = frees_without_waiting,
    .plan_create = plan_create,
    .plan_retire = plan_retire,
    .reserve = reserve,
    .run_linear = run_linear,
    .run_surface = run_surface,
};
