/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "stand.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#define NVIDIA 0x10deu

void stand_fail(const char *what, long code)
{
    fprintf(stderr, "stand: %s (%ld)\n", what, code);
    exit(1);
}

static _Noreturn void skip(const char *why)
{
    printf("stand: skipped: %s\n", why);
    exit(STAND_SKIPPED);
}

void stand_check(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        stand_fail(what, (long)result);
    }
}

/* ---- Options --------------------------------------------------------------------------------- */

#define OPTION(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct stand_options, name)                                                \
    }

static void take_option(struct stand_options *options, const char *text)
{
    static const struct {
        const char *name;
        size_t place;
    } known[] = {
        OPTION(width),  OPTION(height),         OPTION(frames),   OPTION(format),   OPTION(space),
        OPTION(waits),  OPTION(mutable_format), OPTION(look),     OPTION(images),   OPTION(gate),
        OPTION(logged), OPTION(queue),          OPTION(foveated), OPTION(validate), OPTION(nvidia),
        OPTION(cuda),   OPTION(remake),         OPTION(mailbox),  OPTION(ids),      OPTION(leave)};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t length = strlen(known[i].name);
        if (strncmp(text, known[i].name, length) == 0 && text[length] == '=') {
            const uint32_t value = (uint32_t)strtoul(text + length + 1, NULL, 10);
            memcpy((char *)options + known[i].place, &value, sizeof value);
            return;
        }
    }
    stand_fail(text, 0);
}

/* ---- The instance ---------------------------------------------------------------------------- */

/* 1.3.239's own words about the host's signals of timelines are that it "is most likely a
 * validation bug" (in one place, "likley"); and it does not see that CUDA signals what the last
 * batch of a frame waits for. */
static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    const char *id = data->pMessageIdName ? data->pMessageIdName : "";
    struct stand *stand = user;
    if (strstr(data->pMessage, "y a validation bug") ||
        (stand->options.cuda && strstr(id, "vkQueuePresentKHR-pWaitSemaphores-03268"))) {
        return VK_FALSE;
    }
    stand->messages++;
    printf("validation: %s\n", data->pMessage);
    return VK_FALSE;
}

static void open_instance(struct stand *stand)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "screenless",
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkValidationFeatureEnableEXT synchronisation =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                              .enabledValidationFeatureCount = 1,
                                              .pEnabledValidationFeatures = &synchronisation};
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .pNext = stand->options.validate == STAND_VALIDATE_ALL ? &features : NULL,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = stand};
    const char *extensions[] = {
        VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
        VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME, VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const bool validate = stand->options.validate;
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pNext = validate ? &messenger : NULL,
                                       .pApplicationInfo = &application,
                                       .enabledExtensionCount = validate ? 4 : 3,
                                       .ppEnabledExtensionNames = extensions};
    stand_check(vkCreateInstance(&info, NULL, &stand->instance), "vkCreateInstance");
    if (validate) {
        VkDebugUtilsMessengerCreateInfoEXT own = messenger;
        own.pNext = NULL;
        const PFN_vkCreateDebugUtilsMessengerEXT create =
            (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                stand->instance, "vkCreateDebugUtilsMessengerEXT");
        stand_check(create(stand->instance, &own, NULL, &stand->messenger), "messenger");
    }
}

/* Mistakes that validation must notice; they do not count. */
static void expect_validation(struct stand *stand)
{
    const uint32_t before = stand->messages;
    const VkBufferCreateInfo wrong = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 16};
    VkBuffer buffer = VK_NULL_HANDLE;
    if (vkCreateBuffer(stand->device, &wrong, NULL, &buffer) == VK_SUCCESS) {
        vkDestroyBuffer(stand->device, buffer, NULL);
    }
    if (stand->messages == before) {
        stand_fail("validation is not active", 0);
    }
    stand->messages = before;
}

/* ---- The device ------------------------------------------------------------------------------ */

static void choose_device(struct stand *stand)
{
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    vkEnumeratePhysicalDevices(stand->instance, &count, devices);
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        const bool wanted = (properties.vendorID == NVIDIA) == (stand->options.nvidia != 0);
        if (wanted && !stand->physical) {
            stand->physical = devices[i];
            printf("device %s\n", properties.deviceName);
        }
    }
    if (!stand->physical) {
        skip("no such device");
    }
}

static uint32_t find_family(const struct stand *stand, VkQueueFlags wanted, VkQueueFlags unwanted)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(stand->physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if ((families[i].queueFlags & wanted) == wanted && !(families[i].queueFlags & unwanted)) {
            return i;
        }
    }
    skip("no such queue");
}

