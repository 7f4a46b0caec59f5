/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "say.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_bool quiet;

void say_quietly(void)
{
    atomic_store(&quiet, true);
}

/* One call to stdio a line, so that lines of other threads do not mix in. */
static void say(const char *kind, const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    fprintf(stderr, SAY_PROGRAM ": %s%s\n", kind, line);
}

void say_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("error: ", format, arguments);
    va_end(arguments);
}

void say_note(const char *format, ...)
{
    if (atomic_load(&quiet)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

static void on_log(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    if (level >= FOVEA_LOG_ERROR) {
        say_error("%s", message);
    } else if (level == FOVEA_LOG_WARNING) {
        say_note("warning: %s", message);
    } else {
        say_note("%s", message);
    }
}

struct fovea_log say_log(enum fovea_log_level min_level)
{
    return (struct fovea_log){.fn = on_log, .min_level = min_level};
}
