/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Plays a recorded scanpath from the first time it is asked for. A row stands until the next
 * one. */
#include "gaze_scanpath_file.h"
#include "plugin/gaze/gaze_filter.h"
#include "plugin/gaze/gaze_vergence.h"

#include "core/log.h"

#include <stdio.h>
#include <stdlib.h>

#define NO_ROW SIZE_MAX

struct scanpath {
    struct fovea_gaze_source base;
    struct gaze_scanpath_rows file;
    size_t *last_valid; /* for each row: the newest valid one not after it, or NO_ROW */
    uint8_t *movements; /* for each row: enum gaze_movement; NULL: nobody has asked */
    struct gaze_vergence *vergences; /* for each row: of it and those before; NULL: not asked for */
    int64_t lap_ns; /* from a row to the same row of the next lap; 0: does not loop */
    int64_t start_ns;
    bool started;
};

/* A place in the endless sequence of laps. */
struct place {
    int64_t lap;
    size_t row;
};

static enum fovea_result find_valid_rows(struct scanpath *scanpath)
{
    scanpath->last_valid = calloc(scanpath->file.count, sizeof *scanpath->last_valid);
    if (!scanpath->last_valid) {
        log_error(scanpath->base.log, "gaze: out of memory for the scanpath");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    size_t last = NO_ROW;
    for (size_t i = 0; i < scanpath->file.count; i++) {
        if (gaze_settings_is_sure(&scanpath->base.settings, scanpath->file.rows[i].confidence)) {
            last = i;
        }
        scanpath->last_valid[i] = last;
    }
    if (last == NO_ROW) {
        log_warning(scanpath->base.log,
                    "gaze: no row of %s is as sure as gaze.validity.min_confidence, %g",
                    scanpath->base.settings.scanpath_file, scanpath->base.settings.min_confidence);
    }
    return FOVEA_OK;
}

/* The last row stands as long as the others do on average. */
static int64_t lap_length_ns(const struct gaze_scanpath_rows *file)
{
    if (file->count < 2) {
        return 0;
    }
    const int64_t span_ns = file->rows[file->count - 1].t_ns;
    return gaze_time_add(span_ns, span_ns / (int64_t)(file->count - 1));
}

static void filter_rows(struct scanpath *scanpath, struct gaze_filter *filter)
{
    for (size_t i = 0; i < scanpath->file.count; i++) {
        struct gaze_scanpath_row *row = &scanpath->file.rows[i];
        struct fovea_gaze_sample sample = {.x = row->x, .y = row->y, .t_ns = row->t_ns};
        if (scanpath->last_valid[i] != i) {
            gaze_filter_restart(filter);
            continue;
        }
        scanpath->movements[i] =
            (uint8_t)gaze_filter_pass(filter, &scanpath->base.settings, &sample);
        row->x = sample.x;
        row->y = sample.y;
    }
}

/* Finds the other eye's columns, which lie beside the place of one eye. */
static void find_eyes(const struct fovea_gaze_settings *settings,
                      const struct gaze_scanpath_row *row, struct gaze_sight out[2])
{
    static const double left_from[] = {
        [FOVEA_GAZE_EYE_BOTH] = -0.5, [FOVEA_GAZE_EYE_LEFT] = 0.0, [FOVEA_GAZE_EYE_RIGHT] = -1.0};
    const double left = row->x + left_from[settings->scanpath_eye] * row->apart;
    const double x[2] = {left, left + row->apart};
    const double y[2] = {row->y, row->y};
    gaze_vergence_from_places(settings, settings->vergence_distance_m, x, y, out);
}

/* Takes the places as the file has them: before they are filtered. */
static enum fovea_result find_vergences(struct scanpath *scanpath)
{
    struct gaze_vergence now = {.any = false};
    if (!(scanpath->base.settings.vergence_ipd_mm > 0.0)) {
        return FOVEA_OK;
    }
    scanpath->vergences = calloc(scanpath->file.count, sizeof *scanpath->vergences);
    if (!scanpath->vergences) {
        log_error(scanpath->base.log, "gaze: out of memory for the scanpath's vergence");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < scanpath->file.count; i++) {
        const struct gaze_scanpath_row *row = &scanpath->file.rows[i];
        struct gaze_sight eyes[2];
        find_eyes(&scanpath->base.settings, row, eyes);
        if (scanpath->last_valid[i] == i) {
            (void)gaze_vergence_pass(&now, &scanpath->base.settings, eyes, row->t_ns);
        }
        scanpath->vergences[i] = now;
    }
    if (!now.any) {
        log_warning(
            scanpath->base.log,
            "gaze.vergence.ipd_mm has no effect: %s has no row with the places of both eyes",
            scanpath->base.settings.scanpath_file);
    }
    return FOVEA_OK;
}

/* Once, in the order of the file: whatever times are asked for, a row has one answer. */
static enum fovea_result filter_once(struct scanpath *scanpath)
{
    if (!gaze_filter_is_wanted(&scanpath->base.settings)) {
        return FOVEA_OK;
    }
    struct gaze_filter *filter = calloc(1, sizeof *filter);
    scanpath->movements = calloc(scanpath->file.count, sizeof *scanpath->movements);
    const bool is_there = filter && scanpath->movements;
    if (is_there) {
        filter_rows(scanpath, filter);
    } else {
        log_error(scanpath->base.log, "gaze: out of memory for the scanpath's filter");
    }
    free(filter);
    return is_there ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

static enum fovea_result scanpath_init(struct fovea_gaze_source *source)
{
    struct scanpath *scanpath = (struct scanpath *)source;
    FOVEA_TRY(gaze_scanpath_load(&source->settings, source->log, &scanpath->file));
    if (scanpath->file.are_uv) {
        source->settings.space = FOVEA_GAZE_SPACE_UV;
        source->settings.origin = FOVEA_GAZE_ORIGIN_TOP_LEFT;
    }
    if (source->settings.scanpath_loop) {
        scanpath->lap_ns = lap_length_ns(&scanpath->file);
    }
    FOVEA_TRY(find_valid_rows(scanpath));
    FOVEA_TRY(find_vergences(scanpath));
    return filter_once(scanpath);
}

static void scanpath_finish(struct fovea_gaze_source *source)
{
    struct scanpath *scanpath = (struct scanpath *)source;
    free(scanpath->last_valid);
    free(scanpath->movements);
    free(scanpath->vergences);
    gaze_scanpath_rows_finish(&scanpath->file);
}

/* The newest row not later than t_ns, which is not negative. */
static size_t row_at(const struct gaze_scanpath_rows *file, int64_t t_ns)
{
    size_t first = 0;
    size_t count = file->count;
    while (count > 1) {
        const size_t half = count / 2;
        if (file->rows[first + half].t_ns <= t_ns) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

static struct place place_at(const struct scanpath *scanpath, int64_t elapsed_ns)
{
    struct place place = {.lap = 0};
    if (scanpath->lap_ns > 0) {
        place.lap = elapsed_ns / scanpath->lap_ns;
        elapsed_ns %= scanpath->lap_ns;
    }
    place.row = row_at(&scanpath->file, elapsed_ns);
    return place;
}

static struct place next_place(const struct scanpath *scanpath, struct place place)
{
    const bool last = place.row + 1 == scanpath->file.count;
    return last ? (struct place){place.lap + 1, 0} : (struct place){place.lap, place.row + 1};
}

static int64_t place_t_ns(const struct scanpath *scanpath, struct place place)
{
    return place.lap * scanpath->lap_ns + scanpath->file.rows[place.row].t_ns;
}

static uint64_t rows_until(const struct scanpath *scanpath, int64_t elapsed_ns)
{
    if (elapsed_ns < 0) {
        return 0;
    }
    const struct place place = place_at(scanpath, elapsed_ns);
    return (uint64_t)place.lap * scanpath->file.count + place.row + 1;
}

/* False where no row was valid yet. */
static bool find_last_valid(const struct scanpath *scanpath, struct place now, struct place *out)
{
    *out = (struct place){now.lap, scanpath->last_valid[now.row]};
    if (out->row == NO_ROW && now.lap > 0) {
        *out = (struct place){now.lap - 1, scanpath->last_valid[scanpath->file.count - 1]};
    }
    return out->row != NO_ROW;
}

static void observe_rows(const struct scanpath *scanpath, int64_t elapsed_ns,
                         struct gaze_observation *out)
{
    const struct place now = place_at(scanpath, elapsed_ns);
    struct place valid;
    out->any = find_last_valid(scanpath, now, &valid);
    if (!out->any) {
        return;
    }
    const struct gaze_scanpath_row *row = &scanpath->file.rows[valid.row];
    const int64_t valid_ns = place_t_ns(scanpath, valid);
    out->x = row->x;
    out->y = row->y;
    out->movement = scanpath->movements ? scanpath->movements[valid.row] : GAZE_NOT_TOLD;
    out->valid_t_ns = gaze_time_add(scanpath->start_ns, valid_ns);
    const bool newest_is_valid = valid.lap == now.lap && valid.row == now.row;
    int64_t missing_ns = gaze_time_add(valid_ns, GAZE_SILENCE_NS);
    if (!newest_is_valid) {
        missing_ns = place_t_ns(scanpath, next_place(scanpath, valid));
        out->missing = true;
        out->closed = scanpath->file.rows[now.row].closed;
    } else if (scanpath->lap_ns == 0 && now.row + 1 == scanpath->file.count) {
        out->missing = !scanpath->base.settings.scanpath_loop && elapsed_ns > missing_ns;
    }
    out->missing_since_ns = gaze_time_add(scanpath->start_ns, missing_ns);
}

static int64_t elapsed_at(struct scanpath *scanpath, int64_t t_ns)
{
    if (!scanpath->started) {
        scanpath->started = true;
        scanpath->start_ns = t_ns;
    }
    const int64_t since_start_ns = gaze_time_sub(t_ns, scanpath->start_ns);
    return since_start_ns > 0 ? since_start_ns : 0;
}

static void scanpath_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                             struct gaze_observation *out)
{
    (void)aspect;
    struct scanpath *scanpath = (struct scanpath *)source;
    const int64_t elapsed_ns = elapsed_at(scanpath, t_ns);
    observe_rows(scanpath, elapsed_ns, out);
    out->sample_count = rows_until(scanpath, elapsed_ns);
    out->rate_hz = (double)(out->sample_count - rows_until(scanpath, elapsed_ns - GAZE_NS_PER_S));
}

/* A row stands until the next one, the last one for as long as any sample, and what was told before
 * an eye was lost from its own time on. */
static double scanpath_vergence_m(struct fovea_gaze_source *source, int64_t t_ns)
{
    struct scanpath *scanpath = (struct scanpath *)source;
    if (!scanpath->vergences) {
        return 0.0;
    }
    const int64_t elapsed_ns = elapsed_at(scanpath, t_ns);
    const struct place now = place_at(scanpath, elapsed_ns);
    const struct gaze_vergence *told = &scanpath->vergences[now.row];
    const bool is_end = !source->settings.scanpath_loop && now.row + 1 == scanpath->file.count;
    const bool stands = told->t_ns == scanpath->file.rows[now.row].t_ns && !is_end;
    return gaze_vergence_m(told, &source->settings,
                           stands ? told->t_ns : elapsed_ns - now.lap * scanpath->lap_ns);
}

static void scanpath_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "scanpath, %s", settings->scanpath_file);
}

const struct gaze_source_api gaze_scanpath = {
    .name = "scanpath",
    .bytes = sizeof(struct scanpath),
    .opens_slowly = true,
    .describe = scanpath_describe,
    .init = scanpath_init,
    .finish = scanpath_finish,
    .observe = scanpath_observe,
    .vergence_m = scanpath_vergence_m,
};
