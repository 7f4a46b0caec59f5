/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Who asks CUDA: a query that wants to know of it, and contexts whose backend may be cuda; nobody
 * else opens its driver. The device pretends that it can share semaphores, where that alone keeps
 * CUDA away; libcuda.so.1 is one that keeps books (gpu/fake_cuda.c). The argument is "vulkan" or
 * "cpu". */

#include "cmocka_all.h"
#include "rig.h"

#include <dlfcn.h>

static VKAPI_ATTR VkResult VKAPI_CALL sharing_extensions(VkPhysicalDevice physical,
                                                         const char *layer, uint32_t *count,
                                                         VkExtensionProperties *out)
{
    const uint32_t room = *count;
    if (!out) {
        const VkResult result = vkEnumerateDeviceExtensionProperties(physical, layer, count, NULL);
        *count += 2;
        return result;
    }
    const VkResult result = vkEnumerateDeviceExtensionProperties(physical, layer, count, out);
    assert_true(*count + 2 <= room);
    strcpy(out[(*count)++].extensionName, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    strcpy(out[(*count)++].extensionName, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
    return result;
}

static PFN_vkVoidFunction VKAPI_CALL sharing_instance(VkInstance instance, const char *name)
{
    return strcmp(name, "vkEnumerateDeviceExtensionProperties") == 0
               ? (PFN_vkVoidFunction)sharing_extensions
               : vkGetInstanceProcAddr(instance, name);
}

static bool cuda_is_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        dlclose(library);
    }
    return library != NULL;
}

static void open_quietly(struct engine *engine)
{
    const struct engine_options options = {.host_signals = true};
    assert_true(engine_open(engine, &options));
}

TEST(a_query_of_vulkan_alone_opens_no_cuda)
{
    OWNED(rig_close) struct rig rig = {.settings = rig_settings()};
    struct engine *engine = &rig.engine;
    open_quietly(engine);
    if (cuda_is_open()) {
        engine_close(engine);
        skip(); /* the device itself can share, and the engine of the tests has asked */
    }
    struct fovea_vk_requirements needs, all;
    fovea_vk_requirements_init(&needs);
    fovea_vk_requirements_init(&all);
    assert_ok(fovea_vk_query_vulkan(engine->instance, engine->physical, sharing_instance, &needs));
    assert_false(needs.cuda);
    assert_false(cuda_is_open());
    const struct fovea_vk_desc desc = engine_fovea_desc(engine, &rig.settings);
    assert_ok(fovea_vk_create(&desc, &rig.fovea));
    assert_false(cuda_is_open());
    fovea_vk_destroy(&rig.fovea);
    /* With everything else the same; and this test would notice. */
    assert_ok(fovea_vk_query(engine->instance, engine->physical, sharing_instance, &all));
    assert_int_equal(cuda_is_open(), FOVEA_HAVE_CUDA);
    assert_true(needs.device_extension_count >= 2);
    assert_int_equal(needs.device_extension_count, all.device_extension_count);
    for (uint32_t i = 0; i < all.device_extension_count; i++) {
        assert_string_equal(needs.device_extensions[i], all.device_extensions[i]);
    }
    assert_int_equal(needs.timeline_semaphore, all.timeline_semaphore);
}

TEST(nothing_to_ask_is_refused)
{
    struct engine engine;
    struct fovea_vk_requirements needs = {.struct_bytes = sizeof needs};
    open_quietly(&engine);
    assert_int_equal(fovea_vk_query_vulkan(NULL, engine.physical, vkGetInstanceProcAddr, &needs),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_query_vulkan(engine.instance, engine.physical, NULL, &needs),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        fovea_vk_query_vulkan(engine.instance, engine.physical, vkGetInstanceProcAddr, NULL),
        FOVEA_ERROR_INVALID_ARGUMENT);
    engine_close(&engine);
}
