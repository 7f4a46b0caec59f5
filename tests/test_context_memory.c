/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A context whose allocations fail in turn: an error and a message, dst untouched, and the next
 * frame works. The linker turns calls of calloc to __wrap_calloc. */

#include "test_context_support.h"

#include "compare.h"
#include "failing.h"
#include "fovea_lightfield.h"
#include "process_counts.h"
#include "settings_for.h"
#include "sheet.h"

static const struct fovea_point_uv center = {0.5, 0.5};

TEST(context_without_memory_says_so)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CPU;
    for (int allowed = 0; allowed < 2; allowed++) {
        struct said said = {0};
        struct fovea_context_desc desc;
        fovea_context_desc_init(&desc);
        desc.settings = &settings;
        desc.log = said_log(&said);
        struct fovea_context *context = NULL;
        failing_after = allowed;
        const enum fovea_result result = fovea_context_create(&desc, &context);
        failing_after = -1;
        assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
        assert_null(context);
        assert_said(&said, "out of memory");
    }
}

static void assert_frames_survive(const struct fovea_operators *operators)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.operators = *operators;
    struct said said = {0};
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &said);
    OWNED_IMAGE src = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE dst = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE untouched = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    int failures = 0;
    image_fill(&src.view, 3);
    for (int allowed = 0; result != FOVEA_OK; allowed++) {
        failing_after = allowed;
        result = fovea_context_run(context, &src.view, &dst.view, center, NULL);
        failing_after = -1;
        if (result != FOVEA_OK) {
            assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
            compare_assert_all_same(&dst.view, &untouched.view, "no memory");
            failures++;
        }
    }
    assert_in_range(failures, 8, 600);
    assert_in_range(said.count, 1, 4); /* not once for each */
    compare_assert_all_same(&dst.view, &src.view, "flat");
}

TEST(frame_without_memory_says_so_and_the_next_one_works)
{
    static const struct fovea_operators rows[] = {
        {1, {FOVEA_OPERATOR_foveate}}, {2, {FOVEA_OPERATOR_blur, FOVEA_OPERATOR_foveate}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_frames_survive(&rows[i]);
    }
}

/* Such frames come again and again: no operator's plan is made before all have agreed. */
TEST(a_refused_frame_takes_no_memory)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.operators = (struct fovea_operators){2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}};
    settings.own.lens_r2 = -1.0; /* folds */
    struct said said = {0};
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &said);
    OWNED_IMAGE src = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE dst = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    for (int i = 0; i < 2; i++) {
        const int before = failing_calls;
        assert_invalid(fovea_context_run(context, &src.view, &dst.view, center, NULL));
        assert_true(i == 0 || failing_calls == before); /* the first one makes the backend */
    }
    assert_said(&said, "folds back");
}

/* The map's samples come first. */
TEST(a_map_without_memory_says_so_and_the_old_one_stays)
{
    static const float values[] = {1, 2, 3, 4, 5, 6};
    struct said said = {0};
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(NULL, &said);
    OWNED_IMAGE src = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE before = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE after = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    foveation.model = FOVEA_MODEL_MAP;
    foveation.map.kind = FOVEA_MAP_ARRAY;
    foveation.map.values = values;
    foveation.map.width = 3;
    foveation.map.height = 2;
    image_draw(&src.view, IMAGE_RANDOM, 1);
    assert_ok(fovea_context_run(context, &src.view, &before.view, center, NULL));
    failing_after = 0;
    const enum fovea_result result = fovea_context_set_settings(context, settings_for(&foveation));
    failing_after = -1;
    assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
    assert_said(&said, "out of memory");
    assert_ok(fovea_context_run(context, &src.view, &after.view, center, NULL));
    compare_assert_all_same(&after.view, &before.view, "the old settings");
    assert_ok(fovea_context_set_settings(context, settings_for(&foveation)));
    assert_ok(fovea_context_run(context, &src.view, &after.view, center, NULL));
}

/* It is not said to show no array of lenses. */
TEST(a_white_picture_is_not_blamed_for_missing_memory)
{
    uint8_t white[64 * 64];
    for (int i = 0; i < 64 * 64; i++) {
        white[i] = (uint8_t)(128.0 + 100.0 * cos((i % 64) * M_PI / 4) * cos((i / 64) * M_PI / 4));
    }
    struct fovea_lightfield_geometry found;
    struct fovea_lightfield_raw raw;
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    fovea_lightfield_geometry_init(&found);
    fovea_lightfield_raw_init(&raw);
    raw.data = white;
    raw.width_px = raw.height_px = 64;
    raw.format = FOVEA_LIGHTFIELD_FORMAT_R8;
    raw.row_stride_bytes = 64;
    for (int allowed = 0; result != FOVEA_OK; allowed++) {
        assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
        failing_after = allowed;
        result = fovea_lightfield_calibrate(&raw, NULL, &found, NULL);
        failing_after = -1;
    }
    assert_int_equal(found.columns, 7);
}

