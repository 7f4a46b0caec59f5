/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Creating with every allocation failing in turn: an error, nothing left behind (the sanitizers of
 * the test build see leaks). The linker turns calls of the functions below to the __wrap_ ones. */

#include "test_foveate_support.h"

#include "images.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

static int allocations_left = -1; /* -1: all succeed */
static int allocations_seen;
static int threads_left = -1;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

static bool fails(int *left)
{
    if (*left == 0) {
        return true;
    }
    *left -= *left > 0;
    return false;
}

void *__wrap_malloc(size_t bytes)
{
    allocations_seen++;
    return fails(&allocations_left) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    allocations_seen++;
    return fails(&allocations_left) ? NULL : __real_calloc(count, bytes);
}

void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    allocations_seen++;
    return fails(&allocations_left) ? MAP_FAILED
                                    : __real_mmap(where, bytes, protection, flags, fd, offset);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    return fails(&threads_left) ? 11 : __real_pthread_create(thread, attributes, start, argument);
}

static void plan_without_memory_says_so(void **state)
{
    (void)state;
    const struct fovea_foveation settings = paper_settings(16);
    for (int allowed = 0;; allowed++) {
        struct foveate_plan *plan = NULL;
        allocations_left = allowed;
        const enum fovea_result result = foveate_plan_create(&settings, 320, 240, &plan);
        allocations_left = -1;
        if (result == FOVEA_OK) {
            assert_int_equal(allowed, 4);
            foveate_plan_destroy(&plan);
            return;
        }
        assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
        assert_null(plan);
    }
}

static void cpu_without_memory_says_so(void **state)
{
    (void)state;
    const struct fovea_foveation settings = paper_settings(16);
    struct foveate_plan *plan = plan_of(&settings, 320, 240);
    for (int allowed = 0;; allowed++) {
        struct foveate_cpu *cpu = NULL;
        allocations_left = allowed;
        const enum fovea_result result = foveate_cpu_create(plan, 3, &cpu);
        allocations_left = -1;
        if (result == FOVEA_OK) {
            assert_true(allowed >= 6);
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
    const struct fovea_foveation settings = paper_settings(4);
    double src[64] = {0.0};
    double dst[64];
    for (int allowed = 0; allowed < 4; allowed++) {
        allocations_left = allowed;
        const enum fovea_result result = foveate_reference(&settings, 8, 8, 1, src, dst, 0, 0);
        allocations_left = -1;
        assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
    }
}

static void fewer_threads_than_asked_for_still_do_the_work(void **state)
{
    (void)state;
    const struct fovea_foveation settings = paper_settings(16);
    struct foveate_plan *plan = plan_of(&settings, 100, 100);
    const struct foveate_frame frame = frame_at(plan, 50, 50);
    struct test_image src = image_make_packed(100, 100, FOVEA_FORMAT_R8);
    struct test_image dst = image_make_packed(100, 100, FOVEA_FORMAT_R8);
    image_fill(&src.view, 9);
    for (threads_left = 0; threads_left < 3;) {
        const int allowed = threads_left;
        struct foveate_cpu *cpu = NULL;
        assert_int_equal(foveate_cpu_create(plan, 4, &cpu), FOVEA_OK);
        foveate_cpu_run(cpu, &src.view, &dst.view, &frame);
        assert_true(image_get(&dst.view, 99, 99, 0) == 9.0);
        foveate_cpu_destroy(&cpu);
        threads_left = allowed + 1;
    }
    threads_left = -1;
    foveate_plan_destroy(&plan);
    image_free(&src);
    image_free(&dst);
}

static void frames_allocate_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_make(paper_settings(16), 100, 100);
    struct test_image src = image_make_packed(100, 100, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(100, 100, FOVEA_FORMAT_RGBA8);
    image_fill(&src.view, 9);
    const int before = allocations_seen;
    for (int i = 0; i < 50; i++) {
        rig_run(&rig, &src.view, &dst.view, i * 2.5, i);
    }
    assert_int_equal(allocations_seen, before);
    rig_finish(&rig);
    image_free(&src);
    image_free(&dst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_without_memory_says_so),
        cmocka_unit_test(cpu_without_memory_says_so),
        cmocka_unit_test(reference_without_memory_says_so),
        cmocka_unit_test(fewer_threads_than_asked_for_still_do_the_work),
        cmocka_unit_test(frames_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
