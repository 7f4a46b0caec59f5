/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The plugin's life in Unity's place (host.h): how the device is made, what is refused and said,
 * and when things go. */

#include "cmocka_all.h"
#include "rig.h"
#include "scene.h"

/* ---- The device ---- */

static bool device_has(const struct host *host, const char *name)
{
    for (uint32_t i = 0; i < host->extension_count; i++) {
        if (strcmp(host->extensions[i], name) == 0) {
            return true;
        }
    }
    return false;
}

TEST(the_device_gets_what_sharing_needs)
{
    for (int first_version = 0; first_version <= 1; first_version++) {
        OWNED(scene_host_close) struct host host;
        scene_host_open(&host, (struct host_options){.first_version = first_version != 0});
        struct fovea_vk_requirements needs;
        fovea_vk_requirements_init(&needs);
        assert_ok(fovea_vk_query_vulkan(host.engine.instance, host.engine.physical,
                                        vkGetInstanceProcAddr, &needs));
        assert_int_equal(host.extension_count, needs.device_extension_count);
        for (uint32_t i = 0; i < needs.device_extension_count; i++) {
            assert_true(device_has(&host, needs.device_extensions[i]));
        }
        assert_int_equal(host.timeline, needs.timeline_semaphore);
    }
}

static VKAPI_ATTR void VKAPI_CALL marker(void)
{
}

static const char *asked;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL other_plugin(VkInstance instance, const char *name)
{
    asked = name;
    return strcmp(name, "vkOfAnotherPlugin") == 0 ? (PFN_vkVoidFunction)marker : NULL;
}

TEST(other_names_are_the_next_ones_in_the_chain)
{
    OWNED(scene_host_close) struct host host;
    scene_host_open(&host, (struct host_options){0});
    PFN_vkGetInstanceProcAddr chain = host.intercept(other_plugin, NULL);
    assert_ptr_equal(chain(VK_NULL_HANDLE, "vkOfAnotherPlugin"), marker);
    assert_string_equal(asked, "vkOfAnotherPlugin");
    assert_null(chain(VK_NULL_HANDLE, "vkOfNobody"));
    assert_ptr_equal(chain(VK_NULL_HANDLE, "vkGetInstanceProcAddr"), chain);
    VkInstance instance = VK_NULL_HANDLE;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)chain(VK_NULL_HANDLE, "vkCreateInstance");
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    assert_int_equal(create(&info, NULL, &instance), VK_ERROR_INITIALIZATION_FAILED);
}

/* Extensions that Unity itself asks for stay, and nothing is asked for twice. */
TEST(what_unity_asks_for_stays)
{
    OWNED(scene_host_close) struct host host;
    scene_host_open(&host, (struct host_options){0});
    const uint32_t alone = host.extension_count;
    const char *const extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                      VK_KHR_MAINTENANCE1_EXTENSION_NAME};
    const bool known = device_has(&host, extensions[0]);
    VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    const VkDeviceQueueCreateInfo queue = vulkan_queue_info(host.engine.family);
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = known ? 2 : 0,
                                     .ppEnabledExtensionNames = extensions};
    PFN_vkCreateDevice create =
        (PFN_vkCreateDevice)host.chain(host.engine.instance, "vkCreateDevice");
    VkDevice device = VK_NULL_HANDLE;
    assert_int_equal(create(host.engine.physical, &info, NULL, &device), VK_SUCCESS);
    assert_int_equal(host.extension_count, known ? alone + 1 : alone);
    assert_false(host.timeline); /* Unity has said that it wants none */
    vkDestroyDevice(device, NULL);
}

/* One of Vulkan 1.0 would be no use to Fovea. */
TEST(an_instance_of_vulkan_1_0_becomes_one_of_1_1)
{
    static const uint32_t versions[][2] = {{0, VK_API_VERSION_1_1},
                                           {VK_API_VERSION_1_0, VK_API_VERSION_1_1},
                                           {VK_API_VERSION_1_2, VK_API_VERSION_1_2}};
    OWNED(scene_host_close) struct host host;
    scene_host_open(&host, (struct host_options){0});
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)host.chain(VK_NULL_HANDLE, "vkCreateInstance");
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                               .apiVersion = versions[i][0]};
        const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = i ? &application : NULL};
        VkInstance instance = VK_NULL_HANDLE;
        assert_int_equal(create(&info, NULL, &instance), VK_SUCCESS);
        assert_int_equal(host.api_version, versions[i][1]);
        vkDestroyInstance(instance, NULL);
    }
}

static struct watched {
    VkInstance gone, own;
    uint32_t asks_of_gone, asks_of_own;
} watched;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL watch(VkInstance instance, const char *name)
{
    if (instance && instance == watched.gone) {
        watched.asks_of_gone++;
        return NULL;
    }
    watched.asks_of_own += instance && instance == watched.own;
    return vkGetInstanceProcAddr(instance, name);
}

