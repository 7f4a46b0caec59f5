/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method on the cpu, of UNORM pictures averaged as stored or in sRGB's light:
 * fragments from the level that foveate/plan/fragment.h gives them. Up to eight rows of pixels at a
 * time are summed from rows of samples, and along those.
 *
 * This is compiled several times, as foveate/cpu/common/lanes.h says. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_FRAGMENTS_H
#define FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_FRAGMENTS_H

#include "kernels/foveate/cpu/common/picture.h"
#include "kernels/foveate/plan/fragment.h"

/* The scratch memory of a worker begins at a cache line. Filters for 8 and for 10 bits may
 * differ. */
size_t foveate_cpu_fragments_floats(const struct foveate_plan *plan,
                                    const struct foveate_fragment_filters *filters);

struct foveate_cpu_fragments {
    /* Makes the fragments of row index_y of the grid, which may lie outside the picture. */
    void (*row)(const struct foveate_cpu_picture *picture,
                const struct foveate_fragment_filters *filters, float *scratch, int32_t index_y);
};

extern const struct foveate_cpu_fragments foveate_cpu_fragments_base;
#ifdef FOVEATE_CPU_HAVE_AVX2
extern const struct foveate_cpu_fragments foveate_cpu_fragments_avx2;
extern const struct foveate_cpu_fragments foveate_cpu_fragments_avx512;
#endif

#endif
