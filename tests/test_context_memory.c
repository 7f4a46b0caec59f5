/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A context whose allocations fail in turn: an error and a message, dst untouched, and the next frame
 * works. The linker turns calls of calloc to __wrap_calloc. */

#include "test_context_support.h"

#include "compare.h"

static const struct fovea_point_uv center = {0.5, 0.5};
static int allocations_left = -1; /* -1: all succeed */

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    if (allocations_left == 0) {
        return NULL;
    }
    allocations_left -= allocations_left > 0;
    return __real_calloc(count, bytes);
}

static void context_without_memory_says_so(void **state)
{
    (void)state;
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CPU;
    for (int allowed = 0; allowed < 2; allowed++) {
        struct said said = {0};
        struct fovea_context_desc desc = fovea_context_desc_default();
        desc.settings = &settings;
        desc.log = said_log(&said);
        struct fovea_context *context = NULL;
        allocations_left = allowed;
        const enum fovea_result result = fovea_context_create(&desc, &context);
        allocations_left = -1;
        assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
        assert_null(context);
        assert_said(&said, "out of memory");
    }
}

static void frame_without_memory_says_so_and_the_next_one_works(void **state)
{
    (void)state;
    struct said said = {0};
    struct fovea_context *context = context_of(NULL, &said);
    struct test_image src = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    struct test_image untouched = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    int failures = 0;
    image_fill(&src.view, 3);
    for (int allowed = 0; result != FOVEA_OK; allowed++) {
        allocations_left = allowed;
        result = fovea_context_run(context, &src.view, &dst.view, center, NULL);
        allocations_left = -1;
        if (result != FOVEA_OK) {
            assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
            compare_assert_all_same(&dst.view, &untouched.view, "no memory");
            failures++;
        }
    }
    assert_in_range(failures, 8, 600);
    assert_in_range(said.count, 1, 4); /* not once for each */
    compare_assert_all_same(&dst.view, &src.view, "flat");
    fovea_context_destroy(&context);
    image_free(&src);
    image_free(&dst);
    image_free(&untouched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_without_memory_says_so),
        cmocka_unit_test(frame_without_memory_says_so_and_the_next_one_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
