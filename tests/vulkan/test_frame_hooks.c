/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program hands these over for Fovea to use: memory for Vulkan's objects, and a cache of
 * pipelines. */
#include "cmocka_all.h"
#include "rig.h"

#include <stdatomic.h>

/* Blocks that are out, whoever frees them. */
static atomic_long blocks;
static atomic_long blocks_ever;

/* The size lies before the block, for a realloc that keeps the alignment. */
#define HEAD_BYTES 256

static void *VKAPI_CALL take(void *user, size_t size, size_t alignment,
                             VkSystemAllocationScope scope)
{
    assert_ptr_equal(user, &blocks);
    assert_in_range(alignment, 1, HEAD_BYTES);
    char *base = aligned_alloc(HEAD_BYTES, (size + 2 * HEAD_BYTES - 1) / HEAD_BYTES * HEAD_BYTES);
    if (!base) {
        return NULL;
    }
    memcpy(base, &size, sizeof size);
    atomic_fetch_add(&blocks, 1);
    atomic_fetch_add(&blocks_ever, 1);
    return base + HEAD_BYTES;
}

static void VKAPI_CALL give_back(void *user, void *block)
{
    assert_ptr_equal(user, &blocks);
    if (block) {
        atomic_fetch_sub(&blocks, 1);
        free((char *)block - HEAD_BYTES);
    }
}

static void *VKAPI_CALL take_anew(void *user, void *old, size_t size, size_t alignment,
                                  VkSystemAllocationScope scope)
{
    size_t old_size = 0;
    void *block = size > 0 ? take(user, size, alignment, scope) : NULL;
    if (old && block) {
        memcpy(&old_size, (char *)old - HEAD_BYTES, sizeof old_size);
        memcpy(block, old, old_size < size ? old_size : size);
    }
    if (old && (block || size == 0)) {
        give_back(user, old);
    }
    return block;
}

static VkPipelineCache make_cache(const struct engine *engine)
{
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    assert_int_equal(vkCreatePipelineCache(engine->device, &info, NULL, &cache), VK_SUCCESS);
    return cache;
}

static void objects_are_made_and_freed_by_the_programs_allocator(void **state)
{
    RIG(rig, NULL);
    fovea_vk_destroy(&rig.fovea);
    const VkAllocationCallbacks callbacks = {.pUserData = &blocks,
                                             .pfnAllocation = take,
                                             .pfnReallocation = take_anew,
                                             .pfnFree = give_back};
    VkAllocationCallbacks given = callbacks;
    struct fovea_vk_desc desc = engine_fovea_desc(&rig.engine, &rig.settings);
    desc.allocator = &given;
    desc.pipeline_cache = make_cache(&rig.engine);
    assert_ok(fovea_vk_create(&desc, &rig.fovea));
    given = (VkAllocationCallbacks){0}; /* it was copied */
    OWNED_IMAGE src = image_drawn(64, 48, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 3);
    OWNED_IMAGE dst = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    for (enum rig_path path = 0; path < RIG_PATH_COUNT; path++) {
        assert_ok(rig_frame(&rig, path, VK_FORMAT_R8G8B8A8_UNORM, &src.view, rig_gaze(0.3, 0.6),
                            &dst.view));
    }
    assert_in_range(atomic_load(&blocks_ever), 1, 1000000);
    const VkPipelineCache cache = desc.pipeline_cache;
    VkDevice device = rig.engine.device;
    engine_idle(&rig.engine);
    fovea_vk_destroy(&rig.fovea);
    assert_int_equal(atomic_load(&blocks), 0);
    vkDestroyPipelineCache(device, cache, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_made_and_freed_by_the_programs_allocator),
    };
    return rig_run(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
