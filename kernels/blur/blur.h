/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator blur: one Gaussian over the whole picture, its edges repeated.
 *
 *     out(x, y) = sum of in(x + i, y + j) g(i) g(j),  g(i) = exp(-i^2 / (2 sigma^2)) / sum of them
 *
 * UNORM formats are averaged as light or as stored, as "foveation.light" says, and alpha is kept or
 * averaged, as "foveation.alpha" says. */
#ifndef FOVEA_KERNELS_BLUR_BLUR_H
#define FOVEA_KERNELS_BLUR_BLUR_H

#include "kernels/image/light.h"
#include "kernels/image/pixel_light.h"
#include "kernels/operator/operator.h"
#include "shape.h"

/* As what UNORM pixels are averaged. */
struct blur_light {
    int32_t kind; /* IMAGE_LIGHT_* of images whose first colour is red */
    float value; /* struct pixel_transfer's */
    uint32_t sample_count; /* of a display's table; else 0 */
    float samples[FOVEA_DISPLAY_MAX];
};

/* Immutable once made; may be read from any thread. */
struct blur_plan {
    struct operator_plan base;
    double sigma_px;
    bool averages_alpha;
    struct blur_light light;
    struct blur_shape shape;
    uint32_t decimate_count; /* of weights */
    uint32_t upsample_count; /* shape.step times shape.taps */
    float *weights; /* to decimate, then to upsample; each mean's sum is 1 */
};

static inline const struct blur_plan *blur_plan_of(const struct operator_plan *plan)
{
    return (const struct blur_plan *)plan;
}

/* The samples of one image take so many bytes on a GPU; 0: the picture is copied. */
static inline uint64_t blur_sample_bytes(const struct blur_shape *shape)
{
    const uint64_t rows =
        (uint64_t)shape->height_px + (shape->step > 1 ? (uint64_t)shape->rows : 0);
    return shape->step > 0 ? BLUR_SAMPLE_BYTES * rows * (uint64_t)shape->columns : 0;
}

FOVEA_MUST_CHECK enum fovea_result blur_plan_create(const struct operator_plan_desc *desc,
                                                    struct blur_plan **out_plan);
void blur_plan_destroy(struct blur_plan **plan);
bool blur_plan_fits(const struct blur_plan *plan, const struct operator_plan_desc *desc);

/* The definition in double precision, which shares nothing with what runs but sigma: src and dst
 * are rows of `channels` doubles without gaps, dst apart from src. */
FOVEA_MUST_CHECK enum fovea_result blur_reference(double sigma_px, uint32_t width_px,
                                                  uint32_t height_px, uint32_t channels,
                                                  const double *src, double *dst);

#endif
