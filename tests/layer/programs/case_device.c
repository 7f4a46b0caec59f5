/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How programs make instances and devices. Each shows some frames and ends. */

#include "program.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define WIDTH_PX 160
#define HEIGHT_PX 120
#define FRAMES 6

static void show(struct program *program)
{
    OWNED(screen_close) struct screen screen = screen_default(program, WIDTH_PX, HEIGHT_PX);
    screen_open(&screen);
    frame_run(&screen, FRAMES);
}

/* The chain that starts at `next`, of `size` bytes, is the program's own and must come back as it
 * was. */
static void show_with(struct program program, void *next, size_t size,
                      const VkPhysicalDeviceFeatures *features)
{
    unsigned char before[1024];
    program_open_instance(&program);
    memcpy(before, next, size < sizeof before ? size : 0);
    program_open_device(&program, next, features);
    program_need(size <= sizeof before && memcmp(before, next, size) == 0,
                 "vkCreateDevice has changed the program's structure");
    show(&program);
    program_close(&program);
}

static void of_version(uint32_t version, bool by_instance)
{
    OWNED(program_close) struct program program = program_default();
    program.api_version = version;
    program.by_instance = by_instance;
    program_open(&program, NULL, NULL);
    show(&program);
}

static void plain(void)
{
    of_version(program_default().api_version, false);
}

static void version_1_0(void)
{
    of_version(VK_API_VERSION_1_0, false);
}

static void version_1_0_by_instance(void)
{
    of_version(VK_API_VERSION_1_0, true);
}

static void no_application_info(void)
{
    of_version(0, false);
}

static void enabled_features(void)
{
    OWNED(program_close) struct program program = program_default();
    const VkPhysicalDeviceFeatures features = {.robustBufferAccess = VK_TRUE};
    const VkPhysicalDeviceFeatures before = features;
    program_open(&program, NULL, &features);
    program_need(memcmp(&before, &features, sizeof features) == 0,
                 "vkCreateDevice has changed the program's features");
    show(&program);
}

static void features2(void)
{
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .features = {.robustBufferAccess = VK_TRUE}};
    show_with(program_default(), &features, sizeof features, NULL);
}

static void vulkan12_features(void)
{
    struct program program = program_default();
    program.api_version = VK_API_VERSION_1_2;
    VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .hostQueryReset = VK_TRUE};
    show_with(program, &features, sizeof features, NULL);
}

/* Nobody may write to them, not even for the time of the call. */
static void constant_features(void)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    VkPhysicalDeviceVulkan12Features *features =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    program_need(features != MAP_FAILED, "mmap");
    features->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    program_need(mprotect(features, size, PROT_READ) == 0, "mprotect");
    struct program program = program_default();
    program.api_version = VK_API_VERSION_1_2;
    show_with(program, features, sizeof *features, NULL);
    munmap(features, size);
}

static void timeline_features_off(void)
{
    struct program program = program_default();
    program.device_extension = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
    VkPhysicalDeviceTimelineSemaphoreFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    show_with(program, &features, sizeof features, NULL);
}

/* The program is of Vulkan 1.0, with the extension's structure behind another one. */
static void timeline_features_khr(void)
{
    struct program program = program_default();
    program.api_version = VK_API_VERSION_1_0;
    program.instance_extension = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    program.device_extension = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
    struct {
        VkPhysicalDeviceFeatures2 first;
        VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
    } chain = {
        .first = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &chain.timeline},
        .timeline = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                     .timelineSemaphore = VK_TRUE}};
    show_with(program, &chain, sizeof chain, NULL);
}

static void queue2(void)
{
    OWNED(program_close) struct program program = program_default();
    program_open(&program, NULL, NULL);
    const PFN_vkGetDeviceQueue2 get =
        (PFN_vkGetDeviceQueue2)program.vk.GetDeviceProcAddr(program.device, "vkGetDeviceQueue2");
    const VkDeviceQueueInfo2 info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
                                     .queueFamilyIndex = program.family};
    VkQueue queue = VK_NULL_HANDLE;
    get(program.device, &info, &queue);
    program_need(queue == program.queue, "vkGetDeviceQueue2 gives another queue");
    show(&program);
}

/* Functions of extensions that are off are not there, of those that are on they are. */
static void functions(void)
{
    OWNED(program_close_instance) struct program program = program_default();
    program_open(&program, NULL, NULL);
    const PFN_vkGetDeviceProcAddr get = program.vk.GetDeviceProcAddr;
    program_need(!get(program.device, "vkNoSuchFunction") &&
                     !vkGetInstanceProcAddr(program.instance, "vkNoSuchFunction") &&
                     get(program.device, "vkGetDeviceProcAddr") &&
                     get(program.device, "vkQueuePresentKHR"),
                 "a function is there that cannot be, or is missing");
    program_close_device(&program);
    OWNED(program_close_device) struct program bare = program;
    const VkDeviceQueueCreateInfo queue = vulkan_queue_info(program.family);
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    program_check(bare.vk.CreateDevice(bare.physical, &info, NULL, &bare.device), "vkCreateDevice");
    program_need(!get(bare.device, "vkQueuePresentKHR") &&
                     !get(bare.device, "vkCreateSwapchainKHR"),
                 "a device without swapchains has functions for them");
}

static const VkPhysicalDeviceVulkan12Features shared_features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};

static void *make_devices(void *argument)
{
    for (int i = 0; i < 10; i++) {
        OWNED(program_close_device) struct program program = *(const struct program *)argument;
        program_open_device(&program, &shared_features, NULL);
    }
    return NULL;
}

/* Two threads make devices from one structure, which neither of them writes to. */
static void two_threads(void)
{
    OWNED(program_close_instance) struct program program = program_default();
    program.api_version = VK_API_VERSION_1_2;
    program_open_instance(&program);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        program_check(pthread_create(&threads[i], NULL, make_devices, &program), "pthread_create");
    }
    for (int i = 0; i < 2; i++) {
        program_check(pthread_join(threads[i], NULL), "pthread_join");
    }
}

const struct program_case device_cases[] = {
    {"plain", plain},
    {"version-1-0", version_1_0},
    {"version-1-0-by-instance", version_1_0_by_instance},
    {"no-application-info", no_application_info},
    {"enabled-features", enabled_features},
    {"features2", features2},
    {"vulkan12-features", vulkan12_features},
    {"constant-features", constant_features},
    {"timeline-features-off", timeline_features_off},
    {"timeline-features-khr", timeline_features_khr},
    {"two-threads", two_threads},
    {"queue2", queue2},
    {"functions", functions},
    {NULL, NULL},
};
