/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "json_scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("_-+.$", c));
}

/* ---- Problems */

/* Shows the word here, the character, or the end. */
static void show_found(const struct json_scan *scan, char *out, size_t bytes)
{
    const char *here = scan->bytes + scan->at;
    const size_t left = scan->count - scan->at;
    size_t length = 0;
    if (left == 0) {
        snprintf(out, bytes, "the end");
        return;
    }
    while (length < left && is_word(here[length])) {
        length++;
    }
    const bool fits = length < bytes;
    const size_t character = json_utf8_length(here, left);
    if (length == 0 && (character == 0 || (uint8_t)here[0] < ' ' || here[0] == 0x7f)) {
        snprintf(out, bytes, "?");
        return;
    }
    length = length == 0 ? character : length;
    snprintf(out, bytes, "%.*s%s", (int)(fits ? length : bytes - 4), here, fits ? "" : "...");
}

static void put_problem(struct json_scan *scan, size_t at, const char *format, va_list arguments)
{
    size_t used = 0;
    if (scan->problem[0]) {
        return;
    }
    if (scan->has_places) {
        const struct json_place place = json_place_of(scan->bytes, scan->count, at);
        used = (size_t)snprintf(scan->problem, scan->problem_bytes, "%u:%u: ", place.line,
                                place.column);
    }
    vsnprintf(scan->problem + used, scan->problem_bytes - used, format, arguments);
}

bool json_fail_at(struct json_scan *scan, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_problem(scan, at, format, arguments);
    va_end(arguments);
    return false;
}

bool json_fail(struct json_scan *scan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_problem(scan, scan->at, format, arguments);
    va_end(arguments);
    return false;
}

bool json_expected(struct json_scan *scan, const char *what)
{
    char found[64];
    const bool comment = !scan->plain && scan->at < scan->count && scan->bytes[scan->at] == '/';
    show_found(scan, found, sizeof found);
    return json_fail(scan, "expected %s; found %s%s", what, found,
                     comment ? "; JSON has no comments here" : "");
}

/* ---- White space and comments */

static bool at_end(const struct json_scan *scan)
{
    return scan->at >= scan->count;
}

/* The byte that is next; 0 at the end. */
static char peek(const struct json_scan *scan)
{
    return at_end(scan) ? 0 : scan->bytes[scan->at];
}

static size_t line_length(const char *bytes, size_t left)
{
    size_t length = 0;
    while (length < left && bytes[length] != '\n' && bytes[length] != '\r') {
        length++;
    }
    return length;
}

/* 0: it does not end. */
static size_t block_comment_length(const char *bytes, size_t left)
{
    const char *close = memmem(bytes + 2, left - 2, "*/", 2);
    return close ? (size_t)(close - bytes) + 2 : 0;
}

static bool pass_comment(struct json_scan *scan)
{
    const char *bytes = scan->bytes + scan->at;
    const size_t left = scan->count - scan->at;
    const char kind = left > 1 ? bytes[1] : 0;
    if (kind != '/' && kind != '*') {
        return json_expected(scan, "// or /* for a comment");
    }
    const size_t length =
        kind == '/' ? line_length(bytes, left) : block_comment_length(bytes, left);
    if (length == 0) {
        return json_fail(scan, "the comment /* has no */");
    }
    memset(scan->plain + scan->at, ' ', length);
    scan->at += length;
    return true;
}

bool json_space(struct json_scan *scan)
{
    bool good = !scan->problem[0];
    for (char c = peek(scan);
         good && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || (c == '/' && scan->plain));
         c = peek(scan)) {
        if (c == '/') {
            good = pass_comment(scan);
        } else {
            scan->at++;
        }
    }
    return good;
}

bool json_sees(struct json_scan *scan, char c)
{
    return json_space(scan) && !at_end(scan) && peek(scan) == c;
}

bool json_end(struct json_scan *scan)
{
    return json_space(scan) && (at_end(scan) || json_expected(scan, "nothing more"));
}

/* ---- Strings */

/* \u and four digits at the given place; UINT32_MAX: not that. */
static uint32_t read_unit(const struct json_scan *scan, size_t at)
{
    if (at + 6 > scan->count || scan->bytes[at] != '\\' || scan->bytes[at + 1] != 'u') {
        return UINT32_MAX;
    }
    uint32_t unit = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        const char c = scan->bytes[i];
        const char lower = (char)(c | 0x20);
        if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) {
            return UINT32_MAX;
        }
        unit = unit << 4 | (uint32_t)(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return unit;
}

