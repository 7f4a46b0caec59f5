/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One small file, $XDG_CACHE_HOME/fovea/backends or ~/.cache/fovea/backends. What somebody else may
 * have written is not read: directory and file must be the user's own, writable by nobody else, and
 * neither a symbolic link. The file is a convenience: whatever goes wrong with it is said at level
 * debug and nowhere else. */

#include "frame_cost.h"

#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "backends"
#define NAME_BYTES 64

static void say(struct fovea_log log, const char *what, const char *why)
{
    log_debug(log, "backend costs are not kept in a file: %s: %s", what, why);
}

/* An absent file is no trouble. */
static void say_error(struct fovea_log log, const char *what, int error)
{
    if (error != ENOENT) {
        say(log, what, strerror(error));
    }
}

static bool only_ours(int file, mode_t kind)
{
    struct stat about;
    return fstat(file, &about) == 0 && (about.st_mode & S_IFMT) == kind &&
           about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* XDG base directories: a relative path there is to be ignored. False: the user has none. */
static bool base_path(char path[FOVEA_PATH_MAX])
{
    const char *base = secure_getenv("XDG_CACHE_HOME");
    const char *below = "";
    if (!base || base[0] != '/') {
        base = secure_getenv("HOME");
        below = "/.cache";
    }
    if (!base || base[0] != '/') {
        return false;
    }
    const int length = snprintf(path, FOVEA_PATH_MAX, "%s%s", base, below);
    return length > 0 && length < FOVEA_PATH_MAX;
}

/* The directory of Fovea's caches, -1 where there is none; made where `make` says so. */
static int open_directory(struct fovea_log log, bool make)
{
    char path[FOVEA_PATH_MAX];
    if (!base_path(path)) {
        say(log, "XDG_CACHE_HOME and HOME", "neither is an absolute path");
        return -1;
    }
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST) {
        say(log, path, strerror(errno));
        return -1;
    }
    const int base = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (base < 0) {
        say_error(log, path, errno);
        return -1;
    }
    if (make) {
        (void)mkdirat(base, "fovea", 0700); /* it may be there; if it is not, open says why */
    }
    int directory = openat(base, "fovea", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int error = errno;
    close(base);
    if (directory < 0) {
        say_error(log, path, error);
    } else if (!only_ours(directory, S_IFDIR)) {
        say(log, path, "others can write to the directory fovea in it");
        close(directory);
        directory = -1;
    }
    return directory;
}

/* False where it does not fit. */
static bool read_all(int file, char text[FRAME_COST_FILE_BYTES])
{
    size_t count = 0;
    while (count < FRAME_COST_FILE_BYTES) {
        const ssize_t got = read(file, text + count, FRAME_COST_FILE_BYTES - count);
        if (got == 0) {
            text[count] = '\0';
            return strlen(text) == count; /* a file with zeros in it is not ours */
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
        count += got > 0 ? (size_t)got : 0;
    }
    return false;
}

bool frame_cost_file_read(struct fovea_log log, char text[FRAME_COST_FILE_BYTES])
{
    const int directory = open_directory(log, false);
    if (directory < 0) {
        return false;
    }
    /* It must not hang on a pipe of that name. */
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int file = openat(directory, FILE_NAME, flags);
    const int error = errno;
    close(directory);
    if (file < 0) {
        say_error(log, FILE_NAME, error);
        return false;
    }
    const bool trusted = only_ours(file, S_IFREG) && read_all(file, text);
    if (!trusted) {
        say(log, FILE_NAME, "it is not a small file of this user's alone");
    }
    close(file);
    return trusted;
}

static bool write_all(int file, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t put = write(file, text, left);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        text += put > 0 ? put : 0;
        left -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Each call has its own name, in this process and in others. */
static void temporary_name(char name[NAME_BYTES])
{
    static atomic_uint calls;
    snprintf(name, NAME_BYTES, FILE_NAME ".%ld.%u", (long)getpid(), atomic_fetch_add(&calls, 1));
}

static bool replace(int directory, const char *name, const char *text)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int file = openat(directory, name, flags, 0600);
    if (file < 0) {
        return false;
    }
    const bool written = write_all(file, text);
    const bool closed = close(file) == 0;
    if (written && closed && renameat(directory, name, directory, FILE_NAME) == 0) {
        return true;
    }
    const int error = errno;
    unlinkat(directory, name, 0);
    errno = error;
    return false;
}

void frame_cost_file_write(struct fovea_log log, const char *text)
{
    const int directory = open_directory(log, true);
    if (directory < 0) {
        return;
    }
    char name[NAME_BYTES];
    temporary_name(name);
    if (!replace(directory, name, text)) {
        say(log, FILE_NAME, strerror(errno));
    }
    close(directory);
}
