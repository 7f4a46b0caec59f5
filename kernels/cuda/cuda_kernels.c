/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_kernels.h"

#include <stdio.h>

enum fovea_result cuda_module_load(const struct cuda_device *device, const unsigned char *fatbin,
                                   CUmodule *out_module)
{
    CU_TRY(device->log, device->cu, device->cu->ModuleLoadData(out_module, fatbin));
    return FOVEA_OK;
}

void cuda_module_unload(const struct cuda_device *device, CUmodule *module)
{
    if (*module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(*module));
        *module = NULL;
    }
}

/* Launches it while the kernel ahead of it ends: it waits itself. */
static enum fovea_result launch_early(const struct cuda_device *device, CUstream stream,
                                      const struct cuda_launch *launch, void *params)
{
    CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                               .value = {.programmaticStreamSerializationAllowed = 1}};
    const CUlaunchConfig config = {.gridDimX = launch->blocks[0],
                                   .gridDimY = launch->blocks[1],
                                   .gridDimZ = launch->blocks[2],
                                   .blockDimX = launch->threads[0],
                                   .blockDimY = launch->threads[1],
                                   .blockDimZ = 1,
                                   .sharedMemBytes = launch->shared_bytes,
                                   .hStream = stream,
                                   .attrs = &early,
                                   .numAttrs = 1};
    return CU_CHECK(device->log, device->cu,
                    device->cu->LaunchKernelEx(&config, launch->kernel, (void *[]){params}, NULL));
}

enum fovea_result cuda_launch(const struct cuda_device *device, CUstream stream,
                              const struct cuda_launch *launch, void *params)
{
    if (!atomic_load_explicit(&device->code->has_older, memory_order_relaxed)) {
        return launch_early(device, stream, launch, params);
    }
    const uint32_t *blocks = launch->blocks;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(launch->kernel, blocks[0], blocks[1], blocks[2],
                                    launch->threads[0], launch->threads[1], 1, launch->shared_bytes,
                                    stream, (void *[]){params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result allow_shared(const struct cuda_device *device, CUfunction kernel,
                                      int bytes)
{
    return kernel && bytes > 0
               ? CU_CHECK(device->log, device->cu,
                          device->cu->FuncSetAttribute(
                              kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes))
               : FOVEA_OK;
}

enum fovea_result cuda_kernels_get_named(const struct cuda_device *device, CUmodule module,
                                         const struct cuda_named_kernel *named, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        FOVEA_TRY(cuda_device_get_kernel(device, module, named[i].name, named[i].out));
        FOVEA_TRY(allow_shared(device, *named[i].out, named[i].shared_bytes));
    }
    return FOVEA_OK;
}

enum fovea_result cuda_kernels_allow_shared(const struct cuda_device *device,
                                            const struct cuda_kernels *kernels, int bytes)
{
    for (int i = 0; i < CUDA_FORMATS; i++) {
        FOVEA_TRY(allow_shared(device, kernels->linear[i], bytes));
        FOVEA_TRY(allow_shared(device, kernels->surface[i], bytes));
    }
    return FOVEA_OK;
}

static const struct {
    const char *name;
    bool surface;
} names[CUDA_FORMATS] = {
    [FOVEA_FORMAT_RGBA8] = {"rgba8", true},
    [FOVEA_FORMAT_RGB8] = {"rgb8", false},
    [FOVEA_FORMAT_R8] = {"r8", false},
    [FOVEA_FORMAT_A2B10G10R10] = {"a2b10g10r10", true},
    [FOVEA_FORMAT_B10G11R11F] = {"b10g11r11f", true},
    [FOVEA_FORMAT_RGBA16F] = {"rgba16f", true},
    [FOVEA_FORMAT_RGBA32F] = {"rgba32f", false},
    [FOVEA_FORMAT_RGB16F] = {"rgb16f", false},
    [FOVEA_FORMAT_R16F] = {"r16f", false},
    [FOVEA_FORMAT_RGB32F] = {"rgb32f", false},
    [FOVEA_FORMAT_R32F] = {"r32f", false},
};

static enum fovea_result get(const struct cuda_device *device, CUmodule module, const char *prefix,
                             const char *layout, const char *format, CUfunction *out)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s_%s", prefix, layout, format);
    return cuda_device_get_kernel(device, module, name, out);
}

enum fovea_result cuda_kernels_get_linear(const struct cuda_device *device, CUmodule module,
                                          const char *prefix, uint32_t formats,
                                          struct cuda_kernels *out)
{
    for (int i = 0; i < CUDA_FORMATS; i++) {
        if ((formats >> i & 1u) != 0 && names[i].name) {
            FOVEA_TRY(get(device, module, prefix, "linear", names[i].name, &out->linear[i]));
        }
    }
    return FOVEA_OK;
}

enum fovea_result cuda_kernels_get(const struct cuda_device *device, CUmodule module,
                                   const char *prefix, uint32_t formats, struct cuda_kernels *out)
{
    FOVEA_TRY(cuda_kernels_get_linear(device, module, prefix, formats, out));
    for (int i = 0; i < CUDA_FORMATS; i++) {
        if ((formats >> i & 1u) != 0 && names[i].surface) {
            FOVEA_TRY(get(device, module, prefix, "surface", names[i].name, &out->surface[i]));
        }
    }
    return FOVEA_OK;
}

void cuda_kernels_fill(CUfunction kernel, struct cuda_kernels *out_kernels)
{
    for (int i = 0; i < CUDA_FORMATS; i++) {
        out_kernels->linear[i] = names[i].name ? kernel : NULL;
        out_kernels->surface[i] = names[i].surface ? kernel : NULL;
    }
}
