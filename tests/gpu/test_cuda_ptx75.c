/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The library with PTX of 7.5 alone, on whatever card there is. Pictures that would be made by
 * tensor cores are made without, within the same bounds, and the primary context, which is the
 * program's too, stays usable. */

#include "cuda_scene.h"

static const enum fovea_light lights[] = {FOVEA_LIGHT_LINEAR, FOVEA_LIGHT_ENCODED};

/* A program uses CUDA of its own in this way. */
static void assert_context_usable(void)
{
    const struct cuda_driver *cu = fixture.cu;
    unsigned char bytes[256] = {0};
    CUdeviceptr memory = 0;
    CUcontext context = NULL;
    CU_ASSERT(cu->StreamSynchronize(fixture.stream));
    CU_ASSERT(cu->DevicePrimaryCtxRetain(&context, fixture.device->handle));
    CU_ASSERT(cu->CtxPushCurrent(context));
    CU_ASSERT(cu->MemAlloc(&memory, sizeof bytes));
    CU_ASSERT(cu->MemsetD8(memory, 0x5a, sizeof bytes));
    CU_ASSERT(cu->MemcpyDtoH(bytes, memory, sizeof bytes));
    CU_ASSERT(cu->MemFree(memory));
    CU_ASSERT(cu->CtxPopCurrent(&context));
    CU_ASSERT(cu->DevicePrimaryCtxRelease(fixture.device->handle));
    for (size_t i = 0; i < sizeof bytes; i++) {
        assert_int_equal(bytes[i], 0x5a);
    }
}

TEST(no_kernel_of_tensor_cores_is_loaded)
{
    const struct gauss_cuda *foveate = gauss_cuda_of(fixture.foveate);
    int architecture = 0;
    assert_ok(cuda_device_architecture_of(
        fixture.device, foveate->nodes.level_1.linear[FOVEA_FORMAT_RGBA8], &architecture));
    assert_int_equal(architecture, 75);
    assert_null(foveate->tiles.light.surface[FOVEA_FORMAT_RGBA8]);
    assert_null(foveate->tiles.picture.linear[FOVEA_FORMAT_RGBA16F]);
}

TEST(small_pictures_are_right)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB8, FOVEA_FORMAT_RGBA8,
                                                FOVEA_FORMAT_R8};
    static const uint32_t sizes[] = {128, 117};
    for (size_t i = 0; i < COUNT(formats); i++) {
        for (size_t k = 0; k < COUNT(lights); k++) {
            for (size_t s = 0; s < COUNT(sizes); s++) {
                struct scene scene = scene_smooth();
                scene.format = formats[i];
                scene.width_px = scene.height_px = sizes[s];
                scene.foveation.light = lights[k];
                scene_assert(&scene);
            }
        }
    }
    assert_context_usable();
}

TEST(what_would_go_in_tiles_is_right)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_RGB8,
                                                FOVEA_FORMAT_A2B10G10R10, FOVEA_FORMAT_RGBA16F};
    for (size_t i = 0; i < COUNT(formats); i++) {
        for (size_t k = 0; k < COUNT(lights); k++) {
            struct scene scene = scene_smooth();
            scene.way = SCENE_IN_TILES;
            scene.width_px = 401;
            scene.height_px = 273;
            scene.format = formats[i];
            scene.foveation.light = lights[k];
            scene.pattern = i % 2 ? IMAGE_CHECKER : IMAGE_RANDOM;
            scene_assert(&scene);
        }
    }
    assert_context_usable();
}

TEST(blocks_are_right)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_RGB8,
                                                FOVEA_FORMAT_R8};
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct scene scene = scene_default();
        scene.format = formats[i];
        scene_assert(&scene);
        scene.foveation.paper.fragment_px = 64;
        scene_assert(&scene);
    }
    assert_context_usable();
}
