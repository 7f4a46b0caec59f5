/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* malloc and calloc of Fovea's own code fail, one call after the other. */

#include "cmocka_all.h"
#include "rig.h"

static int countdown = -1;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

static bool fails_now(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails_now() ? NULL : __real_calloc(count, bytes);
}

/* Creation, an image, and what the first frame of a size needs. */
static enum fovea_result all_that_allocates(struct rig *rig)
{
    struct fovea_vk_desc desc = engine_fovea_desc(&rig->engine, &rig->settings);
    enum fovea_result result = fovea_vk_create(&desc, &rig->fovea);
    if (result < 0) {
        return result;
    }
    struct fovea_vk_image_desc image_desc = {
        .struct_bytes = sizeof image_desc, VK_FORMAT_R8G8B8A8_UNORM, 20, 10, 0};
    struct fovea_vk_image *image = NULL;
    result = fovea_vk_image_create(rig->fovea, &image_desc, &image);
    if (result == FOVEA_OK) {
        struct fovea_vk_frame_target end = {.layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                            .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                            .made = image,
                                            .queue_family = VK_QUEUE_FAMILY_IGNORED};
        VkImageLayout layout;
        assert_ok(fovea_vk_image_acquire(image, &layout));
        VkCommandBuffer commands = engine_begin(&rig->engine);
        engine_record_barrier(commands, fovea_vk_image_handle(image), layout, end.layout_before);
        engine_submit(&rig->engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
        struct fovea_vk_frame frame = {
            .struct_bytes = sizeof frame, .src = end, .dst = end, .gaze = rig_gaze(0.5, 0.5)};
        result = fovea_vk_foveate(rig->fovea, &frame);
    }
    engine_idle(&rig->engine);
    fovea_vk_destroy(&rig->fovea);
    return result;
}

static void no_allocation_that_fails_does_harm(void **state)
{
    struct rig rig = {.settings = rig_settings()};
    struct engine_options options = {.host_signals = true};
    assert_true(engine_open(&rig.engine, &options));
    int calls = 0;
    bool failed = true;
    for (; failed; calls++) {
        assert_true(calls < 200);
        countdown = calls;
        enum fovea_result result = all_that_allocates(&rig);
        failed = countdown < 0;
        countdown = -1;
        assert_true(result == FOVEA_ERROR_OUT_OF_MEMORY || result == FOVEA_PASSED_THROUGH ||
                    !failed);
        assert_true(failed || result == FOVEA_OK);
    }
    assert_true(calls > 4);
    engine_close(&rig.engine);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_that_fails_does_harm)};
    return RIG_RUN(argc, argv, tests);
}
