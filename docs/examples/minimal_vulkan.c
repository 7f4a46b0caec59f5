/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A whole program without a window: a device of its own, one picture, foveated left of the middle
 * on that device's queue.
 *
 *     cc minimal_vulkan.c $(pkg-config --cflags --libs fovea vulkan) -o minimal_vulkan
 *     ./minimal_vulkan foveated.ppm */
#include <fovea_vulkan.h>
#include <vulkan/vulkan.h>

#include <stdio.h>
#include <stdlib.h>

#define WIDTH_PX 640
#define HEIGHT_PX 480
#define BYTES ((VkDeviceSize)WIDTH_PX * HEIGHT_PX * 4)

struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkCommandPool pool;
    VkBuffer buffer; /* the picture in memory that the CPU can map, before and after */
    VkDeviceMemory memory;
    unsigned char *pixels;
    struct fovea_vk_requirements needs;
    struct fovea_vk *fovea;
    struct fovea_vk_image *drawn;
    struct fovea_vk_image *shown;
};

/* An example ends where a program would clean up. */
static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

static void say(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", message);
}

static void open_instance(struct program *p)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &p->instance) == VK_SUCCESS, "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(p->instance, &count, &p->physical) >= 0 && count == 1,
         "finding a device");
}

/* The device has all that Fovea can use of it. */
static void open_device(struct program *p)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(p->physical, &count, families);
    while (p->family < count && !(families[p->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        p->family++;
    }
    must(p->family < count, "finding a queue");
    fovea_vk_requirements_init(&p->needs);
    must(fovea_vk_query(p->instance, p->physical, vkGetInstanceProcAddr, &p->needs) == FOVEA_OK,
         "fovea_vk_query");
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = p->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = p->needs.timeline_semaphore ? &timeline : NULL,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = p->needs.device_extension_count,
                                     .ppEnabledExtensionNames = p->needs.device_extensions};
    must(vkCreateDevice(p->physical, &info, NULL, &p->device) == VK_SUCCESS, "vkCreateDevice");
    vkGetDeviceQueue(p->device, p->family, 0, &p->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = p->family};
    must(vkCreateCommandPool(p->device, &pool, NULL, &p->pool) == VK_SUCCESS, "a command pool");
}

static void open_buffer(struct program *p)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = BYTES,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties kinds;
    VkMemoryRequirements needs;
    vkGetPhysicalDeviceMemoryProperties(p->physical, &kinds);
    must(vkCreateBuffer(p->device, &info, NULL, &p->buffer) == VK_SUCCESS, "vkCreateBuffer");
    vkGetBufferMemoryRequirements(p->device, p->buffer, &needs);
    uint32_t kind = 0;
    while (kind < kinds.memoryTypeCount &&
           (!(needs.memoryTypeBits >> kind & 1) ||
            (kinds.memoryTypes[kind].propertyFlags & wanted) != wanted)) {
        kind++;
    }
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = needs.size,
                                         .memoryTypeIndex = kind};
    must(vkAllocateMemory(p->device, &memory, NULL, &p->memory) == VK_SUCCESS &&
             vkBindBufferMemory(p->device, p->buffer, p->memory, 0) == VK_SUCCESS &&
             vkMapMemory(p->device, p->memory, 0, BYTES, 0, (void **)&p->pixels) == VK_SUCCESS,
         "memory for the picture");
}

static void open_fovea(struct program *p)
{
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = p->instance;
    desc.physical_device = p->physical;
    desc.device = p->device;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.queue = p->queue;
    desc.queue_family = p->family;
    desc.log = (struct fovea_log){.fn = say, .min_level = FOVEA_LOG_INFO};
    fovea_vk_desc_use(&desc, &p->needs);
    must(fovea_vk_create(&desc, &p->fovea) == FOVEA_OK, "fovea_vk_create");
    struct fovea_vk_image_desc image;
    fovea_vk_image_desc_init(&image);
    image.format = VK_FORMAT_R8G8B8A8_UNORM;
    image.width_px = WIDTH_PX;
    image.height_px = HEIGHT_PX;
    image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    must(fovea_vk_image_create(p->fovea, &image, &p->drawn) == FOVEA_OK &&
             fovea_vk_image_create(p->fovea, &image, &p->shown) == FOVEA_OK,
         "fovea_vk_image_create");
}

/* Copies the buffer to the image that is drawn, or the one that is shown to the buffer; waits. */
static void copy(struct program *p, int draw)
{
    const VkImage image = fovea_vk_image_handle(draw ? p->drawn : p->shown);
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {WIDTH_PX, HEIGHT_PX, 1}};
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = p->pool,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands;
    must(vkAllocateCommandBuffers(p->device, &info, &commands) == VK_SUCCESS &&
             vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS,
         "commands");
    if (draw) {
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
        vkCmdCopyBufferToImage(commands, p->buffer, image, barrier.newLayout, 1, &region);
    } else {
        vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, p->buffer, 1,
                               &region);
    }
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    must(vkEndCommandBuffer(commands) == VK_SUCCESS &&
             vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
             vkQueueWaitIdle(p->queue) == VK_SUCCESS,
         "a copy");
}

static void foveate(struct program *p)
{
    struct fovea_vk_frame frame;
    fovea_vk_frame_init(&frame);
    frame.src.made = p->drawn;
    frame.src.layout_before = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    frame.dst.made = p->shown;
    frame.src.layout_after = frame.dst.layout_after = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    frame.gaze = (struct fovea_gaze){.point = {0.25, 0.5}, .usable = true};
    must(fovea_vk_foveate(p->fovea, &frame) == FOVEA_OK, "fovea_vk_foveate");
}

static void write_picture(const struct program *p, const char *path)
{
    FILE *file = fopen(path, "wb");
    must(file != NULL, path);
    fprintf(file, "P6\n%d %d\n255\n", WIDTH_PX, HEIGHT_PX);
    for (size_t i = 0; i < BYTES; i += 4) {
        fwrite(p->pixels + i, 3, 1, file);
    }
    must(fclose(file) == 0, path);
}

int main(int argc, char **argv)
{
    static struct program program;
    VkImageLayout layout;
    open_instance(&program);
    open_device(&program);
    open_buffer(&program);
    open_fovea(&program);
    for (size_t i = 0; i < BYTES; i++) { /* a chequered picture shows blur well */
        const size_t x = i / 4 % WIDTH_PX, y = i / 4 / WIDTH_PX;
        program.pixels[i] = i % 4 == 3 || (x / 8 + y / 8) % 2 == (i % 4 > 0) ? 255 : 0;
    }
    must(fovea_vk_image_acquire(program.drawn, &layout) == FOVEA_OK, "fovea_vk_image_acquire");
    copy(&program, 1);
    foveate(&program);
    copy(&program, 0);
    write_picture(&program, argc > 1 ? argv[1] : "foveated.ppm");
    fovea_vk_destroy(&program.fovea); /* and the two images */
    vkDestroyBuffer(program.device, program.buffer, NULL);
    vkFreeMemory(program.device, program.memory, NULL);
    vkDestroyCommandPool(program.device, program.pool, NULL);
    vkDestroyDevice(program.device, NULL);
    vkDestroyInstance(program.instance, NULL);
    return 0;
}
