/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map_store.h"

#include "core/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct map_samples {
    atomic_uint shares;
    struct map_copy copy; /* shared is NULL: the values are its own */
};

/* Held for a look, never while anything is read. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map_samples *newest;

void map_samples_release(struct map_samples **samples)
{
    struct map_samples *own = *samples;
    *samples = NULL;
    if (own && atomic_fetch_sub(&own->shares, 1) == 1) {
        map_copy_finish(&own->copy);
        free(own);
    }
}

static struct map_samples *share_newest(void)
{
    pthread_mutex_lock(&lock);
    struct map_samples *samples = newest;
    if (samples) {
        atomic_fetch_add(&samples->shares, 1);
    }
    pthread_mutex_unlock(&lock);
    return samples;
}

/* The store's share goes over to it. */
static void replace_newest(struct map_samples *samples)
{
    pthread_mutex_lock(&lock);
    struct map_samples *old = newest;
    newest = samples;
    pthread_mutex_unlock(&lock);
    map_samples_release(&old);
}

static enum fovea_result keep(struct map_copy *fresh, struct fovea_log log)
{
    struct map_samples *samples = calloc(1, sizeof *samples);
    if (!samples) {
        log_error(log, "foveation.map.file: %s: out of memory", fresh->file);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    atomic_init(&samples->shares, 1);
    samples->copy = *fresh;
    *fresh = (struct map_copy){0};
    replace_newest(samples);
    return FOVEA_OK;
}

static enum fovea_result prepare_file(struct fovea_map *map, const struct map_copy *old,
                                      struct fovea_log log)
{
    struct map_copy fresh = {0};
    enum fovea_result result = map_copy_read(map, old, log, &fresh);
    map->serial = old->serial;
    if (result == FOVEA_OK && fresh.values) {
        map->serial = fresh.serial = map_copy_next_serial();
        result = keep(&fresh, log);
    }
    map_copy_finish(&fresh);
    return result;
}

enum fovea_result map_store_prepare(struct fovea_settings *settings, struct fovea_log log)
{
    static const struct map_copy none;
    struct fovea_foveation *foveation = &settings->foveation;
    if (foveation->model != FOVEA_MODEL_MAP || foveation->map.kind != FOVEA_MAP_FILE) {
        replace_newest(NULL);
        return FOVEA_OK;
    }
    struct map_samples *old = share_newest();
    const enum fovea_result result = prepare_file(&foveation->map, old ? &old->copy : &none, log);
    map_samples_release(&old);
    return result;
}

bool map_store_find(const struct fovea_map *map, struct map_copy *out_copy)
{
    if (map->serial == 0 || pthread_mutex_trylock(&lock) != 0) {
        return false;
    }
    struct map_samples *samples = newest;
    const bool found = samples && samples->copy.serial == map->serial &&
                       strcmp(samples->copy.file, map->file) == 0;
    if (found) {
        atomic_fetch_add(&samples->shares, 1);
        *out_copy = samples->copy;
        out_copy->shared = samples;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