static VkPhysicalDevice physical_by(PFN_vkGetInstanceProcAddr get, VkInstance instance)
{
    VkPhysicalDevice devices[8] = {VK_NULL_HANDLE};
    uint32_t count = sizeof devices / sizeof devices[0];
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)get(instance, "vkEnumeratePhysicalDevices");
    assert_non_null(enumerate);
    assert_true(enumerate(instance, &count, devices) >= 0);
    return devices[0];
}

static VkInstance instance_by(PFN_vkGetInstanceProcAddr get)
{
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance = VK_NULL_HANDLE;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(VK_NULL_HANDLE, "vkCreateInstance");
    assert_int_equal(create(&info, NULL, &instance), VK_SUCCESS);
    return instance;
}

static void make_device(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                        VkPhysicalDevice physical)
{
    const VkDeviceQueueCreateInfo queue = vulkan_queue_info(0);
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    VkDevice device = VK_NULL_HANDLE;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get(instance, "vkCreateDevice");
    assert_int_equal(create(physical, &info, NULL, &device), VK_SUCCESS);
    vkDestroyDevice(device, NULL);
}

/* A program may make an instance to look at what there is, between its own and its device. */
TEST(a_device_is_asked_of_its_own_instance)
{
    OWNED(scene_host_close) struct host host;
    scene_host_open(&host, (struct host_options){0});
    for (int by_chain = 0; by_chain <= 1; by_chain++) {
        PFN_vkGetInstanceProcAddr chain = host.intercept(watch, NULL);
        const VkInstance own = instance_by(chain);
        const VkPhysicalDevice physical =
            physical_by(by_chain ? chain : vkGetInstanceProcAddr, own);
        const VkInstance other = instance_by(chain);
        physical_by(chain, other);
        vkDestroyInstance(other, NULL);
        watched = (struct watched){.gone = other, .own = own};
        make_device(chain, own, physical);
        assert_int_equal(watched.asks_of_gone, 0);
        assert_int_equal(watched.asks_of_own > 1, by_chain); /* for more than vkCreateDevice */
        watched = (struct watched){0};
        vkDestroyInstance(own, NULL);
    }
}

TEST(a_device_that_refuses_more_is_made_as_unity_asks)
{
    OWNED(scene_close) struct scene scene;
    scene_open(&scene, (struct host_options){.refuse_extensions = true});
    assert_int_equal(scene.host.extension_count, 0);
    assert_ok(scene.host.plugin.set("backend", "cuda", NULL, 0));
    assert_int_equal(scene.host.plugin.uses_queue(), 0);
    struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
    assert_true(scene_foveates(&scene, &block, false));
}

TEST(another_renderer_or_an_old_unity_is_named)
{
    OWNED(scene_host_close) struct host host;
    char last[512] = "";
    scene_host_open(&host, (struct host_options){0});
    host_shutdown(&host);
    host.renderer = (enum unity_renderer)17; /* OpenGL Core */
    host.device_event(UNITY_DEVICE_INITIALIZE);
    assert_int_equal(host_log(&host, FOVEA_LOG_WARNING, last, sizeof last), 1);
    assert_non_null(strstr(last, "-force-vulkan"));
    assert_int_equal(host.plugin.event_base(), -1);
    scene_host_close(&host);
    const struct host_options old = {.no_interfaces = true, .engine = rig_engine_options()};
    host_open(&host, &old);
    assert_int_equal(host_log(&host, FOVEA_LOG_ERROR, last, sizeof last), 1);
    assert_non_null(strstr(last, "IUnityGraphics"));
    assert_int_equal(host.plugin.event_base(), -1);
}

TEST(a_late_plugin_uses_compute_shaders_and_says_so_once)
{
    OWNED(scene_close) struct scene scene;
    char last[512] = "";
    scene_open(&scene, (struct host_options){.late = true});
    assert_int_equal(scene.host.extension_count, 0);
    assert_ok(scene.host.plugin.set("backend", "cuda", NULL, 0));
    assert_int_equal(scene.host.plugin.uses_queue(), 0);
    struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
    for (int i = 0; i < 3; i++) {
        assert_true(scene_foveates(&scene, &block, i == 2));
    }
    assert_int_equal(scene_warnings(&scene, last, sizeof last), 1);
    assert_non_null(strstr(last, "Load on startup"));
}

/* ---- Frames that cannot be ---- */

