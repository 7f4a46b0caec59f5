/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_CONFIG 1000
#define FLAG_SET 1001
#define FLAG_ZINK 1002
#define FLAG_ABOVE 1003
#define FLAG_PROVIDE_GAZE 1004
#define FLAG_FROZEN 1005
#define SETS_OF_A_FLAG 3 /* at most */

/* The others' values are their modes. */
static const struct option flags[] = {
    {"check", no_argument, NULL, MODE_CHECK},
    {"install", no_argument, NULL, MODE_INSTALL},
    {"uninstall", no_argument, NULL, MODE_UNINSTALL},
    {"print-env", no_argument, NULL, MODE_PRINT_ENV},
    {"version", no_argument, NULL, MODE_VERSION},
    {"help", no_argument, NULL, MODE_HELP},
    {"config", required_argument, NULL, FLAG_CONFIG},
    {"set", required_argument, NULL, FLAG_SET},
    {"above", no_argument, NULL, FLAG_ABOVE},
    {"zink", no_argument, NULL, FLAG_ZINK},
    {"provide-gaze", no_argument, NULL, FLAG_PROVIDE_GAZE},
    {"frozen", no_argument, NULL, FLAG_FROZEN},
    {NULL, 0, NULL, 0},
};

static const char *name_of(enum mode mode)
{
    return mode == MODE_RUN ? "a program" : flags[mode - 1].name;
}

static bool take_mode(struct options *options, enum mode mode)
{
    if (options->mode != MODE_RUN && options->mode != mode) {
        say("--%s and --%s do not go together", name_of(options->mode), name_of(mode));
        return false;
    }
    options->mode = mode;
    return true;
}

static bool take_config(struct options *options, const char *file)
{
    if (!*file) {
        say("--config needs a file");
        return false;
    }
    options->config = file;
    return true;
}

static bool take_set(struct options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        say("--set %s: expected key.path=value", text);
        return false;
    }
    options->sets[options->set_count++] = text;
    return true;
}

/* Pictures stay as drawn, unless a later setting says otherwise. */
static bool take_provide_gaze(struct options *options)
{
    options->provide_gaze = true;
    return take_set(options, "operators=foveate") && take_set(options, "foveation.strength=0") &&
           take_set(options, "layer.provide_gaze=missing");
}

static bool take_wrong(int flag, const char *word)
{
    if (flag == ':') {
        say("%s needs a value", word);
    } else if (optopt && strncmp(word, "--", 2) == 0) {
        say("%s: this flag takes no value", word);
    } else {
        say("there is no flag %s; fovea-run --help lists them", word);
    }
    return false;
}

static bool take(struct options *options, int flag, const char *word)
{
    switch (flag) {
    case FLAG_CONFIG:
        return take_config(options, optarg);
    case FLAG_SET:
        return take_set(options, optarg);
    case FLAG_ABOVE:
        options->above = true;
        return true;
    case FLAG_ZINK:
        options->zink = true;
        return true;
    case FLAG_FROZEN:
        return take_set(options, "layer.frozen=true");
    case FLAG_PROVIDE_GAZE:
        return take_provide_gaze(options);
    case ':':
    case '?':
        return take_wrong(flag, word);
    default:
        return take_mode(options, (enum mode)flag);
    }
}

/* Refuses options that mean nothing to the mode beside them. */
static bool fits(const struct options *options)
{
    const bool program = options->program[0] != NULL;
    const bool settings =
        options->config || options->set_count > 0 || options->zink || options->above;
    const bool placing = options->mode == MODE_INSTALL || options->mode == MODE_UNINSTALL;
    if (options->mode == MODE_RUN && !program) {
        say("which program? fovea-run PROGRAM ARGUMENTS; fovea-run --help says more");
        return false;
    }
    if (placing && (program || settings)) {
        say("--%s takes neither settings nor a program", name_of(options->mode));
        return false;
    }
    if (options->mode == MODE_PRINT_ENV && program) {
        say("--print-env starts no program: found %s", options->program[0]);
        return false;
    }
    return true;
}

bool options_read(int argc, char **argv, struct options *out_options)
{
    *out_options =
        (struct options){.sets = calloc(SETS_OF_A_FLAG * ((size_t)argc + 1), sizeof(char *))};
    if (!out_options->sets) {
        say("out of memory");
        return false;
    }
    opterr = 0;
    for (;;) {
        const char *word = optind < argc ? argv[optind] : "";
        const int flag = getopt_long(argc, argv, "+:", flags, NULL);
        if (flag == -1) {
            break;
        }
        if (!take(out_options, flag, word)) {
            return false;
        }
    }
    out_options->program = argv + optind;
    return fits(out_options);
}

void options_free(struct options *options)
{
    free(options->sets);
    *options = (struct options){0};
}
