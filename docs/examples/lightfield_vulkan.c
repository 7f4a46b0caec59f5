/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A light field on any Vulkan device, without a window: a drawn raw picture of a chequered plane,
 * as an array of 24x18 lenses sees it, comes in focus under a gaze.
 *
 *     cc lightfield_vulkan.c $(pkg-config --cflags --libs fovea vulkan) -lm -o lightfield_vulkan
 *     ./lightfield_vulkan picture.ppm */
#include <fovea_lightfield_vk.h>
#include <vulkan/vulkan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 24
#define ROWS 18
#define PITCH_PX 40
#define RAW_WIDTH_PX (COLUMNS * PITCH_PX)
#define RAW_HEIGHT_PX (ROWS * PITCH_PX)
#define PATCH_PX 7 /* of the plane */
#define WIDTH_PX (COLUMNS * PATCH_PX)
#define HEIGHT_PX (ROWS * PATCH_PX)
#define BYTES ((VkDeviceSize)RAW_WIDTH_PX * RAW_HEIGHT_PX * 4)

struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkPhysicalDeviceMemoryProperties kinds;
    VkBuffer buffer; /* the raw picture, then the picture, in memory that the CPU can map */
    VkDeviceMemory buffer_memory;
    unsigned char *pixels;
    struct image {
        VkImage image;
        VkDeviceMemory memory;
        VkImageView view;
    } raw, picture;
    struct fovea_lightfield_vk *field;
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

/* Neither needs any extension or feature. */
static void open_device(struct program *p)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    VkQueueFamilyProperties families[16];
    uint32_t count = 1;
    must(vkCreateInstance(&info, NULL, &p->instance) == VK_SUCCESS, "vkCreateInstance");
    must(vkEnumeratePhysicalDevices(p->instance, &count, &p->physical) >= 0 && count == 1,
         "finding a device");
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(p->physical, &count, families);
    while (p->family < count && !(families[p->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        p->family++;
    }
    must(p->family < count, "finding a queue");
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = p->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    must(vkCreateDevice(p->physical, &device, NULL, &p->device) == VK_SUCCESS, "vkCreateDevice");
    vkGetDeviceQueue(p->device, p->family, 0, &p->queue);
    vkGetPhysicalDeviceMemoryProperties(p->physical, &p->kinds);
}

static VkDeviceMemory allocate(const struct program *p, VkMemoryRequirements needs,
                               VkMemoryPropertyFlags wanted)
{
    uint32_t kind = 0;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    while (kind < p->kinds.memoryTypeCount &&
           (!(needs.memoryTypeBits >> kind & 1) ||
            (p->kinds.memoryTypes[kind].propertyFlags & wanted) != wanted)) {
        kind++;
    }
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = kind};
    must(vkAllocateMemory(p->device, &info, NULL, &memory) == VK_SUCCESS, "vkAllocateMemory");
    return memory;
}

static void open_buffer(struct program *p)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = BYTES,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    must(vkCreateBuffer(p->device, &info, NULL, &p->buffer) == VK_SUCCESS, "vkCreateBuffer");
    vkGetBufferMemoryRequirements(p->device, p->buffer, &needs);
    p->buffer_memory = allocate(
        p, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(vkBindBufferMemory(p->device, p->buffer, p->buffer_memory, 0) == VK_SUCCESS &&
             vkMapMemory(p->device, p->buffer_memory, 0, BYTES, 0, (void **)&p->pixels) ==
                 VK_SUCCESS,
         "a buffer");
}

