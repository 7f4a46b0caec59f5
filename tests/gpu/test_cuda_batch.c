/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context_run_batch on a CUDA device: as many single runs, bit for bit, whatever memory the
 * gazes lie in. The search (search/) tries counts, models, planes, layouts, several foveas and one
 * picture for many gazes. */

#include "cuda_fixture.h"

#include "compare.h"
#include "sheet.h"

#define STREAMS 4

struct kind {
    enum fovea_model model;
    enum fovea_method method;
    enum fovea_format format;
    enum sheet_order order;
    uint32_t count;
    uint32_t width_px;
    uint32_t height_px;
};

static const struct kind usual = {.method = FOVEA_METHOD_SMOOTH,
                                  .format = FOVEA_FORMAT_RGBA8,
                                  .count = 9,
                                  .width_px = 91,
                                  .height_px = 67};
/* A block each (gauss_nodes_are_whole). */
static const struct kind small = {.method = FOVEA_METHOD_SMOOTH,
                                  .format = FOVEA_FORMAT_RGBA8,
                                  .count = 130,
                                  .width_px = 123,
                                  .height_px = 128};

/* A batch in device memory; `dst` on the host gets its result, `expected` that of single runs. */
struct scene {
    struct fovea_context *context;
    struct sheet src;
    struct sheet dst;
    struct sheet expected;
    struct device_image device_src;
    struct device_image device_dst;
    float *gazes_uv;
    CUdeviceptr device_gazes;
    struct fovea_batch batch;
};

static struct fovea_context *context_for(struct kind kind)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    settings.foveation.model = kind.model;
    settings.foveation.method = kind.method;
    settings.foveation.paper.fragment_px = 8;
    return cuda_fixture_context(&settings);
}

/* The device's copy of a sheet's image. */
static struct fovea_image on_device(const struct device_image *device, const struct sheet *sheet,
                                    uint32_t index)
{
    struct fovea_image image = sheet_image(sheet, index);
    const ptrdiff_t offset = (unsigned char *)image.data - sheet->all.memory;
    image.data = (void *)(uintptr_t)(device->copy + (CUdeviceptr)offset);
    image.memory = FOVEA_MEMORY_CUDA;
    return image;
}

static void upload_gazes(struct scene *s)
{
    const size_t bytes = 2 * (size_t)s->src.count * sizeof *s->gazes_uv;
    cuda_fixture_upload(s->device_gazes, s->gazes_uv, bytes);
}

static void make_gazes(struct scene *s, uint32_t count)
{
    const size_t bytes = 2 * (size_t)count * sizeof *s->gazes_uv;
    s->gazes_uv = test_memory(1, bytes);
    sheet_gazes(s->gazes_uv, count, 1);
    CU_ASSERT(fixture.cu->MemAlloc(&s->device_gazes, bytes));
    upload_gazes(s);
}

static struct scene *scene_make(struct kind kind)
{
    struct scene *s = test_memory(1, sizeof *s);
    s->context = context_for(kind);
    s->src = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, kind.order);
    s->dst = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, kind.order);
    s->expected = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, kind.order);
    sheet_draw(&s->src, IMAGE_RANDOM, 1);
    s->device_src = device_image_make(&s->src.all, 0);
    s->device_dst = device_image_make(&s->dst.all, 0);
    make_gazes(s, kind.count);
    s->batch = (struct fovea_batch){.struct_bytes = sizeof(struct fovea_batch),
                                    .count = kind.count,
                                    .src = on_device(&s->device_src, &s->src, 0),
                                    .dst = on_device(&s->device_dst, &s->dst, 0),
                                    .src_next_bytes = s->src.next_bytes,
                                    .dst_next_bytes = s->dst.next_bytes,
                                    .gazes_uv = s->gazes_uv};
    return s;
}

static void scene_free(struct scene **own)
{
    OWNED(owned_free) struct scene *s = *own;
    fovea_context_destroy(&s->context);
    device_image_free(&s->device_src);
    device_image_free(&s->device_dst);
    CU_ASSERT(fixture.cu->MemFree(s->device_gazes));
    sheet_free(&s->src);
    sheet_free(&s->dst);
    sheet_free(&s->expected);
    free(s->gazes_uv);
}

static void clear_dst(struct scene *s)
{
    CU_ASSERT(fixture.cu->MemsetD8(s->device_dst.copy, 0xa5, s->device_dst.bytes));
    CU_ASSERT(fixture.cu->StreamSynchronize(NULL));
}

