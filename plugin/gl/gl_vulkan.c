/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gl_vulkan.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define DEVICES_AT_MOST 16
#define FAMILIES_AT_MOST 16

/* ---- The instance */

static bool load_loader(struct gl_vulkan *vulkan)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *address = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    memcpy(&vulkan->get_proc_address, &address, sizeof address);
    return address != NULL;
}

static bool load_functions(struct gl_vulkan *vulkan)
{
    bool all = true;
#define VULKAN_FUNCTION(name)                                                                      \
    vulkan->name = (PFN_vk##name)vulkan->get_proc_address(vulkan->instance, "vk" #name);           \
    all = all && vulkan->name;
    GL_VULKAN_FUNCTIONS_OF_INSTANCE(VULKAN_FUNCTION)
#undef VULKAN_FUNCTION
    return all;
}

static bool make_instance(struct gl_vulkan *vulkan)
{
    const VkApplicationInfo program = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                       .pApplicationName = "fovea_gl",
                                       .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &program};
    const PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)vulkan->get_proc_address(NULL, "vkCreateInstance");
    return create && create(&info, NULL, &vulkan->instance) == VK_SUCCESS && load_functions(vulkan);
}

/* ---- The device */

static bool is_the_one(const struct gl_vulkan *vulkan, VkPhysicalDevice device,
                       const uint8_t *device_uuid, const uint8_t *driver_uuid)
{
    VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};
    vulkan->GetPhysicalDeviceProperties2(device, &properties);
    return properties.properties.apiVersion >= VK_API_VERSION_1_1 &&
           !memcmp(ids.deviceUUID, device_uuid, VK_UUID_SIZE) &&
           !memcmp(ids.driverUUID, driver_uuid, VK_UUID_SIZE);
}

static bool find_device(struct gl_vulkan *vulkan, const uint8_t *device_uuid,
                        const uint8_t *driver_uuid)
{
    VkPhysicalDevice devices[DEVICES_AT_MOST];
    uint32_t count = DEVICES_AT_MOST;
    if (vulkan->EnumeratePhysicalDevices(vulkan->instance, &count, devices) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_the_one(vulkan, devices[i], device_uuid, driver_uuid)) {
            vulkan->physical_device = devices[i];
            vulkan->GetPhysicalDeviceMemoryProperties(devices[i], &vulkan->memory);
            return true;
        }
    }
    return false;
}

/* One without graphics, which is the faster one on NVIDIA's; else any with compute. */
static bool find_family(struct gl_vulkan *vulkan)
{
    VkQueueFamilyProperties families[FAMILIES_AT_MOST];
    uint32_t count = FAMILIES_AT_MOST;
    vulkan->GetPhysicalDeviceQueueFamilyProperties(vulkan->physical_device, &count, families);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        const VkQueueFlags flags = families[i].queueFlags;
        const bool better = !found || !(flags & VK_QUEUE_GRAPHICS_BIT);
        if ((flags & VK_QUEUE_COMPUTE_BIT) && better) {
            found = true;
            vulkan->queue_family = i;
            if (!(flags & VK_QUEUE_GRAPHICS_BIT)) {
                break;
            }
        }
    }
    return found;
}

static void add_extension(struct gl_vulkan *vulkan, const char *name)
{
    for (uint32_t i = 0; i < vulkan->extension_count; i++) {
        if (!strcmp(vulkan->extensions[i], name)) {
            return;
        }
    }
    vulkan->extensions[vulkan->extension_count++] = name;
}

static bool has_extension(const struct gl_vulkan *vulkan, const char *name)
{
    uint32_t count = 0;
    bool has = false;
    if (vulkan->EnumerateDeviceExtensionProperties(vulkan->physical_device, NULL, &count, NULL) <
        0) {
        return false;
    }
    VkExtensionProperties *all = calloc(count + 1, sizeof *all);
    if (all && vulkan->EnumerateDeviceExtensionProperties(vulkan->physical_device, NULL, &count,
                                                          all) >= 0) {
        for (uint32_t i = 0; i < count; i++) {
            has = has || !strcmp(all[i].extensionName, name);
        }
    }
    free(all);
    return has;
}

static bool make_device(struct gl_vulkan *vulkan)
{
    const float priority = 1.0F;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = vulkan->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = vulkan->needs.timeline_semaphore ? &timeline : NULL,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = vulkan->extension_count,
                                     .ppEnabledExtensionNames = vulkan->extensions};
    if (vulkan->CreateDevice(vulkan->physical_device, &info, NULL, &vulkan->device) < 0) {
        return false;
    }
    vulkan->GetDeviceQueue(vulkan->device, vulkan->queue_family, 0, &vulkan->queue);
    vulkan->GetMemoryFdKHR =
        (PFN_vkGetMemoryFdKHR)vulkan->get_proc_address(vulkan->instance, "vkGetMemoryFdKHR");
    vulkan->GetSemaphoreFdKHR =
        (PFN_vkGetSemaphoreFdKHR)vulkan->get_proc_address(vulkan->instance, "vkGetSemaphoreFdKHR");
    return vulkan->GetMemoryFdKHR != NULL;
}

