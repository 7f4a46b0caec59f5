/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_log.h"

#include "godot_api.h"

#include <stdio.h>
#include <string.h>

/* The engine shows a description behind its message: they are the same. */
static void write_line(void *user, enum fovea_log_level level, const char *message)
{
    char words[2100];
    (void)user;
    snprintf(words, sizeof words, "Fovea: %s", message);
    if (level >= FOVEA_LOG_ERROR) {
        godot.print_error_with_message(words, words, "FoveaEffect", "fovea", 0, 0);
    } else {
        godot.print_warning_with_message(words, words, "FoveaEffect", "fovea", 0, 0);
    }
}

struct fovea_log godot_log(void)
{
    return (struct fovea_log){.fn = write_line, .min_level = FOVEA_LOG_WARNING};
}

static void keep_line(void *user, enum fovea_log_level level, const char *message)
{
    struct godot_note *note = user;
    const size_t used = strlen(note->words);
    snprintf(note->words + used, sizeof note->words - used, "%s%s", used ? "\n" : "", message);
    note->level = level > note->level ? level : note->level;
}

struct fovea_log godot_note_log(struct godot_note *note)
{
    return (struct fovea_log){.fn = keep_line, .user = note, .min_level = FOVEA_LOG_WARNING};
}

void godot_note_print(struct godot_note *note)
{
    if (note->words[0]) {
        write_line(NULL, note->level, note->words);
    }
    *note = (struct godot_note){0};
}
