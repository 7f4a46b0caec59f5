/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "engine.h"

#include "cmocka_all.h"

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)

static bool required(const char *variable)
{
    const char *value = getenv(variable);
    return value && strcmp(value, "1") == 0;
}

/* ---- Validation ---- */

/* 1.3.239 goes on counting a signal of the queue's to an exported timeline as pending when its
 * value has been read or waited for (the H200 run of 2026-11-23). The watchdog signals the next
 * value, and no other, after it has read the one before (take_turn in frame_watchdog.c), which is
 * what the rule asks for. */
static bool is_signal_after_a_read(const char *id, const char *message)
{
    const char *value = strstr(message, "value (");
    const char *pending = strstr(message, "pending signal operation (");
    return strcmp(id, "VUID-VkSemaphoreSignalInfo-value-03259") == 0 && value && pending &&
           strtoull(value + strlen("value ("), NULL, 10) ==
               strtoull(pending + strlen("pending signal operation ("), NULL, 10) + 1;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    struct engine *engine = user;
    const char *id = data->pMessageIdName ? data->pMessageIdName : "";
    bool error = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    bool rule = types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    /* Best practice warns of everything that is ever slow somewhere, its own messenger included: of
     * its messages the errors count. Loaders and drivers talk under GENERAL. */
    if (!error && (!rule || strstr(id, "BestPractices"))) {
        return VK_FALSE;
    }
    /* 1.3.239 loses its own count of a timeline that the host signals while the queue waits for it,
     * or of a fence, waits 10 s for it and says so itself: "likely" and "likley". */
    if (strstr(data->pMessage, "y a validation bug") ||
        is_signal_after_a_read(id, data->pMessage)) {
        return VK_FALSE;
    }
    if (engine->messages++ == 0) {
        snprintf(engine->first_message, sizeof engine->first_message, "%s", data->pMessage);
    }
    if (getenv("FOVEA_TEST_VERBOSE")) {
        fprintf(stderr, "validation: %s\n", data->pMessage);
    }
    return VK_FALSE;
}

static bool has_layer(const char *name)
{
    VkLayerProperties layers[64];
    uint32_t count = 64;
    vkEnumerateInstanceLayerProperties(&count, layers);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(layers[i].layerName, name) == 0) {
            return true;
        }
    }
    return false;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(struct engine *engine)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = engine};
}

/* Validation 1.3.239 waits in vkDeviceWaitIdle, with a lock held, for a thread of ours that needs
 * that lock to say that it has signalled. Core validation has finer locks; the others must be off
 * where the host signals. */
static uint32_t enabled_features(const struct engine_options *options)
{
    return options->host_signals ? 0 : 2;
}

static PFN_vkVoidFunction maker(const struct engine_options *options, VkInstance instance,
                                const char *name)
{
    PFN_vkVoidFunction function =
        (options->get ? options->get : vkGetInstanceProcAddr)(instance, name);
    assert_non_null(function);
    return function;
}

static bool create_instance(struct engine *engine, const struct engine_options *options)
{
    const char *layer = "VK_LAYER_KHRONOS_validation";
    const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    engine->validation = !options->no_validation && has_layer(layer);
    assert_that(engine->validation || options->no_validation ||
                    !required("FOVEA_REQUIRE_VALIDATION"),
                "the validation layer is not there");
    VkValidationFeatureEnableEXT enables[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
        VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT};
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = enabled_features(options),
                                        .pEnabledValidationFeatures = enables};
    VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(engine);
    features.pNext = &messenger;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    if (engine->validation) {
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)maker(options, VK_NULL_HANDLE, "vkCreateInstance");
    return create(&info, NULL, &engine->instance) == VK_SUCCESS;
}

static void create_messenger(struct engine *engine)
{
    if (!engine->validation) {
        return;
    }
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(engine->instance,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    assert_non_null(create);
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(engine);
    CHECK(create(engine->instance, &info, NULL, &engine->messenger));
}

/* ---- Device ---- */

static bool choose_physical(struct engine *engine, const struct engine_options *options)
{
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    if (vkEnumeratePhysicalDevices(engine->instance, &count, devices) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        if (!options->nvidia || properties.vendorID == 0x10de) {
            engine->physical = devices[i];
            return true;
        }
    }
    return false;
}

/* The first with all of `with` and none of `without`; count: there is none. */
static uint32_t family_of(const VkQueueFamilyProperties *families, uint32_t count,
                          VkQueueFlags with, VkQueueFlags without)
{
    uint32_t i = 0;
    while (i < count &&
           ((families[i].queueFlags & with) != with || (families[i].queueFlags & without) != 0)) {
        i++;
    }
    return i;
}

static void choose_family(struct engine *engine, const struct engine_options *options)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(engine->physical, &count, families);
    engine->family = options->without_graphics
                         ? family_of(families, count, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT)
                         : count;
    if (engine->family == count) {
        engine->family = family_of(families, count, VK_QUEUE_GRAPHICS_BIT, 0);
    }
    assert_true(engine->family < count);
}