SCENE_TEST(without_texture_or_commands_the_frame_stays)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < 3; i++) {
            scene->host.deny_texture = true;
            assert_false(scene_foveates(scene, &block, way == 1));
        }
        assert_int_equal(scene_warnings(scene, NULL, 0), 1);
        scene->host.deny_texture = false;
        scene->host.deny_commands = true;
        for (int i = 0; i < 3; i++) {
            assert_false(scene_foveates(scene, &block, way == 1));
        }
        assert_int_equal(scene_warnings(scene, NULL, 0), 1);
        scene->host.deny_commands = false;
        assert_true(scene_foveates(scene, &block, way == 1));
        assert_int_equal(scene_warnings(scene, NULL, 0), 0);
    }
}

SCENE_TEST(wrong_blocks_are_refused)
{
    const struct fovea_unity_block right = host_block(&scene->texture, 0.1, 0.1);
    for (int i = 0; i < 6; i++) {
        struct fovea_unity_block block = right;
        block.struct_bytes = i == 0 ? FOVEA_UNITY_LEAST_BYTES - 1 : block.struct_bytes;
        block.version += i == 1 ? 1 : 0;
        block.camera = i == 2 ? 0 : block.camera;
        block.eyes = i == 3 ? 0 : i == 4 ? 3 : block.eyes;
        block.texture = i == 5 ? NULL : block.texture;
        assert_false(scene_foveates(scene, &block, false));
    }
    assert_int_equal(scene_warnings(scene, NULL, 0), 2); /* of the block, of the texture */
    host_frame_begin(&scene->host);
    host_event(&scene->host, FOVEA_UNITY_RECORD, NULL);
    host_frame_end(&scene->host);
    struct fovea_unity_block block = right;
    assert_true(scene_foveates(scene, &block, false));
}

static void expect_refusal(struct scene *scene, struct fovea_unity_block *block, const char *word)
{
    char last[512] = "";
    for (int i = 0; i < 3; i++) {
        assert_false(scene_foveates(scene, block, i == 2));
    }
    assert_true(scene_warnings(scene, last, sizeof last) >= 1);
    assert_that(strstr(last, word), "\"%s\" says nothing of \"%s\"", last, word);
}

SCENE_TEST(textures_that_cannot_be_foveated_are_named)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
    scene->texture.samples = VK_SAMPLE_COUNT_4_BIT;
    expect_refusal(scene, &block, "multisampled");
    scene->texture.samples = VK_SAMPLE_COUNT_1_BIT;
    scene->texture.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    block.camera = 2;
    expect_refusal(scene, &block, "TRANSFER_DST");
    scene->texture.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    block.camera = 3;
    block.eyes = 2;
    expect_refusal(scene, &block, "two eyes");
    block.camera = 4;
    block.eyes = 1;
    block.width_px = SCENE_WIDTH + 1;
    expect_refusal(scene, &block, "larger");
    struct host_texture other = host_texture_create(&scene->host, VK_FORMAT_R16_SFLOAT, 8, 8, 1);
    host_frame_begin(&scene->host);
    block = host_block(&other, 0.5, 0.5);
    block.camera = 5;
    other.layout = VK_IMAGE_LAYOUT_UNDEFINED;
    host_event(&scene->host, FOVEA_UNITY_RECORD, &block);
    host_frame_end(&scene->host);
    assert_int_equal(host_log(&scene->host, FOVEA_LOG_ERROR, NULL, 0), 1); /* the library's own */
    host_texture_destroy(&scene->host, &other);
}

SCENE_TEST(too_many_cameras_are_said_once)
{
    for (uint64_t camera = 1; camera <= 18; camera++) {
        struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
        block.camera = camera;
        assert_int_equal(scene_foveates(scene, &block, false), camera <= 16);
    }
    assert_int_equal(scene_warnings(scene, NULL, 0), 1);
}

SCENE_TEST(more_frames_than_are_kept_are_said_once)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
    assert_true(scene_foveates(scene, &block, false));
    host_frame_begin(&scene->host);
    for (int i = 0; i < 30; i++) {
        /* The adapter's, and the library's: no frame is finished yet. */
        assert_int_equal(scene_warnings(scene, NULL, 0), i == 17 ? 2 : 0);
        host_event(&scene->host, FOVEA_UNITY_RECORD, &block);
    }
    host_frame_end(&scene->host);
    for (int i = 0; i < HOST_SAFE_BEHIND + 1; i++) {
        scene_release(scene, 2); /* frames without this camera */
    }
    assert_true(scene_foveates(scene, &block, false));
}

/* ---- Settings ---- */

