/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "vulkan_bench.h"
bool vulkan_frames(struct vulkan_bench *b)
{
    (void)b;
    return true;
}
