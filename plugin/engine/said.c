/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "said.h"

#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>

void engine_say_once(struct engine_said *said, uint32_t kind, struct fovea_log log,
                     const char *format, ...)
{
    char text[256];
    if (said->kinds & 1u << kind) {
        return;
    }
    said->kinds |= 1u << kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_warning(log, "%s", text);
}
