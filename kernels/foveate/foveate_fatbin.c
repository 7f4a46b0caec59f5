/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compiled kernels as bytes of this library. FOVEATE_FATBIN is their file, from the build. */

extern const unsigned char foveate_fatbin[];

__asm__(".pushsection .rodata, \"a\"\n"
        ".balign 64\n"
        ".globl foveate_fatbin\n"
        ".hidden foveate_fatbin\n"
        "foveate_fatbin:\n"
        ".incbin \"" FOVEATE_FATBIN "\"\n"
        ".popsection\n");
