/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The first engine that Fovea serves: a small Vulkan renderer with a village in it. foveation.c is
 * the part to read when you want to serve your own engine. */
#include "headless.h"
#include "interrupt.h"
#include "window.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXIT_WRONG_FLAG 2
#define EXIT_INTERRUPTED 130

static bool list_devices(const struct options *options)
{
    struct gpu gpu = {0};
    const struct gpu_instance_desc desc = {.validate = options->validate};
    bool listed = gpu_open_instance(&gpu, &desc) && gpu_list_devices(&gpu);
    gpu_close(&gpu);
    return listed;
}

static bool run_headless(struct engine *engine, struct settings *settings,
                         const struct options *options)
{
    const struct engine_desc desc = {.options = options, .settings = settings->now};
    bool done = engine_init(engine, &desc);
    if (done) {
        settings_follow(settings, engine->foveation);
        done = headless_run(engine, settings, options);
    }
    settings_follow(settings, NULL);
    engine_finish(engine);
    return done;
}

static bool run(const struct options *options)
{
    static struct engine engine; /* large, and one */
    struct settings settings = {0};
    bool done = settings_init(&settings, options) &&
                (options->window ? window_run(&engine, &settings, options)
                                 : run_headless(&engine, &settings, options));
    settings_finish(&settings);
    unsigned messages = atomic_load(&engine.gpu.validation_messages);
    if (messages > 0) {
        say_error("%u messages of the validation layer", messages);
    }
    return done && messages == 0;
}

/* A file that is opened gets the lowest free number. Where somebody has closed stdout or stderr, a
 * record would be what messages are written into. */
static bool open_standard_files(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDWR) != file) {
            perror("/dev/null");
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!open_standard_files()) {
        return EXIT_FAILURE;
    }
    struct options options;
    enum options_outcome outcome = options_read(argc, argv, &options);
    if (outcome != OPTIONS_GO) {
        return outcome == OPTIONS_DONE ? EXIT_SUCCESS : EXIT_WRONG_FLAG;
    }
    if (options.quiet) {
        say_quietly();
    }
    interrupt_watch();
    bool done = options.list_devices ? list_devices(&options) : run(&options);
    if (interrupt_seen()) {
        return EXIT_INTERRUPTED;
    }
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