static bool has_device_extension(VkPhysicalDevice physical, const char *name)
{
    VkExtensionProperties found[512];
    uint32_t count = 512;
    bool has = false;
    assert_true(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, found) >= 0);
    for (uint32_t i = 0; i < count; i++) {
        has = has || strcmp(found[i].extensionName, name) == 0;
    }
    return has;
}

static void create_device(struct engine *engine, const struct engine_options *options)
{
    fovea_vk_requirements_init(&engine->needs);
    assert_ok(
        fovea_vk_query(engine->instance, engine->physical, vkGetInstanceProcAddr, &engine->needs));
    if (options->no_sharing) {
        engine->needs.device_extension_count = 0;
    }
    if (options->no_sharing || options->no_timeline) {
        engine->needs.timeline_semaphore = false;
    }
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceSynchronization2Features synchronization = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
        .pNext = engine->needs.timeline_semaphore ? &timeline : NULL,
        .synchronization2 = VK_TRUE};
    const char *names[FOVEA_VK_MAX_EXTENSIONS + 1] = {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME};
    const uint32_t count = engine->needs.device_extension_count;
    memcpy(names + 1, engine->needs.device_extensions, count * sizeof names[0]);
    /* Whoever makes the device in the loader's place counts what is asked for. */
    engine->has_synchronization2 =
        !options->get && has_device_extension(engine->physical, names[0]);
    const VkDeviceQueueCreateInfo queue = vulkan_queue_info(engine->family);
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = engine->has_synchronization2 ? &synchronization
                                                                     : synchronization.pNext,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = count + engine->has_synchronization2,
                               .ppEnabledExtensionNames = names + !engine->has_synchronization2};
    PFN_vkCreateDevice create =
        (PFN_vkCreateDevice)maker(options, engine->instance, "vkCreateDevice");
    CHECK(create(engine->physical, &info, NULL, &engine->device));
    vkGetDeviceQueue(engine->device, engine->family, 0, &engine->queue);
    vkGetPhysicalDeviceMemoryProperties(engine->physical, &engine->memory);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                    .queueFamilyIndex = engine->family};
    CHECK(vkCreateCommandPool(engine->device, &pool, NULL, &engine->pool));
}

bool engine_open(struct engine *engine, const struct engine_options *options)
{
    *engine = (struct engine){0};
    bool found = create_instance(engine, options) && choose_physical(engine, options);
    if (!found) {
        assert_that(!required(options->nvidia ? "FOVEA_REQUIRE_GPU" : "FOVEA_REQUIRE_VULKAN"),
                    "no %s device", options->nvidia ? "NVIDIA Vulkan" : "Vulkan");
        vkDestroyInstance(engine->instance, NULL);
        return false;
    }
    create_messenger(engine);
    choose_family(engine, options);
    create_device(engine, options);
    return true;
}

void engine_close(struct engine *engine)
{
    vkDestroyCommandPool(engine->device, engine->pool, NULL);
    vkDestroyDevice(engine->device, NULL); /* validation names what was leaked */
    engine_expect_silence(engine);
    if (engine->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                engine->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(engine->instance, engine->messenger, NULL);
    }
    vkDestroyInstance(engine->instance, NULL);
}

void engine_expect_silence(struct engine *engine)
{
    assert_that(engine->messages <= 0, "validation said %u things; first: %s", engine->messages,
                engine->first_message);
}

uint32_t engine_take_messages(struct engine *engine)
{
    uint32_t count = engine->messages;
    engine->messages = 0;
    return count;
}

static void print_log(void *user, enum fovea_log_level level, const char *message)
{
    if (getenv("FOVEA_TEST_VERBOSE")) {
        fprintf(stderr, "log %d: %s\n", level, message);
    }
}

