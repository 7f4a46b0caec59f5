/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every kernel once or twice, at odd sizes: what compute-sanitizer runs, under which the tests of
 * all cases would take hours. Each result is compared as there. */

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

/* ---- A late gaze ----------------------------------------------------------------------------- */

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
