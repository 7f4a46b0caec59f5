/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (1u << 20)
/* beside the layer, where the loader looks for nothing */
#define FOLDERS "fovea_run_made_folders"
#define FOLDERS_MAX 64
#define BY_US "; put here by fovea-run --install" /* ends the description */

/* Regular files only, and short ones. To be freed. */
static char *read_text(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char *text = NULL;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size <= TEXT_MAX_BYTES) {
        text = calloc(1, (size_t)status.st_size + 1);
        if (text && read(file, text, (size_t)status.st_size) != status.st_size) {
            free(text);
            text = NULL;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return text;
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? text : "";
}

/* The loader reads library_path so: with a slash it is relative to the manifest, else left to the
 * linker. */
static bool resolve_library(struct manifest *manifest, const char *library)
{
    if (library[0] == '/' || !strchr(library, '/')) {
        return path_print(manifest->library, "%s", library);
    }
    const int folder = (int)(strrchr(manifest->path, '/') + 1 - manifest->path);
    return path_print(manifest->library, "%.*s%s", folder, manifest->path, library);
}

__attribute__((format(printf, 2, 3))) static void fault(struct manifest *manifest,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(manifest->fault, sizeof manifest->fault, format, arguments);
    va_end(arguments);
}

static bool is_switch(const cJSON *layer, const char *group, const char *name, const char *value)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(layer, group);
    const char *found = text_of(item, name);
    return cJSON_GetArraySize(item) == 1 && (value ? strcmp(found, value) == 0 : *found != '\0');
}

static void judge(struct manifest *manifest, const cJSON *layer)
{
    const char *library = text_of(layer, "library_path");
    if (!*library || !resolve_library(manifest, library)) {
        fault(manifest, "it names no library");
    } else if (strchr(manifest->library, '/') && access(manifest->library, R_OK) != 0) {
        fault(manifest, "its library %.150s: %s", manifest->library, strerror(errno));
    } else if (!is_switch(layer, "enable_environment", LAYER_ENABLE, "1")) {
        fault(manifest, "it is not switched on by " LAYER_ENABLE "=1");
    } else if (!is_switch(layer, "disable_environment", LAYER_DISABLE, NULL)) {
        fault(manifest, "it is not switched off by " LAYER_DISABLE ", so that the loader leaves "
                        "it out");
    }
}

static bool take(struct manifest *manifest, const cJSON *layer)
{
    if (strcmp(text_of(layer, "name"), LAYER_NAME) != 0) {
        return false;
    }
    const char *description = text_of(layer, "description");
    const size_t length = strlen(description);
    const size_t tail = strlen(BY_US);
    manifest->by_us = length >= tail && strcmp(description + length - tail, BY_US) == 0;
    manifest->version = (unsigned)strtoul(text_of(layer, "implementation_version"), NULL, 10);
    judge(manifest, layer);
    return true;
}

/* One layer, or several in an array. */
static bool take_any(struct manifest *manifest, const cJSON *root)
{
    const cJSON *layers = cJSON_GetObjectItemCaseSensitive(root, "layers");
    const cJSON *layer;
    cJSON_ArrayForEach(layer, layers)
    {
        if (take(manifest, layer)) {
            return true;
        }
    }
    return take(manifest, cJSON_GetObjectItemCaseSensitive(root, "layer"));
}

bool manifest_read(const char *path, struct manifest *out_manifest)
{
    *out_manifest = (struct manifest){0};
    char *text = read_text(path);
    cJSON *root = text ? json_parse(text, strlen(text), NULL, false) : NULL;
    const bool ours =
        root && path_print(out_manifest->path, "%s", path) && take_any(out_manifest, root);
    const double folders = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(root, FOLDERS));
    out_manifest->folders = folders > 0 && folders <= FOLDERS_MAX ? (int)folders : 0;
    cJSON_Delete(root);
    free(text);
    return ours;
}

static bool is_json(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static size_t find_in(const char *folder, struct manifest *out, size_t most)
{
    size_t count = 0;
    DIR *opened = opendir(folder);
    const struct dirent *entry;
    while (opened && count < most && (entry = readdir(opened))) {
        char path[PATH_MAX];
        count += is_json(entry->d_name) && path_print(path, "%s/%s", folder, entry->d_name) &&
                 manifest_read(path, &out[count]);
    }
    if (opened) {
        closedir(opened);
    }
    return count;
}

/* A folder that is named twice counts once. */
static bool was_seen(const struct places *places, size_t index)
{
    struct stat status;
    struct stat other;
    if (stat(places->folder[index], &status) != 0) {
        return true;
    }
    for (size_t i = 0; i < index; i++) {
        if (stat(places->folder[i], &other) == 0 && other.st_dev == status.st_dev &&
            other.st_ino == status.st_ino) {
            return true;
        }
    }
    return false;
}

size_t manifests_find(struct manifest out_manifests[MANIFESTS_MAX])
{
    struct places *places = malloc(sizeof *places);
    size_t count = 0;
    if (!places) {
        return 0;
    }
    places_find(places);
    for (size_t i = 0; i < places->count; i++) {
        if (!was_seen(places, i)) {
            count += find_in(places->folder[i], out_manifests + count, MANIFESTS_MAX - count);
        }
    }
    free(places);
    return count;
}

bool manifest_own(struct manifest *out_manifest)
{
    char folder[PATH_MAX];
    char path[PATH_MAX];
    *out_manifest = (struct manifest){0};
    return places_own_data(folder) &&
           path_print(path, "%s/" LAYER_PLACE "/" LAYER_MANIFEST, folder) &&
           manifest_read(path, out_manifest);
}

static bool fill(cJSON *root, const char *library, int folders)
{
    char version[16];
    snprintf(version, sizeof version, "%u", fovea_version());
    cJSON_AddStringToObject(root, "file_format_version", "1.2.0");
    if (folders > 0) {
        cJSON_AddNumberToObject(root, FOLDERS, folders);
    }
    cJSON *layer = cJSON_AddObjectToObject(root, "layer");
    cJSON_AddStringToObject(layer, "name", LAYER_NAME);
    cJSON_AddStringToObject(layer, "type", "GLOBAL");
    cJSON_AddStringToObject(layer, "library_path", library);
    cJSON_AddStringToObject(layer, "api_version", "1.3.239");
    cJSON_AddStringToObject(layer, "implementation_version", version);
    cJSON_AddStringToObject(layer, "description",
                            "Gaze-contingent foveation of what is presented" BY_US);
    cJSON *enable = cJSON_AddObjectToObject(layer, "enable_environment");
    cJSON_AddStringToObject(enable, LAYER_ENABLE, "1");
    cJSON *disable = cJSON_AddObjectToObject(layer, "disable_environment");
    return cJSON_AddStringToObject(disable, LAYER_DISABLE, "1") != NULL;
}

char *manifest_text(const char *library, int folders)
{
    cJSON *root = cJSON_CreateObject();
    char *text = root && fill(root, library, folders) ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    return text;
}
