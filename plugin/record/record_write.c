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

/* All of it or, where that can be helped, nothing: the file ends with a whole part. */
static bool append(struct record *record, int file, const char *name, const void *bytes,
                   size_t count)
{
    const off_t before = lseek(file, 0, SEEK_END);
    size_t done = 0;
    while (done < count) {
        const ssize_t got = write(file, (const char *)bytes + done, count - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            say(record, name, got < 0 ? errno : ENOSPC);
            if (before >= 0 && ftruncate(file, before) != 0) {
                say(record, name, errno);
            }
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* The rows whose text this is. */
static void write_text(struct record *record, uint64_t rows)
{
    const size_t bytes = record_gzip(record->text, record->text_count, record->part);
    if (append(record, record->rows_file, record->rows_name, record->part, bytes)) {
        record->row_count += rows;
    } else {
        record->unwritten += rows;
    }
    record->text_count = 0;
}

static void write_events(struct record *record)
{
    if (record->events_count > 0) {
        (void)append(record, record->events_file, record->events_name, record->events,
                     record->events_count);
        record->events_count = 0;
    }
}

/* Room for one more row, and for its events. */
static bool is_full(const struct record *record)
{
    return record->text_count + RECORD_LINE_BYTES > RECORD_TEXT_BYTES ||
           record->events_count + 4 * RECORD_LINE_BYTES > RECORD_TEXT_BYTES;
}

static void take_row(struct record *record, const struct record_row *row)
{
    record->text_count += record_row_text(record, row, record->text + record->text_count);
    record->events_count += record_row_events(record, row, record->events + record->events_count);
    record->first_t_ns = record->taken == 0 ? row->t_ns : record->first_t_ns;
    record->last = *row;
    record->taken++;
}

static void write_rows(struct record *record, bool last)
{
    uint64_t tail = atomic_load_explicit(&record->tail, memory_order_relaxed);
    const uint64_t head = atomic_load_explicit(&record->head, memory_order_acquire);
    uint64_t rows = 0;
    for (; tail != head; tail++) {
        take_row(record, &record->rows[tail % RECORD_ROWS]);
        atomic_store_explicit(&record->tail, tail + 1, memory_order_release);
        rows++;
        if (is_full(record)) {
            write_text(record, rows);
            write_events(record);
            rows = 0;
        }
    }
    if (rows > 0 || (last && record->taken == 0)) { /* a gzip file without a part is none */
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
