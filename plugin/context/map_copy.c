/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map_copy.h"

#include "core/log.h"
#include "kernels/foveate/model/map_ready.h"
#include "map_png.h"
#include "map_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A PNG of 4096 x 4096 with four channels of 16 bits, not compressed at all, and its rows'
 * heads. */
#define FILE_LIMIT_BYTES ((INT64_C(128) << 20) + (1 << 20))

static _Atomic uint64_t last_serial;

void map_copy_finish(struct map_copy *copy)
{
    operator_files_finish(&copy->files);
    foveate_map_ready_release(&copy->ready);
    if (copy->shared) {
        map_samples_release(&copy->shared);
    } else {
        free(copy->values);
    }
    *copy = (struct map_copy){0};
}

void map_copy_forget_map(struct map_copy *copy)
{
    const struct operator_files files = copy->files;
    copy->files = (struct operator_files){{NULL}};
    map_copy_finish(copy);
    copy->files = files;
}

/* ---- A file */

static enum fovea_result unreadable(struct fovea_log log, const char *path, const char *why)
{
    log_error(log, "foveation.map.file: %s cannot be read: %s", path, why);
    return FOVEA_ERROR_IO;
}

static enum fovea_result read_whole(int fd, const char *path, struct fovea_log log,
                                    unsigned char *bytes, size_t count)
{
    size_t have = 0;
    while (have < count) {
        const ssize_t got = read(fd, bytes + have, count - have);
        if (got < 0 && errno != EINTR) {
            return unreadable(log, path, strerrordesc_np(errno));
        }
        if (got == 0) {
            return unreadable(log, path, "it became shorter meanwhile");
        }
        have += got > 0 ? (size_t)got : 0;
    }
    return FOVEA_OK;
}