struct fovea_vk_desc engine_fovea_desc(struct engine *engine, const struct fovea_settings *settings)
{
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    ENGINE_DESCRIBE(engine, &desc);
    desc.queue = engine->queue;
    desc.queue_family = engine->family;
    desc.device_extensions = engine->needs.device_extensions;
    desc.device_extension_count = engine->needs.device_extension_count;
    desc.timeline_semaphore = engine->needs.timeline_semaphore;
    desc.settings = settings;
    desc.log.fn = print_log;
    return desc;
}

/* ---- Images and buffers ---- */

uint32_t engine_pixel_bytes(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R32G32B32A32_SFLOAT:
        return 16;
    case VK_FORMAT_R16G16B16A16_SFLOAT:
        return 8;
    case VK_FORMAT_R16_SFLOAT:
        return 2;
    default:
        return 4;
    }
}

VkDeviceMemory engine_allocate(struct engine *engine, VkMemoryRequirements needs,
                               VkMemoryPropertyFlags flags)
{
    const uint32_t type = vulkan_memory_type(&engine->memory, needs.memoryTypeBits, flags);
    assert_true(type < engine->memory.memoryTypeCount);
    const VkMemoryAllocateInfo info = vulkan_memory_info(needs.size, type);
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(engine->device, &info, NULL, &memory));
    return memory;
}

struct engine_image engine_image_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                        uint32_t height_px)
{
    return engine_array_create(engine, format, width_px, height_px, 1);
}

