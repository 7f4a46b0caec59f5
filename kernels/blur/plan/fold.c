/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels of small pictures: a kernel of 512 px over a picture of 64 would make transforms of 1,088
 * each way, of which nearly all read the picture's edges. */

#include "core/bounds.h"
#include "core/large_memory.h"
#include "kernels/blur/plan.h"

#include <string.h>

enum fovea_result blur_kernel_fold(uint32_t width_px, uint32_t height_px,
                                   struct blur_kernel *kernel)
{
    const struct blur_kernel old = *kernel;
    const int32_t reach_x = bounds_smaller(old.reach_x_px, (int32_t)width_px - 1);
    const int32_t reach_y = bounds_smaller(old.reach_y_px, (int32_t)height_px - 1);
    const size_t across = 2 * (size_t)reach_x + 1;
    const size_t count = across * (2 * (size_t)reach_y + 1);
    if (reach_x == old.reach_x_px && reach_y == old.reach_y_px) {
        return FOVEA_OK;
    }
    double *weights = large_memory_make(count, sizeof *weights);
    FOVEA_TRY_MEMORY(weights);
    memset(weights, 0, count * sizeof *weights);
    const double *from = old.weights;
    for (int32_t y = -old.reach_y_px; y <= old.reach_y_px; y++) {
        double *row = weights + (size_t)(bounds_clamped(y, -reach_y, reach_y) + reach_y) * across;
        for (int32_t x = -old.reach_x_px; x <= old.reach_x_px; x++) {
            row[bounds_clamped(x, -reach_x, reach_x) + reach_x] += *from++;
        }
    }
    large_memory_free(old.weights);
    *kernel = (struct blur_kernel){reach_x, reach_y, weights};
    return FOVEA_OK;
}