static enum fovea_result decode_open(int fd, const char *path, struct fovea_log log,
                                     struct map_copy *fresh)
{
    if (!S_ISREG(fresh->status.st_mode)) {
        return unreadable(log, path, "it is not a file");
    }
    if (fresh->status.st_size > FILE_LIMIT_BYTES) {
        return unreadable(log, path, "it is larger than 129 MiB");
    }
    const size_t count = (size_t)fresh->status.st_size;
    unsigned char *bytes = calloc(count + 1, 1); /* one more: an empty file has a pointer too */
    if (!bytes) {
        log_error(log, "foveation.map.file: %s: out of memory", path);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    struct map_picture picture = {0};
    enum fovea_result result = read_whole(fd, path, log, bytes, count);
    if (result == FOVEA_OK) {
        result = map_png_decode(bytes, count, path, log, &picture);
    }
    free(bytes);
    fresh->values = picture.values;
    fresh->width = picture.width;
    fresh->height = picture.height;
    return result;
}

static bool same_file(const struct map_copy *old, const char *path, const struct stat *status)
{
    return old->values && strcmp(old->file, path) == 0 && old->status.st_dev == status->st_dev &&
           old->status.st_ino == status->st_ino && old->status.st_size == status->st_size &&
           old->status.st_mtim.tv_sec == status->st_mtim.tv_sec &&
           old->status.st_mtim.tv_nsec == status->st_mtim.tv_nsec;
}

/* Nothing is read where the file is the one that *old was made from. */
static enum fovea_result read_open(int fd, const char *path, const struct map_copy *old,
                                   struct fovea_log log, struct map_copy *fresh)
{
    if (fstat(fd, &fresh->status) != 0) {
        return unreadable(log, path, strerrordesc_np(errno));
    }
    if (same_file(old, path, &fresh->status)) {
        return FOVEA_OK;
    }
    snprintf(fresh->file, sizeof fresh->file, "%s", path);
    return decode_open(fd, path, log, fresh);
}

static enum fovea_result read_file(const char *path, const struct map_copy *old,
                                   struct fovea_log log, struct map_copy *fresh)
{
    /* O_NONBLOCK: a named pipe must not keep the program waiting. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return unreadable(log, path, strerrordesc_np(errno));
    }
    const enum fovea_result result = read_open(fd, path, old, log, fresh);
    close(fd);
    return result;
}

/* What fovea_settings_check asks of an array. */
static enum fovea_result check_picture(const struct map_copy *fresh, enum fovea_map_law law,
                                       struct fovea_log log)
{
    const size_t count = (size_t)fresh->width * fresh->height;
    bool differ = false;
    for (size_t i = 1; i < count && !differ; i++) {
        differ = fresh->values[i] != fresh->values[0];
    }
    if (!differ && (law == FOVEA_MAP_LAW_LINEAR || fresh->values[0] == 0.0f)) {
        log_error(log, "foveation.map.file: %s: all of the picture is %s; it is no map",
                  fresh->file, fresh->values[0] == 0.0f ? "black" : "the same grey");
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

uint64_t map_copy_next_serial(void)
{
    return atomic_fetch_add(&last_serial, 1) + 1;
}

enum fovea_result map_copy_read(const struct fovea_map *map, const struct map_copy *old,
                                struct fovea_log log, struct map_copy *out_fresh)
{
    *out_fresh = (struct map_copy){.kind = FOVEA_MAP_FILE};
    FOVEA_TRY(read_file(map->file, old, log, out_fresh));
    return check_picture(out_fresh->values ? out_fresh : old, map->law, log);
}

/* ---- A formula: what every plan would evaluate anew, for each frustum */

static enum fovea_result evaluate(const struct fovea_map *map, const struct map_copy *old,
                                  struct fovea_log log, struct map_copy *fresh)
{
    if ((old->values && old->kind == map->kind) || map_store_find(map, fresh)) {
        return FOVEA_OK;
    }
    const size_t side = FOVEATE_MAP_GENERATED_SIDE;
    fresh->values = calloc(side * side, sizeof *fresh->values);
    if (!fresh->values) {
        log_error(log, "foveation.map.kind: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    foveate_map_generate(map->kind, fresh->values);
    fresh->width = fresh->height = (uint32_t)side;
    return FOVEA_OK;
}

/* ---- An array */

static enum fovea_result copy_array(const struct fovea_map *map, struct fovea_log log,
                                    struct map_copy *fresh)
{
    const size_t count = (size_t)map->width * map->height;
    fresh->values = calloc(count, sizeof *fresh->values);
    if (!fresh->values) {
        log_error(log, "foveation.map.values: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(fresh->values, map->values, count * sizeof *fresh->values);
    fresh->width = map->width;
    fresh->height = map->height;
    return FOVEA_OK;
}

/* ---- Any of them */

bool map_copy_same_values(const struct map_copy *a, const struct map_copy *b)
{
    return a->values && b->values && a->kind == b->kind && a->width == b->width &&
           a->height == b->height && strcmp(a->file, b->file) == 0 &&
           (a->values == b->values ||
            memcmp(a->values, b->values, (size_t)a->width * a->height * sizeof *a->values) == 0);
}

/* What is ready for them may be for others alike. */
static void finish_values(struct map_copy *copy)
{
    struct fovea_map_ready *ready = copy->ready;
    copy->ready = NULL;
    map_copy_finish(copy);
    copy->ready = ready;
}

static enum fovea_result load(const struct fovea_map *map, const struct map_copy *old,
                              struct fovea_log log, struct map_copy *fresh)
{
    fresh->kind = map->kind;
    if (map_copy_is_formula(map->kind)) {
        return evaluate(map, old, log, fresh);
    }
    if (map->kind == FOVEA_MAP_ARRAY) {
        return copy_array(map, log, fresh);
    }
    if (map_store_find(map, fresh)) {
        if (same_file(old, fresh->file, &fresh->status)) {
            finish_values(fresh);
        }
        return check_picture(fresh->values ? fresh : old, map->law, log);
    }
    return map_copy_read(map, old, log, fresh);
}

static void use(const struct map_copy *copy, struct fovea_map *map)
{
    map->values = copy->values;
    map->width = copy->width;
    map->height = copy->height;
    map->serial = copy->serial;
    if (!map_copy_is_formula(map->kind)) {
        map->kind = FOVEA_MAP_ARRAY;
        snprintf(map->file, sizeof map->file, "%s", copy->file);
    }
}

void map_copy_make_ready(const struct map_copy *copy, const struct fovea_foveation *foveation,
                         struct fovea_map_ready **ready)
{
    struct fovea_foveation *own = malloc(sizeof *own);
    if (!own) {
        return;
    }
    *own = *foveation;
    use(copy, &own->map);
    struct fovea_map_ready *made = NULL;
    if (own->map.kind == FOVEA_MAP_ARRAY && !foveate_map_ready_fits(*ready, own) &&
        foveate_map_ready_make(own, &made) == FOVEA_OK) {
        foveate_map_ready_release(ready);
        *ready = made;
    }
    free(own);
}

enum fovea_result map_copy_make(struct fovea_map *map, struct map_copy *old, struct fovea_log log,
                                struct map_copy *out_fresh)
{
    *out_fresh = (struct map_copy){0};
    const enum fovea_result result = load(map, old, log, out_fresh);
    if (result == FOVEA_OK && map_copy_same_values(out_fresh, old)) {
        old->status =
            out_fresh->status; /* touched, or written again: not to be decoded every time */
        finish_values(out_fresh);
    }
    if (result < 0) {
        map_copy_finish(out_fresh);
    }
    if (result < 0) {
        return result;
    }
    if (out_fresh->values && out_fresh->serial == 0) {
        out_fresh->serial = map_copy_next_serial();
    }
    use(out_fresh->values ? out_fresh : old, map);
    map->ready = out_fresh->ready ? out_fresh->ready : old->ready;
    return FOVEA_OK;
}
