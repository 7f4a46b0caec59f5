/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "file.h"

#include "core/log.h"
#include "document.h"
#include "local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* strerror is not safe with threads, and strerror_r has two shapes. */
static const char *error_words(int error)
{
    const char *words = strerrordesc_np(error);
    return words ? words : "unknown error";
}

static enum fovea_result fail(const struct config_file *file, struct fovea_log log,
                              const char *words)
{
    log_error(log, "%s: %s", file->shown, words);
    return FOVEA_ERROR_IO;
}

static bool times_equal(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool config_stamp_equal(const struct config_stamp *a, const struct config_stamp *b)
{
    return a->error == b->error && a->device == b->device && a->inode == b->inode &&
           a->size_bytes == b->size_bytes && times_equal(&a->modified, &b->modified) &&
           times_equal(&a->changed, &b->changed);
}

struct config_stamp config_file_look(const struct config_file *file)
{
    struct stat status;
    if (stat(file->path, &status) != 0) {
        return (struct config_stamp){.error = errno};
    }
    return (struct config_stamp){.device = status.st_dev,
                                 .inode = status.st_ino,
                                 .size_bytes = status.st_size,
                                 .modified = status.st_mtim,
                                 .changed = status.st_ctim};
}

static enum fovea_result leave_unread(const struct config_file *file, struct fovea_log log,
                                      const char *why)
{
    log_warning(log, "%s is not read: %s; FOVEA_CONFIG can name it", file->shown, why);
    return FOVEA_NOT_READY;
}

static enum fovea_result check_kind(const struct config_file *file, struct fovea_log log, int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return fail(file, log, error_words(errno));
    }
    const char *distrust = file->local ? config_local_distrust(&status) : NULL;
    if (distrust) {
        return leave_unread(file, log, distrust);
    }
    if (S_ISDIR(status.st_mode)) {
        return fail(file, log, "expected a file; found a directory");
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(file, log, "expected a file; found a pipe, socket or device");
    }
    if (status.st_size > (off_t)CONFIG_TEXT_MAX_BYTES) {
        log_error(log, "%s: expected at most %u bytes; found %lld", file->shown,
                  CONFIG_TEXT_MAX_BYTES, (long long)status.st_size);
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

/* Reads until the end, or one byte more than is allowed, which the scanner refuses. */
static enum fovea_result read_all(const struct config_file *file, struct fovea_log log, int fd,
                                  char *bytes, size_t *out_count)
{
    size_t count = 0;
    while (count < CONFIG_TEXT_MAX_BYTES + 1) {
        ssize_t got = read(fd, bytes + count, CONFIG_TEXT_MAX_BYTES + 1 - count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail(file, log, error_words(errno));
        }
        if (got == 0) {
            break;
        }
        count += (size_t)got;
    }
    *out_count = count;
    return FOVEA_OK;
}

static enum fovea_result read_open(const struct config_file *file, struct fovea_log log, int fd,
                                   char **out_bytes, size_t *out_count)
{
    const enum fovea_result kind = check_kind(file, log, fd);
    if (kind != FOVEA_OK) {
        return kind;
    }
    char *bytes = malloc(CONFIG_TEXT_MAX_BYTES + 1);
    if (!bytes) {
        log_error(log, "%s: out of memory", file->shown);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    enum fovea_result result = read_all(file, log, fd, bytes, out_count);
    if (result < 0) {
        free(bytes);
        return result;
    }
    *out_bytes = bytes;
    return FOVEA_OK;
}

enum fovea_result config_file_read(const struct config_file *file, struct fovea_log log,
                                   char **out_bytes, size_t *out_count)
{
    *out_bytes = NULL;
    /* O_NONBLOCK: opening a named pipe would otherwise wait for its writer. */
    const int follow = file->local ? O_NOFOLLOW : 0;
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow);
    if (fd < 0 && errno == ELOOP && file->local) {
        return leave_unread(file, log, "it is a link");
    }
    if (fd < 0) {
        return fail(file, log, error_words(errno));
    }
    enum fovea_result result = read_open(file, log, fd, out_bytes, out_count);
    close(fd);
    return result;
}
