/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Compiled kernels as bytes of this library: CUDA_EMBED(x) is unsigned char x_fatbin[] of x.fatbin,
 * in the folder that the build calls CUDA_FATBINS. */
#pragma once

#define CUDA_EMBED(name)                                                                           \
    extern const unsigned char name##_fatbin[];                                                    \
    __asm__(".pushsection .rodata, \"a\"\n"                                                        \
            ".balign 64\n"                                                                         \
            ".globl " #name "_fatbin\n"                                                            \
            ".hidden " #name "_fatbin\n" #name "_fatbin:\n"                                        \
            ".incbin \"" CUDA_FATBINS "/" #name ".fatbin\"\n"                                      \
            ".popsection\n")
