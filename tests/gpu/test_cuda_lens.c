/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens on a CUDA device against its reference: linear images and surfaces in every
 * format and light, views, batches. */

#include "cuda_fixture.h"
#include "kernels/image/pixel.h"
#include "kernels/operator/operator_cuda.h"
#include "test_lens_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct cuda_fixture fixture;

static const struct operator_cuda_api *api(void)
{
    return lens_operator.cuda;
}

/* One scene's plan on the device. */
struct prepared {
    struct operator_plan *plan;
    struct operator_cuda *cuda;
    struct operator_cuda_plan *cuda_plan;
    struct operator_frame frame;
};

static struct prepared prepare(const struct lens_scene *scene)
{
    struct prepared p = {.plan = lens_scene_plan(scene), .frame = lens_scene_frame(scene)};
    assert_int_equal(api()->create(fixture.device, &p.cuda), FOVEA_OK);
    assert_int_equal(api()->plan_create(p.cuda, p.plan, scene->format, &p.cuda_plan), FOVEA_OK);
    return p;
}

static void finish(struct prepared *p)
{
    cuda_fixture_wait(&fixture);
    api()->plan_retire(p->cuda, &p->cuda_plan);
    api()->destroy(&p->cuda);
    lens_operator.plan_destroy(&p->plan);
}

static struct operator_cuda_run run_of(const struct prepared *p)
{
    return (struct operator_cuda_run){
        .plan = p->plan, .cuda_plan = p->cuda_plan, .frame = &p->frame, .stream = fixture.stream};
}

static void run_linear(const struct prepared *p, const struct operator_images *images)
{
    const struct operator_cuda_run run = run_of(p);
    assert_int_equal(api()->reserve(p->cuda, p->cuda_plan, images), FOVEA_OK);
    assert_int_equal(api()->run_linear(p->cuda, &run, images), FOVEA_OK);
    cuda_fixture_wait(&fixture);
}

static void check_linear(const struct lens_scene *scene, const struct prepared *p,
                         const struct test_image *src, uint32_t shift)
{
    const struct image_layout layout = {.row_gap = shift, .bottom_up = shift % 2};
    struct test_image dst = image_make(scene->width_px, scene->height_px, scene->format, layout);
    const uint32_t align = shift * (pixel_codec_of(scene->format)->align_bytes);
    struct device_image on_device = device_image_make(&fixture, src, align);
    struct device_image result = device_image_make(&fixture, &dst, align);
    run_linear(p,
               &(struct operator_images){.count = 1, .src = &on_device.view, .dst = &result.view});
    device_image_download(&fixture, &result, &dst);
    lens_assert_exact(scene, &src->view, &dst.view);
    assert_true(image_guards_intact(&dst));
    device_image_free(&fixture, &on_device);
    device_image_free(&fixture, &result);
    image_free(&dst);
}

static void check_surface(const struct lens_scene *scene, const struct prepared *p,
                          const struct test_image *src)
{
    struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct device_array from = device_array_make(&fixture, &src->view);
    struct device_array to = device_array_make(&fixture, &dst.view);
    const struct operator_cuda_run run = run_of(p);
    assert_int_equal(api()->run_surface(p->cuda, &run, scene->format, from.surface, to.surface),
                     FOVEA_OK);
    cuda_fixture_wait(&fixture);
    device_array_download(&fixture, &to, &dst.view);
    lens_assert_exact(scene, &src->view, &dst.view);
    device_array_free(&fixture, &from);
    device_array_free(&fixture, &to);
    image_free(&dst);
}

static bool has_surface(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_A2B10G10R10 ||
           format == FOVEA_FORMAT_B10G11R11F || format == FOVEA_FORMAT_RGBA16F;
}

static void check(const struct lens_scene *scene, uint32_t shift)
{
    struct test_image src = lens_scene_draw(scene);
    struct prepared p = prepare(scene);
    check_linear(scene, &p, &src, shift);
    if (has_surface(scene->format)) {
        check_surface(scene, &p, &src);
    }
    finish(&p);
    image_free(&src);
}

