/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blur_cuda.h"

#include "kernels/blur/plan.h"
#include "kernels/image/pixel_light.h"

struct blur_image_frame blur_cuda_frame_of(const struct operator_cuda_run *run,
                                           enum fovea_format format, uint64_t light_samples)
{
    const struct gauss_plan *machine = &blur_plan_of(run->plan)->machine;
    const int32_t light = image_light_in_order(gauss_plan_light(machine), run->frame->blue_first);
    return (struct blur_image_frame){.width_px = (int32_t)machine->width_px,
                                     .height_px = (int32_t)machine->height_px,
                                     .origin_x_px = run->frame->origin_x_px,
                                     .origin_y_px = run->frame->origin_y_px,
                                     .light =
                                         pixel_light_known(format) ? light : IMAGE_LIGHT_STORED,
                                     .light_value = gauss_plan_light_value(machine),
                                     .averages_alpha = machine->foveation.alpha != FOVEA_ALPHA_KEEP,
                                     .light_samples = light_samples};
}
