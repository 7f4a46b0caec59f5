/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The record of an effect's frames, where the setting record.file asks for one
 * (plugin/fovea_record.h). */
#pragma once

#include "plugin/engine/feed.h"
#include "plugin/fovea_record.h"

#include <pthread.h>

#define GODOT_JOURNAL_WAITING 8

struct godot_journal {
    pthread_mutex_t lock; /* of the record; frames only try */
    struct fovea_record *record; /* NULL: there is none */
    /* The setting thread's. */
    char file[FOVEA_PATH_MAX];
    struct fovea_log record_log; /* for what the record's own thread has to say */
    /* The render thread's: lines that came while settings were being exchanged, and how many of
     * them found no room here. */
    struct fovea_record_frame waiting[GODOT_JOURNAL_WAITING];
    uint32_t waiting_count;
    uint64_t lost;
};

void godot_journal_init(struct godot_journal *journal);
/* Writes what there is; waits for that. */
void godot_journal_finish(struct godot_journal *journal);

/* For the thread that sets settings: opens and closes files. A file that cannot be made leaves no
 * record, is not tried again until another one is named, and `log` says why; it also hears what
 * else there is to say meanwhile, and record_log what comes later, from another thread. */
FOVEA_MUST_CHECK enum fovea_result godot_journal_set(struct godot_journal *journal,
                                                     const struct fovea_settings *settings,
                                                     struct fovea_log log,
                                                     struct fovea_log record_log);

/* The render thread calls it after a frame; it waits for nothing. */
void godot_journal_add(struct godot_journal *journal, const struct fovea_record_frame *frame);
