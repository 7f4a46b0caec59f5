/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Operators in a row on CUDA: bit for bit the same as one after the other. The search (search/)
 * tries all formats and layouts of linear memory. */

#include "compare.h"
#include "cuda_fixture.h"
#include "kernels/chain/chain_plan.h"
#include "kernels/operator/operator_cuda.h"
#include "levels_rows.h"
#include "operator_rows.h"

#define WIDTH_PX 149
#define HEIGHT_PX 83

static const struct fovea_point_uv gaze = {0.3, 0.6};

static struct fovea_settings settings_of(const struct fovea_operators *operators)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.operators = *operators;
    return settings;
}

/* ---- Linear memory, through the public functions */

/* The source has gaps between pixels; every second one goes through a spline as well. */
TEST(levels_of_16_bits_are_the_cpus)
{
    double worst = 0.0;
    for (size_t i = 0; i < 3 * LEVELS_ROWS; i++) {
        const enum fovea_format format = (enum fovea_format)(FOVEA_FORMAT_RGBA16 + i % 3);
        struct fovea_settings settings = levels_settings(&levels_rows[i / 3]);
        settings.foveation.alpha = (enum fovea_alpha)(i / 3 % 2);
        settings.own.lens_filter = 2;
        if (i % 2 == 1) {
            settings.operators =
                (struct fovea_operators){2, {FOVEA_OPERATOR_lens, FOVEA_OPERATOR_foveate}};
        }
        OWNED(fovea_context_destroy)
        struct fovea_context *context = cuda_fixture_context(&settings);
        OWNED_IMAGE src = image_make(WIDTH_PX, HEIGHT_PX, format,
                                     (struct image_layout){.row_gap = 3, .pixel_gap = 1});
        OWNED_IMAGE expected = image_make_packed(WIDTH_PX, HEIGHT_PX, format);
        OWNED_IMAGE got = image_make_packed(WIDTH_PX, HEIGHT_PX, format);
        image_draw_contrast(&src.view, (int)(i % IMAGE_CONTRAST_COUNT));
        OWNED(device_image_free) struct device_image on_device = device_image_make(&src, 0);
        OWNED(device_image_free) struct device_image made = device_image_make(&got, 0);
        assert_ok(fovea_context_run(context, &on_device.view, &made.view, gaze, fixture.stream));
        assert_ok(fovea_context_run(context, &src.view, &expected.view, gaze, NULL));
        cuda_fixture_wait();
        device_image_download(&made, &got);
        struct compare_rect where;
        const double off = compare_largest(&got.view, &expected.view, &where);
        worst = fmax(worst, off);
        assert_that(off <= 64.0, "%s, format %d: %g levels off", levels_rows[i / 3].name,
                    (int)format, off);
    }
    print_message("16 bits: %g levels of 65535 from the processor's\n", worst);
}

#define BATCH 3

/* Host images and their copies on the device, of which the last is made by the row. */
struct steps {
    struct test_image host[4];
    struct device_image images[4];
    CUdeviceptr gazes;
};

static const float some_gazes_uv[2 * BATCH] = {0.3f, 0.6f, NAN, 0.1f, 0.5f, 0.5f};

static void run_step(const struct steps *s, struct fovea_context *context,
                     const struct fovea_operators *operators, int src, int dst,
                     enum fovea_memory gazes_memory)
{
    const struct fovea_settings settings = settings_of(operators);
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = BATCH;
    batch.src = s->images[src].view;
    batch.dst = s->images[dst].view;
    batch.src.height_px = batch.dst.height_px = 48;
    batch.src_next_bytes = 48 * batch.src.row_stride_bytes;
    batch.dst_next_bytes = 48 * batch.dst.row_stride_bytes;
    batch.gazes_uv =
        gazes_memory == FOVEA_MEMORY_CUDA ? (const float *)(uintptr_t)s->gazes : some_gazes_uv;
    batch.gazes_memory = gazes_memory;
    assert_ok(fovea_context_set_settings(context, &settings));
    assert_ok(fovea_context_run_batch(context, &batch, fixture.stream));
}

