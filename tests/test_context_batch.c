/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context_run_batch: as many single runs, bit for bit, and what is no batch. The search
 * (search/) tries formats, models, layouts, planes, foveas, counts and threads. */

#include "test_context_support.h"

#include "compare.h"
#include "sheet.h"

#define MAX_COUNT 1200

struct kind {
    enum fovea_method method;
    enum fovea_format format;
    enum sheet_order order;
    uint32_t threads;
    uint32_t count;
    uint32_t width_px;
    uint32_t height_px;
};

/* One batch, and what single runs make of the same images. */
struct scene {
    struct kind kind;
    struct said said;
    struct fovea_context *context;
    struct sheet src;
    struct sheet dst;
    struct sheet expected;
    struct fovea_batch batch;
    float gazes_uv[2 * MAX_COUNT];
};

static const struct kind usual = {.method = FOVEA_METHOD_SMOOTH,
                                  .format = FOVEA_FORMAT_RGBA8,
                                  .threads = 2,
                                  .count = 7,
                                  .width_px = 37,
                                  .height_px = 29};

static struct scene *scene_make(struct kind kind)
{
    struct fovea_settings settings = fovea_settings_default();
    struct scene *s = test_memory(1, sizeof *s);
    assert_true(kind.count <= MAX_COUNT);
    s->kind = kind;
    settings.cpu_threads = kind.threads;
    settings.foveation.method = kind.method;
    settings.foveation.paper.fragment_px = 8;
    s->context = context_of(&settings, &s->said);
    s->src = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, kind.order);
    s->dst = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, kind.order);
    s->expected = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, SHEET_STACKED);
    sheet_draw(&s->src, IMAGE_RANDOM, 1);
    sheet_gazes(s->gazes_uv, kind.count, 1);
    s->batch = (struct fovea_batch){.struct_bytes = sizeof(struct fovea_batch),
                                    .count = kind.count,
                                    .src = s->src.first,
                                    .dst = s->dst.first,
                                    .src_next_bytes = s->src.next_bytes,
                                    .dst_next_bytes = s->dst.next_bytes,
                                    .gazes_uv = s->gazes_uv};
    return s;
}

static void scene_free(struct scene **own)
{
    OWNED(owned_free) struct scene *s = *own;
    assert_silent(&s->said);
    fovea_context_destroy(&s->context);
    sheet_free(&s->src);
    sheet_free(&s->dst);
    sheet_free(&s->expected);
}

static void run_batch(struct scene *s)
{
    assert_ok(fovea_context_run_batch(s->context, &s->batch, NULL));
    assert_true(image_guards_intact(&s->dst.all));
}

/* The result of the batch is what single runs give. `src` of image i. */
static void assert_single(struct scene *s, const struct fovea_image *src, uint32_t index)
{
    const struct fovea_image expected = sheet_image(&s->expected, index);
    const struct fovea_image dst = sheet_image(&s->dst, index);
    const float *gaze_uv = s->gazes_uv + 2 * (size_t)index;
    const struct fovea_point_uv gaze = {(double)gaze_uv[0], (double)gaze_uv[1]};
    const char *what = test_text("image %u", index);
    assert_ok(fovea_context_run(s->context, src, &expected, gaze, NULL));
    compare_assert_all_same(&dst, &expected, what);
}

static void assert_singles(struct scene *s)
{
    for (uint32_t i = 0; i < s->batch.count; i++) {
        const struct fovea_image src = sheet_image(&s->src, i);
        assert_single(s, &src, i);
    }
}

static void check(struct kind kind)
{
    OWNED(scene_free) struct scene *s = scene_make(kind);
    run_batch(s);
    assert_singles(s);
}

/* More than have levels at a time, so that some come after others. */
TEST(many_images_are_as_single_runs)
{
    struct kind kind = usual;
    kind.width_px = kind.height_px = 128;
    kind.count = 150;
    kind.format = FOVEA_FORMAT_RGB8;
    check(kind);
    kind.width_px = kind.height_px = 16;
    kind.count = MAX_COUNT;
    kind.method = FOVEA_METHOD_BLOCKWISE;
    check(kind);
}