static void run_batch(struct scene *s)
{
    clear_dst(s);
    assert_ok(fovea_context_run_batch(s->context, &s->batch, fixture.stream));
    cuda_fixture_wait();
    device_image_download(&s->device_dst, &s->dst.all);
}

/* Runs single images, `step` apart, as the batch takes them. */
static void run_singles(struct scene *s, uint32_t step)
{
    clear_dst(s);
    for (uint32_t i = 0; i < s->batch.count; i++) {
        const struct fovea_image src = on_device(&s->device_src, &s->src, i * step);
        const struct fovea_image dst = on_device(&s->device_dst, &s->dst, i);
        const struct fovea_point_uv gaze = {(double)s->gazes_uv[2 * (size_t)i],
                                            (double)s->gazes_uv[2 * (size_t)i + 1]};
        assert_ok(fovea_context_run(s->context, &src, &dst, gaze, fixture.stream));
    }
    cuda_fixture_wait();
    device_image_download(&s->device_dst, &s->expected.all);
}

/* Guards and gaps included. */
static void assert_as_singles(struct scene *s)
{
    if (memcmp(s->dst.all.memory, s->expected.all.memory, s->dst.all.memory_bytes) != 0) {
        for (uint32_t i = 0; i < s->batch.count; i++) {
            const struct fovea_image dst = sheet_image(&s->dst, i);
            const struct fovea_image expected = sheet_image(&s->expected, i);
            compare_assert_all_same(&dst, &expected, "batch");
        }
        fail_msg("bytes between pixels were written");
    }
}

/* The gazes lie in either memory. */
static void check(struct kind kind)
{
    OWNED(scene_free) struct scene *s = scene_make(kind);
    run_singles(s, 1);
    run_batch(s);
    assert_as_singles(s);
    s->batch.gazes_uv = (const float *)(uintptr_t)s->device_gazes;
    s->batch.gazes_memory = FOVEA_MEMORY_CUDA;
    run_batch(s);
    assert_as_singles(s);
}

/* Agents see such images. */
TEST(a_thousand_small_images_are_as_single_runs)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB8, FOVEA_FORMAT_RGBA8,
                                                FOVEA_FORMAT_RGBA16F};
    for (size_t i = 0; i < (fixture.quick ? 1 : COUNT(formats)); i++) {
        for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
            struct kind kind = {.method = (enum fovea_method)method, .format = formats[i]};
            kind.count = fixture.quick ? 64 : 1024;
            kind.width_px = kind.height_px = 128;
            check(kind);
        }
    }
}

/* Levels of 13,000 images fit in the memory for them. */
TEST(images_beyond_the_memory_of_levels_are_as_single_runs)
{
    if (fixture.quick) {
        skip();
    }
    struct kind kind = {.method = FOVEA_METHOD_SMOOTH, .format = FOVEA_FORMAT_R16F, .count = 14000};
    kind.width_px = kind.height_px = 64;
    check(kind);
}

/* Large enough for tiles (gauss/cuda/tiles/tiles.h): each image has a list of its own, and one
 * picture's levels are what the first image makes, whatever its gaze. */
TEST(images_in_tiles_are_as_single_runs)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_RGB8,
                                                FOVEA_FORMAT_A2B10G10R10};
    for (size_t i = 0; i < (fixture.quick ? 1 : COUNT(formats)); i++) {
        struct kind kind = {.method = FOVEA_METHOD_SMOOTH, .format = formats[i], .count = 5};
        kind.width_px = 999;
        kind.height_px = 575;
        check(kind);
        OWNED(scene_free) struct scene *s = scene_make(kind);
        s->batch.src_next_bytes = 0;
        run_singles(s, 0);
        run_batch(s);
        assert_as_singles(s);
    }
}

