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
        {"blur_fft_load", &kernels->load[0], bytes},
        {"blur_fft_load_precise", &kernels->load[1], bytes},
        {"blur_fft_store", &kernels->store[0], bytes},
        {"blur_fft_store_precise", &kernels->store[1], bytes},
        {"blur_fft_rows", &kernels->rows[0], bytes},
        {"blur_fft_rows_precise", &kernels->rows[1], bytes},
        {"blur_fft_columns", &kernels->columns[0], bytes},
        {"blur_fft_columns_precise", &kernels->columns[1], bytes},
        {"blur_fft_columns_there", &kernels->columns_there[0], bytes},
        {"blur_fft_columns_there_precise", &kernels->columns_there[1], bytes}};
    FOVEA_TRY(cuda_kernels_get_named(device, kernels->planes, named, sizeof named / sizeof *named));
    cuda_kernels_fill(kernels->load[0], &kernels->first[BLUR_WAY_PLANES]);
    cuda_kernels_fill(kernels->load[1], &kernels->first[BLUR_WAY_PRECISE_PLANES]);
    cuda_kernels_fill(kernels->store[0], &kernels->last[BLUR_WAY_PLANES]);
    cuda_kernels_fill(kernels->store[1], &kernels->last[BLUR_WAY_PRECISE_PLANES]);
    return FOVEA_OK;
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

/* ---- Transforms of planes of images that follow each other */

struct planes_at {
    const struct cuda_device *device;
    const struct blur_kernels *of;
    const struct blur_planes *planes;
    CUstream stream;
    uint32_t images;
};

/* A block has a row of each plane; a thread makes one step of eight numbers, or some. */
static enum fovea_result launch_rows(const struct planes_at *all, CUfunction kernel, int32_t rows,
                                     void *params)
{
    const struct blur_planes *planes = all->planes;
    const uint32_t wanted = 32 * cuda_parts(planes->across.length, 8 * 32);
    const struct cuda_launch launch = {
        .kernel = kernel,
        .blocks = {(uint32_t)rows, 1, all->images},
        .threads = {wanted < BLUR_FFT_MOST_THREADS ? wanted : BLUR_FFT_MOST_THREADS, 1},
        .shared_bytes = (uint32_t)planes->lines * blur_fft_row_bytes(planes)};
    return cuda_launch(all->device, all->stream, &launch, params);
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
                                           uint64_t kernel, int32_t first, int32_t written)
{
    const struct blur_planes *planes = all->planes;
    struct blur_fft_columns_params params = {.transform = planes->down,
                                             .at = planes->at,
                                             .next = (int64_t)planes->across.length * planes->rows,
                                             .kernel = kernel,
                                             .width = planes->across.length,
                                             .rows = planes->rows,
                                             .first_written = first,
                                             .written = written,
                                             .planes = (int32_t)all->images * planes->count};
    const uint32_t places = (uint32_t)blur_transform_places(planes->down.length);
    const struct cuda_launch launch = {
        .kernel = (kernel ? all->of->columns : all->of->columns_there)[planes->precise],
        .blocks = {(uint32_t)params.planes * cuda_parts(params.width, (int32_t)columns), 1, 1},
        .threads = {columns, column_threads(planes) / columns},
        .shared_bytes = columns * places * blur_fft_number_bytes(planes)};
    return cuda_launch(all->device, all->stream, &launch, &params);
}

/* ---- Plans */

static enum fovea_result transform_kernel(const struct operator_cuda *cuda,
                                          const struct blur_kernels *kernels,
                                          const struct blur_fft_plan *plan)
{
    const struct cuda_device *device = cuda->device;
    struct blur_planes plane = plan->planes;
    plane.rows = plane.down.length;
    plane.count = plane.lines = 1;
    plane.at = plan->kernel;
    const struct planes_at kernel = {
        .device = device, .of = kernels, .planes = &plane, .stream = cuda->upload, .images = 1};
    FOVEA_TRY(launch_rows(&kernel, kernels->rows[plane.precise], plane.rows, &plane));
    FOVEA_TRY(transform_columns(&kernel, plan->columns, 0, 0, plane.rows));
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

/* The planes of which a block's memory holds a row each; one at least, for which the plan sees. */
static int32_t lines_in(int shared_bytes, const struct blur_planes *planes)
{
    int32_t lines = planes->count;
    while (lines > 1 && (uint64_t)lines * blur_fft_row_bytes(planes) > (uint64_t)shared_bytes) {
        lines--;
    }
    return lines;
}

/* Columns come back for the halves' own rows alone, and these lie where they lay. */
enum fovea_result blur_fft_run(struct blur_run *run)
{
    struct blur_planes_params params = {.frame = run->frame,
                                        .planes = run->fft->planes,
                                        .src = run->src,
                                        .dst = run->dst,
                                        .format = run->format,
                                        .surfaces = run->surfaces};
    struct blur_planes *planes = &params.planes;
    planes->at = run->memory;
    planes->count = (int32_t)blur_fft_planes_in(&run->fft->planes, run->format);
    planes->lines = lines_in(run->kernels->shared_bytes, planes);
    const struct planes_at all = {.device = run->device,
                                  .of = run->kernels,
                                  .planes = planes,
                                  .stream = run->stream,
                                  .images = run->count};
    FOVEA_TRY(launch_rows(&all, run->first, planes->rows, &params));
    FOVEA_TRY(transform_columns(&all, run->fft->columns, run->fft->kernel, planes->reach_y_px,
                                planes->half_px));
    return launch_rows(&all, run->last, planes->half_px, &params);
}
