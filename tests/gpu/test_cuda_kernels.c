/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every kernel once or twice, at odd sizes: what compute-sanitizer runs, under which the tests of
 * all cases would take hours. Each result is compared as there. */

#include "compare.h"
#include "cuda_scene.h"
#include "kernels/gaze/late_cuda.h"

static const enum fovea_light lights[] = {FOVEA_LIGHT_ENCODED, FOVEA_LIGHT_LINEAR};

/* ---- Pictures, in buffers and through surfaces ----------------------------------------------- */

TEST(blockwise_in_every_format)
{
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        for (size_t k = 0; k < COUNT(lights); k++) {
            struct scene scene = scene_default();
            scene.format = (enum fovea_format)format;
            scene.foveation.light = lights[k];
            scene_assert(&scene);
        }
    }
}

/* Fragments smaller than a warp's share of a product, as large, larger, and what no product is made
 * for. */
TEST(blockwise_in_every_size_of_fragment)
{
    static const uint32_t sides_px[] = {5, 8, 23, 32, 64};
    for (size_t i = 0; i < COUNT(sides_px); i++) {
        struct scene scene = scene_default();
        scene.width_px = i % 2 ? 300 : 203;
        scene.foveation.paper.fragment_px = sides_px[i];
        scene.gaze = (struct fovea_point_uv){0.41, 0.58};
        scene_assert(&scene);
    }
}

/* A law that is too steep for tiles: by nodes, floats by the pixel. */
TEST(smooth_of_steep_laws_in_every_format)
{
    const size_t step = fixture.quick ? COUNT(lights) : 1; /* one of the lights, by turns */
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        for (size_t k = (size_t)format % step; k < COUNT(lights); k += step) {
            struct scene scene = scene_smooth();
            scene.format = (enum fovea_format)format;
            scene.foveation.light = lights[k];
            scene.foveation.strength = 3.0;
            scene.way = SCENE_BY_NODES;
            scene_assert(&scene);
        }
    }
}

/* Sharp, narrow, near and far tiles, of every level that a picture of this size has: its law is
 * steep. */
TEST(smooth_in_tiles_in_every_format)
{
    const size_t step = fixture.quick ? COUNT(lights) : 1; /* one of the lights, by turns */
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_RGBA16F; format++) {
        for (size_t k = (size_t)format % step; k < COUNT(lights); k += step) {
            struct scene scene = scene_smooth();
            scene.width_px = 1031;
            scene.height_px = 133;
            scene.gaze = (struct fovea_point_uv){0.1, 0.4};
            scene.format = (enum fovea_format)format;
            scene.foveation.light = lights[k];
            scene.no_reference = true;
            scene.way = SCENE_IN_TILES;
            scene_assert(&scene);
        }
    }
}

TEST(whole_pictures_in_every_format)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_RGB8,
                                                FOVEA_FORMAT_R8};
    for (size_t i = 0; i < COUNT(formats); i++) {
        for (size_t k = 0; k < COUNT(lights); k++) {
            struct scene scene = scene_smooth();
            scene.width_px = k ? 127 : 122;
            scene.height_px = k ? 121 : 119;
            scene.format = formats[i];
            scene.foveation.light = lights[k];
            scene.way = SCENE_BY_BLOCKS;
            scene_assert(&scene);
        }
    }
}

/* ---- Gazes in the device's memory ------------------------------------------------------------ */

#define BATCH_COUNT 3
#define BATCH_WIDTH_PX 91
#define BATCH_HEIGHT_PX 67

static struct fovea_context *make_context(void)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    settings.foveation.method = FOVEA_METHOD_SMOOTH;
    return cuda_fixture_context(&settings);
}

/* One of the pictures that lie below each other in a tall one. */
static struct fovea_image picture_of(const struct device_image *tall, uint32_t index)
{
    struct fovea_image image = tall->view;
    image.height_px = BATCH_HEIGHT_PX;
    image.data = (char *)image.data + (ptrdiff_t)index * BATCH_HEIGHT_PX * image.row_stride_bytes;
    image.memory = FOVEA_MEMORY_CUDA;
    return image;
}

