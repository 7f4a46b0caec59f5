/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_scanpath_file.h"

#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Hours at a tracker's full rate; more is a mistake in the path. */
#define FILE_LIMIT_BYTES (INT64_C(256) << 20)

static enum fovea_result unreadable(struct fovea_log log, const char *path, const char *why)
{
    log_error(log, "gaze: gaze.scanpath.file %s cannot be read: %s", path, why);
    return FOVEA_ERROR_IO;
}

static enum fovea_result read_whole(int fd, const char *path, struct fovea_log log, char *text,
                                    size_t bytes, size_t *out_read)
{
    *out_read = 0;
    while (*out_read < bytes) {
        const ssize_t got = read(fd, text + *out_read, bytes - *out_read);
        if (got < 0 && errno != EINTR) {
            return unreadable(log, path, strerrordesc_np(errno));
        }
        if (got == 0) {
            break;
        }
        *out_read += got > 0 ? (size_t)got : 0;
    }
    return FOVEA_OK;
}

static enum fovea_result load_open(int fd, const char *path, struct fovea_log log,
                                   struct gaze_scanpath_rows *out)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return unreadable(log, path, strerrordesc_np(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return unreadable(log, path, "it is not a file");
    }
    if (status.st_size > FILE_LIMIT_BYTES) {
        return unreadable(log, path, "it is larger than 256 MiB");
    }
    const size_t size = (size_t)status.st_size;
    char *text = malloc(size + 1); /* one more, so that an empty file has a pointer too */
    if (!text) {
        log_error(log, "gaze: out of memory for scanpath %s", path);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    size_t bytes = 0;
    enum fovea_result result = read_whole(fd, path, log, text, size, &bytes);
    if (result == FOVEA_OK) {
        result = gaze_scanpath_parse(text, bytes, path, log, out);
    }
    free(text);
    return result;
}

enum fovea_result gaze_scanpath_load(const char *path, struct fovea_log log,
                                     struct gaze_scanpath_rows *out)
{
    *out = (struct gaze_scanpath_rows){0};
    /* O_NONBLOCK: a named pipe must not keep the program waiting. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return unreadable(log, path, strerrordesc_np(errno));
    }
    const enum fovea_result result = load_open(fd, path, log, out);
    close(fd);
    return result;
}
