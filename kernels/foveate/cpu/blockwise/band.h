/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A row of fragments is what a thread of the cpu backend takes at a time. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_BAND_H
#define FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_BAND_H

#include "kernels/foveate/cpu/common/image.h"
#include "line.h"

/* Floats of one worker, sized for the longest filter of the plan. */
struct foveate_cpu_scratch {
    float *memory;
    /* Decoded rows of the image, the edge pixels repeated by pad_px on both sides. */
    float *rows;
    size_t row_floats;
    uint32_t pad_px;
    /* A fragment, blurred along x, with the rows above and below that the filter reaches. */
    float *columns;
    size_t column_floats; /* floats to the next row */
    float *result; /* one row of the fragment, blurred along y too */
};

/* FOVEA_ERROR_OUT_OF_MEMORY leaves memory NULL. */
FOVEA_MUST_CHECK enum fovea_result foveate_cpu_scratch_init(struct foveate_cpu_scratch *scratch,
                                                            const struct foveate_plan *plan);
void foveate_cpu_scratch_finish(struct foveate_cpu_scratch *scratch);

/* The state that the workers of a frame share. */
struct foveate_cpu_job {
    const struct foveate_plan *plan;
    const struct foveate_frame *frame;
    const struct fovea_image *src;
    const struct fovea_image *dst;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: stored values are averaged */
    foveate_cpu_line_fn line;
    uint32_t channels; /* blurred channels */
    int32_t shift_x_px;
    int32_t shift_y_px;
};

void foveate_cpu_band(const struct foveate_cpu_job *job, struct foveate_cpu_scratch *scratch,
                      int32_t index_y);

#endif
