/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "calls.h"

#include <string.h>

static const struct shim *first;

static PFN_vkVoidFunction find(const char *name)
{
    const struct shim *shim = first;
    while (shim->name && strcmp(shim->name, name) != 0) {
        shim++;
    }
    return shim->function;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_device(VkDevice device, const char *name)
{
    const PFN_vkVoidFunction function = find(name);
    return function ? function : vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_instance(VkInstance instance, const char *name)
{
    const PFN_vkVoidFunction function =
        strcmp(name, "vkGetDeviceProcAddr") == 0 ? (PFN_vkVoidFunction)of_device : find(name);
    return function ? function : vkGetInstanceProcAddr(instance, name);
}

PFN_vkGetInstanceProcAddr shims_first(const struct shim *shims)
{
    first = shims;
    return of_instance;
}