static void check_slices(const struct steps *s, size_t row, uint64_t most_bytes,
                         enum fovea_memory gazes_memory)
{
    const uint64_t usual_bytes = chain_most_between_bytes;
    OWNED(fovea_context_destroy) struct fovea_context *context = cuda_fixture_context(NULL);
    run_step(s, context, &rows[row].first, 0, 1, FOVEA_MEMORY_CUDA);
    run_step(s, context, &rows[row].second, 1, 2, FOVEA_MEMORY_CUDA);
    chain_most_between_bytes = most_bytes;
    run_step(s, context, &rows[row].row, 0, 3, gazes_memory);
    cuda_fixture_wait();
    chain_most_between_bytes = usual_bytes;
    for (int i = 2; i < 4; i++) {
        device_image_download(&s->images[i], &s->host[i]);
    }
    compare_assert_all_same(&s->host[3].view, &s->host[2].view, "slices");
}

/* With gazes in either memory, of which one is not finite: that image is foveated nowhere, and
 * blurred or warped as ever. */
TEST(a_row_goes_in_slices_of_a_batch)
{
    struct steps s;
    CU_ASSERT(fixture.cu->MemAlloc(&s.gazes, sizeof some_gazes_uv));
    cuda_fixture_upload(s.gazes, some_gazes_uv, sizeof some_gazes_uv);
    for (int i = 0; i < 4; i++) {
        s.host[i] = image_make_packed(64, BATCH * 48, FOVEA_FORMAT_RGB8);
        image_draw(&s.host[i].view, i == 0 ? IMAGE_PHOTO : IMAGE_RANDOM, 3);
        s.images[i] = device_image_make(&s.host[i], 0);
    }
    struct fovea_image like = s.host[0].view;
    like.height_px = 48;
    for (size_t row = 0; row < COUNT(rows); row++) {
        check_slices(&s, row, chain_most_between_bytes, FOVEA_MEMORY_CPU);
        check_slices(&s, row, chain_most_between_bytes, FOVEA_MEMORY_CUDA);
        check_slices(&s, row, 2 * chain_image_bytes(&like), FOVEA_MEMORY_CUDA);
        check_slices(&s, row, 1, FOVEA_MEMORY_CPU);
    }
    for (int i = 0; i < 4; i++) {
        device_image_free(&s.images[i]);
        image_free(&s.host[i]);
    }
    CU_ASSERT(fixture.cu->MemFree(s.gazes));
}

/* ---- Surfaces */

/* A view in the middle of larger arrays: what is around it stays. With gazes on the device the
 * frame's is another one. */
static void run_surface_with(struct operator_cuda *kernels, const struct fovea_operators *operators,
                             enum fovea_format format, const CUsurfObject surfaces[3],
                             CUdeviceptr gazes)
{
    const struct fovea_settings settings = settings_of(operators);
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = WIDTH_PX - 20, .height_px = HEIGHT_PX - 10};
    const struct fovea_point_uv elsewhere = {0.9, 0.1};
    struct operator_frame frame =
        operator_frame_make(desc.width_px, desc.height_px, gazes ? elsewhere : gaze);
    frame.origin_x_px = 11;
    frame.origin_y_px = 7;
    struct operator_cuda_run run = {.frame = &frame, .stream = fixture.stream, .gazes = gazes};
    struct operator_plan *plan = NULL;
    assert_ok(chain_operator.plan_create(&desc, &plan));
    assert_int_equal(plan->images_between, operators->count - 1);
    assert_ok(operator_cuda_plan_create(kernels, plan, format, &run.cuda_plan));
    run.plan = plan;
    run.between[0] = surfaces[2];
    assert_ok(chain_operator.cuda->run_surface(kernels, &run, format, surfaces[0], surfaces[1]));
    cuda_fixture_wait();
    operator_cuda_plan_retire(kernels, &run.cuda_plan);
    chain_operator.plan_destroy(&plan);
}

