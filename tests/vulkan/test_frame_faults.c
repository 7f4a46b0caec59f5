/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Vulkan calls that fail: a shim between Fovea and the driver lets a chosen call fail. Creation
 * must fail cleanly or succeed, a frame must pass through or be refused whole, and nothing may
 * leak. */

#include "calls.h"
#include "clock.h"
#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"

#define WIDTH_PX 40
#define HEIGHT_PX 30
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

/* Calls until one fails; negative: none does. */
static int countdown = -1;
static int failures_after; /* calls after that one, which fail too */
static VkResult failure = VK_ERROR_OUT_OF_DEVICE_MEMORY;
static int submits;

static bool fails_now(void)
{
    if (countdown < 0 && failures_after > 0) {
        failures_after--;
        return true;
    }
    return countdown >= 0 && countdown-- == 0;
}

/* Every call of Fovea's that makes something. */
#define SHIMS(X)                                                                                   \
    CALLS_THAT_MAKE(X)                                                                             \
    CALLS_THAT_MAKE_VIEWS(X)                                                                       \
    CALLS_THAT_FAIL_TOO(X)                                                                         \
    CALLS_THAT_MAKE_SEMAPHORES(X)

#define DEFINE(name, parameters, arguments)                                                        \
    static VKAPI_ATTR VkResult VKAPI_CALL shim_##name parameters                                   \
    {                                                                                              \
        return fails_now() ? failure : vk##name arguments;                                         \
    }
SHIMS(DEFINE)
#undef DEFINE

static VKAPI_ATTR VkResult VKAPI_CALL shim_QueueSubmit(VkQueue queue, uint32_t count,
                                                       const VkSubmitInfo *infos, VkFence fence)
{
    if (fails_now()) {
        return failure;
    }
    submits++;
    return vkQueueSubmit(queue, count, infos, fence);
}

/* ---- A device with a small heap of its own that the host sees ---- */

/* Three types where the driver has one: the device's, what the host writes, and both in one. */
#define NEAR_TYPE 2
static bool small_heap;
static bool near_is_full;
static int near_allocations;

static VKAPI_ATTR void VKAPI_CALL small_GetPhysicalDeviceMemoryProperties(
    VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties *out)
{
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    vkGetPhysicalDeviceMemoryProperties(physical, out);
    if (small_heap) {
        out->memoryTypeCount = 3;
        out->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        out->memoryTypes[1].propertyFlags = host;
        out->memoryTypes[NEAR_TYPE].propertyFlags = host | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    }
}

static VKAPI_ATTR void VKAPI_CALL small_GetBufferMemoryRequirements(VkDevice device,
                                                                    VkBuffer buffer,
                                                                    VkMemoryRequirements *out)
{
    vkGetBufferMemoryRequirements(device, buffer, out);
    out->memoryTypeBits = small_heap ? 7 : out->memoryTypeBits;
}

static VKAPI_ATTR VkResult VKAPI_CALL small_AllocateMemory(VkDevice device,
                                                           const VkMemoryAllocateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkDeviceMemory *out)
{
    VkMemoryAllocateInfo real = *info;
    if (small_heap && info->memoryTypeIndex == NEAR_TYPE) {
        near_allocations++;
        if (near_is_full) {
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        }
    }
    real.memoryTypeIndex = small_heap ? 0 : info->memoryTypeIndex;
    return shim_AllocateMemory(device, &real, allocator, out);
}

/* The first of a name counts. */
static const struct shim shims[] = {
    {"vkAllocateMemory", (PFN_vkVoidFunction)small_AllocateMemory},
    {"vkGetBufferMemoryRequirements", (PFN_vkVoidFunction)small_GetBufferMemoryRequirements},
    {"vkGetPhysicalDeviceMemoryProperties",
     (PFN_vkVoidFunction)small_GetPhysicalDeviceMemoryProperties},
    SHIMS(SHIM_OF) SHIM(QueueSubmit),
    NO_MORE_SHIMS};

