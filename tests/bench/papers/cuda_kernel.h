/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels of one file in the execution configurations that papers compare: registers at most, as
 * nvcc's -maxrregcount has it, the part of a multiprocessor's cache that is shared memory, and how
 * many blocks it takes. */
#pragma once

#include "cuda_ways.h"

#define PAPERS_KERNELS_LIMITS 8
#define PAPERS_KERNEL_NAME_BYTES 64

struct papers_kernels {
    struct cuda_bench *b;
    const char *ptx;
    /* With a limit only the kernel that is asked for is compiled, which all others would take
     * seconds beside; kernels have nothing in common, and each limit one kernel of each name. */
    bool is_apart;
    struct {
        unsigned registers;
        char name[PAPERS_KERNEL_NAME_BYTES]; /* "": all kernels */
        CUmodule module;
    } modules[PAPERS_KERNELS_LIMITS]; /* loaded when they are asked for */
    int count;
};

struct papers_kernel {
    struct papers_kernels *of;
    const char *name;
    unsigned registers; /* at most; 0: as many as it takes */
    int shared_percent; /* 0: the driver's choice */
    unsigned grid[3], block[2]; /* a grid without depth: 0 */
    unsigned shared_bytes;
    CUfunction function; /* of papers_kernel_load */
};

void papers_kernel_load(struct cuda_bench *b, struct papers_kernel *kernel);
/* params: of one argument. */
enum fovea_result papers_kernel_enqueue(struct cuda_bench *b, const struct papers_kernel *kernel,
                                        void *params);
/* "; 32 registers, 12 blocks, 75 % occupancy"; nothing where the driver does not say. */
void papers_kernel_words(struct cuda_bench *b, const struct papers_kernel *kernel, char *words,
                         size_t bytes);
void papers_kernels_unload(struct papers_kernels *kernels);