/* In device memory nobody can look at them before: the others are foveated as ever. */
TEST(an_image_whose_gaze_is_not_finite_is_copied)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        struct kind kind = k < 2 ? usual : small;
        kind.method = k == 0 ? FOVEA_METHOD_BLOCKWISE : FOVEA_METHOD_SMOOTH;
        OWNED(scene_free) struct scene *s = scene_make(kind);
        run_singles(s, 1);
        for (uint32_t i = 0; i < 6; i++) {
            const struct fovea_image src = sheet_image(&s->src, i);
            const struct fovea_image expected = sheet_image(&s->expected, i);
            for (uint32_t y = 0; y < kind.height_px; y++) {
                memcpy(image_pixel(&expected, 0, y), image_pixel(&src, 0, y),
                       (size_t)kind.width_px * 4);
            }
            s->gazes_uv[2 * i + i % 2] = bad[i / 2];
        }
        upload_gazes(s);
        s->batch.gazes_uv = (const float *)(uintptr_t)s->device_gazes;
        s->batch.gazes_memory = FOVEA_MEMORY_CUDA;
        run_batch(s);
        assert_as_singles(s);
    }
}

/* Every gaze that differs in a last bit, or lies far outside, becomes the same whole number on the
 * device as on the host. */
TEST(gazes_are_rounded_alike_in_both_memories)
{
    struct kind kind = {.method = FOVEA_METHOD_BLOCKWISE, .format = FOVEA_FORMAT_R8};
    kind.count = fixture.quick ? 200 : 4000;
    kind.width_px = 33;
    kind.height_px = 17;
    OWNED(scene_free) struct scene *s = scene_make(kind);
    for (uint32_t i = 0; i < 2 * kind.count; i++) {
        const uint32_t size_px = i % 2 ? kind.height_px : kind.width_px;
        const float tie = ((float)(i / 4) + 0.5f) / 256.0f / (float)size_px;
        s->gazes_uv[i] = i % 4 < 2 ? nextafterf(tie, i % 3 ? 9.0f : -9.0f) : tie;
    }
    s->gazes_uv[0] = 3e38f;
    s->gazes_uv[1] = -3e38f;
    upload_gazes(s);
    run_singles(s, 1);
    s->batch.gazes_uv = (const float *)(uintptr_t)s->device_gazes;
    s->batch.gazes_memory = FOVEA_MEMORY_CUDA;
    run_batch(s);
    assert_as_singles(s);
}

/* ---- Streams and memory */

/* Batches of one plan on several streams, each with other gazes and a dst of its own, and the
 * memory of their gazes written over as soon as each call returns. */
TEST(batches_on_several_streams_do_not_mix)
{
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        struct kind kind = usual;
        kind.method = (enum fovea_method)method;
        struct scene *s[STREAMS];
        CUstream streams[STREAMS] = {NULL};
        float gazes_uv[2 * 9];
        assert_int_equal(kind.count, COUNT(gazes_uv) / 2);
        for (int i = 0; i < STREAMS; i++) {
            assert_ok(cuda_device_create_stream(fixture.device, &streams[i]));
            s[i] = scene_make(kind);
            sheet_gazes(s[i]->gazes_uv, kind.count, 100 + (uint64_t)i);
            run_singles(s[i], 1);
            clear_dst(s[i]);
        }
        for (int round = 0; round < STREAMS * (fixture.quick ? 3 : 40); round++) {
            struct scene *own = s[round % STREAMS];
            struct fovea_batch batch = own->batch;
            memcpy(gazes_uv, own->gazes_uv, sizeof gazes_uv);
            batch.gazes_uv = gazes_uv;
            assert_ok(fovea_context_run_batch(s[0]->context, &batch, streams[round % STREAMS]));
            memset(gazes_uv, 0, sizeof gazes_uv);
        }
        for (int i = 0; i < STREAMS; i++) {
            CU_ASSERT(fixture.cu->StreamSynchronize(streams[i]));
            CU_ASSERT(fixture.cu->StreamDestroy(streams[i]));
            device_image_download(&s[i]->device_dst, &s[i]->dst.all);
            assert_as_singles(s[i]);
        }
        for (int i = 0; i < STREAMS; i++) {
            scene_free(&s[i]);
        }
    }
}

/* The memory of a smaller batch is given up while it is in use. */
TEST(batches_may_grow_in_flight)
{
    struct kind kind = usual;
    kind.count = fixture.quick ? 8 : 60;
    OWNED(scene_free) struct scene *s = scene_make(kind);
    run_singles(s, 1);
    clear_dst(s);
    for (uint32_t count = 1; count <= kind.count; count++) {
        s->batch.count = count;
        assert_ok(fovea_context_run_batch(s->context, &s->batch, fixture.stream));
    }
    cuda_fixture_wait();
    device_image_download(&s->device_dst, &s->dst.all);
    assert_as_singles(s);
}
