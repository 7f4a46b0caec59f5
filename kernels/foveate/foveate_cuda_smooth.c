/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_cuda_smooth.h"

extern const unsigned char foveate_smooth_fatbin[];

#define HALF_SAMPLE_BYTES 8
#define FLOAT_SAMPLE_BYTES 16

static enum fovea_result get_decimations(const struct cuda_device *device,
                                         struct foveate_cuda_smooth_kernels *kernels)
{
    FOVEA_TRY(foveate_cuda_get_kernel(device, kernels->module, "smooth_decimate_half",
                                      &kernels->decimate_half));
    return foveate_cuda_get_kernel(device, kernels->module, "smooth_decimate_float",
                                   &kernels->decimate_float);
}

enum fovea_result foveate_cuda_smooth_load(const struct cuda_device *device,
                                           struct foveate_cuda_smooth_kernels *out_kernels)
{
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_smooth_fatbin));
    FOVEA_TRY(
        foveate_cuda_get_kernels(device, out_kernels->module, "smooth_level", &out_kernels->level));
    FOVEA_TRY(foveate_cuda_get_kernels(device, out_kernels->module, "smooth_gather",
                                       &out_kernels->gather));
    return get_decimations(device, out_kernels);
}

void foveate_cuda_smooth_unload(const struct cuda_device *device,
                                struct foveate_cuda_smooth_kernels *kernels)
{
    if (kernels->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->module));
    }
}

size_t foveate_cuda_smooth_sample_bytes(bool surfaces_only)
{
    return surfaces_only ? HALF_SAMPLE_BYTES : FLOAT_SAMPLE_BYTES;
}

/* ---- Launches --------------------------------------------------------------------------------- */

/* A thread for each of width x height. */
static enum fovea_result launch(const struct foveate_cuda_smooth_run *run, CUfunction kernel,
                                int32_t width, int32_t height, void *params)
{
    const struct cuda_device *device = run->device;
    const unsigned columns =
        ((unsigned)width + FOVEATE_CUDA_BLOCK_WIDTH - 1) / FOVEATE_CUDA_BLOCK_WIDTH;
    const unsigned rows =
        ((unsigned)height + FOVEATE_CUDA_BLOCK_HEIGHT - 1) / FOVEATE_CUDA_BLOCK_HEIGHT;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel, columns, rows, 1, FOVEATE_CUDA_BLOCK_WIDTH,
                                    FOVEATE_CUDA_BLOCK_HEIGHT, 1, 0, run->stream,
                                    (void *[]){params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result decimate(const struct foveate_cuda_smooth_run *run, CUfunction kernel)
{
    struct foveate_cuda_decimate_params params = {.smooth = *run->smooth};
    for (int32_t k = 1; k < run->smooth->level_count; k++) {
        const struct foveate_level *level = &run->smooth->levels[k];
        const int32_t margins = 2 * foveate_level_margin(k);
        params.level = k;
        FOVEA_TRY(launch(run, kernel, level->width + margins, level->height + margins, &params));
    }
    return FOVEA_OK;
}

/* `level` and `gather` take the same parameters. */
static enum fovea_result launch_all(const struct foveate_cuda_smooth_run *run, CUfunction level,
                                    CUfunction decimation, CUfunction gather, void *params)
{
    const int32_t width_px = run->frame->width_px;
    const int32_t height_px = run->frame->height_px;
    if (run->smooth->level_count > 0) {
        FOVEA_TRY(launch(run, level, width_px, height_px, params));
        FOVEA_TRY(decimate(run, decimation));
    }
    return launch(run, gather, width_px, height_px, params);
}

enum fovea_result foveate_cuda_smooth_surface(const struct foveate_cuda_smooth_run *run,
                                              enum fovea_format format, CUsurfObject src,
                                              CUsurfObject dst)
{
    const struct foveate_cuda_smooth_kernels *kernels = run->kernels;
    struct foveate_cuda_smooth_surface_params params = {
        .frame = *run->frame, .smooth = *run->smooth, .src = src, .dst = dst};
    return launch_all(run, kernels->level.surface[format], kernels->decimate_half,
                      kernels->gather.surface[format], &params);
}

enum fovea_result foveate_cuda_smooth_linear(const struct foveate_cuda_smooth_run *run,
                                             const struct fovea_image *src,
                                             const struct fovea_image *dst)
{
    const struct foveate_cuda_smooth_kernels *kernels = run->kernels;
    const bool floats = src->format == FOVEA_FORMAT_RGBA32F;
    struct foveate_cuda_smooth_linear_params params = {.frame = *run->frame,
                                                       .smooth = *run->smooth,
                                                       .src = foveate_cuda_linear_view(src),
                                                       .dst = foveate_cuda_linear_view(dst)};
    return launch_all(run, kernels->level.linear[src->format],
                      floats ? kernels->decimate_float : kernels->decimate_half,
                      kernels->gather.linear[src->format], &params);
}
