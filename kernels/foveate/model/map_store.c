/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map_copy.h"

#include "core/log.h"
#include "map_ready.h"

#include <pthread.h>
#include <string.h>

#define KEPT_MAX 4

/* Held for a look, never while anything is read or freed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* They are of different files and formulas; what was prepared last is in front. */
static struct kept {
    struct foveate_map_copy copy;
    bool taken; /* by a context, at least once */
} kept[KEPT_MAX];

/* Call it under the lock. KEPT_MAX: it is not there. */
static size_t place_of(enum fovea_map_kind kind, const char *file)
{
    size_t at = 0;
    while (at < KEPT_MAX && !(kept[at].copy.samples && kept[at].copy.samples->kind == kind &&
                              strcmp(kept[at].copy.samples->file, file) == 0)) {
        at++;
    }
    return at;
}

static const char *file_of(const struct fovea_map *map)
{
    return map->kind == FOVEA_MAP_FILE ? map->file : ""; /* a formula has none */
}

/* Call it under the lock: those before `at` move back by one, over what lay there. */
static void put_in_front(struct kept front, size_t at)
{
    memmove(&kept[1], &kept[0], at * sizeof kept[0]);
    kept[0] = front;
}

/* Call it under the lock. */
static struct foveate_map_copy share(const struct foveate_map_copy *copy)
{
    (void)shared_data_share(&copy->samples->base);
    (void)foveate_map_ready_share(copy->ready);
    return *copy;
}

/* Gives a share of what the store has of the map, or nothing. */
static struct foveate_map_copy share_kept(const struct fovea_map *map)
{
    struct foveate_map_copy now = {0};
    pthread_mutex_lock(&lock);
    const size_t at = place_of(map->kind, file_of(map));
    if (at < KEPT_MAX) {
        now = share(&kept[at].copy);
        put_in_front(kept[at], at);
    }
    pthread_mutex_unlock(&lock);
    return now;
}

/* The store gives *fresh earlier samples of its kind and file for it, or what was prepared longest
 * ago. */
static void keep(struct foveate_map_copy *fresh)
{
    pthread_mutex_lock(&lock);
    const size_t found = place_of(fresh->samples->kind, fresh->samples->file);
    const size_t at = found < KEPT_MAX ? found : KEPT_MAX - 1;
    const struct foveate_map_copy old = kept[at].copy;
    put_in_front((struct kept){.copy = *fresh}, at);
    *fresh = old;
    pthread_mutex_unlock(&lock);
}

/* Drops copies that contexts had and have let go. It keeps those that no context has taken yet,
 * because one may be about to. */
static void drop_unused(void)
{
    struct foveate_map_copy dropped[KEPT_MAX] = {0};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < KEPT_MAX; i++) {
        if (kept[i].taken && atomic_load(&kept[i].copy.samples->base.shares) == 1) {
            dropped[i] = kept[i].copy;
            kept[i] = (struct kept){.taken = false};
        }
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < KEPT_MAX; i++) {
        foveate_map_copy_finish(&dropped[i]);
    }
}

/* The file was touched maybe, and another law is ready for its samples: what there was goes. */
static void change_kept(struct foveate_map_copy *now)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < KEPT_MAX; i++) {
        if (kept[i].copy.samples == now->samples) {
            const struct foveate_map_copy former = kept[i].copy;
            kept[i].copy = *now;
            *now = former;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* *now is what the store has of the map. A formula has no parameters: what was evaluated once
 * serves all that ask for it. */
static enum fovea_result prepare(struct fovea_foveation *foveation, struct foveate_map_copy *now,
                                 struct fovea_log log)
{
    const bool formula = foveate_map_copy_is_formula(foveation->map.kind);
    struct foveate_map_copy fresh = {0};
    if (formula && now->samples) {
        return FOVEA_OK;
    }
    const enum fovea_result result = foveate_map_copy_read(&foveation->map, now, log, &fresh);
    const bool same = now->samples && (!fresh.samples || foveate_map_copy_same_values(&fresh, now));
    uint64_t serial = now->samples ? now->samples->serial : 0;
    if (result == FOVEA_OK && same) {
        now->status = fresh.status;
        foveate_map_copy_make_ready(now, foveation, &now->ready);
        change_kept(now);
    } else if (result == FOVEA_OK) {
        serial = fresh.samples->serial = foveate_map_copy_next_serial();
        foveate_map_copy_make_ready(&fresh, foveation, &fresh.ready);
        keep(&fresh);
    }
    foveation->map.serial = formula ? foveation->map.serial : serial;
    foveate_map_copy_finish(&fresh);
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
    struct foveate_map_copy now = share_kept(&foveation->map);
    const enum fovea_result result = prepare(foveation, &now, log);
    foveate_map_copy_finish(&now);
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
    const bool found = at < KEPT_MAX && (formula || kept[at].copy.samples->serial >= map->serial);
    if (found) {
        kept[at].taken = true;
        *out_copy = share(&kept[at].copy);
    }
    pthread_mutex_unlock(&lock);
    return found;
}
