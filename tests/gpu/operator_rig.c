/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operator_rig.h"

#include "kernels/image/pixel.h"
#include "operators/scene_depths.h"

static struct operator_cuda *operator_of(const struct operator_under_test *wanted)
{
    struct operator_cuda **kept = &fixture.operators[wanted->id];
    if (!*kept) {
        assert_ok(operator_cuda_create(&wanted->api->cuda->kind, fixture.device, kept));
    }
    return *kept;
}

struct operator_rig operator_rig_make(const struct operator_scene *scene)
{
    struct operator_rig rig = {.api = scene->of->api,
                               .cuda = operator_of(scene->of),
                               .plan = scene_plan(scene),
                               .frame = scene_frame(scene),
                               .scene = *scene};
    assert_ok(operator_cuda_plan_create(rig.cuda, rig.plan, scene->format, &rig.cuda_plan));
    return rig;
}

void operator_rig_finish(struct operator_rig *rig)
{
    cuda_fixture_wait();
    operator_cuda_plan_retire(rig->cuda, &rig->cuda_plan);
    rig->api->plan_destroy(&rig->plan);
}

static struct operator_cuda_run run_of(const struct operator_rig *rig)
{
    return (struct operator_cuda_run){.plan = rig->plan,
                                      .cuda_plan = rig->cuda_plan,
                                      .frame = &rig->frame,
                                      .stream = fixture.stream};
}

/* Uploads those of so many images; none where the scene has none. */
static struct device_image sigmas_up(const struct operator_rig *rig, uint32_t count)
{
    struct device_image up = {0};
    if (rig->scene.sigmas != SIGMAS_NONE) {
        OWNED_IMAGE sigmas = scene_draw_sigmas(&rig->scene, count);
        up = device_image_make(&sigmas, 0);
    }
    return up;
}

static void sigmas_free(const struct operator_rig *rig, struct device_image *sigmas)
{
    if (sigmas->memory) {
        device_image_free(sigmas);
    }
}

/* Depths of so many images, and what is in focus in them: nothing yet. */
struct rig_depths {
    struct depths drawn;
    struct device_image up;
    struct fovea_depth depth; /* data NULL: the scene has none */
    CUdeviceptr focuses;
};

static struct rig_depths depths_up(const struct operator_rig *rig, uint32_t count)
{
    struct rig_depths depths = {0};
    if (rig->scene.depths == DEPTHS_NONE) {
        return depths;
    }
    const size_t bytes = count * sizeof(struct operator_focus);
    depths.drawn = scene_draw_depths(&rig->scene, count);
    depths.up = device_image_make(&depths.drawn.memory, 0);
    depths.depth = scene_depth_at(&depths.drawn, &depths.up.view);
    CU_ASSERT(fixture.cu->MemAlloc(&depths.focuses, bytes));
    CU_ASSERT(fixture.cu->MemsetD8Async(depths.focuses, 0, bytes, fixture.stream));
    return depths;
}

static void depths_free(const struct operator_rig *rig, struct rig_depths *depths)
{
    if (depths->depth.data) {
        device_image_free(&depths->up);
        CU_ASSERT(fixture.cu->MemFree(depths->focuses));
        scene_depths_free(&depths->drawn);
    }
}

static const struct fovea_depth *depth_of(const struct rig_depths *depths)
{
    return depths->depth.data ? &depths->depth : NULL;
}

static struct operator_focus *focuses_of(const struct rig_depths *depths)
{
    return (struct operator_focus *)(uintptr_t)depths->focuses;
}

void operator_rig_run(const struct operator_rig *rig, const struct operator_images *images)
{
    const struct operator_cuda_run run = run_of(rig);
    struct device_image sigmas = sigmas_up(rig, images->count);
    struct rig_depths depths = depths_up(rig, images->count);
    struct fovea_image first;
    struct operator_images all = rig->scene.sigmas == SIGMAS_NONE
                                     ? *images
                                     : scene_with_sigmas(&rig->scene, images, &sigmas.view, &first);
    all.depth = depth_of(&depths);
    all.focuses = focuses_of(&depths);
    assert_ok(rig->api->cuda->reserve(rig->cuda, rig->cuda_plan, &all));
    assert_ok(rig->api->cuda->run_linear(rig->cuda, &run, &all));
    cuda_fixture_wait();
    sigmas_free(rig, &sigmas);
    depths_free(rig, &depths);
}

void operator_rig_run_linear(const struct operator_rig *rig, const struct test_image *src,
                             const struct test_image *dst, uint32_t shift_bytes)
{
    OWNED(device_image_free) struct device_image from = device_image_make(src, shift_bytes);
    OWNED(device_image_free) struct device_image to = device_image_make(dst, shift_bytes);
    operator_rig_run(rig,
                     &(struct operator_images){.count = 1, .src = &from.view, .dst = &to.view});
    device_image_download(&to, dst);
}

void operator_rig_run_surface(const struct operator_rig *rig, const struct fovea_image *src,
                              const struct fovea_image *dst)
{
    OWNED(device_array_free) struct device_array from = device_array_make(src);
    OWNED(device_array_free) struct device_array to = device_array_make(dst);
    struct device_image sigmas = sigmas_up(rig, 1);
    struct rig_depths depths = depths_up(rig, 1);
    struct operator_cuda_run run = run_of(rig);
    run.depth = depth_of(&depths);
    run.focuses = focuses_of(&depths);
    run.sigmas = rig->scene.sigmas == SIGMAS_NONE ? NULL : &sigmas.view;
    assert_ok(rig->api->cuda->run_surface(rig->cuda, &run, src->format, from.surface, to.surface));
    cuda_fixture_wait();
    device_array_download(&to, dst);
    sigmas_free(rig, &sigmas);
    depths_free(rig, &depths);
}

/* A surface with the bits of a result that is exact is exact: the reference takes longer than all
 * else. */
static void check_surface(const struct operator_scene *scene, const struct operator_rig *rig,
                          const struct test_image *src, const struct test_image *exact)
{
    OWNED_IMAGE dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    operator_rig_run_surface(rig, &src->view, &dst.view);
    if (!compare_are_same(&dst.view, &exact->view)) {
        scene_assert_exact(scene, &src->view, &dst.view);
    }
}

static bool device_holds(const struct operator_scene *scene)
{
    int bytes = 0;
    assert_ok(cuda_device_shared_bytes(fixture.device, &bytes));
    if (bytes < scene->shared_bytes) {
        print_message("left out, %ux%u in format %d: a block needs %d bytes, and has %d\n",
                      scene->width_px, scene->height_px, (int)scene->format, scene->shared_bytes,
                      bytes);
    }
    return bytes >= scene->shared_bytes;
}

void operator_rig_check(const struct operator_scene *scene, uint32_t shift)
{
    if (!device_holds(scene)) {
        return;
    }
    const struct image_layout layout = {.row_gap = shift, .bottom_up = shift % 2};
    OWNED_IMAGE src = scene_draw(scene);
    OWNED_IMAGE dst = image_make(scene->width_px, scene->height_px, scene->format, layout);
    OWNED(operator_rig_finish) struct operator_rig rig = operator_rig_make(scene);
    operator_rig_run_linear(&rig, &src, &dst, shift * pixel_codec_of(scene->format)->align_bytes);
    scene_assert_exact(scene, &src.view, &dst.view);
    assert_true(image_guards_intact(&dst));
    if (cuda_fixture_has_surface(scene->format)) {
        check_surface(scene, &rig, &src, &dst);
    }
}