TEST(wrong_settings_are_named_and_change_nothing)
{
    OWNED(scene_close) struct scene scene;
    char error[512];
    char text[64];
    scene_open(&scene, (struct host_options){0});
    struct host_plugin *plugin = &scene.host.plugin;
    assert_ok(plugin->configure("{\"foveation\": {\"strength\": 2}}", error, sizeof error));
    static const struct {
        const char *json;
        const char *word;
    } wrong[] = {{"{\"foveation\": {\"strength\": 9}}", "JSON:1:28"},
                 {"{\"foveation\": {\"strenght\": 1}}", "strength"},
                 {"{\"foveation\": ", "JSON:1"},
                 {"", "JSON"},
                 {"{\"gaze\": {\"source\": \"scanpath\"}}", ""}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_true(plugin->configure(wrong[i].json, error, sizeof error) < 0);
        assert_that(error[0] && strstr(error, wrong[i].word), "%s: \"%s\" says nothing of %s",
                    wrong[i].json, error, wrong[i].word);
        assert_true(host_log(&scene.host, FOVEA_LOG_ERROR, NULL, 0) >= 1);
    }
    assert_true(plugin->configure_file("/no/such/file.json", error, sizeof error) < 0);
    assert_true(plugin->configure_file(NULL, error, sizeof error) < 0);
    assert_true(plugin->set("foveation.strength", "much", error, sizeof error) < 0);
    assert_non_null(strstr(error, "strength"));
    assert_true(plugin->set("backend", "cpu", error, 8) == FOVEA_OK);
    assert_ok(plugin->get("foveation.strength", text, sizeof text));
    assert_string_equal(text, "2");
    assert_true(plugin->get("no.such", text, sizeof text) < 0);
    assert_true(plugin->get("backend", text, 0) < 0);
}

TEST(the_log_keeps_the_newest)
{
    OWNED(scene_host_close) struct host host;
    char last[512] = "";
    scene_host_open(&host, (struct host_options){0});
    for (int i = 0; i < 100; i++) {
        assert_true(host.plugin.set("backend", i == 99 ? "last" : "wrong", NULL, 0) < 0);
    }
    assert_int_equal(host.plugin.log(NULL, 0), -1);
    assert_int_equal(host_log(&host, FOVEA_LOG_DEBUG, last, sizeof last), 64);
    assert_non_null(strstr(last, "last"));
}

/* ---- When things go ---- */

SCENE_TEST(a_cameras_things_go_when_its_frames_are_over)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
    assert_true(scene_foveates(scene, &block, false));
    const uint64_t last_frame = scene->host.number;
    const uint32_t before = scene->host.destroyed;
    scene_release(scene, 1);
    while (scene->host.safe < last_frame) {
        assert_int_equal(scene->host.destroyed, before);
        scene_release(scene, 1); /* of a camera that is gone already */
    }
    assert_true(scene->host.destroyed > before);
}

SCENE_TEST(a_camera_that_comes_no_more_is_forgotten)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
    assert_true(scene_foveates(scene, &block, false));
    const uint32_t before = scene->host.destroyed;
    scene->host.number += 700;
    scene_release(scene, 2);
    scene_release(scene, 2);
    assert_true(scene->host.destroyed > before);
}

SCENE_TEST(a_device_may_go_and_come_back)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
    for (int i = 0; i < 2; i++) {
        const int32_t base = scene->host.plugin.event_base();
        assert_true(scene_foveates(scene, &block, i == 1));
        host_shutdown(&scene->host);
        assert_int_equal(scene->host.plugin.event_base(), -1);
        host_initialize(&scene->host);
        assert_int_equal(scene->host.plugin.event_base(), base);
    }
    assert_true(scene_foveates(scene, &block, false));
    assert_int_equal(scene_warnings(scene, NULL, 0), 0);
}

/* One that was not made through the hooks may come to have the handle of one that was. */
TEST(a_handle_is_not_known_again_when_its_device_has_gone)
{
    OWNED(scene_close) struct scene scene;
    char last[512] = "";
    scene_open(&scene, (struct host_options){0});
    struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
    assert_ok(scene.host.plugin.set("backend", "cuda", NULL, 0));
    assert_int_equal(scene.host.plugin.uses_queue(), 1);
    host_shutdown(&scene.host);
    assert_int_equal(scene.host.plugin.uses_queue(), 0);
    host_initialize(&scene.host);
    assert_int_equal(scene.host.plugin.uses_queue(), 0);
    assert_true(scene_foveates(&scene, &block, false));
    assert_int_equal(scene_warnings(&scene, last, sizeof last), 1);
    assert_non_null(strstr(last, "not made for CUDA"));
}

/* Each host loads and unloads the plugin; it stays in the process, with nothing of the last one. */
TEST(a_plugin_may_be_loaded_again)
{
    for (int i = 0; i < 3; i++) {
        OWNED(scene_close) struct scene scene;
        char text[64];
        scene_open(&scene, (struct host_options){0});
        assert_ok(scene.host.plugin.get("foveation.strength", text, sizeof text));
        assert_string_equal(text, "1");
        assert_ok(scene.host.plugin.set("foveation.strength", "3", NULL, 0));
        struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
        assert_true(scene_foveates(&scene, &block, i == 1));
    }
}
