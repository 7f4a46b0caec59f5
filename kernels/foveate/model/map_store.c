/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map_copy.h"

#include "core/log.h"
#include "map_ready.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_MAX 4

struct foveate_map_samples {
    atomic_uint shares;
    bool taken; /* by a context, at least once */
    struct foveate_map_copy copy; /* shared is NULL: the values are its own */
};

/* Held for a look, never while anything is read or freed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* They are of different files and formulas; what was prepared last is in front. */
static struct foveate_map_samples *kept[KEPT_MAX];

void foveate_map_samples_release(struct foveate_map_samples **samples)
{
    struct foveate_map_samples *own = *samples;
    *samples = NULL;
    if (own && atomic_fetch_sub(&own->shares, 1) == 1) {
        foveate_map_copy_finish(&own->copy);
        free(own);
    }
}

/* Call it under the lock. KEPT_MAX: it is not there. */
static size_t place_of(enum fovea_map_kind kind, const char *file)
{
    size_t at = 0;
    while (at < KEPT_MAX &&
           !(kept[at] && kept[at]->copy.kind == kind && strcmp(kept[at]->copy.file, file) == 0)) {
        at++;
    }
    return at;
}

static const char *file_of(const struct fovea_map *map)
{
    return map->kind == FOVEA_MAP_FILE ? map->file : ""; /* a formula has none */
}

/* Call it under the lock: those before `at` move back by one, over what lay there. */
static void put_in_front(struct foveate_map_samples *samples, size_t at)
{
    memmove(&kept[1], &kept[0], at * sizeof kept[0]);
    kept[0] = samples;
}

/* *out_now: as it is now, with a share of what is ready. */
static struct foveate_map_samples *share_kept(const struct fovea_map *map,
                                              struct foveate_map_copy *out_now)
{
    struct foveate_map_samples *samples = NULL;
    pthread_mutex_lock(&lock);
    const size_t at = place_of(map->kind, file_of(map));
    if (at < KEPT_MAX) {
        samples = kept[at];
        *out_now = samples->copy;
        foveate_map_ready_share(out_now->ready);
        put_in_front(samples, at);
        atomic_fetch_add(&samples->shares, 1);
    }
    pthread_mutex_unlock(&lock);
    return samples;
}

/* The store's share goes over to it; earlier samples of its kind and file go, or what was prepared
 * longest ago. */
static void put(struct foveate_map_samples *samples)
{
    pthread_mutex_lock(&lock);
    const size_t found = place_of(samples->copy.kind, samples->copy.file);
    const size_t at = found < KEPT_MAX ? found : KEPT_MAX - 1;
    struct foveate_map_samples *old = kept[at];
    put_in_front(samples, at);
    pthread_mutex_unlock(&lock);
    foveate_map_samples_release(&old);
}

/* Drops copies that contexts had and have let go. It keeps those that no context has taken yet,
 * because one may be about to. */
static void drop_unused(void)
{
    struct foveate_map_samples *dropped[KEPT_MAX] = {0};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < KEPT_MAX; i++) {
        if (kept[i] && kept[i]->taken && atomic_load(&kept[i]->shares) == 1) {
            dropped[i] = kept[i];
            kept[i] = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < KEPT_MAX; i++) {
        foveate_map_samples_release(&dropped[i]);
    }
}

static enum fovea_result keep(struct foveate_map_copy *fresh, struct fovea_log log)
{
    struct foveate_map_samples *samples = calloc(1, sizeof *samples);
    if (!samples) {
        log_error(log, "foveation.map: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    atomic_init(&samples->shares, 1);
    samples->copy = *fresh;
    *fresh = (struct foveate_map_copy){0};
    put(samples);
    return FOVEA_OK;
}

/* The file was touched maybe, and another law is ready for them: what there was goes. */
static void change_kept(struct foveate_map_samples *samples, const struct stat *status,
                        struct fovea_map_ready **ready)
{
    pthread_mutex_lock(&lock);
    struct fovea_map_ready *former = samples->copy.ready;
    samples->copy.ready = *ready;
    samples->copy.status = *status;
    pthread_mutex_unlock(&lock);
    *ready = former;
}

/* *now is what the store has of the file, or nothing. */
static enum fovea_result prepare_file(struct fovea_foveation *foveation,
                                      struct foveate_map_samples *samples,
                                      struct foveate_map_copy *now, struct fovea_log log)
{
    struct foveate_map_copy fresh = {0};
    enum fovea_result result = foveate_map_copy_read(&foveation->map, now, log, &fresh);
    const bool same = samples && (!fresh.values || foveate_map_copy_same_values(&fresh, now));
    foveation->map.serial = now->serial;
    if (result == FOVEA_OK && same) {
        foveate_map_copy_make_ready(now, foveation, &now->ready);
        change_kept(samples, &fresh.status, &now->ready);
    } else if (result == FOVEA_OK) {
        foveation->map.serial = fresh.serial = foveate_map_copy_next_serial();
        foveate_map_copy_make_ready(&fresh, foveation, &fresh.ready);
        result = keep(&fresh, log);
    }
    foveate_map_copy_finish(&fresh);
    return result;
}

/* A formula has no parameters: what was evaluated once serves all that ask for it. */
static enum fovea_result prepare_formula(const struct fovea_map *asked,
                                         const struct foveate_map_samples *samples,
                                         struct fovea_log log)
{
    struct foveate_map_copy none = {0};
    struct foveate_map_copy fresh = {0};
    if (samples) {
        return FOVEA_OK;
    }
    struct fovea_map *map = malloc(sizeof *map);
    if (!map) {
        log_error(log, "out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *map = *asked;
    enum fovea_result result = foveate_map_copy_make(map, &none, log, &fresh);
    if (result == FOVEA_OK && !fresh.shared) {
        result = keep(&fresh, log);
    }
    foveate_map_copy_finish(&fresh);
    free(map);
    return result;
}

enum fovea_result foveate_map_store_prepare(struct fovea_settings *settings, struct fovea_log log)
{
    struct fovea_foveation *foveation = &settings->foveation;
    const bool formula = foveate_map_copy_is_formula(foveation->map.kind);
    const bool chosen = config_operators_have(&settings->operators, FOVEA_OPERATOR_foveate);
    if (!chosen || foveation->model != FOVEA_MODEL_MAP ||
        (foveation->map.kind != FOVEA_MAP_FILE && !formula)) {
        drop_unused();
        return FOVEA_OK;
    }
    struct foveate_map_copy now = {0};
    struct foveate_map_samples *samples = share_kept(&foveation->map, &now);
    const enum fovea_result result = formula ? prepare_formula(&foveation->map, samples, log)
                                             : prepare_file(foveation, samples, &now, log);
    foveate_map_ready_release(&now.ready);
    foveate_map_samples_release(&samples);
    return result;
}

bool foveate_map_store_find(const struct fovea_map *map, struct foveate_map_copy *out_copy)
{
    const bool formula = foveate_map_copy_is_formula(map->kind);
    if (map->serial == 0 && !formula) {
        return false;
    }
    pthread_mutex_lock(&lock);
    const size_t at = place_of(map->kind, file_of(map));
    /* Later samples of the file are what reading it anew would give. */
    const bool found = at < KEPT_MAX && (formula || kept[at]->copy.serial >= map->serial);
    if (found) {
        kept[at]->taken = true;
        atomic_fetch_add(&kept[at]->shares, 1);
        *out_copy = kept[at]->copy;
        out_copy->ready = foveate_map_ready_share(out_copy->ready);
        out_copy->shared = kept[at];
    }
    pthread_mutex_unlock(&lock);
    return found;
}
