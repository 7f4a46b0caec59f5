/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cuda.h"

#include "kernels/image/pixel.h"

#include <math.h>

enum lightfield_cuda_kind lightfield_cuda_kind_of(const struct fovea_lightfield_raw *raw)
{
    static const enum lightfield_cuda_kind kinds[] = {
        LIGHTFIELD_CUDA_R8,  LIGHTFIELD_CUDA_R8,    LIGHTFIELD_CUDA_RGB8,  LIGHTFIELD_CUDA_RGBA8,
        LIGHTFIELD_CUDA_R16, LIGHTFIELD_CUDA_RGB16, LIGHTFIELD_CUDA_RGBA16};
    if (raw->bayer != FOVEA_LIGHTFIELD_BAYER_NONE) {
        return raw->format == FOVEA_LIGHTFIELD_FORMAT_R16 ? LIGHTFIELD_CUDA_MOSAIC16
                                                          : LIGHTFIELD_CUDA_MOSAIC8;
    }
    return kinds[raw->format];
}

static bool is_whole(const struct fovea_lightfield_raw *raw)
{
    const ptrdiff_t bytes = raw->format == FOVEA_LIGHTFIELD_FORMAT_RGBA16 ? 8 : 4;
    return (ptrdiff_t)((uintptr_t)raw->data % (uintptr_t)bytes) == 0 &&
           raw->row_stride_bytes % bytes == 0;
}

struct lightfield_cuda_raw lightfield_cuda_raw_of(const struct fovea_lightfield_raw *raw,
                                                  enum fovea_lightfield_filter filter)
{
    static const uint32_t lattices[] = {0, 0 | 1 << 2 | 2 << 4 | 3 << 6,
                                        1 | 0 << 2 | 3 << 4 | 2 << 6, 2 | 0 << 2 | 3 << 4 | 1 << 6,
                                        3 | 1 << 2 | 2 << 4 | 0 << 6};
    return (struct lightfield_cuda_raw){
        .data = (uintptr_t)raw->data,
        .row_stride_bytes = raw->row_stride_bytes,
        .width_px = (int32_t)raw->width_px,
        .height_px = (int32_t)raw->height_px,
        .nearest = filter == FOVEA_LIGHTFIELD_FILTER_NEAREST,
        .whole_pixels = is_whole(raw),
        .lattices = lattices[raw->bayer],
        .most = (float)raw->maximum,
    };
}

static struct lightfield_cuda_axis axis_of(uint32_t pixels, uint32_t lenses)
{
    return (struct lightfield_cuda_axis){
        .per_pixel = 1.0 / pixels,
        .per_lens = 1.0 / lenses,
        .pixels = (int32_t)pixels,
        .lenses = (int32_t)lenses,
        .each = pixels % lenses == 0 ? (int32_t)(pixels / lenses) : 0,
    };
}

struct lightfield_cuda_array lightfield_cuda_array_of(
    const struct fovea_lightfield_geometry *geometry, const struct fovea_image *picture)
{
    const double turn = geometry->rotation_deg * M_PI / 180.0;
    return (struct lightfield_cuda_array){
        .pitch_x_px = geometry->pitch_x_px,
        .pitch_y_px = geometry->pitch_y_px,
        .tall = geometry->pitch_y_px / geometry->pitch_x_px,
        .origin_x_px = geometry->origin_x_px,
        .origin_y_px = geometry->origin_y_px,
        .cos = cos(turn),
        .sin = sin(turn),
        .sign = geometry->flip ? -1.0 : 1.0,
        .reach_px = lightfield_reach_px(geometry->pitch_x_px),
        .across = axis_of(picture->width_px, geometry->columns),
        .down = axis_of(picture->height_px, geometry->rows),
        .columns = (int32_t)geometry->columns,
        .rows = (int32_t)geometry->rows,
        .hexagonal = geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL,
    };
}

struct lightfield_cuda_rings lightfield_cuda_rings_of(
    const struct fovea_lightfield_foveation *foveation, const struct fovea_image *picture)
{
    const struct lightfield_rings rings =
        lightfield_rings_of(foveation, picture->width_px, picture->height_px);
    return (struct lightfield_cuda_rings){
        .gaze_x_px = rings.gaze_x_px,
        .gaze_y_px = rings.gaze_y_px,
        .full_square = rings.full_px * rings.full_px,
        .next_square = rings.next_px * rings.next_px,
        .is_on = rings.is_on,
    };
}

struct lightfield_cuda_picture lightfield_cuda_picture_of(const struct fovea_image *image,
                                                          uint32_t maximum)
{
    return (struct lightfield_cuda_picture){
        .image = image_linear_of(image, 0),
        .width_px = (int32_t)image->width_px,
        .height_px = (int32_t)image->height_px,
        .format = image->format,
        .scale = pixel_white(image->format) / (float)maximum,
        .opaque = pixel_opaque(image->format),
    };
}
