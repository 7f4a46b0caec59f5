/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "recording.h"

#include <string.h>

/* The first that knows a file reads it; what a person names counts before what a file looks like.
 */
static const struct recording_reader *const READERS[] = {
    &recording_named, &recording_eyelink,  &recording_bids,
    &recording_neon,  &recording_pupil,    &recording_pupil_surface,
    &recording_tobii, &recording_gazebase, &recording_plain,
};

static const struct recording_reader *reader_of(const struct recording *recording)
{
    size_t i = 0;
    while (!READERS[i]->knows(recording)) { /* plain knows all */
        i++;
    }
    return READERS[i];
}

static void skip_byte_order_mark(struct span *text)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (recording_span_bytes(*text) >= 3 && memcmp(text->begin, mark, 3) == 0) {
        text->begin += 3;
    }
}

/* Files of other kinds begin with these. */
static const struct {
    const char *begin;
    const char *what;
} OTHERS[] = {
    {"\x1F\x8B",
     "it is compressed; gunzip it first (gaze.source replay takes records of frames as they are)"},
    {"\xFF\xFE", "it is UTF-16; save it as UTF-8"},
    {"\xFE\xFF", "it is UTF-16; save it as UTF-8"},
    {"SR_RESEARCH", "it is an EDF of an EyeLink; convert it to ASC with edf2asc first"},
    {"PK\x03\x04", "it is a spreadsheet or another archive; save the table as CSV"},
};

static enum fovea_result check_bytes(struct recording *recording)
{
    struct recording_text *text = &recording->text;
    text->line = text->rest;
    text->line_number = 1;
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        const size_t bytes = strlen(OTHERS[i].begin);
        if (recording_span_bytes(text->rest) >= bytes &&
            memcmp(text->rest.begin, OTHERS[i].begin, bytes) == 0) {
            return recording_wrong(text, text->rest.begin, OTHERS[i].what);
        }
    }
    text->line_number = 0;
    return FOVEA_OK;
}

static enum fovea_result check_rows(const struct recording *recording)
{
    if (recording->rows->count == 0) {
        return recording_wrong(&recording->text, recording->text.line.end,
                               "there are no samples up to here, the end");
    }
    return FOVEA_OK;
}

static bool is_uv(const struct recording *recording)
{
    return recording->rows->are_uv || recording->settings->space == FOVEA_GAZE_SPACE_UV;
}

static void tell(const struct recording *recording, const struct recording_reader *reader)
{
    const struct gaze_scanpath_rows *rows = recording->rows;
    log_info(recording->text.log, "gaze: %s: %s, %zu samples in %.3f s, %zu of them lost",
             recording->text.name, reader->name, rows->count,
             (double)rows->rows[rows->count - 1].t_ns / 1e9, recording->lost_count);
    if (recording->far_line > 0 && is_uv(recording)) {
        log_warning(recording->text.log,
                    "gaze: %s:%zu: this cannot be uv, 0 to 1 over the image; where positions are "
                    "in pixels set gaze.space=pixels and gaze.screen_px",
                    recording->text.name, recording->far_line);
    }
}

static enum fovea_result read_all(struct recording *recording)
{
    skip_byte_order_mark(&recording->text.rest);
    FOVEA_TRY(check_bytes(recording));
    const struct recording_reader *reader = reader_of(recording);
    FOVEA_TRY(reader->read(recording));
    FOVEA_TRY(check_rows(recording));
    recording->rows->are_uv = recording->space >= RECORDING_UV_DOWN;
    tell(recording, reader);
    return FOVEA_OK;
}

enum fovea_result gaze_scanpath_parse(const struct gaze_recording *in,
                                      struct gaze_scanpath_rows *out)
{
    *out = (struct gaze_scanpath_rows){0};
    struct recording recording = {
        .in = in,
        .settings = in->settings,
        .text = {.name = in->name, .log = in->log, .rest = {in->text, in->text + in->bytes}},
        .rows = out};
    recording.text.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    FOVEA_TRY_MEMORY(recording.text.c_locale);
    const enum fovea_result result = read_all(&recording);
    freelocale(recording.text.c_locale);
    if (result < 0) {
        gaze_scanpath_rows_finish(out);
    }
    return result;
}
