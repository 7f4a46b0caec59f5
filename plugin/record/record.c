/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "record_state.h"

#include "core/descriptor.h"
#include "core/log.h"
#include "core/process.h"
#include "core/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WRITE_EVERY_NS 100000000
#define MAX_RUNS 9999u

/* ---- The files ---- */

static bool has_run(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strstr(slash ? slash : name, "_run-") != NULL;
}

static bool set_name(char out[FOVEA_PATH_MAX], const char *name, uint32_t run, const char *end)
{
    char number[24] = "";
    if (run > 0) {
        snprintf(number, sizeof number, "_run-%u", run);
    }
    const int length = snprintf(out, FOVEA_PATH_MAX, "%s%s%s", name, number, end);
    return length > 0 && length + (int)sizeof ".part" < FOVEA_PATH_MAX;
}

static bool set_names(struct record *record, const char *name, uint32_t run)
{
    return set_name(record->rows_name, name, run, "_recording-eye1_physio.tsv.gz") &&
           set_name(record->rows_side_name, name, run, "_recording-eye1_physio.json") &&
           set_name(record->events_name, name, run, "_events.tsv") &&
           set_name(record->events_side_name, name, run, "_events.json");
}

/* Never one that is there, nor a link's target: whose record that is stays theirs. */
static int make_file(const char *name)
{
    return descriptor_above_standard(
        open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

static enum fovea_result refuse(struct record *record, const char *name, int error)
{
    log_error(record->log, "record.file: %s: %s", name, strerror(error));
    return FOVEA_ERROR_IO;
}

/* Both tables, or neither. A side-car that is there is somebody's, too. */
static bool claim(struct record *record)
{
    if (access(record->rows_side_name, F_OK) == 0 || access(record->events_side_name, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    record->rows_file = make_file(record->rows_name);
    if (record->rows_file < 0) {
        return false;
    }
    record->events_file = make_file(record->events_name);
    if (record->events_file >= 0) {
        return true;
    }
    const int error = errno;
    close(record->rows_file);
    record->rows_file = -1;
    (void)unlink(record->rows_name);
    errno = error;
    return false;
}

static bool is_folder(const char *name)
{
    struct stat status;
    return name[strlen(name) - 1] == '/' || (stat(name, &status) == 0 && S_ISDIR(status.st_mode));
}

/* The first run that nobody has. */
static enum fovea_result make_tables(struct record *record, const char *name)
{
    if (is_folder(name)) {
        log_error(record->log,
                  "record.file is %s, a folder; it is what files' names begin with, as in "
                  "\"data/sub-01_task-look\"",
                  name);
        return FOVEA_ERROR_CONFIG;
    }
    const bool given = has_run(name);
    for (uint32_t run = given ? 0 : 1; run <= (given ? 0 : MAX_RUNS); run++) {
        if (!set_names(record, name, run)) {
            return refuse(record, name, ENAMETOOLONG);
        }
        if (claim(record)) {
            return FOVEA_OK;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return refuse(record, record->rows_name, errno);
}

/* A gzip file of no lines. */
static enum fovea_result begin_rows(struct record *record)
{
    unsigned char bytes[RECORD_GZIP_HEAD_BYTES + RECORD_GZIP_END_BYTES];
    record->gzip_end = (off_t)record_gzip_head(bytes);
    (void)record_gzip_end(&record->gzip, bytes + record->gzip_end);
    errno = ENOSPC; /* where less was written than was asked for */
    return write(record->rows_file, bytes, sizeof bytes) == (ssize_t)sizeof bytes
               ? FOVEA_OK
               : refuse(record, record->rows_name, errno);
}

static enum fovea_result begin_events(struct record *record)
{
    static const char head[] = "onset\tduration\ttrial_type\tvalue\tframe\n";
    errno = ENOSPC;
    return write(record->events_file, head, sizeof head - 1) == (ssize_t)(sizeof head - 1)
               ? FOVEA_OK
               : refuse(record, record->events_name, errno);
}

/* ---- The thread ---- */

static void *run(void *argument)
{
    struct record *record = argument;
    bool stop = false;
    while (!stop) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += WRITE_EVERY_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&record->lock);
        while (!record->stop &&
               pthread_cond_timedwait(&record->changed, &record->lock, &until) != ETIMEDOUT) {
        }
        stop = record->stop;
        pthread_mutex_unlock(&record->lock);
        record_write(record, stop);
    }
    return NULL;
}

static enum fovea_result start(struct record *record)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    const bool made = pthread_cond_init(&record->changed, &attributes) == 0 &&
                      pthread_mutex_init(&record->lock, NULL) == 0;
    pthread_condattr_destroy(&attributes);
    record->started = made && thread_start(&record->thread, run, record) == 0;
    if (!record->started) {
        log_error(record->log, "record.file: no thread can be started");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

/* ---- Open and close ---- */

static void note_start(struct record *record)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    record->start_ns = fovea_time_ns();
    if (gmtime_r(&now.tv_sec, &utc)) {
        strftime(record->start_utc, sizeof record->start_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
}

static enum fovea_result build(struct record *record, const char *name)
{
    record->rows = calloc(RECORD_ROWS, sizeof *record->rows);
    record->told = calloc(RECORD_ROWS, sizeof *record->told);
    record->part = malloc(RECORD_TEXT_BYTES + RECORD_GZIP_PART_BYTES + RECORD_GZIP_END_BYTES);
    record->text = malloc(RECORD_TEXT_BYTES);
    record->events = malloc(RECORD_TEXT_BYTES);
    FOVEA_TRY_MEMORY(record->rows && record->told && record->part && record->text &&
                     record->events);
    FOVEA_TRY(make_tables(record, name));
    FOVEA_TRY(begin_rows(record));
    FOVEA_TRY(begin_events(record));
    note_start(record);
    FOVEA_TRY(start(record));
    log_info(record->log, "record: %s: a line a frame, with the gaze", record->rows_name);
    return FOVEA_OK;
}

/* Those that were made hold nothing. */
static void forget_files(const struct record *record)
{
    if (record->rows_file >= 0) {
        (void)unlink(record->rows_name);
    }
    if (record->events_file >= 0) {
        (void)unlink(record->events_name);
    }
}

enum fovea_result record_open(const char *name, struct fovea_log log, struct record **out_record)
{
    struct record *record = calloc(1, sizeof *record);
    *out_record = record;
    FOVEA_TRY_MEMORY(record);
    record->log = log;
    record->process = getpid();
    record->rows_file = record->events_file = -1;
    const enum fovea_result result = build(record, name);
    if (result < 0) {
        forget_files(record);
        record_close(out_record);
    }
    return result;
}

static void stop(struct record *record)
{
    pthread_mutex_lock(&record->lock);
    record->stop = true;
    pthread_cond_broadcast(&record->changed);
    pthread_mutex_unlock(&record->lock);
    pthread_join(record->thread, NULL);
    pthread_cond_destroy(&record->changed);
    pthread_mutex_destroy(&record->lock);
}

static void close_file(struct record *record, int file, const char *name)
{
    if (file >= 0 && close(file) != 0) {
        log_error(record->log, "record: %s: %s", name, strerror(errno));
    }
}

void record_close(struct record **record)
{
    struct record *old = *record;
    *record = NULL;
    if (!old) {
        return;
    }
    if (old->started && !process_is_child_of(old->process)) { /* lines are the parent's */
        stop(old);
        log_info(old->log, "record: %s: %llu lines, %llu lost", old->rows_name,
                 (unsigned long long)old->row_count,
                 (unsigned long long)(atomic_load(&old->lost) + old->unwritten));
    }
    close_file(old, old->rows_file, old->rows_name);
    close_file(old, old->events_file, old->events_name);
    free(old->rows);
    free(old->told);
    free(old->part);
    free(old->text);
    free(old->events);
    free(old);
}

/* ---- The frames' side ---- */

/* Sources that have both eyes' gaze can be told to take one's. */
static enum fovea_gaze_eye eye_of(const struct fovea_gaze_settings *gaze)
{
    switch (gaze->kind) {
    case FOVEA_GAZE_SCANPATH:
        return gaze->scanpath_eye;
    case FOVEA_GAZE_OPENGAZE:
        return gaze->opengaze_point == FOVEA_OPENGAZE_LEFT    ? FOVEA_GAZE_EYE_LEFT
               : gaze->opengaze_point == FOVEA_OPENGAZE_RIGHT ? FOVEA_GAZE_EYE_RIGHT
                                                              : FOVEA_GAZE_EYE_BOTH;
    case FOVEA_GAZE_LSL:
    case FOVEA_GAZE_OSC:
    case FOVEA_GAZE_NEON:
        return gaze->filter_eye;
    default:
        return FOVEA_GAZE_EYE_BOTH;
    }
}

void record_set(struct record *record, uint64_t hash, const struct fovea_settings *settings)
{
    static const char *const eyes[] = {[FOVEA_GAZE_EYE_BOTH] = "cyclopean",
                                       [FOVEA_GAZE_EYE_LEFT] = "left",
                                       [FOVEA_GAZE_EYE_RIGHT] = "right"};
    if (process_is_child_of(record->process)) {
        return; /* the parent's thread may have held the lock */
    }
    pthread_mutex_lock(&record->lock);
    const uint32_t number = record->settings_count + 1;
    if (number == 1 || number > RECORD_MAX_SETTINGS || record->settings[number - 2].hash != hash) {
        record->settings_count = number;
        if (number <= RECORD_MAX_SETTINGS) {
            record->settings[number - 1] = (struct record_settings){
                number, hash, settings->foveation.geometry, eyes[eye_of(&settings->gaze)]};
        }
    }
    pthread_mutex_unlock(&record->lock);
}

uint32_t record_settings_number(const struct record *record)
{
    return record->settings_count; /* only the frames' thread changes it */
}

void record_push(struct record *record, const struct record_row *row)
{
    const uint64_t head = atomic_load_explicit(&record->head, memory_order_relaxed);
    const uint64_t tail = atomic_load_explicit(&record->tail, memory_order_acquire);
    if (head - tail == RECORD_ROWS) {
        atomic_fetch_add_explicit(&record->lost, 1, memory_order_relaxed);
        return;
    }
    record->rows[head % RECORD_ROWS] = *row;
    atomic_store_explicit(&record->head, head + 1, memory_order_release);
}
