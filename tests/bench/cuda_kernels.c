/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The PTX of bench_kernels.cu as bytes of this program, with the zero that ends a text.
 * BENCH_KERNELS_PTX is the file, from the build. */

#include "cuda_bench.h"

__asm__(".pushsection .rodata, \"a\"\n"
        ".globl bench_kernels_ptx\n"
        ".hidden bench_kernels_ptx\n"
        "bench_kernels_ptx:\n"
        ".incbin \"" BENCH_KERNELS_PTX "\"\n"
        ".byte 0\n"
        ".popsection\n");
