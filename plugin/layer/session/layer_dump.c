/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_dump.h"

#include "layer_session.h"

#include "core/descriptor.h"
#include "core/log.h"

#include <alloca.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Written once, before the first instance. */
static char folder[PATH_MAX]; /* "": nothing is wanted */
static bool pictures;
static unsigned long long most_bytes; /* that all files may have; 0: as many as there are */
static pthread_once_t asked = PTHREAD_ONCE_INIT;

static atomic_ullong written_bytes;
static atomic_bool full; /* and said */
static atomic_uint number; /* of the frame that was begun last; of all swapchains */

#define DEFAULT_MOST_MIB 1024

/* Text that is no number counts as no text. */
static unsigned long long read_most_bytes(const char *text)
{
    char *end = NULL;
    const unsigned long long mib =
        text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const bool given = end && *end == '\0' && mib < 1ull << 40;
    return (given ? mib : DEFAULT_MOST_MIB) << 20;
}

static void ask(void)
{
    const char *wanted = secure_getenv("FOVEA_LAYER_DUMP");
    const char *which = secure_getenv("FOVEA_LAYER_DUMP_PICTURES");
    const int length = snprintf(folder, sizeof folder, "%s", wanted ? wanted : "");
    if (length < 0 || (size_t)length >= sizeof folder) {
        folder[0] = 0;
    }
    most_bytes = read_most_bytes(secure_getenv("FOVEA_LAYER_DUMP_MAX_MB"));
    pictures = !which || strcmp(which, "0") != 0;
}

void layer_dump_open(void)
{
    (void)pthread_once(&asked, ask);
}

bool layer_dump_wanted(void)
{
    return folder[0] != 0 && !atomic_load(&full);
}

/* ---- The next layer's functions, looked up for every picture --------------------------------- */

#define DUMP_FUNCTIONS(X)                                                                          \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(CmdCopyImageToBuffer)                                                                        \
    X(CmdPipelineBarrier)                                                                          \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateFence)                                                                                 \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyFence)                                                                                \
    X(EndCommandBuffer)                                                                            \
    X(FreeMemory)                                                                                  \
    X(GetBufferMemoryRequirements)                                                                 \
    X(MapMemory)                                                                                   \
    X(QueueSubmit)                                                                                 \
    X(WaitForFences)

struct dump {
    const struct layer_dump_picture *picture;
    VkDevice device;
    VkDeviceSize size_bytes;
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    struct {
        DUMP_FUNCTIONS(LAYER_MEMBER)
    } vk;
};

static void load(struct dump *dump)
{
    const PFN_vkGetDeviceProcAddr get = dump->picture->device->vk.GetDeviceProcAddr;
#define LOAD(name) dump->vk.name = (PFN_vk##name)get(dump->device, "vk" #name);
    DUMP_FUNCTIONS(LOAD)
#undef LOAD
}

/* ---- The copy -------------------------------------------------------------------------------- */

static VkDeviceSize pixel_bytes(VkFormat format)
{
    return format == VK_FORMAT_R16G16B16A16_SFLOAT ? 8 : 4;
}

/* The first type that the host sees; UINT32_MAX: there is none. */
static uint32_t memory_type(const struct dump *dump, uint32_t bits)
{
    const struct layer_instance *instance = dump->picture->device->instance;
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties properties;
    instance->vk.GetPhysicalDeviceMemoryProperties(dump->picture->device->physical, &properties);
    for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
        if ((bits & (1u << i)) && (properties.memoryTypes[i].propertyFlags & seen) == seen) {
            return i;
        }
    }
    return UINT32_MAX;
}

static bool make_buffer(struct dump *dump)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = dump->size_bytes,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    if (dump->vk.CreateBuffer(dump->device, &info, NULL, &dump->buffer) != VK_SUCCESS) {
        return false;
    }
    VkMemoryRequirements needs;
    dump->vk.GetBufferMemoryRequirements(dump->device, dump->buffer, &needs);
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = needs.size,
                                         .memoryTypeIndex =
                                             memory_type(dump, needs.memoryTypeBits)};
    return memory.memoryTypeIndex != UINT32_MAX &&
           dump->vk.AllocateMemory(dump->device, &memory, NULL, &dump->memory) == VK_SUCCESS &&
           dump->vk.BindBufferMemory(dump->device, dump->buffer, dump->memory, 0) == VK_SUCCESS;
}

static bool make_commands(struct dump *dump)
{
    const struct layer_device *device = dump->picture->device;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = dump->picture->queue_family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (dump->vk.CreateFence(dump->device, &fence, NULL, &dump->fence) != VK_SUCCESS ||
        dump->vk.CreateCommandPool(dump->device, &pool, NULL, &dump->pool) != VK_SUCCESS) {
        return false;
    }
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = dump->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    return device->vk.AllocateCommandBuffers(dump->device, &info, &dump->commands) == VK_SUCCESS &&
           device->set_loader_data(dump->device, dump->commands) == VK_SUCCESS;
}

static void image_barrier(const struct dump *dump, VkImageLayout before, VkImageLayout after)
{
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkImageMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                       .srcAccessMask = all,
                                       .dstAccessMask = all,
                                       .oldLayout = before,
                                       .newLayout = after,
                                       .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .image =
                                           dump->picture->swapchain->images[dump->picture->image],
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    dump->vk.CmdPipelineBarrier(dump->commands, stage, stage, 0, 0, NULL, 0, NULL, 1, &info);
}

