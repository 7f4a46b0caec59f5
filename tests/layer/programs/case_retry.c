/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Presents that fail, and what programs do then. Something below must make them fail, once at
 * least. */

#include "program.h"

#define FRAMES 8

static bool is_out_of_memory(VkResult result)
{
    return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void draw(struct screen *screen)
{
    program_need(frame_draw(screen), "the swapchain fits no longer");
}

static void expect_refused(int is, int wanted)
{
    if (is != wanted) {
        program_fail("presents were refused", is);
    }
}

/* The specification allows this: nothing was queued, and the same call comes again. */
static int present_until_taken(struct screen *const *screens, uint32_t count)
{
    int refused = 0;
    VkResult result = frame_present(screens, count, NULL);
    for (; is_out_of_memory(result) && refused < 5; refused++) {
        result = frame_present(screens, count, NULL);
    }
    program_check(result, "vkQueuePresentKHR");
    return refused;
}

static void again_with(uint32_t wait_count)
{
    OWNED(stand_close) struct stand stand;
    stand_open(&stand);
    stand.screen.wait_count = wait_count;
    screen_open(&stand.screen);
    struct screen *const screen = &stand.screen;
    int refused = 0;
    for (int i = 0; i < FRAMES; i++) {
        draw(screen);
        refused += present_until_taken(&screen, 1);
    }
    program_need(refused != 0, "no present was refused");
}

static void present_again(void)
{
    again_with(1);
}

static void present_again_no_wait(void)
{
    again_with(0);
}

static void present_again_twelve_waits(void)
{
    again_with(12);
}

static void present_again_both(void)
{
    STAND(stand);
    OWNED(screen_close) struct screen second = screen_default(&stand.program, 200, 80);
    screen_open(&second);
    struct screen *const both[] = {&stand.screen, &second};
    int refused = 0;
    for (int i = 0; i < FRAMES; i++) {
        draw(both[0]);
        draw(both[1]);
        refused += present_until_taken(both, 2);
    }
    expect_refused(refused, 1);
}

/* The two one after the other, since they were not taken together. */
static void present_again_apart(void)
{
    STAND(stand);
    stand.screen.wait_count = 0; /* the second window's semaphore is all that they wait for */
    OWNED(screen_close) struct screen second = screen_default(&stand.program, 200, 80);
    screen_open(&second);
    struct screen *const both[] = {&stand.screen, &second};
    int refused = 0;
    for (int i = 0; i < FRAMES; i++) {
        draw(both[0]);
        draw(both[1]);
        const VkResult result = frame_present(both, 2, NULL);
        if (is_out_of_memory(result)) {
            refused++;
            program_check(frame_present(&both[1], 1, NULL), "vkQueuePresentKHR");
            program_check(frame_present(&both[0], 1, NULL), "vkQueuePresentKHR");
        } else {
            program_check(result, "vkQueuePresentKHR");
        }
    }
    expect_refused(refused, 1);
}

/* Another picture goes into the image that was not taken, by that step, before it is presented. */
static void present_after(void (*step)(struct screen *screen))
{
    STAND(stand);
    struct screen *const screen = &stand.screen;
    int refused = 0;
    for (int i = 0; i < FRAMES; i++) {
        draw(screen);
        VkResult result = frame_present(&screen, 1, NULL);
        if (is_out_of_memory(result)) {
            refused++;
            step(screen);
            result = frame_present(&screen, 1, NULL);
        }
        program_check(result, "vkQueuePresentKHR");
    }
    expect_refused(refused, 1);
}

/* The semaphore is used up elsewhere. */
static void present_drawn_again(void)
{
    present_after(frame_draw_again);
}

/* Gives the image back, by whichever of its names the device's function has; something below makes
 * it do nothing, so that the image is there again at once. */
static void release(const struct screen *screen)
{
#ifdef VK_EXT_swapchain_maintenance1
    const struct program *program = screen->program;
    const VkReleaseSwapchainImagesInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT,
        .swapchain = screen->swapchain,
        .imageIndexCount = 1,
        .pImageIndices = &screen->image};
    const PFN_vkGetDeviceProcAddr get = program->vk.GetDeviceProcAddr;
    PFN_vkVoidFunction found = get(program->device, "vkReleaseSwapchainImagesKHR");
    found = found ? found : get(program->device, "vkReleaseSwapchainImagesEXT");
    program_need(found != NULL, "vkReleaseSwapchainImages is missing");
    program_check(((PFN_vkReleaseSwapchainImagesEXT)found)(program->device, &info),
                  "vkReleaseSwapchainImages");
#else
    (void)screen;
    program_skip("headers without VK_EXT_swapchain_maintenance1");
#endif
}

/* The image goes back, and comes again for the picture with the same semaphore. */
static void release_and_draw(struct screen *screen)
{
    release(screen);
    frame_draw_over(screen);
}

static void present_released(void)
{
    present_after(release_and_draw);
}

/* Such a present was queued all the same; the program goes on with its next picture. */
static void present_outdated(void)
{
    STAND(stand);
    struct screen *const screen = &stand.screen;
    int refused = 0;
    for (int i = 0; i < FRAMES; i++) {
        draw(screen);
        const VkResult result = frame_present(&screen, 1, NULL);
        refused += result < 0;
        if (result != VK_ERROR_OUT_OF_DATE_KHR && result != VK_ERROR_SURFACE_LOST_KHR) {
            program_check(result, "vkQueuePresentKHR");
        }
    }
    expect_refused(refused, 1);
}

const struct program_case retry_cases[] = {
    {"present-again", present_again},
    {"present-again-no-wait", present_again_no_wait},
    {"present-again-twelve-waits", present_again_twelve_waits},
    {"present-again-both", present_again_both},
    {"present-again-apart", present_again_apart},
    {"present-drawn-again", present_drawn_again},
    {"present-released", present_released},
    {"present-outdated", present_outdated},
    {NULL, NULL},
};
