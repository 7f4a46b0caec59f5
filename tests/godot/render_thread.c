/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RenderingServer and its thread. */

#include "host_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- The render thread ---- */

struct job {
    struct job *next;
    void (*run)(void *user);
    void *user;
    struct callable callable; /* where there is no run */
    bool *done;
};
static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct job *first;
    bool running, quit;
} render;

bool on_render_thread(void)
{
    return !render.running || pthread_equal(pthread_self(), render.thread);
}

static void run_job(struct job *job)
{
    if (job->run) {
        job->run(job->user);
    } else if (job->callable.custom || job->callable.method) {
        if (!callable_call(&job->callable, NULL)) {
            engine_error("a Callable could not be called on the render thread");
        }
        value_finish(GD_CALLABLE, &job->callable);
    }
}

static void *render_loop(void *unused)
{
    pthread_mutex_lock(&render.mutex);
    for (;;) {
        struct job *job = render.first;
        if (!job && render.quit) {
            break;
        }
        if (!job) {
            pthread_cond_wait(&render.changed, &render.mutex);
            continue;
        }
        render.first = job->next;
        pthread_mutex_unlock(&render.mutex);
        run_job(job);
        pthread_mutex_lock(&render.mutex);
        if (job->done) {
            *job->done = true;
        }
        free(job);
        pthread_cond_broadcast(&render.changed);
    }
    pthread_mutex_unlock(&render.mutex);
    return unused;
}

static void post(struct job from)
{
    struct job *job = malloc(sizeof *job);
    *job = from;
    job->next = NULL;
    pthread_mutex_lock(&render.mutex);
    struct job **last = &render.first;
    while (*last) {
        last = &(*last)->next;
    }
    *last = job;
    pthread_cond_broadcast(&render.changed);
    while (from.done && !*from.done) {
        pthread_cond_wait(&render.changed, &render.mutex);
    }
    pthread_mutex_unlock(&render.mutex);
}

static void end_frame(void *unused)
{
    if (!the_host.options.headless) {
        device_end_frame();
    }
}

void render_thread_run(void (*run)(void *user), void *user)
{
    bool done = false;
    run = run ? run : end_frame;
    if (on_render_thread()) {
        run(user);
    } else {
        post((struct job){.run = run, .user = user, .done = &done});
    }
}

void method_call_on_render_thread(struct call *call)
{
    struct job job = {0};
    value_copy(GD_CALLABLE, &job.callable, call->args[0].opaque);
    if (on_render_thread()) {
        run_job(&job);
    } else {
        post(job);
    }
}

static void do_nothing(void *unused)
{
}

/* All that was posted before is over then. */
void method_force_sync(struct call *call)
{
    the_host.counts.syncs++;
    render_thread_run(do_nothing, NULL);
}

void render_thread_open(void)
{
    memset(&render, 0, sizeof render);
    pthread_mutex_init(&render.mutex, NULL);
    pthread_cond_init(&render.changed, NULL);
    if (the_host.options.render_thread) {
        render.running = pthread_create(&render.thread, NULL, render_loop, NULL) == 0;
    }
}

void render_thread_close(void)
{
    render_thread_run(NULL, NULL);
    if (render.running) {
        pthread_mutex_lock(&render.mutex);
        render.quit = true;
        pthread_cond_broadcast(&render.changed);
        pthread_mutex_unlock(&render.mutex);
        pthread_join(render.thread, NULL);
        render.running = false;
    }
    pthread_cond_destroy(&render.changed);
    pthread_mutex_destroy(&render.mutex);
}

/* ---- RenderingServer ---- */

void method_get_rendering_device(struct call *call)
{
    call->ret.object = the_host.options.headless ? NULL : the_host.device;
}

void method_adapter_name(struct call *call)
{
    *(char **)call->ret.words = string_of(the_host.options.compatibility ? "an OpenGL device"
                                          : the_host.options.headless    ? ""
                                                                         : "a Vulkan device");
}
