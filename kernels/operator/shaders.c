/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "shaders.h"

#define PIXEL_GROUP 16u /* the shaders' workgroup side */

void shader_pixel_groups(uint32_t width, uint32_t height, uint32_t out_groups[2])
{
    out_groups[0] = shader_divide_up(width, PIXEL_GROUP);
    out_groups[1] = shader_divide_up(height, PIXEL_GROUP);
}

void shader_copy_groups(uint32_t width, uint32_t height, uint32_t out_groups[2])
{
    out_groups[0] = shader_divide_up(width, PIXEL_GROUP);
    out_groups[1] = shader_divide_up(height, PIXEL_GROUP * SHADER_COPY_ROWS);
}
