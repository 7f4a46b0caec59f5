/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Loaded before libfovea.so into the demo: no frame is taken, as if memory had run out. */
#include "fovea_vulkan.h"

enum fovea_result fovea_vk_foveate(struct fovea_vk *fovea, const struct fovea_vk_frame *frame)
{
    return FOVEA_ERROR_OUT_OF_MEMORY;
}
