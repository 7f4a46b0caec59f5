/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens promises this on a CUDA device beside what all operators do
 * (test_cuda_operators). */

#include "operator_rig.h"
#include "operators/lens_scenes.h"

static struct operator_scene scene_of_bytes(uint64_t i)
{
    struct operator_scene scene = lens_scene_of(i);
    lens_scene_use_bytes(i, &scene);
    return scene;
}

TEST(grids_of_bytes_are_the_reference)
{
    for (uint64_t i = 0; i < (fixture.quick ? 48 : 96); i += fixture.quick ? 5 : 1) {
        struct operator_scene scene = scene_of_bytes(i);
        if (i / 6 % 8 >= 6) { /* each pixel has its point */
            scene.width_px = 75;
            scene.height_px = 55;
        }
        lens_scene_use_points(i / 6, &scene);
        operator_rig_check(&scene, (uint32_t)(i / 4 % 3));
    }
}

/* Twice as large around the middle of a pixel: every other place lies on the line between two. */
TEST(a_place_on_a_line_takes_the_pixel_behind_it)
{
    struct operator_scene scene = {.of = &lens_under_test,
                                   .settings = fovea_settings_default(),
                                   .format = FOVEA_FORMAT_RGBA8,
                                   .width_px = 77,
                                   .height_px = 45,
                                   .picture = IMAGE_RANDOM};
    scene.settings.own.lens_filter = 0;
    scene.settings.own.lens_r0 = 0.5;
    scene.settings.own.lens_r2 = 0.0;
    OWNED_IMAGE src = scene_draw(&scene);
    OWNED_IMAGE dst = scene_draw(&scene);
    OWNED(operator_rig_finish) struct operator_rig rig = operator_rig_make(&scene);
    operator_rig_run_linear(&rig, &src, &dst, 0);
    for (uint32_t i = 0; i < scene.width_px * scene.height_px; i++) {
        const uint32_t x = i % scene.width_px;
        const uint32_t y = i / scene.width_px;
        assert_memory_equal(image_pixel(&dst.view, x, y),
                            image_pixel(&src.view, (x + (scene.width_px + 1) / 2) / 2,
                                        (y + (scene.height_px + 1) / 2) / 2),
                            4);
    }
}

/* So many that a block makes several tiles, the last of which ends below an image. */
TEST(many_images_are_each_as_one_alone)
{
    for (uint64_t i = 0; i < 6; i += 2) { /* as stored, as light, nearest */
        struct operator_scene scene = scene_of_bytes(i);
        const uint32_t count = 1600;
        scene.width_px = 33;
        scene.height_px = 50;
        struct operator_scene whole = scene;
        whole.height_px = scene.height_px * count;
        OWNED_IMAGE src = scene_draw(&scene);
        OWNED_IMAGE alone = scene_draw(&scene);
        OWNED_IMAGE dst = image_make_packed(whole.width_px, whole.height_px, whole.format);
        OWNED(device_image_free) struct device_image from = device_image_make(&src, 0);
        OWNED(device_image_free) struct device_image to = device_image_make(&dst, 0);
        struct fovea_image first = to.view;
        first.height_px = scene.height_px;
        const size_t bytes = (size_t)scene.height_px * dst.view.row_stride_bytes;
        OWNED(operator_rig_finish) struct operator_rig rig = operator_rig_make(&scene);
        operator_rig_run_linear(&rig, &src, &alone, 0);
        operator_rig_run(&rig, &(struct operator_images){.count = count,
                                                         .src = &from.view,
                                                         .dst = &first,
                                                         .dst_next_bytes = (ptrdiff_t)bytes});
        device_image_download(&to, &dst);
        for (uint32_t k = 0; k < count; k++) {
            assert_memory_equal((unsigned char *)dst.view.data + k * bytes, alone.view.data, bytes);
        }
    }
}