static void open_engine(struct rig *rig)
{
    struct engine_options options = {.host_signals = true};
    assert_true(engine_open(&rig->engine, &options));
    rig->settings = rig_settings();
    countdown = -1;
}

static enum fovea_result make_fovea(struct rig *rig)
{
    struct fovea_vk_desc desc = engine_fovea_desc(&rig->engine, &rig->settings);
    desc.get_instance_proc_addr = shims_first(shims);
    return fovea_vk_create(&desc, &rig->fovea);
}

TEST(creation_fails_cleanly_at_every_call)
{
    struct rig rig;
    open_engine(&rig);
    int calls = 0;
    enum fovea_result result = FOVEA_ERROR_INTERNAL;
    while (result < 0) {
        assert_true(calls < 200);
        countdown = calls++;
        failure = calls % 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_OUT_OF_HOST_MEMORY;
        result = make_fovea(&rig);
        assert_true(result == FOVEA_OK || result == FOVEA_ERROR_OUT_OF_MEMORY);
        assert_true(result == FOVEA_OK || !rig.fovea);
    }
    assert_true(calls > 10);
    countdown = -1;
    rig_close(&rig); /* validation names what leaked */
}

/* One frame, one call of which fails: what comes out is foveated, the engine's picture, or
 * nothing. */
static void one_faulty_frame(struct rig *rig, int call, bool *out_failed)
{
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 9);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    assert_ok(make_fovea(rig));
    failure = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    countdown = call;
    enum fovea_result result =
        rig_frame(rig, RIG_ENGINE_TO_ENGINE, format, &src.view, rig_gaze(0.5, 0.5), &dst.view);
    *out_failed = countdown < 0;
    countdown = -1;
    if (result == FOVEA_PASSED_THROUGH) {
        compare_assert_all_same(&dst.view, &src.view, "passed through");
    }
    assert_true(result == FOVEA_OK || result == FOVEA_PASSED_THROUGH ||
                result == FOVEA_ERROR_OUT_OF_MEMORY || result == FOVEA_ERROR_DEVICE_LOST);
    fovea_vk_destroy(&rig->fovea);
}

TEST(a_frame_passes_or_is_refused_at_every_failing_call)
{
    struct rig rig;
    open_engine(&rig);
    bool failed = true;
    int calls = 0;
    for (; failed; calls++) {
        assert_true(calls < 200);
        one_faulty_frame(&rig, calls, &failed);
        engine_expect_silence(&rig.engine);
    }
    assert_true(calls > 8);
    engine_close(&rig.engine);
}

TEST(frames_are_foveated_again_when_memory_is_back)
{
    OWNED(rig_close) struct rig rig;
    open_engine(&rig);
    assert_ok(make_fovea(&rig));
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 9);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    struct fovea_gaze gaze = rig_gaze(0.5, 0.5);
    failure = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    countdown = 1;
    assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, format, &src.view, gaze, &dst.view),
                     FOVEA_PASSED_THROUGH);
    rest_ms(1100);
    assert_ok(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, format, &src.view, gaze, &dst.view));
}