static void run_one_by_one(struct fovea_context *context, const struct device_image *src,
                           const struct device_image *dst, const float *gazes_uv)
{
    for (uint32_t i = 0; i < BATCH_COUNT; i++) {
        const struct fovea_image from = picture_of(src, i);
        const struct fovea_image to = picture_of(dst, i);
        const struct fovea_point_uv gaze = {(double)gazes_uv[2 * (size_t)i],
                                            (double)gazes_uv[2 * (size_t)i + 1]};
        assert_ok(fovea_context_run(context, &from, &to, gaze, fixture.stream));
    }
}

static void run_batch(struct fovea_context *context, const struct device_image *src,
                      const struct device_image *dst, const float *gazes_uv,
                      enum fovea_memory memory)
{
    const ptrdiff_t next_bytes = BATCH_HEIGHT_PX * src->view.row_stride_bytes;
    const struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                      .count = BATCH_COUNT,
                                      .src = picture_of(src, 0),
                                      .dst = picture_of(dst, 0),
                                      .src_next_bytes = next_bytes,
                                      .dst_next_bytes = next_bytes,
                                      .gazes_uv = gazes_uv,
                                      .gazes_memory = memory};
    assert_ok(fovea_context_run_batch(context, &batch, fixture.stream));
}

TEST(batches_with_gazes_in_either_memory)
{
    static const float gazes_uv[2 * BATCH_COUNT] = {0.2f, 0.3f, 0.5f, 0.5f, 0.9f, 0.1f};
    OWNED(fovea_context_destroy) struct fovea_context *context = make_context();
    struct test_image hosts[4];
    struct device_image images[4]; /* the source, one by one, gazes on the host, on the device */
    for (size_t i = 0; i < COUNT(images); i++) {
        hosts[i] =
            image_make_packed(BATCH_WIDTH_PX, BATCH_COUNT * BATCH_HEIGHT_PX, FOVEA_FORMAT_RGBA8);
        image_draw(&hosts[i].view, i == 0 ? IMAGE_STROKES : IMAGE_RANDOM, (uint64_t)i + 1);
        images[i] = device_image_make(&hosts[i], 0);
    }
    CUdeviceptr on_device = 0;
    CU_ASSERT(fixture.cu->MemAlloc(&on_device, sizeof gazes_uv));
    cuda_fixture_upload(on_device, gazes_uv, sizeof gazes_uv);
    run_one_by_one(context, &images[0], &images[1], gazes_uv);
    run_batch(context, &images[0], &images[2], gazes_uv, FOVEA_MEMORY_CPU);
    run_batch(context, &images[0], &images[3], (const float *)(uintptr_t)on_device,
              FOVEA_MEMORY_CUDA);
    cuda_fixture_wait();
    for (size_t i = 1; i < COUNT(images); i++) {
        device_image_download(&images[i], &hosts[i]);
        assert_true(image_guards_intact(&hosts[i]));
        compare_assert_all_same(&hosts[i].view, &hosts[1].view, "batch");
    }
    for (size_t i = 0; i < COUNT(images); i++) {
        device_image_free(&images[i]);
        image_free(&hosts[i]);
    }
    CU_ASSERT(fixture.cu->MemFree(on_device));
}

TEST(a_latch_takes_the_newer_gaze)
{
    struct late_cuda *late = NULL;
    assert_ok(late_cuda_create(fixture.device, fixture.stream, 2, &late));
    const struct late_own own = {
        .width_px = 640, .height_px = 360, .gaze_x_q8 = 11, .gaze_y_q8 = 12, .t_low = 5};
    struct late_writer writer = {.block = late_cuda_block(late)};
    const struct late_sample newer = {
        .gaze_x_q8 = 21, .gaze_y_q8 = 22, .width_px = 640, .height_px = 360, .t_ns = 6};
    int32_t latched[2][2] = {{0}};
    for (uint32_t slot = 0; slot < 2; slot++) {
        CUdeviceptr gazes = 0;
        assert_ok(late_cuda_latch(late, fixture.stream, slot, &own, &gazes));
        cuda_fixture_wait();
        CU_ASSERT(fixture.cu->MemcpyDtoH(latched[slot], gazes, sizeof latched[slot]));
        late_write(&writer, &newer);
    }
    late_cuda_destroy(&late);
    assert_int_equal(latched[0][0], 11);
    assert_int_equal(latched[0][1], 12);
    assert_int_equal(latched[1][0], 21);
    assert_int_equal(latched[1][1], 22);
}
