/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finding NVIDIA's driver, or not: what a machine without one must see. Needs no device. */

#include "cmocka_all.h"
#include "fake_cuda.h"
#include "kernels/cuda/cuda_device.h"
#include "recorded.h"
#include "vulkan/interop/peer_cuda.h"

#include <dlfcn.h>

static struct fake_cuda *fake;

static void assert_refused_politely(enum fovea_result result, const struct recorded *said,
                                    const char *reason)
{
    const char *last = said->last[FOVEA_LOG_INFO];
    assert_int_equal(result, FOVEA_ERROR_UNSUPPORTED);
    assert_int_equal(said->count[FOVEA_LOG_INFO], 1);
    assert_int_equal(recorded_warnings(said), 0);
    assert_that(strstr(last, reason), "'%s' does not say '%s'", last, reason);
}

TEST(a_library_that_is_missing_is_unsupported)
{
    struct recorded said = {0};
    struct cuda_driver driver;
    memset(&driver, 0xff, sizeof driver);
    const enum fovea_result result =
        cuda_driver_load("libfovea-no-such-library.so.1", recorded_log(&said), &driver);
    assert_refused_politely(result, &said, "libfovea-no-such-library.so.1");
    assert_null(driver.Init);
}

TEST(a_library_that_is_no_driver_is_unsupported)
{
    struct recorded said = {0};
    struct cuda_driver driver;
    assert_refused_politely(cuda_driver_load("libc.so.6", recorded_log(&said), &driver), &said,
                            "cuGetProcAddress_v2");
    assert_null(driver.Init);
}

TEST(a_driver_that_lacks_a_function_is_unsupported)
{
    struct recorded said = {0};
    struct cuda_driver driver;
    fake->lacks = "cuFuncLoad";
    const enum fovea_result result = cuda_driver_load(FAKE_CUDA, recorded_log(&said), &driver);
    fake->lacks = NULL;
    assert_refused_politely(result, &said, "cuFuncLoad of CUDA 12.4");
    assert_null(driver.Init);
}

TEST(a_driver_that_has_every_function_is_loaded)
{
    struct recorded said = {0};
    struct cuda_driver driver;
    assert_ok(cuda_driver_load(FAKE_CUDA, recorded_log(&said), &driver));
    void *functions[sizeof driver / sizeof(void *)];
    assert_true(sizeof functions == sizeof driver);
    memcpy(functions, &driver, sizeof driver);
    for (size_t i = offsetof(struct cuda_driver, Init) / sizeof(void *);
         i < sizeof functions / sizeof functions[0]; i++) {
        assert_non_null(functions[i]);
    }
}

static void *get_driver(void *unused)
{
    const struct cuda_driver *cu = NULL;
    return cuda_driver_get((struct fovea_log){0}, &cu) == FOVEA_OK ? (void *)(uintptr_t)cu : NULL;
}

/* True on machines with a driver and on machines without. */
TEST(every_thread_gets_the_same_driver)
{
    pthread_t threads[8];
    void *first = get_driver(NULL);
    for (int i = 0; i < 8; i++) {
        threads[i] = test_thread(get_driver, NULL);
    }
    for (int i = 0; i < 8; i++) {
        void *got = NULL;
        assert_int_equal(pthread_join(threads[i], &got), 0);
        assert_ptr_equal(got, first);
    }
}

TEST(a_fork_of_a_process_with_cuda_is_refused)
{
    const struct cuda_driver *cu = NULL;
    const enum fovea_result here = cuda_driver_get((struct fovea_log){0}, &cu);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(cuda_driver_get((struct fovea_log){0}, &cu) == FOVEA_ERROR_UNSUPPORTED && !cu ? 0
                                                                                            : 1);
    }
    assert_int_equal(test_status_of(child), 0);
    assert_true(here == FOVEA_OK || here == FOVEA_ERROR_UNSUPPORTED);
}