static enum fovea_result frame_of_width(struct rig *rig, uint32_t width_px)
{
    OWNED_IMAGE src = image_drawn(width_px, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 9);
    OWNED_IMAGE dst = image_make_packed(width_px, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    const enum fovea_result result =
        rig_frame(rig, RIG_ENGINE_TO_ENGINE, format, &src.view, rig_gaze(0.5, 0.5), &dst.view);
    return result;
}

/* A frame of one size is foveated, and then so many calls find no memory. */
static void open_short_of_memory(struct rig *rig, int times)
{
    open_engine(rig);
    assert_ok(make_fovea(rig));
    assert_ok(frame_of_width(rig, WIDTH_PX));
    failure = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    countdown = 1;
    failures_after = times - 1;
}

/* A program with two windows, say, one of which is too large. The second call fails when what other
 * sizes have left was given up. */
TEST(a_frame_that_finds_no_memory_stops_none_of_another_size)
{
    OWNED(rig_close) struct rig rig;
    open_short_of_memory(&rig, 2);
    assert_int_equal(frame_of_width(&rig, 2 * WIDTH_PX), FOVEA_PASSED_THROUGH);
    assert_ok(frame_of_width(&rig, WIDTH_PX));
    assert_ok(frame_of_width(&rig, 3 * WIDTH_PX));
    assert_int_equal(frame_of_width(&rig, 2 * WIDTH_PX), FOVEA_PASSED_THROUGH);
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    assert_ok(frame_of_width(&rig, 2 * WIDTH_PX));
}

TEST(a_frame_that_finds_no_memory_has_what_others_have_left)
{
    OWNED(rig_close) struct rig rig;
    open_short_of_memory(&rig, 1);
    assert_ok(frame_of_width(&rig, 2 * WIDTH_PX));
    assert_true(countdown < 0);
    assert_ok(frame_of_width(&rig, WIDTH_PX));
}

/* The block of late gazes, and the table of a plan. */
static void the_tables_lie_near_the_device(bool full)
{
    OWNED(rig_close) struct rig rig;
    open_engine(&rig);
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 9);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    small_heap = true;
    near_is_full = full;
    near_allocations = 0;
    assert_ok(make_fovea(&rig));
    assert_ok(
        rig_frame(&rig, RIG_ENGINE_TO_ENGINE, format, &src.view, rig_gaze(0.5, 0.5), &dst.view));
    small_heap = false;
    assert_true(near_allocations >= 2);
}

TEST(a_full_heap_near_the_device_is_done_without)
{
    struct rig rig;
    open_engine(&rig);
    const bool one_type = rig.engine.memory.memoryTypeCount == 1;
    engine_close(&rig.engine);
    if (!one_type || rig_backend() != FOVEA_BACKEND_VULKAN) {
        skip(); /* the shim stands in for a device that has no types of its own */
    }
    the_tables_lie_near_the_device(false);
    the_tables_lie_near_the_device(true);
}

TEST(a_lost_device_is_said_and_submits_nothing_more)
{
    OWNED(rig_close) struct rig rig;
    open_engine(&rig);
    assert_ok(make_fovea(&rig));
    struct engine_image image = engine_image_create(&rig.engine, format, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_frame frame = rig_frame_in_place(&image);
    frame.gaze.usable = false;
    failure = VK_ERROR_DEVICE_LOST;
    countdown = 3; /* reset, begin, end, submit */
    submits = 0;
    assert_int_equal(fovea_vk_foveate(rig.fovea, &frame), FOVEA_ERROR_DEVICE_LOST);
    assert_int_equal(fovea_vk_foveate(rig.fovea, &frame), FOVEA_ERROR_DEVICE_LOST);
    assert_int_equal(submits, 0);
    engine_image_destroy(&rig.engine, &image);
}

TEST(an_instance_of_vulkan_1_0_is_refused)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_0};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    VkInstance instance;
    assert_int_equal(vkCreateInstance(&info, NULL, &instance), VK_SUCCESS);
    VkPhysicalDevice physical;
    uint32_t count = 1;
    assert_true(vkEnumeratePhysicalDevices(instance, &count, &physical) >= 0);
    struct fovea_vk_requirements needs = {.struct_bytes = sizeof needs};
    enum fovea_result result = fovea_vk_query(instance, physical, vkGetInstanceProcAddr, &needs);
    /* Loaders that hand out newer functions all the same do no harm. */
    assert_true(result == FOVEA_ERROR_UNSUPPORTED || result == FOVEA_OK);
    assert_int_equal(fovea_vk_query(NULL, physical, vkGetInstanceProcAddr, &needs),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    vkDestroyInstance(instance, NULL);
}
