/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How programs present. */

#include "program.h"

#include <pthread.h>
#include <stdatomic.h>

#define FRAMES 8

/* With the last picture left on the screen until stdin ends. */
static void hold(void)
{
    STAND(stand);
    frame_run(&stand.screen, FRAMES);
    program_hold();
}

static void endless(void)
{
    struct stand stand;
    stand_open(&stand);
    screen_open(&stand.screen);
    for (;;) {
        frame_run(&stand.screen, 1);
    }
}

static void with_waits(uint32_t count)
{
    OWNED(stand_close) struct stand stand;
    stand_open(&stand);
    stand.screen.wait_count = count;
    screen_open(&stand.screen);
    frame_run(&stand.screen, FRAMES);
}

static void no_wait(void)
{
    with_waits(0);
}

static void three_waits(void)
{
    with_waits(3);
}

static void twelve_waits(void)
{
    with_waits(12);
}

/* Two windows of one device, in one call; now and then only one of them. */
static void two_swapchains(void)
{
    STAND(stand);
    OWNED(screen_close) struct screen second = screen_default(&stand.program, 200, 80);
    screen_open(&second);
    struct screen *const both[] = {&stand.screen, &second};
    for (uint32_t i = 0; i < FRAMES; i++) {
        program_need(frame_draw(&stand.screen) && frame_draw(&second),
                     "a swapchain fits no longer");
        if (i % 4 == 3) {
            program_check(frame_present(&both[1], 1, NULL), "vkQueuePresentKHR");
            program_check(frame_present(&both[0], 1, NULL), "vkQueuePresentKHR");
        } else {
            program_check(frame_present(both, 2, NULL), "vkQueuePresentKHR");
        }
    }
}

static void *present_alone(void *screen)
{
    frame_run(screen, FRAMES);
    return NULL;
}

static void thread(void)
{
    STAND(stand);
    pthread_t other;
    program_need(pthread_create(&other, NULL, present_alone, &stand.screen) == 0, "no thread");
    pthread_join(other, NULL);
}

static atomic_bool stop;

static void *present_until_stopped(void *unused)
{
    STAND(stand);
    while (!atomic_load(&stop)) {
        frame_run(&stand.screen, 1);
    }
    return NULL;
}

/* Each with a device and a window of its own, until stdin ends. */
static void three_threads(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        program_need(pthread_create(&threads[i], NULL, present_until_stopped, NULL) == 0,
                     "no thread");
    }
    program_hold();
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void open_with_regions(struct stand *stand)
{
    stand->program = program_default();
    program_open_instance(&stand->program);
    if (!program_has_extension(&stand->program, VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME)) {
        program_skip("no VK_KHR_incremental_present");
    }
    stand->program.device_extension = VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME;
    program_open_device(&stand->program, NULL, NULL);
    stand->screen = screen_default(&stand->program, STAND_WIDTH_PX, STAND_HEIGHT_PX);
    screen_open(&stand->screen);
}

/* A present without memory has changed nothing, and comes again. */
static VkResult present_with_regions(struct screen *screen)
{
    const VkRectLayerKHR rectangle = {.offset = {10, 10}, .extent = {20, 20}};
    const VkPresentRegionKHR region = {.rectangleCount = 1, .pRectangles = &rectangle};
    const VkPresentRegionsKHR hints = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR, .swapchainCount = 1, .pRegions = &region};
    const VkResult result = frame_present(&screen, 1, &hints);
    return result == VK_ERROR_OUT_OF_HOST_MEMORY ? frame_present(&screen, 1, &hints) : result;
}

/* Hints of what has changed: with a moving gaze that is everything. */
static void regions(void)
{
    OWNED(stand_close) struct stand stand;
    open_with_regions(&stand);
    for (uint32_t i = 0; i < FRAMES; i++) {
        program_need(frame_draw(&stand.screen), "the swapchain fits no longer");
        program_check(present_with_regions(&stand.screen), "vkQueuePresentKHR");
    }
    program_hold();
}

