/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_scanpath_file.h"

#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Hours at a tracker's full rate; more is a mistake in the path. */
#define FILE_LIMIT_BYTES (INT64_C(256) << 20)

#define SIDECAR_LIMIT_BYTES (INT64_C(1) << 20)

struct contents {
    char *text; /* NULL: there is none */
    size_t bytes;
};

static enum fovea_result unreadable(struct fovea_log log, const char *path, const char *why)
{
    log_error(log, "gaze: gaze.scanpath.file %s cannot be read: %s", path, why);
    return FOVEA_ERROR_IO;
}

static enum fovea_result read_whole(int fd, const char *path, struct fovea_log log, size_t size,
                                    struct contents *out)
{
    while (out->bytes < size) {
        const ssize_t got = read(fd, out->text + out->bytes, size - out->bytes);
        if (got < 0 && errno != EINTR) {
            return unreadable(log, path, strerrordesc_np(errno));
        }
        if (got == 0) {
            break;
        }
        out->bytes += got > 0 ? (size_t)got : 0;
    }
    return FOVEA_OK;
}

static enum fovea_result read_open(int fd, const char *path, int64_t limit_bytes,
                                   struct fovea_log log, struct contents *out)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return unreadable(log, path, strerrordesc_np(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return unreadable(log, path, "it is not a file");
    }
    if (status.st_size > limit_bytes) {
        char why[64];
        snprintf(why, sizeof why, "it is larger than %d MiB", (int)(limit_bytes >> 20));
        return unreadable(log, path, why);
    }
    const size_t size = (size_t)status.st_size;
    out->text = malloc(size + 1); /* one more, so that an empty file has a pointer too */
    if (!out->text) {
        log_error(log, "gaze: out of memory for scanpath %s", path);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return read_whole(fd, path, log, size, out);
}

static enum fovea_result read_file(const char *path, struct fovea_log log, struct contents *out)
{
    /* O_NONBLOCK: a named pipe must not keep the program waiting. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return unreadable(log, path, strerrordesc_np(errno));
    }
    const enum fovea_result result = read_open(fd, path, FILE_LIMIT_BYTES, log, out);
    close(fd);
    return result;
}

enum fovea_result gaze_scanpath_read(const char *path, struct fovea_log log, char **out_bytes,
                                     size_t *out_count)
{
    struct contents file = {0};
    const enum fovea_result result = read_file(path, log, &file);
    if (result < 0) {
        free(file.text);
        file = (struct contents){0};
    }
    *out_bytes = file.text;
    *out_count = file.bytes;
    return result;
}

/* The .json of a .tsv. It is no file of its own in the settings, so a link out of the folder is not
 * followed. */
static enum fovea_result read_sidecar(const char *path, struct fovea_log log, struct contents *out)
{
    char beside[FOVEA_PATH_MAX];
    const size_t bytes = strlen(path);
    if (bytes < 4 || bytes + 2 > sizeof beside || strcmp(path + bytes - 4, ".tsv") != 0) {
        return FOVEA_OK;
    }
    snprintf(beside, sizeof beside, "%.*s.json", (int)(bytes - 4), path);
    const int fd = open(beside, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        return FOVEA_OK;
    }
    const enum fovea_result result = read_open(fd, beside, SIDECAR_LIMIT_BYTES, log, out);
    close(fd);
    return result;
}

static enum fovea_result load(const struct fovea_gaze_settings *settings, struct fovea_log log,
                              struct contents *file, struct contents *sidecar,
                              struct gaze_scanpath_rows *out)
{
    const char *path = settings->scanpath_file;
    FOVEA_TRY(read_file(path, log, file));
    FOVEA_TRY(read_sidecar(path, log, sidecar));
    const struct gaze_recording in = {.text = file->text,
                                      .bytes = file->bytes,
                                      .name = path,
                                      .sidecar = sidecar->text,
                                      .sidecar_bytes = sidecar->bytes,
                                      .settings = settings,
                                      .log = log};
    return gaze_scanpath_parse(&in, out);
}

enum fovea_result gaze_scanpath_load(const struct fovea_gaze_settings *settings,
                                     struct fovea_log log, struct gaze_scanpath_rows *out)
{
    struct contents file = {0};
    struct contents sidecar = {0};
    *out = (struct gaze_scanpath_rows){0};
    const enum fovea_result result = load(settings, log, &file, &sidecar, out);
    free(file.text);
    free(sidecar.text);
    return result;
}

void gaze_scanpath_rows_finish(struct gaze_scanpath_rows *rows)
{
    free(rows->rows);
    *rows = (struct gaze_scanpath_rows){0};
}
