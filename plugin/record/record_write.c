/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "record_state.h"

#include "core/log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SIDE_EVERY_NS INT64_C(5000000000)

static void say(struct record *record, const char *name, int error)
{
    if (!record->failed_said) {
        record->failed_said = true;
        log_error(record->log, "record: %s: %s; lines are lost, and counted", name,
                  strerror(error));
    }
}

/* False where not all of it was written. */
static bool write_at(struct record *record, int file, const char *name, const void *bytes,
                     size_t count, off_t at)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t got =
            pwrite(file, (const char *)bytes + done, count - done, at + (off_t)done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            say(record, name, got < 0 ? errno : ENOSPC);
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* Restores what was there before: its end takes no more room than it had. */
static void take_back(struct record *record)
{
    unsigned char end[RECORD_GZIP_END_BYTES];
    const size_t bytes = record_gzip_end(&record->gzip, end);
    (void)write_at(record, record->rows_file, record->rows_name, end, bytes, record->gzip_end);
    if (ftruncate(record->rows_file, record->gzip_end + (off_t)bytes) != 0) {
        say(record, record->rows_name, errno);
    }
}

/* The rows whose text this is. */
static void write_text(struct record *record, uint64_t rows)
{
    struct record_gzip gzip = record->gzip;
    const size_t part = record_gzip_part(&gzip, record->text, record->text_count, record->part);
    const size_t end = record_gzip_end(&gzip, record->part + part);
    if (write_at(record, record->rows_file, record->rows_name, record->part, part + end,
                 record->gzip_end)) {
        record->gzip = gzip;
        record->gzip_end += (off_t)part;
        record->row_count += rows;
    } else {
        take_back(record);
        record->unwritten += rows;
    }
    record->text_count = 0;
}

static void write_events(struct record *record)
{
    const off_t end = lseek(record->events_file, 0, SEEK_END);
    if (record->events_count > 0 && end >= 0 &&
        !write_at(record, record->events_file, record->events_name, record->events,
                  record->events_count, end) &&
        ftruncate(record->events_file, end) != 0) { /* no line in part */
        say(record, record->events_name, errno);
    }
    record->events_count = 0;
}

/* Room for one more row, and for its events. */
static bool is_full(const struct record *record)
{
    return record->text_count + RECORD_LINE_BYTES > RECORD_TEXT_BYTES ||
           record->events_count + RECORD_MOST_EVENTS * RECORD_LINE_BYTES > RECORD_TEXT_BYTES;
}

static void take_row(struct record *record, const struct record_row *row)
{
    record->text_count += record_row_text(record, row, record->text + record->text_count);
    record->events_count += record_row_events(record, row, record->events + record->events_count);
    record->first_t_ns = record->taken == 0 ? row->t_ns : record->first_t_ns;
    record_shown_note(record, row);
    record->last = *row;
    record->taken++;
}

/* `last`: nobody is waited for any more. */
static void write_rows(struct record *record, bool last)
{
    const int64_t now_ns = last ? INT64_MAX : fovea_time_ns();
    uint64_t tail = atomic_load_explicit(&record->tail, memory_order_relaxed);
    const uint64_t head = atomic_load_explicit(&record->head, memory_order_acquire);
    uint64_t rows = 0;
    for (; tail != head; tail++) {
        struct record_row row = record->rows[tail % RECORD_ROWS];
        if (!record_shown_take(record, &row, now_ns)) {
            break;
        }
        take_row(record, &row);
        atomic_store_explicit(&record->tail, tail + 1, memory_order_release);
        rows++;
        if (is_full(record)) {
            write_text(record, rows);
            write_events(record);
            rows = 0;
        }
    }
    if (rows > 0) {
        write_text(record, rows);
        write_events(record);
    }
}

void record_write(struct record *record, bool last)
{
    write_rows(record, last);
    const int64_t now_ns = fovea_time_ns();
    if (last || (record->taken > 1 && now_ns >= record->side_next_ns)) {
        record->side_next_ns = now_ns + SIDE_EVERY_NS;
        if (!record_side_write(record)) {
            say(record, record->rows_side_name, errno);
        }
    }
    const uint64_t lost = atomic_load(&record->lost);
    if (lost > 0 && record->lost_said == 0) {
        record->lost_said = lost;
        log_warning(record->log,
                    "record: %s: frames come faster than lines are written; "
                    "lines are lost, and counted",
                    record->rows_name);
    }
}