TEST(results_say_what_a_caller_can_do)
{
    static const struct {
        CUresult from;
        enum fovea_result to;
    } cases[] = {{CUDA_SUCCESS, FOVEA_OK},
                 {CUDA_ERROR_NOT_READY, FOVEA_NOT_READY},
                 {CUDA_ERROR_OUT_OF_MEMORY, FOVEA_ERROR_OUT_OF_MEMORY},
                 {CUDA_ERROR_ILLEGAL_ADDRESS, FOVEA_ERROR_DEVICE_LOST},
                 {CUDA_ERROR_LAUNCH_FAILED, FOVEA_ERROR_DEVICE_LOST},
                 {CUDA_ERROR_MISALIGNED_ADDRESS, FOVEA_ERROR_DEVICE_LOST},
                 {CUDA_ERROR_NO_DEVICE, FOVEA_ERROR_UNSUPPORTED},
                 {CUDA_ERROR_NO_BINARY_FOR_GPU, FOVEA_ERROR_UNSUPPORTED},
                 {CUDA_ERROR_NOT_SUPPORTED, FOVEA_ERROR_UNSUPPORTED},
                 {CUDA_ERROR_INVALID_VALUE, FOVEA_ERROR_INTERNAL},
                 {CUDA_ERROR_UNKNOWN, FOVEA_ERROR_INTERNAL},
                 {(CUresult)123456, FOVEA_ERROR_INTERNAL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(cuda_result(cases[i].from), cases[i].to);
    }
}

TEST(an_error_is_logged_with_call_name_and_place)
{
    struct recorded said = {0};
    struct cuda_driver cu;
    assert_ok(cuda_driver_load(FAKE_CUDA, (struct fovea_log){0}, &cu));
    fake->fails = "StreamSynchronize";
    fake->fail_at = 1;
    fake->error = CUDA_ERROR_LAUNCH_FAILED;
    const enum fovea_result result = CU_CHECK(recorded_log(&said), &cu, cu.StreamSynchronize(NULL));
    assert_int_equal(result, FOVEA_ERROR_DEVICE_LOST);
    assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "cu.StreamSynchronize(NULL)"));
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "CUDA_ERROR_LAUNCH_FAILED (719)"));
    assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], "test_cuda_driver.c:"));
}

TEST(waiting_is_not_logged)
{
    struct recorded said = {0};
    struct cuda_driver cu = {0};
    assert_int_equal(CU_CHECK(recorded_log(&said), &cu, CUDA_ERROR_NOT_READY), FOVEA_NOT_READY);
    assert_ok(CU_CHECK(recorded_log(&said), &cu, CUDA_SUCCESS));
    for (int level = FOVEA_LOG_DEBUG; level <= FOVEA_LOG_ERROR; level++) {
        assert_int_equal(said.count[level], 0);
    }
}

TEST(a_vulkan_device_without_a_uuid_is_refused)
{
    static const uint8_t zero[CUDA_UUID_BYTES];
    struct recorded said = {0};
    assert_refused_politely(peer_cuda_available(zero, recorded_log(&said)), &said, "UUID");
}

/* Mesa's software device tells this one: its name, padded with zeros. */
TEST(a_vulkan_device_of_another_maker_is_refused)
{
    static const uint8_t mesa[CUDA_UUID_BYTES] = "mesa22.3.6";
    struct recorded said = {0};
    struct peer *peer = NULL;
    assert_refused_politely(
        peer_cuda_create(mesa, 2, FOVEA_CUDA_CONTEXT_SHARED, recorded_log(&said), &peer), &said,
        "cuda: ");
    assert_null(peer);
}

int main(void)
{
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    fake = library ? dlsym(library, "fake_cuda") : NULL;
    if (!fake) {
        fprintf(stderr, "%s\n", dlerror());
        return EXIT_FAILURE;
    }
    return tests_run(NULL, NULL);
}
