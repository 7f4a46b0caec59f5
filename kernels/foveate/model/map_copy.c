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

/* ---- Samples */

static void free_samples(struct shared_data *data)
{
    free(((struct foveate_map_samples *)data)->values);
    free(data);
}

static void release_samples(struct foveate_map_copy *copy)
{
    struct shared_data *samples = (struct shared_data *)copy->samples;
    copy->samples = NULL;
    shared_data_release(&samples);
}

void foveate_map_copy_finish(struct foveate_map_copy *copy)
{
    release_samples(copy);
    foveate_map_ready_release(&copy->ready);
    *copy = (struct foveate_map_copy){0};
}

/* Takes the values; NULL: there was no memory for them. */
static enum fovea_result own_values(enum fovea_map_kind kind, float *values, uint32_t width,
                                    uint32_t height, struct fovea_log log,
                                    struct foveate_map_copy *fresh)
{
    struct foveate_map_samples *samples = values ? calloc(1, sizeof *samples) : NULL;
    if (!samples) {
        log_error(log, "foveation.map: out of memory");
        free(values);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    shared_data_init(&samples->base, free_samples);
    samples->kind = kind;
    samples->values = values;
    samples->width = width;
    samples->height = height;
    fresh->samples = samples;
    return FOVEA_OK;
}

/* ---- A file */

static bool is_of(const struct foveate_map_copy *old, const char *path, const struct stat *status)
{
    return old->samples && strcmp(old->samples->file, path) == 0 &&
           operator_file_same(&old->status, status);
}

static enum fovea_result decode(const struct operator_file *file, const char *bytes,
                                struct foveate_map_copy *fresh)
{
    struct image_png picture;
    FOVEA_TRY(image_png_decode((const unsigned char *)bytes, (size_t)fresh->status.st_size,
                               file->path, file->log, &picture));
    FOVEA_TRY(own_values(FOVEA_MAP_FILE, picture.values, picture.width, picture.height, file->log,
                         fresh));
    snprintf(fresh->samples->file, sizeof fresh->samples->file, "%s", file->path);
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
static enum fovea_result check_picture(const struct foveate_map_samples *samples,
                                       enum fovea_map_law law, struct fovea_log log)
{
    const float *values = samples->values;
    const size_t count = (size_t)samples->width * samples->height;
    bool differ = false;
    for (size_t i = 1; i < count && !differ; i++) {
        differ = values[i] != values[0];
    }
    if (!differ && (law == FOVEA_MAP_LAW_LINEAR || values[0] == 0.0f)) {
        log_error(log, "foveation.map.file: %s: all of the picture is %s; it is no map",
                  samples->file, values[0] == 0.0f ? "black" : "the same grey");
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

/* ---- A formula: what every plan would evaluate anew, for each frustum */

static enum fovea_result evaluate(const struct fovea_map *map, struct fovea_log log,
                                  struct foveate_map_copy *fresh)
{
    const size_t side = FOVEATE_MAP_GENERATED_SIDE;
    float *values = calloc(side * side, sizeof *values);
    FOVEA_TRY(own_values(map->kind, values, (uint32_t)side, (uint32_t)side, log, fresh));
    foveate_map_generate(map->kind, values);
    return FOVEA_OK;
}

/* ---- An array */

static enum fovea_result copy_array(const struct fovea_map *map, struct fovea_log log,
                                    struct foveate_map_copy *fresh)
{
    const size_t count = (size_t)map->width * map->height;
    float *values = calloc(count, sizeof *values);
    FOVEA_TRY(own_values(FOVEA_MAP_ARRAY, values, map->width, map->height, log, fresh));
    memcpy(values, map->values, count * sizeof *values);
    return FOVEA_OK;
}

/* ---- Any of them */

uint64_t foveate_map_copy_next_serial(void)
{
    return atomic_fetch_add(&last_serial, 1) + 1;
}

enum fovea_result foveate_map_copy_read(const struct fovea_map *map,
                                        const struct foveate_map_copy *old, struct fovea_log log,
                                        struct foveate_map_copy *out_fresh)
{
    *out_fresh = (struct foveate_map_copy){0};
    if (foveate_map_copy_is_formula(map->kind)) {
        return evaluate(map, log, out_fresh);
    }
    FOVEA_TRY(read_file(map->file, old, log, out_fresh));
    return check_picture(out_fresh->samples ? out_fresh->samples : old->samples, map->law, log);
}

bool foveate_map_copy_same_values(const struct foveate_map_copy *copy,
                                  const struct foveate_map_copy *other)
{
    const struct foveate_map_samples *a = copy->samples;
    const struct foveate_map_samples *b = other->samples;
    return a && b &&
           (a == b ||
            (a->kind == b->kind && a->width == b->width && a->height == b->height &&
             strcmp(a->file, b->file) == 0 &&
             memcmp(a->values, b->values, (size_t)a->width * a->height * sizeof *a->values) == 0));
}

static enum fovea_result load(const struct fovea_map *map, const struct foveate_map_copy *old,
                              struct fovea_log log, struct foveate_map_copy *fresh)
{
    const bool formula = foveate_map_copy_is_formula(map->kind);
    if (map->kind == FOVEA_MAP_ARRAY) {
        return copy_array(map, log, fresh);
    }
    if (formula && old->samples && old->samples->kind == map->kind) {
        return FOVEA_OK;
    }
    if (!foveate_map_store_find(map, fresh)) {
        return foveate_map_copy_read(map, old, log, fresh);
    }
    return formula ? FOVEA_OK : check_picture(fresh->samples, map->law, log);
}

static void use(const struct foveate_map_samples *samples, struct fovea_map *map)
{
    map->values = samples->values;
    map->width = samples->width;
    map->height = samples->height;
    map->serial = samples->serial;
    if (!foveate_map_copy_is_formula(map->kind)) {
        map->kind = FOVEA_MAP_ARRAY;
        snprintf(map->file, sizeof map->file, "%s", samples->file);
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
    use(copy->samples, &own->map);
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
    if (result < 0) {
        foveate_map_copy_finish(out_fresh);
        return result;
    }
    if (foveate_map_copy_same_values(out_fresh, old)) {
        old->status =
            out_fresh->status; /* touched, or written again: not to be decoded each time */
        release_samples(out_fresh);
    }
    if (out_fresh->samples && out_fresh->samples->serial == 0) {
        out_fresh->samples->serial = foveate_map_copy_next_serial();
    }
    use(out_fresh->samples ? out_fresh->samples : old->samples, map);
    map->ready = out_fresh->ready ? out_fresh->ready : old->ready;
    return FOVEA_OK;
}