static void choose_families(struct stand *stand)
{
    stand->families[0] = stand->families[1] = find_family(stand, VK_QUEUE_GRAPHICS_BIT, 0);
    if (stand->options.queue == 1) {
        stand->families[1] = find_family(stand, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT);
    } else if (stand->options.queue == 2) {
        stand->families[1] =
            find_family(stand, VK_QUEUE_TRANSFER_BIT, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
    }
}

static void open_device(struct stand *stand)
{
    choose_families(stand);
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = stand->families[i],
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
    }
    const char *extensions[4] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    uint32_t extension_count = 1;
    if (stand->options.mutable_format) {
        extensions[extension_count++] = VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME;
    }
    if (stand->options.ids) {
        extensions[extension_count++] = VK_KHR_PRESENT_ID_EXTENSION_NAME;
        extensions[extension_count++] = VK_KHR_PRESENT_WAIT_EXTENSION_NAME;
    }
    static VkPhysicalDevicePresentIdFeaturesKHR ids = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, .presentId = VK_TRUE};
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = stand->options.gate  ? (const void *)&timeline
                                              : stand->options.ids ? &ids
                                                                   : NULL,
                                     .queueCreateInfoCount =
                                         stand->families[0] == stand->families[1] ? 1 : 2,
                                     .pQueueCreateInfos = queues,
                                     .enabledExtensionCount = extension_count,
                                     .ppEnabledExtensionNames = extensions};
    stand_check(vkCreateDevice(stand->physical, &info, NULL, &stand->device), "vkCreateDevice");
    const char *clock = getenv("SCREENLESS_CLOCK");
    if (clock && clock[0] && !stand->options.ids &&
        vkGetDeviceProcAddr(stand->device, "vkWaitForPresentKHR")) {
        stand_fail("the device has what was not asked for", 0);
    }
    vkGetDeviceQueue(stand->device, stand->families[0], 0, &stand->queue);
    vkGetDeviceQueue(stand->device, stand->families[1], 0, &stand->present_queue);
}

/* ---- The swapchain --------------------------------------------------------------------------- */

static void open_surface(struct stand *stand)
{
    const PFN_vkCreateHeadlessSurfaceEXT create =
        (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(stand->instance,
                                                              "vkCreateHeadlessSurfaceEXT");
    const VkHeadlessSurfaceCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    stand_check(create(stand->instance, &info, NULL, &stand->surface), "surface");
    /* The answers are known, but a program has to ask. */
    VkBool32 supported = VK_FALSE;
    VkSurfaceCapabilitiesKHR capabilities;
    VkSurfaceFormatKHR formats[64];
    VkPresentModeKHR modes[8];
    uint32_t format_count = 64, mode_count = 8;
    for (int i = 0; i < 2; i++) {
        vkGetPhysicalDeviceSurfaceSupportKHR(stand->physical, stand->families[i], stand->surface,
                                             &supported);
    }
    vkGetPhysicalDeviceSurfaceCapabilitiesKHR(stand->physical, stand->surface, &capabilities);
    vkGetPhysicalDeviceSurfaceFormatsKHR(stand->physical, stand->surface, &format_count, formats);
    vkGetPhysicalDeviceSurfacePresentModesKHR(stand->physical, stand->surface, &mode_count, modes);
}

static void open_swapchain(struct stand *stand)
{
    const struct stand_options *options = &stand->options;
    const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_B8G8R8A8_UNORM};
    const VkImageFormatListCreateInfo list = {.sType =
                                                  VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                              .viewFormatCount = 2,
                                              .pViewFormats = formats};
    const bool shared = stand->families[0] != stand->families[1];
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .pNext = options->mutable_format ? &list : NULL,
        .flags = options->mutable_format ? VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR : 0,
        .surface = stand->surface,
        .minImageCount = options->images,
        .imageFormat = (VkFormat)options->format,
        .imageColorSpace = (VkColorSpaceKHR)options->space,
        .imageExtent = {options->width, options->height},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .imageSharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? 2 : 0,
        .pQueueFamilyIndices = stand->families,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = options->mailbox ? VK_PRESENT_MODE_MAILBOX_KHR : VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE,
        .oldSwapchain = stand->swapchain};
    const VkResult result = vkCreateSwapchainKHR(stand->device, &info, NULL, &stand->swapchain);
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
        skip("the device has no such images");
    }
    stand_check(result, "vkCreateSwapchainKHR");
    uint32_t count = options->images;
    stand_check(vkGetSwapchainImagesKHR(stand->device, stand->swapchain, &count, stand->images),
                "vkGetSwapchainImagesKHR");
}

