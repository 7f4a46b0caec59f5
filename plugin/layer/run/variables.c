/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "options.h"
#include "probe.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool variables_add(struct variables *variables, const char *name, char *value)
{
    if (!value) {
        say("out of memory");
        return false;
    }
    variables->name[variables->count] = name;
    variables->value[variables->count++] = value;
    return true;
}

/* ---- FOVEA_CONFIG and FOVEA_SET -------------------------------------------------------------- */

/* The program may go elsewhere before Fovea reads it. */
static bool add_config(struct variables *variables, const char *file)
{
    char folder[PATH_MAX] = "";
    char path[PATH_MAX];
    if (access(file, R_OK) != 0) {
        say("--config %s: %s", file, strerror(errno));
        return false;
    }
    if (file[0] != '/' && !getcwd(folder, sizeof folder)) {
        say("the working directory cannot be told: %s", strerror(errno));
        return false;
    }
    if (!path_print(path, "%s%s%s", folder, file[0] == '/' ? "" : "/", file)) {
        say("--config %s: the path is too long", file);
        return false;
    }
    return variables_add(variables, "FOVEA_CONFIG", strdup(path));
}

/* In a list commas part the settings; a bare word that could be cut, or could hide the commas
 * behind it, goes as a string of JSON. */
static void write_set(FILE *file, const char *set)
{
    const char *value = strchr(set, '=') + 1;
    while (isspace((unsigned char)*value)) {
        value++;
    }
    const bool json = *value && strchr("\"{[", *value);
    if (json || !strpbrk(value, ",\"[]{}\\")) {
        fputs(set, file);
        return;
    }
    fwrite(set, 1, (size_t)(value - set), file);
    fputc('"', file);
    for (const char *c = value; *c; c++) {
        fprintf(file, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    fputc('"', file);
}

static bool add_sets(struct variables *variables, const struct options *options)
{
    const char *before = getenv("FOVEA_SET");
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file) {
        return variables_add(variables, "FOVEA_SET", NULL);
    }
    fputs(before ? before : "", file);
    for (size_t i = 0; i < options->set_count; i++) {
        fputs(i > 0 || (before && *before) ? "," : "", file);
        write_set(file, options->sets[i]);
    }
    if (fclose(file) != 0) {
        free(text);
        text = NULL;
    }
    return variables_add(variables, "FOVEA_SET", text);
}

/* ---- Where the loader looks ------------------------------------------------------------------ */

static const char *data_dirs(void)
{
    return variable_or("XDG_DATA_DIRS", XDG_DATA_DIRS_STANDARD);
}

/* The first manifest that the loader can use. False: it finds none. */
static bool find_usable(struct manifest *out_manifest)
{
    struct manifest *found = calloc(MANIFESTS_MAX, sizeof *found);
    const size_t count = found ? manifests_find(found) : 0;
    bool usable = false;
    for (size_t i = 0; i < count && !usable; i++) {
        usable = !found[i].fault[0];
        *out_manifest = found[i];
    }
    free(found);
    return usable;
}

static bool find_own_folder(char out_folder[PATH_MAX])
{
    struct manifest own;
    if (!manifest_own(&own) || own.fault[0]) {
        say("the layer is not there%s%s; fovea-run --check says more", own.fault[0] ? ": " : "",
            own.fault);
        return false;
    }
    if (!places_own_data(out_folder) || strchr(out_folder, ':')) {
        say("the loader cannot be shown %s; fovea-run --install mends it", own.path);
        return false;
    }
    return true;
}

/* Every loader searches XDG_DATA_DIRS; variables for manifests alone are younger than Debian 12's.
 * At the end, where it changes nothing else that is looked for. */
static bool add_place(struct variables *variables)
{
    char folder[PATH_MAX];
    char *value = NULL;
    if (!find_own_folder(folder)) {
        return false;
    }
    if (asprintf(&value, "%s:%s", data_dirs(), folder) < 0) {
        value = NULL;
    }
    return variables_add(variables, "XDG_DATA_DIRS", value);
}

/* The list with that folder in front, and nowhere else: who is found first stands above. */
static char *list_with_first(const char *folder, const char *list)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return NULL;
    }
    fputs(folder, file);
    while (*list) {
        const size_t length = strcspn(list, ":");
        const bool same = length == strlen(folder) && strncmp(list, folder, length) == 0;
        if (length > 0 && !same) {
            fprintf(file, ":%.*s", (int)length, list);
        }
        list += length + (list[length] == ':');
    }
    return fclose(file) == 0 ? text : NULL;
}

bool variables_lists(const char *word, const char *list)
{
    bool found = false;
    while (*list) {
        const size_t length = strcspn(list, ":");
        found |= length == strlen(word) && strncmp(list, word, length) == 0;
        list += length + (list[length] == ':');
    }
    return found;
}