static void images_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (fixture.quick ? 55 : 110); i++) {
        const struct lens_scene scene = lens_scene_of(i);
        check(&scene, (uint32_t)(i / 11 % 3));
    }
}

static void grids_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (fixture.quick ? 33 : 88); i++) {
        struct lens_scene scene = lens_scene_of(i);
        lens_scene_use_points(i / 2, &scene);
        check(&scene, (uint32_t)(i / 11 % 3));
    }
}

static void headsets_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (fixture.quick ? 11 : 33); i++) {
        struct lens_scene scene = lens_scene_of(i);
        lens_scene_use_headset(&scene);
        check(&scene, (uint32_t)(i / 11 % 3));
    }
}

static void each_eye_has_a_lens_of_its_own(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (fixture.quick ? 6 : 22); i++) {
        struct lens_scene scene = lens_scene_of(i);
        lens_scene_use_eyes(i % 2 ? FOVEA_MAP_EYE_RIGHT : FOVEA_MAP_EYE_LEFT, &scene);
        check(&scene, 0);
    }
}

/* Nearest, as they are stored and in sRGB's light they have kernels of their own, and others with
 * several samples a pixel; the odd scenes have colours that lie apart. */
static struct lens_scene scene_of_bytes(uint64_t i)
{
    struct lens_scene scene = lens_scene_of(i);
    scene.format = FOVEA_FORMAT_RGBA8;
    scene.settings.foveation.transfer = FOVEA_TRANSFER_SRGB;
    scene.settings.foveation.light = i / 2 % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
    scene.settings.own.lens_filter = i % 6 < 4;
    scene.settings.own.lens_samples = i / 8 % 2 ? 1 + (uint32_t)(i % 3) : 0;
    return scene;
}

static void bytes_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (fixture.quick ? 24 : 72); i++) {
        const struct lens_scene scene = scene_of_bytes(i);
        check(&scene, (uint32_t)(i / 4 % 3));
    }
}

/* Places far from the picture's corner are as exact as those near it. */
static void wide_pictures_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (fixture.quick ? 4 : 22); i++) {
        struct lens_scene scene = lens_scene_of(i);
        scene.width_px = 601;
        scene.height_px = 263;
        check(&scene, 0);
    }
}

/* dst is what the device has before. */
static void run_linear_view(const struct prepared *p, const struct test_image *src,
                            const struct test_image *dst)
{
    struct device_image from = device_image_make(&fixture, src, 0);
    struct device_image to = device_image_make(&fixture, dst, 0);
    run_linear(p, &(struct operator_images){.count = 1, .src = &from.view, .dst = &to.view});
    device_image_download(&fixture, &to, dst);
    device_image_free(&fixture, &from);
    device_image_free(&fixture, &to);
}

static void grids_of_bytes_are_the_reference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < (fixture.quick ? 48 : 96); i += fixture.quick ? 5 : 1) {
        struct lens_scene scene = scene_of_bytes(i);
        if (i / 6 % 8 >= 6) { /* each pixel has its point */
            scene.width_px = 75;
            scene.height_px = 55;
        }
        lens_scene_use_points(i / 6, &scene);
        check(&scene, (uint32_t)(i / 4 % 3));
    }
}

/* Twice as large around the middle of a pixel: every other place lies on the line between two. */
static void a_place_on_a_line_takes_the_pixel_behind_it(void **state)
{
    (void)state;
    struct lens_scene scene = {.settings = fovea_settings_default(),
                               .format = FOVEA_FORMAT_RGBA8,
                               .width_px = 77,
                               .height_px = 45,
                               .picture = IMAGE_RANDOM};
    scene.settings.own.lens_filter = 0;
    scene.settings.own.lens_r0 = 0.5;
    scene.settings.own.lens_r2 = 0.0;
    struct test_image src = lens_scene_draw(&scene);
    struct test_image dst = lens_scene_draw(&scene);
    struct prepared p = prepare(&scene);
    run_linear_view(&p, &src, &dst);
    for (uint32_t i = 0; i < scene.width_px * scene.height_px; i++) {
        const uint32_t x = i % scene.width_px;
        const uint32_t y = i / scene.width_px;
        assert_memory_equal(image_pixel(&dst.view, x, y),
                            image_pixel(&src.view, (x + (scene.width_px + 1) / 2) / 2,
                                        (y + (scene.height_px + 1) / 2) / 2),
                            4);
    }
    finish(&p);
    image_free(&src);
    image_free(&dst);
}

