/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches through chains of operators: bit for bit the same as one after the other. Single pictures
 * are in test_context_operators. */

#include "test_context_support.h"

#include "compare.h"
#include "kernels/chain/chain_plan.h"
#include "sheet.h"

static const struct fovea_operators foveate = {1, {FOVEA_OPERATOR_foveate}};
static const struct fovea_operators blur = {1, {FOVEA_OPERATOR_blur}};
static const struct fovea_operators foveate_blur = {2,
                                                    {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_blur}};

static struct fovea_settings settings_of(const struct fovea_operators *operators)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.cpu_threads = 2;
    settings.foveation.paper.e_max_deg = 200; /* much blur in small pictures */
    settings.operators = *operators;
    return settings;
}

static void set(struct fovea_context *context, const struct fovea_operators *operators)
{
    const struct fovea_settings settings = settings_of(operators);
    assert_ok(fovea_context_set_settings(context, &settings));
}

/* ---- Batches */

#define COUNT 5

static struct sheet make_sheet(enum sheet_order order)
{
    return sheet_make(COUNT, 37, 29, FOVEA_FORMAT_RGB8, order);
}

static void run_batch(struct fovea_context *context, const struct fovea_operators *operators,
                      const struct sheet *src, bool one_source, const struct sheet *dst)
{
    float gazes_uv[2 * COUNT];
    sheet_gazes(gazes_uv, COUNT, 1);
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = COUNT;
    batch.src = src->first;
    batch.dst = dst->first;
    batch.src_next_bytes = one_source ? 0 : src->next_bytes;
    batch.dst_next_bytes = dst->next_bytes;
    batch.gazes_uv = gazes_uv;
    set(context, operators);
    assert_ok(fovea_context_run_batch(context, &batch, NULL));
}

static void check_batches(struct fovea_context *context)
{
    for (int one_source = 0; one_source < 2; one_source++) {
        OWNED(sheet_free) struct sheet src = make_sheet(SHEET_SIDE_BY_SIDE);
        OWNED(sheet_free) struct sheet first = make_sheet(SHEET_STACKED);
        OWNED(sheet_free) struct sheet second = make_sheet(SHEET_GAPS);
        OWNED(sheet_free) struct sheet row = make_sheet(SHEET_GAPS);
        sheet_draw(&src, IMAGE_RANDOM, 1);
        run_batch(context, &foveate, &src, one_source, &first);
        run_batch(context, &blur, &first, false, &second);
        run_batch(context, &foveate_blur, &src, one_source, &row);
        for (uint32_t i = 0; i < COUNT; i++) {
            const struct fovea_image actual = sheet_image(&row, i);
            const struct fovea_image expected = sheet_image(&second, i);
            compare_assert_all_same(&actual, &expected, one_source ? "one source" : "batch");
        }
    }
}

/* Whole; two images at a time, and the last by itself; one at a time, where not even one fits. */
TEST(a_batch_goes_through_the_row_too)
{
    const uint64_t usual_bytes = chain_most_between_bytes;
    const struct fovea_image like = {.format = FOVEA_FORMAT_RGB8, .width_px = 37, .height_px = 29};
    const uint64_t most_bytes[] = {usual_bytes, 2 * chain_image_bytes(&like) + 1, 1};
    for (size_t i = 0; i < sizeof most_bytes / sizeof most_bytes[0]; i++) {
        struct said said = {0};
        OWNED(fovea_context_destroy) struct fovea_context *context = context_of(NULL, &said);
        chain_most_between_bytes = most_bytes[i];
        check_batches(context);
        assert_silent(&said);
    }
    chain_most_between_bytes = usual_bytes;
}

/* 64 of 1,000 images of a megabyte each go at a time. */
TEST(the_memory_between_has_an_end)
{
    const struct chain_plan plan = {.base = {.images_between = 1}};
    const struct fovea_image like = {
        .format = FOVEA_FORMAT_RGBA8, .width_px = 512, .height_px = 512};
    struct operator_images images = {.count = 1000, .src = &like, .dst = &like};
    assert_int_equal(chain_slice_count(&plan, &images), 64);
    assert_int_equal(chain_between_bytes(&plan, &images), 64 << 20);
    images.count = 3;
    assert_int_equal(chain_slice_count(&plan, &images), 3);
    assert_int_equal(chain_between_bytes(&plan, &images), 4 << 20);
    const struct chain_plan alone = {.base = {.images_between = 0}};
    images.count = 1000;
    assert_int_equal(chain_slice_count(&alone, &images), 1000);
    assert_int_equal(chain_between_bytes(&alone, &images), 0);
    images.src_plane_bytes = 1; /* pixels of 1 MiB */
    assert_int_equal(chain_slice_count(&alone, &images), 64);
    const struct fovea_image on_device = {.format = FOVEA_FORMAT_RGBA8,
                                          .width_px = 512,
                                          .height_px = 512,
                                          .memory = FOVEA_MEMORY_CUDA};
    images.src = images.dst = &on_device;
    assert_int_equal(chain_slice_count(&alone, &images), 512);
    images.dst_plane_bytes = 1;
    assert_int_equal(chain_slice_count(&alone, &images), 256);
    assert_int_equal(chain_between_bytes(&alone, &images), 512 << 20);
    assert_int_equal(chain_slice_count(&plan, &images), 21);
}

/* ---- Settings */

TEST(wrong_operators_are_refused_by_name)
{
    static const struct fovea_operators wrong[] = {
        {0, {0}},
        {FOVEA_OPERATOR_COUNT + 1, {0}},
        {1, {FOVEA_OPERATOR_COUNT}},
        {2, {FOVEA_OPERATOR_blur, FOVEA_OPERATOR_blur}},
    };
    struct said said = {0};
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(NULL, &said);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct fovea_settings settings = settings_of(&wrong[i]);
        assert_invalid(fovea_context_set_settings(context, &settings));
        assert_said(&said, "operators is [");
    }
}
