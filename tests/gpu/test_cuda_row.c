/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Operators in a row on CUDA: bit for bit the same as one after the other. */

#include "compare.h"
#include "cuda_fixture.h"
#include "kernels/operator/operator_cuda.h"
#include "kernels/row/row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WIDTH_PX 149
#define HEIGHT_PX 83

static struct cuda_fixture fixture;
static const struct fovea_point_uv gaze = {0.3, 0.6};

static const struct fovea_operators foveate = {1, {FOVEA_OPERATOR_foveate}};
static const struct fovea_operators blur = {1, {FOVEA_OPERATOR_blur}};
static const struct fovea_operators foveate_blur = {2,
                                                    {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_blur}};
static const struct fovea_operators blur_foveate = {2,
                                                    {FOVEA_OPERATOR_blur, FOVEA_OPERATOR_foveate}};

static const struct {
    const struct fovea_operators *first, *second, *row;
} rows[] = {{&foveate, &blur, &foveate_blur}, {&blur, &foveate, &blur_foveate}};

static struct fovea_settings settings_of(const struct fovea_operators *operators)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.operators = *operators;
    return settings;
}

/* ---- Linear memory, through the public functions */

static void run(struct fovea_context *context, const struct fovea_operators *operators,
                const struct device_image *src, const struct device_image *dst)
{
    const struct fovea_settings settings = settings_of(operators);
    assert_int_equal(fovea_context_set_settings(context, &settings), FOVEA_OK);
    assert_int_equal(fovea_context_run(context, &src->view, &dst->view, gaze, fixture.stream),
                     FOVEA_OK);
}

static void linear_images_go_through_the_row(void **state)
{
    (void)state;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.log = fixture.log;
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), FOVEA_OK);
    for (int f = FOVEA_FORMAT_NONE + 1; fovea_format_bytes((enum fovea_format)f) > 0; f++) {
        const struct image_layout gaps = {.bottom_up = f % 2 == 1, .row_gap = 2};
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct test_image host[4];
            struct device_image images[4]; /* the source, after one, after two, after the row */
            for (int j = 0; j < 4; j++) {
                host[j] = image_make(WIDTH_PX, HEIGHT_PX, (enum fovea_format)f, gaps);
                image_draw(&host[j].view, j == 0 ? IMAGE_PHOTO : IMAGE_RANDOM, 3);
                images[j] = device_image_make(&fixture, &host[j], 0);
            }
            run(context, rows[i].first, &images[0], &images[1]);
            run(context, rows[i].second, &images[1], &images[2]);
            run(context, rows[i].row, &images[0], &images[3]);
            cuda_fixture_wait(&fixture);
            char what[64];
            snprintf(what, sizeof what, "row %zu, format %d", i, f);
            for (int j = 2; j < 4; j++) {
                device_image_download(&fixture, &images[j], &host[j]);
            }
            compare_assert_all_same(&host[3].view, &host[2].view, what);
            assert_true(image_guards_intact(&host[3]));
            for (int j = 0; j < 4; j++) {
                device_image_free(&fixture, &images[j]);
                image_free(&host[j]);
            }
        }
    }
    fovea_context_destroy(&context);
}

#define BATCH 3

/* Pictures one below the other, as one image of the memory that the batch is in. */
static void a_batch_goes_through_the_row(void **state)
{
    (void)state;
    static const float gazes_uv[2 * BATCH] = {0.3f, 0.6f, 0.9f, 0.1f, 0.5f, 0.5f};
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.log = fixture.log;
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), FOVEA_OK);
    struct test_image host[4];
    struct device_image images[4];
    for (int j = 0; j < 4; j++) {
        host[j] = image_make_packed(64, BATCH * 48, FOVEA_FORMAT_RGB8);
        image_draw(&host[j].view, j == 0 ? IMAGE_PHOTO : IMAGE_RANDOM, 3);
        images[j] = device_image_make(&fixture, &host[j], 0);
    }
    const struct {
        const struct fovea_operators *operators;
        int src, dst;
    } steps[] = {{&foveate, 0, 1}, {&blur, 1, 2}, {&foveate_blur, 0, 3}};
    for (size_t i = 0; i < COUNT(steps); i++) {
        const struct fovea_settings settings = settings_of(steps[i].operators);
        struct fovea_batch batch;
        fovea_batch_init(&batch);
        batch.count = BATCH;
        batch.src = images[steps[i].src].view;
        batch.dst = images[steps[i].dst].view;
        batch.src.height_px = batch.dst.height_px = 48;
        batch.src_next_bytes = 48 * batch.src.row_stride_bytes;
        batch.dst_next_bytes = 48 * batch.dst.row_stride_bytes;
        batch.gazes_uv = gazes_uv;
        assert_int_equal(fovea_context_set_settings(context, &settings), FOVEA_OK);
        assert_int_equal(fovea_context_run_batch(context, &batch, fixture.stream), FOVEA_OK);
    }
    cuda_fixture_wait(&fixture);
    for (int j = 0; j < 4; j++) {
        device_image_download(&fixture, &images[j], &host[j]);
        device_image_free(&fixture, &images[j]);
    }
    compare_assert_all_same(&host[3].view, &host[2].view, "batch");
    for (int j = 0; j < 4; j++) {
        image_free(&host[j]);
    }
    fovea_context_destroy(&context);
}

