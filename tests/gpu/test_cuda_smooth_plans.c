/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Plans of the smooth method's CUDA kernels: their levels, which frames share, and what they are
 * made for. */

#include "compare.h"
#include "smooth_scene.h"

#include <stdlib.h>

static struct cuda_fixture fixture;

#define STREAMS 3

struct picture {
    struct test_image src;
    struct test_image dst;
    struct device_image device_src;
    struct device_image device_dst;
};

static struct picture picture_make(const struct scene *scene, uint64_t seed)
{
    struct picture p = {.src = image_make_packed(scene->width_px, scene->height_px, scene->format),
                        .dst = image_make_packed(scene->width_px, scene->height_px, scene->format)};
    image_draw(&p.src.view, IMAGE_RANDOM, seed);
    p.device_src = device_image_make(&fixture, &p.src, 0);
    p.device_dst = device_image_make(&fixture, &p.dst, 0);
    return p;
}

static void picture_free(struct picture *p)
{
    device_image_free(&fixture, &p->device_src);
    device_image_free(&fixture, &p->device_dst);
    image_free(&p->src);
    image_free(&p->dst);
}

static void run_rounds(struct prepared *p, struct picture pictures[STREAMS],
                       const CUstream streams[STREAMS])
{
    for (int i = 0; i < STREAMS * (fixture.quick ? 3 : 40); i++) {
        struct operator_cuda_run run = p->run;
        run.stream = streams[i % STREAMS];
        assert_int_equal(cuda_fixture_run_linear(&fixture, &run,
                                                 &pictures[i % STREAMS].device_src.view,
                                                 &pictures[i % STREAMS].device_dst.view),
                         FOVEA_OK);
    }
}

/* Every stream has its own picture; alone it gives what it gives among the others. The plan is
 * retired while frames are queued. */
static void frames_on_several_streams_do_not_mix(void **state)
{
    struct scene scene = smooth_scene_default();
    struct prepared p = {0};
    struct picture pictures[STREAMS];
    CUstream streams[STREAMS] = {NULL};
    scene_prepare(&fixture, &p, &scene);
    for (int i = 0; i < STREAMS; i++) {
        assert_int_equal(cuda_device_create_stream(fixture.device, &streams[i]), FOVEA_OK);
        pictures[i] = picture_make(&scene, 10 + (uint64_t)i);
    }
    run_rounds(&p, pictures, streams);
    foveate_operator_cuda.plan_retire(fixture.foveate, &p.tables);
    for (int i = 0; i < STREAMS; i++) {
        CU_ASSERT(&fixture, fixture.cu->StreamSynchronize(streams[i]));
        CU_ASSERT(&fixture, fixture.cu->StreamDestroy(streams[i]));
    }
    foveate_plan_destroy(&p.plan);
    scene_prepare(&fixture, &p, &scene);
    for (int i = 0; i < STREAMS; i++) {
        struct test_image alone = image_make_packed(203, 117, scene.format);
        device_image_download(&fixture, &pictures[i].device_dst, &pictures[i].dst);
        scene_run_linear(&fixture, &p, &pictures[i].src, &alone, 0);
        compare_assert_all_same(&pictures[i].dst.view, &alone.view, "stream");
        image_free(&alone);
        picture_free(&pictures[i]);
    }
    scene_finish(&fixture, &p);
}

static void a_plan_for_surfaces_refuses_floats(void **state)
{
    struct scene scene = smooth_scene_default();
    scene.format = FOVEA_FORMAT_RGBA32F;
    struct picture picture = picture_make(&scene, 1);
    struct prepared p = {0};
    scene_prepare(&fixture, &p, &scene);
    struct operator_cuda_plan *small = NULL;
    assert_int_equal(foveate_operator_cuda.plan_create(fixture.foveate, &p.plan->base,
                                                       FOVEA_FORMAT_RGBA16F, &small),
                     FOVEA_OK);
    p.run.cuda_plan = small;
    assert_int_equal(cuda_fixture_run_linear(&fixture, &p.run, &picture.device_src.view,
                                             &picture.device_dst.view),
                     FOVEA_ERROR_UNSUPPORTED);
    foveate_operator_cuda.plan_retire(fixture.foveate, &small);
    scene_finish(&fixture, &p);
    picture_free(&picture);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_on_several_streams_do_not_mix),
        cmocka_unit_test(a_plan_for_surfaces_refuses_floats),
    };
    return CUDA_RUN(&fixture, tests);
}
