/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer.h"

/* Handles are few and searches short: lists do. Non-dispatchable handles may be given again by the
 * driver once they are destroyed, so each object leaves its list before that. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct layer_instance *instances;
static struct layer_device *devices;

#define ADD(list, object)                                                                          \
    do {                                                                                           \
        pthread_mutex_lock(&lock);                                                                 \
        (object)->next = (list);                                                                   \
        (list) = (object);                                                                         \
        pthread_mutex_unlock(&lock);                                                               \
    } while (0)

/* A function that looks for the first object that has `condition`, and perhaps takes it off the
 * list. */
#define FIND(type, list, condition, take)                                                          \
    pthread_mutex_lock(&lock);                                                                     \
    struct type **at = &(list);                                                                    \
    while (*at && !(condition)) {                                                                  \
        at = &(*at)->next;                                                                         \
    }                                                                                              \
    struct type *found = *at;                                                                      \
    if (found && (take)) {                                                                         \
        *at = found->next;                                                                         \
    }                                                                                              \
    pthread_mutex_unlock(&lock);                                                                   \
    return found

void layer_registry_add_instance(struct layer_instance *instance)
{
    ADD(instances, instance);
}

void layer_registry_add_device(struct layer_device *device)
{
    ADD(devices, device);
}

struct layer_instance *layer_registry_instance(const void *handle)
{
    FIND(layer_instance, instances, (*at)->key == layer_key(handle), false);
}

struct layer_instance *layer_registry_take_instance(const void *handle)
{
    FIND(layer_instance, instances, (*at)->key == layer_key(handle), true);
}

struct layer_device *layer_registry_device(const void *handle)
{
    FIND(layer_device, devices, (*at)->key == layer_key(handle), false);
}

struct layer_device *layer_registry_take_device(const void *handle)
{
    FIND(layer_device, devices, (*at)->key == layer_key(handle), true);
}

struct layer_device *layer_registry_take_device_of(const struct layer_instance *instance)
{
    FIND(layer_device, devices, (*at)->instance == instance, true);
}

void layer_registry_add_swapchain(struct layer_device *device, struct layer_swapchain *swapchain)
{
    ADD(device->swapchains, swapchain);
}

struct layer_swapchain *layer_registry_swapchain(struct layer_device *device, VkSwapchainKHR handle)
{
    FIND(layer_swapchain, device->swapchains, (*at)->handle == handle, false);
}

struct layer_swapchain *layer_registry_take_swapchain(struct layer_device *device,
                                                      VkSwapchainKHR handle)
{
    FIND(layer_swapchain, device->swapchains, (*at)->handle == handle, true);
}

void layer_registry_add_gone(struct layer_device *device, struct layer_swapchain *swapchain)
{
    ADD(device->gone, swapchain);
}

static bool is_over(const struct layer_presented *presented, const struct layer_swapchain *later)
{
    for (uint32_t i = 0; i < later->image_count; i++) {
        const struct layer_presented *frame = &later->presented[i];
        if (frame->is_made && frame->queue == presented->queue &&
            frame->number > presented->number) {
            return true;
        }
    }
    return false;
}

void layer_registry_strike_presents(struct layer_device *device,
                                    const struct layer_swapchain *later)
{
    pthread_mutex_lock(&lock);
    for (struct layer_swapchain *gone = device->gone; gone; gone = gone->next) {
        for (uint32_t i = 0; i < gone->image_count; i++) {
            if (!later || is_over(&gone->presented[i], later)) {
                gone->presented[i].number = 0;
            }
        }
    }
    pthread_mutex_unlock(&lock);
}

static bool has_presents(const struct layer_swapchain *gone)
{
    for (uint32_t i = 0; i < gone->image_count; i++) {
        if (gone->presented[i].number != 0) {
            return true;
        }
    }
    return false;
}

struct layer_swapchain *layer_registry_take_gone(struct layer_device *device)
{
    FIND(layer_swapchain, device->gone, !has_presents(*at), true);
}

static bool has_image(const struct layer_swapchain *swapchain, VkImage image)
{
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        if (swapchain->images[i] == image) {
            return true;
        }
    }
    return false;
}

VkImageUsageFlags layer_registry_image_usage(struct layer_device *device, VkImage image)
{
    pthread_mutex_lock(&lock);
    const struct layer_swapchain *swapchain = device->swapchains;
    while (swapchain && !has_image(swapchain, image)) {
        swapchain = swapchain->next;
    }
    const struct layer_alias *alias = swapchain ? NULL : device->aliases;
    while (alias && alias->image != image) {
        alias = alias->next;
    }
    const VkImageUsageFlags usage = swapchain ? swapchain->usage : alias ? alias->usage : 0;
    pthread_mutex_unlock(&lock);
    return usage;
}

void layer_registry_add_alias(struct layer_device *device, struct layer_alias *alias)
{
    ADD(device->aliases, alias);
    atomic_store(&device->has_alias, true);
}

struct layer_alias *layer_registry_take_alias(struct layer_device *device, VkImage image)
{
    if (!atomic_load(&device->has_alias)) {
        return NULL; /* programs destroy images by the thousand */
    }
    FIND(layer_alias, device->aliases, !image || (*at)->image == image, true);
}

void layer_registry_add_spare(struct layer_device *device, struct layer_context *context)
{
    ADD(device->spares, context);
}

struct layer_context *layer_registry_take_spare(struct layer_device *device, VkQueue queue)
{
    FIND(layer_context, device->spares, !queue || (*at)->queue == queue, true);
}

void layer_registry_add_window(struct layer_instance *instance, struct layer_window *window)
{
    ADD(instance->windows, window);
}

struct layer_window *layer_registry_take_window(struct layer_instance *instance,
                                                VkSurfaceKHR surface)
{
    FIND(layer_window, instance->windows, (*at)->surface == surface, true);
}

uint32_t layer_registry_window(struct layer_instance *instance, VkSurfaceKHR surface)
{
    pthread_mutex_lock(&lock);
    uint32_t window = 0;
    for (const struct layer_window *w = instance->windows; w && !window; w = w->next) {
        window = w->surface == surface ? w->window : 0;
    }
    pthread_mutex_unlock(&lock);
    return window;
}

static struct layer_queue *find_queue(struct layer_device *device, VkQueue handle)
{
    for (uint32_t i = 0; i < device->queue_count; i++) {
        if (device->queues[i].handle == handle) {
            return &device->queues[i];
        }
    }
    return NULL;
}

void layer_registry_add_queue(struct layer_device *device, const struct layer_queue *queue)
{
    pthread_mutex_lock(&lock);
    if (!find_queue(device, queue->handle) && device->queue_count < LAYER_MAX_QUEUES) {
        device->queues[device->queue_count++] = *queue;
    }
    pthread_mutex_unlock(&lock);
}

bool layer_registry_queue(struct layer_device *device, VkQueue handle,
                          struct layer_queue *out_queue)
{
    pthread_mutex_lock(&lock);
    const struct layer_queue *queue = find_queue(device, handle);
    if (queue) {
        *out_queue = *queue;
    }
    pthread_mutex_unlock(&lock);
    return queue != NULL;
}

/* ---- OpenXR ---------------------------------------------------------------------------------- */

static atomic_bool openxr_is_here;

void layer_registry_bind_openxr(struct layer_device *device)
{
    atomic_store(&device->instance->of_openxr, true);
    atomic_store(&openxr_is_here, true);
}

bool layer_registry_beside_openxr(const struct layer_device *device)
{
    return atomic_load(&openxr_is_here) && !atomic_load(&device->instance->of_openxr);
}
