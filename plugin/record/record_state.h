/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A record from inside, for its own files. */
#pragma once

#include "record.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define RECORD_ROWS 4096u /* of the ring: four seconds of 1000 frames a second */
#define RECORD_MAX_SETTINGS 256u
#define RECORD_TEXT_BYTES                                                                          \
    65535u /* of a part of the compressed file: what one stored block takes                        \
            */
#define RECORD_LINE_BYTES 640u

#define RECORD_COLUMN(NAME, name, unit, description) RECORD_##NAME,
enum record_column {
#include "record_columns.def"
    RECORD_COLUMNS
};
#undef RECORD_COLUMN

#define RECORD_GZIP_HEAD_BYTES 10u
#define RECORD_GZIP_PART_BYTES 5u /* beside the text */
#define RECORD_GZIP_END_BYTES 13u

/* A gzip file's end says this of all its text. */
struct record_gzip {
    uint32_t crc;
    uint32_t text_bytes; /* modulo 2^32 */
};

/* A record is told this of a frame beside its row. The last frame with such a number has it. */
struct record_told {
    _Atomic uint64_t frame; /* stored last */
    _Atomic int64_t t_ns;
    _Atomic int64_t refresh_ns;
    atomic_bool dropped;
    atomic_bool after_others;
};

struct record {
    struct fovea_log log;
    char rows_name[FOVEA_PATH_MAX];
    char rows_side_name[FOVEA_PATH_MAX];
    char events_name[FOVEA_PATH_MAX];
    char events_side_name[FOVEA_PATH_MAX];
    int rows_file;
    int events_file;
    int64_t start_ns;
    char start_utc[32];

    /* The ring: the frames' thread writes head, the writer tail. */
    struct record_row *rows;
    _Atomic uint64_t head;
    _Atomic uint64_t tail;
    _Atomic uint64_t lost; /* rows that found no room */
    struct record_told *told; /* RECORD_ROWS */
    _Atomic int shown_by; /* enum record_shown_by */

    /* The lock is held for a copy, and never in a frame. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
    struct record_settings settings[RECORD_MAX_SETTINGS];
    uint32_t settings_count; /* may be larger: the others are not kept */

    /* The writer's. */
    pthread_t thread;
    pid_t process; /* that has it */
    bool started;
    unsigned char *part; /* of the compressed file, and the end */
    struct record_gzip gzip;
    off_t gzip_end; /* where the file's end begins */
    char *text;
    size_t text_count;
    char *events;
    size_t events_count;
    struct record_row last; /* the newest row that was taken out */
    /* When the newest frame that was shown was; 0: another may have come after it, or none has. */
    int64_t last_shown_ns;
    int64_t first_t_ns;
    uint64_t row_count; /* written */
    uint64_t shown_count; /* rows that say when they were on the screen */
    uint64_t taken; /* out of the ring */
    uint64_t unwritten; /* taken, but the file did not take them */
    uint64_t lost_said;
    int64_t side_next_ns;
    bool failed_said;
};

/* record_gzip.c: each returns the bytes that it has put. */
size_t record_gzip_head(unsigned char *out);
/* A block of text, stored as it is; count is at most RECORD_TEXT_BYTES. */
size_t record_gzip_part(struct record_gzip *gzip, const char *text, size_t count,
                        unsigned char *out);
/* The end of what there is. */
size_t record_gzip_end(const struct record_gzip *gzip, unsigned char *out);

/* record_row.c: a line with its end; at most RECORD_LINE_BYTES with the 0. */
size_t record_row_text(const struct record *record, const struct record_row *row, char *out);
/* Writes what has changed since the row before as lines of the events; at most RECORD_MOST_EVENTS.
 */
#define RECORD_MOST_EVENTS 6u
size_t record_row_events(const struct record *record, const struct record_row *row, char *out);

/* record_shown.c: false: the row waits for what record_shown says. Else that is in it. */
bool record_shown_take(const struct record *record, struct record_row *row, int64_t now_ns);
/* Refreshes of the display at which the frame before stayed; negative: not known. */
int64_t record_shown_repeats(const struct record *record, const struct record_row *row);
/* Before the row is the last one. */
void record_shown_note(struct record *record, const struct record_row *row);
/* Returns what the description of the table says of it. */
const char *record_shown_words(const struct record *record);

/* record_side.c: the descriptions beside the two tables, written anew. False: errno says why. */
FOVEA_MUST_CHECK bool record_side_write(struct record *record);

/* record_write.c: what is in the ring, and the descriptions when it is time for them. */
void record_write(struct record *record, bool last);