TEST(a_batch_of_one_may_have_any_distance)
{
    struct kind kind = usual;
    kind.count = 1;
    OWNED(scene_free) struct scene *s = scene_make(kind);
    s->batch.src_next_bytes = PTRDIFF_MIN;
    s->batch.dst_next_bytes = 1;
    run_batch(s);
    assert_singles(s);
}

TEST(batches_of_changing_sizes_and_frames_between_them_work)
{
    static const uint32_t counts[] = {2, 9, 1, 3, 9};
    struct kind kind = usual;
    kind.count = 9;
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        kind.method = (enum fovea_method)method;
        OWNED(scene_free) struct scene *s = scene_make(kind);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            image_fill(&s->dst.all.view, 0.0);
            s->batch.count = counts[i];
            run_batch(s);
            assert_singles(s);
        }
    }
}

/* ---- Overlapping sources */

/* A window that moves over a picture by three rows an image. */
TEST(sources_may_overlap_each_other)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    s->batch.src_next_bytes = 3 * s->src.first.row_stride_bytes;
    run_batch(s);
    for (uint32_t i = 0; i < s->batch.count; i++) {
        struct fovea_image src = s->src.first;
        src.data = image_pixel(&s->src.all.view, 0, 3 * i);
        assert_single(s, &src, i);
    }
}

/* ---- Stereo */

/* Images of src and dst in turns in the same rows. */
TEST(src_and_dst_may_lie_between_each_other)
{
    struct kind kind = usual;
    kind.order = SHEET_SIDE_BY_SIDE;
    kind.count = 8;
    OWNED(scene_free) struct scene *s = scene_make(kind);
    struct sheet other = s->dst;
    s->batch.count = 4;
    s->batch.src_next_bytes *= 2;
    s->batch.dst = sheet_image(&s->src, 1);
    s->batch.dst_next_bytes = s->batch.src_next_bytes;
    run_batch(s);
    for (uint32_t i = 0; i < 4; i++) {
        const struct fovea_image src = sheet_image(&s->src, 2 * i);
        const struct fovea_image dst = sheet_image(&s->src, 2 * i + 1);
        const struct fovea_image expected = sheet_image(&other, i);
        const struct fovea_point_uv gaze = {(double)s->gazes_uv[2 * i],
                                            (double)s->gazes_uv[2 * i + 1]};
        assert_ok(fovea_context_run(s->context, &src, &expected, gaze, NULL));
        compare_assert_all_same(&dst, &expected, "between");
    }
    /* The same places, the images of dst from right to left. */
    s->batch.dst = sheet_image(&s->src, 7);
    s->batch.dst_next_bytes = -s->batch.src_next_bytes;
    run_batch(s);
}

/* ---- What is refused */

/* After a good frame, so that a problem that is still the same is said again. */
static void refuse(struct scene *s, const struct fovea_batch *batch, const char *word)
{
    const struct kind kind = s->kind;
    const struct fovea_point_uv centre = {0.5, 0.5};
    assert_ok(fovea_context_run(s->context, &s->src.first, &s->expected.first, centre, NULL));
    struct sheet untouched =
        sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, kind.order);
    assert_invalid(fovea_context_run_batch(s->context, batch, NULL));
    assert_said(&s->said, word);
    assert_int_equal(s->dst.all.memory_bytes, untouched.all.memory_bytes);
    assert_memory_equal(s->dst.all.memory, untouched.all.memory, untouched.all.memory_bytes);
    sheet_free(&untouched);
}

/* The last arguments make a good batch a bad one. */
#define REFUSED(word, ...)                                                                         \
    do {                                                                                           \
        struct fovea_batch bad = s->batch;                                                         \
        __VA_ARGS__;                                                                               \
        refuse(s, &bad, word);                                                                     \
    } while (0)

TEST(nothing_and_too_much_are_refused)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    assert_invalid(fovea_context_run_batch(NULL, &s->batch, NULL));
    refuse(s, NULL, "batch is NULL");
    REFUSED("count is 0", bad.count = 0);
    REFUSED("count is 65536", bad.count = 65536);
    REFUSED("count is 4294967295", bad.count = UINT32_MAX);
    REFUSED("src.data is NULL", bad.src.data = NULL);
    REFUSED("dst.data is NULL", bad.dst.data = NULL);
    REFUSED("one size", bad.dst.height_px--);
}