/* However many sizes a context keeps, and however many it has forgotten. */
TEST(all_sizes_share_one_pool_of_threads)
{
    struct said said = {0};
    struct fovea_settings settings = fovea_settings_default();
    settings.cpu_threads = 12;
    struct fovea_context *context = context_of(&settings, &said);
    const struct process_counts before = process_count();
    for (uint32_t i = 0; i < 40; i++) {
        OWNED_IMAGE src = image_make_packed(64 + i % 20, 900, FOVEA_FORMAT_R8);
        OWNED_IMAGE dst = image_make_packed(64 + i % 20, 900, FOVEA_FORMAT_R8);
        assert_ok(fovea_context_run(context, &src.view, &dst.view, center, NULL));
        assert_int_equal(process_count().threads, before.threads + 11);
    }
    fovea_context_destroy(&context);
    assert_process_counts(before, 20000);
}

/* ---- Batches */

#define BATCH_COUNT 6

struct pair {
    struct sheet src;
    struct sheet dst;
    float gazes_uv[2 * BATCH_COUNT];
    struct fovea_batch batch;
};

static void pair_make(struct pair *pair)
{
    pair->src = sheet_make(BATCH_COUNT, 40, 24, FOVEA_FORMAT_RGBA8, SHEET_STACKED);
    pair->dst = sheet_make(BATCH_COUNT, 40, 24, FOVEA_FORMAT_RGBA8, SHEET_STACKED);
    image_fill(&pair->src.all.view, 3);
    sheet_gazes(pair->gazes_uv, BATCH_COUNT, 1);
    pair->batch = (struct fovea_batch){.struct_bytes = sizeof(struct fovea_batch),
                                       .count = BATCH_COUNT,
                                       .src = pair->src.first,
                                       .dst = pair->dst.first,
                                       .src_next_bytes = pair->src.next_bytes,
                                       .dst_next_bytes = pair->dst.next_bytes,
                                       .gazes_uv = pair->gazes_uv};
}

static void pair_free(struct pair *pair)
{
    sheet_free(&pair->src);
    sheet_free(&pair->dst);
}

static struct fovea_context *context_with_threads(enum fovea_method method, struct said *said)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.method = method;
    settings.cpu_threads = 12; /* more than an image of that size has use for */
    return context_of(&settings, said);
}

/* Larger batches than before want more threads and memory; a frame in between works all the
 * same. */
TEST(a_batch_without_memory_says_so_and_frames_go_on)
{
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        struct said said = {0};
        struct pair pair;
        struct fovea_context *context = context_with_threads((enum fovea_method)method, &said);
        pair_make(&pair);
        struct sheet untouched = sheet_make(BATCH_COUNT, 40, 24, FOVEA_FORMAT_RGBA8, SHEET_STACKED);
        OWNED_IMAGE single = image_make_packed(40, 24, FOVEA_FORMAT_RGBA8);
        assert_ok(fovea_context_run(context, &pair.src.first, &single.view, center, NULL));
        enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
        int failures = 0;
        for (int allowed = 0; result != FOVEA_OK; allowed++) {
            failing_after = allowed;
            result = fovea_context_run_batch(context, &pair.batch, NULL);
            if (result != FOVEA_OK) {
                assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
                assert_said(&said, "images");
                compare_assert_all_same(&pair.dst.all.view, &untouched.all.view, "no memory");
                failing_after = 0;
                assert_ok(fovea_context_run(context, &pair.src.first, &single.view, center, NULL));
                failures++;
            }
            failing_after = -1;
        }
        assert_in_range(failures, 2, 100);
        compare_assert_all_same(&pair.dst.all.view, &pair.src.all.view, "flat");
        fovea_context_destroy(&context);
        sheet_free(&untouched);
        pair_free(&pair);
    }
}

TEST(a_batch_of_a_known_kind_allocates_nothing)
{
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        struct said said = {0};
        struct pair pair;
        struct fovea_context *context = context_with_threads((enum fovea_method)method, &said);
        pair_make(&pair);
        assert_ok(fovea_context_run_batch(context, &pair.batch, NULL));
        const int before = failing_calls;
        for (uint32_t count = 1; count <= BATCH_COUNT; count++) {
            pair.batch.count = count;
            assert_ok(fovea_context_run_batch(context, &pair.batch, NULL));
        }
        assert_int_equal(failing_calls, before);
        assert_silent(&said);
        fovea_context_destroy(&context);
        pair_free(&pair);
    }
}
