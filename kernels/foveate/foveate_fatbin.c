/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compiled kernels as bytes of this library. FOVEATE_FATBIN and so on are their files, from
 * the build. */

extern const unsigned char foveate_bands_fatbin[];
extern const unsigned char foveate_fatbin[];
extern const unsigned char foveate_gaze_fatbin[];
extern const unsigned char foveate_late_fatbin[];
extern const unsigned char foveate_small_fatbin[];
extern const unsigned char foveate_smooth_fatbin[];
extern const unsigned char foveate_tiles_fatbin[];

#define EMBED(name, file)                                                                          \
    __asm__(".pushsection .rodata, \"a\"\n"                                                        \
            ".balign 64\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".hidden " #name "\n" #name ":\n"                                                      \
            ".incbin \"" file "\"\n"                                                               \
            ".popsection\n")

EMBED(foveate_bands_fatbin, FOVEATE_BANDS_FATBIN);
EMBED(foveate_fatbin, FOVEATE_FATBIN);
EMBED(foveate_gaze_fatbin, FOVEATE_GAZE_FATBIN);
EMBED(foveate_late_fatbin, FOVEATE_LATE_FATBIN);
EMBED(foveate_small_fatbin, FOVEATE_SMALL_FATBIN);
EMBED(foveate_smooth_fatbin, FOVEATE_SMOOTH_FATBIN);
EMBED(foveate_tiles_fatbin, FOVEATE_TILES_FATBIN);
