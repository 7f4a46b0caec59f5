/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "say.h"

#include <stdarg.h>
#include <stdio.h>

static void say(const char *kind, const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    fprintf(stderr, "fovea_quality: %s%s\n", kind, line);
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
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

static void on_log(void *user, enum fovea_log_level level, const char *message)
{
    if (level >= FOVEA_LOG_ERROR) {
        say_error("%s", message);
    } else {
        say_note("%s", message);
    }
}

struct fovea_log say_log(enum fovea_log_level min_level)
{
    return (struct fovea_log){.fn = on_log, .min_level = min_level};
}