static struct image open_image(const struct program *p, VkFormat format, uint32_t width_px,
                               uint32_t height_px, VkImageUsageFlags usage)
{
    struct image made;
    VkMemoryRequirements needs;
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {width_px, height_px, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_OPTIMAL,
                                    .usage = usage};
    must(vkCreateImage(p->device, &info, NULL, &made.image) == VK_SUCCESS, "vkCreateImage");
    vkGetImageMemoryRequirements(p->device, made.image, &needs);
    made.memory = allocate(p, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    must(vkBindImageMemory(p->device, made.image, made.memory, 0) == VK_SUCCESS, "an image");
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = made.image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    must(vkCreateImageView(p->device, &view, NULL, &made.view) == VK_SUCCESS, "a view");
    return made;
}

static void open_field(struct program *p)
{
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_vk_desc desc;
    fovea_lightfield_geometry_init(&geometry); /* or fovea_lightfield_geometry_read */
    geometry.raw_width_px = RAW_WIDTH_PX;
    geometry.raw_height_px = RAW_HEIGHT_PX;
    geometry.columns = COLUMNS;
    geometry.rows = ROWS;
    geometry.pitch_x_px = geometry.pitch_y_px = PITCH_PX;
    geometry.origin_x_px = geometry.origin_y_px = PITCH_PX / 2.0;
    fovea_lightfield_vk_desc_init(&desc);
    desc.instance = p->instance;
    desc.physical_device = p->physical;
    desc.device = p->device;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.queue_family = p->family;
    desc.geometry = &geometry;
    desc.width_px = WIDTH_PX;
    desc.height_px = HEIGHT_PX;
    desc.log = (struct fovea_log){.fn = say, .min_level = FOVEA_LOG_INFO};
    must(fovea_lightfield_vk_create(&desc, &p->field) == FOVEA_OK, "fovea_lightfield_vk_create");
}

/* A lens shows at u from its centre what is at its own place + u / PATCH_PX, in lenses. */
static void draw_raw(unsigned char *pixels)
{
    for (int y = 0; y < RAW_HEIGHT_PX; y++) {
        for (int x = 0; x < RAW_WIDTH_PX; x++) {
            const double u = x % PITCH_PX + 0.5 - PITCH_PX / 2.0;
            const double v = y % PITCH_PX + 0.5 - PITCH_PX / 2.0;
            const int column = (int)floor((x / PITCH_PX + 0.5 + u / PATCH_PX) * 0.8);
            const int row = (int)floor((y / PITCH_PX + 0.5 + v / PATCH_PX) * 0.8);
            unsigned char *pixel = pixels + 4 * ((size_t)y * RAW_WIDTH_PX + (size_t)x);
            pixel[0] = pixel[1] = pixel[2] = (column + row) & 1 ? 240 : 30;
            pixel[3] = 255;
        }
    }
}

static void barrier(VkCommandBuffer commands, const struct image *image, VkImageLayout from,
                    VkImageLayout to)
{
    const VkImageMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                       .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                       .dstAccessMask =
                                           VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                       .oldLayout = from,
                                       .newLayout = to,
                                       .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .image = image->image,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

static void refocus(const struct program *p, VkCommandBuffer commands)
{
    const struct fovea_vk_recording recording = {
        .struct_bytes = sizeof recording, .commands = commands, .frame = 1};
    const struct fovea_lightfield_vk_image picture = {p->picture.view, VK_FORMAT_R8G8B8A8_UNORM,
                                                      VK_IMAGE_LAYOUT_GENERAL};
    struct fovea_lightfield_vk_raw raw;
    struct fovea_lightfield_foveation foveation;
    struct fovea_lightfield_refocusing refocusing;
    fovea_lightfield_vk_raw_init(&raw);
    raw.view = p->raw.view;
    raw.format = VK_FORMAT_R8G8B8A8_UNORM;
    fovea_lightfield_foveation_init(&foveation);
    foveation.gaze = (struct fovea_point_uv){0.4, 0.5};
    foveation.full_px = 0.15 * WIDTH_PX;
    foveation.next_px = 0.38 * WIDTH_PX;
    fovea_lightfield_refocusing_init(&refocusing);
    refocusing.first_px = 5.0;
    refocusing.last_px = 10.0;
    refocusing.foveation = &foveation;
    must(fovea_lightfield_vk_refocus(p->field, &recording, &raw, &refocusing, &picture, NULL) ==
             FOVEA_OK,
         "fovea_lightfield_vk_refocus");
}

/* The raw picture goes up, the picture is made, and comes back; waits. */
static void run(struct program *p)
{
    const VkBufferImageCopy up = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .imageExtent = {RAW_WIDTH_PX, RAW_HEIGHT_PX, 1}};
    const VkBufferImageCopy down = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {WIDTH_PX, HEIGHT_PX, 1}};
    const VkImageLayout writing = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkImageLayout reading = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = p->family};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    must(vkCreateCommandPool(p->device, &pool_info, NULL, &pool) == VK_SUCCESS, "a pool");
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .commandBufferCount = 1};
    must(vkAllocateCommandBuffers(p->device, &info, &commands) == VK_SUCCESS &&
             vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS,
         "commands");
    barrier(commands, &p->raw, VK_IMAGE_LAYOUT_UNDEFINED, writing);
    vkCmdCopyBufferToImage(commands, p->buffer, p->raw.image, writing, 1, &up);
    barrier(commands, &p->raw, writing, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    barrier(commands, &p->picture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    refocus(p, commands);
    barrier(commands, &p->picture, VK_IMAGE_LAYOUT_GENERAL, reading);
    vkCmdCopyImageToBuffer(commands, p->picture.image, reading, p->buffer, 1, &down);
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &to_host, 0, NULL, 0, NULL);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    must(vkEndCommandBuffer(commands) == VK_SUCCESS &&
             vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
             vkQueueWaitIdle(p->queue) == VK_SUCCESS,
         "the work");
    vkDestroyCommandPool(p->device, pool, NULL);
}

static void write_picture(const struct program *p, const char *path)
{
    FILE *file = fopen(path, "wb");
    must(file != NULL, path);
    fprintf(file, "P6\n%d %d\n255\n", WIDTH_PX, HEIGHT_PX);
    for (size_t i = 0; i < (size_t)WIDTH_PX * HEIGHT_PX; i++) {
        fwrite(p->pixels + 4 * i, 3, 1, file);
    }
    must(fclose(file) == 0, path);
}

static void close_image(const struct program *p, const struct image *image)
{
    vkDestroyImageView(p->device, image->view, NULL);
    vkDestroyImage(p->device, image->image, NULL);
    vkFreeMemory(p->device, image->memory, NULL);
}

int main(int argc, char **argv)
{
    static struct program program;
    open_device(&program);
    open_buffer(&program);
    program.raw = open_image(&program, VK_FORMAT_R8G8B8A8_UNORM, RAW_WIDTH_PX, RAW_HEIGHT_PX,
                             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    program.picture = open_image(&program, VK_FORMAT_R32_UINT, WIDTH_PX, HEIGHT_PX,
                                 VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    open_field(&program);
    draw_raw(program.pixels);
    run(&program);
    write_picture(&program, argc > 1 ? argv[1] : "picture.ppm");
    fovea_lightfield_vk_destroy(&program.field);
    close_image(&program, &program.picture);
    close_image(&program, &program.raw);
    vkDestroyBuffer(program.device, program.buffer, NULL);
    vkFreeMemory(program.device, program.buffer_memory, NULL);
    vkDestroyDevice(program.device, NULL);
    vkDestroyInstance(program.instance, NULL);
    return 0;
}
