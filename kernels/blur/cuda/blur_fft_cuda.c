/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft on CUDA: pixels become a plane of numbers for each channel that is averaged, which
 * is transformed, multiplied by the kernel's transform, which is made once, and comes back. */

#include "blur_fft.h"

extern const unsigned char blur_fft_fatbin[];

/* ---- Kernels: blocks of transforms may take all shared memory that there is */

static enum fovea_result get_kernels(const struct cuda_device *device, struct blur_kernels *kernels)
{
    FOVEA_TRY(cuda_device_shared_bytes(device, &kernels->shared_bytes));
    const int bytes = kernels->shared_bytes;
    const struct cuda_named_kernel named[] = {
        {"blur_fft_rows_there", &kernels->rows_there[0], bytes},
        {"blur_fft_rows_there_precise", &kernels->rows_there[1], bytes},
        {"blur_fft_rows_back", &kernels->rows_back[0], bytes},
        {"blur_fft_rows_back_precise", &kernels->rows_back[1], bytes},
        {"blur_fft_columns", &kernels->columns[0], bytes},
        {"blur_fft_columns_precise", &kernels->columns[1], bytes},
        {"blur_fft_columns_there", &kernels->columns_there[0], bytes},
        {"blur_fft_columns_there_precise", &kernels->columns_there[1], bytes}};
    FOVEA_TRY(cuda_kernels_get(device, kernels->planes, "blur_fft_load", CUDA_EVERY_FORMAT,
                               &kernels->first[BLUR_WAY_PLANES]));
    FOVEA_TRY(cuda_kernels_get(device, kernels->planes, "blur_fft_store", CUDA_EVERY_FORMAT,
                               &kernels->last[BLUR_WAY_PLANES]));
    return cuda_kernels_get_named(device, kernels->planes, named, sizeof named / sizeof *named);
}

enum fovea_result blur_fft_load(const struct cuda_device *device, struct blur_kernels *kernels)
{
    if (kernels->planes) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_module_load(device, blur_fft_fatbin, &kernels->planes));
    const enum fovea_result result = get_kernels(device, kernels);
    if (result < 0) {
        cuda_module_unload(device, &kernels->planes);
    }
    return result;
}

/* ---- Transforms of planes that follow each other */

struct planes_at {
    const struct cuda_device *device;
    const struct blur_kernels *of;
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
    return cuda_launch(all->device, all->stream, &launch, &params);
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
    const struct cuda_launch launch = {
        .kernel = (kernel ? all->of->columns : all->of->columns_there)[planes->precise],
        .blocks = {all->count * cuda_parts(params.width, (int32_t)columns), 1, 1},
        .threads = {columns, column_threads(planes) / columns},
        .shared_bytes = columns * (uint32_t)params.places * blur_fft_number_bytes(all->planes)};
    return cuda_launch(all->device, all->stream, &launch, &params);
}

/* ---- Plans */

static enum fovea_result transform_kernel(const struct operator_cuda *cuda,
                                          const struct blur_kernels *kernels,
                                          const struct blur_fft_plan *plan)
{
    const struct cuda_device *device = cuda->device;
    const struct planes_at kernel = {.device = device,
                                     .of = kernels,
                                     .planes = &plan->planes,
                                     .stream = cuda->upload,
                                     .at = plan->kernel,
                                     .count = 1};
    const int32_t rows = plan->planes.down.length;
    FOVEA_TRY(transform_rows(&kernel, kernels->rows_there, 0, rows));
    FOVEA_TRY(transform_columns(&kernel, plan->columns, 0, rows, 0, rows));
    return CU_CHECK(device->log, device->cu, device->cu->StreamSynchronize(cuda->upload));
}

enum fovea_result blur_fft_make(struct operator_cuda *cuda, const struct blur_kernels *kernels,
                                const struct blur_plan *source, enum fovea_format format,
                                struct operator_cuda_plan *base,
                                const struct operator_cuda_part *light, uint64_t *out_memory,
                                struct blur_fft_plan *out)
{
    FOVEA_TRY(
        blur_fft_fill(cuda, kernels->shared_bytes, source, format, base, light, out_memory, out));
    return out->columns > 0 ? transform_kernel(cuda, kernels, out) : FOVEA_OK;
}

/* ---- Images */

/* Columns come back for the halves' own rows alone, and these lie where they lay. */
static enum fovea_result convolve(const struct blur_run *run, const struct blur_planes *planes)
{
    const struct planes_at all = {.device = run->device,
                                  .of = run->kernels,
                                  .planes = planes,
                                  .stream = run->stream,
                                  .at = planes->at,
                                  .next = (int64_t)planes->across.length * planes->rows,
                                  .count = run->count * (uint32_t)planes->count};
    const int32_t first = planes->reach_y_px;
    FOVEA_TRY(transform_rows(&all, run->kernels->rows_there, 0, planes->rows));
    FOVEA_TRY(transform_columns(&all, run->fft->columns, run->fft->kernel, planes->rows, first,
                                planes->half_px));
    return transform_rows(&all, run->kernels->rows_back, first, planes->half_px);
}

static enum fovea_result launch_image(const struct blur_run *run, CUfunction kernel, int32_t width,
                                      int32_t height, void *params)
{
    const struct cuda_launch launch =
        cuda_launch_over(kernel, width, height, run->count, BLUR_CUDA_SIDE_X, BLUR_CUDA_SIDE_Y);
    return cuda_launch(run->device, run->stream, &launch, params);
}

/* Parameters of kernels of images. */
union image_params {
    struct blur_planes_linear_params linear;
    struct blur_planes_surface_params surface;
};

enum fovea_result blur_fft_run(struct blur_run *run)
{
    union image_params params;
    struct blur_planes planes = run->fft->planes;
    planes.at = run->memory;
    planes.count = (int32_t)blur_fft_planes_in(&run->fft->planes, run->format);
    if (run->surfaces) {
        params.surface = (struct blur_planes_surface_params){
            .frame = run->frame, .planes = planes, .src = run->src.data, .dst = run->dst.data};
    } else {
        params.linear = (struct blur_planes_linear_params){
            .frame = run->frame, .planes = planes, .src = run->src, .dst = run->dst};
    }
    FOVEA_TRY(launch_image(run, run->first, planes.across.length, planes.rows, &params));
    FOVEA_TRY(convolve(run, &planes));
    return launch_image(run, run->last, run->frame.width_px, run->frame.height_px, &params);
}
