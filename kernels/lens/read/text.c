/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "read.h"

#include <math.h>
#include <string.h>

bool lens_text_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* ---- Lines */

struct lens_line lens_text_line(const struct json_scan *scan, size_t *at)
{
    struct lens_line line = {scan->bytes + *at, scan->bytes + *at};
    while (*at < scan->count && scan->bytes[*at] != '\n') {
        ++*at;
    }
    line.end = scan->bytes + *at;
    *at += *at < scan->count ? 1 : 0;
    return line;
}

bool lens_text_holds(const struct json_scan *scan, const char *words)
{
    return memmem(scan->bytes, scan->count, words, strlen(words));
}

/* ---- Names */

static size_t behind_space(const struct json_scan *scan, size_t at)
{
    while (at < scan->count && lens_text_is_space(scan->bytes[at])) {
        at++;
    }
    return at;
}

/* Returns the end of the line where the place is in a comment; 0: it is in none. */
static size_t comment_end(const struct json_scan *scan, size_t at)
{
    size_t begin = at;
    while (begin > 0 && scan->bytes[begin - 1] != '\n') {
        begin--;
    }
    if (scan->bytes[behind_space(scan, begin)] != '#') {
        return 0;
    }
    (void)lens_text_line(scan, &at);
    return at;
}

/* Returns the place behind the colon of a name that may be in quotes; 0: this is none. */
static size_t behind_name(const struct json_scan *scan, size_t at, size_t length)
{
    const char before = at > 0 ? scan->bytes[at - 1] : ' ';
    size_t end = at + length;
    if (!lens_text_is_space(before) && !is_quote(before) && before != '{' && before != ',') {
        return 0;
    }
    end += end < scan->count && is_quote(before) && scan->bytes[end] == before ? 1 : 0;
    while (end < scan->count && scan->bytes[end] == ' ') {
        end++;
    }
    const bool has_colon = end < scan->count && scan->bytes[end] == ':';
    return has_colon ? end + 1 : 0;
}

static bool go_behind(struct json_scan *scan, size_t from, const char *name)
{
    const size_t length = strlen(name);
    while (from < scan->count) {
        const char *found = memmem(scan->bytes + from, scan->count - from, name, length);
        if (!found) {
            return false;
        }
        const size_t at = (size_t)(found - scan->bytes);
        const size_t behind = behind_name(scan, at, length);
        const size_t comment = behind > 0 ? comment_end(scan, at) : 0;
        if (behind > 0 && comment == 0) {
            scan->at = behind;
            return true;
        }
        from = comment > 0 ? comment : at + 1;
    }
    return false;
}

bool lens_text_go(struct json_scan *scan, size_t from, const char *const *names)
{
    bool found = false;
    for (size_t i = 0; names[i] && !found; i++) {
        found = go_behind(scan, from, names[i]);
    }
    return found;
}

/* ---- Values */

/* A dash before white space is an item of a list. */
static bool is_item(const struct json_scan *scan, size_t at)
{
    return scan->bytes[at] == '-' && at + 1 < scan->count &&
           lens_text_is_space(scan->bytes[at + 1]);
}

static bool put_number(struct json_scan *scan, size_t most, double *out_numbers, size_t *count)
{
    double number = 0.0;
    const char *at = scan->bytes + scan->at;
    const char *end = json_decimal(at, scan->bytes + scan->count, &number);
    if (!end) {
        return false;
    }
    if (*count == most || !isfinite(number)) {
        return json_fail(scan,
                         isfinite(number) ? "there are more than %zu numbers"
                                          : "expected %zu finite numbers at most",
                         most);
    }
    out_numbers[(*count)++] = number;
    scan->at += (size_t)(end - at);
    return true;
}

bool lens_text_numbers(struct json_scan *scan, size_t most, double *out_numbers, size_t *out_count)
{
    int depth = 0;
    bool more = true;
    *out_count = 0;
    while (more && scan->at < scan->count) {
        const char c = scan->bytes[scan->at];
        if (c == '[' || (c == ']' && depth > 0)) {
            depth += c == '[' ? 1 : -1;
            scan->at++;
            more = depth > 0;
        } else if (lens_text_is_space(c) || (depth > 0 ? c == ',' : is_item(scan, scan->at))) {
            scan->at++;
        } else {
            more = put_number(scan, most, out_numbers, out_count);
        }
    }
    if (depth != 0) {
        json_fail(scan, "expected numbers in brackets");
    }
    return !scan->problem[0];
}

void lens_text_word(struct json_scan *scan, char out_word[JSON_NAME_BYTES])
{
    size_t length = 0;
    while (scan->at < scan->count &&
           (is_quote(scan->bytes[scan->at]) || scan->bytes[scan->at] == ' ')) {
        scan->at++;
    }
    while (scan->at < scan->count && is_letter(scan->bytes[scan->at])) {
        if (length + 1 < JSON_NAME_BYTES) {
            out_word[length++] = scan->bytes[scan->at];
        }
        scan->at++;
    }
    out_word[length] = '\0';
}
