/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_wander.h"

#include "core/log.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct gaze_wander {
    struct fovea_gaze_settings settings;
    struct gaze_watch *watch;
    atomic_flag busy; /* one reader has what follows */
    struct gaze_path path;
    struct gaze_proposals proposals;
    uint64_t number; /* of the proposals' list */
    atomic_bool lost; /* the measured gaze was, when somebody last asked */
    _Atomic uint64_t answer; /* the last one: two floats */
};

static uint64_t packed(struct fovea_point_uv point)
{
    const float both[2] = {(float)point.x_uv, (float)point.y_uv};
    uint64_t word = 0;
    memcpy(&word, both, sizeof word);
    return word;
}

static struct fovea_point_uv unpacked(uint64_t word)
{
    float both[2];
    memcpy(both, &word, sizeof both);
    return (struct fovea_point_uv){(double)both[0], (double)both[1]};
}

enum fovea_result gaze_wander_create(const struct fovea_gaze_settings *settings,
                                     struct fovea_log log, struct gaze_wander **out_wander)
{
    *out_wander = calloc(1, sizeof **out_wander);
    FOVEA_TRY_MEMORY(*out_wander);
    (*out_wander)->settings = *settings;
    (*out_wander)->answer = packed((struct fovea_point_uv){0.5, 0.5});
    const enum fovea_result result = gaze_watch_create(settings, log, &(*out_wander)->watch);
    if (result < 0) {
        gaze_wander_destroy(out_wander);
    }
    return result;
}

void gaze_wander_destroy(struct gaze_wander **wander)
{
    struct gaze_wander *own = *wander;
    *wander = NULL;
    if (own && own->watch) {
        gaze_watch_close(own->watch);
        gaze_watch_leave(&own->watch);
    }
    free(own);
}

struct gaze_watch *gaze_wander_watch(struct gaze_wander *wander)
{
    return wander->watch;
}

/* The flag is the caller's. */
static struct fovea_point_uv answer(struct gaze_wander *wander, double aspect, int64_t t_ns)
{
    gaze_watch_read(wander->watch, &wander->number, &wander->proposals);
    const struct fovea_point_uv point =
        gaze_path_at(&wander->path, &wander->settings, &wander->proposals, aspect, t_ns);
    atomic_store_explicit(&wander->answer, packed(point), memory_order_relaxed);
    gaze_watch_set_others(wander->watch, wander->path.others, wander->path.other_count);
    return point;
}

static bool enter(struct gaze_wander *wander)
{
    return !atomic_flag_test_and_set_explicit(&wander->busy, memory_order_acquire);
}

static void leave(struct gaze_wander *wander)
{
    atomic_flag_clear_explicit(&wander->busy, memory_order_release);
}

static struct fovea_point_uv answer_before(const struct gaze_wander *wander)
{
    return unpacked(atomic_load_explicit(&wander->answer, memory_order_relaxed));
}

struct fovea_point_uv gaze_wander_at(struct gaze_wander *wander, double aspect, int64_t t_ns)
{
    if (!enter(wander)) {
        return answer_before(wander);
    }
    const struct fovea_point_uv point = answer(wander, aspect, t_ns);
    leave(wander);
    return point;
}

struct fovea_point_uv gaze_wander_lost(struct gaze_wander *wander, struct fovea_point_uv last,
                                       double aspect, int64_t t_ns)
{
    if (!enter(wander)) {
        return answer_before(wander);
    }
    if (!atomic_exchange(&wander->lost, true)) {
        gaze_path_begin(&wander->path, &wander->settings, last, t_ns);
    }
    const struct fovea_point_uv point = answer(wander, aspect, t_ns);
    if (!atomic_load(&wander->lost)) { /* another reader has found the gaze meanwhile */
        gaze_watch_set_others(wander->watch, NULL, 0);
    }
    leave(wander);
    return point;
}

void gaze_wander_found(struct gaze_wander *wander)
{
    if (atomic_exchange(&wander->lost, false)) {
        gaze_watch_set_others(wander->watch, NULL, 0);
    }
}
