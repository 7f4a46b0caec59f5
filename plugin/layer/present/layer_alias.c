/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images of a program's own that lie in the memory of a swapchain's
 * (VkImageSwapchainCreateInfoKHR). They must be made by the parameters of the swapchain's images,
 * to which Fovea has added: so it adds the same to theirs. */
#include "plugin/layer/layer.h"

#include <stdlib.h>

/* A chain with the formats of the swapchain's images, in place of the program's where it has
 * some. */
struct chain {
    VkImageFormatListCreateInfo list;
    VkImageSwapchainCreateInfoKHR swapchain;
};

static bool is_list(const void *next)
{
    const VkBaseInStructure *s = next;
    return s && s->sType == VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
}

/* Copies the swapchain's name if it precedes the program's list; nothing else may precede
 * it. */
static void add_list(struct chain *chain, const struct layer_swapchain *swapchain,
                     const VkImageSwapchainCreateInfoKHR *name, VkImageCreateInfo *info)
{
    chain->list =
        (VkImageFormatListCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                      .pNext = info->pNext,
                                      .viewFormatCount = swapchain->format_count,
                                      .pViewFormats = swapchain->formats};
    if (is_list(info->pNext)) {
        chain->list.pNext = ((const VkBaseInStructure *)info->pNext)->pNext;
    } else if ((const void *)name == info->pNext && is_list(name->pNext)) {
        chain->swapchain = *name;
        chain->swapchain.pNext = ((const VkBaseInStructure *)name->pNext)->pNext;
        chain->list.pNext = &chain->swapchain;
    }
    info->pNext = &chain->list;
}

static void keep(struct layer_device *device, VkImage image, VkImageUsageFlags usage)
{
    struct layer_alias *alias = malloc(sizeof *alias);
    if (alias) { /* else its views can do more than the program has asked for */
        *alias = (struct layer_alias){.image = image, .usage = usage};
        layer_registry_add_alias(device, alias);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL layer_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkImage *out_image)
{
    struct layer_device *device = layer_registry_device(handle);
    const VkImageSwapchainCreateInfoKHR *name =
        layer_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
    const struct layer_swapchain *swapchain =
        name ? layer_registry_swapchain(device, name->swapchain) : NULL;
    if (!swapchain) {
        const VkResult made = device->vk.CreateImage(handle, info, allocator, out_image);
        if (made == VK_SUCCESS) {
            layer_made_note(handle, info, *out_image);
        }
        return made;
    }
    struct chain chain;
    VkImageCreateInfo own = *info;
    own.usage |= swapchain->added_usage;
    if (swapchain->format_count > 0) {
        own.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
        add_list(&chain, swapchain, name, &own);
        own.format = own.format == swapchain->format ? swapchain->made_format : own.format;
    }
    const VkResult result = device->vk.CreateImage(handle, &own, allocator, out_image);
    if (result == VK_SUCCESS) {
        keep(device, *out_image, info->usage);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL layer_DestroyImage(VkDevice handle, VkImage image,
                                              const VkAllocationCallbacks *allocator)
{
    struct layer_device *device = layer_registry_device(handle);
    if (image) {
        free(layer_registry_take_alias(device, image));
        layer_made_forget(handle, image);
    }
    device->vk.DestroyImage(handle, image, allocator);
}

void layer_aliases_finish(struct layer_device *device)
{
    struct layer_alias *alias;
    while ((alias = layer_registry_take_alias(device, VK_NULL_HANDLE)) != NULL) {
        free(alias);
    }
}
