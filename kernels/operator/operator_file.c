/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operator_file.h"

#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static enum fovea_result unreadable(const struct operator_file *file, const char *why)
{
    log_error(file->log, "%s: %s cannot be read: %s", file->setting, file->path, why);
    return FOVEA_ERROR_IO;
}

static enum fovea_result look(const struct operator_file *file, int fd, struct stat *out_status)
{
    char why[64];
    if (fstat(fd, out_status) != 0) {
        return unreadable(file, strerrordesc_np(errno));
    }
    if (!S_ISREG(out_status->st_mode)) {
        return unreadable(file, "it is not a file");
    }
    if (out_status->st_size > file->most_bytes) {
        const bool mib = file->most_bytes >= 1 << 20;
        snprintf(why, sizeof why, "it is larger than %d %s",
                 (int)(mib ? file->most_bytes >> 20 : file->most_bytes), mib ? "MiB" : "bytes");
        return unreadable(file, why);
    }
    return FOVEA_OK;
}

enum fovea_result operator_file_open(const struct operator_file *file, int *out_fd,
                                     struct stat *out_status)
{
    /* O_NONBLOCK: a named pipe must not keep the program waiting. */
    *out_fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*out_fd < 0) {
        return unreadable(file, strerrordesc_np(errno));
    }
    const enum fovea_result result = look(file, *out_fd, out_status);
    if (result < 0) {
        close(*out_fd);
        *out_fd = -1;
    }
    return result;
}

static enum fovea_result read_bytes(const struct operator_file *file, int fd, char *bytes,
                                    size_t count)
{
    size_t have = 0;
    while (have < count) {
        const ssize_t got = read(fd, bytes + have, count - have);
        if (got < 0 && errno != EINTR) {
            return unreadable(file, strerrordesc_np(errno));
        }
        if (got == 0) {
            return unreadable(file, "it became shorter meanwhile");
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return FOVEA_OK;
}

enum fovea_result operator_file_read(const struct operator_file *file, int fd,
                                     const struct stat *status, char **out_bytes)
{
    const size_t count = (size_t)status->st_size;
    char *bytes = calloc(count + 1, 1); /* one more: an empty file has a pointer too */
    *out_bytes = NULL;
    if (!bytes) {
        log_error(file->log, "%s: %s: out of memory", file->setting, file->path);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = read_bytes(file, fd, bytes, count);
    if (result < 0) {
        free(bytes);
        return result;
    }
    *out_bytes = bytes;
    return FOVEA_OK;
}

bool operator_file_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}
