/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Modules of kernels, one kernel a format, and their launches. */
#pragma once

#include "cuda_device.h"

FOVEA_MUST_CHECK enum fovea_result cuda_module_load(const struct cuda_device *device,
                                                    const unsigned char *fatbin,
                                                    CUmodule *out_module);
void cuda_module_unload(const struct cuda_device *device, CUmodule *module); /* NULL-safe, NULLs */

#define CUDA_FORMATS (FOVEA_FORMAT_R32F + 1)

/* One kernel for each format of linear images; in arrays through surfaces, some formats have
 * none. */
struct cuda_kernels {
    CUfunction linear[CUDA_FORMATS];
    CUfunction surface[CUDA_FORMATS];
};

/* Kernels called <prefix>_linear_rgba8, <prefix>_surface_rgba8 and so on, of the formats in the
 * set: bit 1 << format. */
FOVEA_MUST_CHECK enum fovea_result cuda_kernels_get(const struct cuda_device *device,
                                                    CUmodule module, const char *prefix,
                                                    uint32_t formats, struct cuda_kernels *out);
/* Those of linear images alone, of modules that have no others. */
FOVEA_MUST_CHECK enum fovea_result cuda_kernels_get_linear(const struct cuda_device *device,
                                                           CUmodule module, const char *prefix,
                                                           uint32_t formats,
                                                           struct cuda_kernels *out);
/* One kernel for every format. */
void cuda_kernels_fill(CUfunction kernel, struct cuda_kernels *out_kernels);
/* Whether there is one of that format, in `linear` or `surface`. */
static inline bool cuda_kernels_has(const CUfunction kernels[CUDA_FORMATS],
                                    enum fovea_format format)
{
    return format >= 0 && format < CUDA_FORMATS && kernels[format];
}

/* A kernel by its name, whose blocks may take so much dynamic shared memory; 0: what they have
 * unasked. */
struct cuda_named_kernel {
    const char *name;
    CUfunction *out;
    int shared_bytes;
};
FOVEA_MUST_CHECK enum fovea_result cuda_kernels_get_named(const struct cuda_device *device,
                                                          CUmodule module,
                                                          const struct cuda_named_kernel *named,
                                                          size_t count);
/* Lets blocks of all of them have so much dynamic shared memory. */
FOVEA_MUST_CHECK enum fovea_result cuda_kernels_allow_shared(const struct cuda_device *device,
                                                             const struct cuda_kernels *kernels,
                                                             int bytes);

struct cuda_launch {
    CUfunction kernel;
    uint32_t blocks[3];
    uint32_t threads[2];
    uint32_t shared_bytes;
};
/* `params` is the kernel's only argument, which the driver copies. */
FOVEA_MUST_CHECK enum fovea_result cuda_launch(const struct cuda_device *device, CUstream stream,
                                               const struct cuda_launch *launch, void *params);
/* Returns how many parts of that size cover it. */
static inline uint32_t cuda_parts(int32_t size, int32_t part)
{
    return (uint32_t)((size + part - 1) / part);
}

/* A thread for each place of so many layers, in blocks of across x down threads. */
static inline struct cuda_launch cuda_launch_over(CUfunction kernel, int32_t width, int32_t height,
                                                  uint32_t layers, int32_t across, int32_t down)
{
    return (struct cuda_launch){
        .kernel = kernel,
        .blocks = {cuda_parts(width, across), cuda_parts(height, down), layers},
        .threads = {(uint32_t)across, (uint32_t)down}};
}

#define CUDA_EVERY_FORMAT (~0u)
#define CUDA_32_BIT_FLOATS                                                                         \
    (1u << FOVEA_FORMAT_RGBA32F | 1u << FOVEA_FORMAT_RGB32F | 1u << FOVEA_FORMAT_R32F)
#define CUDA_SMALLER_FLOATS                                                                        \
    (1u << FOVEA_FORMAT_RGBA16F | 1u << FOVEA_FORMAT_RGB16F | 1u << FOVEA_FORMAT_R16F |            \
     1u << FOVEA_FORMAT_B10G11R11F)