static void no_lens_copies_every_bit(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 33; i++) {
        struct lens_scene scene = lens_scene_of(i);
        scene.settings.own = fovea_settings_default().own;
        scene.settings.own.lens_r2 = 0.0;
        scene.settings.own.lens_filter = (uint32_t)(i / 11);
        struct test_image src = lens_scene_draw(&scene);
        struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        struct prepared p = prepare(&scene);
        struct device_image from = device_image_make(&fixture, &src, 0);
        struct device_image to = device_image_make(&fixture, &dst, 0);
        run_linear(&p, &(struct operator_images){.count = 1, .src = &from.view, .dst = &to.view});
        device_image_download(&fixture, &to, &dst);
        compare_assert_all_same(&dst.view, &src.view, "no lens");
        finish(&p);
        device_image_free(&fixture, &from);
        device_image_free(&fixture, &to);
        image_free(&src);
        image_free(&dst);
    }
}

/* The right half of a picture that holds two views; the left half stays as it was. */
static void a_view_is_a_picture_of_its_own(void **state)
{
    (void)state;
    for (uint32_t filter = 0; filter < 6; filter++) {
        struct lens_scene scene = lens_scene_of(filter / 3);
        scene.format = FOVEA_FORMAT_RGBA8;
        scene.settings.own.lens_filter = filter % 3;
        scene.width_px = 61;
        scene.height_px = 47;
        struct lens_scene both = scene;
        both.width_px = 2 * scene.width_px;
        both.height_px = scene.height_px + 5;
        struct test_image src = lens_scene_draw(&both);
        struct test_image dst = lens_scene_draw(&both);
        struct test_image linear = lens_scene_draw(&both);
        struct device_array from = device_array_make(&fixture, &src.view);
        struct device_array to = device_array_make(&fixture, &dst.view);
        struct prepared p = prepare(&scene);
        p.frame.origin_x_px = (int32_t)scene.width_px;
        p.frame.origin_y_px = 5;
        const struct operator_cuda_run run = run_of(&p);
        assert_int_equal(api()->run_surface(p.cuda, &run, scene.format, from.surface, to.surface),
                         FOVEA_OK);
        cuda_fixture_wait(&fixture);
        device_array_download(&fixture, &to, &dst.view);
        compare_assert_same(&dst.view, &src.view,
                            (struct compare_rect){0, 0, scene.width_px, both.height_px}, "left");
        struct fovea_image in = src.view;
        struct fovea_image out = dst.view;
        in.width_px = out.width_px = scene.width_px;
        in.height_px = out.height_px = scene.height_px;
        in.data = image_pixel(&src.view, scene.width_px, 5);
        out.data = image_pixel(&dst.view, scene.width_px, 5);
        lens_assert_exact(&scene, &in, &out);
        run_linear_view(&p, &src, &linear);
        compare_assert_all_same(&linear.view, &dst.view, "linear memory");
        finish(&p);
        device_array_free(&fixture, &from);
        device_array_free(&fixture, &to);
        image_free(&src);
        image_free(&dst);
        image_free(&linear);
    }
}

