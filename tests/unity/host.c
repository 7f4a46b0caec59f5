/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "host.h"
#include "cmocka_all.h"
#include "named.h"

#include <dlfcn.h>

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)
#define FIRST_EVENT 700

static struct host *the_host; /* Unity's functions have no argument for it */

/* ---- Vulkan below the plugin's hooks ---- */

static VKAPI_ATTR VkResult VKAPI_CALL next_create_instance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkInstance *out_instance)
{
    the_host->api_version = info->pApplicationInfo ? info->pApplicationInfo->apiVersion : 0;
    return vkCreateInstance(info, allocator, out_instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL next_create_device(VkPhysicalDevice physical,
                                                         const VkDeviceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkDevice *out_device)
{
    struct host *host = the_host;
    if (host->refuse_extensions && info->enabledExtensionCount > 0) {
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    }
    assert_true(info->enabledExtensionCount <= HOST_EXTENSIONS);
    host->extension_count = info->enabledExtensionCount;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        snprintf(host->extensions[i], sizeof host->extensions[i], "%s",
                 info->ppEnabledExtensionNames[i]);
    }
    host->timeline = false;
    for (const VkBaseInStructure *link = info->pNext; link; link = link->pNext) {
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES) {
            assert_false(host->timeline);
            host->timeline = true;
        }
    }
    return vkCreateDevice(physical, info, allocator, out_device);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL next(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkCreateInstance") == 0) {
        return (PFN_vkVoidFunction)next_create_instance;
    }
    if (strcmp(name, "vkCreateDevice") == 0) {
        return (PFN_vkVoidFunction)next_create_device;
    }
    return vkGetInstanceProcAddr(instance, name);
}

/* ---- What the plugin calls of Vulkan: its objects end in events, or while the device goes ---- */

static void count_end(void)
{
    assert_false(the_host->down);
    assert_true(the_host->in_event || the_host->in_device_event);
    the_host->destroyed++;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *allocator)
{
    count_end();
    vkDestroyPipeline(device, pipeline, allocator);
}

static VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice device, VkImage image,
                                                const VkAllocationCallbacks *allocator)
{
    count_end();
    vkDestroyImage(device, image, allocator);
}

static VKAPI_ATTR void VKAPI_CALL destroy_view(VkDevice device, VkImageView view,
                                               const VkAllocationCallbacks *allocator)
{
    count_end();
    the_host->destroyed_views++;
    vkDestroyImageView(device, view, allocator);
}

