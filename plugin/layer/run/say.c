/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>

/* One call to stdio a line, so that the program's lines do not mix in. */
void say(const char *format, ...)
{
    char line[2 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "fovea-run: %s\n", line);
}

static void on_log(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    say("%s%s", level == FOVEA_LOG_WARNING ? "warning: " : "", message);
}

struct fovea_log say_log(void)
{
    return (struct fovea_log){.fn = on_log, .min_level = FOVEA_LOG_WARNING};
}
