/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images in CUDA memory through the public functions: the caller's stream, the caller's context,
 * and pointers that are not what they are said to be. */

#include "compare.h"
#include "cuda_fixture.h"
#include "kernels/chain/chain.h"
#include "kernels/operator/operator_cuda.h"

static const struct fovea_point_uv gaze = {0.3, 0.7};

static struct device_pair make(uint32_t width_px, uint32_t height_px, enum fovea_format format)
{
    return device_pair_make(width_px, height_px, format, IMAGE_PHOTO, 11);
}

static struct fovea_settings blockwise(void)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.method = FOVEA_METHOD_BLOCKWISE;
    return settings;
}

static struct fovea_context *create(enum fovea_backend backend)
{
    struct fovea_settings settings = blockwise();
    settings.backend = backend;
    return cuda_fixture_context(&settings);
}

static void assert_foveated(const struct device_pair *p)
{
    const struct fovea_foveation foveation = blockwise().foveation;
    const struct fovea_image *src = &p->src.view;
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    assert_ok(foveate_plan_create(&foveation, src->width_px, src->height_px, &plan));
    const struct gauss_frame frame = gauss_frame_make(plan, gaze);
    OWNED(owned_free) double *expected = compare_expected(&foveation, src, &frame);
    device_image_download(&p->device_dst, &p->dst);
    compare_assert_close(&p->dst.view, expected, compare_budget_for(&foveation, src->format),
                         "public");
    assert_true(image_guards_intact(&p->dst));
}

TEST(cuda_images_are_foveated_on_the_callers_stream)
{
    OWNED(fovea_context_destroy) struct fovea_context *context = create(FOVEA_BACKEND_AUTO);
    OWNED(device_pair_free) struct device_pair p = make(320, 240, FOVEA_FORMAT_RGBA8);
    assert_ok(
        fovea_context_run(context, &p.device_src.view, &p.device_dst.view, gaze, fixture.stream));
    cuda_fixture_wait();
    assert_foveated(&p);
}

/* The copy back is on the legacy stream too, and therefore comes after. */
TEST(no_stream_is_the_legacy_default_stream)
{
    OWNED(fovea_context_destroy) struct fovea_context *context = create(FOVEA_BACKEND_CUDA);
    OWNED(device_pair_free) struct device_pair p = make(320, 240, FOVEA_FORMAT_RGB8);
    assert_ok(fovea_context_run(context, &p.device_src.view, &p.device_dst.view, gaze, NULL));
    assert_foveated(&p);
}

TEST(many_sizes_and_streams_in_flight_are_all_right)
{
    enum { SIZES = 24 };
    OWNED(fovea_context_destroy) struct fovea_context *context = create(FOVEA_BACKEND_CUDA);
    struct device_pair p[SIZES];
    CUstream streams[3] = {NULL};
    for (int i = 0; i < 3; i++) {
        assert_ok(cuda_device_create_stream(fixture.device, &streams[i]));
    }
    for (uint32_t i = 0; i < SIZES; i++) {
        p[i] = make(40 + 5 * i, 90 - 3 * i, FOVEA_FORMAT_RGBA16F);
    }
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < SIZES; i++) {
            assert_ok(fovea_context_run(context, &p[i].device_src.view, &p[i].device_dst.view, gaze,
                                        streams[i % 3]));
        }
    }
    for (int i = 0; i < 3; i++) {
        CU_ASSERT(fixture.cu->StreamSynchronize(streams[i]));
        CU_ASSERT(fixture.cu->StreamDestroy(streams[i]));
    }
    for (int i = 0; i < SIZES; i++) {
        assert_foveated(&p[i]);
        device_pair_free(&p[i]);
    }
}

static CUcontext current_context(void)
{
    CUcontext current = NULL;
    CU_ASSERT(fixture.cu->CtxGetCurrent(&current));
    return current;
}

/* A context is current, and then none is. */
TEST(the_callers_current_context_stays)
{
    OWNED(device_pair_free) struct device_pair p = make(64, 48, FOVEA_FORMAT_RGBA8);
    assert_ptr_equal(current_context(), fixture.device->context);
    for (int none = 0; none < 2; none++) {
        if (none) {
            cuda_device_pop(fixture.device);
        }
        const CUcontext before = current_context();
        assert_true(none ? !before : before != NULL);
        struct fovea_context *context = create(FOVEA_BACKEND_CUDA);
        assert_ptr_equal(current_context(), before);
        assert_ok(fovea_context_run(context, &p.device_src.view, &p.device_dst.view, gaze,
                                    fixture.stream));
        assert_ptr_equal(current_context(), before);
        fovea_context_destroy(&context);
        assert_ptr_equal(current_context(), before);
    }
    assert_ok(cuda_device_push(fixture.device));
    cuda_fixture_wait();
    assert_foveated(&p);
}

/* ---- Operators, which take what contexts never give them ---- */

#define IMAGES 3
#define IMAGE_HEIGHT_PX 50

/* One below the other in p. */
static void run_images(struct device_pair *p, enum fovea_method method, const float *gazes_uv)
{
    const struct operator_cuda_api *api = chain_operator.cuda;
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.method = method;
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = p->src.view.width_px, .height_px = IMAGE_HEIGHT_PX};
    const struct operator_frame frame =
        operator_frame_make(desc.width_px, desc.height_px, (struct fovea_point_uv){0.25, 0.75});
    struct fovea_image src = p->device_src.view;
    struct fovea_image dst = p->device_dst.view;
    src.height_px = dst.height_px = IMAGE_HEIGHT_PX;
    const struct operator_images images = {.count = IMAGES,
                                           .src = &src,
                                           .dst = &dst,
                                           .src_next_bytes = IMAGE_HEIGHT_PX * src.row_stride_bytes,
                                           .dst_next_bytes = IMAGE_HEIGHT_PX * dst.row_stride_bytes,
                                           .gazes_uv = gazes_uv};
    struct operator_plan *plan = NULL;
    struct operator_cuda *kernels = NULL;
    struct operator_cuda_run run = {.frame = &frame, .stream = fixture.stream};
    assert_ok(chain_operator.plan_create(&desc, &plan));
    run.plan = plan;
    assert_ok(operator_cuda_create(&api->kind, fixture.device, &kernels));
    assert_ok(operator_cuda_plan_create(kernels, plan, src.format, &run.cuda_plan));
    CU_ASSERT(fixture.cu->MemsetD8(p->device_dst.copy, 0xa5, p->device_dst.bytes));
    assert_ok(api->reserve(kernels, run.cuda_plan, &images));
    assert_ok(api->run_linear(kernels, &run, &images));
    cuda_fixture_wait();
    device_image_download(&p->device_dst, &p->dst);
    operator_cuda_plan_retire(kernels, &run.cuda_plan);
    operator_cuda_destroy(&kernels);
    chain_operator.plan_destroy(&plan);
}

TEST(the_frames_gaze_is_for_all_images)
{
    static const float same[2 * IMAGES] = {0.25f, 0.75f, 0.25f, 0.75f, 0.25f, 0.75f};
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        OWNED(device_pair_free)
        struct device_pair p = make(70, IMAGES * IMAGE_HEIGHT_PX, FOVEA_FORMAT_RGBA8);
        run_images(&p, (enum fovea_method)method, same);
        OWNED(owned_free) unsigned char *expected = malloc(p.dst.memory_bytes);
        assert_non_null(expected);
        memcpy(expected, p.dst.memory, p.dst.memory_bytes);
        run_images(&p, (enum fovea_method)method, NULL);
        assert_memory_equal(p.dst.memory, expected, p.dst.memory_bytes);
    }
}
