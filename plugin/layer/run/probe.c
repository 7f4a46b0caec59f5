/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_AT_MOST 30
#define DISPLAY_SECONDS_AT_MOST 3
#define OPENXR_SECONDS_AT_MOST 10 /* a runtime may start a service */

static void enter(struct probe *probe, const char *stage)
{
    snprintf(probe->stage, sizeof probe->stage, "%s", stage);
}

/* Loader and drivers write to standard error as they like; who debugs the loader wants to read
 * it. */
static void hush(void)
{
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        if (!getenv("VK_LOADER_DEBUG")) {
            dup2(nowhere, STDERR_FILENO);
        }
    }
}

/* One that is stuck never refuses. */
static void ask_display(struct probe *probe)
{
    const char *display = getenv("DISPLAY");
    if (display && *display) {
        snprintf(probe->display_fault, sizeof probe->display_fault,
                 "the X server does not answer within %d seconds", DISPLAY_SECONDS_AT_MOST);
        alarm(DISPLAY_SECONDS_AT_MOST);
        probe_display(probe);
    }
}

static void ask_openxr(struct probe *probe)
{
    snprintf(probe->openxr_fault, sizeof probe->openxr_fault,
             "OpenXR's runtime crashes, or does not answer within %d seconds",
             OPENXR_SECONDS_AT_MOST);
    alarm(OPENXR_SECONDS_AT_MOST);
    probe_openxr(probe);
}

static void ask(struct probe *probe, const char *library)
{
    enter(probe, "asking Vulkan's loader");
    probe_vulkan(probe);
    enter(probe, "opening the layer's library");
    if (probe->active[0] || *library) {
        probe_library(probe, probe->active[0] ? probe->active : library);
    }
    enter(probe, "asking CUDA's driver");
    probe_cuda(probe);
    enter(probe, "");
    probe->asked_all = true;
    ask_display(probe);
    ask_openxr(probe);
}

static void run_child(struct probe *probe, const struct variables *variables, const char *library)
{
    snprintf(probe->display_fault, sizeof probe->display_fault, "it was not asked");
    snprintf(probe->openxr_fault, sizeof probe->openxr_fault, "OpenXR's runtime was not asked");
    alarm(SECONDS_AT_MOST);
    hush();
    if (variables_apply(variables)) {
        ask(probe, library);
    }
    _exit(0); /* drivers may hang in their destructors */
}

static bool wait_for(struct probe *probe, pid_t child)
{
    int status;
    pid_t ended;
    do {
        ended = waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended < 0) {
        return false;
    }
    probe->signal = WIFSIGNALED(status) && !probe->asked_all ? WTERMSIG(status) : 0;
    return true;
}

struct probe *probe_run(const struct variables *variables, const char *library)
{
    struct probe *probe =
        mmap(NULL, sizeof *probe, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) {
        say("out of memory");
        return NULL;
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        run_child(probe, variables, library);
    }
    if (child < 0 || !wait_for(probe, child)) {
        say("no process to ask Vulkan's loader in: %s", strerror(errno));
        probe_free(probe);
        return NULL;
    }
    return probe;
}

void probe_free(struct probe *probe)
{
    if (probe) {
        munmap(probe, sizeof *probe);
    }
}