struct engine_image engine_array_create(struct engine *engine, VkFormat format, uint32_t width_px,
                                        uint32_t height_px, uint32_t layer_count)
{
    struct engine_image image = {
        .format = format, .width_px = width_px, .height_px = height_px, .layer_count = layer_count};
    VkImageCreateInfo info =
        vulkan_image_info(format, width_px, height_px,
                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    info.arrayLayers = layer_count;
    CHECK(vkCreateImage(engine->device, &info, NULL, &image.image));
    engine_image_allocate(engine, &image);
    return image;
}

void engine_image_destroy(struct engine *engine, struct engine_image *image)
{
    for (uint32_t i = 0; i < ENGINE_SEEN_LAYERS; i++) {
        vkDestroyImageView(engine->device, image->raw_layers[i], NULL);
    }
    vkDestroyImage(engine->device, image->image, NULL);
    vkFreeMemory(engine->device, image->memory, NULL);
    *image = (struct engine_image){0};
}

struct engine_buffer engine_buffer_create(struct engine *engine, VkDeviceSize bytes)
{
    struct engine_buffer buffer = {.bytes = bytes};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = bytes,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    CHECK(vkCreateBuffer(engine->device, &info, NULL, &buffer.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(engine->device, buffer.buffer, &needs);
    buffer.memory = engine_allocate(
        engine, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(engine->device, buffer.buffer, buffer.memory, 0));
    void *mapped = NULL;
    CHECK(vkMapMemory(engine->device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    buffer.mapped = mapped;
    return buffer;
}

void engine_buffer_destroy(struct engine *engine, struct engine_buffer *buffer)
{
    vkDestroyBuffer(engine->device, buffer->buffer, NULL);
    vkFreeMemory(engine->device, buffer->memory, NULL);
    *buffer = (struct engine_buffer){0};
}

/* ---- Commands ---- */

void engine_record_barrier(VkCommandBuffer commands, VkImage image, VkImageLayout before,
                           VkImageLayout after)
{
    vulkan_record_layout(commands, image, VK_IMAGE_ASPECT_COLOR_BIT, before, after);
}

static VkBufferImageCopy whole_image(uint32_t width_px, uint32_t height_px, VkDeviceSize offset)
{
    return (VkBufferImageCopy){.bufferOffset = offset,
                               .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                               .imageExtent = {width_px, height_px, 1}};
}

/* Copies into the image, or out of it. */
static void record_copy(VkCommandBuffer commands, VkImage image, VkBuffer buffer, bool up,
                        VkBufferImageCopy region, VkImageLayout before, VkImageLayout after)
{
    const VkImageLayout during =
        up ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    engine_record_barrier(commands, image, before, during);
    if (up) {
        vkCmdCopyBufferToImage(commands, buffer, image, during, 1, &region);
    } else {
        vkCmdCopyImageToBuffer(commands, image, during, buffer, 1, &region);
    }
    engine_record_barrier(commands, image, during, after);
}

void engine_record_upload(VkCommandBuffer commands, VkImage image, uint32_t width_px,
                          uint32_t height_px, VkBuffer buffer, VkDeviceSize offset,
                          VkImageLayout before, VkImageLayout after)
{
    record_copy(commands, image, buffer, true, whole_image(width_px, height_px, offset), before,
                after);
}

void engine_record_download(VkCommandBuffer commands, VkImage image, uint32_t width_px,
                            uint32_t height_px, VkBuffer buffer, VkDeviceSize offset,
                            VkImageLayout before, VkImageLayout after)
{
    record_copy(commands, image, buffer, false, whole_image(width_px, height_px, offset), before,
                after);
}

VkCommandBuffer engine_begin(struct engine *engine)
{
    const VkCommandBufferAllocateInfo allocate_info = vulkan_commands_info(engine->pool, 1);
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(engine->device, &allocate_info, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    CHECK(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

void engine_submit(struct engine *engine, VkCommandBuffer commands, VkSemaphore wait,
                   VkSemaphore signal)
{
    CHECK(vkEndCommandBuffer(commands));
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .waitSemaphoreCount = wait ? 1 : 0,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stage,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &commands,
                         .signalSemaphoreCount = signal ? 1 : 0,
                         .pSignalSemaphores = &signal};
    CHECK(vkQueueSubmit(engine->queue, 1, &info, VK_NULL_HANDLE));
}

void engine_idle(struct engine *engine)
{
    CHECK(vkDeviceWaitIdle(engine->device));
    CHECK(vkResetCommandPool(engine->device, engine->pool, 0));
}

VkSemaphore engine_semaphore(struct engine *engine, VkSemaphoreType type)
{
    const VkSemaphoreTypeCreateInfo of_type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = type};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &of_type};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    assert_int_equal(vkCreateSemaphore(engine->device, &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
}

void engine_signal(struct engine *engine, VkSemaphore semaphore, uint64_t value)
{
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value};
    assert_int_equal(vkSignalSemaphore(engine->device, &info), VK_SUCCESS);
}

static VkBufferImageCopy all_layers(const struct engine_image *image)
{
    VkBufferImageCopy region = whole_image(image->width_px, image->height_px, 0);
    region.imageSubresource.layerCount = image->layer_count;
    return region;
}

static VkDeviceSize array_bytes(const struct engine_image *image)
{
    return (VkDeviceSize)image->width_px * image->height_px * image->layer_count *
           engine_pixel_bytes(image->format);
}

static void copy_array(struct engine *engine, const struct engine_image *image, bool up,
                       struct engine_buffer *buffer, VkImageLayout before, VkImageLayout after)
{
    VkCommandBuffer commands = engine_begin(engine);
    record_copy(commands, image->image, buffer->buffer, up, all_layers(image), before, after);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
}

void engine_write_array(struct engine *engine, const struct engine_image *image, const void *pixels,
                        VkImageLayout before, VkImageLayout after)
{
    struct engine_buffer buffer = engine_buffer_create(engine, array_bytes(image));
    memcpy(buffer.mapped, pixels, buffer.bytes);
    copy_array(engine, image, true, &buffer, before, after);
    engine_buffer_destroy(engine, &buffer);
}

void engine_read_array(struct engine *engine, const struct engine_image *image, void *pixels,
                       VkImageLayout before, VkImageLayout after)
{
    struct engine_buffer buffer = engine_buffer_create(engine, array_bytes(image));
    copy_array(engine, image, false, &buffer, before, after);
    memcpy(pixels, buffer.mapped, buffer.bytes);
    engine_buffer_destroy(engine, &buffer);
}

void engine_write(struct engine *engine, VkImage image, uint32_t width_px, uint32_t height_px,
                  VkFormat format, const void *pixels, VkImageLayout before, VkImageLayout after)
{
    const struct engine_image one = {.image = image,
                                     .format = format,
                                     .width_px = width_px,
                                     .height_px = height_px,
                                     .layer_count = 1};
    engine_write_array(engine, &one, pixels, before, after);
}

void engine_read(struct engine *engine, VkImage image, uint32_t width_px, uint32_t height_px,
                 VkFormat format, void *pixels, VkImageLayout before, VkImageLayout after)
{
    const struct engine_image one = {.image = image,
                                     .format = format,
                                     .width_px = width_px,
                                     .height_px = height_px,
                                     .layer_count = 1};
    engine_read_array(engine, &one, pixels, before, after);
}
