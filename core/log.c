/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "log.h"

#include "json_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_BYTES 2048

/* Control characters are below the space, DEL, and U+0080 to U+009F. */
static bool is_shown(const char *at, size_t length)
{
    const uint8_t lead = (uint8_t)at[0];
    const bool upper_control = length == 2 && lead == 0xc2 && (uint8_t)at[1] < 0xa0;
    return length > 0 && lead >= ' ' && lead != 0x7f && !upper_control;
}

static size_t write_escape(uint8_t byte, char out[static 8])
{
    return (size_t)(byte == '\n' ? snprintf(out, 8, "\\n") : snprintf(out, 8, "\\x%02x", byte));
}

/* Names of files, values of settings and words of engines may hold any bytes. A message is one line
 * of UTF-8, so a newline becomes \n, and each other byte that would not be seen \x and two digits.
 * A message that is cut may end within a character, which is dropped. */
static void make_visible(char text[static MESSAGE_BYTES], bool cut)
{
    size_t count = strlen(text);
    for (size_t at = 0; at < count;) {
        char escape[8];
        const size_t left = count - at;
        const size_t length = json_utf8_length(text + at, left);
        if (is_shown(text + at, length)) {
            at += length;
            continue;
        }
        const size_t wide = write_escape((uint8_t)text[at], escape);
        const size_t room = MESSAGE_BYTES - 1 - at;
        if ((cut && length == 0 && left < 4) || room < wide) {
            count = at;
            break;
        }
        const size_t kept = left - 1 < room - wide ? left - 1 : room - wide;
        memmove(text + at + wide, text + at + 1, kept);
        memcpy(text + at, escape, wide);
        at += wide;
        cut = cut || kept < left - 1;
        count = at + kept;
    }
    text[count] = '\0';
}

void log_write(struct fovea_log log, enum fovea_log_level level, const char *format, ...)
{
    if (!log.fn || level < log.min_level) {
        return;
    }
    char text[MESSAGE_BYTES] = "";
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_visible(text, wanted >= MESSAGE_BYTES);
    log.fn(log.user, level, text);
}
