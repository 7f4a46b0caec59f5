/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map_copy.h"

#include "core/log.h"
#include "kernels/image/png_samples.h"
#include "kernels/operator/operator_file.h"
#include "map_ready.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A PNG of 4096 x 4096 with four channels of 16 bits, not compressed at all, and its rows'
 * heads. */
#define MOST_BYTES ((INT64_C(128) << 20) + (1 << 20))

static _Atomic uint64_t last_serial;

void foveate_map_copy_finish(struct foveate_map_copy *copy)
{
    foveate_map_ready_release(&copy->ready);
    if (copy->shared) {
        foveate_map_samples_release(&copy->shared);
    } else {
        free(copy->values);
    }
    *copy = (struct foveate_map_copy){0};
}

/* ---- A file */

static bool is_of(const struct foveate_map_copy *old, const char *path, const struct stat *status)
{
    return old->values && strcmp(old->file, path) == 0 && operator_file_same(&old->status, status);
}

static enum fovea_result decode(const struct operator_file *file, const char *bytes,
                                struct foveate_map_copy *fresh)
{
    struct image_png picture;
    FOVEA_TRY(image_png_decode((const unsigned char *)bytes, (size_t)fresh->status.st_size,
                               file->path, file->log, &picture));
    fresh->values = picture.values;
    fresh->width = picture.width;
    fresh->height = picture.height;
    return FOVEA_OK;
}

/* Nothing is read where the file is the one that *old was made from. */
static enum fovea_result read_open(const struct operator_file *file, int fd,
                                   const struct foveate_map_copy *old,
                                   struct foveate_map_copy *fresh)
{
    char *bytes = NULL;
    if (is_of(old, file->path, &fresh->status)) {
        return FOVEA_OK;
    }
    snprintf(fresh->file, sizeof fresh->file, "%s", file->path);
    FOVEA_TRY(operator_file_read(file, fd, &fresh->status, &bytes));
    const enum fovea_result result = decode(file, bytes, fresh);
    free(bytes);
    return result;
}

static enum fovea_result read_file(const char *path, const struct foveate_map_copy *old,
                                   struct fovea_log log, struct foveate_map_copy *fresh)
{
    const struct operator_file file = {"foveation.map.file", path, MOST_BYTES, log};
    int fd;
    FOVEA_TRY(operator_file_open(&file, &fd, &fresh->status));
    const enum fovea_result result = read_open(&file, fd, old, fresh);
    close(fd);
    return result;
}

/* Checks an array as fovea_settings_check asks. */
static enum fovea_result check_picture(const struct foveate_map_copy *fresh, enum fovea_map_law law,
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

uint64_t foveate_map_copy_next_serial(void)
{
    return atomic_fetch_add(&last_serial, 1) + 1;
}

enum fovea_result foveate_map_copy_read(const struct fovea_map *map,
                                        const struct foveate_map_copy *old, struct fovea_log log,
                                        struct foveate_map_copy *out_fresh)
{
    *out_fresh = (struct foveate_map_copy){.kind = FOVEA_MAP_FILE};
    FOVEA_TRY(read_file(map->file, old, log, out_fresh));
    return check_picture(out_fresh->values ? out_fresh : old, map->law, log);
}

/* ---- A formula: what every plan would evaluate anew, for each frustum */

static enum fovea_result evaluate(const struct fovea_map *map, const struct foveate_map_copy *old,
                                  struct fovea_log log, struct foveate_map_copy *fresh)
{
    if ((old->values && old->kind == map->kind) || foveate_map_store_find(map, fresh)) {
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
                                    struct foveate_map_copy *fresh)
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

bool foveate_map_copy_same_values(const struct foveate_map_copy *a,
                                  const struct foveate_map_copy *b)
{
    return a->values && b->values && a->kind == b->kind && a->width == b->width &&
           a->height == b->height && strcmp(a->file, b->file) == 0 &&
           (a->values == b->values ||
            memcmp(a->values, b->values, (size_t)a->width * a->height * sizeof *a->values) == 0);
}

/* Values that are ready for these plans may serve others like them. */
static void finish_values(struct foveate_map_copy *copy)
{
    struct fovea_map_ready *ready = copy->ready;
    copy->ready = NULL;
    foveate_map_copy_finish(copy);
    copy->ready = ready;
}

static enum fovea_result load(const struct fovea_map *map, const struct foveate_map_copy *old,
                              struct fovea_log log, struct foveate_map_copy *fresh)
{
    fresh->kind = map->kind;
    if (foveate_map_copy_is_formula(map->kind)) {
        return evaluate(map, old, log, fresh);
    }
    if (map->kind == FOVEA_MAP_ARRAY) {
        return copy_array(map, log, fresh);
    }
    if (foveate_map_store_find(map, fresh)) {
        if (is_of(old, fresh->file, &fresh->status)) {
            finish_values(fresh);
        }
        return check_picture(fresh->values ? fresh : old, map->law, log);
    }
    return foveate_map_copy_read(map, old, log, fresh);
}

static void use(const struct foveate_map_copy *copy, struct fovea_map *map)
{
    map->values = copy->values;
    map->width = copy->width;
    map->height = copy->height;
    map->serial = copy->serial;
    if (!foveate_map_copy_is_formula(map->kind)) {
        map->kind = FOVEA_MAP_ARRAY;
        snprintf(map->file, sizeof map->file, "%s", copy->file);
    }
}

void foveate_map_copy_make_ready(const struct foveate_map_copy *copy,
                                 const struct fovea_foveation *foveation,
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

enum fovea_result foveate_map_copy_make(struct fovea_map *map, struct foveate_map_copy *old,
                                        struct fovea_log log, struct foveate_map_copy *out_fresh)
{
    *out_fresh = (struct foveate_map_copy){0};
    const enum fovea_result result = load(map, old, log, out_fresh);
    if (result == FOVEA_OK && foveate_map_copy_same_values(out_fresh, old)) {
        old->status =
            out_fresh->status; /* touched, or written again: not to be decoded every time */
        finish_values(out_fresh);
    }
    if (result < 0) {
        foveate_map_copy_finish(out_fresh);
    }
    if (result < 0) {
        return result;
    }
    if (out_fresh->values && out_fresh->serial == 0) {
        out_fresh->serial = foveate_map_copy_next_serial();
    }
    use(out_fresh->values ? out_fresh : old, map);
    map->ready = out_fresh->ready ? out_fresh->ready : old->ready;
    return FOVEA_OK;
}
