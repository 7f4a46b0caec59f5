/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every wrong argument is refused with a message, and dst is not written. */

#include "support/test_with.h"
#include "test_context_support.h"

#include "compare.h"

static const struct fovea_point_uv center = {0.5, 0.5};

struct bench {
    struct said said;
    struct fovea_context *context;
    struct test_image src;
    struct test_image dst;
    struct test_image untouched; /* dst as it was made */
};

static void bench_make(struct bench *bench)
{
    *bench = (struct bench){.context = NULL};
    bench->context = context_of(NULL, &bench->said);
    bench->src = image_make_packed(32, 24, FOVEA_FORMAT_RGBA32F);
    bench->dst = image_make_packed(32, 24, FOVEA_FORMAT_RGBA32F);
    bench->untouched = image_make_packed(32, 24, FOVEA_FORMAT_RGBA32F);
    image_draw(&bench->src.view, IMAGE_RANDOM, 1);
}

static void bench_finish(struct bench *bench)
{
    fovea_context_destroy(&bench->context);
    image_free(&bench->src);
    image_free(&bench->dst);
    image_free(&bench->untouched);
}

static void refuse(struct bench *bench, const struct fovea_image *src,
                   const struct fovea_image *dst, const char *word)
{
    assert_invalid(fovea_context_run(bench->context, src, dst, center, NULL));
    assert_said(&bench->said, word);
    compare_assert_all_same(&bench->dst.view, &bench->untouched.view, word);
}

/* The last arguments spoil good images. */
#define REFUSED(word, ...)                                                                         \
    do {                                                                                           \
        struct fovea_image src = b->src.view;                                                      \
        struct fovea_image dst = b->dst.view;                                                      \
        __VA_ARGS__;                                                                               \
        refuse(b, &src, &dst, word);                                                               \
    } while (0)

#define WITH_BENCH(name) TEST_WITH(name, struct bench, b, bench_make(&made), bench_finish)

WITH_BENCH(null_images_are_refused)
{
    assert_invalid(fovea_context_run(NULL, &b->src.view, &b->dst.view, center, NULL));
    assert_invalid(fovea_context_run(b->context, NULL, &b->dst.view, center, NULL));
    assert_said(&b->said, "src is NULL");
    assert_invalid(fovea_context_run(b->context, &b->src.view, NULL, center, NULL));
    assert_said(&b->said, "dst is NULL");
    REFUSED("src.data is NULL", src.data = NULL);
    REFUSED("dst.data is NULL", dst.data = NULL);
}

WITH_BENCH(wrong_sizes_are_refused)
{
    REFUSED("src is 0x24", src.width_px = 0);
    REFUSED("16385", src.width_px = 16385);
    REFUSED("4294967295", src.height_px = 0xffffffffu);
    REFUSED("one size", src.height_px = 23);
}

WITH_BENCH(wrong_formats_and_memories_are_refused)
{
    REFUSED("dst.format is 0", dst.format = FOVEA_FORMAT_NONE);
    REFUSED("dst.format is 99", dst.format = (enum fovea_format)99);
    REFUSED("one format", dst.format = FOVEA_FORMAT_RGBA16F);
    REFUSED("dst.memory is 5", dst.memory = (enum fovea_memory)5);
    REFUSED("CUDA memory", dst.memory = FOVEA_MEMORY_CUDA);
}

WITH_BENCH(wrong_strides_are_refused)
{
    static const ptrdiff_t rows[] = {0, 511, -511, 32, PTRDIFF_MAX, PTRDIFF_MIN};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        REFUSED("src.row_stride_bytes", src.row_stride_bytes = rows[i]);
    }
    static const ptrdiff_t pixels[] = {15, -16, 1, PTRDIFF_MAX, PTRDIFF_MIN};
    for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++) {
        REFUSED("src.pixel_stride_bytes", src.pixel_stride_bytes = pixels[i]);
    }
}

WITH_BENCH(misaligned_images_are_refused)
{
    REFUSED("src.data is not aligned", src.data = (unsigned char *)src.data + 2);
    REFUSED("src has strides", src.row_stride_bytes += 2);
}

/* Three of the same problem: said once. */
WITH_BENCH(overlap_is_refused)
{
    struct fovea_image others[] = {b->dst.view, b->dst.view, b->dst.view};
    others[1].data = image_pixel(&b->dst.view, 0, 23);
    others[2].data = image_pixel(&b->dst.view, 0, 23); /* the same rows from the bottom up */
    others[2].row_stride_bytes = -others[2].row_stride_bytes;
    for (size_t i = 0; i < 3; i++) {
        assert_invalid(fovea_context_run(b->context, &others[i], &b->dst.view, center, NULL));
    }
    assert_said(&b->said, "overlap");
    compare_assert_all_same(&b->dst.view, &b->untouched.view, "overlap");
}

