/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The user's folder of data; a relative one is to be ignored (XDG base directories), and is
 * said. */
static bool user_place(char out_folder[PATH_MAX])
{
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    if (data && *data) {
        if (data[0] != '/') {
            say("XDG_DATA_HOME is \"%s\", which is no absolute path", data);
            return false;
        }
        return path_print(out_folder, "%s/" LAYER_PLACE, data);
    }
    if (!home || home[0] != '/') {
        say("neither XDG_DATA_HOME nor HOME says where this user's data is");
        return false;
    }
    return path_print(out_folder, "%s/.local/share/" LAYER_PLACE, home);
}

/* Makes a folder and those above it. The new ones are the innermost out_made of the path. */
static bool make_folder(char *path, int *out_made)
{
    *out_made = 0;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool made = mkdir(path, 0755) == 0;
        const int failed = !made && errno != EEXIST ? errno : 0;
        *out_made += made;
        if (failed) {
            say("%s cannot be made: %s", path, strerror(failed));
        }
        *slash = '/';
        if (failed) {
            return false;
        }
    }
    const bool made = mkdir(path, 0755) == 0;
    *out_made += made;
    if (!made && errno != EEXIST) {
        say("%s cannot be made: %s", path, strerror(errno));
        return false;
    }
    return true;
}

/* The innermost `made` of the path, as far as nobody has put anything into them since. */
static void remove_folders(char *path, int made)
{
    char *slash = path + strlen(path);
    for (int i = 0; i < made && slash && slash != path && rmdir(path) == 0; i++) {
        slash = strrchr(path, '/');
        if (slash) {
            *slash = '\0';
        }
    }
}

/* Says whether the path may be replaced or removed: nothing is there, or a file that --install
 * wrote. */
static bool may_touch(const char *path, bool *out_there, int *out_made)
{
    struct stat status;
    struct manifest manifest = {0};
    *out_there = lstat(path, &status) == 0;
    if (!*out_there && errno != ENOENT) {
        say("%s: %s", path, strerror(errno));
        return false;
    }
    if (*out_there && S_ISLNK(status.st_mode)) {
        say("%s is a symbolic link, and not from fovea-run; it is left as it is", path);
        return false;
    }
    if (*out_there && (!manifest_read(path, &manifest) || !manifest.by_us)) {
        say("%s is not from fovea-run; it is left as it is", path);
        return false;
    }
    *out_made = manifest.folders;
    return true;
}

static bool write_all(int file, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t count = write(file, text, left);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        text += count > 0 ? count : 0;
        left -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Under another name first, so that no loader sees half of it. */
static bool write_file(const char *path, const char *text)
{
    char draft[PATH_MAX];
    if (!path_print(draft, "%s.XXXXXX", path)) {
        say("%s: the path is too long", path);
        return false;
    }
    const int file = mkostemp(draft, O_CLOEXEC);
    bool good = file >= 0 && write_all(file, text) && fchmod(file, 0644) == 0;
    int error = errno;
    if (file >= 0 && close(file) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && rename(draft, path) != 0) {
        error = errno;
        good = false;
    }
    if (!good) {
        say("%s cannot be written: %s", path, strerror(error));
        if (file >= 0) {
            unlink(draft);
        }
    }
    return good;
}

/* The one that the installation or build has: what it names is what is meant. */
static bool own_library(char out_library[PATH_MAX], bool *out_found_already)
{
    struct manifest own;
    struct places *places = malloc(sizeof *places);
    if (!places || !manifest_own(&own)) {
        free(places);
        say("this fovea-run has no " LAYER_MANIFEST " of its own; it is not installed as a whole");
        return false;
    }
    *out_found_already = false;
    places_find(places);
    for (size_t i = 0; i < places->count; i++) {
        char folder[PATH_MAX];
        if (realpath(places->folder[i], folder) && strncmp(own.path, folder, strlen(folder)) == 0 &&
            own.path[strlen(folder)] == '/') {
            *out_found_already = true;
        }
    }
    free(places);
    if (own.fault[0]) {
        say("%s: %s", own.path, own.fault);
        return false;
    }
    if (*out_found_already) {
        printf("nothing to do: the loader finds %s already\n", own.path);
    }
    if (!realpath(own.library, out_library)) {
        say("%s: %s", own.library, strerror(errno));
        return false;
    }
    return true;
}

static int place(const char *library, char *folder)
{
    char path[PATH_MAX];
    bool there;
    int made_before;
    int made;
    if (!path_print(path, "%s/" LAYER_MANIFEST, folder) || !may_touch(path, &there, &made_before) ||
        !make_folder(folder, &made)) {
        return EXIT_ABSENT;
    }
    char *text = manifest_text(library, there ? made_before : made);
    if (!text) {
        say("out of memory");
    }
    const bool written = text && write_file(path, text);
    free(text);
    if (!written) {
        remove_folders(folder, made);
        return EXIT_ABSENT;
    }
    printf("%s %s\nfor %s\nNow FOVEA_ENABLE=1 PROGRAM does without fovea-run.\n",
           there ? "renewed" : "installed", path, library);
    return 0;
}

int install_manifest(void)
{
    char library[PATH_MAX];
    char folder[PATH_MAX];
    bool found_already;
    if (!own_library(library, &found_already)) {
        return EXIT_ABSENT;
    }
    if (found_already) {
        return 0;
    }
    return user_place(folder) ? place(library, folder) : EXIT_ABSENT;
}

int uninstall_manifest(void)
{
    char folder[PATH_MAX];
    char path[PATH_MAX];
    bool there;
    int made;
    if (!user_place(folder) || !path_print(path, "%s/" LAYER_MANIFEST, folder) ||
        !may_touch(path, &there, &made)) {
        return EXIT_ABSENT;
    }
    if (!there) {
        printf("nothing to do: there is no %s\n", path);
        return 0;
    }
    if (unlink(path) != 0) {
        say("%s cannot be taken away: %s", path, strerror(errno));
        return EXIT_ABSENT;
    }
    printf("took away %s\n", path);
    remove_folders(folder, made);
    return 0;
}
