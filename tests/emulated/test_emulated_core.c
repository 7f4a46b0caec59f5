/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host as a device (support/cuda_host/cuda_host.h): collectives, barriers, and what it finds
 * wrong. Fragments of matrices are tried by the kernels that multiply them. */

#include "cmocka_all.h"
#include "core.h"
#include "cuda_host_launch.h"

#include <signal.h>
#include <sys/wait.h>

static const unsigned one[3] = {1, 1, 1};

static int32_t numbers[1024];

static const struct core_params params = {.numbers = numbers};

static void run(const char *kernel, unsigned threads, const struct core_params *own)
{
    const unsigned block[3] = {threads, 1, 1};
    assert_true(cuda_host_run_named(kernel, one, block, 0, own));
}

TEST(every_order_gives_the_same_sum)
{
    static const char *const orders[] = {"0", "reverse", "1", "2", "12345"};
    const unsigned grid[3] = {5, 1, 1};
    const unsigned block[3] = {224, 1, 1};
    struct core_params own = params;
    own.count = 1000;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        setenv("FOVEA_CUDA_HOST_ORDER", orders[i], 1);
        numbers[0] = 0;
        assert_true(cuda_host_run_named("core_sum", grid, block, 0, &own));
        assert_int_equal(numbers[0], 999 * 1000 / 2);
        run("core_meeting", 128, &own);
        for (int thread = 0; thread < 128; thread++) {
            assert_int_equal(numbers[thread], 42);
        }
    }
    unsetenv("FOVEA_CUDA_HOST_ORDER");
}

/* A kernel that lacks a barrier reads what nobody wrote yet. */
TEST(a_missing_barrier_shows)
{
    struct core_params own = params;
    own.count = 64;
    run("core_race", 64, &own);
    assert_int_equal(numbers[0], -1);
    assert_int_equal(numbers[63], 0);
    setenv("FOVEA_CUDA_HOST_ORDER", "reverse", 1);
    run("core_race", 64, &own);
    unsetenv("FOVEA_CUDA_HOST_ORDER");
    assert_int_equal(numbers[0], 63);
    assert_int_equal(numbers[63], -1);
}

/* Ends the process with a message. */
static void assert_fails(const char *kernel)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        const unsigned block[3] = {64, 1, 1};
        cuda_host_run_named(kernel, one, block, 0, &params);
        _exit(0);
    }
    assert_int_equal(test_status_of(child), -SIGABRT);
}

TEST(who_never_comes_is_found)
{
    assert_fails("core_never");
}

TEST(a_kernel_that_is_not_there_is_not_run)
{
    assert_false(cuda_host_run_named("core_nobody", one, one, 0, &params));
}
