/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "image_linear.h"

#include "pixel.h"

static bool is_multiple(intptr_t value, size_t unit)
{
    return value % (intptr_t)unit == 0;
}

struct image_linear image_linear_of(const struct fovea_image *image, ptrdiff_t next_bytes)
{
    const size_t bytes = pixel_codec_of(image->format)->bytes;
    const ptrdiff_t pixel_stride =
        image->pixel_stride_bytes ? image->pixel_stride_bytes : (ptrdiff_t)bytes;
    const bool whole = is_multiple((intptr_t)image->data, bytes) &&
                       is_multiple(image->row_stride_bytes, bytes) &&
                       is_multiple(pixel_stride, bytes) && is_multiple(next_bytes, bytes);
    return (struct image_linear){.data = (uintptr_t)image->data,
                                 .row_stride_bytes = image->row_stride_bytes,
                                 .pixel_stride_bytes = pixel_stride,
                                 .whole_pixels = whole};
}
