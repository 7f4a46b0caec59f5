/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Launchers, compositors and tools: what they present is not a game's picture. */
static const char *const left_alone[] = {
    "steam",         "steamwebhelper",    "steam-runtime-*",
    "gldriverquery", "vulkandriverquery", "heroic",
    "lutris*",       "gamescope*",        "kwin_*",
    "gnome-shell",   "mutter*",           "sway",
    "weston",        "Xwayland",          "vrcompositor",
    "vrserver",      "vrmonitor",         "monado-service",
    "obs",           "plasmashell",       "wineserver",
    "explorer.exe",  "services.exe",      "winedevice.exe",
    "rpcss.exe",     "plugplay.exe",      "svchost.exe",
    "fovea_demo",    "fovea_bench",       "fovea_quality",
};

static const char *const interpreters[] = {"python*", "perl*", "ruby*", "lua*",
                                           "gjs*",    "node",  "*sh"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool is_listed(const char *const *patterns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(patterns[i], name, 0) == 0) {
            return true;
        }
    }
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool layer_programs_left_alone(const char *const *arguments, size_t count)
{
    if (count == 0) {
        return false;
    }
    const char *name = base_name(arguments[0]);
    if (is_listed(interpreters, COUNT_OF(interpreters), name)) {
        size_t script = 1;
        while (script < count && arguments[script][0] == '-') {
            script++;
        }
        name = script < count ? base_name(arguments[script]) : name;
    }
    return is_listed(left_alone, COUNT_OF(left_alone), name);
}

/* What is cut off there is no script's name any more. */
#define COMMAND_BYTES 4096
#define ARGUMENTS_MAX 8

/* The kernel puts an interpreter and its options before the script that was started. */
static size_t read_arguments(char command[COMMAND_BYTES], const char *arguments[ARGUMENTS_MAX])
{
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file < 0 ? -1 : read(file, command, COMMAND_BYTES - 1);
    if (file >= 0) {
        close(file);
    }
    const char *end = command + (bytes > 0 ? bytes : 0);
    command[bytes > 0 ? bytes : 0] = 0;
    size_t count = 0;
    for (const char *at = command; at < end && count < ARGUMENTS_MAX; at += strlen(at) + 1) {
        arguments[count++] = at;
    }
    return count;
}

static bool is_this_left_alone(void)
{
    char command[COMMAND_BYTES];
    const char *arguments[ARGUMENTS_MAX];
    const size_t count = read_arguments(command, arguments);
    arguments[0] = program_invocation_short_name;
    return layer_programs_left_alone(arguments, count ? count : 1);
}

const char *layer_programs_refusal(void)
{
    if (getauxval(AT_SECURE)) {
        return "it runs with somebody else's rights";
    }
    if (getenv("FOVEA_DISABLE")) { /* the loader asks for it where the layer is implicit */
        return "FOVEA_DISABLE is set";
    }
    return is_this_left_alone() ? "it is on the list of programs to stay out of" : NULL;
}
