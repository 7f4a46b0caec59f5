/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "stuck.h"

#include "clock.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAMES 48
#define SHOW SIGUSR2
#define STATUS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char step[256];
static double step_began_s;
static double limit_s;

static void show_own_stack(void)
{
    void *frames[FRAMES];
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
}

/* A wait that the signal has ended does not go on: the process is about to end. */
static void on_show(int number)
{
    show_own_stack();
    while (true) {
        pause();
    }
}

static void show_file(const char *task, const char *name)
{
    char path[320], text[160];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", task, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (bytes > 0) {
        text[bytes] = '\0';
        text[strcspn(text, "\n")] = '\0';
        fprintf(stderr, "%s: %s; ", name, text);
    }
    if (file >= 0) {
        close(file);
    }
}

/* One that is inside the kernel for good shows no stack: what it called does. */
static void show_threads(void)
{
    const struct timespec while_it_writes = {.tv_nsec = 100000000};
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        const long id = strtol(task->d_name, NULL, 10);
        if (id == 0 || id == syscall(SYS_gettid)) {
            continue;
        }
        fprintf(stderr, "thread %ld: ", id);
        show_file(task->d_name, "comm");
        show_file(task->d_name, "stat");
        show_file(task->d_name, "wchan");
        show_file(task->d_name, "syscall");
        fprintf(stderr, "\n");
        syscall(SYS_tgkill, getpid(), id, SHOW);
        nanosleep(&while_it_writes, NULL);
    }
    if (tasks) {
        closedir(tasks);
    }
}

static void on_abort(int number)
{
    static const char words[] = "aborted, here:\n";
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    show_own_stack();
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
}

static void *watch(void *unused)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    while (true) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
        const double took_s = now_s() - step_began_s;
        if (step[0] && took_s > limit_s) {
            fprintf(stderr, "STUCK for %.1f s: %s\n", took_s, step);
            show_threads();
            _exit(STATUS);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

void stuck_watch(double seconds_a_step)
{
    void *frames[1];
    pthread_t thread;
    (void)backtrace(frames, 1); /* loads what it needs */
    const struct sigaction show = {.sa_handler = on_show};
    const struct sigaction aborts = {.sa_handler = on_abort};
    sigaction(SHOW, &show, NULL);
    sigaction(SIGABRT, &aborts, NULL);
    limit_s = seconds_a_step;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (pthread_create(&thread, NULL, watch, NULL) == 0) {
        pthread_detach(thread);
    }
}

void stuck_step(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    const double now = now_s();
    if (step[0]) {
        fprintf(stderr, "%7.3f s: %s\n", now - step_began_s, step);
    }
    vsnprintf(step, sizeof step, format, arguments);
    step_began_s = now;
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}