/* An address is any number (a build with the undefined-behaviour sanitizer adds them up, too). */
WITH_BENCH(overlap_is_seen_at_every_address)
{
    static const uint64_t ends[] = {0, (uint64_t)1 << 63};
    for (size_t i = 0; i < 2; i++) {
        struct fovea_image low = b->dst.view;
        struct fovea_image high = b->dst.view;
        low.data = (void *)(uintptr_t)(ends[i] - 256);
        high.data = (void *)(uintptr_t)(ends[i] + 256);
        assert_invalid(fovea_context_run(b->context, &low, &high, center, NULL));
        high.row_stride_bytes = -high.row_stride_bytes;
        assert_invalid(fovea_context_run(b->context, &high, &low, center, NULL));
    }
    assert_said(&b->said, "overlap");
}

WITH_BENCH(neighbours_in_memory_do_not_overlap)
{
    struct fovea_image top = b->dst.view;
    top.height_px = 12;
    struct fovea_image bottom = top;
    bottom.data = image_pixel(&b->dst.view, 0, 12);
    image_fill(&b->dst.view, 1.0);
    assert_ok(fovea_context_run(b->context, &top, &bottom, center, NULL));
    assert_ok(fovea_context_run(b->context, &bottom, &top, center, NULL));
    assert_silent(&b->said);
}

WITH_BENCH(gaze_that_is_not_finite_is_refused)
{
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        const struct fovea_point_uv x = {bad[i], 0.5};
        const struct fovea_point_uv y = {0.5, bad[i]};
        assert_invalid(fovea_context_run(b->context, &b->src.view, &b->dst.view, x, NULL));
        assert_invalid(fovea_context_run(b->context, &b->src.view, &b->dst.view, y, NULL));
    }
    assert_said(&b->said, "gaze"); /* six times the same: said once */
    compare_assert_all_same(&b->dst.view, &b->untouched.view, "gaze");
}

WITH_BENCH(the_same_problem_is_said_again_after_a_good_frame)
{
    const struct fovea_point_uv nowhere = {(double)NAN, 0.5};
    for (int i = 0; i < 3; i++) {
        assert_invalid(fovea_context_run(b->context, &b->src.view, &b->dst.view, nowhere, NULL));
        assert_said(&b->said, "gaze");
        assert_ok(fovea_context_run(b->context, &b->src.view, &b->dst.view, center, NULL));
    }
}

/* ---- Creation */

TEST(null_descriptions_are_refused)
{
    OWNED(fovea_context_destroy) struct fovea_context *context = (struct fovea_context *)state;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    assert_invalid(fovea_context_create(NULL, &context));
    assert_null(context);
    assert_invalid(fovea_context_create(&desc, NULL));
    assert_invalid(fovea_context_set_settings(NULL, NULL));
    fovea_context_destroy(NULL);
}

static void refuse_settings(const struct fovea_settings *settings, enum fovea_result result,
                            const char *word)
{
    struct said said = {0};
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    desc.log = said_log(&said);
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), result);
    assert_null(context);
    assert_said(&said, word);
}

TEST(wrong_settings_are_refused)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.strength = 9.0;
    refuse_settings(&settings, FOVEA_ERROR_INVALID_ARGUMENT, "foveation.strength");
    settings = fovea_settings_default();
    settings.foveation.paper.ct0 = 0.999999999;
    refuse_settings(&settings, FOVEA_ERROR_INVALID_ARGUMENT, "foveation");
}

TEST(vulkan_is_not_for_this_context)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_VULKAN;
    refuse_settings(&settings, FOVEA_ERROR_UNSUPPORTED, "fovea_vulkan.h");
}

WITH_BENCH(cpu_takes_no_cuda_images)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CPU;
    fovea_context_destroy(&b->context);
    b->context = context_of(&settings, &b->said);
    struct fovea_image src = b->src.view;
    struct fovea_image dst = b->dst.view;
    src.memory = FOVEA_MEMORY_CUDA;
    dst.memory = FOVEA_MEMORY_CUDA;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fovea_context_run(b->context, &src, &dst, center, NULL),
                         FOVEA_ERROR_UNSUPPORTED);
    }
    assert_said(&b->said, "CUDA");
}

/* ---- Names and numbers */

TEST(formats_have_their_bytes)
{
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        assert_int_equal(fovea_format_bytes((enum fovea_format)format),
                         image_bytes((enum fovea_format)format));
    }
    assert_int_equal(fovea_format_bytes(FOVEA_FORMAT_NONE), 0);
    assert_int_equal(fovea_format_bytes((enum fovea_format) - 3), 0);
}

TEST(results_have_their_names)
{
    assert_string_equal(fovea_result_name(FOVEA_OK), "FOVEA_OK");
    assert_string_equal(fovea_result_name(FOVEA_PASSED_THROUGH), "FOVEA_PASSED_THROUGH");
    for (int result = FOVEA_ERROR_FRAME_LOST; result <= FOVEA_PASSED_THROUGH; result++) {
        assert_string_not_equal(fovea_result_name((enum fovea_result)result), "unknown result");
    }
    assert_string_equal(fovea_result_name((enum fovea_result)77), "unknown result");
    assert_int_equal(fovea_version(), FOVEA_VERSION_MAJOR * 1000000 + FOVEA_VERSION_MINOR * 1000 +
                                          FOVEA_VERSION_PATCH);
}
