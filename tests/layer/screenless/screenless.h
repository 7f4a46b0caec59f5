/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* VK_LAYER_FOVEA_screenless, below all others: surfaces and swapchains for programs that have no
 * display, on plain images (VK_EXT_headless_surface, VK_KHR_swapchain). What is presented is
 * nowhere to be seen, but the program can ask for its pixels, and when things happened on the GPU:
 *
 *     screenless.c           the layer: instance, device, what the loader asks for
 *     screenless_surface.c   a surface that takes every format and colour space of a long list
 *     screenless_swapchain.c images, handed out in turns
 *     screenless_present.c   presenting: a copy for the program, a fence
 *     screenless_times.c     timestamps around what others submit
 *     screenless_clock.c     a screen with refreshes, and a driver that says when they were
 *
 * One instance, one device and one swapchain at a time. Switched by the environment:
 *
 *     SCREENLESS_COPY=0    nothing is copied: presenting costs little
 *     SCREENLESS_TIMES=1   timestamps
 *     SCREENLESS_CLOCK     a driver with VK_GOOGLE_display_timing ("timing"; "another timing": by
 *                          another clock), with VK_KHR_present_wait ("wait"; "wait at once": for
 *                          a picture that is replaced until then, not until the next is shown), or
 *                          both
 */
#pragma once

#include "tests/support/named.h"
#include "tests/support/vulkan_parts.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

/* ---- For the program, with dlsym; images are those of the swapchain that was made last ------- */

/* Returns what was presented from that image, rows without gaps; waits for it. */
typedef const void *(*screenless_picture_fn)(uint32_t image);

/* Nanoseconds on the GPU's clock; 0: it did not happen. Waits as well. */
struct screenless_times {
    uint64_t drawn; /* the program's commands were done */
    uint64_t begun[2], ended[2]; /* of what Fovea has submitted, at most twice */
    uint64_t shown; /* all that the present waits for was done */
};
typedef bool (*screenless_times_fn)(uint32_t image, struct screenless_times *out_times);

/* ---- Inside ---------------------------------------------------------------------------------- */

#define SCREENLESS_IMAGES 4 /* at least; as many as the program asks for */
#define SCREENLESS_MAX_IMAGES 40
#define SCREENLESS_QUEUES 4

#define SCREENLESS_INSTANCE_FUNCTIONS(X)                                                           \
    X(DestroyInstance)                                                                             \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceImageFormatProperties)                                                      \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceProperties)

#define SCREENLESS_DEVICE_FUNCTIONS(X)                                                             \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(BindImageMemory)                                                                             \
    X(CmdCopyImageToBuffer)                                                                        \
    X(CmdPipelineBarrier)                                                                          \
    X(CmdResetQueryPool)                                                                           \
    X(CmdWriteTimestamp)                                                                           \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateFence)                                                                                 \
    X(CreateImage)                                                                                 \
    X(CreateQueryPool)                                                                             \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDevice)                                                                               \
    X(DestroyFence)                                                                                \
    X(DestroyImage)                                                                                \
    X(DestroyQueryPool)                                                                            \
    X(EndCommandBuffer)                                                                            \
    X(FreeMemory)                                                                                  \
    X(GetBufferMemoryRequirements)                                                                 \
    X(GetDeviceQueue)                                                                              \
    X(GetDeviceQueue2)                                                                             \
    X(GetImageMemoryRequirements)                                                                  \
    X(GetQueryPoolResults)                                                                         \
    X(MapMemory)                                                                                   \
    X(QueueSubmit)                                                                                 \
    X(ResetFences)                                                                                 \
    X(WaitForFences)

#define SCREENLESS_MEMBER(name) PFN_vk##name name;

/* Command buffers of an image, for each queue. */
enum screenless_commands {
    SCREENLESS_ACQUIRED,
    SCREENLESS_SHOWN,
    SCREENLESS_DRAWN,
    SCREENLESS_BEGUN, /* two of each */
    SCREENLESS_ENDED = SCREENLESS_BEGUN + 2,
    SCREENLESS_COMMANDS = SCREENLESS_ENDED + 2,
};

struct screenless_image {
    VkImage handle;
    VkDeviceMemory memory;
    VkBuffer buffer;
    VkDeviceMemory buffer_memory;
    const void *pixels;
    VkQueryPool queries; /* one for each of the commands */
    VkFence fence; /* of its last present */
    bool presented; /* the fence was handed over */
    bool taken; /* by the program */
    uint32_t fovea_submits;
    int64_t shown_ns; /* when its picture is on the screen; 0: there is no clock */
    VkCommandPool pools[SCREENLESS_QUEUES];
    VkCommandBuffer commands[SCREENLESS_QUEUES][SCREENLESS_COMMANDS];
};

struct screenless_swapchain {
    VkSwapchainCreateInfoKHR info;
    uint32_t next; /* image */
    uint32_t count;
    struct screenless_image images[SCREENLESS_MAX_IMAGES];
};

struct screenless {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    PFN_vkSetDeviceLoaderData set_loader_data;
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    struct {
        SCREENLESS_INSTANCE_FUNCTIONS(SCREENLESS_MEMBER)
        SCREENLESS_DEVICE_FUNCTIONS(SCREENLESS_MEMBER)
    } vk;
    VkQueue queues[SCREENLESS_QUEUES];
    uint32_t families[SCREENLESS_QUEUES];
    uint32_t queue_count;
    bool copies, times;
    struct screenless_swapchain *swapchain; /* made last */
    struct screenless_image *current; /* acquired last */
    pthread_mutex_t lock; /* of the queues, and of all this */
};
extern struct screenless screenless;

/* Hooks by name; NULL: none. */
PFN_vkVoidFunction screenless_surface_hook(const char *name);
PFN_vkVoidFunction screenless_swapchain_hook(const char *name);
PFN_vkVoidFunction screenless_present_hook(const char *name);
PFN_vkVoidFunction screenless_times_hook(const char *name);
PFN_vkVoidFunction screenless_clock_hook(const char *name);

bool screenless_surface_takes(VkFormat format, VkColorSpaceKHR color_space);

#define SCREENLESS_REFRESH_NS INT64_C(8000000)
void screenless_clock_open(void);
void screenless_clock_device(const VkDeviceCreateInfo *info, bool made);
void screenless_clock_begin(VkPresentModeKHR mode);
void screenless_clock_end(void);
/* -> when that will be. */
int64_t screenless_clock_show(const VkPresentInfoKHR *info);
void screenless_clock_acquire(int64_t shown_ns);

/* A number below SCREENLESS_QUEUES. */
uint32_t screenless_queue(VkQueue queue);

/* Commands of that image on that queue, begun: with a timestamp at its end where it is one's
 * turn. */
VkCommandBuffer screenless_begin(struct screenless_image *image, uint32_t queue,
                                 enum screenless_commands which);
void screenless_end(const struct screenless_image *image, VkCommandBuffer commands,
                    enum screenless_commands which);

/* Waits until the image was shown; frames of it are over. */
void screenless_wait(struct screenless_image *image);
