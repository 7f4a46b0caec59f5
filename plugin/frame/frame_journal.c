/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_journal.h"

#include "config/hash.h"
#include "core/log.h"
#include "frame_late.h"

enum fovea_result frame_journal_open(struct fovea_vk *fovea, const struct fovea_settings *given)
{
    const char *name = fovea->settings.record.file;
    if (!name[0]) {
        return FOVEA_OK;
    }
    FOVEA_TRY(record_open(name, fovea->log, &fovea->record));
    frame_journal_set(fovea, given);
    return FOVEA_OK;
}

void frame_journal_set(struct fovea_vk *fovea, const struct fovea_settings *given)
{
    uint64_t hash = 0;
    if (!fovea->record) {
        return;
    }
    if (config_settings_hash(given, &hash) < 0) {
        log_error(fovea->log, "record: no memory for the settings' hash, which is 0 now");
    }
    record_set(fovea->record, hash, given);
}

/* Rows of frames that are over, up to one that is not. */
static void push_rows(struct fovea_vk *fovea)
{
    for (;;) {
        struct frame_slot *slot = &fovea->slots[(fovea->row_pushed + 1) % fovea->slot_count];
        if (!slot->row_over || slot->row.frame != fovea->row_pushed + 1) {
            return;
        }
        record_push(fovea->record, &slot->row);
        slot->row_over = false;
        fovea->row_pushed++;
    }
}

void frame_journal_close(struct fovea_vk *fovea)
{
    if (!fovea->record) {
        return;
    }
    /* Nobody has said that frames in the engine's own commands are over. */
    for (uint64_t frame = fovea->row_pushed + 1; frame <= fovea->frame; frame++) {
        fovea->slots[frame % fovea->slot_count].row_over = true;
        fovea->slots[frame % fovea->slot_count].row.late = false;
    }
    push_rows(fovea);
    record_close(&fovea->record);
}

static void note_gazes(const struct frame_work *work, struct record_row *row)
{
    const struct fovea_gaze *gaze = work->views[0].gaze;
    row->state = gaze->state;
    row->usable = gaze->usable;
    row->age_ns = gaze->age_ns;
    row->rate_hz = gaze->rate_hz;
    row->view_count = work->view_count;
    for (uint32_t i = 0; i < work->view_count && i < RECORD_VIEWS; i++) {
        const struct fovea_point_uv point = work->views[i].gaze->point;
        row->gaze[i] = (struct record_gaze){point.x_uv, point.y_uv};
    }
}

void frame_journal_note(struct fovea_vk *fovea, const struct frame_work *work, bool foveated)
{
    if (!fovea->record) {
        return;
    }
    struct record_row *row = &work->slot->row;
    *row = (struct record_row){.frame = fovea->frame,
                               .t_ns = fovea_time_ns(),
                               .width_px = work->view_width_px,
                               .height_px = work->view_height_px,
                               .foveated = foveated,
                               .late = work->late && foveated,
                               .gpu_us = -1,
                               .vergence_m = work->desc->vergence_m,
                               .refused = fovea->row_refused,
                               .settings = record_settings_number(fovea->record)};
    note_gazes(work, row);
    work->slot->row_over = false;
    fovea->row_refused = 0;
}

void frame_journal_refused(struct fovea_vk *fovea)
{
    fovea->row_refused++;
}

uint64_t frame_journal_refusals(const struct fovea_vk *fovea)
{
    return fovea->row_refused;
}

void frame_journal_again(struct fovea_vk *fovea, uint64_t refusals)
{
    fovea->row_refused = refusals;
}

void frame_journal_end(struct fovea_vk *fovea, struct frame_slot *slot,
                       const struct frame_journal_end *end)
{
    if (!fovea->record || slot->row.frame != slot->frame) {
        return;
    }
    struct record_row *row = &slot->row;
    row->gpu_us = end->gpu_us;
    row->late_age_known = row->late && end->late_age_ns >= 0;
    row->late_age_ns = end->late_age_ns;
    row->late = row->late && frame_late_place(fovea, slot, row);
    slot->row_over = true;
    push_rows(fovea);
}

uint64_t frame_journal_frame(const struct fovea_vk *fovea)
{
    return fovea->record ? fovea->frame : 0;
}

void frame_journal_expect(struct fovea_vk *fovea, enum record_shown_by by)
{
    if (fovea->record) {
        record_expect(fovea->record, by);
    }
}

void frame_journal_shown(struct fovea_vk *fovea, uint64_t frame, const struct record_shown *shown)
{
    if (fovea->record) {
        record_shown(fovea->record, frame, shown);
    }
}
