/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operator_rig.h"

#include "kernels/image/pixel.h"

struct operator_rig operator_rig_make(const struct cuda_fixture *fixture,
                                      const struct operator_scene *scene)
{
    struct operator_rig rig = {.fixture = fixture,
                               .api = scene->of->api,
                               .plan = scene_plan(scene),
                               .frame = scene_frame(scene)};
    assert_int_equal(rig.api->cuda->create(fixture->device, &rig.cuda), FOVEA_OK);
    assert_int_equal(rig.api->cuda->plan_create(rig.cuda, rig.plan, scene->format, &rig.cuda_plan),
                     FOVEA_OK);
    return rig;
}

void operator_rig_finish(struct operator_rig *rig)
{
    cuda_fixture_wait(rig->fixture);
    rig->api->cuda->plan_retire(rig->cuda, &rig->cuda_plan);
    rig->api->cuda->destroy(&rig->cuda);
    rig->api->plan_destroy(&rig->plan);
}

static struct operator_cuda_run run_of(const struct operator_rig *rig)
{
    return (struct operator_cuda_run){.plan = rig->plan,
                                      .cuda_plan = rig->cuda_plan,
                                      .frame = &rig->frame,
                                      .stream = rig->fixture->stream};
}

void operator_rig_run(const struct operator_rig *rig, const struct operator_images *images)
{
    const struct operator_cuda_run run = run_of(rig);
    assert_int_equal(rig->api->cuda->reserve(rig->cuda, rig->cuda_plan, images), FOVEA_OK);
    assert_int_equal(rig->api->cuda->run_linear(rig->cuda, &run, images), FOVEA_OK);
    cuda_fixture_wait(rig->fixture);
}

void operator_rig_run_linear(const struct operator_rig *rig, const struct test_image *src,
                             const struct test_image *dst, uint32_t shift_bytes)
{
    struct device_image from = device_image_make(rig->fixture, src, shift_bytes);
    struct device_image to = device_image_make(rig->fixture, dst, shift_bytes);
    operator_rig_run(rig,
                     &(struct operator_images){.count = 1, .src = &from.view, .dst = &to.view});
    device_image_download(rig->fixture, &to, dst);
    device_image_free(rig->fixture, &from);
    device_image_free(rig->fixture, &to);
}

void operator_rig_run_surface(const struct operator_rig *rig, const struct fovea_image *src,
                              const struct fovea_image *dst)
{
    struct device_array from = device_array_make(rig->fixture, src);
    struct device_array to = device_array_make(rig->fixture, dst);
    const struct operator_cuda_run run = run_of(rig);
    assert_int_equal(
        rig->api->cuda->run_surface(rig->cuda, &run, src->format, from.surface, to.surface),
        FOVEA_OK);
    cuda_fixture_wait(rig->fixture);
    device_array_download(rig->fixture, &to, dst);
    device_array_free(rig->fixture, &from);
    device_array_free(rig->fixture, &to);
}

bool operator_rig_has_surface(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_A2B10G10R10 ||
           format == FOVEA_FORMAT_B10G11R11F || format == FOVEA_FORMAT_RGBA16F;
}

static void check_linear(const struct operator_scene *scene, const struct operator_rig *rig,
                         const struct test_image *src, uint32_t shift)
{
    const struct image_layout layout = {.row_gap = shift, .bottom_up = shift % 2};
    struct test_image dst = image_make(scene->width_px, scene->height_px, scene->format, layout);
    operator_rig_run_linear(rig, src, &dst, shift * pixel_codec_of(scene->format)->align_bytes);
    scene_assert_exact(scene, &src->view, &dst.view);
    assert_true(image_guards_intact(&dst));
    image_free(&dst);
}

static void check_surface(const struct operator_scene *scene, const struct operator_rig *rig,
                          const struct test_image *src)
{
    struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    operator_rig_run_surface(rig, &src->view, &dst.view);
    scene_assert_exact(scene, &src->view, &dst.view);
    image_free(&dst);
}

void operator_rig_check(const struct cuda_fixture *fixture, const struct operator_scene *scene,
                        uint32_t shift)
{
    struct test_image src = scene_draw(scene);
    struct operator_rig rig = operator_rig_make(fixture, scene);
    check_linear(scene, &rig, &src, shift);
    if (operator_rig_has_surface(scene->format)) {
        check_surface(scene, &rig, &src);
    }
    operator_rig_finish(&rig);
    image_free(&src);
}