static bool collect_extensions(struct gl_vulkan *vulkan, bool with_semaphores)
{
    fovea_vk_requirements_init(&vulkan->needs);
    if (fovea_vk_query_vulkan(vulkan->instance, vulkan->physical_device, vulkan->get_proc_address,
                              &vulkan->needs) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < vulkan->needs.device_extension_count; i++) {
        add_extension(vulkan, vulkan->needs.device_extensions[i]);
    }
    if (!has_extension(vulkan, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)) {
        return false;
    }
    add_extension(vulkan, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    if (has_extension(vulkan, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME)) {
        add_extension(vulkan, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
        return true;
    }
    return !with_semaphores;
}

static const char *open_parts(struct gl_vulkan *vulkan, const uint8_t *device_uuid,
                              const uint8_t *driver_uuid, bool with_semaphores)
{
    if (!load_loader(vulkan)) {
        return "Vulkan's loader, libvulkan.so.1, is not here";
    }
    if (!make_instance(vulkan)) {
        return "Vulkan has no driver";
    }
    if (!find_device(vulkan, device_uuid, driver_uuid)) {
        return "Vulkan does not have the device that OpenGL draws with";
    }
    if (!find_family(vulkan)) {
        return "Vulkan's device has no queue for compute";
    }
    if (!collect_extensions(vulkan, with_semaphores)) {
        return "Vulkan's device does not share memory and semaphores by file descriptors";
    }
    return make_device(vulkan) ? NULL : "Vulkan makes no device";
}

bool gl_vulkan_open(const uint8_t *device_uuid, const uint8_t *driver_uuid, bool with_semaphores,
                    struct gl_vulkan *out, const char **out_why)
{
    *out = (struct gl_vulkan){0};
    *out_why = open_parts(out, device_uuid, driver_uuid, with_semaphores);
    if (*out_why) {
        gl_vulkan_close(out);
    }
    return !*out_why;
}

void gl_vulkan_close(struct gl_vulkan *vulkan)
{
    if (vulkan->device) {
        (void)vulkan->DeviceWaitIdle(vulkan->device);
        vulkan->DestroyDevice(vulkan->device, NULL);
    }
    if (vulkan->instance && vulkan->DestroyInstance) {
        vulkan->DestroyInstance(vulkan->instance, NULL);
    }
    *vulkan = (struct gl_vulkan){0};
}

/* ---- Images */

static bool make_image(const struct gl_vulkan *vulkan, VkFormat format, uint32_t width_px,
                       uint32_t height_px, struct gl_vulkan_image *out)
{
    const VkExternalMemoryImageCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = &external,
        .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {width_px, height_px, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    return vulkan->CreateImage(vulkan->device, &info, NULL, &out->image) >= 0;
}

/* Memory of the device's own; the first type that the image may lie in where it has none. */
static uint32_t type_of(const struct gl_vulkan *vulkan, uint32_t allowed)
{
    uint32_t first = VK_MAX_MEMORY_TYPES;
    for (uint32_t i = vulkan->memory.memoryTypeCount; i-- > 0;) {
        if (!(allowed & (1U << i))) {
            continue;
        }
        const bool here =
            vulkan->memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        const bool best =
            first < VK_MAX_MEMORY_TYPES &&
            (vulkan->memory.memoryTypes[first].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        first = here || !best ? i : first;
    }
    return first;
}

static bool give_memory(const struct gl_vulkan *vulkan, struct gl_vulkan_image *out)
{
    VkMemoryRequirements needs;
    vulkan->GetImageMemoryRequirements(vulkan->device, out->image, &needs);
    const VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = out->image};
    const VkExportMemoryAllocateInfo shared = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .pNext = &dedicated,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &shared,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = type_of(vulkan, needs.memoryTypeBits)};
    if (info.memoryTypeIndex == VK_MAX_MEMORY_TYPES ||
        vulkan->AllocateMemory(vulkan->device, &info, NULL, &out->memory) < 0 ||
        vulkan->BindImageMemory(vulkan->device, out->image, out->memory, 0) < 0) {
        return false;
    }
    const VkMemoryGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                      .memory = out->memory,
                                      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    out->bytes = needs.size;
    return vulkan->GetMemoryFdKHR(vulkan->device, &get, &out->fd) >= 0 && out->fd >= 0;
}

static bool give_view(const struct gl_vulkan *vulkan, VkFormat format, struct gl_vulkan_image *out)
{
    /* A raw format need not have all usages of the image's own. */
    const VkImageViewUsageCreateInfo usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT};
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = &usage,
        .image = out->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = fovea_vk_raw_format(format),
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    return vulkan->CreateImageView(vulkan->device, &info, NULL, &out->raw_view) >= 0;
}

bool gl_vulkan_image_open(const struct gl_vulkan *vulkan, VkFormat format, uint32_t width_px,
                          uint32_t height_px, struct gl_vulkan_image *out)
{
    *out = (struct gl_vulkan_image){.fd = -1};
    if (make_image(vulkan, format, width_px, height_px, out) && give_memory(vulkan, out) &&
        give_view(vulkan, format, out)) {
        return true;
    }
    gl_vulkan_image_close(vulkan, out);
    return false;
}

void gl_vulkan_image_close(const struct gl_vulkan *vulkan, struct gl_vulkan_image *image)
{
    if (image->fd >= 0) {
        close(image->fd);
    }
    if (vulkan->device) {
        vulkan->DestroyImageView(vulkan->device, image->raw_view, NULL);
        vulkan->DestroyImage(vulkan->device, image->image, NULL);
        vulkan->FreeMemory(vulkan->device, image->memory, NULL);
    }
    *image = (struct gl_vulkan_image){.fd = -1};
}

bool gl_vulkan_semaphore_open(const struct gl_vulkan *vulkan, VkSemaphore *out, int *out_fd)
{
    const VkExportSemaphoreCreateInfo shared = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &shared};
    *out = VK_NULL_HANDLE;
    *out_fd = -1;
    if (!vulkan->GetSemaphoreFdKHR ||
        vulkan->CreateSemaphore(vulkan->device, &info, NULL, out) < 0) {
        return false;
    }
    const VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                         .semaphore = *out,
                                         .handleType =
                                             VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    return vulkan->GetSemaphoreFdKHR(vulkan->device, &get, out_fd) >= 0;
}
