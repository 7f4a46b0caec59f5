/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "words.h"

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

static uint32_t decode(const char *bytes, size_t length)
{
    static const uint8_t lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (uint8_t)bytes[0] & lead_bits[length];
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | ((uint8_t)bytes[i] & 0x3f);
    }
    return code;
}

size_t config_utf8_length(const char *bytes, size_t count)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t lead = (uint8_t)bytes[0];
    size_t length = lead < 0x80           ? 1
                    : (lead >> 5) == 0x06 ? 2
                    : (lead >> 4) == 0x0e ? 3
                    : (lead >> 3) == 0x1e ? 4
                                          : 0;
    if (length == 0 || length > count) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if (((uint8_t)bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    uint32_t code = decode(bytes, length);
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

void config_words_copy(char *text, size_t size, const char *bytes, size_t count)
{
    static const char dots[] = "...";
    size_t used = 0;
    size_t fits = 0; /* how much of text leaves room for the dots */
    for (size_t i = 0; i < count;) {
        size_t length = config_utf8_length(bytes + i, count - i);
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

static size_t count_digits(const char *bytes, size_t count)
{
    size_t digits = 0;
    while (digits < count && bytes[digits] >= '0' && bytes[digits] <= '9') {
        digits++;
    }
    return digits;
}

bool config_is_json_number(const char *bytes, size_t count)
{
    size_t at = count > 0 && bytes[0] == '-' ? 1 : 0;
    size_t digits = count_digits(bytes + at, count - at);
    if (digits == 0 || (digits > 1 && bytes[at] == '0')) {
        return false;
    }
    at += digits;
    if (at < count && bytes[at] == '.') {
        digits = count_digits(bytes + at + 1, count - at - 1);
        if (digits == 0) {
            return false;
        }
        at += 1 + digits;
    }
    if (at < count && (bytes[at] == 'e' || bytes[at] == 'E')) {
        at++;
        at += at < count && (bytes[at] == '+' || bytes[at] == '-') ? 1 : 0;
        digits = count_digits(bytes + at, count - at);
        at = digits > 0 ? at + digits : 0;
    }
    return at == count;
}