static bool is_half(uint32_t unit)
{
    return unit >= 0xd800 && unit <= 0xdfff;
}

/* RFC 8259 leaves it to the reader whether strings may have 0 and halves of characters: they may
 * where nobody decodes them. */
static bool can_be_decoded(struct json_scan *scan, uint32_t unit, bool is_pair)
{
    if (unit == 0) {
        return json_fail(scan, "\\u0000 is no character of a setting");
    }
    return !is_half(unit) || is_pair ||
           json_fail(scan, "\\u%04x is half of a character, and the other half is not beside it",
                     (unsigned)unit);
}

static bool pass_unicode_escape(struct json_scan *scan)
{
    const uint32_t unit = read_unit(scan, scan->at);
    if (unit == UINT32_MAX) {
        return json_fail(scan, "expected \\u and four hexadecimal digits of a character");
    }
    const uint32_t next = is_half(unit) ? read_unit(scan, scan->at + 6) : UINT32_MAX;
    const bool is_pair = unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
    if (scan->spots && !can_be_decoded(scan, unit, is_pair)) {
        return false;
    }
    scan->at += is_pair ? 12 : 6;
    return true;
}

static bool pass_escape(struct json_scan *scan)
{
    const char c = scan->at + 1 < scan->count ? scan->bytes[scan->at + 1] : 0;
    if (c == 'u') {
        return pass_unicode_escape(scan);
    }
    if (c == 0 || !strchr("\"\\/bfnrt", c)) {
        return json_fail(scan, "unknown escape in a string; a backslash is written \\\\");
    }
    scan->at += 2;
    return true;
}

static bool pass_string(struct json_scan *scan)
{
    const size_t begin = scan->at++;
    while (!at_end(scan) && peek(scan) != '"' && (uint8_t)peek(scan) >= ' ') {
        if (peek(scan) != '\\') {
            scan->at++;
        } else if (!pass_escape(scan)) {
            return false;
        }
    }
    const char c = peek(scan);
    if (!at_end(scan) && c != '"' && c != '\n' && c != '\r') {
        return json_fail(scan, "a control character in a string is written \\u%04x", (unsigned)c);
    }
    if (c != '"') {
        return json_fail_at(scan, begin, "the string has no closing \" on its line");
    }
    scan->at++;
    return true;
}

bool json_word(struct json_scan *scan, char out_word[JSON_NAME_BYTES])
{
    if (!json_sees(scan, '"')) {
        return json_expected(scan, "a name in double quotes");
    }
    const char *from = scan->bytes + scan->at + 1;
    const size_t left = scan->count - scan->at - 1;
    size_t length = 0;
    while (length < left && from[length] != '"') {
        const bool plain = from[length] >= ' ' && from[length] <= '~' && from[length] != '\\';
        if (!plain || length + 1 == JSON_NAME_BYTES) {
            return json_fail(scan, "expected a name of at most %d letters", JSON_NAME_BYTES - 1);
        }
        length++;
    }
    memcpy(out_word, from, length);
    out_word[length] = '\0';
    return pass_string(scan);
}

/* ---- Objects and lists */

bool json_open(struct json_scan *scan, char open, struct json_list *out_list)
{
    const bool opens = json_sees(scan, open);
    *out_list = (struct json_list){.open_at = scan->at, .close = open == '{' ? '}' : ']'};
    scan->at += opens ? 1 : 0;
    return opens || json_expected(scan, open == '{' ? "{" : "[");
}

bool json_next(struct json_scan *scan, struct json_list *list)
{
    bool more = !list->begun;
    const bool comma = list->begun && json_sees(scan, ',');
    const size_t comma_at = scan->at;
    list->begun = true;
    scan->at += comma ? 1 : 0;
    if (json_sees(scan, list->close)) {
        scan->at++;
        return comma && json_fail_at(scan, comma_at,
                                     "a comma before %c: JSON has no trailing commas", list->close);
    }
    if (at_end(scan)) {
        const struct json_place place = json_place_of(scan->bytes, scan->count, list->open_at);
        return json_fail(scan, "the text ends, but the %c of line %u, column %u has no %c",
                         scan->bytes[list->open_at], place.line, place.column, list->close);
    }
    more =
        more || comma || json_expected(scan, list->close == '}' ? "a comma or }" : "a comma or ]");
    return more && !scan->problem[0];
}