static void run_surface(struct operator_cuda *kernels, const struct fovea_operators *operators,
                        enum fovea_format format, CUsurfObject src, CUsurfObject dst,
                        CUsurfObject between)
{
    run_surface_with(kernels, operators, format, (const CUsurfObject[]){src, dst, between}, 0);
}

/* A late gaze lies in the device's memory, where every operator reads it that looks at gazes. */
TEST(a_late_gaze_is_the_whole_rows)
{
    const struct fovea_operators *const all[] = {&rows[0].first, &rows[0].second, &rows[0].row,
                                                 &rows[1].row, &rows[2].row};
    const struct operator_frame late = operator_frame_make(WIDTH_PX - 20, HEIGHT_PX - 10, gaze);
    const int32_t gaze_q8[2] = {late.gaze_x_q8, late.gaze_y_q8};
    struct operator_cuda *kernels = NULL;
    CUdeviceptr gazes = 0;
    struct test_image host[4];
    struct device_array arrays[4]; /* the source, with the frame's gaze, with a late one, between */
    CU_ASSERT(fixture.cu->MemAlloc(&gazes, sizeof gaze_q8));
    cuda_fixture_upload(gazes, gaze_q8, sizeof gaze_q8);
    assert_ok(operator_cuda_create(&chain_operator.cuda->kind, fixture.device, &kernels));
    for (int i = 0; i < 4; i++) {
        host[i] = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
        image_draw(&host[i].view, i == 0 ? IMAGE_PHOTO : IMAGE_CHECKER, 3);
        arrays[i] = device_array_make(&host[i].view);
    }
    for (size_t i = 0; i < COUNT(all); i++) {
        for (int j = 1; j < 3; j++) {
            const CUsurfObject surfaces[3] = {arrays[0].surface, arrays[j].surface,
                                              arrays[3].surface};
            run_surface_with(kernels, all[i], FOVEA_FORMAT_RGBA8, surfaces, j == 2 ? gazes : 0);
            device_array_download(&arrays[j], &host[j].view);
        }
        compare_assert_all_same(&host[2].view, &host[1].view, "late gaze");
    }
    for (int i = 0; i < 4; i++) {
        device_array_free(&arrays[i]);
        image_free(&host[i]);
    }
    operator_cuda_destroy(&kernels);
    CU_ASSERT(fixture.cu->MemFree(gazes));
}

TEST(surfaces_go_through_the_row)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10,
                                                FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F};
    OWNED(operator_cuda_destroy) struct operator_cuda *kernels = NULL;
    assert_ok(operator_cuda_create(&chain_operator.cuda->kind, fixture.device, &kernels));
    for (size_t f = 0; f < COUNT(formats); f++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct test_image host[5];
            struct device_array arrays[5]; /* and the one between */
            for (int j = 0; j < 5; j++) {
                host[j] = image_make_packed(WIDTH_PX, HEIGHT_PX, formats[f]);
                image_draw(&host[j].view, j == 0 ? IMAGE_PHOTO : IMAGE_CHECKER, 3);
                arrays[j] = device_array_make(&host[j].view);
            }
            const CUsurfObject between = arrays[4].surface;
            run_surface(kernels, &rows[i].first, formats[f], arrays[0].surface, arrays[1].surface,
                        0);
            run_surface(kernels, &rows[i].second, formats[f], arrays[1].surface, arrays[2].surface,
                        0);
            run_surface(kernels, &rows[i].row, formats[f], arrays[0].surface, arrays[3].surface,
                        between);
            const char *what = test_text("surface, row %zu, format %d", i, (int)formats[f]);
            for (int j = 2; j < 4; j++) {
                device_array_download(&arrays[j], &host[j].view);
            }
            compare_assert_all_same(&host[3].view, &host[2].view, what);
            for (int j = 0; j < 5; j++) {
                device_array_free(&arrays[j]);
                image_free(&host[j]);
            }
        }
    }
}
