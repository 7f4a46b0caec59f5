/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft on CUDA: pixels become a plane of numbers for each channel that is averaged, which
 * is transformed, multiplied by the kernel's transform, which is made once, and comes back. A frame
 * has its planes in the plan's memory, a batch in memory of its own, in slices where it is large.
 */

#include "blur_fft.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/image/image_slice.h"

#include <stdlib.h>

extern const unsigned char blur_fft_fatbin[];

/* The second of two is in double precision. */
struct fft_cuda {
    struct operator_cuda base;
    CUmodule module; /* from the first plan on, as what follows */
    struct blur_fft_limits limits;
    struct cuda_kernels load;
    struct cuda_kernels store;
    CUfunction rows_there[2];
    CUfunction rows_back[2];
    CUfunction columns[2];
    CUfunction columns_there[2];
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

/* A kernel whose blocks may take all shared memory that there is. */
static enum fovea_result get_transform(const struct fft_cuda *fft, const char *name,
                                       CUfunction *out)
{
    const struct cuda_device *device = fft->base.device;
    FOVEA_TRY(cuda_device_get_kernel(device, fft->module, name, out));
    return CU_CHECK(device->log, device->cu,
                    device->cu->FuncSetAttribute(*out,
                                                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                 fft->limits.shared_bytes));
}

static enum fovea_result get_transforms(struct fft_cuda *fft)
{
    const struct cuda_device *device = fft->base.device;
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&fft->limits.shared_bytes,
                                          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                          device->handle));
    const struct {
        const char *names[2];
        CUfunction *kernels;
    } all[] = {
        {{"blur_fft_rows_there", "blur_fft_rows_there_precise"}, fft->rows_there},
        {{"blur_fft_rows_back", "blur_fft_rows_back_precise"}, fft->rows_back},
        {{"blur_fft_columns", "blur_fft_columns_precise"}, fft->columns},
        {{"blur_fft_columns_there", "blur_fft_columns_there_precise"}, fft->columns_there},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        FOVEA_TRY(get_transform(fft, all[i].names[0], &all[i].kernels[0]));
        FOVEA_TRY(get_transform(fft, all[i].names[1], &all[i].kernels[1]));
    }
    return FOVEA_OK;
}