static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice device, VkDescriptorPool pool,
                                               const VkAllocationCallbacks *allocator)
{
    count_end();
    vkDestroyDescriptorPool(device, pool, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device,
                                                      const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *out_memory)
{
    the_host->allocated++;
    if (the_host->memory_left > 0 && --the_host->memory_left == 0) {
        the_host->memory_left = 1;
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    return vkAllocateMemory(device, info, allocator, out_memory);
}

/* In a frame nothing is waited for: one could wait for ever for what Unity has not submitted. */
static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkDevice device)
{
    assert_false(the_host->in_event);
    if (the_host->on_wait) {
        the_host->on_wait(the_host);
    }
    return vkDeviceWaitIdle(device);
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count,
                                                   const VkSubmitInfo *submits, VkFence fence)
{
    assert_true(the_host->queue_is_theirs);
    return vkQueueSubmit(queue, count, submits, fence);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name)
{
    static const struct named_function watched[] = {
        {"vkDestroyPipeline", (PFN_vkVoidFunction)destroy_pipeline},
        {"vkDestroyImage", (PFN_vkVoidFunction)destroy_image},
        {"vkDestroyDescriptorPool", (PFN_vkVoidFunction)destroy_pool},
        {"vkAllocateMemory", (PFN_vkVoidFunction)allocate_memory},
        {"vkDeviceWaitIdle", (PFN_vkVoidFunction)wait_idle},
        {"vkQueueSubmit", (PFN_vkVoidFunction)queue_submit}};
    const PFN_vkVoidFunction found = NAMED(watched, name);
    return found ? found : vkGetDeviceProcAddr(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance,
                                                                  const char *name)
{
    if (strcmp(name, "vkDeviceWaitIdle") == 0) {
        return (PFN_vkVoidFunction)wait_idle;
    }
    if (strcmp(name, "vkDestroyImageView") == 0) {
        return (PFN_vkVoidFunction)destroy_view;
    }
    return strcmp(name, "vkGetDeviceProcAddr") == 0 ? (PFN_vkVoidFunction)device_function
                                                    : vkGetInstanceProcAddr(instance, name);
}

/* ---- IUnityGraphicsVulkan ---- */

static void not_used(void)
{
    fail_msg("the plugin calls a function of Unity's that it has no declaration of");
}

static bool add_intercept(unity_vulkan_init_fn callback, void *user, int32_t priority)
{
    assert_null(user);
    assert_true(priority < 0x7fffffff); /* that place is single, and others' */
    if (the_host->renderer != UNITY_RENDERER_NULL || the_host->engine.device) {
        return false;
    }
    the_host->intercept = callback;
    return true;
}

static bool intercept(unity_vulkan_init_fn callback, void *user)
{
    return add_intercept(callback, user, 0);
}

static bool remove_intercept(unity_vulkan_init_fn callback)
{
    const bool was = the_host->intercept == callback;
    the_host->intercept = NULL;
    return was;
}

static void configure_event(int event, const struct unity_event_config *config)
{
    struct host *host = the_host;
    assert_true(host->in_device_event);
    assert_in_range(event, FIRST_EVENT, FIRST_EVENT + host->reserved - 1);
    host->configs[event - FIRST_EVENT] = *config;
    host->configured[event - FIRST_EVENT] = true;
}

static struct unity_vulkan_instance vulkan_instance(void)
{
    const struct engine *engine = &the_host->engine;
    assert_int_equal(the_host->renderer, UNITY_RENDERER_VULKAN);
    return (struct unity_vulkan_instance){.instance = engine->instance,
                                          .physical_device = engine->physical,
                                          .device = engine->device,
                                          .graphics_queue = engine->queue,
                                          .get_instance_proc_addr = instance_function,
                                          .queue_family_index = engine->family};
}

/* Recorded commands stay in order; the plugin may use the former buffer no longer, which validation
 * sees. */
static void next_commands(struct host *host)
{
    const int64_t start_ns = fovea_time_ns();
    engine_submit(&host->engine, host->commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    host->submits++;
    host->commands = engine_begin(&host->engine);
    host->event_ns -= host->in_event ? fovea_time_ns() - start_ns : 0;
}

static bool recording_state(struct unity_vulkan_recording_state *out_state,
                            enum unity_queue_access queue_access)
{
    struct host *host = the_host;
    assert_true(host->in_event && !host->down);
    assert_int_equal(queue_access, UNITY_QUEUE_DONT_CARE);
    if (host->queue_is_theirs) {
        return false;
    }
    *out_state = (struct unity_vulkan_recording_state){
        .command_buffer = host->deny_commands ? VK_NULL_HANDLE : host->commands,
        .command_buffer_level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .sub_pass_index = -1,
        .current_frame_number = host->number,
        .safe_frame_number = host->safe};
    return true;
}

static void use(struct host *host, struct host_texture *texture, VkImageLayout layout,
                VkPipelineStageFlags stages, VkAccessFlags access)
{
    VkImageMemoryBarrier barrier =
        vulkan_layout_barrier(texture->image.image, texture->aspect, texture->layout, layout);
    barrier.srcAccessMask = texture->access;
    barrier.dstAccessMask = access;
    vkCmdPipelineBarrier(host->commands, texture->stages, stages, 0, 0, NULL, 0, NULL, 1, &barrier);
    texture->layout = layout;
    texture->stages = stages;
    texture->access = access;
}

static bool access_texture(void *native, const VkImageSubresource *subresource,
                           VkImageLayout layout, VkPipelineStageFlags stages, VkAccessFlags access,
                           enum unity_resource_access mode, struct unity_vulkan_image *out_image)
{
    struct host *host = the_host;
    struct host_texture *texture = native;
    assert_true(host->in_event && !host->down && !host->queue_is_theirs);
    assert_null(subresource);
    assert_int_equal(mode, UNITY_ACCESS_PIPELINE_BARRIER);
    if (host->deny_texture || host->deny_one == texture) {
        return false;
    }
    use(host, texture, layout, stages, access);
    next_commands(host);
    *out_image = (struct unity_vulkan_image){
        .memory.memory = texture->image.memory,
        .image = texture->image.image,
        .layout = layout,
        .aspect = texture->aspect,
        .usage = texture->usage,
        .format = texture->image.format,
        .extent = {texture->image.width_px, texture->image.height_px, 1},
        .type = VK_IMAGE_TYPE_2D,
        .samples = texture->samples,
        .layers = (int)texture->image.layer_count,
        .mip_count = 1};
    return true;
}

static struct unity_vulkan *second_version(void)
{
    static struct unity_vulkan all = {.intercept_initialization = intercept,
                                      .intercept_vulkan_api = not_used,
                                      .configure_event = configure_event,
                                      .instance = vulkan_instance,
                                      .command_recording_state = recording_state,
                                      .access_texture = access_texture,
                                      .access_render_buffer_texture = not_used,
                                      .access_render_buffer_resolve_texture = not_used,
                                      .access_buffer = not_used,
                                      .ensure_outside_render_pass = not_used,
                                      .ensure_inside_render_pass = not_used,
                                      .access_queue = not_used,
                                      .configure_swapchain = not_used,
                                      .access_texture_by_id = not_used,
                                      .add_intercept_initialization = add_intercept,
                                      .remove_intercept_initialization = remove_intercept};
    return &all;
}

/* Ends where it ends: AddressSanitizer watches over the slots of the second version. */
static void *first_version(void)
{
    static void *slots;
    const size_t bytes = offsetof(struct unity_vulkan, access_texture_by_id);
    if (!slots) {
        slots = test_memory(1, bytes);
        memcpy(slots, second_version(), bytes);
    }
    return slots;
}

/* ---- IUnityGraphics and IUnityInterfaces ---- */

static enum unity_renderer get_renderer(void)
{
    return the_host->renderer;
}

static void register_device_event(unity_device_event_fn callback)
{
    assert_null(the_host->device_event);
    the_host->device_event = callback;
}

static void unregister_device_event(unity_device_event_fn callback)
{
    assert_ptr_equal(the_host->device_event, callback);
    the_host->device_event = NULL;
}

static int reserve_events(int count)
{
    const int first = FIRST_EVENT + the_host->reserved;
    the_host->reserved += count;
    assert_true(the_host->reserved <= 64);
    return first;
}

static void *get_interface_split(unsigned long long high, unsigned long long low)
{
    static struct unity_graphics graphics = {get_renderer, register_device_event,
                                             unregister_device_event, reserve_events};
    if (the_host->options.no_interfaces) {
        return NULL;
    }
    if (high == UNITY_GRAPHICS_HIGH && low == UNITY_GRAPHICS_LOW) {
        return &graphics;
    }
    if (high == UNITY_VULKAN_HIGH && low == UNITY_VULKAN_LOW) {
        return first_version();
    }
    if (high == UNITY_VULKAN_V2_HIGH && low == UNITY_VULKAN_V2_LOW &&
        !the_host->options.first_version) {
        return second_version();
    }
    return NULL;
}

/* ---- The plugin's life ---- */

static void *function(struct host *host, const char *name)
{
    void *symbol = dlsym(host->plugin.library, name);
    assert_that(symbol, "the plugin does not show %s", name);
    return symbol;
}

static void find_functions(struct host *host)
{
    struct host_plugin *plugin = &host->plugin;
    plugin->library = dlopen("libGfxPluginFovea.so", RTLD_NOW | RTLD_LOCAL);
    assert_that(plugin->library, "%s", dlerror());
    const struct {
        void *pointer;
        const char *name;
    } wanted[] = {
        {&plugin->load, "UnityPluginLoad"},
        {&plugin->unload, "UnityPluginUnload"},
        {&plugin->event_function, "fovea_unity_event_function"},
        {&plugin->event_base, "fovea_unity_event_base"},
        {&plugin->uses_queue, "fovea_unity_uses_queue"},
        {&plugin->needs_depth, "fovea_unity_needs_depth"},
        {&plugin->configure, "fovea_unity_configure"},
        {&plugin->configure_file, "fovea_unity_configure_file"},
        {&plugin->set, "fovea_unity_set"},
        {&plugin->get, "fovea_unity_get"},
        {&plugin->log, "fovea_unity_log"},
        {&plugin->stats, "fovea_unity_get_stats"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void *symbol = function(host, wanted[i].name);
        memcpy(wanted[i].pointer, &symbol, sizeof symbol);
    }
}

static void send_device_event(struct host *host, enum unity_device_event event)
{
    host->in_device_event = true;
    if (host->device_event) {
        host->device_event(event);
    }
    host->in_device_event = false;
}

/* The editor says it twice, first without a renderer. */
void host_initialize(struct host *host)
{
    host->renderer = UNITY_RENDERER_NULL;
    send_device_event(host, UNITY_DEVICE_INITIALIZE);
    host->renderer = UNITY_RENDERER_VULKAN;
    host->down = false;
    send_device_event(host, UNITY_DEVICE_INITIALIZE);
    send_device_event(host, UNITY_DEVICE_INITIALIZE);
}

void host_shutdown(struct host *host)
{
    send_device_event(host, UNITY_DEVICE_SHUTDOWN);
    host->down = true;
}

static void load(struct host *host)
{
    static struct unity_interfaces interfaces = {.get_interface_split = get_interface_split};
    host->in_device_event = true;
    host->plugin.load(&interfaces);
    host->in_device_event = false;
}

static bool make_device(struct host *host)
{
    struct engine_options options = host->options.engine;
    options.no_sharing = true;
    options.get = host->chain;
    return engine_open(&host->engine, &options);
}

static void make_fences(struct host *host)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    for (int i = 0; i <= HOST_SAFE_BEHIND; i++) {
        CHECK(vkCreateFence(host->engine.device, &info, NULL, &host->frames[i].fence));
    }
}

bool host_open(struct host *host, const struct host_options *options)
{
    *host = (struct host){.options = *options,
                          .renderer = UNITY_RENDERER_NULL,
                          .chain = next,
                          .refuse_extensions = options->refuse_extensions};
    the_host = host;
    find_functions(host);
    (void)host_log(host, FOVEA_LOG_DEBUG, NULL, 0); /* of the host before it */
    if (options->late) {
        if (!make_device(host)) {
            return false;
        }
        host->renderer = UNITY_RENDERER_VULKAN;
        load(host);
    } else {
        load(host);
        host->chain = host->intercept ? host->intercept(next, NULL) : next;
        if (!make_device(host)) {
            host->plugin.unload();
            return false;
        }
        host_initialize(host);
    }
    make_fences(host);
    return true;
}

static void free_frame(struct host *host, struct host_frame *frame)
{
    for (uint32_t i = 0; i < frame->staging_count; i++) {
        engine_buffer_destroy(&host->engine, &frame->staging[i]);
    }
    frame->staging_count = 0;
    frame->submitted = false;
}

void host_close(struct host *host)
{
    engine_idle(&host->engine);
    if (!host->down) {
        host_shutdown(host);
    }
    host->in_device_event = true;
    host->plugin.unload();
    assert_null(host->device_event);
    assert_null(host->options.first_version ? NULL : host->intercept);
    dlclose(host->plugin.library);
    for (int i = 0; i <= HOST_SAFE_BEHIND; i++) {
        free_frame(host, &host->frames[i]);
        vkDestroyFence(host->engine.device, host->frames[i].fence, NULL);
    }
    engine_close(&host->engine);
    the_host = NULL;
}

/* ---- Textures ---- */

struct host_texture host_texture_create(struct host *host, VkFormat format, uint32_t width_px,
                                        uint32_t height_px, uint32_t layers)
{
    return (struct host_texture){
        .image = engine_array_create(&host->engine, format, width_px, height_px, layers),
        .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .layout = VK_IMAGE_LAYOUT_UNDEFINED,
        .stages = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT};
}

static void make_depths(struct host *host, struct engine_image *image, VkImageUsageFlags usage)
{
    VkImageCreateInfo info =
        vulkan_image_info(image->format, image->width_px, image->height_px, usage);
    info.arrayLayers = image->layer_count;
    CHECK(vkCreateImage(host->engine.device, &info, NULL, &image->image));
    engine_image_allocate(&host->engine, image);
}

static void upload_depths(struct host *host, struct host_texture *texture, const float *values)
{
    const struct engine_image *image = &texture->image;
    const VkBufferImageCopy region = {
        .imageSubresource = {texture->aspect, 0, 0, image->layer_count},
        .imageExtent = {image->width_px, image->height_px, 1}};
    const size_t bytes = (size_t)4 * image->width_px * image->height_px * image->layer_count;
    struct engine_buffer buffer = engine_buffer_create(&host->engine, bytes);
    memcpy(buffer.mapped, values, bytes);
    host->commands = engine_begin(&host->engine);
    use(host, texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_TRANSFER_WRITE_BIT);
    vkCmdCopyBufferToImage(host->commands, buffer.buffer, image->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    use(host, texture, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    engine_submit(&host->engine, host->commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(&host->engine);
    engine_buffer_destroy(&host->engine, &buffer);
}

struct host_texture host_depths_create(struct host *host, VkFormat format, uint32_t width_px,
                                       uint32_t height_px, uint32_t layers, const float *values)
{
    const bool color = format == VK_FORMAT_R32_SFLOAT;
    struct host_texture texture = {
        .image = {.format = format,
                  .width_px = width_px,
                  .height_px = height_px,
                  .layer_count = layers},
        .aspect = color ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT,
        .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                 (color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                        : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .layout = VK_IMAGE_LAYOUT_UNDEFINED,
        .stages = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT};
    make_depths(host, &texture.image, texture.usage);
    upload_depths(host, &texture, values);
    return texture;
}

void host_texture_destroy(struct host *host, struct host_texture *texture)
{
    engine_idle(&host->engine);
    engine_image_destroy(&host->engine, &texture->image);
}

void host_texture_resize(struct host *host, struct host_texture *texture, uint32_t width_px,
                         uint32_t height_px)
{
    const struct engine_image old = texture->image;
    host_texture_destroy(host, texture);
    *texture = host_texture_create(host, old.format, width_px, height_px, old.layer_count);
}

void host_read(struct host *host, struct host_texture *texture, const struct fovea_image *out)
{
    engine_idle(&host->engine);
    engine_read_array(&host->engine, &texture->image, out->data, texture->layout, texture->layout);
}

/* ---- Frames ---- */

static struct host_frame *frame_of(struct host *host, uint64_t number)
{
    return &host->frames[number % (HOST_SAFE_BEHIND + 1)];
}

void host_frame_begin(struct host *host)
{
    host->number++;
    host->safe = host->number > HOST_SAFE_BEHIND + 1 ? host->number - HOST_SAFE_BEHIND - 1 : 0;
    struct host_frame *frame = frame_of(host, host->number);
    if (frame->submitted) {
        CHECK(vkWaitForFences(host->engine.device, 1, &frame->fence, VK_TRUE, UINT64_MAX));
        CHECK(vkResetFences(host->engine.device, 1, &frame->fence));
        free_frame(host, frame);
    }
    host->commands = engine_begin(&host->engine);
}

void host_frame_end(struct host *host)
{
    struct host_frame *frame = frame_of(host, host->number);
    CHECK(vkEndCommandBuffer(host->commands));
    const VkSubmitInfo submit = vulkan_submit_info(&host->commands);
    CHECK(vkQueueSubmit(host->engine.queue, 1, &submit, frame->fence));
    frame->submitted = true;
}

void host_draw(struct host *host, struct host_texture *texture, const struct fovea_image *pixels)
{
    struct host_frame *frame = frame_of(host, host->number);
    const struct engine_image *image = &texture->image;
    const size_t bytes =
        (size_t)pixels->width_px * pixels->height_px * engine_pixel_bytes(image->format);
    assert_true(frame->staging_count < HOST_STAGING);
    assert_int_equal(pixels->height_px, image->height_px * image->layer_count);
    struct engine_buffer *buffer = &frame->staging[frame->staging_count++];
    *buffer = engine_buffer_create(&host->engine, bytes);
    memcpy(buffer->mapped, pixels->data, bytes);
    const VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layer_count},
        .imageExtent = {image->width_px, image->height_px, 1}};
    use(host, texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_TRANSFER_WRITE_BIT);
    vkCmdCopyBufferToImage(host->commands, buffer->buffer, image->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    use(host, texture, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_TRANSFER_READ_BIT);
}

/* Unity does this before an event, by its configuration. */
void host_event(struct host *host, enum fovea_unity_event event, struct fovea_unity_block *block)
{
    void *pointer = host->plugin.event_function();
    unity_event_and_data_fn call = NULL;
    memcpy(&call, &pointer, sizeof call);
    const int number = host->plugin.event_base() + (int)event;
    assert_in_range(number, FIRST_EVENT, FIRST_EVENT + 63);
    const struct unity_event_config *config = &host->configs[number - FIRST_EVENT];
    assert_true(host->configured[number - FIRST_EVENT]);
    assert_int_equal(config->render_pass_precondition, UNITY_RENDER_PASS_ENSURE_OUTSIDE);
    host->queue_is_theirs = config->graphics_queue_access == UNITY_QUEUE_ALLOW;
    if (host->queue_is_theirs) {
        assert_true(config->flags & UNITY_EVENT_FLUSH_COMMAND_BUFFERS);
        assert_true(config->flags & UNITY_EVENT_ENSURE_PREVIOUS_FRAME_SUBMISSION);
        next_commands(host);
    } else {
        assert_true(config->flags & UNITY_EVENT_MODIFIES_COMMAND_BUFFERS_STATE);
    }
    host->in_event = true;
    const int64_t start_ns = fovea_time_ns();
    call(number, block);
    host->event_ns += fovea_time_ns() - start_ns;
    host->in_event = false;
    host->queue_is_theirs = false;
}

struct fovea_unity_block host_block(struct host_texture *texture, double x_uv, double y_uv)
{
    struct fovea_unity_block block = {.struct_bytes = sizeof block,
                                      .version = FOVEA_UNITY_VERSION,
                                      .camera = 1,
                                      .texture = texture,
                                      .eyes = 1};
    block.eye[0] = (struct fovea_unity_eye){.x_uv = x_uv, .y_uv = y_uv, .usable = 1};
    return block;
}

void host_frame(struct host *host, struct host_texture *texture, const struct fovea_image *pixels,
                struct fovea_unity_block *block, bool by_queue)
{
    host_frame_begin(host);
    host_draw(host, texture, pixels);
    if (by_queue) {
        host_event(host, FOVEA_UNITY_BEGIN, block);
        host_event(host, FOVEA_UNITY_QUEUE, block);
        host_event(host, FOVEA_UNITY_END, block);
    } else {
        host_event(host, FOVEA_UNITY_RECORD, block);
    }
    host_frame_end(host);
}

int host_log(struct host *host, enum fovea_log_level level, char *out_last, int bytes)
{
    char text[512];
    int count = 0;
    for (int32_t is = 0; (is = host->plugin.log(text, sizeof text)) >= 0;) {
        if (getenv("FOVEA_TEST_VERBOSE")) {
            fprintf(stderr, "unity log %d: %s\n", is, text);
        }
        if (is >= (int32_t)level) {
            count++;
            if (out_last) {
                snprintf(out_last, (size_t)bytes, "%s", text);
            }
        }
    }
    return count;
}
