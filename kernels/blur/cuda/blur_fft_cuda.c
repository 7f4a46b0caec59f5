/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft on CUDA: pixels become a plane of numbers for each channel that is averaged, cuFFT
 * transforms it, the kernel's transform, which is made once, multiplies it, and it comes back. A
 * frame has its planes in the plan's memory, a batch in memory of its own, in slices where it is
 * large. */

#include "blur_fft.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/image/image_slice.h"

#include <stdlib.h>

extern const unsigned char blur_fft_fatbin[];

struct fft_cuda {
    struct operator_cuda base;
    CUmodule module; /* from the first plan on, as what follows */
    struct cuda_kernels load;
    struct cuda_kernels store;
    CUfunction multiply[2]; /* the second in double precision */
};

static struct fft_cuda *own(struct operator_cuda *cuda)
{
    return (struct fft_cuda *)cuda;
}

static struct blur_fft_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct blur_fft_plan *)plan;
}

/* ---- Kernels */

static enum fovea_result get_kernels(struct fft_cuda *fft)
{
    const struct cuda_device *device = fft->base.device;
    FOVEA_TRY(
        cuda_kernels_get(device, fft->module, "blur_fft_load", CUDA_EVERY_FORMAT, &fft->load));
    FOVEA_TRY(
        cuda_kernels_get(device, fft->module, "blur_fft_store", CUDA_EVERY_FORMAT, &fft->store));
    FOVEA_TRY(cuda_device_get_kernel(device, fft->module, "blur_fft_multiply", &fft->multiply[0]));
    FOVEA_TRY(cuda_device_get_kernel(device, fft->module, "blur_fft_multiply_precise",
                                     &fft->multiply[1]));
    return fft->base.upload ? FOVEA_OK : operator_cuda_make_upload(&fft->base);
}

static enum fovea_result load_kernels(struct fft_cuda *fft)
{
    if (fft->module) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_module_load(fft->base.device, blur_fft_fatbin, &fft->module));
    const enum fovea_result result = get_kernels(fft);
    if (result < 0) {
        cuda_module_unload(fft->base.device, &fft->module);
    }
    return result;
}

static void destroy(struct operator_cuda **cuda)
{
    struct fft_cuda *fft = own(*cuda);
    if (operator_cuda_finish(*cuda)) {
        cuda_module_unload(fft->base.device, &fft->module);
    }
    free(fft);
    *cuda = NULL;
}

static enum fovea_result create(const struct cuda_device *device, struct operator_cuda **out_cuda)
{
    return operator_cuda_make(device, sizeof(struct fft_cuda), out_cuda);
}

/* Making and ending transforms may. */
static bool frees_without_waiting(const struct operator_cuda *cuda)
{
    return !cuda->upload;
}

/* ---- Plans */

static enum fovea_result make_plan(struct operator_cuda *cuda, const struct operator_plan *plan,
                                   enum fovea_format format, struct blur_fft_plan *made)
{
    FOVEA_TRY(load_kernels(own(cuda)));
    return blur_fft_plan_make(cuda, plan, format, made);
}

static enum fovea_result plan_create(struct operator_cuda *cuda, const struct operator_plan *plan,
                                     enum fovea_format format, struct operator_cuda_plan **out_plan)
{
    FOVEA_TRY(operator_cuda_plan_make(cuda, sizeof(struct blur_fft_plan), out_plan));
    const enum fovea_result result = make_plan(cuda, plan, format, own_plan(*out_plan));
    if (result < 0) {
        operator_cuda_plan_retire(cuda, out_plan);
    }
    return result;
}

/* ---- Frames */

/* Images that are under way together. */
struct fft_run {
    const struct fft_cuda *fft;
    const struct blur_fft_plan *plan;
    struct cuda_block *block;
    CUstream stream;
    uint32_t count;
    struct blur_planes planes;
    CUfunction load;
    CUfunction store;
};

static struct fft_run start(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                            struct cuda_block *block, uint64_t memory, enum fovea_format format)
{
    const struct blur_fft_plan *plan = own_plan(run->cuda_plan);
    struct fft_run made = {.fft = own(cuda),
                           .plan = plan,
                           .block = block,
                           .stream = run->stream,
                           .count = 1,
                           .planes = plan->planes};
    made.planes.at = memory;
    made.planes.count = (int32_t)blur_fft_planes_in(plan, format);
    return made;
}

static enum fovea_result multiply(const struct fft_run *run, uint64_t planes, uint32_t count)
{
    const struct blur_planes *all = &run->planes;
    struct blur_fft_product_params params = {.planes = planes,
                                             .kernel = run->plan->kernel,
                                             .numbers = (int64_t)(all->width / 2 + 1) * all->height,
                                             .count = (int32_t)count};
    const struct cuda_launch launch = {
        .kernel = run->fft->multiply[all->precise],
        .blocks = {(uint32_t)((params.numbers + BLUR_FFT_THREADS - 1) / BLUR_FFT_THREADS), 1, 1},
        .threads = {BLUR_FFT_THREADS, 1}};
    return cuda_launch(run->fft->base.device, run->stream, &launch, &params);
}

