/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A layer of Fovea's name that does nothing but say that it was there: a line in the file that
 * STAND_IN_LOG names for each instance. So the tests of fovea-run need no layer of the build and
 * can have several, of any version. Built with -DSTAND_IN_VERSION=N -DSTAND_IN_WORD='"word"', and
 * for one that crashes with -DSTAND_IN_CRASHES. */
#include "../support/named.h"
#include "loader_chain.h"

#include <stdio.h>
#include <stdlib.h>

static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;

static void say(void)
{
#ifdef STAND_IN_CRASHES
    abort();
#endif
    const char *path = getenv("STAND_IN_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fputs(STAND_IN_WORD "\n", file);
        fclose(file);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *out)
{
    next_instance = chain_next_of_instance(info);
    if (!next_instance) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    say();
    return ((PFN_vkCreateInstance)next_instance(NULL, "vkCreateInstance"))(info, allocator, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkDevice *out)
{
    const struct chain_device device = chain_next_of_device(NULL, info);
    if (!device.create) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    next_device = device.next;
    return device.create(physical, info, allocator, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_layers(uint32_t *count, VkLayerProperties *out)
{
    if (out && *count > 0) {
        out[0] = (VkLayerProperties){"VK_LAYER_FOVEA_foveation", VK_API_VERSION_1_3,
                                     STAND_IN_VERSION, "stand-in"};
    }
    *count = 1;
    return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name)
{
    return next_device(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char *name)
{
    static const struct named_function own[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_proc},
        {"vkEnumerateInstanceLayerProperties", (PFN_vkVoidFunction)enumerate_layers},
    };
    const PFN_vkVoidFunction found = NAMED(own, name);
    return found || !instance ? found : next_instance(instance, name);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation);

VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation)
{
    return chain_negotiate(negotiation, instance_proc, device_proc);
}
