/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "json_text.h"

#include <math.h>
#include <string.h>

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

/* ---- Whole numbers of any size. A decimal is compared as one, since nothing else says on which
 * side of the middle between two doubles it lies. */

/* The middle between two doubles has 767 digits at most; one that is not 0 stands for all others.
 */
#define MOST_DIGITS 770
#define WORDS 128 /* 4096 bits; 10^(MOST_DIGITS + 1 + LEAST_PLACE) has 3658 */
#define MOST_PLACE 310 /* doubles end below 10^309, */
#define LEAST_PLACE 330 /* and begin above 10^-324 */

struct whole {
    uint32_t words[WORDS]; /* the least first */
    int32_t count;
};

/* n = n factor + plus. */
static void grow(struct whole *n, uint32_t factor, uint32_t plus)
{
    uint64_t carry = plus;
    for (int32_t i = 0; i < n->count; i++) {
        carry += (uint64_t)n->words[i] * factor;
        n->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) {
        n->words[n->count++] = (uint32_t)carry;
    }
}

static void grow_by_tens(struct whole *n, int32_t power)
{
    for (; power >= 9; power -= 9) {
        grow(n, 1000000000, 0);
    }
    for (; power > 0; power--) {
        grow(n, 10, 0);
    }
}

static void double_it(struct whole *n, int32_t times)
{
    const int32_t words = times / 32;
    memmove(n->words + words, n->words, (size_t)n->count * sizeof *n->words);
    memset(n->words, 0, (size_t)words * sizeof *n->words);
    n->count += words;
    grow(n, 1u << times % 32, 0);
}

static int32_t bit_count(const struct whole *n)
{
    return 32 * n->count - __builtin_clz(n->words[n->count - 1]);
}

/* Below 0, 0 or above it, as a is less than b, the same or more. */
static int32_t compare(const struct whole *a, const struct whole *b)
{
    int32_t i = a->count - 1;
    if (a->count != b->count) {
        return a->count - b->count;
    }
    while (i >= 0 && a->words[i] == b->words[i]) {
        i--;
    }
    return i < 0 ? 0 : a->words[i] < b->words[i] ? -1 : 1;
}

/* a -= b, which is no more than a. */
static void subtract(struct whole *a, const struct whole *b)
{
    uint64_t borrow = 0;
    for (int32_t i = 0; i < a->count; i++) {
        const uint64_t less = (i < b->count ? b->words[i] : 0) + borrow;
        borrow = a->words[i] < less;
        a->words[i] = (uint32_t)(a->words[i] - less);
    }
    while (a->count > 0 && a->words[a->count - 1] == 0) {
        a->count--;
    }
}

/* Returns the double that is nearest to a / b, of two the even one. Destroys both, which are not
 * 0. */
static double quotient(struct whole *a, struct whole *b)
{
    int32_t exponent = bit_count(a) - bit_count(b);
    double_it(exponent > 0 ? b : a, exponent > 0 ? exponent : -exponent);
    if (compare(a, b) < 0) {
        double_it(a, 1);
        exponent--;
    }
    /* Now a / b is 1 or more, below 2, and counts 2^exponent times. */
    const int32_t bits = exponent < -1022 ? 53 + 1022 + exponent : 53;
    uint64_t number = 0;
    double out = 0.0;
    for (int32_t i = 0; i < bits; i++) {
        const bool bit = compare(a, b) >= 0;
        number = number << 1 | bit;
        if (bit) {
            subtract(a, b);
        }
        double_it(a, 1);
    }
    const int32_t beyond = bits < 0 ? -1 : compare(a, b); /* the middle */
    number += beyond > 0 || (beyond == 0 && number % 2 == 1);
    /* IEEE 754 has it so; what rounding carries goes into the exponent. */
    number += exponent < -1022 ? 0 : (uint64_t)(exponent + 1022) << 52;
    memcpy(&out, &number, sizeof out);
    return exponent > 1023 ? HUGE_VAL : out;
}

/* ---- Decimals */

/* Digits with a point: their value is the number times ten to the power. */
struct digits {
    const char *begin;
    const char *end;
    bool any;
    uint64_t number; /* of the first 19 */
    int32_t count; /* from the first that is not 0 on */
    int32_t power;
};

/* A power of ten, of which a million is as good as any. */
static const char *exponent_at(const char *at, const char *end, int32_t *out_exponent)
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
        *out_exponent = *out_exponent < 1000000 ? 10 * *out_exponent + (*digit - '0') : 1000000;
    }
    *out_exponent = minus ? -*out_exponent : *out_exponent;
    return digit;
}

static struct digits digits_at(const char *at, const char *end)
{
    struct digits digits = {.begin = at};
    bool behind = false; /* the point */
    for (; at < end && (is_digit(*at) || (*at == '.' && !behind)); at++) {
        if (*at == '.') {
            behind = true;
            continue;
        }
        digits.any = true;
        digits.power -= behind;
        digits.count += digits.count > 0 || *at != '0';
        if (digits.count <= 19) {
            digits.number = 10 * digits.number + (uint64_t)(*at - '0');
        }
    }
    digits.end = at;
    return digits;
}

/* Makes the whole number of the digits. Returns the power of ten that it counts. */
static int32_t read_whole(const struct digits *digits, int32_t power, struct whole *out)
{
    int32_t count = 0;
    bool more = false;
    out->count = 0;
    for (const char *at = digits->begin; at < digits->end; at++) {
        if (*at == '.' || (count == 0 && *at == '0')) {
            continue;
        }
        if (count++ < MOST_DIGITS) {
            grow(out, 10, (uint32_t)(*at - '0'));
        } else {
            more = more || *at != '0';
            power++;
        }
    }
    if (more) {
        grow(out, 10, 1);
        power--;
    }
    return power;
}

static double nearest(const struct digits *digits, int32_t power)
{
    const int32_t place = digits->count + power;
    if (digits->count == 0 || place < -LEAST_PLACE) {
        return 0.0;
    }
    if (place > MOST_PLACE) {
        return HUGE_VAL;
    }
    struct whole above;
    struct whole below = {.words = {1}, .count = 1};
    power = read_whole(digits, power, &above);
    grow_by_tens(power < 0 ? &below : &above, power < 0 ? -power : power);
    return quotient(&above, &below);
}

const char *json_decimal(const char *at, const char *end, double *out_number)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int32_t most = sizeof tens / sizeof *tens - 1;
    const bool minus = at < end && *at == '-';
    int32_t exponent = 0;
    at += at < end && (*at == '-' || *at == '+') ? 1 : 0;
    const struct digits digits = digits_at(at, end);
    if (!digits.any) {
        return NULL;
    }
    at = exponent_at(digits.end, end, &exponent);
    const int32_t power = digits.power + exponent;
    /* Both numbers are doubles, so that what is made of them is rounded once. */
    const bool exact =
        digits.count <= 19 && digits.number <= (uint64_t)1 << 53 && power <= most && power >= -most;
    const double number = (double)digits.number;
    const double size = !exact      ? nearest(&digits, power)
                        : power < 0 ? number / tens[-power]
                                    : number * tens[power];
    *out_number = minus ? -size : size;
    return at;
}
