/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool path_print(char out_path[PATH_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(out_path, PATH_MAX, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= PATH_MAX) {
        out_path[0] = '\0';
        return false;
    }
    return true;
}

static void add(struct places *places, const char *folder, size_t length, const char *below)
{
    char *place = places->count < PLACES_MAX ? places->folder[places->count] : NULL;
    if (place && length > 0 && length < PATH_MAX &&
        path_print(place, "%.*s%s/" LAYER_PLACE, (int)length, folder, below)) {
        places->count++;
    }
}

const char *variable_or(const char *name, const char *standard)
{
    const char *value = getenv(name);
    return value && *value ? value : standard;
}

static void add_home(struct places *places, const char *name, const char *below_home)
{
    const char *folder = variable_or(name, NULL);
    const char *home = variable_or("HOME", NULL);
    if (folder) {
        add(places, folder, strlen(folder), "");
    } else if (home) {
        add(places, home, strlen(home), below_home);
    }
}

static void add_list(struct places *places, const char *list)
{
    while (*list) {
        const size_t length = strcspn(list, ":");
        add(places, list, length, "");
        list += length + (list[length] == ':');
    }
}

/* Vulkan-Loader, LoaderLayerInterface.md, "Linux Layer Discovery". */
void places_find(struct places *out_places)
{
    out_places->count = 0;
    add_home(out_places, "XDG_CONFIG_HOME", "/.config");
    add_list(out_places, variable_or("XDG_CONFIG_DIRS", XDG_CONFIG_DIRS_STANDARD));
    add_list(out_places, "/etc");
    add_home(out_places, "XDG_DATA_HOME", "/.local/share");
    add_list(out_places, variable_or("XDG_DATA_DIRS", XDG_DATA_DIRS_STANDARD));
}

static bool has_manifest(const char *data)
{
    char path[PATH_MAX];
    return path_print(path, "%s/" LAYER_PLACE "/" LAYER_MANIFEST, data) && access(path, F_OK) == 0;
}

/* In a build the data lies beside the program; installed, a step away. */
bool places_own_data(char out_folder[PATH_MAX])
{
    char program[PATH_MAX];
    char data[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    out_folder[0] = '\0';
    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    static const char *const below[] = {"share", FOVEA_RUN_DATA_DIR};
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        if (path_print(data, "%s/%s", program, below[i]) && has_manifest(data)) {
            return realpath(data, out_folder) != NULL;
        }
    }
    return false;
}
