/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_image.h"

#include "kernels/image/pixel.h"
#include "kernels/operator/operator.h"

#include <inttypes.h>

/* No picture needs more, and products with sizes stay far from the end of 64 bits. */
#define MAX_STRIDE_BYTES ((int64_t)1 << 40)

size_t fovea_format_bytes(enum fovea_format format)
{
    const struct pixel_codec *codec = pixel_codec_of(format);
    return codec ? codec->bytes : 0;
}

static int64_t row_bytes(const struct fovea_image *image)
{
    return (int64_t)(image->width_px - 1) * image->pixel_stride_bytes +
           (int64_t)fovea_format_bytes(image->format);
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

static bool check_kind(const struct fovea_image *image, const char *name, char *out)
{
    if (!image->data) {
        return CONTEXT_PROBLEM(out, "%s.data is NULL", name);
    }
    if (!pixel_codec_of(image->format)) {
        return CONTEXT_PROBLEM(out, "%s.format is %d, which is no format", name,
                               (int)image->format);
    }
    if (image->memory != FOVEA_MEMORY_CPU && image->memory != FOVEA_MEMORY_CUDA) {
        return CONTEXT_PROBLEM(out, "%s.memory is %d, which is no memory", name,
                               (int)image->memory);
    }
    if (image->width_px < 1 || image->width_px > OPERATOR_MAX_SIZE_PX || image->height_px < 1 ||
        image->height_px > OPERATOR_MAX_SIZE_PX) {
        return CONTEXT_PROBLEM(out, "%s is %" PRIu32 "x%" PRIu32 "; each side must be 1 to %d",
                               name, image->width_px, image->height_px, OPERATOR_MAX_SIZE_PX);
    }
    return true;
}

static bool check_strides(const struct fovea_image *image, const char *name, char *out)
{
    const int64_t pixel = image->pixel_stride_bytes;
    const int64_t row = image->row_stride_bytes;
    const int64_t bytes = (int64_t)fovea_format_bytes(image->format);
    if (pixel < bytes || pixel > MAX_STRIDE_BYTES / OPERATOR_MAX_SIZE_PX) {
        return CONTEXT_PROBLEM(
            out, "%s.pixel_stride_bytes is %" PRId64 "; a pixel has %" PRId64 " bytes", name, pixel,
            bytes);
    }
    if (row > MAX_STRIDE_BYTES || row < -MAX_STRIDE_BYTES) {
        return CONTEXT_PROBLEM(out, "%s.row_stride_bytes is %" PRId64 ", which no picture needs",
                               name, row);
    }
    if (image->height_px > 1 && magnitude(row) < row_bytes(image)) {
        return CONTEXT_PROBLEM(
            out, "%s.row_stride_bytes is %" PRId64 ", but a row has %" PRId64 " bytes", name, row,
            row_bytes(image));
    }
    return true;
}

static bool check_alignment(const struct fovea_image *image, const char *name, char *out)
{
    const int64_t align = pixel_codec_of(image->format)->align_bytes;
    if ((uintptr_t)image->data % (uintptr_t)align != 0) {
        return CONTEXT_PROBLEM(out, "%s.data is not aligned to %" PRId64 " bytes", name, align);
    }
    if (image->pixel_stride_bytes % align != 0 ||
        (image->height_px > 1 && image->row_stride_bytes % align != 0)) {
        return CONTEXT_PROBLEM(out, "%s has strides that are no multiples of %" PRId64 " bytes",
                               name, align);
    }
    return true;
}

bool context_image_check(struct fovea_image *image, const char *name,
                         char out_problem[CONTEXT_PROBLEM_BYTES])
{
    if (!check_kind(image, name, out_problem)) {
        return false;
    }
    if (image->pixel_stride_bytes == 0) {
        image->pixel_stride_bytes = (ptrdiff_t)fovea_format_bytes(image->format);
    }
    return check_strides(image, name, out_problem) && check_alignment(image, name, out_problem);
}

bool context_image_lacks_kernels(const struct fovea_image *image, const char *name,
                                 char out_problem[CONTEXT_PROBLEM_BYTES])
{
    return pixel_has_16_bit_levels(image->format) &&
           !CONTEXT_PROBLEM(out_problem,
                            "%s has whole numbers of 16 bits, which only operators take; use 8 or "
                            "10 bits or floats here",
                            name);
}

/* ---- Overlap */

int64_t context_image_extent_bytes(const struct fovea_image *image)
{
    return magnitude((int64_t)image->row_stride_bytes * (image->height_px - 1)) + row_bytes(image);
}

struct context_range context_image_range(const struct fovea_image *image)
{
    const int64_t rows = (int64_t)image->row_stride_bytes * (image->height_px - 1);
    return (struct context_range){(uint64_t)(uintptr_t)image->data +
                                      (uint64_t)(rows < 0 ? rows : 0),
                                  context_image_extent_bytes(image)};
}

/* Two views of one picture may lie side by side, as packed stereo does: rows between rows. */
static bool side_by_side(const struct fovea_image *a, const struct fovea_image *b,
                         int64_t distance_bytes)
{
    const int64_t row = magnitude(a->row_stride_bytes);
    if (row != magnitude(b->row_stride_bytes) || row == 0) {
        return false;
    }
    const int64_t offset = (distance_bytes % row + row) % row;
    return offset >= row_bytes(a) && offset + row_bytes(b) <= row;
}

bool context_images_meet(const struct fovea_image *a, const struct fovea_image *b,
                         int64_t distance_bytes)
{
    const struct context_range first = context_image_range(a);
    struct context_range other = context_image_range(b);
    other.low += (uint64_t)distance_bytes;
    return context_ranges_meet(first, other) &&
           !side_by_side(a, b, (int64_t)(other.low - first.low));
}
