/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>

/* Warns of things that would leave the program unfoveated although everything is in its place. */
static void warn(const char *name)
{
    const char *filter;
    struct program program;
    if (getenv(LAYER_DISABLE)) {
        say(LAYER_DISABLE " is set: nothing will be foveated");
    } else if (variables_loader_disables(&filter)) {
        say("VK_LOADER_LAYERS_DISABLE has %s: nothing will be foveated", filter);
    }
    program_find(name, &program);
    if (program.set_id) {
        say("%s runs with the rights of another user: Fovea stays out", program.path);
    }
}

/* After the program's variables are in force: they may have asked for Zink. */
static void warn_of_opengl(const char *name)
{
    struct program program;
    struct needs needs;
    program_find(name, &program);
    program_needs(program.path, &needs);
    if (program_misses_vulkan(&needs) && !needs.either) {
        say("%s draws with OpenGL (%s), of which Fovea sees nothing; this does: fovea-run --zink "
            "%s",
            name, needs.opengl, name);
    }
}

static void warn_of_other_layer(void)
{
    char library[PATH_MAX];
    variables_other_layer(library);
    if (library[0]) {
        say("the layer is %s, not the one beside this fovea-run; fovea-run --check says more",
            library);
    }
}

/* A setting that is wrong would else be told by the layer alone, in the middle of the program's
 * words. */
static bool settings_are_right(const struct options *options)
{
    struct fovea_config *config = settings_read(options, say_log());
    const struct fovea_settings *settings = config ? fovea_config_settings(config) : NULL;
    const bool is_named =
        settings && (!settings->layer.frozen || settings->backend != FOVEA_BACKEND_AUTO);
    if (settings && !is_named) {
        say("--frozen (layer.frozen): name the backend, as in --set backend=vulkan");
    }
    fovea_config_destroy(&config);
    return is_named;
}

static int run(const struct options *options, const struct variables *variables)
{
    const bool vulkan = !options->provide_gaze;
    if (vulkan) {
        warn(options->program[0]);
        warn_of_other_layer();
    }
    if (!variables_apply(variables)) {
        return EXIT_OWN_FAULT;
    }
    if (vulkan) {
        warn_of_opengl(options->program[0]);
    }
    return program_start(options->program);
}

static int with_variables(const struct options *options)
{
    struct variables variables;
    int status = EXIT_OWN_FAULT;
    if (variables_make(options, &variables) && settings_are_right(options)) {
        if (options->mode == MODE_RUN) {
            status = run(options, &variables);
        } else {
            variables_print(&variables);
            status = 0;
        }
    }
    variables_free(&variables);
    return status;
}

static int act(const struct options *options)
{
    program_become((const char *const *)options->program);
    switch (options->mode) {
    case MODE_CHECK:
        return check(options);
    case MODE_INSTALL:
        return install_manifest();
    case MODE_UNINSTALL:
        return uninstall_manifest();
    case MODE_VERSION:
        printf("fovea-run %d.%d.%d\n", FOVEA_VERSION_MAJOR, FOVEA_VERSION_MINOR,
               FOVEA_VERSION_PATCH);
        return 0;
    case MODE_HELP:
        options_help();
        return 0;
    default:
        return with_variables(options);
    }
}

int main(int argc, char **argv)
{
    struct options options;
    int status = options_read(argc, argv, &options) ? act(&options) : EXIT_OWN_FAULT;
    options_free(&options);
    if (fflush(stdout) != 0 && status == 0) {
        say("standard output cannot be written");
        status = EXIT_OWN_FAULT;
    }
    return status;
}