static void host_barrier(const struct dump *dump)
{
    const VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    dump->vk.CmdPipelineBarrier(dump->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &info, 0, NULL, 0, NULL);
}

static bool record(const struct dump *dump)
{
    const struct layer_swapchain *swapchain = dump->picture->swapchain;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (dump->vk.BeginCommandBuffer(dump->commands, &begin) != VK_SUCCESS) {
        return false;
    }
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {swapchain->width_px, swapchain->height_px, 1}};
    image_barrier(dump, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    dump->vk.CmdCopyImageToBuffer(dump->commands, swapchain->images[dump->picture->image],
                                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dump->buffer, 1, &region);
    image_barrier(dump, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    host_barrier(dump);
    return dump->vk.EndCommandBuffer(dump->commands) == VK_SUCCESS;
}

static bool run(const struct dump *dump)
{
    const struct layer_dump_picture *picture = dump->picture;
    VkPipelineStageFlags *stages = alloca((picture->wait_count + 1) * sizeof *stages);
    for (uint32_t i = 0; i < picture->wait_count; i++) {
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = picture->wait_count,
                               .pWaitSemaphores = picture->waits,
                               .pWaitDstStageMask = stages,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &dump->commands,
                               .signalSemaphoreCount = picture->wait_count,
                               .pSignalSemaphores = picture->waits};
    return dump->vk.QueueSubmit(picture->queue, 1, &info, dump->fence) == VK_SUCCESS &&
           dump->vk.WaitForFences(dump->device, 1, &dump->fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static FILE *open_file(uint32_t frame, const char *suffix)
{
    char *name = NULL;
    if (asprintf(&name, "%s/%06u%s", folder, frame, suffix) < 0) {
        return NULL;
    }
    const int file = descriptor_above_standard(
        open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    free(name);
    FILE *stream = file < 0 ? NULL : fdopen(file, "wb");
    if (file >= 0 && !stream) {
        close(file);
    }
    return stream;
}

static bool write_picture(const struct dump *dump, const char *suffix)
{
    void *pixels = NULL;
    FILE *file = open_file(dump->picture->number, suffix);
    if (!file) {
        return false;
    }
    const bool written = dump->vk.MapMemory(dump->device, dump->memory, 0, VK_WHOLE_SIZE, 0,
                                            &pixels) == VK_SUCCESS &&
                         fwrite(pixels, dump->size_bytes, 1, file) == 1;
    atomic_fetch_add(&written_bytes, written ? dump->size_bytes : 0);
    return fclose(file) == 0 && written;
}

static void free_dump(struct dump *dump)
{
    dump->vk.DestroyFence(dump->device, dump->fence, NULL);
    dump->vk.DestroyCommandPool(dump->device, dump->pool, NULL);
    dump->vk.DestroyBuffer(dump->device, dump->buffer, NULL);
    dump->vk.FreeMemory(dump->device, dump->memory, NULL);
}

static void dump_picture(const struct layer_dump_picture *picture, const char *suffix)
{
    if (!pictures) {
        return;
    }
    const struct layer_swapchain *swapchain = picture->swapchain;
    struct dump dump = {.picture = picture,
                        .device = picture->device->handle,
                        .size_bytes = (VkDeviceSize)swapchain->width_px * swapchain->height_px *
                                      pixel_bytes(swapchain->format)};
    load(&dump);
    if (!make_buffer(&dump) || !make_commands(&dump) || !record(&dump) || !run(&dump) ||
        !write_picture(&dump, suffix)) {
        log_warning(layer_log(), "a picture cannot be written to FOVEA_LAYER_DUMP");
    }
    free_dump(&dump);
}

/* A frame is whole or not there at all: the last one may go beyond. */
static void stop_where_full(void)
{
    const unsigned long long bytes = atomic_load(&written_bytes);
    if (most_bytes != 0 && bytes >= most_bytes && !atomic_exchange(&full, true)) {
        log_warning(layer_log(),
                    "FOVEA_LAYER_DUMP: %llu MiB are written and no more frames will be; "
                    "FOVEA_LAYER_DUMP_MAX_MB raises that, 0 takes it away",
                    bytes >> 20);
    }
}

uint32_t layer_dump_begin(void)
{
    return atomic_fetch_add(&number, 1) + 1;
}

void layer_dump_before(const struct layer_dump_picture *picture)
{
    dump_picture(picture, "-before.raw");
}

void layer_dump_after(const struct layer_dump_picture *picture, const struct fovea_gaze *gaze,
                      enum fovea_result result)
{
    const struct layer_swapchain *swapchain = picture->swapchain;
    dump_picture(picture, "-after.raw");
    FILE *file = open_file(picture->number, ".txt");
    if (!file) {
        return;
    }
    fprintf(file, "width %u\nheight %u\nformat %d\ncolor_space %d\nimage %u\nframe %llu\n",
            swapchain->width_px, swapchain->height_px, (int)swapchain->format,
            (int)swapchain->color_space, picture->image, (unsigned long long)swapchain->frame);
    fprintf(file, "window %u\nresult %s\n", swapchain->window, fovea_result_name(result));
    fprintf(file, "gaze_x %.17g\ngaze_y %.17g\ngaze_usable %d\n", gaze->point.x_uv,
            gaze->point.y_uv, gaze->usable);
    const long length = ftell(file);
    atomic_fetch_add(&written_bytes, length > 0 ? (unsigned long long)length : 0);
    fclose(file);
    stop_where_full();
}
