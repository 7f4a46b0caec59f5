/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "file.h"

#include "core/log.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool join(char *text, size_t size, const char *directory, const char *name)
{
    size_t length = strlen(directory);
    const char *slash = length > 0 && directory[length - 1] != '/' ? "/" : "";
    int written = snprintf(text, size, "%s%s%s", directory, slash, name);
    return written >= 0 && (size_t)written < size;
}

/* The working directory may change later; the file that was meant does not. */
static bool make_absolute(const char *path, struct config_file *file)
{
    char directory[FOVEA_PATH_MAX];
    bool relative = path[0] != '/';
    if (relative && !getcwd(directory, sizeof directory)) {
        return false;
    }
    return join(file->path, sizeof file->path, relative ? directory : "", path);
}

static bool add_file(struct config_files *files, const char *path, bool required)
{
    struct config_file *file = &files->files[files->count];
    if (!make_absolute(path, file)) {
        return false;
    }
    file->required = required;
    config_words_copy(file->shown, sizeof file->shown, path, strlen(path));
    strcpy(file->directory, file->path);
    strrchr(file->directory, '/')[1] = 0;
    files->count++;
    return true;
}

/* XDG base directories: a relative path there is to be ignored. */
static void add_user_file(struct config_files *files)
{
    const char *base = secure_getenv("XDG_CONFIG_HOME");
    const char *name = "fovea/fovea.json";
    if (!base || base[0] != '/') {
        base = secure_getenv("HOME");
        name = ".config/fovea/fovea.json";
    }
    char path[FOVEA_PATH_MAX];
    if (base && base[0] == '/' && join(path, sizeof path, base, name)) {
        add_file(files, path, false);
    }
}

enum fovea_result config_files_find(const char *named, struct fovea_log log,
                                    struct config_files *out_files)
{
    *out_files = (struct config_files){0};
    if (!named) {
        add_file(out_files, "/etc/fovea/fovea.json", false);
        add_user_file(out_files);
        if (add_file(out_files, "./fovea.json", false)) {
            out_files->files[out_files->count - 1].local = true;
        }
        return FOVEA_OK;
    }
    if (!named[0]) {
        log_error(log, "expected the name of a configuration file; found an empty one");
        return FOVEA_ERROR_IO;
    }
    if (!add_file(out_files, named, true)) {
        log_error(log, "%s: the path is too long", config_quote(named, strlen(named)).text);
        return FOVEA_ERROR_IO;
    }
    return FOVEA_OK;
}