/* Passes over a member's name and the colon. */
static bool pass_name(struct json_scan *scan)
{
    if (peek(scan) != '"') {
        return json_expected(scan, "a key in double quotes");
    }
    if (!pass_string(scan) || !json_space(scan)) {
        return false;
    }
    if (peek(scan) != ':') {
        return json_expected(scan, "a colon after the key");
    }
    scan->at++;
    return true;
}

static void copy_name(const char *name, char out_name[JSON_NAME_BYTES])
{
    size_t length = 0;
    for (const char *at = name; *at != '"' && length + 1 < JSON_NAME_BYTES; at++) {
        out_name[length++] = *at >= ' ' && *at <= '~' && *at != '\\' ? *at : '?';
        at += *at == '\\' ? 1 : 0;
    }
    out_name[length] = '\0';
}

bool json_object(struct json_scan *scan, json_member_fn member, void *user)
{
    struct json_list list;
    bool good = json_open(scan, '{', &list);
    while (good && json_next(scan, &list)) {
        char name[JSON_NAME_BYTES];
        const char *from = scan->bytes + scan->at + 1;
        good = pass_name(scan);
        if (good) {
            copy_name(from, name);
            good = member(scan, name, user);
        }
    }
    return good && !scan->problem[0];
}

/* ---- Values */

bool json_number(struct json_scan *scan, double *out_number)
{
    const char *end = NULL;
    if (!json_space(scan)) {
        return false;
    }
    const char *at = scan->bytes + scan->at;
    if (is_digit(peek(scan)) || peek(scan) == '-') {
        end = json_decimal(at, scan->bytes + scan->count, out_number);
    }
    if (!end || !isfinite(*out_number)) {
        return json_fail(scan, "expected a finite number");
    }
    scan->at += (size_t)(end - at);
    return true;
}

static bool pass_word(struct json_scan *scan)
{
    const char *bytes = scan->bytes + scan->at;
    const size_t left = scan->count - scan->at;
    size_t length = 0;
    while (length < left && is_word(bytes[length])) {
        length++;
    }
    const bool literal =
        (length == 4 && (!memcmp(bytes, "true", 4) || !memcmp(bytes, "null", 4))) ||
        (length == 5 && !memcmp(bytes, "false", 5));
    if (!literal && !json_is_number(bytes, length)) {
        return json_expected(scan, length > 0 ? "a value as JSON writes it" : "a value");
    }
    scan->at += length;
    return true;
}

/* Takes note of a value that begins here. */
static bool push_spot(struct json_scan *scan, size_t name)
{
    struct json_spots *spots = scan->spots;
    if (spots->count == spots->capacity) {
        const size_t capacity = spots->capacity ? spots->capacity * 2 : 64;
        struct json_spot *all = realloc(spots->all, capacity * sizeof *all);
        spots->no_memory = !all;
        if (!all) {
            return json_fail(scan, "out of memory");
        }
        spots->all = all;
        spots->capacity = capacity;
    }
    spots->all[spots->count++] =
        (struct json_spot){.name = (uint32_t)name, .begin = (uint32_t)scan->at};
    return true;
}

static bool pass_value(struct json_scan *scan, size_t name, int depth);

static bool pass_list(struct json_scan *scan, int depth)
{
    struct json_list list;
    bool good = depth < JSON_DEPTH_MAX ||
                json_fail(scan, "expected at most %d levels of nesting", JSON_DEPTH_MAX);
    good = good && json_open(scan, peek(scan), &list);
    while (good && json_next(scan, &list)) {
        const size_t name = scan->at;
        good = (list.close == ']' || (pass_name(scan) && json_space(scan))) &&
               pass_value(scan, name, depth + 1);
    }
    return good && !scan->problem[0];
}

/* name: where the value's name began; the place where it has none. */
static bool pass_value(struct json_scan *scan, size_t name, int depth)
{
    const size_t number = scan->spots ? scan->spots->count : 0;
    const char c = peek(scan);
    if (scan->spots && !push_spot(scan, name)) {
        return false;
    }
    const bool good = c == '{' || c == '[' ? pass_list(scan, depth)
                      : c == '"'           ? pass_string(scan)
                                           : pass_word(scan);
    if (good && scan->spots) {
        scan->spots->all[number].end = (uint32_t)scan->at;
        scan->spots->all[number].next = (uint32_t)scan->spots->count;
    }
    return good;
}

bool json_pass(struct json_scan *scan)
{
    return json_space(scan) && pass_value(scan, scan->at, 0);
}
