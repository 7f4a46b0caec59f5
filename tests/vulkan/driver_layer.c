/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A layer between a program and its driver. */

__attribute__((visibility("default"))) int vkNegotiateLoaderLayerInterfaceVersion(void *versions);
__attribute__((visibility("default"))) void layer_submit(void);

int vkNegotiateLoaderLayerInterfaceVersion(void *versions)
{
    return 0;
}

void layer_submit(void)
{
}
