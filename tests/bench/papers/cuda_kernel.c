/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_kernel.h"

#include <stdio.h>

#define WARP 32

/* Without what kernels say of the threads of a block, which goes before any limit. */
static char *unbounded(const char *ptx)
{
    char *copy = bench_memory(strlen(ptx) + 1, 1);
    memcpy(copy, ptx, strlen(ptx));
    for (char *at = strstr(copy, ".maxntid"); at; at = strstr(at, ".maxntid")) {
        memset(at, ' ', strcspn(at, "\n"));
    }
    return copy;
}

/* Blanks the kernels but the one of this name. An entry ends with the first line that is "}". */
static void keep_one(char *ptx, const char *name)
{
    static const char entry[] = ".visible .entry ";
    const size_t length = strlen(name);
    for (char *at = strstr(ptx, entry); at; at = strstr(at + 1, entry)) {
        const char *own = at + sizeof entry - 1;
        const char *end = strstr(at, "\n}");
        if (end && (strncmp(own, name, length) != 0 || own[length] != '(')) {
            memset(at, ' ', (size_t)(end + 2 - at));
        }
    }
}

/* name: the only kernel that is wanted; "": all are. */
static CUmodule load(struct cuda_bench *b, const char *ptx, unsigned registers, const char *name)
{
    PFN_cuModuleLoadDataEx_v2010 load_limited = NULL;
    CUmodule module = NULL;
    OWNED(owned_free) char *limited = unbounded(ptx);
    if (registers > 0 && cuda_ways_find("cuModuleLoadDataEx", &load_limited)) {
        CUjit_option option = CU_JIT_MAX_REGISTERS;
        void *value = (void *)(uintptr_t)registers;
        if (*name) {
            keep_one(limited, name);
        }
        CUDA_MUST(b, load_limited(&module, limited, 1, &option, &value));
    } else {
        CUDA_MUST(b, b->cu->ModuleLoadData(&module, ptx));
    }
    return module;
}

static CUmodule module_of(struct papers_kernels *kernels, unsigned registers, const char *kernel)
{
    const char *name = kernels->is_apart && registers > 0 ? kernel : "";
    for (int i = 0; i < kernels->count; i++) {
        const char *own = kernels->modules[i].name;
        if (kernels->modules[i].registers == registers && strcmp(own, name) == 0) {
            return kernels->modules[i].module;
        }
    }
    bench_need(kernels->count < PAPERS_KERNELS_LIMITS, "too many limits of registers");
    kernels->modules[kernels->count].registers = registers;
    snprintf(kernels->modules[kernels->count].name, PAPERS_KERNEL_NAME_BYTES, "%s", name);
    kernels->modules[kernels->count].module = load(kernels->b, kernels->ptx, registers, name);
    return kernels->modules[kernels->count++].module;
}

void papers_kernel_load(struct cuda_bench *b, struct papers_kernel *kernel)
{
    const CUmodule module = module_of(kernel->of, kernel->registers, kernel->name);
    CUDA_MUST(b, b->cu->ModuleGetFunction(&kernel->function, module, kernel->name));
    if (kernel->shared_bytes > 48 * 1024) {
        CUDA_MUST(b, b->cu->FuncSetAttribute(kernel->function,
                                             CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                             (int)kernel->shared_bytes));
    }
    CUDA_MUST(b, b->cu->FuncSetAttribute(
                     kernel->function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                     kernel->shared_percent > 0 ? kernel->shared_percent
                                                : CU_SHAREDMEM_CARVEOUT_DEFAULT));
}

enum fovea_result papers_kernel_enqueue(struct cuda_bench *b, const struct papers_kernel *kernel,
                                        void *params)
{
    return CU_CHECK(b->device->log, b->cu,
                    b->cu->LaunchKernel(kernel->function, kernel->grid[0], kernel->grid[1],
                                        kernel->grid[2] ? kernel->grid[2] : 1, kernel->block[0],
                                        kernel->block[1], 1, kernel->shared_bytes, b->stream,
                                        (void *[]){params}, NULL));
}

void papers_kernel_words(struct cuda_bench *b, const struct papers_kernel *kernel, char *words,
                         size_t bytes)
{
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 ask = NULL;
    const int threads = (int)(kernel->block[0] * kernel->block[1]);
    int registers = 0;
    int spilled = 0;
    int most = 0;
    int blocks = 0;
    if (!cuda_ways_find("cuOccupancyMaxActiveBlocksPerMultiprocessor", &ask) || bytes == 0) {
        return;
    }
    CUDA_MUST(b, b->cu->FuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel->function));
    CUDA_MUST(
        b, b->cu->FuncGetAttribute(&spilled, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel->function));
    CUDA_MUST(
        b, b->cu->DeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0));
    CUDA_MUST(b, ask(&blocks, kernel->function, threads, kernel->shared_bytes));
    const int used =
        snprintf(words, bytes, "; %d registers, %d blocks, %.0f %% occupancy", registers, blocks,
                 100.0 * blocks * ((threads + WARP - 1) / WARP * WARP) / most);
    if (spilled > 0 && used > 0 && (size_t)used < bytes) {
        snprintf(words + used, bytes - (size_t)used, ", %d B a thread spilled", spilled);
    }
}

void papers_kernels_unload(struct papers_kernels *kernels)
{
    for (int i = 0; i < kernels->count; i++) {
        CUDA_MUST(kernels->b, kernels->b->cu->ModuleUnload(kernels->modules[i].module));
    }
    kernels->count = 0;
}
