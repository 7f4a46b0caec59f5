/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compiled kernels as bytes of this library: foveate_cuda.cu is foveate_cuda_fatbin, and so on.
 * FOVEATE_FATBINS is where the build puts the files. */

#define EMBED(name)                                                                                \
    extern const unsigned char name##_fatbin[];                                                    \
    __asm__(".pushsection .rodata, \"a\"\n"                                                        \
            ".balign 64\n"                                                                         \
            ".globl " #name "_fatbin\n"                                                            \
            ".hidden " #name "_fatbin\n" #name "_fatbin:\n"                                        \
            ".incbin \"" FOVEATE_FATBINS "/" #name ".fatbin\"\n"                                   \
            ".popsection\n")

EMBED(foveate_bands);
EMBED(foveate_cuda);
EMBED(foveate_fragments);
EMBED(gaze);
EMBED(late);
EMBED(foveate_nodes);
EMBED(foveate_small);
EMBED(foveate_smooth);
EMBED(foveate_tiles);
EMBED(foveate_tiles_float);
EMBED(foveate_tiles_unorm);
