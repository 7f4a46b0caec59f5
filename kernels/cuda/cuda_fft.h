/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fourier transforms of planes of real numbers by NVIDIA's cuFFT, which is loaded at run time as
 * the driver is, and need not be there. The device is pushed around every call.
 *
 * A plane of width x height numbers lies by rows, each as long as the width and two numbers more,
 * and is transformed where it lies: into width / 2 + 1 complex numbers a row, and back, multiplied
 * by width x height. What makes the transforms takes milliseconds and memory; running them
 * allocates nothing, waits for nothing, and can be captured. */
#ifndef FOVEA_KERNELS_CUDA_CUDA_FFT_H
#define FOVEA_KERNELS_CUDA_CUDA_FFT_H

#include "cuda_device.h"

/* The library is there. Else out_problem is a sentence's end that names it. Looks once a process;
 * any thread. */
bool cuda_fft_is_there(char *out_problem, size_t bytes);

struct cuda_fft_shape {
    int32_t width; /* even, as the height: cuda_fft_length */
    int32_t height;
    bool precise; /* double precision */
    uint32_t unit; /* how many planes mostly come together */
    uint32_t most; /* how many there are at most */
};

/* The smallest even number from `least` on that has no prime factor above 7. */
int32_t cuda_fft_length(int32_t least);

static inline uint64_t cuda_fft_plane_bytes(const struct cuda_fft_shape *shape)
{
    return (uint64_t)(shape->width + 2) * (uint64_t)shape->height * (shape->precise ? 8 : 4);
}

struct cuda_fft;

/* FOVEA_ERROR_UNSUPPORTED: the library is not there, or does not run on this device; the log says
 * so. */
FOVEA_MUST_CHECK enum fovea_result cuda_fft_create(const struct cuda_device *device,
                                                   const struct cuda_fft_shape *shape,
                                                   struct cuda_fft **out_fft);
void cuda_fft_destroy(const struct cuda_device *device, struct cuda_fft **fft); /* NULL-safe */
/* Destroy for a device whose streams are stuck. NULL-safe. */
void cuda_fft_abandon(struct cuda_fft **fft);

/* The memory that it needs beside the planes, at a multiple of 256, before it runs. */
uint64_t cuda_fft_work_bytes(const struct cuda_fft *fft);
FOVEA_MUST_CHECK enum fovea_result cuda_fft_set_work(const struct cuda_device *device,
                                                     const struct cuda_fft *fft, CUdeviceptr work);

/* Returns how many of so many planes it takes at once, so that they stay in the device's cache
 * where they can: at least one. */
uint32_t cuda_fft_together(const struct cuda_fft *fft, uint32_t planes);

enum cuda_fft_way { CUDA_FFT_THERE, CUDA_FFT_BACK };

/* Transforms as many planes as cuda_fft_together has named, which follow each other without gaps.
 */
FOVEA_MUST_CHECK enum fovea_result cuda_fft_run(const struct cuda_device *device,
                                                const struct cuda_fft *fft, enum cuda_fft_way way,
                                                uint32_t together, CUdeviceptr planes,
                                                CUstream stream);

#endif
