/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "smooth.h"

#include "kernels/image/pixel.h"

extern const unsigned char foveate_smooth_fatbin[];

#define HALF_SAMPLE_BYTES 8
#define FLOAT_SAMPLE_BYTES 16
/* Kernels count the samples of a picture in 31 bits. */
#define MOST_PITCH 65536

static const uint32_t formats = CUDA_EVERY_FORMAT & ~CUDA_SMALLER_FLOATS;

static enum fovea_result get_decimations(const struct cuda_device *device,
                                         struct foveate_cuda_smooth_kernels *kernels)
{
    FOVEA_TRY(cuda_device_get_kernel(device, kernels->module, "smooth_decimate_half",
                                     &kernels->decimate_half));
    return cuda_device_get_kernel(device, kernels->module, "smooth_decimate_float",
                                  &kernels->decimate_float);
}

enum fovea_result foveate_cuda_smooth_load(const struct cuda_device *device,
                                           struct foveate_cuda_smooth_kernels *out_kernels)
{
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_smooth_fatbin));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "smooth_level", formats,
                               &out_kernels->level));
    FOVEA_TRY(cuda_kernels_get(device, out_kernels->module, "smooth_picture", formats,
                               &out_kernels->picture));
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

/* ---- Launches -------------------------------------------------------------------------------- */

/* The extents of a launch. */
struct extent {
    int32_t width;
    int32_t height;
    uint32_t images;
};

/* Launches a thread for each of width x height x images. */
static enum fovea_result launch(const struct foveate_cuda_smooth_run *run, CUfunction kernel,
                                struct extent extent, void *params)
{
    const struct cuda_device *device = run->device;
    const unsigned columns =
        ((unsigned)extent.width + FOVEATE_CUDA_BLOCK_WIDTH - 1) / FOVEATE_CUDA_BLOCK_WIDTH;
    const unsigned rows =
        ((unsigned)extent.height + FOVEATE_CUDA_BLOCK_HEIGHT - 1) / FOVEATE_CUDA_BLOCK_HEIGHT;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel, columns, rows, extent.images, FOVEATE_CUDA_BLOCK_WIDTH,
                                    FOVEATE_CUDA_BLOCK_HEIGHT, 1, 0, run->stream,
                                    (void *[]){params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result decimate(const struct foveate_cuda_smooth_run *run, CUfunction kernel,
                                  uint32_t images)
{
    struct foveate_cuda_decimate_params params = {.smooth = *run->smooth};
    for (int32_t k = 1; k < run->smooth->level_count; k++) {
        const struct foveate_level *level = &run->smooth->levels[k];
        const int32_t margins = 2 * foveate_level_margin(k);
        const struct extent extent = {level->width + margins, level->height + margins, images};
        params.level = k;
        FOVEA_TRY(launch(run, kernel, extent, &params));
    }
    return FOVEA_OK;
}

/* The kernels of a format; `level` and `picture` take the same parameters. */
struct stages {
    CUfunction level;
    CUfunction decimation;
    CUfunction picture;
    void *params;
};

/* Launches a block for each 2 x 2 tiles. */
static enum fovea_result launch_picture(const struct foveate_cuda_smooth_run *run,
                                        const struct stages *stages, uint32_t images)
{
    const struct cuda_device *device = run->device;
    const unsigned side_px = 2 * FOVEATE_WIDE_TILE_PX;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(
               stages->picture, ((unsigned)run->frame->width_px + side_px - 1) / side_px,
               ((unsigned)run->frame->height_px + side_px - 1) / side_px, images,
               FOVEATE_WIDE_THREADS, 1, 1, 0, run->stream, (void *[]){stages->params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result launch_all(const struct foveate_cuda_smooth_run *run,
                                    const struct stages *stages, uint32_t sources, uint32_t images)
{
    const int32_t width_px = run->frame->width_px;
    const int32_t height_px = run->frame->height_px;
    if (run->smooth->level_count > 0) {
        const struct extent extent = {width_px, height_px, sources};
        if (!run->smooth->picture) {
            FOVEA_TRY(launch(run, stages->level, extent, stages->params));
        }
        FOVEA_TRY(decimate(run, stages->decimation, sources));
    }
    return launch_picture(run, stages, images);
}

enum fovea_result foveate_cuda_smooth_surface(const struct foveate_cuda_smooth_run *run,
                                              enum fovea_format format, CUsurfObject src,
                                              CUsurfObject dst)
{
    const struct foveate_cuda_smooth_kernels *kernels = run->kernels;
    struct foveate_cuda_smooth_surface_params params = {.frame = *run->frame,
                                                        .smooth = *run->smooth,
                                                        .batch = {.gazes = run->gazes},
                                                        .src = src,
                                                        .dst = dst};
    const struct stages stages = {kernels->level.surface[format], kernels->decimate_half,
                                  kernels->picture.surface[format], &params};
    return launch_all(run, &stages, 1, 1);
}

/* Pixels of floats serve as samples in place, if they lie as samples do. */
static void take_picture(const struct foveate_frame *frame, enum fovea_format format,
                         const struct foveate_cuda_slice *slice, struct foveate_cuda_smooth *smooth)
{
    const struct image_linear *src = &slice->src;
    const int64_t bytes = FLOAT_SAMPLE_BYTES;
    const int64_t pitch = src->row_stride_bytes / bytes;
    if (format != FOVEA_FORMAT_RGBA32F || !src->whole_pixels || src->pixel_stride_bytes != bytes ||
        pitch > MOST_PITCH || pitch < -MOST_PITCH) {
        return;
    }
    smooth->picture = src->data + (uint64_t)(frame->origin_y_px * src->row_stride_bytes +
                                             frame->origin_x_px * bytes);
    smooth->picture_next_bytes = slice->batch.src_next_bytes;
    smooth->picture_pitch = (int32_t)pitch;
}

enum fovea_result foveate_cuda_smooth_linear(const struct foveate_cuda_smooth_run *run,
                                             enum fovea_format format,
                                             const struct foveate_cuda_slice *slice)
{
    const struct foveate_cuda_smooth_kernels *kernels = run->kernels;
    const bool floats = pixel_has_32_bit_floats(format);
    const uint32_t sources = slice->batch.src_next_bytes == 0 ? 1 : slice->count;
    struct foveate_cuda_smooth_linear_params params = {.frame = *run->frame,
                                                       .smooth = *run->smooth,
                                                       .batch = slice->batch,
                                                       .src = slice->src,
                                                       .dst = slice->dst};
    struct foveate_cuda_smooth_run own = *run;
    take_picture(run->frame, format, slice, &params.smooth);
    own.smooth = &params.smooth;
    const struct stages stages = {kernels->level.linear[format],
                                  floats ? kernels->decimate_float : kernels->decimate_half,
                                  kernels->picture.linear[format], &params};
    return launch_all(&own, &stages, sources, slice->count);
}
