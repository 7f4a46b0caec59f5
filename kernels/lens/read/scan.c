/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_BRACKETS 4
#define MOST_DIGITS 30 /* of a number, from the first that is not 0 on; a double has 17 */
#define MOST_PASSED 16 /* of values that are passed over */

bool lens_scan_fail(struct lens_scan *scan, const char *format, ...)
{
    unsigned line = 1;
    unsigned column = 1;
    if (scan->problem[0]) {
        return false;
    }
    for (size_t i = 0; i < scan->at && i < scan->count; i++) {
        line += scan->bytes[i] == '\n';
        column = scan->bytes[i] == '\n' ? 1 : column + 1;
    }
    const int used = snprintf(scan->problem, LENS_PROBLEM_BYTES, "%u:%u: ", line, column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scan->problem + used, (size_t)(LENS_PROBLEM_BYTES - used), format, arguments);
    va_end(arguments);
    return false;
}

static void pass_space(struct lens_scan *scan)
{
    while (scan->at < scan->count && scan->bytes[scan->at] != 0 &&
           strchr(" \t\r\n", scan->bytes[scan->at])) {
        scan->at++;
    }
}

bool lens_scan_sees(struct lens_scan *scan, char c)
{
    pass_space(scan);
    return !scan->problem[0] && scan->at < scan->count && scan->bytes[scan->at] == c;
}

bool lens_scan_take(struct lens_scan *scan, char c)
{
    if (!lens_scan_sees(scan, c)) {
        const bool comment = scan->at < scan->count && scan->bytes[scan->at] == '/';
        return lens_scan_fail(scan, "expected %c%s", c,
                              comment ? "; JSON has no comments here" : "");
    }
    scan->at++;
    return true;
}

bool lens_scan_word(struct lens_scan *scan, char out_word[LENS_SCAN_NAME_BYTES])
{
    size_t length = 0;
    if (!lens_scan_take(scan, '"')) {
        return false;
    }
    const char *from = scan->bytes + scan->at;
    while (scan->at + length < scan->count && from[length] != '"') {
        const bool plain = from[length] >= ' ' && from[length] <= '~' && from[length] != '\\';
        if (!plain || length + 1 == LENS_SCAN_NAME_BYTES) {
            return lens_scan_fail(scan, "expected a name of at most %d letters",
                                  LENS_SCAN_NAME_BYTES - 1);
        }
        length++;
    }
    memcpy(out_word, from, length);
    out_word[length] = '\0';
    scan->at += length;
    return lens_scan_take(scan, '"');
}

/* ---- Numbers */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
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

const char *lens_scan_decimal(const char *at, const char *end, double *out_number)
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

bool lens_scan_number(struct lens_scan *scan, double *out_number)
{
    pass_space(scan);
    const char *at = scan->bytes + scan->at;
    const char *end = NULL;
    if (scan->problem[0]) {
        return false;
    }
    if (scan->at < scan->count && (is_digit(*at) || *at == '-')) {
        end = lens_scan_decimal(at, scan->bytes + scan->count, out_number);
    }
    if (!end || !isfinite(*out_number)) {
        return lens_scan_fail(scan, "expected a finite number");
    }
    scan->at += (size_t)(end - at);
    return true;
}

/* Where the numbers go: one of both. */
struct target {
    double *doubles;
    float *floats;
    size_t count;
    size_t filled;
};

static bool put_number(struct lens_scan *scan, struct target *to)
{
    double number = 0.0;
    if (!lens_scan_number(scan, &number)) {
        return false;
    }
    if (to->filled == to->count) {
        return lens_scan_fail(scan, "there are more than %zu numbers", to->count);
    }
    if (to->floats) {
        to->floats[to->filled++] = (float)number;
    } else if (to->doubles) {
        to->doubles[to->filled++] = number;
    }
    return true;
}

static bool put_list(struct lens_scan *scan, struct target *to, int depth)
{
    if (!lens_scan_take(scan, '[')) {
        return false;
    }
    if (depth == MOST_BRACKETS) {
        return lens_scan_fail(scan, "there are more than %d brackets in each other", depth);
    }
    do {
        const bool put =
            lens_scan_sees(scan, '[') ? put_list(scan, to, depth + 1) : put_number(scan, to);
        if (!put) {
            return false;
        }
    } while (lens_scan_sees(scan, ',') && lens_scan_take(scan, ','));
    return lens_scan_take(scan, ']');
}

static bool put_all(struct lens_scan *scan, struct target *to)
{
    if (!put_list(scan, to, 0)) {
        return false;
    }
    return to->filled == to->count ||
           lens_scan_fail(scan, "there are %zu numbers; there must be %zu", to->filled, to->count);
}