static enum fovea_result get_kernels(struct fft_cuda *fft)
{
    const struct cuda_device *device = fft->base.device;
    FOVEA_TRY(
        cuda_kernels_get(device, fft->module, "blur_fft_load", CUDA_EVERY_FORMAT, &fft->load));
    FOVEA_TRY(
        cuda_kernels_get(device, fft->module, "blur_fft_store", CUDA_EVERY_FORMAT, &fft->store));
    FOVEA_TRY(get_transforms(fft));
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

static bool frees_without_waiting(const struct operator_cuda *cuda)
{
    return !cuda->upload || operator_cuda_frees_without_waiting(cuda);
}

/* ---- Transforms of planes that follow each other */

struct planes_at {
    const struct fft_cuda *fft;
    const struct blur_planes *planes;
    CUstream stream;
    uint64_t at;
    int64_t next; /* numbers from one to the next */
    uint32_t count;
};

/* A thread makes one step of eight numbers, or some. */
static enum fovea_result transform_rows(const struct planes_at *all, const CUfunction kernels[2],
                                        int32_t first, int32_t rows)
{
    const struct blur_transform *across = &all->planes->across;
    struct blur_fft_rows_params params = {
        .transform = *across, .at = all->at, .next = all->next, .first = first};
    const uint32_t wanted = 32 * cuda_parts(across->length, 8 * 32);
    const struct cuda_launch launch = {
        .kernel = kernels[all->planes->precise],
        .blocks = {(uint32_t)rows, all->count, 1},
        .threads = {wanted < BLUR_FFT_MOST_THREADS ? wanted : BLUR_FFT_MOST_THREADS, 1},
        .shared_bytes =
            (uint32_t)blur_transform_places(across->length) * blur_fft_number_bytes(all->planes)};
    return cuda_launch(all->fft->base.device, all->stream, &launch, &params);
}

/* Eight columns of which two blocks fit on a multiprocessor take few of its threads where they are
 * long: on an H200 twice the threads are 4 % faster at 4K, and slower at 1080p. */
#define LONG_COLUMN 1024

static uint32_t column_threads(const struct blur_planes *planes)
{
    return planes->down.length < LONG_COLUMN ? BLUR_FFT_COLUMN_THREADS : BLUR_FFT_MOST_THREADS;
}

/* kernel: 0 where columns are only transformed. */
static enum fovea_result transform_columns(const struct planes_at *all, uint32_t columns,
                                           uint64_t kernel, int32_t rows, int32_t first,
                                           int32_t written)
{
    const struct blur_planes *planes = all->planes;
    struct blur_fft_columns_params params = {.transform = planes->down,
                                             .at = all->at,
                                             .next = all->next,
                                             .kernel = kernel,
                                             .width = planes->across.length,
                                             .rows = rows,
                                             .first_written = first,
                                             .written = written,
                                             .planes = (int32_t)all->count,
                                             .places = blur_transform_places(planes->down.length)};
    const struct fft_cuda *fft = all->fft;
    const struct cuda_launch launch = {
        .kernel = (kernel ? fft->columns : fft->columns_there)[planes->precise],
        .blocks = {all->count * cuda_parts(params.width, (int32_t)columns), 1, 1},
        .threads = {columns, column_threads(planes) / columns},
        .shared_bytes = columns * (uint32_t)params.places * blur_fft_number_bytes(all->planes)};
    return cuda_launch(fft->base.device, all->stream, &launch, &params);
}

/* ---- Plans */

static enum fovea_result transform_kernel(struct operator_cuda *cuda,
                                          const struct blur_fft_plan *plan)
{
    const struct cuda_device *device = cuda->device;
    const struct planes_at kernel = {.fft = own(cuda),
                                     .planes = &plan->planes,
                                     .stream = cuda->upload,
                                     .at = plan->kernel,
                                     .count = 1};
    const int32_t rows = plan->planes.down.length;
    FOVEA_TRY(transform_rows(&kernel, kernel.fft->rows_there, 0, rows));
    FOVEA_TRY(transform_columns(&kernel, plan->columns, 0, rows, 0, rows));
    return CU_CHECK(device->log, device->cu, device->cu->StreamSynchronize(cuda->upload));
}

static enum fovea_result make_plan(struct operator_cuda *cuda, const struct operator_plan *plan,
                                   enum fovea_format format, struct blur_fft_plan *made)
{
    FOVEA_TRY(load_kernels(own(cuda)));
    FOVEA_TRY(blur_fft_plan_make(cuda, &own(cuda)->limits, plan, format, made));
    return made->runs ? transform_kernel(cuda, made) : FOVEA_OK;
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
    CUstream stream;
    uint32_t count;
    struct blur_planes planes;
    CUfunction load;
    CUfunction store;
};

static struct fft_run start(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                            uint64_t memory, enum fovea_format format)
{
    const struct blur_fft_plan *plan = own_plan(run->cuda_plan);
    struct fft_run made = {
        .fft = own(cuda), .plan = plan, .stream = run->stream, .count = 1, .planes = plan->planes};
    made.planes.at = memory;
    made.planes.count = (int32_t)blur_fft_planes_in(plan, format);
    return made;
}

/* Columns come back for the halves' own rows alone, and these lie where they lay. */
static enum fovea_result convolve(const struct fft_run *run)
{
    const struct blur_planes *planes = &run->planes;
    const struct planes_at all = {.fft = run->fft,
                                  .planes = planes,
                                  .stream = run->stream,
                                  .at = planes->at,
                                  .next = (int64_t)planes->across.length * planes->rows,
                                  .count = run->count * (uint32_t)planes->count};
    const int32_t first = planes->reach_y_px;
    FOVEA_TRY(transform_rows(&all, run->fft->rows_there, 0, planes->rows));
    FOVEA_TRY(transform_columns(&all, run->plan->columns, run->plan->kernel, planes->rows, first,
                                planes->half_px));
    return transform_rows(&all, run->fft->rows_back, first, planes->half_px);
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
    FOVEA_TRY(launch_image(run, run->load, run->planes.across.length, run->planes.rows, params));
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
    if (!plan->runs || !cuda_kernels_has(fft->load.surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct fft_run image = start(cuda, run, plan->planes.at, format);
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
    if (!plan->runs || !cuda_kernels_has(fft->load.linear, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const bool alone = images->count == 1;
    struct cuda_block *block = alone ? plan->base.tables : plan->base.batch;
    struct fft_run slices = start(cuda, run, alone ? plan->planes.at : block->memory, format);
    const uint64_t bytes = (uint64_t)slices.planes.count * blur_fft_plane_bytes(plan);
    const uint32_t fit = (uint32_t)(plan->batch_bytes / bytes);
    slices.load = fft->load.linear[format];
    slices.store = fft->store.linear[format];
    FOVEA_TRY(cuda_uses_follow(cuda->device, &block->uses, run->stream));
    return operator_cuda_note(
        cuda, block, run->stream, run->stream_kept,
        run_slices(&slices, run, images,
                   alone ? 1 : image_slice_smaller(fit, BLUR_CUDA_MOST_IN_A_GRID / 4)));
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
