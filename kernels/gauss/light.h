/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* In what UNORM pixels are averaged, and what of levels and Gaussians depends on it. Included by C
 * and CUDA; image/pixel.glsl and gauss/glsl/law.glsl say the same. */
#ifndef FOVEA_KERNELS_GAUSS_LIGHT_H
#define FOVEA_KERNELS_GAUSS_LIGHT_H

#include "kernels/image/light.h"
#include "pyramid.h"

/* Next to white such light shows what GAUSS_RESIDUAL and GAUSS_REACH leave: a tail of 1e-6 of
 * white is a tenth of PQ's range. With these, pictures of black and white are within three levels
 * of 10 bits (at 1.3 and 6.5 four, at 1.5 and 6.0 four, as with sRGB more than 200). At most 49
 * samples an axis below the coarsest level. */
#define GAUSS_WIDE_RESIDUAL 1.6f
#define GAUSS_WIDE_REACH 6.5f

HOST_DEVICE float gauss_light_residual(int32_t light)
{
    return image_light_is_wide(light) ? GAUSS_WIDE_RESIDUAL : GAUSS_RESIDUAL;
}

HOST_DEVICE float gauss_light_reach(int32_t light)
{
    return image_light_is_wide(light) ? GAUSS_WIDE_REACH : GAUSS_REACH;
}

#endif
