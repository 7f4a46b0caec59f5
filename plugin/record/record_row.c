/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "record_state.h"

#include "config/words.h"

#include <math.h>
#include <string.h>

#define NONE "n/a" /* BIDS's word for what is not known */

struct cell {
    char text[48];
};

static struct cell number_cell(bool known, double value)
{
    struct cell cell = {NONE};
    if (known && isfinite(value)) {
        snprintf(cell.text, sizeof cell.text, "%s", config_number(value).text);
    }
    return cell;
}

static struct cell count_cell(uint64_t value)
{
    struct cell cell;
    snprintf(cell.text, sizeof cell.text, "%llu", (unsigned long long)value);
    return cell;
}

static struct cell seconds_cell(bool known, int64_t ns)
{
    struct cell cell = {NONE};
    const uint64_t all = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (known) {
        snprintf(cell.text, sizeof cell.text, "%s%llu.%09llu", ns < 0 ? "-" : "",
                 (unsigned long long)(all / 1000000000), (unsigned long long)(all % 1000000000));
    }
    return cell;
}

static void fill_gazes(const struct record_row *row, struct cell cells[RECORD_COLUMNS])
{
    const struct record_gaze *used = row->late ? &row->late_gaze : &row->gaze[0];
    const bool two = row->view_count > 1;
    cells[RECORD_X_PX] = number_cell(row->usable, used->x_uv * row->width_px);
    cells[RECORD_Y_PX] = number_cell(row->usable, used->y_uv * row->height_px);
    cells[RECORD_X_UV] = number_cell(true, row->gaze[0].x_uv);
    cells[RECORD_Y_UV] = number_cell(true, row->gaze[0].y_uv);
    cells[RECORD_X2_UV] = number_cell(two, row->gaze[1].x_uv);
    cells[RECORD_Y2_UV] = number_cell(two, row->gaze[1].y_uv);
    cells[RECORD_LATE_X_UV] = number_cell(row->late, row->late_gaze.x_uv);
    cells[RECORD_LATE_Y_UV] = number_cell(row->late, row->late_gaze.y_uv);
    cells[RECORD_LATE_AGE] = seconds_cell(row->late_age_known, row->late_age_ns);
}

static void fill(const struct record *record, const struct record_row *row,
                 struct cell cells[RECORD_COLUMNS])
{
    fill_gazes(row, cells);
    cells[RECORD_TIMESTAMP] = seconds_cell(true, row->t_ns - record->start_ns);
    cells[RECORD_FRAME] = count_cell(row->frame);
    cells[RECORD_STATE] = count_cell((uint64_t)row->state);
    cells[RECORD_USABLE] = count_cell(row->usable);
    /* Before the first sample there is none. */
    cells[RECORD_AGE] =
        seconds_cell(row->state != FOVEA_GAZE_LOST || row->age_ns != 0, row->age_ns);
    cells[RECORD_RATE] = number_cell(true, row->rate_hz);
    cells[RECORD_GPU] = seconds_cell(row->gpu_us >= 0, (int64_t)(row->gpu_us * 1e3));
    cells[RECORD_FOVEATED] = count_cell(row->foveated);
    cells[RECORD_REFUSED] = count_cell(row->refused);
    cells[RECORD_PRESENTED] =
        seconds_cell(row->shown.t_ns != 0, row->shown.t_ns - record->start_ns);
    cells[RECORD_DROPPED] =
        number_cell(row->shown.dropped || row->shown.t_ns != 0, row->shown.dropped);
    const int64_t repeats = record_shown_repeats(record, row);
    cells[RECORD_REPEATED] = number_cell(repeats >= 0, (double)repeats);
    cells[RECORD_VERGENCE] = number_cell(row->vergence_m > 0, 1.0 / row->vergence_m);
    cells[RECORD_SETTINGS] = count_cell(row->settings);
}

size_t record_row_text(const struct record *record, const struct record_row *row, char *out)
{
    struct cell cells[RECORD_COLUMNS];
    fill(record, row, cells);
    size_t used = 0;
    for (size_t i = 0; i < RECORD_COLUMNS; i++) {
        const size_t length = strlen(cells[i].text);
        memcpy(out + used, cells[i].text, length);
        used += length;
        out[used++] = i + 1 < RECORD_COLUMNS ? '\t' : '\n';
    }
    out[used] = '\0';
    return used;
}

/* ---- Events ---- */

static size_t event(const struct record *record, const struct record_row *row, const char *name,
                    uint64_t value, char *out)
{
    const int length = snprintf(out, RECORD_LINE_BYTES, "%s\t" NONE "\t%s\t%llu\t%llu\n",
                                seconds_cell(true, row->t_ns - record->start_ns).text, name,
                                (unsigned long long)value, (unsigned long long)row->frame);
    return length > 0 ? (size_t)length : 0;
}

size_t record_row_events(const struct record *record, const struct record_row *row, char *out)
{
    const struct record_row *last = &record->last;
    size_t used = 0;
    if (row->settings != last->settings) {
        used += event(record, row, "settings", row->settings, out + used);
    }
    if (last->frame == 0 || row->state != last->state) {
        used += event(record, row, "gaze_state", (uint64_t)row->state, out + used);
    }
    if (row->refused > 0) {
        used += event(record, row, "frames_refused", row->refused, out + used);
    }
    if (row->shown.dropped) {
        used += event(record, row, "frame_dropped", 1, out + used);
    }
    const int64_t repeats = record_shown_repeats(record, row);
    if (repeats > 0) {
        used += event(record, row, "frame_repeated", (uint64_t)repeats, out + used);
    }
    if (last->frame > 0 && row->frame != last->frame + 1) {
        used += event(record, row, "lines_lost", row->frame - last->frame - 1, out + used);
    }
    return used;
}
