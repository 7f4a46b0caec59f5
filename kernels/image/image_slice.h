/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches in slices, one after the other, where memory for all images at once would be too much. */
#pragma once

#include "fovea.h"

/* Images that memory is made for: the next power of two, so that batches that grow by an image do
 * not take memory each time, but no more than fit in most_bytes, and at least one. */
static inline uint32_t image_slice_capacity(uint32_t count, uint64_t image_bytes,
                                            uint64_t most_bytes)
{
    const uint64_t fit = image_bytes > 0 ? most_bytes / image_bytes : UINT32_MAX;
    const uint64_t most = fit > 0 ? fit : 1;
    uint64_t rounded = 1;
    while (rounded < count) {
        rounded *= 2;
    }
    return (uint32_t)(rounded < most ? rounded : most);
}

/* The image of that number of a batch, by its first. */
static inline struct fovea_image image_of_batch(const struct fovea_image *first,
                                                ptrdiff_t next_bytes, uint32_t number)
{
    struct fovea_image image = *first;
    const uintptr_t offset = (uintptr_t)((int64_t)number * next_bytes);
    image.data = (void *)((uintptr_t)first->data + offset);
    return image;
}