static void remake_swapchain(struct stand *stand)
{
    const VkSwapchainKHR old = stand->swapchain;
    stand_check(vkDeviceWaitIdle(stand->device), "vkDeviceWaitIdle");
    open_swapchain(stand);
    vkDestroySwapchainKHR(stand->device, old, NULL);
}

static void find_screen(struct stand *stand)
{
    void *library = dlopen(getenv("STAND_SCREENLESS"), RTLD_NOW | RTLD_NOLOAD);
    stand->picture_of =
        library ? (screenless_picture_fn)dlsym(library, "screenless_picture") : NULL;
    stand->times_of = library ? (screenless_times_fn)dlsym(library, "screenless_times") : NULL;
    if (!stand->picture_of || !stand->times_of) {
        stand_fail("the layer with the swapchain is not there", 0);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Each picture is looked at two frames after it was shown, so that frames are in flight all the
 * time. */
static void run(struct stand *stand)
{
    const struct stand_options *options = &stand->options;
    struct stand_look *look = options->look ? stand_look_open(stand) : NULL;
    stand_cost_begin();
    for (uint32_t i = 0; i < options->frames + 2; i++) {
        const uint32_t before = stand->image_of[i % 2];
        if (i >= 2) {
            stand_cost_frame(stand, before);
        }
        if (i >= 2 && look) {
            stand_look_at(look, stand, i - 2, before);
        }
        if (options->remake && i == options->frames / 2) {
            remake_swapchain(stand);
        }
        if (i < options->frames) {
            stand->image_of[i % 2] = stand_frame(stand, i);
        }
    }
    stand_check(vkDeviceWaitIdle(stand->device), "vkDeviceWaitIdle");
    stand_cost_end(options->frames);
    if (look) {
        stand_look_close(look);
    }
}

/* Presents as many frames as there are images, all of them unfinished when the last one is
 * presented; and again. */
static void run_gated(struct stand *stand)
{
    const uint32_t images = stand->options.images;
    struct stand_look *look = stand_look_open(stand);
    for (uint32_t first = 0; first + images <= stand->options.frames; first += images) {
        const uint64_t time = first / images + 1;
        uint32_t image_of[SCREENLESS_MAX_IMAGES];
        stand_close_gate(stand, time);
        for (uint32_t i = 0; i < images; i++) {
            image_of[i] = stand_frame(stand, first + i);
        }
        stand_open_gate(stand, time);
        for (uint32_t i = 0; i < images; i++) {
            stand_look_at(look, stand, first + i, image_of[i]);
        }
        stand_check(vkDeviceWaitIdle(stand->device), "vkDeviceWaitIdle");
    }
    stand_look_close(look);
}

int stand_program(int argc, char **argv)
{
    /* static: a program that leaves everything as it is has no leaks. */
    static struct stand stand = {.options = {.width = 320,
                                             .height = 180,
                                             .frames = 8,
                                             .format = VK_FORMAT_B8G8R8A8_UNORM,
                                             .images = SCREENLESS_IMAGES,
                                             .waits = 1,
                                             .foveated = 1}};
    for (int i = 2; i < argc; i++) {
        take_option(&stand.options, argv[i]);
    }
    open_instance(&stand);
    choose_device(&stand);
    open_device(&stand);
    open_surface(&stand);
    open_swapchain(&stand);
    find_screen(&stand);
    stand_open_frames(&stand);
    if (stand.options.gate) {
        run_gated(&stand);
    } else {
        run(&stand);
    }
    if (stand.options.leave) {
        printf("validation_messages %u\n", stand.messages);
        return 0;
    }
    stand_close_frames(&stand);
    vkDestroySwapchainKHR(stand.device, stand.swapchain, NULL);
    if (stand.options.validate) {
        expect_validation(&stand);
    }
    vkDestroyDevice(stand.device, NULL);
    vkDestroySurfaceKHR(stand.instance, stand.surface, NULL);
    if (stand.messenger) {
        ((PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            stand.instance, "vkDestroyDebugUtilsMessengerEXT"))(stand.instance, stand.messenger,
                                                                NULL);
    }
    vkDestroyInstance(stand.instance, NULL);
    printf("validation_messages %u\n", stand.messages);
    return 0;
}