/* Planes go there and back before the next ones do, while caches have them. */
static enum fovea_result convolve(const struct fft_run *run)
{
    const struct cuda_device *device = run->fft->base.device;
    const struct cuda_fft *fft = run->block->fft;
    uint32_t left = run->count * (uint32_t)run->planes.count;
    uint64_t at = run->planes.at;
    while (left > 0) {
        const uint32_t together = cuda_fft_together(fft, left);
        FOVEA_TRY(cuda_fft_run(device, fft, CUDA_FFT_THERE, together, at, run->stream));
        FOVEA_TRY(multiply(run, at, together));
        FOVEA_TRY(cuda_fft_run(device, fft, CUDA_FFT_BACK, together, at, run->stream));
        at += together * blur_fft_plane_bytes(run->plan);
        left -= together;
    }
    return FOVEA_OK;
}

static enum fovea_result launch_image(const struct fft_run *run, CUfunction kernel, int32_t width,
                                      int32_t height, void *params)
{
    const struct cuda_launch launch = {.kernel = kernel,
                                       .blocks = {cuda_parts(width, BLUR_CUDA_SIDE_X),
                                                  cuda_parts(height, BLUR_CUDA_SIDE_Y), run->count},
                                       .threads = {BLUR_CUDA_SIDE_X, BLUR_CUDA_SIDE_Y}};
    return cuda_launch(run->fft->base.device, run->stream, &launch, params);
}

/* `frame` is in `params`. */
static enum fovea_result run_images(const struct fft_run *run, const struct blur_image_frame *frame,
                                    void *params)
{
    FOVEA_TRY(launch_image(run, run->load, run->planes.width, run->planes.height, params));
    FOVEA_TRY(convolve(run));
    return launch_image(run, run->store, frame->width_px, frame->height_px, params);
}

static enum fovea_result run_surface(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst)
{
    const struct fft_cuda *fft = own(cuda);
    const struct blur_fft_plan *plan = own_plan(run->cuda_plan);
    struct cuda_block *block = run->cuda_plan->tables;
    if (!cuda_kernels_has(fft->load.surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct fft_run image = start(cuda, run, block, plan->planes.at, format);
    struct blur_planes_surface_params params = {
        .frame = blur_cuda_frame_of(run, format, plan->light_samples),
        .planes = image.planes,
        .src = src,
        .dst = dst};
    image.load = fft->load.surface[format];
    image.store = fft->store.surface[format];
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(cuda, block, run->stream, run->stream_kept,
                              run_images(&image, &params.frame, &params));
}

static enum fovea_result run_slices(struct fft_run *run, const struct operator_cuda_run *of,
                                    const struct operator_images *images, uint32_t most)
{
    const enum fovea_format format = images->src->format;
    for (uint32_t first = 0; first < images->count; first += run->count) {
        const struct fovea_image src = image_of_batch(images->src, images->src_next_bytes, first);
        const struct fovea_image dst = image_of_batch(images->dst, images->dst_next_bytes, first);
        struct blur_planes_linear_params params = {
            .frame = blur_cuda_frame_of(of, format, run->plan->light_samples),
            .planes = run->planes};
        params.src = operator_cuda_view_of(&src, images->src_next_bytes, of->frame);
        params.dst = operator_cuda_view_of(&dst, images->dst_next_bytes, of->frame);
        params.frame.src_next_bytes = images->src_next_bytes;
        params.frame.dst_next_bytes = images->dst_next_bytes;
        run->count = image_slice_smaller(images->count - first, most);
        FOVEA_TRY(run_images(run, &params.frame, &params));
    }
    return FOVEA_OK;
}

static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    const struct fft_cuda *fft = own(cuda);
    const struct blur_fft_plan *plan = own_plan(run->cuda_plan);
    const enum fovea_format format = images->src->format;
    if (!cuda_kernels_has(fft->load.linear, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const bool alone = images->count == 1;
    struct cuda_block *block = alone ? plan->base.tables : plan->base.batch;
    struct fft_run slices =
        start(cuda, run, block, alone ? plan->planes.at : block->memory, format);
    const uint32_t fit = plan->batch_planes / (uint32_t)slices.planes.count;
    slices.load = fft->load.linear[format];
    slices.store = fft->store.linear[format];
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(
        cuda, block, run->stream, run->stream_kept,
        run_slices(&slices, run, images,
                   alone ? 1 : image_slice_smaller(fit, BLUR_CUDA_MOST_IN_A_GRID)));
}

const struct operator_cuda_api blur_fft_cuda = {
    .create = create,
    .destroy = destroy,
    .abandon = operator_cuda_abandon,
    .frees_without_waiting = frees_without_waiting,
    .plan_create = plan_create,
    .plan_retire = operator_cuda_plan_retire,
    .reserve = blur_fft_reserve,
    .run_linear = run_linear,
    .run_surface = run_surface,
};