/* If the manifest lies in none of XDG_DATA_DIRS, it lies in a folder that is searched before all of
 * them. */
static bool add_place_above(struct variables *variables)
{
    struct manifest found;
    char folder[PATH_MAX];
    if (!find_usable(&found)) {
        return find_own_folder(folder) &&
               variables_add(variables, "XDG_DATA_DIRS", list_with_first(folder, data_dirs()));
    }
    path_print(folder, "%s", found.path);
    char *place = strstr(folder, "/" LAYER_PLACE "/");
    if (place) {
        *place = '\0';
    }
    return !place || !variables_lists(folder, data_dirs()) ||
           variables_add(variables, "XDG_DATA_DIRS", list_with_first(folder, data_dirs()));
}

static bool add_place_wanted(struct variables *variables, const struct options *options)
{
    struct manifest found;
    if (options->above) {
        return add_place_above(variables);
    }
    return find_usable(&found) || add_place(variables);
}

static bool same_file(const char *a, const char *b)
{
    char first[PATH_MAX];
    char second[PATH_MAX];
    return realpath(a, first) && realpath(b, second) ? strcmp(first, second) == 0
                                                     : strcmp(a, b) == 0;
}

void variables_other_layer(char out_library[PATH_MAX])
{
    struct manifest *found = calloc(MANIFESTS_MAX, sizeof *found);
    const size_t count = found ? manifests_find(found) : 0;
    struct manifest own;
    const bool known = manifest_own(&own) && !own.fault[0];
    out_library[0] = '\0';
    for (size_t i = 0; known && i < count; i++) {
        if (found[i].fault[0]) {
            continue;
        }
        if (same_file(found[i].library, own.library)) {
            out_library[0] = '\0';
            break; /* which one the loader takes --check tells */
        }
        path_print(out_library, "%s", found[i].library);
    }
    free(found);
}

/* Mesa's libGL is asked to draw with Vulkan; without a GPU it does so only where a CPU is asked
 * for, too. */
static bool add_zink(struct variables *variables)
{
    struct probe *probe = probe_run(variables, "");
    bool software = probe != NULL;
    for (uint32_t i = 0; probe && i < probe->device_count; i++) {
        software &= probe->devices[i].software;
    }
    probe_free(probe);
    return variables_add(variables, "MESA_LOADER_DRIVER_OVERRIDE", strdup("zink")) &&
           variables_add(variables, "__GLX_VENDOR_LIBRARY_NAME", strdup("mesa")) &&
           (!software || variables_add(variables, "LIBGL_ALWAYS_SOFTWARE", strdup("1")));
}

bool variables_make(const struct options *options, struct variables *out_variables)
{
    *out_variables = (struct variables){0};
    const bool vulkan = !options->provide_gaze;
    return (!vulkan || variables_add(out_variables, LAYER_ENABLE, strdup("1"))) &&
           (!options->config || add_config(out_variables, options->config)) &&
           (options->set_count == 0 || add_sets(out_variables, options)) &&
           (!vulkan || add_place_wanted(out_variables, options)) &&
           openxr_variables(out_variables, options->provide_gaze) &&
           (!options->zink || add_zink(out_variables));
}

bool variables_apply(const struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        if (setenv(variables->name[i], variables->value[i], 1) != 0) {
            say("%s cannot be set: %s", variables->name[i], strerror(errno));
            return false;
        }
    }
    return true;
}

/* Prints for eval in a shell: in single quotes, which end where one is meant. */
void variables_print(const struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        printf("export %s='", variables->name[i]);
        for (const char *c = variables->value[i]; *c; c++) {
            fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, stdout);
        }
        puts("'");
    }
}

void variables_free(struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        free(variables->value[i]);
    }
    *variables = (struct variables){0};
}

/* ---- The loader's own switches --------------------------------------------------------------- */

/* Names with * before, after or around, whatever their case. */
static const char *matching_filter(const char *name)
{
    static char filter[256];
    const char *list = getenv(name);
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        snprintf(filter, sizeof filter, "%.*s", (int)length, list);
        if (fnmatch(filter, LAYER_NAME, FNM_CASEFOLD) == 0 || strcmp(filter, "~all~") == 0 ||
            strcmp(filter, "~implicit~") == 0) {
            return filter;
        }
        list += length + (list[length] == ',');
    }
    return NULL;
}

/* A layer that is enabled by name stays enabled. */
bool variables_loader_disables(const char **out_filter)
{
    *out_filter = NULL;
    if (!matching_filter("VK_LOADER_LAYERS_ENABLE")) {
        *out_filter = matching_filter("VK_LOADER_LAYERS_DISABLE");
    }
    return *out_filter != NULL;
}
