/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A small Vulkan program in an X11 window, for what few programs do and a layer must bear all the
 * same:
 *
 *     program.c          instance, device and their functions
 *     program_screen.c   window, surface, swapchain
 *     program_frame.c    a picture with much detail, another one each frame, and its present
 *     case_*.c           the cases; main.c names them
 *
 * It knows nothing of Fovea. Whatever fails ends it with status 1 and a line on stderr; 77: this
 * device cannot do that. */
#pragma once

#define VK_USE_PLATFORM_XCB_KHR
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "owned.h"
#include "vulkan_parts.h"

#define PROGRAM_SKIPPED 77
#define PROGRAM_MAX_IMAGES 16
#define PROGRAM_MAX_WAITS 16
#define PROGRAM_SLOTS 3

#define PROGRAM_INSTANCE_FUNCTIONS(X)                                                              \
    X(CreateDevice)                                                                                \
    X(CreateXcbSurfaceKHR)                                                                         \
    X(DestroyInstance)                                                                             \
    X(DestroySurfaceKHR)                                                                           \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetDeviceProcAddr)                                                                           \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(GetPhysicalDeviceSurfaceCapabilitiesKHR)                                                     \
    X(GetPhysicalDeviceSurfaceSupportKHR)

#define PROGRAM_DEVICE_FUNCTIONS(X)                                                                \
    X(AcquireNextImageKHR)                                                                         \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(CmdCopyBufferToImage)                                                                        \
    X(CmdPipelineBarrier)                                                                          \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateFence)                                                                                 \
    X(CreateImageView)                                                                             \
    X(CreateSemaphore)                                                                             \
    X(CreateSwapchainKHR)                                                                          \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDevice)                                                                               \
    X(DestroyFence)                                                                                \
    X(DestroyImageView)                                                                            \
    X(DestroySemaphore)                                                                            \
    X(DestroySwapchainKHR)                                                                         \
    X(DeviceWaitIdle)                                                                              \
    X(EndCommandBuffer)                                                                            \
    X(FreeMemory)                                                                                  \
    X(GetBufferMemoryRequirements)                                                                 \
    X(GetDeviceQueue)                                                                              \
    X(GetSwapchainImagesKHR)                                                                       \
    X(MapMemory)                                                                                   \
    X(QueuePresentKHR)                                                                             \
    X(QueueSubmit)                                                                                 \
    X(QueueWaitIdle)                                                                               \
    X(ResetFences)                                                                                 \
    X(WaitForFences)

#define PROGRAM_MEMBER(name) PFN_vk##name name;

struct program {
    uint32_t api_version; /* 0: no VkApplicationInfo at all */
    bool by_instance; /* every function from vkGetInstanceProcAddr */
    const char *instance_extension; /* one more; NULL: none */
    const char *device_extension; /* likewise */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    struct {
        PROGRAM_INSTANCE_FUNCTIONS(PROGRAM_MEMBER)
        PROGRAM_DEVICE_FUNCTIONS(PROGRAM_MEMBER)
    } vk;
};

/* Vulkan is 1.1, and functions of the device come from vkGetDeviceProcAddr. */
struct program program_default(void);

void program_open_instance(struct program *program);
/* `features` goes into pEnabledFeatures, `next` into pNext; both may be NULL. */
void program_open_device(struct program *program, const void *next,
                         const VkPhysicalDeviceFeatures *features);
void program_close_device(struct program *program);
void program_close_instance(struct program *program);
/* An instance and its device. */
void program_open(struct program *program, const void *next,
                  const VkPhysicalDeviceFeatures *features);
void program_close(struct program *program);
bool program_has_extension(const struct program *program, const char *name);
uint32_t program_memory_type(const struct program *program, uint32_t bits);

_Noreturn void program_fail(const char *what, int code);
_Noreturn void program_skip(const char *why);
void program_need(bool holds, const char *what);
void program_check(VkResult result, const char *what);

/* ---- A window and its swapchain -------------------------------------------------------------- */

struct slot {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *pixels;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkSemaphore acquired;
};

struct screen {
    struct program *program;
    uint32_t width_px, height_px;
    VkFormat format;
    VkSwapchainCreateFlagsKHR flags;
    VkImageUsageFlags usage;
    const void *next; /* of VkSwapchainCreateInfoKHR */
    uint32_t least_images; /* 0: as few as the surface has */
    /* Records the picture of the image; NULL: it is copied from a buffer. */
    void (*draw)(const struct screen *screen, VkCommandBuffer commands);
    struct xcb_connection_t *connection;
    uint32_t window;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    uint32_t image_count;
    VkImage images[PROGRAM_MAX_IMAGES];
    /* what a present waits for; 1. 0: the picture is waited for by the host */
    uint32_t wait_count;
    VkSemaphore drawn[PROGRAM_MAX_IMAGES][PROGRAM_MAX_WAITS];
    struct slot slots[PROGRAM_SLOTS];
    uint32_t frame;
    uint32_t image; /* of the frame that is being drawn */
};

/* B8G8R8A8_UNORM, one wait; images are copied to and drawn into. */
struct screen screen_default(struct program *program, uint32_t width_px, uint32_t height_px);
void screen_open(struct screen *screen);
void screen_close(struct screen *screen);
void screen_resize_window(struct screen *screen, uint32_t width_px, uint32_t height_px);
void screen_show_window(struct screen *screen, bool shown);
/* The swapchain and what depends on it; `old` may be VK_NULL_HANDLE and is not destroyed. */
void screen_open_swapchain(struct screen *screen, VkSwapchainKHR old);
/* Destroys everything but the swapchain itself; nothing of it may be in use. */
void screen_close_frames(struct screen *screen);

/* ---- Frames ---------------------------------------------------------------------------------- */

void frame_open_slots(struct screen *screen);
void frame_close_slots(struct screen *screen);
/* Acquires an image and submits its picture; false: the swapchain fits the window no longer. */
bool frame_draw(struct screen *screen);
/* Another picture into the image that is the program's still, for a semaphore of its own: the
 * present before did not take it. What that one was to wait for is waited for. */
void frame_draw_again(struct screen *screen);
/* Likewise, for the semaphore that the present before was to wait for. */
void frame_draw_over(struct screen *screen);
/* Presents what was drawn on each of these, all of one program, in one call. */
VkResult frame_present(struct screen *const *screens, uint32_t count, const void *next);
/* Both, so many times, on one window. */
void frame_run(struct screen *screen, uint32_t count);

/* "ready" on stdout; then until stdin ends: somebody looks at the window. */
void program_hold(void);
/* Whether another byte, or the end, has come on stdin: somebody wants the next thing to happen.
 * Never waits. */
bool program_is_asked(void);

/* A window of 160x120 pixels on a device of its own. The screen is not open yet, but in STAND's. */
#define STAND_WIDTH_PX 160
#define STAND_HEIGHT_PX 120
struct stand {
    struct program program;
    struct screen screen;
};
void stand_open(struct stand *stand);
void stand_open_all(struct stand *stand); /* with its screen */
void stand_close(struct stand *stand);
#define STAND(name)                                                                                \
    OWNED(stand_close) struct stand name;                                                          \
    stand_open_all(&(name))

/* ---- Cases ----------------------------------------------------------------------------------- */

struct program_case {
    const char *name;
    void (*run)(void);
};
/* They end with {NULL}. */
extern const struct program_case device_cases[], frame_cases[], image_cases[], life_cases[],
    retry_cases[];