TEST(wrong_gazes_are_refused)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    REFUSED("gazes_uv is NULL", bad.gazes_uv = NULL);
    REFUSED("gazes_uv is not aligned",
            bad.gazes_uv = (const float *)(const void *)((const char *)s->gazes_uv + 2));
    REFUSED("gazes_memory is 7", bad.gazes_memory = (enum fovea_memory)7);
    REFUSED("the gazes are in CUDA memory", bad.gazes_memory = FOVEA_MEMORY_CUDA);
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        s->gazes_uv[2 * 6 + i % 2] = values[i];
        refuse(s, &s->batch, "the gaze of image 6 is not finite");
        s->gazes_uv[2 * 6 + i % 2] = 0.5f;
    }
    s->batch.count = 1;
    s->gazes_uv[1] = NAN;
    refuse(s, &s->batch, "the gaze of image 0 is not finite");
}

TEST(overlapping_destinations_are_refused)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    const ptrdiff_t row = s->dst.first.row_stride_bytes;
    const ptrdiff_t nexts[] = {0, 4, -4, row, -row, row * 28, row * 28 + 37 * 4 - 4, 3 * row + 8};
    for (size_t i = 0; i < sizeof nexts / sizeof *nexts; i++) {
        REFUSED("images of dst overlap", bad.dst_next_bytes = nexts[i]);
    }
}

/* The first and the second are apart; the first and the third are not. */
TEST(destinations_that_meet_later_are_refused)
{
    struct kind kind = usual;
    kind.order = SHEET_SIDE_BY_SIDE;
    OWNED(scene_free) struct scene *s = scene_make(kind);
    struct fovea_batch bad = s->batch;
    bad.count = 2;
    bad.dst_next_bytes = 130 * 4; /* of 7 * 37 px */
    assert_ok(fovea_context_run_batch(s->context, &bad, NULL));
    bad.count = 3;
    assert_invalid(fovea_context_run_batch(s->context, &bad, NULL));
    assert_said(&s->said, "the first and number 2");
}

TEST(src_over_dst_is_refused)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    REFUSED("src and dst overlap", bad.src = bad.dst);
    /* only the first of src and the last of dst */
    REFUSED("src and dst overlap", bad.src = sheet_image(&s->dst, 6));
    REFUSED("src and dst overlap", bad.src = sheet_image(&s->dst, 6), bad.src_next_bytes = 0);
    REFUSED("src and dst overlap", bad.src = sheet_image(&s->dst, 6),
            bad.src_next_bytes = -bad.dst_next_bytes);
}

TEST(distances_that_no_batch_needs_are_refused)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    REFUSED("src_next_bytes", bad.src_next_bytes = PTRDIFF_MIN);
    REFUSED("src_next_bytes", bad.src_next_bytes = PTRDIFF_MAX);
    REFUSED("dst_next_bytes", bad.dst_next_bytes = PTRDIFF_MIN);
    scene_free(&s);
    struct kind kind = usual;
    kind.format = FOVEA_FORMAT_RGBA32F;
    s = scene_make(kind);
    struct fovea_batch bad = s->batch;
    bad.dst_next_bytes += 2;
    assert_invalid(fovea_context_run_batch(s->context, &bad, NULL));
    assert_said(&s->said, "dst_next_bytes");
}

/* ---- Channels in planes: three pictures of R16F for each of RGB16F */

static struct fovea_image of_planes(struct fovea_image first)
{
    first.format = FOVEA_FORMAT_RGB16F;
    return first;
}

static unsigned char *sample(const struct sheet *sheet, uint32_t i)
{
    const uint32_t size = usual.width_px * usual.height_px, plane = i / size;
    const bool planes = sheet->first.format == FOVEA_FORMAT_R16F;
    const struct fovea_image image = sheet_image(sheet, planes ? plane : plane / 3);
    return image_pixel(&image, i % usual.width_px, i % size / usual.width_px) +
           (planes ? 0 : 2 * (plane % 3));
}

#define SAMPLES (3 * usual.count * usual.width_px * usual.height_px)

