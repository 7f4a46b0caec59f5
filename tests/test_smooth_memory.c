/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method with every allocation failing in turn, and none in a frame. */

#include "test_foveate_support.h"

#include "images.h"

#include <sys/mman.h>

static int allocations_left = -1; /* -1: all succeed */
static int allocations_seen;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);

static bool fails(void)
{
    allocations_seen++;
    if (allocations_left == 0) {
        return true;
    }
    allocations_left -= allocations_left > 0;
    return false;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return fails() ? MAP_FAILED : __real_mmap(where, bytes, protection, flags, fd, offset);
}

static void plan_without_memory_says_so(void **state)
{
    (void)state;
    const struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PHYSICAL);
    for (int allowed = 0; allowed < 4; allowed++) {
        struct foveate_plan *plan = NULL;
        allocations_left = allowed;
        const enum fovea_result result = foveate_plan_create(&settings, 320, 240, &plan);
        allocations_left = -1;
        assert_int_equal(result, allowed < 3 ? FOVEA_ERROR_OUT_OF_MEMORY : FOVEA_OK);
        assert_true((allowed < 3) == (plan == NULL));
        foveate_plan_destroy(&plan);
    }
}

static void cpu_without_memory_says_so(void **state)
{
    (void)state;
    const struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    struct foveate_plan *plan = plan_of(&settings, 320, 240);
    for (int allowed = 0;; allowed++) {
        struct foveate_cpu *cpu = NULL;
        allocations_left = allowed;
        const enum fovea_result result = foveate_cpu_create(plan, 3, &cpu);
        allocations_left = -1;
        if (result == FOVEA_OK) {
            assert_true(allowed >= 8);
            foveate_cpu_destroy(&cpu);
            break;
        }
        assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
        assert_null(cpu);
    }
    foveate_plan_destroy(&plan);
}

static void reference_without_memory_says_so(void **state)
{
    (void)state;
    const struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    double src[64] = {0.0};
    double dst[64];
    for (int allowed = 0; allowed < 2; allowed++) {
        allocations_left = allowed;
        const enum fovea_result result =
            foveate_reference_smooth(&settings, 8, 8, 1, src, dst, 0, 0);
        allocations_left = -1;
        assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
    }
}

static void frames_allocate_nothing(void **state)
{
    (void)state;
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        struct rig rig = rig_make(smooth_settings((enum fovea_model)(format % 3)), 100, 100);
        struct test_image src = image_make_packed(100, 100, (enum fovea_format)format);
        struct test_image dst = image_make_packed(100, 100, (enum fovea_format)format);
        image_fill(&src.view, 1);
        const int before = allocations_seen;
        for (int i = 0; i < 20; i++) {
            rig_run(&rig, &src.view, &dst.view, i * 2.5, i);
        }
        assert_int_equal(allocations_seen, before);
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_without_memory_says_so),
        cmocka_unit_test(cpu_without_memory_says_so),
        cmocka_unit_test(reference_without_memory_says_so),
        cmocka_unit_test(frames_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
