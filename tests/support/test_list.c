/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cmocka_all.h"

#include <sys/wait.h>

struct test_list test_list;

/* Constructors run in any order. */
void tests_add(const struct CMUnitTest *test, int line)
{
    if (test_list.count == TESTS_MOST) {
        abort();
    }
    size_t at = test_list.count++;
    for (; at > 0 && test_list.lines[at - 1] > line; at--) {
        test_list.tests[at] = test_list.tests[at - 1];
        test_list.lines[at] = test_list.lines[at - 1];
    }
    test_list.tests[at] = *test;
    test_list.lines[at] = line;
}

int tests_run(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests("tests", test_list.tests, test_list.count, set_up, tear_down);
}

#define TEXTS 32

const char *test_text(const char *format, ...)
{
    static _Thread_local char texts[TEXTS][2048];
    static _Thread_local unsigned next;
    char *text = texts[next++ % TEXTS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof texts[0], format, arguments);
    va_end(arguments);
    return text;
}

int test_status_of(int child_pid)
{
    int status = 0;
    assert_int_equal(waitpid(child_pid, &status, 0), child_pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

pthread_t test_thread(void *(*run)(void *), void *user)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, user), 0);
    return thread;
}

void *test_memory(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    assert_non_null(memory);
    return memory;
}