static struct scene *scene_of_planes(bool planes)
{
    struct kind kind = usual;
    kind.format = planes ? FOVEA_FORMAT_R16F : FOVEA_FORMAT_RGB16F;
    kind.count *= planes ? 3 : 1;
    struct scene *s = scene_make(kind);
    if (planes) {
        s->batch.count = usual.count;
        s->batch.src = of_planes(s->src.first);
        s->batch.dst = of_planes(s->dst.first);
        s->batch.src_plane_bytes = s->batch.dst_plane_bytes = s->src.next_bytes;
        s->batch.src_next_bytes = s->batch.dst_next_bytes = 3 * s->src.next_bytes;
    }
    return s;
}

/* On one side, on the other and on both; of many pictures, of one, and in a batch of one, which
 * needs no distances. */
TEST(planes_are_as_pixels)
{
    OWNED(scene_free) struct scene *pixels = scene_of_planes(false);
    OWNED(scene_free) struct scene *planes = scene_of_planes(true);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        memcpy(sample(&planes->src, i), sample(&pixels->src, i), 2);
    }
    for (int i = 0; i < 9; i++) {
        struct fovea_batch batch = i % 3 == 0 ? pixels->batch : planes->batch;
        if (i % 3 < 2) {
            batch.dst = i % 3 == 0 ? planes->batch.dst : pixels->batch.dst;
            batch.dst_plane_bytes = i % 3 == 0 ? planes->batch.dst_plane_bytes : 0;
            batch.dst_next_bytes = (i % 3 == 0 ? planes : pixels)->batch.dst_next_bytes;
        }
        batch.gazes_uv = pixels->gazes_uv;
        batch.count = i < 6 ? usual.count : 1;
        batch.src_next_bytes = i < 3 ? batch.src_next_bytes : i < 6 ? 0 : 6;
        batch.dst_next_bytes = i < 6 ? batch.dst_next_bytes : 6;
        assert_ok(fovea_context_run_batch(planes->context, &batch, NULL));
        struct fovea_batch expected = pixels->batch;
        expected.dst = pixels->expected.first;
        expected.dst_next_bytes = pixels->expected.next_bytes;
        expected.src_next_bytes = i < 3 ? expected.src_next_bytes : 0;
        assert_ok(fovea_context_run_batch(pixels->context, &expected, NULL));
        const struct sheet *made = i % 3 == 1 ? &pixels->dst : &planes->dst;
        for (uint32_t k = 0; k < SAMPLES / usual.count * batch.count; k++) {
            assert_memory_equal(sample(made, k), sample(&pixels->expected, k), 2);
        }
    }
}

TEST(planes_that_are_none_are_refused)
{
    OWNED(scene_free) struct scene *s = scene_of_planes(true);
    const ptrdiff_t plane = s->batch.dst_plane_bytes;
    /* in the first plane, and the last is the next image's first */
    REFUSED("overlap", bad.dst_plane_bytes = bad.dst.row_stride_bytes);
    REFUSED("overlap", bad.dst_next_bytes = 2 * plane);
    REFUSED("src_plane_bytes is 3", bad.src_plane_bytes = 3);
    REFUSED("src_plane_bytes", bad.src_plane_bytes = PTRDIFF_MIN);
    /* read where dst is written */
    REFUSED("overlap", bad.src.data = (char *)bad.dst.data + 2 * plane, bad.count = 1);
    REFUSED("has none", bad.src.format = bad.dst.format = FOVEA_FORMAT_RGBA8);
}

/* 300 of src from left to right and 300 of dst from right to left, in the same rows. */
TEST(more_pairs_than_are_looked_at_are_refused)
{
    struct kind kind = usual;
    kind.order = SHEET_SIDE_BY_SIDE;
    kind.width_px = kind.height_px = 4;
    kind.count = 600;
    OWNED(scene_free) struct scene *s = scene_make(kind);
    struct fovea_batch batch = s->batch;
    batch.count = 300;
    batch.src_next_bytes *= 2;
    batch.dst = sheet_image(&s->src, 599);
    batch.dst_next_bytes = -batch.src_next_bytes;
    assert_invalid(fovea_context_run_batch(s->context, &batch, NULL));
    assert_said(&s->said, "too many");
}
