/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_journal.h"

#include <stdio.h>
#include <string.h>

void godot_journal_init(struct godot_journal *journal)
{
    pthread_mutex_init(&journal->lock, NULL);
}

/* A record's messages while this thread sets it go to whoever sets it: nothing is printed before
 * that is over. */
static _Thread_local const struct fovea_log *setting;

static void record_says(void *user, enum fovea_log_level level, const char *message)
{
    const struct godot_journal *journal = user;
    const struct fovea_log *log = setting ? setting : &journal->record_log;
    if (log->fn && level >= log->min_level) {
        log->fn(log->user, level, message);
    }
}

static void exchange(struct godot_journal *journal, struct fovea_record *with, const char *file)
{
    pthread_mutex_lock(&journal->lock);
    struct fovea_record *before = journal->record;
    journal->record = with;
    pthread_mutex_unlock(&journal->lock);
    snprintf(journal->file, sizeof journal->file, "%s", file);
    fovea_record_destroy(&before);
}

void godot_journal_finish(struct godot_journal *journal)
{
    exchange(journal, NULL, "");
    pthread_mutex_destroy(&journal->lock);
}

/* Frames have their settings by a number, which they get under the lock. */
static enum fovea_result set_again(struct godot_journal *journal,
                                   const struct fovea_settings *settings)
{
    if (!journal->record) { /* no other thread changes it */
        return FOVEA_OK;
    }
    pthread_mutex_lock(&journal->lock);
    const enum fovea_result result = fovea_record_set_settings(journal->record, settings);
    pthread_mutex_unlock(&journal->lock);
    return result;
}

enum fovea_result godot_journal_set(struct godot_journal *journal,
                                    const struct fovea_settings *settings, struct fovea_log log,
                                    struct fovea_log record_log)
{
    const char *file = settings->record.file;
    struct fovea_record *opened = NULL;
    struct fovea_record_desc desc;
    if (strcmp(file, journal->file) == 0) {
        return set_again(journal, settings);
    }
    fovea_record_desc_init(&desc);
    desc.settings = settings;
    desc.log = (struct fovea_log){.fn = record_says, .user = journal};
    if (!journal->file[0]) {
        journal->record_log = record_log; /* no record reads it */
    }
    setting = &log;
    const enum fovea_result result = file[0] ? fovea_record_create(&desc, &opened) : FOVEA_OK;
    /* Who asks for another file, or none, wants no more lines in the former one. */
    exchange(journal, opened, file);
    setting = NULL;
    return result;
}

static void add(struct godot_journal *journal, const struct fovea_record_frame *frame)
{
    struct fovea_record_frame line = *frame;
    line.refused += journal->lost;
    journal->lost = 0;
    /* A viewport that is too large is shown as it was drawn. */
    journal->lost += fovea_record_add(journal->record, &line) < 0 ? line.refused + 1 : 0;
}

void godot_journal_add(struct godot_journal *journal, const struct fovea_record_frame *frame)
{
    if (pthread_mutex_trylock(&journal->lock) != 0) {
        if (journal->waiting_count < GODOT_JOURNAL_WAITING) {
            journal->waiting[journal->waiting_count++] = *frame;
        } else {
            journal->lost++;
        }
        return;
    }
    for (uint32_t i = 0; i < journal->waiting_count && journal->record; i++) {
        add(journal, &journal->waiting[i]);
    }
    journal->waiting_count = 0;
    if (journal->record) {
        add(journal, frame);
    }
    pthread_mutex_unlock(&journal->lock);
}
