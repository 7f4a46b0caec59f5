/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_blobs_run on packed images in CPU memory; with FOVEA_TEST_BLOBS_CUDA=1 on copies of them in
 * CUDA memory. */
#pragma once

#include "cmocka_all.h"

#include "fovea_blobs.h"

#if FOVEA_HAVE_CUDA
#include "kept_device.h"

static inline enum fovea_result blobs_run_on_device(struct fovea_blobs *blobs,
                                                    const struct fovea_image *image, uint32_t count,
                                                    ptrdiff_t next_bytes, struct fovea_blob *out,
                                                    uint32_t *out_counts)
{
    const size_t bytes = (size_t)(count - 1) * (size_t)next_bytes +
                         image->height_px * (size_t)image->row_stride_bytes;
    struct cuda_device *device = kept_device();
    CUdeviceptr memory = 0;
    struct fovea_image copy = *image;
    assert_ok(cuda_device_push(device));
    assert_int_equal(device->cu->MemAlloc(&memory, bytes), CUDA_SUCCESS);
    assert_int_equal(device->cu->MemcpyHtoD(memory, image->data, bytes), CUDA_SUCCESS);
    copy.memory = FOVEA_MEMORY_CUDA;
    copy.data = (void *)(uintptr_t)memory;
    const enum fovea_result result =
        fovea_blobs_run(blobs, &copy, count, next_bytes, out, out_counts, NULL);
    assert_int_equal(device->cu->MemFree(memory), CUDA_SUCCESS);
    cuda_device_pop(device);
    return result;
}
#endif

static inline enum fovea_result blobs_run(struct fovea_blobs *blobs,
                                          const struct fovea_image *image, uint32_t count,
                                          ptrdiff_t next_bytes, struct fovea_blob *out,
                                          uint32_t *out_counts)
{
#if FOVEA_HAVE_CUDA
    if (getenv("FOVEA_TEST_BLOBS_CUDA")) {
        return blobs_run_on_device(blobs, image, count, next_bytes, out, out_counts);
    }
#endif
    return fovea_blobs_run(blobs, image, count, next_bytes, out, out_counts, NULL);
}
