/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Says what settings do to an image, for those who need less of it than a map. */
#pragma once

#include "kernels/operator/operator.h"

/* Does as sharp_px of struct operator_maps_api; FOVEA_ERROR_INVALID_ARGUMENT: the settings are
 * wrong. */
FOVEA_MUST_CHECK enum fovea_result context_sharp_px(const struct fovea_settings *settings,
                                                    uint32_t width_px, uint32_t height_px,
                                                    struct fovea_point_uv gaze,
                                                    const double sigmas_px[OPERATOR_SHARP_SIGMAS],
                                                    double out_px[OPERATOR_SHARP_SIGMAS]);