/* Said to be of one GPU of a group, as engines do that know groups. */
static void group_present(void)
{
    STAND(stand);
    const uint32_t mask = 1;
    const VkDeviceGroupPresentInfoKHR group = {.sType =
                                                   VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR,
                                               .swapchainCount = 1,
                                               .pDeviceMasks = &mask,
                                               .mode = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR};
    struct screen *const screen = &stand.screen;
    for (uint32_t i = 0; i < FRAMES; i++) {
        program_need(frame_draw(screen), "the swapchain fits no longer");
        program_check(frame_present(&screen, 1, &group), "vkQueuePresentKHR");
    }
}

/* An image that is not presented stays acquired: the other images, if any, go round. */
static void present_out_of_memory(void)
{
    STAND(stand);
    struct screen *const screen = &stand.screen;
    int refused = 0;
    for (uint32_t i = 0; i < FRAMES; i++) {
        program_need(frame_draw(screen), "the swapchain fits no longer");
        const VkResult result = frame_present(&screen, 1, NULL);
        refused += result == VK_ERROR_OUT_OF_HOST_MEMORY;
        if (result != VK_ERROR_OUT_OF_HOST_MEMORY) {
            program_check(result, "vkQueuePresentKHR");
        }
    }
    if (refused != 1) {
        program_fail("presents out of memory", refused);
    }
}

/* A program with twelve images can be that many frames ahead of the GPU. */
static void twelve_images(void)
{
    OWNED(stand_close) struct stand stand;
    stand_open(&stand);
    stand.screen.least_images = 12;
    screen_open(&stand.screen);
    frame_run(&stand.screen, 40);
}

/* The second swapchain has more images than the first one, whose context it would get. */
static void more_images(void)
{
    STAND(stand);
    frame_run(&stand.screen, 2);
    const struct screen old = stand.screen;
    struct program *program = &stand.program;
    stand.screen.least_images = 12;
    screen_open_swapchain(&stand.screen, old.swapchain);
    frame_run(&stand.screen, 40);
    program_check(program->vk.DeviceWaitIdle(program->device), "vkDeviceWaitIdle");
    struct screen gone = old;
    screen_close_frames(&gone);
    program->vk.DestroySwapchainKHR(program->device, old.swapchain, NULL);
}

static void srgb(void)
{
    OWNED(stand_close) struct stand stand;
    stand_open(&stand);
    stand.screen.format = VK_FORMAT_B8G8R8A8_SRGB;
    screen_open(&stand.screen);
    frame_run(&stand.screen, FRAMES);
}

static void srgb_mutable(void)
{
    OWNED(stand_close) struct stand stand = {.program = program_default()};
    stand.program.device_extension = VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME;
    stand.program.api_version = VK_API_VERSION_1_2; /* image format lists are of the core there */
    program_open_instance(&stand.program);
    if (!program_has_extension(&stand.program, stand.program.device_extension)) {
        program_skip("no VK_KHR_swapchain_mutable_format");
    }
    program_open_device(&stand.program, NULL, NULL);
    const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_B8G8R8A8_UNORM};
    const VkImageFormatListCreateInfo list = {.sType =
                                                  VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                              .viewFormatCount = 2,
                                              .pViewFormats = formats};
    stand.screen = screen_default(&stand.program, STAND_WIDTH_PX, STAND_HEIGHT_PX);
    stand.screen.format = VK_FORMAT_B8G8R8A8_SRGB;
    stand.screen.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    stand.screen.next = &list;
    screen_open(&stand.screen);
    frame_run(&stand.screen, FRAMES);
}

/* Images without memory before they are first acquired (VK_EXT_swapchain_maintenance1): the flag
 * alone, for drivers that ignore what they do not know. */
static void deferred(void)
{
    OWNED(stand_close) struct stand stand;
    stand_open(&stand);
    stand.screen.flags = 0x8; /* VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT */
    screen_open(&stand.screen);
    frame_run(&stand.screen, FRAMES);
}

const struct program_case frame_cases[] = {
    {"hold", hold},
    {"endless", endless},
    {"no-wait", no_wait},
    {"three-waits", three_waits},
    {"twelve-waits", twelve_waits},
    {"two-swapchains", two_swapchains},
    {"thread", thread},
    {"three-threads", three_threads},
    {"regions", regions},
    {"group-present", group_present},
    {"present-out-of-memory", present_out_of_memory},
    {"twelve-images", twelve_images},
    {"more-images", more_images},
    {"srgb", srgb},
    {"srgb-mutable", srgb_mutable},
    {"deferred", deferred},
    {NULL, NULL},
};
