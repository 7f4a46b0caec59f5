/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "program.h"

#include <xcb/xcb.h>

/* VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT: no views before images are acquired. */
#define DEFERRED 0x8

struct screen screen_default(struct program *program, uint32_t width_px, uint32_t height_px)
{
    return (struct screen){.program = program,
                           .width_px = width_px,
                           .height_px = height_px,
                           .format = VK_FORMAT_B8G8R8A8_UNORM,
                           .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                           .wait_count = 1};
}

/* ---- The window ------------------------------------------------------------------------------ */

void screen_show_window(struct screen *screen, bool shown)
{
    const xcb_void_cookie_t asked =
        shown ? xcb_map_window_checked(screen->connection, screen->window)
              : xcb_unmap_window_checked(screen->connection, screen->window);
    free(xcb_request_check(screen->connection, asked)); /* it is done when this returns */
}

void screen_resize_window(struct screen *screen, uint32_t width_px, uint32_t height_px)
{
    const uint32_t size[] = {width_px, height_px};
    free(xcb_request_check(
        screen->connection,
        xcb_configure_window_checked(screen->connection, screen->window,
                                     XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size)));
    screen->width_px = width_px;
    screen->height_px = height_px;
}

static void open_window(struct screen *screen)
{
    struct program *program = screen->program;
    screen->connection = xcb_connect(NULL, NULL);
    program_need(!xcb_connection_has_error(screen->connection), "no X server");
    const xcb_screen_t *root = xcb_setup_roots_iterator(xcb_get_setup(screen->connection)).data;
    screen->window = xcb_generate_id(screen->connection);
    xcb_create_window(screen->connection, XCB_COPY_FROM_PARENT, screen->window, root->root, 0, 0,
                      (uint16_t)screen->width_px, (uint16_t)screen->height_px, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, root->root_visual, 0, NULL);
    screen_show_window(screen, true);
    const VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
                                            .connection = screen->connection,
                                            .window = screen->window};
    program_check(program->vk.CreateXcbSurfaceKHR(program->instance, &info, NULL, &screen->surface),
                  "vkCreateXcbSurfaceKHR");
    VkBool32 supported = VK_FALSE;
    program->vk.GetPhysicalDeviceSurfaceSupportKHR(program->physical, program->family,
                                                   screen->surface, &supported);
    if (!supported) {
        program_skip("the queue cannot present");
    }
}

/* ---- The swapchain --------------------------------------------------------------------------- */

static void make_swapchain(struct screen *screen, VkSwapchainKHR old)
{
    struct program *program = screen->program;
    VkSurfaceCapabilitiesKHR surface;
    program_check(program->vk.GetPhysicalDeviceSurfaceCapabilitiesKHR(program->physical,
                                                                      screen->surface, &surface),
                  "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .pNext = screen->next,
        .flags = screen->flags,
        .surface = screen->surface,
        .minImageCount = screen->least_images > surface.minImageCount ? screen->least_images
                                                                      : surface.minImageCount,
        .imageFormat = screen->format,
        .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
        .imageExtent = surface.currentExtent,
        .imageArrayLayers = 1,
        .imageUsage = screen->usage,
        .preTransform = surface.currentTransform,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE,
        .oldSwapchain = old};
    const VkSwapchainCreateInfoKHR before = info;
    program_check(program->vk.CreateSwapchainKHR(program->device, &info, NULL, &screen->swapchain),
                  "vkCreateSwapchainKHR");
    program_need(memcmp(&before, &info, sizeof info) == 0,
                 "vkCreateSwapchainKHR has changed the program's structure");
    screen->width_px = surface.currentExtent.width;
    screen->height_px = surface.currentExtent.height;
}

/* Programs that draw make views so: in the image's own format, with all usages that the image has.
 */
static void view_images(const struct screen *screen)
{
    struct program *program = screen->program;
    for (uint32_t i = 0; i < screen->image_count && !(screen->flags & DEFERRED); i++) {
        const VkImageViewCreateInfo info = vulkan_view_info(screen->images[i], screen->format);
        VkImageView view = VK_NULL_HANDLE;
        program_check(program->vk.CreateImageView(program->device, &info, NULL, &view),
                      "vkCreateImageView");
        program->vk.DestroyImageView(program->device, view, NULL);
    }
}

void screen_open_swapchain(struct screen *screen, VkSwapchainKHR old)
{
    struct program *program = screen->program;
    make_swapchain(screen, old);
    screen->image_count = PROGRAM_MAX_IMAGES;
    program_check(program->vk.GetSwapchainImagesKHR(program->device, screen->swapchain,
                                                    &screen->image_count, screen->images),
                  "vkGetSwapchainImagesKHR");
    view_images(screen);
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    for (uint32_t i = 0; i < screen->image_count; i++) {
        for (uint32_t k = 0; k < screen->wait_count; k++) {
            program_check(
                program->vk.CreateSemaphore(program->device, &info, NULL, &screen->drawn[i][k]),
                "vkCreateSemaphore");
        }
    }
    frame_open_slots(screen);
}

void screen_close_frames(struct screen *screen)
{
    struct program *program = screen->program;
    frame_close_slots(screen);
    for (uint32_t i = 0; i < screen->image_count; i++) {
        for (uint32_t k = 0; k < screen->wait_count; k++) {
            program->vk.DestroySemaphore(program->device, screen->drawn[i][k], NULL);
        }
    }
}

void screen_open(struct screen *screen)
{
    open_window(screen);
    screen_open_swapchain(screen, VK_NULL_HANDLE);
}

void screen_close(struct screen *screen)
{
    struct program *program = screen->program;
    program_check(program->vk.DeviceWaitIdle(program->device), "vkDeviceWaitIdle");
    screen_close_frames(screen);
    program->vk.DestroySwapchainKHR(program->device, screen->swapchain, NULL);
    program->vk.DestroySurfaceKHR(program->instance, screen->surface, NULL);
    xcb_disconnect(screen->connection);
}

/* ---- A device and a window of its own */

void stand_open(struct stand *stand)
{
    stand->program = program_default();
    program_open(&stand->program, NULL, NULL);
    stand->screen = screen_default(&stand->program, STAND_WIDTH_PX, STAND_HEIGHT_PX);
}

void stand_open_all(struct stand *stand)
{
    stand_open(stand);
    screen_open(&stand->screen);
}

void stand_close(struct stand *stand)
{
    screen_close(&stand->screen);
    program_close(&stand->program);
}
