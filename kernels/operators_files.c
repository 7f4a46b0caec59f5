/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operators_files.h"

#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_LIMIT_BYTES ((int64_t)64 << 20) /* of a grid of points 8 px apart in 8K it is half */

#define OPERATOR_FILE(name, setting, help)                                                         \
    enum fovea_result name##_read_file(const char *bytes, size_t count,                            \
                                       char out_problem[OPERATOR_PROBLEM_BYTES],                   \
                                       struct shared_data **out_data);                             \
    bool name##_complain(const struct operator_plan_desc *desc, char *out, size_t bytes);
#include "operators.def"

const struct operators_file operators_files[OPERATORS_FILE_COUNT] = {
#define OPERATOR_FILE(name, setting, help)                                                         \
    {FOVEA_OPERATOR_##name,                                                                        \
     #name "." #setting,                                                                           \
     offsetof(struct fovea_settings, own.name##_##setting),                                        \
     offsetof(struct fovea_settings, own.name##_##setting##_data),                                 \
     name##_read_file,                                                                             \
     name##_complain},
#include "operators.def"
};

struct reading {
    const char *setting;
    const char *path;
    struct fovea_log log;
};

static enum fovea_result unreadable(const struct reading *reading, const char *why)
{
    log_error(reading->log, "%s: %s cannot be read: %s", reading->setting, reading->path, why);
    return FOVEA_ERROR_IO;
}

static enum fovea_result look(const struct reading *reading, int fd, struct stat *out_status)
{
    if (fstat(fd, out_status) != 0) {
        return unreadable(reading, strerrordesc_np(errno));
    }
    if (!S_ISREG(out_status->st_mode)) {
        return unreadable(reading, "it is not a file");
    }
    if (out_status->st_size > FILE_LIMIT_BYTES) {
        return unreadable(reading, "it is larger than 64 MiB");
    }
    return FOVEA_OK;
}

enum fovea_result operators_file_open(const struct operators_file *file, const char *path,
                                      struct fovea_log log, int *out_fd, struct stat *out_status)
{
    const struct reading reading = {file->setting, path, log};
    /* O_NONBLOCK: a named pipe must not keep the program waiting. */
    *out_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*out_fd < 0) {
        return unreadable(&reading, strerrordesc_np(errno));
    }
    const enum fovea_result result = look(&reading, *out_fd, out_status);
    if (result < 0) {
        close(*out_fd);
        *out_fd = -1;
    }
    return result;
}

static enum fovea_result read_bytes(const struct reading *reading, int fd, char *bytes,
                                    size_t count)
{
    size_t have = 0;
    while (have < count) {
        const ssize_t got = read(fd, bytes + have, count - have);
        if (got < 0 && errno != EINTR) {
            return unreadable(reading, strerrordesc_np(errno));
        }
        if (got == 0) {
            return unreadable(reading, "it became shorter meanwhile");
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return FOVEA_OK;
}

enum fovea_result operators_file_read(const struct operators_file *file, const char *path,
                                      struct fovea_log log, int fd, const struct stat *status,
                                      struct shared_data **out_data)
{
    const struct reading reading = {file->setting, path, log};
    const size_t count = (size_t)status->st_size;
    char problem[OPERATOR_PROBLEM_BYTES];
    char *bytes = malloc(count + 1); /* one more: an empty file has a pointer too */
    *out_data = NULL;
    if (!bytes) {
        log_error(log, "%s: out of memory", file->setting);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    enum fovea_result result = read_bytes(&reading, fd, bytes, count);
    if (result == FOVEA_OK) {
        result = file->read_file(bytes, count, problem, out_data);
        if (result < 0) {
            /* "path:line:column: what" where there is a line. */
            const bool has_line = problem[strspn(problem, "0123456789")] == ':';
            log_error(log, "%s: %s:%s%s", file->setting, path, has_line ? "" : " ", problem);
        }
    }
    free(bytes);
    return result;
}
