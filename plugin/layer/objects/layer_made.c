/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How images were made, which Vulkan tells nobody afterwards. Fovea's layer for OpenXR asks for it:
 * a runtime may make the images of a swapchain otherwise than it was asked to. They are noted while
 * that layer watches, and in no other program. */
#include "plugin/layer/layer.h"

#include <stdlib.h>

struct made {
    VkDevice device;
    VkImage image;
    VkFormat format;
    VkImageUsageFlags usage;
    bool mutable_format;
    uint32_t format_count; /* that views may have, of a list; 0: there is no list */
    VkFormat formats[LAYER_MAX_VIEW_FORMATS];
    struct made *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all;
static atomic_uint watchers;
static atomic_bool any; /* were ever noted */

/* A longer list than there is room for lacks what is behind it. */
static void copy_list(const VkImageCreateInfo *info, struct made *made)
{
    const VkImageFormatListCreateInfo *list =
        layer_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
    while (list && made->format_count < list->viewFormatCount &&
           made->format_count < LAYER_MAX_VIEW_FORMATS) {
        made->formats[made->format_count] = list->pViewFormats[made->format_count];
        made->format_count++;
    }
}

void layer_made_note(VkDevice device, const VkImageCreateInfo *info, VkImage image)
{
    struct made *made = atomic_load(&watchers) > 0 ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        return; /* an image that nobody knows is copied */
    }
    made->device = device;
    made->image = image;
    made->format = info->format;
    made->usage = info->usage;
    made->mutable_format = info->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    copy_list(info, made);
    pthread_mutex_lock(&lock);
    made->next = all;
    all = made;
    atomic_store(&any, true);
    pthread_mutex_unlock(&lock);
}

void layer_made_forget(VkDevice device, VkImage image)
{
    if (!atomic_load(&any)) {
        return;
    }
    pthread_mutex_lock(&lock);
    for (struct made **at = &all; *at;) {
        struct made *made = *at;
        if (made->device == device && (!image || made->image == image)) {
            *at = made->next;
            free(made);
        } else {
            at = &made->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

static bool may_be_seen(const struct made *made, VkFormat format)
{
    bool listed = made->format_count == 0;
    for (uint32_t i = 0; i < made->format_count; i++) {
        listed = listed || made->formats[i] == format;
    }
    return made->format == format || (made->mutable_format && listed);
}

VKAPI_ATTR VkImageUsageFlags VKAPI_CALL layer_FoveaViewUsage(VkDevice device, VkImage image,
                                                             VkFormat format)
{
    VkImageUsageFlags usage = 0;
    pthread_mutex_lock(&lock);
    for (const struct made *made = all; made; made = made->next) {
        if (made->device == device && made->image == image && may_be_seen(made, format)) {
            usage = made->usage;
        }
    }
    pthread_mutex_unlock(&lock);
    return usage;
}

VKAPI_ATTR void VKAPI_CALL layer_FoveaWatchImages(VkBool32 on)
{
    atomic_fetch_add(&watchers, on ? 1u : UINT32_MAX);
}
