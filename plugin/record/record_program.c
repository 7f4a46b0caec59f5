/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The record of a program's own frames. */
#include "plugin/fovea_record.h"

#include "config/hash.h"
#include "core/log.h"
#include "core/struct_bytes.h"
#include "record.h"

#include <stdlib.h>

#define SIDE_MAX_PX 16384u
#define TOOK_MAX_NS (INT64_C(1) << 62)

struct fovea_record {
    struct record *record;
    struct fovea_log log;
    uint64_t frame; /* the last one's number */
};

STRUCT_ENDS_WITH(struct fovea_record_desc, log);
STRUCT_ENDS_WITH(struct fovea_record_frame, refresh_ns);

enum fovea_result fovea_record_set_settings(struct fovea_record *record,
                                            const struct fovea_settings *settings)
{
    uint64_t hash = 0;
    if (!record || !settings) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(config_settings_hash(settings, &hash));
    record_set(record->record, hash, settings);
    return FOVEA_OK;
}

static enum fovea_result open_record(struct fovea_record *record,
                                     const struct fovea_settings *settings)
{
    FOVEA_TRY(record_open(settings->record.file, record->log, &record->record));
    return fovea_record_set_settings(record, settings);
}

enum fovea_result fovea_record_create(const struct fovea_record_desc *desc,
                                      struct fovea_record **out_record)
{
    if (!out_record) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_record = NULL;
    struct fovea_record_desc taken;
    if (!desc || !struct_take(&taken, sizeof taken, desc)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!taken.settings) {
        log_error(taken.log, "fovea_record_create: settings are required");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!taken.settings->record.file[0]) {
        log_error(taken.log, "record.file is empty; it is what names of files begin with, as in "
                             "\"data/sub-01_task-look\"");
        return FOVEA_ERROR_CONFIG;
    }
    struct fovea_record *record = calloc(1, sizeof *record);
    if (!record) {
        log_error(taken.log, "record: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    record->log = taken.log;
    const enum fovea_result result = open_record(record, taken.settings);
    if (result < 0) {
        fovea_record_destroy(&record);
        return result;
    }
    *out_record = record;
    return FOVEA_OK;
}

void fovea_record_destroy(struct fovea_record **record)
{
    if (!record || !*record) {
        return;
    }
    record_close(&(*record)->record);
    free(*record);
    *record = NULL;
}

static bool is_side(uint32_t px)
{
    return px >= 1 && px <= SIDE_MAX_PX;
}

static struct record_row row_of(const struct fovea_record_frame *frame)
{
    const struct fovea_gaze *gaze = &frame->gazes[0];
    struct record_row row = {.t_ns = frame->t_ns ? frame->t_ns : fovea_time_ns(),
                             .width_px = frame->width_px,
                             .height_px = frame->height_px,
                             .view_count = frame->view_count,
                             .state = gaze->state,
                             .usable = gaze->usable,
                             .foveated = !frame->passed_through,
                             .age_ns = gaze->age_ns,
                             .rate_hz = gaze->rate_hz,
                             .gpu_us = frame->took_ns < 0 ? -1.0 : (double)frame->took_ns * 1e-3,
                             .refused = frame->refused,
                             .shown = {.t_ns = frame->presented_t_ns,
                                       .refresh_ns = frame->refresh_ns,
                                       .dropped = frame->dropped},
                             .vergence_m = frame->vergence_m};
    for (uint32_t i = 0; i < frame->view_count; i++) {
        const struct fovea_point_uv point = frame->gazes[i].point;
        row.gaze[i] = (struct record_gaze){point.x_uv, point.y_uv};
    }
    return row;
}

enum fovea_result fovea_record_add(struct fovea_record *record,
                                   const struct fovea_record_frame *frame)
{
    struct fovea_record_frame taken;
    if (!record || !frame || !struct_take(&taken, sizeof taken, frame) ||
        !struct_bytes_are_0(taken.reserved, sizeof taken.reserved) || !is_side(taken.width_px) ||
        !is_side(taken.height_px) || taken.view_count < 1 || taken.view_count > RECORD_VIEWS ||
        (unsigned)taken.gazes[0].state > FOVEA_GAZE_BLINK || !(taken.vergence_m >= 0.0) ||
        taken.t_ns < 0 || taken.presented_t_ns < 0 || taken.took_ns > TOOK_MAX_NS ||
        taken.refresh_ns < 0 || (taken.dropped && taken.presented_t_ns != 0)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct record_row row = row_of(&taken);
    row.frame = ++record->frame;
    row.settings = record_settings_number(record->record);
    record_push(record->record, &row);
    return FOVEA_OK;
}
