/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Programs that end badly, in processes of their own: this program again, with the name of an
 * ending. Each ends as it would without Fovea, and in time. */

#include "clock.h"
#include "cmocka_all.h"
#include "ends.h"
#include "rig.h"
#include "sanitized.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define RUNS 5
#define RUNS_ON_A_GPU 3 /* of the same threads, beside seven other programs */
#define RUNS_ALONE 2 /* without a peer there is no thread that a program could trip over */
#define MOST_AT_ONCE 8
#define RUNS_BARE 10
#define LIMIT_S 40 /* the machine may be busy; an ending that hangs does so for ever */
#define STOP_MS 2500 /* more than twice the patience of a watchdog of 100 ms for threads */

#define BARE "bare"

/* Its standard output is out_output's other end, where that is not NULL. */
static pid_t start(const char *name, const char *bare, int *out_output)
{
    int ends[2] = {-1, -1};
    if (out_output) {
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        *out_output = ends[0];
    }
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (out_output) {
            dup2(ends[1], STDOUT_FILENO);
        }
        char *const arguments[] = {"test_frame_ends", (char *)rig_backend_name(), (char *)name,
                                   (char *)bare, NULL};
        execv("/proc/self/exe", arguments);
        _exit(95);
    }
    if (out_output) {
        close(ends[1]);
    }
    return child;
}

/* Its exit status; negative: the signal. */
static int end_of(pid_t child, const char *name)
{
    int status = 0;
    for (int ms = 0; ms < LIMIT_S * 1000; ms += 10) {
        const pid_t done = waitpid(child, &status, WNOHANG);
        assert_true(done >= 0);
        if (done == child) {
            return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        }
        rest_ms(10);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    fail_msg("%s does not end", name);
    return -1;
}

static bool is_for_this_backend(const struct ending *ending)
{
    return ending->kind != ENDS_STAND_IN || rig_backend() == FOVEA_BACKEND_CPU;
}

/* A driver may crash a program that ends like this without Fovea: nothing of ours could mend
 * that. */
static bool ends_so_without_fovea(const struct ending *ending, int status)
{
    for (int i = 0; i < RUNS_BARE && ending->kind == ENDS_ALIKE; i++) {
        if (end_of(start(ending->name, BARE, NULL), ending->name) == status) {
            print_message("%s: ends with %d, without Fovea too\n", ending->name, status);
            return rig_engine_options().nvidia;
        }
    }
    return false;
}

/* On a GPU most of a program's time is the driver's, and it waits. */
static bool on_a_gpu(void)
{
    return rig_engine_options().nvidia;
}

/* These programs run at once. */
struct batch {
    const struct ending *endings[MOST_AT_ONCE];
    pid_t children[MOST_AT_ONCE];
    int count;
};

static void finish(struct batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        const struct ending *ending = batch->endings[i];
        const int status = end_of(batch->children[i], ending->name);
        assert_that(status == ending->status || ends_so_without_fovea(ending, status),
                    "%s: ends with %d instead of %d", ending->name, status, ending->status);
    }
    batch->count = 0;
}

static void begin(struct batch *batch, const struct ending *ending)
{
    batch->endings[batch->count] = ending;
    batch->children[batch->count++] = start(ending->name, NULL, NULL);
    if (batch->count == (on_a_gpu() ? MOST_AT_ONCE : 1)) {
        finish(batch);
    }
}

static void each_ends_as_without_fovea(void **state)
{
    const int most = rig_backend() == FOVEA_BACKEND_VULKAN ? RUNS_ALONE
                     : on_a_gpu()                          ? RUNS_ON_A_GPU
                                                           : RUNS;
    const int runs = test_all_cases() ? most : 1; /* a race shows in one commit or another */
    struct batch batch = {.count = 0};
    for (int i = 0; i < runs; i++) {
        for (const struct ending *ending = endings; ending->name; ending++) {
            if (is_for_this_backend(ending)) {
                begin(&batch, ending);
            }
        }
    }
    finish(&batch);
}

/* SIGSTOP, a debugger, a container that is frozen. Of the cpu backend: how long a job takes is the
 * stand-in's to say. */
static void a_program_that_is_stopped_keeps_its_peer(void **state)
{
    int output = -1;
    const pid_t child = start("stopped", NULL, &output);
    char said = 0;
    for (int i = 0; i < END_STOPS; i++) {
        struct pollfd wanted = {.fd = output, .events = POLLIN};
        assert_int_equal(poll(&wanted, 1, LIMIT_S * 1000), 1);
        assert_int_equal(read(output, &said, 1), 1);
        assert_int_equal(said, END_JOB_BEGUN);
        rest_ms(420); /* the watchdog has begun to look whose turn it is */
        assert_int_equal(kill(child, SIGSTOP), 0);
        rest_ms(STOP_MS);
        assert_int_equal(kill(child, SIGCONT), 0);
    }
    assert_int_equal(end_of(child, "stopped"), 0);
    close(output);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        const bool bare = argc > 3 && strcmp(argv[3], BARE) == 0;
        return !rig_choose_backend(argc, argv) ? 2 : bare ? end_bare_as(argv[2]) : end_as(argv[2]);
    }
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_ends_as_without_fovea),
        cmocka_unit_test(a_program_that_is_stopped_keeps_its_peer),
    };
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    const size_t count = rig_backend() == FOVEA_BACKEND_CPU ? 2 : 1;
    return rig_available() ? _cmocka_run_group_tests(rig_backend_name(), tests, count, NULL, NULL)
                           : 77;
}