bool lens_scan_numbers(struct lens_scan *scan, size_t count, double *out_numbers)
{
    return put_all(scan, &(struct target){.doubles = out_numbers, .count = count});
}

bool lens_scan_some(struct lens_scan *scan, size_t least, size_t most, double *out_numbers)
{
    struct target to = {.doubles = out_numbers, .count = most};
    return put_list(scan, &to, 0) &&
           (to.filled >= least ||
            lens_scan_fail(scan, "there are %zu numbers; there must be %zu or %zu", to.filled,
                           least, most));
}

bool lens_scan_floats(struct lens_scan *scan, size_t count, float *out_floats)
{
    return put_all(scan, &(struct target){.floats = out_floats, .count = count});
}

/* ---- Objects */

/* Reads a member's name, of which those that count have letters alone. Of others it has the first
 * letters, with question marks for all that is no plain letter. */
static bool read_name(struct lens_scan *scan, char out_name[LENS_SCAN_NAME_BYTES])
{
    size_t length = 0;
    if (!lens_scan_take(scan, '"')) {
        return false;
    }
    while (scan->at < scan->count && scan->bytes[scan->at] != '"') {
        const char c = scan->bytes[scan->at];
        const bool escaped = c == '\\';
        if (length + 1 < LENS_SCAN_NAME_BYTES) {
            out_name[length++] = c >= ' ' && c <= '~' && !escaped ? c : '?';
        }
        scan->at += escaped && scan->at + 1 < scan->count ? 2 : 1;
    }
    out_name[length] = '\0';
    return lens_scan_take(scan, '"');
}

bool lens_scan_object(struct lens_scan *scan, lens_scan_member_fn member, void *user)
{
    if (!lens_scan_take(scan, '{')) {
        return false;
    }
    if (lens_scan_sees(scan, '}')) {
        return lens_scan_take(scan, '}');
    }
    do {
        char name[LENS_SCAN_NAME_BYTES];
        if (!read_name(scan, name) || !lens_scan_take(scan, ':') || !member(scan, name, user)) {
            return false;
        }
    } while (lens_scan_sees(scan, ',') && lens_scan_take(scan, ','));
    return lens_scan_take(scan, '}');
}

bool lens_scan_once(struct lens_scan *scan, const char *name, bool *has)
{
    if (*has) {
        return lens_scan_fail(scan, "\"%s\" is there twice", name);
    }
    *has = true;
    return true;
}

/* ---- What does not count */

static bool pass_text(struct lens_scan *scan)
{
    if (!lens_scan_take(scan, '"')) {
        return false;
    }
    while (scan->at < scan->count && scan->bytes[scan->at] != '"') {
        scan->at += scan->bytes[scan->at] == '\\' && scan->at + 1 < scan->count ? 2 : 1;
    }
    return lens_scan_take(scan, '"');
}

static bool pass_word(struct lens_scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if (scan->count - scan->at >= length &&
            memcmp(scan->bytes + scan->at, words[i], length) == 0) {
            scan->at += length;
            return true;
        }
    }
    return lens_scan_fail(scan, "expected a value");
}

static bool pass_value(struct lens_scan *scan, int depth);

static bool pass_all(struct lens_scan *scan, char open, char close, int depth)
{
    bool more = lens_scan_take(scan, open) && !lens_scan_sees(scan, close);
    if (depth == MOST_PASSED) {
        return lens_scan_fail(scan, "there are more than %d brackets in each other", depth);
    }
    while (more) {
        const bool named = close != '}' || (pass_text(scan) && lens_scan_take(scan, ':'));
        if (!named || !pass_value(scan, depth + 1)) {
            return false;
        }
        more = lens_scan_sees(scan, ',') && lens_scan_take(scan, ',');
    }
    return lens_scan_take(scan, close);
}

static bool pass_value(struct lens_scan *scan, int depth)
{
    double number = 0.0;
    if (lens_scan_sees(scan, '{')) {
        return pass_all(scan, '{', '}', depth);
    }
    if (lens_scan_sees(scan, '[')) {
        return pass_all(scan, '[', ']', depth);
    }
    if (lens_scan_sees(scan, '"')) {
        return pass_text(scan);
    }
    const char next = scan->at < scan->count ? scan->bytes[scan->at] : '\0';
    return is_digit(next) || next == '-' ? lens_scan_number(scan, &number) : pass_word(scan);
}

bool lens_scan_pass(struct lens_scan *scan)
{
    return !scan->problem[0] && pass_value(scan, 0);
}

bool lens_scan_end(struct lens_scan *scan)
{
    pass_space(scan);
    return scan->at == scan->count || lens_scan_fail(scan, "expected nothing more");
}
