/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "json_text.h"

#include <math.h>

#define MOST_DIGITS 30 /* of a number, from the first that is not 0 on; a double has 17 */

/* ---- Bytes */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
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

size_t json_utf8_length(const char *bytes, size_t count)
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

struct json_place json_place_of(const char *bytes, size_t count, size_t at)
{
    struct json_place place = {.line = 1, .column = 1};
    for (size_t i = 0; i < at && i < count; i++) {
        if (bytes[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((uint8_t)bytes[i] & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

/* ---- Numbers */

static size_t count_digits(const char *bytes, size_t count)
{
    size_t digits = 0;
    while (digits < count && is_digit(bytes[digits])) {
        digits++;
    }
    return digits;
}

bool json_is_number(const char *bytes, size_t count)
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

/* A power of ten, of which 400 is as good as any. */
static const char *exponent_at(const char *at, const char *end, int *out_exponent)
{
    const bool has = at < end && (*at == 'e' || *at == 'E');
    const char *digit = has ? at + 1 : at;
    const bool minus = has && digit < end && *digit == '-';
    *out_exponent = 0;
    if (has && digit < end && (*digit == '-' || *digit == '+')) {
        digit++;
    }
    if (!has || digit == end || !is_digit(*digit)) {
        return at;
    }
    for (; digit < end && is_digit(*digit); digit++) {
        *out_exponent = *out_exponent < 400 ? 10 * *out_exponent + (*digit - '0') : 400;
    }
    *out_exponent = minus ? -*out_exponent : *out_exponent;
    return digit;
}

/* Digits with a point: their value is the number times ten to the power. Behind MOST_DIGITS they
 * are no more than places. Returns where they end; NULL: there are none. */
static const char *digits_at(const char *at, const char *end, double *out_digits, int *out_power)
{
    bool behind = false; /* the point */
    bool seen = false;
    int counted = 0;
    *out_digits = 0.0;
    *out_power = 0;
    for (; at < end && (is_digit(*at) || (*at == '.' && !behind)); at++) {
        if (*at == '.') {
            behind = true;
            continue;
        }
        seen = true;
        if (counted < MOST_DIGITS) {
            *out_digits = 10.0 * *out_digits + (*at - '0');
            *out_power -= behind;
            counted += *out_digits > 0.0;
        } else {
            *out_power += !behind;
        }
    }
    return seen ? at : NULL;
}

const char *json_decimal(const char *at, const char *end, double *out_number)
{
    const bool minus = at < end && *at == '-';
    double digits = 0.0;
    int power = 0;
    int exponent = 0;
    at += at < end && (*at == '-' || *at == '+') ? 1 : 0;
    at = digits_at(at, end, &digits, &power);
    if (!at) {
        return NULL;
    }
    at = exponent_at(at, end, &exponent);
    power += exponent;
    const double size = digits == 0.0 ? 0.0
                        : power < 0   ? digits / pow(10.0, -power)
                                      : digits * pow(10.0, power);
    *out_number = minus ? -size : size;
    return at;
}
