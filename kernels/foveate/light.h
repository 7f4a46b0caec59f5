/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* In what UNORM pixels are averaged, and what of the smooth method depends on it. Included by C and
 * CUDA; image/pixel.glsl and foveate/glsl/law.glsl say the same. */
#ifndef FOVEA_KERNELS_FOVEATE_LIGHT_H
#define FOVEA_KERNELS_FOVEATE_LIGHT_H

#include "smooth.h"

/* struct foveate_frame.light. */
#define FOVEATE_LIGHT_STORED 0
#define FOVEATE_LIGHT_SRGB 1 /* 1 + enum fovea_transfer */
#define FOVEATE_LIGHT_PQ 2
#define FOVEATE_LIGHT_HLG 3
#define FOVEATE_LIGHT_HLG_BLUE_FIRST 4 /* of images whose first colour is blue */
#define FOVEATE_LIGHT_GAMMA 5 /* of the display */
#define FOVEATE_LIGHT_TABLE 6 /* likewise: samples of its light, from 0 to 1 */
#define FOVEATE_LIGHT_COUNT 7

/* What each colour counts in luminance (ITU-R BT.2020, table 4), which HLG's OOTF asks for. */
#define FOVEATE_LIGHT_RED 0.2627f
#define FOVEATE_LIGHT_GREEN 0.6780f
#define FOVEATE_LIGHT_BLUE 0.0593f

/* All light but sRGB's is wide: from 1 to below 2^-30, since what is darkest falls to nothing.
 * Levels are stored as halves, whose steps are relative down to 2^-14 only: it is stored so many
 * times as large. HLG's goes up to 1.6, blue on a display of 100 cd/m^2. */
#define FOVEATE_LIGHT_SCALE 32768

/* Next to white such light shows what FOVEATE_REST and FOVEATE_REACH leave: a tail of 1e-6 of white
 * is a tenth of PQ's range. With these, pictures of black and white are within three levels of 10
 * bits (at 1.3 and 6.5 four, at 1.5 and 6.0 four, as with sRGB more than 200). At most 49 samples
 * an axis below the coarsest level. */
#define FOVEATE_WIDE_REST 1.6f
#define FOVEATE_WIDE_REACH 6.5f

FOVEATE_BOTH bool foveate_light_is_wide(int32_t light)
{
    return light > FOVEATE_LIGHT_SRGB;
}

FOVEATE_BOTH bool foveate_light_is_hlg(int32_t light)
{
    return light == FOVEATE_LIGHT_HLG || light == FOVEATE_LIGHT_HLG_BLUE_FIRST;
}

/* What a frame's light is in images that have red and blue exchanged, or not. */
FOVEATE_BOTH int32_t foveate_light_in_order(int32_t light, bool blue_first)
{
    return light == FOVEATE_LIGHT_HLG && blue_first ? FOVEATE_LIGHT_HLG_BLUE_FIRST : light;
}

FOVEATE_BOTH float foveate_light_rest(int32_t light)
{
    return foveate_light_is_wide(light) ? FOVEATE_WIDE_REST : FOVEATE_REST;
}

FOVEATE_BOTH float foveate_light_reach(int32_t light)
{
    return foveate_light_is_wide(light) ? FOVEATE_WIDE_REACH : FOVEATE_REACH;
}

#endif