/* ---- Surfaces */

/* A view in the middle of larger arrays: what is around it stays. */
static void run_surface(struct operator_cuda *kernels, const struct fovea_operators *operators,
                        enum fovea_format format, CUsurfObject src, CUsurfObject dst,
                        CUsurfObject between)
{
    const struct fovea_settings settings = settings_of(operators);
    const struct operator_plan_desc desc = {&settings, WIDTH_PX - 20, HEIGHT_PX - 10};
    struct operator_frame frame = operator_frame_make(desc.width_px, desc.height_px, gaze);
    frame.origin_x_px = 11;
    frame.origin_y_px = 7;
    struct operator_cuda_run run = {.frame = &frame, .stream = fixture.stream};
    struct operator_plan *plan = NULL;
    assert_int_equal(row_operator.plan_create(&desc, &plan), FOVEA_OK);
    assert_int_equal(plan->images_between, operators->count - 1);
    assert_int_equal(row_operator.cuda->plan_create(kernels, plan, format, &run.cuda_plan),
                     FOVEA_OK);
    run.plan = plan;
    run.between[0] = between;
    assert_int_equal(row_operator.cuda->run_surface(kernels, &run, format, src, dst), FOVEA_OK);
    cuda_fixture_wait(&fixture);
    row_operator.cuda->plan_retire(kernels, &run.cuda_plan);
    row_operator.plan_destroy(&plan);
}

static void surfaces_go_through_the_row(void **state)
{
    (void)state;
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10,
                                                FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F};
    struct operator_cuda *kernels = NULL;
    assert_int_equal(row_operator.cuda->create(fixture.device, &kernels), FOVEA_OK);
    for (size_t f = 0; f < COUNT(formats); f++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct test_image host[5];
            struct device_array arrays[5]; /* and the one between */
            for (int j = 0; j < 5; j++) {
                host[j] = image_make_packed(WIDTH_PX, HEIGHT_PX, formats[f]);
                image_draw(&host[j].view, j == 0 ? IMAGE_PHOTO : IMAGE_CHECKER, 3);
                arrays[j] = device_array_make(&fixture, &host[j].view);
            }
            const CUsurfObject between = arrays[4].surface;
            run_surface(kernels, rows[i].first, formats[f], arrays[0].surface, arrays[1].surface,
                        0);
            run_surface(kernels, rows[i].second, formats[f], arrays[1].surface, arrays[2].surface,
                        0);
            run_surface(kernels, rows[i].row, formats[f], arrays[0].surface, arrays[3].surface,
                        between);
            char what[64];
            snprintf(what, sizeof what, "surface, row %zu, format %d", i, (int)formats[f]);
            for (int j = 2; j < 4; j++) {
                device_array_download(&fixture, &arrays[j], &host[j].view);
            }
            compare_assert_all_same(&host[3].view, &host[2].view, what);
            for (int j = 0; j < 5; j++) {
                device_array_free(&fixture, &arrays[j]);
                image_free(&host[j]);
            }
        }
    }
    row_operator.cuda->destroy(&kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_images_go_through_the_row),
        cmocka_unit_test(a_batch_goes_through_the_row),
        cmocka_unit_test(surfaces_go_through_the_row),
    };
    return CUDA_RUN(&fixture, tests);
}