/* Images below each other in one picture; number 3 is one picture for all. */
static void a_batch_is_its_images(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 4; i++) {
        struct lens_scene scene = lens_scene_of(i);
        const uint32_t count = 5;
        scene.height_px = 30;
        scene.settings.own.lens_filter = 1;
        struct lens_scene whole = scene;
        whole.height_px = scene.height_px * count;
        struct test_image src = lens_scene_draw(&whole);
        struct test_image dst = image_make_packed(whole.width_px, whole.height_px, whole.format);
        struct device_image on_device = device_image_make(&fixture, &src, 0);
        struct device_image result = device_image_make(&fixture, &dst, 0);
        struct fovea_image first_src = on_device.view;
        struct fovea_image first_dst = result.view;
        first_src.height_px = first_dst.height_px = scene.height_px;
        const ptrdiff_t next = (ptrdiff_t)scene.height_px * src.view.row_stride_bytes;
        struct prepared p = prepare(&scene);
        run_linear(&p, &(struct operator_images){.count = count,
                                                 .src = &first_src,
                                                 .dst = &first_dst,
                                                 .src_next_bytes = i == 3 ? 0 : next,
                                                 .dst_next_bytes = next});
        device_image_download(&fixture, &result, &dst);
        for (uint32_t k = 0; k < count; k++) {
            struct fovea_image in = src.view;
            struct fovea_image out = dst.view;
            in.height_px = out.height_px = scene.height_px;
            in.data = (unsigned char *)in.data + (i == 3 ? 0 : k * next);
            out.data = (unsigned char *)out.data + k * next;
            lens_assert_exact(&scene, &in, &out);
        }
        finish(&p);
        device_image_free(&fixture, &on_device);
        device_image_free(&fixture, &result);
        image_free(&src);
        image_free(&dst);
    }
}

/* So many that a block makes several tiles, the last of which ends below an image. */
static void many_images_are_each_as_one_alone(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 6; i += 2) { /* as stored, as light, nearest */
        struct lens_scene scene = scene_of_bytes(i);
        const uint32_t count = 1600;
        scene.width_px = 33;
        scene.height_px = 50;
        struct lens_scene whole = scene;
        whole.height_px = scene.height_px * count;
        struct test_image src = lens_scene_draw(&scene);
        struct test_image alone = lens_scene_draw(&scene);
        struct test_image dst = image_make_packed(whole.width_px, whole.height_px, whole.format);
        struct device_image from = device_image_make(&fixture, &src, 0);
        struct device_image to = device_image_make(&fixture, &dst, 0);
        struct fovea_image first = to.view;
        first.height_px = scene.height_px;
        const size_t bytes = (size_t)scene.height_px * dst.view.row_stride_bytes;
        struct prepared p = prepare(&scene);
        run_linear_view(&p, &src, &alone);
        run_linear(&p, &(struct operator_images){.count = count,
                                                 .src = &from.view,
                                                 .dst = &first,
                                                 .dst_next_bytes = (ptrdiff_t)bytes});
        device_image_download(&fixture, &to, &dst);
        for (uint32_t k = 0; k < count; k++) {
            assert_memory_equal((unsigned char *)dst.view.data + k * bytes, alone.view.data, bytes);
        }
        finish(&p);
        device_image_free(&fixture, &from);
        device_image_free(&fixture, &to);
        image_free(&src);
        image_free(&alone);
        image_free(&dst);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_the_reference),
        cmocka_unit_test(grids_are_the_reference),
        cmocka_unit_test(headsets_are_the_reference),
        cmocka_unit_test(each_eye_has_a_lens_of_its_own),
        cmocka_unit_test(bytes_are_the_reference),
        cmocka_unit_test(grids_of_bytes_are_the_reference),
        cmocka_unit_test(wide_pictures_are_the_reference),
        cmocka_unit_test(a_place_on_a_line_takes_the_pixel_behind_it),
        cmocka_unit_test(no_lens_copies_every_bit),
        cmocka_unit_test(a_view_is_a_picture_of_its_own),
        cmocka_unit_test(a_batch_is_its_images),
        cmocka_unit_test(many_images_are_each_as_one_alone),
    };
    return CUDA_RUN(&fixture, tests);
}
