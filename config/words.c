/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "words.h"

#include "core/json_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void config_words_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void config_words_copy(char *text, size_t size, const char *bytes, size_t count)
{
    static const char dots[] = "...";
    size_t used = 0;
    size_t fits = 0; /* how much of text leaves room for the dots */
    for (size_t i = 0; i < count;) {
        size_t length = json_utf8_length(bytes + i, count - i);
        bool shown = length > 0 && (uint8_t)bytes[i] >= 0x20 && bytes[i] != 0x7f;
        size_t step = length > 0 ? length : 1;
        size_t wide = shown ? length : 1;
        if (used + wide >= size) {
            strcpy(text + fits, dots);
            return;
        }
        memcpy(text + used, shown ? bytes + i : "?", wide);
        used += wide;
        i += step;
        fits = used + sizeof dots <= size ? used : fits;
    }
    text[used] = 0;
}

struct config_quote config_quote(const char *bytes, size_t count)
{
    struct config_quote quote;
    config_words_copy(quote.text, sizeof quote.text, bytes, count);
    return quote;
}

struct config_number config_number(double value)
{
    struct config_number number;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value) {
            break;
        }
    }
    char *comma = strchr(number.text, ',');
    if (comma) {
        *comma = '.';
    }
    return number;
}
